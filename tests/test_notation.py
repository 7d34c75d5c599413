"""Index notation: against loops over everything, in plain Python; and what it refuses."""

import warnings
from importlib import import_module
from itertools import pairwise, product
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import skipstone as sk
from skipstone import errors
from skipstone.algebra import SEMIRINGS, laws_broken
from skipstone.notation import axis

AXES = [axis(name) for name in "ijkl"]
NAMES = ["ann", "bob", "cy", "dee", "eve"]


def message(kind, action):
    with pytest.raises(kind) as raised:
        action()
    return str(raised.value)


class Case(NamedTuple):
    expression: object
    tables: list  # (rows: dict from keys to value, places)
    absents: list
    optionals: list  # with the default
    conditions: list  # (op, axis, axis or key)
    head: tuple
    text: str


@st.composite
def cases(draw):
    """A product of tables with what it is made of, so that a model can work it out."""
    keys = st.sampled_from(draw(st.sampled_from([NAMES, [0, 1, 2, 3, 7], [0.5, 1.5, -2.0, 3.0]])))

    def a_table(depth, valued=None):
        rows = draw(st.dictionaries(st.tuples(*[keys] * depth), st.integers(-3, 3), max_size=8))
        valued = draw(st.booleans()) if valued is None else valued
        columns = {f"c{n}": [row[n] for row in rows] for n in range(depth)}
        if not rows:
            kind = type(draw(keys))
            columns = {name: np.array([], object if kind is str else kind) for name in columns}
        if valued:
            made = sk.table({**columns, "v": np.array(list(rows.values()), int)}, keys=list(columns), value="v")
        else:
            made, rows = sk.table(columns, keys=list(columns)), dict.fromkeys(rows, 1)
        return made, rows

    tables, bound = [], []
    expression = None
    for _ in range(draw(st.integers(1, 3))):
        depth = draw(st.integers(1, 3))
        made, rows = a_table(depth)
        places = [draw(st.sampled_from(AXES)) if draw(st.integers(0, 6)) else draw(keys) for _ in range(depth)]
        if not any(p is a for p in places for a in AXES):
            places[0] = draw(st.sampled_from(AXES))
        bound += [p for p in places if any(p is a for a in AXES)]
        factor = made[tuple(places)]
        expression = factor if expression is None else expression * factor
        tables.append((rows, places))
    bound = [a for a in AXES if any(a is b for b in bound)]
    absents, optionals, conditions = [], [], []
    if draw(st.integers(0, 2)) == 0:
        made, rows = a_table(2)
        places = [draw(st.sampled_from(bound)) for _ in range(2)]
        expression = expression * ~made[tuple(places)]
        absents.append((rows, places))
    if draw(st.integers(0, 2)) == 0:
        made, rows = a_table(2, valued=True)
        places = [draw(st.sampled_from(bound)) for _ in range(2)]
        expression = expression * made[tuple(places)].default(5)
        optionals.append((rows, places))
    for _ in range(draw(st.integers(0, 2))):
        op, left = draw(st.sampled_from(["<", "<=", "==", "!=", ">", ">="])), draw(st.sampled_from(bound))
        right = draw(st.sampled_from(bound)) if draw(st.booleans()) else draw(keys)
        if right is left:
            continue
        expression = expression * {"<": left.__lt__, "<=": left.__le__, "==": left.__eq__, "!=": left.__ne__,
                                   ">": left.__gt__, ">=": left.__ge__}[op](right)  # fmt: skip
        conditions.append((op, left, right))
    head = tuple(a for a in bound if draw(st.booleans()))
    gone = [a for a in bound if not any(a is h for h in head)]
    summed = expression.sum(*gone) if gone else expression
    return Case(summed, tables, absents, optionals, conditions, head, repr(summed))


