"""The engine that only traces: the types that the compiled one gives, and its errors, without compiling anything."""

import pytest
from hypothesis import given, settings

import skipstone as sk
from skipstone import errors
from skipstone.engines.compiled import compiled
from skipstone.engines.traced import traced
from skipstone.kernel import statistics
from skipstone.notation import Access, rebound
from skipstone.stream import running_on
from skipstone.table import Table

from .test_notation_forms import cases

a, b, c = sk.axes("a b c")


def without_rows(expression):
    """The same expression, of tables that are empty."""

    def change(part, hidden):
        if not isinstance(part, Access):
            return None
        t = part.table
        codes, values = ([x[:0] for x in columns] for columns in (t.codes, t.values))
        return Access(Table(t.keys, codes, t.domains, values, t.make, t.name), part.places)

    return rebound(expression, change)


def types(found):
    if not isinstance(found, Table):
        return type(found), found
    domains = [(domain.kind, domain.unit, domain.zone) for domain in found.domains]
    return found.keys, domains, [v.dtype for v in found.values], found.size, found.make is None


@settings(max_examples=12)
@given(cases())
def test_what_is_traced_has_the_types_of_what_is_compiled(case):
    query = without_rows(case.expression)
    with running_on(compiled):
        wanted = types(query.collect())
    with running_on(traced):
        assert types(query.collect()) == wanted
        assert types(query.collect()) == wanted  # from memory


def test_several_values_and_floats_keep_their_types():
    t = without_rows(sk.table({"k": [1], "p": [2], "q": [0.5]}, "k", ["p", "q"])[a])
    for query in (t, t.map(lambda v: v.p * v.q), t.sum(), t.where(lambda v: v.p > 1), t.map(lambda v: v.p > 1)):
        with running_on(compiled):
            wanted = types(query.collect())
        with running_on(traced):
            assert types(query.collect()) == wanted


def test_nothing_is_compiled():
    before = statistics.compiled + statistics.loaded
    e = sk.table({"src": [1, 2], "dst": [2, 3], "v": [0.25, 3.0]}, value="v")
    with running_on(traced):
        (e[a, b] * e[b, c] * e[a, c]).map(lambda v: 1.375 * v).sum(b).collect()
    assert statistics.compiled + statistics.loaded == before


def test_what_cannot_be_compiled_is_refused_in_the_same_words():
    e = without_rows(sk.table({"k": [1], "v": [2]}, value="v")[a].map(lambda v: f"{v}"))
    said = []
    for engine in (compiled, traced):
        with running_on(engine), pytest.raises(errors.SkipstoneError) as caught:
            e.collect()
        said.append(str(caught.value))
    assert said[0] == said[1]
