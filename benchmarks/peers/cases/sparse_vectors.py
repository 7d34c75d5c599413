"""The sum of a product of three sparse vectors, alike in size or one of them short."""

from __future__ import annotations

from functools import partial, reduce
from typing import Any

import numpy as np

import skipstone as sk

from .. import data
from ..ours import threaded
from ..question import Make, Question
from ..way import Way

VECTORS = ("a", "b", "c")


def ours(given: dict[str, Any], threads: int) -> Way:
    a, b, c = (sk.Sorted(given[name]["keys"], given[name]["values"]).stream() for name in VECTORS)
    return Way(threaded((a * b * c).compile(), threads))


def numba(name: str) -> Make:
    """Loops by hand, each good at something: a merge, a merge without branches, and leaps."""

    def make(given: dict[str, Any], threads: int) -> Way:
        from skipstone.bench import hand

        flat = [given[vector][part] for vector in VECTORS for part in ("keys", "values")]
        return Way(lambda: getattr(hand, name)(*flat))

    return make


def dicts(given: dict[str, Any]) -> list[dict[int, float]]:
    return [dict(zip(v["keys"].tolist(), v["values"].tolist(), strict=True)) for v in map(given.get, VECTORS)]


def by_views(given: dict[str, Any], threads: int) -> Way:
    a, b, c = dicts(given)
    return Way(lambda: sum(a[k] * b[k] * c[k] for k in a.keys() & b.keys() & c.keys()))


def by_lookup(given: dict[str, Any], threads: int) -> Way:
    a, b, c = sorted(dicts(given), key=len)
    return Way(lambda: sum(x * b[k] * c[k] for k, x in a.items() if k in b and k in c))


def intersected(given: dict[str, Any], threads: int) -> Way:
    vectors = [given[name] for name in VECTORS]

    def run() -> float:
        common = reduce(partial(np.intersect1d, assume_unique=True), (v["keys"] for v in vectors))
        parts = (v["values"][np.searchsorted(v["keys"], common)] for v in vectors)
        return float(reduce(np.multiply, parts).sum())

    return Way(run)


def searched(given: dict[str, Any], threads: int) -> Way:
    """The shortest, looked up in the others by halving: NumPy at its best where one is short."""
    first, *rest = sorted((given[name] for name in VECTORS), key=lambda v: v["keys"].size)

    def run() -> float:
        keys, values = first["keys"], first["values"]
        for v in rest:
            at = np.searchsorted(v["keys"], keys)
            at[at == v["keys"].size] = 0
            found = v["keys"][at] == keys
            keys, values = keys[found], values[found] * v["values"][at[found]]
        return float(values.sum())

    return Way(run)


def scipy(given: dict[str, Any], threads: int) -> Way:
    from scipy import sparse

    a, b, c = (
        sparse.csr_array((v["values"], (np.zeros(v["keys"].size, np.int64), v["keys"])), shape=(1, given["size"]))
        for v in map(given.get, VECTORS)
    )
    return Way(lambda: float(a.multiply(b).multiply(c).sum()))


def pydata(given: dict[str, Any], threads: int) -> Way:
    import sparse

    a, b, c = (
        sparse.COO(v["keys"][None], v["values"], shape=(given["size"],), has_duplicates=False, sorted=True)
        for v in map(given.get, VECTORS)
    )
    return Way(lambda: float((a * b * c).sum()))


QUESTIONS = [
    Question(
        "three sparse vectors",
        "small",
        {
            "1M of 10M keys each": partial(data.vectors, (1_000_000,) * 3, 10_000_000),
            "1M of 2M keys each": partial(data.vectors, (1_000_000,) * 3, 2_000_000),
            "100, 1M and 1M of 10M keys": partial(data.vectors, (100, 1_000_000, 1_000_000), 10_000_000),
        },
        partial(data.vectors, (30, 60, 70), 90),
        {
            "skipstone": {"": ours},
            "numba": {name: numba(name) for name in ("merge_three", "merge_three_obvious", "gallop_three")},
            "python": {"views of keys": by_views, "looked up": by_lookup},
            "numpy": {"intersect1d": intersected, "searchsorted": searched},
            "scipy": {"": scipy},
            "sparse": {"": pydata},
        },
    )
]
