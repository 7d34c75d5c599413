"""The planner's rules, each forced on and forced off: both sides are executed, and both say what the model says."""

import random
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import reduce
from importlib import import_module
from operator import mul
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import skipstone as sk
from skipstone.engines.interpreted import interpreted
from skipstone.kernel import argument_type, source_value
from skipstone.plan import fetching, hoist, loops, meeting, order, within
from skipstone.storage import nesting, sorting
from skipstone.storage.levels import Compressed
from skipstone.storage.runs import side_by_side
from skipstone.trace import render

from .brute_force import Model
from .conftest import close

# Modules whose names are taken by functions.
kernels, running = (import_module(f"skipstone.{name}") for name in ("engines.compiled", "plan.run"))
HUGE = 10**9


def in_every_row(self):
    """`Loops.taken_out_of_sums`, if nothing is."""
    return [([], ())] * len(self.order) + [(self.term.factors, self.term.numbers)]


RULES = {
    "as it is": {},
    "all that can be kept is kept": {(hoist, "USES"): 0, (hoist, "SPARE"): 10**4},
    "nothing has marks": {(hoist, "FEW"): 0, (hoist, "SPARE"): 0},
    "kept runs are always searched": {(hoist, "USES"): 0, (order, "LONGER"): 0, (meeting, "LONGER"): 0},
    "kept runs are never searched": {(hoist, "USES"): 0, (order, "LONGER"): HUGE, (meeting, "LONGER"): HUGE},
    "values are read at every key": {(hoist, "USES"): 0, (hoist, "SPARE"): 10**4, (meeting, "FILLED"): 0},
    "values are read where there are any": {(hoist, "USES"): 0, (meeting, "FILLED"): HUGE},
    "parts are summed within the loops": {(within, "GAIN"): HUGE},
    "parts are never summed within the loops": {(within, "GAIN"): 0},
    "products are run as they are": {(within, "BRIEF"): HUGE, (within, "STEPS"): HUGE},
    "all is kept of products as they are": {(within, "BRIEF"): HUGE, (hoist, "USES"): 0, (hoist, "SPARE"): 10**4},
    "late axes are packed, and cost nothing": {
        (order, "PUT_TOGETHER"): (0, 0, 0, 0), (order, "TURNED"): 0, (order, "SPARE"): HUGE,
    },
    "late axes are sorted": {(order, "PUT_TOGETHER"): (0, 0, 0, 0), (order, "PACKED"): 0},
    "late axes cost too much": {(order, "PUT_TOGETHER"): (0, HUGE, HUGE, HUGE)},
    "levels are dense": {(nesting, "SPARE"): 100},
    "levels are never dense": {(nesting, "SPARE"): 0},
    "factors stay in sums": {(loops.Loops, "taken_out_of_sums"): in_every_row},
    "all rows are fetched": {
        (fetching, "LARGE"): 0, (fetching, "LONG"): 0, (fetching, "CLOSE"): -1, (nesting, "SPARE"): 100,
    },
    "long sorts": {(sorting, "MANY"): 1},
    "pieces are cut by what rows lead to": {(loops, "FURTHER"): 0, (nesting, "SPARE"): 100},
}  # fmt: skip
KEYS = {
    "small": list(range(5)),
    "spread": [-7, 0, 1, 20, 70],
    "far": [0, 2, 3, 40, 90],
    "wide": [-(2**62), -1, 0, 5, 2**62],
    "float": [-1.5, 0.0, 0.25, 2.0, 1e300],
    "str": ["", "a", "b", "ba", "é"],
}
OPS = ("<", "<=", ">", ">=", "==", "!=")
VALUES = {"int": st.integers(-3, 5), "float": st.sampled_from([-1.5, 0.0, 0.5, 2.0]), "bool": st.booleans()}


@contextmanager
def ruled(name):
    """A rule forced on or off. Kernels are not found again that were made under another one."""
    with ExitStack() as stack:
        for (module, constant), value in RULES[name].items():
            stack.enter_context(patch.object(module, constant, value))
        kernels._kept.clear()
        yield
        kernels._kept.clear()


