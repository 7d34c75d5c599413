"""A product that was planned and compiled: it is run, as often as one likes, without looking at its tables again.

It holds the arrays that its loops read, and neither a table nor an expression, so that keeping it keeps none of those.
What an earlier step has summed first is made anew each time, and not held either.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any

import numpy as np

from ..algebra import Semiring, plus_times
from ..combinators.union import add
from ..duplicates import combined
from ..keys import Domain, meeting
from ..notation import place
from ..storage.build import Rows
from ..storage.column import Array
from ..storage.gathered import Gathered, gather
from ..storage.runs import Behind, Runs
from ..stream import again, run
from ..table import Table
from ..watch import along
from ..words import Parameter
from .likeness import likeness, parts_of, sources
from .loops import Loops
from .threads import Outermost, in_threads, threads_now

Bounds = tuple[Any, Any]
Tables = list[Any]  # what the steps before have found


@dataclass(frozen=True)
class Part:
    """A table that an earlier step has found, or some of its columns, sorted along an order."""

    step: int
    columns: tuple[int, ...] | None
    order: tuple[int, ...]

    def trie(self, tables: Tables) -> Any:
        table = tables[self.step]
        return (table if self.columns is None else table.projected(self.columns)).trie(self.order)


@dataclass
class Steps:
    """The products of an expression. Those at the `ends` are added; each of the others is read by one behind it."""

    steps: list[Step]
    ends: list[int]

    def run(self) -> list[Any]:
        """What is to be added."""
        tables: Tables = []
        for step in self.steps:
            tables.append(step.run(tables))
        return [tables[n] for n in self.ends]

    def lasts(self) -> bool:
        """Whether it may be kept: what runs it stays the same, and it reads what it finds, not a copy made of that."""
        read = {*self.ends, *(n for step in self.steps for n in step.reads)}
        return all(step.lasts for step in self.steps) and len(read) == len(self.steps)


@dataclass
class Step:
    """One product: the ranges of outermost keys that it is run for, what runs each, and what becomes of its rows."""

    head: tuple[Any, ...]
    semiring: Semiring
    outermost: Callable[[Tables], Outermost]
    pieces: list[tuple[Bounds, Callable[[Tables], Callable[[], Any]]]]
    rows: FoundRows | None  # None where there are no axes left, and a number is found
    lasts: bool  # what runs it depends on nothing that may change
    reads: set[int]  # the steps whose tables it reads

    def run(self, tables: Tables) -> Any:
        """A table over the head, or a number; None where there is nothing."""
        results = along(self.outermost(tables), lambda: self.in_pieces(tables))
        if len(results) == 1:
            return results[0]
        if self.rows is not None:
            return self.rows.joined(results)
        there = [x for x in results if x is not None]
        return reduce(self.semiring.plus, there) if there else None

    def in_pieces(self, tables: Tables) -> list[Any]:
        # What they read is laid out here, once, and not in each of the threads.
        runs = [ready(tables) for _, ready in self.pieces]
        if len(runs) == 1:
            return [self.made(runs[0]())]
        each = {id(bounds): run for (bounds, _), run in zip(self.pieces, runs, strict=True)}
        return in_threads(lambda bounds: self.made(each[id(bounds)]()), [bounds for bounds, _ in self.pieces])

    def made(self, found: Any) -> Any:
        """What is made of what the loops found."""
        if self.rows is not None:
            return self.rows.table(*found)
        return found[1] if found[0] else None


def planned(added: Sequence[Loops], ranges: list[Bounds], tables: Tables) -> Step:
    """Loops whose rows are added, ready to be run for each of these ranges; compiled, if none like them were.

    `tables` are those that were found before.
    """
    loops, alike = added[0], [likeness(loops) for loops in added]
    key, head = None if None in alike else tuple(alike), loops.left
    parts = {n: part for loops in added for n, part in parts_read(loops, tables).items()}
    pieces, lasts = [], True
    for bounds in ranges:
        consume = partial(consumed, added, bounds)
        read = [source for loops in added for source in sources(loops, bounds)]
        ready = again(None if key is None else (key, *map(limit, bounds)), read, consume)
        lasts &= ready is not None
        pieces.append((bounds, anew(consume) if ready is None else bound(ready, read, parts)))
    reads = {part.step for part, _ in parts.values()}
    semiring = loops.semiring if loops.used is None else loops.used.semiring
    return Step(head, semiring, path_of(loops, parts), pieces, rows_of(loops) if head else None, lasts, reads)


def limit(bound: Parameter | None) -> int | None:
    """What code may take for granted of a bound: how far it always lies below."""
    return None if bound is None else bound.below


def parts_read(loops: Loops, tables: Tables) -> dict[int, tuple[Part, int]]:
    """What the loops read of tables that were found before: arrays and sizes, by id, as the number of one in a trie."""
    read: dict[int, tuple[Part, int]] = {}
    for walk, axes, trie in zip(loops.walks, loops.along, loops.tries, strict=True):
        order = tuple(place(walk.axes, axis) for axis in axes)
        for step, table in enumerate(tables):
            columns = table.projection(walk.table) if isinstance(table, Table) else None
            if table is walk.table or columns is not None:
                read |= {id(x): (Part(step, columns, order), n) for n, x in enumerate(parts_of(trie))}
    for within in loops.within:
        read |= parts_read(within.loops, tables)
    return read


def anew(consume: Callable[[], Any]) -> Callable[[Tables], Callable[[], Any]]:
    return lambda tables: partial(run, consume)


def bound(
    ready: Callable[[list[Any]], Callable[[], Any]], read: list[Any], parts: dict[int, tuple[Part, int]]
) -> Callable[[Tables], Callable[[], Any]]:
    """What runs a piece, once it is given the tables that were found before."""
    slots = [(n, *parts[id(x)]) for n, x in enumerate(read) if id(x) in parts]
    if not slots:
        whole = ready(read)
        return lambda tables: whole
    held = [None if id(x) in parts else x for x in read]

    def on_parts(tables: Tables) -> Callable[[], Any]:
        filled = list(held)
        tries = {part: parts_of(part.trie(tables)) for _, part, _ in slots}
        for n, part, m in slots:
            filled[n] = tries[part][m]
        return ready(filled)

    return on_parts


def path_of(loops: Loops, parts: dict[int, tuple[Part, int]]) -> Callable[[Tables], Outermost]:
    """The outermost keys, given the tables that were found before."""
    axis, trie = loops.order[0], loops.outermost()
    part, _ = parts.get(id(parts_of(trie)[0]), (None, 0))
    if part is not None:
        return lambda tables: Outermost(axis, part.trie(tables).root)
    outermost = Outermost(axis, trie.root)
    return lambda tables: outermost


def consumed(added: Sequence[Loops], bounds: Bounds) -> Any:
    """What is left to do with the loops: gather the rows; without a head there are none."""
    stream = reduce(add, (loops.stream(bounds) for loops in added))
    return gather(stream, None, GatheredRows) if added[0].left else stream


class GatheredRows(Gathered):
    """What is gathered for a table, which need not be in order."""

    def made(self, arrays: Any) -> tuple[Rows, bool, Any]:
        """Rows, whether they are in order, and what makes values of them."""
        ordered = all(level.ordered or not self.is_done(level) for level in self.levels())
        rows, make = self.rows(arrays)
        return rows, ordered, make

    def is_done(self, level: Gathered) -> bool:
        # What is added in another way than by plus is put together by `FoundRows`.
        return level.ordered or level.places is not None or level.plus is not plus_times.plus


@dataclass
class FoundRows:
    """How the rows that loops find become a table. `at`: the places of the head's axes among the loops."""

    names: list[str]
    domains: list[Domain]
    at: list[int]
    packed: list[int]  # how many places each of the last axes has, if their keys come as one number
    combine: Semiring | None  # what adds rows that are equal, where the loops could not
    apart: bool  # ranges of the outermost keys have different rows, those of one behind those of the one before

    def joined(self, tables: list[Table]) -> Table:
        """The rows of all ranges."""
        there = [table for table in tables if table.size]
        runs = [table.runs for table in there if isinstance(table.runs, Runs)]
        if self.apart and runs and len(runs) == len(there):
            return Table(self.names, Behind(runs, threads_now()), self.domains, make=there[0].make)
        return tables_joined(tables)

    def table(self, rows: Rows, ordered: bool, make: Any) -> Table:
        if not rows.keys[-1].size:
            return empty(self.names, self.domains, rows.leaves, make)
        if not self.packed and self.combine is None:
            return Table(self.names, Runs(rows, tuple(self.at), ordered), self.domains, make=make)
        keys, values = Runs(rows, tuple(range(len(rows.keys))), ordered).columns(), rows.leaves
        if self.packed:
            keys = [*keys[:-1], *unpacked(keys[-1], self.packed)]
        codes = [keys[n] for n in self.at]
        if self.combine is not None:
            codes, values = combined(codes, values, self.combine, self.names, self.domains)
        return Table(self.names, codes, self.domains, values, make)


