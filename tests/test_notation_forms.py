"""Every form of the notation in random combinations, against a model that tries every key on every axis."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import skipstone as sk
from skipstone import errors
from skipstone.notation import axis
from skipstone.notation.axes import COMPARE

from .brute_force import Model

AXES = [axis(name) for name in "ijkl"]
Y, X = axis("y"), axis("x")
KINDS = {
    "str": (["ann", "bob", "cy", "émile"], len, lambda key: key < "b" or "y" in key),
    "int": ([-1, 0, 2, 7], lambda key: f"k{key % 2}", lambda key: key % 2 == 0),
    "float": ([-2.0, 0.5, 3.0], lambda key: key > 0, lambda key: key != 0.5),
    "bool": ([False, True], int, lambda key: not key),
    "date": (
        np.array(["2012-02-29", "2013-01-01", "2013-09-09"], "datetime64[D]").tolist(),
        lambda key: key.year,
        lambda key: key.month < 6,
    ),
}


class Case(NamedTuple):
    expression: object
    model: Model
    text: str


@st.composite
def cases(draw):
    kind = draw(st.sampled_from(sorted(KINDS)))
    everything, f, p = KINDS[kind]
    keys, rows = st.sampled_from(everything), {}

    def a_table(depth):
        held = draw(st.dictionaries(st.tuples(*[keys] * depth), st.integers(-3, 3), max_size=7))
        columns = {f"c{n}": [row[n] for row in held] for n in range(depth)}
        if draw(st.booleans()):
            made = sk.table({**columns, "v": np.array(list(held.values()), int)}, list(columns), "v", name="T")
        else:
            made, held = sk.table(columns, list(columns), name="T"), dict.fromkeys(held, 1)
        rows[id(made)] = held
        alive.append(made)
        return made

    alive = []  # so that no id is used twice

    def an_access(axes, depth=None):
        depth = depth or draw(st.integers(1, 2))
        places = [draw(st.sampled_from(axes)) if draw(st.integers(0, 7)) else draw(keys) for _ in range(depth)]
        return a_table(depth)[tuple(places)]

    def an_inner(axes):
        """Something that is not just a table, over these axes and perhaps fewer."""
        one = an_access([*axes, X], 2) * an_access([X], 1)
        if one.axes() and any(a is X for a in one.axes()):
            one = draw(st.sampled_from([one.sum, one.min, one.count]))(X)
        return draw(st.sampled_from([one, one, one.where(lambda v: v > 0), one.memo()]))

    factors = [an_access(AXES) for _ in range(draw(st.integers(1, 3)))]
    factors[0] = a_table(1)[draw(st.sampled_from(AXES))] if not factors[0].axes() else factors[0]
    bound = [a for a in AXES if any(a is b for factor in factors for b in factor.axes())]
    for _ in range(draw(st.integers(0, 3))):
        a = draw(st.sampled_from(bound))
        form = draw(st.integers(0, 12))
        if form == 0:
            factors.append(~an_access(bound))
        elif form == 1:
            factors.append(an_access(bound).default(5))
        elif form == 2:
            factors.append(a.where(p))
        elif form == 3:
            factors.append(a.map(f) == Y)
        elif form == 4:
            factors.append(~a.where(p))
        elif form == 5:
            factors.append(an_access(bound).where(lambda v: v > 0))
        elif form == 6:
            factors.append(draw(st.sampled_from([2, -1, 0])))
        elif form == 7:
            inner = an_inner(bound)
            factors.append(draw(st.sampled_from([inner, ~inner, inner.default(3), ~~inner])) if inner.axes() else inner)
        elif form == 8:
            total = an_access(AXES)
            factors.append(draw(st.sampled_from([total.sum, total.max, total.count, total.any]))())
        elif form == 9:
            factors.append(a < draw(st.sampled_from(bound)))
        elif form == 10:
            factors.append(~(a <= draw(keys)))
        elif form == 11:
            factors.append(factors[0])
        else:
            factors.append(draw(st.sampled_from([~factors[0], ~~factors[0], factors[0].default(2)])))
    expression = 1
    for factor in factors:
        expression = expression * factor
    after = draw(st.integers(0, 7))
    if after == 0:
        expression = expression.map(lambda v: v * 2 + 1)
    elif after == 1:
        expression = expression.where(lambda v: v != 0).map(lambda v: 12 // v)
    elif after == 2 and kind in ("int", "float") and len(expression.axes()) == 1:
        expression = expression.where(lambda key, v: key > v)
    elif after == 3:
        expression = expression + expression.map(lambda v: v + 1).where(lambda v: v > 1)
    gone = [a for a in expression.axes() if draw(st.booleans())]
    if gone:
        way = draw(st.sampled_from(["plus_times", "min_plus", "max_plus", "min", "max", "count", "any"]))
        if way in ("min", "max", "count", "any"):
            expression = getattr(expression, way)(*gone)
        else:
            expression = expression.sum(*gone, semiring=way)
    tried = {id(a): everything for a in (*AXES, X)} | {id(Y): sorted({f(key) for key in everything})}
    return Case(expression, Model(rows, tried), repr(expression))


def agrees(case, **options):
    got, wanted = case.expression.collect(**options), case.model.result(case.expression)
    if not case.expression.axes():
        assert got == (False if wanted is None and got is False else wanted), case.text
        return
    rows = got.to_dict()
    assert {key if isinstance(key, tuple) else (key,): v for key, v in rows.items()} == wanted, case.text


@settings(max_examples=500)
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


def message(kind, action):
    with pytest.raises(kind) as raised:
        action()
    return str(raised.value)


i, j, k = sk.axes("i j k")
V = sk.table({"i": [1, 1, 2, 3], "j": [2, 3, 3, 1], "v": [0, 4, 2, 5]}, value="v", name="V")
DAYS = np.array(["2012-05-01", "2013-01-01", "2013-09-09"], "datetime64[D]")
SOLD = sk.table({"day": DAYS, "n": [2, 3, 4]}, value="n", name="SOLD")


class TestFunctionsOfKeys:
    def test_a_derived_axis_meets_a_table(self, engine):
        day, year = sk.axes("day year")
        budget = sk.table({"year": [2013, 2014], "b": [100, 200]}, value="b")
        found = (SOLD[day] * budget[year] * (year == day.map(lambda d: d.year))).sum(day).collect()
        assert found.to_dict() == {2013: 700}

    def test_one_derived_from_another(self, engine):
        day, year, text = sk.axes("day year text")
        both = SOLD[day] * (text == year.map(str)) * (year == day.map(lambda d: d.year))
        assert both.sum(day, year).collect().to_dict() == {"2012": 2, "2013": 7}

    def test_either_side_and_constants(self, engine):
        day, year = sk.axes("day year")
        of = day.map(lambda d: d.year)
        assert (SOLD[day] * (of == year)).sum(day).collect().to_dict() == {2012: 2, 2013: 7}
        for condition, total in ((of == 2013, 7), (of < 2013, 2), (of != 2013, 2), (of >= 2014, 0), (~(of > 2012), 2)):
            assert (SOLD[day] * condition).sum().collect() == total

    def test_it_is_asked_once_a_key_of_the_smallest_table(self):
        asked = []
        small = sk.table({"k": ["a", "b"]})
        large = sk.table({"k": ["a", "a", "b", "c", "d"], "l": [1, 2, 3, 4, 5]})
        query = large[i, j] * small[i] * i.where(lambda key: asked.append(key) is None)
        assert len(query.collect()) == 3 == len(query.collect())
        assert asked == ["a", "b"]

    def test_none_is_no_key(self, engine):
        names = sk.table({"k": ["a", "b", "c"], "v": [1, 2, 3]}, value="v")
        place = {"a": "x", "c": "y"}
        assert (names[i] * (i.map(place.get) == k)).sum(i).collect().to_dict() == {"x": 1, "y": 3}
        assert (names[i] * (i.map(place.get) > "x")).sum().collect() == 3

    def test_an_axis_that_is_its_own_image(self, engine):
        assert (V[i, j] * (i.map(lambda key: 6 // (key + 1)) == i)).sum().collect() == 2

    def test_what_is_refused(self):
        assert "this one takes 2" in message(errors.WrongFunction, lambda: i.map(lambda a, b: a + b))
        assert "not int" in message(errors.WrongFunction, lambda: i.where(3))
        assert "Bind it to an axis first, (x == f(i))" in message(errors.BadOption, lambda: i.map(lambda a: a) < j)
        assert "only an axis or a constant" in message(errors.BadOption, lambda: i.map(abs) == j.map(abs))
        assert "axis i occurs only in [k == abs(i)]" in message(
            errors.BadOption, lambda: (SOLD[j] * (i.map(abs) == k)).collect()
        )
        assert "yes or no, not None" in message(
            errors.WrongFunction, lambda: (SOLD[j] * j.where(lambda d: None)).collect()
        )
        mixed = V[i, j] * (i.map(lambda key: "one" if key == 1 else key) == k)
        assert "several types: int, str" in message(errors.MixedKeys, mixed.collect)

    def test_an_error_says_at_which_key(self):
        with pytest.raises(ZeroDivisionError) as raised:
            (V[i, j] * i.where(lambda key: 1 / (key - 2) > 0)).collect()
        assert raised.value.__notes__ == ["while a function was asked about key 2 of axis i"]


class TestStringsAndConstants:
    @pytest.mark.parametrize("bound", ["", "a", "b", "bb", "zz", "é", "\U0001f600"])
    @pytest.mark.parametrize("op", ["<", "<=", ">", ">=", "==", "!="])
    def test_strings_in_the_dictionary_or_not(self, op, bound):
        names = ["", "a", "b", "c", "é", "z"]
        t = sk.table({"k": names})
        with sk.engine("interpreted"):
            found = (t[i] * i.compared(op, bound)).collect().to_dict()
        assert list(found) == sorted(name for name in names if COMPARE[op](name, bound))

    @pytest.mark.parametrize(
        "bound", [2**70, -(2**70), float("inf"), float("-inf"), 2.5, -0.5, True, 2**63, 2**63 - 1, -(2**63)]
    )
    def test_numbers_that_are_no_keys(self, bound, engine):
        keys = [-(2**63), -1, 0, 1, 2, 3, 2**63 - 1]
        t = sk.table({"k": keys})
        for op, compare in COMPARE.items():
            found = list((t[i] * i.compared(op, bound)).collect().to_dict())
            assert found == [key for key in keys if compare(key, bound)], op
        assert t[bound].count().collect() == keys.count(bound)

    def test_nan_and_other_types(self):
        assert "NaN" in message(errors.NotAKey, (V[i, j] * (float("nan") > i)).collect)
        assert "compared with keys of type date" in message(errors.MixedKeys, (SOLD[i] * (i < 5)).collect)
        assert "keys that are strings" in message(errors.MixedKeys, (sk.table({"k": ["a"]})[i] * (i < 5)).collect)


class TestConditionsOnValues:
    def test_the_rest_sees_only_what_is_left(self, engine):
        """A function behind the condition is not called where it does not hold."""
        kept = V[i, j].where(lambda v: v != 0).map(lambda v: 20 // v)
        assert kept.collect().to_dict() == {(1, 3): 5, (2, 3): 10, (3, 1): 4}
        assert kept.sum(j).collect().to_dict() == {1: 5, 2: 10, 3: 4} and kept.sum().collect() == 19
        assert kept.where(lambda v: v > 4).min().collect() == 5
        assert V[i, j].where(lambda v: v > 9).min().collect() is None
        assert V[i, j].where(lambda v: v > 9).sum(i).collect().to_dict() == {}

    def test_several_values(self, engine):
        t = sk.table({"k": [1, 2, 3], "p": [1.0, 2.0, 3.0], "q": [3, 2, 1]}, keys="k", value=["p", "q"])
        assert t[i].where(lambda v: v.p > v.q).collect().to_dict() == {3: (3.0, 1)}
        assert (t[i].where(lambda v: v.p >= v.q) * V[i, j]).sum(j).collect().to_dict() == {2: (4.0, 4), 3: (15.0, 5)}

    def test_values_stay_what_they_are(self, engine):
        """Truth values behind a condition became integers, on one engine."""
        truth = sk.table({"k": [1, 2], "v": [True, False]}, value="v")
        found = truth[i].where(lambda v: v).collect().to_dict()
        assert found == {1: True} and found[1] is True

    def test_what_is_refused(self):
        assert "not int" in message(errors.WrongFunction, lambda: V[i, j].where(3))
        with sk.engine("interpreted"):
            assert "yes or no, not NoneType" in message(errors.WrongFunction, V[i, j].where(lambda v: None).collect)
        assert "a function returned NoneType" in message(errors.Untraceable, V[i, j].where(lambda v: None).collect)
        assert "for its dates" in message(errors.UnsupportedValue, SOLD[i].where(lambda day, v: v > 1).collect)


class TestTuples:
    """A sum that began with 0 could not be compiled where a function makes tuples."""

    def test_means(self, engine):
        pairs = V[i, j].map(lambda v: (v, 1))
        assert pairs.sum(j).map(lambda p: p[0] / p[1]).collect().to_dict() == {1: 2.0, 2: 2.0, 3: 5.0}
        assert pairs.sum().collect() == (11, 4) and pairs.where(lambda p: p[0] > 2).sum().collect() == (9, 2)
        assert pairs.where(lambda p: p[0] > 20).sum().collect() == 0

    def test_totals(self, engine):
        t = sk.table({"k": [1, 2], "p": [0.5, 1.5], "q": [1, 2]}, keys="k", value=["p", "q"])
        assert (V[i, j] * t[i].default((0.5, 1))).sum().collect() == (0.5 * 4 + 1.5 * 2 + 0.5 * 5, 4 + 4 + 5)
        assert (V[i, j] * t[i].default(0)).sum().collect() == (5.0, 8)
        assert (sk.sum(t[i]) * V[i, j]).sum().collect() == (22.0, 33) and (t[i] * 2).sum().collect() == (4.0, 6)


class TestAbsenceOfAnything:
    def test_numbers_are_no_rows(self):
        assert "is a number" in message(errors.BadOption, (V[i, j] * ~V[i, j].sum()).collect)

    def test_a_row_and_its_absence(self, engine):
        """The same expression twice in one product was taken for one kind of factor."""
        x = V[i, j]
        assert (x * ~x).collect().to_dict() == {} and (x * ~~x).collect().to_dict() == x.collect().to_dict()
        assert (x * x.default(3)).sum().collect() == 45
        one = V[1, 3]
        assert (one * one * V[i, 1]).sum().collect() == 80

    def test_totals_in_a_product(self, engine):
        assert (sk.sum(V[i, j]) * V[i, j]).max().collect() == 55
        assert (V[i, j].max() * V[j, i].where(lambda v: v > 100).min() * V[i, j]).count().collect() == 0
        assert (V[i, j] * (V[j, i] * (i > 9)).min().default(7)).sum().collect() == 77
        assert ((V[i, j] * (i > 9)).any() * V[i, j]).collect().to_dict() == {}


XOR = sk.Semiring("xor", lambda a, b: a ^ b, min, 0, 1)


class TestDuplicates:
    DATA = {"k": ["b", "a", "b", "b"], "l": [1, 1, 1, 2], "v": [3, 5, -1, 7], "w": [0.5, 1.5, 2.5, 3.5]}

    @pytest.mark.parametrize(
        ("combine", "wanted"),
        [
            ("plus", 2),
            ("min", -1),
            ("max", 3),
            (sk.max_plus, 3),
            (sk.Semiring("xor", lambda a, b: a ^ b, min, 0, 1), -4),
        ],
        ids=str,
    )
    def test_values_of_equal_rows(self, combine, wanted):
        made = sk.table(self.DATA, keys=["k", "l"], value="v", combine=combine)
        assert made.to_dict() == {("a", 1): 5, ("b", 1): wanted, ("b", 2): 7} and len(made) == 3

    def test_several_values(self):
        made = sk.table(self.DATA, keys="k", value=["v", "w"], combine="max")
        assert made.to_dict() == {"a": (5, 1.5), "b": (7, 3.5)}

    def test_bags(self):
        bag = sk.table({"k": self.DATA["k"]}, combine="count")
        assert bag.to_dict() == {"a": 1, "b": 3} and bag[i].sum().collect() == 4 and bag[i].count().collect() == 2
        assert sk.table({"k": []}, combine="count").to_dict() == {}

    def test_what_is_refused(self):
        told = message(errors.RepeatedKey, lambda: sk.table(self.DATA, keys=["k", "l"], combine="refuse"))
        assert "1 row has the keys of another; one is k='b', l=1" in told
        assert len(sk.table({"k": [2, 1]}, combine="refuse")) == 2
        assert "combine='mean'" in message(errors.BadOption, lambda: sk.table(self.DATA, keys="k", combine="mean"))
        assert "Leave `value` out" in message(
            errors.BadOption, lambda: sk.table(self.DATA, keys="k", value="v", combine="count")
        )


class TestMemo:
    def test_it_is_run_once(self):
        calls = []
        inner = (V[i, j] * i.where(lambda key: calls.append(key) is None)).memo()
        assert inner.collect() is inner.collect() is inner.memo().collect()
        assert (inner * V[j, k]).sum().collect() == 50 and inner.sum().collect() == 11
        assert calls == [1, 2, 3]

    def test_a_product_means_what_it_does_where_it_stands(self, engine):
        two = (V[i, j] * V[j, k]).memo()
        for semiring in ("min_plus", "plus_times", "max_plus"):
            wanted = (V[i, j] * V[j, k]).sum(j, semiring=semiring).collect().to_dict()
            assert two.sum(j, semiring=semiring).collect().to_dict() == wanted

    def test_numbers_are_kept_too(self):
        total = V[i, j].sum().memo()
        assert total.collect() == 11 == total.collect() and (total * V[i, j]).sum().collect() == 121


class TestWays:
    def test_everywhere(self):
        import pandas as pd
        import polars as pl
        import pyarrow as pa

        rows = {(1, 2): 0, (1, 3): 4, (2, 3): 2, (3, 1): 5}
        assert V[i, j].collect(dict) == rows
        assert isinstance(V[i, j].collect("pandas"), pd.DataFrame) and isinstance(V[i, j].collect("arrow"), pa.Table)
        frame = V[i, j].collect("polars")
        assert isinstance(frame, pl.DataFrame) and frame.rows() == [(*key, v) for key, v in rows.items()]
        assert {name: c.tolist() for name, c in V[i, j].collect("numpy").items()}["value"] == [0, 4, 2, 5]
        assert V[i, j].collect("scipy").todense()[1, 3] == 4 and V[i, j].collect("scipy").shape == (4, 4)
        assert V[i, j].collect(np.ndarray)[2].tolist() == [0, 0, 0, 2]
        assert V[i, j].sum(j).collect(sk.Sorted).get(3) == 5 and isinstance(V[i, j].collect(sk.Trie), sk.Trie)
        assert V[i, j].collect(np.ones((4, 4), int))[1].tolist() == [1, 1, 1, 5]
        assert isinstance(V[i, j].collect(sk.Sorted), sk.Trie) and V[i, j].sum(j).collect({2: 1}) == {2: 3, 1: 4, 3: 5}
        assert V[i, j].sum().collect("pandas") == 11 and V[i, j].sum(j).collect("scipy").shape == (4,)

    def test_what_is_refused(self):
        told = message(errors.BadOption, lambda: V[i, j].collect("parquet"))
        assert "cannot collect a table into 'parquet'" in told and '"pandas", "arrow", "polars", "numpy"' in told
        assert "cannot collect" in message(errors.BadOption, lambda: V[i, j].collect(int))
        assert "two ends" in message(errors.BadOption, lambda: V[i, j].sum(j).collect("networkx"))
        names = sk.table({"k": ["a"]})
        assert "holds str" in message(errors.BadOption, lambda: names[i].collect(sk.Sorted))
        assert "holds other ones" in message(errors.BadOption, lambda: names[i].collect(np.ndarray))

    def test_other_constants_are_no_other_kernels(self):
        """Each query with another number in it was compiled anew."""
        import importlib

        statistics = importlib.import_module("skipstone.kernel").statistics
        names = sk.table({"k": ["a", "b", "c"], "v": [1, 2, 3]}, value="v")
        t = sk.table({"at": [0.5, 1.5, 2.5]})

        def everything(n):
            return [
                sk.query(f"n() = V(i, j) * [i < {n}, j >= {n}, i != {n}] * {n}", V=V),
                sk.query(f"n() = V(i, j) * [V(i, j) > {n}]", V=V),
                (V[i, j] * V[j, i].default(n) * sk.sum(V[i, k] * (i == n))).sum().collect(),
                (names[i] * (i > "abc"[n - 1])).sum().collect(),
                (t[i] * (i <= n - 0.5)).count().collect(),
            ]

        assert everything(2) == [8, 9, 88, 3, 2]
        before = statistics.compiled + statistics.loaded
        assert everything(3) == [18, 9, 230, 0, 3]
        assert statistics.compiled + statistics.loaded == before

    def test_compiled_once_and_called_again(self):
        kernel = (V[i, j] * V[j, k]).sum().compile()
        assert kernel() == kernel() == 50 and "def fused" in kernel.source and "lines" in repr(kernel)


class TestTimeZones:
    def test_they_come_back(self):
        import datetime
        import zoneinfo

        import pandas as pd
        import polars as pl

        berlin = zoneinfo.ZoneInfo("Europe/Berlin")
        when = [
            datetime.datetime(2013, 7, 1, 0, 30, tzinfo=berlin),
            datetime.datetime(2013, 1, 1, 0, 30, tzinfo=berlin),
        ]
        series = pd.Series(pd.DatetimeIndex(when))
        for column in (series, when, pl.Series(when), np.array(when, object)):
            t = sk.table({"t": column})
            assert list(t.to_dict()) == sorted(when)
            assert [x.hour for x in t.to_dict()] == [0, 0]  # and not 22 and 23, as in UTC
            assert t.to_pandas()["t"].tolist() == sorted(when) and str(t.to_pandas()["t"].dtype.tz) == "Europe/Berlin"
            assert t.to_arrow().column("t").type.tz == "Europe/Berlin"
            assert (t[i] * (i.map(lambda x: x.date().isoformat()) == j)).count(i).collect().to_dict() == {
                "2013-01-01": 1,
                "2013-07-01": 1,
            }

    def test_zones_meet_by_instant(self, engine):
        import datetime

        utc, east = datetime.timezone.utc, datetime.timezone(datetime.timedelta(hours=5, minutes=30))  # noqa: UP017
        noon = datetime.datetime(2020, 1, 1, 12, tzinfo=utc)
        one, two = (
            sk.table({"t": [noon]}),
            sk.table({"t": [noon.astimezone(east), (noon + datetime.timedelta(1)).astimezone(east)]}),
        )
        assert list((one[i] * two[i]).collect().to_dict()) == [noon]
        assert next(iter(two.to_dict())).utcoffset() == datetime.timedelta(hours=5, minutes=30)
        assert (two[i] * (noon < i)).count().collect() == 1 == one[noon.astimezone(east)].count().collect()
        assert sk.query('n() = T(a) * [a <= date("2020-01-01T17:30+05:30")]', T=two) == 1
        naive = sk.table({"t": [datetime.datetime(2020, 1, 1, 12)]})
        assert "with and without a time zone" in message(errors.MixedKeys, (naive[i] * one[i]).collect)
        assert "the constant has a time zone" in message(errors.MixedKeys, (naive[i] * (noon > i)).collect)
        assert "keys have a time zone" in message(errors.MixedKeys, (one[i] * (noon.replace(tzinfo=None) > i)).collect)

    def test_nanoseconds_are_timestamps(self):
        """They came back as integers."""
        import datetime

        fine = np.array(["2013-01-01T00:00:00.000000001"], "datetime64[ns]")
        assert list(sk.table({"t": fine}).to_dict()) == [fine[0]]
        coarse = np.array(["2013-01-01T00:00:01"], "datetime64[ns]")
        assert list(sk.table({"t": coarse}).to_dict()) == [datetime.datetime(2013, 1, 1, 0, 0, 1)]


class TestSemiringsOfOnesOwn:
    def test_everywhere(self, engine):
        noisy_or = sk.Semiring("noisy_or", lambda a, b: a + b - a * b, lambda a, b: a * b, 0.0, 1.0, distributes=False)
        p = sk.table({"i": [1, 1, 2], "j": [2, 3, 3], "v": [0.5, 0.5, 0.25]}, value="v")
        assert p[i, j].sum(j, semiring=noisy_or).collect().to_dict() == {1: 0.75, 2: 0.25}
        assert p[i, j].sum(semiring=noisy_or).collect() == 0.8125
        assert p[i, j].sum(i, semiring=noisy_or).collect().to_dict() == {2: 0.5, 3: 0.625}
        assert (p[i, j] * p[j, k]).sum(semiring=noisy_or).collect() == 0.125
        assert p[i, j].where(lambda v: v < 0.5).sum(semiring=noisy_or).collect() == 0.25
        least = sk.Semiring("least", lambda a, b: min(a, b), lambda a, b: a + b, float("inf"), 0)
        assert p[i, j].where(lambda v: v > 0.25).sum(j, semiring=least).collect().to_dict() == {1: 0.5}
        assert (p[i, j] * p[j, k] * 2).sum(semiring=least).collect() == 2.75
        assert sk.query("n(i) sure= P(i, j)", P=p, sure=noisy_or).to_dict() == {1: 0.75, 2: 0.25}

    def test_counting_shortest_paths(self, engine):
        """Values of two numbers: the length, and how many paths have it."""
        d = sk.table({"i": [0, 0, 1, 2], "j": [1, 2, 3, 3], "v": [1, 1, 1, 1], "n": [1] * 4}, ["i", "j"], ["v", "n"])

        def plus(a, b):
            if a[0] == b[0]:
                return (a[0], a[1] + b[1])
            return (a[0], a[1]) if a[0] < b[0] else (b[0], b[1])

        ways = sk.Semiring("ways", plus, lambda a, b: (a[0] + b[0], a[1] * b[1]), (1e9, 0), (0, 1))
        found = (d[i, j] * d[j, k]).sum(j, semiring=ways).collect().to_dict()
        assert found == {(0, 3): (2, 2)}


class TestStrangeTables:
    def test_columns_without_a_key_meet_all_others(self, engine):
        """An empty list was taken for floats, and then could not meet strings."""
        none = sk.table({"k": []}, name="none")
        for keys in (["a", "b"], [1, 2], [0.5, 1.5], DAYS):
            t = sk.table({"k": keys})
            assert (t[i] * none[i]).collect().to_dict() == {} and len((t[i] * ~none[i]).collect()) == len(keys)
            assert len((t[i] + none[i]).collect()) == len(keys) and (none[i] * (keys[0] > i)).count().collect() == 0
            assert (none[i] * t[j] * (i < j)).count().collect() == 0
        assert (none[i] * (i.map(len) == j)).collect().to_dict() == {}

    def test_results_without_rows_meet_the_keys_that_they_would_have(self, engine):
        """Their codes were integers, whatever the keys were."""
        t = sk.table({"k": [0.5, 1.5], "l": [0.5, 2.5]})
        none = (t[i, j] * (i > 9)).collect()
        assert (t[i, j] * ~none[i, j]).count().collect() == 2 == (t[i, j] * ~(t[i, j] * (i > 9))).count().collect()

    def test_a_row_that_is_not_there_is_no_zero(self, engine):
        """A row without an axis that a condition rejects was taken for a sum of nothing."""
        assert (V[i, j] * V[1, 3].where(lambda v: v > 9)).collect().to_dict() == {}
        assert (V[i, j] * V[1, 3].where(lambda v: v > 3)).sum().collect() == 44

    def test_no_row_at_all(self, engine):
        assert V[1, 3].collect() == 4 and V[1, 9].collect() is None and V[1, 9].sum().collect() == 0
        assert sk.sum(V[i, j]).where(lambda v: v > 100).collect() is None

    def test_a_key_column_called_value(self):
        """It was lost: the values took its place."""
        t = sk.table({"value": ["a"], "v": [2]}, value="v")
        assert {name: c.tolist() for name, c in t.columns().items()} == {"value": ["a"], "value_": [2]}
        assert list(t[axis("value")].collect("pandas").columns) == ["value", "value_"]

    def test_columns_that_cannot_be(self):
        import datetime

        import pandas as pd
        import pyarrow as pa

        for column in (np.array(3), (x for x in "ab"), "abc", {1, 2}):
            assert "column 'k' is a" in message(errors.NotACollection, lambda c=column: sk.table({"k": c}))
        for column in (
            pa.array([datetime.time(3)]),
            pa.array([datetime.timedelta(3)]),
            pd.period_range("2020", periods=2, freq="M"),
        ):
            assert "cannot be keys" in message(errors.NotAKey, lambda c=column: sk.table({"k": c}))
        assert "beyond int64" in message(errors.UnsupportedValue, lambda: sk.table({"k": [2**70]}))
        assert sk.table({"k": pa.array(["b", "a"], pa.string_view())}).to_dict() == {"a": 1, "b": 1}
        data = {"k": [1], "class": [2], "w": [3]}
        assert "'class' cannot name" in message(errors.BadOption, lambda: sk.table(data, "k", ["class", "w"]))
        assert "named twice" in message(errors.BadOption, lambda: sk.table(data, ["k", "k"]))
        assert "named twice" in message(errors.BadOption, lambda: sk.table(data, "k", "k"))
        assert "combine=[1]" in message(errors.BadOption, lambda: sk.table(data, "k", combine=[1]))

    def test_numbers_of_numpy(self, engine):
        assert (V[i, j] * np.int64(2)).sum().collect() == 22 == (np.int64(2) * V[i, j]).sum().collect()
        assert (np.float32(0.5) * V[i, j]).sum().collect() == 5.5
        assert "ndarray" in message(errors.NotACollection, lambda: np.array([1, 2]) * V[i, j])
        assert (1 - sk.sum(V[i, j])).collect() == -10
        assert "a default is a number" in message(errors.UnsupportedValue, lambda: V[i, j].default(None))

    def test_nothing_but_nulls(self):
        import pyarrow as pa

        t = sk.table({"k": ["a"]})
        for column in ([None, None], pa.nulls(2), np.array([None, None]), np.array([np.nan])):
            with pytest.warns(UserWarning, match="without a key"):
                none = sk.table({"k": column})
            assert len(none) == 0
            if not isinstance(column, np.ndarray) or column.dtype.kind == "O":
                assert (t[i] * none[i]).collect().to_dict() == {}

    def test_minus_zero_is_zero(self, engine):
        """-0.0 was sorted before 0.0, and the keys below both were no longer in order."""
        t = sk.table({"k": [-0.0, 0.0, 0.0], "l": [5, 3, 5], "v": [1, 2, 4]}, ["k", "l"], "v")
        assert t.to_dict() == {(0.0, 3): 2, (0.0, 5): 5}
        assert (t[i, j] * sk.table({"l": [3, 5]})[j]).sum(j).collect().to_dict() == {0.0: 7}

    def test_lengths_are_not_shifted_by_what_is_summed_first(self, engine):
        """A part was held to the keys of the rest by a set of rows, each of which added its 1 in min_plus."""
        d = sk.table({"i": [1, 2], "j": [2, 3], "v": [5.0, 7.0]}, value="v")
        assert (d[i, j] * d[j, k]).sum(semiring="min_plus").collect() == 12.0
        assert (d[i, j] * d[j, k] * 3).sum(semiring="min_plus").collect() == 15.0

    def test_a_product_beside_a_sum_keeps_its_meaning(self, engine):
        """(a * b + c) in min_plus multiplied a and b as numbers."""
        d = sk.table({"i": [1, 2], "j": [2, 3], "v": [5.0, 7.0]}, value="v")
        assert (d[i, j] * d[i, j] + d[i, j]).sum(semiring="min_plus").collect() == 15.0


class TestSumsFirst:
    """Numbers, absence, defaults and functions do not keep parts from being summed first."""

    EXTRA = ("number", "absent inside", "absent on cut", "default inside", "default on cut", "function of a value",
             "function of keys", "function of two", "where", "function on cut")  # fmt: skip

    @pytest.mark.parametrize("extra", EXTRA)
    def test_a_part_takes_along_what_belongs_to_it(self, extra, engine):
        a, b, c, d = sk.axes("a b c d")
        chain = V[a, b] * V[b, c] * V[c, d]
        query = {
            "function of a value": V[a, b] * V[b, c].map(lambda v: v * v - 3) * V[c, d],
            "function of keys": V[a, b] * V[b, c] * V[c, d].map(lambda c, d, v: c * 10 + d - v),
            "function of two": V[a, b] * (V[b, c] * V[c, d] * 2).map(lambda v: v % 5),
            "where": V[a, b] * V[b, c] * V[c, d].where(lambda v: v % 2 == 0),
            "function on cut": chain * V[b, 1].map(lambda v: v + 7),
            "number": chain * 3,
            "absent inside": chain * ~V[d, c],
            "absent on cut": chain * ~V[b, 3],
            "default inside": chain * V[d, c].default(7),
            "default on cut": chain * V[b, 1].default(7),
        }[extra].sum()
        assert "summed first" in str(query.explain())
        model = Model({id(V): V.to_dict()}, {id(axis): [1, 2, 3] for axis in (a, b, c, d)})
        assert query.collect() == query.collect(memo=False) == model.result(query)

    def test_parts_with_different_functions_are_not_taken_for_one(self, engine):
        a, b, c = sk.axes("a b c")
        query = (V[a, b].map(lambda v: v + 1) * V[c, b].map(lambda v: v * 10)).sum()
        by_hand = sum(
            (v + 1) * w * 10 for (_, b), v in V.to_dict().items() for (_, d), w in V.to_dict().items() if b == d
        )
        assert "summed first" in str(query.explain())
        assert query.collect() == query.collect(memo=False) == by_hand

    def test_a_function_that_looks_at_the_cut_keeps_it_together(self, engine):
        """The part had the function, and the rest the table whose values it looks at."""
        a, b = sk.axes("a b")
        at = sk.table({"a": [1, 2], "v": [10, 20]}, value="v")
        query = (V[a, b] * at[a]).map(lambda v: v % 7).sum()
        assert query.collect() == sum(v * {1: 10, 2: 20}[a] % 7 for (a, _), v in V.to_dict().items() if a < 3)

    def test_a_function_is_not_asked_about_rows_that_are_not_there(self, engine):
        """Summed first, its part held a row that the rest has not: and an error came out of it."""
        a, b, c = sk.axes("a b c")
        one, two = sk.table({"a": [1, 2], "b": [1, 2]}), sk.table({"a": [1, 5], "b": [1, 2]})
        halves = sk.table({"b": [1, 2], "c": [1, 1], "v": [2, 0]}, value="v")
        query = halves[b, c].map(lambda v: 10 / v) * one[a, b] * two[a, b]
        assert query.sum().collect() == 5
        with pytest.raises(ZeroDivisionError):
            (halves[b, c].map(lambda v: 10 / v) * one[a, b]).sum().collect()

    def test_a_function_of_all_of_it_keeps_it_together(self, engine):
        a, b, c = sk.axes("a b c")
        query = (V[a, b] * V[b, c]).map(lambda v: v % 3).sum()
        assert "summed first" not in str(query.explain())
        assert query.collect() == query.collect(memo=False)

    def test_one_that_spans_both_sides_keeps_them_together(self, engine):
        a, b, c = sk.axes("a b c")
        query = (V[a, b] * V[b, c] * ~V[a, c]).sum()
        assert query.collect() == query.collect(memo=False) == 50
