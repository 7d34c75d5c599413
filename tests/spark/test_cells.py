"""Cells without Spark: whatever is divided, set apart or split, the rows are those of the local engine."""

import os
import pickle
from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import skipstone as sk
from skipstone import errors
from skipstone.engines.spark import blocks, cell, dictionary, numbering, run, send, shares
from skipstone.notation import Access, accesses, rebound

from ..conftest import close
from ..test_notation import cases as products
from ..test_notation_forms import cases as forms
from . import no_spark

EXAMPLES = int(os.environ.get("SKIPSTONE_CELL_QUERIES", "60"))
FOUND = no_spark.found_strings
plan_run = import_module("skipstone.plan.run")
a, b, c, d = sk.axes("a b c d")


def in_cells(expression):
    """The expression with all of its tables as if they were in Spark."""
    kinds = [domain.kind for access in accesses(expression) for domain in access.table.domains if domain.kind != "any"]
    assume(kinds)
    made = {}

    def change(part, hidden):
        if not isinstance(part, Access):
            return None
        if id(part.table) not in made:
            made[id(part.table)] = no_spark.Stub(part.table, kinds[0])
        return Access(made[id(part.table)], part.places)

    return rebound(expression, change)


@pytest.fixture(scope="module", autouse=True)
def cheap_cells():
    """Cells that cost nothing, so that there are many of them; strings that go as numbers; and rows added up here."""
    patch = pytest.MonkeyPatch()
    patch.setattr(shares, "TASK", 0)
    patch.setattr(numbering, "WORTH", 1)
    patch.setattr(numbering, "AGAIN", 0)
    patch.setattr(numbering, "found_strings", no_spark.found_strings)
    patch.setattr(run, "added_up", no_spark.added_up)
    yield
    patch.undo()


def agrees(expression, room):
    with sk.engine("interpreted"):
        wanted = expression.collect(into=dict)
    query = in_cells(expression)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "room_of", lambda session: room)
        try:
            with sk.spark.options(strategy="cells"):
                got = query.collect(into=dict)
        except errors.CellTooLarge:
            assume(False)
    assert close(got, wanted), f"{expression!r}: {got}, and not {wanted}"


rooms = st.sampled_from([1e9, 1e9, 4000.0, 2000.0, 1000.0])


@settings(max_examples=EXAMPLES)
@given(products(), rooms)
def test_products_agree_with_the_local_engine(case, room):
    agrees(case.expression, room)


@pytest.mark.filterwarnings("ignore:.*left out")
@settings(max_examples=EXAMPLES)
@given(forms(), rooms)
def test_every_form_agrees_with_the_local_engine(case, room):
    agrees(case.expression, room)


def graph(edges, heavy, seed=0):
    """Random edges, in which node 7 is an end of some part."""
    random = np.random.default_rng(seed)
    src, dst = random.integers(0, edges if heavy else 300, (2, edges))
    src[random.random(edges) < heavy] = 7
    dst[random.random(edges) < heavy] = 7
    return sk.table({"src": src, "dst": dst}, name="E")


def triangles(e):
    return sk.sum(e[a, b] * e[b, c] * e[a, c])


