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
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

SLOW = 0.5  # a way that takes longer finds its data nowhere, whatever ran before it


@dataclass
class Case:
    """Ways to compute one answer. `hand` names those that count as written by hand.

    `answer` makes what a way returned comparable: a number or an array. It is not timed.
    """

    name: str
    ours: dict[str, Callable[[], Any]]
    hand: dict[str, Callable[[], Any]] = field(default_factory=dict)
    others: dict[str, Callable[[], Any]] = field(default_factory=dict)
    note: str = ""
    answer: Callable[[Any], Any] = lambda returned: returned

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
        returned = way()
        first[name] = time.process_time() - began
        answers[name] = case.answer(returned)
    reference = next(iter(answers.values()))
    for name, answer in answers.items():
        if not same(answer, reference):
            raise AssertionError(f"{case.name}: {name} says {answer}, the first way {reference}")
    return first


def same(a: Any, b: Any) -> bool:
    """Equal; floats up to rounding."""
    if isinstance(a, np.ndarray):
        return np.array_equal(a, b)
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)


def measure(case: Case, rounds: int, after_round: Callable[[], None] = lambda: None) -> Result:
    """The best of several rounds, all ways in turn in each."""
    first = agree(case)
    best = dict.fromkeys(case.ways(), math.inf)
    for _ in range(rounds):
        for name, way in case.ways().items():
            # Once for nothing: what ran before this may have left our data in the caches, or thrown it out.
            began = time.perf_counter()
            way()
            took = time.perf_counter() - began
            if took > SLOW:
                best[name] = min(best[name], took)
                continue
            for _ in range(1 if took > 1e-3 else 20):
                began = time.perf_counter()
                way()
                best[name] = min(best[name], time.perf_counter() - began)
        after_round()
    hand = min(case.hand, key=lambda name: best[name]) if case.hand else None
    return Result(case.name, best, first, hand, list(case.ours), case.note)


def measured(cases: Sequence[Callable[[], Case]], rounds: int, title: str) -> list[Result]:
    """Measure them all, with a progress bar on stderr. A case is made when its turn comes, and let go after it."""
    results = []
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(title, total=len(cases) * (rounds + 1))
        for make in cases:
            case = make()
            progress.update(task, description=case.name)
            progress.advance(task)
            results.append(measure(case, rounds, lambda: progress.advance(task)))
    return results


def run(cases: list[Callable[[], Case]], rounds: int, title: str) -> list[Result]:
    """Measure and show."""
    results = measured(cases, rounds, title)
    show(results, title)
    return results


def keep(path: Path, results: Sequence[Any], rounds: int, **more: Any) -> dict[str, Any]:
    """Write the results down, with the machine they come from and whatever else belongs to them."""
    kept = {"machine": machine(), "rounds": rounds, **more, "results": [vars(r) for r in results]}
    with whole(path) as temporary:
        temporary.write_text(json.dumps(kept, indent=1) + "\n")
    return kept


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A name to write to, which becomes `path` when all of it is there; if anything fails, nothing is."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


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
