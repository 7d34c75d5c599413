"""A program as Python for Numba, meant to be read: names from what they hold, expressions instead of steps.

What was recorded but is not needed is left out. What is needed once, in the block where it was computed, is written
where it is needed.

Longer than a file should be: what is dropped, named and inlined is decided together, and all of it by one class.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

from ..words import Kernel, within_int64
from .captured import Captured
from .ops import ATOM, COMPARE, OPS
from .program import (
    Append,
    Assign,
    Call,
    Clear,
    Fetch,
    Heed,
    If,
    Let,
    Loop,
    Node,
    Program,
    Stay,
    Store,
    Tell,
    TracedBuffer,
    walk,
)  # fmt: skip
from .symbol import Symbol, kind_of

RESERVED = {
    "np", "add", "subtract", "multiply", "gather", "divide", "whole", "larger", "smaller", "shifted", "lowest", "room",
    "zeroed", "rooms", "put", "release", "fetch", "tell", "heed", "watch", "view_int", "view_narrow", "view_float",
    "view_bool", "max", "min",
    "int", "float", "bool",
    "abs", "fused", "and", "or", "not", "if", "else", "while", "for", "in", "is", "def", "return", "lambda", "pass",
}  # fmt: skip
BYTES = {"bool": 1, "narrow": 4, "int": 8, "float": 8}
ROOM = 16  # entries that a buffer has room for at first; in machine code at least, see memory.py


@dataclass
class Text:
    """An expression as text: how tightly it binds, and the variables it reads."""

    text: str
    binds: int = ATOM
    reads: frozenset[int] = frozenset()


@dataclass
class Printed:
    """The source, and what its names stand for."""

    source: str
    kernels: dict[str, Kernel]
    captured: list[Any]
    rooms: int  # how many arrays of its own it has; an account of them is its last argument
    gathered: list[str]  # for each result the kind of numbers in it, if it is memory: (address, count)
    heeds: bool = False  # whether it tells how far it is, and can be stopped; where is said before that account
    program: Program | None = None  # what it was printed from, if all numbers in it are constants


@dataclass
class Printer:
    program: Program
    constants: bool  # captured numbers as constants, or as parameters
    lines: list[str] = field(default_factory=list)
    names: dict[int, str] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    uses: Counter[int] = field(default_factory=Counter)
    local: dict[int, int] = field(default_factory=dict)  # symbol -> the block where it is used, if only one
    inline: dict[int, Text] = field(default_factory=dict)
    kernels: dict[str, Kernel] = field(default_factory=dict)
    captured: dict[Any, tuple[str, Any]] = field(default_factory=dict)
    variables: set[int] = field(default_factory=set)
    buffers: dict[int, TracedBuffer] = field(default_factory=dict)
    slots: dict[int, int] = field(default_factory=dict)

    def printed(self) -> Printed:
        self.used |= RESERVED
        program = self.program
        self.drop_unused(program.body)
        for node in walk(program.body):
            if isinstance(node, Assign):
                self.variables |= {v.number for v in node.variables}
            if isinstance(node, Call):
                self.kernel_name(node.kernel)
        self.name_positions(program.body)
        program.arguments = [(symbol, source) for symbol, source in program.arguments if self.uses[symbol.number]]
        arguments = [self.name(symbol) for symbol, _ in program.arguments]
        for slot, buffer in enumerate(program.buffers):
            array, count = self.name(buffer.array), self.name(buffer.length)
            self.buffers[buffer.array.number], self.slots[buffer.array.number] = buffer, slot
            if buffer.size is not None:
                self.line(1, f"{count} = {self.name(buffer.size)}")
                self.line(1, f"{array} = zeroed({count} * {BYTES[buffer.kind]}, rooms, {slot})")
                continue
            self.line(1, f"{array} = room(0, {ROOM * BYTES[buffer.kind]}, rooms, {slot})")
            self.used.add(f"{array}_room")
            self.line(1, f"{array}_room = {ROOM}")
            for i in range(buffer.zeros):
                self.line(1, f"put({array}, {i}, {self.stored(buffer, 0)})")
            self.line(1, f"{count} = {buffer.zeros}")
            self.variables.add(buffer.length.number)
        self.block(program.body, 1)
        results = [self.result(x) for x in program.results]
        for buffer in program.buffers:
            self.line(1, f"rooms[{self.slots[buffer.array.number]}] = 0")
            if not any(x is buffer for x in program.results):
                self.line(1, f"release({self.name(buffer.array)})")
        self.line(1, f"return ({', '.join(results)}{',' if len(results) < 2 else ''})")
        extra = [] if self.constants else [name for name, _ in self.captured.values()]
        rooms = ["rooms"] if program.buffers else []
        heeds = any(isinstance(node, Tell | Heed) for node in walk(program.body))
        head = f"def fused({', '.join(arguments + extra + ['watch'] * heeds + rooms)}):"
        source = "\n".join([head, *self.lines]) + "\n"
        gathered = [x.kind if isinstance(x, TracedBuffer) else "" for x in program.results]
        captured = [value for _, value in self.captured.values()]
        # Without what its arguments were: a kernel is kept longer than the arrays that it was first run on.
        bare = replace(program, arguments=[(symbol, None) for symbol, _ in program.arguments])
        fixed = bare if self.constants or not captured else None
        return Printed(source, self.kernels, captured, len(program.buffers), gathered, heeds, fixed)

    # ------------------------------------------------------------------ before printing

    def drop_unused(self, nodes: list[Node]) -> None:
        """Count uses from the last node to the first, dropping what is pure and has none."""
        for result in self.program.results:
            self.count(result, 0)
        for buffer in self.program.buffers:
            self.count(buffer.size, 0)
        self.prune(nodes)

    def prune(self, nodes: list[Node]) -> None:
        where = id(nodes)
        for at in reversed(range(len(nodes))):
            node = nodes[at]
            match node:
                case Let(symbol, _, arguments) | Call(symbol, _, arguments):
                    if not self.uses[symbol.number]:
                        del nodes[at]
                        continue
                    for x in arguments:
                        self.count(x, where)
                case Assign(_, values):
                    if not values:
                        del nodes[at]
                        continue
                    for x in values:
                        self.count(x, where)
                case If(condition, then, other, joins):
                    unused = {number for number in joins if not self.uses[number]}
                    for arm in (then, other):
                        if unused and arm and isinstance(arm[-1], Assign):
                            arm[-1] = without(arm[-1], unused)
                        self.prune(arm)
                    if not then and not other:
                        del nodes[at]
                        continue
                    self.count(condition, where)
                case Loop(body):
                    # A loop's variables are read again at its head, after the assignments at its end.
                    self.prune(body)
                case Stay(condition):
                    self.count(condition, where)
                case Append(_, value, stays):
                    self.count(value, where)
                    self.count(stays, where)
                case Store(_, place, value):
                    self.count(place, where)
                    self.count(value, where)
                case Fetch(array, place):
                    self.count(array, where)
                    self.count(place, where)
                case Tell(key):
                    self.count(key, where)
                case Clear() | Heed():
                    pass

    def count(self, x: Any, where: int) -> None:
        if isinstance(x, Symbol):
            self.uses[x.number] += 1
            self.local[x.number] = where if self.uses[x.number] == 1 else -1

    def name_positions(self, nodes: list[Node]) -> None:
        """A variable that walks along a column is named after it: the position in a_keys is `a_at`."""
        for node in walk(nodes):
            match node:
                case Let(_, op, (Symbol() as array, Symbol() as position, *_)) if op.startswith("load"):
                    pass
                case Call(_, _, (Symbol() as array, Symbol() as position, *_)) if array.kind.endswith("[]"):
                    pass
                case _:
                    continue
            if position.number in self.variables and position.hint == "q":
                position.hint = at_name(array.hint)

    # ------------------------------------------------------------------ printing

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def name(self, symbol: Symbol) -> str:
        if symbol.number not in self.names:
            name, n = symbol.hint, 1
            while name in self.used:
                n += 1
                name = f"{symbol.hint}_{n}"
            self.used.add(name)
            self.names[symbol.number] = name
        return self.names[symbol.number]

    def text(self, x: Any) -> Text:
        if isinstance(x, Captured):
            return Text(constant(x) if self.constants and self.remember(x) else self.captured_name(x))
        if not isinstance(x, Symbol):
            return Text(constant(x))
        if x.number in self.inline:
            return self.inline[x.number]
        if x.number in self.buffers:
            buffer = self.buffers[x.number]
            return Text(f"view_{buffer.kind}({self.name(buffer.array)}, {self.name(buffer.length)})")
        reads = frozenset({x.number}) if x.number in self.variables else frozenset()
        return Text(self.name(x), ATOM, reads)

    def remember(self, x: Any) -> bool:
        self.captured_name(x)
        return True

    def captured_name(self, x: Any) -> str:
        key = (x.origin, type(x).__name__)
        if key not in self.captured:
            stem = x.origin[1] if isinstance(x.origin[0], int) else "captured"
            name, n = stem, 1
            while name in self.used or not name.isidentifier():
                n += 1
                name = f"{stem}_{n}" if stem.isidentifier() else f"captured_{n}"
            self.used.add(name)
            self.captured[key] = (name, x)
        return self.captured[key][0]

    def expression(self, node: Let | Call) -> Text:
        parts = [self.text(x) for x in node.arguments]
        reads = frozenset().union(*(part.reads for part in parts))
        if isinstance(node, Call):
            return Text(f"{self.kernel_name(node.kernel)}({', '.join(p.text for p in parts)})", ATOM, reads)
        op = OPS[node.op]
        if op.binds == ATOM:
            return Text(op.form.format(*(p.text for p in parts)), ATOM, reads)
        # The left operand may bind as tightly as the operator, the right one binds tighter; comparisons never chain.
        shown = [
            p.text
            if p.binds > op.binds or (n == 0 and p.binds == op.binds != COMPARE and len(parts) > 1)
            else f"({p.text})"
            for n, p in enumerate(parts)
        ]
        return Text(op.form.format(*shown), op.binds, reads)

    def kernel_name(self, kernel: Kernel) -> str:
        name = kernel.function.__name__
        if not name.isidentifier():
            name = "function"
        n, stem = 1, name
        while name in RESERVED or (name in self.kernels and self.kernels[name] is not kernel):
            n += 1
            name = f"{stem}_{n}"
        self.kernels[name] = kernel
        self.used.add(name)
        return name

    def block(self, nodes: list[Node], depth: int) -> None:
        if not nodes:
            self.line(depth, "pass")
        for node in nodes:
            match node:
                case Let(symbol, op, _) | Call(symbol, op, _):
                    text = self.expression(node)
                    if op == "size":
                        self.inline[symbol.number] = text
                        continue
                    movable = op != "count" and not reads_buffer(node, self.program)
                    if self.uses[symbol.number] == 1 and self.local[symbol.number] == id(nodes) and movable:
                        self.inline[symbol.number] = text
                        continue
                    self.line(depth, f"{self.name(symbol)} = {text.text}")
                case Assign(variables, values):
                    self.assign(list(variables), [self.text(x) for x in values], depth)
                case If(condition, then, other):
                    truth = self.text(condition)
                    self.line(depth, f"if {truth.text}:")
                    if then:
                        self.block(then, depth + 1)
                        if other:
                            self.line(depth, "else:")
                            self.block(other, depth + 1)
                    elif other:
                        self.lines.pop()
                        self.line(depth, f"if not {bound(truth)}:")
                        self.block(other, depth + 1)
                    else:
                        self.line(depth + 1, "pass")
                case Loop(body):
                    self.loop(body, depth)
                case Stay(condition):
                    if condition is not True:
                        self.line(depth, f"if not {bound(self.text(condition))}:")
                        self.line(depth + 1, "break")
                case Append(buffer, value, stays):
                    array, count = self.name(buffer.array), self.name(buffer.length)
                    self.line(depth, f"if {count} == {array}_room:")
                    self.line(depth + 1, f"{array}_room = 2 * {array}_room")
                    size = BYTES[buffer.kind]
                    slot = self.slots[buffer.array.number]
                    self.line(depth + 1, f"{array} = room({array}, {size} * {array}_room, rooms, {slot})")
                    self.line(depth, f"put({array}, {count}, {self.stored(buffer, value)})")
                    self.line(depth, f"{count} = {count} + {1 if stays is True else bound(self.text(stays))}")
                case Store(buffer, place, value):
                    array = self.name(buffer.array)
                    self.line(depth, f"put({array}, {self.text(place).text}, {self.stored(buffer, value)})")
                case Clear(buffer):
                    self.line(depth, f"{self.name(buffer.length)} = {buffer.zeros}")
                case Fetch(array, place):
                    self.line(depth, f"fetch({self.name(array)}, {self.text(place).text})")
                case Tell(key):
                    self.line(depth, f"tell(watch, {self.text(key).text})")
                case Heed():
                    self.line(depth, "heed(watch)")

    def loop(self, body: list[Node], depth: int) -> None:
        """`while condition:` if all that the condition needs is in it, otherwise a loop with a break."""
        head = len(self.lines)
        self.line(depth, "while True:")
        stay = next(n for n, node in enumerate(body) if isinstance(node, Stay))
        condition = body[stay].condition  # type: ignore[union-attr]
        self.block_part(body, 0, stay, depth + 1)
        text = "True" if condition is True else self.text(condition).text
        if len(self.lines) == head + 1:
            self.lines[head] = "    " * depth + f"while {text}:"
        else:
            self.line(depth + 1, f"if not ({text}):")
            self.line(depth + 2, "break")
        self.block_part(body, stay + 1, len(body), depth + 1)
        if len(self.lines) == head + 1:
            self.line(depth + 1, "pass")

    def block_part(self, nodes: list[Node], start: int, stop: int, depth: int) -> None:
        if start < stop:
            part = _Part(nodes[start:stop])
            for symbol, where in self.local.items():
                if where == id(nodes):
                    self.local[symbol] = id(part)
            self.block(part, depth)
            for symbol, where in self.local.items():
                if where == id(part):
                    self.local[symbol] = id(nodes)

    def assign(self, variables: list[Symbol], values: list[Text], depth: int) -> None:
        """All at once: one after another in an order in which none is read after it was changed, or as a tuple."""
        pairs = list(zip(variables, values, strict=True))
        while pairs:
            free = next(
                (pair for pair in pairs if not any(pair[0].number in x.reads for v, x in pairs if v is not pair[0])),
                None,
            )
            if free is None:
                left = ", ".join(self.name(v) for v, _ in pairs)
                self.line(depth, f"{left} = {', '.join(x.text for _, x in pairs)}")
                return
            self.line(depth, f"{self.name(free[0])} = {free[1].text}")
            pairs = [pair for pair in pairs if pair is not free]

    def stored(self, buffer: TracedBuffer, value: Any) -> str:
        """A number as an array has it."""
        text = self.text(value).text
        return f"np.uint32({text})" if buffer.narrow else text

    def result(self, x: Any) -> str:
        if isinstance(x, TracedBuffer):
            return f"({self.name(x.array)}, {self.name(x.length)})"
        return self.text(x).text


def bound(x: Text) -> str:
    """An expression as tight as a name."""
    return x.text if x.binds == ATOM else f"({x.text})"


class _Part(list[Node]):
    """A stretch of a block."""


def without(node: Assign, numbers: set[int]) -> Assign:
    """An assignment less the variables that nobody reads."""
    kept = [(v, x) for v, x in zip(node.variables, node.values, strict=True) if v.number not in numbers]
    return Assign(tuple(v for v, _ in kept), tuple(x for _, x in kept))


def reads_buffer(node: Let | Call, program: Program) -> bool:
    arrays = {buffer.array.number for buffer in program.buffers}
    return any(isinstance(x, Symbol) and x.number in arrays for x in node.arguments)


def at_name(column: str) -> str:
    """The name of a position in a column: a_keys -> a_at, a_keys_1 -> a_at_1."""
    letter, _, rest = column.partition("_")
    level = rest.rpartition("_")[2]
    return f"{letter}_at_{level}" if level.isdigit() else f"{letter}_at"


def constant(x: Any) -> str:
    if kind_of(x) == "float":
        x = float(x)
        return repr(x) if math.isfinite(x) else "np.nan" if x != x else "np.inf" if x > 0 else "(-np.inf)"
    if kind_of(x) == "bool":
        return repr(bool(x))
    within_int64(int(x))
    return repr(int(x)) if x >= 0 else f"({int(x)!r})"


def render(program: Program, constants: bool) -> Printed:
    """The program as source, captured numbers as constants or as parameters behind the other arguments."""
    return Printer(program, constants).printed()
