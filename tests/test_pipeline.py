"""The pipeline without Spark: how inputs are written, what is wrong with a file, outputs whole or not there."""

import os

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from typer.testing import CliRunner

from skipstone import errors, pipeline
from skipstone.cli import app
from skipstone.pipeline.staged import Here, staging

from .documented import commands, write_files


@pytest.fixture
def run(tmp_path, monkeypatch):
    """The command line, in a directory of its own with some files, without Spark."""
    monkeypatch.chdir(tmp_path)
    edges = {"src": ["a", "a", "b", "c", "c"], "dst": ["b", "c", "c", "a", "d"], "w": [1.0, 2.0, 4.0, 8.0, 16.0]}
    parquet.write_table(pa.table(edges), "edges.parquet")
    return lambda *arguments: CliRunner().invoke(app, [*arguments, "--engine", "local"])


@pytest.mark.parametrize(
    ("text", "path", "keys", "value"),
    [
        ("E=edges.parquet", "edges.parquet", None, None),
        ("E=edges.parquet:src,dst", "edges.parquet", ("src", "dst"), None),
        ("E=edges.parquet=w", "edges.parquet", None, "w"),
        ("E=edges.csv:0,1=w,v", "edges.csv", ("0", "1"), ("w", "v")),
        ("E=table:db.sales:day=price", "table:db.sales", ("day",), "price"),
        ("E=table:sales", "table:sales", None, None),
        ("E=hdfs://host:9000/a/b.parquet:k", "hdfs://host:9000/a/b.parquet", ("k",), None),
        ("E=s3a://bucket/day=3/part.parquet", "s3a://bucket/day=3/part.parquet", None, None),
    ],
)
def test_inputs_as_they_are_written(text, path, keys, value):
    found = pipeline.input_of(text)
    assert (found.name, found.path, found.keys, found.value) == ("E", path, keys, value)


def test_a_path_that_is_there_is_a_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kind=card").mkdir()
    assert pipeline.input_of("E=kind=card").path == "kind=card"


class TestWrongs:
    HEAD = '[inputs]\nE = "edges.parquet:src,dst"\n'

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("inputs = 3", "p.toml: there is no query"),
            ("[[query]\n", "p.toml is not TOML: "),
            (
                "[inputts]\n[[query]]\n",
                "p.toml: a pipeline has no 'inputts'. It may have: inputs, query, spark.",
            ),
            (HEAD + "[[query]]\nout = 'n.csv'", "p.toml, line 3: there is no text"),
            (HEAD + "[[query]]\ntext = 'n() = E(a, b)'\nto = 3", "p.toml, line 3: a query has no 'to'"),
            (HEAD + "[[query]]\ntext = 'n() = F(a, b)'", "p.toml, line 3: n uses F, and nothing is called that. There"),
            (HEAD + "[[query]]\ntext = 'n() = E(a, b'", "p.toml, line 3: this ( is not closed. Put ) where it ends.\n"),
            (
                HEAD + "[[query]]\ntext = 'n() = E(a, b)'\nout = 'n.xls'",
                "p.toml, line 3: the format of n.xls is not known. Known are",
            ),
            (HEAD + "[[query]]\ntext = 'E(a) = E(a, b)'", "p.toml, line 3: there are two tables called E"),
            (
                HEAD + "\n[[query]]\ntext = 'n(a) = m(a)'\n[[query]]\ntext = 'm(a) = E(a, b) * n(b)'",
                "p.toml, line 4: n needs its own result: n → m → n",
            ),
            (
                '[inputs]\nE = "none.csv"\n[[query]]\ntext = "n() = E(a)"',
                "p.toml, line 2, input E: there is no file none.csv",
            ),
            (
                '[inputs]\n\n[inputs.E]\npath = "edges.parquet"\nkeys = ["from"]\n[[query]]\ntext = "n() = E(a)"',
                "p.toml, line 3, input E: there is no column 'from'. There are: src, dst, w.",
            ),
            (
                '[inputs.E]\npath = "edges.parquet"\nkey = "w"\n[[query]]\ntext = "n() = E(a)"',
                "p.toml, line 1, input E: an input has no 'key'",
            ),
            (
                HEAD + "[[query]]\ntext = 'n() = E(a, b)'\n[[query]]\ntext = 'm(a) = E(a, b) * n()'",
                "p.toml, line 3: n is a number, and other queries use it as a table. Keep an axis of it: n(a) = …",
            ),
        ],
    )
    def test_are_told_with_their_line(self, run, tmp_path, text, said):
        (tmp_path / "p.toml").write_text(text)
        done = run("run", "p.toml")
        assert done.exit_code == 1 and done.stdout == ""
        assert done.stderr.startswith(f"error: {said}"), done.stderr

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (("n() = E(a, b)",), "n uses E, and nothing is called that. There are: none."),
            (("n() = E(a, b)", "edges.parquet"), "'edges.parquet' is not an input. Write NAME=PATH"),
            (("n() = E(a)", "E=edges.parquet:src,dst"), "E has 2 key columns, and is given 1 place"),
            (("n() = E(a)", "E=edges.xls"), "input E: the format of edges.xls is not known. Known are .parquet"),
            (("n() = E(a)", "E=table:edges"), "input E: the local engine cannot read table:edges"),
            (("n() = E(a)", "E=edges.parquet:w", "--conf", "spark"), "--conf spark is no setting"),
        ],
    )
    def test_of_the_command_line(self, run, arguments, said):
        done = run("query", *arguments)
        assert done.exit_code == 1 and done.stderr.startswith(f"error: {said}"), done.stderr

    def test_a_file_that_is_damaged(self, run, tmp_path):
        (tmp_path / "bad.parquet").write_bytes(b"PAR1 this is no such file PAR1")
        done = run("query", "n() = E(a)", "E=bad.parquet")
        assert done.exit_code == 1 and done.stderr.startswith("error: input E: bad.parquet cannot be read: ")
        assert len(done.stderr.splitlines()) == 1


