"""The claims about the library's own streams: what each one means. With the laws, this is the theorem's statement."""

from __future__ import annotations

from typing import Any

import z3

from ..combinators import (
    Chain,
    Difference,
    Filter,
    Function,
    Map,
    Product,
    Rekeyed,
    Repeat,
    Singleton,
    Slice,
    Span,
    Union,
    multiply,
)  # fmt: skip
from ..combinators.beside import Beside
from ..combinators.found import Found
from ..combinators.guarded import Guarded
from ..combinators.over import Over
from ..combinators.span import Empty
from ..storage.levels import Compressed, DenseRun, Leaf, SortedRun
from ..storage.seeking import SEEKS
from ..storage.tree import TreeRun
from ..stream import Stream
from ..words import maximum, no, plus, select, times
from .obligations import Claim, lt
from .terms import INT, Term, expression
from .trees import in_the_tree, tree, whole_tree
from .world import NOTHING, Known, Maybe, World


def of_one(name: str, made: Any, means: Any, **more: Any) -> Claim:
    """A stream over one other: its states are those of the one below."""
    return Claim(
        name,
        made,
        lambda w, s: s.stream.state("q"),
        means,
        lambda s, q: s.stream.measure(q),
        lambda s, key: means(s, s.stream.start(), key),
        **more,
    )


def of_two(name: str, made: Any, means: Any, **more: Any) -> Claim:
    """A stream over two others, `a` and `b`."""
    return Claim(
        name,
        made,
        lambda w, s: (s.a.state("qa"), s.b.state("qb")),
        means,
        lambda s, q: s.a.measure(q[0]) + s.b.measure(q[1]),
        lambda s, key: means(s, (s.a.start(), s.b.start()), key),
        **more,
    )


class Nowhere(Empty):
    """The empty stream as one side of another: it means nothing."""

    def means(self, q: Any, key: Any) -> Maybe:
        return NOTHING

    def measure(self, q: Any) -> int:
        return 0

    def state(self, name: str) -> int:
        return 0


class BySeeks(Over):
    """The stream below, moved as streams are that define no more than they must."""

    def next(self, q: Any) -> Any:
        return Stream.next(self, q)

    def approach(self, q: Any) -> Any:
        return Stream.approach(self, q)


def mapped(s: Any, q: Any, key: Any) -> Maybe:
    there = s.stream.means(q, key)
    return Maybe(there.there, s.f(key, there.value))


def changed(s: Any, q: Any, key: Any, f: Any) -> Maybe:
    there = s.stream.means(q, key)
    return Maybe(there.there, f(there.value))


def given(s: Any, name: str) -> Known:
    """An input that a stream was made of, and does not name."""
    return Known(s.stream.world.inputs[name])


def accepted(s: Any, q: Any, key: Any) -> Maybe:
    there: Maybe = s.stream.means(q, key)
    return there.where(s.f(key, there.value))


def in_all(s: Any, q: Any, key: Any) -> Maybe:
    found = [factor.means(state, key) for factor, state in zip(s.factors, q, strict=True)]
    there: Any = True
    for each in found:
        there = there & each.there
    return Maybe(there, s.combine(*(each.value for each in found)))


def product(many: int) -> Claim:
    names = "abc"[:many]
    return Claim(
        f"product of {('two', 'three')[many - 2]}",
        lambda w: Product(tuple(map(w.stream, names)), w.function("f", "v" * many, "v")),
        lambda w, s: tuple(factor.state(f"q{name}") for factor, name in zip(s.factors, names, strict=True)),
        in_all,
        lambda s, q: sum(factor.measure(state) for factor, state in zip(s.factors, q, strict=True)),
        lambda s, key: in_all(s, [factor.start() for factor in s.factors], key),
        about=Product,
    )


def in_either(s: Any, q: Any, key: Any) -> Maybe:
    a, b = s.a.means(q[0], key), s.b.means(q[1], key)
    value = select(a.there, lambda: select(b.there, lambda: plus(a.value, b.value), lambda: a.value), lambda: b.value)
    return Maybe(a.there | b.there, value)


def in_the_first(s: Any, q: Any, key: Any) -> Maybe:
    a: Maybe = s.a.means(q[0], key)
    return a.where(no(s.b.means(q[1], key).there))


def either_way(w: World) -> Map:
    """Beside, and what a left join makes of it: one function where the other side holds the key, another where not."""
    both, alone = w.function("both", "vv", "v"), w.function("alone", "v", "v")

    def joined(key: Any, value: Any) -> Any:
        return select(value[1], lambda: both(value[0], value[2]), lambda: alone(value[0]))

    return Map(Beside(w.stream("a"), w.stream("b")), joined)


