"""Into how many shares axes are divided, and which keys are set apart.

Cells are a grid, one dimension an axis, as long as the axis has shares. A key that many rows hold would fill one cell
of such a grid, however many there are. So heavy keys get grids of their own: for an axis that has some, a grid is for
its heavy keys or for all others, and there is one grid for each way to choose that. In the grid of a heavy key its axis
is of no use, and others are divided instead. Keys say which grid they belong to, so each row of the result is still
found in one cell. Cells that are small go to one task together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import combinations
from typing import Any

from ...notation import Axis, Expression
from .blocks import Grid, Source
from .cell import NUMBER
from .divide import pinned_shares, sources_of
from .frame import STRING, SparkTable

CODE = 4  # bytes of a number that stands for a string, in a block
CELLS = 4  # for each core at most: a task costs about 30 ms
TASK = 3e6  # what it costs, in bytes that could be moved instead
READ = 2**23  # bytes of rows that one task reads from files, and makes blocks of
SCHEDULED = 0.1  # of a task, that it costs even where cores are free
WORK = 4  # what it costs to sort a byte and to loop over it, against moving it
SKEWED = 3  # axes whose heavy keys are set apart, at most: there are two grids for each way to choose
EVEN = 1.5  # times the mean that the largest cell may hold, before there are fewer tasks
MORE = 64  # times as many cells, where they would be too large; beyond, a cell is split when it is run

Sources = tuple[tuple[SparkTable, Source, int], ...]  # the last: how many accesses are to these rows


@dataclass(frozen=True)
class Division:
    """Axes, the grids that they are divided into, and what of each table goes where."""

    axes: tuple[Axis, ...]
    grids: tuple[Grid, ...]
    sources: Sources
    apart: tuple[tuple[int, ...], ...]  # the heavy keys of each axis, as numbers
    numbered: frozenset[tuple[int, int]] = frozenset()  # columns of strings that go as numbers: id of table, column

    @property
    def cells(self) -> int:
        return sum(grid.cells for grid in self.grids)

    def is_divided(self, n: int) -> bool:
        """Whether rows of different cells differ in axis n."""
        return bool(self.apart[n]) or any(grid.shares[n] > 1 for grid in self.grids)

    def sent(self, table: SparkTable, source: Source) -> float:
        """The rows of a table that are sent, copies and all."""
        return sum(rows_in(self, table, source, grid) * copies(source, grid) for grid in self.grids)

    def is_alone(self) -> bool:
        """Whether there is one cell, of one table in small files: it reads them itself, and nothing is moved."""
        tables = {id(t): t for t, _, _ in self.sources}
        return self.cells == 1 and len(tables) == 1 and all(t.is_small() for t in tables.values())

    def moved(self) -> float:
        if self.is_alone():
            return 0.0
        return sum(self.sent(t, s) * self.row_bytes(t, CODE) for t, s, _ in self.sources)

    def row_bytes(self, table: SparkTable, code: int) -> int:
        """The bytes of a row, if a string that is numbered takes so many."""
        many = sum(key == id(table) for key, _ in self.numbered)
        return table.row_bytes() + (code - STRING) * many

    def in_cell(self, grid: Grid) -> float:
        """The bytes that the largest cell of a grid sorts and goes through: once for each access to them."""
        return sum(uses * rows_in_cell(self, t, s, grid) * self.row_bytes(t, NUMBER) for t, s, uses in self.sources)

    def largest(self) -> float:
        return max(self.in_cell(grid) for grid in self.grids)

    @cached_property
    def tasks(self) -> tuple[int, ...]:
        """The task of each cell. Those of one grid have one each; those of several share them, the largest first."""
        if len(self.grids) == 1:
            return tuple(range(self.cells))
        sizes = [self.in_cell(grid) for grid in self.grids for _ in range(grid.cells)]
        many = max(1, min(len(sizes), int(EVEN * sum(sizes) / max(sizes)))) if max(sizes) else 1
        filled, found = [0.0] * many, [0] * len(sizes)
        for cell in sorted(range(len(sizes)), key=lambda n: -sizes[n]):
            found[cell] = filled.index(min(filled))
            filled[found[cell]] += sizes[cell]
        return tuple(found)

    def readers(self) -> int | None:
        """How many tasks read the tables and make blocks of them, if that is known: of small files, few do."""
        tables = {id(t): t for t, _, _ in self.sources}.values()
        if not all(t.is_small() for t in tables):
            return None
        return math.ceil(sum(t.facts.rows * t.row_bytes() for t in tables) / READ) or 1

    def cost(self, cores: int) -> float:
        """Moving it, and what the longest of the cores has to do."""
        moved, tasks = self.moved(), math.ceil(self.cells / cores) + self.cells * SCHEDULED
        movers = min(cores, self.cells, self.readers() or cores)
        longest = max(self.largest(), sum(self.in_cell(grid) * grid.cells for grid in self.grids) / cores)
        return moved / movers + tasks * TASK + WORK * longest

    def told(self) -> list[str]:
        """What goes where, for `explain`."""
        several = sum(self.is_divided(n) for n, _ in enumerate(self.axes))
        strategy = ("one task", "rows by one axis", "HyperCube")[min(several, 2)]
        tasks = max(self.tasks) + 1
        apart = ", heavy keys apart" if any(self.apart) else ", which reads its table" if self.is_alone() else ""
        lines = [f"on Spark: {strategy}{apart}, {self.cells} cells" + f" in {tasks} tasks" * (tasks < self.cells)]
        for keys, axis in zip(self.apart, self.axes, strict=True):
            lines += [f"heavy keys of {axis!r}: {len(keys)}"] * bool(keys)
        for grid in self.grids:
            shares = " × ".join(f"{a!r} {n}" for a, n in zip(self.axes, grid.shares, strict=True) if n > 1) or "1"
            about = ", ".join(f"{self.axes[n]!r}" for n in sorted(grid.heavy))
            lines.append(f"shares{f', {about} heavy' if about else ''}: {shares}")
        for t, source, _ in self.sources:
            by = ", ".join(f"{t.keys[n]} as {self.axes[axis]!r}" for n, axis in source.held) or "nothing"
            sent = self.sent(t, source)
            each = f"  {t.name or 'T'}: {t.facts.rows:,} rows, by {by}, each to {sent / max(t.facts.rows, 1):.3g} cells"
            lines.append(f"{each}, {sent * self.row_bytes(t, CODE) / 1e6:.1f} MB")
        lines.append(f"moved: about {self.moved() / 1e6:.1f} MB; largest cell: {self.largest() / 1e6:.1f} MB")
        return lines


NO_DIVISION = Division((), (Grid((), frozenset(), 0),), (), ())


def rows_in(division: Division, table: SparkTable, source: Source, grid: Grid) -> float:
    """The rows of a table that a grid is about, if keys of different columns have nothing to do with each other."""
    rows = kept(table, source)
    for n, axis in source.held:
        if division.apart[axis]:
            heavy = min(1.0, sum(table.heavy[n].get(key, 0.0) for key in division.apart[axis]))
            rows *= heavy if axis in grid.heavy else 1 - heavy
    return rows


def rows_in_cell(division: Division, table: SparkTable, source: Source, grid: Grid) -> float:
    """Those in the largest cell: keys that there are not cannot fill a share, and one key is never divided."""
    part = 1.0
    for n, axis in source.held:
        apart = division.apart[axis]
        keys = len(apart) if axis in grid.heavy else max(table.facts.distinct[n], 1)
        most = max(table.heavy[n].values(), default=0.0) if grid.shares[axis] > 1 and not apart else 0.0
        part *= most + (1 - most) / min(grid.shares[axis], keys)
    return rows_in(division, table, source, grid) * part


def copies(source: Source, grid: Grid) -> int:
    return grid.cells // math.prod(grid.shares[axis] for _, axis in source.held)


def kept(table: SparkTable, source: Source) -> float:
    """The rows that hold the keys that are pinned, if all are about equally frequent."""
    return table.facts.rows / math.prod(max(table.facts.distinct[n], 1) for n, _ in source.pins)


def divided(inner: Expression, axes: tuple[Axis, ...], cores: int, room: float) -> Division:
    """The cheapest way to divide an expression among cells that have room for so many bytes, or the pinned one."""
    shares, cells = pinned_shares()
    if shares is not None:
        return plain(inner, axes, tuple(shares.get(a.name, 1) for a in axes))
    if not axes:
        return plain(inner, (), ())
    if cells is not None:
        return min((plain(inner, axes, v) for v in factors(len(axes), cells)), key=lambda d: d.cost(cores))
    most = CELLS * cores
    while (found := cheapest(inner, axes, cores, most, room)).largest() > room and most < MORE * CELLS * cores:
        most *= 2
    return found


def cheapest(inner: Expression, axes: tuple[Axis, ...], cores: int, most: int, room: float) -> Division:
    """With at most so many cells; those that have room come first."""

    def price(division: Division) -> tuple[bool, float, float]:
        over = division.largest() > room
        return over, division.largest() if over else 0.0, division.cost(cores)

    sources = cache(partial(sources_of, inner, axes))  # many ways divide the same axes
    best = plain(inner, axes, cheapest_shares(len(axes), most, lambda v: price(plain(inner, axes, v, sources))))
    heavy = heavy_keys(inner, axes, most)
    skewed = [n for n, keys in enumerate(heavy) if keys]
    for choice in subsets(skewed):
        apart = tuple(keys if n in choice else () for n, keys in enumerate(heavy))
        best = min(best, set_apart(inner, axes, apart, cores, most, room), key=price)
    return best


def plain(
    inner: Expression, axes: tuple[Axis, ...], shares: tuple[int, ...], sources: Callable[..., Sources] | None = None
) -> Division:
    """One grid. `sources`: what of each table is needed where, if some axes are divided."""
    divided = frozenset(n for n, share in enumerate(shares) if share > 1)
    found = sources_of(inner, axes, divided) if sources is None else sources(divided)
    return Division(axes, (Grid(shares, frozenset(), 0),), found, ((),) * len(axes))


def set_apart(
    inner: Expression, axes: tuple[Axis, ...], apart: tuple[tuple[int, ...], ...], cores: int, most: int, room: float
) -> Division:
    """A grid for each way to say which axes have a heavy key; each as cheap as can be, with its part of the cells."""
    every = range(len(axes))
    sources = sources_of(inner, axes, set(every))
    skewed = [n for n in every if apart[n]]
    grids: list[Grid] = []
    lone = {
        frozenset(heavy): Division(axes, (Grid((1,) * len(axes), frozenset(heavy), 0),), sources, apart)
        for heavy in [(), *subsets(skewed)]
    }
    whole = sum(division.moved() for division in lone.values())
    for heavy, division in lone.items():
        limit = max(1, math.ceil(most * division.moved() / whole)) if whole else 1
        first = sum(grid.cells for grid in grids)

        def price(shares: tuple[int, ...], heavy: frozenset[int] = heavy) -> tuple[bool, float]:
            alone = Division(axes, (Grid(shares, heavy, 0),), sources, apart)
            return alone.largest() > room, alone.cost(cores)

        grids.append(Grid(cheapest_shares(len(axes), limit, price), heavy, first))
    divided = {n for n in every if apart[n] or any(grid.shares[n] > 1 for grid in grids)}
    return Division(axes, tuple(grids), sources_of(inner, axes, divided), apart)


def heavy_keys(inner: Expression, axes: tuple[Axis, ...], most: int) -> tuple[tuple[int, ...], ...]:
    """For each axis the keys that one of its columns holds in more rows than half a cell has; of the worst axes."""
    found: list[dict[int, float]] = [{} for _ in axes]
    for table, source, _ in sources_of(inner, axes, set(range(len(axes)))):
        for n, axis in source.held:
            for key, part in table.heavy[n].items():
                if part > 1 / (2 * most):
                    found[axis][key] = max(part, found[axis].get(key, 0.0))
    worst = sorted(range(len(axes)), key=lambda n: -max(found[n].values(), default=0.0))[:SKEWED]
    return tuple(tuple(sorted(keys)) if n in worst else () for n, keys in enumerate(found))


def factors(count: int, cells: int) -> Iterator[tuple[int, ...]]:
    """Every way to give so many axes shares that make just so many cells."""
    if count == 1:
        yield (cells,)
        return
    for n in range(1, cells + 1):
        if cells % n == 0:
            for rest in factors(count - 1, cells // n):
                yield (n, *rest)


def subsets(numbers: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Every choice of some of them, but none at all."""
    for many in range(1, len(numbers) + 1):
        yield from combinations(numbers, many)


def cheapest_shares(count: int, most: int, price: Callable[[tuple[int, ...]], Any]) -> tuple[int, ...]:
    """Of the ways to give so many axes shares, with at most so many cells, one that is cheap.

    For up to three axes the cheapest of all numbers to 8, and powers of two beyond. For more, that of those that are
    passed if again and again the axis is doubled for which it costs least.
    """
    if count <= 3:
        return min(shared(count, most), key=price)
    best = now = (1,) * count
    while 2 * math.prod(now) <= most:
        now = min((tuple(2 * n if k == m else n for k, n in enumerate(now)) for m in range(count)), key=price)
        best = min(best, now, key=price)
    return best


def shared(count: int, most: int) -> Iterator[tuple[int, ...]]:
    if count == 0:
        yield ()
        return
    for n in (*range(1, min(most, 8) + 1), *(2**k for k in range(4, most.bit_length()))):
        for rest in shared(count - 1, most // n):
            yield (n, *rest)
