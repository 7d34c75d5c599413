"""How a command ends: a line on stderr that says what went wrong, and a status.

0    it is done
1    it failed: a line on stderr says why, and nothing was written
2    the command line itself was wrong: an option or argument that there is not
130  someone stopped it (Ctrl-C): nothing was written
141  whoever read its output went away, as `head` does
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from rich.console import Console

FAILED, STOPPED, UNREAD = 1, 130, 141
STATUS = "Status: 0 done, 1 failed (a line on stderr says why), 2 wrong arguments, 130 stopped."


@contextmanager
def told(verbose: bool) -> Iterator[None]:
    """What goes wrong inside is one line on stderr and a status."""
    from .pipeline.shown import one_line

    console = Console(stderr=True)

    def say(what: str) -> None:
        console.print(what, highlight=False, markup=False, soft_wrap=True)

    def warn(message: Warning | str, category: type[Warning], *rest: Any, **more: Any) -> None:
        say(f"warning: {message}")

    with warnings.catch_warnings():
        if not verbose:
            warnings.filterwarnings("ignore", category=FutureWarning)  # PySpark's, of pandas 3
        warnings.showwarning = warn
        try:
            yield
            sys.stdout.flush()
        except KeyboardInterrupt:
            say("stopped; nothing was written")
            raise typer.Exit(STOPPED) from None
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes it at the end
            raise typer.Exit(UNREAD) from None
        except Exception as error:
            if was_stopped(error):
                say("stopped; nothing was written")
                raise typer.Exit(STOPPED) from None
            if verbose:
                console.print_exception()
            say(f"error: {one_line(error)}")
            raise typer.Exit(FAILED) from None


def was_stopped(error: BaseException) -> bool:
    """Whether an error came up while somebody's Ctrl-C was seen to: of a talk with Java that was cut short, say."""
    while error.__context__ is not None:
        error = error.__context__
        if isinstance(error, KeyboardInterrupt):
            return True
    return False
