"""Likeness: what the code of a consumer depends on, found without tracing it. Consumers that are alike share a kernel.

    (a * b).sum()        the lambda that `sum` runs, a product of two sorted runs of int64 keys and float64 values, …

It is read off the consumer itself: its code, and whatever its closure holds, down to the arrays, of which only the type
counts. So whatever is not known to stay as it is makes it unknown, and such a consumer is traced each time.
"""

from __future__ import annotations

import types
from dataclasses import dataclass, field, is_dataclass
from functools import cache
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ..fingerprint import Untold as Unknown
from ..fingerprint import cells_of, is_fixed, names_in
from ..storage.column import Column
from ..storage.hash import HashRun
from ..stream import Stream
from ..words import Kernel, Parameter

PLAIN = {int, str, bool, bytes, type(None)}


@dataclass
class Walk:
    """One walk through what a consumer holds. `sources`: the arrays and parameters that were met, in order."""

    sources: list[Any] = field(default_factory=list)
    functions: list[Any] = field(default_factory=list)  # those being walked, each inside of the one before it
    changeable: bool = False  # something of the user's was met, which may refer to something else by now

    def told(self, x: Any) -> Any:
        """What x is, as something that can be compared."""
        cls: Any = type(x)
        if cls in PLAIN:
            return cls, x
        if cls is types.FunctionType:
            return self.function(x)
        if isinstance(x, Stream):
            return self.stream(x)
        if isinstance(x, tuple):
            return cls, *map(self.told, x)
        if cls is float:
            return cls, repr(x)  # 0.0 is not -0.0
        if isinstance(x, Column):
            self.sources.append(x)
            more = fields_of(cls)[len(fields_of(Column)) :]  # of a kind of column that has more
            return cls, x.array.dtype, *(self.told(getattr(x, name)) for name in more)
        if cls is Parameter:
            self.sources.append(x)
            return cls, type(x.value), x.below
        if cls is Kernel:
            return cls, self.told(x.function), x.returns
        if is_named(x):
            return x
        if is_ours(cls.__module__) and is_dataclass(cls):
            return self.parts(x)
        raise Unknown(cls.__name__)

    def stream(self, x: Stream) -> Any:
        """A stream of the library's own, which does not change: walked once, if nothing of the user's is in it."""
        if (known := _known.get(x)) is not None:
            self.sources += known[1]
            return known[0]
        if not is_ours(type(x).__module__):
            raise Unknown(type(x).__name__)
        before, changeable = len(self.sources), self.changeable
        self.changeable = False
        found = self.parts(x)
        if isinstance(x, HashRun):
            found = found, x.column.size  # the smaller one of two is walked
        if not self.changeable:
            _known[x] = found, self.sources[before:]
        self.changeable |= changeable
        return found

    def parts(self, x: Any) -> Any:
        cls: Any = type(x)
        return cls, *(self.told(getattr(x, name)) for name in fields_of(cls))

    def function(self, f: types.FunctionType) -> Any:
        if stays(f.__module__) and not (f.__closure__ or f.__defaults__ or f.__kwdefaults__):
            return (f.__code__,)
        for n, outer in enumerate(reversed(self.functions)):
            if outer is f:
                return "again", n  # it refers to itself, through so many others
        held = cells_of(f) if f.__closure__ else []
        if not stays(f.__module__):
            self.changeable = True
            held += [f.__globals__.get(name) for name in names_of(f.__code__)]
        if f.__defaults__ or f.__kwdefaults__:
            held += [f.__defaults__, *sorted((f.__kwdefaults__ or {}).items())]
        self.functions.append(f)
        found = f.__code__, *map(self.told, held)
        self.functions.pop()
        return found


_known: WeakKeyDictionary[Stream, tuple[Any, list[Any]]] = WeakKeyDictionary()


def likeness(consume: Any) -> tuple[Any, list[Any]] | None:
    """What the code of a consumer depends on, and the arrays that it reads; None where that cannot be said."""
    walk = Walk()
    try:
        return walk.told(consume), walk.sources
    except (Unknown, RecursionError):
        return None


def is_named(x: Any) -> bool:
    """Whether x is what its name says, for good: a function in C, a module or class of the libraries."""
    if isinstance(x, types.BuiltinFunctionType):
        return isinstance(x.__self__, types.ModuleType)  # and not the method of some list
    if isinstance(x, type | types.ModuleType):
        return is_fixed(x.__module__ if isinstance(x, type) else x.__name__)
    return isinstance(x, np.ufunc)


@cache
def fields_of(cls: Any) -> tuple[str, ...]:
    return tuple(cls.__dataclass_fields__)


@cache
def stays(module: str | None) -> bool:
    """Whether what its functions refer to stays as it is."""
    return is_fixed(module or "")


@cache
def names_of(code: types.CodeType) -> tuple[str, ...]:
    return tuple(sorted(names_in(code)))


@cache
def is_ours(module: str) -> bool:
    return module.partition(".")[0] == "skipstone"
