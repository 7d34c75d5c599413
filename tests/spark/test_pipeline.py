"""The pipeline on Spark: what the docs say of it, formats, outputs that are whole or not there."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from typer.testing import CliRunner

from skipstone.cli import app

from ..documented import commands, write_files


@pytest.fixture
def run(spark, tmp_path, monkeypatch):
    """The command line, in a directory of its own with some files, on the session that is running."""
    monkeypatch.chdir(tmp_path)
    edges = {"src": ["a", "a", "b", "c", "c"], "dst": ["b", "c", "c", "a", "d"], "w": [1.0, 2.0, 4.0, 8.0, 16.0]}
    parquet.write_table(pa.table(edges), "edges.parquet")
    return lambda *arguments: CliRunner().invoke(app, list(arguments))


def test_the_page_on_it(run, tmp_path):
    write_files("pipeline.md", tmp_path)
    ran = 0
    for arguments, said in commands("pipeline.md"):
        done = run(*arguments)
        assert done.exit_code == 0, done.stderr
        assert done.stdout == said, arguments
        ran += 1
    assert ran == 10


def test_what_spark_cannot_read_is_read_here_and_handed_to_it(run, tmp_path):
    (tmp_path / "m.mtx").write_text("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 0.5\n2 1 3\n")
    done = run("query", "n(a) = M(a, b)", "M=m.mtx", "--format", "csv")
    assert done.stdout == "a,n\n0,3.5\n1,3.0\n", done.stderr


def test_a_key_may_begin_with_a_number_sign(run, tmp_path):
    """Lines of a CSV that began with # were left out on Spark, and counted here."""
    (tmp_path / "tags.csv").write_text("tag,n\n#one,1\ntwo,2\n")
    assert run("query", "n() = T(a)", "T=tags.csv:tag=n").stdout == "3\n"


def test_malformed_rows_are_refused_or_skipped(run, tmp_path):
    (tmp_path / "bad.json").write_text('{"k": 1}\n{"k": \n')
    done = run("query", "n() = T(a)", "T=bad.json:k")
    assert done.exit_code == 1 and done.stdout == "" and done.stderr.startswith("error: ")
    assert run("query", "n() = T(a)", "T=bad.json:k", "--malformed", "skip").stdout == "1\n"


@pytest.mark.parametrize("ending", ["parquet", "csv", "tsv", "json", "orc", "csv.gz"])
def test_every_format_is_written_and_read(run, ending):
    made = run("query", "two(a, c) = E(a, b) * E(b, c)", "E=edges.parquet:src,dst=w", "--out", f"two.{ending}")
    assert made.exit_code == 0 and f"written: two.{ending}" in made.stderr, made.stderr
    done = run("query", "n(a) = T(a, c)", f"T=two.{ending}:a,c=two", "--format", "json")
    rows = {row["a"]: row["n"] for row in map(json.loads, done.stdout.splitlines())}
    assert rows == {"a": 4 + 16 + 32, "b": 32 + 64, "c": 8 + 16}


def test_tables_of_the_catalog(run, spark):
    try:
        done = run("query", "n(a) = E(a, b)", "E=edges.parquet:src,dst=w", "--out", "table:degrees")
        assert done.exit_code == 0, done.stderr
        again = run("query", "n(a) = E(a, b)", "E=edges.parquet:src,dst=w", "--out", "table:degrees")
        assert again.exit_code == 1 and "table:degrees is there already" in again.stderr
        own = run("query", "n(a) = D(a)", "D=table:degrees:a=n", "--out", "table:degrees", "--overwrite")
        assert own.exit_code == 0, own.stderr  # it is computed before it is replaced
        done = run("query", "n() = D(a)", "D=table:degrees:a=n")
        assert done.stdout == "31.0\n", done.stderr
    finally:
        spark.sql("drop table if exists degrees")


