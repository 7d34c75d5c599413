"""Loops inside each other: each is written twice at most, however deep it lies."""

import numpy as np
import pytest

import skipstone as sk
from skipstone.engines.compiled import trace
from skipstone.trace import render
from skipstone.trace.looping import Looping

VALUES = {"int": np.array([1, 2, 5]), "float": np.array([1.5, 2.0, -1.0])}
CONSUMERS = {
    "sum": lambda s: s.sum(),
    "count": lambda s: s.fold(lambda n, k, v: n + 1, 0),
    "min": lambda s: s.min(default=9),
    "through": None,
}


def nested(values, consume, depth):
    """`depth` loops inside each other. What the inner ones come to is the value of the outer ones."""
    stream = sk.Sorted(np.arange(3) * 2, values).stream()
    if consume is None:  # one accumulator, handed on through all the loops, and not always by small steps
        return handed_on(stream, depth, 0)
    if depth == 1:
        return consume(stream * stream)
    return consume((stream * stream).map(lambda k, v: v + nested(values, consume, depth - 1)))


def handed_on(stream, depth, start):
    if depth == 0:
        return start + 1
    return stream.fold(lambda acc, k, v: 2 * handed_on(stream, depth - 1, acc) + (k > 2), start)


@pytest.fixture
def attempts(monkeypatch):
    """How often a loop was written."""
    made = []
    attempt = Looping.attempt

    def counted(self, *arguments):
        made.append(1)
        return attempt(self, *arguments)

    monkeypatch.setattr(Looping, "attempt", counted)
    return made


@pytest.mark.parametrize("consumer", CONSUMERS)
@pytest.mark.parametrize("kind", VALUES)
def test_ten_times_as_deep_is_ten_times_the_work(attempts, kind, consumer):
    lines = {}
    for depth in (1, 2, 20):
        attempts.clear()
        program, _ = trace(lambda depth=depth: nested(VALUES[kind], CONSUMERS[consumer], depth))
        assert len(attempts) <= 2 * depth
        lines[depth] = len(render(program, constants=False).source.splitlines())
    assert lines[20] <= lines[1] + 19 * (lines[2] - lines[1]) + 20


@pytest.mark.parametrize("consumer", CONSUMERS)
@pytest.mark.parametrize("kind", VALUES)
def test_what_was_remembered_is_right(kind, consumer):
    def run():
        return nested(VALUES[kind], CONSUMERS[consumer], 3)

    with sk.engine("interpreted"):
        wanted = run()
    assert sk.compile(run)() == wanted and type(sk.compile(run)()) is type(wanted)


def test_an_accumulator_that_does_not_drift_is_checked():
    big = sk.Sorted([1, 2, 3], np.array([2**62, 2**62, 5])).stream()
    with pytest.raises(sk.errors.IntegerOverflow):
        sk.range(0, 3).map(lambda i, _: (big * big.map(lambda k, v: 1)).sum()).sum()


def test_one_accumulator_of_two_is_checked():
    """The one that counts is not, though the other one is."""
    source = sk.compile(
        lambda: sk.stream({1: 10, 2: 20}).fold(lambda acc, k, v: (acc[0] + 1, acc[1] + v), (0, 0))
    ).source
    assert source.count("add(") == 1


def test_what_a_row_of_the_result_needs_is_summed_once():
    """Not once to see whether there is anything, and once more for its value."""
    edges = sk.table({"s": [1, 1, 2, 3], "t": [2, 3, 3, 1]})
    a, b, c = sk.axes("a b c")
    query = (edges[a, b] * edges[b, c] * edges[a, c]).sum(b, c)
    (source,) = query.explain().sources
    assert source.count("while") == 3
    assert query.collect().to_dict() == {1: 1}
