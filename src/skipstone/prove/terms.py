"""Terms: numbers, keys and truths that stand for all there are, with Python's operators. Z3 holds them.

A term of the sort `int` is any integer. A key may be one too; where nobody calculates with keys, it is of the sort
`key`, of which nothing is known but that it is in order. A value is of the sort `value`, of which nothing is known at
all: what is proved about it holds for every number, bit for bit, and for streams.

What Python asks of a truth, in an `if`, is decided by the path that is being followed: see paths.py.
"""

from __future__ import annotations

from typing import Any

import z3

from ..errors import NotProvable

KEY, VALUE = z3.DeclareSort("key"), z3.DeclareSort("value")
INT, BOOL = z3.IntSort(), z3.BoolSort()
LEAST, MOST = -(2**63), 2**63 - 1


class Term:
    """A Z3 expression, used like the number that it stands for."""

    __symbolic__ = True
    __slots__ = ("z3",)

    def __init__(self, expression: Any) -> None:
        self.z3 = expression

    def __repr__(self) -> str:
        return f"⟨{self.z3}⟩"

    def __bool__(self) -> bool:
        from .paths import decided

        return decided(truth(self))

    def __ceil__(self) -> Any:
        return self  # keys of spans and arrays are whole numbers

    def __floordiv__(self, other: Any) -> Any:
        if type(other) is not int or other <= 0:
            raise NotProvable(f"a division by {other!r}", "Divide by a positive number that is written there.")
        return Term(number(self) / other)

    def __mod__(self, other: Any) -> Any:
        if type(other) is not int or other <= 0:
            raise NotProvable(f"a remainder by {other!r}", "Divide by a positive number that is written there.")
        return Term(number(self) % other)

    def __rshift__(self, other: Any) -> Any:
        if type(other) is not int:
            raise NotProvable("a shift by something that is not written there", "Shift by a number.")
        return Term(number(self) / 2**other)

    def __lshift__(self, other: Any) -> Any:
        if type(other) is not int:
            raise NotProvable("a shift by something that is not written there", "Shift by a number.")
        return within(number(self) * 2**other, "<<")

    def __neg__(self) -> Any:
        return minus(0, self)

    def __lt__(self, other: Any) -> Any:
        return Term(less(self, other))

    def __gt__(self, other: Any) -> Any:
        return Term(less(other, self))

    def __le__(self, other: Any) -> Any:
        return Term(z3.Not(less(other, self)))

    def __ge__(self, other: Any) -> Any:
        return Term(z3.Not(less(self, other)))

    def __eq__(self, other: object) -> Any:
        return Term(equal(self, other))

    def __ne__(self, other: object) -> Any:
        return Term(z3.Not(equal(self, other)))

    def __and__(self, other: Any) -> Any:
        return Term(z3.simplify(z3.And(*of_truths(self, other))))

    def __or__(self, other: Any) -> Any:
        return Term(z3.simplify(z3.Or(*of_truths(self, other))))

    def __add__(self, other: Any) -> Any:
        return within(number(self) + number(other), "+")

    def __sub__(self, other: Any) -> Any:
        return minus(self, other)

    def __rsub__(self, other: Any) -> Any:
        return minus(other, self)

    def __mul__(self, other: Any) -> Any:
        return within(number(self) * number(other), "*")

    def __rmul__(self, other: Any) -> Any:
        return within(number(other) * number(self), "*")

    __rand__, __ror__, __radd__ = __and__, __or__, __add__

    def refused(self, *_: Any) -> Any:
        raise NotProvable(f"{self} is asked for a number", "It stands for all of them: use the words and operators.")

    __len__ = __int__ = __float__ = __index__ = __iter__ = refused
    __hash__ = None  # type: ignore[assignment]


def within(expression: Any, what: str) -> Any:
    """A number that was calculated; where integers are those of the machine, it must be one of them."""
    from .paths import machine_numbers, oblige

    if machine_numbers():
        oblige(f"{what} stays within int64", z3.And(expression >= LEAST, expression <= MOST))
    return Term(expression)


def expression(x: Any) -> Any:
    """What Z3 has for a number, a truth or a term."""
    if isinstance(x, Term):
        return x.z3
    if isinstance(x, bool):
        return z3.BoolVal(x)
    if isinstance(x, int):
        return z3.IntVal(x)
    raise NotProvable(f"{x!r:.60} ({type(x).__name__}) has no term", "Numbers are integers, keys or values here.")


def truth(x: Any) -> Any:
    found = expression(x)
    return found if z3.is_bool(found) else found != 0


def number(x: Any) -> Any:
    found = expression(x)
    if z3.is_bool(found):
        return z3.If(found, 1, 0)
    if not z3.is_int(found):
        raise NotProvable(f"arithmetic on a {found.sort()}", "Nothing is known of it but its order.")
    return found


def less(a: Any, b: Any) -> Any:
    """a < b, for numbers, truths and keys."""
    a, b = alike(a, b)
    if a.sort() == KEY:
        return order()(a, b)
    if not z3.is_int(a):
        raise NotProvable(f"{a.sort()}s are compared", "Only keys and numbers are in order.")
    return a < b


def order() -> Any:
    """The order of keys of which nothing else is known."""
    return z3.Function("before", KEY, KEY, BOOL)


def alike(a: Any, b: Any) -> tuple[Any, Any]:
    """Two expressions of the same sort: a truth beside a number is 0 or 1."""
    a, b = expression(a), expression(b)
    return (a, b) if a.sort() == b.sort() else (number(Term(a)), number(Term(b)))


def equal(a: Any, b: Any) -> Any:
    a, b = alike(a, b)
    return a == b


def of_truths(a: Any, b: Any) -> tuple[Any, Any]:
    a, b = expression(a), expression(b)
    if not (z3.is_bool(a) and z3.is_bool(b)):
        raise NotProvable("& and | of numbers", "They are for truths.")
    return a, b


def minus(a: Any, b: Any) -> Any:
    return within(number(a) - number(b), "-")


class Undefined:
    """What is never looked at: merged with something else, it is that."""


UNDEFINED = Undefined()


def merged(condition: Any, a: Any, b: Any) -> Any:
    """a where the condition holds, b elsewhere; tuples part by part."""
    if isinstance(a, Undefined) or a is b:
        return b
    if isinstance(b, Undefined):
        return a
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        parts = [merged(condition, x, y) for x, y in zip(a, b, strict=True)]
        return type(a)(*parts) if hasattr(a, "_fields") else tuple(parts)
    if not isinstance(a, Term | int) or not isinstance(b, Term | int):
        raise NotProvable(f"{a!r:.40} in one case and {b!r:.40} in the other", "Give both cases the same form.")
    x, y = alike(a, b)
    return a if x.eq(y) else Term(z3.If(condition, x, y))
