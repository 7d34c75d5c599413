"""Tables that are Parquet files: what their footers say spares jobs, and is never wrong."""

import datetime
from contextlib import contextmanager

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import skipstone as sk
from skipstone import errors
from skipstone.engines.spark.footers import Footers, footers
from skipstone.engines.spark.meter import metered

a, b, c, n = sk.axes("a b c n")


@contextmanager
def jobs(spark, name):
    """The jobs that are run inside of this block, by their numbers."""
    found = []
    spark.sparkContext.setJobGroup(name, name)
    try:
        yield found
    finally:
        spark.sparkContext.setJobGroup("", "")
        found += spark.sparkContext.statusTracker().getJobIdsForGroup(name)


@pytest.fixture(scope="module")
def lines(spark, tmp_path_factory):
    """Two files, in a directory with a space in its name; o and k tell rows apart, and `nothing` is null at times."""
    place = tmp_path_factory.mktemp("some lines")
    for part in range(2):
        at = np.arange(300) + 300 * part
        columns = {"o": at // 3, "k": at % 3, "price": at / 4, "nothing": [None if x == 7 else int(x) for x in at]}
        parquet.write_table(pa.table(columns), place / f"{part}.parquet", row_group_size=100)
    return spark.read.parquet(str(place))


class TestFooters:
    def test_say_how_many_rows_there_are_and_what_lacks_nothing(self, lines):
        found = footers(lines)
        assert found.rows == 600 and found.complete == {"o", "k", "price"}
        assert footers(lines.select("k", "nothing")).complete == {"k"}

    def test_are_asked_only_where_a_frame_is_its_files(self, spark, lines):
        others = [
            lines.where("o > 3"),
            lines.selectExpr("nothing as k", "o"),
            lines.selectExpr("if(o = 1, null, o) as o"),
            lines.limit(5),
            lines.unionAll(lines),
            spark.range(3),
        ]
        assert [footers(frame) for frame in others] == [None] * len(others)

    def test_are_found_behind_a_view(self, spark, lines):
        lines.createOrReplaceTempView("lines_seen")
        assert footers(spark.table("lines_seen")).rows == 600
        assert footers(spark.sql("select k, o from lines_seen")).complete == {"k", "o"}

    def test_of_a_frame_that_is_cached_are_none(self, spark, tmp_path):
        """Spark reads what it has kept, whatever is in the file by now."""
        parquet.write_table(pa.table({"k": [1, None]}), tmp_path / "0.parquet")
        frame = spark.read.parquet(str(tmp_path)).cache()
        try:
            assert frame.count() == 2
            parquet.write_table(pa.table({"k": [1, 2]}), tmp_path / "0.parquet")
            assert footers(frame) is None
        finally:
            frame.unpersist()

    def test_of_many_files_are_not_asked(self, lines, monkeypatch):
        monkeypatch.setattr("skipstone.engines.spark.footers.MANY", 1)
        assert footers(lines) is None

    def test_say_nothing_of_columns_that_a_file_lacks(self, spark, tmp_path):
        parquet.write_table(pa.table({"k": [1, 2], "v": [1, 2]}), tmp_path / "0.parquet")
        parquet.write_table(pa.table({"k": [3]}), tmp_path / "1.parquet")
        frame = spark.read.schema("k bigint, v bigint").parquet(str(tmp_path))
        assert footers(frame).complete == {"k"}
        with pytest.warns(UserWarning, match="1 row without a value in column 'v' is left out"):
            assert sk.table(frame, "k", "v")[a].sum().collect() == 3

    def test_without_statistics_say_only_how_many_rows(self, spark, tmp_path):
        parquet.write_table(pa.table({"k": [1, None]}), tmp_path / "0.parquet", write_statistics=False)
        found = footers(spark.read.parquet(str(tmp_path)))
        assert found.rows == 2 and not found.complete

    def test_of_a_file_that_is_gone_are_none(self, spark, tmp_path):
        parquet.write_table(pa.table({"k": [1, 2]}), tmp_path / "0.parquet")
        frame = spark.read.parquet(str(tmp_path))
        (tmp_path / "0.parquet").unlink()
        assert footers(frame) is None

    def test_what_cannot_be_a_key_is_not_looked_at(self, spark, tmp_path, monkeypatch):
        at = np.arange(400)
        parquet.write_table(pa.table({"o": at // 4, "k": at % 4, "v": at}), tmp_path / "0.parquet")
        lines = sk.table(spark.read.parquet(str(tmp_path)), ["o", "k", "v"])
        assert lines.footers.spans == {"o": 100, "k": 4, "v": 400}
        assert lines.is_key([0, 1]) and lines.is_key([2])

        def looked(*given):
            raise AssertionError("rows were read")

        monkeypatch.setattr(Footers, "read", looked)
        assert not lines.is_key([0]) and not lines.is_key([1])


class TestJobs:
    def test_a_first_query_has_the_jobs_of_its_sql(self, spark, lines):
        lines.createOrReplaceTempView("lines")
        with jobs(spark, "sql") as wanted:
            rows = spark.sql("select k, sum(price) s from lines group by k").toArrow().to_pylist()
        with jobs(spark, "ours") as got:
            found = sk.table(lines, ["o", "k"], "price")[a, b].sum(a).collect(into=dict)
        assert found == {row["k"]: row["s"] for row in rows}
        assert len(got) == len(wanted) > 0

    def test_a_frame_that_is_given_out_has_none(self, spark, lines):
        with jobs(spark, "lazy") as found:
            sk.table(lines, ["o", "k"], "price", nulls="refuse")[a, b].sum(a).collect()
        assert not found

    def test_nulls_are_counted_by_the_query_itself_even_if_they_are_refused(self, spark, lines):
        query = sk.table(lines, ["o", "k"], "nothing", nulls="refuse")[a, b].sum()
        with jobs(spark, "refused") as found, pytest.raises(errors.NotAKey, match="1 row without a value"):
            query.collect()
        with jobs(spark, "told") as told, pytest.warns(UserWarning, match="1 row without a value"):
            sk.table(lines, ["o", "k"], "nothing")[a, b].sum().collect()
        assert len(found) == len(told) == len(set(found + told)) / 2

    def test_a_cyclic_query_on_one_small_table_is_one_job_of_its_only_cell(self, spark, lines):
        query = triangles(sk.table(lines.select("o", "k"), name="E"))
        with jobs(spark, "alone") as found, sk.spark.options(strategy="cells"):
            assert query.collect() == THERE
        assert len(found) == 1
        with sk.spark.options(strategy="cells"):
            assert str(query.explain()).startswith("on Spark: one task, which reads its table, 1 cells")

    def test_or_none_if_the_driver_can_be_that_cell(self, spark, lines):
        query = triangles(sk.table(lines.select("o", "k"), name="E"))
        with jobs(spark, "here") as found, metered(spark) as meter:
            assert query.collect() == THERE
        assert not found and (meter.rows, meter.cells, meter.bytes) == (600, 1, 0) and meter.seconds > 0
        assert str(query.explain()).startswith("here: small files are read by the driver")


def triangles(e):
    return sk.sum(e[a, b] * e[b, c] * e[a, c])


THERE = triangles(sk.table({"o": np.arange(600) // 3, "k": np.arange(600) % 3})).collect()
RUN_HERE = {
    "a number": lambda E, F: triangles(E),
    "rows": lambda E, F: E[a, b] * E[b, c] * E[a, c],
    "several tables": lambda E, F: (E[a, b] * F[b, n] * E[b, c] * E[a, c]).sum(b),
    "strings": lambda E, F: (E[a, b] * E[b, c] * E[a, c] * F[a, n]).sum(a, b, c),
    "the largest": lambda E, F: (E[a, b] * E[b, c] * E[a, c] * F[a, n]).max(b, c, n),
    "absence": lambda E, F: (E[a, b] * E[b, c] * ~E[a, c]).count(),
    "a function": lambda E, F: (E[a, b] * E[b, c] * E[a, c]).map(lambda v: v * 0.5).sum(c),
    "a key that a function makes": lambda E, F: (E[a, b] * E[b, c] * E[a, c] * (n == a.map(lambda x: x // 10))).sum(a),
    "nothing": lambda E, F: (E[a, b] * E[b, c] * E[a, c]).where(lambda v: v < 0).sum(b),
}


@pytest.mark.parametrize("write", RUN_HERE.values(), ids=RUN_HERE)
def test_what_the_driver_finds_is_what_a_cell_finds(spark, lines, tmp_path, write):
    names = pa.table(
        {"k": pa.array(range(200), pa.int16()), "name": [f"n{x % 7}" for x in range(200)], "w": [1.5] * 200}
    )
    parquet.write_table(names, tmp_path / "0.parquet")
    tables = sk.table(lines.select("o", "k")), sk.table(spark.read.parquet(str(tmp_path)), ["k", "name"], "w")
    query = write(*tables)
    into = dict if query.axes() else None
    with jobs(spark, "here") as found:
        got = query.collect(into)
    assert not found
    with sk.spark.options(strategy="cells"):
        assert got == query.collect(into)


def test_a_function_that_fails_here_says_at_which_rows(lines):
    E = sk.table(lines.select("o", "k"), name="E")
    with pytest.raises(ZeroDivisionError) as raised:
        (E[a, b] * E[b, c] * E[a, c]).map(lambda v: 1 // (v - 1)).sum().collect()
    assert "E(o=" in "".join(raised.value.__notes__)


def test_what_may_be_read_otherwise_here_is_read_by_spark(spark, tmp_path):
    """Spark shifts days of old calendars; and where something is lacking, it is Spark that tells."""
    days = [datetime.date(1999, 1, 1 + x % 20) for x in range(60)]
    columns = {"x": days, "y": days[1:] + days[:1], "v": [None, *range(59)]}
    parquet.write_table(pa.table(columns), tmp_path / "0.parquet")
    frame = spark.read.parquet(str(tmp_path))
    E, lacking = sk.table(frame.select("x", "y")), sk.table(frame, ["x", "y"], "v")
    assert (
        E.is_small() and E.rows_here() is None and lacking.rows_here() is None and lacking.as_set().rows_here() is None
    )
    assert str(triangles(E).explain()).startswith("on Spark: one task")


def test_files_that_changed_their_columns_are_left_to_spark(spark, tmp_path):
    parquet.write_table(pa.table({"x": [1, 2, 1], "y": [2, 3, 3]}), tmp_path / "0.parquet")
    E = sk.table(spark.read.parquet(str(tmp_path)))
    assert triangles(E).collect() == 1
    parquet.write_table(pa.table({"x": [1, 2, 1], "z": [2, 3, 3]}), tmp_path / "0.parquet")
    assert E.rows_here() is None


def test_the_only_cell_says_what_it_finds_in_no_rows(spark, tmp_path):
    parquet.write_table(
        pa.table({"x": pa.array([], pa.int64()), "y": pa.array([], pa.int64())}), tmp_path / "0.parquet"
    )
    e = sk.table(spark.read.parquet(str(tmp_path)), name="E")
    assert sk.sum(e[a, b] * e[b, c] * e[a, c]).collect() == 0
    assert (e[a, b] * e[b, c] * e[a, c]).collect(into=dict) == {}


@pytest.mark.parametrize(
    ("kind", "key"),
    [
        (pa.timestamp("ns"), lambda x: datetime.datetime(2013, 1, 1, int(x) % 24)),
        (pa.timestamp("ms"), lambda x: datetime.datetime(2013, 1, 1, int(x) % 24)),
        (pa.dictionary(pa.int8(), pa.string()), lambda x: f"s{x % 24}"),
        (pa.int16(), lambda x: int(x) % 24),
    ],
    ids=["nanoseconds", "milliseconds", "categories", "narrow integers"],
)
def test_heavy_keys_in_files_are_those_that_cells_see(spark, tmp_path, kind, key):
    """Keys have the types that Spark gives them, whatever the files have: or a heavy key would never be met."""
    many = 60_000
    keys = [key(0 if x % 3 else x) for x in range(many)]
    rows = pa.table({"k": pa.array(keys, kind), "x": np.arange(many)})
    old = kind == pa.timestamp("ns")  # Spark reads nanoseconds only as they were once written
    parquet.write_table(rows, tmp_path / "0.parquet", use_deprecated_int96_timestamps=old)
    frame = spark.read.parquet(str(tmp_path))
    here, there = sk.table(frame, name="here"), sk.table(frame.where("x >= 0"), name="there")
    assert here.footers is not None and there.footers is None
    assert here.facts.rows == there.facts.rows == many and here.facts.distinct[0] == 8
    assert max(here.heavy[0], key=here.heavy[0].get) == max(there.heavy[0], key=there.heavy[0].get)
