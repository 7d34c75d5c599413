"""Loops written by hand, as fast as we could make them: the limit that fused code is held against.

Each is what an expert would write for that one problem: branch-free merges where the keys are dense, galloping where
one side is short. They know their inputs; ours do not.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit


@njit(nogil=True)
def range_sum(n: int) -> int:
    total = 0
    for i in range(n):
        total += i % 5
    return total


@njit(nogil=True)
def nest_sum(n: int) -> int:
    """The faster of the paper's two: an accumulator of its own for each row."""
    total = 0
    for _ in range(n):
        row = 0
        for j in range(n):
            row += j % 5
        total += row
    return total


@njit(nogil=True)
def nest_sum_obvious(n: int) -> int:
    total = 0
    for _ in range(n):
        for j in range(n):
            total += j % 5
    return total


@njit(nogil=True)
def dense_sum(values: Any) -> Any:
    total = 0
    for i in range(values.size):
        total += values[i]
    return total


@njit(nogil=True)
def merge_two(ak: Any, av: Any, bk: Any, bv: Any) -> float:
    """Two pointers; both move without a branch."""
    i = j = 0
    total = 0.0
    while i < ak.size and j < bk.size:
        a, b = ak[i], bk[j]
        if a == b:
            total += av[i] * bv[j]
            i += 1
            j += 1
        else:
            i += a < b
            j += b < a
    return total


@njit(nogil=True)
def merge_two_all(ak: Any, av: Any, bk: Any, bv: Any) -> float:
    """The same with one way to move for both cases."""
    i = j = 0
    total = 0.0
    while i < ak.size and j < bk.size:
        a, b = ak[i], bk[j]
        if a == b:
            total += av[i] * bv[j]
        i += a <= b
        j += b <= a
    return total


@njit(nogil=True)
def collect_two(ak: Any, av: Any, bk: Any, bv: Any) -> Any:
    """The product itself, into arrays that are large enough from the start: a loop by hand knows that they are."""
    i = j = n = 0
    keys, values = np.empty(min(ak.size, bk.size), np.int64), np.empty(min(ak.size, bk.size))
    while i < ak.size and j < bk.size:
        a, b = ak[i], bk[j]
        if a == b:
            keys[n], values[n] = a, av[i] * bv[j]
            n += 1
            i += 1
            j += 1
        else:
            i += a < b
            j += b < a
    return keys[:n], values[:n]


@njit(nogil=True)
def leap(keys: Any, at: int, key: int) -> int:
    """The first position from `at` on whose key is not below `key`, by doubling steps."""
    if at >= keys.size or keys[at] >= key:
        return at
    step = 1
    while at + step < keys.size and keys[at + step] < key:
        at += step
        step <<= 1
    low, high = at + 1, min(at + step, keys.size)
    while low < high:
        middle = (low + high) >> 1
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low


@njit(nogil=True)
def gallop_two(ak: Any, av: Any, bk: Any, bv: Any) -> float:
    i = j = 0
    total = 0.0
    while i < ak.size and j < bk.size:
        a, b = ak[i], bk[j]
        if a == b:
            total += av[i] * bv[j]
            i += 1
            j += 1
        elif a < b:
            i = leap(ak, i, b)
        else:
            j = leap(bk, j, a)
    return total


@njit(nogil=True)
def merge_three(ak: Any, av: Any, bk: Any, bv: Any, ck: Any, cv: Any) -> float:
    """Three pointers; whoever is behind the largest key moves, without a branch."""
    i = j = k = 0
    total = 0.0
    while i < ak.size and j < bk.size and k < ck.size:
        a, b, c = ak[i], bk[j], ck[k]
        high, low = max(a, b, c), min(a, b, c)
        if high == low:
            total += av[i] * bv[j] * cv[k]
            i += 1
            j += 1
            k += 1
        else:
            i += a < high
            j += b < high
            k += c < high
    return total


@njit(nogil=True)
def gallop_three(ak: Any, av: Any, bk: Any, bv: Any, ck: Any, cv: Any) -> float:
    i = j = k = 0
    total = 0.0
    while i < ak.size and j < bk.size and k < ck.size:
        high = max(ak[i], bk[j], ck[k])
        i = leap(ak, i, high)
        j = leap(bk, j, high)
        k = leap(ck, k, high)
        if i < ak.size and j < bk.size and k < ck.size and ak[i] == bk[j] == ck[k]:
            total += av[i] * bv[j] * cv[k]
            i += 1
            j += 1
            k += 1
    return total


@njit(nogil=True)
def triangles(keys: Any, starts: Any, ends: Any) -> int:
    """Edges (a, b), (b, c), (a, c) of one graph stored twice over: two levels of sorted arrays, merged by hand."""
    total = 0
    for p in range(keys.size):
        at = 0
        for e in range(starts[p], starts[p + 1]):
            b = ends[e]
            at = leap(keys, at, b)
            if at == keys.size:
                break
            if keys[at] != b:
                continue
            i, j = starts[p], starts[at]
            while i < starts[p + 1] and j < starts[at + 1]:
                x, y = ends[i], ends[j]
                total += x == y
                i += x <= y
                j += y <= x
    return total
