"""Loops written by hand, as fast as we could make them: the limit that fused code is held against.

Each is what an expert would write for that one problem: branch-free merges where the keys are dense, galloping where
one side is short. They know their inputs; ours do not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numba import njit

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F) -> F:
    """Numba's, with the type that the function has."""
    made: F = njit(nogil=True)(function)
    return made


@compiled
def range_sum(n: int) -> int:
    total = 0
    for i in range(n):
        total += i % 5
    return total


@compiled
def range_sum_counted(n: int) -> int:
    """The same, counting by hand: a tenth faster than over Numba's range."""
    total = i = 0
    while i < n:
        total += i % 5
        i += 1
    return total


@compiled
def nest_sum(n: int) -> int:
    """The faster of the paper's two: an accumulator of its own for each row."""
    total = 0
    for _ in range(n):
        row = 0
        for j in range(n):
            row += j % 5
        total += row
    return total


@compiled
def nest_sum_obvious(n: int) -> int:
    total = 0
    for _ in range(n):
        for j in range(n):
            total += j % 5
    return total


@compiled
def nest_sum_counted(n: int) -> int:
    """Row by row, counting by hand."""
    total = i = 0
    while i < n:
        row = j = 0
        while j < n:
            row += j % 5
            j += 1
        total += row
        i += 1
    return total


@compiled
def dense_sum(values: Any) -> Any:
    total = 0
    for i in range(values.size):
        total += values[i]
    return total


@compiled
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


@compiled
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


@compiled
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


@compiled
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


@compiled
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


@compiled
def merge_three_obvious(ak: Any, av: Any, bk: Any, bv: Any, ck: Any, cv: Any) -> float:
    """Three pointers, as one writes them at first: where the keys differ, one that is not the largest moves."""
    i = j = k = 0
    total = 0.0
    while i < ak.size and j < bk.size and k < ck.size:
        if ak[i] == bk[j] and bk[j] == ck[k]:
            total += av[i] * bv[j] * cv[k]
            i += 1
            j += 1
            k += 1
        elif ak[i] < bk[j] or ak[i] < ck[k]:
            i += 1
        elif bk[j] < ak[i] or bk[j] < ck[k]:
            j += 1
        else:
            k += 1
    return total


@compiled
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


@compiled
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


@compiled
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


@compiled
def find(keys: Any, low: int, high: int, key: int) -> int:
    """Where `key` stands in keys[low:high], or -1: halving from scratch.

    Three ways in each step. With two, and equality asked at the end, the fair join took up to twice as long.
    """
    while low < high:
        middle = (low + high) >> 1
        here = keys[middle]
        if here < key:
            low = middle + 1
        elif here > key:
            high = middle
        else:
            return middle
    return -1


@compiled
def grown(rows: Any) -> Any:
    """The same rows with room for as many again."""
    larger = np.empty((rows.shape[0], 2 * rows.shape[1]), rows.dtype)
    for row in range(rows.shape[0]):  # as an assignment of slices, Numba compiles this for three seconds
        for i in range(rows.shape[1]):
            larger[row, i] = rows[row, i]
    return larger


@compiled
def join_naive(ra: Any, rs: Any, rb: Any, sb: Any, ss: Any, sc: Any, ta: Any, ts: Any, tc: Any) -> Any:
    """R(a,b) S(b,c) T(a,c) by iterate and lookup: b from scratch in S, then a and c from scratch in T for every c."""
    rows, n = np.empty((3, 1024), np.int64), 0
    for p in range(ra.size):
        a = ra[p]
        for e in range(rs[p], rs[p + 1]):
            b = rb[e]
            s = find(sb, 0, sb.size, b)
            if s < 0:
                continue
            for f in range(ss[s], ss[s + 1]):
                c = sc[f]
                t = find(ta, 0, ta.size, a)
                if t >= 0 and find(tc, ts[t], ts[t + 1], c) >= 0:
                    if n == rows.shape[1]:
                        rows = grown(rows)
                    rows[0, n], rows[1, n], rows[2, n] = a, b, c
                    n += 1
    return rows[:, :n]


@compiled
def join_fair(ra: Any, rs: Any, rb: Any, sb: Any, ss: Any, sc: Any, ta: Any, ts: Any, tc: Any) -> Any:
    """The same with every lookup as far out as it can be: T[a] once for each a, S[b] once for each (a, b)."""
    rows, n = np.empty((3, 1024), np.int64), 0
    for p in range(ra.size):
        a = ra[p]
        t = find(ta, 0, ta.size, a)
        if t < 0:
            continue
        low, high = ts[t], ts[t + 1]
        for e in range(rs[p], rs[p + 1]):
            b = rb[e]
            s = find(sb, 0, sb.size, b)
            if s < 0:
                continue
            for f in range(ss[s], ss[s + 1]):
                c = sc[f]
                if find(tc, low, high, c) >= 0:
                    if n == rows.shape[1]:
                        rows = grown(rows)
                    rows[0, n], rows[1, n], rows[2, n] = a, b, c
                    n += 1
    return rows[:, :n]


Nested = dict[str, set[str]]


def join_in_python(r: Nested, s: Nested, t: Nested) -> list[tuple[str, str, str]]:
    """What people write: dicts of sets, and `in`."""
    found = []
    for a, bs in r.items():
        cs = t.get(a, set())
        for b in bs:
            for c in s.get(b, ()):
                if c in cs:
                    found.append((a, b, c))
    return found


def join_by_sets(r: Nested, s: Nested, t: Nested) -> list[tuple[str, str, str]]:
    """What people write who know that `&` walks the smaller set: it skips, too."""
    found, none = [], set[str]()
    for a, bs in r.items():
        cs = t.get(a, none)
        for b in bs:
            found += [(a, b, c) for c in s.get(b, none) & cs]
    return found
