"""Files as tables: what a path means, and what each format's rows are."""

import gzip
import json
import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.orc as orc
import pyarrow.parquet as parquet
import pytest

import skipstone as sk
from skipstone import errors
from skipstone.interop.writing import write

ROWS = {("ann", 1): 0.5, ("bob", 2): 1.5, ("cy", 3): 4.0}
COLUMNS = {"who": ["ann", "bob", "cy"], "day": [1, 2, 3], "paid": [0.5, 1.5, 4.0], "more": [True, False, True]}
CSV = "who,day,paid,more\nann,1,0.5,true\nbob,2,1.5,false\ncy,3,4.0,true\n"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def packed(path, text):
    """Write a text as its name says."""
    with pa.output_stream(str(path), compression="detect") as file:
        file.write(text.encode())


def paid(path, **more):
    return sk.table(path, keys=["who", "day"], value="paid", **more).to_dict()


class TestFormats:
    @pytest.mark.parametrize("packing", ["", ".gz", ".zst", ".bz2"])
    @pytest.mark.parametrize("form", ["csv", "tsv", "json", "jsonl"])
    def test_texts_packed_or_not(self, form, packing):
        text = CSV.replace(",", "\t") if form == "tsv" else CSV
        if form.startswith("json"):
            text = "\n".join(json.dumps(row) for row in pa.table(COLUMNS).to_pylist())
        packed(f"t.{form}{packing}", text)
        assert paid(f"t.{form}{packing}") == ROWS

    def test_columnar(self):
        rows = pa.table(COLUMNS)
        parquet.write_table(rows, "t.parquet")
        orc.write_table(rows, "t.orc")
        with pa.OSFile("t.arrow", "wb") as file, pa.ipc.new_file(file, rows.schema) as writer:
            writer.write(rows)
        with pa.OSFile("s.arrow", "wb") as file, pa.ipc.new_stream(file, rows.schema) as writer:
            writer.write(rows)
        for path in ("t.parquet", "t.orc", "t.arrow", "s.arrow", Path("t.parquet")):
            assert paid(path) == ROWS

    def test_a_text_without_names_has_numbers(self):
        packed("t.csv", CSV.partition("\n")[2])
        assert sk.table("t.csv", keys=["0", "1"], value="2").to_dict() == ROWS

    def test_names_that_are_numbers_are_no_row(self):
        packed("t.csv", "0,1\n5,6\n")
        assert sk.table("t.csv", keys=["0", "1"]).to_dict() == {(5, 6): 1}

    def test_a_first_row_taken_for_names_is_told_of(self):
        packed("t.csv", "5,6\n7,8\n")
        with pytest.warns(UserWarning, match=r"t\.csv: the first line is taken for names of columns: 5,6\. Name"):
            assert sk.table("t.csv").to_dict() == {(7, 8): 1}

    def test_quoted_text_may_have_commas_and_lines(self):
        packed("t.csv", 'a,b\n"x, y",1\n"two\nlines",2\n"say ""so""",3\n5" pipe,4\n')
        assert sk.table("t.csv", value="b").to_dict() == {'5" pipe': 4, 'say "so"': 3, "two\nlines": 2, "x, y": 1}

    def test_dates_of_a_text_are_dates(self):
        packed("t.csv", "day\n2013-01-31\n")
        assert sk.table("t.csv").domains[0].kind == "date"

    def test_nothing_between_commas_is_a_missing_key(self):
        packed("t.csv", "a,b\nx,1\n,2\nNA,3\n")
        with pytest.warns(UserWarning, match="1 row without a key in column 'a'"):
            assert sk.table("t.csv", value="b").to_dict() == {"NA": 3, "x": 1}

    def test_edges_stand_behind_comments_and_apart_by_any_space(self):
        packed("e.txt.gz", "# Nodes: 3\r\n#\n0\t1\n  1 \t 2  \n# more\n2 0")
        assert sk.table("e.txt.gz").to_dict() == {(0, 1): 1, (1, 2): 1, (2, 0): 1}

    def test_edges_of_many_blocks_are_all_read(self, monkeypatch):
        from skipstone.interop import spaced

        monkeypatch.setattr(spaced, "BLOCK", 7)
        lines = [f"{n}{' ' * (n % 3 + 1)}{n * n}" for n in range(200)]
        packed("e.txt", "# head\n" + "\n# comment 1 2\n".join(lines) + "\n")
        assert sk.table("e.txt").to_dict() == {(n, n * n): 1 for n in range(200)}

    def test_tensors_count_from_0_and_have_a_value(self):
        packed("t.tns.zst", "# from 1 on\n1 1 2 0.5\n3 4 5 2\n")
        t = sk.table("t.tns.zst")
        assert t.to_dict() == {(0, 0, 1): 0.5, (2, 3, 4): 2.0} and t.keys == ("0", "1", "2")
        assert sk.table("t.tns.zst", keys=["2"]).to_dict() == {1: 1, 4: 1}


