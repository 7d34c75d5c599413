"""What `sk.table` takes: the same rows from everything that can hold them."""

import subprocess
import sys
from collections import OrderedDict, namedtuple
from decimal import Decimal
from types import MappingProxyType

import duckdb
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pytest
import scipy.sparse

import skipstone as sk
from skipstone import errors

COLUMNS = {"who": ["ann", "bob", "ann"], "what": [3, 1, 2], "price": [2.0, 2.5, 4.0]}
ROWS = list(zip(*COLUMNS.values(), strict=True))
PRICES = {("ann", 2): 4.0, ("ann", 3): 2.0, ("bob", 1): 2.5}
ARROW = pa.table(COLUMNS)
Row = namedtuple("Row", COLUMNS)
Pair = namedtuple("Pair", "x y")


def message(kind, action):
    with pytest.raises(kind) as raised:
        action()
    return str(raised.value)


class Stream:
    """Nothing but Arrow's PyCapsule interface."""

    def __arrow_c_stream__(self, requested_schema=None):
        return ARROW.__arrow_c_stream__(requested_schema)


class Batch:
    def __arrow_c_array__(self, requested_schema=None):
        return ARROW.to_batches()[0].__arrow_c_array__(requested_schema)


class Frame(pd.DataFrame):
    """A subclass, as other libraries make them."""


NAMED = {
    "dict of lists": lambda: COLUMNS,
    "dict of arrays": lambda: {name: np.array(column) for name, column in COLUMNS.items()},
    "dict of Arrow columns": lambda: dict(zip(COLUMNS, ARROW.columns, strict=True)),
    "pandas": lambda: pd.DataFrame(COLUMNS),
    "pandas, subclassed": lambda: Frame(COLUMNS),
    "pandas, objects": lambda: pd.DataFrame(COLUMNS, dtype=object),
    "pandas, of Arrow": lambda: ARROW.to_pandas(types_mapper=pd.ArrowDtype),
    "pandas, nullable": lambda: pd.DataFrame(COLUMNS).convert_dtypes(),
    "pandas, index": lambda: pd.DataFrame(COLUMNS).set_index(["who", "what"]),
    "pandas, series": lambda: pd.DataFrame(COLUMNS).set_index(["who", "what"])["price"],
    "Polars": lambda: pl.DataFrame(COLUMNS),
    "Polars, lazy": lambda: pl.LazyFrame(COLUMNS).filter(pl.col("what") > 0),
    "Arrow": lambda: ARROW,
    "Arrow, batch": lambda: ARROW.to_batches()[0],
    "Arrow, reader": lambda: ARROW.to_reader(),
    "Arrow, dataset": lambda: pyarrow.dataset.dataset(ARROW),
    "Arrow, structs": lambda: pa.array(ARROW.to_pylist()),
    "DuckDB": lambda: duckdb.from_arrow(ARROW),
    "__arrow_c_stream__": Stream,
    "__arrow_c_array__": Batch,
    "NumPy, structured": lambda: np.array(ROWS, [("who", "U3"), ("what", "i4"), ("price", "f8")]),
    "NumPy, records": lambda: np.array(ROWS, [("who", "U3"), ("what", "i4"), ("price", "f8")]).view(np.recarray),
    "dicts, one a row": lambda: ARROW.to_pylist(),
    "named tuples": lambda: [Row(*row) for row in ROWS],
    "a table": lambda: sk.table([(*row, row[2]) for row in ROWS], keys=["who", "what", "price"], value="twice"),
}

NAMELESS = {
    "tuples": lambda: ROWS,
    "lists": lambda: [list(row) for row in ROWS],
    "a set of tuples": lambda: set(ROWS),
    "an iterator": lambda: iter(ROWS),
    "zipped": lambda: zip(*COLUMNS.values(), strict=True),
    "a dict from keys": lambda: PRICES,
    "an ordered dict from keys": lambda: OrderedDict(PRICES),
    "another mapping": lambda: MappingProxyType(PRICES),
    "nested dicts": lambda: {"ann": {2: 4.0, 3: 2.0}, "bob": {1: 2.5}},
    "a series without names": lambda: pd.Series(PRICES),
    "NumPy, objects": lambda: np.array(ROWS, object),
}


@pytest.mark.parametrize("make", NAMED.values(), ids=NAMED.keys())
def test_everything_with_names_holds_the_same(make):
    t = sk.table(make(), keys=["who", "what"], value="price")
    assert t.to_dict() == PRICES and [d.kind for d in t.domains] == ["str", "int"]


