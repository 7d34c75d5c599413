"""From a planned product to streams: one level a loop, in the order of the axes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial, reduce
from typing import TYPE_CHECKING, Any

from ..algebra import Semiring, is_known, plus_times
from ..combinators import Slice, Unordered
from ..combinators.beside import Beside
from ..combinators.found import Found
from ..combinators.guarded import Guarded
from ..combinators.through import Through
from ..errors import UnsupportedValue
from ..notation import Axis, Condition, is_one, place
from ..storage.levels import Placed
from ..storage.workspace import Asked, Sums
from ..stream import Stream
from ..words import Parameter, maximum, minimum, parameter, plus, select, tell
from .comparing import compared, number
from .hoist import BEFORE, MOST, span
from .meeting import Held, Meeting
from .order import Order, packed_places
from .prepare import Inner, Prepared, Walk
from .summing import begins_with_nothing, has_enough, present, summed, summed_with_zeros, tested
from .term import At, product, times
from .threads import FURTHER, sorted_copies
from .within import Within, ends, inner_order

if TYPE_CHECKING:
    from .used import Used

TABLE = 2**16  # steps in the time that it takes to make a table of what was gathered


@dataclass
class Loops:
    """A product as nested loops. `loop(0, …)` is all of it."""

    term: Prepared
    planned: Order
    head: tuple[Any, ...]
    semiring: Semiring
    hoisting: bool = True

    def __post_init__(self) -> None:
        self.order = self.planned.axes
        self.walks = [*self.term.walks, *self.term.absents, *self.term.optionals]
        self.absent = range(len(self.term.walks), len(self.term.walks) + len(self.term.absents))
        self.optional = range(self.absent.stop, len(self.walks))
        self.along = [tuple(a for a in self.order if any(a is b for b in w.axes)) for w in self.walks]
        self.tries = self.sorted()
        self.within = [self.summed_within(inner) for inner in self.term.inners]
        self.pins: dict[int, Any] = {}  # axes that are held to a key, by id
        walks, folded = self.term.walks, not any(self.order[-1] is h for h in self.head)
        along = self.along[: len(walks)]
        self.runs = Meeting(walks, along, self.tries, self.planned, self.hoisting, folded, self.bears_absence)
        self.sliced: int | None = None
        self.used: Used | None = None
        late = self.planned.late(self.head)
        sizes = [self.runs.places[place(self.order, axis)] for axis in late]
        together = packed_places([None if size is None else size.value for size in sizes], self.planned.most[-1])
        self.packed = late if len(late) > 1 and together is not None else []
        self.packed_places = Parameter(together, "places", MOST) if self.packed else None
        self.multiplied = self.taken_out_of_sums()

    def taken_out_of_sums(self) -> list[tuple[list[Any], tuple[Any, ...]]]:
        """The factors and numbers that are multiplied with what each loop comes to, and last, those of a row.

        A factor is taken out of the sums along the innermost axes as far as it does not depend on them: what was
        Σ A[i, j] * B[i, k] * C[j, k] along k is A[i, j] times a sum.
        """
        depth, factors = len(self.order), self.term.factors
        lasts = [max((place(self.order, axis) for axis in factor.axes()), default=-1) for factor in factors]
        found: list[tuple[list[Any], tuple[Any, ...]]] = [([], ()) for _ in range(depth + 1)]
        first = depth
        if self.can_be_taken_out and any(place(walk.axes, self.order[-1]) >= 0 for walk in self.walks_of_floats()):
            while first and not is_one(self.order[first - 1], self.head):
                first -= 1
        for factor, last in zip(factors, lasts, strict=True):
            found[max(last + 1, first)][0].append(factor)
        found[first] = (found[first][0], self.term.numbers)
        if self.laid is not None:  # its zeros come first: what others come to without it may leave int64
            first_of_all = self.walks[self.laid].source
            found[depth][0].sort(key=lambda factor: factor.sources[0] is not first_of_all)
        return found

    @property
    def can_be_taken_out(self) -> bool:
        """Whether a product of a factor and a sum is as good as a sum of products: of floats, all of them. A sum of
        integers may leave int64 where floats would not have, and what is true or false may be any number."""
        floats = len(self.walks_of_floats()) == sum(bool(walk.table.values) for walk in self.term.walks)
        lawful = self.semiring.distributes and self.semiring.enough is None
        return self.hoisting and self.bears_absence and lawful and floats and not (self.within or self.optional)

    def walks_of_floats(self) -> list[Walk]:
        return [
            walk for walk in self.term.walks if [v.dtype.kind for v in walk.table.values] == ["f"] and not walk.silent
        ]

    def summed_within(self, inner: Inner) -> Within:
        order, (first, last) = inner_order(inner, self.planned), ends(inner, self.planned)
        loops = Loops(inner.part, order, (last,), self.semiring, self.hoisting)
        # A place for each key that the part comes to as well: it is filled before the loops outside are asked.
        walks = [walk for walk in (*self.term.walks, *inner.part.walks) if is_one(last, walk.axes)]
        places = Parameter(int(span(walks, range(len(walks)), last)[1]) + 1, "places")
        return Within(loops, first, place(self.order, first), place(self.order, last), places)

    def stream(self, bounds: tuple[Any, Any] = (None, None)) -> Any:
        """What comes of it: a stream keyed by the axes that are left, or without one (found, value).

        `bounds` hold the outermost axis to a range of keys.
        """
        rows = self.loop(0, self.beginning(bounds), ())
        return rows if self.used is None else self.used.of(rows)

    @property
    def left(self) -> tuple[Any, ...]:
        """The axes that are left in the end."""
        return self.head if self.used is None else self.used.head

    def beginning(self, bounds: tuple[Any, Any] = (None, None)) -> Held:
        """What is held before all loops."""
        held: Held = {n: self.stream_of(n) for n, _ in enumerate(self.tries)}
        if self.sliced is not None:
            held[self.sliced] = Slice(held[self.sliced], *bounds)
        self.runs.keep_all(BEFORE, held)
        for within in self.within:
            held[within] = within.loops.beginning()
        return held

    def stream_of(self, n: int) -> Any:
        """A table as it is walked; one that is absent or optional, as it is asked."""
        root = self.tries[n].root
        is_asked = n >= len(self.term.walks) and isinstance(root, Placed)
        return root.places() if is_asked else self.tries[n].stream()

    def first(self) -> int:
        """A walk along the outermost axis; one that goes on along the next, if there is one."""
        walks = self.outer_walks()
        return next((n for n in walks if self.goes_on(n)), walks[0])

    def goes_on(self, n: int) -> bool:
        """Whether the second axis of a walk is that of all loops."""
        return len(self.along[n]) > 1 and self.along[n][1] is self.order[1]

    def stepped(self) -> int:
        """One that is stepped there, where others are asked by place."""
        return self.runs.split(0, self.outer_walks(), None)[0][0]

    def outer_walks(self) -> list[int]:
        return [n for n, _ in enumerate(self.term.walks) if self.along[n][0] is self.order[0]]

    def outermost(self) -> Any:
        """Its table, sorted along the order."""
        return self.tries[self.first()]

    def led_to(self) -> tuple[Any, Any]:
        """The table, sorted along the order, that begins with the second axis of the outermost one; if there is one,
        and enough to do for each row to look there first. And, if there is one, that with which its rows are met: it
        has their next axis below the outermost."""
        along, rows = self.along[self.first()], self.term.walks[self.first()].table.size
        if not self.goes_on(self.first()) or self.work() < FURTHER * rows:
            return None, None
        by_axes = [(tuple(map(id, axes)), trie) for axes, trie in zip(self.along, self.tries, strict=True)]
        walks = by_axes[: len(self.term.walks)]
        axes, further = next(((axes, trie) for axes, trie in walks if axes[0] == id(along[1])), ((), None))
        beside = [trie for other, trie in walks if axes[1:] and other[:2] == (id(along[0]), axes[1])]
        return further, beside[0] if beside else None

    def sorted(self) -> list[Any]:
        """The table of each walk, sorted along its axes."""
        return sorted_copies(self.walks, self.along)

    def loop(self, k: int, held: Held, keys: tuple[Any, ...]) -> Any:
        if k == len(self.order):
            return self.row(held, keys)
        outside = self.value(k, held, keys)
        if outside is self.semiring.one:
            return self.inside(k, held, keys)
        found, inside = self.inside(k, held, keys)
        return present(found, lambda: times(self.semiring, outside, inside), self.semiring.zero, self.is_optional(k))

    def inside(self, k: int, held: Held, keys: tuple[Any, ...]) -> Any:
        """What loop k comes to, but for factors that are taken out of it."""
        axis = self.order[k]
        walked = [n for n, along in enumerate(self.along[: len(self.term.walks)]) if any(axis is a for a in along)]
        ways = [
            (better, partial(self.along_axis, k, held, keys, stream))
            for better, stream in self.runs.ways(k, held, walked, self.sliced)
        ]
        return ways[0][1]() if len(ways) == 1 else select(ways[0][0], ways[0][1], ways[1][1])

    def along_axis(self, k: int, held: Held, keys: tuple[Any, ...], stream: Stream) -> Any:
        """The loop along axis k, over a stream of what the walks along it have at each key."""
        axis = self.order[k]
        active = [n for n, along in enumerate(self.along) if any(axis is a for a in along)]
        walked = [n for n in active if n < len(self.term.walks)]
        if id(axis) in self.pins:
            stream = compared(stream, "==", self.pins[id(axis)], False)
        for condition in self.term.conditions:
            stream = self.held_to(stream, condition, k, keys)
        for within in self.within:
            if within.level == k:
                stream = stream.filter(asking(held[within]))
        asked: list[int] = []
        for n in active:
            if n in self.absent and self.along[n][-1] is axis:
                stream = stream.without(held[n])
            elif n not in walked:
                stream = Beside(stream, held[n])
                asked.append(n)

        def body(key: Any, value: Any) -> Any:
            if k == 0 < len(self.order) - 1 and not self.pins:
                tell(key)
            inner = dict(held)
            for n in reversed(asked):
                value, present, other = value
                inner[n] = Guarded(other, present) if self.along[n][-1] is not axis else (present, other)
            inner.update(zip(walked, value, strict=True))
            self.runs.keep_all(k, inner)
            for within in self.within:
                if within.after == k:
                    inner[within] = within.filled(key, held[within])
            return self.loop(k + 1, inner, (*keys, key))

        inner = any(a is h for a in self.order[k + 1 :] for h in self.head)
        if is_one(axis, self.head) and not (inner and is_one(axis, self.packed)):
            below = stream.map(body)
            if inner:
                return below
            return Unordered(Found(below), partial(self.packed_key, keys)) if self.packed else Found(below)
        if inner:
            return Through(stream.map(body), self.places(), self.semiring.plus, self.is_full())
        return self.folded(stream, body, k)

    def places(self) -> Parameter | None:
        """As many as the keys need that come in no order, if there can be so many."""
        late = self.planned.late(self.head)
        return self.packed_places or (self.runs.places[place(self.order, late[0])] if len(late) == 1 else None)

    def work(self) -> float:
        """How many steps are expected, parts within the loops included."""
        return self.planned.cost(self.head) + sum(within.loops.work() for within in self.within)

    def work_before(self) -> float:
        """How many steps a range of keys takes beside those along them: to clear places, to keep what is kept before,
        and to make a table of its rows."""
        places = self.places()
        own = self.runs.steps_before() + (0 if places is None else places.value) + TABLE * bool(self.left)
        return own + sum(within.loops.work_before() for within in self.within)

    def is_full(self) -> bool:
        """Whether the innermost loop has the same keys every time, 0, 1, 2, …, with a row at each."""
        last, k = self.order[-1], len(self.order) - 1
        asked = [n for n, along in enumerate(self.along) if is_one(last, along)]
        bound = any(is_one(last, (c.left, c.right)) for c in self.term.conditions) or id(last) in self.pins
        plain = not (bound or self.term.tests or any(within.level == k for within in self.within))
        dense = all((n, id(last)) in self.runs.dense for n in asked)
        late = self.planned.late(self.head)
        alone = len(late) == 1 and late[0] is last
        return plain and dense and alone and not self.runs.split(k, asked, None)[2]

    def packed_key(self, keys: tuple[Any, ...], key: Any) -> Any:
        """The keys of several axes that come in no order, as one number."""
        packed: Any = 0
        for axis in self.packed:
            n = place(self.order, axis)
            packed = packed * parameter(self.runs.places[n]) + (keys[n] if n < len(keys) else key)
        return packed

    def packed_sizes(self) -> list[int]:
        """How many places each of those axes has."""
        sizes = [self.runs.places[place(self.order, axis)] for axis in self.packed]
        return [size.value for size in sizes if size is not None]

    def folded(self, stream: Stream, body: Callable[[Any, Any], Any], k: int) -> Any:
        """(whether there was anything, its sum) along axis k."""
        if k == len(self.order) - 1 and self.adds_zeros:
            return summed_with_zeros(stream, body, self.semiring)
        done = None if self.semiring.enough is None else self.is_enough
        return summed(stream, body, self.semiring, self.from_nothing, done)

    def is_enough(self, acc: Any) -> Any:
        """Whether nothing can be added to a sum any more: at the first row, if there are no other values than one."""
        semiring = self.semiring
        sets = not any(walk.table.values for walk in self.walks) and not self.term.numbers and not self.term.optionals
        if self.term.plain and sets and semiring.one == semiring.enough:
            return acc[0]
        return has_enough(semiring, acc)

    @property
    def bears_absence(self) -> bool:
        """Whether a row that is not there may be calculated as well, if it is not added."""
        tuples = any(walk.table.make for walk in self.walks)
        numbers = is_known(self.semiring) and self.semiring.plus in (plus, minimum, maximum)
        integers = len(self.term.factors) - len(self.walks_of_floats()) + len(self.term.numbers) + len(self.within)
        leave_int64 = self.semiring.times is plus and integers > 2  # a zero and two of them
        return self.term.plain and numbers and not (tuples or leave_int64)

    @cached_property
    def laid(self) -> int | None:
        """The walk whose value the innermost loop reads at each key, there or not; None if there is none."""
        last = len(self.order) - 1
        return next((h.members[0] for h in self.runs.hoists if h.level == last and self.runs.by_key(h)), None)

    @cached_property
    def adds_zeros(self) -> bool:
        """Whether the innermost loop reads a value at each key, there or not, and its product with all others is zero
        where it is not there: those are integers, or there are none. An infinite one times zero is no number."""
        if self.laid is None or self.semiring is not plus_times or self.optional:
            return False
        values = [v for walk in self.walks if not walk.silent for v in walk.table.values]
        integers = all(v.dtype.kind in "iu" for v in values) and all(type(x) is int for x in self.term.numbers)
        factors, numbers = self.multiplied[-1]
        return (integers or (len(factors) == 1 and not numbers)) and not self.within

    @property
    def from_nothing(self) -> bool:
        """Whether a sum begins with its first value, and not with zero."""
        return begins_with_nothing(self.semiring, any(walk.table.make for walk in self.walks))

    def row(self, held: Held, keys: tuple[Any, ...]) -> Any:
        """(whether there is a row, its value), behind the innermost loop."""
        last = len(self.order)

        def value() -> Any:
            sums = [held[within].at(keys[within.level]) for within in self.within]
            return reduce(partial(times, self.semiring), sums, self.value(last, held, keys))

        if (asked := next((x for x in held.values() if isinstance(x, Asked)), None)) is not None:
            new, zero = value(), self.semiring.zero
            if self.from_nothing or self.adds_zeros:
                return asked.present, new
            return asked.present, select(asked.present, lambda: new, lambda: zero)
        return tested(self.term.tests, self.at(held, keys), self.semiring, value, self.is_optional(last))

    def value(self, k: int, held: Held, keys: tuple[Any, ...]) -> Any:
        """What is multiplied with what loop k comes to; behind the last one, with nothing."""
        factors, numbers = self.multiplied[k]
        found = product(factors, self.at(held, keys), self.semiring)
        return reduce(partial(times, self.semiring), map(number, numbers), found)

    def is_optional(self, k: int) -> bool:
        """Whether nobody looks at the value of a row that is not there, behind loop k."""
        return self.from_nothing or all(is_one(axis, self.head) for axis in self.order[:k])

    def at(self, held: Held, keys: tuple[Any, ...]) -> At:
        """What there is of each source, so far inside."""
        by_source = {id(walk.source): n for n, walk in enumerate(self.walks) if n not in self.absent}

        def at(source: Any) -> Any:
            if isinstance(source, Axis):
                return self.key(source, keys)
            if id(source) in self.term.constants:
                return self.term.constants[id(source)]
            n = by_source[id(source)]
            if n in self.optional:
                present, value = held[n]
                return select(present, lambda: value, lambda: number(source.otherwise))
            found = held[n]
            return found.value if isinstance(found, Asked) else found

        return at

    def key(self, axis: Any, keys: tuple[Any, ...]) -> Any:
        """The key of an axis, for a function of the user's."""
        kind = self.term.domains[id(axis)].kind
        if kind in ("str", "date", "timestamp"):
            raise UnsupportedValue(
                f"a function of axis {axis!r} would see numbers for its {'strings' if kind == 'str' else 'dates'}",
                f"Give a function of the value alone; keys are asked by {axis!r}.where(p) and {axis!r}.map(f).",
            )
        at = keys[next(n for n, a in enumerate(self.order) if a is axis)]
        return at != 0 if kind == "bool" else at

    def held_to(self, stream: Stream, condition: Condition, k: int, keys: tuple[Any, ...]) -> Stream:
        """A stream along axis k, restricted by a condition on that axis and those outside of it."""
        axis, op, bound = self.order[k], condition.op, condition.right
        outside = {id(a): key for a, key in zip(self.order, keys, strict=False)}
        if condition.left is axis:
            if isinstance(bound, Axis):
                if id(bound) not in outside:
                    return stream
                bound = outside[id(bound)]
        elif isinstance(bound, Axis) and bound is axis and id(condition.left) in outside:
            op = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}.get(op, op)
            bound = outside[id(condition.left)]
        else:
            return stream
        return compared(stream, op, bound, self.term.domains[id(axis)].kind == "float")


def asking(sums: Sums) -> Callable[[Any, Any], Any]:
    return lambda key, value: sums.holds(key)