MATRICES = {
    "general real": ("coordinate real general\n% a comment\n3 2 2\n1 2 0.5\n3 1 -2e0\n", {(0, 1): 0.5, (2, 0): -2.0}),
    "symmetric integer": ("coordinate integer symmetric\n2 2 2\n1 1 7\n2 1 3\n", {(0, 0): 7, (0, 1): 3, (1, 0): 3}),
    "skew": ("coordinate real skew-symmetric\n2 2 1\n2 1 3.5\n", {(0, 1): -3.5, (1, 0): 3.5}),
    "pattern": ("coordinate pattern symmetric\n\n3 3 2\n2 1\n3 3\n", {(0, 1): 1, (1, 0): 1, (2, 2): 1}),
    "no entries": ("coordinate real general\n3 3 0\n", {}),
    "array": ("array real general\n2 2\n1\n2\n3\n4\n", {(0, 0): 1, (0, 1): 3, (1, 0): 2, (1, 1): 4}),
    "lower half": ("array integer symmetric\n2 2\n1\n2\n3\n", {(0, 0): 1, (0, 1): 2, (1, 0): 2, (1, 1): 3}),
    "strictly lower": (
        "array real skew-symmetric\n3 3\n1\n2\n3\n",
        {(0, 1): -1, (0, 2): -2, (1, 0): 1, (1, 2): -3, (2, 0): 2, (2, 1): 3},
    ),
}


class TestMatrixMarket:
    @pytest.mark.parametrize("name", MATRICES)
    def test_every_kind(self, name):
        text, entries = MATRICES[name]
        packed("m.mtx", f"%%MatrixMarket matrix {text}")
        assert sk.table("m.mtx").to_dict() == entries

    @pytest.mark.parametrize("name", [n for n in MATRICES if n != "no entries"])
    def test_is_what_scipy_reads(self, name):
        scipy_io = pytest.importorskip("scipy.io")
        packed("m.mtx", f"%%MatrixMarket matrix {MATRICES[name][0]}")
        theirs = scipy_io.mmread("m.mtx")
        ours = np.zeros(theirs.shape)
        for at, value in sk.table("m.mtx").to_dict().items():
            ours[at] = value
        assert (ours == (theirs.toarray() if hasattr(theirs, "toarray") else theirs)).all()

    def test_the_shared_matrices_are_what_scipy_reads(self, shared_data):
        scipy_io = pytest.importorskip("scipy.io")
        for path in sorted((shared_data / "lagraph_matrices").glob("*.mtx.gz")):
            with gzip.open(path, "rb") as file:
                theirs = scipy_io.mmread(file).tocsr()
            theirs.sum_duplicates()
            ours = sk.table(path).columns()
            assert ours["row"].size == theirs.nnz, path
            assert (ours["row"] == np.repeat(np.arange(theirs.shape[0]), np.diff(theirs.indptr))).all(), path
            by_row = theirs.sorted_indices()
            assert (ours["col"] == by_row.indices).all(), path
            if "value" in ours:
                assert (ours["value"] == by_row.data).all(), path

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("vector real", "is no Matrix Market file"),
            ("coordinate complex general\n1 1 1\n1 1 1 1\n", "holds complex numbers"),
            ("coordinate real general\n3 3 9000000000000\n1 1 1\n", "its head says 9,000,000,000,000"),
            ("array real general\n900000000 900000000\n1\n", "and there are 1"),
            ("coordinate real general\n3 x 2\n1 1 1\n", "line 2: there is no size of the matrix"),
            ("coordinate real general\n2 2 2\n1 1 1\n2 3 1\n", "line 4: coordinate 3 is not from 1 to 2"),
            ("coordinate real general\n2 2 2\n1 1 1\n0 2 1\n", "line 4: coordinate 0 is not from 1 to 2"),
            ("coordinate real general\n2 2 1\n1 1\n", "its entries have 2 words, and 3 are expected"),
            ("coordinate real symmetric\n2 3 1\n1 1 1\n", "symmetric, and has 2 rows and 3 columns"),
            ("coordinate integer general\n2 2 1\n1 1 1.5\n", "its values are integers, and they are not"),
            ("array real general\n2 1\n1\nx\n", "line 4: 'x' is not a number"),
        ],
    )  # fmt: skip
    def test_what_is_wrong_is_told(self, text, said):
        packed("m.mtx", f"%%MatrixMarket matrix {text}")
        with pytest.raises(errors.SkipstoneError, match=re.escape(said)):
            sk.table("m.mtx")


