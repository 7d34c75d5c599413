"""Products that are added: as their rows are found, where that is possible, and otherwise when all of them are there.

A[i, j] * B[i, j] + C[i, j]      # one loop nest, the union of two streams
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import is_
from typing import Any

from ..algebra import Semiring, plus_times
from ..keys import meeting
from ..notation import Axis
from .loops import Loops
from .step import tables_joined


def can_be_added(several: Sequence[Any]) -> bool:
    """Whether the rows of products can be added as they are found: of tables that meet along the same axes."""
    if not all(isinstance(loops, Loops) and is_cell_by_cell(loops) for loops in several):
        return False
    first = several[0]
    if not all(len(loops.order) == len(first.head) and all(map(is_, loops.order, first.order)) for loops in several):
        return False
    for axis in first.head:
        domains = [loops.term.domains[id(axis)] for loops in several]
        if any(move is not None for move in meeting(domains, [axis.name] * len(domains))[1]):
            return False
    return True


def is_cell_by_cell(loops: Loops) -> bool:
    """Whether each of its rows is one of every table, and nothing else is asked.

    Then what a loop holds is what it has come to, and nothing that only some of its turns have found.
    """
    term = loops.term
    whole = all(len(along) == len(loops.order) for along in loops.along)
    looked_at = [x for factor in (*term.factors, *term.tests) for x in factor.sources]
    more = term.absents or term.optionals or term.conditions or term.inners or loops.runs.hoists
    return whole and not more and not any(isinstance(x, Axis) for x in looked_at)


def added(found: list[Any], head: tuple[Any, ...], semiring: Semiring, one_row: bool) -> Any:
    """What the products of an expression come to."""
    if not head:
        there = [x for x in found if x is not None]
        return None if one_row and not there else numbers_added(there, semiring)
    joined = tables_joined(found)
    if semiring.enough is True:
        joined.values[:] = [v != 0 for v in joined.values]
    return joined


def numbers_added(found: list[Any], semiring: Semiring) -> Any:
    if not found:
        return semiring.zero if semiring.plus is plus_times.plus else False if semiring.enough is True else None
    total = found[0]
    for x in found[1:]:
        total = semiring.plus(total, x)
    return bool(total) if semiring.enough is True else total
