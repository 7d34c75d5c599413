"""Damaged files, wrong types, broken queries and hostile names, through the command line: an error in a line or two, or
the right answer; never a traceback, never a wrong number, nothing written.

A few hundred cases, seeded; SKIPSTONE_MUTANTS says how many. A file that can still be read holds what a plain reader,
written below without skipstone, finds in it; a query over it must come to what follows from that.
"""

import csv
import gzip
import io
import json
import math
import os
import random
import warnings
from collections import defaultdict

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from typer.testing import CliRunner

from skipstone.cli import app

pytestmark = pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")  # a traceback on stderr
MUTANTS = int(os.environ.get("SKIPSTONE_MUTANTS", "400"))
ROWS = [(n % 7, f"name {n * 5 % 11}", n * 0.5) for n in range(60)]
NAMES = ("k", "s", "v")
TABLE = pa.table({name: [row[n] for row in ROWS] for n, name in enumerate(NAMES)})
HOSTILE = [
    "",
    " ",
    "k k",
    "k,s",
    "k=v",
    "k:s",
    "'",
    '"',
    "../k",
    "\n",
    "\x00",
    "%s",
    "{k}",
    "[bold]k",
    "k" * 3000,
    "κ",
    "0",
]
INSERTS = [b"\x00", b"\xff\xfe", b'"', b",", b"\n", b"1e999", b"NaN", b"-", b"99999999999999999999", b"{", b"\r", b"\t"]


def as_csv(rows=ROWS, names=NAMES):
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(rows)
    return out.getvalue().encode()


def as_json():
    return "".join(json.dumps(dict(zip(NAMES, row, strict=True))) + "\n" for row in ROWS).encode()


def as_parquet(**options):
    out = io.BytesIO()
    parquet.write_table(TABLE, out, **options)
    return out.getvalue()


def as_arrow():
    out = io.BytesIO()
    with pa.ipc.new_file(out, TABLE.schema) as writer:
        writer.write(TABLE)
    return out.getvalue()


def as_matrix():
    entries = "".join(f"{n % 5 + 1} {n // 5 + 1} {n * 0.5}\n" for n in range(20))
    return f"%%MatrixMarket matrix coordinate real general\n% made\n5 4 20\n{entries}".encode()


SOUND = {
    "t.parquet": as_parquet(write_page_checksum=True, compression="none"),
    "z.parquet": as_parquet(write_page_checksum=True, compression="zstd"),
    "t.arrow": as_arrow(),
    "t.csv": as_csv(),
    "t.csv.gz": gzip.compress(as_csv(), mtime=0),
    "t.tsv": as_csv().replace(b",", b"\t"),
    "t.json": as_json(),
    "t.json.gz": gzip.compress(as_json(), mtime=0),
    "t.mtx": as_matrix(),
    "t.tns": as_matrix().split(b"\n", 3)[3],
    "t.txt": b"# edges\n" + b"".join(b"%d %d %d\n" % (n % 7, n % 5, n) for n in range(60)),
}
TEXT = 'n(a) = T(a, b) * [a < 5] + 2 * T(a, "name 3") - !(T(b, a))'


def mutated(data, random):
    """Some bytes of a file lost, changed, doubled or put in."""
    data = bytearray(data)
    for _ in range(random.choice((1, 1, 1, 2, 5))):
        at = random.randrange(len(data)) if data else 0
        match random.randrange(6):
            case 0:
                del data[at:]
            case 1:
                del data[at : at + random.randrange(1, 20)]
            case 2 if data:
                data[at] ^= 1 << random.randrange(8)
            case 3:
                data[at:at] = random.choice(INSERTS)
            case 4:
                data[at:at] = data[at : at + random.randrange(1, 60)]
            case _:
                data[at : at + 4] = random.choice((b"\xff\xff\xff\x7f", b"\x00" * 4, b"\xff" * 4, random.randbytes(4)))
    return bytes(data)


