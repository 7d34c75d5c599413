"""Rows with the same keys: what becomes of their values when they are made one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np

from .algebra import Semiring, max_plus, min_plus, plus_times
from .counting import counted
from .errors import BadOption, RepeatedKey
from .keys import Domain
from .storage.build import add_runs
from .storage.collection import flat
from .storage.column import Array
from .storage.sorting import packed_order

WAYS: dict[str, Semiring] = {"plus": plus_times, "min": min_plus, "max": max_plus}
KNOWN = '"plus", "min", "max", "count", "refuse" or a semiring'


def combined(
    codes: Sequence[Array], values: Sequence[Array], how: str | Semiring, keys: Sequence[str], domains: Sequence[Domain]
) -> tuple[list[Array], list[Array]]:
    """Each row once, values combined as asked; in the order of their keys, if there was anything to do."""
    if not isinstance(how, Semiring) and (not isinstance(how, str) or how not in (*WAYS, "count", "refuse")):
        raise BadOption(f"combine={how!r}", f"Say {KNOWN}.")
    if how == "count" and values:
        raise BadOption('combine="count" makes the values: how many rows have the same keys', "Leave `value` out.")
    order = packed_order(list(codes))
    fresh = np.zeros(order.size, bool)
    fresh[:1] = True
    for c in codes:
        fresh[1:] |= c[order[1:]] != c[order[:-1]]
    starts = np.flatnonzero(fresh)
    if how == "count":
        return [c[order[starts]] for c in codes], [np.diff(np.append(starts, order.size))]
    if starts.size == order.size:
        return list(codes), list(values)
    if how == "refuse":
        one, again = order[int(np.flatnonzero(~fresh)[0])], order.size - starts.size
        at = ", ".join(f"{k}={d.listed(c[[one]])[0]!r}" for k, d, c in zip(keys, domains, codes, strict=True))
        raise RepeatedKey(
            f"{counted(again, 'row')} {'has' if again == 1 else 'have'} the keys of another; one is {at}",
            f"Say how to make them one: combine={KNOWN}.",
        )
    semiring = how if isinstance(how, Semiring) else WAYS[how]
    return [c[order[starts]] for c in codes], [runs(v[order], starts, semiring) for v in values]


def runs(values: Array, starts: Array, semiring: Semiring) -> Array:
    """The sum, in a semiring, of each run of values."""
    if semiring.plus is plus_times.plus:
        return add_runs(values, starts)
    for same, ufunc in ((min_plus, np.minimum), (max_plus, np.maximum)):
        if semiring.plus is same.plus:
            found: Array = ufunc.reduceat(values, starts)
            return found
    ends: list[Any] = [*starts.tolist(), values.size]
    return flat(np.array([reduce(semiring.plus, values[a:b].tolist()) for a, b in pairwise(ends)]))