def model(case):
    """Every way to give the axes keys, tried."""
    everything = {k for rows, _ in (*case.tables, *case.absents, *case.optionals) for row in rows for k in row}
    axes = [a for a in AXES if any(a is p for _, places in case.tables for p in places)]
    tests = {"<": lambda x, y: x < y, "<=": lambda x, y: x <= y, "==": lambda x, y: x == y, "!=": lambda x, y: x != y,
             ">": lambda x, y: x > y, ">=": lambda x, y: x >= y}  # fmt: skip
    found = {}
    for chosen in product(sorted(everything), repeat=len(axes)):
        at = {id(a): key for a, key in zip(axes, chosen, strict=True)}

        def row(places, at=at):
            return tuple(at.get(id(p), p) for p in places)

        if not all(row(places) in rows for rows, places in case.tables):
            continue
        if any(row(places) in rows for rows, places in case.absents):
            continue
        if not all(tests[op](at[id(a)], at.get(id(b), b)) for op, a, b in case.conditions):
            continue
        value = 1
        for rows, places in case.tables:
            value *= rows[row(places)]
        for rows, places in case.optionals:
            value *= rows.get(row(places), 5)
        key = tuple(at[id(h)] for h in case.head)
        found[key] = found.get(key, 0) + value
    return found


def result(case, **options):
    got = case.expression.collect(**options)
    if not case.head:
        return {(): got}
    at = [got.keys.index(h.name) for h in case.head]  # columns are in the order in which axes occur
    rows = got.to_dict() if len(case.head) > 1 else {(k,): v for k, v in got.to_dict().items()}
    return {tuple(key[n] for n in at): value for key, value in rows.items()}


def agrees(case, **options):
    wanted, got = model(case), result(case, **options)
    assert got == (wanted or ({(): 0} if not case.head else {})), case.text


@settings(max_examples=300)
@given(cases())
def test_interpreted_agrees_with_the_model(case):
    with sk.engine("interpreted"):
        agrees(case)
        agrees(case, memo=False)


@settings(max_examples=40)
@given(cases())
def test_compiled_agrees_with_the_model(case):
    agrees(case)
    agrees(case)  # as it was planned


@settings(max_examples=100)
@given(cases(), st.randoms())
def test_any_order_gives_the_same(case, random):
    axes = [a for a in AXES if any(a is p for _, places in case.tables for p in places)]
    random.shuffle(axes)
    with sk.engine("interpreted"):
        agrees(case, order=axes)


EDGES = {"src": ["ann", "bob", "ann", "cy"], "dst": ["bob", "cy", "cy", "ann"]}


