"""One way in a process of its own, which can be killed: so a hopeless one costs no more than its limit.

The process prepares, answers once, and then runs when it is told to. It says how long each of these took.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import resource
import signal
import time
from contextlib import contextmanager
from typing import Any

from skipstone.bench.harness import SLOW

from .cases import question as question_of
from .memory import peak_from_here
from .who import OURS, PEERS

MEMORY = 8 << 30  # bytes that one way may take
TURN = 0.1  # seconds that a way may run, when it is its turn
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS", "NUMBA_NUM_THREADS")


class Failed(Exception):
    """A way that took too long, or broke; its text says which."""


class Worker:
    """A process that answers one question in one way."""

    def __init__(self, peer: str, question: str, form: str, threads: int, data: Any, cache: str, limit: float) -> None:
        self.limit = limit
        processes = multiprocessing.get_context("spawn")
        self.pipe, theirs = processes.Pipe()
        self.process = processes.Process(target=serve, args=(theirs, peer, question, form, threads, data), daemon=True)
        with environment({"SKIPSTONE_CACHE_DIR": cache, **dict.fromkeys(THREADS, str(threads))}):
            self.process.start()
        theirs.close()

    def hear(self) -> Any:
        """What the process says next. It is killed if that takes too long."""
        if not self.pipe.poll(self.limit):
            self.end()
            raise Failed(f"> {self.limit:.0f} s")
        try:
            said = self.pipe.recv()
        except EOFError:
            self.end()
            raise Failed("it ran out of memory, or crashed") from None
        if isinstance(said, Failed):
            self.end()
            raise said
        return said

    def ask(self, what: str) -> float:
        """Run it ("run"), or prepare and run it anew ("fresh"): seconds."""
        self.pipe.send(what)
        seconds: float = self.hear()
        return seconds

    def end(self) -> None:
        self.process.kill()
        self.process.join()


@contextmanager
def environment(values: dict[str, str]) -> Any:
    before = dict(os.environ)
    os.environ.update(values)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def serve(pipe: Any, peer: str, question: str, form: str, threads: int, data: Any) -> None:
    """The other end. First "here", once all is imported; then how long the first answer took, with and without what
    was prepared for it, how much memory, and the answer."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever presses Ctrl-C means the run, and that kills us
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    try:
        make = question_of(question).ways[peer][form]
        for module in PEERS[peer].modules:
            importlib.import_module(module)
        if peer in (OURS, "numba"):
            started()
        pipe.send("here")
        taken = peak_from_here()
        began = time.perf_counter()
        way = make(data, threads)
        prepared = time.perf_counter()
        returned = way.run()
        took = time.perf_counter()
        memory = taken()
        pipe.send((took - began, took - prepared, memory, [float(x) for x in way.answer(returned)]))
        del returned
        while True:
            what = pipe.recv()
            if what == "fresh":
                del way
                began = time.perf_counter()
                way = make(data, threads)
                way.run()
                pipe.send(time.perf_counter() - began)
            else:
                pipe.send(best(way))
    except (EOFError, BrokenPipeError):
        return  # nobody wants to know
    except MemoryError:
        pipe.send(Failed(f"more than {MEMORY >> 30} GB"))
    except Exception as error:
        text = str(error).splitlines()[0] if str(error) else type(error).__name__
        pipe.send(Failed(f"more than {MEMORY >> 30} GB" if "memory" in text.lower() else text))


def started() -> None:
    """Numba's own start-up, which is nobody's answer."""
    import numba

    numba.njit(lambda x: x + 1)(1)


def best(way: Any) -> float:
    """As in the harness: once for nothing, unless it is slow; then the best of as many as take a tenth of a second."""
    seconds = timed(way)
    if seconds > SLOW:
        return seconds
    return min(timed(way) for _ in range(min(20, 1 + int(TURN / seconds))))


def timed(way: Any) -> float:
    began = time.perf_counter()
    way.run()
    return time.perf_counter() - began