class TestManyFiles:
    def test_globs_lists_and_directories(self, here):
        (here / "d").mkdir()
        for n, who in enumerate(("ann", "bob", "cy")):
            parquet.write_table(pa.table({"who": [who], "day": [n + 1]}), f"d/{n}.parquet")
            packed(f"d/{n}.csv.gz", f"who,day\n{who},{n + 1}\n")
        (here / "d" / "_SUCCESS").write_text("")
        rows = dict.fromkeys(ROWS, 1)
        assert sk.table("d/*.parquet").to_dict() == rows
        assert sk.table("d/*.csv.gz").to_dict() == rows
        assert sk.table(["d/0.parquet", "d/1.parquet", Path("d/2.parquet")]).to_dict() == rows
        for n in range(3):
            (here / "d" / f"{n}.csv.gz").unlink()
        assert sk.table("d").to_dict() == rows

    def test_columns_in_the_names_of_directories(self, here):
        for year in (2012, 2013):
            (here / "d" / f"year={year}").mkdir(parents=True)
            parquet.write_table(pa.table({"n": [year - 2000]}), f"d/year={year}/part.parquet")
        assert sk.table("d", keys=["year", "n"]).to_dict() == {(2012, 12): 1, (2013, 13): 1}

    def test_narrow_and_wide_integers_are_one_column(self):
        parquet.write_table(pa.table({"n": pa.array([1], pa.int32())}), "1.parquet")
        parquet.write_table(pa.table({"n": [2**40]}), "2.parquet")
        assert sk.table("*.parquet").to_dict() == {1: 1, 2**40: 1}

    @pytest.mark.parametrize(
        ("second", "said"),
        [({"m": [2]}, "has no column 'n', and 1.parquet has"), ({"n": ["x"]}, "its files differ")],
    )
    def test_files_that_do_not_belong_together_are_refused(self, second, said):
        parquet.write_table(pa.table({"n": [1]}), "1.parquet")
        parquet.write_table(pa.table(second), "2.parquet")
        with pytest.raises(errors.FileUnreadable, match=re.escape(said)):
            sk.table("*.parquet", keys="n")

    def test_texts_that_do_not_belong_together_are_refused(self):
        packed("1.csv", "a\n1\n")
        packed("2.csv", "b\n1\n")
        with pytest.raises(errors.FileUnreadable, match=r"2\.csv has other columns than 1\.csv"):
            sk.table("*.csv")


