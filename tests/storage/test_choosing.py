"""Sorted arrays that are multiplied choose how to seek by a look at each other; what was asked for is kept."""

import numpy as np
import pytest

import skipstone as sk

LONG = 100_000


def keys(start, step, many=LONG):
    return np.arange(start, start + step * many, step)


def seeks(*arrays, seek="by data"):
    factors = [sk.Sorted(array, seek=seek).stream() for array in arrays]
    product = factors[0]
    for factor in factors[1:]:
        product = product * factor
    assert product.count() == len(set(arrays[0].tolist()).intersection(*(a.tolist() for a in arrays[1:])))
    return [f.how.function.__name__ for f in product.factors]


def test_keys_that_lie_equally_close_are_stepped():
    third = 2 * LONG // 3  # as far as the others go
    assert seeks(keys(0, 2), keys(0, 3, third)) == ["linear"] * 2
    assert seeks(keys(0, 2), keys(0, 3, third), keys(1, 3, third)) == ["linear"] * 3


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(keys(0, 100), id="sparser"),
        pytest.param(keys(10**7, 2), id="elsewhere"),
        pytest.param(keys(0, 2, 100), id="short"),
        pytest.param(np.concatenate([keys(0, 2, LONG // 2), keys(10**8, 2, LONG // 2)]), id="half of it elsewhere"),
    ],
)
def test_others_are_leapt_in(other):
    assert seeks(keys(0, 2), other) == ["adaptive"] * 2


def test_a_third_one_changes_what_two_had_chosen():
    assert seeks(keys(0, 2), keys(0, 3), keys(0, 2, 50)) == ["adaptive"] * 3


def test_what_was_asked_for_is_kept():
    assert seeks(keys(0, 2), keys(0, 3), seek="gallop") == ["gallop"] * 2


def test_with_something_else_nothing_is_chosen():
    a = sk.Sorted(keys(0, 2)).stream()
    assert (a * sk.range(0, 10)).count() == 5
    assert (a * a.filter(lambda k, v: k % 3 == 0)).count() == len(range(0, 2 * LONG, 6))
