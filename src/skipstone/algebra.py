"""Monoids: how values combine when a stream is consumed, each with its law and the value at which it may stop.

    >>> SUM.combine(2, 3), LEAST.combine(2, 3), EITHER.combine(False, True)
    (5, 2, True)

A monoid's `combine` is associative (tested for each); where two values of one key meet in an unordered stream,
the order in which they arrive does not matter, so those are commutative too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .words import maximum, minimum, plus


@dataclass(frozen=True)
class Monoid:
    """An associative way to combine two values. `enough(x)` says that nothing can change x any more."""

    name: str
    combine: Callable[[Any, Any], Any]
    enough: Callable[[Any], Any] | None = None


SUM = Monoid("sum", plus)
LEAST = Monoid("min", minimum)
GREATEST = Monoid("max", maximum)
EITHER = Monoid("any", lambda a, b: a | b, enough=lambda a: a)
