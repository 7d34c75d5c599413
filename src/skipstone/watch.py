"""Waiting for compiled loops: seeing how far they are, and stopping them.

Compiled code hears no signals. So where loops may take long there is a second thread, which hears Ctrl-C for them and
shows how far they are. It shares two words of memory with the loops: they heed the one (stop!), and write the key that
they are at into the other. Both happen once a step of a loop that has loops inside of it.
"""

from __future__ import annotations

import contextvars
import math
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from .bar import a_bar
from .crew import Crew

T = TypeVar("T")
LATER = 1.0  # seconds after which a bar is shown
OFTEN = 0.1  # seconds between looks
GRACE = 0.5  # seconds that loops are given to stop
APART = 128  # bytes: processors fetch two lines of 64 at once
UNKNOWN = int(np.array(math.nan).view(np.int64))

_watch: ContextVar[Watch | None] = ContextVar("watch", default=None)
_path: ContextVar[Path | None] = ContextVar("path", default=None)
_progress: ContextVar[bool] = ContextVar("progress", default=True)


class Path(Protocol):
    """The keys of the outermost loop, to say how far one is along them."""

    @property
    def name(self) -> str: ...
    def keys(self, key: float) -> int:
        """How many of them are smaller than a key; infinity: how many there are."""

    def share(self, key: float) -> float:
        """The share of the rows that lie under them."""


@dataclass(eq=False)
class Watch:
    """What a run shares with those who wait for it. It goes along the outermost keys from `lo` to `hi`."""

    lo: float = -math.inf
    hi: float = math.inf
    words: npt.NDArray[np.int64] = field(default_factory=lambda: two_words())
    over: bool = False

    def stop(self) -> None:
        self.words[0] = 1

    def so_far(self, measure: Callable[[float], float]) -> float:
        """What lies between the first key and the one that it is at now."""
        at = self.hi if self.over else float(self.words.view(np.float64)[1])
        return 0 if math.isnan(at) else measure(at) - measure(self.lo)


def two_words() -> npt.NDArray[np.int64]:
    """Not told to stop, and nowhere yet. No other watch is near: threads that write to one line of the cache wait for
    each other."""
    words = np.zeros(2 * APART // 8, np.int64)
    start = -words.ctypes.data % APART // 8
    words[start + 1] = UNKNOWN
    return words[start : start + 2]


def watched_now() -> Watch | None:
    """The watch that was set for what runs here."""
    return _watch.get()


def along(path: Path, run: Callable[[], T]) -> T:
    """run(), whose loops go along these keys."""
    token = _path.set(path)
    try:
        return run()
    finally:
        _path.reset(token)


def wants_progress() -> bool:
    """Whether one wants to see how far long loops are."""
    return _progress.get()


@contextmanager
def showing(progress: bool) -> Iterator[None]:
    """Show how far long loops inside of this block are, or not."""
    token = _progress.set(progress)
    try:
        yield
    finally:
        _progress.reset(token)


def waited(works: Sequence[Callable[[], T]], watches: Sequence[Watch], threads: int = 1) -> list[T]:
    """What each work returns, in that many threads, while this one waits, and stops them all if it is interrupted.

    Takes some 0.1 ms to wake the threads. What one raises, is raised here; then the others are stopped, too.
    """
    numbers, found, failed = iter(range(len(works))), {}, []  # type: ignore[var-annotated]
    contexts = [contextvars.copy_context() for _ in works]

    def watched(n: int) -> T:
        _watch.set(watches[n])
        return works[n]()

    def labour() -> None:
        for n in numbers:  # each thread takes the next
            if failed:
                return
            try:
                found[n] = contexts[n].run(watched, n)
            except BaseException as error:
                failed.append(error)
            watches[n].over = True

    crew = Crew()
    try:
        crew.begin(labour, min(threads, len(works)))
        if not crew.wait(LATER) and not failed:
            wait(crew, watches, failed)
        if failed:
            raise failed[0]
    except BaseException as error:
        failed.append(error)
        for watch in watches:
            watch.stop()
        crew.wait(GRACE)
        raise
    return [found[n] for n, _ in enumerate(works)]


def wait(crew: Crew, watches: Sequence[Watch], failed: list[BaseException]) -> None:
    """Until all of them are done, or one has failed."""
    main = threading.current_thread() is threading.main_thread()
    with shown(watches, _progress.get() and main) as show:
        while not failed and not crew.wait(OFTEN):
            show()


@contextmanager
def shown(watches: Sequence[Watch], wanted: bool) -> Iterator[Callable[[], None]]:
    """A bar, if it is wanted and someone looks; gives a function that shows how far they all are."""
    path = _path.get()

    def show() -> None:
        if path is None:
            update(None, 0, 0)
        else:
            share = sum(watch.so_far(path.share) for watch in watches)
            update(share, round(sum(watch.so_far(path.keys) for watch in watches)), path.keys(math.inf))

    with a_bar(path.name if path else "", wanted) as update:
        yield show