def plainly(path, data):
    """Sums of the values by the first key, as plain Python reads the file; None if it cannot say."""
    found = defaultdict(float)
    try:
        if path.endswith(".gz"):
            path, data = path.removesuffix(".gz"), gzip.decompress(data)
        if path.endswith((".parquet", ".arrow")):
            reader = parquet.read_table if path.endswith("parquet") else lambda file: pa.ipc.open_file(file).read_all()
            table = reader(io.BytesIO(data))
            rows = list(zip(*(table.column(name).to_pylist() for name in NAMES), strict=True))
        elif path.endswith(".json"):
            rows = [
                tuple(json.loads(line)[name] for name in NAMES) for line in data.decode().splitlines() if line.strip()
            ]
        elif path.endswith((".csv", ".tsv")):
            sign = "\t" if path.endswith("tsv") else ","
            head, *rows = [row for row in csv.reader(io.StringIO(data.decode("utf-8-sig")), delimiter=sign) if row]
            at = [head.index(name) for name in NAMES]
            rows = [tuple(row[n] for n in at) for row in rows]
        else:
            lines = [line.split() for line in data.decode().splitlines() if line.strip() and line[0] not in "#%"]
            lines = lines[1:] if path.endswith("mtx") else lines
            lower = 0 if path.endswith("txt") else 1
            rows = [(int(row[0]) - lower, row[1], row[-1]) for row in lines]
        for key, second, value in rows:
            if key not in (None, "") and second not in (None, "") and value not in (None, ""):
                found[str(key)] += float(value)
    except Exception:
        return None
    return dict(found)


def same(ours, theirs):
    return ours.keys() == theirs.keys() and all(
        math.isclose(ours[k], theirs[k], rel_tol=1e-6, abs_tol=1e-6) or ours[k] != ours[k] or theirs[k] != theirs[k]
        for k in ours
    )


def keys_of(path):
    return {"tns": "", "mtx": ""}.get(path.partition(".")[2], ":0,1=2" if path.endswith("txt") else ":k,s=v")


@pytest.fixture
def run(tmp_path, monkeypatch):
    """The command line in a directory of its own, which may only get the file that it is asked for."""
    monkeypatch.chdir(tmp_path)

    def told(*arguments, out=""):
        before = set(os.listdir())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            done = CliRunner().invoke(app, [*arguments, "--engine", "local"])
        assert done.exception is None or isinstance(done.exception, SystemExit), (arguments, done.exception)
        assert "Traceback" not in done.output, (arguments, done.output)
        if done.exit_code:
            lines = [line for line in done.stderr.splitlines() if not line.startswith("warning: ")]
            assert done.exit_code in (1, 2) and done.stdout == "", (arguments, done.output)
            assert any(line.startswith("error: ") for line in lines) or done.exit_code == 2, (arguments, done.stderr)
            assert done.exit_code == 2 or len(lines) <= 3, (arguments, done.stderr)
            assert set(os.listdir()) == before, arguments
        else:
            assert set(os.listdir()) == before | ({out} if out else set()), arguments
        return done

    return told


def answer(done):
    """The rows of a group sum that was shown as JSON, as text to number."""
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return {str(row["a"]): float(row["n"]) for row in rows}


@pytest.mark.parametrize("path", SOUND)
def test_the_sound_files_are_read_rightly(run, path):
    with open(path, "wb") as file:
        file.write(SOUND[path])
    done = run("query", "n(a) = T(a, b)", f"T={path}{keys_of(path)}", "--format", "json")
    assert same(answer(done), plainly(path, SOUND[path])), done.output


