"""`python -m benchmarks.spark_pictures`: the pictures in docs/spark.md."""

from __future__ import annotations

from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.patches import Rectangle
from matplotlib.ticker import NullFormatter

from . import report

WATER, STONE, LINE = "#dbe9f4", "#2a6f97", "#8aa4b8"
PICTURES = report.ROOT / "docs" / "pictures"


def cells() -> None:
    """Where a row of each table goes, in 2 × 2 × 2 cells; and what changes for a heavy key."""
    figure, panels = plt.subplots(1, 4, figsize=(12, 3.6), layout="constrained")
    rows = [
        ("a row of E[a, b]", lambda a, b, c: (a, b) == (1, 0)),
        ("a row of E[b, c]", lambda a, b, c: (b, c) == (0, 1)),
        ("a row of E[a, c]", lambda a, b, c: (a, c) == (1, 1)),
    ]
    for panel, (title, goes) in zip(panels, rows, strict=False):
        for c in (0, 1):
            grid(panel, 0, 2.9 * c, 2, 2, lambda a, b, c=c, goes=goes: goes(a, b, c), f"share {c} of c")
        panel.set_title(f"{title}: 2 cells", fontsize=11)
        finish(panel, 2.2, 5.6)
    heavy = panels[3]
    grid(heavy, 0, 2.9, 2, 2, lambda a, b: False, "all other keys of a: by a × b")
    grid(heavy, 0, 0.5, 4, 1, lambda b, _: b == 2, "the heavy key of a: by b alone")
    heavy.set_title("a key that many rows hold", fontsize=11)
    finish(heavy, 4.2, 5.6)
    for ending in ("svg", "png"):
        figure.savefig(PICTURES / f"spark-cells.{ending}", dpi=110)
    plt.close(figure)


def grid(panel: Any, left: float, low: float, wide: int, high: int, chosen: Any, title: str) -> None:
    for x in range(wide):
        for y in range(high):
            there = chosen(y, x) if high > 1 else chosen(x, y)
            face = STONE if there else WATER
            panel.add_patch(Rectangle((left + x, low + high - 1 - y), 1, 1, facecolor=face, edgecolor=LINE))
            word = f"{y}, {x}" if high > 1 else f"{x}"
            panel.text(left + x + 0.5, low + high - 0.5 - y, word, ha="center", va="center", fontsize=9,
                       color="white" if there else LINE)  # fmt: skip
    panel.text(left, low + high + 0.1, title, fontsize=9, color="#333333")


def finish(panel: Any, wide: float, high: float) -> None:
    panel.set_xlim(-0.1, wide)
    panel.set_ylim(-0.1, high)
    panel.set_aspect("equal")
    panel.axis("off")


def model(results: list[dict[str, Any]]) -> None:
    """What the model says, and what was counted."""
    figure, panels = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    for panel, what, title in zip(panels, ("moved", "largest"), ("bytes moved", "largest cell, bytes"), strict=True):
        for shares, mark in (("2 × 2 × 2", "o"), ("4 × 4 × 4", "s")):
            chosen = [r for r in results if r["shares"] == shares]
            rows = [r["rows"] for r in chosen]
            panel.plot(rows, [r[f"{what}_said"] for r in chosen], color=STONE, linewidth=1)
            panel.plot(rows, [r[f"{what}_counted"] for r in chosen], mark, color=STONE, label=f"{shares}, counted")
        panel.set_xscale("log")
        panel.set_yscale("log")
        panel.xaxis.set_minor_formatter(NullFormatter())
        panel.set_xlabel("edges")
        panel.set_title(title, fontsize=11)
        panel.legend(frameon=False, fontsize=9)
        panel.spines[["top", "right"]].set_visible(False)
    for ending in ("svg", "png"):
        figure.savefig(PICTURES / f"spark-model.{ending}", dpi=110)
    plt.close(figure)


if __name__ == "__main__":
    cells()
    model(report.kept("spark_model")["results"])
