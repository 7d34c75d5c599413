"""collect and memo: streams into structures. One rule for every nesting and every destination.

    collect = fold(update) ∘ map(collect)

The fold updates a `Gathered` (gathered.py): growing arrays of keys and values, a level below a level. What becomes of
those arrays (a dict, a list, a structure, a type of the user's) is decided afterwards, by the destination's entry in a
registry.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from ..errors import BadOption, NotACollection, UnorderedProduct
from ..stream import Stream, run, verb
from ..structure import rebuild
from ..words import is_being_read, plus, reading
from .bitmap import Bitmap
from .blocked import Blocked
from .changing import ChangingMap
from .collection import Dense, Sorted, Trie
from .column import Array
from .gathered import Gathered, gather
from .hash import Hash
from .levels import Compressed, Leaf, SortedRun, Spread
from .seeking import SEEKS
from .tree import Tree

T = TypeVar("T")
M = TypeVar("M", bound=ChangingMap)


# ---------------------------------------------------------------------- destinations

_destinations: dict[type[Any], Callable[[Trie], Any]] = {}


def destination(cls: type[T]) -> Callable[[Callable[[Trie], T]], Callable[[Trie], T]]:
    """Register how a collected Trie becomes a `cls`, for `collect(into=cls)`.

    >>> @destination(frozenset)
    ... def as_frozenset(trie):
    ...     return frozenset(trie)
    >>> import skipstone as sk
    >>> sk.range(0, 3).collect(into=frozenset) == {0, 1, 2}
    True

    A class with a method `update(key, modify)` and a constructor without arguments needs no registration.
    """

    def register(make: Callable[[Trie], T]) -> Callable[[Trie], T]:
        _destinations[cls] = make
        return make

    return register


@verb
def collect(self: Stream, into: Any = dict) -> Any:
    """The stream's pairs in a structure: `dict`, `list`, `set`, `numpy.ndarray`, `sk.Sorted`, `sk.Dense`, `sk.Trie`,
    `sk.Tree`, `sk.Blocked`, `sk.Hash`, `sk.Bitmap` (the keys alone, as for `set`), or a class of your own.

    Given an existing one that can be changed, the values are added to it.

    >>> import skipstone as sk
    >>> s = sk.stream({1: 0.5, 4: 2.0})
    >>> s.collect(), s.collect(into=list), s.collect(into=sk.Sorted)
    ({1: 0.5, 4: 2.0}, [(1, 0.5), (4, 2.0)], Sorted({1: 0.5, 4: 2.0}, 2 keys))
    >>> s.collect(into={4: 1.0})
    {4: 3.0, 1: 0.5}
    """
    check_destination(into)
    if is_being_read():  # by `sk.compile`: it is delivered when all of it has run
        found = gather(self, None, Gathered)
        found.becomes = lambda trie: deliver(trie, into)
        return found
    return run(lambda: gather(self, None, Gathered), lambda trie: deliver(trie, into))


def check_destination(into: Any) -> None:
    """Refuse an unknown destination before any work is done."""
    if isinstance(into, type):
        known_to_us = into in _destinations or hasattr(into, "update")
    else:
        known_to_us = isinstance(into, dict | set | np.ndarray) or callable(getattr(into, "update", None))
    if not known_to_us:
        known = ", ".join(sorted(c.__name__ for c in _destinations))
        raise NotACollection(
            f"cannot collect into {into!r}",
            f"Known: {known}; any class with `update(key, modify)`; or register it with @sk.destination.",
        )


def deliver(trie: Trie, into: Any) -> Any:
    """A collected Trie as, or added to, what was asked for."""
    if isinstance(into, type):
        if into in _destinations:
            return _destinations[into](trie)
        return add_to(into(), trie)
    return add_to(into, trie)


def add_to(existing: Any, trie: Any) -> Any:
    """Add what was collected to something that is there already."""
    if isinstance(existing, Bitmap):
        existing.update(keys_of(trie))
        return existing
    if isinstance(existing, ChangingMap):
        existing.add(trie)
        return existing
    for key, value in trie.items():
        if isinstance(existing, set):
            existing.add(key)
        elif isinstance(existing, dict):
            existing[key] = add_value(existing.get(key), value)
        elif isinstance(existing, np.ndarray):
            if existing.ndim == 0 or (isinstance(value, dict) != (existing.ndim > 1)) or isinstance(value, tuple):
                raise BadOption(
                    f"an array of {existing.ndim} dimensions does not fit what is collected",
                    "One dimension for each level of keys; numbers as values.",
                )
            if isinstance(value, float) and existing.dtype.kind != "f":
                raise BadOption(f"an array of {existing.dtype} cannot hold {value!r}", "Use an array of floats.")
            if isinstance(key, float) or not 0 <= key < existing.shape[0]:
                raise BadOption(
                    f"key {key!r} lies outside an array of length {existing.shape[0]}", "Give a longer array."
                )
            if isinstance(value, dict):
                add_to(existing[key], value)
            else:
                existing[key] += value
        else:
            existing.update(key, lambda old, value=value: add_value(old, value))
    return existing


def add_value(old: Any, value: Any) -> Any:
    if isinstance(value, dict) != isinstance(old, dict) and old is not None:
        raise BadOption(f"what is there ({old!r:.60}) and what is added ({value!r:.60}) are not of the same depth")
    if isinstance(value, dict):
        return add_to({} if old is None else old, value)
    return value if old is None else plus(old, value)


@destination(dict)
def as_dict(trie: Trie) -> dict[Any, Any]:
    """Nested dicts; the arrays are turned into Python objects a column at a time."""

    def values(level: Any) -> list[Any]:
        if isinstance(level, Leaf):
            lists = [column.array.tolist() for column in level.columns]
            return lists[0] if level.make is None else [level.make(*parts) for parts in zip(*lists, strict=True)]
        pairs = list(zip(level.keys.array.tolist(), values(level.inner), strict=True)) if level.keys.size else []
        runs = [0, len(pairs)] if level.starts is None else level.starts.array.tolist()
        return [dict(pairs[a:b]) for a, b in pairwise(runs)]

    found: dict[Any, Any] = values(trie.root)[0]
    return found


@destination(list)
def as_list(trie: Trie) -> list[Any]:
    def pairs(d: dict[Any, Any]) -> list[Any]:
        return [(k, pairs(v) if isinstance(v, dict) else v) for k, v in d.items()]

    return pairs(as_dict(trie))


@destination(set)
def as_set(trie: Trie) -> set[Any]:
    return set(trie)


@destination(Bitmap)
def as_bitmap(trie: Trie) -> Bitmap:
    """The keys, as for a set; those of the outermost level, where it is nested."""
    return Bitmap(keys_of(trie))


@destination(Tree)
def as_tree(trie: Trie) -> Tree:
    return changing(Tree, trie)


@destination(Blocked)
def as_blocked(trie: Trie) -> Blocked:
    return changing(Blocked, trie)


@destination(Hash)
def as_hash(trie: Trie) -> Hash:
    return changing(Hash, trie)


def changing(cls: type[M], trie: Trie) -> M:
    """A map of the keys and values collected, which are in order already."""
    made = cls()
    made.add(trie)
    return made


def keys_of(trie: Trie) -> Array:
    """The keys of a collected level."""
    level = trie.root
    return np.arange(len(trie)) if isinstance(level, Spread) else level.keys.array


@destination(Trie)
def as_trie(trie: Trie) -> Trie:
    return trie


@destination(Sorted)
def as_sorted(trie: Trie) -> Any:
    """Sorted arrays; of a nested stream, a Trie."""
    if trie.depth > 1:
        return trie
    found = Sorted.__new__(Sorted)
    found.root = trie.root
    return found


@destination(np.ndarray)
def as_array(trie: Trie) -> Array:
    """A dense array as long as the largest key asks for, zero where nothing was collected."""
    shape: list[int] = []
    level: Any = trie.root
    while not isinstance(level, Leaf):
        keys = level.keys.array
        if keys.dtype.kind not in "iub" or (keys.size and keys.min() < 0):
            raise BadOption("an array needs the keys 0, 1, 2, …", "Collect into sk.Sorted or dict instead.")
        shape.append(int(keys.max()) + 1 if keys.size else 0)
        level = level.inner
    if level.make is not None:
        raise BadOption("an array holds numbers, not tuples", "Collect one component: `.map(lambda k, v: v[0])`.")
    at: Array = np.zeros(1, np.int64)
    level = trie.root
    for size in shape:
        runs = np.array([0, level.keys.size]) if level.starts is None else level.starts.array
        at = np.repeat(at, np.diff(runs)) * size + level.keys.array.astype(np.int64)
        level = level.inner
    values = level.columns[0].array if level.columns else np.ones(at.size, np.int64)
    flat = np.zeros(int(np.prod(shape)), values.dtype)
    flat[at] = values
    return flat.reshape(shape)


@destination(Dense)
def as_dense(trie: Trie) -> Dense:
    return Dense(as_array(trie))


# ---------------------------------------------------------------------- memo


@verb
def memo(self: Stream, into: Any = None) -> Stream:
    """Run the stream now, once, and go on from what it delivered: in order, without duplicates, in arrays.

    Worth it where the result is traversed more than once, and needed where keys are out of order. Inside a function
    that is being compiled it makes a workspace in the kernel. `into=sk.Bitmap` keeps the keys alone: each value is 1.

    >>> import skipstone as sk
    >>> coarse = sk.range(0, 10).map_keys(lambda k: k // 4).memo()
    >>> (coarse * sk.stream({1: 10})).collect()
    {1: 220}
    """
    if is_being_read():
        if into is not None:
            raise BadOption("inside a function memo makes a workspace of its own", "Leave `into` out.")
        made: Stream = reading().effect(lambda: workspace(self))
        return made
    from .sources import stream

    made = stream(self.collect(into=Sorted if into is None else into))
    return made


def workspace(source: Stream) -> Stream:
    """A memo within a reading: gathered into buffers that are emptied each time this point is passed."""
    level: Gathered = reading().emptied(lambda: gather(source, None, Gathered))
    found = list(level.levels())
    for each in found:
        if not each.ordered:
            raise UnorderedProduct(
                "a memo inside a function cannot put keys in order",
                "Memoise the unordered stream outside of the function, and use the result in it.",
            )
    bottom = found[-1]
    parts = [reading().buffer(bottom, r, r, None, 0) for r in bottom.roles() if r.startswith("values")]
    like = bottom.leaf
    make = (lambda *p: rebuild(like, iter(p))) if isinstance(like, tuple) else None
    below: Any = Leaf(tuple(parts), make)
    for each in reversed(found[1:]):
        below = Compressed(each.buffer("keys", None), each.buffer("starts", None), below)
    keys = level.buffer("keys", None)
    return SortedRun(keys, 0, keys.count, below, SEEKS["adaptive"])
