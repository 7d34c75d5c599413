"""Bitmap: a set of integers that lie close together, one bit each. Products of bitmaps go word by word."""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Iterable, Iterator, MutableSet
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from ..counting import counted
from ..errors import BadOption, NotAKey, WrongState
from ..stream import Stream, pure
from ..words import Parameter, is_symbolic, length, lowest, maximum, minimum, parameter, select
from .column import Array, Column, key_array

ALL = 2**32 - 1  # a word whose bits are all set
WIDEST = 2**26  # words: 2**31 bits, a quarter of a gigabyte
LIMIT = 2**62 - 1  # so that the key behind the last word stays within int64
BLOCK = 2**14  # words that are unpacked at a time: half a million keys at most

_popcount: Callable[[Array], Array] = np.bitwise_count


@dataclass(frozen=True, eq=False, repr=False)
class Words(Column):
    """The words of one bitmap as they were at some time; `first` is the number of the first of them.

    Bit b of word w stands for the key 32 * w + b.
    """

    first: Parameter


class Bits(Stream):
    """The keys that all of several bitmaps hold, each with the value 1.

    >>> dict(Bitmap([2, 3, 40]).stream() * Bitmap([3, 4, 40]).stream())
    {3: 1, 40: 1}

    A state is (w, bits): the number of a word, and those bits of it that are still to come, of all bitmaps at once.
    So a product of bitmaps reads each word once, whatever is in it. Seeking is O(1).
    """

    words: tuple[Words, ...]

    def start(self) -> Any:
        return self.at(reduce(maximum, (parameter(column.first) for column in self.words)))

    def valid(self, q: Any) -> Any:
        return q[0] < self.end()

    def ready(self, q: Any) -> Any:
        return q[1] != 0

    def index(self, q: Any) -> Any:
        # With no bits left, nothing comes before the next word: as if bit 32 were set.
        return 32 * q[0] + lowest(q[1] | 2**32)

    def seek(self, q: Any, key: Any, strict: Any) -> Any:
        w, bits = q
        key = minimum(key, 32 * self.end())
        least = math.ceil(key)  # a caller with keys of its own making may name one between two of ours
        to = least >> 5
        kept = (least & 31) + (strict & (least == key))  # the lowest bit of word `to` to be kept; 32 for none
        mask = ALL - (ALL >> (32 - kept))

        def ahead() -> Any:
            there, found = self.at(to)
            return there, found & mask

        return select(to > w, ahead, lambda: (w, select(to == w, lambda: bits & mask, lambda: bits)))

    def next(self, q: Any) -> Any:
        return q[0], q[1] & (q[1] - 1)

    def approach(self, q: Any) -> Any:
        return self.at(q[0] + 1)

    def value(self, q: Any) -> Any:
        return 1

    def key_kind(self) -> str | None:
        return "int"

    def meet(self, other: Stream) -> Stream | None:
        return Bits(self.words + other.words) if isinstance(other, Bits) else None

    @pure
    def end(self) -> Any:
        """The number of the word behind the last one that all bitmaps have."""
        return reduce(minimum, (parameter(column.first) + length(column) for column in self.words))

    @pure
    def at(self, w: Any) -> Any:
        """The state before word w, which may be the end."""
        return w, select(w < self.end(), lambda: self.word(w), lambda: 0)

    @pure
    def word(self, w: Any) -> Any:
        """Word number w: the bits that all bitmaps have set."""
        return reduce(lambda a, b: a & b, (column[w - parameter(column.first)] for column in self.words))


