"""What is handed over to Spark SQL: the same answers as on the local engine and in cells; what is not, and why."""

import os

import numpy as np
import pytest
from hypothesis import Phase, assume, given, settings

import skipstone as sk
from skipstone import errors

from ..conftest import close
from ..test_notation import cases as products
from ..test_notation_forms import cases as forms
from .test_random_queries import moved, stays

EXAMPLES = int(os.environ.get("SKIPSTONE_SPARK_QUERIES", "10"))
a, b, c, d, x = sk.axes("a b c d x")


def on_sql(query, into=dict):
    """The answer of Spark SQL; None if the query cannot be handed over."""
    with sk.spark.options(strategy="sql"):
        try:
            return query.collect(into=into)
        except errors.BadOption as error:
            if "cannot be handed to Spark SQL" in str(error):
                return errors.BadOption
            raise


def agrees(spark, expression, stays):
    with sk.engine("interpreted"):
        wanted = expression.collect(into=dict)
    got = on_sql(moved(spark, expression, stays))
    assume(got is not errors.BadOption)
    assert close(got, wanted), f"{expression!r}: {got}, and not {wanted}"


@settings(max_examples=EXAMPLES, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(products(), stays)
def test_products_agree_with_the_local_engine(spark, case, stays):
    agrees(spark, case.expression, stays)


@pytest.mark.filterwarnings("ignore:.*left out")
@settings(max_examples=EXAMPLES, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(forms(), stays)
def test_every_form_agrees_with_the_local_engine(spark, case, stays):
    agrees(spark, case.expression, stays)


def rows(random, count, **columns):
    return {name: [keys[n] for n in random.integers(0, len(keys), count)] for name, keys in columns.items()}


@pytest.fixture(scope="module")
def tables(spark):
    """The same tables here and in Spark: rows that come twice, values of both kinds, keys that do not all meet."""
    random = np.random.default_rng(3)
    numbers, names = list(range(-2, 6)), ["ann", "bob", "", "émile", "Zoë"]
    data = {
        "E": (rows(random, 60, src=numbers, dst=numbers), None, "plus"),
        "V": ({**rows(random, 50, src=numbers, dst=numbers), "v": random.integers(-5, 9, 50).tolist()}, "v", "plus"),
        "M": ({**rows(random, 50, src=numbers, dst=numbers), "v": random.integers(-5, 9, 50).tolist()}, "v", "max"),
        "F": (
            {**rows(random, 40, who=numbers, name=names), "v": (random.integers(-8, 8, 40) / 4).tolist()},
            "v",
            "plus",
        ),
        "B": (rows(random, 50, src=numbers, dst=numbers), None, "count"),
        "S": (rows(random, 5, k=numbers), None, "plus"),
        "P": (
            {**rows(random, 30, k=numbers), "p": random.integers(0, 9, 30).tolist(), "q": [0.5] * 30},
            ["p", "q"],
            "plus",
        ),
    }
    here, there = {}, {}
    for name, (columns, value, combine) in data.items():
        frame = spark.createDataFrame(list(zip(*columns.values(), strict=True)), list(columns)).repartition(3)
        for made, source in ((here, columns), (there, frame)):
            made[name] = sk.table(source, value=value, name=name, combine=combine)
    return here, there


FORMS = {
    "a row comes twice": lambda t: t["V"][a, b],
    "a set": lambda t: t["E"][a, b],
    "a bag": lambda t: t["B"][a, b].sum(b),
    "the largest of copies": lambda t: t["M"][a, b].sum(b),
    "a total": lambda t: t["V"][a, b].sum(),
    "no row": lambda t: t["V"][a, 99].sum(),
    "no row, the least": lambda t: t["V"][a, 99].min(),
    "the least": lambda t: t["V"][a, b].min(b),
    "the largest": lambda t: (t["V"][a, b] * t["E"][b, c]).max(b, c),
    "the largest product": lambda t: (t["V"][a, b] * t["F"][b, x]).max(a, b),
    "any": lambda t: t["E"][a, b].any(b),
    "any at all": lambda t: (t["E"][a, b] * (a > b)).any(),
    "rows": lambda t: t["V"][a, b].count(b),
    "rows of a bag": lambda t: (t["B"][a, b] * t["S"][b]).count(),
    "a path": lambda t: (t["E"][a, b] * t["E"][b, c] * t["E"][c, d]).sum(),
    "a path of values": lambda t: (t["V"][a, b] * t["B"][b, c] * t["M"][c, d]).sum(b, c),
    "a star": lambda t: (t["V"][a, b] * t["E"][a, c] * t["F"][a, x]).sum(b, c),
    "shortest": lambda t: (t["V"][a, b] * t["E"][b, c] * t["F"][c, x]).sum(b, c, semiring="min_plus"),
    "longest": lambda t: (t["V"][a, b] * t["V"][b, c]).sum(b, semiring="max_plus"),
    "bottleneck": lambda t: (t["V"][a, b] * t["V"][b, c]).sum(b, semiring="min_max"),
    "a constant": lambda t: (t["F"][a, "ann"] * t["E"][a, b]).sum(b),
    "the same twice": lambda t: t["V"][a, a].sum(),
    "the same factor twice": lambda t: t["V"][a, b] * t["V"][a, b],
    "compared": lambda t: (t["V"][a, b] * t["E"][b, c] * (a <= b) * (c != 3)).sum(b),
    "strings compared": lambda t: (t["F"][a, x] * (x < "b")).sum(a),
    "absent": lambda t: (t["V"][a, b] * ~t["E"][b, a]).sum(b),
    "absent of a bag": lambda t: t["B"][a, b] * ~t["S"][a],
    "present": lambda t: (t["V"][a, b] * ~~t["M"][b, a]).sum(b),
    "default": lambda t: (t["E"][a, b] * t["V"][b, a].default(5)).sum(b),
    "default of a sum": lambda t: (t["E"][a, b] * t["V"][b, c].sum(c).default(0.5)).sum(b),
    "default of a set": lambda t: (t["V"][a, b] * t["S"][b].default(0)).sum(a),
    "a sum inside": lambda t: (t["E"][a, b] * t["V"][b, c].max(c)).sum(b),
    "absent sum": lambda t: t["S"][a] * ~(t["V"][a, b] * (b > 4)).sum(b),
    "added": lambda t: t["V"][a, b] + t["E"][a, b] * 2,
    "added and summed": lambda t: (t["V"][a, b] + t["E"][a, b]).sum(b),
    "subtracted": lambda t: t["V"][a, b] - t["M"][a, b],
    "added, the least": lambda t: (t["V"][a, b] + t["M"][a, b]).min(a),
    "mapped": lambda t: t["V"][a, b].map(lambda v: v * 2 + 1).sum(b),
    "mapped with keys": lambda t: (t["V"][a, b] * t["E"][b, c]).map(lambda i, j, k, v: v - i + k).sum(b, c),
    "mapped to floats": lambda t: t["V"][a, b].map(lambda v: v / 4),
    "kept": lambda t: t["V"][a, b].where(lambda v: v > 2).sum(b),
    "kept in a product": lambda t: (t["E"][a, b] * t["V"][b, c].where(lambda v: v != 3)).sum(b),
    "kept and counted": lambda t: t["V"][a, b].where(lambda v: v > 2).count(b),
    "several values": lambda t: t["P"][a],
    "several values of several rows": lambda t: (t["P"][a] * t["B"][a, b]).sum(a),
    "several values, one made": lambda t: t["P"][a].map(lambda v: v.p * v.q),
    "a number": lambda t: (t["V"][a, b] * 2.5).sum(b),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_handed_over(tables, form):
    here, there = tables
    with sk.engine("interpreted"):
        wanted = FORMS[form](here).collect(into=dict)
    got = on_sql(FORMS[form](there))
    assert close(got, wanted)


@pytest.mark.parametrize(
    "form", ["a star", "several values of several rows", "default of a sum", "any", "mapped to floats"]
)
def test_frames_are_those_of_cells(tables, form):
    """Columns, their types and all rows."""
    from pyspark.testing import assertDataFrameEqual

    _, there = tables
    with sk.spark.options(strategy="cells"):
        wanted = FORMS[form](there).collect()
    assertDataFrameEqual(on_sql(FORMS[form](there), into=None), wanted)


def test_tables_that_are_here_are_sent_along(tables):
    here, there = tables
    for form in ("a star", "absent", "default of a sum", "compared"):
        mixed = {**there, "E": here["E"], "F": here["F"]}
        with sk.engine("interpreted"):
            wanted = FORMS[form](here).collect(into=dict)
        assert close(on_sql(FORMS[form](mixed)), wanted)
