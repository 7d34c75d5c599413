"""Random streams and random expressions for property tests, with what they must mean. Needs Hypothesis.

    from hypothesis import given
    from skipstone.testing import expressions

    @given(expressions())
    def test_my_engine(e):
        assert e.stream.collect() == e.model

An `Expression` is a stream together with a plain dict of what it means, worked out by dict comprehensions that know
nothing of streams, and a text that says how it was made. Filters and products occur *below* other combinators, so
states that are not ready occur everywhere; nested expressions have dicts of dicts.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from .combinators import Function, Predicate, Repeat, at_least, below, chain, multiply, range, singleton, zip_with
from .storage import Bitmap, Blocked, Dense, Hash, Sorted, Tree, Trie, stream
from .stream import Stream

Model = dict[Any, Any]


@dataclass
class Expression:
    """A stream, what it means, and how it was made."""

    stream: Stream
    model: Model
    text: str

    def __repr__(self) -> str:
        return f"{self.text} = {self.model}"


CHANGING = {"tree": Tree, "blocked": Blocked}
SEEKS = ("adaptive", "linear", "binary", "gallop")
KEYS = st.integers(-3, 24)
NUMBERS = st.one_of(st.integers(-9, 9), st.sampled_from([0.5, -1.5, 2.25, 0.0]))


@st.composite
def sources(draw: Any, keys: Any = KEYS, values: Any = NUMBERS) -> Expression:
    """A stored or implicit collection with integer keys."""
    kind = draw(
        st.sampled_from(
            [
                "dict",
                "dict",
                "sorted",
                "set",
                "bitmap",
                "dense",
                "range",
                "singleton",
                "pairs",
                "narrow",
                "tree",
                "blocked",
            ]
        )
    )
    if kind == "range":
        lo = draw(st.integers(-2, 12))
        hi = lo + draw(st.integers(-2, 12))
        return Expression(range(lo, hi), {k: k for k in builtins.range(lo, hi)}, f"range({lo}, {hi})")
    if kind == "dense":
        data = draw(st.lists(st.integers(-9, 9), max_size=12))
        return Expression(stream(Dense(np.array(data, np.int64))), dict(enumerate(data)), f"Dense({data})")
    if kind == "singleton":
        key, value = draw(keys), draw(values)
        return Expression(singleton(key, value), {key: value}, f"singleton({key}, {value})")
    if kind == "bitmap":
        members = draw(st.sets(keys.map(lambda k: 5 * k), max_size=10) | st.sets(keys, max_size=10))
        return Expression(stream(Bitmap(members)), dict.fromkeys(sorted(members), 1), f"stream(Bitmap({members}))")
    if kind == "set":
        members = draw(st.sets(keys, max_size=10))
        return Expression(stream(members), dict.fromkeys(sorted(members), 1), f"stream({members})")
    model = dict(sorted(draw(st.dictionaries(keys, values, max_size=10)).items()))
    if kind == "dict":
        return Expression(stream(dict(reversed(model.items()))), model, f"stream({model})")
    if kind == "pairs":
        return Expression(stream(iter(list(model.items()))), model, f"stream(iter({list(model.items())}))")
    if kind in ("tree", "blocked"):
        grown = CHANGING[kind](draw(st.permutations(list(model.items()))))
        for key in draw(st.lists(keys, max_size=4)):  # some come and go
            grown[key] = grown.pop(key, 1)
            if key not in model:
                del grown[key]
        return Expression(stream(grown), model, f"{type(grown).__name__}({model})")
    small = np.int16 if kind == "narrow" else np.int64
    how = draw(st.sampled_from(SEEKS))
    array = np.array(list(model.values()), np.float32 if kind == "narrow" else None)
    if not model:
        array = array.astype(np.int64)
    made = Sorted(np.array(list(model), small), array, seek=how)
    return Expression(stream(made), model, f"Sorted({model}, seek={how!r})")


FUNCTIONS: list[tuple[str, Callable[[Any, Any], Any]]] = [
    ("k + v", lambda k, v: k + v),
    ("v * v", lambda k, v: v * v),
    ("v if k % 2 == 0 else -v", lambda k, v: v if k % 2 == 0 else -v),
    ("max(k, v)", lambda k, v: max(k, v)),
    ("3 if v > 0 and k < 9 or v == -2 else v", lambda k, v: 3 if (v > 0 and k < 9) or v == -2 else v),
    ("v > 1", lambda k, v: v > 1),
    ("(v + 1) // 2", lambda k, v: (v + 1) // 2),
]
TESTS: list[tuple[str, Callable[[Any, Any], Any]]] = [
    ("k % 3 != 1", lambda k, v: k % 3 != 1),
    ("v > 0", lambda k, v: v > 0),
    ("v", lambda k, v: v),
    ("not (k < 4 or v == 3)", lambda k, v: not (k < 4 or v == 3)),
    ("False", lambda k, v: False),
    ("True", lambda k, v: True),
]


def unary(draw: Any, e: Expression) -> Expression:
    """One stream changed."""
    s, m = e.stream, e.model
    what = draw(
        st.sampled_from(
            ["map", "filter", "filter", "slice", "shift", "stretch", "function", "predicate", "repeat", "bound", "hash"]
        )
    )
    if what == "map":
        text, f = draw(st.sampled_from(FUNCTIONS))
        return Expression(s.map(f), {k: f(k, v) for k, v in m.items()}, f"{e.text}.map({text})")
    if what == "filter":
        text, f = draw(st.sampled_from(TESTS))
        return Expression(s.filter(f), {k: v for k, v in m.items() if f(k, v)}, f"{e.text}.filter({text})")
    if what == "slice":
        lo, hi = draw(st.none() | st.integers(-2, 20)), draw(st.none() | st.integers(0, 26))
        kept = {k: v for k, v in m.items() if (lo is None or k >= lo) and (hi is None or k < hi)}
        return Expression(s[lo:hi], kept, f"{e.text}[{lo}:{hi}]")
    if what == "shift":
        by = draw(st.integers(-4, 4))
        moved = s.map_keys(lambda k: k + by, increasing=True, inverse=lambda k: k - by)
        return Expression(moved, {k + by: v for k, v in m.items()}, f"{e.text}.shift({by})")
    if what == "stretch":
        moved = s.map_keys(
            lambda k: 2 * k, increasing=True, inverse=draw(st.sampled_from([None, lambda k: (k + 1) // 2]))
        )
        return Expression(moved, {2 * k: v for k, v in m.items()}, f"{e.text}.stretch()")
    if what == "function":
        return Expression(
            multiply(Function(lambda k: k - 3), s), {k: (k - 3) * v for k, v in m.items()}, f"(k - 3) * {e.text}"
        )
    if what == "predicate":
        return Expression(
            multiply(s, Predicate(lambda k: k % 4 != 2)),
            {k: v for k, v in m.items() if k % 4 != 2},
            f"{e.text} * [k % 4 != 2]",
        )
    if what == "bound":
        at = draw(st.integers(-3, 24))
        low = draw(st.booleans())
        kept = {k: v for k, v in m.items() if (k < at if low else k >= at)}
        return Expression(
            multiply(below(at) if low else at_least(at), s), kept, f"{e.text} * {(low and 'below') or 'at_least'}({at})"
        )
    if what == "hash":
        table = draw(st.dictionaries(KEYS, st.integers(-9, 9), max_size=8))
        both = {k: v * table[k] for k, v in m.items() if k in table}
        return Expression(multiply(s, Hash(table).stream()), both, f"{e.text} * Hash({table})")
    number = draw(NUMBERS)
    return Expression(
        multiply(s, Repeat(number)), {k: v * number for k, v in m.items()}, f"{e.text} * repeat({number})"
    )


def binary(draw: Any, a: Expression, b: Expression) -> Expression:
    """Two streams combined."""
    what = draw(st.sampled_from(["*", "*", "+", "+", "-", "without", "zip", "chain"]))
    common = [k for k in a.model if k in b.model]
    either = sorted({*a.model, *b.model})
    text = f"({a.text} {what} {b.text})"
    if what == "*":
        return Expression(a.stream * b.stream, {k: a.model[k] * b.model[k] for k in common}, text)
    if what in ("+", "-"):
        sign = 1 if what == "+" else -1
        model = {k: a.model.get(k, 0) + sign * b.model.get(k, 0) for k in either}
        return Expression(a.stream + b.stream if what == "+" else a.stream - b.stream, model, text)
    if what == "without":
        return Expression(a.stream.without(b.stream), {k: v for k, v in a.model.items() if k not in b.model}, text)
    if what == "chain":
        at = draw(st.integers(0, 16))
        model = {k: v for k, v in a.model.items() if k < at} | {k: v for k, v in b.model.items() if k >= at}
        return Expression(chain(a.stream[:at], b.stream[at:]), dict(sorted(model.items())), f"{text[:-1]} at {at})")
    return Expression(
        zip_with(lambda x, y: x - 2 * y, a.stream, b.stream), {k: a.model[k] - 2 * b.model[k] for k in common}, text
    )


@st.composite
def expressions(draw: Any, depth: int = 3) -> Expression:
    """A random tree of combinators over random sources, one level deep."""
    if depth == 0 or draw(st.integers(0, 5)) == 0:
        return draw(sources())  # type: ignore[no-any-return]
    if draw(st.booleans()):
        return unary(draw, draw(expressions(depth - 1)))
    return binary(draw, draw(expressions(depth - 1)), draw(expressions(depth - 1)))


@st.composite
def tries(draw: Any) -> Expression:
    """A stored collection of collections; its levels dense or compressed."""
    model = draw(
        st.dictionaries(st.integers(0, 9), st.dictionaries(st.integers(0, 9), NUMBERS, max_size=5), max_size=6)
    )
    model = {k: dict(sorted(row.items())) for k, row in sorted(model.items())}
    text = f"stream({model})"
    rows = [(i, j, v) for i, row in model.items() for j, v in row.items()]
    if rows and draw(st.booleans()):
        flat: Model = {}
        for i, j, v in rows:
            flat.setdefault(i, {})[j] = v
        outer = draw(st.sampled_from(["dense", "compressed"]))
        made = Trie.from_columns([[r[0] for r in rows], [r[1] for r in rows]], [r[2] for r in rows],
                                 formats=(outer, "compressed"))  # fmt: skip
        if outer == "dense":
            flat = {i: flat.get(i, {}) for i in builtins.range(max(flat) + 1)}
        return Expression(stream(made), flat, f"Trie({rows}, {outer})")
    return Expression(stream(model), model, text)


@st.composite
def nested_expressions(draw: Any, depth: int = 2) -> Expression:
    """A random tree over two-level collections; combinators of one level inside combinators of the other."""
    if depth == 0 or draw(st.integers(0, 5)) == 0:
        return draw(tries())  # type: ignore[no-any-return]
    a = draw(nested_expressions(depth - 1))
    what = draw(st.sampled_from(["*", "+", "inner", "inner filter", "product row", "outer filter", "without", "slice"]))
    if what in ("*", "+"):
        b = draw(nested_expressions(depth - 1))
        text = f"({a.text} {what} {b.text})"
        if what == "*":
            model = {i: {j: x * b.model[i][j] for j, x in row.items() if j in b.model[i]}
                     for i, row in a.model.items() if i in b.model}  # fmt: skip
            return Expression(a.stream * b.stream, model, text)
        model = {i: merged(a.model.get(i, {}), b.model.get(i, {})) for i in sorted({*a.model, *b.model})}
        return Expression(a.stream + b.stream, model, text)
    if what == "inner":
        return Expression(
            a.stream.map(lambda i, row: row.map(lambda j, v: v * i - j)),
            {i: {j: v * i - j for j, v in row.items()} for i, row in a.model.items()},
            f"{a.text}.map(row.map(v * i - j))",
        )
    if what == "inner filter":
        return Expression(
            a.stream.map(lambda i, row: row.filter(lambda j, v: v > i - 4)),
            {i: {j: v for j, v in row.items() if v > i - 4} for i, row in a.model.items()},
            f"{a.text}.map(row.filter(v > i - 4))",
        )
    if what == "product row":
        b = draw(expressions(1))
        return Expression(
            a.stream.map(lambda i, row: row * b.stream),
            {i: {j: v * b.model[j] for j, v in row.items() if j in b.model} for i, row in a.model.items()},
            f"{a.text}.map(row * {b.text})",
        )
    if what == "outer filter":
        return Expression(
            a.stream.filter(lambda i, row: row.sum() > 0),
            {i: row for i, row in a.model.items() if sum(row.values()) > 0},
            f"{a.text}.filter(row.sum() > 0)",
        )
    if what == "without":
        b = draw(expressions(1))
        return Expression(
            a.stream.without(b.stream),
            {i: row for i, row in a.model.items() if i not in b.model},
            f"{a.text}.without({b.text})",
        )
    lo = draw(st.integers(0, 6))
    return Expression(a.stream[lo:], {i: row for i, row in a.model.items() if i >= lo}, f"{a.text}[{lo}:]")


def merged(a: Model, b: Model) -> Model:
    return {k: a[k] + b[k] if k in a and k in b else a.get(k, b.get(k)) for k in sorted({*a, *b})}
