"""Interpreted = compiled = a plain dict model, on 2,000 random expression trees a run. The backbone."""

import os
import random

import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st

import skipstone as sk
from skipstone.combinators.consume import first_pair
from skipstone.engines.compiled import compiled
from skipstone.engines.interpreted import interpreted
from skipstone.storage.collect import Gathered, as_dict, gather
from skipstone.testing import expressions, nested_expressions

from .conftest import close

TREES = 4  # in one kernel: compiling is what takes the time
EXAMPLES = 64  # lists of trees, each a kernel
# New trees in every run; in CI always the same ones, so that a change is not blamed for what it did not do.
SEED = 0 if os.environ.get("CI") else random.randrange(10**9)


def results(es, run):
    """Each stream collected, all of them by one kernel."""
    return [as_dict(trie) for trie in run(lambda: tuple(gather(e.stream, None, Gathered) for e in es))]


def agree(es):
    """Both engines say what the model says."""
    for name, run in (("interpreted", interpreted), ("compiled", compiled)):
        for e, found in zip(es, results(es, run), strict=True):
            assert close(found, e.model), f"{name} {e.text}: {found}, not {e.model}"


def many(strategy, part):
    """Run `agree` on EXAMPLES lists of TREES trees, and see to it that there were that many."""
    seen = []

    @seed(SEED + part)
    @settings(max_examples=EXAMPLES)
    @given(st.lists(strategy, min_size=TREES, max_size=TREES))
    def run(es):
        seen.extend(es)
        agree(es)

    run()
    assert len(seen) >= EXAMPLES * TREES


# Eight times 256 trees: 2,048.


@pytest.mark.parametrize("part", range(4))
def test_engines_and_model_agree(part):
    many(expressions(2), part)


def test_engines_and_model_agree_on_deeper_trees():
    many(expressions(3), 10)


@pytest.mark.parametrize("part", range(2))
def test_engines_and_model_agree_on_nested_collections(part):
    many(nested_expressions(1), 20 + part)


def test_engines_and_model_agree_on_deeper_nested_trees():
    many(nested_expressions(2), 30)


@settings(max_examples=150)
@given(expressions())
def test_random_expressions_keep_the_laws(e):
    sk.laws.check(e.stream, states=60, keys=8)


@settings(max_examples=80)
@given(nested_expressions())
def test_random_nested_expressions_keep_the_laws(e):
    sk.laws.check(e.stream, states=40, keys=6)


@settings(max_examples=60)
@given(expressions(), st.integers(-3, 24))
def test_consumers_agree_with_the_model(e, key):
    values = list(e.model.values())
    with sk.engine("interpreted"):
        assert e.stream.count() == len(values)
        assert e.stream.any() == any(values)
        assert e.stream.all() == all(values)
        assert close(e.stream.sum(), sum(values))
        assert close(e.stream.first(), next(iter(e.model.items()), None))
        assert close(e.stream.min(), min(values, default=None))
        assert close(e.stream.max(), max(values, default=None))
        assert close(e.stream.get(key), e.model.get(key))
        assert close(dict(e.stream), e.model)


@settings(max_examples=25)
@given(expressions(2))
def test_compiled_consumers_agree_with_interpreted_ones(e):
    def consume():
        return first_pair(e.stream), e.stream.count(), e.stream.any(), e.stream.all()

    (found, pair), *rest = compiled(consume)
    (wanted, expected), *others = interpreted(consume)
    assert found == wanted and rest == others
    assert not found or close(pair, expected)
    assert close(
        (e.stream.min(), e.stream.max()), (min(e.model.values(), default=None), max(e.model.values(), default=None))
    )