class TestTables:
    def test_from_many_sources(self, tmp_path):
        import pandas as pd
        import polars as pl
        import pyarrow as pa
        import pyarrow.parquet as pq

        arrow = pa.table(EDGES)
        pq.write_table(arrow, tmp_path / "edges.parquet")
        frame = pd.DataFrame(EDGES)
        wanted = dict.fromkeys(sorted(zip(EDGES["src"], EDGES["dst"], strict=True)), 1)
        categories = frame.astype("category")
        polars = pl.DataFrame(EDGES)
        for data in (
            EDGES,
            arrow,
            frame,
            categories,
            polars,
            tmp_path / "edges.parquet",
            str(tmp_path / "edges.parquet"),
        ):
            assert sk.table(data).to_dict() == wanted
        assert sk.table(np.array([[1, 2], [3, 4]])).to_dict() == {(1, 2): 1, (3, 4): 1}

    @pytest.mark.parametrize(
        "column",
        [
            np.array([3, 1, 2], np.int8),
            np.array([3, 1, 2], np.uint32),
            np.array([True, False, True]),
            np.array([0.5, -1.0, 1e300]),
            np.array(["2013-01-03", "2012-01-01", "2013-01-02"], "datetime64[D]"),
            np.array(["2013-01-03T10:00", "2012-01-01", "2013-01-02"], "datetime64[s]"),
            np.array(["b", "a", "é"]),
            ["b", "a", "ab"],
        ],
        ids=lambda c: str(getattr(c, "dtype", "list")),
    )
    def test_keys_come_back_as_they_went_in(self, column):
        back = sk.table({"k": column}).columns()["k"]
        assert back.tolist() == sorted(set(np.asarray(column).tolist()))
        if isinstance(column, np.ndarray) and column.dtype.kind in "bM":
            assert back.dtype == column.dtype

    def test_values(self):
        data = {"k": ["a", "b", "a"], "x": [1, 2, 3], "y": [0.5, 1.5, 2.5]}
        assert sk.table(data, keys="k", value="x").to_dict() == {"a": 4, "b": 2}
        several = sk.table(data, keys="k", value=["x", "y"])
        assert several.to_dict()["a"] == (4, 3.0) and several.to_dict()["a"]._fields == ("x", "y")
        k = axis("k")
        assert several[k].map(lambda v: v.x * v.y).sum().collect() == 4 * 3.0 + 2 * 1.5
        assert len(sk.table(data, keys="k")) == 2

    def test_nulls(self):
        data = {"k": ["a", None, "b"], "x": [1.0, 2.0, 3.0]}
        with pytest.warns(UserWarning, match="1 row without a key in column 'k'"):
            assert sk.table(data, keys="k", value="x").to_dict() == {"a": 1.0, "b": 3.0}
        assert "1 row without a key" in message(errors.NotAKey, lambda: sk.table(data, keys="k", nulls="refuse"))
        with pytest.warns(UserWarning, match="without a key"):
            assert len(sk.table({"k": [1.0, float("nan")]})) == 1

    def test_nulls_of_every_library(self):
        import datetime

        import pandas as pd
        import polars as pl
        import pyarrow as pa

        day = datetime.date(2020, 1, 2)
        for column, wanted in (
            (pd.array([1, None, 3], dtype="Int64"), [1, 3]),
            (pd.array(["a", None, "b"], dtype="string"), ["a", "b"]),
            (pl.Series(["a", None]), ["a"]),
            (pl.Series([day, None]), [day]),
            (pa.array([True, None, False]), [False, True]),
            (pa.array([day, None]), [day]),
            ([day, None], [day]),
            ([datetime.datetime(2020, 1, 2, 3), None], [datetime.datetime(2020, 1, 2, 3)]),
        ):
            with pytest.warns(UserWarning, match="1 row without a key"):
                assert list(sk.table({"k": column}).to_dict()) == wanted

    def test_values_that_are_missing(self):
        """They were taken for 0. NaN is a value, and stays one."""
        import pyarrow as pa

        for values in (pa.array([1, None]), pa.array([1.0, None]), [1.0, None]):
            with pytest.warns(UserWarning, match="1 row without a value in column 'v'"):
                assert sk.table({"k": [5, 6], "v": values}, value="v").to_dict() == {5: 1}
        assert "without a value" in message(
            errors.NotAKey, lambda: sk.table({"k": [5], "v": pa.array([None], pa.int64())}, value="v", nulls="refuse")
        )
        assert np.isnan(sk.table({"k": [5], "v": np.array([np.nan])}, value="v").to_dict()[5])

    def test_what_they_refuse(self):
        assert "there is no column 'z'" in message(errors.BadOption, lambda: sk.table(EDGES, keys=["z"]))
        assert "different lengths" in message(errors.LengthsDiffer, lambda: sk.table({"a": [1], "b": [1, 2]}))
        assert "is not a table" in message(errors.NotACollection, lambda: sk.table(5))
        assert "several types" in message(errors.MixedKeys, lambda: sk.table({"a": ["x", 1]}))
        assert "needs a column of keys" in message(errors.BadOption, lambda: sk.table({"a": [1]}, value="a"))

    def test_results_are_tables_again(self):
        import pandas as pd

        e = sk.table(EDGES, name="E")
        a, b, c = sk.axes("a b c")
        two = (e[a, b] * e[b, c]).sum(b).collect()
        assert (two[a, c] * e[a, c]).collect().to_dict() == {("ann", "cy"): 1}
        frame = (e[a, b] * e[b, c]).sum(b).collect(into="pandas")
        assert isinstance(frame, pd.DataFrame) and list(frame.columns) == ["a", "c", "value"]
        assert (e[a, b]).collect(into="arrow").column_names == ["a", "b", "value"]
        assert "cannot collect" in message(errors.BadOption, lambda: e[a, b].collect(into="nowhere"))


