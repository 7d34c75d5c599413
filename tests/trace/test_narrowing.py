"""Keys in four bytes: where they fit, nowhere else, and nobody outside of a kernel notices."""

from importlib import import_module

import numpy as np
import pytest

import skipstone as sk
from skipstone.combinators.through import Through
from skipstone.engines.compiled import trace
from skipstone.plan.threads import rows_below
from skipstone.storage.column import Column
from skipstone.storage.levels import Compressed, Leaf, Spread
from skipstone.storage.nesting import nested, unnested
from skipstone.words import Parameter, plus

from .test_llvm import both_ways

ENDS = np.array([0, 1, 2**31, 2**32 - 1], np.uint32)
SMALL = sk.Sorted(ENDS, np.arange(4)).stream()
OTHER = sk.Sorted(ENDS[1:], np.arange(3)).stream()
SIGNED = sk.Sorted(np.array([-5, 7], np.int32), np.array([1, 2])).stream()
WIDE = sk.Sorted(ENDS.astype(np.int64), np.arange(4)).stream()


def arrays_of(consume):
    """The kinds of the arrays that a program returns: keys, then values."""
    return [buffer.kind for buffer in trace(consume)[0].results]


def test_keys_are_gathered_as_they_came_and_values_wide():
    assert arrays_of(lambda: SMALL.collect()) == ["narrow", "int"]
    assert arrays_of(lambda: (SMALL * OTHER).collect()) == ["narrow", "int"]
    assert arrays_of(lambda: WIDE.collect()) == ["int", "int"]
    assert arrays_of(lambda: SIGNED.collect()) == ["int", "int"]
    assert SIGNED.collect() == {-5: 1, 7: 2}


@pytest.mark.parametrize(
    "f", [lambda k: -k, lambda k: k + 1, lambda k: k * 2, lambda k: k - 1, lambda k: max(k, 2**32), lambda k: k // 2]
)
def test_a_key_that_is_calculated_may_not_fit(f):
    def moved():
        return SMALL.map_keys(f).collect()

    assert arrays_of(moved) == ["int", "int"]
    expected = {}
    for key, value in zip(ENDS.tolist(), range(4), strict=True):
        expected[f(key)] = expected.get(f(key), 0) + value
    assert moved() == expected


@pytest.mark.parametrize("key", [5, 2**40, -3])
def test_a_captured_key_may_be_another_the_next_time(key):
    def moved():
        return SMALL.map_keys(lambda k: key).collect()

    assert arrays_of(moved)[0] == "int" and moved() == {key: 6}


def test_one_wide_key_makes_all_of_an_array_wide():
    far = sk.Sorted(np.array([5, 2**40]), np.array([1, 2])).stream()
    assert arrays_of(lambda: (SMALL + far).collect()) == ["int", "int"]
    assert (SMALL + far).collect()[2**40] == 2


@pytest.mark.parametrize("consume", [lambda: SMALL.collect(), lambda: (SMALL * OTHER).memo().sum()])
def test_both_ways_to_compile_agree(consume):
    directly, by_source = both_ways(consume)
    assert directly == by_source


def test_a_workspace_is_narrow_too():
    def consume():
        return sk.range(0, 3).map(lambda i, _: (SMALL * OTHER).map(lambda k, v: k).memo().sum()).sum()

    assert any(buffer.narrow for buffer in trace(consume)[0].buffers)
    assert consume() == 3 * int(ENDS[1:].astype(np.int64).sum())


@pytest.mark.parametrize(("below", "width"), [(2**32, "narrow"), (2**32 + 1, "int"), (None, "int")])
def test_marks_of_a_single_run_are_narrow_where_there_are_few_places(below, width):
    places = Parameter(400, "places", below)

    def consume():
        late = Through(sk.range(0, 3).map(lambda i, _: sk.range(0, 5)), places, plus)
        return late.collect()

    marks = [buffer for buffer in trace(consume)[0].buffers if buffer.array.hint == "marks"]
    assert [buffer.kind for buffer in marks] == [width] and consume() == {k: 3 * k for k in range(5)}


def test_structures_have_the_keys_that_they_always_had():
    assert SMALL.collect(into=sk.Sorted).root.keys.array.dtype == np.int64


@pytest.mark.parametrize(("low", "top", "width"), [(0, 2**32 - 1, 4), (0, 2**32, 8), (-1, 9, 8)])
def test_tables_are_narrow_where_all_of_a_column_fits(low, top, width):
    rows = {"a": np.array([5, 5, 6]), "b": np.array([top, 3, low]), "n": np.array([1, 2, 4])}
    table = sk.table(rows, keys=("a", "b"), value="n")
    level = table.trie((0, 1)).root.inner
    assert level.keys.array.itemsize == width and level.starts.array.dtype == np.uint32
    a, b, c = sk.axes("a b c")
    found = (table[a, b] * table[a, c]).sum(a).collect()
    assert all(column.dtype == np.int64 for column in found.columns().values())
    assert found.to_dict() == {(3, 3): 4, (3, top): 2, (top, 3): 2, (top, top): 1, (low, low): 16}


@pytest.mark.parametrize(("top", "width"), [(2**32 - 2, np.uint32), (2**32 - 1, np.int64), (2**40, np.int64)])
def test_threads_gather_narrow_keys_where_all_fit(top, width, monkeypatch):
    """One kernel for all bounds that lie below 2^32, another one for those that do not."""
    monkeypatch.setattr(import_module("skipstone.plan.run"), "wanted", lambda steps, before: 4)
    a = sk.axes("a")
    keys = np.array([0, 3, 9, 10, 700, top])
    one, other = (sk.table({"a": keys, "n": n}, value="n") for n in (np.arange(6), np.arange(6) * 2))
    with sk.options(threads=2):
        found = (one[a] * other[a]).collect()
    assert found.runs.whole().rows.keys[0].dtype == width
    assert found.to_dict() == {int(key): 2 * n * n for n, key in enumerate(keys)}


def test_rows_are_counted_beyond_what_fits():
    """Under each key 2^20 rows of a dense level: their number is a product of what is stored."""
    dense = Spread(Parameter(2**20, "size"), Leaf(()))
    inner = Compressed(column(np.arange(4096)), column([0, 2048, 4096]), dense)
    assert rows_below(Compressed(column([1, 7]), None, inner))[-1] == 2**32


def column(numbers):
    return Column(np.array(numbers, np.uint32), "some", object())


def test_rows_of_a_trie_are_codes_again():
    codes = [np.array([0, 0, 3]), np.array([1, 2, 9])]
    assert [k.dtype for k in unnested(nested(codes, [np.ones(3)], None))[0]] == [np.int64] * 2
