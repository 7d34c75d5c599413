"""A way to answer a question: what is timed, and what makes its answer comparable."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass
class Way:
    """`run` is timed; `answer` turns what it returned into numbers, and is not."""

    run: Callable[[], Any]
    answer: Callable[[Any], Any] = lambda returned: [returned]


def summary(keys: list[Any], values: Any) -> list[float]:
    """Rows with their values, in whatever order: how many, their sum, and a sum that looks at the keys too."""
    values = np.asarray(values, np.float64)
    mixed = sum(np.asarray(key, np.int64) * prime for key, prime in zip(keys, (7919, 104729, 31), strict=False))
    return [float(values.size), float(values.sum()), float((values * (mixed % 1009)).sum())]


def by_key(rows: dict[Any, float]) -> list[float]:
    """A few rows: their values in the order of the keys."""
    return [rows[key] for key in sorted(rows)]
