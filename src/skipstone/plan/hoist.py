"""Hoisting: runs of keys that an inner loop meets again and again are kept in a workspace, made once further out.

In `E[a, b] * E[b, c] * E[a, c]` the run of c under a stays the same while b goes on, and is met with one run after
another. Kept, with its keys marked, each meeting is a walk along the other run that reads a mark a step; or, where that
run is far longer, a search in it. In a four-clique the meeting of two runs is kept, and met with a third.

What hangs on no key outside, such as the sums of a part that was summed first, is kept before all loops.

Only what is made at most once for the same keys outside is kept, so that keeping costs no more than meeting did.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..notation import place
from .prepare import Walk

USES = 1.5  # expected meetings for each time that something is kept
BEFORE = -1
CLEARED = 8  # marks, in the time of a step
FEW, SPARE = 2**16, 16  # marks that there may always be, and that there may be for each row of the largest table
MOST = 2**32  # marks that there may never be: the number of each fits in four bytes


@dataclass(frozen=True, eq=False)
class Hoist:
    """What is kept along the axis of loop `level`, in the body of loop `after`: the meeting of some walks' runs.

    After loop `BEFORE` is before all of them.
    """

    level: int
    after: int
    members: tuple[int, ...]
    start: Hoist | None  # what was kept of some of them before
    marked: bool

    def when(self, order: Sequence[Any]) -> str:
        return "before all loops" if self.after == BEFORE else f"for each {order[self.after]!r}"


def hoists(walks: Sequence[Walk], along: Sequence[Sequence[Any]], dense: Any, order: Any, folded: bool) -> list[Hoist]:
    """What is worth keeping. `dense`: the walks, by axis, that have a place for every key, and are asked as they are.
    `folded`: the innermost loop adds up, and can meet its runs as it goes."""
    found: list[Hoist] = []
    for level, axis in enumerate(order.axes):
        bound = {
            n: max((place(order.axes, a) for a in outside(along[n], axis)), default=BEFORE)
            for n, axes in enumerate(along)
            if any(axis is a for a in axes) and (n, id(axis)) not in dense
        }
        if not bound or not is_marked(walks, list(bound), axis):
            continue
        free = [n for n, at in bound.items() if at == BEFORE]
        least = BEFORE if level and free and repays_before(walks, free, axis, order.work[level]) else 0
        stages = sorted({at for at in bound.values() if at >= least})
        last: Hoist | None = None
        for after in stages:
            members = tuple(n for n, at in bound.items() if least <= at <= after)
            final = after == stages[-1]
            if final and (last is None or last.after == BEFORE or (folded and level == len(order.axes) - 1)):
                break  # met where it is used
            if final or after == BEFORE or repays(members, along, axis, order, after, level):
                # The last one holds all that meets there, what is the same for all keys outside included.
                last = Hoist(level, after, tuple(bound) if final else members, last, marked=not final)
                found.append(last)
    return found


def outside(axes: Sequence[Any], axis: Any) -> list[Any]:
    """The axes of a walk outside of one."""
    return list(axes[: place(axes, axis)])


def repays(members: Sequence[int], along: Any, axis: Any, order: Any, after: int, level: int) -> bool:
    """Whether it is made once for the keys outside, and then used often enough."""
    prefix = {id(a) for n in members for a in outside(along[n], axis)}
    once = prefix == {id(a) for a in order.axes[: after + 1]}
    return once and order.most[level - 1] >= USES * order.most[after]


def repays_before(walks: Sequence[Walk], members: Sequence[int], axis: Any, work: float) -> bool:
    """Whether what is kept before all loops is used often enough."""
    return work >= steps_before(walks, members, axis, USES)


def steps_before(walks: Sequence[Walk], members: Sequence[int], axis: Any, each: float = 1.0) -> float:
    """What it takes to keep a run before all loops, with so many steps for each key; marks are to be cleared."""
    keys = min(walks[n].table.distinct([place(walks[n].axes, axis)]) for n in members)
    return float(each * keys + span(walks, members, axis)[1] / CLEARED)


def is_marked(walks: Sequence[Walk], members: Sequence[int], axis: Any) -> bool:
    """Whether there can be a mark for each key of an axis."""
    return marks(*span(walks, members, axis), max(walks[n].table.size for n in members)) is not None


def marks(lowest: Any, highest: Any, rows: int) -> int | None:
    """How many marks it takes for all keys between two; None if they are too many for tables of so many rows."""
    fit = isinstance(lowest, int) and lowest >= 0 and highest < min(FEW + SPARE * rows, MOST - 1)
    return int(highest) + 1 if fit else None


def span(walks: Sequence[Walk], members: Sequence[int], axis: Any) -> tuple[Any, Any]:
    """The smallest and largest key of an axis in some walks."""
    spans = [walks[n].table.span(place(walks[n].axes, axis)) for n in members]
    return min(lo for lo, _ in spans), max(hi for _, hi in spans)
