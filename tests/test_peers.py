"""The comparison with peers: on tiny inputs, whoever is installed says what we say. No time is looked at."""

import numpy as np
import pytest

from benchmarks.joins import data, measure, page
from benchmarks.joins.cases import Case, cases
from benchmarks.joins.worker import Failed, Worker
from benchmarks.peers import OURS, PEERS, peer
from benchmarks.report import kept

GRAPH = data.rmat(6, 300)
TINY = {
    "typed triangles": lambda: {c: np.arange(600) * p % n for c, p, n in (("h", 7, 23), ("r", 5, 4), ("t", 3, 19))},
    "lollipop": lambda: data.both_ways(GRAPH),
    "sparse product": lambda: data.matrix(40, 4),
    "SDDMM": lambda: data.sampled(30, 3, 5),
    "MTTKRP": lambda: data.tensor(12, 100, 4),
    "TPC-H Q5": data.tpch,
    "ten in a chain": lambda: data.many(10, 60, 30),
}
TINY |= {
    "typed cycles": TINY["typed triangles"],
    "barbell": TINY["lollipop"],
    "sparse product, sorted": TINY["sparse product"],
    "TPC-H Q9": TINY["TPC-H Q5"],
    "ten in a star": TINY["ten in a chain"],
    "ten in a ring": TINY["ten in a chain"],
}
QUESTIONS = list(dict.fromkeys(case.question for case in cases()))


def tiny(question):
    return TINY.get(question, lambda: data.by_degree(GRAPH))()


def answer(found, question, form, given, threads):
    way = found.WAYS[question][form](given, threads)
    return way.answer(way.run())


@pytest.mark.parametrize("name", [name for name in PEERS if name != OURS])
def test_a_peer_says_what_we_say(shared_data, name):
    found = peer(name)
    if found is None:
        pytest.skip(f"{name} is not installed: it comes with the extra `bench`")
    for question, forms in found.WAYS.items():
        given = tiny(question)
        ours = answer(peer(OURS), question, "", given, 1)
        assert ours[0] > 0, f"{question}: an answer of nothing tells nothing"
        for form in forms:
            assert np.allclose(answer(found, question, form, given, 1), ours, rtol=1e-9), f"{question}, {form}"


def test_every_question_is_asked_of_us():
    assert set(QUESTIONS) == set(peer(OURS).WAYS)


def test_what_takes_too_long_is_killed_and_said():
    worker = Worker(OURS, "triangles", "", 1, GRAPH, "unused", 0.0)
    with pytest.raises(Failed, match="> 0 s"):
        worker.hear()
    assert not worker.process.is_alive()


def test_peers_that_disagree_are_not_timed():
    def running(answer):
        return measure.Running(measure.Timing("someone", "someone", 1), None, 0.0, answer)

    with pytest.raises(AssertionError, match=r"someone says \[3.0\]"):
        measure.agree(Case("triangles", "nothing", dict), running([2.0]), running([3.0]))


def test_a_peer_that_is_missing_is_reported(monkeypatch):
    monkeypatch.setattr(measure, "peer", lambda name: None)
    result = measure.measure(Case("triangles", "tiny", lambda: GRAPH), 1, 1.0, lambda doing: None)
    assert {t["failed"] for t in result.timings} == {"not installed"}


def test_the_page_shows_what_was_kept():
    for path in (page.PAGE, page.ROOT / "README.md"):
        text = path.read_text()
        assert page.made(text, kept("joins")) == text, "run `python -m benchmarks.joins --no-measure`"
