"""What is not copied: the same memory on both sides."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

import skipstone as sk

N = 1000
INTS = np.arange(N) * 3 % 1009
FLOATS = np.linspace(-1.0, 1.0, N)
MOMENTS = np.arange(N).astype("datetime64[us]")


def address(array):
    return array.__array_interface__["data"][0]


def buffer_of(column):
    """Where the numbers of an Arrow column begin."""
    column = column.chunk(0) if isinstance(column, pa.ChunkedArray) else column
    return column.buffers()[1].address + column.offset * 8


LIBRARIES = {
    "dict of arrays": lambda columns: (columns, {name: address(c) for name, c in columns.items()}),
    "arrow": lambda columns: (t := pa.table(columns), {name: buffer_of(t.column(name)) for name in columns}),
    "batch": lambda columns: (t := pa.record_batch(columns), {name: buffer_of(t.column(name)) for name in columns}),
    "pandas": lambda columns: (
        t := pd.DataFrame(columns),
        {name: address(t[name].to_numpy()) for name in columns},
    ),
    "polars": lambda columns: (t := pl.DataFrame(columns), {name: buffer_of(t[name].to_arrow()) for name in columns}),
}


@pytest.mark.parametrize("make", LIBRARIES.values(), ids=LIBRARIES.keys())
def test_numbers_are_read_where_they_lie(make):
    data, addresses = make({"k": INTS, "f": FLOATS, "m": MOMENTS, "v": FLOATS * 2, "n": INTS + 1})
    t = sk.table(data, keys=["k", "f", "m"], value=["v", "n"])
    arrays = [*t.codes, *t.values]
    assert [address(array) for array in arrays] == [addresses[name] for name in ("k", "f", "m", "v", "n")]


def test_a_part_of_an_arrow_column_is_read_where_it_lies():
    part = pa.array(INTS).slice(10, 100)
    assert address(sk.table({"k": part}).codes[0]) == buffer_of(part)


def test_the_data_of_a_sparse_array_is_read_where_it_lies():
    matrix = scipy.sparse.coo_array((FLOATS, (INTS, INTS)))
    assert address(sk.table(matrix).values[0]) == address(matrix.data)


def test_what_must_be_copied_keeps_its_numbers():
    strided, narrow, foreign = INTS[::2], INTS.astype(np.int16), INTS.astype(">i8")
    for column in (strided, narrow, foreign, pa.chunked_array([INTS[:10], INTS[10:]])):
        (codes,) = sk.table({"k": column}).codes
        assert codes.dtype == np.int64 and codes.flags.c_contiguous and codes.tolist() == np.asarray(column).tolist()


@pytest.mark.parametrize(
    "kind", ["int64", "Int64", "int64[pyarrow]", "float64", "Float64", "M8[us]", "datetime64[us, UTC]"]
)
def test_a_frame_may_be_changed_while_a_table_reads_it(kind):
    """The table changed with it."""
    frame = pd.DataFrame({"k": pd.array([1, 2, 3], dtype="int64").astype(kind), "v": [0.5, 1.5, 2.5]})
    column, before = frame["k"], frame["k"].tolist()
    tables = sk.table(frame, value="v"), sk.table({"k": column, "v": frame["v"]}, value="v")
    frame.iloc[0, 0], frame.iloc[0, 1], column.iloc[1] = frame.iloc[2, 0], 99.0, column.iloc[2]
    assert frame["k"].tolist() != before != column.tolist()
    for t in tables:
        assert t.to_pandas()["k"].tolist() == before and t.to_pandas()["value"].tolist() == [0.5, 1.5, 2.5]


class TestOut:
    t = sk.table({"k": INTS, "m": MOMENTS, "v": FLOATS}, value="v")

    def addresses(self):
        codes, values = self.t.in_order()
        return [address(array) for array in (*codes, *values)]

    def test_arrow(self):
        assert [buffer_of(column) for column in self.t.to_arrow().columns] == self.addresses()
        assert [buffer_of(column) for column in pa.table(self.t).columns] == self.addresses()

    def test_numpy_can_only_be_read(self):
        columns = self.t.columns()
        assert [address(column) for column in columns.values()] == self.addresses()
        for column in columns.values():
            with pytest.raises(ValueError, match="read-only"):
                column[0] = column[1]

    def test_polars(self):
        for frame in (self.t.to_polars(), pl.DataFrame(self.t)):
            assert [buffer_of(column.to_arrow()) for column in frame.get_columns()] == self.addresses()

    def test_frames_and_sparse_arrays_may_be_changed(self):
        t = sk.table({"i": [0, 1], "j": [1, 0], "v": [1.0, 2.0]}, value="v")
        frame, matrix = t.to_pandas(), t.to_scipy()
        frame.loc[0, "value"] = frame.loc[0, "i"] = 7
        matrix.data[:] = matrix.coords[0][:] = 7
        assert t.to_dict() == {(0, 1): 1.0, (1, 0): 2.0}


def test_rows_that_are_in_order_go_through_without_a_copy():
    given = pa.table({"k": np.arange(N), "v": FLOATS})
    t = sk.table(given, value="v")
    assert [buffer_of(column) for column in t.to_arrow().columns] == [buffer_of(column) for column in given.columns]
