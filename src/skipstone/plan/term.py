"""Terms: an expression as a sum of products, each a list of tables to walk and a way to make a value of theirs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from typing import Any

from ..algebra import Semiring
from ..errors import BadOption, UnsupportedValue, WrongFunction, line_of
from ..notation import (
    Absent,
    Access,
    Added,
    Aggregate,
    Axis,
    Condition,
    Derivation,
    Expression,
    Kept,
    Mapped,
    Memo,
    Number,
    Optional,
    Present,
    Product,
    Rows,
    Where,
    unique,
)
from ..words import apply

At = Callable[[Any], Any]  # what stands at an access, or an optional one, or which key an axis is at
Value = Callable[[At, Semiring], Any]
Run = Callable[[Expression], Access | Number]  # runs what stands inside of a product; a number where it has no axes


@dataclass(frozen=True, eq=False)
class Factor:
    """What a product multiplies, or asks of a row: made of what stands at some sources; a bare one is just that.

    `form` says how it is made: equal for factors that differ in their tables alone.
    """

    sources: tuple[Any, ...]  # accesses, optional ones, and axes whose keys a function looks at
    value: Value
    form: Any
    bare: bool = False

    def axes(self) -> tuple[Any, ...]:
        return unique(a for x in self.sources for a in ((x,) if isinstance(x, Axis) else x.axes()))

    def tables(self) -> list[Any]:
        """The sources that are more than one number."""
        return [x for x in self.sources if not isinstance(x, Axis) and x.axes()]


def bare(source: Any) -> Factor:
    return Factor((source,), lambda at, semiring: at(source), source, True)


@dataclass
class Term:
    """One product: of its factors, and of `numbers`."""

    accesses: list[Access] = field(default_factory=list)
    present: list[Access] = field(default_factory=list)  # rows that must be there, and whose values do not count
    absents: list[Access] = field(default_factory=list)
    optionals: list[Optional] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)
    functions: list[Where | Derivation] = field(default_factory=list)
    tests: list[Factor] = field(default_factory=list)  # there is a row only where all of them say yes
    factors: list[Factor] = field(default_factory=list)
    numbers: tuple[Any, ...] = ()
    impossible: bool = False

    def axes(self) -> tuple[Any, ...]:
        return unique(a for access in self.accesses for a in access.axes())

    @property
    def plain(self) -> bool:
        """Whether its value is the product of the values of all its accesses and optionals, and of numbers."""
        valued = {id(f.sources[0]) for f in self.factors if f.bare}
        alone = len(valued) == len(self.factors) and not self.tests
        return alone and valued == {id(x) for x in (*self.accesses, *self.optionals)}

    def value(self, at: At, semiring: Semiring) -> Any:
        return reduce(partial(times, semiring), self.numbers, product(self.factors, at, semiring))


def product(factors: Iterable[Factor], at: At, semiring: Semiring) -> Any:
    """What the factors come to."""
    return reduce(partial(times, semiring), (f.value(at, semiring) for f in factors), semiring.one)


def terms(expression: Expression, run: Run) -> list[Term]:
    """The products that an expression adds up; sums inside of products are run first, by `run`."""
    match expression:
        case Access():
            return [Term([expression], factors=[bare(expression)])]
        case Absent(inner):
            return [Term(absents=[rows(inner, run)])]
        case Present(inner):
            return [Term(present=[rows(inner, run)])]
        case Optional(inner, otherwise):
            found = inner if isinstance(inner, Access) else run(inner)
            if isinstance(found, Number):
                return terms(Number(otherwise) if found.value is None else found, run)
            if found.table.make is not None:  # one number stands for all parts
                parts = otherwise if isinstance(otherwise, tuple) else (otherwise,) * len(found.table.values)
                otherwise = found.table.make(*parts)
            optional = Optional(found, otherwise)
            return [Term(optionals=[optional], factors=[bare(optional)])]
        case Condition():
            return [Term(conditions=[expression])]
        case Where() | Derivation():
            return [Term(functions=[expression])]
        case Number(value):
            return [Term(numbers=(value,), impossible=value is None)]
        case Aggregate() | Memo():
            return terms(run(expression), run)
        case Product(factors):
            products = [Term()]
            for factor in factors:
                if isinstance(factor, Kept) and isinstance(factor.inner, Access) and len(factors) > 1:
                    factor = run(factor)  # a table is cut down once, and not again for each row of the others
                products = [joined(a, b) for a in products for b in terms(factor, run)]
            return products
        case Added(one, two):
            if {id(a) for a in one.axes()} != {id(a) for a in two.axes()}:
                raise BadOption(
                    f"a sum of rows over ({names(one)}) and rows over ({names(two)})",
                    "Both sides of a sum need the same axes.",
                )
            return terms(one, run) + terms(two, run)
        case Mapped(inner, f, with_keys):
            term = one_term(inner, run)
            made = of_value(f, inner, with_keys, term)
            return [replace(term, factors=[made], numbers=())]
        case Kept(inner, p, with_keys):
            term = one_term(inner, run)
            asked = of_value(p, inner, with_keys, term)
            asked = replace(asked, value=yes_or_no(p, asked.value), form=("where", asked.form))
            return [replace(term, tests=[*term.tests, asked])]
        case Rows(inner):
            term = one_term(inner, run)
            if term.tests:  # they look at the values
                return [replace(term, factors=[], numbers=())]
            sets = [Access(a.table.as_set(), a.places) for a in term.accesses]
            return [replace(term, accesses=sets, factors=[bare(a) for a in sets], numbers=())]
    raise UnsupportedValue(f"{type(expression).__name__} is not an expression that can be run")


def one_term(inner: Expression, run: Run) -> Term:
    """An expression as a single product: a sum of several is run first."""
    found = terms(inner, run)
    return found[0] if len(found) == 1 else terms(run(inner), run)[0]


def rows(inner: Expression, run: Run) -> Access:
    """An expression as a table, for its rows."""
    found = inner if isinstance(inner, Access) else run(inner)
    if isinstance(found, Number):
        raise BadOption(f"~ asks whether there is a row, and {inner!r:.80} is a number", "Keep an axis of it.")
    return found


def of_value(f: Callable[..., Any], inner: Expression, with_keys: bool, term: Term) -> Factor:
    """A function of the user's, of the keys (if it takes them) and the value of a term."""
    keys = inner.axes() if with_keys else ()
    sources = tuple(x for factor in term.factors for x in factor.sources)
    form = (f, keys, *(factor.form for factor in term.factors), *map(repr, term.numbers))
    return Factor((*keys, *sources), lambda at, s: apply(f, *map(at, keys), term.value(at, s)), form)


def yes_or_no(p: Callable[..., Any], answer: Value) -> Value:
    def test(at: At, semiring: Semiring) -> Any:
        said = answer(at, semiring)
        if said is None or isinstance(said, str | tuple):
            raise WrongFunction(
                f"where needs a function that says yes or no, not {type(said).__name__}", "", line_of(p)
            )
        return said != 0

    return test


def joined(a: Term, b: Term) -> Term:
    """Two products as one."""
    return Term(
        a.accesses + b.accesses,
        a.present + b.present,
        a.absents + b.absents,
        a.optionals + b.optionals,
        a.conditions + b.conditions,
        a.functions + b.functions,
        a.tests + b.tests,
        a.factors + b.factors,
        a.numbers + b.numbers,
        a.impossible or b.impossible,
    )


def times(semiring: Semiring, a: Any, b: Any) -> Any:
    """a times b; what changes nothing is left out of the code."""
    if a is semiring.one:
        return b
    return a if b is semiring.one else semiring.times(a, b)


def names(expression: Expression) -> str:
    return ", ".join(repr(a) for a in expression.axes())
