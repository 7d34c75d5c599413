"""Rows in order: as numbers, column by column, or by NumPy; with values that follow, and equal rows added."""

import numpy as np
import pytest

from skipstone.storage import nesting, sorting
from skipstone.storage.levels import Compressed, Placed
from skipstone.storage.nesting import in_order, nested, unnested

ROWS = sorting.MANY + 5_000
SPANS = {
    "few": [(0, 50), (-7, 30)],
    "narrow": [(0, 50), (-7, 300)],
    "packed": [(-(2**20), 2**20), (0, 2**30)],
    "wide": [(0, 40), (-(2**62), 2**62), (2**40, 2**41)],
    "one": [(-(2**60), 2**60)],
    "beyond": [(-(2**63), 2**63 - 1), (0, 3)],
}


def columns(name, seed=0):
    seeded = np.random.default_rng(seed)
    found = [seeded.integers(low, high, ROWS) for low, high in SPANS[name]]
    for column in found:
        column[ROWS // 2 :] = column[: ROWS - ROWS // 2]  # each row of the first half comes twice
    return found


@pytest.mark.parametrize("name", SPANS)
def test_positions_are_those_of_a_plain_sort(name):
    made = columns(name)
    assert (sorting.packed_order(made) == np.lexsort(made[::-1])).all()


@pytest.mark.parametrize("name", SPANS)
@pytest.mark.parametrize("kind", ["int8", "float32", "float64", "bool"])
def test_values_of_equal_rows_are_added(name, kind, monkeypatch):
    monkeypatch.setattr(nesting, "RUNS", 1000)  # many blocks, some of which end amidst of a run
    made = columns(name)
    values = (np.arange(ROWS) % 100).astype(kind)
    expected = {}
    for *key, value in zip(*(c.tolist() for c in made), values.tolist(), strict=True):
        expected[tuple(key)] = expected.get(tuple(key), 0) + value
    codes, (sums,) = in_order([c.copy() for c in made], [values])
    rows = list(zip(*(c.tolist() for c in codes), strict=True))
    assert rows == sorted(expected) and sums.tolist() == [expected[row] for row in rows]


def test_one_run_may_be_longer_than_a_block(monkeypatch):
    monkeypatch.setattr(nesting, "RUNS", 1000)
    key = np.zeros(ROWS, np.int64)
    key[::7] = 5 << 40
    (codes,), (sums,) = in_order([key], [np.ones(ROWS)])
    assert codes.tolist() == [0, 5 << 40] and sums.tolist() == [ROWS - key[::7].size, key[::7].size]


@pytest.mark.parametrize("value", [2**53 + 1, -(2**53) - 1, -0.0, float("inf")])
def test_a_value_of_few_keys_stays_what_it_is(value):
    """Sums by place are sums of floats, and begin with 0.0."""
    key = np.arange(ROWS) % 100
    key[-1], values = 100, np.zeros(ROWS, np.array(value).dtype)
    values[-1] = value
    (codes,), (sums,) = in_order([key], [values])
    assert codes.tolist() == list(range(101)) and repr(sums[-1].item()) == repr(value) and not sums[:-1].any()


@pytest.mark.parametrize("name", SPANS)
def test_rows_come_back_from_their_levels(name):
    made = columns(name)
    codes, _ = in_order([c.copy() for c in made], [])
    back, _ = unnested(nested([c.copy() for c in made], [], None))
    assert all((a == b).all() for a, b in zip(codes, back, strict=True))


@pytest.mark.parametrize(("apart", "kind"), [(1, Placed), (4, Placed), (6, Compressed)])
def test_keys_have_places_where_one_of_four_is_there(apart, kind):
    """TPC-H's order keys were one too far apart: Q9 searched 150,000 of them for each line."""
    keys, others = np.arange(1, 101) * apart, np.arange(100) % 7
    made = nested([keys, others], [], None)
    assert type(made.root) is kind
    made.check()
    assert all((a == b).all() for a, b in zip(unnested(made)[0], [keys, others], strict=True))
    if kind is Placed:  # places are asked, and keys are walked
        starts = made.root.inner.starts.array
        assert made.root.size.value == keys[-1] + 1 == starts.size - 1 and starts.dtype == np.uint32
        assert list(made.stream().map(lambda key, row: row.sum())) == [(key, 1) for key in keys]
        assert made.root.places().map(lambda key, row: row.sum()).sum() == 100 and made[keys[9]] == {9 % 7: 1}


def test_sorting_leaves_the_columns_as_they_were():
    made = columns("packed")
    before = [c.copy() for c in made]
    in_order(made, [np.ones(ROWS)])
    nested(made, [], None)
    assert all((a == b).all() for a, b in zip(made, before, strict=True)) and len(made) == 2


@pytest.mark.parametrize(("size", "moved"), [(64, True), (63, False)])
def test_rows_of_a_matrix_begin_with_a_cache_line(size, moved):
    """If whole rows fill whole lines, and there are many; no other values are copied."""
    rows, columns = (n.ravel() for n in np.indices((3000, size)))
    values = nesting.aligned(np.arange(rows.size + 1.0))[1:]  # never at the beginning of a line
    trie = nested([rows, columns], [values], None)
    (leaf,) = nesting.leaves(trie)
    assert (leaf == values).all() and (leaf.ctypes.data % nesting.LINE == 0) is moved is not (leaf is values)
