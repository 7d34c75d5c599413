"""An ordered map in blocks: the functions that walk it and change it. Ordinary Python, compiled as it stands.

Blocks of SIZE places lie one after another in `keys`. The blocks in use, in the order of their keys, stand in a
directory: number r is block order[r], its first counts[r] places are in use, and heads[r] is its first key.

    order     keys increase within a block, and from each block to the next
    full      no block in the directory is empty, none holds more than SIZE
    sparing   two neighbours together fill more than half a block, so memory is in proportion to the keys

A look-up is a binary search in the directory and one in a block; an insertion moves half a block on average.
"""

from __future__ import annotations

from typing import Any

import numpy as np

SHIFT = 8
SIZE = 1 << SHIFT
MASK = SIZE - 1
AHEAD = 7  # as in seeking.py

BLOCKS, COUNT, USED, FREE = (
    0,
    1,
    2,
    3,
)  # of meta; USED: blocks from there on were never used; FREE: a list through spare


def block_of(heads: Any, meta: Any, key: Any) -> Any:
    """The number of the last block that begins at or before a key; 0 if none does."""
    low, high = 0, meta[BLOCKS]
    # Blocks before low begin at or before the key, those from high on after it. high - low falls.
    while low < high:
        middle = (low + high) >> 1
        if heads[middle] <= key:
            low = middle + 1
        else:
            high = middle
    return max(low - 1, 0)


def within(keys: Any, low: Any, high: Any, key: Any, strict: Any) -> Any:
    """The first place from low to high whose key was not passed."""
    # Everything before low was passed; nothing from high on was. high - low falls.
    while low < high:
        middle = (low + high) >> 1
        if (keys[middle] < key) | (strict & (keys[middle] == key)):
            low = middle + 1
        else:
            high = middle
    return low


def find(keys: Any, heads: Any, order: Any, counts: Any, meta: Any, key: Any) -> Any:
    """The place of a key, or -1."""
    if meta[BLOCKS] == 0:
        return -1
    r = block_of(heads, meta, key)
    begin = order[r] << SHIFT
    end = begin + counts[r]
    at = within(keys, begin, end, key, False)
    return at if at < end and keys[at] == key else -1


def insert(keys: Any, values: Any, heads: Any, order: Any, counts: Any, spare: Any, meta: Any, key: Any) -> Any:
    """The place of a key, made if there was none. There must be room for one more block."""
    if meta[BLOCKS] == 0:
        hang(heads, order, counts, spare, meta, 0)
    r = block_of(heads, meta, key)
    begin = order[r] << SHIFT
    end = begin + counts[r]
    at = within(keys, begin, end, key, False)
    if at < end and keys[at] == key:
        return at
    if counts[r] == SIZE:
        # Full. What comes behind everything begins a block of its own, so keys that come in order fill their blocks.
        last = at == end and r == meta[BLOCKS] - 1
        kept = SIZE if last else SIZE >> 1
        hang(heads, order, counts, spare, meta, r + 1)
        new = order[r + 1] << SHIFT
        for i in range(SIZE - kept):
            move(keys, values, begin + kept + i, new + i)
        counts[r], counts[r + 1] = kept, SIZE - kept
        if not last:
            heads[r + 1] = keys[new]
        if at > begin + kept or last:
            at = new + at - begin - kept
            r += 1
        begin = order[r] << SHIFT
        end = begin + counts[r]
    for i in range(end, at, -1):
        move(keys, values, i - 1, i)
    keys[at] = key
    counts[r] += 1
    meta[COUNT] += 1
    heads[r] = keys[begin]
    return at


def move(keys: Any, values: Any, old: Any, new: Any) -> Any:
    """A key and its values to another place."""
    keys[new] = keys[old]
    for n in range(values.shape[0]):
        values[n, new] = values[n, old]
    return new


def hang(heads: Any, order: Any, counts: Any, spare: Any, meta: Any, r: Any) -> Any:
    """A fresh block, empty, into the directory as number r."""
    for i in range(meta[BLOCKS], r, -1):
        heads[i], order[i], counts[i] = heads[i - 1], order[i - 1], counts[i - 1]
    if meta[FREE] >= 0:
        order[r] = meta[FREE]
        meta[FREE] = spare[order[r]]
    else:
        order[r] = meta[USED]
        meta[USED] += 1
    counts[r] = 0
    meta[BLOCKS] += 1
    return r


def drop(heads: Any, order: Any, counts: Any, spare: Any, meta: Any, r: Any) -> Any:
    """Block number r out of the directory."""
    spare[order[r]] = meta[FREE]
    meta[FREE] = order[r]
    meta[BLOCKS] -= 1
    for i in range(r, meta[BLOCKS]):
        heads[i], order[i], counts[i] = heads[i + 1], order[i + 1], counts[i + 1]
    return r