class Bitmap(MutableSet[int]):
    """A set of integers, one bit for each from the smallest to the largest.

    >>> b = Bitmap([5, 1, 40])
    >>> b.add(7)
    >>> b, 7 in b, 8 in b
    (Bitmap({1, 5, 7, 40}, 4 keys), True, False)
    >>> (b.stream() * Bitmap([40, 41, 5]).stream()).collect(into=Bitmap)
    Bitmap({5, 40}, 2 keys)

    For dense keys: it takes the room of its range, not of its members, so a range of more than 2**31 keys is refused.
    `add`, `discard` and `in` are O(1), amortised. A product of bitmaps costs a step a word of 32 keys, and one a
    common key; a seek is O(1).

    A stream shows the set as it was when `stream()` was called. The words are copied by the first change after that,
    if the stream is still there.
    """

    _room: Array  # words; those that are not in use are 0
    _base: int  # the number of room[0]
    _first: int  # the words in use are those numbered first, …, end - 1
    _end: int
    _count: int  # of keys
    _shown: Callable[[], Words | None]  # the words handed out since the last change, if anybody holds them

    def __init__(self, keys: Iterable[int] = ()) -> None:
        self.clear()
        self.update(keys)

    @classmethod
    def _of(cls, words: Array, first: int) -> Bitmap:
        """A bitmap of these words."""
        made = cls()
        made._room, made._base, made._first, made._end = words, first, first, first + words.size
        made._count = int(_popcount(words).sum())
        return made

    # ------------------------------------------------------------------ a set

    def add(self, key: int) -> None:
        """Put a key in."""
        if not isinstance(key, int | np.integer) or isinstance(key, bool) or abs(int(key)) > LIMIT:
            return self.update([key])  # which says what is wrong with it
        w, bit = int(key) >> 5, np.uint32(1 << (int(key) & 31))
        self._reach(w, w + 1)
        self._count += not self._room[w - self._base] & bit
        self._room[w - self._base] |= bit

    def discard(self, key: Any) -> None:
        """Take a key out, if it is in."""
        if key in self:
            self._unshare()
            self._room[(int(key) >> 5) - self._base] &= np.uint32(ALL - (1 << (int(key) & 31)))
            self._count -= 1

    def update(self, keys: Iterable[int]) -> None:
        """Put many keys in, of any iterable or an array of integers."""
        if isinstance(keys, Bitmap):
            if keys:
                self._reach(keys._first, keys._end)
                self._room[keys._first - self._base : keys._end - self._base] |= keys._words
        elif isinstance(keys, Stream):
            self.update(keys.collect(into=Bitmap))
        elif (array := integers(keys)).size:
            self._reach(int(array.min()) >> 5, (int(array.max()) >> 5) + 1)
            bits = np.uint32(1) << (array & 31).astype(np.uint32)
            np.bitwise_or.at(self._room, (array >> 5) - self._base, bits)
        self._count = int(_popcount(self._words).sum())

    def clear(self) -> None:
        """Take all keys out."""
        self._room, self._shown = np.zeros(0, np.uint32), _nothing
        self._base = self._first = self._end = self._count = 0

    def __contains__(self, key: object) -> bool:
        if is_symbolic(key):
            return key in self.stream()  # a look-up in the kernel that is being written
        if isinstance(key, float | np.floating) and key.is_integer():
            key = int(key)  # as in any set: 1.0 is 1
        if not isinstance(key, int | np.integer | np.bool_) or not self._first <= int(key) >> 5 < self._end:
            return False
        return bool(int(self._room[(int(key) >> 5) - self._base]) >> (int(key) & 31) & 1)

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[int]:
        """The keys in increasing order, as they are now: changes on the way are not seen."""
        words = self._snapshot()
        for at in range(0, words.size, BLOCK):
            block = words.array[at : at + BLOCK].astype("<u4", copy=False)
            bits = np.unpackbits(block.view(np.uint8), bitorder="little")
            yield from (np.flatnonzero(bits) + 32 * (words.first.value + at)).tolist()

    def __and__(self, other: Any) -> Any:
        if not isinstance(other, Bitmap):
            return super().__and__(other)
        first, end = max(self._first, other._first), min(self._end, other._end)
        return Bitmap._of(self._window(first, end) & other._window(first, end), first)

    def __or__(self, other: Any) -> Any:
        if not isinstance(other, Bitmap):
            return super().__or__(other)
        made = Bitmap(self)
        made.update(other)
        return made

    def __sub__(self, other: Any) -> Any:
        if not isinstance(other, Bitmap):
            return super().__sub__(other)
        return Bitmap._of(self._words & ~other._window(self._first, self._end), self._first)

    def __ior__(self, other: Any) -> Bitmap:
        self.update(other)
        return self

    def __repr__(self) -> str:
        shown = ", ".join(f"{k!r}" for k, _ in zip(self, range(4), strict=False))
        return f"Bitmap({{{shown}{', …' if len(self) > 4 else ''}}}, {counted(len(self), 'key')})"

    def __reduce__(self) -> Any:
        return Bitmap._of, (self._words.copy(), self._first)

    # ------------------------------------------------------------------ a stream

    def stream(self) -> Stream:
        """This set as a stream, every value 1. Costs nothing: the words are read where they lie."""
        return Bits((self._snapshot(),))

    def _snapshot(self) -> Words:
        """The words as they are now, and will be for whoever holds the answer."""
        shown = self._shown()
        if shown is None:
            shown = Words(self._words, "words", object(), Parameter(self._first, "first"))
            self._shown = weakref.ref(shown)
        return shown

    # ------------------------------------------------------------------ the words

    @property
    def _words(self) -> Array:
        """The words in use."""
        return self._room[self._first - self._base : self._end - self._base]

    def _window(self, first: int, end: int) -> Array:
        """A copy of the words from `first` to `end`, 0 where there are none."""
        found = np.zeros(max(end - first, 0), np.uint32)
        lo, hi = max(first, self._first), min(end, self._end)
        if lo < hi:
            found[lo - first : hi - first] = self._room[lo - self._base : hi - self._base]
        return found

    def _unshare(self) -> None:
        """Make the words ours to change: streams that read them keep them as they are."""
        if self._shown() is not None:
            self._room = self._room.copy()
        self._shown = _nothing

    def _reach(self, first: int, end: int) -> None:
        """Have the words from `first` to `end` in use, and ours to change."""
        if self._count:
            first, end = min(first, self._first), max(end, self._end)
        if self._base <= first and end <= self._base + self._room.size:
            self._unshare()
            self._first, self._end = first, end
        else:
            self._grow(first, end)

    def _grow(self, first: int, end: int) -> None:
        """A new room for the words from `first` to `end`, and for as many again on the side where it grows."""
        size, downwards = end - first, first < self._first
        if size > WIDEST:
            raise BadOption(
                f"keys from {32 * first} to {32 * end - 1} are too far apart for a bitmap",
                "It has a bit for each key between, at most 2**31. Use a set, or sk.Sorted.",
            )
        spare = min(size, WIDEST - size) if self._count else 0
        base = first - spare if downwards else first
        room = np.zeros(size + spare, np.uint32)
        room[first - base : end - base] = self._window(first, end)
        self._room, self._base, self._shown = room, base, _nothing
        self._first, self._end = first, end

    def check(self) -> None:
        """Assert every invariant; a bitmap always passes."""
        start, stop = self._first - self._base, self._end - self._base
        if self._room.dtype != np.uint32 or not 0 <= start <= stop <= self._room.size:
            raise WrongState(f"words {self._first} to {self._end} in a room of {self._room.size} from {self._base} on")
        if self._room[:start].any() or self._room[stop:].any():
            raise WrongState(f"bits are set outside of the words {self._first} to {self._end}")
        if self._count != _popcount(self._words).sum():
            raise WrongState(f"{self._count} keys, but {_popcount(self._words).sum()} bits are set")


def _nothing() -> None:
    """No words were handed out since the last change."""


def integers(keys: Any) -> Array:
    """Keys as an array of int64, or the error that says why they cannot be in a bitmap."""
    array = key_array(keys)
    if array.size and array.dtype.kind not in "iu":
        raise NotAKey(
            f"a bitmap holds integers, and {array[0].item()!r} is none", "Use a set, or sk.Sorted, for other keys."
        )
    array = array.astype(np.int64, copy=False)
    if array.size and (array.max() > LIMIT or array.min() < -LIMIT):
        raise BadOption("a bitmap holds integers between -2**62 and 2**62 (exclusive)", "Use a set, or sk.Sorted.")
    return array
