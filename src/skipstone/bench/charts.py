"""The pictures of the paper's evaluation, from kept results. Matplotlib is imported only here, when drawing."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from .harness import whole
from .paper import REPORTED, chosen

MISSING = (
    "Matplotlib is not installed: the pictures are left out, tables and JSON are written all the same. "
    "`pip install 'skipstone[plot]'` brings it."
)
OURS, OBVIOUS, BEST, PAPER = "#1f6f8b", "#e0a458", "#8a8f98", "#d9d4e7"
SETTINGS = {
    "font.size": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "hatch.linewidth": 0.6,
    "svg.hashsalt": "skipstone",  # the same results give the same file
}


def available() -> bool:
    """Whether pictures can be drawn."""
    try:
        import_module("matplotlib")
    except ImportError:
        return False
    return True


def draw(kept: dict[str, Any], directory: Path) -> list[Path]:
    """Every picture, as SVG and as PNG; the files."""
    pictures: dict[str, Callable[[dict[str, Any]], Any]] = {"loops": loops, "triangle": triangles}
    if chosen(kept, "rb"):
        pictures["trees"] = ordered_maps
    written = []
    with import_module("matplotlib").rc_context(SETTINGS):
        for name, picture in pictures.items():
            figure = picture(kept)
            for form, extra in (("svg", {"metadata": {"Date": None}}), ("png", {"dpi": 144})):
                path = directory / f"paper-{name}.{form}"
                with whole(path) as temporary:
                    figure.savefig(temporary, format=form, **extra)
                written.append(path)
    return written


def canvas(columns: int, height: float, **more: Any) -> tuple[Any, Any]:
    """A figure as wide as a page, and its panels side by side."""
    figure = import_module("matplotlib.figure").Figure(figsize=(8, height), layout="constrained")
    return figure, figure.subplots(1, columns, squeeze=False, **more)[0]


def labelled(axes: Any, bars: Any, text: Callable[[float], str]) -> None:
    axes.bar_label(bars, [text(bar) for bar in bars.datavalues], padding=2, fontsize=8)


def loops(kept: dict[str, Any]) -> Any:
    """range, nest and v3, in units of the best loop by hand."""
    figure, panels = canvas(3, 2.9, sharey=True)
    for axes, problem in zip(panels, ("range", "nest", "v3"), strict=True):
        (r,) = chosen(kept, problem)
        best = r["seconds"][r["best_hand"]]
        heights = {
            problem: (r["seconds"]["skipstone"] / best, OURS, ""),
            f"{problem}_b": (r["seconds"]["_b"] / best, OBVIOUS, ""),
            f"{problem}_b!": (1.0, BEST, ""),
        }
        reported = REPORTED.get(problem, {}).get("_b")
        if reported:
            heights[f"{problem}_b\nin the paper"] = (reported, PAPER, "///")
        for name, (height, colour, hatch) in heights.items():
            labelled(axes, axes.bar(name, height, 0.65, color=colour, hatch=hatch, edgecolor="white"), "{:.2f}".format)
        axes.margins(y=0.12)
        axes.set_title(r["note"].split(",")[0] if problem == "v3" else r["note"], fontsize=8)
        axes.tick_params(axis="x", length=0, labelsize=7.5)
    panels[0].set_ylabel("time, best loop by hand = 1")
    figure.suptitle("Streams against loops written by hand (smaller is better)", fontsize=10)
    return figure


WAYS = ["naive", "naive, fair", "unfused", "fused", "Python, in", "Python, set &"]


def triangles(kept: dict[str, Any]) -> Any:
    """The triangle join on each data set, and what the paper reports, in units of the fused join."""
    results = chosen(kept, "triangle")
    figure, panels = canvas(len(results) + 1, 2.7, sharey=True, sharex=True)
    for axes, r in zip(panels, results, strict=False):
        times = {way: s / r["seconds"]["fused"] for way, s in r["seconds"].items()}
        data = r["case"].removeprefix("triangle, ")
        ratios(axes, times, f"{data}: {r['note'].split(' a relation')[0]}", False)
    ratios(panels[-1], REPORTED["triangle"], "the paper's own (Rust)", True)
    panels[0].set_xlim(0.6, 1e6)
    panels[0].invert_yaxis()
    figure.supxlabel("time, fused = 1 (log scale; smaller is better)", fontsize=9)
    figure.suptitle("The triangle join R(a,b) S(b,c) T(a,c), output built", fontsize=10)
    return figure


def ratios(axes: Any, times: dict[str, float], title: str, reported: bool) -> None:
    """One panel: a bar for each way that has a time."""
    for way in WAYS:
        colour = OURS if way == "fused" else OBVIOUS if way == "unfused" else BEST
        if way in times:
            look = {"color": PAPER, "hatch": "///"} if reported else {"color": colour}
            labelled(axes, axes.barh(way, times[way] - 0.6, 0.65, left=0.6, edgecolor="white", **look), above_left)
        else:
            axes.barh(way, 0)
            axes.text(0.75, way, "not reported" if reported else "not measured", va="center", fontsize=7, color="gray")
    axes.set_xscale("log")
    axes.set_xticks([1, 100, 10_000], ["1", "100", "10,000"])
    axes.minorticks_off()
    axes.set_title(title, fontsize=8.5)
    axes.tick_params(axis="y", length=0)


def above_left(width: float) -> str:
    """The ratio that a bar of this width shows: bars begin at 0.6, the left edge."""
    ratio = width + 0.6
    return f"{ratio:,.0f}×" if ratio >= 10 else f"{ratio:.1f}×" if ratio > 1 else "1"


def ordered_maps(kept: dict[str, Any]) -> Any:
    """Streaming against iterate and lookup, in units of streaming."""
    figure, panels = canvas(2, 2.9, sharey=True)
    for axes, problem in zip(panels, ("rb.2", "rb.3"), strict=True):
        groups = {
            r["case"].removeprefix(f"{problem}, ").replace(", ", "\n"): r["seconds"]
            for r in chosen(kept, "rb")
            if r["case"].startswith(problem)
        }
        groups["the paper's own\n(Rust)"] = REPORTED["rb"]
        for n, (name, seconds) in enumerate(groups.items()):
            paper = name.startswith("the paper")
            ratio = seconds["iterate and lookup"] / seconds["streaming"]
            hatch = "///" if paper else ""
            axes.bar(n - 0.2, 1, 0.38, color=PAPER if paper else OURS, hatch=hatch, edgecolor="white")
            bars = axes.bar(n + 0.2, ratio, 0.38, color=PAPER if paper else BEST, hatch=hatch, edgecolor="white")
            labelled(axes, bars, "{:.1f}".format)
        axes.set_xticks(range(len(groups)), list(groups))
        axes.tick_params(axis="x", length=0, labelsize=7)
        axes.margins(y=0.12)
        axes.set_title(f"{problem}: {'two' if problem == 'rb.2' else 'three'} maps intersected", fontsize=9)
    panels[0].set_ylabel("time, streaming = 1")
    patch = import_module("matplotlib.patches").Patch
    handles = [patch(color=OURS, label="streaming"), patch(color=BEST, label="iterate and lookup")]
    handles.append(patch(facecolor=PAPER, hatch="///", edgecolor="white", label="the paper's: streaming, lookup"))
    figure.legend(handles=handles, loc="outside lower center", ncols=3, fontsize=8, frameon=False)
    keys = chosen(kept, "rb")[0]["note"].split(" a map")[0]
    figure.suptitle(f"Ordered maps of {keys}, walked together (smaller is better)", fontsize=10)
    return figure
