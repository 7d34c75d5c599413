"""Measuring a case: ours answers first, every peer must say the same, and then all are run in turns."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from ..peers import OURS, PEERS, peer
from .cases import Case
from .worker import Failed, Worker

SETTLED = 3.0  # seconds: what takes longer is not run again
HOPELESS = 3.0  # a form that takes so many times as long as another is not waited for


@dataclass
class Timing:
    """Seconds: the first answer, compiling included; prepared and run anew; and the run alone."""

    label: str
    peer: str
    threads: int
    form: str = ""
    first: float | None = None
    fresh: float | None = None
    seconds: float | None = None
    failed: str = ""


@dataclass
class Result:
    """What was found for a case, in how many rounds, and under what limit in seconds."""

    question: str
    on: str
    timings: list[dict[str, Any]]
    rounds: int
    limit: float


@dataclass
class Running:
    """A way that has answered, and waits to be run again."""

    timing: Timing
    worker: Worker
    alone: float  # seconds of its first run, without what was prepared for it
    answer: list[float]

    def spend(self, what: str) -> None:
        """Run it again, and keep the best; whatever goes wrong now is said, and ends it."""
        try:
            seconds = self.worker.ask(what)
        except Failed as failed:
            self.timing.failed = str(failed)
            return
        name = "fresh" if what == "fresh" else "seconds"
        before = getattr(self.timing, name)
        setattr(self.timing, name, seconds if before is None else min(before, seconds))


def measure(case: Case, rounds: int, limit: float, say: Callable[[str], None], only: Iterable[str] = PEERS) -> Result:
    """All who can answer, in the order of PEERS."""
    data, running, timings = case.make(), list[Running](), list[Timing]()
    with tempfile.TemporaryDirectory() as cache:
        try:
            for name in only:
                found = peer(name)
                if found is None:
                    timings.append(Timing(name, name, 1, failed="not installed"))
                elif case.question in found.WAYS:
                    for timing, way in answers(name, found, case, data, cache, limit, say):
                        timings.append(timing)
                        if way is not None:
                            running.append(way)
                            agree(case, running[0], way)
            again = [way for way in running if settled(way)]
            for n in range(rounds):
                say(f"round {n + 1} of {rounds}")
                for way in again:
                    if not way.timing.failed:
                        way.spend("run")
            anew: set[str] = set()  # once for each peer, on as few threads as it has
            for way in again:
                if not way.timing.failed and way.timing.seconds < SETTLED and way.timing.peer not in anew:
                    anew.add(way.timing.peer)
                    way.spend("fresh")
        finally:
            for way in running:
                way.worker.end()
    return Result(case.question, case.on, [vars(timing) for timing in timings], rounds, limit)


def settled(way: Running) -> bool:
    """Whether it is run again. A peer that took long is not: its first answer counts."""
    if way.timing.peer == OURS or way.alone < SETTLED:
        return True
    way.timing.seconds = min(way.alone, way.timing.seconds or way.alone)
    return False


def answers(
    name: str, found: ModuleType, case: Case, data: Any, cache: str, limit: float, say: Callable[[str], None]
) -> Iterable[tuple[Timing, Running | None]]:
    """The best form of this peer on one thread, and the same form on more. None where there is no answer."""
    forms = list(found.WAYS[case.question])
    for threads in found.THREADS:
        best: Running | None = None
        timing = Timing(found.NAME, name, threads)
        for form in forms:
            say(f"{found.NAME}, {form or 'as it is'}, {threads} thread{'s' * (threads > 1)}")
            bound = limit if best is None else min(limit, max(2.0, HOPELESS * best.timing.first))
            tried = Timing(found.NAME, name, threads, form)
            worker = Worker(name, case.question, form, threads, data, cache, 60)
            try:
                worker.hear()
                worker.limit = bound
                tried.first, alone, answer = worker.hear()
            except Failed as failed:
                timing.failed = timing.failed or str(failed)
                continue
            worker.limit = 2 * limit
            way = Running(tried, worker, alone, answer)
            if len(forms) > 1 and alone < SETTLED:
                way.spend("run")
            if best is not None:
                agree(case, best, way)
                way, best = sorted((best, way), key=lambda each: -(each.timing.seconds or each.alone))
                way.worker.end()
            best = best or way
        if best is None:
            yield timing, None
            return  # more threads will not save it
        forms = [best.timing.form]
        yield best.timing, best


def agree(case: Case, one: Running, other: Running) -> None:
    if len(one.answer) != len(other.answer) or not np.allclose(one.answer, other.answer, rtol=1e-9, atol=1e-9):
        raise AssertionError(
            f"{case.name}: {other.timing.label} says {other.answer}, {one.timing.label} says {one.answer}"
        )
