"""`skipstone query --engine local`: every format in and out, what goes to stdout, and how it ends."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.orc as orc
import pyarrow.parquet as parquet
import pytest
from typer.testing import CliRunner

import skipstone as sk
from skipstone.cli import app

ROWS = {("ann", 1): 0.5, ("bob", 2): 1.5, ("cy, or so", 3): 4.0}
TABLE = pa.table({"who": [k for k, _ in ROWS], "day": [d for _, d in ROWS], "paid": list(ROWS.values())})


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    parquet.write_table(TABLE, "t.parquet")
    orc.write_table(TABLE, "t.orc")
    return lambda *arguments: CliRunner().invoke(app, ["query", *arguments, "--engine", "local"])


def written(name, text):
    with pa.output_stream(name, compression="detect") as file:
        file.write(text.encode())


@pytest.mark.parametrize(
    ("name", "text", "keys"),
    [
        ("t.parquet", "", ":who,day=paid"),
        ("t.orc", "", ":who,day=paid"),
        ("t.csv", 'who,day,paid\nann,1,0.5\nbob,2,1.5\n"cy, or so",3,4\n', ":who,day=paid"),
        ("t.csv.zst", 'ann,1,0.5\nbob,2,1.5\n"cy, or so",3,4\n', ":0,1=2"),
        ("t.tsv.gz", "who\tday\tpaid\nann\t1\t0.5\nbob\t2\t1.5\ncy, or so\t3\t4\n", ":who,day=paid"),
        ("t.jsonl", "\n".join(json.dumps(row) for row in TABLE.to_pylist()), ":who,day=paid"),
        ("t.txt.gz", "# who day paid\nann 1 0.5\nbob\t2\t1.5\ncy,_or_so 3 4\n", ":0,1=2"),
        ("t.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 0.5\n2 2 1.5\n3 3 4\n", ""),
        ("t.tns.zst", "1 1 0.5\n2 2 1.5\n3 3 4\n", ""),
    ],
)
def test_every_format_is_read(run, name, text, keys):
    if text:
        written(name, text)
    done = run("n() = T(a, b)", f"T={name}{keys}")
    assert done.stdout == "6.0\n", done.output


@pytest.mark.parametrize(
    "name",
    [
        "o.parquet",
        "o.csv",
        "o.csv.gz",
        "o.tsv.zst",
        "o.json",
        "o.jsonl.gz",
        "o.arrow",
        "o.feather",
        "o.orc",
        "o.csv.bz2",
    ],
)
def test_every_format_is_written(run, name):
    done = run("n(a, b) = T(a, b)", "T=t.parquet:who,day=paid", "--out", name)
    assert done.exit_code == 0 and done.stdout == "", done.output
    assert sk.table(name, keys=["a", "b"], value="n").to_dict() == ROWS
    assert sorted(os.listdir()) == sorted([name, "t.parquet", "t.orc"])


def test_our_own_parquet_tells_of_damage(run):
    """A page has a checksum: a bit that has changed is an error, and never another number."""
    run("n(a, b) = T(a, b)", "T=t.parquet:who,day=paid", "--out", "o.parquet")
    data = bytearray(Path("o.parquet").read_bytes())
    data[data.index(b"ann") + 1] ^= 1
    Path("o.parquet").write_bytes(data)
    done = run("n() = T(a, b)", "T=o.parquet:a,b=n")
    assert done.exit_code == 1 and "cannot be read" in done.stderr


def test_arrow_on_stdout_is_a_stream(run):
    done = run("n(a, b) = T(a, b)", "T=t.parquet:who,day=paid", "--format", "arrow")
    rows = pa.ipc.open_stream(done.stdout_bytes).read_all()
    assert rows.column_names == ["a", "b", "n"] and rows.column("n").to_pylist() == list(ROWS.values())
    Path("s.arrow").write_bytes(done.stdout_bytes)
    assert run("n() = T(a, b)", "T=s.arrow:a,b=n").stdout == "6.0\n"


def test_only_results_go_to_stdout(run):
    done = run("n(b) = T(a, b)", "T=t.parquet:who,day=paid", "--format", "csv")
    assert done.stdout == "b,n\n1,0.5\n2,1.5\n3,4.0\n" and "3 rows in" in done.stderr


def test_rows_that_cannot_be_read_are_refused_or_skipped(run):
    written("t.csv", "who,paid\nann,1\nbob\ncy,3\n")
    done = run("n() = T(a)", "T=t.csv:who=paid")
    assert done.exit_code == 1 and done.stdout == ""
    said = "error: input T: t.csv, line 3: 2 fields are expected (1 row is malformed). Mend the file, or skip such rows"
    assert done.stderr.startswith(said)
    done = run("n() = T(a)", "T=t.csv:who=paid", "--malformed", "skip")
    assert done.stdout == "4\n" and "warning: t.csv: 1 row is malformed and skipped" in done.stderr


def test_infinities_are_texts_in_json(run):
    """JSON has none; Python would write them all the same. A key that is one was null."""
    parquet.write_table(pa.table({"k": [1.0, float("inf")], "v": [float("-inf"), 1.0]}), "i.parquet")
    done = run("n(a) = T(a)", "T=i.parquet:k=v", "--format", "json")
    assert done.stdout == '{"a": 1.0, "n": "-Infinity"}\n{"a": "Infinity", "n": 1.0}\n'


def test_two_inputs_of_one_name_are_refused(run):
    done = run("n() = T(a, b)", "T=t.parquet:who,day", "T=t.orc:who,day")
    assert done.exit_code == 1 and done.stderr.startswith("error: there are two inputs called T")


class TestHowItEnds:
    def test_0_when_it_is_done(self, run):
        assert run("n() = T(a, b)", "T=t.parquet:who,day").exit_code == 0

    def test_1_when_it_fails(self, run):
        assert run("n() = T(a, b)", "T=none.parquet:who,day").exit_code == 1

    def test_2_when_the_command_is_wrong(self, run):
        assert run("n() = T(a, b)", "T=t.parquet", "--format", "xml").exit_code == 2

    def test_141_when_nobody_reads(self, run):
        rows = pa.table({"k": list(range(200_000))})
        parquet.write_table(rows, "k.parquet")
        command = [sys.executable, "-m", "skipstone.cli", "query", "n(a) = T(a)", "T=k.parquet:k"]
        process = subprocess.Popen(
            [*command, "--engine", "local", "--format", "csv"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        process.stdout.readline()
        process.stdout.close()
        said = process.stderr.read().decode()
        process.stderr.close()
        assert process.wait() == 141 and said == "", said

    def test_the_statuses_are_in_the_help(self):
        assert "130" in CliRunner().invoke(app, ["query", "--help"]).output.split()


@pytest.mark.parametrize(("words", "offered"), [("skipstone que", "query"), ("skipstone query --eng", "--engine")])
def test_a_shell_completes_commands_and_options(words, offered):
    given = {"_SKIPSTONE_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}
    command = [sys.executable, "-c", "from skipstone.cli import app; app(prog_name='skipstone')"]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **given})
    assert offered in done.stdout.split()


def test_names_over_many_lines_are_told_in_one(run):
    """A quote that was lost in the first line made a name of all the others."""
    written("t.csv", 'who,"day,paid\n' + "ann,1,2\n" * 500)
    done = run("n() = T(a)", "T=t.csv:day=paid")
    assert done.exit_code == 1 and len(done.stderr.splitlines()) == 1 and len(done.stderr) < 1100
    assert done.stderr.startswith("error: input T: there is no column 'day'. There are: who, day,paid ann,1,2 ann")


def test_control_characters_of_a_query_do_not_reach_the_terminal(run):
    done = run("n() = T(a) * \x1b[2J \x1c ?", "T=t.parquet:who")
    assert done.exit_code == 1 and done.stderr.splitlines()[1] == "  n() = T(a) * �[2J � ?"


def test_equal_rows_without_a_value_are_told_once_with_the_way_to_count_them(run):
    """373 orders of 69 customers were counted as 69, and nothing said so."""
    written("o.csv", "who,n\nann,1\nbob,2\nann,3\n")
    done = run("n() = O(a) * O(a)", "O=o.csv:who")
    assert done.stdout == "2\n"
    said = "O: 3 rows, 2 different: equal ones count once; to count each, say --table 'O=o.csv:who=#'"
    assert done.stderr.splitlines()[0] == said and done.stderr.count("different") == 1
    done = run("n() = O(a)", "--table", "O=o.csv:who=#")
    assert done.stdout == "3\n" and "different" not in done.stderr
    assert "different" not in run("n() = O(a)", "O=o.csv:who=n").stderr


def test_an_input_that_meets_nothing_is_told(run):
    done = run("n(a) = T(a, b) * U(c, d)", "T=t.parquet:who,day", "U=t.orc:who,day")
    assert done.exit_code == 0 and done.stderr.count("U(c, d) shares no axis with the rest") == 1
    assert done.stderr.startswith("warning: U(c, d) shares no axis")


def test_a_query_without_a_head_is_told_what_it_begins_with(run):
    """It was told that there are two tables called T."""
    done = run("T(a, b) * T(b, c)", "T=t.parquet:who,day")
    assert done.exit_code == 1
    assert done.stderr.splitlines() == [
        "error: a query begins with what it makes, and here is no =. "
        "Write NAME(axes) = T(a, b) * T(b, c), with the axes to keep.",
        "  T(a, b) * T(b, c)",
        "  ^",
    ]


@pytest.mark.parametrize("command", ["query", "explain"])
def test_without_pyspark_the_local_engine_is_told_of(run, monkeypatch, command):
    monkeypatch.setitem(sys.modules, "pyspark", None)
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    done = CliRunner().invoke(app, [command, "n() = T(a, b)", "T=t.parquet:who,day"])
    assert done.exit_code == 1
    said = "error: PySpark is not installed. Install it: pip install 'skipstone[spark]'. "
    assert done.stderr.splitlines()[-1] == f"{said}Or run it without Spark: --engine local."
    done = CliRunner().invoke(app, [command, "n() = T(a, b)", "T=table:shop.sales:who,day"])
    assert done.exit_code == 1 and "--engine local" not in done.stderr


@pytest.mark.parametrize("form", ["csv", "json", "arrow", "table"])
def test_the_column_of_a_result_has_its_name(run, form):
    done = run("total(b) = T(a, b)", "T=t.parquet:who,day=paid", "--format", form)
    shown = done.stdout_bytes.partition(b"total")
    assert shown[1] == b"total" and b"value" not in done.stdout_bytes, done.output


def test_a_key_may_have_the_name_of_the_result(run):
    done = run("b(b) = T(a, b)", "T=t.parquet:who,day=paid", "--format", "csv")
    assert done.stdout.splitlines()[0] == "b,b_"
