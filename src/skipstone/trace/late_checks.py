"""Arithmetic over whole arrays, checked after the loop instead of in every step.

A branch in every step, even one that is never taken, keeps LLVM from vectorising: with checks, the sum of a million
integers was 3.4 times slower, that of `v * 3 + 1` 6 times, that of those with `v > 0` 40 times. So a loop that steps
through arrays one place at a time is written twice. The first copy goes in blocks, lets integers wrap around, and notes
how large the numbers were that it read. From these, a bound on everything it computed in a block follows by adding and
multiplying bounds. If one of them might have left int64, the block is taken back. The second copy, with every step
checked, does what the first has left: that block and all behind it, the few steps behind the last block, and short
walks, like the rows of a sparse matrix.

How large: `seen |= v ^ (v + v)`. The highest bit of v ^ 2v is at least that of v, or of -v, so |v| <= seen, and what
was seen of several numbers can be joined by `|`. If bit 63 is set, seen is negative and nothing is known.

Bounds are floats. Their rounding errors are far smaller than the distance from 2**62 to 2**63.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .program import Assign, If, Let, Loop, Node, Stay, walk
from .symbol import Symbol

if TYPE_CHECKING:
    from .arithmetic import Arithmetic

WRAPPING = {"add": "+", "subtract": "-", "multiply": "*"}
MAY_FAIL = {"divide", "/", "//", "%", "**", "floor", "ceil", "trunc", "shifted"}


BLOCK = 65536
LONG = 16  # the shortest block: checked at once, rows of 3 are summed twice as fast, rows of 100 a third as fast


class Unbounded(Exception):
    """There is no telling how large a number can become."""


def wrapping_first(tracer: Arithmetic, loop: Loop, carried: set[int]) -> list[Loop]:
    """The loop, which carries those variables from step to step; if it can be, behind one that wraps around."""
    nodes = list(walk(loop.body))
    lets = {node.symbol.number: node for node in nodes if isinstance(node, Let)}
    checked = [node for node in lets.values() if node.op in WRAPPING]
    straight = all(isinstance(node, Let | Assign | If | Stay) for node in nodes)
    if not checked or not straight or any(map(may_fail, lets.values())):
        return [loop]
    stays = [node.condition for node in nodes if isinstance(node, Stay)]
    going = lets.get(stays[0].number) if len(stays) == 1 and isinstance(stays[0], Symbol) else None
    if going is None or not walks(going, loop.body, carried) or not any(x.op.startswith("load") for x in lets.values()):
        return [loop]  # not a walk through an array: LLVM would not vectorise it without checks either
    counter, stop = going.arguments
    changed = tuple(v for v in variables(loop.body) if v.number in carried)
    before = tuple(tracer.symbol(v.kind, "before", bound=v.bound) for v in changed)
    bounds = Bounds(tracer, loop, {v.number: x for v, x in zip(changed, before, strict=True)}, counter)
    inside = {x.number for node in checked if node.op != "multiply" for x in node.arguments if isinstance(x, Symbol)}
    first: list[Node] = []
    try:
        with tracer.block(first):
            fits: Any = True
            for node in checked:
                if node.symbol.number not in inside:  # the bound of a sum is no smaller than those of its parts
                    fits = tracer.logic("&", fits, tracer.let("small", bounds.of(node.symbol)))
            for seen in bounds.seen.values():
                fits = tracer.logic("&", fits, tracer.let(">=", seen, 0))
    except Unbounded:
        return [loop]
    blocks = Loop()
    with tracer.block(blocks.body):
        tracer.emit(Stay(tracer.let(">=", tracer.let("-", stop, counter), LONG)))
        end = tracer.let("min", tracer.let("+", counter, BLOCK), stop, hint="end")
        notes = tuple(bounds.seen.values())
        tracer.emit(Assign(before + notes, changed + (0,) * len(notes)))
        tracer.emit(Loop(list(Copy(tracer, bounds.seen, {stop.number: end}).block(loop.body))))
    if isinstance(fits, Symbol):
        fits.hint = "fits"
    blocks.body += [*first, If(fits, [], [Assign(changed, before)]), Stay(fits)]
    return [blocks, loop]


def may_fail(node: Let) -> bool:
    """Whether an instruction raises on some operands. Those that only do on leaving int64 do not count."""
    return node.op in MAY_FAIL and not (node.op in ("//", "%") and type(node.arguments[1]) is int)


def walks(going: Let, body: list[Node], carried: set[int]) -> bool:
    """Whether a loop's condition is `counter < stop`, of a variable that counts its steps and one that stays."""
    if going.op != "<":
        return False
    counter, stop = going.arguments
    changing = {v.number for v in variables(body)} | {
        node.symbol.number for node in walk(body) if isinstance(node, Let)
    }
    symbols = isinstance(counter, Symbol) and isinstance(stop, Symbol)
    return symbols and counter.number in carried and stop.number not in changing and counts_steps(counter, body)


