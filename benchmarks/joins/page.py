"""docs/joins.md, made from what was kept: one table a question, means, and where a peer is faster."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

from ..peers import OURS
from ..report import ROOT, kept, milliseconds, page_table

PAGE = ROOT / "docs" / "joins.md"
FEW = (
    "triangles: soc-Epinions1, order of degree", "triangles: RMAT, 1M edges, order of the ids", "typed triangles",
    "4-cliques: soc-Epinions1, order of degree", "sparse product: random", "TPC-H Q9: scale 0.01, ten", "ten in a ring",
    "MTTKRP: random, 10k³, 1M entries, rank 16",
)  # fmt: skip
SECTIONS = {
    "triangles": ("triangles", "triangles from columns"),
    "cliques": ("4-cliques", "5-cliques"),
    "patterns": ("typed triangles", "typed cycles", "lollipop", "barbell"),
    "matrices": ("sparse product", "sparse product, sorted", "SDDMM", "MTTKRP"),
    "tpch": ("TPC-H Q5", "TPC-H Q9"),
    "ten": ("ten in a chain", "ten in a star", "ten in a ring", "5-cliques"),
}


def case_name(result: dict[str, Any]) -> str:
    return f"{result['question']}: {result['on']}"


def ours(result: dict[str, Any], threads: int) -> Any:
    """Our seconds on so many threads."""
    return next((t["seconds"] for t in result["timings"] if t["peer"] == OURS and t["threads"] == threads), None)


def peers(results: list[dict[str, Any]]) -> list[tuple[str, int]]:
    """The columns: who answered at all, on how many threads."""
    found: dict[tuple[str, int], None] = {}
    for result in results:
        for t in result["timings"]:
            if t["peer"] != OURS and t["failed"] != "not installed":
                found[t["label"], t["threads"]] = None
    return list(found)


def timing(result: dict[str, Any], label: str, threads: int) -> Any:
    return next((t for t in result["timings"] if (t["label"], t["threads"]) == (label, threads)), None)


def ratio(result: dict[str, Any], label: str, threads: int) -> float | None:
    """How many times our time the peer takes, on as many threads; None where one of us has none."""
    theirs, mine = timing(result, label, threads), ours(result, threads)
    return theirs["seconds"] / mine if theirs and mine and theirs["seconds"] and not theirs["failed"] else None


def cell(result: dict[str, Any], label: str, threads: int) -> str:
    found = timing(result, label, threads)
    if found is None:
        alone = timing(result, label, 1)
        return alone["failed"] if threads > 1 and alone is not None and alone["failed"] else "–"
    if found["failed"] or found["seconds"] is None:
        return str(found["failed"])
    times = ratio(result, label, threads)
    shown = milliseconds(found["seconds"])
    return (
        f"{shown} (**{times:.2f}**)"
        if times is not None and times < 1
        else f"{shown} ({times:.2f})"
        if times
        else shown
    )


def compared(results: list[dict[str, Any]]) -> list[str]:
    """A row a case: our time on one thread and on two, and everyone's, with its ratio to ours on as many."""
    columns = peers(results)
    head = [
        "case",
        "skipstone",
        "skipstone, 2",
        *(f"{label}, {threads}" if threads > 1 else label for label, threads in columns),
    ]
    rows = []
    for result in results:
        own = [cell(result, "skipstone", threads).partition(" (")[0] for threads in (1, 2)]
        rows.append([case_name(result), *own, *(cell(result, label, threads) for label, threads in columns)])
    return page_table(head, rows, sorted(set(forms(results))))


def forms(results: list[dict[str, Any]]) -> Iterator[str]:
    """Which form was the fastest, where there were several."""
    for result in results:
        for t in result["timings"]:
            if t["form"] and t["threads"] == 1:
                yield f"{case_name(result)}: {t['label']} is fastest with: {t['form']}."