class TestHeavyKeys:
    def division(self, table, query=triangles):
        stub = no_spark.Stub(table, "int")
        aggregate = query(stub)
        held = tuple(run.held(aggregate.inner).values())
        return stub, shares.divided(aggregate.inner, held, 64, 1e9)

    def test_they_get_grids_of_their_own(self):
        table = graph(3000, 0.3)
        stub, division = self.division(table)
        assert any(division.apart) and len(division.grids) > 1
        assert triangles(stub).collect() == triangles(table).collect() > 100
        told = "\n".join(division.told())
        assert "heavy keys apart" in told and "heavy keys of a" in told

    def test_without_them_there_is_one_grid(self):
        stub, division = self.division(sk.table({"src": np.arange(900) % 30, "dst": np.arange(900) // 30}))
        stub.__dict__["heavy"] = ({}, {})
        held = division.axes
        assert len(shares.divided(triangles(stub).inner, held, 64, 1e9).grids) == 1

    def test_tasks_are_about_equally_large(self):
        """Rows that each task was sent, counted."""
        for heavy in (0.1, 0.3, 0.5):
            stub, division = self.division(graph(20_000, heavy))
            routes = blocks.Routes(division.grids, division.apart, division.tasks)
            sources = [(n, source) for n, (_, source, _) in enumerate(division.sources)]
            rows = np.zeros(max(division.tasks) + 1)
            for part in stub.frame.parts:
                for batch in routes.spread(iter(part), 2, sources, {}):
                    for task, block in zip(batch["task"].to_pylist(), batch["block"], strict=True):
                        rows[task] += blocks.unpacked(block.as_buffer()).num_rows
            assert rows.size > 1 and rows.max() <= 2 * rows.mean()


class TestStrings:
    """They go as numbers of one dictionary, and mean what they say."""

    @pytest.fixture
    def edges(self):
        random = np.random.default_rng(3)
        src, dst = (np.array([f"n{n * n}" for n in column], object) for column in random.integers(0, 40, (2, 500)))
        return sk.table({"src": src, "dst": dst}, name="E")

    @staticmethod
    def planned(expression):
        with sk.spark.options(cells=4):
            return run.planned(expression, None, True, runs=True)

    def test_blocks_hold_numbers(self, edges):
        plan = self.planned(triangles(no_spark.Stub(edges, "str")))
        assert "strings of a, b, c go as numbers; their dictionary, 40 strings" in plan.numbering.notes[0]
        frame = send.blocks(plan.division, plan.session, plan.numbering)
        packed = [block.as_buffer() for part in frame.parts for batch in part for block in batch["block"]]
        assert len(packed) > 4
        for block in packed:
            assert [str(kind) for kind in blocks.unpacked(block).schema.types] == ["int32", "int32"]
        by_string = replace(plan.division, numbered=frozenset())
        assert plan.division.moved() * 5 < by_string.moved()  # 24 bytes, roughly, for each of them; and now four

    @pytest.mark.parametrize(
        "query",
        [
            lambda e, t: e[a, b] * e[b, c] * (a < c) * (b >= "n4") * (c != "nobody"),
            lambda e, t: (e[a, b] * e[b, c] * t[c]).sum(b),
            lambda e, t: e[a, b] * e[b, "n25"] * ~t[a],
            lambda e, t: (e[a, b] * a.where(lambda name: name.endswith("6")) * (b.map(len) == c)).sum(b, c),
            lambda e, t: (e[a, b] * e[b, a] * t[b].default(7)).max(a),
            lambda e, t: (e[a, b] * e[b, a].sum(b)).sum(a),
        ],
    )
    def test_they_mean_what_they_say(self, edges, query):
        """Also where they meet a table that is here, with names that no other has."""
        few = sk.table({"k": ["n1", "aa", "n36", "zz"], "v": [1, 2, 3, 4]}, "k", "v", name="few")
        made = query(no_spark.Stub(edges, "str"), few)
        assert self.planned(made).numbering.domains
        with sk.spark.options(cells=4):
            got = made.collect(into=dict)
        assert got == query(edges, few).collect(into=dict) != {}

    def test_where_they_do_not(self, edges, monkeypatch):
        def told():
            stub = no_spark.Stub(edges, "str")
            plan = self.planned(triangles(stub))
            with sk.spark.options(cells=4):
                assert triangles(stub).collect() == triangles(edges).collect()
            assert not plan.numbering.domains
            return plan.numbering.notes

        with monkeypatch.context() as patch:
            patch.setattr(numbering, "LARGE", 100)
            assert "there may be more than" in told()[0]
        with monkeypatch.context() as patch:
            patch.setattr(dictionary, "of_strings", lambda strings: np.zeros(len(strings), np.uint64))
            assert "two of them have the same hash" in told()[0]
        monkeypatch.setattr(numbering, "WORTH", 10**6)
        assert told() == ()

    def test_a_dictionary_is_made_once(self, edges, monkeypatch):
        asked = []
        monkeypatch.setattr(numbering, "found_strings", lambda columns: asked.append(columns) or FOUND(columns))
        stub = no_spark.Stub(edges, "str")
        with sk.spark.options(cells=4):
            for _ in range(2):
                triangles(stub).collect()
            assert len(asked) == 1
            triangles(no_spark.Stub(edges, "str")).collect()
        assert len(asked) == 2

    def test_a_table_that_has_changed(self, edges, monkeypatch):
        """Its strings are those of the first ten rows when they are numbered, and then there are more."""
        monkeypatch.setattr(numbering, "found_strings", lambda columns: [s[:10] for s in FOUND(columns)])
        stub = no_spark.Stub(edges, "str")
        with sk.spark.options(cells=4), pytest.raises(errors.SparkFailed, match="strings that it did not hold"):
            triangles(stub).collect()


class TestRoom:
    def query(self, room, make=triangles):
        table = graph(4000, 0.0)
        stub = no_spark.Stub(table, "int")
        with pytest.MonkeyPatch.context() as patch, sk.spark.options(cells=1):
            patch.setattr(run, "room_of", lambda session: room)
            return make(stub).collect(into=dict), make(table).collect(into=dict)

    def test_a_cell_that_is_too_large_is_split(self):
        for room in (1e9, 1e5, 3e4):
            got, wanted = self.query(room)
            assert got == wanted > 100

    def test_rows_of_its_parts_are_different(self):
        got, wanted = self.query(3e4, lambda e: (e[a, b] * e[b, c] * e[a, c]).sum(c))
        assert got == wanted and len(got) > 100

    def test_where_it_cannot_be_split(self):
        with pytest.raises(errors.CellTooLarge, match="no axis is left"):
            self.query(3e4, lambda e: (graph(9, 0.0)[a, b] * e[a, b].default(0)).sum())
        with pytest.raises(errors.CellTooLarge, match="more memory"):
            self.query(10, triangles)


class TestDecisions:
    """What was decided for one cell holds for others whose tables are about as large."""

    def test_parts_of_a_cell_are_planned_once(self, monkeypatch):
        chosen, orders = plan_run.chosen, []
        monkeypatch.setattr(plan_run, "chosen", lambda *given: orders.append(chosen(*given)) or orders[-1])
        parts, ran = [], cell.Work.ran
        monkeypatch.setattr(cell.Work, "ran", lambda *given: parts.append(1) or ran(*given))
        stub = no_spark.Stub(graph(4000, 0.0), "int")
        monkeypatch.setattr(run, "room_of", lambda session: 3e4)
        with sk.spark.options(cells=1):
            triangles(stub).collect()
        beside = 1  # without rows, to see what will come out
        assert len(parts) > 4 and len(orders) - beside <= len(parts) // 4, (len(parts), len(orders))

    def test_a_worker_knows_work_again(self, monkeypatch):
        monkeypatch.setattr(cell, "_received", {})
        table = graph(20, 0.0)
        work, other = (cell.Work(query(table), None, True, (), 1e9, (a,)) for query in (triangles, self.paths))
        first, second, third = (pickle.loads(pickle.dumps(each)) for each in (work, work, other))
        assert first is second and first is not third
        assert first.run({}) == work.run({}) and third.run({}) == other.run({})

    def test_but_not_too_much_of_it(self, monkeypatch):
        monkeypatch.setattr(cell, "_received", {})
        monkeypatch.setattr(cell, "SMALL", 100)
        work = cell.Work(triangles(graph(20, 0.0)), None, True, (), 1e9, (a,))
        pickle.loads(pickle.dumps(work))
        assert not cell._received
        monkeypatch.setattr(cell, "SMALL", 10**6)
        for n in range(cell.KEPT + 5):
            pickle.loads(pickle.dumps(replace(work, room=float(n))))
        assert len(cell._received) == 5

    def paths(self, e):
        return sk.sum(e[a, b] * e[b, c])
