"""Monoids: associative ways to combine two values, for consumers that have no neutral element to start from.

>>> LEAST.combine(2, 3), GREATEST.combine((1, 5), (2, 4))
(2, (2, 5))
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .words import by_component, maximum, minimum


@dataclass(frozen=True)
class Monoid:
    """An associative way to combine two values; tuples by component."""

    name: str
    operation: Callable[[Any, Any], Any]

    def combine(self, a: Any, b: Any) -> Any:
        return by_component(self.operation, a, b)


LEAST = Monoid("least", minimum)
GREATEST = Monoid("greatest", maximum)
