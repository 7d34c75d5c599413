"""A run that is watched: which keys each source stood at, which it only read on its way, and where it leapt.

The run is real, and interpreted: the definitions of the library, step by step, with each source inside of a stream that
does the same and takes notes. Tables are laid out with the keys that they have (compressed), and nothing is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from functools import partial
from itertools import islice
from typing import Any, ClassVar

import numpy as np

from ..algebra import plus_times
from ..errors import BadOption
from ..notation import Aggregate, Expression, is_one, place
from ..plan.loops import Loops
from ..plan.prepare import prepared
from ..plan.run import Runner, chosen, engine_of
from ..plan.term import terms
from ..storage.levels import SortedRun
from ..storage.nesting import nested
from ..stream import Stream, interpreted

KEYS = 5_000  # of a source, that are looked through
STEPS = 20_000  # of all loops together, after which it is enough


class Enough(Exception):
    """As much was seen as will be drawn."""


@dataclass(eq=False)
class Row:
    """What one source did. A move leads from a key to the next one that it stood at, or to None, its end."""

    name: str
    source: Stream
    panel: Panel
    stood: list[Any] = field(default_factory=list)
    read: set[Any] = field(default_factory=set)
    moves: list[tuple[Any, Any]] = field(default_factory=list)

    def keys(self, last: Any) -> list[Any]:
        """Its keys, up to the last that is drawn."""
        found = []
        for key, _ in islice(self.source, KEYS):
            if last is not None and key > last:
                break
            found.append(key)
        return found


@dataclass(eq=False)
class Panel:
    """What was seen along one axis: under the keys outside that `within` names, if there are loops outside of it."""

    axis: str
    within: str
    named: Callable[[Any], str]
    limit: int
    stops: bool = True  # the run, when there is enough in it
    rows: list[Row] = field(default_factory=list)
    matches: list[Any] = field(default_factory=list)
    cut: bool = False
    others: int = 0  # loops along the same axis, under other keys outside, that are not drawn
    stopped: bool = False  # before the run was over, so there may be more of them

    def watched(self, name: str, source: Stream) -> Watched:
        """A source that takes notes from now on."""
        row = Row(name, source, self)
        self.rows.append(row)
        noted = replace(source, column=Noted(source.column, row)) if isinstance(source, SortedRun) else source
        return Watched(noted, row)

    def went(self, row: Row, before: Any, now: Any) -> None:
        if self.cut or sum(len(each.stood) for each in self.rows) >= self.limit:
            self.cut = True
            if self.stops:
                raise Enough
            return
        row.moves += [] if before is None else [(before, now)]
        row.stood += [] if now is None else [now]


@dataclass(eq=False)
class Noted:
    """A column of keys; what is read from it is noted."""

    column: Any
    row: Row

    def __getitem__(self, i: Any) -> Any:
        key = self.column[i]
        self.row.read.add(key)
        return key

    @property
    def size(self) -> int:
        return int(self.column.size)


class Watched(Stream):
    """The same stream; where it stands, and how it got there, is noted."""

    inner: Stream
    row: Row

    def at(self, q: Any) -> Any:
        return self.inner.index(q) if self.inner.valid(q) else None

    def moved(self, q: Any, new: Any) -> Any:
        if new != q:
            self.row.panel.went(self.row, self.at(q), self.at(new))
        return new

    def start(self) -> Any:
        q = self.inner.start()
        self.row.panel.went(self.row, None, self.at(q))
        return q

    def valid(self, q: Any) -> Any:
        return self.inner.valid(q)

    def ready(self, q: Any) -> Any:
        return self.inner.ready(q)

    def index(self, q: Any) -> Any:
        return self.inner.index(q)

    def seek(self, q: Any, key: Any, strict: Any) -> Any:
        return self.moved(q, self.inner.seek(q, key, strict))

    def next(self, q: Any) -> Any:
        return self.moved(q, self.inner.next(q))

    def value(self, q: Any) -> Any:
        return self.inner.value(q)

    def key_kind(self) -> str | None:
        return self.inner.key_kind()


# ---------------------------------------------------------------------- streams


def seen_in_stream(stream: Stream, limit: int) -> list[Panel]:
    """One panel: the outermost keys."""
    if not stream.ordered:
        raise BadOption("an unordered stream visits all of its keys, and leaps over none", "Take an ordered one.")
    panel = Panel("", "", str, limit)

    def with_notes(part: Any) -> Any:
        if isinstance(part, tuple):
            return tuple(map(with_notes, part))
        if not isinstance(part, Stream):
            return part
        inner = {f.name: getattr(part, f.name) for f in fields(part)}  # type: ignore[arg-type]
        changed = {name: with_notes(x) for name, x in inner.items()}
        if all(changed[name] is inner[name] or changed[name] == inner[name] for name in inner):
            return panel.watched(f"{chr(ord('a') + len(panel.rows) % 26)}", part)
        return replace(part, **changed)  # type: ignore[type-var]

    def run() -> None:
        for key, _ in with_notes(stream):
            panel.matches.append(key)

    watch(run)
    return [panel]


def watch(run: Callable[[], Any]) -> bool:
    """Run it; whether it came to its end."""
    with suppress(Enough):
        interpreted(run)
        return True
    return False


# ---------------------------------------------------------------------- expressions


class WatchedLoops(Loops):
    """The loops of a product, with notes. Of each axis what was seen first, or first with a match, is kept."""

    limit: ClassVar[int] = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        self.panels: dict[int, Panel] = {}
        self.now: dict[int, Panel] = {}  # that is being filled, by loop
        self.begun: dict[int, int] = {}  # how often, by loop
        self.steps = 0

    def sorted(self) -> list[Any]:
        found = []
        for walk, along in zip(self.walks, self.along, strict=True):
            codes, values = walk.table.content()
            order = [place(walk.axes, axis) for axis in along]
            found.append(nested([codes[n] for n in order], values, walk.table.make, plain=True))
        return found

    def loop(self, k: int, held: Any, keys: tuple[Any, ...]) -> Any:
        if k == len(self.order):
            return super().loop(k, held, keys)
        axis, outside = self.order[k], zip(self.order, keys, strict=False)
        within = ", ".join(f"{a!r} = {self.key_named(a, key)}" for a, key in outside)
        panel = self.now[k] = Panel(repr(axis), within, partial(self.key_named, axis), self.limit, stops=k == 0)
        self.begun[k] = self.begun.get(k, 0) + 1
        held = dict(held)
        for n, along in enumerate(self.along):
            if is_one(axis, along) and isinstance(held.get(n), Stream):
                absent = "~" if n in self.absent else ""
                held[n] = panel.watched(f"{absent}{self.walks[n].source!r}", held[n])
        try:
            return super().loop(k, held, keys)
        finally:
            if k not in self.panels or (panel.matches and not self.panels[k].matches):
                self.panels[k] = panel

    def folded(self, stream: Stream, body: Callable[[Any, Any], Any], k: int) -> Any:
        panel = self.now[k]

        def noted(key: Any, value: Any) -> Any:
            panel.matches += [] if panel.cut else [key]
            self.steps += 1
            if self.steps > STEPS:
                raise Enough
            return body(key, value)

        return super().folded(stream, noted, k)

    def key_named(self, axis: Any, code: Any) -> str:
        return str(self.term.domains[id(axis)].listed(np.array([code]))[0])


def seen_in_expression(expression: Expression, limit: int) -> list[Panel]:
    """A panel an axis, in the order of the loops. Of several products that are added, the first."""
    if engine_of(expression) is not None:
        raise BadOption("the rows of this expression are on Spark, where nobody watches", "Take a part of them here.")
    aggregate = expression if isinstance(expression, Aggregate) else Aggregate(expression, (), plus_times)
    semiring = aggregate.semiring
    first = prepared(terms(aggregate.inner, partial(Runner().inside, semiring))[0])
    if first.impossible or not first.walks:
        raise BadOption(f"there is nothing to visit in {expression!r:.80}", "Is a key in it that no table holds?")
    loops = WatchedLoops(first, chosen(first, (), semiring, None), (), semiring, hoisting=False)
    loops.limit = limit  # type: ignore[misc]
    ended = watch(loops.stream)
    for k, panel in loops.panels.items():
        panel.others, panel.stopped = loops.begun[k] - 1, not ended
    return [loops.panels[k] for k, _ in enumerate(loops.order) if k in loops.panels]