class TestColumns:
    def test_only_those_that_are_named_are_read(self, monkeypatch):
        """What is damaged in other columns is not even seen."""
        parquet.write_table(pa.table({"a": [1, 2], "b": ["x" * 999, "y" * 999]}), "t.parquet", compression="none")
        data = bytearray(Path("t.parquet").read_bytes())
        at = data.index(b"x" * 999)
        data[at - 8 : at] = b"\xff" * 8
        Path("t.parquet").write_bytes(data)
        assert sk.table("t.parquet", keys="a").to_dict() == {1: 1, 2: 1}
        with pytest.raises(errors.FileUnreadable, match=r"t\.parquet cannot be read"):
            sk.table("t.parquet")

    @pytest.mark.parametrize("path", ["t.parquet", "t.csv", "t.json", "t.arrow", "t.orc"])
    def test_one_that_is_not_there(self, path):
        rows = pa.table({"src": [1], "dst": [2]})
        parquet.write_table(rows, "t.parquet")
        orc.write_table(rows, "t.orc")
        packed("t.csv", "src,dst\n1,2\n")
        packed("t.json", '{"src": 1, "dst": 2}\n')
        with pa.OSFile("t.arrow", "wb") as file, pa.ipc.new_file(file, rows.schema) as writer:
            writer.write(rows)
        with pytest.raises(errors.BadOption, match=r"there is no column 'from'\s+There are: src, dst\."):
            sk.table(path, keys=["from", "dst"])

    def test_two_of_one_name_are_refused(self):
        packed("t.csv", "a,a,b\n1,2,3\n")
        with pytest.raises(errors.BadOption, match="two columns are called 'a'"):
            sk.table("t.csv")
        assert sk.table("t.csv", keys="b").to_dict() == {3: 1}


class TestMalformed:
    CASES = {
        "csv": ("t.csv", "k,v\n1,2\n3\n4,5\n6,7,8\n", "line 3: 2 fields are expected", 2),
        "csv value": ("t.csv", 'k,v\n"a\nb",2\nc,x\n4,5\n', "line 4: 'x' is not a number, in column 'v'", 1),
        "unclosed": ("t.csv", 'k,v\n1,2\n4,5\n6,"7\n8,9\n', 'line 4: a quote " is not closed', 1),
        "edges": ("t.txt", "# a\n1 2\n\n3\n4 5\n", "line 4: 2 words are expected", 1),
        "json": ("t.json", '{"k": 1, "v": 2}\n\n{"k": 3, \n[4]\n{"k": 4, "v": 5}\n', "line 3: this is not JSON", 2),
        "json types": ("t.json", '{"k": 1, "v": 2}\n{"k": ""}\n{"k": 4, "v": 5}\n', "line 2: 'k' is a text", 1),
        "tensor": ("t.tns", "1 2\n0 9\n4 5\nx 3\n", "line 4: 'x' is not an integer", 2),
    }  # fmt: skip

    @pytest.mark.parametrize("name", CASES)
    def test_rows_are_counted_and_told_with_their_line(self, name):
        path, text, said, count = self.CASES[name]
        packed(path, text)
        rows = "1 row is malformed" if count == 1 else f"{count} rows are malformed"
        with pytest.raises(errors.MalformedRows, match=rf"{re.escape(path)}, {re.escape(said)}.*\({rows}\)"):
            self.table(path)

    @pytest.mark.parametrize("name", CASES)
    def test_rows_are_skipped_if_asked(self, name):
        path, text, said, _ = self.CASES[name]
        packed(path, text)
        with pytest.warns(UserWarning, match=rf"malformed and skipped; the first (is|of each kind:) {re.escape(said)}"):
            found = self.table(path, malformed="skip")
        first = "a\nb" if name == "csv value" else 0 if name == "tensor" else 1
        other = "4" if name == "csv value" else 3 if name == "tensor" else 4
        assert found.to_dict() == {first: 2, other: 5}

    def table(self, path, **more):
        if path.endswith(".tns"):
            return sk.table(path, **more)
        keys, value = ("0", "1") if path.endswith(".txt") else ("k", "v")
        return sk.table(path, keys=keys, value=value, **more)

    @pytest.mark.parametrize(
        ("path", "text"),
        [
            ("t.csv", "k\n9007199254740993\n0.5\n"),
            ("t.csv", "k\n9223372036854775809\n"),
            ("t.txt", "18446744073709551617\n"),
            ("t.json", '{"k": 9223372036854775809}\n'),
        ],
    )
    def test_integers_that_would_be_rounded_are_refused(self, path, text):
        packed(path, text)
        with pytest.raises(errors.UnsupportedValue, match="an integer that neither int64 nor a float can hold"):
            sk.table(path)

    def test_each_cause_is_counted_and_told_apart(self):
        """Short rows and texts for numbers were one sum, told by the first of them."""
        packed("t.csv", "k,v\n1,2\n3\n4,x\n5,y\n6,7\n8\n9\n")
        said = (
            "t.csv, line 3: 2 fields are expected: 3 rows; "
            "line 4: 'x' is not a number, in column 'v': 2 rows (5 rows are malformed)"
        )
        with pytest.raises(errors.MalformedRows, match=re.escape(said)):
            self.table("t.csv")
        said = "t.csv: 5 rows are malformed and skipped; the first of each kind: line 3: 2 fields are expected: 3 rows"
        with pytest.warns(UserWarning, match=re.escape(said)):
            assert self.table("t.csv", malformed="skip").to_dict() == {1: 2, 6: 7}

    @pytest.mark.parametrize(
        ("path", "text", "keys", "value", "others"),
        [
            ("t.csv", "who,product,n,price\nann,tea,3,2.5\nbob,pie,1,4\ncy\n", "who", "product", "'n', 'price'"),
            ("t.txt", "ann tea 3\nbob pie 1\n", "0", "1", "'2'"),
        ],
    )
    def test_a_column_of_text_is_no_value_and_nothing_to_skip(self, path, text, keys, value, others):
        packed(path, text)
        with pytest.raises(errors.UnsupportedValue) as raised:
            sk.table(path, keys=keys, value=value)
        assert raised.value.what == f"{path}: column {value!r} holds text ('tea'), and cannot be a value"
        assert raised.value.repair.startswith("Name a column of numbers") and "skip" not in str(raised.value)
        assert f"{others}." in raised.value.repair

    def test_no_other_way(self):
        packed("t.csv", "k\n1\n")
        with pytest.raises(errors.BadOption, match="malformed='drop'"):
            sk.table("t.csv", malformed="drop")


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("none.csv", "there is no file none.csv"),
        ("no*.csv", "there is no file no*.csv"),
        ("t.parquet.gz", "the format of t.parquet.gz is not known"),
        ("t.xls", "the format of t.xls is not known"),
        ("empty", "there are no files in empty"),
        ("empty.csv", "empty.csv is empty"),
        ("utf.csv", "utf.csv is not text in UTF-8"),
        ("cut.csv.gz", "cut.csv.gz cannot be read: "),
        ("a\0b.csv", r"there is no file 'a\x00b.csv'"),
    ],
)
def test_paths_that_cannot_be_read(here, path, said):
    (here / "empty").mkdir()
    for name, data in {
        "t.xls": b"x", "t.parquet.gz": b"x", "empty.csv": b"\n", "utf.csv": b"a\n\xff\n",
        "cut.csv.gz": gzip.compress(b"a\n1\n2\n")[:-9],
    }.items():  # fmt: skip
        (here / name).write_bytes(data)
    with pytest.raises(errors.SkipstoneError, match=re.escape(said)):
        sk.table(path)