@dataclass
class Query:
    """A product that can be made again and again, each time of fresh tables."""

    keys: list
    data: list = field(default_factory=list)  # of each table: rows, and their values or None
    walks: list = field(default_factory=list)  # (number of the table, numbers of the axes)
    absent: list = field(default_factory=list)
    optional: list = field(default_factory=list)
    added: list = field(default_factory=list)  # to the product, as `walks`
    conditions: list = field(default_factory=list)  # (axis, op, ("axis", n) or ("key", key))
    head: list = field(default_factory=list)
    semiring: str = "plus_times"
    further: tuple = ()  # (what is made of the sum, the numbers of the axes that are summed then)
    shuffle: int = 0

    def walked(self):
        """The numbers of the axes that some table holds."""
        return sorted({m for _, at in self.walks for m in at})

    def made(self):
        """The expression, its axes, and its model."""
        axes = sk.axes("a b c d e")
        found, rows = [], {}
        for width, columns, values in self.data:
            names = [f"k{n}" for n in range(width)]
            data = {name: [row[n] for row in columns] for n, name in enumerate(names)}
            data = {n: as_column(c, self.keys) for n, c in data.items()}
            if values is not None:
                data["v"] = np.array(values, {"int": np.int64, "float": np.float64, "bool": np.bool_}[kind_of(values)])
            t = sk.table(data, keys=names, value=None if values is None else "v")
            held = rows[id(t)] = {}
            for key, value in zip(columns, values or [1] * len(columns), strict=True):
                held[key] = value if values is None or key not in held else held[key] + value
            found.append(t)
        factors = [found[n][tuple(axes[m] for m in at)] for n, at in self.walks]
        factors += [~found[n][tuple(axes[m] for m in at)] for n, at in self.absent]
        factors += [found[n][tuple(axes[m] for m in at)].default(x) for n, at, x in self.optional]
        for left, op, (what, right) in self.conditions:
            other = axes[right] if what == "axis" else right
            factors.append(COMPARED[op](axes[left], other))
        product = reduce(mul, factors)
        for n, at in self.added:
            product = product + found[n][tuple(axes[m] for m in at)]
        walked = self.walked()
        along = [axes[m] for m in walked if m not in self.head]
        if self.semiring == "count":
            expression = product.count(*along) if along else product
        else:
            expression = product.sum(*along, semiring=self.semiring) if along else product
        if self.further:
            made, more = self.further
            expression = MADE[made](expression, *(axes[m] for m in more))
        pinned = [axes[m] for m in (self.head if self.further else walked)]
        random.Random(self.shuffle).shuffle(pinned)
        return expression, pinned, Model(rows, {id(axis): self.keys for axis in axes})


COMPARED = {
    "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b, "!=": lambda a, b: a != b,
}  # fmt: skip


MADE = {
    "a sum": lambda e, *along: e.sum(*along),
    "a sum of squares": lambda e, *along: e.map(lambda v: v * v - 1).sum(*along),
    "a sum of some": lambda e, *along: e.where(lambda v: v > 1).sum(*along),
    "how many": lambda e, *along: e.count(*along),
    "how many of some": lambda e, *along: e.where(lambda v: v > 1).count(*along),
    "the largest": lambda e, *along: e.map(lambda v: v - 3).max(*along),
    "whether any": lambda e, *along: e.where(lambda v: v > 1).any(*along),
}


def kind_of(values):
    return type(values[0]).__name__ if values else "int"


def as_column(column, keys):
    """Typed also where there are no rows."""
    kind = {int: np.int64, float: np.float64, str: np.str_}[type(keys[0])]
    return np.array(column, kind) if column or kind is not np.str_ else np.array(column, "<U1")


@st.composite
def rows_of(draw, keys, width, valued, most=60):
    """(width, rows, values)"""
    seed, size = draw(st.integers(0, 2**32)), draw(st.integers(0, most))
    chosen = random.Random(seed)
    rows = [tuple(chosen.choice(keys) for _ in range(width)) for _ in range(size)]
    kind = draw(st.sampled_from(valued))
    values = None
    if kind is not None:
        some = draw(st.lists(VALUES[kind], min_size=1, max_size=7))
        values = [chosen.choice(some) for _ in rows]
    return width, rows, values


