"""Maps that change: what they all have in common. Keys that are checked on their way in, the Mapping, and snapshots.

A map of this kind gives each key a *place*: a position in its arrays, at which its values stand. How keys find their
places is the business of each structure, which says it in a few short methods. Here is everything else.

**Streams are snapshots.** A stream shows the map as it was when `stream()` was called, whatever happens to the map
meanwhile. Making one copies nothing. If the map is changed while such a stream, or an expression or kernel made from
it, is still in use, the change copies the arrays first, once.

Each operation is one step to other threads; several of them together are not.
"""

from __future__ import annotations

import copy
import threading
import weakref
from collections.abc import Callable, ItemsView, Iterator, MutableMapping, ValuesView
from typing import Any, ClassVar, Self

import numpy as np

from ..combinators import Empty
from ..counting import counted
from ..errors import MixedKeys, NotAKey, SkipstoneError, Untraceable
from ..stream import Stream, is_interpreted, worker
from ..words import Kernel, is_symbolic, plus
from .column import Array, key_type, kind_of
from .levels import Leaf
from .taking_in import TYPES, Columns, columns_of, combined
from .values import WIDER, Maker, Values, maker_of, refuse_inexact

ARRAYS = {int: np.int64, float: np.float64, bool: np.bool_}
ROOM = 16  # places that a new map has
MANY = 16  # taking in more than a 16th of what there is builds the map anew


class Lent:
    """What the columns of a stream belong to. As long as it lives, the arrays may not be changed."""


