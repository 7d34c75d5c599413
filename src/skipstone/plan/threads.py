"""The outermost loop, split over threads: compiled code lets others run. Each takes a range of keys.

    with sk.options(threads=4):
        n = sk.sum(E[a, b] * E[b, c] * E[a, c]).collect()

Sums of integers, least and largest values do not depend on how many there are; sums of floats may, in the last bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from ..errors import BadOption
from ..notation import place
from ..storage import Trie
from ..storage.column import NARROW, Array, wide
from ..storage.levels import Compressed, Leaf, Placed, Spread
from ..storage.nesting import starts_below
from ..storage.runs import MANY, side_by_side
from ..watch import Watch, showing, waited
from ..words import Parameter
from .order import LONGER
from .prepare import Walk

T = TypeVar("T")
ENOUGH = 2**19  # steps that must be saved: some twice what threads cost
KEY = 2  # rows in the time that an outermost key takes, beside its rows
LOOKS = 2**17  # rows that are looked at to tell where all of them lead
FURTHER = 8  # steps for each of its rows, from which on it pays to look where each of them leads
PIECES = 8  # at most for each thread, so that none waits long for the slowest
STARTED = 2**15  # steps in the time that it takes to start a piece
SHARE = 1 / 16  # of all work that may go into starting pieces
SMALLER = 0.7  # each round of pieces, one for each thread, has so much of the rows of the one before

_threads: ContextVar[int] = ContextVar("threads", default=1)


@contextmanager
def options(*, threads: int | None = None, progress: bool | None = None) -> Iterator[None]:
    """Run the expressions inside of this block on so many threads; on one, if nothing is said.

    >>> import skipstone as sk
    >>> with sk.options(threads=2, progress=False):
    ...     i = sk.axes("i")
    ...     sk.table({"i": [3, 4]})[i].count().collect()
    2

    Where someone looks, in a terminal or a notebook, a run that takes longer than a second shows how far it is, unless
    `progress` is False.
    """
    if threads is not None and (type(threads) is not int or threads < 1):
        raise BadOption(f"threads={threads!r}", "Say how many: 1, 2, …")
    if progress is not None and type(progress) is not bool:
        raise BadOption(f"progress={progress!r}", "Say True or False.")
    token = _threads.set(_threads.get() if threads is None else threads)
    try:
        with nullcontext() if progress is None else showing(progress):
            yield
    finally:
        _threads.reset(token)


def wanted(steps: float, before: float) -> int:
    """Into how many pieces to cut so many steps, if each takes some before its first key; 1 if none is worth while."""
    threads = _threads.get()
    if steps - steps / threads - before < ENOUGH:
        return 1
    each = SHARE * steps / threads / (STARTED + before)
    return threads * int(min(max(each, 1), PIECES))


def pieces(
    tries: Sequence[Trie], many: int, led_to: Trie | None = None, beside: Trie | None = None
) -> list[tuple[Any, Any]]:
    """Ranges of the outermost keys, as parameters, that together hold all keys of the tries; (None, None) is all of it.

    They are cut by the rows of the first trie and, if its second keys lead to rows of another one, by those; these may
    be met with rows of a third one, beside them under the same outermost key. Rows differ in what they take: later
    ranges are smaller, so that whoever is done first does not wait long for the last one, wherever the work lies.
    """
    level = tries[0].root
    if many == 1:
        return [(None, None)]
    every = [outermost_keys(trie.root) for trie in tries]
    keys, rows = every[0], rows_below(level)
    if keys.size < 2:
        return [(None, None)]
    work = rows + KEY * np.arange(rows.size)
    if led_to is not None:
        work += rows_led_to(level, led_to.root, None if beside is None else beside.root)
    shares = np.cumsum(SMALLER ** (np.arange(many) // _threads.get()))
    cuts = work[-1] * shares[:-1] / shares[-1]
    inner = np.unique(keys[np.clip(np.searchsorted(work, cuts), 1, keys.size - 1)])
    first, last = (most(k[n] for k in every if k.size) for most, n in ((min, 0), (max, -1)))
    if last == (np.inf if keys.dtype.kind == "f" else 2**63 - 1):
        return [(None, None)]  # there is no bound behind the last key
    end = np.nextafter(last, np.inf).item() if keys.dtype.kind == "f" else int(last) + 1
    bounds = [first.item(), *inner.tolist(), end]
    below = NARROW if keys.dtype.kind != "f" and first >= 0 and end < NARROW else None
    return [(Parameter(lo, "lo", below), Parameter(hi, "hi", below)) for lo, hi in pairwise(bounds)]


def outermost_keys(level: Any) -> Array:
    return np.arange(level.size.value) if isinstance(level, Spread) else level.keys.array


@dataclass(eq=False)
class Outermost:
    """How far along the outermost axis a key is. `level`: of the table that is walked along it."""

    axis: Any
    level: Any

    @property
    def name(self) -> str:
        return repr(self.axis)

    def keys(self, key: float) -> int:
        """How many keys are smaller."""
        if isinstance(self.level, Spread):
            return int(min(max(key, 0), self.level.size.value))
        return int(np.searchsorted(self.level.keys.array, key))

    def share(self, key: float) -> float:
        """The share of all rows that lie under smaller keys."""
        rows = self.rows
        return float(rows[self.keys(key)] / rows[-1])

    @cached_property
    def rows(self) -> Array:
        return rows_below(self.level)


def rows_below(level: Any) -> Array:
    """How many rows lie before each outermost key, and in all."""
    inner = level.inner
    if isinstance(inner, Compressed):
        found, inner = starts_below(level), inner.inner
    else:
        found = np.arange(outermost_keys(level).size + 1)
    while not isinstance(inner, Leaf):
        found = found * inner.size.value if isinstance(inner, Spread) else wide(inner.starts.array[found])
        inner = inner.inner
    return found


def rows_led_to(level: Any, other: Any, beside: Any = None) -> Array:
    """How many rows of another trie the second keys before each outermost key lead to, and all of them; none where it
    has no place for each key. A run that is much longer than what is met with it is searched, and not walked along.

    Of many rows, some are looked at: it is asked where to cut, and not what it comes to.
    """
    inner, outermost = level.inner, rows_below(level).size
    keys = inner.keys.array if isinstance(inner, Compressed) else np.arange(0)
    if not isinstance(other, Spread | Placed) or not keys.size or keys.min() < 0:
        return np.zeros(outermost, np.int64)
    each, starts = np.zeros(other.size.value + 1, np.int64), starts_below(level)
    each[outermost_keys(other)] = np.diff(rows_below(other))
    apart = max(keys.size // LOOKS, 1)
    looked_at = -(-starts // apart)  # how many of them lie before each outermost key
    steps = each[np.minimum(keys[::apart], each.size - 1)]
    if beside is not None:
        most = LONGER * rows_under(beside, outermost_keys(level))
        steps = np.minimum(steps, np.repeat(most, np.diff(looked_at)))
    found: Array = np.append(0, np.cumsum(steps))[looked_at] * apart
    return found


def rows_under(level: Any, keys: Array) -> Array:
    """How many rows lie under each of these outermost keys; none under those that are not there."""
    own, rows = outermost_keys(level), np.diff(rows_below(level))
    at = np.minimum(np.searchsorted(own, keys), own.size - 1)
    return np.where(own[at] == keys, rows[at], 0) if own.size else np.zeros(keys.size, np.int64)


def threads_now() -> int:
    """How many threads are asked for."""
    return _threads.get()


def in_threads(work: Callable[[tuple[Any, Any]], T], ranges: list[tuple[Any, Any]]) -> list[T]:
    """work(range) for each of the ranges that `pieces` gave, in their order; in this thread, if there is only one."""
    if len(ranges) == 1:
        return [work(ranges[0])]
    watches = [Watch(lo.value, hi.value) for lo, hi in ranges]
    return waited([partial(work, each) for each in ranges], watches, _threads.get())


def sorted_copies(walks: Sequence[Walk], along: Sequence[Sequence[Any]]) -> list[Any]:
    """The table of each walk, sorted along its axes; those that are not there yet, side by side."""
    orders = [tuple(place(walk.axes, axis) for axis in axes) for walk, axes in zip(walks, along, strict=True)]
    missing = {
        (id(walk.table), order): partial(walk.table.trie, order)
        for walk, order in zip(walks, orders, strict=True)
        if order not in walk.table.sorted_copies()
    }
    rows = sum(walk.table.size for walk, order in zip(walks, orders, strict=True))
    if len(missing) > 1 and rows >= MANY:
        side_by_side(list(missing.values()), threads_now())
    return [walk.table.trie(order) for walk, order in zip(walks, orders, strict=True)]
