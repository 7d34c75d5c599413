"""The pictures of the comparison, from kept results: means peer by peer, and growth."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from skipstone.bench import charts
from skipstone.bench.harness import whole

from .cases import questions
from .growth import size
from .page import mean, peers, ratio, timing

COLOURS = ("#e0a458", "#8a8f98", "#a34f6e", "#5b8c5a", "#6b5b95", "#c0714f")


def draw(results: dict[str, Any], directory: Path) -> list[Path]:
    """Every picture for which something was measured, as SVG."""
    if not charts.available():
        raise SystemExit(charts.MISSING)
    written = []
    pictures: dict[str, Callable[[list[dict[str, Any]]], Any]] = {"means": means, "growth": growth}
    with import_module("matplotlib").rc_context(charts.SETTINGS):
        for name, picture in pictures.items():
            figure = picture(results["results"])
            path = directory / f"peers-{name}.svg"
            if figure is not None:
                with whole(path) as temporary:
                    figure.savefig(temporary, format="svg", metadata={"Date": None})
                written.append(path)
    return written


def means(results: list[dict[str, Any]]) -> Any:
    """A dot for each case and a bar for their geometric mean, everyone on as few threads as there are."""
    apart = {each.name for each in questions() if each.family in ("growth", "start")}
    steady = [r for r in results if r["question"] not in apart]
    found: dict[str, list[float]] = {}
    for label, threads in peers(steady):
        ratios = [times for r in steady if (times := ratio(r, label, threads)) is not None]
        if ratios and label not in found:
            found[label] = ratios
    if not found:
        return None
    labels = sorted(found, key=lambda label: mean(found[label]))
    figure, (axes,) = charts.canvas(1, 0.9 + 0.32 * len(labels))
    for n, label in enumerate(labels):
        axes.plot(found[label], [n] * len(found[label]), "|", color=charts.BEST, markersize=9, zorder=2)
        bar = mean(found[label])
        axes.plot([1, bar], [n, n], color=charts.OURS, linewidth=7, alpha=0.35, solid_capstyle="butt", zorder=1)
        axes.plot([bar], [n], "o", color=charts.OURS, markersize=6, zorder=3)
        axes.annotate(f"{bar:.1f}", (bar, n), (0, 6), textcoords="offset points", ha="center", fontsize=7.5)
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_xscale("log")
    axes.set_yticks(range(len(labels)), [f"{label} ({len(found[label])})" for label in labels])
    axes.set_ylim(-0.6, len(labels) - 0.3)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel("its time / ours (log scale; left of 1 the peer is faster); a stroke a case, the dot is their mean")
    return figure


def growth(results: list[dict[str, Any]]) -> Any:
    """Time against rows, a panel for each question that grows."""
    names = [each.name for each in questions() if each.grows]
    groups = {name: found for name in names if (found := [r for r in results if r["question"] == name])}
    if not groups:
        return None
    figure, panels = charts.canvas(len(groups), 3.4, sharey=True)
    for axes, (name, group) in zip(panels, groups.items(), strict=True):
        labels = ["skipstone", *(label for label, threads in peers(group) if threads == 1)]
        for n, label in enumerate(labels):
            points = sorted(
                (size(r["on"]), t["seconds"])
                for r in group
                if (t := timing(r, label, 1)) and t["seconds"] and not t["failed"]
            )
            colour = charts.OURS if n == 0 else COLOURS[(n - 1) % len(COLOURS)]
            if points:
                axes.plot(*zip(*points, strict=True), "o-", color=colour, markersize=3.5, linewidth=1.4, label=label)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_title(name, fontsize=9)
        axes.set_xlabel("rows")
        axes.legend(fontsize=7.5, frameon=False)
    panels[0].set_ylabel("seconds")
    return figure