def beside(s: Any, q: Any, key: Any) -> Maybe:
    a, b = s.stream.a.means(q[0], key), s.stream.b.means(q[1], key)
    return Maybe(a.there, s.f(key, (a.value, b.there, b.value)))


def sliced(s: Any, q: Any, key: Any) -> Maybe:
    found: Maybe = s.stream.means(q, key)
    if s.lo is not None:
        found = found.where(key >= s.lo)
    return found if s.hi is None else found.where(key < s.hi)


def rekeyed(s: Any, q: Any, key: Any) -> Maybe:
    source = s.f.source(key)
    there: Maybe = s.stream.means(q, source.value)
    return there.where(source.there)


def chained(s: Any, q: Any, key: Any) -> Maybe:
    a, b = s.a.means(q[0], key), s.b.means(q[1], key)
    return Maybe(a.there | b.there, select(a.there, lambda: a.value, lambda: b.value))


def one_after_another(w: World) -> Chain:
    """Two streams, of which the second has its keys behind the first's, in all of their states."""
    a, b, bound = w.stream("a"), w.stream("b"), expression(w.key("bound"))
    w.over([a.states], lambda q: z3.Implies(a.is_valid(q), lt(a.at(q), bound)), lambda q: [a.at(q)])
    w.over(
        [a.states, w.domain("k")], lambda q, k: z3.Implies(a.holds(q, k), lt(k, bound)), lambda q, k: [a.holds(q, k)]
    )
    w.over([b.states], lambda q: z3.Implies(b.is_valid(q), z3.Not(lt(b.at(q), bound))), lambda q: [b.at(q)])
    return Chain(a, b)


def found(s: Any, q: Any, key: Any) -> Maybe:
    there = s.stream.stream.means(q, key)
    is_there, value = s.stream.f(key, there.value)
    return Maybe(there.there & is_there, value)


def pairs(w: World) -> Found:
    """Over a map whose values come with whether there is anything."""
    says, what = w.function("says", "kv", "b"), w.function("what", "kv", "v")
    return Found(Map(w.stream("a"), lambda key, value: (says(key, value), what(key, value))))


def in_a_run(s: Any, q: Any, key: Any) -> Maybe:
    place = s.column.find(key)
    return Maybe(place.there & (q <= place.value), s.inner.at(place.value))


def sorted_run(how: str) -> Claim:
    """Keys in a sorted array, sought in one of the four ways."""

    def made(w: World) -> SortedRun:
        n = w.length("n")
        return SortedRun(w.sorted_array("keys", n), 0, n, Leaf((w.array("values", n),)), SEEKS[how])

    return Claim(
        f"sorted array, {how} seek",
        made,
        lambda w, s: w.integer("q"),
        in_a_run,
        lambda s, q: s.hi - q,
        lambda s, key: in_a_run(s, 0, key),
        lambda s, q: (q >= 0) & (q <= s.hi),
        about=SortedRun,
    )


def level(w: World) -> SortedRun:
    """One run of a compressed level: that of any position, sorted within its bounds; the array goes on."""
    n, runs, p = w.length("n"), w.length("runs"), w.length("p")
    starts = w.array("starts", runs + 1, "p")
    lo, hi = starts.known(p), starts.known(p + 1)
    w.suppose(p < runs, lo >= 0, lo <= hi, hi <= n)
    keys = w.sorted_array("keys", n, lo, hi)
    made: Any = Compressed(keys, starts, Leaf((w.array("values", n),)), SEEKS["adaptive"])
    return SortedRun(keys, lo, hi, made.inner, made.how)


def dense(w: World) -> DenseRun:
    n, base, size = w.length("n"), w.length("base"), w.length("size")
    w.suppose(base + size <= n)
    return DenseRun(base, size, Leaf((w.array("values", n),)))


def at_a_place(s: Any, q: Any, key: Any) -> Maybe:
    return Maybe((q <= key) & (key < s.size), s.inner.at(s.base + key))


