"""A program as LLVM's instructions, written directly. Imports Numba.

Numba reads Python's bytecode, finds the type of everything and lowers it, and that takes longer than LLVM does: half of
the 1.3 s of ten loops inside each other. But a program is typed already. So the emitted function is one call of an
*intrinsic*, which Numba lets write its own instructions: the whole program. Numba still takes arguments in and results
out, raises errors, links kernels, optimises and caches.

Not every instruction is known here. A program with any other is compiled from its source, as `knows` decides.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np import arrayobj

from ..words import INT64_MAX
from .memory import Memory
from .ops import wider
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
from .runtime import OVERFLOW, fetched, heeded, told
from .symbol import Symbol, kind_of

TYPES = {"bool": types.boolean, "int": types.int64, "float": types.float64}
PLACE = types.UniTuple(types.int64, 2)  # of memory: its address, and how many numbers there are
LLVM = {"bool": ir.IntType(1), "int": ir.IntType(64), "float": ir.DoubleType()}
COMPARISONS = {"<", "<=", ">", ">=", "==", "!="}
LOGIC = {"&": "and_", "|": "or_", "^": "xor"}
WRAPPING = {"int": {"+": "add", "-": "sub", "*": "mul"}, "float": {"+": "fadd", "-": "fsub", "*": "fmul"}}
CHECKED = {"add": "sadd_with_overflow", "subtract": "ssub_with_overflow", "multiply": "smul_with_overflow"}
CHOICES = {"max": ">=", "min": "<=", "larger": ">=", "smaller": "<="}
LOADS = {"load", "load wide int", "load wide float"}
KNOWN = {*COMPARISONS, *LOGIC, *WRAPPING["int"], *CHECKED, *CHOICES, *LOADS}
KNOWN |= {"gather", "size", "count", "not", "int", "float", "bool", "abs", "negate", "small", "/", "lowest", "shifted"}
BY_A_CONSTANT = {">>", "//", "%"}  # that is a positive integer


def knows(program: Program) -> bool:
    """Whether all of a program's instructions are known here."""
    return all(map(known, walk(program.body)))


def known(node: Node) -> bool:
    if not isinstance(node, Let):
        return True
    one, two = kind_of(node.arguments[0]), node.arguments[-1]
    if node.op in BY_A_CONSTANT:
        most = 63 if node.op == ">>" else INT64_MAX
        return node.symbol.kind == "int" and kind_of(two) == "int" and not isinstance(two, Symbol) and 0 < two <= most
    if node.op in ("abs", "negate"):
        return one == "float"
    return node.op in KNOWN and not (node.op == "not" and one != "bool") and not (node.op == "int" and one == "float")


