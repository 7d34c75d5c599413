"""What a function does, as a string: its code, and everything that it refers to. Two with the same string are the same.

Kernels are found by it, from memory and from disk, so it must leave nothing out: a constant that changed in a module
that a function reads makes another function of it.
"""

from __future__ import annotations

import hashlib
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from .words import Kernel

FIXED = {*sys.stdlib_module_names, "numpy", "numba", "skipstone"} - {"__main__"}


def fingerprint(function: Callable[..., Any]) -> str:
    """A function's code, with the constants, closures and functions that it refers to; "" if that cannot be said."""
    try:
        return hashlib.sha256(repr(parts_of(function, {}, set())).encode()).hexdigest()
    except Untold:
        return ""


class Untold(Exception):
    """A function refers to something whose identity cannot be written down."""


def parts_of(x: Any, seen: dict[int, int], names: set[str]) -> Any:
    """What x is, in lists and strings. `seen` numbers functions; `names` are those in the code that refers to x."""
    if isinstance(x, Kernel):
        return parts_of(x.function, seen, names)
    if isinstance(x, types.FunctionType):
        if id(x) in seen:
            return "seen", seen[id(x)]
        seen[id(x)] = len(seen)
        names = names_in(x.__code__)
        cells = zip(x.__code__.co_freevars, cells_of(x), strict=True)
        held = [*cells, *((n, x.__globals__[n]) for n in sorted(names) if n in x.__globals__)]
        defaults = (x.__defaults__ or (), tuple((x.__kwdefaults__ or {}).items()))
        return (parts_of(x.__code__, seen, names), parts_of(defaults, seen, names),
                [(n, parts_of(v, seen, names)) for n, v in held])  # fmt: skip
    if isinstance(x, types.CodeType):
        taken = (x.co_argcount, x.co_kwonlyargcount, x.co_flags)
        return (x.co_code.hex(), taken, x.co_names, x.co_varnames, [parts_of(c, seen, names) for c in x.co_consts])
    if isinstance(x, types.ModuleType) and not is_fixed(x.__name__):
        return (x.__name__, [(n, parts_of(vars(x)[n], seen, names)) for n in sorted(names) if n in vars(x)])
    if isinstance(x, type) and not is_fixed(x.__module__):
        if not issubclass(x, tuple) or "_fields" not in vars(x):
            raise Untold(x.__name__)  # what is in a class may change
        return (x.__name__, vars(x)["_fields"])
    if isinstance(x, types.ModuleType | types.BuiltinFunctionType | type | np.ufunc):
        return (type(x).__name__, getattr(x, "__module__", ""), x.__name__)
    if isinstance(x, np.ndarray):
        return (str(x.dtype), x.shape, hashlib.sha256(np.ascontiguousarray(x).tobytes()).hexdigest())
    if x is None or isinstance(x, bool | int | float | str | bytes):
        return repr(x)
    if isinstance(x, tuple):
        return [parts_of(part, seen, names) for part in x]
    if hasattr(x, "py_func"):
        return parts_of(x.py_func, seen, names)
    raise Untold(type(x).__name__)


def cells_of(function: types.FunctionType) -> list[Any]:
    """What a function finds in its closure, in the order of its free variables."""
    try:
        return [c.cell_contents for c in function.__closure__ or ()]
    except ValueError:
        raise Untold("a variable without a value") from None


def is_fixed(module: str) -> bool:
    """Whether what is in a module stays as it is while a program runs."""
    return module.partition(".")[0] in FIXED


def names_in(code: types.CodeType) -> set[str]:
    inner = [c for c in code.co_consts if isinstance(c, types.CodeType)]
    return set(code.co_names).union(*map(names_in, inner))