def rows_of(loops: Loops) -> FoundRows:
    """What there is to know about the rows that loops will find."""
    head, semiring = loops.left, loops.semiring
    levels = [a for a in loops.order if place(head, a) >= 0]
    domains = [loops.term.domains[id(h)] for h in head]
    late = loops.used is None and loops.planned.late(head)
    by_hand = semiring.plus is not plus_times.plus and late and loops.places() is None
    return FoundRows(
        [h.name for h in head],
        domains,
        [place(levels, h) for h in head],
        loops.packed_sizes(),
        semiring if by_hand else None,  # an order that was pinned
        place(head, loops.order[0]) >= 0,
    )


def unpacked(packed: Array, sizes: list[int]) -> list[Array]:
    """The keys of several axes, from one number for all of them."""
    found: list[Array] = []
    for size in reversed(sizes):
        packed, keys = np.divmod(packed, size)
        found.insert(0, keys)
    return found


def empty(names: Sequence[str], domains: Sequence[Domain], values: Sequence[Array] = (), make: Any = None) -> Table:
    return Table(names, [d.no_codes() for d in domains], domains, values or [np.zeros(0, np.int64)], make)


def tables_joined(found: list[Table]) -> Table:
    """The rows of all of them; equal rows are added, as in any table."""
    found = [t for t in found if t.size] or found[:1]
    first = found[0]
    if len(found) == 1:
        return first
    codes, domains = [], []
    for n, key in enumerate(first.keys):
        domain, moves = meeting([t.domains[n] for t in found], [key] * len(found))
        parts = [t.codes[n] if move is None else move[t.codes[n]] for t, move in zip(found, moves, strict=True)]
        codes.append(np.concatenate(parts))
        domains.append(domain)
    values = [np.concatenate([t.values[n] for t in found]) for n, _ in enumerate(first.values)]
    return Table(first.keys, codes, domains, values, first.make)
