"""The protocol, and streams as Python objects."""

import numpy as np
import pytest

import skipstone as sk
from skipstone.stream import fold
from skipstone.words import PLAIN, read_by


class Evens(sk.Stream):
    """A stream of the user's, with a branch-free seek."""

    stop: int

    def start(self):
        return 0

    def valid(self, q):
        return q < self.stop

    def ready(self, q):
        return True

    def index(self, q):
        return q

    def seek(self, q, key, strict):
        return q + 2 * sk.passed(q, key, strict)

    def value(self, q):
        return q * q


def test_six_methods_make_a_stream(engine):
    assert Evens(8).collect() == {0: 0, 2: 4, 4: 16, 6: 36}
    assert (Evens(100) * sk.stream({3: 1, 4: 10, 6: 100})).collect() == {4: 160, 6: 3600}
    assert sk.laws.check(Evens(12)).laws == 6


def test_next_and_approach_are_derived():
    s = sk.range(0, 10).filter(lambda k, v: k % 2 == 1)
    assert not s.ready(0) and s.approach(0) == 1 and s.next(1) == 2


def test_an_overridden_next_is_used(engine):
    class Counted(Evens):
        def next(self, q):
            return q + 2

    assert Counted(6).sum() == 20


def test_an_undefined_method_says_which():
    class Half(sk.Stream):
        pass

    with pytest.raises(NotImplementedError, match=r"Half does not define start\(\)"):
        sk.laws.check(Half())


def test_iteration_gives_pairs_in_order():
    assert list(sk.stream({5: 1, 2: 3})) == [(2, 3), (5, 1)]
    assert [(k, dict(row)) for k, row in sk.stream({1: {2: 3}})] == [(1, {2: 3})]


def test_fold_is_a_plain_function_too():
    with read_by(PLAIN):
        assert fold(lambda acc, k, v: [*acc, (k, v)], sk.range(0, 3), []) == [(0, 0), (1, 1), (2, 2)]
        assert fold(lambda acc, k, v: acc + v, sk.range(0, 100), 0, done=lambda acc: acc > 10) == 15


def test_a_verb_becomes_a_method():
    @sk.verb
    def tripled(stream):
        return stream.map(lambda k, v: 3 * v)

    assert sk.range(0, 3).tripled().collect() == {0: 0, 1: 3, 2: 6}


def test_repr_says_what_it_is_made_of():
    assert repr(sk.range(0, 3).map(max)) == "Map(Bounds(0, Parameter(value=3, name='hi')), max)"
    assert repr(sk.stream({1: 2})) == "SortedRun(<keys: 1 × int64>, 0, None, <values: 1 × int64>, adaptive)"


def test_methods_are_documented():
    for name in ("map", "filter", "sum", "fold", "collect", "memo", "first", "min", "map_keys", "without", "compile"):
        assert getattr(sk.Stream, name).__doc__, name


def test_streams_can_be_used_from_several_threads():
    from concurrent.futures import ThreadPoolExecutor

    a = sk.stream(sk.Sorted(np.arange(1000), np.arange(1000.0)))
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda n: (a * sk.range(0, n)).map(lambda k, v: v + n).count(), range(100, 140)))
    assert found == list(range(100, 140))
