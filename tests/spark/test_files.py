"""Tables that are Parquet files: what their footers say spares jobs, and is never wrong."""

import datetime
from contextlib import contextmanager

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import skipstone as sk
from skipstone import errors
from skipstone.engines.spark.footers import footers

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

    def test_a_cyclic_query_on_one_small_table_is_one_job(self, spark, lines):
        e = sk.table(lines.select("o", "k"), name="E")
        query = sk.sum(e[a, b] * e[b, c] * e[a, c])
        with jobs(spark, "alone") as found:
            got = query.collect()
        here = sk.table({"o": np.arange(600) // 3, "k": np.arange(600) % 3})
        assert got == sk.sum(here[a, b] * here[b, c] * here[a, c]).collect() > 0
        assert len(found) == 1
        assert str(query.explain()).startswith("on Spark: one task, which reads its table, 1 cells")


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
