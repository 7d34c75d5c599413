"""Rows in runs: a result is laid out row by row when someone asks for its rows, and not before."""

import pickle
import threading
from importlib import import_module
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import skipstone as sk
from skipstone.plan.likeness import format_of, parts_of
from skipstone.storage.build import Rows
from skipstone.storage.nesting import nested, unnested
from skipstone.storage.runs import Behind, Runs


@st.composite
def rows_of_two(draw):
    """Different pairs in order, with a value each."""
    pairs = sorted(draw(st.sets(st.tuples(st.integers(0, 40), st.integers(0, 40)), min_size=1, max_size=60)))
    return np.array(pairs).T, np.arange(len(pairs)) * 0.5


def runs_of(keys, values, at=(0, 1)):
    outer, first = np.unique(keys[0], return_index=True)
    starts = np.append(first, values.size)
    return Runs(Rows([outer, keys[1]], [None, starts], [values]), at, True)


@given(rows_of_two())
def test_they_lie_like_rows_that_are_sorted(found):
    keys, values = found
    runs, model = runs_of(keys, values), nested(list(keys), [values], None)
    assert runs.size == values.size and [c.tolist() for c in runs.columns()] == keys.tolist()
    trie = runs.trie((0, 1), None)
    assert [format_of(p) for p in parts_of(trie)] == [format_of(p) for p in parts_of(model)]
    assert [k.tolist() for k in unnested(trie)[0]] == keys.tolist()
    assert unnested(trie)[1][0].tolist() == values.tolist()
    turned = runs_of(keys, values, at=(1, 0))
    assert [c.tolist() for c in turned.columns()] == keys[::-1].tolist()
    assert turned.trie((0, 1), None) is None and turned.trie((1, 0), None) is not None


@given(rows_of_two(), st.lists(st.integers(0, 41), max_size=3), st.sampled_from([1, 2]))
def test_ranges_of_the_outermost_keys_are_put_behind_each_other(found, cuts, threads):
    keys, values = found
    bounds = [0, *sorted(cuts), 42]
    inside = [(keys[0] >= lo) & (keys[0] < hi) for lo, hi in pairwise(bounds)]
    joined = Behind([runs_of(keys[:, each], values[each]) for each in inside if each.any()], threads)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(import_module("skipstone.storage.runs"), "MANY", 0)
        joined.whole()
    assert joined.size == values.size and [c.tolist() for c in joined.columns()] == keys.tolist()
    assert joined.leaves[0].tolist() == values.tolist() and joined.trie((0, 1), None) is not None
    assert [c.tolist() for c in pickle.loads(pickle.dumps(joined)).columns()] == keys.tolist()


@given(rows_of_two(), st.integers(0, 41), st.booleans())
def test_parts_that_are_not_in_order_are_sorted_each(found, cut, turned):
    keys, values = found
    before = keys[0] < cut
    parts = []
    for each in (before, ~before):
        runs = runs_of(keys[:, each], values[each], at=(1, 0) if turned else (0, 1))
        back = np.concatenate([np.arange(0), *(np.arange(a, b)[::-1] for a, b in pairwise(runs.starts()[0]))])
        rows = Rows([runs.rows.keys[0], runs.rows.keys[1][back]], runs.rows.starts, [runs.leaves[0][back]])
        parts += [Runs(rows, runs.at, False)] * (runs.size > 0)
    codes, leaves = Behind(parts, 2).in_order()
    order = np.lexsort(keys if turned else keys[::-1])
    assert [c.tolist() for c in codes] == keys[:, order][:: -1 if turned else 1].tolist()
    assert leaves[0].tolist() == values[order].tolist()


@given(rows_of_two(), st.booleans())
def test_their_keys_alone_lie_as_they_do(found, turned):
    keys, values = found
    order = (1, 0) if turned else (0, 1)
    alone = runs_of(keys, values).keys_alone(order)
    assert alone.leaves == [] and [c.tolist() for c in alone.columns()] == keys[list(order)].tolist()
    lies = tuple(np.argsort(order).tolist())
    assert [k.tolist() for k in unnested(alone.trie(lies, None))[0]] == keys.tolist()
    again = alone.keys_alone(order)  # turned back
    assert [c.tolist() for c in again.columns()] == keys.tolist()


def test_the_set_of_a_results_rows_is_not_sorted(monkeypatch):
    i, j = sk.axes("i j")
    T = sk.table({"i": [0, 2, 2], "j": [1, 1, 5], "v": [3, -1, 4]}, value="v")
    found = (T[i, j] * T[i, j]).collect()
    assert found.runs is not None
    for module in ("table", "storage.runs"):
        monkeypatch.setattr(import_module(f"skipstone.{module}"), "in_order", None)
    rows, turned = found.as_set(), found.projected((1, 0))
    for each in (rows[i, j], turned[j, i]):
        assert each.count().collect(order=[i, j]) == 3
    monkeypatch.undo()
    assert rows.to_dict() == dict.fromkeys([(0, 1), (2, 1), (2, 5)], 1)
    assert turned.to_dict() == dict.fromkeys([(1, 0), (1, 2), (5, 2)], 1)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_result_in_order_is_read_again_without_being_sorted(threads, monkeypatch):
    i, j = sk.axes("i j")
    a, b = (np.divmod(np.random.default_rng(n).permutation(90_000)[:40_000], 300) for n in (0, 1))
    A, B = (sk.table({"i": x, "j": y, "v": x + 0.5}, value="v") for x, y in (a, b))
    monkeypatch.setattr(import_module("skipstone.plan.run"), "wanted", lambda steps, before: 4 * (threads - 1) or 1)
    with sk.options(threads=threads):
        both = (A[i, j] * B[i, j]).collect()
        assert both.runs is not None
        assert isinstance(both.runs, Behind) == (threads > 1)
        for module in ("table", "storage.runs"):
            monkeypatch.setattr(import_module(f"skipstone.{module}"), "in_order", None)
        again = (both[i, j] * A[i, j]).sum().collect()
    monkeypatch.undo()
    model, one = both.to_dict(), A.to_dict()
    assert again == pytest.approx(sum(v * one[k] for k, v in model.items()))
    two = B.to_dict()
    assert model == pytest.approx({k: v * two[k] for k, v in one.items() if k in two})


def test_what_pieces_read_of_earlier_steps_is_laid_out_before_they_run(monkeypatch):
    a, b, c = sk.axes("a b c")
    R, S = (
        sk.table({"x": n * 7 % 401, "y": n * 3 % 397}, keys=["x", "y"], name="E")
        for n in np.arange(40_000)[None] + [[0], [5]]
    )
    query = (R[a, b] * S[b, c]).sum()
    monkeypatch.setattr(import_module("skipstone.plan.run"), "wanted", lambda steps, before: 4)
    runs, by = import_module("skipstone.storage.runs"), []
    laid_out = runs.laid_out

    def noted(*arguments):
        by.append(threading.current_thread())
        return laid_out(*arguments)

    with sk.options(threads=2):
        first = query.collect()
        monkeypatch.setattr(runs, "laid_out", noted)
        assert query.collect() == first
    assert by and set(by) == {threading.main_thread()}