@pytest.mark.parametrize("make", NAMELESS.values(), ids=NAMELESS.keys())
def test_what_has_no_names_is_named_by_who_asks(make):
    t = sk.table(make(), keys=["who", "what"], value="price")
    assert t.to_dict() == PRICES and t.keys == ("who", "what") and [d.kind for d in t.domains] == ["str", "int"]


class TestPlain:
    def test_without_names_columns_are_called_by_their_place(self):
        assert sk.table(ROWS, keys=["0", "1"], value="2").to_dict() == PRICES
        assert sk.table(PRICES).keys == ("0", "1") and sk.table(PRICES).to_dict() == PRICES
        assert sk.table({1, 5}).to_dict() == {1: 1, 5: 1} and sk.table({7: True}).to_dict() == {7: True}

    def test_tuples_as_values(self):
        assert sk.table({3: Pair(1, 2.5)}).to_dict()[3]._fields == ("x", "y")
        assert sk.table({3: (1, 2.5), 4: (2, 0.5)}).to_dict() == {3: (1, 2.5), 4: (2, 0.5)}
        assert sk.table({"a": (1, 2), "b": (3, 4)}).to_dict() == {(1, 3): 1, (2, 4): 1}, "columns have names"

    def test_the_keys_alone(self):
        assert sk.table(PRICES, value=()).to_dict() == dict.fromkeys(PRICES, 1)
        assert sk.table(PRICES, keys=["who", "what"], value=()).keys == ("who", "what")

    def test_nothing(self):
        for data in ({}, [], set(), iter(())):
            t = sk.table(data, keys=["a", "b"], value="v")
            assert t.keys == ("a", "b") and t.to_dict() == {} and [d.kind for d in t.domains] == ["any", "any"]
            assert "needs a column of keys" in message(errors.BadOption, lambda d=data: sk.table(d))

    def test_structures(self):
        for data in (sk.Sorted([1, 4], [0.5, 2.5]), sk.Tree({1: 0.5, 4: 2.5}), sk.Hash({4: 2.5, 1: 0.5})):
            assert sk.table(data, keys="k").to_dict() == {1: 0.5, 4: 2.5}
        assert sk.table(sk.Bitmap([1, 5])).to_dict() == {1: 1, 5: 1}
        assert sk.table(sk.Dense(np.array([[1, 2], [3, 4]]))).to_dict() == {(0, 0): 1, (0, 1): 2, (1, 0): 3, (1, 1): 4}
        assert sk.table(sk.Trie.from_nested({1: {2: 3}, 4: {2: 5}})).to_dict() == {(1, 2): 3, (4, 2): 5}

    def test_a_table_stays_what_it_is(self):
        one = sk.table(COLUMNS, value="price")
        assert sk.table(one).to_dict() == PRICES and sk.table(one, keys="who", value="value").to_dict()["ann"] == 6.0
        several = sk.table(COLUMNS, keys="who", value=["what", "price"])
        assert sk.table(several).to_dict() == several.to_dict() == {"ann": (5, 6.0), "bob": (1, 2.5)}
        alone = sk.table(COLUMNS)
        assert sk.table(alone).to_dict() == alone.to_dict()

    def test_what_is_refused(self):
        for data, told in (
            ([1, 2], "row 0 is a int: 1"),
            ([(1, 2), 3], "row 1 is a int"),
            ([{"a": 1}, (2,)], "some rows are dicts"),
            (np.arange(3), "an array of 1 dimensions"),
            (pl.Series([1]), "give it a name"),
            (pa.array([1]), "give it a name"),
            ({"a": {1, 2}}, "column 'a' is a set"),
            (len, "is not a table"),
        ):
            assert told in message(errors.NotACollection, lambda d=data: sk.table(d))
        for data, told in (
            ([(1, 2), (1,)], "row 1 has 1 parts, and row 0 has 2"),
            ({1: {2: 3}, 4: {5: {6: 7}}}, "row 1 has 3 parts"),
            (pd.DataFrame([[1, 2]], columns=["a", "a"]), "two columns are called 'a'"),
            (pa.Table.from_arrays([[1], [2]], names=["a", "a"]), "two columns are called 'a'"),
        ):
            assert told in message(errors.BadOption, lambda d=data: sk.table(d))
        told = message(errors.BadOption, lambda: sk.table(ROWS, keys=["who", "what"]))
        assert "there are 3 columns, and 2 names: who, what" in told


def test_an_index_is_left_out_unless_it_is_named():
    frame = pd.DataFrame(COLUMNS).set_index("who")
    assert sk.table(frame, value="price").to_dict() == {1: 2.5, 2: 4.0, 3: 2.0}
    assert "There are: who, what, price" in message(errors.BadOption, lambda: sk.table(frame, keys="when"))


