"""Which seek: chosen by a look at the data, when sorted arrays are multiplied.

Where keys lie equally close in all of them, a step at a time is best, and looking ahead costs 5 to 14 %. Where they do
not, one leaps. A look takes some microseconds, so only long arrays are looked at; both seeks are right on any data.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..words import Kernel
from .column import Array, Column
from .seeking import LOOPS, adaptive, linear

BY_DATA = Kernel(adaptive, "int", LOOPS["adaptive"])  # as long as nothing else is known
CLOSE = Kernel(linear, "int")

LONG = 2**16  # keys from which it is worth a look
LOOKS, RUN = 32, 16  # so many runs of so many keys are looked at
TIMES = 4  # and in each, the other array must have as many, within this factor


def is_short(column: Any) -> bool:
    """Whether an array is not worth a look."""
    return isinstance(column, Column) and column.array.size < LONG


def chosen(column: Column, others: list[Column]) -> Kernel:
    """How to seek in an array that is multiplied with others."""
    if any(map(is_short, (column, *others))):
        return BY_DATA
    return CLOSE if all(are_close(column.array, other.array) for other in others) else BY_DATA


def are_close(a: Array, b: Array) -> bool:
    """Whether the keys of both lie equally close, wherever one looks."""
    at = np.linspace(0, a.size - RUN - 1, LOOKS).astype(np.int64)
    within = np.searchsorted(b, a[at + RUN]) - np.searchsorted(b, a[at])
    alike = (within * TIMES >= RUN) & (within <= RUN * TIMES)
    return bool(alike.mean() > 0.9)
