"""A bar that shows how far something is: in a terminal on stderr, in a notebook below the cell, nowhere else."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

# (the share that is done, or None where nobody knows; keys so far; keys in all)
Show = Callable[[float | None, int, int], None]


@contextmanager
def a_bar(name: str, wanted: bool = True) -> Iterator[Show]:
    """Gives a function that shows how far something is; one that does nothing where no one would see it."""
    if not wanted:
        yield lambda share, keys, total: None
    elif in_notebook():
        with in_cell(name) as show:
            yield show
    elif sys.stderr is not None and sys.stderr.isatty():
        with in_terminal(name) as show:
            yield show
    else:
        yield lambda share, keys, total: None


def in_notebook() -> bool:
    """Whether this is a notebook's kernel."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return hasattr(shell, "kernel")


@contextmanager
def in_terminal(name: str) -> Iterator[Show]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TextColumn("{task.fields[told]}"))
    timed = (TimeElapsedColumn(), TextColumn("left:"), TimeRemainingColumn(elapsed_when_finished=False))
    with Progress(*columns, *timed, console=Console(stderr=True), transient=True, auto_refresh=False) as progress:
        bar, rate = progress.add_task(label(name), total=None, told=""), Rate()

        def show(share: float | None, keys: int, total: int) -> None:
            known = {} if share is None else {"completed": share, "total": 1.0}
            progress.update(bar, told=rate.told(keys, total), **known)  # type: ignore[arg-type]
            progress.refresh()

        yield show


@contextmanager
def in_cell(name: str) -> Iterator[Show]:
    shown = import_module("IPython.display")
    handle: Any = shown.display(shown.HTML(""), display_id=True)
    rate = Rate()

    def show(share: float | None, keys: int, total: int) -> None:
        value = "" if share is None else f' value="{share:.4f}"'
        told = f"{rate.told(keys, total)} {rate.left(share)}"
        handle.update(shown.HTML(f"{label(name)} <progress{value}></progress> {told}"))

    try:
        yield show
    finally:
        handle.update(shown.HTML(""))


def label(name: str) -> str:
    return f"keys of {name}" if name else "running"


class Rate:
    """How many keys a second, since the bar was first shown."""

    def __init__(self) -> None:
        self.began, self.first, self.first_share = time.monotonic(), -1, -1.0

    def seconds(self) -> float:
        return time.monotonic() - self.began

    def left(self, share: float | None) -> str:
        """How long it takes yet, if it goes on like this."""
        if share is None:
            return f"{self.seconds():,.0f} s"
        self.first_share = share if self.first_share < 0 else self.first_share
        done = share - self.first_share
        return f"{self.seconds() * (1 - share) / done:,.0f} s left" if done > 0 else ""

    def told(self, keys: int, total: int) -> str:
        self.first = keys if self.first < 0 else self.first
        if not total:
            return ""
        rate = (keys - self.first) / max(self.seconds(), 1e-9)
        return f"{keys:,} of {total:,}" + (f", {rate:,.0f} a second" if keys > self.first else "")