def test_queries_come_behind_those_that_they_use(run, tmp_path):
    (tmp_path / "p.toml").write_text("""
[inputs]
E = "edges.parquet:src,dst=w"
[[query]]
text = "last(a) = middle(a, c)"
[[query]]
text = "middle(a, c) = E(a, b) * E(b, c)"
out = "middle.json"
""")
    done = run("run", "p.toml", "--format", "csv")
    assert done.stdout == "# last\na,last\na,52.0\nb,96.0\nc,24.0\n", done.stderr
    assert (tmp_path / "middle.json").read_text().startswith('{"a": "a", "c": "a", "middle": 16.0}\n')


@pytest.mark.parametrize("page", ["pipeline.md", "../README.md"])
def test_the_page_on_it_without_spark(page, run, tmp_path):
    write_files(page, tmp_path)
    for arguments, said in commands(page):
        assert run(*arguments).stdout == said, arguments


def test_outputs_are_there_together_or_not_at_all(tmp_path):
    one, two = tmp_path / "one.csv", tmp_path / "two"

    class Failing(Here):
        def move(self, path, to):
            if to == str(two) and path.endswith(".new"):
                raise OSError("no")
            super().move(path, to)

    def write(files):
        with staging(files, True) as out:
            for path in (one, two):
                with open(out.place(str(path)), "w") as file:
                    file.write("after")
            assert one.read_text() == "before" and two.is_dir()

    one.write_text("before")
    two.mkdir()
    with pytest.raises(OSError, match="no"):
        write(Failing())
    assert one.read_text() == "before" and two.is_dir() and len(os.listdir(tmp_path)) == 2
    write(Here())
    assert one.read_text() == two.read_text() == "after" and len(os.listdir(tmp_path)) == 2


def test_an_output_needs_its_own_place(run, tmp_path):
    text = '[[query]]\ntext = "{}() = E(a, b)"\nout = "n.csv"\n'
    (tmp_path / "p.toml").write_text('[inputs]\nE = "edges.parquet:src,dst"\n' + text.format("n") + text.format("m"))
    with pytest.raises(errors.PipelineError, match=r"line 6: n and m both go to .*n\.csv"):
        pipeline.read(tmp_path / "p.toml")


def test_rows_without_keys_are_told_of_in_a_line(run):
    parquet.write_table(pa.table({"k": [1, None, 3]}), "k.parquet")
    done = run("query", "n() = K(a)", "K=k.parquet")
    assert done.stdout == "2\n"
    assert done.stderr.startswith("warning: K: 1 row without a key in column 'k' is left out\n")