class TestNotation:
    def test_strings_of_two_tables_meet(self):
        one = sk.table({"k": ["a", "c", "e"], "v": [1, 2, 3]}, keys="k", value="v")
        two = sk.table({"k": ["b", "c", "d", "e"], "v": [10, 20, 30, 40]}, keys="k", value="v")
        k, m = sk.axes("k m")
        assert (one[k] * two[k]).collect().to_dict() == {"c": 40, "e": 120}
        assert (one[k] * two[m] * (k < m)).sum(m).collect().to_dict() == {"a": 100, "c": 140}
        assert (one[k] + two[k]).collect().to_dict() == {"a": 1, "b": 10, "c": 22, "d": 30, "e": 43}
        assert (one[k] * (k >= "b")).collect().to_dict() == {"c": 2, "e": 3}
        assert (one[k] * (k == "zebra")).collect().to_dict() == {}

    def test_aggregates(self):
        t = sk.table({"i": [1, 1, 2], "j": [1, 2, 1], "v": [3, 5, 4]}, keys=["i", "j"], value="v")
        i, j = sk.axes("i j")
        assert t[i, j].min(j).collect().to_dict() == {1: 3, 2: 4}
        assert t[i, j].max().collect() == 5 and t[i, j].min().collect() == 3
        assert t[i, j].count(j).collect().to_dict() == {1: 2, 2: 1} and t[i, j].count().collect() == 3
        assert t[i, j].sum(semiring="count").collect() == 3 == sk.sum(t[i, j], semiring=sk.count).collect()
        assert t[i, j].any().collect() is True and (t[i, j] * (i > 5)).any().collect() is False
        assert (t[i, j] * (i > 5)).max().collect() is None and (t[i, j] * (i > 5)).sum().collect() == 0
        assert (2 * t[i, j] - t[j, i]).collect().to_dict() == {(1, 1): 3, (1, 2): 6, (2, 1): 3}

    def test_shortest_steps(self):
        far = 10**6
        d = sk.table({"i": [0, 0, 1, 2], "j": [1, 2, 2, 0], "v": [1, far, 1, 5]}, keys=["i", "j"], value="v")
        i, j, k = sk.axes("i j k")
        two = (d[i, j] * d[j, k]).sum(j, semiring=sk.min_plus).collect().to_dict()
        assert two[0, 2] == 2 and two[1, 0] == 6
        assert (d[i, j] * d[j, k]).sum(j, semiring="max_plus").collect().to_dict()[0, 0] == far + 5

    def test_a_row_without_a_match_is_no_row(self):
        """The group of a projection that nothing falls into is not there, and not 0."""
        e = sk.table({"a": [1, 2], "b": [2, 3]})
        a, b, c = sk.axes("a b c")
        assert (e[a, b] * e[b, c]).sum(c).collect().to_dict() == {(1, 2): 1}

    def test_parts_are_summed_first(self):
        e = sk.table({"a": [1, 2, 3, 1], "b": [2, 3, 1, 3]})
        a, b, c, x, y, z = sk.axes("a b c x y z")
        barbell = (e[a, b] * e[b, c] * e[a, c] * e[a, x] * e[x, y] * e[y, z] * e[x, z]).sum()
        assert "summed first" in str(barbell.explain()) and "summed first" not in str(barbell.explain(memo=False))
        assert barbell.collect() == barbell.collect(memo=False)
        chain = (e[a, b] * e[b, c] * e[c, x] * e[x, y]).sum()
        assert chain.collect() == chain.collect(memo=False)

    def test_what_is_refused(self):
        e = sk.table(EDGES, name="E")
        n = sk.table({"k": [1, 2]}, name="N")
        a, b, c = sk.axes("a b c")
        told = message(errors.MixedKeys, lambda: (e[a, b] * n[a]).collect())
        assert "E.src holds str keys and N.k holds int keys" in told
        assert "has 2 key columns, and is given 1 place" in message(errors.BadOption, lambda: e[a])
        assert "c is not an axis of" in message(errors.BadOption, lambda: e[a, b].sum(c))
        assert "occurs only in" in message(errors.BadOption, lambda: (e[a, b] * (a < c)).collect())
        assert "occurs only in" in message(errors.BadOption, lambda: (e[a, b] * ~e[b, c]).collect())
        assert "same axes" in message(errors.BadOption, lambda: (e[a, b] + e[b, c]).collect())
        assert "does not name the axes" in message(errors.BadOption, lambda: e[a, b].collect(order=[a]))
        assert "no semiring called" in message(errors.BadOption, lambda: e[a, b].sum(semiring="x"))
        with pytest.raises(TypeError, match="no truth of its own"):
            assert a < b

    def test_a_user_s_function(self):
        e = sk.table({"i": [1, 2, 3], "v": [1.0, 4.0, 9.0]}, keys="i", value="v")
        (i,) = [axis("i")]
        assert e[i].map(lambda i, v: v / i).collect().to_dict() == {1: 1.0, 2: 2.0, 3: 3.0}
        names = sk.table({"k": ["a"], "v": [1.0]}, keys="k", value="v")
        assert "for its strings" in message(errors.UnsupportedValue, names[i].map(lambda k, v: v).collect)
        assert e[i].map(lambda v: v**0.5 if v > 1 else 0.0).collect().to_dict() == {1: 0.0, 2: 2.0, 3: 3.0}


