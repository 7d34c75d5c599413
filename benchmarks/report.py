"""The tables in the documentation, made from the kept results: nobody copies figures by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .harness import RESULTS

ROOT = Path(__file__).parent.parent
PAGES = {"docs/performance.md": "all", "README.md": "short"}


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:,.3g} ms" if seconds >= 1e-4 else f"{seconds * 1e6:,.2g} µs"


def tables(kept: dict[str, Any], which: str) -> str:
    """One row a case: ours with the default seek, the best loop by hand, NumPy; then what compiling costs."""
    lines = ["| case | skipstone | best loop by hand | ratio | NumPy |", "|---|---|---|---|---|"]
    for r in kept["results"]:
        ours, hand = r["seconds"][r["ours"][0]], r["seconds"][r["best_hand"]]
        numpy = r["seconds"].get("NumPy")
        shown = milliseconds(numpy) if numpy else "–"
        lines.append(f"| {r['case']} | {milliseconds(ours)} | {milliseconds(hand)} | **{ours / hand:.2f}** | {shown} |")
    if which == "short":
        return "\n".join(lines)
    lines += ["", "| sorted arrays, by seek | adaptive (default) | linear | gallop | adaptive / better of the two |"]
    lines.append("|---|---|---|---|---|")
    for r in kept["results"]:
        if "skipstone, adaptive" in r["seconds"]:
            a, b, c = (r["seconds"][f"skipstone, {seek}"] for seek in ("adaptive", "linear", "gallop"))
            lines.append(
                f"| {r['case']} | {milliseconds(a)} | {milliseconds(b)} | {milliseconds(c)} | **{a / min(b, c):.2f}** |"
            )
    lines += ["", "| compiling and importing | seconds |", "|---|---|"]
    lines += [f"| {what} | {seconds:.3f} |" for what, seconds in kept["compiling"].items()]
    machine = ", ".join(f"{name} {value}" for name, value in kept["machine"].items())
    return "\n".join([*lines, "", f"Machine: {machine}. Best of {kept['rounds']} rounds."])


def write(name: str = "core") -> None:
    """Put the tables between their marks in each page."""
    kept = json.loads((RESULTS / f"{name}.json").read_text())
    for page, which in PAGES.items():
        path = ROOT / page
        head, _, rest = path.read_text().partition("<!-- measured -->\n")
        _, _, tail = rest.partition("<!-- /measured -->")
        path.write_text(f"{head}<!-- measured -->\n{tables(kept, which)}\n<!-- /measured -->{tail}")