def variables(body: list[Node]) -> list[Symbol]:
    """Every variable that a body assigns to, once."""
    found = {v.number: v for node in walk(body) if isinstance(node, Assign) for v in node.variables}
    return list(found.values())


def assigned(body: list[Node], variable: Symbol) -> list[Any]:
    """Every value that a body assigns to a variable."""
    return [
        x
        for node in walk(body)
        if isinstance(node, Assign)
        for v, x in zip(node.variables, node.values, strict=True)
        if v.number == variable.number
    ]


def counts_steps(variable: Symbol, body: list[Node]) -> bool:
    """Whether every step, on every path, adds one to a variable."""
    one_more = {
        node.symbol.number
        for node in walk(body)
        if isinstance(node, Let)
        and node.op == "+"
        and is_same(node.arguments[0], variable)
        and is_one(node.arguments[1])
    }

    def on_every_path(nodes: list[Node]) -> bool:
        return any(
            (isinstance(node, Assign) and any(v.number == variable.number for v in node.variables))
            or (isinstance(node, If) and on_every_path(node.then) and on_every_path(node.other))
            for node in nodes
        )

    new = assigned(body, variable)
    return all(isinstance(x, Symbol) and x.number in one_more for x in new) and on_every_path(body)


@dataclass
class Bounds:
    """Bounds on what a loop computed, as floats worked out after it."""

    tracer: Arithmetic
    loop: Loop
    start: dict[int, Any]
    counter: Symbol
    seen: dict[int, Symbol] = field(default_factory=dict)  # number that was read -> the bits of all of them
    found: dict[int, Any] = field(default_factory=dict)  # None while it is being looked for

    def __post_init__(self) -> None:
        self.lets = {node.symbol.number: node for node in walk(self.loop.body) if isinstance(node, Let)}
        self.changing = {v.number for v in variables(self.loop.body)}

    def of(self, x: Any) -> Any:
        """A bound on |x|, in every step."""
        if not isinstance(x, Symbol):
            return self.size(x)
        if x.number not in self.found:
            self.found[x.number] = None
            self.found[x.number] = self.look(x)
        bound = self.found[x.number]
        if bound is None:
            raise Unbounded  # it depends on itself
        return bound

    def look(self, x: Symbol) -> Any:
        if is_same(x, self.counter):
            return self.larger(self.size(self.start[x.number]), self.size(x))
        if x.number in self.changing:
            values = assigned(self.loop.body, x)
            if x.number not in self.start:
                return self.largest(self.of(value) for value in values)
            steps = self.tracer.binary("-", self.counter, self.start[self.counter.number])
            growth = self.times(self.size(steps), self.largest(self.growth(value, x) for value in values))
            return self.plus(self.size(self.start[x.number]), growth)
        if x.bound is not None:
            return float(x.bound)
        if x.number not in self.lets:
            return self.size(x)
        node = self.lets[x.number]
        if node.op == "load" and x.kind == "int":
            self.seen[x.number] = self.tracer.symbol("int", "seen")
            return self.tracer.let("float", self.seen[x.number], hint="largest")
        if node.op in ("add", "subtract", "+", "-"):
            return self.plus(*map(self.of, node.arguments))
        if node.op in ("multiply", "*"):
            return self.times(*map(self.of, node.arguments))
        if node.op in ("max", "min"):
            return self.largest(map(self.of, node.arguments))
        if node.op in (">>", "//", "int", "negate", "abs"):
            return self.of(node.arguments[0])
        raise Unbounded

    def growth(self, x: Any, total: Symbol) -> Any:
        """A bound on x - total, where x is that variable with something added to it."""
        if is_same(x, total):
            return 0.0
        node = self.lets.get(x.number) if isinstance(x, Symbol) else None
        if node is not None and node.op in ("add", "+"):
            one, two = node.arguments
            return self.either(lambda: self.plus(self.growth(one, total), self.of(two)),
                               lambda: self.plus(self.growth(two, total), self.of(one)))  # fmt: skip
        if node is not None and node.op in ("subtract", "-"):
            return self.plus(self.growth(node.arguments[0], total), self.of(node.arguments[1]))
        if isinstance(x, Symbol) and x.number in self.changing and x.number not in self.start:
            return self.largest(self.growth(value, total) for value in assigned(self.loop.body, x))
        raise Unbounded

    def either(self, one: Any, two: Any) -> Any:
        try:
            return one()
        except Unbounded:
            return two()

    def size(self, x: Any) -> Any:
        """|x| of a number that does not change any more."""
        x = self.tracer.convert(x, "float")
        return self.tracer.let("abs", x) if isinstance(x, Symbol) else abs(x)

    def plus(self, a: Any, b: Any) -> Any:
        return b if not isinstance(a, Symbol) and a == 0 else self.tracer.binary("+", a, b)

    def times(self, a: Any, b: Any) -> Any:
        return self.tracer.binary("*", a, b)

    def larger(self, a: Any, b: Any) -> Any:
        return self.tracer.maximum(a, b)

    def largest(self, bounds: Iterator[Any]) -> Any:
        result = next(bounds)
        for bound in bounds:
            result = self.larger(result, bound)
        return result