class TestSparse:
    MATRIX = [[0, 1.5, 0, 0], [2.5, 0, 0, 3.5]]

    @pytest.mark.parametrize("kind", ["array", "matrix"])
    @pytest.mark.parametrize("form", ["coo", "csr", "csc", "bsr", "dia", "dok", "lil"])
    def test_every_format(self, form, kind):
        given = getattr(scipy.sparse, f"{form}_{kind}")(np.array(self.MATRIX))
        t = sk.table(given)
        assert {at: v for at, v in t.to_dict().items() if v} == {(0, 1): 1.5, (1, 0): 2.5, (1, 3): 3.5}
        assert t.keys == ("row", "col") and sk.table(given, keys=["i", "j"], value="x").keys == ("i", "j")

    def test_one_dimension_and_three(self):
        assert sk.table(scipy.sparse.coo_array([0, 5, 7]), keys="k").to_dict() == {1: 5, 2: 7}
        assert sk.table(scipy.sparse.coo_array(([4], ([1], [2], [3])), shape=(3, 3, 4))).to_dict() == {(1, 2, 3): 4}

    def test_stored_zeros_stay_and_entries_of_one_place_are_added(self):
        given = scipy.sparse.coo_array(([0, 1, 2], ([0, 1, 1], [0, 1, 1])))
        assert sk.table(given).to_dict() == {(0, 0): 0, (1, 1): 3}

    def test_complex_numbers_are_refused(self):
        assert "complex128" in message(errors.UnsupportedValue, lambda: sk.table(scipy.sparse.coo_array([[1j]])))


class TestGraphs:
    def test_directed_edges_go_one_way_and_others_both(self):
        assert sk.table(nx.DiGraph([(1, 2), (3, 3)])).to_dict() == {(1, 2): 1, (3, 3): 1}
        assert sk.table(nx.Graph([(1, 2), (3, 3)])).to_dict() == {(1, 2): 1, (2, 1): 1, (3, 3): 1}

    def test_attributes_are_columns(self):
        graph = nx.Graph([("a", "b", {"weight": 2.5, "n": 1}), ("b", "b", {"weight": 1.0})])
        t = sk.table(graph, value="weight")
        assert t.to_dict() == {("a", "b"): 2.5, ("b", "a"): 2.5, ("b", "b"): 1.0} and t.keys == ("source", "target")
        with pytest.warns(UserWarning, match="1 row without a value in column 'n'"):
            assert sk.table(graph, value="n").to_dict() == {("a", "b"): 1, ("b", "a"): 1}
        told = message(errors.BadOption, lambda: sk.table(graph, value="cost"))
        assert "there is no column 'cost'" in told and "There are: source, target, weight, n" in told

    def test_parallel_edges(self):
        graph = nx.MultiDiGraph([(1, 2, {"weight": 3}), (1, 2, {"weight": 4})])
        assert sk.table(graph, value="weight").to_dict() == {(1, 2): 7}
        assert sk.table(graph, combine="count").to_dict() == {(1, 2): 2}
        assert sk.table(graph, keys=["source", "target", "key"]).to_dict() == {(1, 2, 0): 1, (1, 2, 1): 1}
        assert sk.table(nx.MultiGraph([(1, 2), (1, 2)]), combine="count").to_dict() == {(1, 2): 2, (2, 1): 2}

    def test_nodes_that_are_no_keys(self):
        assert "several types: int, str" in message(errors.MixedKeys, lambda: sk.table(nx.DiGraph([(1, 2), ("a", 2)])))
        assert "holds tuple" in message(errors.NotAKey, lambda: sk.table(nx.grid_2d_graph(2, 2)))

    def test_triangles(self):
        graph = nx.gnm_random_graph(60, 400, seed=1)
        edges, (a, b, c) = sk.table(graph), sk.axes("a b c")
        found = sk.sum(edges[a, b] * edges[b, c] * edges[a, c] * (a < b) * (b < c)).collect()
        assert found == sum(nx.triangles(graph).values()) // 3


def test_decimals_are_floats_wherever_they_come_from():
    prices = [Decimal("1.50"), Decimal("-0.25")]
    for column in (prices, np.array(prices), pd.Series(prices), pl.Series(prices), pa.array(prices)):
        assert sk.table({"k": column}).to_dict() == {1.5: 1, -0.25: 1}
        assert sk.table({"k": [1, 2], "v": column}, value="v").to_dict() == {1: 1.5, 2: -0.25}


def test_columns_of_plain_numbers_need_no_arrow():
    code = "import skipstone as sk, sys; sk.table({'k': [1], 'v': [0.5]}, value='v'); print('pyarrow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "False"
