"""Random queries of every form: on Spark, in any number of cells, as on the local engine.

SKIPSTONE_SPARK_QUERIES says how many of each kind; 10 if it does not say.
"""

import os

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

import skipstone as sk
from skipstone.engines.spark import numbering
from skipstone.notation import Access, accesses, rebound

from ..conftest import close
from ..test_notation import cases as products
from ..test_notation_forms import KINDS, Y
from ..test_notation_forms import cases as forms
from .no_spark import ARROW

EXAMPLES = int(os.environ.get("SKIPSTONE_SPARK_QUERIES", "10"))
A, B, C = sk.axes("a b c")


def in_spark(spark, table, kind, lacking):
    """The rows of a local table as one of Spark's; columns without a key get the type that others have.

    If keys are to be lacking, there are more rows, which must be left out.
    """
    columns = table.columns()
    types = [ARROW[kind if domain.kind == "any" else domain.kind] for domain in table.domains]
    types += [pa.float64() if v.dtype.kind == "f" else pa.int64() for v in table.values]
    rows = list(zip(*(column.tolist() for column in columns.values()), strict=True))
    if lacking:
        rows = [(*row[:n], None, *row[n + 1 :]) for row in rows[:3] for n, _ in enumerate(table.keys)] + rows
    arrays = [pa.array([row[n] for row in rows], kind) for n, kind in enumerate(types)]
    frame = spark.createDataFrame(pa.table(arrays, list(columns)))
    valued = list(columns)[len(table.keys) :]
    value = None if not valued else valued[0] if table.make is None else valued
    return sk.table(frame, list(table.keys), value, name=table.name)


def moved(spark, expression, stays, lacking=False):
    """The expression with its tables in Spark, but for those that stay: the nth is local if stays(n)."""
    kinds = [d.kind for a in accesses(expression) for d in a.table.domains if d.kind != "any"]
    assume(kinds)  # without a single row, nothing says what keys there would be
    made = {}

    def change(part, hidden):
        if not isinstance(part, Access):
            return None
        key = id(part.table)
        if key not in made:
            made[key] = part.table if made and stays(len(made)) else in_spark(spark, part.table, kinds[0], lacking)
        return Access(made[key], part.places)

    return rebound(expression, change)


def agrees(spark, expression, cells, stays, lacking=False):
    with sk.engine("interpreted"):
        wanted = expression.collect(into=dict)
    query = moved(spark, expression, stays, lacking)
    with sk.spark.options(cells=cells):
        got = query.collect(into=dict)
    assert close(got, wanted), f"{expression!r}: {got}, and not {wanted}"


@pytest.fixture(scope="module", autouse=True)
def strings_go_as_numbers():
    """However few they are."""
    patch = pytest.MonkeyPatch()
    patch.setattr(numbering, "WORTH", 1)
    yield
    patch.undo()


OR = sk.Semiring("either", lambda p, q: p + q - p * q, lambda p, q: p * q, 0.0, 1.0, distributes=False)
WAYS = ["plus_times", "min_plus", "max_plus", "max_times", "or_and", OR]


@st.composite
def unions(draw):
    """Sums of products over the same axes: floats and several values, functions of keys and values, any semiring."""
    everything, f, p = KINDS[draw(st.sampled_from(sorted(KINDS)))]
    keys, quarters = st.sampled_from(everything), st.integers(0, 4).map(lambda n: n / 4)

    def an_access(*axes):
        held = draw(
            st.dictionaries(st.tuples(*[keys] * len(axes)), st.tuples(quarters, quarters), min_size=2, max_size=9)
        )
        columns = {f"c{n}": [row[n] for row in held] for n, _ in enumerate(axes)}
        values = {name: np.array([pair[n] for pair in held.values()]) for n, name in enumerate("pq")}
        made = sk.table({**columns, **values}, list(columns), ["p", "q"], name="T")[axes]
        change = draw(st.sampled_from([lambda v: v.p, lambda v: v.p + v.q, lambda v: v.p if v.q > 0.5 else 1.0]))
        if draw(st.booleans()):
            made = made.where(lambda v: v.p != v.q)
        return made.map(change)

    def a_product():
        factors = draw(
            st.sampled_from([[(A, B)], [(A, B), (B, A)], [(A, B), (B, B)], [(B, A), (A,)], [(A, C), (C, B)]])
        )
        made = an_access(*factors[0])
        for axes in factors[1:]:
            made = made * an_access(*axes)
        more = draw(st.integers(0, 5))
        if more == 0:
            made = made * ~an_access(B, A)
        elif more == 1:
            made = made * an_access(A).default(0.5)
        elif more == 2:
            made = made * A.where(p) * (A <= B)
        elif more == 3:
            made = made * (draw(keys) != B)
        hidden = [C] if any(axis is C for axis in made.axes()) else []
        return made.sum(*hidden, semiring=draw(st.sampled_from(WAYS[:4]))) if hidden else made

    found = a_product() + a_product()
    if draw(st.booleans()):
        found = found * an_access(draw(st.sampled_from([A, B])))
    if not draw(st.integers(0, 3)):
        found = found * (A.map(f) == Y)
    gone = [a for a in found.axes() if draw(st.booleans())]
    return found.sum(*gone, semiring=draw(st.sampled_from(WAYS))) if gone else found


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


@pytest.mark.filterwarnings("ignore:.*left out")
@settings(max_examples=EXAMPLES, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(unions(), cells, stays, st.booleans())
def test_unions_agree_with_the_local_engine(spark, expression, cells, stays, lacking):
    agrees(spark, expression, cells, stays, lacking)