class ChangingMap(MutableMapping[Any, Any]):
    """A mapping from numbers to numbers, or tuples of them, in arrays; a source and a destination of streams."""

    arrays: ClassVar[tuple[str, ...]] = ("_keys",)  # the attributes that are arrays of this structure

    _type: type | None  # of the keys, once there were any
    _keys: Array
    _values: Values
    _fast: Array | None  # the column of values, where there is one of plain numbers; and their type
    _fast_type: type | None
    _room: int  # so many keys at least can be inserted before there must be more places
    _codes: dict[Kernel, Callable[..., Any]]  # compiled for the types of keys and values
    _lent: list[weakref.ref[Lent]]  # those who were given the arrays since the last change
    _stream: weakref.ref[Stream] | None  # the last stream that was made
    _lock: threading.RLock

    def __init__(self, pairs: Any = (), values: Any = None) -> None:
        self._lock = threading.RLock()
        self.clear()
        self._absorb(*columns_of(pairs, values), add=False)

    # ------------------------------------------------------------------ what each structure says

    def _allocate(self, places: int) -> None:
        """Make the arrays of an empty structure, with so many places at least, and values for them."""
        raise NotImplementedError

    def _reserve(self, more: int) -> int:
        """Make room for so many keys; for how many there is room now."""
        raise NotImplementedError

    def _find(self, key: Any) -> int:
        """The place of a key, or -1."""
        raise NotImplementedError

    def _insert(self, key: Any) -> int:
        """The place of a key, made if it has none. There is room."""
        raise NotImplementedError

    def _remove(self, key: Any) -> bool:
        """Take a key out; whether it was there."""
        raise NotImplementedError

    def _places(self) -> Array:
        """Every place in use, in the order of iteration."""
        raise NotImplementedError

    def _build(self, keys: Array) -> Array:
        """Take these keys, which increase, into an empty structure; their places."""
        raise NotImplementedError

    def _run(self, leaf: Leaf, lent: Lent) -> Stream:
        """The stream over the arrays as they are now."""
        raise NotImplementedError

    def __len__(self) -> int:
        raise NotImplementedError

    def check(self) -> None:
        """Assert every invariant of the arrays; a map built by this library always passes."""
        raise NotImplementedError

    def _work(self, kernel: Kernel, *arguments: Any) -> Any:
        """Run a kernel on arrays of this map."""
        if is_interpreted():
            return kernel.function(*arguments)
        code = self._codes.get(kernel)
        if code is None:
            code = self._codes[kernel] = worker(kernel, *arguments)
        return code(*arguments)

    def _moved(self) -> None:
        """Arrays were replaced: what was remembered of them is void."""
        self._fast = self._values.fast
        self._fast_type = self._values.kinds[0] if self._fast is not None and self._values.kinds else None

    # ------------------------------------------------------------------ keys

    def _new_key(self, key: Any) -> Any:
        """A key on its way in."""
        key = key.item() if isinstance(key, np.generic) else key
        name = key_type(key)
        if name == "str":
            raise NotAKey(f"strings cannot be keys of a {type(self).__name__} yet: {key!r}", "Number them in order.")
        if key != key:
            raise NotAKey("NaN is not a key: it is neither below nor above any other")
        if name == "int" and not -(2**63) <= key < 2**63:
            raise NotAKey(f"key {key} is beyond int64", "Use floats, or smaller numbers.")
        if self._type is None:
            self._type = TYPES[name]
            self._keys = np.zeros(0, ARRAYS[self._type])
            self._allocate(ROOM)
            self._moved()
        elif TYPES[name] is not self._type:
            raise MixedKeys(
                f"key {key!r} is {name}, but the keys of this {type(self).__name__} are {self._type.__name__}",
                "Give all keys one type. (True and 1 are the same key to Python, but not the same type here.)",
            )
        return key

    def _place_of(self, key: Any) -> int:
        """The place of a key of any type, by equality as in a dict: 1.0 finds 1. Or -1."""
        if type(key) is not self._type:
            if self._type is None or isinstance(key, str):
                return -1
            try:
                same = self._type(key)
            except (TypeError, ValueError, OverflowError):
                return -1
            if same != key:
                return -1
            key = same
        if type(key) is int and not -(2**63) <= key < 2**63:
            return -1
        return self._find(key)

    # ------------------------------------------------------------------ snapshots

    def stream(self) -> Stream:
        """This map as it is now, as a stream. See the top of this file for what happens when it is changed."""
        with self._lock:
            if not len(self):
                return Empty()  # whose keys are of no type, and meet any
            made = None if self._stream is None else self._stream()
            if made is None:
                lent = Lent()
                made = self._run(self._values.leaf(lent), lent)
                self._stream = weakref.ref(made)
                self._lent.append(weakref.ref(lent))
            return made

    def _own(self) -> None:
        """Before a change: if a stream is using the arrays, leave them to it."""
        if any(lent() is not None for lent in self._lent):
            for name in self.arrays:
                setattr(self, name, getattr(self, name).copy())
            self._values.rows = self._values.rows.copy()
            self._moved()
        self._lent, self._stream = [], None

    # ------------------------------------------------------------------ one key at a time

    def __setitem__(self, key: Any, value: Any) -> None:
        with self._lock:
            parts = None
            if type(key) is not self._type or type(value) is not self._fast_type or not (fits(key) and fits(value)):
                key, parts = self._new_item(key, value)
            if self._lent:
                self._own()
            if self._room <= 0:
                self._room = self._reserve(1)
            place = self._insert(key)
            self._room -= 1
            if parts is None:
                self._fast[place] = value  # type: ignore[index]
            else:
                self._values.put(place, parts)

    def _new_item(self, key: Any, value: Any) -> tuple[Any, tuple[Any, ...]]:
        """A key and the parts of a value, which may be the first ones, or of other types than those before."""
        try:
            key = self._new_key(key)
            parts = self._values.parts(value, self._places)
        except SkipstoneError:
            if not len(self):
                self.clear()  # what was refused shall not say which types there can be
            raise
        before = self._values.rows
        self._values.hold(parts, maker_of(value))
        if self._values.rows is not before:
            self._codes.clear()  # of another width, perhaps
            self._moved()
        return key, parts

    def __getitem__(self, key: Any) -> Any:
        if is_symbolic(key):
            raise Untraceable(
                f"it looks a value that is only known at run time up in a {type(self).__name__}",
                "Say what to do where there is none: `m.get(k, 0)`, or multiply with `m.stream()`.",
            )
        with self._lock:
            place = self._place_of(key)
            if place < 0:
                raise KeyError(key)
            return self._fast.item(place) if self._fast is not None else self._values.at(place)

    def get(self, key: Any, default: Any = None) -> Any:
        """The value at a key, or the default. Inside a function that is being compiled, a look-up in the kernel."""
        if is_symbolic(key):
            return self.stream().get(key, default)
        return super().get(key, default)

    def __contains__(self, key: Any) -> bool:
        if is_symbolic(key):
            return key in self.stream()
        with self._lock:
            return self._place_of(key) >= 0

    def __delitem__(self, key: Any) -> None:
        with self._lock:
            place = self._place_of(key)
            if place < 0:
                raise KeyError(key)
            if self._lent:
                self._own()
            self._remove(self._key_list([place])[0])

    # ------------------------------------------------------------------ all keys at once

    def __iter__(self) -> Iterator[Any]:
        """The keys that are there now: changing the map meanwhile does not disturb it."""
        with self._lock:
            return iter(self._key_list(self._places()))

    def _key_list(self, places: Any) -> list[Any]:
        """The keys at these places, as Python's own."""
        keys = self._keys[places]
        found: list[Any] = (keys != 0 if self._type is bool else keys).tolist()
        return found

    def values(self) -> ValuesView[Any]:
        return _ValuesAtOnce(self)

    def items(self) -> ItemsView[Any, Any]:
        return _ItemsAtOnce(self)

    def clear(self) -> None:
        """Take everything out, and forget which types keys and values had."""
        self._type = None
        self._codes, self._lent, self._stream = {}, [], None
        self._keys, self._values = np.zeros(0, np.int64), Values(0)
        self._allocate(ROOM)
        self._moved()

    def copy(self) -> Self:
        """Another map with the same keys and values."""
        return copy.copy(self)

    def __getstate__(self) -> dict[str, Any]:
        passing = ("_codes", "_lent", "_stream", "_fast", "_fast_type", "_lock")
        state = {name: copy.copy(x) for name, x in vars(self).items() if name not in passing}
        state["_values"].rows = self._values.rows.copy()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._lock = threading.RLock()
        self._codes, self._lent, self._stream = {}, [], None
        self._moved()

    def update(self, other: Any = (), /, **named: Any) -> None:
        """Set many keys at once, from a mapping, a stream or pairs; of equal keys the last one counts."""
        if named:
            raise NotAKey(f"names cannot be keys: {next(iter(named))}=", "Give a mapping from numbers.")
        self._absorb(*columns_of(other), add=False)

    def add(self, other: Any) -> None:
        """Add the values of a mapping, a stream or pairs to those that are there; what is not there counts as 0.

        >>> import skipstone as sk
        >>> totals = sk.Tree({1: 10, 2: 20})
        >>> totals.add({2: 5, 3: 7})
        >>> dict(totals)
        {1: 10, 2: 25, 3: 7}
        """
        self._absorb(*columns_of(other), add=True)

    def _all_columns(self) -> Columns:
        """Keys and values as they are now."""
        with self._lock:
            places = self._places()
            keys: Array = np.array(self._key_list(places), ARRAYS[self._type or int])
            return keys, self._values.columns(places), self._values.make

    def _absorb(self, keys: Array, columns: list[Array], make: Maker, add: bool) -> None:
        """Take in many keys with their values, or none of them if there is anything wrong with one.

        Of equal keys the values are added, or the last one counts. Few are taken in one by one; for many, the map is
        built anew.
        """
        if not keys.size:
            return
        with self._lock:
            if self._type not in (None, TYPES[kind_of(keys.dtype)]):
                self._new_key(keys[0])  # says what is wrong
            kinds = tuple(TYPES[kind_of(c.dtype)] for c in columns)
            self._values.check_shape(
                len(kinds), make, tuple(c.item(0) for c in columns) if make else columns[0].item(0)
            )
            keys, columns, kinds = combined(keys, columns, kinds, add)
            if keys.size * MANY < len(self):
                self._absorb_few(keys, columns, make, add)
                return
            places = self._places()
            if places.size:
                mine, held = self._values.kinds or (), self._values.columns(places)
                for n, pair in enumerate(zip(mine, kinds, strict=True)):
                    if float in pair and int in pair:
                        refuse_inexact(held[n])
                        refuse_inexact(columns[n])
                keys = np.concatenate([self._keys[places].astype(keys.dtype), keys])
                columns = [np.concatenate(pair) for pair in zip(held, columns, strict=True)]
                kinds = tuple(max(pair, key=WIDER.index) for pair in zip(mine, kinds, strict=True))
                keys, columns, kinds = combined(keys, columns, kinds, add)
            self._replace(keys, columns, kinds, make)

    def _absorb_few(self, keys: Array, columns: list[Array], make: Maker, add: bool) -> None:
        values = []
        for n, key in enumerate(keys.tolist()):
            parts = [c.item(n) for c in columns]
            value = parts[0] if make is None else make(*parts)
            values.append(plus(self[key], value) if add and key in self else value)
            self._values.parts(values[-1], self._places)
        for key, value in zip(keys.tolist(), values, strict=True):
            self[key] = value

    def _replace(self, keys: Array, columns: list[Array], kinds: tuple[type, ...], make: Maker) -> None:
        """Let the map consist of these keys, which increase, and their values."""
        self.clear()
        self._type = TYPES[kind_of(keys.dtype)]
        self._values = Values(0, kinds, make)
        self._keys = np.zeros(0, ARRAYS[self._type])
        places = self._build(keys.astype(self._keys.dtype, copy=False))
        for n, column in enumerate(columns):
            self._values.column(n)[places] = column
        self._room = self._reserve(0)
        self._moved()

    def __repr__(self) -> str:
        shown = ", ".join(f"{k!r}: {self[k]!r}" for k, _ in zip(self, range(4), strict=False))
        return f"{type(self).__name__}({{{shown}{', …' if len(self) > 4 else ''}}}, {counted(len(self), 'key')})"


class _ValuesAtOnce(ValuesView[Any]):
    """All values, read a column at a time."""

    _mapping: ChangingMap

    def __iter__(self) -> Iterator[Any]:
        with self._mapping._lock:
            return iter(self._mapping._values.listed(self._mapping._places()))


class _ItemsAtOnce(ItemsView[Any, Any]):
    _mapping: ChangingMap

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        m = self._mapping
        with m._lock:
            places = m._places()
            return iter(zip(m._key_list(places), m._values.listed(places), strict=True))


def fits(x: Any) -> bool:
    """Whether a number can be stored, and, as a key, found again."""
    return -(2**63) <= x < 2**63 if type(x) is int else x == x
