"""The traced reading: definitions run once, on symbols, and what they would do is written down as a program.

It is built in five layers, one a file: `recorder` (instructions, sharing), `arithmetic` (operators), `control`
(branches), `looping` (loops), and here, users' functions. Those are ordinary Python. Where one asks for the truth of a
symbol (`if`, `and`, `max`, `in` …), the trace forks: the function is run again for each side, from its beginning. What
it recorded before the question is found by sharing; what cannot be shared (an inner loop) is *replayed* by position
from a log. The two results are joined by an emitted `if`.
"""

from __future__ import annotations

import dis
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import SkipstoneError, Untraceable, line_of
from ..structure import leaves, parts, rebuild
from ..words import Kernel
from .captured import with_captured
from .control import Fork, Path, rebuild_like
from .looping import Looping
from .symbol import Symbol, Undefined, is_number

PATHS = 64  # a function with more ways through it is compiled as it stands instead


class TooManyPaths(Exception):
    """A function has too many ways through it to be written out as branches."""


class Tracer(Looping):
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
        if handles_exceptions(f):
            # What is caught would be caught while tracing, and never at run time.
            return self.as_kernel(f, arguments, Untraceable("it handles exceptions", "Test beforehand instead."))
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
        if "unhashable type: 'Symbol'" in str(reason):
            reason = Untraceable(
                "it looks a value that is only known at run time up in a Python dict or set",
                "Make it a stream: `s = sk.stream(d)`, then `k in s` or `s.get(k, default=0)`.",
            )
        if not all(is_number(x) for x in leaves(arguments)) or any(isinstance(x, tuple) for x in arguments):
            if isinstance(reason, Untraceable):
                reason.where = reason.where or where
                raise type(reason)(reason.what, reason.repair, where) from None
            raise Untraceable(
                f"this function cannot be compiled: {reason}",
                "It was run once, on symbols. Use arithmetic, comparisons, if, tuples and streams, or @sk.kernel.",
                where,
            ) from reason
        defaults = getattr(f, "__defaults__", None) or ()
        missing = f.__code__.co_argcount - len(arguments) if defaults else 0
        try:
            return self.call(Kernel(as_function(f, len(arguments))), (*arguments, *defaults[len(defaults) - missing :]))
        except Untraceable as error:
            text = reason.what if isinstance(reason, SkipstoneError) else str(reason) or type(reason).__name__
            kind = type(reason) if isinstance(reason, Untraceable) else Untraceable
            raise kind(
                f"this function cannot be compiled: {text}",
                f"Nor could it be compiled as it stands: {error.what}",
                where,
            ) from None


def as_function(f: Callable[..., Any], arity: int) -> Callable[..., Any]:
    """f as a Python function, which is what Numba compiles: `math.atan2` and `np.hypot` are none."""
    if isinstance(f, types.FunctionType):
        return f
    names = ", ".join(f"x{n}" for n in range(arity))
    made: Callable[..., Any] = eval(f"lambda {names}: function({names})", {"function": f})
    return made


def handles_exceptions(f: Callable[..., Any]) -> bool:
    """Whether a function has a `try` or a `with` in it."""
    code = getattr(f, "__code__", None)
    return code is not None and any(step.opname == "PUSH_EXC_INFO" for step in dis.get_instructions(code))


def tidy(result: Any) -> Any:
    """What a user's function returned, with NumPy's numbers as Python's."""
    if isinstance(result, tuple) and result:
        return rebuild_like(result, [tidy(part) for part in result])
    if not isinstance(result, Symbol | Undefined | int | float | np.generic) and parts(result) in (None, []):
        raise Untraceable(
            f"a function returned {type(result).__name__}: {result!r:.60}",
            "Return a number, a boolean, a tuple of those or a stream, on every path.",
        )
    return rebuild(result, iter([x.item() if isinstance(x, np.generic) else x for x in leaves(result)]))
