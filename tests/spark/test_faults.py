"""What goes wrong on Spark is said in a line or two, in our words, and nothing is left half done."""

import os
import re
import shutil

import pyarrow.parquet as parquet
import pytest

import skipstone as sk
from skipstone import errors
from skipstone.engines.spark.faults import in_our_words

a, b, c = sk.axes("a b c")


@pytest.fixture(scope="module")
def sold(spark):
    """1,000 rows; one of them, (617, 3), has the value 0."""
    frame = spark.range(1000).selectExpr("id as item", "id % 7 as shop", "id - 617 as n").repartition(3)
    return sk.table(frame, ["item", "shop"], "n", name="sold")


def message(raised):
    text = str(raised.value)
    assert "Traceback" not in text and "py4j" not in text and "\tat " not in text and len(text.splitlines()) < 4
    assert raised.value.__cause__ is None and raised.value.__suppress_context__
    return text


class TestFunctionsThatFail:
    @pytest.mark.parametrize("shares", [{}, {a: 3}], ids=str)
    def test_rows_are_named(self, sold, shares):
        shops = sk.table({"shop": range(7)}, name="shops")
        query = (sold[a, b] * shops[b]).map(lambda n: 100 // n)
        with sk.spark.options(shares=shares):
            with pytest.raises(errors.DivisionByZero, match="a function divided by zero") as raised:
                query.collect(into=dict)
            assert raised.value.__notes__ == ["at sold(item=617, shop=1), shops(shop=1)"]
            message(raised)
            with pytest.raises(errors.DivisionByZero) as raised:
                query.sum().collect()
            assert raised.value.__notes__ == ["at sold(item=617, shop=1), shops(shop=1)"]

    def test_what_a_smaller_table_would_say_more_of_is_not_made_smaller(self, sold, spark):
        """Without the row that excludes it, a row that never failed would."""
        zeros = spark.createDataFrame([(1, 0), (2, 5), (3, 0)], "k int, v int")
        t, no = sk.table(zeros, "k", "v", name="t"), sk.table(spark.createDataFrame([(1,)], "k int"), name="no")
        with pytest.raises(errors.DivisionByZero) as raised:
            (t[a] * ~no[a]).map(lambda v: 1 // v).sum().collect()
        assert raised.value.__notes__ == ["at t(k=3)"]

    def test_two_rows_of_one_table(self, spark):
        e = sk.table(spark.createDataFrame([(n, n + 1, n) for n in range(60)], "x int, y int, v int"), ["x", "y"], "v")
        with pytest.raises(errors.DivisionByZero) as raised:
            (e[a, b] * e[b, c]).map(lambda v: 1 // (v - 90)).sum().collect()
        assert raised.value.__notes__ == ["at unnamed(x=9, y=10), unnamed(x=10, y=11)"]  # 9 * 10

    @pytest.mark.parametrize(
        "ask", [lambda q: q.collect(into=dict), lambda q: q.collect().count()], ids=["here", "there"]
    )
    def test_functions_of_keys_name_the_key_and_their_line(self, sold, ask):
        def known(item):
            return dict.fromkeys(range(900), True)[item]

        with pytest.raises(Exception, match=r"9\d\d") as raised:
            ask(sold[a, b] * a.where(known))
        text = "\n".join([str(raised.value), *getattr(raised.value, "__notes__", ())])
        assert re.search(
            r"while a function was asked about key 9\d\d of axis a\nin test_faults.py:\d+:  return dict", text
        )
        assert "plan/keyed.py" not in text  # no stack of ours, not even in Spark's own exception

    def test_errors_of_the_users_own(self, sold):
        class Unsold(Exception):
            pass

        def fail(item):
            raise Unsold("what now")

        with pytest.raises(errors.SparkFailed, match=r"a task raised .*Unsold: what now") as raised:
            (sold[a, b] * a.where(fail)).collect(into=dict)
        assert "Traceback" not in str(raised.value)

    def test_a_worker_that_dies_each_time(self, sold):
        with pytest.raises(errors.SparkFailed, match="a Python worker died each time") as raised:
            (sold[a, b] * a.where(lambda item: os.kill(os.getpid(), 9))).sum().collect()
        assert "more cells" in message(raised)

    def test_memory(self, sold):
        with pytest.raises(errors.SparkFailed, match="a task ran out of memory") as raised:
            (sold[a, b] * a.where(lambda item: bytes(2**60))).collect(into=dict)
        assert "spark.executor.pyspark.memory" in message(raised)

    def test_a_full_disk(self, sold):
        def keep(item):
            with open("/dev/full", "w") as file:
                file.write(str(item))
            return True

        with pytest.raises(errors.SparkFailed, match="the disk is full") as raised:
            (sold[a, b] * a.where(keep)).sum().collect()
        assert "spark.local.dir" in message(raised)

    def test_nothing_is_written_by_a_job_that_fails(self, sold, tmp_path):
        with pytest.raises(Exception, match="a function divided by zero"):
            sold[a, b].map(lambda n: 100 // n).collect().write.parquet(f"{tmp_path}/out")
        assert not [path for path in (tmp_path / "out").rglob("*") if path.is_file()]


class TestFiles:
    @pytest.fixture
    def path(self, spark, tmp_path):
        spark.range(1000).selectExpr("id as k", "id % 7 as v").write.parquet(f"{tmp_path}/rows.parquet")
        return tmp_path / "rows.parquet"

    def test_corrupt(self, path, spark):
        for file in path.glob("*.parquet"):
            data = file.read_bytes()
            file.write_bytes(data[:40] + bytes(60) + data[100:])
            (path / f".{file.name}.crc").unlink()
        with pytest.raises(errors.SparkFailed, match=r"rows.parquet/part-\S+ cannot be read: it is corrupt") as raised:
            sk.spark.table(path, "k", "v")[a].collect(into=dict)  # both columns are read
        message(raised)

    def test_corrupt_in_a_column_that_is_not_read(self, path, spark):
        """Its footer says that nothing is null: only the values are read, and their sum is right."""
        for file in path.glob("*.parquet"):
            keys = parquet.ParquetFile(file).metadata.row_group(0).column(0)
            data = bytearray(file.read_bytes())
            at = keys.data_page_offset + 20
            data[at : at + 60] = bytes(60)
            file.write_bytes(data)
            (path / f".{file.name}.crc").unlink()
        assert sk.spark.table(path, "k", "v")[a].sum().collect() == sum(n % 7 for n in range(1000))

    def test_no_parquet_at_all(self, tmp_path, spark):
        (tmp_path / "junk.parquet").write_text("k,v\n1,2\n" * 20)
        with pytest.raises(
            errors.SparkFailed, match=r"junk.parquet cannot be read: it is corrupt, or of another"
        ) as raised:
            sk.spark.table(tmp_path / "junk.parquet")
        message(raised)

    def test_missing_and_gone(self, path, spark):
        with pytest.raises(errors.SparkFailed, match=r"there is no \S+/rows.orc\n") as raised:
            sk.spark.table(path.with_suffix(".orc"))
        message(raised)
        t = sk.spark.table(path, "k", "v")
        assert t[a].count().collect() == 1000
        shutil.rmtree(path)
        with pytest.raises(errors.SparkFailed, match=r"part-\S+ is gone") as raised:
            t[a].sum().collect()
        message(raised)

    def test_wrong_columns_formats_and_names(self, path, spark):
        for action, kind, said in (
            (lambda: sk.spark.table(path, "key"), errors.BadOption, "there is no column 'key'\n  There are: k, v"),
            (lambda: sk.spark.table("rows.xlsx/"), errors.BadOption, "nothing says what rows.xlsx/ holds"),
            (lambda: sk.spark.table(path, format="xlsx"), errors.BadOption, "format='xlsx'\n  Say one of parquet, csv"),
            (lambda: sk.spark.table([]), errors.BadOption, "there is no path"),
            (lambda: sk.spark.table("db.rows"), errors.SparkFailed, "Spark has no table `db`.`rows`"),
        ):
            with pytest.raises(kind) as raised:
                action()
            assert said in str(raised.value)

    def test_wrong_types(self, path, spark):
        numbers, names = sk.spark.table(path, "k", "v", name="numbers"), sk.table({"k": ["ann"]}, name="names")
        with pytest.raises(errors.MixedKeys, match=r"numbers.k holds int keys"):
            (numbers[a] * names[a]).collect()
        texts = spark.createDataFrame([(1, "x")], "k int, v string")
        with pytest.raises(errors.UnsupportedValue, match="column 'v' of type string cannot be values"):
            sk.table(texts, "k", "v")
        bad = spark.sql("select id as k, cast('x' as int) as v from range(3)")
        with pytest.raises(errors.SparkFailed, match="The value 'x' of the type") as raised:
            sk.table(bad, "k", "v")[a].sum().collect()
        message(raised)

    @pytest.mark.parametrize("kind", ["parquet", "csv", "orc", "json"])
    def test_every_format(self, path, spark, tmp_path, kind):
        frame = spark.read.parquet(str(path))
        target = f"{tmp_path}/out.{kind}"
        frame.write.format(kind).options(**({"header": True} if kind == "csv" else {})).save(target)
        for source in (target, f"{target}/*.{kind}"):
            t = sk.spark.table(source, "k", "v")
            assert t[a].sum().collect() == sum(n % 7 for n in range(1000))
        if kind == "parquet":
            assert sk.spark.table([target, path], "k", "v", combine="max")[a].count().collect() == 1000

    def test_no_header_and_tabs(self, spark, tmp_path):
        (tmp_path / "edges.tsv").write_text("1\t2\n2\t3\n")
        e = sk.spark.table(tmp_path / "edges.tsv", reading={"header": False})
        assert (e[a, b] * e[b, c]).collect(into=dict) == {(1, 2, 3): 1}

    def test_catalog(self, path, spark):
        spark.read.parquet(str(path)).createOrReplaceTempView("rows_of_a_view")
        assert sk.spark.table("rows_of_a_view", "k", "v")[a].count().collect() == 1000


class TestSaid:
    """Troubles that cannot be made here, by the text that Spark has for them."""

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            (
                "An error occurred.\n: java.lang.OutOfMemoryError: Java heap space\n\tat y",
                "out of memory",
            ),
            ("o1.x: org.apache.spark.SparkException: ExecutorLostFailure (executor 1 exited)", "an executor was lost"),
            ("ModuleNotFoundError: No module named 'skipstone'", "Python that lacks what skipstone needs"),
            (
                "An error occurred while calling o1.x.\n: a.b.SparkException: odd\n\tat y",
                "Spark says: odd\n",
            ),
        ],
    )
    def test_in_our_words(self, text, said):
        assert said in str(in_our_words(text))