@pytest.mark.parametrize(("name", "data"), [("t.csv", b"a,b\n1,2\n\xff\n3,4\n"), ("t.txt", b"1 2\n\xff\n3 4\n")])
def test_malformed_rows_that_are_not_text_are_not_dropped_unseen(here, name, data):
    """Arrow could not hand such a row over to be counted, wrote a traceback, and went on without it."""
    (here / name).write_bytes(data)
    with pytest.raises(errors.FileUnreadable, match=f"{re.escape(name)} is not text in UTF-8"):
        sk.table(name)


def test_a_missing_file_is_an_os_error():
    with pytest.raises(OSError, match=r"there is no file none\.csv"):
        sk.table("none.csv")


def test_a_result_without_rows_can_be_written_to_orc(tmp_path):
    """Its keys have no type, and ORC has no columns of nothing."""
    write(sk.table({"k": []}).to_arrow(), str(tmp_path / "none.orc"), "none.orc")
    assert orc.read_table(tmp_path / "none.orc").num_rows == 0


def test_warnings_point_at_the_line_that_read_the_file(here):
    """They pointed into the library, which is silent by default from there on."""
    packed("t.csv", "k,v\n1,2\n3\n,4\n")
    with pytest.warns(UserWarning, match="t.csv: 1 row is malformed") as told:
        sk.table("t.csv", "k", "v", malformed="skip", name="T")
    assert [each.filename for each in told] == [__file__] * 2
    assert str(told[1].message) == "T: 1 row without a key in column 'k' is left out"
