"""Terms: an expression as a sum of products, each a list of tables to walk and a way to make a value of theirs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..algebra import Semiring
from ..algebra import plus_times as PLUS
from ..errors import BadOption, UnsupportedValue
from ..notation import (
    Absent,
    Access,
    Added,
    Aggregate,
    Condition,
    Expression,
    Mapped,
    Number,
    Optional,
    Product,
    Rows,
    unique,
)
from ..words import apply

Value = Callable[[Callable[[Any], Any], Semiring], Any]  # (what stands at an access, the semiring) -> value


@dataclass
class Term:
    """One product. `plain`: its value is the product of all its accesses' values, and of `numbers`."""

    accesses: list[Access] = field(default_factory=list)
    absents: list[Access] = field(default_factory=list)
    optionals: list[Optional] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)
    value: Value = lambda at, semiring: semiring.one
    plain: bool = True

    def axes(self) -> tuple[Any, ...]:
        return unique(a for access in self.accesses for a in access.axes())


def terms(expression: Expression, run: Callable[[Aggregate], Access]) -> list[Term]:
    """The products that an expression adds up; sums inside of products are run first, by `run`."""
    match expression:
        case Access():
            return [Term([expression], value=lambda at, semiring: at(expression))]
        case Absent(access):
            return [Term(absents=[access])]
        case Optional():
            return [Term(optionals=[expression], value=lambda at, semiring: at(expression), plain=False)]
        case Condition():
            return [Term(conditions=[expression])]
        case Number(value):
            return [Term(value=lambda at, semiring: value, plain=False)]
        case Aggregate():
            return terms(run(expression), run)
        case Product(factors):
            products = [Term()]
            for factor in factors:
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
            found = terms(inner, run)
            if len(found) > 1:
                (found,) = [terms(run(Aggregate(inner, (), PLUS)), run)]
            term = found[0]
            value = term.value
            keys = inner.axes() if with_keys else ()
            term.value = lambda at, semiring: apply(f, *map(at, keys), value(at, semiring))
            term.plain = False
            return [term]
        case Rows(inner):
            found = terms(inner, run)
            if len(found) > 1:
                found = terms(run(Aggregate(inner, (), PLUS)), run)
            term = found[0]
            swapped = {id(a): Access(a.table.as_set(), a.places) for a in term.accesses}
            term.accesses = [swapped[id(a)] for a in term.accesses]
            term.value, term.plain = product_of(term.accesses), True
            return [term]
    raise UnsupportedValue(f"{type(expression).__name__} is not an expression that can be run")


def joined(a: Term, b: Term) -> Term:
    """Two products as one."""
    one, two = a.value, b.value

    def value(at: Callable[[Any], Any], semiring: Semiring) -> Any:
        return times(semiring, one(at, semiring), two(at, semiring))

    return Term(
        a.accesses + b.accesses,
        a.absents + b.absents,
        a.optionals + b.optionals,
        a.conditions + b.conditions,
        value,
        a.plain and b.plain,
    )


def product_of(accesses: Sequence[Any]) -> Value:
    def value(at: Callable[[Any], Any], semiring: Semiring) -> Any:
        result = semiring.one
        for access in accesses:
            result = times(semiring, result, at(access))
        return result

    return value


def times(semiring: Semiring, a: Any, b: Any) -> Any:
    """a times b; what changes nothing is left out of the code."""
    if a is semiring.one:
        return b
    return a if b is semiring.one else semiring.times(a, b)


def names(expression: Expression) -> str:
    return ", ".join(repr(a) for a in expression.axes())
