"""Axes: the names in `A[i, j] * B[j, k]`. Two of the same name are one axis. Comparing them makes a condition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..errors import BadOption
from .expression import Expression

_axes: dict[str, Axis] = {}


class Axis:
    """A name for keys that must agree."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> Any:
        return Condition("==", self, other)

    def __ne__(self, other: object) -> Any:
        return Condition("!=", self, other)

    def __lt__(self, other: Any) -> Any:
        return Condition("<", self, other)

    def __le__(self, other: Any) -> Any:
        return Condition("<=", self, other)

    def __gt__(self, other: Any) -> Any:
        return Condition(">", self, other)

    def __ge__(self, other: Any) -> Any:
        return Condition(">=", self, other)


MIRROR = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


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

    def __repr__(self) -> str:
        return f"[{self.left!r} {self.op} {self.right!r}]"


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
