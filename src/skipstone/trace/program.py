"""The program that a trace writes: a small, typed, structured value. What it may contain, and a verifier.

A program is a list of nodes, with blocks inside blocks. Its operands are symbols, each defined once or declared as a
variable, and constants. Nothing here knows how a program came about or what will become of it: `printer.py` prints
it as Python for Numba, and another back end could read it as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ..words import Kernel
from .ops import KINDS, OPS
from .symbol import Symbol, kind_of


@dataclass
class Let:
    """symbol = op(arguments), once."""

    symbol: Symbol
    op: str
    arguments: tuple[Any, ...]


@dataclass
class Call:
    """symbol = kernel(arguments): compiled code, pure."""

    symbol: Symbol
    kernel: Kernel
    arguments: tuple[Any, ...]


@dataclass
class Assign:
    """variables = values, all at once."""

    variables: tuple[Symbol, ...]
    values: tuple[Any, ...]


@dataclass
class If:
    """One of two blocks; both end by assigning to the same variables. `joins`: those that nothing else assigns to."""

    condition: Symbol
    then: list[Node] = field(default_factory=list)
    other: list[Node] = field(default_factory=list)
    joins: set[int] = field(default_factory=set)


@dataclass
class Loop:
    """Repeat the body; a `Stay` in it leaves the loop where its condition is false."""

    body: list[Node] = field(default_factory=list)


@dataclass
class Stay:
    condition: Any


@dataclass
class Append:
    """Put a value at the end of a buffer, which grows as it must; it counts among the others if it stays."""

    buffer: TracedBuffer
    value: Any
    stays: Any = True


@dataclass
class Store:
    """Put a value at a place of a buffer that has one for every number below its size."""

    buffer: TracedBuffer
    place: Any
    value: Any


@dataclass
class Clear:
    buffer: TracedBuffer


@dataclass
class Fetch:
    """Have a place of an array brought nearer; it is not read, and need not be there."""

    array: Symbol
    place: Any


@dataclass
class Tell:
    """Let whoever waits know the key that the outermost loop is at."""

    key: Any


@dataclass
class Heed:
    """Leave the program, if whoever waits has asked for that."""


Node = Let | Call | Assign | If | Loop | Stay | Append | Store | Clear | Fetch | Tell | Heed


def walk(nodes: list[Node]) -> Iterator[Node]:
    """Every node, those inside blocks included, in order."""
    for node in nodes:
        yield node
        match node:
            case If(_, then, other):
                yield from walk(then)
                yield from walk(other)
            case Loop(body):
                yield from walk(body)


@dataclass(eq=False)
class TracedBuffer:
    """An array of the kernel's own: a variable that holds it, another for its length.

    It grows, from so many zeros on; or it has a `size`, is all zeros at first, and can be written to at any place.
    `narrow`: its integers take four bytes each; narrowing.py decides that.
    """

    array: Symbol
    length: Symbol
    zeros: int
    tracer: Any
    size: Any = None
    of_keys: bool = False
    of_positions: bool = False
    narrow: bool = False

    @property
    def kind(self) -> str:
        """The kind of its numbers, in memory."""
        return "narrow" if self.narrow else self.array.kind[:-2]

    def append(self, value: Any, stays: Any = True) -> None:
        self.tracer.append(self, value, stays)

    def put(self, i: Any, value: Any) -> None:
        self.tracer.put(self, i, value)

    def clear(self) -> None:
        self.tracer.emit(Clear(self))

    @property
    def count(self) -> Symbol:
        found: Symbol = self.tracer.count(self)
        return found

    def __getitem__(self, i: Any) -> Any:
        return self.tracer.load(self, i)


@dataclass
class Program:
    """A whole kernel: arguments and where their values come from, buffers, body, and what it returns."""

    arguments: list[tuple[Symbol, Any]] = field(default_factory=list)
    buffers: list[TracedBuffer] = field(default_factory=list)
    body: list[Node] = field(default_factory=list)
    results: list[Any] = field(default_factory=list)


def heeding(program: Program) -> None:
    """Let every loop that has loops inside of it heed, once a step, whether it shall stop.

    Not the innermost ones: they do most of the steps, and what a check keeps LLVM from would cost more than the check.
    """
    for node in list(walk(program.body)):
        if isinstance(node, Loop) and any(isinstance(inner, Loop) for inner in walk(node.body)):
            stay = next(n for n, inner in enumerate(node.body) if isinstance(inner, Stay))
            node.body.insert(stay + 1, Heed())


class Malformed(Exception):
    """A program that breaks its own rules: a defect of the tracer, never of the user."""


def verify(program: Program) -> None:
    """Check that every symbol is defined before it is used, that kinds agree, and that loops can be left."""
    known = {symbol.number for symbol, _ in program.arguments}
    for buffer in program.buffers:
        known |= {buffer.array.number, buffer.length.number}

    def use(x: Any, scope: set[int]) -> str:
        if isinstance(x, Symbol) and x.number not in scope:
            raise Malformed(f"{x.hint} (#{x.number}) is used before it is defined")
        return kind_of(x)

    def define(symbol: Symbol, kind: str, scope: set[int]) -> None:
        if symbol.number in scope:
            raise Malformed(f"{symbol.hint} (#{symbol.number}) is defined twice")
        if symbol.kind != kind:
            raise Malformed(f"{symbol.hint} is declared {symbol.kind} but computed as {kind}")
        scope.add(symbol.number)

    def block(nodes: list[Node], scope: set[int], in_loop: bool) -> None:
        # `scope` is changed in place: a block's own definitions are dropped by its caller, which passes a copy,
        # except that variables assigned in both arms of an If live on.
        for node in nodes:
            match node:
                case Let(symbol, op, arguments):
                    define(symbol, OPS[op].kind(*(use(x, scope) for x in arguments)), scope)
                case Call(symbol, _, arguments):
                    for x in arguments:
                        use(x, scope)
                    define(symbol, symbol.kind, scope)
                case Assign(variables, values):
                    for variable, value in zip(variables, values, strict=True):
                        if use(value, scope) != variable.kind:
                            raise Malformed(f"{variable.hint} is {variable.kind}, its new value {kind_of(value)}")
                    scope.update(variable.number for variable in variables)
                case If(condition, then, other):
                    if use(condition, scope) != "bool":
                        raise Malformed("a condition must be a truth value")
                    one, two = set(scope), set(scope)
                    block(then, one, in_loop)
                    block(other, two, in_loop)
                    scope |= one & two
                case Loop(body):
                    if not any(isinstance(inner, Stay) for inner in body):
                        raise Malformed("a loop that cannot be left")
                    block(body, set(scope), True)
                case Stay(condition):
                    use(condition, scope)
                    if not in_loop:
                        raise Malformed("a Stay outside of a loop")
                case Append(buffer, value, stays):
                    if use(value, scope) != use(buffer.array, scope)[:-2] or use(stays, scope) != "bool":
                        raise Malformed(f"{buffer.array.kind} cannot hold a {kind_of(value)}")
                case Store(buffer, place, value):
                    if use(value, scope) != use(buffer.array, scope)[:-2] or use(place, scope) != "int":
                        raise Malformed(f"{buffer.array.kind} cannot hold a {kind_of(value)} at a {kind_of(place)}")
                case Clear(buffer):
                    use(buffer.array, scope)
                case Fetch(array, place):
                    if not use(array, scope).endswith("[]") or use(place, scope) != "int":
                        raise Malformed(f"a {kind_of(place)} is no place of {array!r}")
                case Tell(key):
                    use(key, scope)

    block(program.body, known, False)
    for result in program.results:
        if isinstance(result, TracedBuffer):
            continue
        if use(result, known) not in KINDS:
            raise Malformed(f"a kernel cannot return {result!r}")
