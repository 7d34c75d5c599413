"""The traced reading: definitions run once, on symbols, and what they would do is written down as a program.

It is built in four layers, one a file: `recorder` (instructions, sharing), `arithmetic` (operators), `control`
(branches, loops), and here, users' functions. Those are ordinary Python. Where one asks for the truth of a symbol
(`if`, `and`, `max`, `in` …), the trace forks: the function is run again for each side, from its beginning. What it
recorded before the question is found by sharing; what cannot be shared (an inner loop) is *replayed* by position from
a log. The two results are joined by an emitted `if`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import SkipstoneError, Untraceable, line_of
from ..structure import leaves, rebuild
from ..words import Kernel
from .captured import with_captured
from .control import Control, Fork, Path
from .symbol import is_number

PATHS = 64  # a function with more ways through it is compiled as it stands instead


class TooManyPaths(Exception):
    """A function has too many ways through it to be written out as branches."""


class Tracer(Control):
    """Writes one program. See the words of `Reading` for what each method means."""

    def __init__(self, returns: Callable[[Kernel, list[Any]], Any]) -> None:
        super().__init__(returns)
        self.paths = 0
        self.cells: dict[Any, Any] = {}  # captured variables, numbered as they are met

    def apply(self, f: Callable[..., Any], *arguments: Any) -> Any:
        def perform() -> Any:
            return self.once((f, None, arguments), lambda: self.traced(f, arguments))

        return self.effect(perform)

    def traced(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """f on symbols; if that cannot be, f as a kernel of its own; if that cannot be either, an error at its line."""
        if isinstance(f, Kernel):
            return self.call(f, arguments)
        size, saved, paths = len(self.blocks[-1]), (dict(self.owned), list(self.program.buffers)), self.paths
        shared = dict(self.scopes[-1].shared)
        self.paths = 0
        try:
            return self.follow(with_captured(f, self.cells), arguments, [])
        except Exception as error:
            if isinstance(error, SkipstoneError) and not isinstance(error, Untraceable):
                raise
            reason = error
        finally:
            self.paths = paths
        del self.blocks[-1][size:]
        self.owned, self.program.buffers = saved
        self.scopes[-1].shared = shared
        return self.as_kernel(f, arguments, reason)

    def follow(self, f: Callable[..., Any], arguments: tuple[Any, ...], log: list[Any]) -> Any:
        """One way through f, and from the first open question on, both."""
        path = self.path = Path(log)
        self.checked = True
        try:
            return tidy(f(*arguments))
        except Fork as fork:
            condition = fork.symbol
        finally:
            self.path, self.checked = None, False
        self.paths += 1
        if self.paths > PATHS:
            raise TooManyPaths(f"more than {PATHS} ways through it")
        return self.arms(
            condition,
            lambda: self.follow(f, arguments, list(path.log)),
            lambda: self.follow(f, arguments, list(path.log)),
        )

    def as_kernel(self, f: Callable[..., Any], arguments: tuple[Any, ...], reason: Exception) -> Any:
        """f compiled as it stands, if it is a function of numbers."""
        where = line_of(f, reason)
        if not all(is_number(x) for x in leaves(arguments)) or any(isinstance(x, tuple) for x in arguments):
            if isinstance(reason, Untraceable):
                reason.where = reason.where or where
                raise type(reason)(reason.what, reason.repair, where) from None
            raise Untraceable(
                f"this function cannot be compiled: {reason}",
                "It was run once, on symbols. Use arithmetic, comparisons, if, tuples and streams, or @sk.kernel.",
                where,
            ) from reason
        kernel = Kernel(f)
        try:
            return self.call(kernel, arguments)
        except Untraceable as error:
            text = reason.what if isinstance(reason, SkipstoneError) else str(reason) or type(reason).__name__
            kind = type(reason) if isinstance(reason, Untraceable) else Untraceable
            raise kind(
                f"this function cannot be compiled: {text}",
                f"Nor could it be compiled as it stands: {error.what}",
                where,
            ) from None


def tidy(result: Any) -> Any:
    """What a user's function returned, with NumPy's numbers as Python's."""
    if isinstance(result, list):
        raise Untraceable("a function returned a list", "Return a tuple: its length is part of the code.")
    if result is None:
        raise Untraceable("a function returned None", "Return a number, a tuple or a stream on every path.")
    return rebuild(result, iter([x.item() if isinstance(x, np.generic) else x for x in leaves(result)]))