def test_an_output_is_replaced_only_if_told(run):
    arguments = ("query", "n(a) = E(a, b)", "E=edges.parquet:src,dst", "--out", "edges.parquet")
    before = os.stat("edges.parquet").st_mtime_ns
    done = run(*arguments)
    assert (
        done.exit_code == 1 and done.stderr == "error: edges.parquet is there already. Say --overwrite to replace it.\n"
    )
    assert os.stat("edges.parquet").st_mtime_ns == before
    assert run(*arguments, "--overwrite").exit_code == 0  # even what it reads
    assert parquet.read_table("edges.parquet").column_names == ["a", "n"]
    assert sorted(os.listdir()) == ["edges.parquet"]


def test_nothing_is_written_if_a_later_query_fails(run, tmp_path):
    (tmp_path / "p.toml").write_text("""
[inputs]
E = "edges.parquet:src,dst"
W = "edges.parquet:w"
[[query]]
text = "one(a) = E(a, b)"
out = "one.parquet"
[[query]]
text = "two(a) = E(a, b) * W(a)"
out = "two.parquet"
""")
    done = run("run", "p.toml")
    assert done.exit_code == 1 and "p.toml, line 8: " in done.stderr and "W.w holds float keys" in done.stderr
    assert sorted(os.listdir()) == ["edges.parquet", "p.toml"]


def test_a_job_that_fails_is_told_in_a_line(run, tmp_path):
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 this is no such file PAR1")
    done = run("query", "n() = E(a)", "E=bad.parquet", "--out", "n.csv")
    assert done.exit_code == 1 and done.stderr.startswith("error: ") and "Traceback" not in done.stderr
    assert sorted(os.listdir()) == ["bad.parquet", "edges.parquet"]


def test_what_it_costs_is_told(run):
    done = run("query", "n() = E(a, b) * E(b, c) * E(a, c)", "E=edges.parquet:src,dst")
    assert done.stdout == "1\n" and done.stderr.startswith("5 rows in, 1 cell, 0.0 MB shuffled, "), done.stderr


def test_explain_writes_nothing(run):
    text = "n(a) = E(a, b) * E(b, c) * E(a, c)"
    done = run("query", text, "E=edges.parquet:src,dst", "--explain", "--out", "n.csv")
    assert done.exit_code == 0 and "on Spark: one task" in done.stdout and "def fused" in done.stdout
    assert sorted(os.listdir()) == ["edges.parquet"]
    assert run("explain", text, "E=edges.parquet:src,dst").stdout == done.stdout


def test_stopping_it_is_status_130_and_leaves_nothing(run, monkeypatch):
    from skipstone.pipeline.staged import Staging

    def stopped(self):
        assert any(name.startswith(".n.csv.") for name in os.listdir())  # it has been written, beside its place
        raise KeyboardInterrupt

    monkeypatch.setattr(Staging, "commit", stopped)
    done = run("query", "n(a) = E(a, b)", "E=edges.parquet:src,dst", "--out", "n.csv")
    assert done.exit_code == 130 and done.stderr == "stopped; nothing was written\n"
    assert sorted(os.listdir()) == ["edges.parquet"]


@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
def test_ctrl_c_in_mid_job(run, tmp_path):
    """A process of its own, as from a terminal: everyone in its group gets the signal. The job would take hours."""
    random = np.random.default_rng(0)
    rows = {name: random.integers(0, 3000, 300_000) for name in "ab"}
    parquet.write_table(pa.table(rows), "big.parquet")
    text = "n(a, e) = E(a, b) * E(b, c) * E(c, d) * E(d, e) * E(e, a) * E(a, c) * E(b, d) * E(c, e)"
    command = [sys.executable, "-m", "skipstone.cli", "query", text, "E=big.parquet", "--out", "n.parquet"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        while not any(name.startswith(".n.parquet.") for name in os.listdir()):  # it is being written
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.1)
        os.killpg(process.pid, signal.SIGINT)
        assert process.communicate(timeout=120)[1] == "stopped; nothing was written\n"
        assert process.returncode == 130
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    assert sorted(os.listdir()) == ["big.parquet", "edges.parquet"]


def test_the_demo_finds_what_is_hidden(run):
    done = run("demo")
    assert done.exit_code == 0, done.stderr
    assert "found on Spark" in done.stdout and "These are the 14 rings that were hidden." in done.stdout