def remove(keys: Any, values: Any, heads: Any, order: Any, counts: Any, spare: Any, meta: Any, key: Any) -> Any:
    """Take a key out; whether it was there."""
    at = find(keys, heads, order, counts, meta, key)
    if at < 0:
        return False
    r = block_of(heads, meta, key)
    begin = order[r] << SHIFT
    for i in range(at, begin + counts[r] - 1):
        move(keys, values, i + 1, i)
    counts[r] -= 1
    meta[COUNT] -= 1
    if counts[r] == 0:
        drop(heads, order, counts, spare, meta, r)
        # its neighbours are neighbours now
        r = max(r - 1, 0)
    else:
        heads[r] = keys[begin]
    # Which of its neighbours has become too sparse together with it?
    for first in (r - 1, r):
        if first >= 0 and first + 1 < meta[BLOCKS] and counts[first] + counts[first + 1] <= SIZE >> 1:
            one, two = (order[first] << SHIFT) + counts[first], order[first + 1] << SHIFT
            for i in range(counts[first + 1]):
                move(keys, values, two + i, one + i)
            counts[first] += counts[first + 1]
            drop(heads, order, counts, spare, meta, first + 1)
            break
    return True


def leap(keys: Any, heads: Any, order: Any, counts: Any, blocks: Any, q: Any, key: Any, strict: Any) -> Any:
    """Seek: the first state from q on that was not passed, one step at least if q was. A state is r * SIZE + i.

    One step, unless the key AHEAD places on in the block was passed too, or there is none: the rest is rare.
    """
    r, i = q >> SHIFT, q & MASK
    at = (order[r] << SHIFT) + i
    if i + AHEAD < counts[r] and not keys[at + AHEAD] < key:
        return q + ((keys[at] < key) | (strict & (keys[at] == key)))
    return leap_far(keys, heads, order, counts, blocks, q, key, strict)


def leap_far(keys: Any, heads: Any, order: Any, counts: Any, blocks: Any, q: Any, key: Any, strict: Any) -> Any:
    """The same by a search in what is left of the block, or in the directory from there on, by steps that double."""
    r, i = q >> SHIFT, q & MASK
    begin = order[r] << SHIFT
    if not ((keys[begin + i] < key) | (strict & (keys[begin + i] == key))):
        return q
    last = begin + counts[r] - 1
    if not ((keys[last] < key) | (strict & (keys[last] == key))):
        return (r << SHIFT) + within(keys, begin + i, last, key, strict) - begin
    low, step = r + 1, 1
    # Blocks before low are passed as a whole, or the one just before it is the one to look in. low grows.
    while low + step < blocks and heads[low + step] <= key:
        low += step
        step <<= 1
    high = min(low + step, blocks)
    while low < high:
        middle = (low + high) >> 1
        if heads[middle] <= key:
            low = middle + 1
        else:
            high = middle
    r = max(low - 1, r + 1)
    if r >= blocks:
        return blocks << SHIFT
    begin = order[r] << SHIFT
    i = within(keys, begin, begin + counts[r], key, strict) - begin
    return (r << SHIFT) + i if i < counts[r] else (r + 1) << SHIFT


def rank(keys: Any, heads: Any, order: Any, counts: Any, meta: Any, key: Any, strict: Any) -> Any:
    """How many keys were passed: the counts of the blocks before, and the rest by a search."""
    if meta[BLOCKS] == 0:
        return 0
    r = block_of(heads, meta, key)
    begin = order[r] << SHIFT
    n = within(keys, begin, begin + counts[r], key, strict) - begin
    for i in range(r):
        n += counts[i]
    return n


def walk(order: Any, counts: Any, meta: Any, n: Any, places: Any) -> Any:
    """Fill `places` with those of the keys from number n on, in order."""
    r = 0
    while r < meta[BLOCKS] and n >= counts[r]:
        n -= counts[r]
        r += 1
    for i in range(places.size):
        places[i] = (order[r] << SHIFT) + n
        n += 1
        if n == counts[r]:
            r, n = r + 1, 0
    return r


def build(heads: Any, order: Any, counts: Any, meta: Any, keys: Any, source: Any, fill: Any) -> Any:
    """Blocks of `fill` keys each from `source`, whose keys increase."""
    n = source.size
    for i in range(n):
        keys[((i // fill) << SHIFT) + i % fill] = source[i]
    blocks = (n + fill - 1) // fill
    for r in range(blocks):
        heads[r], order[r], counts[r] = keys[r << SHIFT], r, min(fill, n - r * fill)
    meta[BLOCKS], meta[COUNT], meta[USED], meta[FREE] = blocks, n, blocks, -1
    return np.int64(blocks)
