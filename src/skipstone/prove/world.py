"""Worlds: what a stream is made of, when it is to be proved for all of it. Streams, arrays, functions, numbers.

An input stream is any that keeps the laws: its six methods are functions of which only the laws are known. So what is
proved of a product holds for products of whatever is lawful, products included.

There are two kinds of worlds. In an endless one, facts about everything are axioms with quantifiers, and a goal is
proved by showing that its opposite cannot be. In a finite one, with a few states, keys and places, facts are written
out for each of them, and the opposite of a goal is looked for: a counterexample that can be replayed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from typing import Any

import z3

from .paths import Mode
from .reading import within_bounds
from .terms import BOOL, INT, KEY, LEAST, MOST, UNDEFINED, VALUE, Term, expression, less, number, order, truth

LONGEST = 2**62  # that an array is, where integers are those of the machine


@dataclass(frozen=True)
class Size:
    """Of a finite world."""

    states: int = 3
    keys: int = 3
    places: int = 3


@dataclass(frozen=True)
class Maybe:
    """What a stream means at a key: whether it holds it, and the value if it does."""

    there: Any
    value: Any

    def where(self, condition: Any) -> Maybe:
        return Maybe(condition & self.there, self.value)


NOTHING = Maybe(False, UNDEFINED)


@dataclass
class World:
    """Makes inputs, and keeps what is known about them."""

    keys: Any = KEY  # their sort: INT, where somebody calculates with them
    machine: bool = False  # integers are those of the machine
    size: Size | None = None  # of a finite world
    unrolled: bool = True  # loops are run as they stand in a finite world; or cut there too
    axioms: list[Any] = field(default_factory=list)
    known: list[Any] = field(default_factory=list)  # about inputs that are single numbers
    inputs: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.size is not None or self.machine:
            self.keys = INT
        if self.keys == KEY:
            a, b, c = z3.Consts("a b c", KEY)
            before = order()
            self.axioms += [
                z3.ForAll([a], z3.Not(before(a, a)), patterns=[before(a, a)]),
                z3.ForAll([a, b], z3.Or(before(a, b), a == b, before(b, a)), patterns=[before(a, b)]),
                z3.ForAll([a, b], z3.Not(z3.And(before(a, b), before(b, a))), patterns=[before(a, b)]),
                z3.ForAll([a, b, c], z3.Implies(z3.And(before(a, b), before(b, c)), before(a, c)),
                          patterns=[z3.MultiPattern(before(a, b), before(b, c))]),
            ]  # fmt: skip

    @property
    def mode(self) -> Mode:
        return Mode(self.machine, unrolled=self.unrolled and self.size is not None)

    # ------------------------------------------------------------------ facts about everything

    def always(self, kinds: str, fact: Callable[..., Any], *patterns: Callable[..., Any]) -> None:
        """A fact about all keys (k), truths (b), places (p) or values (v), by one letter each."""
        self.over([self.domain(kind) for kind in kinds], fact, *patterns)

    def over(self, domains: Sequence[Domain], fact: Callable[..., Any], *patterns: Callable[..., Any]) -> None:
        if self.size is not None:
            self.axioms += [fact(*each) for each in product(*(d.members() for d in domains))]
            return
        variables = [z3.Const(f"{d.sort}{n}", d.sort) for n, d in enumerate(domains)]
        triggers = [z3.MultiPattern(*p(*variables)) for p in patterns]
        self.axioms.append(z3.ForAll(variables, fact(*variables), patterns=triggers))

    def domain(self, kind: str) -> Domain:
        size = self.size or Size()
        match kind:
            case "k":
                return Domain(self.keys, lambda: [z3.IntVal(n) for n in range(size.keys)])
            case "b":
                return Domain(BOOL, lambda: [z3.BoolVal(False), z3.BoolVal(True)])
            case "p":
                return Domain(INT, lambda: [z3.IntVal(n) for n in range(size.places + 1)])
        return Domain(VALUE, lambda: list(finite_values()))

    def suppose(self, *facts: Any) -> None:
        """Something that is known about inputs."""
        self.known += [truth(fact) for fact in facts]

    def limits(self, key: Any) -> list[Any]:
        """How large a key may be."""
        if self.size is not None:
            return [key >= 0, key < self.size.keys]
        return [key >= LEAST, key <= MOST] if self.machine and z3.is_int(key) else []

    # ------------------------------------------------------------------ inputs

    def key(self, name: str) -> Any:
        """Any key."""
        made = z3.Const(name, self.keys)
        self.known += self.limits(made)
        self.inputs[name] = made
        return Term(made)

    def flag(self, name: str) -> Any:
        """Either truth."""
        self.inputs[name] = z3.Const(name, BOOL)
        return Term(self.inputs[name])

    def integer(self, name: str) -> Any:
        """Any integer."""
        return self.number(name, LEAST, MOST)

    def bound(self, name: str) -> Any:
        """An end of a range: there are integers behind it."""
        return self.number(name, -LONGEST + 1, LONGEST - 1)

    def length(self, name: str) -> Any:
        """Any length of an array."""
        return self.number(name, 0, LONGEST)

    def number(self, name: str, least: int, most: int) -> Any:
        made = z3.Int(name)
        self.inputs[name] = made
        if self.size is not None:
            self.known += [made >= max(least, 0), made <= self.size.places]
        elif self.machine:
            self.known += [made >= least, made <= most]
        elif least == 0:
            self.known.append(made >= 0)
        return Term(made)

    def value(self, name: str) -> Any:
        """Any value."""
        self.inputs[name] = z3.Const(name, VALUE)
        return Term(self.inputs[name])

    def function(self, name: str, takes: str, gives: str) -> Callable[..., Any]:
        """Any function from keys (k) and values (v) to a key, a value or a truth (b)."""
        made = z3.Function(name, *(self.domain(kind).sort for kind in takes + gives))
        self.inputs[name] = made
        return Known(made)

    def increasing(self, name: str) -> Known:
        """Any strictly increasing function of keys. `back` finds the key that leads to another, if there is one."""
        f = z3.Function(name, self.keys, self.keys)
        reached, back = (
            z3.Function(f"{name} reaches", self.keys, BOOL),
            z3.Function(f"{name} from", self.keys, self.keys),
        )
        self.inputs[name] = f
        self.always("kk", lambda a, b: z3.Implies(less(Term(a), Term(b)), less(Term(f(a)), Term(f(b)))),
                    lambda a, b: [f(a), f(b)])  # fmt: skip
        self.always("k", lambda a: z3.And(reached(f(a)), back(f(a)) == a), lambda a: [f(a)])
        self.always("k", lambda a: z3.Implies(reached(a), f(back(a)) == a), lambda a: [reached(a)])
        if self.size is not None:  # up to twice as far: among as many keys, only the identity increases
            most = 2 * self.size.keys
            self.always("k", lambda a: z3.And(f(a) >= 0, f(a) < most, *self.limits(back(a))))
        return Known(f, reached, back)

    def inverse(self, of: Known, name: str = "inverse") -> Known:
        """Of an increasing function f: for each key the least k with f(k) >= key."""
        g, f = z3.Function(name, self.keys, self.keys), of.f
        self.inputs[name] = g
        self.always("k", lambda key: z3.Not(less(Term(f(g(key))), Term(key))), lambda key: [g(key)])
        self.always("kk", lambda key, k: z3.Implies(less(Term(k), Term(g(key))), less(Term(f(k)), Term(key))),
                    lambda key, k: [g(key), f(k)])  # fmt: skip
        if self.size is not None:
            self.always("k", lambda a: z3.And(*self.limits(g(a))))
        return Known(g)

    def array(self, name: str, size: Any, holds: str = "v") -> AnyColumn:
        """Any array of so many keys, places or values."""
        made = z3.Function(name, INT, self.domain(holds).sort)
        self.inputs[name] = made
        if holds == "k" and (self.size is not None or self.machine):
            self.always("p", lambda p: z3.And(*self.limits(made(p))), lambda p: [made(p)])
        return AnyColumn(name, made, size)

    def sorted_array(self, name: str, size: Any, low: Any = 0, high: Any = None) -> AnyColumn:
        """Any array of keys that increase strictly from `low` on, below `high`."""
        column = self.array(name, size, "k")
        f, lo, hi = column.f, number(low), number(size if high is None else high)
        place = z3.Function(f"{name} place", self.keys, INT)
        self.always("pp", lambda p, q: z3.Implies(z3.And(lo <= p, p < q, q < hi), less(Term(f(p)), Term(f(q)))),
                    lambda p, q: [f(p), f(q)])  # fmt: skip
        self.always("k", lambda k: z3.Or(place(k) == -1, z3.And(lo <= place(k), place(k) < hi, f(place(k)) == k)),
                    lambda k: [place(k)])  # fmt: skip
        self.always("p", lambda p: z3.Implies(z3.And(lo <= p, p < hi), place(f(p)) == p), lambda p: [f(p)])
        column.place = place
        return column

    def stream(self, name: str) -> Any:
        """Any lawful stream."""
        from .lawful import AnyStream

        made = AnyStream(self, name)
        self.inputs[name] = made
        made.is_lawful()
        return made


@dataclass(frozen=True)
class Domain:
    """What a fact is about: a sort, and its members in a finite world."""

    sort: Any
    members: Callable[[], list[Any]]


@cache
def finite_states(name: str, many: int) -> Any:
    return z3.EnumSort(f"state of {name}, {many}", [f"{name}{n}" for n in range(many)])


@cache
def finite_values() -> tuple[Any, ...]:
    return tuple(z3.Consts("v0 v1 v2", VALUE))


@dataclass(frozen=True)
class Known:
    """A function of which something is known, called on terms."""

    f: Any
    reached: Any = None
    back: Any = None

    def __call__(self, *arguments: Any) -> Term:
        return Term(self.f(*map(expression, arguments)))

    def source(self, key: Any) -> Maybe:
        """The key that leads to another, if it is an increasing function."""
        key = expression(key)
        return Maybe(Term(self.reached(key)), Term(self.back(key)))


@dataclass
class AnyColumn:
    """An array of which only the name is known; read within its bounds, or there is something to show."""

    name: str
    f: Any
    size: Any
    place: Any = None

    def item(self, i: Any) -> Term:
        within_bounds(self.name, i, self.size)
        return Term(self.f(number(i)))

    def __getitem__(self, i: Any) -> Term:
        return self.item(i)

    def known(self, i: Any) -> Any:
        """What stands at a place, in the text of a claim."""
        return Term(self.f(number(i)))

    def find(self, key: Any) -> Maybe:
        """Where a sorted array holds a key."""
        at = self.place(expression(key))
        return Maybe(Term(at >= 0), Term(at))
