"""Loops written by hand over graphs and matrices that lie row by row: where each row starts, and the columns in it.

The best that we know for each question, where the rows are given in the best order. Marks have a place for every node;
sums too, and are zero where none came. Numbers wrap around, and nobody can ask the loops to stop.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from .hand import compiled


@compiled
def triangles(starts: Any, ends: Any) -> int:
    """The ends of a are marked, and those of each of them looked up."""
    marks = np.zeros(starts.size - 1, np.bool_)
    total = 0
    for a in range(starts.size - 1):
        for e in range(starts[a], starts[a + 1]):
            marks[ends[e]] = True
        for e in range(starts[a], starts[a + 1]):
            b = ends[e]
            for f in range(starts[b], starts[b + 1]):
                total += marks[ends[f]]
        for e in range(starts[a], starts[a + 1]):
            marks[ends[e]] = False
    return total


@compiled
def cliques_of_four(starts: Any, ends: Any) -> int:
    """What a and b have in common is marked once more, if it is more than one."""
    nodes = starts.size - 1
    marks, inner, both = np.zeros(nodes, np.bool_), np.zeros(nodes, np.bool_), np.empty(nodes, np.int32)
    total = 0
    for a in range(nodes):
        for e in range(starts[a], starts[a + 1]):
            marks[ends[e]] = True
        for e in range(starts[a], starts[a + 1]):
            b, n = ends[e], 0
            for f in range(starts[b], starts[b + 1]):
                both[n] = ends[f]
                n += marks[ends[f]]
            if n > 1:
                for p in range(n):
                    inner[both[p]] = True
                for p in range(n):
                    c = both[p]
                    for g in range(starts[c], starts[c + 1]):
                        total += inner[ends[g]]
                for p in range(n):
                    inner[both[p]] = False
        for e in range(starts[a], starts[a + 1]):
            marks[ends[e]] = False
    return total


@compiled
def diamonds(starts: Any, ends: Any, all_starts: Any, all_ends: Any) -> int:
    """Edges from a to b, and the neighbours that both have: any two of them make one. Those of b are walked along."""
    marks = np.zeros(all_starts.size - 1, np.bool_)
    total = 0
    for a in range(starts.size - 1):
        for e in range(all_starts[a], all_starts[a + 1]):
            marks[all_ends[e]] = True
        for e in range(starts[a], starts[a + 1]):
            b, n = ends[e], 0
            for f in range(all_starts[b], all_starts[b + 1]):
                n += marks[all_ends[f]]
            total += n * (n - 1) // 2
        for e in range(all_starts[a], all_starts[a + 1]):
            marks[all_ends[e]] = False
    return total


@compiled
def cycles_of_four(starts: Any, ends: Any) -> int:
    """From the largest node of each: every way to the one across closes a cycle with all that came before it."""
    seen = np.zeros(starts.size - 1, np.int32)
    total = 0
    for a in range(starts.size - 1):
        for e in range(starts[a], starts[a + 1]):
            b = ends[e]
            if b >= a:
                break
            for f in range(starts[b], starts[b + 1]):
                c = ends[f]
                if c >= a:
                    break
                total += seen[c]
                seen[c] += 1
        for e in range(starts[a], starts[a + 1]):
            b = ends[e]
            if b >= a:
                break
            for f in range(starts[b], starts[b + 1]):
                c = ends[f]
                if c >= a:
                    break
                seen[c] = 0
    return total


@compiled
def product(starts: Any, ends: Any, values: Any) -> Any:
    """A matrix times itself, with room for every product; `at` says where each column of a row was last put."""
    most = 0
    for e in range(ends.size):
        most += starts[ends[e] + 1] - starts[ends[e]]
    at, found = np.zeros(starts.size - 1, np.int64), np.empty(starts.size, np.int64)
    columns, sums = np.empty(most, np.int32), np.empty(most)
    n = 0
    for i in range(starts.size - 1):
        found[i] = first = n
        for e in range(starts[i], starts[i + 1]):
            j, x = ends[e], values[e]
            for f in range(starts[j], starts[j + 1]):
                k = ends[f]
                if at[k] <= first:
                    columns[n], sums[n] = k, x * values[f]
                    n += 1
                    at[k] = n
                else:
                    sums[at[k] - 1] += x * values[f]
    found[starts.size - 1] = n
    return found, columns[:n], sums[:n]


def sampled(starts: Any, ends: Any, values: Any, U: Any, V: Any) -> Any:
    """A product of dense matrices, at the entries of a sparse one."""
    found = np.empty(values.size)
    for i in range(starts.size - 1):
        for e in range(starts[i], starts[i + 1]):
            j, total = ends[e], 0.0
            for k in range(U.shape[1]):
                total += U[i, k] * V[j, k]
            found[e] = values[e] * total
    return found


sampled = njit(nogil=True, fastmath=True)(sampled)  # its sums may be made in any order, as ours


@compiled
def tensor_times_two(i: Any, j: Any, k: Any, values: Any, C: Any, D: Any, rows: int) -> Any:
    found = np.zeros((rows, C.shape[1]))
    for e in range(values.size):
        to, left, right, x = i[e], j[e], k[e], values[e]
        for r in range(C.shape[1]):
            found[to, r] += x * C[left, r] * D[right, r]
    return found


@compiled
def shortest_step(starts: Any, ends: Any, values: Any, distances: Any) -> Any:
    """Rows say where each node can be reached from."""
    found = np.full(starts.size - 1, np.inf)
    for i in range(starts.size - 1):
        least = np.inf
        for e in range(starts[i], starts[i + 1]):
            least = min(least, distances[ends[e]] + values[e])
        found[i] = least
    return found