def test_a_kernel_is_not_taken_for_that_of_another_query_over_the_same_table():
    """A directed cycle was counted by the loops of a triangle, which differ only in the copies that they read."""
    e = sk.table({"s": [1, 1, 2, 3, 4, 5], "d": [2, 3, 3, 4, 5, 3]})
    a, b, c = sk.axes("a b c")
    for _ in range(2):
        assert sk.sum(e[a, b] * e[b, c] * e[a, c]).collect(order=(a, b, c)) == 1
        assert sk.sum(e[a, b] * e[b, c] * e[c, a]).collect(order=(a, b, c)) == 3


@pytest.mark.parametrize("far", [0, 1, 2, 3])
def test_a_part_within_the_loops_may_hold_larger_keys_than_the_rest(far):
    g = np.random.default_rng(far)
    tables = [
        sk.table(
            {"p": g.integers(0, 40, 300), "q": g.integers(0, 40, 300) + (np.arange(300) % 3 == 0) * 5000 * (n == far)}
        )
        for n in range(4)
    ]
    a, b, c, d = sk.axes("a b c d")
    cycle = sk.sum(tables[0][a, b] * tables[1][b, c] * tables[2][c, d] * tables[3][d, a])
    assert "within" in str(cycle.explain()) and cycle.collect() == cycle.collect(memo=False) > 0


USED = {
    "squares": lambda rows, a, c: rows.map(lambda n: n * n).sum(),
    "how many": lambda rows, a, c: rows.count(),
    "how many of each": lambda rows, a, c: rows.where(lambda n: n > 2).count(c),
    "the largest of each": lambda rows, a, c: rows.max(c),
}


@pytest.mark.parametrize("make", USED.values(), ids=USED)
def test_rows_of_a_sum_are_used_as_they_are_found(make, monkeypatch):
    """No table stands between two sums, and none is made."""
    draw = np.random.default_rng(3)
    e = sk.table({"x": draw.integers(0, 90, 600), "y": draw.integers(0, 90, 600)})
    a, b, c = sk.axes("a b c")
    made, planned = [], import_module("skipstone.plan.step")
    table = planned.FoundRows.table
    monkeypatch.setattr(planned.FoundRows, "table", lambda self, *x: made.append(self.names) or table(self, *x))
    rows = (e[a, b] * e[b, c]).sum(b)
    query = make(rows, a, c)
    for engine in ("interpreted", "compiled"):
        with sk.engine(engine):
            found = query.collect()
            assert made in ([], [["a"]])
            del made[:]
            expected = make(sk.table(rows.collect(into="numpy"), keys=["a", "c"], value="value")[a, c], a, c).collect()
            assert found == expected if isinstance(found, int) else found.to_dict() == expected.to_dict()
            del made[:]
    assert "rows over (a, c) are used as they are found" in str(query.explain())
    assert "are used" not in str(query.explain(memo=False))


VALUES = {
    "none": None,
    "whole": lambda draw, n: draw.integers(-3, 4, n),
    "floats": lambda draw, n: draw.integers(-3, 4, n) / 2,
    "truths": lambda draw, n: draw.integers(0, 2, n) == 1,
}