def prepared(results: list[dict[str, Any]]) -> list[str]:
    """From columns to the answer, all compiled, on as few threads as there are; and what it costs us to compile."""
    labels = list(dict.fromkeys(label for label, _ in peers(results)))
    rows = []
    for result in results:
        mine = timing(result, "skipstone", 1)
        cells = [shown(mine["fresh"]), shown(mine["first"] - mine["fresh"] if mine["fresh"] else None)]
        for label in labels:
            found = next((t for t in result["timings"] if t["label"] == label), None)
            cells.append(shown(found["fresh"]) if found else "–")
        rows.append([case_name(result), *cells])
    return page_table(["case", "skipstone", "and to compile", *labels], rows, [])


def shown(seconds: float | None) -> str:
    return milliseconds(max(seconds, 0.0)) if seconds is not None else "–"


def means(results: list[dict[str, Any]]) -> list[str]:
    rows = []
    for label, threads in peers(results):
        found = [r for result in results if (r := ratio(result, label, threads)) is not None]
        given_up = sum(bool(t and t["failed"]) for t in (timing(result, label, threads) for result in results))
        if found or given_up:
            mean = f"{math.exp(sum(map(math.log, found)) / len(found)):.2f}" if found else "–"
            wins = sum(r < 1 for r in found)
            rows.append([label, f"{threads}", mean, f"{len(found)}", f"{wins}", f"{given_up}"])
    return page_table(
        ["peer", "threads", "geometric mean of its time / ours", "cases", "where it is faster", "given up"], rows, []
    )


def faster(results: list[dict[str, Any]]) -> list[str]:
    """Every case in which a peer is faster than we are, the worst first."""
    found = []
    for result in results:
        for label, threads in peers(results):
            times = ratio(result, label, threads)
            if times is not None and times < 1:
                found.append((times, [case_name(result), label, f"{threads}", f"{1 / times:.2f}"]))
    return page_table(["case", "peer", "threads", "faster by"], [row for _, row in sorted(found)], [])


def short(results: list[dict[str, Any]]) -> list[str]:
    """Few cases, everyone on one thread: our time, that of whoever comes closest, and both from columns."""
    rows = []
    for result in results:
        others = [
            (times, label) for label, threads in peers(results) if threads == 1 and (times := ratio(result, label, 1))
        ]
        mine = ours(result, 1)
        if mine and others and any(part in case_name(result) for part in FEW):
            times, label = min(others)
            fresh = [timing(result, who, 1)["fresh"] for who in ("skipstone", label)]
            rows.append([
                case_name(result), milliseconds(mine), f"{label}, {milliseconds(times * mine)}", f"{times:.1f}",
                " / ".join(map(shown, fresh)),
            ])  # fmt: skip
    return page_table(["case", "skipstone", "fastest peer", "its time / ours", "from columns, ours / its"], rows, [])


def made(page: str, results: dict[str, Any]) -> str:
    """The page with the tables between their marks."""
    every = results["results"]
    parts = {"means": means(every), "faster": faster(every), "prepared": prepared(every), "short": short(every)}
    for name, questions in SECTIONS.items():
        parts[name] = compared([r for r in every if r["question"] in questions])
    machine = ", ".join(f"{name} {value}" for name, value in (results["machine"] | results["peers"]).items())
    rounds, limits = sorted({r["rounds"] for r in every}), sorted({r["limit"] for r in every})
    how = f"Rounds: {either(rounds)}; given up after {either(limits)} s."
    parts["machine"] = [f"Machine: {machine}. {how}"]
    marks = re.compile(r"(<!-- measured: (\w+) -->\n).*?(<!-- /measured -->)", re.DOTALL)
    return marks.sub(lambda m: m[1] + "\n".join(parts[m[2]]) + "\n" + m[3], page)


def either(values: list[float]) -> str:
    return " or ".join(f"{value:.0f}" for value in values)


def write() -> None:
    for page in (PAGE, ROOT / "README.md"):
        page.write_text(made(page.read_text(), kept("joins")))
