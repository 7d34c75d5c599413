"""Four ways to seek in a sorted array. Each returns the first position at or after q whose key was not passed.

Each keeps the contract of `seek`: it may stop early (linear moves one step), never goes beyond what was asked, and
moves whenever keys[q] was passed. `strict` says whether `key` itself may be passed.

Which is best depends on how far apart the answers lie. On dense overlaps one step is enough, and a branch-free step
is twice as fast as galloping; when one array is a thousand times longer, galloping wins 200 times over. `adaptive`
looks a few places ahead: if even that key was passed, it gallops from there, otherwise it takes the one step. The
branch is the same way nearly every time on either kind of data, so it is predicted, and costs 2 to 10 % on the first.

Each is written out, the halving three times over: a kernel that calls another one costs a compile of its own, 80 ms.
So does `min`, 40 ms.
"""

from __future__ import annotations

from typing import Any

from ..words import Invariant, Kernel, no, passed

AHEAD = 7  # how far `adaptive` looks; 3 to 15 measure alike


def linear(keys: Any, q: Any, hi: Any, key: Any, strict: Any) -> Any:
    """One step if the current key was passed. O(1), and the caller comes back."""
    return q + ((keys[q] < key) | (strict & (keys[q] == key)))


def binary(keys: Any, q: Any, hi: Any, key: Any, strict: Any) -> Any:
    """By halving what is left of the array: O(log n), wherever the answer lies."""
    low, high = q, hi
    # Everything before low was passed; nothing from high on was. high - low falls.
    while low < high:
        middle = (low + high) >> 1
        if keys[middle] < key or (strict and keys[middle] == key):
            low = middle + 1
        else:
            high = middle
    return low


def gallop(keys: Any, q: Any, hi: Any, key: Any, strict: Any) -> Any:
    """By steps that double, then by halving the last one: O(log d) for an answer d places away."""
    if not (keys[q] < key or (strict and keys[q] == key)):
        return q
    step = 1
    # keys[q] was passed. q grows.
    while q + step < hi and (keys[q + step] < key or (strict and keys[q + step] == key)):
        q += step
        step <<= 1
    low, high = q + 1, q + step if q + step < hi else hi
    # Everything before low was passed; nothing from high on was. high - low falls.
    while low < high:
        middle = (low + high) >> 1
        if keys[middle] < key or (strict and keys[middle] == key):
            low = middle + 1
        else:
            high = middle
    return low


def adaptive(keys: Any, q: Any, hi: Any, key: Any, strict: Any) -> Any:
    """One step, unless the key AHEAD places on was passed too: then a gallop from there."""
    if q + AHEAD < hi and keys[q + AHEAD] < key:
        q += AHEAD
        step = AHEAD + 1  # as if it had come so far by doubling
        # keys[q] was passed. q grows.
        while q + step < hi and keys[q + step] < key:
            q += step
            step <<= 1
        low, high = q + 1, q + step if q + step < hi else hi
        # Everything before low was passed; nothing from high on was, but perhaps `key` itself. high - low falls.
        while low < high:
            middle = (low + high) >> 1
            if keys[middle] < key:
                low = middle + 1
            else:
                high = middle
        return low
    return q + ((keys[q] < key) | (strict & (keys[q] == key)))


def doubling(was_passed: Any, most: int) -> Invariant:
    """Why steps that double are right: they come from a key that was passed, and are not longer than the way so far."""
    return Invariant(
        lambda v, old: [
            old.q <= v.q,
            v.q < v.hi,
            v.step >= 1,
            v.step <= v.q - old.q + most,
            was_passed(v.keys[v.q], v.key, v.strict),
        ],
        lambda v: v.hi - v.q,
    )


def halving(was_passed: Any) -> Invariant:
    """Why halving is right: everything before low was passed, nothing from high on was."""
    return Invariant(
        lambda v, old: [
            old.low <= v.low,
            v.low <= v.high,
            v.high <= v.hi,
            (v.low == old.low) | was_passed(v.keys[v.low - 1], v.key, v.strict),
            (v.high == v.hi) | no(was_passed(v.keys[v.high], v.key, v.strict)),
        ],
        lambda v: v.high - v.low,
    )


def below(k: Any, key: Any, strict: Any) -> Any:
    """What `adaptive` takes for passed as long as it gallops."""
    return k < key


LOOPS = {
    "binary": (halving(passed),),
    "gallop": (doubling(passed, 1), halving(passed)),
    "adaptive": (doubling(below, AHEAD + 1), halving(below)),
}
SEEKS = {f.__name__: Kernel(f, "int", LOOPS.get(f.__name__, ())) for f in (adaptive, linear, binary, gallop)}
