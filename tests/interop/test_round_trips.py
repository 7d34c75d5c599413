"""Each library to a table, to each library, to a table: values, kinds of keys, nulls and order stay."""

import datetime
import warnings
import zoneinfo
from dataclasses import dataclass

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import skipstone as sk
from skipstone import errors

UTC = datetime.timezone.utc  # noqa: UP017
FROM, TO = datetime.datetime(1900, 1, 1), datetime.datetime(2200, 1, 1)
WIDTHS = {f"{s}int{n}": getattr(pa, f"{s}int{n}")() for s in ("", "u") for n in (8, 16, 32, 64)}


def integers(name):
    bits = int(name.removeprefix("u").removeprefix("int"))
    least, most = (0, 2 ** min(bits, 63) - 1) if name[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    return st.integers(least, most)


def timestamps(unit, zone):
    coarse = {"s": 10**6, "ms": 1000, "us": 1, "ns": 1}[unit]
    moments = st.datetimes(FROM, TO).map(lambda x: x - datetime.timedelta(microseconds=x.microsecond % coarse))
    if not zone:
        return moments
    berlin = zoneinfo.ZoneInfo("Europe/Berlin")  # an hour that comes twice has another zone in Python
    return moments.map(lambda x: x.replace(tzinfo=UTC)).filter(lambda x: not x.astimezone(berlin).fold)


KEYS = {
    **{name: (kind, integers(name)) for name, kind in WIDTHS.items()},
    "float": (pa.float64(), st.floats(allow_nan=False)),
    "bool": (pa.bool_(), st.booleans()),
    "str": (pa.string(), st.text(max_size=4)),
    "dictionary": (pa.dictionary(pa.int32(), pa.string()), st.sampled_from(["b", "a", "é", ""])),
    "date": (pa.date32(), st.dates(FROM.date(), TO.date())),
    **{
        f"timestamp {unit} {zone}": (pa.timestamp(unit, zone), timestamps(unit, zone))
        for unit in ("s", "ms", "us", "ns")
        for zone in (None, "UTC", "Europe/Berlin", "+05:30")
    },
}
VALUES = {
    "int": (pa.int64(), integers("int64")),
    "float": (pa.float64(), st.floats()),
    "bool": (pa.bool_(), st.booleans()),
}


@dataclass
class Case:
    """Rows as Arrow has them, and what a table of them is in Python."""

    rows: pa.Table
    keys: list[str]
    value: str | None
    lacking: int
    expected: dict

    def table(self, data, nulls="drop"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return sk.table(data, self.keys, self.value, nulls=nulls)


@st.composite
def cases(draw, nulls=False, kinds=tuple(KEYS), least=1, most=3, values=(None, *VALUES)):
    """Up to eight rows, whose keys differ."""
    columns = [KEYS[kind] for kind in draw(st.lists(st.sampled_from(kinds), min_size=least, max_size=most))]
    names, keyed, value = [f"k{n}" for n, _ in enumerate(columns)], len(columns), draw(st.sampled_from(values))
    if value:
        columns.append(VALUES[value])
    missing = st.none() if nulls else st.nothing()
    held = st.tuples(*(strategy | missing for _, strategy in columns))
    rows = draw(st.lists(held, max_size=8, unique_by=lambda row: row[:keyed]))
    arrays = [pa.array([row[n] for row in rows], kind) for n, (kind, _) in enumerate(columns)]
    whole = sorted((row for row in rows if None not in row), key=lambda row: row[:keyed])
    expected = {row[:keyed] if keyed > 1 else row[0]: row[-1] if value else 1 for row in whole}
    given = pa.table(arrays, names=[*names, *(["v"] if value else [])])
    return Case(given, names, "v" if value else None, len(rows) - len(whole), expected)


def in_zones_of_polars(rows):
    for n, field in enumerate(rows.schema):
        if getattr(field.type, "tz", None) == "+05:30":
            rows = rows.set_column(n, field.name, rows.column(n).cast(pa.timestamp(field.type.unit, "UTC")))
    return rows


IN = {
    "arrow": lambda rows: rows,
    "reader": lambda rows: rows.to_reader(),
    "chunks": lambda rows: pa.concat_tables([rows.slice(0, 2), rows.slice(2)]),
    "pandas of arrow": lambda rows: rows.to_pandas(types_mapper=pd.ArrowDtype),
    "polars": lambda rows: pl.from_arrow(in_zones_of_polars(rows)),
    "columns": lambda rows: rows.to_pydict(),
}
WITHOUT_NULLS = {
    "pandas": lambda rows: rows.to_pandas(),
    "numpy": lambda rows: {name: rows[name].to_pandas().to_numpy() for name in rows.column_names},
    "tuples": lambda rows: list(zip(*rows.to_pydict().values(), strict=True)),
    "dicts": lambda rows: rows.to_pylist(),
}
OUT = {
    "arrow": lambda t: t.to_arrow(),
    "the table itself": lambda t: t,
    "stream": lambda t: pa.RecordBatchReader.from_stream(t),
    "pandas": lambda t: t.to_pandas(),
    "polars": lambda t: t.to_polars(),
    "dict": lambda t: t.to_dict(),
    "numpy": lambda t: t.columns(),
}
LOST = {"numpy": ("UTC", "Europe/Berlin", "+05:30"), "polars": ("+05:30",)}  # zones that they do not have


def same(a, b):
    return (a == b and type(a) is type(b)) or (a != a and b != b and isinstance(a, float) and isinstance(b, float))


def assert_same(found, expected):
    assert list(map(instants, found)) == list(map(instants, expected)), "the same keys in the same order"
    assert all(same(a, b) for a, b in zip(found.values(), expected.values(), strict=True))


def instants(key):
    """Keys in UTC: an hour that comes twice in another zone is equal to nothing."""
    if isinstance(key, tuple):
        return tuple(map(instants, key))
    return key.astimezone(UTC) if getattr(key, "tzinfo", None) else key


@pytest.mark.parametrize("library", [*IN, *WITHOUT_NULLS])
@given(data=st.data())
@settings(max_examples=30)
def test_every_library_goes_in(library, data):
    case = data.draw(cases(nulls=library in IN))
    make = (IN | WITHOUT_NULLS)[library]
    t = case.table(make(case.rows))
    assert_same(t.to_dict(), case.expected)
    if case.lacking:
        with pytest.raises(errors.NotAKey):
            case.table(make(case.rows), "refuse")


@pytest.mark.parametrize("library", OUT)
@given(case=cases())
@settings(max_examples=40)
def test_every_library_comes_out_and_goes_in_again(library, case):
    t = case.table(case.rows)
    back = sk.table(OUT[library](t), case.keys, "value" if case.value else ())
    naive = library == "numpy" and any(domain.zone for domain in t.domains)
    if case.expected and not naive:
        assert_same(back.to_dict(), case.expected)
    assert back.size == len(case.expected)
    for before, after in zip(t.domains, back.domains, strict=True):
        if case.expected or library in ("arrow", "stream", "polars"):
            assert after.kind == before.kind and (after.zone == before.zone or before.zone in LOST.get(library, ()))
        if library not in ("dict", "polars") and case.expected:
            assert after.unit == before.unit


PLAIN = tuple(kind for kind in KEYS if " " not in kind and "int64" not in kind)


@given(case=cases(kinds=PLAIN))
@settings(max_examples=50)
def test_duckdb(case):
    t = case.table(duckdb.from_arrow(case.rows))
    assert_same(t.to_dict(), case.expected)
    order = ", ".join(case.keys)
    assert_same(
        sk.table(duckdb.sql(f"from t order by {order}"), case.keys, "value" if case.value else None).to_dict(),
        case.expected,
    )


@pytest.mark.parametrize("kind", [k for k in KEYS if k != "dictionary"])
@given(data=st.data())
@settings(max_examples=10)
def test_networkx(kind, data):
    case = data.draw(cases(kinds=[kind], least=2, most=2))
    t = case.table(case.rows)
    back = sk.table(t.to_networkx(), value="weight" if case.value and case.expected else None)
    assert_same(back.to_dict(), case.expected)
    assert not case.expected or [(d.kind, d.zone) for d in back.domains] == [(d.kind, d.zone) for d in t.domains]


@pytest.mark.parametrize("form", ["coo", "csr", "csc", "dok", "lil"])
@given(case=cases(kinds=["uint8"], least=2, most=2, values=tuple(VALUES)))
@settings(max_examples=20)
def test_scipy(form, case):
    t = case.table(case.rows)
    back = sk.table(t.to_scipy(shape=(256, 256)).asformat(form)).to_dict()
    stored = {key: v for key, v in back.items() if v}
    assert_same(stored, {key: v for key, v in case.expected.items() if v})
    assert form not in ("coo", "csr", "csc") or list(back) == list(case.expected), "zeros that are stored stay"


@given(case=cases(nulls=True))
@settings(max_examples=25)
def test_a_result_of_a_query_goes_out_like_any_table(case):
    t = case.table(case.rows)
    axes = [sk.axes(name) for name in case.keys]
    expression = t[tuple(axes)]
    assert_same(expression.collect(into=dict), case.expected)
    assert_same(sk.table(expression.collect(into="arrow"), case.keys, "value").to_dict(), case.expected)
    assert expression.collect(into="polars").height == len(case.expected) == len(expression.collect(into="pandas"))
