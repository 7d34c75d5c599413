"""Recording: symbols, instructions, and what is known about them while a program is being written.

Two things keep a program short. *Sharing*: an operation that was already recorded in this block, or in one around it,
is not recorded again. *Facts*: inside the arms of a branch its condition is a constant, and so are its parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import Untraceable
from ..structure import leaves, shape
from ..words import Kernel, Parameter, Reading
from .captured import Captured
from .ops import OPS
from .program import Append, Call, Clear, Fetch, Let, Node, Program, Store, Tell, TracedBuffer
from .symbol import Symbol, Undefined, is_number, kind_of

POSITIONS = 2**62 - 1  # longer than any array; states are positions, and two of them can be added

HINTS = {"max": "index", "min": "least", "==": "same", "<": "less", "<=": "upto", "&": "both", "|": "either",
         "+": "plus", "gather": "plus", "*": "times", "-": "minus", "add": "plus", "multiply": "times", "not": "none",
         "%": "rest", "/": "share"}  # fmt: skip
KIND_ZERO: dict[str, Any] = {"bool": False, "int": 0, "float": 0.0}


@dataclass
class Scope:
    """What is known inside a block: recorded operations, remembered answers, and the truth of conditions."""

    shared: dict[Any, Any] = field(default_factory=dict)
    facts: dict[int, bool] = field(default_factory=dict)


class Recorder(Reading):
    """Writes down what definitions do with arrays and numbers."""

    def __init__(self, returns: Callable[[Kernel, list[Any]], Any]) -> None:
        self.program = Program()
        self.returns = returns  # asks the compiler what a kernel of unknown kind returns
        self.blocks: list[list[Node]] = [self.program.body]
        self.scopes = [Scope()]
        self.numbers = 0
        self.definitions: dict[int, tuple[str, tuple[Any, ...]]] = {}
        self.owned: dict[tuple[int, str], TracedBuffer] = {}
        self.sources: dict[int, Symbol] = {}
        self.letters: dict[int, str] = {}
        self.alive: list[Any] = []  # whatever is known by its id() must not be collected meanwhile

    def forget(self) -> None:
        """Let go of the program and of all that was seen on the way to it, so that nothing outlives its use.

        Symbols know their recorder; if it still knew them, arrays would wait for the garbage collector.
        """
        self.program = Program()
        self.blocks, self.scopes = [self.program.body], [Scope()]
        for seen in (self.definitions, self.owned, self.sources, self.letters, self.alive):
            seen.clear()

    # ------------------------------------------------------------------ instructions

    def symbol(self, kind: str, hint: str, **known: Any) -> Symbol:
        self.numbers += 1
        return Symbol(self, self.numbers, kind, hint, **known)

    def emit(self, node: Node) -> None:
        self.blocks[-1].append(node)

    def let(self, op: str, *arguments: Any, hint: str = "", bound: int | None = None) -> Any:
        key = (op, *map(self.key, arguments))
        if (found := self.find(key)) is not None:
            return found
        kind = OPS[op].kind(*map(kind_of, arguments))
        symbol = self.symbol(kind, hint or HINTS.get(op, "x"), bound=1 if kind == "bool" else bound)
        self.definitions[symbol.number] = (op, arguments)
        self.emit(Let(symbol, op, arguments))
        self.scopes[-1].shared[key] = symbol
        return symbol

    def find(self, key: Any) -> Any:
        return next((s.shared[key] for s in reversed(self.scopes) if key in s.shared), None)

    def key(self, x: Any) -> Any:
        """What makes an operand the same as another."""
        if isinstance(x, Symbol):
            return x.number
        if isinstance(x, Captured):
            return ("captured", x.origin)
        if isinstance(x, bool | int | float):
            return (type(x).__name__, repr(x))
        self.alive.append(x)
        return ("object", id(x))

    def once(self, key: Any, compute: Callable[[], Any]) -> Any:
        function, owner, arguments = key
        self.alive.append((function, owner))
        full = (id(function), id(owner), shape(arguments), *map(self.key, leaves(arguments)))
        if (found := self.find(full)) is not None:
            return found[0]
        result = compute()
        self.scopes[-1].shared[full] = (result,)
        return result

    @contextmanager
    def block(self, nodes: list[Node]) -> Iterator[None]:
        self.blocks.append(nodes)
        self.scopes.append(Scope())
        try:
            yield
        finally:
            self.blocks.pop()
            self.scopes.pop()

    def learn(self, condition: Any, truth: bool) -> None:
        """From here on in this block, the condition is known, and what follows from it."""
        if not isinstance(condition, Symbol):
            return
        self.scopes[-1].facts[condition.number] = truth
        op, arguments = self.definitions.get(condition.number, ("", ()))
        if (op, truth) in (("&", True), ("|", False)):
            for part in arguments:
                self.learn(part, truth)
        elif op == "not":
            self.learn(arguments[0], not truth)

    def known(self, x: Any) -> Any:
        """True, False, or the symbol itself where neither is known."""
        if not isinstance(x, Symbol):
            return x
        return next((s.facts[x.number] for s in reversed(self.scopes) if x.number in s.facts), x)

    # ------------------------------------------------------------------ operands

    def convert(self, x: Any, kind: str) -> Any:
        """x as a number of that kind."""
        if isinstance(x, Undefined):
            return KIND_ZERO[kind]
        if kind_of(x) == kind:
            return x
        if isinstance(x, Symbol) and x.kind == "bool" and kind == "float":
            x = self.let("int", x)  # Numba has no float(bool)
        if isinstance(x, Symbol | Captured):
            return self.let(kind, x, bound=x.bound if isinstance(x, Symbol) else None)
        return {"bool": bool, "int": int, "float": float}[kind](x)

    def operand(self, x: Any, op: str) -> Any:
        """x as something an instruction can take, or an error that says why not."""
        if isinstance(x, np.generic):
            x = x.item()
        if is_number(x) or isinstance(x, Undefined):
            return self.known(x) if isinstance(x, Symbol) and x.kind == "bool" else x
        raise Untraceable(
            f"{type(x).__name__} cannot be used with `{op}` on a value that is only known at run time",
            "Values are numbers, booleans, tuples of those, and streams.",
        )

    def argument(self, source: Any, kind: str, name: str, owner: object | None) -> Symbol:
        """The symbol of something that comes from outside: a column, a parameter."""
        if id(source) not in self.sources:
            if owner is not None:
                letter = self.letters.setdefault(id(owner), letter_of(len(self.letters)))
                name = f"{letter}_{name}"
            self.alive.append((source, owner))
            symbol = self.symbol(kind, name, bound=None if kind.endswith("[]") else POSITIONS)
            self.sources[id(source)] = symbol
            self.program.arguments.append((symbol, source))
        return self.sources[id(source)]

    def array(self, x: Any) -> Any:
        """The symbol of a column or buffer; other operands as they are."""
        if isinstance(x, TracedBuffer):
            return x.array
        if hasattr(x, "array") and hasattr(x, "owner"):
            return self.argument(x, x.kind + "[]", x.name, x.owner)
        return x

    # ------------------------------------------------------------------ arrays and kernels

    def load(self, column: Any, i: Any) -> Any:
        array = self.array(column)
        hint = array.hint[:-1] if array.hint.endswith("s") else array.hint.replace("s_", "_")
        if isinstance(column, TracedBuffer):
            return self.let("load", array, i, hint=hint) if column.size is None else self.read_now(column, i)
        dtype = column.array.dtype
        narrow = dtype.kind in "iuf" and dtype.itemsize < 8
        bound = 2 ** (8 * dtype.itemsize - (dtype.kind == "i")) if narrow and dtype.kind != "f" else None
        return self.let(f"load wide {column.kind}" if narrow else "load", array, i, hint=hint, bound=bound)

    def length(self, column: Any) -> Any:
        if isinstance(column, TracedBuffer):
            return self.count(column)
        array = self.array(column)
        return self.let("size", array, hint=f"{array.hint}_size", bound=POSITIONS)

    def parameter(self, box: Any) -> Any:
        if not isinstance(box, Parameter):
            return box
        return self.argument(box, kind_of(box.value), box.name, None)

    def call(self, kernel: Kernel, arguments: tuple[Any, ...]) -> Any:
        operands = [self.array(x) for x in arguments]
        for x in operands:
            if not isinstance(x, Symbol):
                self.operand(x, kernel.function.__name__)
        self.alive.append(kernel)
        key = ("call", id(kernel), *map(self.key, operands))
        if (found := self.find(key)) is not None:
            return found[0]
        kind = kernel.returns or self.returns(kernel, operands)
        symbol = self.symbol(kind, kernel.function.__name__.strip("<>"), bound=None)
        self.emit(Call(symbol, kernel, tuple(operands)))
        self.scopes[-1].shared[key] = (symbol,)
        return symbol

    def buffer(self, owner: Any, role: str, name: str, like: Any, zeros: int) -> Any:
        key = (id(owner), role)
        if key not in self.owned:
            self.alive.append(owner)
            if like is None:
                # Nothing was ever put in: a level below one that is empty on every path.
                like = 0
            array = self.symbol(kind_of(like) + "[]", f"out_{name}")
            length = self.symbol("int", f"out_{name}_count", bound=POSITIONS)
            made = TracedBuffer(array, length, zeros, self, of_keys=role == "keys")
            self.owned[key] = made
            self.program.buffers.append(made)
        return self.owned[key]

    def scratch(self, owner: Any, role: str, like: Any, size: Parameter) -> Any:
        key = (id(owner), role)
        if key not in self.owned:
            self.alive.append(owner)
            length = self.symbol("int", f"{role}_size", bound=POSITIONS)
            array, placed = self.symbol(kind_of(like) + "[]", role), role in ("marks", "ends")
            made = TracedBuffer(array, length, 0, self, self.parameter(size), of_positions=placed)
            self.owned[key] = made
            self.program.buffers.append(made)
        return self.owned[key]

    def read_now(self, buffer: TracedBuffer, i: Any) -> Symbol:
        """What stands in an array that changes: read where it is asked for, each time."""
        array = buffer.array
        symbol = self.symbol(array.kind[:-2], array.hint, bound=POSITIONS if buffer.of_positions else None)
        self.emit(Let(symbol, "load", (array, i)))
        return symbol

    def fetch(self, column: Any, i: Any) -> None:
        self.effect(lambda: self.emit(Fetch(self.array(column), i)))

    def tell(self, key: Any) -> None:
        self.effect(lambda: self.emit(Tell(key)))

    def put(self, buffer: TracedBuffer, i: Any, value: Any) -> None:
        self.emit(Store(buffer, i, self.convert(value, buffer.array.kind[:-2])))

    def append(self, buffer: TracedBuffer, value: Any, stays: Any) -> None:
        self.emit(Append(buffer, self.convert(value, buffer.array.kind[:-2]), stays))

    def count(self, buffer: TracedBuffer) -> Symbol:
        symbol = self.symbol("int", "count", bound=POSITIONS)
        self.emit(Let(symbol, "count", (buffer.length,)))
        return symbol

    def emptied(self, compute: Callable[[], Any]) -> Any:
        before, block, at = set(self.owned), self.blocks[-1], len(self.blocks[-1])
        result = compute()
        fresh = [self.owned[key] for key in self.owned if key not in before]
        block[at:at] = [Clear(buffer) for buffer in fresh]
        return result


def letter_of(n: int) -> str:
    return chr(ord("a") + n) if n < 26 else f"s{n}"