def written(program: Program, signature: tuple[Any, ...], compiled: Callable[[Any], Any]) -> Callable[..., Any]:
    """A function for Numba that runs a program. `compiled` makes a dispatcher of a kernel."""
    kinds = [PLACE if isinstance(x, TracedBuffer) else TYPES[kind_of(x)] for x in program.results]
    returns = types.Tuple(kinds)

    def build(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
        writer = Writer(program, compiled, context, builder)
        # Behind the program's own arguments: where it tells and heeds, if it does; an account of its memory, if any.
        for (symbol, _), value, kind in zip(program.arguments, arguments, signature, strict=False):
            writer.take(symbol, value, kind)
        own = len(program.arguments)
        if len(signature) > own + bool(program.buffers):
            writer.watch = arrayobj.make_array(signature[own])(context, builder, arguments[own]).data
        if program.buffers:
            writer.begin(arrayobj.make_array(signature[-1])(context, builder, arguments[-1]))
        writer.block(program.body)
        writer.end()
        return context.make_tuple(builder, returns, [writer.result(x) for x in program.results])

    names = ", ".join(f"argument_{n}" for n, _ in enumerate(signature))
    scope: dict[str, Any] = {"__name__": __name__, "typed": returns(*signature), "build": build}
    exec(f"def nest(typing, {names}): return typed, build\ndef fused({names}): return nest({names})", scope)
    scope["nest"] = intrinsic(scope["nest"])
    made: Callable[..., Any] = scope["fused"]
    return made


@dataclass
class Writer:
    """Writes nodes at a builder's place. Variables are memory; LLVM makes registers of them."""

    program: Program
    compiled: Callable[[Any], Any]
    context: Any
    builder: Any
    values: dict[int, Any] = field(default_factory=dict)  # of symbols that are defined once, by number
    columns: dict[int, Any] = field(default_factory=dict)  # arrays: their type, and their parts
    exits: list[Any] = field(default_factory=list)  # where the loops around here end
    watch: Any = None  # where it tells and heeds

    def __post_init__(self) -> None:
        assigned = [v for node in walk(self.program.body) if isinstance(node, Assign) for v in node.variables]
        kinds = {v.number: LLVM[v.kind] for v in assigned}
        self.variables = {number: cgutils.alloca_once(self.builder, kind) for number, kind in kinds.items()}
        self.memory: dict[int, Memory] = {}  # the program's own arrays, by number

    def take(self, symbol: Symbol, value: Any, kind: Any) -> None:
        """An argument."""
        self.values[symbol.number] = value
        if isinstance(kind, types.Array):
            self.columns[symbol.number] = kind, arrayobj.make_array(kind)(self.context, self.builder, value)

    def begin(self, account: Any) -> None:
        """Get the memory of the program's own arrays."""
        for slot, buffer in enumerate(self.program.buffers):
            memory = Memory(self.context, self.builder, buffer.kind, account, slot, len(self.program.buffers))
            self.memory[buffer.array.number], self.variables[buffer.length.number] = memory, memory.count
            if buffer.size is None:
                memory.grow_from(buffer.zeros)
            else:
                memory.clear_to(self.value(buffer.size))

    def end(self) -> None:
        """Give back what is not returned."""
        for buffer in self.program.buffers:
            self.memory[buffer.array.number].leave(any(x is buffer for x in self.program.results))

    def result(self, x: Any) -> Any:
        if isinstance(x, TracedBuffer):
            return self.memory[x.array.number].result(PLACE)
        return self.value(x)

    def value(self, x: Any, kind: str = "") -> Any:
        """An operand, as that kind."""
        if not isinstance(x, Symbol):
            found = ir.Constant(LLVM[kind_of(x)], float(x) if kind_of(x) == "float" else int(x))
        elif x.number in self.variables:
            found = self.builder.load(self.variables[x.number])
        else:
            found = self.values[x.number]
        if kind in ("", kind_of(x)):
            return found
        return self.context.cast(self.builder, found, TYPES[kind_of(x)], TYPES[kind])

    def block(self, nodes: list[Node]) -> None:
        builder = self.builder
        for node in nodes:
            match node:
                case Let(symbol, op, arguments):
                    self.values[symbol.number] = self.let(symbol.kind, op, arguments)
                case Call():
                    self.values[node.symbol.number] = self.call(node)
                case Assign(variables, values):
                    new = [self.value(x) for x in values]  # all of them are read before any is changed
                    for variable, x in zip(variables, new, strict=True):
                        builder.store(x, self.variables[variable.number])
                case If(condition, then, other):
                    with builder.if_else(self.value(condition)) as (yes, no):
                        with yes:
                            self.block(then)
                        with no:
                            self.block(other)
                case Loop(body):
                    again, out = builder.append_basic_block("loop"), builder.append_basic_block("out")
                    builder.branch(again)
                    builder.position_at_end(again)
                    self.exits.append(out)
                    self.block(body)
                    self.exits.pop()
                    back = builder.branch(again)
                    if scatters(body):
                        back.set_metadata("llvm.loop", one_by_one(builder.module))
                    builder.position_at_end(out)
                case Append(buffer, value, stays):
                    self.memory[buffer.array.number].append(self.value(value), self.value(stays))
                case Store(buffer, place, value):
                    self.memory[buffer.array.number].put(self.value(place), self.value(value))
                case Clear(buffer):
                    builder.store(ir.Constant(LLVM["int"], buffer.zeros), self.memory[buffer.array.number].count)
                case Fetch(array, place):
                    fetched(builder, self.columns[array.number][1].data, self.value(place))
                case Tell(key):
                    told(builder, self.watch, self.value(key, "float"))
                case Heed():
                    heeded(self.context, builder, self.watch)
                case Stay(condition):
                    on = builder.append_basic_block("stay")
                    builder.cbranch(self.value(condition), on, self.exits[-1])
                    builder.position_at_end(on)

    def call(self, node: Call) -> Any:
        numbers = [x.number if isinstance(x, Symbol) else None for x in node.arguments]
        views = {n: self.memory[n].view() for n in numbers if n in self.memory}
        arrays = {**self.columns, **views}
        kinds = tuple(
            arrays[n][0] if n in arrays else TYPES[kind_of(x)] for n, x in zip(numbers, node.arguments, strict=True)
        )
        dispatcher = self.compiled(node.kernel)
        dispatcher.compile(kinds)
        found = dispatcher.overloads[kinds]
        self.context.active_code_library.add_linking_library(found.library)
        operands = [views[n][1] if n in views else self.value(x) for n, x in zip(numbers, node.arguments, strict=True)]
        result = self.context.call_internal(self.builder, found.fndesc, found.signature, operands)
        return self.context.cast(self.builder, result, found.signature.return_type, TYPES[node.symbol.kind])

    def let(self, kind: str, op: str, arguments: tuple[Any, ...]) -> Any:
        builder = self.builder
        if op == "count":
            return self.value(arguments[0])
        if op in LOADS and arguments[0].number in self.memory:
            return self.memory[arguments[0].number].load(self.value(arguments[1], "int"))
        if op in LOADS or op == "size":
            column, array = self.columns[arguments[0].number]
            if op == "size":
                return array.nitems
            place = builder.gep(array.data, [self.value(arguments[1], "int")], inbounds=True)
            found = arrayobj.load_item(self.context, builder, column, place)
            return self.context.cast(builder, found, column.dtype, TYPES[kind])
        if op in ("not", "int", "float"):
            return builder.not_(self.value(arguments[0])) if op == "not" else self.value(arguments[0], kind)
        if len(arguments) == 1:
            return self.of_one(op, arguments[0])
        one, two = arguments
        if op in COMPARISONS:
            return self.compared(op, one, two, wider(wider(kind_of(one), kind_of(two)), "int"))
        a, b = self.value(one, kind), self.value(two, kind)
        if op in LOGIC:
            return getattr(builder, LOGIC[op])(a, b)
        if op in CHOICES:
            return builder.select(self.compared(CHOICES[op], one, two, kind), a, b)
        if op in CHECKED:
            result = getattr(builder, CHECKED[op])(a, b)
            self.fail_if(builder.extract_value(result, 1), OverflowError, OVERFLOW)
            return builder.extract_value(result, 0)
        if op == "/":
            self.fail_if(builder.fcmp_ordered("==", b, b.type(0.0)), ZeroDivisionError, "division by zero")
            return builder.fdiv(a, b)
        if op in BY_A_CONSTANT:
            return self.by_a_constant(op, a, b)
        if op == "shifted":
            self.fail_if(builder.icmp_signed("<", b, b.type(0)), ValueError, "negative shift count")
            return builder.ashr(a, builder.select(builder.icmp_signed("<", b, b.type(63)), b, b.type(63)))
        if op == "gather":
            return builder.fadd(a, b, flags=("reassoc",))
        return getattr(builder, WRAPPING[kind][op])(a, b)

    def of_one(self, op: str, x: Any) -> Any:
        """An instruction with one operand."""
        builder, kind = self.builder, kind_of(x)
        if op == "bool" and kind != "bool":
            return self.compared("!=", x, 0, kind)  # NaN is true, in Python
        if op == "lowest":
            return builder.cttz(self.value(x, "int"), LLVM["bool"](0))
        value = self.value(x)
        if op == "small":
            return builder.fcmp_ordered("<", value, value.type(2.0**62))
        if op == "abs":
            return builder.call(builder.module.declare_intrinsic("llvm.fabs", [value.type]), [value])
        return builder.fneg(value) if op == "negate" else value

    def by_a_constant(self, op: str, a: Any, b: Any) -> Any:
        """An integer shifted or divided by a positive one; towards minus infinity, as Python does it."""
        builder = self.builder
        if op == ">>":
            return builder.ashr(a, b)
        rest = builder.srem(a, b)
        below = builder.icmp_signed("<", rest, rest.type(0))
        if op == "%":
            return builder.select(below, builder.add(rest, b), rest)
        return builder.sub(builder.sdiv(a, b), builder.zext(below, a.type))

    def fail_if(self, condition: Any, error: type[Exception], text: str) -> None:
        with self.builder.if_then(condition, likely=False):
            self.context.call_conv.return_user_exc(self.builder, error, (text,))

    def compared(self, op: str, one: Any, two: Any, kind: str) -> Any:
        a, b = self.value(one, kind), self.value(two, kind)
        if kind == "int":
            return self.builder.icmp_signed(op, a, b)
        # NaN is different from everything, and in no order to anything.
        return (self.builder.fcmp_unordered if op == "!=" else self.builder.fcmp_ordered)(op, a, b)


def scatters(body: list[Node]) -> bool:
    """Whether a loop stores at places that it reads. As a loop of vectors, it reads eight, and takes them apart again:
    triangles of web-NotreDame took 1.15 times as long."""
    read = {node.symbol.number for node in body if isinstance(node, Let) and node.op in LOADS}
    return any(isinstance(n, Store) and isinstance(n.place, Symbol) and n.place.number in read for n in body)


def one_by_one(module: Any) -> Any:
    """What says of a loop that it is not to be made into one of vectors. Such a node is its own first part."""
    said = module.add_metadata(["llvm.loop.vectorize.enable", LLVM["bool"](0)])
    node = ir.values.MDValue(module, [said], name=str(len(module.metadata)))
    node.operands = (node, said)
    return node
