"""Relations added up: along axes that are needed no more, and one below the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial, reduce
from typing import Any

import numpy as np

from ...algebra import Semiring, max_plus, min_plus, plus_times
from ...plan.term import times
from .columns import WIDTH, NotHanded, Value, constant
from .relation import Relation, grouped, named

AGGREGATES = {plus_times.plus: "sum", min_plus.plus: "min", max_plus.plus: "max"}


def summed(whole: Relation, axes: tuple[Any, ...], semiring: Semiring, number: int) -> Relation:
    """Rows over some of the axes, values added up as in a semiring, and called by a number."""
    value = reduce(partial(times, semiring), whole.values.values(), semiring.one)
    found = [constant(v) for v in (value if isinstance(value, tuple) else (value,))]
    names = [f"s{number}_{n}" for n, _ in enumerate(found)]
    made = [Value(name, v.kind) for name, v in zip(names, found, strict=True)]
    values = {(0, number): tuple(made) if isinstance(value, tuple) else made[0]}
    written = {id(a): name for a, name in zip(axes, named(axes), strict=True)}
    if not whole.loose and len(axes) == len(whole.axes):
        chosen = [f"{v.column} as {name}" for v, name in zip(found, names, strict=True)]
        frame = whole.frame.selectExpr(*whole.chosen(axes), *chosen)
        return replace(whole, frame=frame, values=values, written=written)
    way = AGGREGATES[semiring.plus]
    added = [f"{way}({v.number().column}) as {name}" for v, name in zip(found, names, strict=True)]
    frame = grouped(whole, axes, added) if axes else whole.frame.selectExpr(*added)
    numbers = tuple(Value(v.column, f.number().kind) for v, f in zip(made, found, strict=True))
    values = {(0, number): numbers if isinstance(value, tuple) else numbers[0]}

    def sizes() -> tuple[float, dict[int, float]]:
        rows, distinct = whole.sizes()
        there = {id(a): distinct[id(a)] for a in axes}
        return min(rows, float(np.prod(list(there.values()), dtype=float))), there

    return Relation(frame, axes, values, sizes, written, name=whole.name)


def united(found: Sequence[Relation], head: tuple[Any, ...]) -> Relation:
    """The rows of several relations over the same axes; those that come twice are to be added."""
    kinds = [[v.kind for v in parts(f)] for f in found]
    if len({len(k) for k in kinds}) > 1 or not head:
        raise NotHanded("products of several forms are added")
    frames = [f.frame.selectExpr(*named(head), *as_kind(parts(f), merged(kinds))) for f in found]
    union, values = reduce(lambda a, b: a.unionAll(b), frames), {(0, 0): as_united(merged(kinds))}
    return replace(found[0], frame=union, values=values, loose="adds")


def parts(found: Relation) -> list[Value]:
    value = next(iter(found.values.values()))
    return list(value) if isinstance(value, tuple) else [value]


def merged(kinds: list[list[str]]) -> list[str]:
    return ["float" if "float" in of else "int" if "int" in of else "bool" for of in zip(*kinds, strict=True)]


def as_kind(values: Sequence[Value], kinds: Sequence[str]) -> list[str]:
    return [f"cast({v.column} as {WIDTH[k]}) as u{n}" for n, (v, k) in enumerate(zip(values, kinds, strict=True))]


def as_united(kinds: list[str]) -> Any:
    made = [Value(f"u{n}", kind) for n, kind in enumerate(kinds)]
    return tuple(made) if len(made) > 1 else made[0]
