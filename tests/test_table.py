"""Tables: their rows, and what becomes of them when there is a sorted copy."""

import itertools
import weakref

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import skipstone as sk
from skipstone.storage.nesting import leaves

SEEDED = np.random.default_rng(0)
KEYS = ["a", "b", "c"]
COLUMNS = {key: SEEDED.integers(0, 5, 200) for key in KEYS} | {"v": SEEDED.integers(-9, 9, 200).astype(np.int8)}
ORDERS = list(itertools.permutations(range(3)))


@pytest.fixture
def read(tmp_path):
    """The same columns, from a file and from here."""
    parquet.write_table(pa.table(COLUMNS), tmp_path / "t.parquet")

    def read():
        return sk.table(tmp_path / "t.parquet", KEYS, "v"), sk.table(COLUMNS, KEYS, "v")

    return read


def test_rows_of_a_file_go_when_there_is_a_sorted_copy(read):
    filed, _ = read()
    arrays = [weakref.ref(array) for array in (*filed.codes, *filed.values)]
    filed.trie((0, 1))
    assert all(array() is not None for array in arrays), "that copy lacks a column"
    filed.trie((2, 0, 1))
    assert [array() for array in arrays] == [None] * 4


def test_rows_from_elsewhere_stay(read):
    _, here = read()
    here.trie((0, 1, 2))
    assert here.codes[0] is here.codes[0] and here.codes[0].size == 200


@pytest.mark.parametrize("first", ORDERS)
def test_a_table_whose_rows_are_gone_answers_as_before(read, first):
    filed, here = read()
    filed.trie(first)
    assert filed.size == 200 and len(filed) == len(here) and repr(filed) == repr(here)
    assert [filed.span(n) for n in range(3)] == [here.span(n) for n in range(3)]
    assert [filed.distinct([n]) for n in range(3)] == [here.distinct([n]) for n in range(3)]
    for order in ORDERS:
        one, two = filed.trie(order), here.trie(order)
        assert one == two and leaves(one)[0].dtype == leaves(two)[0].dtype
    assert filed.pinned(1, 3).to_dict() == here.pinned(1, 3).to_dict()
    assert filed.diagonal(0, 2).to_dict() == here.diagonal(0, 2).to_dict()
    assert filed.projected([2, 0]).to_dict() == here.projected([2, 0]).to_dict()
    assert filed.as_set().to_dict() == here.as_set().to_dict()
    assert filed.named("T").to_dict() == filed.to_dict() == here.to_dict()


def test_rows_that_are_sorted_meanwhile_are_not_mixed_up(read):
    filed, here = read()

    def holds(codes):
        filed.trie((2, 1, 0))  # another thread might
        return codes[1] == 3

    assert filed.where(holds).to_dict() == here.rows(here.codes[1] == 3).to_dict()