CLAIMS = [
    of_one("a stream moved by seeks alone", lambda w: BySeeks(w.stream("a")), lambda s, q, key: s.stream.means(q, key),
           about=Stream),
    of_one("map", lambda w: Map(w.stream("a"), w.function("f", "kv", "v")), mapped, about=Map),
    of_one("product with a function", lambda w: multiply(w.stream("a"), Function(w.function("g", "k", "v"))),
           lambda s, q, key: changed(s, q, key, lambda v: times(v, given(s, "g")(key))), about=Map),
    of_one("product with repeat", lambda w: multiply(Repeat(w.value("constant")), w.stream("a")),
           lambda s, q, key: changed(s, q, key, lambda v: times(Term(given(s, "constant").f), v)), about=Map),
    of_one("filter", lambda w: Filter(w.stream("a"), w.function("f", "kv", "b")), accepted, about=Filter),
    product(2),
    product(3),
    of_two("union", lambda w: Union(w.stream("a"), w.stream("b")), in_either, about=Union),
    of_two("union with nothing", lambda w: Union(w.stream("a"), Nowhere()), in_either, keys=INT, about=Union),
    of_two("union of nothing", lambda w: Union(Nowhere(), w.stream("b")), in_either, keys=INT, about=Union),
    of_two("difference", lambda w: Difference(w.stream("a"), w.stream("b")), in_the_first, about=Difference),
    Claim("beside, as a left join", either_way, lambda w, s: (s.stream.a.state("qa"), s.stream.b.state("qb")), beside,
          lambda s, q: s.stream.a.measure(q[0]) + s.stream.b.measure(q[1]),
          lambda s, key: beside(s, (s.stream.a.start(), s.stream.b.start()), key), about=Beside),
    of_two("chain", one_after_another, chained, about=Chain),
    of_one("slice", lambda w: Slice(w.stream("a"), w.key("lo"), w.key("hi")), sliced, about=Slice),
    of_one("slice from a bound", lambda w: Slice(w.stream("a"), w.key("lo"), None), sliced, about=Slice),
    of_one("slice up to a bound", lambda w: Slice(w.stream("a"), None, w.key("hi")), sliced, about=Slice),
    of_one("order-preserving key map", lambda w: Rekeyed(w.stream("a"), w.increasing("f"), None), rekeyed,
           about=Rekeyed),
    of_one("order-preserving key map with inverse",
           lambda w: Rekeyed(w.stream("a"), f := w.increasing("f"), w.inverse(f)), rekeyed, about=Rekeyed),
    Claim("found", pairs, lambda w, s: s.stream.stream.state("q"), found, lambda s, q: s.stream.stream.measure(q),
          lambda s, key: found(s, s.stream.stream.start(), key), about=Found),
    of_one("guarded, present", lambda w: Guarded(w.stream("a"), True), lambda s, q, key: s.stream.means(q, key),
           about=Guarded),
    Claim("guarded, absent", lambda w: Guarded(w.stream("a"), False), lambda w, s: s.stream.state("q"),
          lambda s, q, key: NOTHING, lambda s, q: 0, lambda s, key: NOTHING, about=Guarded),
    Claim("range", lambda w: Span(w.bound("lo"), w.bound("hi")), lambda w, s: w.bound("q"),
          lambda s, q, key: Maybe((q <= key) & (key < s.hi), key), lambda s, q: maximum(s.hi - q, 0),
          lambda s, key: Maybe((s.lo <= key) & (key < s.hi), key), keys=INT, about=Span),
    Claim("singleton", lambda w: Singleton(w.key("only"), w.value("held")), lambda w, s: w.integer("q"),
          lambda s, q, key: Maybe((q == 0) & (key == s.key), s.held), lambda s, q: 1 - q,
          lambda s, key: Maybe(key == s.key, s.held), lambda s, q: (q >= 0) & (q <= 1), about=Singleton),
    Claim("empty", lambda w: Empty(), lambda w, s: w.integer("q"), lambda s, q, key: NOTHING, lambda s, q: 0,
          lambda s, key: NOTHING, keys=INT, about=Empty),
    Claim("dense run", dense, lambda w, s: w.integer("q"), at_a_place, lambda s, q: maximum(s.size - q, 0),
          lambda s, key: at_a_place(s, 0, key), lambda s, q: q >= 0, keys=INT, about=DenseRun),
    *map(sorted_run, SEEKS),
    Claim("level of a trie", level, lambda w, s: w.integer("q"), in_a_run, lambda s, q: s.hi - q,
          lambda s, key: in_a_run(s, s.lo, key), lambda s, q: (q >= s.lo) & (q <= s.hi), about=SortedRun),
    Claim("search tree, climbing seek", tree, lambda w, s: w.integer("q"), in_the_tree,
          lambda s, q: s.links.many - s.links.rank(q), whole_tree, lambda s, q: (q == 0) | s.links.is_node(q),
          about=TreeRun),
]  # fmt: skip
