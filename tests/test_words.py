"""The vocabulary read plainly, values with parts, and monoids."""

from collections import namedtuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

import skipstone as sk
from skipstone.algebra import GREATEST, LEAST
from skipstone.structure import leaves, rebuild, shape
from skipstone.words import PLAIN, Reading, apply, loop, passed, plus, read_by, reading, times, within_int64

Point = namedtuple("Point", "x y")
NUMBERS = st.integers(-5, 5) | st.sampled_from([0.5, -2.5])


class TestPlainly:
    @given(NUMBERS, NUMBERS)
    def test_words_mean_what_python_means(self, a, b):
        assert sk.maximum(a, b) == max(a, b) and sk.minimum(a, b) == min(a, b)
        assert plus(a, b) == a + b and times(a, b) == a * b and sk.no(a > b) == (a <= b)
        assert passed(a, b, False) == (a < b) and passed(a, b, True) == (a <= b)

    def test_only_one_side_of_a_select_is_evaluated(self):
        assert sk.select(True, lambda: 1, lambda: 1 / 0) == 1

    def test_loop(self):
        assert loop(lambda q, acc: q < 5, lambda q, acc: (q + 1, acc * 2), 0, 1) == (5, 32)

    def test_values_may_be_tuples(self):
        assert plus((1, 2.5), (3, 4)) == (4, 6.5) and times(2, (1, (2, 3))) == (2, (4, 6))
        assert plus(Point(1, 2), Point(3, 4)) == Point(4, 6) and isinstance(times(Point(1, 2), 2), Point)

    def test_integers_stay_within_int64(self):
        assert within_int64(2**63 - 1) == 2**63 - 1 and within_int64(2.0**80) == 2.0**80
        for word, a, b in ((plus, 2**63 - 1, 1), (times, 2**40, 2**40), (apply, lambda k: k**9, 2**10)):
            with pytest.raises(OverflowError):
                word(a, b)

    def test_a_reading_is_in_force_only_inside_its_block(self):
        mine = Reading()
        with read_by(mine):
            assert reading() is mine
        assert reading() is PLAIN


class TestStructure:
    @given(st.recursive(NUMBERS, lambda inner: st.tuples(inner, inner) | st.builds(Point, inner, inner)))
    def test_taken_apart_and_put_together_again(self, value):
        assert rebuild(value, iter(leaves(value))) == value
        assert shape(rebuild(value, iter(leaves(value)))) == shape(value)

    def test_streams_have_parts(self):
        s = sk.stream({1: 2}).map(max)
        assert dict(rebuild(s, iter(leaves(s)))) == dict(s)

    def test_functions_have_parts_where_they_hold_numbers(self):
        def adding(n):
            return lambda v: v + n

        assert leaves(adding(3)) == [3] and rebuild(adding(3), iter([10]))(1) == 11
        assert shape(adding(3)) == shape(adding(4)) and leaves(max) == [max]

    def test_a_function_that_holds_itself(self):
        def down(n):
            return 0 if n == 0 else down(n - 1)

        assert leaves(down) == [down]


class TestMonoids:
    @given(st.tuples(NUMBERS, NUMBERS), st.tuples(NUMBERS, NUMBERS), st.tuples(NUMBERS, NUMBERS))
    def test_they_are_associative(self, a, b, c):
        for monoid in (LEAST, GREATEST):
            assert monoid.combine(monoid.combine(a, b), c) == monoid.combine(a, monoid.combine(b, c))

    def test_the_least_and_greatest_of_tuples(self, engine):
        s = sk.stream({1: (3, 0.5), 2: (1, 2.5)})
        assert s.min() == (1, 0.5) and s.max() == (3, 2.5)
