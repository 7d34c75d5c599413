"""The part of the demo that runs here: a small story, computed as it is told."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from rich.console import Console
from rich.syntax import Syntax
from rich.table import Table

import skipstone as sk

from ..storage.levels import columns_of
from ..words import Reading, read_by


def best_of(run: Any, repeats: int = 5) -> float:
    """The shortest of several runs, in seconds."""
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        run()
        times.append(time.perf_counter() - began)
    return min(times)


def tell(out: Console) -> None:
    """Tell it."""
    out.rule("[bold]skipstone: a stone skips across the water and touches only where it must")
    out.print("\nTwo dicts. What do the keys they share add up to?\n")
    show(out, "prices = sk.stream({101: 4.0, 205: 2.5, 309: 8.0})\nbasket = sk.stream({205: 3, 309: 1, 999: 7})")
    prices, basket = sk.stream({101: 4.0, 205: 2.5, 309: 8.0}), sk.stream({205: 3, 309: 1, 999: 7})
    show(out, f"(prices * basket).sum()              # {(prices * basket).sum()}")
    show(out, f"(prices * basket).collect()          # {(prices * basket).collect()}")

    out.print("\nNothing was built in between: the expression became this loop, and Numba compiled it.\n")
    show(out, (prices * basket).compile().source)

    out.print("It seeks instead of stepping. A hundred keys against a million:\n")
    random = np.random.default_rng(0)
    few = np.sort(random.choice(10_000_000, 100, replace=False))
    many = np.sort(random.choice(10_000_000, 1_000_000, replace=False))
    few[:50] = np.sort(random.choice(many, 50, replace=False))
    few = np.unique(few)
    weights, values = random.random(few.size), random.random(many.size)
    short, long = sk.Sorted(few, weights), sk.Sorted(many, values)
    product = sk.stream(short) * sk.stream(long)
    kernel = product.compile()
    began = time.perf_counter()
    lookup = dict(zip(many.tolist(), values.tolist(), strict=True))
    building = time.perf_counter() - began
    pairs = list(zip(few.tolist(), weights.tolist(), strict=True))

    def by_numpy() -> Any:
        _, i, j = np.intersect1d(few, many, assume_unique=True, return_indices=True)
        return (weights[i] * values[j]).sum()

    def by_dict() -> Any:
        return sum(w * lookup[k] for k, w in pairs if k in lookup)

    ways: dict[str, Any] = {
        "skipstone": kernel,
        "NumPy intersect1d": by_numpy,
        "Python dict, built beforehand": by_dict,
    }
    answers = [way() for way in ways.values()]
    assert np.allclose(answers, answers[0]), answers
    times = {name: best_of(way) for name, way in ways.items()}
    table = Table("way", "time", "against skipstone", title=f"all three say {answers[0]:.6f}")
    for name, seconds in times.items():
        table.add_row(name, f"{seconds * 1e6:,.0f} µs", f"{seconds / times['skipstone']:,.1f}×")
    out.print(table)
    out.print(f"(The dict took {building * 1e3:,.0f} ms to build; sorted arrays are used as they lie.)")
    reads = count_reads(product.sum, columns_of(long.root)[0])
    out.print(f"Of {many.size:,} keys, the seeks read {reads:,}.\n")

    out.print("Whole collections nest. Triangles in a graph of 3,000 edges, as one expression:\n")
    edges = np.unique(np.sort(random.integers(0, 300, (3_000, 2)), axis=1), axis=0)
    edges = edges[edges[:, 0] < edges[:, 1]]
    graph = sk.stream(sk.Trie.from_columns([edges[:, 0], edges[:, 1]]))
    show(
        out,
        "triangles = graph.map(lambda a, after_a:\n"
        "    (after_a * graph).map(lambda b, after_b: (after_a * after_b).count()))",
    )
    triangles = graph.map(lambda a, after_a: (after_a * graph).map(lambda b, after_b: (after_a * after_b).count()))
    out.print(f"\n{triangles.sum():,} triangles in {len(edges):,} edges.")

    out.print("\nThe same in index notation, over a table whose keys may as well be names; and as text:\n")
    names = np.array([f"node {n:03}" for n in range(300)])
    linked = sk.table({"a": names[edges[:, 0]], "b": names[edges[:, 1]]}, name="linked")
    a, b, c = sk.axes("a b c")
    most = sk.query("t(a) = L(a, b) * L(b, c) * L(a, c)", L=linked).to_dict()
    busiest = max(most, key=lambda name: most[name])
    found = sk.sum(linked[a, b] * linked[b, c] * linked[a, c]).collect()
    show(out, f"sk.sum(linked[a, b] * linked[b, c] * linked[a, c]).collect()     # {found}")
    show(out, 'sk.query("t(a) = L(a, b) * L(b, c) * L(a, c)", L=linked)')
    out.print(f"\n{busiest.capitalize()} begins most of them: {most[busiest]}.")
    out.print()


def count_reads(consume: Any, column: Any) -> int:
    """How many entries of a column a consumer reads: one more reading of the same definitions, which counts."""
    reads = 0

    class Counting(Reading):
        def load(self, read: Any, i: Any) -> Any:
            nonlocal reads
            reads += read is column
            return super().load(read, i)

    with read_by(Counting()):
        consume()
    return reads


def show(out: Console, code: str) -> None:
    out.print(Syntax(code, "python", theme="ansi_dark", background_color="default"))
