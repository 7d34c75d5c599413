"""Columns that come in pieces."""

import datetime

import pyarrow as pa
import pyarrow.dataset as dataset
import pyarrow.parquet as parquet
import pytest

import skipstone as sk
from skipstone.interop.whole import gathered, whole

DAY = datetime.date(2013, 1, 31)
COLUMNS = pa.table(
    {
        "int": [1, None, 3, 4, 5, None],
        "small": pa.array([1, 2, 3, 4, 5, 6], pa.int8()),
        "float": [0.5, 1.5, None, 2.5, 3.5, 4.5],
        "moment": [datetime.datetime(2013, 1, 31, n) for n in range(6)],
        "date": [DAY, DAY, None, DAY, DAY, DAY],
        "truth": [True, None, False, True, True, False],
        "text": ["a", None, "b", "c", "d", "e"],
        "code": pa.array(["x", "y", None, "x", "y", "z"]).dictionary_encode(),
    }
)


@pytest.mark.parametrize("ends", [(6,), (1, 3, 6), (0, 2, 2, 5, 6)])
def test_pieces_are_one_table(ends):
    pieces = [b for lo, hi in zip((0, *ends), ends, strict=False) for b in COLUMNS.slice(lo, hi - lo).to_batches()]
    made = pa.table(gathered(pieces, COLUMNS.schema, 6))
    made.validate(full=True)
    assert made.schema == COLUMNS.schema and made.to_pylist() == COLUMNS.to_pylist()
    assert [made[name].num_chunks for name in COLUMNS.column_names[:5]] == [1] * 5


@pytest.mark.parametrize("rows", [5, 7])
def test_rows_that_are_not_as_many_as_the_file_says_are_refused(rows):
    with pytest.raises(ValueError, match=f"it says that it has {rows} rows, and has 6"):
        gathered(COLUMNS.to_batches(max_chunksize=2), COLUMNS.schema, rows)


def test_a_file_of_many_row_groups_is_a_table(tmp_path):
    parquet.write_table(COLUMNS, tmp_path / "t.parquet", row_group_size=2)
    with pytest.warns(UserWarning, match="2 rows without a key"):
        found = sk.table(tmp_path / "t.parquet", keys="int", value="small")
    assert found.to_dict() == {1: 1, 3: 3, 4: 4, 5: 5}


def test_strings_come_by_a_dictionary_each(tmp_path):
    parquet.write_table(COLUMNS, tmp_path / "t.parquet", row_group_size=2)
    made = whole(dataset.dataset(tmp_path / "t.parquet"), ["text", "small", "code"])
    assert made.to_pylist() == COLUMNS.select(["text", "small", "code"]).to_pylist()
    assert made.schema.types == [pa.dictionary(pa.int32(), pa.string()), pa.int8(), COLUMNS.schema.field("code").type]
