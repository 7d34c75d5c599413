"""Monoids and semirings: the ways to combine values, with the elements that change nothing.

>>> LEAST.combine(2, 3), GREATEST.combine((1, 5), (2, 4))
(2, (2, 5))
>>> min_plus.plus(3.0, 5.0), min_plus.times(3.0, 5.0)
(3.0, 8.0)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .words import apply, by_component, maximum, minimum, plus, times


@dataclass(frozen=True)
class Monoid:
    """An associative way to combine two values; tuples by component."""

    name: str
    operation: Callable[[Any, Any], Any]

    def combine(self, a: Any, b: Any) -> Any:
        return by_component(self.operation, a, b)


LEAST = Monoid("least", minimum)
GREATEST = Monoid("greatest", maximum)


@dataclass(frozen=True)
class Semiring:
    """How values add up along an axis, and how those of several factors make one.

    `plus` is associative and commutative, with `zero`; `times` is associative, with `one`, and distributes over plus;
    zero times anything is zero: `laws_broken` tries all of it. `enough`, if there is one,
    is a value to which nothing can be added any more: a sum stops there. `distributes` says that the laws hold for all
    numbers; if not (the largest product, where factors are negative), no part of a product is summed before the rest.

    >>> import skipstone as sk
    >>> i, j = sk.axes("i j")
    >>> heard = sk.table({"who": [1, 1, 2], "of": [5, 6, 6], "sure": [0.5, 0.5, 0.25]}, value="sure")
    >>> either = Semiring("either", lambda a, b: a + b - a * b, lambda a, b: a * b, 0.0, 1.0, distributes=False)
    >>> heard[i, j].sum(j, semiring=either).collect().to_dict()
    {1: 0.75, 2: 0.25}

    The two functions are compiled like any other of yours; values may be tuples, and then `zero` and `one` are too.
    """

    name: str
    plus: Callable[[Any, Any], Any]
    times: Callable[[Any, Any], Any]
    zero: Any
    one: Any
    enough: Any = None
    distributes: bool = True

    def __post_init__(self) -> None:
        for field in ("plus", "times"):
            object.__setattr__(self, field, traceable(getattr(self, field)))

    def __repr__(self) -> str:
        return self.name


def traceable(f: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """A function of the user's, called as such: it may branch on its values, and still be compiled."""
    if f in (plus, times, minimum, maximum) or getattr(f, "is_traceable", False):
        return f

    def called(a: Any, b: Any) -> Any:
        return apply(f, a, b)

    called.is_traceable = True  # type: ignore[attr-defined]
    return called


plus_times = Semiring("plus_times", plus, times, 0, 1)
min_plus = Semiring("min_plus", minimum, plus, math.inf, 0)
max_plus = Semiring("max_plus", maximum, plus, -math.inf, 0)
max_times = Semiring("max_times", maximum, times, 0, 1, distributes=False)  # it does not where factors are negative
min_max = Semiring("min_max", minimum, maximum, math.inf, -math.inf)
or_and = Semiring("or_and", maximum, minimum, False, True, enough=True)
count = Semiring("count", plus, times, 0, 1)  # of rows: whatever their values are, each counts 1
SEMIRINGS = {s.name: s for s in (plus_times, min_plus, max_plus, max_times, min_max, or_and, count)}


def is_known(semiring: Semiring) -> bool:
    """Whether its plus and times are those of the library, which will never do anything else."""
    known = [(s.plus, s.times) for s in SEMIRINGS.values()]
    return semiring.plus in [p for p, _ in known] and semiring.times in [t for _, t in known]


def laws_broken(semiring: Semiring, values: list[Any]) -> list[str]:
    """The laws of a semiring that do not hold on these values, in words; none if all do.

    >>> laws_broken(max_times, [0, 1, 2, 5])
    []
    >>> laws_broken(Semiring("wrong", lambda a, b: a - b, lambda a, b: a * b, 0, 1), [0, 1, 2])[0]
    'plus is not associative: 0, 0, 1'
    """
    p, t, zero, one = semiring.plus, semiring.times, semiring.zero, semiring.one
    broken = []
    for a in values:
        for law, holds in {
            "zero added changes something": p(a, zero) == a,
            "one multiplied changes something": t(a, one) == a == t(one, a),
            "zero multiplied is not zero": t(a, zero) == zero == t(zero, a),
        }.items():
            if not holds:
                broken.append(f"{law}: {a}")
        for b in values:
            if p(a, b) != p(b, a):
                broken.append(f"plus is not commutative: {a}, {b}")
            for c in values:
                if p(p(a, b), c) != p(a, p(b, c)):
                    broken.append(f"plus is not associative: {a}, {b}, {c}")
                if t(t(a, b), c) != t(a, t(b, c)):
                    broken.append(f"times is not associative: {a}, {b}, {c}")
                if t(a, p(b, c)) != p(t(a, b), t(a, c)):
                    broken.append(f"times does not distribute over plus: {a}, {b}, {c}")
    return broken