@st.composite
def queries(draw):
    """Products of one to five tables over at most four axes, some of which hold the same table twice."""
    keys = KEYS[draw(st.sampled_from(sorted(KEYS)))]
    semiring = draw(st.sampled_from(["plus_times", "plus_times", "min_plus", "or_and", "count"]))
    valued = [None, "bool"] if semiring == "or_and" else [None, "int", "float", "bool"]
    q = Query(keys, semiring=semiring)
    number = st.integers(0, 3)
    for _ in range(draw(st.integers(1, 5))):
        at = draw(st.lists(number, min_size=1, max_size=3, unique=True))
        same = [n for n, (width, _, _) in enumerate(q.data) if width == len(at)]
        if same and draw(st.booleans()):
            q.walks.append((draw(st.sampled_from(same)), at))
            continue
        q.data.append(draw(rows_of(keys, len(at), valued)))
        q.walks.append((len(q.data) - 1, at))
    walked = sorted({m for _, at in q.walks for m in at})
    further = st.lists(st.sampled_from(walked), min_size=1, max_size=2, unique=True)
    kind = draw(st.sampled_from(["none", "none", "none", "absent", "optional"]))
    if kind != "none":
        at = draw(further)
        q.data.append(draw(rows_of(keys, len(at), valued)))
        n = len(q.data) - 1
        if kind == "absent":
            q.absent.append((n, at))
        else:
            q.optional.append((n, at, draw(st.sampled_from([True, 1] if semiring == "or_and" else [0, 1, 2, 1.5]))))
    for _ in range(draw(st.sampled_from([0, 0, 1, 2]))):
        axis, other = draw(st.sampled_from(walked)), draw(st.sampled_from(walked))
        right = ("axis", other) if other != axis else ("key", draw(st.sampled_from(keys)))
        q.conditions.append((axis, draw(st.sampled_from(OPS)), right))
    q.head = [m for m in walked if draw(st.sampled_from([True, False, False]))]
    if 0 < len(q.head) < len(walked) and semiring != "or_and" and draw(st.booleans()):
        along = draw(st.lists(st.sampled_from(q.head), min_size=1, unique=True))
        q.further = draw(st.sampled_from(sorted(MADE))), along
    q.shuffle = draw(st.integers(0, 1000))
    return q


def same(found, expected):
    """A table or a number, against what the model says."""
    if not isinstance(expected, dict):
        return found is None if expected is None else found is not None and close(found, expected)
    found = {k if isinstance(k, tuple) else (k,): v for k, v in found.to_dict().items()}
    return sorted(found) == sorted(expected) and all(close(found[k], expected[k]) for k in expected)


def expected_of(query, expression, model):
    """What the model says; in or_and it is a truth, also where the rows of a table had added up to more."""
    expected = model.result(expression)
    if query.further and query.further[0] == "whether any":
        return {k: bool(v) for k, v in expected.items()} if isinstance(expected, dict) else bool(expected)
    if query.semiring != "or_and" or (isinstance(expected, dict) and len(query.head) == len(query.walked())):
        return expected
    return {k: v != 0 for k, v in expected.items()} if isinstance(expected, dict) else bool(expected)


def agrees(query, rule, pieces=True):
    """However it is run, it is the same: twice, without parts, in an order that is pinned, in pieces."""
    with ruled(rule):
        expression, pinned, model = query.made()
        expected = expected_of(query, expression, model)
        ways = [{}, {}, {"memo": False}, {"order": pinned}]
        for n, options in enumerate(ways):
            assert same(expression.collect(**options), expected), (rule, n, options, query)
        if pieces:
            with patch.object(running, "wanted", lambda steps, before: 8), sk.options(threads=2):
                assert same(expression.collect(), expected), (rule, "threads", query)


@pytest.mark.parametrize("rule", RULES)
@settings(max_examples=12)
@given(queries())
def test_rules_change_nothing(rule, query):
    with sk.engine("interpreted"):
        agrees(query, rule)


def has_keys_without_rows(table):
    """Whether its sorted copy as it lies has an outermost key that none of its rows has; places may be empty."""
    level = table.trie(range(len(table.keys))).root
    return isinstance(level, Compressed) and level.keys.array.tolist() != sorted(set(table.codes[0].tolist()))


