"""What loops keep of runs: marked where they lie, and not copied."""

import numpy as np
import pytest

import skipstone as sk
from skipstone.engines.compiled import trace
from skipstone.storage.column import Column
from skipstone.storage.levels import Leaf, SortedRun
from skipstone.storage.seeking import SEEKS
from skipstone.storage.workspace import Borrowed, Laid, Positions
from skipstone.trace import llvm
from skipstone.trace.program import Loop, walk
from skipstone.words import Parameter

KEYS = Column(np.array([1, 4, 6, 2, 4, 9]), "keys", object())
a, b, c = sk.axes("a b c")


def asked(numbered):
    """For each of two runs, which of ten keys it holds, and where: as digits, key by key."""

    def run_of(n, _):
        space = Borrowed(
            SortedRun(KEYS, 3 * n, 3 * n + 3, Positions(), SEEKS["adaptive"]), numbered, Parameter(10, "p")
        )
        space.empty()
        space.fill()
        found = sk.range(0, 10).filter(lambda key, _: space.holds(key))
        return found.fold(lambda so_far, key, _: 100 * so_far + 10 * key + space.place(key), 0)

    return sk.range(0, 2).map(run_of).collect()


@pytest.mark.parametrize(("numbered", "first", "second"), [(False, 104060, 204090), (True, 104162, 204192)])
def test_a_run_is_asked_for_its_keys_and_the_next_one_for_its_own(numbered, first, second):
    assert asked(numbered) == {0: first, 1: second}
    with sk.engine("interpreted"):
        assert asked(numbered) == {0: first, 1: second}


@pytest.mark.parametrize(
    "values", [np.array([5, -3, 2**40]), np.array([5, 3, 7], np.uint32), np.array([0.5, 2.0, -1.0])]
)
@pytest.mark.parametrize("engine", ["compiled", "interpreted"])
def test_values_that_are_laid_are_read_at_any_key_and_zero_where_there_is_none(values, engine):
    run = SortedRun(KEYS, 0, 3, Leaf((Column(values, "values", object()),)), SEEKS["adaptive"])

    def value_or_zero(key, _):
        laid = Laid(run, Parameter(10, "p"))
        laid.fill()
        asked = laid.asked(key)
        return asked.value + 1000 * asked.present

    with sk.engine(engine):
        found = sk.range(0, 10).map(value_or_zero).collect()
    there = dict(zip([1, 4, 6], values.tolist(), strict=True))
    assert found == {key: there[key] + 1000 if key in there else 0 for key in range(10)}


def test_triangles_copy_no_run():
    random = np.random.default_rng(0)
    graph = sk.table({"src": random.integers(0, 300, 6000), "dst": random.integers(0, 300, 6000)})
    source = sk.sum(graph[a, b] * graph[b, c] * graph[a, c]).compile().source
    assert "marks" in source and "room(" not in source


def test_loops_that_store_where_they_read_are_no_vectors():
    program, _ = trace(lambda: asked(False))
    loops = [node for node in walk(program.body) if isinstance(node, Loop)]
    assert sum(llvm.scatters(loop.body) for loop in loops) == 2  # marks that are set, and that are taken back
    module = llvm.ir.Module()
    assert "llvm.loop.vectorize.enable" in f"{llvm.one_by_one(module).get_reference()} of {module}"
