"""Spark tables: what they answer, how they are divided, what they refuse."""

import datetime
import os
import re
import subprocess
import sys

import numpy as np
import pytest

import skipstone as sk
from skipstone import errors

a, b, c, d, x = sk.axes("a b c d x")


def rmat(scale, edges, seed=0):
    """A power-law graph: each bit of source and destination falls into one of four quadrants, most into the first."""
    random = np.random.default_rng(seed)
    quadrants = random.choice(4, p=[0.57, 0.19, 0.19, 0.05], size=(edges, scale))
    powers = 1 << np.arange(scale)
    return {"src": (quadrants >> 1) @ powers, "dst": (quadrants & 1) @ powers}


def both(spark, columns, keys, value=None, **options):
    """The same rows here and in Spark."""
    rows = list(zip(*(np.asarray(column).tolist() for column in columns.values()), strict=True))
    frame = spark.createDataFrame(rows, list(columns)).repartition(3)
    return sk.table(columns, keys, value, **options), sk.table(frame, keys, value, **options)


@pytest.fixture(scope="module")
def graph(spark):
    return both(spark, rmat(7, 800), ["src", "dst"], name="E")


def triangles(e):
    return sk.sum(e[a, b] * e[b, c] * e[a, c])


class TestCells:
    @pytest.mark.parametrize("shares", [{}, {a: 2, b: 2, c: 2}, {a: 5}, {b: 1, c: 3}], ids=str)
    def test_triangles(self, graph, shares):
        here, there = graph
        with sk.spark.options(shares=shares):
            assert triangles(there).collect() == triangles(here).collect() > 100

    def test_what_is_summed_before_it_is_moved_keeps_the_type_of_its_keys(self, spark):
        """An empty table of floats, summed along one axis by Spark, met others as if its keys were integers."""
        none = sk.table(spark.createDataFrame([], "x double, y double, v bigint"), ["x", "y"], "v", name="none")
        other = sk.table({"x": [0.5, 1.5], "y": [3.0, 0.5], "v": [1, 1]}, ["x", "y"], "v")
        with sk.spark.options(cells=1):
            assert (none[a, b] * ~other[a, a]).sum(a, b).collect() == 0

    def test_duplicates_are_one_row_wherever_they_come_from(self, spark):
        """800 edges of a power law repeat; each partition of the frame holds some of a row's copies."""
        columns = {**rmat(3, 300), "w": np.arange(300)}
        for combine in ("plus", "max", "min"):
            here, there = both(spark, columns, ["src", "dst"], "w", combine=combine)
            with sk.spark.options(cells=4):
                query = lambda e: (e[a, b] * e[b, c]).sum(b)  # noqa: E731
                assert query(there).collect(into=dict) == query(here).collect(into=dict)
        here, there = both(spark, rmat(3, 300), ["src", "dst"], combine="count")
        with sk.spark.options(cells=3):
            assert there[a, b].sum().collect() == 300

    def test_one_key_holds_most_rows(self, spark):
        star = {"src": np.where(np.arange(600) < 400, 0, np.arange(600)), "dst": np.arange(600) % 97}
        here, there = both(spark, star, ["src", "dst"])
        with sk.spark.options(shares={a: 4, b: 2}):
            query = lambda e: (e[a, b] * e[c, b]).sum(b).count()  # noqa: E731
            assert query(there).collect() == query(here).collect()

    def test_a_sum_inside_keeps_its_axes_to_itself(self, graph):
        """b is divided outside; the b inside of the sum is another, and its keys must all be there."""
        here, there = graph
        query = lambda e: (e[a, b] * e[b, c].sum(b).default(0)).sum(b, c)  # noqa: E731

        def wanted(e):
            return (e[a, b] * e[a, c] * e[b, c].sum(b).default(0)).sum(b)

        for make in (wanted, lambda e: (e[a, b] * e[b, a].sum(b)).sum(a)):
            with sk.spark.options(shares={a: 2, b: 2, c: 2}):
                assert make(there).collect(into=dict) == make(here).collect(into=dict)
        with pytest.raises(errors.BadOption, match="axis c occurs only in"):
            query(there).collect()

    def test_totals_inside_are_run_first(self, graph):
        here, there = graph
        query = lambda e: (e[a, b] * sk.sum(e[a, b]).map(lambda n: 1 / n)).sum(a)  # noqa: E731
        with sk.spark.options(cells=4):
            wanted, got = query(here).collect(into=dict), query(there).collect(into=dict)
        assert list(got) == list(wanted) and np.allclose(list(got.values()), list(wanted.values()))

    def test_nothing_in_spark_and_something_here(self, spark):
        """A task without a single block was not run, though absence has something to say."""
        here = sk.table({"k": [1, 2]})
        none = sk.table(spark.createDataFrame([], "k bigint"))
        assert (here[a] * ~none[a]).collect(into=dict) == {1: 1, 2: 1}
        assert (here[a] * none[a]).collect(into=dict) == {} and (here[a] * none[a]).sum().collect() == 0
        assert none[a].min().collect() is None and none[a].any().collect() is False

    def test_as_text(self, graph):
        here, there = graph
        text = "n(c, a) += E(a, b) * E(b, c) * [a != c] * !E(c, 3)"
        with sk.spark.options(cells=4):
            got = sk.query(text, E=there)
        assert got.columns == ["c", "a", "value"]
        rows = {(row.c, row.a): row.value for row in got.collect()}
        assert rows == sk.query(text, E=here).to_dict() and len(rows) > 100

    def test_a_worker_that_is_killed(self, graph, tmp_path):
        """Spark tries its task again, and the answer is the same."""
        here, there = graph
        mark = str(tmp_path / "killed")

        def kill_once(key):
            if not os.path.exists(mark):
                open(mark, "w").close()
                os.kill(os.getpid(), 9)
            return key % 2 == 0

        with sk.spark.options(shares={a: 2, b: 2}):
            got = (there[a, b] * there[b, c] * a.where(kill_once)).sum().collect()
        assert os.path.exists(mark)
        assert got == (here[a, b] * here[b, c] * a.where(lambda key: key % 2 == 0)).sum().collect()

    def test_the_plan_is_told(self, graph):
        _, there = graph
        with sk.spark.options(shares={a: 2, b: 2}):
            told = str(triangles(there).explain())
        assert told.startswith(
            "on Spark: HyperCube, 4 cells\nshares: a 2 × b 2\n  E: 800 rows, by src as a, dst as b, each"
        )
        assert "each to 2 cells" in told and "moved: about" in told and "def fused" in told
        assert "one task, 1 cells" in str(triangles(there).explain())  # it is small
        with sk.spark.options(strategy="cells"):
            assert "no axis can be divided" in str((sk.table({"k": [1]})[a] * ~there[a, 3]).explain())


