"""Terms: an expression as a sum of products, each a list of tables to walk and a way to make a value of theirs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..algebra import Semiring
from ..errors import BadOption, UnsupportedValue, WrongFunction, line_of
from ..notation import (
    Absent,
    Access,
    Added,
    Aggregate,
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

Value = Callable[[Callable[[Any], Any], Semiring], Any]  # (what stands at an access, the semiring) -> value
Run = Callable[[Expression], Access | Number]  # runs what stands inside of a product; a number where it has no axes


@dataclass
class Term:
    """One product.

    `plain`: its value is the product of the values of all its accesses and optionals, and of `numbers`.
    """

    accesses: list[Access] = field(default_factory=list)
    present: list[Access] = field(default_factory=list)  # rows that must be there, and whose values do not count
    absents: list[Access] = field(default_factory=list)
    optionals: list[Optional] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)
    functions: list[Where | Derivation] = field(default_factory=list)
    tests: list[Value] = field(default_factory=list)  # there is a row only where all of them say yes
    numbers: tuple[Any, ...] = ()
    value: Value = lambda at, semiring: semiring.one
    plain: bool = True
    impossible: bool = False
    form: Any = ()  # how the value and the tests are made: equal for terms that differ in their tables alone

    def axes(self) -> tuple[Any, ...]:
        return unique(a for access in self.accesses for a in access.axes())


def terms(expression: Expression, run: Run) -> list[Term]:
    """The products that an expression adds up; sums inside of products are run first, by `run`."""
    match expression:
        case Access():
            return [Term([expression], value=lambda at, semiring: at(expression), form=expression)]
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
            return [Term(optionals=[optional], value=lambda at, semiring: at(optional), form=optional)]
        case Condition():
            return [Term(conditions=[expression])]
        case Where() | Derivation():
            return [Term(functions=[expression])]
        case Number(value):
            return [Term(numbers=(value,), value=lambda at, semiring: value, impossible=value is None, form=value)]
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
            term.value, term.plain = of_value(f, inner, with_keys, term), False
            term.form = (f, inner.axes() if with_keys else (), term.form)
            return [term]
        case Kept(inner, p, with_keys):
            term = one_term(inner, run)
            term.tests, term.plain = [*term.tests, yes_or_no(p, of_value(p, inner, with_keys, term))], False
            term.form = (p, "where", inner.axes() if with_keys else (), term.form)
            return [term]
        case Rows(inner):
            term = one_term(inner, run)
            if term.tests:  # they look at the values
                term.value, term.plain, term.form = product_of([]), False, ("rows", term.form)
                return [term]
            term.accesses = [Access(a.table.as_set(), a.places) for a in term.accesses]
            term.value, term.plain, term.numbers = product_of(term.accesses), not term.optionals, ()
            term.form = ("rows", *term.accesses)
            return [term]
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


def of_value(f: Callable[..., Any], inner: Expression, with_keys: bool, term: Term) -> Value:
    """A function of the user's, of the keys (if it takes them) and the value of a term."""
    keys, value = inner.axes() if with_keys else (), term.value
    return lambda at, semiring: apply(f, *map(at, keys), value(at, semiring))


def yes_or_no(p: Callable[..., Any], answer: Value) -> Value:
    def test(at: Callable[[Any], Any], semiring: Semiring) -> Any:
        said = answer(at, semiring)
        if said is None or isinstance(said, str | tuple):
            raise WrongFunction(
                f"where needs a function that says yes or no, not {type(said).__name__}", "", line_of(p)
            )
        return said != 0

    return test


def joined(a: Term, b: Term) -> Term:
    """Two products as one."""
    one, two = a.value, b.value

    def value(at: Callable[[Any], Any], semiring: Semiring) -> Any:
        return times(semiring, one(at, semiring), two(at, semiring))

    return Term(
        a.accesses + b.accesses,
        a.present + b.present,
        a.absents + b.absents,
        a.optionals + b.optionals,
        a.conditions + b.conditions,
        a.functions + b.functions,
        a.tests + b.tests,
        a.numbers + b.numbers,
        value,
        a.plain and b.plain,
        a.impossible or b.impossible,
        (a.form, b.form),
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
