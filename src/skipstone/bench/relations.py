"""The data of the triangle join: relations of pairs of strings, numbered in order.

Strings are not keys of streams yet. So all strings of a problem get numbers, in the order of the strings, before
anything is timed; every compiled way works on the same numbers.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np

import skipstone as sk

from ..storage.column import Array

Pairs = list[tuple[str, str]]


@dataclass
class Relation:
    """Pairs of names in three forms: as a dict of sets, as a Trie of numbers, and as that Trie's arrays."""

    pairs: Pairs
    names: dict[str, set[str]]
    trie: sk.Trie

    def arrays(self) -> tuple[Array, Array, Array]:
        """The first keys, where the run of each begins, and the second keys."""
        root: Any = self.trie.root
        return root.keys.array, root.inner.starts.array, root.inner.keys.array


def related(tables: list[Pairs]) -> tuple[list[Relation], dict[str, int]]:
    """The relations over one dictionary of names, and that dictionary."""
    flat = np.array([name for pairs in tables for pair in pairs for name in pair])
    names, numbers = np.unique(flat, return_inverse=True)
    relations, at = [], 0
    for pairs in tables:
        columns = numbers[at : at + 2 * len(pairs)].reshape(-1, 2)
        at += 2 * len(pairs)
        sets: dict[str, set[str]] = defaultdict(set)
        for a, b in pairs:
            sets[a].add(b)
        relations.append(Relation(pairs, dict(sets), sk.Trie.from_columns([columns[:, 0], columns[:, 1]])))
    return relations, {name: n for n, name in enumerate(names.tolist())}


def hard(count: int) -> list[Pairs]:
    """The skewed instance of Ngo, Ré and Rudra (2014), three times: one name with everybody, everybody with that one.

    (0,0), (0,i) and (i,0). R joined with S has (count / 2)² rows and more, the triangles are 1.5 × count.

    >>> hard(4)[0]
    [('0', '0'), ('0', '1'), ('1', '0'), ('2', '0')]
    """
    half = count // 2
    pairs = [("0", f"{i}") for i in range(half)] + [(f"{i}", "0") for i in range(1, count - half + 1)]
    return [pairs] * 3


def zipf(count: int, names: int, skew: float = 1.0, seed: int = 0) -> list[Pairs]:
    """Three relations without repeated pairs; the n-th most frequent name of either side has weight 1 / n ** skew.

    >>> [len(set(pairs)) for pairs in zipf(50, 20)]
    [50, 50, 50]
    """
    random = np.random.default_rng(seed)
    called = [f"name{n}" for n in random.permutation(names)]
    weights = np.arange(1, names + 1) ** -skew
    weights /= weights.sum()
    tables = []
    for _ in range(3):
        drawn: dict[tuple[str, str], None] = {}
        while len(drawn) < count:
            left, right = random.choice(names, (2, count), p=weights).tolist()
            drawn.update(((called[a], called[b]), None) for a, b in zip(left, right, strict=True))
        tables.append(list(drawn)[:count])
    return tables


def paths(r: Relation, s: Relation) -> int:
    """How many rows R(a,b) S(b,c) has: what the unfused join must hold in between."""
    return sum(len(s.names.get(b, ())) for _, b in r.pairs)


def rows_of(found: Any) -> Array:
    """A collected join as three columns, in order."""
    root = found.root
    inner = np.diff(root.inner.inner.starts.array)
    a = np.repeat(root.keys.array, np.diff(root.inner.starts.array))
    return np.array([np.repeat(a, inner), np.repeat(root.inner.keys.array, inner), root.inner.inner.keys.array])


def rows_of_names(found: list[tuple[str, str, str]], numbers: dict[str, int]) -> Array:
    """Triples of names as three columns of numbers, in order."""
    rows = np.array([[numbers[name] for name in triple] for triple in found], np.int64).reshape(-1, 3).T
    return rows[:, np.lexsort(rows[::-1])]
