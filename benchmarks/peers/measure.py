"""Measuring a case: ours answers first, every peer must say the same, and then all are run in turns."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from skipstone.bench.harness import machine

from .question import Case
from .who import OURS, PEERS
from .worker import Failed, Worker

SETTLED = 3.0  # seconds: what takes longer is not run again
HOPELESS = 3.0  # a form that takes so many times as long as another is not waited for


@dataclass
class Timing:
    """Seconds: the first answer, compiling included; prepared and run anew; and the run alone. Memory: the bytes that
    the first answer took at its peak, beyond the imported libraries and the data."""

    label: str
    peer: str
    threads: int
    form: str = ""
    first: float | None = None
    fresh: float | None = None
    seconds: float | None = None
    memory: int | None = None
    failed: str = ""


@dataclass
class Result:
    """What was found for a case, in how many rounds, under what limit in seconds, and on which processor."""

    question: str
    on: str
    timings: list[dict[str, Any]]
    rounds: int
    limit: float
    processor: str


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


def measure(
    case: Case, rounds: int, limit: float, say: Callable[[str], None], only: Sequence[str] = tuple(PEERS)
) -> Result:
    """All who can answer, in the order of PEERS; ours always."""
    data, running, timings = case.question.on[case.on](), list[Running](), list[Timing]()
    with tempfile.TemporaryDirectory() as cache:
        try:
            for name, peer in PEERS.items():
                if not case.question.asks(name, case.on) or name not in (OURS, *only):
                    continue
                if not peer.installed():
                    timings.append(Timing(peer.label, name, 1, failed="not installed"))
                    continue
                expected = running[0].answer if running else None
                for timing, way in answers(name, case, data, cache, limit, say, expected):
                    timings.append(timing)
                    if way is not None:
                        running.append(way)
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
    return Result(
        case.question.name, case.on, [vars(timing) for timing in timings], rounds, limit, machine()["processor"]
    )


def settled(way: Running) -> bool:
    """Whether it is run again. A peer that took long is not: its first answer counts."""
    if way.timing.peer == OURS or way.alone < SETTLED:
        return True
    way.timing.seconds = min(way.alone, way.timing.seconds or way.alone)
    return False


def answers(
    name: str,
    case: Case,
    data: Any,
    cache: str,
    limit: float,
    say: Callable[[str], None],
    expected: list[float] | None,
) -> Iterable[tuple[Timing, Running | None]]:
    """The best form of this peer on one thread, and the same form on more. None where there is no answer, or another
    than is expected."""
    peer, forms = PEERS[name], list(case.question.ways[name])
    for threads in peer.threads:
        best: Running | None = None
        timing = Timing(peer.label, name, threads)
        for form in forms:
            say(f"{peer.label}, {form or 'as it is'}, {threads} thread{'s' * (threads > 1)}")
            bound = limit if best is None else min(limit, max(2.0, HOPELESS * best.timing.first))
            tried = Timing(peer.label, name, threads, form)
            worker = Worker(name, case.question.name, form, threads, data, cache, 60)
            try:
                worker.hear()
                worker.limit = bound
                tried.first, alone, tried.memory, answer = worker.hear()
                expected = answer if expected is None else expected
                agree(answer, expected, worker)
            except Failed as failed:
                timing.failed = timing.failed or str(failed)
                continue
            worker.limit = 2 * limit
            way = Running(tried, worker, alone, answer)
            if len(forms) > 1 and alone < SETTLED:
                way.spend("run")
            if best is not None:
                way, best = sorted((best, way), key=lambda each: -(each.timing.seconds or each.alone))
                way.worker.end()
            best = best or way
        if best is None:
            yield timing, None
            return  # more threads will not save it
        forms = [best.timing.form]
        yield best.timing, best


def agree(answer: list[float], expected: list[float], worker: Worker) -> None:
    """Whoever says something else is not timed."""
    if len(answer) != len(expected) or not np.allclose(answer, expected, rtol=1e-9, atol=1e-9):
        worker.end()
        raise Failed(f"another answer: {brief(answer)}, not {brief(expected)}")


def brief(answer: list[float]) -> str:
    shown = ", ".join(f"{x:.12g}" for x in answer[:3])
    return f"{shown}, …" if len(answer) > 3 else shown
