"""What is fetched before it is needed: large rows that are read here and there. Answers never depend on it."""

import numpy as np
import pytest

import skipstone as sk
from skipstone.plan.fetching import LARGE, Lines, goes_on, is_scattered, lines_of
from skipstone.storage.levels import Compressed

i, j, k, a, b, c = sk.axes("i j k a b c")
RNG = np.random.default_rng(5)


def matrix(rows, columns):
    """Every cell a row of the table; so many rows that it is large, and none is empty."""
    at = [x.ravel() for x in np.indices((rows, columns))]
    return sk.table({"row": at[0], "col": at[1], "x": RNG.random(rows * columns)}, value="x")


def sparse(rows, columns, many):
    """Entries at scattered places, some in each row."""
    keys = np.unique(RNG.integers(0, rows * columns, many))
    return sk.table({"i": keys // columns, "j": keys % columns, "x": RNG.random(keys.size)}, value="x")


def level(table, *order):
    return table.trie(order).root


def fetched(expression):
    return [line.strip() for line in str(expression.explain()).splitlines() if "fetched ahead" in line]


def test_rows_of_a_large_matrix_are_fetched_and_sums_are_what_they_are():
    S, U, V = sparse(3000, 3000, 30_000), matrix(3000, 64), matrix(3000, 64)
    sampled = (S[i, j] * U[i, k] * V[j, k]).sum(k)
    assert fetched(sampled) == ["fetched ahead: T[j, k], at each j"]
    found, columns = sampled.collect().columns(), S.columns()
    u, v = (t.columns()["value"].reshape(3000, 64) for t in (U, V))
    expected = columns["value"] * np.einsum("ek,ek->e", u[columns["i"]], v[columns["j"]])
    assert np.allclose(found["value"], expected)
    with sk.options(threads=2):
        assert np.allclose(sampled.collect().columns()["value"], expected)


def test_runs_of_a_large_graph_are_fetched():
    src, dst = RNG.integers(0, 2**17, (2, 400_000))
    edges = sk.table({"src": np.minimum(src, dst), "dst": np.maximum(src, dst)}, name="E")
    triangles = sk.sum(edges[a, b] * edges[b, c] * edges[a, c])
    assert len(fetched(triangles)) == 1
    assert triangles.collect() == triangles.collect(memo=False)


def test_small_tables_are_at_hand_anyway():
    S, V = sparse(100, 100, 500), matrix(100, 64)
    assert level(V, 0, 1).inner.inner.columns[0].array.nbytes < LARGE
    assert fetched((S[i, j] * V[j, k]).sum(j)) == []


def test_rows_are_not_fetched_where_few_keys_are_come_to():
    """Those some places further in the column are not the next ones then: TPC-H Q5 lost half of its time."""
    S, U, V = sparse(3000, 3000, 9000), matrix(3000, 64), matrix(3000, 64)
    few = sk.table({"i": [5, 1000, 2000]})
    assert fetched((few[i] * S[i, j] * U[i, k] * V[j, k]).sum(k)) == ["fetched ahead: T[i, k], at each i"]
    assert fetched((S[i, j] * U[i, k] * V[j, k]).sum(k)) == ["fetched ahead: T[j, k], at each j"]


def test_rows_of_keys_that_follow_each_other_are_not_fetched():
    """Ten million edges of two stars took 85 ms instead of 62."""
    band = sk.table({"i": np.repeat(np.arange(3000), 2), "j": (np.repeat(np.arange(3000), 2) + [0, 1] * 3000) % 3000})
    assert fetched((band[i, j] * matrix(3000, 64)[j, k]).sum(j)) == []


def test_nothing_is_read_at_a_place_that_a_table_does_not_have():
    """Which run will be needed is read from an array, at a key that may be too large for it, or negative."""
    src, dst = RNG.integers(0, 2**17, (2, 400_000))
    edges = sk.table({"src": src, "dst": dst}, name="E")
    far = np.where(RNG.random(50_000) < 0.5, -(2**40), 2**40) + RNG.integers(0, 2**30, 50_000)
    near = RNG.integers(0, 2**17, 50_000)
    which = np.where(RNG.random(50_000) < 0.1, near, far)
    of = sk.table({"i": np.arange(50_000), "j": which}, name="F")
    reached = (of[i, j] * edges[j, k]).sum(j)
    assert fetched(reached) == []
    degrees = np.bincount(np.unique(src * 2**17 + dst) // 2**17, minlength=2**17)
    assert sk.sum(of[i, j] * edges[j, k]).collect() == degrees[which[which == near]].sum()
    assert len(reached.collect()) == degrees[which[which == near]].sum()


@pytest.mark.parametrize(
    ("keys", "scattered"),
    [([], False), ([7], False), ([1, 2, 3, 5, 6], False), ([3, 900, 20, 4000, 77], True), ([0, 0, 0, 0], False)],
)
def test_neighbours_are_close_or_scattered(keys, scattered):
    assert is_scattered(np.array(keys, np.uint32)) == scattered


def test_a_run_goes_on_where_it_is_long_or_all_of_its_table_is_walked():
    keys = level(sparse(100, 100, 1000), 0, 1).inner
    assert isinstance(keys, Compressed)
    size = keys.keys.size
    assert goes_on(keys, size, 100) and goes_on(keys, size * 40, size)
    assert not goes_on(keys, size / 10, size / 20) and not goes_on(keys, size * 4, size * 2)


def test_as_many_lines_are_on_their_way_whatever_the_rows_are():
    rows = lines_of(level(matrix(3000, 64), 0, 1))
    assert rows == Lines(8, 8) and rows.ahead == 4
    assert lines_of(level(matrix(1000, 500), 0, 1)).ahead == 2
    assert lines_of(level(matrix(70_000, 2), 0, 1)).ahead == 8
