"""Threads stay for a while after their work, are found again, and go."""

import os
import threading
import time

import pytest

from skipstone import crew
from skipstone.crew import Crew

PATIENCE = 60  # seconds after which something hangs


def hands():
    return {thread.ident for thread in threading.enumerate() if thread.name == "skipstone crew"}


@pytest.fixture
def nobody():
    until = time.monotonic() + PATIENCE
    while hands() and time.monotonic() < until:
        time.sleep(0.02)
    assert not hands()


def done_by(many):
    """The threads that do a work at the same time."""
    found, all_there = [], threading.Barrier(many)

    def work():
        found.append(threading.get_ident())
        all_there.wait(PATIENCE)

    made = Crew()
    made.begin(work, many)
    assert made.wait(PATIENCE)
    return set(found)


def test_runs_in_a_row_are_done_by_the_same_threads_which_then_go(nobody):
    first = done_by(3)
    assert len(first) == 3
    for _ in range(20):
        assert done_by(3) == first and done_by(2) < first
    until = time.monotonic() + PATIENCE
    while hands() and time.monotonic() < until:
        time.sleep(0.02)
    assert not hands()


def test_one_who_waits_is_told_that_they_are_not_done():
    made, go = Crew(), threading.Event()
    made.begin(lambda: go.wait(PATIENCE), 2)
    assert not made.wait(0.01) and not made.wait(0)
    go.set()
    assert made.wait(PATIENCE) and made.wait(0)


def test_several_may_call_at_once():
    found = []
    callers = [threading.Thread(target=lambda: found.append(len(done_by(2)))) for _ in range(8)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join(PATIENCE)
    assert found == [2] * 8


def test_a_thread_that_is_called_as_it_goes_does_the_work(monkeypatch):
    monkeypatch.setattr(crew, "STAY", 0.001)
    for n in range(300):
        time.sleep(0.0005 * (n % 5))
        assert len(done_by(2)) == 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own():
    done_by(2)
    child = os.fork()
    if not child:
        os._exit(0 if len(done_by(2)) == 2 else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_who_waits_hears_of_work_that_failed_and_nobody_calls_that_thread_again():
    made = Crew()
    made.begin(lambda: 1 / 0, 1)
    assert made.wait(PATIENCE)
    assert len(done_by(2)) == 2
