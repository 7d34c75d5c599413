"""What the planner knows of a table: how often each key occurs."""

from collections import Counter

import numpy as np
import pytest

from skipstone.storage.lengths import occurring
from skipstone.storage.nesting import by_place
from skipstone.storage.sorting import BLOCK

SEEDED = np.random.default_rng(0)
CODES = {
    "by place": SEEDED.integers(0, 40, 300),
    "by place, far beyond a byte": np.concatenate([np.full(70_000, 3), np.arange(10)]),
    "far apart": SEEDED.integers(0, 40, 300) * 10**12,
    "below zero": SEEDED.integers(-20, 20, 300),
    "floats": SEEDED.integers(0, 40, 300) / 4,
    "all different": SEEDED.permutation(300) * 10**12,
    "none": np.zeros(0, np.int64),
}


@pytest.mark.parametrize("codes", CODES.values(), ids=CODES)
def test_every_code_is_counted(codes):
    found, wanted = occurring(codes), Counter(codes.tolist())
    assert found.keys.tolist() == sorted(wanted) and found.size == len(wanted) and found.total == codes.size
    assert found.counts[found.counts != 0].tolist() == [wanted[key] for key in sorted(wanted)]
    assert found.alone().keys.tolist() == sorted(wanted) and found.alone().total == len(wanted)


@pytest.mark.parametrize("one", CODES.values(), ids=CODES)
@pytest.mark.parametrize("two", CODES.values(), ids=CODES)
def test_the_mean_is_over_the_rows_of_the_other(one, two):
    counts, others = Counter(one.tolist()), Counter(two.tolist())
    wanted = sum(counts[key] * often for key, often in others.items()) / max(two.size, 1)
    assert occurring(one).mean_over(occurring(two)) == wanted


def test_counts_take_a_byte_as_long_as_they_fit():
    assert occurring(CODES["by place"]).counts.dtype == np.uint8
    assert occurring(CODES["far apart"]).counts.dtype == np.uint8
    assert occurring(CODES["by place, far beyond a byte"]).counts.dtype == np.uint32


def test_places_without_a_key_have_an_empty_run():
    assert by_place(np.array([1, 3]), np.array([0, 2, 5]), 5).tolist() == [0, 0, 2, 2, 5, 5]


def test_places_are_the_same_over_several_blocks():
    keys = np.sort(SEEDED.permutation(5 * BLOCK)[: 2 * BLOCK + 7])
    lengths = SEEDED.integers(1, 4, keys.size)
    found = by_place(keys, np.concatenate([[0], np.cumsum(lengths)]), 5 * BLOCK)
    assert (np.diff(found)[keys] == lengths).all() and found[-1] == lengths.sum()