@pytest.mark.parametrize("part", range(8))
def test_damaged_files(run, part):
    seeded = random.Random(part)
    paths = list(SOUND)
    for n in range(MUTANTS * 6 // 80):
        path = paths[n % len(paths)]
        data = mutated(SOUND[path], seeded)
        with open(path, "wb") as file:
            file.write(data)
        out = seeded.choice(("", "", "out.parquet", "out.csv.gz"))
        done = run(
            "query",
            "n(a) = T(a, b)",
            f"T={path}{keys_of(path)}",
            "--format",
            "json",
            *(("--out", out) if out else ()),
            out=out,
        )
        if out and os.path.exists(out):
            os.unlink(out)
        elif not out and done.exit_code == 0:
            theirs = plainly(path, data)
            assert theirs is None or same(normal(answer(done)), normal(theirs)), (
                part,
                n,
                path,
                data[:2000],
                done.output,
            )


def normal(found):
    """Keys that are the same number, as one text."""
    made = {}
    for key, value in found.items():
        try:
            number = float(key)
            key = str(int(key)) if 2**53 <= abs(number) < math.inf else f"{number:g}"
        except ValueError:
            key = key.strip()
        made[key] = made.get(key, 0) + value
    return made


def test_broken_queries(run):
    with open("t.parquet", "wb") as file:
        file.write(SOUND["t.parquet"])
    seeded = random.Random(1)
    for _ in range(MUTANTS * 15 // 100):
        text = mutated(TEXT.encode(), seeded).decode(errors=seeded.choice(("replace", "ignore")))
        run("query", text, "T=t.parquet:k,s=v", "--format", "json")


def test_broken_pipelines(run):
    with open("t.parquet", "wb") as file:
        file.write(SOUND["t.parquet"])
    sound = (
        '[inputs]\nT = { path = "t.parquet", keys = ["k", "s"], value = "v", nulls = "drop" }\n'
        '[[query]]\ntext = "n(a) = T(a, b)"\nout = "../x.csv"\n[[query]]\ntext = "m(a) = n(a)"\n[spark]\nmaster = "x"\n'
    )
    seeded = random.Random(2)
    for _ in range(MUTANTS * 10 // 100):
        data = mutated(sound.replace("../x.csv", "x.csv").encode(), seeded)
        with open("p.toml", "wb") as file:
            file.write(data)
        before = set(os.listdir())
        done = CliRunner().invoke(app, ["run", "p.toml", "--engine", "local"])
        assert done.exception is None or isinstance(done.exception, SystemExit), (data, done.exception)
        assert done.exit_code in (0, 1) and "Traceback" not in done.output, (data, done.output)
        made = set(os.listdir()) - before
        assert not made if done.exit_code else len(made) <= 1, (data, made)
        for name in made:
            os.unlink(name)


def test_hostile_names_and_arguments(run):
    seeded = random.Random(3)
    for _ in range(MUTANTS // 20):
        names = seeded.sample(HOSTILE, 3)
        parquet.write_table(pa.table([[1, 2], ["x", "y"], [0.5, 1.5]], names=names), "t.parquet")
        with open("t.csv", "wb") as file:
            file.write(as_csv([(1, "x", 0.5), (2, "y", 1.5)], names))
        for path in ("t.parquet", "t.csv"):
            done = run("query", "n() count= T(a, b, c)", f"T={path}", "--format", "csv")
            assert done.exit_code or done.stdout == "n\n2\n", (names, done.output)
            run("query", "n(a) = T(a)", f"T={path}:{seeded.choice(names)}={seeded.choice(names)}", "--format", "json")
            run("query", "n(a) = T(a)", seeded.choice(HOSTILE) + "=" + path + seeded.choice(HOSTILE))


@pytest.mark.parametrize(
    "path", ["", "/", "..", "/dev/null", "t\0.csv", "~", "*", "/proc/self/mem.csv", "x" * 5000 + ".csv", "-", "//"]
)
def test_tricks_with_paths(run, path):
    for arguments in (("n() = T(a)", f"T={path}"), ("n() = T(a)", f"T={path}.csv")):
        assert run("query", *arguments).exit_code == 1


@pytest.mark.parametrize(
    "out", ["/", ".", "..", "/dev/null/x.csv", "a\0b.csv", "x" * 300 + ".csv", "d", "nowhere.xyz", "/proc/x.csv"]
)
def test_outputs_that_cannot_be(run, out):
    with open("t.csv", "wb") as file:
        file.write(SOUND["t.csv"])
    assert run("query", "n(a) = T(a, b)", "T=t.csv:k,s=v", "--out", out).exit_code == 1
