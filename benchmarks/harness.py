"""How we measure: answers agree first, then all ways are timed in turns, and the best of several rounds counts.

A case is a set of ways to compute one answer. Timings on a shared machine mean little by themselves, so every round
runs every way, and what is reported are ratios of the best times. Compile time is measured apart, by the first
call of each way.
"""

from __future__ import annotations

import json
import math
import os
import platform
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

RESULTS = Path(__file__).parent / "results"


@dataclass
class Case:
    """Ways to compute one answer. `hand` names those that count as written by hand; `limit`, what we hold ours to."""

    name: str
    ours: dict[str, Callable[[], Any]]
    hand: dict[str, Callable[[], Any]] = field(default_factory=dict)
    others: dict[str, Callable[[], Any]] = field(default_factory=dict)
    note: str = ""

    def ways(self) -> dict[str, Callable[[], Any]]:
        return {**self.ours, **self.hand, **self.others}


@dataclass
class Result:
    case: str
    seconds: dict[str, float]
    first: dict[str, float]
    best_hand: str | None
    ours: list[str]
    note: str


def agree(case: Case) -> dict[str, float]:
    """Call every way once; all answers must be the same. How long each first call took, in seconds of CPU."""
    first, answers = {}, {}
    for name, way in case.ways().items():
        began = time.process_time()
        answers[name] = way()
        first[name] = time.process_time() - began
    reference = next(iter(answers.values()))
    for name, answer in answers.items():
        if not math.isclose(answer, reference, rel_tol=1e-9, abs_tol=1e-12):
            raise AssertionError(f"{case.name}: {name} says {answer}, the first way {reference}")
    return first


def measure(case: Case, rounds: int) -> Result:
    """The best of several rounds, all ways in turn in each."""
    first = agree(case)
    best = dict.fromkeys(case.ways(), math.inf)
    for _ in range(rounds):
        for name, way in case.ways().items():
            # Once for nothing: what ran before this may have left our data in the caches, or thrown it out.
            began = time.perf_counter()
            way()
            repeats = 1 if time.perf_counter() - began > 1e-3 else 20
            for _ in range(repeats):
                began = time.perf_counter()
                way()
                best[name] = min(best[name], time.perf_counter() - began)
    hand = min(case.hand, key=lambda name: best[name]) if case.hand else None
    return Result(case.name, best, first, hand, list(case.ours), case.note)


def run(cases: list[Callable[[], Case]], rounds: int, title: str) -> list[Result]:
    """Measure and show."""
    results = []
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(title, total=len(cases))
        for make in cases:
            results.append(measure(make(), rounds))
            progress.advance(task)
    show(results, title)
    return results


def keep(results: list[Result], rounds: int, compiled: dict[str, float], name: str) -> None:
    """Write the results down, with the machine they come from."""
    RESULTS.mkdir(exist_ok=True)
    kept = {"machine": machine(), "rounds": rounds, "compiling": compiled, "results": [vars(r) for r in results]}
    (RESULTS / f"{name}.json").write_text(json.dumps(kept, indent=1) + "\n")


def show(results: list[Result], title: str) -> None:
    table = Table("case", "way", "best", "against the best loop by hand", title=title)
    for result in results:
        base = result.seconds[result.best_hand] if result.best_hand else math.nan
        for n, (name, seconds) in enumerate(sorted(result.seconds.items(), key=lambda item: item[1])):
            style = "bold" if name in result.ours else "" if name != result.best_hand else "cyan"
            table.add_row(
                result.case if n == 0 else "", name, f"{seconds * 1e3:,.3f} ms", f"{seconds / base:.2f}", style=style
            )
        table.add_section()
    Console(width=110).print(table)


def machine() -> dict[str, Any]:
    """What the figures were taken on, without names of hosts or people."""
    import llvmlite
    import llvmlite.binding as llvm
    import numba
    import numpy

    return {
        "processor": llvm.get_host_cpu_name(),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "python": sys.version.split()[0],
        "numpy": numpy.__version__,
        "numba": numba.__version__,
        "llvmlite": llvmlite.__version__,
    }
