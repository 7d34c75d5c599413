"""Where tables go: each library gets their rows in order, with their types."""

import datetime
import subprocess
import sys

import duckdb
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

import skipstone as sk
from skipstone import errors

DAY = datetime.date(2013, 1, 31)
SALES = sk.table({"who": ["bob", "ann", "bob"], "day": [DAY, DAY, DAY], "n": [1, 2, 4]}, value="n")
ROWS = [("ann", DAY, 2), ("bob", DAY, 5)]
i, j = sk.axes("i j")


def message(kind, action):
    with pytest.raises(kind) as raised:
        action()
    return str(raised.value)


class TestCapsules:
    """`__arrow_c_stream__`: who speaks Arrow takes a table as it is."""

    def test_arrow(self):
        assert pa.table(SALES).schema.names == ["who", "day", "value"] and pa.table(SALES).to_pylist()[1]["value"] == 5
        assert pa.RecordBatchReader.from_stream(SALES).read_all() == SALES.to_arrow()

    def test_polars(self):
        assert pl.DataFrame(SALES).rows() == ROWS

    def test_duckdb(self):
        sales = SALES
        assert duckdb.sql("select who, day, value from sales order by who").fetchall() == ROWS
        assert sales.size == 3

    @pytest.mark.skipif(not hasattr(pd.DataFrame, "from_arrow"), reason="pandas has it since 3.0")
    def test_pandas(self):
        assert list(pd.DataFrame.from_arrow(SALES).itertuples(index=False, name=None)) == ROWS

    def test_types_that_are_asked_for(self):
        wanted = pa.schema([("who", pa.string()), ("day", pa.date32()), ("value", pa.int64())])
        assert pa.RecordBatchReader.from_stream(SALES, schema=wanted).read_all().schema == wanted


class TestFrames:
    def test_types(self):
        arrow, polars, pandas = SALES.to_arrow(), SALES.to_polars(), SALES.to_pandas()
        assert arrow.schema.types == [pa.large_string(), pa.date32(), pa.int64()]
        assert polars.dtypes == [pl.String, pl.Date, pl.Int64] and polars.rows() == ROWS
        assert pandas["who"].dtype == pd.Series(["a"]).dtype and pandas["value"].dtype == np.int64
        assert list(pandas.itertuples(index=False, name=None)) == ROWS

    def test_empty_tables_keep_their_types(self):
        none = SALES[i, j].where(lambda v: v > 99).collect()
        assert none.to_arrow().schema.types == [pa.large_string(), pa.date32(), pa.int64()]
        assert none.to_polars().dtypes == [pl.String, pl.Date, pl.Int64] and none.to_pandas().shape == (0, 3)
        unknown = sk.table({"k": [], "v": []}, value="v")
        assert unknown.to_arrow().column("k").type == pa.null() and unknown.to_pandas().shape == (0, 2)
        assert sk.table(unknown.to_arrow(), value="value").domains[0].kind == "any"

    def test_several_values_and_none(self):
        two = sk.table({"k": [1], "x": [2], "y": [0.5]}, keys="k", value=["x", "y"])
        assert two.to_arrow().to_pylist() == [{"k": 1, "x": 2, "y": 0.5}]
        assert sk.table({"k": [3, 3]}).to_polars().to_dict(as_series=False) == {"k": [3]}


class TestSparse:
    def test_keys_are_places(self):
        t = sk.table({"i": [2, 0], "j": [1, 3], "v": [0.5, 1.5]}, value="v")
        found = t.to_scipy()
        assert isinstance(found, scipy.sparse.coo_array) and found.shape == (3, 4)
        assert found.toarray()[2, 1] == 0.5 and found.nnz == 2
        assert t.to_scipy(shape=(5, 5)).shape == (5, 5) and t[i, j].collect("scipy").shape == (3, 4)
        assert (found.tocsr() @ np.ones(4)).tolist() == [1.5, 0.0, 0.5]
        assert sk.table({"k": [3]}).to_scipy().toarray().tolist() == [0, 0, 0, 1]

    def test_other_keys_with_labels(self):
        t = sk.table({"who": ["bob", "ann"], "x": [-5, 7], "n": [3, 4]}, value="n")
        told = message(errors.BadOption, t.to_scipy)
        assert "who holds other ones" in told and "to_scipy(labels=True)" in told
        matrix, who, x = t.to_scipy(labels=True)
        assert matrix.toarray().tolist() == [[0, 4], [3, 0]] and (who, x) == (["ann", "bob"], [-5, 7])

    def test_what_is_refused(self):
        t = sk.table({"i": [2], "j": [1]})
        assert "shape=(2, 2) does not hold" in message(errors.BadOption, lambda: t.to_scipy((2, 2)))
        assert "They need at least (3, 2)" in message(errors.BadOption, lambda: t.to_scipy((3,)))
        two = sk.table({"k": [1], "x": [2], "y": [0.5]}, keys="k", value=["x", "y"])
        assert "one value a key" in message(errors.BadOption, two.to_scipy)


class TestGraphs:
    def test_values_are_weights(self):
        graph = sk.table({"a": ["x", "y"], "b": ["y", "z"], "km": [2.0, 3.0]}, value="km").to_networkx()
        assert isinstance(graph, nx.DiGraph) and nx.shortest_path_length(graph, "x", "z", weight="weight") == 5.0
        several = sk.table({"a": [1], "b": [2], "x": [3], "y": [4]}, ["a", "b"], ["x", "y"]).to_networkx()
        assert several.edges[1, 2] == {"x": 3, "y": 4}
        assert list(sk.table([(1, 2)]).to_networkx().edges(data=True)) == [(1, 2, {})]
        assert sk.table([(1, 2)])[i, j].collect("networkx").edges[1, 2] == {"weight": 1}

    def test_an_edge_has_two_ends(self):
        assert "two ends" in message(errors.BadOption, sk.table([(1, 2, 3)]).to_networkx)


@pytest.mark.parametrize(
    ("module", "name", "method"),
    [
        ("pandas", "pandas", "to_pandas"),
        ("polars", "Polars", "to_polars"),
        ("scipy", "SciPy", "to_scipy"),
        ("networkx", "NetworkX", "to_networkx"),
    ],
)
def test_a_library_that_is_missing_is_named_with_its_extra(module, name, method):
    code = f"""
import sys
sys.modules["{module}"] = None
import skipstone as sk
try:
    sk.table([(1, 2)]).{method}()
except sk.errors.LibraryMissing as error:
    print(error)
"""
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert told.stdout.split("\n")[:2] == [
        f"{name} is not installed",
        f"  Install it: pip install 'skipstone[{module}]'.",
    ]
