"""The core's benchmarks: the paper's range, nest and v3, and products of several shapes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce
from typing import Any

import numpy as np

import skipstone as sk

from . import hand
from .harness import Case

SEEKS = ("adaptive", "linear", "gallop")


def vector(n: int, of: int, seed: int) -> tuple[Any, Any]:
    random = np.random.default_rng(seed)
    keys = np.sort(random.choice(of, n, replace=False))
    return keys, random.random(n)


def range_case(n: int = 50_000_000) -> Case:
    return Case(
        f"range: sum of i % 5 for i < {n:,}",
        ours={"skipstone": sk.range(0, n).map(lambda i, _: i % 5).compile()},
        hand={"Numba loop": partial(hand.range_sum, n)},
        others={"NumPy": lambda: int((np.arange(n) % 5).sum())},
    )


def nest_case(n: int = 5_000) -> Case:
    inner = sk.range(0, n)  # outside of the function, so that its length is no constant of the code
    nest = sk.range(0, n).map(lambda i, _: inner.map(lambda j, _: j % 5).sum())
    return Case(
        f"nest: sum of j % 5 for i, j < {n:,}",
        ours={"skipstone": nest.compile()},
        hand={
            "Numba loop, row by row (_b!)": partial(hand.nest_sum, n),
            "Numba loop, obvious (_b)": partial(hand.nest_sum_obvious, n),
        },
        others={"NumPy": lambda: int(np.broadcast_to(np.arange(n) % 5, (n, n)).sum())},
    )


def checked_case(n: int = 4_000_000) -> Case:
    """Integer sums that must be checked for overflow, since nothing is known about their values."""
    keys = np.arange(n) * 2
    values = np.random.default_rng(3).integers(-(10**6), 10**6, n)
    a = sk.Sorted(keys, values).stream()
    b = sk.Sorted(keys, values.astype(np.float64)).stream()
    return Case(
        f"checked: product of two integer vectors of {n:,} keys",
        ours={"skipstone, integers, checked": (a * a.map(lambda k, v: v + 1)).compile()},
        hand={"the same in floats, nothing to check": (b * b.map(lambda k, v: v + 1)).compile()},
        note="what the overflow checks cost: the same kernel on floats has none",
    )


def product_case(name: str, shapes: list[tuple[int, int]]) -> Case:
    vectors = [vector(n, of, seed) for seed, (n, of) in enumerate(shapes)]
    flat = [array for pair in vectors for array in pair]

    def product(seek: str) -> Callable[[], Any]:
        return reduce(lambda a, b: a * b, (sk.Sorted(k, v, seek=seek).stream() for k, v in vectors)).compile()

    def by_numpy() -> float:
        common = reduce(partial(np.intersect1d, assume_unique=True), (k for k, _ in vectors))
        return float(reduce(np.multiply, (v[np.searchsorted(k, common)] for k, v in vectors)).sum())

    loops = {2: (hand.merge_two, hand.merge_two_all, hand.gallop_two), 3: (hand.merge_three, hand.gallop_three)}
    return Case(
        name,
        ours={f"skipstone, {seek}": product(seek) for seek in SEEKS},
        hand={f"Numba, {loop.__name__}": partial(loop, *flat) for loop in loops[len(vectors)]},
        others={"NumPy": by_numpy},
    )


def triangle_case(vertices: int = 3_000, edges: int = 100_000) -> Case:
    random = np.random.default_rng(5)
    pairs = np.unique(random.integers(0, vertices, (edges, 2)), axis=0)
    graph = sk.Trie.from_columns([pairs[:, 0], pairs[:, 1]])
    g, level = graph.stream(), graph.root
    fused = g.map(lambda a, row: (row * g).map(lambda b, after: (row * after).count()))
    arrays = level.keys.array, level.inner.starts.array, level.inner.keys.array  # type: ignore[union-attr]
    return Case(
        f"triangle: E(a,b) E(b,c) E(a,c) on {len(pairs):,} random edges",
        ours={"skipstone": fused.compile()},
        hand={"Numba, three loops": partial(hand.triangles, *arrays)},
    )


MILLION = 1_000_000
CASES: list[Callable[[], Case]] = [
    range_case,
    nest_case,
    partial(product_case, "v3: 1M of 10M keys, three times", [(MILLION, 10 * MILLION)] * 3),
    partial(product_case, "v3: 1M of 2M keys, three times", [(MILLION, 2 * MILLION)] * 3),
    partial(product_case, "v3: 100 × 1M × 1M of 10M keys", [(100, 10 * MILLION), *[(MILLION, 10 * MILLION)] * 2]),
    partial(product_case, "v2: 100 × 100k of 1M keys", [(100, MILLION), (100_000, MILLION)]),
    partial(product_case, "v2: 1M × 1M of 2M keys", [(MILLION, 2 * MILLION)] * 2),
    triangle_case,
    checked_case,
]
