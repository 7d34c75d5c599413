"""Attending: who hears Ctrl-C for loops that run in the main thread, and shows how far they are.

Python hears signals between its own instructions, and compiled loops are one of them. But it also writes each signal to
a descriptor, at once, and another thread can read that. It stays for a second longer than there is anything to attend,
so that a row of short runs finds it there: to start one for each cost 0.2 ms.
"""

from __future__ import annotations

import contextvars
import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeVar

from . import watch
from .watch import Watch, shown, wants_progress

T = TypeVar("T")
OVER = 0  # what is heard when a run is over; no signal has this number
SOON = 0.001  # seconds


@dataclass(eq=False)
class Run:
    """What is attended."""

    watch: Watch
    context: contextvars.Context = field(default_factory=contextvars.copy_context)
    began: float = field(default_factory=time.monotonic)

    def left(self) -> float:
        """Seconds until a bar is shown."""
        return self.began + watch.LATER - time.monotonic()


def attended(work: Callable[[], T], watched: Watch) -> T:
    """What a work returns, in this thread, the main one, while another hears Ctrl-C for it and shows how far it is.

    In this one, because memory that was taken in another is not at hand again: rows took 1.2 times as long to collect.
    """
    before = signal.getsignal(signal.SIGINT)
    if not callable(before):
        return work()  # it is ignored here, or not Python's
    pressed: list[int] = []
    attendant = called(Run(watched))
    signal.signal(signal.SIGINT, lambda number, frame: pressed.append(number))  # nothing is interrupted halfway
    wakeup = signal.set_wakeup_fd(attendant.mouth.fileno(), warn_on_full_buffer=False)
    try:
        return work()
    finally:
        signal.set_wakeup_fd(wakeup)
        others = attendant.left_by_run(lambda: bool(pressed) or wakeup != -1)
        signal.signal(signal.SIGINT, before)
        if wakeup != -1 and others:
            with suppress(OSError):
                os.write(wakeup, others)
        if pressed:
            signal.raise_signal(signal.SIGINT)


class Attendant:
    """A thread that attends one run after another, and goes when there was none for a second."""

    def __init__(self, run: Run) -> None:
        self.run: Run | None = run
        self.lock, self.gone, self.bar = threading.Lock(), False, False
        self.quiet = threading.Event()  # everything was heard, and there is no bar
        self.others = bytearray()  # signals that someone else may wait for
        self.ear, self.mouth = socket.socketpair()
        self.mouth.setblocking(False)
        threading.Thread(target=self.attend, name="skipstone", daemon=True).start()

    def takes(self, run: Run) -> bool:
        """Whether it is still there, to attend a run."""
        with self.lock:
            self.run = run
            self.others.clear()
            return not self.gone

    def left_by_run(self, heard: Callable[[], bool]) -> bytes:
        """The run is over. If there is a bar, or signals were heard, wait until that is over, too; those for others."""
        with self.lock:
            self.run = None
            waits = self.bar
        if waits or heard():
            self.quiet.clear()
            self.mouth.send(bytes([OVER]))
            self.quiet.wait()
        return bytes(self.others)

    def attend(self) -> None:
        with self.ear, self.mouth:
            while not self.gone:
                run = self.run
                if self.hear(watch.LATER if run is None else run.left()):
                    continue
                with self.lock:
                    run = self.run
                    self.gone, self.bar = run is None, run is not None and run.left() <= 0
                if self.bar and run is not None:
                    run.context.run(self.show, run)
                    self.bar = False
                    self.quiet.set()

    def show(self, run: Run) -> None:
        """How far a run is, until it is over."""
        with shown([run.watch], wants_progress()) as show:
            while OVER not in self.hear(watch.OFTEN):
                show()

    def hear(self, seconds: float) -> bytes:
        """The signals that came; none, if that takes too long."""
        self.ear.settimeout(max(seconds, SOON))
        try:
            heard = self.ear.recv(64)
        except TimeoutError:
            return b""
        run = self.run
        if signal.SIGINT in heard and run is not None:
            run.watch.stop()
        self.others.extend(number for number in heard if number not in (signal.SIGINT, OVER))
        if OVER in heard and not self.bar:
            self.quiet.set()
        return heard


_at_hand: list[Attendant] = []  # at most one
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_at_hand.clear)  # a thread is not copied


def called(run: Run) -> Attendant:
    """Who attends a run: whoever is still there."""
    if not (_at_hand and _at_hand[0].takes(run)):
        _at_hand[:] = [Attendant(run)]
    return _at_hand[0]