@dataclass
class Copy:
    """A body with wrapping arithmetic, which notes the numbers it reads."""

    tracer: Arithmetic
    seen: dict[int, Symbol]
    renamed: dict[int, Symbol]

    def block(self, nodes: list[Node]) -> Iterator[Node]:
        for node in nodes:
            match node:
                case Let(symbol, op, arguments):
                    new = self.renamed[symbol.number] = self.tracer.symbol(symbol.kind, symbol.hint, bound=symbol.bound)
                    yield Let(new, WRAPPING.get(op, op), self.operands(arguments))
                    if symbol.number in self.seen:
                        yield from self.note(new, self.seen[symbol.number])
                case Assign(variables, values):
                    yield Assign(self.operands(variables), self.operands(values))
                case If(condition, then, other, joins):
                    for number in joins:
                        self.rename_join(number, then + other)
                    (truth,) = self.operands((condition,))
                    arms = list(self.block(then)), list(self.block(other))
                    yield If(truth, *arms, joins={self.renamed[number].number for number in joins})
                case Stay(condition):
                    yield Stay(*self.operands((condition,)))

    def rename_join(self, number: int, arms: list[Node]) -> None:
        old = next(v for v in variables(arms) if v.number == number)
        self.renamed[number] = self.tracer.symbol(old.kind, old.hint, bound=old.bound)

    def operands(self, xs: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(self.renamed.get(x.number, x) if isinstance(x, Symbol) else x for x in xs)

    def note(self, value: Symbol, seen: Symbol) -> Iterator[Node]:
        twice, bits, all_bits = (self.tracer.symbol("int", hint) for hint in ("twice", "bits", "seen"))
        yield Let(twice, "+", (value, value))
        yield Let(bits, "^", (value, twice))
        yield Let(all_bits, "|", (seen, bits))
        yield Assign((seen,), (all_bits,))


def is_one(x: Any) -> bool:
    return type(x) is int and x == 1


def is_same(x: Any, symbol: Symbol) -> bool:
    return isinstance(x, Symbol) and x.number == symbol.number
