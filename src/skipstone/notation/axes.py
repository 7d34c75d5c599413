"""Axes: the names in `A[i, j] * B[j, k]`. Two of the same name are one axis. Comparing them makes a condition.

Condition     i < j, i < 3         1 where it holds
Where         i.where(p)           1 where p says yes to the key
Derivation    y == d.map(f)        an axis whose keys are a function of another's
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..errors import BadOption, WrongFunction, line_of
from .expression import Expression, takes

_axes: dict[str, Axis] = {}


class Compared:
    """What comparisons make expressions of. `compared(op, other)` says which."""

    __slots__ = ()
    __hash__ = object.__hash__

    def compared(self, op: str, other: Any) -> Expression:
        raise NotImplementedError

    def __eq__(self, other: object) -> Any:
        return self.compared("==", other)

    def __ne__(self, other: object) -> Any:
        return self.compared("!=", other)

    def __lt__(self, other: Any) -> Any:
        return self.compared("<", other)

    def __le__(self, other: Any) -> Any:
        return self.compared("<=", other)

    def __gt__(self, other: Any) -> Any:
        return self.compared(">", other)

    def __ge__(self, other: Any) -> Any:
        return self.compared(">=", other)


class Axis(Compared):
    """A name for keys that must agree."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> Any:
        return axis, (self.name,)  # in another process, too, there is one axis of a name

    def compared(self, op: str, other: Any) -> Expression:
        return other.compared(MIRROR[op], self) if isinstance(other, Derived) else Condition(op, self, other)

    def where(self, p: Callable[[Any], Any]) -> Where:
        """1 at the keys that a function says yes to.

        >>> import skipstone as sk
        >>> who = sk.axes("who")
        >>> t = sk.table({"name": ["ann", "bob", "cy"]})
        >>> (t[who] * who.where(lambda name: len(name) == 3)).collect().to_dict()
        {'ann': 1, 'bob': 1}

        The function sees keys as Python has them: strings, dates, numbers. It is asked once for each different key of
        the table that has fewest along this axis, and is not compiled.
        """
        return Where(self, of_one_key(p, self))

    def map(self, f: Callable[[Any], Any]) -> Derived:
        """A function of the keys, to be bound to another axis, or compared with a constant.

        >>> import skipstone as sk
        >>> import datetime
        >>> day, year = sk.axes("day year")
        >>> days = [datetime.date(2012, 5, 1), datetime.date(2013, 1, 1), datetime.date(2013, 9, 9)]
        >>> sold = sk.table({"day": days, "n": [2, 3, 4]}, value="n")
        >>> (sold[day] * (year == day.map(lambda d: d.year))).sum(day).collect().to_dict()
        {2012: 2, 2013: 7}
        >>> (sold[day] * (day.map(lambda d: d.month) > 1)).sum().collect()
        6

        The function is called once for each different key of the table that has fewest along this axis, with the key as
        Python has it, and is not compiled. Where it returns None there is no row.
        """
        return Derived(self, of_one_key(f, self))


def of_one_key(f: Callable[..., Any], axis: Axis) -> Callable[[Any], Any]:
    if not callable(f):
        raise WrongFunction(f"a function of the keys of {axis!r} is needed, not {type(f).__name__}")
    if takes(f) > 1:
        raise WrongFunction(
            f"a function of one axis takes one key, and this one takes {takes(f)}",
            "It is called for each key of an axis. What depends on several would need every pair of keys: make that "
            "table yourself, with sk.table.",
            line_of(f),
        )
    return f


MIRROR = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Condition(Expression):
    """A comparison of an axis with another, or with a key: 1 where it holds, nothing where it does not."""

    op: str
    left: Axis
    right: Any

    def __bool__(self) -> bool:
        raise TypeError("a condition on axes has no truth of its own: multiply with it, `T[i, j] * (i < j)`")

    def axes(self) -> tuple[Axis, ...]:
        return (self.left, self.right) if isinstance(self.right, Axis) else (self.left,)

    def __invert__(self) -> Expression:
        return Condition(OPPOSITE[self.op], self.left, self.right)

    def __repr__(self) -> str:
        return f"[{self.left!r} {self.op} {self.right!r}]"


class Derived(Compared):
    """A function of the keys of an axis; `==` binds it to another axis."""

    __slots__ = ("axis", "f")

    def __init__(self, axis: Axis, f: Callable[[Any], Any]) -> None:
        self.axis, self.f = axis, f

    def __repr__(self) -> str:
        return f"{called(self.f)}({self.axis!r})"

    def compared(self, op: str, other: Any) -> Expression:
        f, compare, text = self.f, COMPARE[op], f"{self!r} {op} {other!r}"
        if other is self.axis:
            return Where(self.axis, lambda key: (x := f(key)) is not None and compare(x, key), text)
        if isinstance(other, Axis) and op == "==":
            return Derivation(other, self.axis, f)
        if isinstance(other, Axis | Derived):
            raise BadOption(
                f"{text}: only an axis or a constant can be compared",
                f"Bind it to an axis first, (x == {self!r}), and compare x.",
            )
        return Where(self.axis, lambda key: (x := f(key)) is not None and compare(x, other), text)


@dataclass(frozen=True, eq=False)
class Where(Expression):
    """1 at the keys of an axis that a function says yes to."""

    of: Axis
    p: Callable[[Any], Any]
    text: str = ""
    results: dict[Any, Any] = field(default_factory=dict, repr=False)  # tables, by the column that was asked

    def axes(self) -> tuple[Axis, ...]:
        return (self.of,)

    def __invert__(self) -> Expression:
        p = self.p
        return Where(self.of, lambda key: not p(key), f"not {repr(self)[1:-1]}")

    def __repr__(self) -> str:
        return f"[{self.text or f'{called(self.p)}({self.of!r})'}]"


@dataclass(frozen=True, eq=False)
class Derivation(Expression):
    """1 where the key of one axis is a function of the key of another."""

    axis: Axis
    of: Axis
    f: Callable[[Any], Any]
    results: dict[Any, Any] = field(default_factory=dict, repr=False)  # tables, by the column that was asked

    def axes(self) -> tuple[Axis, ...]:
        return (self.of, self.axis)

    def __repr__(self) -> str:
        return f"[{self.axis!r} == {called(self.f)}({self.of!r})]"


def called(f: Callable[..., Any]) -> str:
    name = getattr(f, "__name__", "f")
    return "f" if name == "<lambda>" else name


def axis(name: str) -> Axis:
    """The axis of that name."""
    if not name.isidentifier():
        raise BadOption(f"{name!r} cannot name an axis", "Use a word, as for a variable.")
    return _axes.setdefault(name, Axis(name))


def axes(names: str) -> Any:
    """Axes by name, as many as are named.

    >>> i, j = axes("i j")
    >>> i, i < j
    (i, [i < j])
    """
    found = tuple(axis(name) for name in names.replace(",", " ").split())
    if not found:
        raise BadOption("no axes are named", 'Write sk.axes("i j k").')
    return found[0] if len(found) == 1 else found