@pytest.mark.parametrize("rule", RULES)
@settings(max_examples=8)
@given(queries(), st.data())
def test_results_are_tables_like_others(rule, query, data):
    """As loops have left them, in whatever order: met with another, and in any order once more."""
    with ruled(rule), sk.engine("interpreted"):
        expression, pinned, model = query.made()
        axes, e = expression.axes(), sk.axes("e")
        assume(axes)
        found = expression.collect(**data.draw(st.sampled_from([{}, {"memo": False}, {"order": pinned}])))
        _, rows, values = data.draw(rows_of(query.keys, 2, ["int"]))
        columns = {name: as_column([row[n] for row in rows], query.keys) for n, name in enumerate("de")}
        other = sk.table({**columns, "v": np.array(values, np.int64)}, value="v")
        model.rows[id(found)] = {k if isinstance(k, tuple) else (k,): v for k, v in found.to_dict().items()}
        model.rows[id(other)], model.keys[id(e)] = other.to_dict(), query.keys
        assert not has_keys_without_rows(found)
        again = found[axes] * other[data.draw(st.sampled_from(axes)), e]
        gone = [a for a in again.axes() if data.draw(st.booleans())]
        again = again.sum(*gone, semiring=data.draw(st.sampled_from(["plus_times", "min_plus"]))) if gone else again
        order = data.draw(st.permutations([*axes, e]))
        expected = model.result(again)
        for options in ({}, {"memo": False}, {"order": order}):
            assert same(again.collect(**options), expected), (rule, options, query, rows, values)


