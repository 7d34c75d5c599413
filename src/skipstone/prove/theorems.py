"""What is claimed of functions on streams: the fold, what it collects, and the meaning of products and sums as numbers.

The loop of `stream.fold` is cut at its invariant: what it has folded and what is still to come make the same whole as
at the beginning. That the whole, unfolded step by step, is the list of all pairs in order, is the induction in
proofs/Fold.v.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import z3

from ..combinators import Product, Union
from ..stream import fold
from ..words import read_by
from .claims import in_all, in_either
from .cutting import anything_like, cutting_loops
from .obligations import Shown
from .paths import EndOfPath, Obligation, current, decided, explored, oblige
from .reading import Proving
from .terms import KEY, VALUE, Term, expression, truth
from .world import Maybe, World

COLLECTION = z3.DeclareSort("collection")


@dataclass(frozen=True)
class Theorem:
    """A claim that is not about one stream: `shown(world)` is all that has to be shown for it."""

    name: str
    shown: Callable[[World], list[Shown]]
    keys: Any = KEY


def the_fold(world: World, early: bool = False) -> list[Shown]:
    """`fold` computes what evaluation means, step by step; and a collection that it updates holds, at every key, what
    it held before and what the stream means there. Of `update` it is known that it adds a value at one key, and changes
    nothing elsewhere; of plus, nothing at all. A fold that may end `early` does so only where it is done."""
    a, j = world.stream("a"), expression(world.key("j"))
    plus = z3.Function("plus", VALUE, VALUE, VALUE)
    get = z3.Function("at", COLLECTION, world.keys, VALUE)
    update = z3.Function("updated", COLLECTION, world.keys, VALUE, COLLECTION)
    evaluate = z3.Function("evaluate", a.sort, COLLECTION, COLLECTION)
    done = z3.Function("done", COLLECTION, z3.BoolSort())

    def is_done(m: Any) -> Any:
        return done(m) if early else z3.BoolVal(False)

    m, x, q = z3.Const("m", COLLECTION), z3.Const("x", VALUE), z3.Const("q", a.sort)
    k, other = z3.Consts("k other", world.keys)
    stepped = z3.If(
        a.is_ready(q),
        evaluate(a.after("next", q), update(m, a.at(q), a.method("value", VALUE)(q))),
        evaluate(a.after("approach", q), m),
    )
    world.axioms += [
        z3.ForAll([m, k, x, other],
                  get(update(m, k, x), other) == z3.If(k == other, plus(get(m, k), x), get(m, other)),
                  patterns=[get(update(m, k, x), other)]),
        z3.ForAll([q, m], evaluate(q, m) == z3.If(z3.And(a.is_valid(q), z3.Not(is_done(m))), stepped, m),
                  patterns=[evaluate(q, m)]),
    ]  # fmt: skip
    before = Term(z3.Const("old", COLLECTION))

    def whole(q: Any, m: Any) -> Any:
        q, m = expression(q), expression(m)
        return z3.If(a.holds(q, j), plus(get(m, j), a.held(q, j)), get(m, j))

    def invariant(q: Any, m: Any) -> list[Any]:
        now, then = (expression(q), expression(m)), (expression(a.start()), expression(before))
        return [evaluate(*now) == evaluate(*then), whole(q, m) == whole(a.start(), before)]

    def cut(going: Any, body: Any, q: Any, acc: Any) -> Any:
        for n, part in enumerate(invariant(q, acc)):
            oblige(f"the invariant holds when the fold begins, part {n + 1}", part)
        q, acc = anything_like("q", q), anything_like("acc", acc)
        current().assumed.extend(invariant(q, acc))
        if not decided(truth(going(q, acc))):
            return q, acc
        new, more = body(q, acc)
        for n, part in enumerate(invariant(new, more)):
            oblige(f"a step keeps the invariant, part {n + 1}", part)
        oblige(
            "the fold ends",
            z3.And(expression(a.measure(new)) < expression(a.measure(q)), expression(a.measure(q)) >= 0),
        )
        raise EndOfPath

    def f(acc: Any, key: Any, value: Any) -> Term:
        return Term(update(expression(acc), expression(key), expression(value)))

    with read_by(Proving()), cutting_loops(cut):
        ends = (lambda acc: Term(done(expression(acc)))) if early else None
        found = explored(lambda: fold(f, a, before, ends), world.known, world.mode)
    shown = [Shown("safe", o) for o in found.obligations]
    for way in found.ways:
        known, result = (*world.known, way.known, *found.facts), expression(way.result)
        meant = evaluate(expression(a.start()), expression(before))
        shown += [
            Shown("fold", Obligation("it is evaluation", known, result == meant)),
            Shown("fold", Obligation("result[j] is before[j], plus what the stream means at j", known,
                                     z3.Or(is_done(result), get(result, j) == whole(a.start(), before)))),
        ]  # fmt: skip
    return shown


def as_numbers(name: str, make: Callable[..., Any], means: Callable[..., Maybe]) -> Callable[[World], list[Shown]]:
    """With an element 0 that stands for absence, a product means the product of what its parts mean, and so for sums.

    Of 0 it is known only what the operation does with it: a product with it is 0, a sum with it the other.
    """

    def shown(world: World) -> list[Shown]:
        f, zero, x = z3.Function(name, VALUE, VALUE, VALUE), z3.Const("zero", VALUE), z3.Const("x", VALUE)
        absorbed = name == "times"
        world.axioms += [
            z3.ForAll([x], f(zero, x) == (zero if absorbed else x), patterns=[f(zero, x)]),
            z3.ForAll([x], f(x, zero) == (zero if absorbed else x), patterns=[f(x, zero)]),
        ]
        a, b, j = world.stream("a"), world.stream("b"), world.key("j")
        stream = make(a, b, lambda x, y: Term(f(expression(x), expression(y))))
        q = a.state("qa"), b.state("qb")

        def number(text: Callable[[], Maybe]) -> Any:
            with read_by(Proving()):
                there, value = explored(lambda: tuple(vars(text()).values()), [], world.mode, silent=True).merged()
            return z3.If(truth(there), expression(value), zero)

        whole = number(lambda: means(stream, q, j))
        parts = f(number(lambda: a.means(q[0], j)), number(lambda: b.means(q[1], j)))
        return [Shown("meaning", Obligation("it is that of its parts", tuple(world.known), whole == parts))]

    return shown


THEOREMS = [
    Theorem("fold, and collect", the_fold),
    Theorem("fold that may end early", lambda world: the_fold(world, early=True)),
    Theorem("product, as numbers", as_numbers("times", lambda a, b, f: Product((a, b), f), in_all)),
    Theorem("union, as numbers", as_numbers("plus", lambda a, b, f: Union(a, b), in_either)),
]