class TestKeys:
    @pytest.mark.parametrize(
        "keys",
        [
            ["ann", "bob", "", "émile", "ann-maria", "b"],
            [-1, 0, 7, 2**40, -(2**62), 3],
            [0.5, -0.0, 0.0, 1e300, -2.25, 3.0],
            [True, False],
            [datetime.date(2013, 1, n) for n in (1, 5, 9)],
            [datetime.datetime(2013, 1, n, 12, 30, 1, 5) for n in (1, 5, 9)],
        ],
        ids=lambda keys: type(keys[0]).__name__,
    )
    def test_of_every_type(self, spark, keys):
        random = np.random.default_rng(5)
        src, dst = ([keys[n] for n in random.integers(0, len(keys), 40)] for _ in "ab")
        schema = {datetime.datetime: "timestamp_ntz", datetime.date: "date", str: "string", int: "bigint",
                  float: "double", bool: "boolean"}[type(keys[0])]  # fmt: skip
        frame = spark.createDataFrame(list(zip(src, dst, strict=True)), f"src {schema}, dst {schema}")
        here, there = sk.table({"src": src, "dst": dst}), sk.table(frame)
        with sk.spark.options(shares={a: 2, b: 2, c: 3}):
            query = lambda e: (e[a, b] * e[b, c] * ~e[c, a] * (a < c)).sum(b)  # noqa: E731
            assert query(there).collect(into=dict) == query(here).collect(into=dict)
            pinned = lambda e: e[a, keys[1]].count()  # noqa: E731
            assert pinned(there).collect() == pinned(here).collect()

    def test_narrow_and_wide_integers_meet(self, spark):
        narrow = sk.table(spark.range(20).selectExpr("cast(id as tinyint) k"))
        wide = sk.table(spark.range(5, 30).selectExpr("id as k"))
        with sk.spark.options(cells=4):
            assert (narrow[a] * wide[a]).count().collect() == 15
            assert (wide[a] * narrow[7]).count().collect() == 25 and (wide[a] * narrow[300]).count().collect() == 0

    def test_zones_are_instants(self, spark):
        moment = datetime.datetime(2013, 1, 1, 12, tzinfo=datetime.UTC)
        there = sk.table(spark.createDataFrame([(moment,)], "k timestamp"))
        here = sk.table({"k": [moment.astimezone(datetime.timezone(datetime.timedelta(hours=2)))]})
        assert (there[a] * here[a]).count().collect() == 1
        assert (there[a] * (a >= moment)).count().collect() == 1

    def test_nulls_are_dropped_or_refused(self, spark):
        frame = spark.createDataFrame([(1, 2.0), (None, 1.0), (2, None), (3, float("nan"))], "k int, v double")
        with pytest.warns(UserWarning, match="1 row without a key in column 'k' is left out"):
            assert sk.table(frame, "k", "v")[a].count().collect() == 2
        with pytest.raises(errors.NotAKey, match="1 row without a key"), sk.spark.options(shares={a: 2}):
            sk.table(frame, "k", "v", nulls="refuse")[a].count().collect()
        not_a_number = sk.table(frame.where("k = 3"), "k", "v")[a].collect(into=dict)
        assert list(not_a_number) == [3] and np.isnan(not_a_number[3])  # NaN is a value, and no key
        with pytest.warns(UserWarning, match="2 rows without a key in column 'v'"):
            assert sk.table(frame, ["k", "v"])[a, x].count().collect() == 1


