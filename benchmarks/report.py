"""The tables in the documentation, made from the kept results: nobody copies figures by hand."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from skipstone.bench.paper import listings

ROOT = Path(__file__).parent.parent
RESULTS = Path(__file__).parent / "results"
PAGE = "docs/performance.md"
ON_SPARK = "docs/spark.md"


def kept(name: str) -> dict[str, Any]:
    """The results under that name."""
    found: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text())
    return found


def milliseconds(seconds: float) -> str:
    if seconds >= 1:
        return f"{seconds:.3g} s"
    return f"{seconds * 1e3:,.3g} ms" if seconds >= 1e-4 else f"{seconds * 1e6:,.2g} µs"


def tables(results: dict[str, Any]) -> str:
    """One row a case: ours with the default seek, the best loop by hand, NumPy; then what compiling costs."""
    lines = ["| case | skipstone | best loop by hand | ratio | NumPy |", "|---|---|---|---|---|"]
    for r in results["results"]:
        ours, hand = r["seconds"][r["ours"][0]], r["seconds"][r["best_hand"]]
        numpy = r["seconds"].get("NumPy")
        shown = milliseconds(numpy) if numpy else "–"
        lines.append(f"| {r['case']} | {milliseconds(ours)} | {milliseconds(hand)} | **{ours / hand:.2f}** | {shown} |")
    lines += ["", "| sorted arrays, by seek | adaptive | linear | gallop | adaptive / better of the two |"]
    lines.append("|---|---|---|---|---|")
    for r in results["results"]:
        if "skipstone, adaptive" in r["seconds"]:
            a, b, c = (r["seconds"][f"skipstone, {seek}"] for seek in ("adaptive", "linear", "gallop"))
            lines.append(
                f"| {r['case']} | {milliseconds(a)} | {milliseconds(b)} | {milliseconds(c)} | **{a / min(b, c):.2f}** |"
            )
    lines += ["", "| compiling and importing | seconds |", "|---|---|"]
    lines += [f"| {what} | {seconds:.3f} |" for what, seconds in results["compiling"].items()]
    machine = ", ".join(f"{name} {value}" for name, value in results["machine"].items())
    return "\n".join([*lines, "", f"Machine: {machine}. Best of {results['rounds']} rounds."])


def write(name: str = "core") -> None:
    """Put the tables between their marks in the page."""
    put(PAGE, {"measured": [tables(kept(name))]})


def put(page: str, marked: dict[str, list[str]]) -> None:
    """Lines between the marks of their names in a page, instead of those that stand there."""
    path = ROOT / page
    path.write_text(with_lines(path.read_text(), marked))


def with_lines(page: str, marked: dict[str, list[str]]) -> str:
    for mark, lines in marked.items():
        head, _, rest = page.partition(f"<!-- {mark} -->\n")
        _, _, tail = rest.partition(f"<!-- /{mark} -->")
        page = "\n".join([f"{head}<!-- {mark} -->", *lines, f"<!-- /{mark} -->{tail}"])
    return page


def evaluation(page: str, results: dict[str, Any]) -> str:
    """The page with the tables of the paper's evaluation between their marks, by name."""
    made = {each.name: "\n".join(page_table(each.head, each.rows, each.notes)) for each in listings(results)}
    machine = ", ".join(f"{name} {value}" for name, value in results["machine"].items())
    made["machine"] = f"Machine: {machine}. Best of {results['rounds']} rounds."
    marks = re.compile(r"(<!-- measured: (\w+) -->\n).*?(<!-- /measured -->)", re.DOTALL)
    return marks.sub(lambda m: f"{m[1]}{made[m[2]]}\n{m[3]}", page)


def write_evaluation() -> None:
    path = ROOT / "docs" / "evaluation.md"
    path.write_text(evaluation(path.read_text(), kept("paper")))


def page_table(head: list[str], rows: list[list[str]], notes: list[str]) -> list[str]:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return [*lines, *([""] if notes else []), *(f"- {note}" for note in notes)]
