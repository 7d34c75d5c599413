"""What is handed over to Spark SQL: the same answers as on the local engine and in cells; what is not, and why."""

import datetime
import os

import numpy as np
import pytest
from hypothesis import Phase, assume, given, settings

import skipstone as sk
from skipstone import errors
from skipstone.kernel import statistics

from ..conftest import close
from ..test_notation import cases as products
from ..test_notation_forms import cases as forms
from .test_files import jobs
from .test_random_queries import moved, stays

EXAMPLES = int(os.environ.get("SKIPSTONE_SPARK_QUERIES", "10"))
a, b, c, d, x = sk.axes("a b c d x")


def on_sql(query, into=dict):
    """The answer of Spark SQL; None if the query cannot be handed over."""
    with sk.spark.options(strategy="sql"):
        try:
            return query.collect(into=into)
        except errors.BadOption as error:
            if "cannot be handed to Spark SQL" in str(error):
                return errors.BadOption
            raise


def agrees(spark, expression, stays):
    with sk.engine("interpreted"):
        wanted = expression.collect(into=dict)
    got = on_sql(moved(spark, expression, stays))
    assume(got is not errors.BadOption)
    assert close(got, wanted), f"{expression!r}: {got}, and not {wanted}"


@settings(max_examples=EXAMPLES, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(products(), stays)
def test_products_agree_with_the_local_engine(spark, case, stays):
    agrees(spark, case.expression, stays)


@pytest.mark.filterwarnings("ignore:.*left out")
@settings(max_examples=EXAMPLES, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(forms(), stays)
def test_every_form_agrees_with_the_local_engine(spark, case, stays):
    agrees(spark, case.expression, stays)


def rows(random, count, **columns):
    return {name: [keys[n] for n in random.integers(0, len(keys), count)] for name, keys in columns.items()}


@pytest.fixture(scope="module")
def tables(spark):
    """The same tables here and in Spark: rows that come twice, values of both kinds, keys that do not all meet."""
    random = np.random.default_rng(3)
    numbers, names = list(range(-2, 6)), ["ann", "bob", "", "émile", "Zoë"]
    data = {
        "E": (rows(random, 60, src=numbers, dst=numbers), None, "plus"),
        "V": ({**rows(random, 50, src=numbers, dst=numbers), "v": random.integers(-5, 9, 50).tolist()}, "v", "plus"),
        "M": ({**rows(random, 50, src=numbers, dst=numbers), "v": random.integers(-5, 9, 50).tolist()}, "v", "max"),
        "F": (
            {**rows(random, 40, who=numbers, name=names), "v": (random.integers(-8, 8, 40) / 4).tolist()},
            "v",
            "plus",
        ),
        "B": (rows(random, 50, src=numbers, dst=numbers), None, "count"),
        "S": (rows(random, 5, k=numbers), None, "plus"),
        "P": (
            {**rows(random, 30, k=numbers), "p": random.integers(0, 9, 30).tolist(), "q": [0.5] * 30},
            ["p", "q"],
            "plus",
        ),
    }
    here, there = {}, {}
    for name, (columns, value, combine) in data.items():
        frame = spark.createDataFrame(list(zip(*columns.values(), strict=True)), list(columns)).repartition(3)
        for made, source in ((here, columns), (there, frame)):
            made[name] = sk.table(source, value=value, name=name, combine=combine)
    return here, there


FORMS = {
    "a row comes twice": lambda t: t["V"][a, b],
    "a set": lambda t: t["E"][a, b],
    "a bag": lambda t: t["B"][a, b].sum(b),
    "the largest of copies": lambda t: t["M"][a, b].sum(b),
    "a total": lambda t: t["V"][a, b].sum(),
    "no row": lambda t: t["V"][a, 99].sum(),
    "no row, the least": lambda t: t["V"][a, 99].min(),
    "the least": lambda t: t["V"][a, b].min(b),
    "the largest": lambda t: (t["V"][a, b] * t["E"][b, c]).max(b, c),
    "the largest product": lambda t: (t["V"][a, b] * t["F"][b, x]).max(a, b),
    "any": lambda t: t["E"][a, b].any(b),
    "any at all": lambda t: (t["E"][a, b] * (a > b)).any(),
    "rows": lambda t: t["V"][a, b].count(b),
    "rows of a bag": lambda t: (t["B"][a, b] * t["S"][b]).count(),
    "a path": lambda t: (t["E"][a, b] * t["E"][b, c] * t["E"][c, d]).sum(),
    "a path of values": lambda t: (t["V"][a, b] * t["B"][b, c] * t["M"][c, d]).sum(b, c),
    "a star": lambda t: (t["V"][a, b] * t["E"][a, c] * t["F"][a, x]).sum(b, c),
    "shortest": lambda t: (t["V"][a, b] * t["E"][b, c] * t["F"][c, x]).sum(b, c, semiring="min_plus"),
    "longest": lambda t: (t["V"][a, b] * t["V"][b, c]).sum(b, semiring="max_plus"),
    "bottleneck": lambda t: (t["V"][a, b] * t["V"][b, c]).sum(b, semiring="min_max"),
    "a constant": lambda t: (t["F"][a, "ann"] * t["E"][a, b]).sum(b),
    "the same twice": lambda t: t["V"][a, a].sum(),
    "the same factor twice": lambda t: t["V"][a, b] * t["V"][a, b],
    "compared": lambda t: (t["V"][a, b] * t["E"][b, c] * (a <= b) * (c != 3)).sum(b),
    "strings compared": lambda t: (t["F"][a, x] * (x < "b")).sum(a),
    "absent": lambda t: (t["V"][a, b] * ~t["E"][b, a]).sum(b),
    "absent of a bag": lambda t: t["B"][a, b] * ~t["S"][a],
    "present": lambda t: (t["V"][a, b] * ~~t["M"][b, a]).sum(b),
    "default": lambda t: (t["E"][a, b] * t["V"][b, a].default(5)).sum(b),
    "default of a sum": lambda t: (t["E"][a, b] * t["V"][b, c].sum(c).default(0.5)).sum(b),
    "default of a set": lambda t: (t["V"][a, b] * t["S"][b].default(0)).sum(a),
    "a sum inside": lambda t: (t["E"][a, b] * t["V"][b, c].max(c)).sum(b),
    "absent sum": lambda t: t["S"][a] * ~(t["V"][a, b] * (b > 4)).sum(b),
    "added": lambda t: t["V"][a, b] + t["E"][a, b] * 2,
    "added and summed": lambda t: (t["V"][a, b] + t["E"][a, b]).sum(b),
    "subtracted": lambda t: t["V"][a, b] - t["M"][a, b],
    "added, the least": lambda t: (t["V"][a, b] + t["M"][a, b]).min(a),
    "mapped": lambda t: t["V"][a, b].map(lambda v: v * 2 + 1).sum(b),
    "mapped with keys": lambda t: (t["V"][a, b] * t["E"][b, c]).map(lambda i, j, k, v: v - i + k).sum(b, c),
    "mapped to floats": lambda t: t["V"][a, b].map(lambda v: v / 4),
    "kept": lambda t: t["V"][a, b].where(lambda v: v > 2).sum(b),
    "kept in a product": lambda t: (t["E"][a, b] * t["V"][b, c].where(lambda v: v != 3)).sum(b),
    "kept and counted": lambda t: t["V"][a, b].where(lambda v: v > 2).count(b),
    "several values": lambda t: t["P"][a],
    "several values of several rows": lambda t: (t["P"][a] * t["B"][a, b]).sum(a),
    "several values, one made": lambda t: t["P"][a].map(lambda v: v.p * v.q),
    "a number": lambda t: (t["V"][a, b] * 2.5).sum(b),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_handed_over(tables, form):
    here, there = tables
    with sk.engine("interpreted"):
        wanted = FORMS[form](here).collect(into=dict)
    got = on_sql(FORMS[form](there))
    assert close(got, wanted)


@pytest.mark.parametrize(
    "form", ["a star", "several values of several rows", "default of a sum", "any", "mapped to floats"]
)
def test_frames_are_those_of_cells(tables, form):
    """Columns, their types and all rows."""
    from pyspark.testing import assertDataFrameEqual

    _, there = tables
    with sk.spark.options(strategy="cells"):
        wanted = FORMS[form](there).collect()
    assertDataFrameEqual(on_sql(FORMS[form](there), into=None), wanted)


def test_tables_that_are_here_are_sent_along(tables):
    here, there = tables
    for form in ("a star", "absent", "default of a sum", "compared"):
        mixed = {**there, "E": here["E"], "F": here["F"]}
        with sk.engine("interpreted"):
            wanted = FORMS[form](here).collect(into=dict)
        assert close(on_sql(FORMS[form](mixed)), wanted)


class TestKeys:
    @pytest.mark.parametrize(
        ("kind", "keys"),
        [
            ("tinyint", [-1, 0, 7]),
            ("double", [0.5, -0.0, 0.0, 3.0, float("nan")]),
            ("boolean", [True, False]),
            ("date", [datetime.date(2013, 1, n) for n in (1, 5, 9)]),
            ("timestamp_ntz", [datetime.datetime(2013, 1, n, 12, 30, 1, 5) for n in (1, 5)]),
        ],
    )
    @pytest.mark.filterwarnings("ignore:.*left out")
    def test_of_every_type(self, spark, kind, keys):
        random = np.random.default_rng(5)
        held = rows(random, 30, src=keys, dst=keys)
        frame = spark.createDataFrame(list(zip(*held.values(), strict=True)), f"src {kind}, dst {kind}")
        here, there = sk.table(held), sk.table(frame)
        query = lambda e: (e[a, b] * e[b, c] * (a <= b)).sum(b)  # noqa: E731
        assert on_sql(query(there)) == query(here).collect(into=dict)
        assert on_sql(there[a, b].count(b)) == here[a, b].count(b).collect(into=dict)

    def test_a_zero_has_no_sign(self, spark):
        there = sk.table(spark.createDataFrame([(-0.0, 1)], "k double, v int"), "k", "v")
        assert str(on_sql(there[a])) == "{0.0: 1}"

    @pytest.mark.parametrize(
        ("kind", "keys"),
        [
            ("string", ["it's", 'a "b"', "c:\\d\\n", "{x}", "${y}", "", "Zoë", "a\x00b", "%s", "-- no"]),
            ("bigint", [-(2**63), 2**63 - 1, -1, 0]),
            ("double", [float("inf"), -float("inf"), 1e300, -5e-324, -0.0]),
            ("date", [datetime.date(1, 1, 1), datetime.date(2024, 2, 29), datetime.date(9999, 12, 31)]),
            ("boolean", [True, False]),
        ],
    )
    def test_constants_mean_what_they_say(self, spark, kind, keys):
        there = sk.table(spark.createDataFrame([(k, n) for n, k in enumerate(keys)], f"k {kind}, n int"))
        for n, key in enumerate(keys):
            assert on_sql(there[key, a]) == {n: 1}
            assert on_sql(there[x, a] * (x == key)) == {(key, n): 1}

    def test_names_are_quoted(self, spark):
        """Of columns, where they are no words, and of axes, where Spark would take them for words of its own."""
        frame = spark.createDataFrame([(1, 2, 3), (1, 5, 4), (2, 2, None)], "`a b` int, `x``y.{z}` int, `1` int")
        there = sk.table(frame, ["a b", "x`y.{z}"], "1")
        order, é = sk.axes("order é")
        with pytest.warns(UserWarning, match="1 row without a value in column '1'"):
            assert on_sql((there[order, é] * (order < é)).sum(é)) == {1: 7}

    def test_what_is_left_out_is_told_after_the_job_or_before(self, spark):
        frame = spark.createDataFrame([(1, 2.0), (None, 1.0), (2, None), (3, float("nan"))], "k int, v double")
        with pytest.warns(UserWarning, match="1 row without a key in column 'k' is left out"):
            assert on_sql(sk.table(frame, "k", "v")[a].count(), None) == 2
        with pytest.warns(UserWarning, match="1 row without a value in column 'v' is left out"):
            assert on_sql(sk.table(frame, "k", "v")[a], None).count() == 2
        with pytest.raises(errors.NotAKey, match="1 row without a key"):
            on_sql(sk.table(frame, "k", "v", nulls="refuse")[a].count(), None)
        none = sk.table(spark.createDataFrame([], "k int"))
        with pytest.warns(UserWarning, match="1 row without a key"):  # Spark does not read it at all
            assert on_sql((sk.table(frame, "k", "v")[a] * none[a]).sum(), None) == 0


class TestTheChoice:
    def test_cyclic_queries_stay(self, tables):
        _, there = tables
        e = there["E"]
        for query in (e[a, b] * e[b, c] * e[a, c], e[a, b] * e[b, c] * ~e[a, c], e[a, b] * e[b, c] * (a < c)):
            assert "not handed to Spark SQL: it is cyclic" in str(query.count().explain())

    def test_paths_are_summed_first(self, tables):
        _, there = tables
        e = there["E"]
        told = str((e[a, b] * e[b, c] * e[c, d]).sum().explain())
        assert told.startswith("handed to Spark SQL, because it is acyclic")
        assert "E is summed to b first" in told

    def test_what_grows_in_between_stays(self, tables):
        _, there = tables
        e = there["E"]
        assert "rows in between" in str((e[a, b] * e[b, c]).sum(b).explain())
        assert "handed to" in str((e[a, b] * e[b, c]).explain())  # there, it is the result

    def test_keys_join_as_they_are(self, spark):
        lines = sk.table(
            spark.range(300).selectExpr("id div 3 as o", "id as l", "id as price"), ["o", "l"], "price", name="L"
        )
        orders = sk.table(spark.range(100).selectExpr("id as o", "id % 7 as c"), ["o", "c"], combine="count", name="O")
        query = (lines[a, b] * orders[a, c]).sum(a, b)
        told = str(query.explain())
        assert "joined with" in told and "summed" not in told
        assert query.collect(into=dict) == {k: sum(n for n in range(300) if n // 3 % 7 == k) for k in range(7)}

    def test_what_is_handed_over_compiles_nothing(self, tables):
        _, there = tables
        before = statistics.compiled, statistics.loaded
        on_sql((there["V"][a, b] * there["E"][b, c]).map(lambda v: v * 7919).sum(b))
        assert (statistics.compiled, statistics.loaded) == before

    @pytest.mark.parametrize("form", ["a path of values", "a star", "mapped", "absent", "default of a sum"])
    def test_tables_that_are_known_need_no_jobs_beside_the_query(self, spark, tables, form):
        _, there = tables
        frame = on_sql(FORMS[form](there), into=None)

        with jobs(spark, f"ours: {form}") as ours:
            on_sql(FORMS[form](there))
        with jobs(spark, f"Spark's: {form}") as by_spark:
            frame.toArrow()
        assert len(ours) == len(by_spark) > 0

    def test_a_query_asks_the_driver_little(self, tables, monkeypatch):
        """Operations on PySpark's columns were a dozen calls each: a star took some 700."""
        from py4j.clientserver import ClientServerConnection

        _, there = tables
        on_sql(FORMS["a star"](there))
        send, calls = ClientServerConnection.send_command, []

        def counted(self, command, *more):
            calls.append(command)
            return send(self, command, *more)

        monkeypatch.setattr(ClientServerConnection, "send_command", counted)
        on_sql(FORMS["a star"](there))
        assert 10 < sum(not command.startswith("m\n") for command in calls) < 200  # m: memory that is given back

    def test_an_aggregate_of_one_table_is_one_frame(self, spark):
        """Spark looks through each frame that is made: a total of a new table waited for one that only gave names."""
        t = sk.table(spark.range(30).selectExpr("id % 3 as k", "id as n", "id as v"), ["k", "n"], "v")
        assert on_sql(t[a, b].sum()) == 435
        assert on_sql(t[a, b].sum(b)) == {0: 135, 1: 145, 2: 155}
        assert not t.aliased
        assert on_sql(t[a, b].max(b)) == {0: 27, 1: 28, 2: 29}  # rows that come twice are made one before

    def test_what_a_user_has_cached_stays_cached(self, spark):
        """One text over views would be looked through once, but when a view of a frame is dropped, so is its cache."""
        frame = spark.range(40).selectExpr("id % 5 as k", "id as n").cache()
        try:
            assert frame.count() == 40 and frame.is_cached
            t, s = (sk.table(frame, ["k", "n"], combine="count") for _ in range(2))
            assert on_sql((t[a, b] * s[a, c]).sum()) == 5 * 8 * 8
            assert frame.storageLevel.useMemory
        finally:
            frame.unpersist()

    def test_columns_of_one_name_in_several_tables(self, spark):
        """They are told apart by the table, also where a table stands in a query twice."""
        frame = spark.createDataFrame([(1, 2, 10), (2, 3, 20), (1, 3, 30)], "k int, n bigint, v bigint")
        t = sk.table(frame, ["k", "n"], "v")
        u = sk.table(frame.selectExpr("n as k", "k as n", "v"), ["k", "n"], "v")
        assert on_sql((t[a, b] * t[b, c]).sum()) == 10 * 20
        assert on_sql((t[a, b] * u[b, a]).sum(b)) == {1: 10 * 10 + 30 * 30, 2: 20 * 20}
        assert on_sql(t[a, b] * ~t[b, 3]) == {(2, 3): 20, (1, 3): 30}

    def test_pins(self, tables):
        _, there = tables
        e = there["E"]
        with sk.spark.options(strategy="cells"):
            assert "the strategy is pinned" in str(e[a, b].sum(b).explain())
        with pytest.raises(errors.BadOption, match="function of keys"), sk.spark.options(strategy="sql"):
            (e[a, b] * a.where(lambda key: key > 0)).sum().collect()
        with pytest.raises(errors.BadOption, match="no strategy 'fast'"), sk.spark.options(strategy="fast"):
            pass

    def test_integers_that_overflow(self, spark):
        there = sk.table(spark.createDataFrame([(1, 2**62), (2, 2**62)], "k int, v bigint"), "k", "v")
        with pytest.raises(errors.IntegerOverflow):
            there[a].sum().collect()
        spark.conf.set("spark.sql.ansi.enabled", "false")
        small = sk.table(spark.range(3), "id")
        try:
            assert "integers overflow" in str(small[a].sum().explain())
        finally:
            spark.conf.set("spark.sql.ansi.enabled", "true")


class TestLessToMove:
    def test_broadcast(self, tables):
        """Parts of the large table add up, in every form in which that is right."""
        here, there = tables
        for make in (
            lambda t: (t["V"][a, b] * t["E"][b, c] * t["B"][a, c]).sum(b, c),
            lambda t: (t["B"][a, b] * t["E"][b, c] * t["V"][a, c]).sum(),
            lambda t: t["V"][a, b] * t["E"][b, a] * ~t["S"][a],
            lambda t: (t["E"][a, b] * t["M"][b, c] * t["M"][c, a]).sum(a, semiring="min_plus"),
            lambda t: (t["E"][a, b] * t["V"][b, c] * t["V"][c, a]).any(),
        ):
            with sk.spark.options(strategy="broadcast"):
                assert close(make(there).collect(into=dict), make(here).collect(into=dict))
        with sk.spark.options(strategy="broadcast"):
            told = str((there["V"][a, b] * there["E"][b, c] * there["B"][a, c]).sum().explain())
            assert "on Spark: broadcast, V stays where it is" in told and "E: 60 rows to every task" in told
            with pytest.raises(errors.BadOption, match="would not add up"):  # copies in two parts would count twice
                (there["E"][a, b] * there["E"][b, c] * there["E"][a, c]).sum().collect()

    def test_sums_and_sets_before_the_shuffle(self, tables):
        here, there = tables
        rings = lambda t: t["E"][a, b] * t["E"][b, c] * t["E"][c, a]  # noqa: E731
        with sk.spark.options(cells=4):
            for make in (
                lambda t: (rings(t) * t["V"][a, x]).sum(b, c, x),
                lambda t: (rings(t) * t["F"][a, x]).sum(b, c, x, semiring="min_plus"),
                lambda t: (rings(t) * t["V"][b, c]).count(),
            ):
                assert close(make(there).collect(into=dict), make(here).collect(into=dict))
            assert "V, summed along x: 8 rows" in str((rings(there) * there["V"][a, x]).sum().explain())