@pytest.mark.parametrize("values", VALUES.values(), ids=VALUES)
@pytest.mark.parametrize("threads", [1, 2])
def test_totals_begin_at_nothing_for_each_key_outside(values, threads):
    """They are added without a branch, to zeros: those that were used are taken back before the next key comes."""
    draw = np.random.default_rng(8)
    for n, keys in ((0, 1), (40, 4), (300, 4000), (3000, 300)):
        columns = {"x": draw.integers(0, keys, n), "y": draw.integers(0, keys, n)}
        columns |= {} if values is None else {"v": values(draw, n)}
        e = sk.table(columns, keys=["x", "y"], value=None if values is None else "v")
        a, b, c = sk.axes("a b c")
        for rows in ((e[a, b] * e[b, c]).sum(b), (e[a, b] * e[b, c] * (b < a) * (c < a)).sum(b)):
            table = sk.table(rows.collect(into="numpy"), keys=["a", "c"], value="value")[a, c]
            for make in (*USED.values(), lambda rows, a, c: rows.map(lambda n: 100 // (n * n + 1)).sum()):
                with sk.options(threads=threads):
                    found, expected = make(rows, a, c).collect(), make(table, a, c).collect()
                if isinstance(found, sk.Table):
                    found, expected = found.to_dict(), expected.to_dict()
                assert found == expected and type(found) is type(expected)


def test_totals_that_leave_int64_are_an_error_and_leave_nothing_behind(engine):
    e = sk.table({"x": [0, 0, 1, 2], "y": [1, 2, 3, 3], "v": [1, 1, 2**62, 2**62]}, value="v")
    small = sk.table({"x": [0, 0, 1, 2], "y": [1, 2, 3, 3], "v": [1, 1, 7, 8]}, value="v")
    a, b, c = sk.axes("a b c")
    for _ in range(2):
        with pytest.raises(sk.errors.IntegerOverflow):
            (e[a, b] * e[b, c]).sum(b).count(c).collect()
        assert (small[a, b] * small[b, c]).sum(b).where(lambda n: n == 15).count(c).collect().to_dict() == {0: 1}


def test_what_is_made_of_a_sum_of_nothing_is_nothing():
    e, (a, b) = sk.table({"x": [1], "y": [2], "v": [3]}, value="v"), sk.axes("a b")
    none = e[a, b] * (a > 5)
    assert none.max().map(lambda v: v + 1).collect() is None
    assert none.sum(b).max().collect() is None and none.sum(b).map(lambda v: v + 1).sum().collect() == 0
    assert none.sum(b).count().collect() == 0 and none.sum(b).count(a).collect() == 0
    assert none.sum(b).map(lambda v: v + 1).collect().to_dict() == {}


class TestFoundByOthers:
    """What testing with fresh eyes has found."""

    def test_three_parts_that_share_no_axis(self, engine):
        """The first part that was summed by itself was lost when the second was."""
        one = sk.table({"k": [1], "v": [2]}, value="v")
        a, b, c = sk.axes("a b c")
        assert (one[a] * one[b] * one[c]).sum().collect() == 8

    def test_the_largest_product_of_negative_numbers(self, engine):
        """A product does not distribute over the maximum where factors are negative: nothing is summed first."""
        v = sk.table({"k": [1, 3], "v": [0.5, -2.0]}, value="v")
        a, b = sk.axes("a b")
        assert (v[a] * v[b]).max().collect() == 4.0
        assert (v[a] * v[b]).min(b).collect().to_dict() == {1: -1.0, 3: -1.0}
        assert (v[a] * v[b]).sum(semiring="max_times").collect() == 4.0

    def test_the_smallest_of_sums(self, engine):
        w = sk.table({"k": [1, 2], "l": [2, 3], "v": [1.0, 2.0]}, value="v")
        a, b = sk.axes("a b")
        assert (w[a, b] + w[a, b]).min().collect() == 2.0
        assert (w[a, b] + w[a, b]).min(b).collect().to_dict() == {1: 2.0, 2: 4.0}
        assert (-w[a, b]).sum(semiring="min_plus").collect() == -2.0

    def test_an_axis_compared_with_itself(self, engine):
        w = sk.table({"k": [1, 2]})
        a = axis("a")
        for condition, rows in ((a < a, 0), (a != a, 0), (a > a, 0), (a <= a, 2), (a == a, 2), (a >= a, 2)):
            assert len((w[a] * condition).collect()) == rows

    def test_rows_without_an_axis(self, engine):
        w = sk.table({"k": [1, 2], "l": [2, 3], "v": [1.5, 2.0]}, value="v")
        a = axis("a")
        v = sk.table({"k": [7], "v": [10.0]}, value="v")
        assert w[1, 2].sum().collect() == 1.5 and (w[1, 2] * w[2, 3]).sum().collect() == 3.0
        assert (w[1, 2] * v[a]).collect().to_dict() == {7: 15.0} and (w[1, 9] * v[a]).collect().to_dict() == {}
        assert (~w[1, 9] * v[a]).sum().collect() == 10.0 and (~w[1, 2] * v[a]).sum().collect() == 0
        assert (w[1, 9].default(4) * v[a]).sum().collect() == 40.0

    def test_the_largest_integer_is_one(self, engine):
        t = sk.table({"k": [1, 2], "v": [2**53 + 1, 5]}, keys="k", value="v")
        a = axis("a")
        assert t[a].max().collect() == 2**53 + 1 and type(t[a].min().collect()) is int

    def test_sums_of_several_values(self, engine):
        data = {"k": [1, 1, 2], "j": [1, 2, 2], "p": [2.0, 1.0, 5.0], "q": [3, 1, 7]}
        t = sk.table(data, keys=["k", "j"], value=["p", "q"])
        a, b = sk.axes("a b")
        assert t[a, b].sum(b).collect().to_dict() == {1: (3.0, 4), 2: (5.0, 7)}

    def test_narrow_floats_are_added_as_wide_ones(self):
        t = sk.table({"k": [1, 1], "v": np.array([1e8, 1], np.float32)}, keys="k", value="v")
        assert t[axis("a")].collect(dict) == {1: 100000001.0}

    def test_more_loops_than_python_allows(self):
        r = sk.table({"p": [1], "q": [1]})
        steps = sk.axes(" ".join(f"w{n}" for n in range(24)))
        chain = r[steps[0], steps[1]]
        for one, two in pairwise(steps[1:]):
            chain = chain * r[one, two]
        assert chain.collect().to_dict() == {(1,) * 24: 1}
        assert chain.sum().collect() == 1

    def test_a_part_is_held_to_what_the_rest_asks_for(self, engine):
        e = sk.table({"s": [1, 1, 2, 3, 3], "d": [2, 3, 3, 1, 2]})
        one = sk.table({"s": [1]})
        a, b, c = sk.axes("a b c")
        query = (e[a, b] * e[b, c] * one[a]).sum()
        assert query.collect() == query.collect(memo=False) == 3

    def test_whether_there_are_any_by_row(self, engine):
        w = sk.table({"k": [1, 2], "l": [2, 3]})
        a, b = sk.axes("a b")
        assert w[a, b].any(b).collect().to_dict() == {1: True, 2: True}


@pytest.mark.parametrize("semiring", SEMIRINGS.values(), ids=str)
def test_semirings_keep_their_laws(semiring):
    values = {
        "or_and": [False, True],
        "min_max": [float("-inf"), -1.0, 0.0, 2.0, float("inf")],
        "max_times": [0, 1, 2, 5],
        "min_plus": [float("inf"), 0, 1, 7],
        "max_plus": [float("-inf"), 0, 1, 7],
    }.get(semiring.name, [0, 1, 2, -3])
    assert laws_broken(semiring, [*values, semiring.zero, semiring.one]) == []


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_change_nothing(threads):
    draw = np.random.default_rng(5)
    pairs = draw.integers(0, 400, (40_000, 2))
    e = sk.table({"a": pairs[:, 0], "b": pairs[:, 1]})
    a, b, c = sk.axes("a b c")
    triangle = e[a, b] * e[b, c] * e[a, c]
    with sk.options(threads=threads):
        results = (triangle.sum().collect(), triangle.sum(b, c).collect().to_dict(), triangle.max().collect(),
                   (e[a, b] * e[b, c]).sum(b).collect().to_dict(), triangle.count(a).collect().to_dict())  # fmt: skip
        pieces = "pieces" in str(triangle.sum().explain())
    assert pieces == (threads > 1)
    wanted = np.zeros((400, 400), int)
    wanted[pairs[:, 0], pairs[:, 1]] = 1
    assert results[0] == (wanted @ wanted * wanted).sum() and results[2] == 1
    assert list(results[1].values()) == [n for n in (wanted @ wanted * wanted).sum(axis=1).tolist() if n]
    assert results[3] == {(i, j): n for (i, j), n in np.ndenumerate(wanted @ wanted) if n}
    assert "threads=0" in message(errors.BadOption, lambda: sk.options(threads=0).__enter__())


def test_no_warnings_from_numpy():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        a, b = sk.axes("a b")
        assert sk.table(EDGES)[a, b].count().collect() == 4
