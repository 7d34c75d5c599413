"""The paper's evaluation: its cases, what the paper itself reports of them, and the tables.

*Fast Collection Operations from Indexed Stream Fusion*, section "Evaluation": are streams as fast as loops written by
hand (range, nest, v3), and what is gained over iterating and looking up (the triangle join, ordered trees)?
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import skipstone as sk

from . import hand, streams, trees
from .harness import Case, keep, measured
from .lines import lines
from .relations import Pairs, hard, paths, related, rows_of, rows_of_names, zipf

ROW = 24  # bytes that the unfused join takes at its peak for each row between its two steps


@dataclass(frozen=True)
class Sizes:
    """How large the problems are. Vectors and trees have `keys` keys, drawn from ten times as many."""

    range: int
    nest: int
    keys: int
    pairs: int
    names: int


FULL = Sizes(range=50_000_000, nest=5_000, keys=1_000_000, pairs=20_000, names=3_000)
QUICK = Sizes(range=100_000, nest=300, keys=5_000, pairs=1_000, names=300)

# What the paper says in its text, as times in units of the quickest way. The joins: unfused 5 times faster than naive,
# fused about 20 times faster than unfused. The trees: streaming faster by about 2. nest: one loop 20 % faster.
REPORTED: dict[str, dict[str, float]] = {
    "nest": {"_b": 1.2, "_b!": 1.0},
    "triangle": {"naive": 100.0, "unfused": 20.0, "fused": 1.0},
    "rb": {"streaming": 1.0, "iterate and lookup": 2.0},
}

# ---------------------------------------------------------------------- the cases


def range_case(n: int) -> Case:
    return Case(
        "range",
        ours={"skipstone": streams.range_sum(n).compile()},
        hand={"_b": partial(hand.range_sum, n), "counted by hand": partial(hand.range_sum_counted, n)},
        note=f"the sum of i % 5 for i < {n:,}",
    )


def nest_case(n: int) -> Case:
    return Case(
        "nest",
        ours={"skipstone": streams.nest_sum(n).compile()},
        hand={
            "_b": partial(hand.nest_sum_obvious, n),
            "row by row": partial(hand.nest_sum, n),
            "row by row, counted by hand": partial(hand.nest_sum_counted, n),
        },
        note=f"the sum of j % 5 for i, j < {n:,}",
    )


def vector_case(n: int) -> Case:
    random = np.random.default_rng(3)
    vectors = [(np.sort(random.choice(10 * n, n, replace=False)), random.random(n)) for _ in range(3)]
    flat = [array for pair in vectors for array in pair]
    return Case(
        "v3",
        ours={"skipstone": streams.product_of_three(*(sk.Sorted(k, v).stream() for k, v in vectors)).compile()},
        hand={
            "_b": partial(hand.merge_three_obvious, *flat),
            "branch-free merge": partial(hand.merge_three, *flat),
            "gallop": partial(hand.gallop_three, *flat),
        },
        note=f"the product of three vectors, {n:,} of {10 * n:,} keys each, summed",
    )


def triangle_case(name: str, tables: Callable[[], list[Pairs]]) -> Case:
    relations, numbers = related(tables())
    between = paths(*relations[:2])
    r, s, t = (relation.trie.stream() for relation in relations)
    flat = [array for relation in relations for array in relation.arrays()]
    names = [relation.names for relation in relations]
    fused = streams.join_fused(r, s, t).compile(lambda join: join.collect(into=sk.Trie))
    ours: dict[str, Callable[[], Any]] = {
        "fused": fused,
        "fused, traced anew": lambda: streams.join_fused(r, s, t).collect(into=sk.Trie),
    }
    if between * ROW < free_memory():
        ours["unfused"] = sk.compile(lambda: streams.join_unfused(r, s, t).collect(into=sk.Trie))

    def answer(returned: Any) -> Any:
        if isinstance(returned, sk.Trie):
            return rows_of(returned)
        return rows_of_names(returned, numbers) if isinstance(returned, list) else returned

    found = rows_of(fused()).shape[1]
    note = f"{len(relations[0].pairs):,} pairs a relation, {between:,} rows in R ⋈ S, {found:,} triangles"
    return Case(
        f"triangle, {name}",
        ours=ours,
        hand={"naive": partial(hand.join_naive, *flat), "naive, fair": partial(hand.join_fair, *flat)},
        others={
            "Python, in": partial(hand.join_in_python, *names),
            "Python, set &": partial(hand.join_by_sets, *names),
        },
        note=note if "unfused" in ours else f"{note}; unfused left out: they take more memory than is free",
        answer=answer,
    )


def free_memory() -> int:
    """Bytes that nobody uses; a gigabyte, where the system does not say."""
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return 2**30


def cases(sizes: Sizes) -> list[Callable[[], Case]]:
    """All of them, each made when its turn comes."""
    return [
        partial(range_case, sizes.range),
        partial(nest_case, sizes.nest),
        partial(vector_case, sizes.keys),
        partial(triangle_case, "zipf", partial(zipf, sizes.pairs, sizes.names)),
        partial(triangle_case, "hard", partial(hard, sizes.pairs)),
        *trees.cases(sizes.keys),
    ]


WRITTEN: dict[str, dict[str, Callable[..., Any]]] = {
    "range": {"skipstone": streams.range_sum, "_b": hand.range_sum, "counted by hand": hand.range_sum_counted},
    "nest": {
        "skipstone": streams.nest_sum,
        "_b": hand.nest_sum_obvious,
        "row by row": hand.nest_sum,
        "row by row, counted by hand": hand.nest_sum_counted,
    },
    "v3": {
        "skipstone": streams.product_of_three,
        "_b": hand.merge_three_obvious,
        "branch-free merge": hand.merge_three,
        "gallop": hand.gallop_three,
    },
    "triangle": {
        "fused": streams.join_fused,
        "unfused": streams.join_unfused,
        "naive": hand.join_naive,
        "naive, fair": hand.join_fair,
        "Python, in": hand.join_in_python,
        "Python, set &": hand.join_by_sets,
    },
    **trees.WRITTEN,
}


def run(path: Path, rounds: int, quick: bool = False) -> dict[str, Any]:
    """Measure everything, and keep it in `path`."""
    results = measured(cases(QUICK if quick else FULL), rounds, "the paper's evaluation")
    counted = {problem: {way: lines(f) for way, f in ways.items()} for problem, ways in WRITTEN.items()}
    return keep(path, results, rounds, quick=quick, lines=counted)


# ---------------------------------------------------------------------- the tables


@dataclass
class Listing:
    """A table, before it is known whether it goes to a terminal or into a page."""

    name: str
    title: str
    head: list[str]
    rows: list[list[str]]
    notes: list[str]


def shown(seconds: float) -> str:
    if seconds >= 1:
        return f"{seconds:.2f} s"
    return f"{seconds * 1e3:,.3g} ms" if seconds >= 1e-4 else f"{seconds * 1e6:,.2g} µs"


def times(ratio: float) -> str:
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.1f}" if ratio >= 10 else f"{ratio:.2f}"


def chosen(kept: dict[str, Any], problem: str) -> list[dict[str, Any]]:
    """The results of a problem: of "rb", those of rb.2 and rb.3."""
    return [r for r in kept["results"] if r["case"].split(", ")[0].split(".")[0] == problem]


def listings(kept: dict[str, Any]) -> list[Listing]:
    """Everything that was measured, and what it comes to."""
    return [loops(kept), triangles(kept), ordered_maps(kept), filling(kept), lengths(kept), summary(kept)]


def loops(kept: dict[str, Any]) -> Listing:
    rows, notes = [], []
    for r in [r for problem in ("range", "nest", "v3") for r in chosen(kept, problem)]:
        best = r["seconds"][r["best_hand"]]
        notes.append(f"{r['case']}: {r['note']}")
        for way, seconds in r["seconds"].items():
            role = "_b!" if way == r["best_hand"] else way
            reported = REPORTED.get(r["case"], {}).get(role)
            name = f"{way} (_b!)" if role == "_b!" else way
            rows.append([r["case"], name, shown(seconds), times(seconds / best), f"{reported:g}" if reported else "–"])
    head = ["case", "way", "time", "to the best loop", "the paper"]
    return Listing("loops", "Streams against loops written by hand", head, rows, notes)


def triangles(kept: dict[str, Any]) -> Listing:
    rows, notes = [], []
    for r in chosen(kept, "triangle"):
        fused = r["seconds"]["fused"]
        notes.append(f"{r['case']}: {r['note']}")
        for way, seconds in sorted(r["seconds"].items(), key=lambda item: -item[1]):
            reported = REPORTED["triangle"].get(way)
            row = [r["case"], way, shown(seconds), times(seconds / fused), f"{reported:g}" if reported else "–"]
            rows.append(row)
    return Listing("triangle", "The triangle join", ["case", "way", "time", "to fused", "the paper"], rows, notes)


def ordered_maps(kept: dict[str, Any]) -> Listing:
    rows, notes = [], []
    for r in chosen(kept, "rb"):
        streaming, lookup = (r["seconds"][way] for way in ("streaming", "iterate and lookup"))
        paper = f"{REPORTED['rb']['iterate and lookup']:g}"
        rows.append([r["case"], shown(streaming), shown(lookup), times(lookup / streaming), paper])
        notes = [r["note"]]
    head = ["case", "streaming", "iterate and lookup", "lookup / streaming", "the paper"]
    return Listing("trees", "Ordered maps, walked together", head, rows, notes)


def filling(kept: dict[str, Any]) -> Listing:
    rows, notes = [], []
    for r in chosen(kept, "fill"):
        peer = r["seconds"].get(trees.PEER)
        notes.append(r["note"])
        for way, seconds in sorted(r["seconds"].items(), key=lambda item: -item[1]):
            rows.append([way, shown(seconds), times(seconds / peer) if peer else "–"])
    return Listing("fill", "Filling a map", ["way", "time", "to SortedDict, one by one"], rows, notes)


def lengths(kept: dict[str, Any]) -> Listing:
    rows = []
    for problem, ways in kept["lines"].items():
        (ours, n), *others = ways.items()
        rows.append([problem, f"{ours}: {n}", "; ".join(f"{way}: {m}" for way, m in others)])
    return Listing("lines", "Lines of code", ["case", "streams", "the others"], rows, [])


def summary(kept: dict[str, Any]) -> Listing:
    """The paper's claims, one row each: how many times faster one way is than another."""
    rows = []

    def row(claim: str, results: list[dict[str, Any]], slow: str, fast: str, paper: str) -> None:
        found = []
        for r in results:
            seconds = {**r["seconds"], "_b!": r["seconds"][r["best_hand"]]}
            if slow in seconds and fast in seconds:
                name = r["case"].removeprefix("triangle, ").replace(", Tree", "").replace(", Blocked", "")
                found.append(f"{name}: {times(seconds[slow] / seconds[fast])}")
        rows.append([claim, "; ".join(found), paper])

    simple = [r for problem in ("range", "nest", "v3") for r in chosen(kept, problem)]
    joins = chosen(kept, "triangle")
    row("streams, over the best loop by hand", simple, "_b!", "skipstone", "about 1")
    row("streams, over the obvious loop", simple, "_b", "skipstone", "sometimes above 1")
    row("unfused join, over naive", joins, "naive", "unfused", "5")
    row("fused join, over unfused", joins, "unfused", "fused", "about 20")
    row("fused join, over naive", joins, "naive", "fused", "about 100")
    row("fused join, over fair naive", joins, "naive, fair", "fused", "–")
    for kind in ("Tree", "Blocked"):
        maps = [r for r in chosen(kept, "rb") if f", {kind}," in r["case"]]
        row(f"streaming, over lookup, {kind}", maps, "iterate and lookup", "streaming", "about 2")
    return Listing("summary", "How many times faster", ["what", "here", "the paper"], rows, [])
