"""Columns of every type and of every library: what kind of key they are, what is missing in them, what is refused."""

import datetime
import warnings
import zoneinfo
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import skipstone as sk
from skipstone import errors

DAY, NOON = datetime.date(2013, 1, 31), datetime.datetime(2013, 1, 31, 12)
BERLIN = zoneinfo.ZoneInfo("Europe/Berlin")
NAN = float("nan")


def message(kind, action):
    with pytest.raises(kind) as raised:
        action()
    return str(raised.value)


def kind_of(column):
    return sk.table({"k": column}).domains[0].kind


class TestIntegers:
    @pytest.mark.parametrize("width", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"])
    def test_every_width_is_an_integer(self, width):
        least, most = (0 if width[0] == "u" else -100), min(np.iinfo(width).max, 2**63 - 1)
        array = np.array([most, least], width)
        for column in (array, pa.array(array), pl.Series(array), pd.Series(array), pd.array(array)):
            t = sk.table({"k": column, "v": column}, value="v")
            assert t.to_dict() == {least: least, most: most} and t.domains[0].kind == "int"

    def test_beyond_int64_is_refused(self):
        array = np.array([2**63], np.uint64)
        for column in (
            array, pa.array(array), pl.Series(array), pd.Series(array), pd.array(array), [2**63], [2**63, -1],
            [2**63, None], [2**70, 1], np.array([2**70], object),
        ):  # fmt: skip
            assert "beyond int64" in message(errors.UnsupportedValue, lambda c=column: sk.table({"k": c}))
            data = {"k": list(range(len(column))), "v": column}
            assert "'v'" in message(errors.UnsupportedValue, lambda d=data: sk.table(d, value="v"))

    def test_integers_and_booleans_of_numpy_in_a_list(self):
        assert sk.table({"k": [np.int8(3), np.int64(1)]}).to_dict() == {1: 1, 3: 1}
        assert kind_of([np.True_, np.False_]) == "bool"


class TestText:
    def test_categories_are_strings(self):
        for column in (
            pd.Categorical(["b", "a", "b"]),
            pd.Series(["b", "a", "b"], dtype="category"),
            pd.CategoricalIndex(["b", "a", "b"]),
            pl.Series(["b", "a", "b"], dtype=pl.Categorical),
            pl.Series(["b", "a", "b"], dtype=pl.Enum(["b", "a", "unused"])),
            pa.array(["b", "a", "b"]).dictionary_encode(),
            pa.chunked_array([pa.array(["b"]).dictionary_encode(), pa.array(["a", "b"]).dictionary_encode()]),
        ):
            t = sk.table({"k": column}, combine="count")
            assert t.to_dict() == {"a": 1, "b": 2} and t.domains[0].kind == "str"

    def test_categories_of_other_types_keep_theirs(self):
        """Integers with a null among them became floats."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert kind_of(pd.Categorical([2, None, 1])) == "int"
        zoned = pd.Categorical(pd.DatetimeIndex([NOON]).tz_localize("Europe/Berlin"))
        t = sk.table({"k": zoned})
        assert t.domains[0].zone == "Europe/Berlin" and list(t.to_dict()) == [NOON.replace(tzinfo=BERLIN)]
        assert kind_of(pa.array([DAY]).dictionary_encode()) == "date"

    def test_categories_of_several_types_are_refused(self):
        """pyarrow 26 ends the process over these two."""
        column = pd.Series([np.datetime64("2020"), np.float32(1.5)], dtype=object).astype("category")
        assert "several types" in message(errors.MixedKeys, lambda: sk.table({"k": column}))
        assert kind_of(pd.Series([DAY, DAY], dtype="category")) == "date"

    def test_a_dictionary_may_be_in_disorder(self):
        """Names twice, a name that is null, names that nothing uses."""
        names = pa.array(["b", "a", "b", None, "unused"])
        column = pa.DictionaryArray.from_arrays(pa.array([2, 0, 1, 3, None, 0]), names)
        with pytest.warns(UserWarning, match="2 rows without a key"):
            t = sk.table({"k": column}, combine="count")
        assert t.to_dict() == {"a": 1, "b": 3}

    def test_a_large_dictionary_of_few_rows_is_not_kept(self):
        column = pa.array([f"{n}" for n in range(1000)]).dictionary_encode()[3:5]
        assert sk.table({"k": column}).domains[0].names.tolist() == ["3", "4"]

    def test_they_compare_as_pythons_do(self):
        names = ["", "A", "Z", "a", "aa", "b", "é", "ﬀ", "𝄞", "\U0010ffff", "\x00", "a\x00", "日本"]
        for column in (names, np.array(names, object), pa.array(names), pa.array(names).dictionary_encode()):
            assert list(sk.table({"k": column}).to_dict()) == sorted(names)
        for kind in ("U", ">U4", np.dtypes.StringDType()):
            assert list(sk.table({"k": np.array(["b", "é", "a"], kind)}).to_dict()) == ["a", "b", "é"]

    def test_what_is_no_text(self):
        for column in (["a", "\ud800"], np.array(["a", "\ud800"]), np.array(["a", "\ud800"], object)):
            assert "no text" in message(errors.NotAKey, lambda c=column: sk.table({"k": c}))
        for column in (pa.array([b"x"]), np.array([b"x"]), [b"x"]):
            assert "'k'" in message(errors.NotAKey, lambda c=column: sk.table({"k": c}))

    def test_an_empty_column_that_says_what_it_holds(self):
        """It met any other, whatever its type."""
        for column in (
            pa.array([], pa.string()),
            pa.chunked_array([], pa.large_string()),
            pl.Series([], dtype=pl.String),
        ):
            assert kind_of(column) == "str"
        assert kind_of([]) == kind_of(pa.nulls(0)) == kind_of(np.array([], object)) == "any"


class TestMoments:
    def test_dates(self):
        for column in (
            [DAY], pa.array([DAY]), pa.array([DAY], pa.date64()), pl.Series([DAY]), np.array([DAY], "datetime64[D]"),
            pd.Series([DAY]), pd.Series([DAY], dtype=pd.ArrowDtype(pa.date32())),
        ):  # fmt: skip
            assert kind_of(column) == "date" and list(sk.table({"k": column}).to_dict()) == [DAY]

    @pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
    @pytest.mark.parametrize("zone", [None, "Europe/Berlin", "+05:30", "UTC"])
    def test_timestamps_keep_unit_and_zone(self, unit, zone):
        given = pa.array([NOON], pa.timestamp(unit, zone))
        frame = pa.table({"k": given}).to_pandas()
        for column in (given, frame["k"], pa.chunked_array([given])):
            t = sk.table({"k": column})
            assert (
                t.to_arrow().column("k").type == given.type
                and t.to_arrow().column("k").to_pylist() == given.to_pylist()
            )
            assert t.to_pandas()["k"].tolist() == frame["k"].tolist()
            if zone != "+05:30":  # pandas names that otherwise
                assert t.to_pandas()["k"].dtype == frame["k"].dtype
        if unit != "s" and zone != "+05:30":  # Polars has neither
            given = pl.Series("k", given)
            assert sk.table({"k": given}).to_polars()["k"].dtype == given.dtype

    def test_the_hour_that_comes_twice(self):
        """To Python, 2:30 before the clocks go back and 2:30 after it are equal: one of two rows was lost."""
        first = datetime.datetime(2013, 10, 27, 2, 30, tzinfo=BERLIN)
        t = sk.table({"k": pa.array([first, first.replace(fold=1)]), "v": [1, 2]}, value="v")
        assert list(t.to_dict().values()) == [1, 2] and next(iter(t.to_dict())) == first
        assert [key.utcoffset().seconds for key in t.to_dict()] == [7200, 3600]
        assert sk.table(t.to_dict()).codes[0].tolist() == t.codes[0].tolist()

    def test_units_that_only_numpy_has(self):
        for column in (np.array(["2013-01-31T12"], "datetime64[h]"), np.array(["2013-01-31T12"], "datetime64[12h]")):
            t = sk.table({"k": column})
            assert list(t.to_dict()) == [NOON] == t.to_polars()["k"].to_list()
            assert t.to_arrow().column("k").to_pylist() == [NOON] == t.to_pandas()["k"].tolist()
        fine = sk.table({"k": np.array([1], "datetime64[ps]")})
        assert "no timestamps in ps" in message(errors.UnsupportedValue, fine.to_arrow)

    def test_with_a_zone_and_without_do_not_mix(self):
        column = [NOON, NOON.replace(tzinfo=BERLIN)]
        assert "with and without" in message(errors.MixedKeys, lambda: sk.table({"k": column}))

    def test_other_times_are_refused(self):
        hour, while_ = datetime.time(3), datetime.timedelta(hours=3)
        for column in (
            [hour], [while_], pa.array([hour]), pa.array([while_]), pl.Series([hour]), pl.Series([while_]),
            pd.Series([while_]), np.array([3], "timedelta64[h]"), pd.period_range("2020", periods=1, freq="M"),
        ):  # fmt: skip
            assert "'k'" in message(errors.NotAKey, lambda c=column: sk.table({"k": c}))


class TestNulls:
    KEYS = {
        "list": [1, None, 3],
        "strings": ["1", None, "3"],
        "objects": np.array(["1", None, "3"], object),
        "objects, NaN": np.array(["1", NAN, "3"], object),
        "objects, NA": np.array([1, pd.NA, 3], object),
        "dates": [DAY, None, datetime.date(2014, 1, 1)],
        "decimals": [Decimal(1), None, Decimal(3)],
        "floats": np.array([1.0, NAN, 3.0]),
        "moments": np.array(["2013", "NaT", "2014"], "datetime64[s]"),
        "pandas": pd.Series(["1", None, "3"]),
        "pandas, Int64": pd.Series([1, None, 3], dtype="Int64"),
        "pandas, category": pd.Series(["1", None, "3"], dtype="category"),
        "pandas, zoned": pd.Series([NOON, None, DAY]).astype("datetime64[ns, UTC]"),
        "pandas, Arrow": pd.Series([1, None, 3], dtype="int64[pyarrow]"),
        "Polars": pl.Series([1, None, 3]),
        "Polars, NaN": pl.Series([1.0, NAN, 3.0]),
        "Polars, strings": pl.Series(["1", None, "3"]),
        "Polars, categories": pl.Series(["1", None, "3"], dtype=pl.Categorical),
        "Arrow": pa.array([1, None, 3]),
        "Arrow, half": pa.array([1.0, None, 3.0], pa.float16()),
        "Arrow, booleans": pa.array([True, None, False]),
        "Arrow, strings": pa.array(["1", None, "3"]),
        "Arrow, dictionary": pa.array(["1", None, "3"]).dictionary_encode(),
        "Arrow, view": pa.array(["1", None, "3"], pa.string_view()),
        "Arrow, chunks": pa.chunked_array([[1], [None, 3]]),
        "Arrow, decimals": pa.array([Decimal(1), None, Decimal(3)]),
        "Arrow, moments": pa.array([NOON, None, NOON + datetime.timedelta(1)]),
    }

    @pytest.mark.parametrize("column", KEYS.values(), ids=KEYS.keys())
    def test_a_row_without_a_key_is_left_out_or_refused(self, column):
        data = {"k": column, "v": [10, 20, 30]}
        with pytest.warns(UserWarning, match="^1 row without a key in column 'k' is left out$") as told:
            t = sk.table(data, value="v")
        assert sorted(t.to_dict().values()) == [10, 30] and t.size == 2
        assert told[0].filename == __file__, "it names the line that made the table"
        refused = message(errors.NotAKey, lambda: sk.table(data, value="v", nulls="refuse"))
        assert "1 row without a key in column 'k'" in refused

    def test_what_numpy_has_masked_is_missing(self):
        """It was read all the same."""
        masked = np.ma.masked_array([1, 2, 3], [False, True, False])
        for data in ({"k": masked, "v": [10, 20, 30]}, {"k": [1, 2, 3], "v": masked * 10}):
            with pytest.warns(UserWarning, match="1 row without"):
                assert sk.table(data, value="v").to_dict() == {1: 10, 3: 30}

    VALUES = {
        "list": [1, None, 3],
        "tuple": (1.5, None, 3),
        "booleans": [True, None, False],
        "decimals": [Decimal(1), None, Decimal(3)],
        "objects": np.array([1, None, 3.5], object),
        "objects, NA": np.array([1, pd.NA, 3], object),
        "pandas": pd.Series([1, None, 3], dtype="Int64"),
        "pandas, Float64": pd.Series([1, None, 3], dtype="Float64"),
        "pandas, Arrow": pd.Series([1, None, 3], dtype="double[pyarrow]"),
        "Polars": pl.Series([1.5, None, 3]),
        "Arrow": pa.array([1, None, 3]),
        "Arrow, half": pa.array([1.0, None, 3.0], pa.float16()),
        "Arrow, decimals": pa.array([Decimal(1), None, Decimal(3)]),
        "Arrow, dictionary": pa.array([1, None, 3]).dictionary_encode(),
        "Arrow, booleans": pa.array([True, None, False]),
    }

    @pytest.mark.parametrize("column", VALUES.values(), ids=VALUES.keys())
    def test_a_row_without_a_value_is_left_out_or_refused(self, column):
        data = {"k": [5, 6, 7], "v": column}
        with pytest.warns(UserWarning, match="^1 row without a value in column 'v' is left out$"):
            t = sk.table(data, value="v")
        first, _, last = column.to_pylist() if hasattr(column, "to_pylist") else column
        assert t.to_dict() == {5: first, 7: last}
        refused = message(errors.NotAKey, lambda: sk.table(data, value="v", nulls="refuse"))
        assert "1 row without a value in column 'v'" in refused

    def test_nan_is_a_value_wherever_it_comes_from(self):
        """Of Arrow and Polars columns it was taken for a null, and its row was dropped."""
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for column in (
                [1.0, NAN], np.array([1.0, NAN]), np.array([1.0, NAN], object), pd.Series([1.0, NAN]),
                pl.Series([1.0, NAN]), pa.array([1.0, NAN]), pa.chunked_array([[1.0], [NAN]]),
                pa.array([1.0, NAN], pa.float32()), pd.Series(pa.array([1.0, NAN]), dtype=pd.ArrowDtype(pa.float64())),
            ):  # fmt: skip
                found = sk.table({"k": [5, 6], "v": column}, value="v", nulls="refuse").to_dict()
                assert found[5] == 1.0 and np.isnan(found[6])

    def test_nothing_else_may_be_said(self):
        assert "nulls='keep'" in message(errors.BadOption, lambda: sk.table({"k": [1]}, nulls="keep"))


class TestValues:
    def test_integers_among_floats_are_floats(self):
        """It was said that keys were of several types."""
        assert sk.table({"k": [5, 6], "v": [1, 2.5]}, value="v").to_dict() == {5: 1.0, 6: 2.5}

    def test_what_is_no_value(self):
        for column in (["a"], pa.array(["a"]), pl.Series(["a"]), pd.Series(["a"]), pd.Series(["a"], dtype="category")):
            told = message(errors.UnsupportedValue, lambda c=column: sk.table({"k": [5], "v": c}, value="v"))
            assert "values in column 'v'" in told
        for column in ([DAY], pa.array([DAY]), [1j], pa.array([[1]]), pa.array([b"x"]), np.array([1j]), [object()]):
            told = message(errors.UnsupportedValue, lambda c=column: sk.table({"k": [5], "v": c}, value="v"))
            assert "values in column 'v'" in told

    def test_a_type_that_arrow_does_not_have(self):
        """Objects in a column of Polars came as their addresses."""
        for column in (pl.Series([1], dtype=pl.Int128), pl.Series([object()], dtype=pl.Object)):
            told = message(errors.UnsupportedValue, lambda c=column: sk.table({"k": c}))
            assert str(column.dtype) in told and "which Arrow does not have" in told

    def test_subtypes_may_stand_together(self):
        assert sk.table({"k": [1.5, np.float64(2.5)]}).to_dict() == {1.5: 1, 2.5: 1}
        assert sk.table({"k": [NOON, pd.Timestamp(NOON)]}).to_dict() == {NOON: 1}
        for column in ([True, 2], [DAY, NOON], [np.str_("a"), np.uint8(1)], [1, 2.5]):
            assert "several types" in message(errors.MixedKeys, lambda c=column: sk.table({"k": c}))

    def test_values_of_several_parts(self):
        """A list of tuples became a table that could not be read."""
        data = {"k": [1, 2], "v": [(1, 2), (3, 4)]}
        assert "2 dimensions" in message(errors.UnsupportedValue, lambda: sk.table(data, value="v"))


ODD = [
    0, -1, 2**63, 10**400, 0.5, NAN, float("inf"), None, pd.NA, pd.NaT, "", "a", "\ud800", b"x", True, DAY, NOON,
    NOON.replace(tzinfo=BERLIN), datetime.datetime.max, datetime.date.min, pd.Timestamp.max, datetime.time(1),
    datetime.timedelta(1), Decimal("1.5"), Decimal("NaN"), 1j, (), (1, 2), [1], {}, {1: 2}, {1}, object, np.int8(3),
    np.uint64(2**63), np.float32(1.5), np.str_("x"), np.True_, np.array([1, 2]),
]  # fmt: skip
FORMS = {"list": list, "tuple": tuple, "pandas": lambda x: pd.Series(x, dtype=object), "masked": None, "category": None}


def in_form(things, form):
    array = np.empty(len(things), object)
    array[:] = things
    if form == "masked":
        return np.ma.masked_array(array, [n % 2 for n, _ in enumerate(things)])
    if form == "category":
        return pd.Series(array).astype("category")
    return FORMS[form](things)


@given(st.lists(st.sampled_from(ODD), max_size=3), st.sampled_from(sorted(FORMS)), st.booleans())
@settings(max_examples=300)
def test_odd_things_are_taken_or_told(things, form, as_values):
    """Whatever stands in a column: a table that can be read, or an error of ours."""
    try:
        column = in_form(things, form)
    except (TypeError, ValueError, OverflowError):
        assume(False)
    data = {"k": range(len(things)), "v": column} if as_values else {"v": column}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            t = sk.table(data, value="v" if as_values else None)
        except errors.SkipstoneError as error:
            told = str(error)
        else:
            told = ""
    if told:
        assert "column 'v'" in told
        return
    assert len(t.to_dict()) == len(t) <= len(things) and t.to_arrow().num_rows == len(t.to_pandas()) == len(t)
