"""docs/performance.md, made from what was kept: one table a family, means, and where a peer is faster."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..report import ROOT, kept, milliseconds, page_table
from .cases import questions
from .growth import exponent, size
from .run import megabytes
from .who import OURS, PEERS

PAGE = ROOT / "docs" / "performance.md"
BY_HAND = PEERS["numba"].label
FEW = (
    "triangles: soc-Epinions1, order of degree", "triangles: RMAT, 1M edges, order of the ids", "typed triangles",
    "4-cliques: soc-Epinions1, order of degree", "sparse product: random", "TPC-H Q9: scale 0.01, ten", "ten in a ring",
    "MTTKRP: random, 10k³, 1M entries, rank 16",
)  # fmt: skip
NOTHING = ["Not measured yet."]


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
    """Which form was the fastest, where there were several: a line for each question and peer."""
    found: dict[tuple[str, str], Counter[str]] = {}
    for result in results:
        for t in result["timings"]:
            if t["form"] and t["threads"] == 1 and not t["failed"]:
                found.setdefault((result["question"], t["label"]), Counter())[t["form"]] += 1
    for (question, label), counts in found.items():
        often = [form if len(counts) == 1 else f"{form} ({n}×)" for form, n in counts.most_common()]
        yield f"{question}: {label} is fastest with: {', '.join(often)}."


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


def mean(ratios: list[float]) -> float:
    """The geometric one."""
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def means(results: list[dict[str, Any]]) -> list[str]:
    rows = []
    for label, threads in peers(results):
        found = [r for result in results if (r := ratio(result, label, threads)) is not None]
        given_up = sum(bool(t and t["failed"]) for t in (timing(result, label, threads) for result in results))
        if found or given_up:
            times = f"{mean(found):.2f}" if found else "–"
            wins = sum(r < 1 for r in found)
            rows.append([label, f"{threads}", times, f"{len(found)}", f"{wins}", f"{given_up}"])
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
    """Few cases, everyone on one thread: our time, that of the library that comes closest, and both from columns; and
    the loop by hand, where there is one."""
    rows = []
    for result in results:
        labels = [label for label, threads in peers(results) if threads == 1 and label != BY_HAND]
        others = [(times, label) for label in labels if (times := ratio(result, label, 1))]
        mine, by_hand = ours(result, 1), ratio(result, BY_HAND, 1)
        if mine and others and any(part in case_name(result) for part in FEW):
            times, label = min(others)
            fresh = [timing(result, who, 1)["fresh"] for who in ("skipstone", label)]
            rows.append([
                case_name(result), milliseconds(mine), f"{label}, {milliseconds(times * mine)}", f"{times:.1f}",
                "–" if by_hand is None else f"{by_hand:.1f}", " / ".join(map(shown, fresh)),
            ])  # fmt: skip
    heads = ["case", "skipstone", "fastest peer", "its time / ours", "by hand / ours", "from columns, ours / its"]
    return page_table(heads, rows, [])


def closest(results: list[dict[str, Any]]) -> list[str]:
    """Every case, everyone on one thread: our time, and that of whoever comes closest or is ahead."""
    rows = []
    for result in results:
        columns = [(label, threads) for label, threads in peers([result]) if threads == 1]
        others = [(times, label) for label, _ in columns if (times := ratio(result, label, 1)) is not None]
        if (mine := ours(result, 1)) and others:
            times, label = min(others)
            row = [case_name(result), milliseconds(mine), f"{label}, {milliseconds(times * mine)}", f"{times:.2f}"]
            rows.append((times, row))
    return page_table(["case", "skipstone", "fastest peer", "its time / ours"], [row for _, row in sorted(rows)], [])


def firsts(results: list[dict[str, Any]]) -> list[str]:
    """From columns to the first answer, with nothing compiled or kept; libraries are imported."""
    return by_label(results, lambda t: shown(t["first"]))


def memory(results: list[dict[str, Any]]) -> list[str]:
    """The peak while preparing and answering."""
    found = [r for r in results if any(t.get("memory") is not None for t in r["timings"])]
    return by_label(found, lambda t: megabytes(t.get("memory")) or "–")


def by_label(results: list[dict[str, Any]], cell: Callable[[dict[str, Any]], str]) -> list[str]:
    """A row a case, a column a peer, ours first; each on as few threads as it has."""
    labels = ["skipstone", *dict.fromkeys(label for label, _ in peers(results))]
    rows = []
    for result in results:
        found = [next((t for t in result["timings"] if t["label"] == label), None) for label in labels]
        rows.append([case_name(result), *(cell(t) if t else "–" for t in found)])
    return page_table(["case", *labels], rows, []) if rows else NOTHING


def exponents(results: list[dict[str, Any]]) -> list[str]:
    """How time grows with the rows: the slope in a picture whose axes are both logarithms."""
    rows = []
    for question in dict.fromkeys(r["question"] for r in results):
        group = [r for r in results if r["question"] == question]
        for label, threads in [("skipstone", 1), *(each for each in peers(group) if each[1] == 1)]:
            points = [
                (size(r["on"]), t["seconds"])
                for r in group
                if (t := timing(r, label, threads)) and t["seconds"] and not t["failed"]
            ]
            slope = f"{exponent(points):.2f}" if len(points) > 1 else "–"
            reached = f"{max(n for n, _ in points):,}" if points else "–"
            rows.append([question, label, slope, reached])
    return page_table(["question", "who", "exponent", "rows reached"], rows, []) if rows else NOTHING


def made(page: str, results: dict[str, Any]) -> str:
    """The page with the tables between their marks."""
    every, known = results["results"], {each.name: each for each in questions()}
    growing = [r for r in every if known[r["question"]].grows]
    steady = [r for r in every if known[r["question"]].family not in ("growth", "start")]
    parts = {
        "means": means(steady), "faster": faster(every), "closest": closest(every), "prepared": prepared(steady),
        "short": short(steady), "first": firsts(steady), "memory": memory(steady), "exponents": exponents(growing),
    }  # fmt: skip
    for family in dict.fromkeys(each.family for each in known.values()):
        found = [r for r in every if known[r["question"]].family == family]
        parts[family] = compared(found) if found else NOTHING
    parts["means_picture"] = ["![Their time divided by ours, peer by peer](pictures/peers-means.svg)"]
    parts["growth_picture"] = ["![Time against rows](pictures/peers-growth.svg)"] if growing else NOTHING
    processors = {"processor": either(sorted({r["processor"] for r in every}))}
    told = results["machine"] | processors | results["peers"]
    machine = ", ".join(f"{name} {value}" for name, value in told.items())
    rounds, limits = sorted({r["rounds"] for r in every}), sorted({r["limit"] for r in every})
    how = f"Rounds: {either(rounds)}; given up after {either(limits)} s."
    parts["machine"] = [f"Machine: {machine}. {how}"]
    marks = re.compile(r"(<!-- measured: (\w+) -->\n).*?(<!-- /measured -->)", re.DOTALL)
    return marks.sub(lambda m: m[1] + "\n".join(parts[m[2]]) + "\n" + m[3], page)


def either(values: Iterable[Any]) -> str:
    return " or ".join(f"{value:.0f}" if isinstance(value, float) else str(value) for value in values)


def write() -> None:
    for page in (PAGE, ROOT / "README.md"):
        page.write_text(made(page.read_text(), kept("peers")))
