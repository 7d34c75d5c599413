"""The stages of Spark that run, as bars on a terminal."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

OFTEN = 0.2  # seconds between looks

Say = Callable[[str], None]


@contextmanager
def stages(session: Any, console: Console) -> Iterator[Say]:
    """Show the stages that run inside of this block; gives a function that says what they are for.

    Nothing is shown where there is no terminal, or no session of Spark.
    """
    if session is None or not console.is_terminal:
        yield lambda label: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        bars: dict[int, Any] = {}
        label = ""

        def show(running: Iterable[tuple[int, int, int]]) -> None:
            there = {stage: (done, total) for stage, done, total in running}
            for stage in [stage for stage in bars if stage not in there]:
                progress.remove_task(bars.pop(stage))
            for stage, (done, total) in there.items():
                if stage not in bars:
                    bars[stage] = progress.add_task(f"{label}, stage {stage}", total=total)
                progress.update(bars[stage], completed=done)

        def say(now: str) -> None:
            nonlocal label
            label = now

        with watched(session, show):
            yield say


@contextmanager
def watched(session: Any, show: Callable[[list[tuple[int, int, int]]], None]) -> Iterator[None]:
    """Tell of each stage that runs, again and again: its number, and how many of its tasks are done."""
    if not hasattr(session, "_jsparkSession"):  # Spark Connect tells by itself

        def told(stages: Any, inflight_tasks: int, operation_id: Any, done: bool) -> None:
            running = [] if done else [s for s in stages if s.num_completed_tasks < s.num_tasks]
            show([(s.stage_id, s.num_completed_tasks, s.num_tasks) for s in running])

        session.registerProgressHandler(told)
        try:
            yield
        finally:
            session.removeProgressHandler(told)
        return

    over, tracker = threading.Event(), session.sparkContext.statusTracker()

    def look() -> None:
        while not over.wait(OFTEN):
            try:
                found = [tracker.getStageInfo(n) for n in tracker.getActiveStageIds()]
            except Exception:  # the session is going down
                return
            show([(s.stageId, s.numCompletedTasks, s.numTasks) for s in found if s is not None])

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
