"""The core's benchmarks: the paper's range, nest and v3, and products of several shapes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce
from typing import Any
from unittest.mock import patch

import numpy as np
from numba import njit

import skipstone as sk
from skipstone.bench import hand, hand_rows
from skipstone.bench.harness import Case
from skipstone.kernel import argument_type, compile_source
from skipstone.trace import looping, render, runtime

MILLION = 1_000_000
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


def wrapping(stream: Any) -> Callable[[], Any]:
    """The loop with integer arithmetic that wraps around: what the checks cost is the difference."""
    with (
        patch.object(looping, "wrapping_first", lambda tracer, loop, carried: [loop]),
        patch.dict(runtime.NAMES, {"add": njit(lambda a, b: a + b), "multiply": njit(lambda a, b: a * b)}),
    ):
        kernel = stream.compile()
        printed, types = render(kernel.program, constants=True), [argument_type(a) for a in kernel._arguments]
        printed.program = None  # from its source: there, names stand for other functions
        function = compile_source(printed, types, "wrapping").entry_point
    return lambda: function(*kernel._arguments)[0]


def checked_case(n: int = MILLION, of: int = 2 * MILLION) -> Case:
    """Sums and products of integers of which nothing is known: every one of them is checked for overflow."""
    streams = []
    for seed in range(2):
        keys, _ = vector(n, of, seed)
        streams.append(sk.Sorted(keys, np.random.default_rng(seed).integers(-(10**6), 10**6, n)).stream())
    product = streams[0] * streams[1]
    return Case(
        f"checked: product of two integer vectors, {n:,} of {of:,} keys",
        ours={"skipstone, checked": product.compile()},
        hand={"the same loop, unchecked": wrapping(product)},
    )


def checked_array_case(what: str, n: int = MILLION) -> Case:
    """Arithmetic on whole arrays, where a check in every step keeps LLVM from vectorising (late_checks.py)."""
    values = np.random.default_rng(1).integers(-(10**6), 10**6, n)
    s, t = sk.stream(values), sk.stream(values[::-1].copy())
    stream = {
        "map, v * 3 + 1": lambda: s.map(lambda k, v: v * 3 + 1),
        "filter, v > 0": lambda: s.filter(lambda k, v: v > 0),
        "map, v * v - k": lambda: s.map(lambda k, v: v * v - k),
        "product of two arrays": lambda: s * t,
    }[what]()
    return Case(
        f"checked: {what}, {n:,} integers, summed",
        ours={"skipstone, checked": stream.compile()},
        hand={"the same loop, unchecked": wrapping(stream)},
    )


def checked_sum_case(n: int = MILLION) -> Case:
    """A sum over an array, where an unchecked loop is vectorised: the check comes after the loop (late_checks.py)."""
    values = np.random.default_rng(1).integers(-(10**6), 10**6, n)
    total = sk.stream(values).compile()
    return Case(
        f"checked: sum of an array of {n:,} integers",
        ours={"skipstone, checked": total},
        hand={"Numba loop, unchecked": partial(hand.dense_sum, values)},
        others={"NumPy": lambda: int(values.sum())},
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
        ours={f"skipstone, {seek}": product(seek) for seek in ("by data", *SEEKS)},
        hand={f"Numba, {loop.__name__}": partial(loop, *flat) for loop in loops[len(vectors)]},
        others={"NumPy": by_numpy},
    )


def collect_case(n: int = MILLION, of: int = 2 * MILLION) -> Case:
    vectors = [vector(n, of, seed) for seed in range(2)]
    flat = [array for pair in vectors for array in pair]
    a, b = (sk.Sorted(k, v).stream() for k, v in vectors)
    fused = (a * b).compile(lambda s: s.collect(into=sk.Sorted))
    return Case(
        f"collect: the product of two vectors, {n:,} of {of:,} keys, as arrays",
        ours={"skipstone": lambda: len(fused())},
        hand={"Numba, into arrays of the largest size": lambda: len(hand.collect_two(*flat)[0])},
    )


def triangle_case(vertices: int = 3_000, edges: int = 100_000) -> Case:
    random = np.random.default_rng(5)
    pairs = np.unique(random.integers(0, vertices, (edges, 2)), axis=0)
    graph = sk.Trie.from_columns([pairs[:, 0], pairs[:, 1]])
    g, level = graph.stream(), graph.root
    fused = g.map(lambda a, row: (row * g).map(lambda b, after: (row * after).count()))
    arrays = level.keys.array, level.inner.starts.array, level.inner.keys.array  # type: ignore[union-attr]
    rows = np.searchsorted(pairs[:, 0], np.arange(vertices + 1)), pairs[:, 1].astype(np.int32)
    E, (a, b, c) = sk.table({"src": pairs[:, 0], "dst": pairs[:, 1]}), sk.axes("a b c")
    query = (E[a, b] * E[b, c] * E[a, c]).sum()

    def tables() -> Any:
        with sk.options(threads=1):
            return query.collect()

    return Case(
        f"triangle: E(a,b) E(b,c) E(a,c) on {len(pairs):,} random edges",
        ours={"index notation": tables, "streams": fused.compile()},
        hand={"Numba, merged": partial(hand.triangles, *arrays), "Numba, marked": partial(hand_rows.triangles, *rows)},
    )


SHAPES = {
    "v3: 1M of 10M keys, three times": [(MILLION, 10 * MILLION)] * 3,
    "v3: 1M of 2M keys, three times": [(MILLION, 2 * MILLION)] * 3,
    "v3: 100 × 1M × 1M of 10M keys": [(100, 10 * MILLION), *[(MILLION, 10 * MILLION)] * 2],
    "v2: 100 × 100k of 1M keys": [(100, MILLION), (100_000, MILLION)],
    "v2: 1M × 1M of 2M keys": [(MILLION, 2 * MILLION)] * 2,
}
CASES: dict[str, Callable[[], Case]] = {
    "range": range_case,
    "nest": nest_case,
    **{name: partial(product_case, name, shapes) for name, shapes in SHAPES.items()},
    "collect": collect_case,
    "triangle": triangle_case,
    "checked": checked_case,
    "checked sum": checked_sum_case,
    "checked map": partial(checked_array_case, "map, v * 3 + 1"),
    "checked square": partial(checked_array_case, "map, v * v - k"),
    "checked filter": partial(checked_array_case, "filter, v > 0"),
    "checked arrays": partial(checked_array_case, "product of two arrays"),
}