class TestValues:
    def test_several_values_and_functions(self, spark):
        columns = {"k": [1, 2, 3, 1], "p": [1.0, 2.0, 3.0, 0.5], "q": [3, 2, 1, 1]}
        here, there = both(spark, columns, "k", ["p", "q"])
        limit = 2
        for make in (
            lambda t: t[a].where(lambda v: v.p >= v.q),
            lambda t: t[a].map(lambda v: v.p * v.q).max(),
            lambda t: t[a].map(lambda k, v: k * limit if v.q > 1 else 0),
            lambda t: t[a].sum(),
            lambda t: (t[a] * (x == a.map(lambda key: f"k{key % 2}"))).sum(a),
        ):
            with sk.spark.options(cells=3):
                assert make(there).collect(into=dict) == make(here).collect(into=dict)

    @pytest.mark.parametrize("semiring", ["min_plus", "max_plus", "max_times", "or_and", "own"])
    def test_semirings_are_added_up_across_cells(self, spark, semiring):
        if semiring == "own":
            semiring = sk.Semiring(
                "either", lambda p, q: p + q - p * q, lambda p, q: p * q, 0.0, 1.0, distributes=False
            )
        columns = {**rmat(4, 100), "w": np.linspace(0, 1, 100)}
        here, there = both(spark, columns, ["src", "dst"], "w", combine="max")
        for make in (
            lambda e: (e[a, b] * e[b, c]).sum(b, semiring=semiring),
            lambda e: (e[a, b] * e[b, c]).sum(semiring=semiring),
        ):
            with sk.spark.options(cells=4):
                wanted, got = make(here).collect(into=dict), make(there).collect(into=dict)
            if isinstance(wanted, dict):
                assert list(got) == list(wanted) and np.allclose(list(got.values()), list(wanted.values()))
            else:
                assert np.isclose(got, wanted)

    def test_a_frame_has_the_types_of_the_rows(self, spark):
        people = sk.table(spark.createDataFrame([("ann", 3), ("bob", 4)], "who string, n int"), "who", "n")
        assert people[a].collect().schema.simpleString() == "struct<a:string,value:bigint>"
        assert people[a].map(lambda n: n / 2).collect().schema.simpleString() == "struct<a:string,value:double>"
        derived = (people[a] * (x == a.map(len))).sum(a).collect()
        assert derived.schema.simpleString() == "struct<x:bigint,value:bigint>" and derived.count() == 1


class TestWrongs:
    def test_are_said_before_any_job(self, graph, spark):
        _, there = graph
        names = sk.table({"k": ["ann"]})
        with pytest.raises(errors.MixedKeys, match=r"E\.src holds int keys"):
            (there[a, b] * names[a]).collect()
        with pytest.raises(errors.BadOption, match="there is no column 'from'"):
            sk.table(spark.range(3), keys="from")
        with pytest.raises(errors.NotAKey, match="column 'k' of type array"):
            sk.table(spark.sql("select array(1) as k"))
        with pytest.raises(errors.BadOption, match="0 shares"), sk.spark.options(shares={a: 0}):
            pass

    def test_a_function_that_fails_is_not_tried_again(self, graph):
        _, there = graph
        with pytest.raises(ZeroDivisionError) as raised:
            (there[a, b] * a.where(lambda key: 1 / (key - key))).sum().collect()
        assert "while a function was asked about key" in raised.value.__notes__[0]

    def test_no_java(self, monkeypatch, tmp_path):
        monkeypatch.setenv("JAVA_HOME", str(tmp_path))
        with pytest.raises(errors.SparkMissing, match="Install Java 17"):
            sk.spark.session()


def test_hashes_are_the_same_in_every_process():
    """Python's own are salted anew in each: a task that is tried again would send rows elsewhere."""
    code = (
        "import pyarrow as pa; from skipstone.engines.spark.blocks import as_numbers, mixed;"
        "hashed = lambda keys, salt: mixed(as_numbers(pa.array(keys)), salt).tolist();"
        "print(hashed(['', 'a', 'ab', 'ba', 'é'], 1), hashed([1, -1], 0))"
    )
    said = set()
    for seed in "12":
        env = {**os.environ, "PYTHONHASHSEED": seed}
        said.add(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env).stdout)
    assert len(said) == 1 and len(set(re.findall(r"\d+", said.pop()))) == 7