# What the rules are for, on few shapes and much data: a kernel is compiled once for a shape and a rule.
SHAPES = {
    "triangle": ([(0, [0, 1]), (0, [1, 2]), (0, [0, 2])], []),
    "triangle by its last corner": ([(0, [0, 1]), (1, [1, 2]), (0, [0, 2])], [2]),
    "four-cycle": ([(0, [0, 1]), (0, [1, 2]), (1, [2, 3]), (1, [3, 0])], []),
    "four-cycle by a corner": ([(0, [0, 1]), (1, [1, 2]), (0, [2, 3]), (1, [3, 0])], [1]),
    "four-clique": ([(0, [0, 1]), (0, [0, 2]), (0, [0, 3]), (1, [1, 2]), (1, [1, 3]), (0, [2, 3])], []),
    "paths by their ends": ([(0, [0, 1]), (1, [1, 2])], [0, 2]),
    "ends of longer paths": ([(0, [0, 1]), (1, [1, 2]), (0, [2, 3])], [0, 3]),
    "longer paths": ([(0, [0, 1]), (1, [1, 2]), (0, [2, 3])], []),
    "longer paths by where they begin": ([(0, [0, 1]), (1, [1, 2]), (0, [2, 3])], [0]),
    "squares of paths by their ends": ([(0, [0, 1]), (1, [1, 2])], [0, 2], ("a sum of squares", [0, 2])),
    "how many ends of paths": ([(0, [0, 1]), (1, [1, 2])], [0, 2], ("how many of some", [2])),
    "both ways": ([(0, [0, 1]), (0, [1, 0])], []),
    "twice the same": ([(0, [0, 1]), (0, [0, 1])], []),
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
@settings(max_examples=3)
@given(st.data())
def test_rules_change_nothing_in_compiled_loops(shape, data):
    walks, head, *further = SHAPES[shape]
    semiring = data.draw(st.sampled_from(["plus_times", "min_plus"]))
    keys = KEYS[data.draw(st.sampled_from(["small", "far", "wide"]))]
    held = [data.draw(rows_of(keys, 2, ["int"])) for _ in range(2)]
    query = Query(keys, held, walks, head=head, semiring=semiring, further=(*further, ())[0])
    query.shuffle = data.draw(st.integers(0, 3))
    agrees(query, data.draw(st.sampled_from(sorted(RULES))))


@settings(max_examples=5)
@given(queries(), st.sampled_from(sorted(RULES)))
def test_rules_change_nothing_in_compiled_loops_of_any_shape(query, rule):
    agrees(query, rule, pieces=False)


@settings(max_examples=8)
@given(st.lists(st.sampled_from(sorted(SHAPES)), min_size=4, max_size=8), st.data())
def test_kernels_are_found_again_for_other_data_and_nothing_else(shapes, data):
    keys = KEYS["small"]
    for shape in shapes:
        walks, head, *further = SHAPES[shape]
        held = [data.draw(rows_of(keys, 2, ["int"], most=12)) for _ in range(2)]
        expression, _, model = Query(keys, held, walks, head=head, further=(*further, ())[0]).made()
        assert same(expression.collect(), model.result(expression)), shape


SEEN = {}  # by key: the code that was emitted for it, which sources it reads, and what else it is given


def told_apart(key, sources, consume):
    """In place of `again`: trace every time, and see to it that the key says what comes of it."""
    alike = kernels.likeness(key)
    if alike is not None:
        key, sources = alike[0], [*alike[1], *sources]
        program, _ = kernels.trace(consume)
        first = {}
        at = tuple(first.setdefault(id(source), n) for n, source in enumerate(sources))
        read = [first.get(id(s)) for _, s in program.arguments]
        others = [repr(source_value(s)) for _, s in program.arguments if id(s) not in first]
        types = [argument_type(source_value(s)) for _, s in program.arguments]
        code = render(program, constants=True).source, read, others, types
        assert SEEN.setdefault((key, at), code) == code
    return lambda sources: lambda: interpreted(consume)


@settings(max_examples=25)
@given(queries())
def test_a_key_says_which_code_is_emitted(query):
    with patch.object(kernels.compiled, "again", told_apart):
        expression, pinned, model = query.made()
        expected = expected_of(query, expression, model)
        assert same(expression.collect(), expected)
        assert same(expression.collect(memo=False), expected)
        assert same(expression.collect(order=pinned), expected)


@st.composite
def rows_added(draw):
    """A product of which all axes are kept, and a table over the same, in some order, that is added to it."""
    q = draw(queries())
    q.head, q.further, q.semiring = q.walked(), (), "plus_times"
    at = draw(st.permutations(q.head))
    q.data.append(draw(rows_of(q.keys, len(at), [None, "int", "float"])))
    q.added.append((len(q.data) - 1, at))
    return q


@settings(max_examples=60)
@given(rows_added(), st.sampled_from(sorted(RULES)))
def test_rows_that_are_added_as_they_are_found(query, rule):
    with sk.engine("interpreted"):
        agrees(query, rule)


@settings(max_examples=5)
@given(rows_added())
def test_rows_that_are_added_in_compiled_loops(query):
    agrees(query, "as it is")


def test_products_along_the_same_axes_are_one_loop_nest():
    i, j = sk.axes("i j")
    draw = np.random.default_rng(5)
    A, B, C = (sk.table({"i": draw.integers(0, 9, 40), "j": draw.integers(0, 9, 40)}) for _ in range(3))
    report = (A[i, j] * B[i, j] + C[i, j] - A[i, j]).explain()
    assert "rows of these 3 products are added as they are found" in str(report) and len(report.sources) == 1
    assert len((A[i, j] * B[i, j] + C[j, i]).explain(order=[j, i]).sources) == 1


def test_what_a_loop_holds_of_some_turns_alone_is_not_added_as_it_is_found():
    """Along c, rows of A are held that there are only where a product has come to."""
    a, b, c = sk.axes("a b c")
    draw = np.random.default_rng(5)
    A, B, C = (sk.table({name: draw.integers(0, 9, 40) for name in names}) for names in ("xy", "x", "xyz"))
    both = A[a, b] * B[c] + C[a, b, c]
    assert both.collect(order=[a, c, b]).to_dict() == both.collect().to_dict()
    assert len(both.explain(order=[a, c, b]).sources) == 2


def test_pieces_repay_what_they_take_to_begin():
    """Few of them where each begins with much work, and only one where threads would save nothing."""
    threads = import_module("skipstone.plan.threads")
    work = [(1e5, 0), (4e6, 0), (1e10, 0), (1e7, 1e6), (1e7, 6e6)]
    with sk.options(threads=2):
        many = [threads.wanted(steps, before) for steps, before in work]
    assert many[0] == 1 < many[1] < many[2] == 2 * threads.PIECES
    assert many[3:] == [2, 1]
    assert threads.wanted(1e10, 0) == 1


@contextmanager
def cut_in_two():
    """Where the pieces of what is run inside of this begin, and the last one ends."""
    threads, cut = import_module("skipstone.plan.threads"), []

    def noted(*given):
        found = threads.pieces(*given)
        cut.extend([found[0][0].value, *(hi.value for _, hi in found)])
        return found

    with (
        patch.object(loops, "FURTHER", 0),
        patch.object(running, "wanted", lambda steps, before: 2),
        patch.object(running, "pieces", noted),
    ):
        yield cut


def test_pieces_are_cut_by_what_rows_lead_to():
    """One of a thousand keys leads to nearly all rows: it is a piece of its own, and the others are another."""
    threads = import_module("skipstone.plan.threads")
    a, b, c = sk.axes("a b c")
    outer = sk.table({"a": np.arange(1000), "b": np.where(np.arange(1000) == 2, 7, 3)})
    inner = sk.table({"b": np.append(np.full(9000, 7), [3, 9]), "c": np.arange(9002)})
    with cut_in_two() as cut:
        assert (outer[a, b] * inner[b, c]).sum(b, c).collect(order=[a, b, c]).to_dict()[2] == 9000
    assert cut == [0, 3, 1000]
    with sk.options(threads=2):
        by_rows = threads.pieces([outer.trie((0, 1))], 2)
    assert by_rows[0][1].value > 400
    led_to = threads.rows_led_to(outer.trie((0, 1)).root, inner.trie((0, 1)).root)
    assert led_to[:4].tolist() == [0, 1, 2, 9002] and led_to[-1] == 9999


def test_pieces_are_cut_where_a_level_has_places_for_more_keys():
    """Nothing lies at the places of another column's keys."""
    a, b, c = sk.axes("a b c")
    source, target = np.divmod(np.unique(np.random.default_rng(1).integers(0, 1500 * 2000, 9000)), 2000)
    edges = sk.table({"src": source, "dst": target})
    whole = (edges[a, b] * edges[b, c] * edges[a, c]).count().collect()
    with cut_in_two() as cut:
        assert (edges[a, b] * edges[b, c] * edges[a, c]).count().collect(order=[a, b, c]) == whole
    level = edges.trie((0, 1)).root
    assert 0 <= cut[0] < cut[1] < cut[2] == 1500 and level.size.value == 2000


def test_of_many_rows_some_tell_where_to_cut():
    threads = import_module("skipstone.plan.threads")
    random = np.random.default_rng(3)
    rows = (np.divmod(np.unique(random.integers(0, 300**2, 20_000)), 300) for _ in "ab")
    outer, inner = (sk.table({"x": x, "y": y}) for x, y in rows)
    level, other = (table.trie((0, 1)).root for table in (outer, inner))
    every = threads.rows_led_to(level, other)
    with patch.object(threads, "LOOKS", 2_000):
        some, beside = threads.rows_led_to(level, other), threads.rows_led_to(level, other, other)
    assert every[-1] == sum(np.bincount(outer.codes[1], minlength=300) * np.bincount(inner.codes[0], minlength=300))
    assert abs(some / every[-1] - every / every[-1]).max() < 0.02 and (np.diff(beside) >= 0).all()


def test_the_second_axis_tells_where_to_cut_whichever_table_has_it():
    """It was asked of the first table alone: typed cycles were cut 3 to 2."""
    a, b, c, w = sk.axes("a b c w")
    others = sk.table({"a": np.arange(1000), "w": np.arange(1000) % 3})
    outer = sk.table({"a": np.arange(1000), "b": np.where(np.arange(1000) == 2, 7, 3)})
    inner = sk.table({"b": np.append(np.full(9000, 7), [3, 9]), "c": np.arange(9002)})
    for query in (others[a, w] * outer[a, b] * inner[b, c], outer[a, b] * inner[b, c] * others[a, w]):
        with cut_in_two() as cut:
            assert query.sum(b, c, w).collect(order=[a, b, c, w]).to_dict()[2] == 9000
        assert cut == [0, 3, 1000]


def test_copies_of_tables_are_sorted_side_by_side():
    threads, made = import_module("skipstone.plan.threads"), []

    def noted(works, count):
        made.append((len(works), count))
        return side_by_side(works, count)

    a, b, c = sk.axes("a b c")
    source, target = np.random.default_rng(5).integers(0, 60, (2, 900))
    edges, others = (sk.table({"src": source, "dst": target}) for _ in "12")
    with sk.options(threads=2), patch.object(threads, "MANY", 0), patch.object(threads, "side_by_side", noted):
        found = (edges[a, b] * edges[b, c] * edges[a, c]).count().collect(order=[a, b, c])
        assert (edges[a, b] * edges[c, b]).count().collect(order=[b, a, c])
    assert made == []  # one order: there is one copy
    with sk.options(threads=2), patch.object(threads, "MANY", 0), patch.object(threads, "side_by_side", noted):
        assert (others[a, b] * others[b, c] * others[a, c]).count().collect(order=[b, a, c]) == found
    assert made == [(2, 2)]


def test_pieces_are_cut_by_what_those_rows_are_met_with():
    """A long run that is met with few rows is searched: no more is done for it than for others."""
    threads = import_module("skipstone.plan.threads")
    a, b, c = sk.axes("a b c")
    outer = sk.table({"a": np.arange(1000), "b": np.where(np.arange(1000) == 2, 7, 3)})
    inner = sk.table({"b": np.append(np.full(9000, 7), np.full(50, 3)), "c": np.append(np.arange(9000), np.arange(50))})
    beside = sk.table({"a": np.append(np.arange(1000), 2), "c": np.append(np.arange(1000) % 50, 4000)})
    level, other, third = (table.trie((0, 1)).root for table in (outer, inner, beside))
    assert np.diff(threads.rows_led_to(level, other))[:4].tolist() == [50, 50, 9000, 50]
    assert np.diff(threads.rows_led_to(level, other, third))[:4].tolist() == [8, 8, 16, 8]
    assert threads.rows_under(third, np.array([-1, 2, 999, 1000])).tolist() == [0, 2, 1, 0]
    with cut_in_two() as cut:
        rows = (outer[a, b] * inner[b, c] * beside[a, c]).sum(b, c)
        assert sum(rows.collect(order=[a, b, c]).to_dict().values()) == 1001
    assert cut[0] == 0 and cut[1] > 400 and cut[2] == 1000


def test_a_factor_is_taken_out_of_a_sum_that_does_not_depend_on_it():
    i, j, k = sk.axes("i j k")
    S = sk.table({"i": [0, 0, 1, 2], "j": [0, 1, 1, 0], "x": [2.0, 0.5, np.inf, -1.0]}, value="x")
    U = sk.table({"i": [0, 0, 1], "k": [0, 1, 5], "x": [3.0, 4.0, 1.0]}, value="x")
    V = sk.table({"j": [0, 0, 1], "k": [0, 1, 0], "x": [1.0, 0.25, 8.0]}, value="x")
    sampled = (S[i, j] * U[i, k] * V[j, k]).sum(k)
    # There is no row at (1, 1), where infinity would be multiplied with the sum of nothing.
    assert sampled.collect().to_dict() == {(0, 0): 8.0, (0, 1): 12.0}
    assert sk.sum(S[i, j] * U[i, k] * V[j, k] * 2).collect() == 40.0
    source = sampled.compile(order=[i, j, k]).source
    assert {line.count("*") for line in source.splitlines() if "gather(" in line} == {1}


def test_a_factor_stays_in_a_sum_that_shall_be_as_it_is_written():
    """inf * (0 + 1) is not inf * 0 + inf * 1."""
    i, k = sk.axes("i k")
    S, V = sk.table({"i": [0], "x": [np.inf]}, value="x"), sk.table({"k": [0, 1], "x": [0.0, 1.0]}, value="x")
    assert np.isnan(sk.sum(S[i] * V[k]).collect(memo=False))


def test_integers_are_not_added_before_a_float_makes_them_fit():
    """(T * 1e-9).sum() of timestamps in nanoseconds: the sum of the integers left int64."""
    i, j, k = sk.axes("i j k")
    at = [x.ravel() for x in np.indices((200, 16))]
    T = sk.table({"j": at[0], "k": at[1], "v": np.full(3200, 17 * 10**17)}, value="v")
    assert (T[j, k] * 1e-9).sum().collect() == pytest.approx(544e10)
    S = sk.table({"i": [0, 1], "j": [3, 4], "x": [0.5, 0.0]}, value="x")
    U = sk.table({"i": at[0][:32], "k": at[1][:32], "v": np.full(32, 2**31)}, value="v")
    assert (S[i, j] * U[i, k] * T[j, k] * 1e-9).sum(k).collect(order=[i, j, k]).to_dict() == {
        (0, 3): pytest.approx(16 * 0.5 * 2**31 * 17e8), (1, 4): 0.0,
    }  # fmt: skip


@pytest.mark.parametrize("ways", [({}, {"memo": False}), ({"memo": False}, {})])
def test_kernels_that_multiply_numbers_in_other_places_are_not_the_same(ways):
    j, k = sk.axes("j k")
    with ruled("as it is"):
        big = sk.table({"j": [0, 0, 1], "k": [2, 3, 4], "v": [1e308, 1e308, 2.0]}, value="v")
        found = [(big[j, k] * 0.25).sum(k).collect(**way).to_dict()[0] for way in ways]
    assert found == [np.inf if way == {} else 5e307 for way in ways]


def test_rows_without_a_value_do_not_make_floats_of_integers():
    """min_max has -∞ as its one: the largest of that and an integer became a float, and lost its last digit."""
    i, j, k = sk.axes("i j k")
    A, R = sk.table({"i": [0], "j": [0], "v": [2**60 + 1]}, value="v"), sk.table({"j": [0, 0], "k": [2, 3]})
    found = (A[i, j] * ~~R[j, k]).sum(k, semiring="min_max").collect(order=[i, j, k])
    assert found.to_dict() == {(0, 0): 2**60 + 1}


def test_truth_of_numbers_is_what_it_was():
    """Whether any product is true: of -2 and 5 the smaller one is added to False, and not multiplied with their sum."""
    i, j, k = sk.axes("i j k")
    Z = sk.table({"i": [0], "j": [0], "v": [-2]}, value="v")
    P = sk.table({"j": [0], "k": [2], "v": [5]}, value="v")
    found = (Z[i, j] * P[j, k]).sum(k, semiring="or_and")
    assert found.collect(order=[i, j, k]).to_dict() == found.collect(memo=False).to_dict() == {(0, 0): False}


def test_what_is_expected_of_a_path_does_not_depend_on_the_order():
    """Runs below a key that is often come to are long, further inside as well: it was 3 where it is 11 in FB15K-237."""
    x, y, r, z = sk.axes("x y r z")
    rng = np.random.default_rng(5)
    skewed = (40 * rng.random(300) ** 3).astype(int)
    led = sk.table({"x": np.arange(300), "y": skewed})
    below = sk.table({"y": skewed, "r": rng.integers(0, 4, 300), "z": np.arange(300)})
    rows = (led[x, y] * below[y, r, z]).count()
    for axes in ([x, y, r, z], [y, x, r, z], [y, r, x, z], [x, y, z, r], [y, z, r, x]):
        planned = rows.explain(order=axes, memo=False).plans[0].loops.planned
        assert planned.steps[-1] == pytest.approx(rows.collect(), rel=1e-9), axes


def test_fewer_keys_are_expected_where_runs_meet():
    a, b, c = sk.axes("a b c")
    rng = np.random.default_rng(6)
    E = sk.table({"a": rng.integers(0, 300, 9000), "b": rng.integers(0, 300, 9000)})
    planned = sk.sum(E[a, b] * E[b, c] * E[a, c]).explain().plans[0].loops.planned
    assert planned.steps[1] == planned.most[1] and planned.steps[2] == pytest.approx(
        planned.most[2] / 300**0.5 * 29.5**0.5, rel=0.1
    )
