"""Random queries of every form: on Spark, in any number of cells, as on the local engine.

SKIPSTONE_SPARK_QUERIES says how many of each kind; 10 if it does not say.
"""

import os

import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

import skipstone as sk
from skipstone.notation import Access, accesses, rebound

from ..conftest import close
from ..test_notation import cases as products
from ..test_notation_forms import cases as forms

EXAMPLES = int(os.environ.get("SKIPSTONE_SPARK_QUERIES", "10"))
SQL = {"int": "bigint", "float": "double", "bool": "boolean", "str": "string", "date": "date"}


def in_spark(spark, table, kind):
    """The rows of a local table as one of Spark's; columns without a key get the type that others have."""
    columns = table.columns()
    types = [SQL[kind if domain.kind == "any" else domain.kind] for domain in table.domains]
    types += ["double" if v.dtype.kind == "f" else "bigint" for v in table.values]
    rows = list(zip(*(column.tolist() for column in columns.values()), strict=True))
    schema = ", ".join(f"{name} {type}" for name, type in zip(columns, types, strict=True))
    frame = spark.createDataFrame(rows, schema)
    return sk.table(frame, list(table.keys), list(columns)[-1] if table.values else None, name=table.name)


def moved(spark, expression, stays):
    """The expression with its tables in Spark, but for those that stay: the nth is local if stays(n)."""
    kinds = [d.kind for a in accesses(expression) for d in a.table.domains if d.kind != "any"]
    assume(kinds)  # without a single row, nothing says what keys there would be
    made = {}

    def change(part, hidden):
        if not isinstance(part, Access):
            return None
        key = id(part.table)
        if key not in made:
            made[key] = part.table if made and stays(len(made)) else in_spark(spark, part.table, kinds[0])
        return Access(made[key], part.places)

    return rebound(expression, change)


def agrees(spark, expression, cells, stays):
    with sk.engine("interpreted"):
        wanted = expression.collect(into=dict)
    query = moved(spark, expression, stays)
    with sk.spark.options(cells=cells):
        got = query.collect(into=dict)
    assert close(got, wanted), f"{expression!r}: {got}, and not {wanted}"


cells = st.sampled_from([1, 2, 3, 4, 6, 8])
stays = st.integers(0, 255).map(lambda bits: lambda n: bits >> n & bits >> (n + 3) & 1)


@settings(max_examples=EXAMPLES, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(products(), cells, stays)
def test_products_agree_with_the_local_engine(spark, case, cells, stays):
    agrees(spark, case.expression, cells, stays)


@pytest.mark.filterwarnings("ignore:.*left out")
@settings(max_examples=EXAMPLES, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(forms(), cells, stays)
def test_every_form_agrees_with_the_local_engine(spark, case, cells, stays):
    agrees(spark, case.expression, cells, stays)
