"""A run over the cases: progress on stderr, every result kept as soon as it is there, and a table at the end."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.status import Status
from rich.table import Column, Table

from skipstone.bench import harness

from ..report import milliseconds
from .cases import cases
from .measure import Result, measure
from .question import Case
from .who import OURS, PEERS, versions


def chosen(only: str = "", peers: Sequence[str] = ()) -> list[Case]:
    """The cases whose name contains a text, and which at least one of these peers can answer."""
    return [
        case
        for case in cases()
        if only in case.name and (not peers or any(case.question.asks(p, case.on) for p in peers))
    ]


def missing(peers: Sequence[str] = ()) -> list[str]:
    """Who is not installed, as pip knows them."""
    return [peer.package for name, peer in PEERS.items() if name in (peers or PEERS) and not peer.installed()]


def run(path: Path, rounds: int, limit: float, only: str = "", peers: Sequence[str] = ()) -> list[Result]:
    """Measure, and keep each case in `path` at once: a run that is stopped has not been for nothing.

    Cases that `path` holds from before, and that are not measured now, stay.
    """
    console, done = Console(stderr=True), list[Result]()
    if absent := missing(peers):
        console.print(f"not installed, and left out: {', '.join(absent)} (the extra `bench` brings them)")
    found = {(r["question"], r["on"]): Result(**r) for r in kept(path)}
    every, wanted = cases(), chosen(only, peers)
    with console.status("") as status:
        for n, case in enumerate(wanted, 1):
            title = f"{n}/{len(wanted)} {case.name}"
            say = partial(doing, status, title)
            try:
                result = measure(case, rounds, limit, say, peers or tuple(PEERS))
            except FileNotFoundError as gone:
                console.print(f"{title}: left out, its data is not here (SKIPSTONE_DATA names the folder): {gone}")
                continue
            console.print(f"{title}: {', '.join(map(told, result.timings))}", highlight=False, markup=False)
            done.append(result)
            found[case.question.name, case.on] = result
            known = [found[key] for each in every if (key := (each.question.name, each.on)) in found]
            harness.keep(path, known, rounds, peers=versions())
    return done


def doing(status: Status, title: str, what: str) -> None:
    status.update(f"{title}: {what}")


def kept(path: Path) -> list[dict[str, Any]]:
    return list(json.loads(path.read_text())["results"]) if path.exists() else []


def told(timing: dict[str, Any]) -> str:
    found = timing["failed"] or milliseconds(timing["seconds"])
    return f"{timing['label']} {timing['threads']}: {found}"


def table(results: Sequence[Result]) -> Table:
    """A row for each who answered, ours first, then by time: the first answer, from data anew, and the run again."""
    made = Table(Column("case", overflow="fold"), "who", "first", "anew", "again", "× ours", "memory")
    for column in made.columns[1:]:
        column.no_wrap = True
    for result in results:
        ours = {t["threads"]: t["seconds"] for t in result.timings if t["peer"] == OURS}
        for n, t in enumerate(sorted(result.timings, key=lambda t: (t["peer"] != OURS, t["seconds"] or 1e9))):
            mine = ours.get(t["threads"])
            times = f"{t['seconds'] / mine:.2f}" if mine and t["seconds"] and not t["failed"] else ""
            again = t["failed"] or shown(t["seconds"])
            who = t["label"] if t["threads"] == 1 else f"{t['label']}, {t['threads']}"
            made.add_row(
                f"{result.question}: {result.on}" if n == 0 else "", who, shown(t["first"]), shown(t["fresh"]), again,
                times, megabytes(t["memory"]), style="bold" if t["peer"] == OURS else "",
            )  # fmt: skip
        made.add_section()
    return made


def listing(only: str = "", peers: Sequence[str] = ()) -> Table:
    """What would be asked, and of whom."""
    made = Table("case", "asked of")
    for case in chosen(only, peers):
        asked = [
            PEERS[p].label
            for p in case.question.ways
            if case.question.asks(p, case.on) and (not peers or p in (OURS, *peers))
        ]
        made.add_row(case.name, ", ".join(asked))
    return made


def shown(seconds: float | None) -> str:
    return milliseconds(max(seconds, 0.0)) if seconds is not None else ""


def megabytes(size: int | None) -> str:
    if size is None:
        return ""
    return f"{size / 2**20:,.0f} MB" if size >= 10 * 2**20 else f"{size / 2**20:.1f} MB"
