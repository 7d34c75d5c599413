"""The interpreted engine: the definitions as they stand, on Python's own numbers. The meaning of everything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..storage.column import Array, key_array, numbers
from ..storage.gathered import Gathered
from ..stream import interpreted as run_plainly
from ..structure import leaves, rebuild


def interpreted(consume: Callable[[], Any]) -> Any:
    """Run a consumer step by step."""
    result = run_plainly(consume)
    parts = leaves(result)
    once = {id(leaf): leaf for leaf in parts if isinstance(leaf, Gathered)}  # one may be returned twice
    made = {n: leaf.made(array_of) for n, leaf in once.items()}
    done = [made.get(id(leaf), leaf) for leaf in parts]
    return rebuild(result, iter(done))


def array_of(level: Gathered, role: str) -> Array:
    """What was gathered in a list, as an array."""
    items = level.buffers[role].items if role in level.buffers else []
    if role == "starts":
        return np.array(items, np.int64)
    return key_array(items) if role == "keys" else numbers(items, "values")
