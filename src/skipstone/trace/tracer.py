"""The traced reading: definitions run once, on symbols, and what they would do is written down as a program.

Three things make the result short. *Sharing*: an operation that was already recorded in this block or one around it
is not recorded again. *Facts*: inside the arms of a branch its condition is a constant, and so are its parts.
*Remembering*: a stream's method asked twice in one state answers once.

Users' functions are ordinary Python. Where one asks for the truth of a symbol (`if`, `and`, `max`, `in` …), the trace
forks: the function is run again for each side, from its beginning. What it recorded before the question is found by
sharing; what cannot be shared (an inner loop) is *replayed* by position from a log. The two results are joined by an
emitted `if`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import BranchesDiffer, BranchOnSymbol, SkipstoneError, Untraceable, line_of
from ..structure import leaves, rebuild, shape
from ..words import INT64_MAX, Kernel, Parameter, Reading, by_component
from .captured import Captured, with_captured
from .ops import OPS, UFUNCS, wider
from .program import Append, Assign, Call, Clear, If, Let, Loop, Node, Program, Stay, TracedBuffer
from .symbol import UNDEFINED, Symbol, Undefined, is_number, kind_of

PATHS = 64  # a function with more ways through it is compiled as it stands instead

# An accumulator that starts small and grows by at most DRIFT a step cannot leave int64 in STEPS steps, and nobody waits
# for more: 2**57 steps of a quarter of a nanosecond take a year. So counting, for one, needs no overflow check.
DRIFT, STEPS = 32, 2**57
POSITIONS = 2**62 - 1  # longer than any array; states are positions, and two of them can be added


class Fork(BaseException):
    """A function asked for the truth of a symbol that no fact decides. Not an Exception: users' handlers must not see it."""

    def __init__(self, symbol: Symbol) -> None:
        self.symbol = symbol


class TooManyPaths(Exception):
    """A function has too many ways through it to be written out as branches."""


@dataclass
class Scope:
    """What is known inside a block: recorded operations, remembered answers, and the truth of conditions."""

    shared: dict[Any, Any] = field(default_factory=dict)
    facts: dict[int, bool] = field(default_factory=dict)


@dataclass
class Path:
    """One way through a user's function: the effects it has had so far, and how many of them were replayed."""

    log: list[Any]
    at: int = 0


class Tracer(Reading):
    """Writes one program. See the words of `Reading` for what each method means."""

    def __init__(self, returns: Callable[[Kernel, list[Any]], Any]) -> None:
        self.program = Program()
        self.returns = returns  # asks the compiler what a kernel of unknown kind returns
        self.blocks: list[list[Node]] = [self.program.body]
        self.scopes = [Scope()]
        self.path: Path | None = None
        self.checked = False  # inside a user's function: integer arithmetic refuses to overflow
        self.numbers = 0
        self.paths = 0
        self.definitions: dict[int, tuple[str, tuple[Any, ...]]] = {}
        self.owned: dict[tuple[int, str], TracedBuffer] = {}
        self.sources: dict[int, Symbol] = {}
        self.letters: dict[int, str] = {}
        self.cells: dict[Any, Any] = {}
        self.alive: list[Any] = []  # whatever is known by its id() must not be collected meanwhile

    # ------------------------------------------------------------------ recording

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
        full = (id(function), id(owner), *map(self.key, leaves(arguments)))
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
            return {"bool": False, "int": 0, "float": 0.0}[kind]
        if kind_of(x) == kind:
            return x
        if isinstance(x, Symbol) or isinstance(x, Captured):
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

    # ------------------------------------------------------------------ operators

    def unary(self, op: str, a: Any) -> Any:
        return self.let(op, a)

    def ufunc(self, name: str, *arguments: Any) -> Any:
        if name not in UFUNCS or len(arguments) != 1:
            raise Untraceable(f"np.{name} is not known to the tracer", "Mark the function with @sk.kernel.")
        return self.let(f"np.{name}", self.convert(arguments[0], "float"))

    def binary(self, op: str, a: Any, b: Any) -> Any:
        a, b = self.operand(a, op), self.operand(b, op)
        if isinstance(a, Undefined) or isinstance(b, Undefined):
            return b if isinstance(a, Undefined) else a
        if op in ("&", "|"):
            return self.logic(op, a, b)
        if op in ("+", "-", "*"):
            return self.arithmetic(op, a, b, self.checked)
        if op in ("<", "<=", ">", ">=", "==", "!="):
            if op in ("==", "!=") and "bool" in (kind_of(a), kind_of(b)):
                a, b = (bool(x) if type(x) is int and x in (0, 1) else x for x in (a, b))
                if kind_of(a) == kind_of(b):
                    return self.truth_compared(op, a, b)
            if self.key(a) == self.key(b) and kind_of(a) != "float":
                return op in ("<=", ">=", "==")
            return self.let(op, a, b)
        if op == "**":
            return self.power(a, b)
        if op in ("/", "//", "%") and kind_of(a) == kind_of(b) == "bool":
            a = self.convert(a, "int")
        small = type(b) is int and b > 0 and op == "%" and kind_of(a) != "float"
        return self.let(op, a, b, bound=b - 1 if small else None)

    def logic(self, op: str, a: Any, b: Any) -> Any:
        neutral = op == "&"  # True & x and False | x are x: nothing to emit
        for x, y in ((a, b), (b, a)):
            if x is neutral and kind_of(y) == "bool":
                return y
            if x is (not neutral) and kind_of(y) == "bool":
                return not neutral
        if self.key(a) == self.key(b):
            return a
        return self.let(op, a, b)

    def truth_compared(self, op: str, a: Any, b: Any) -> Any:
        for x, y in ((a, b), (b, a)):
            if isinstance(x, bool):
                return y if x is (op == "==") else self.no(y)
        return self.let(op, a, b)

    def arithmetic(self, op: str, a: Any, b: Any, checked: bool) -> Any:
        literal = [type(x) is int and x for x in (a, b)]
        kind = OPS[op].kind(kind_of(a), kind_of(b))
        if op == "*" and 1 in literal and True not in (a is True, b is True):
            return self.convert(a if literal[1] == 1 and literal[1] is not False else b, kind)
        if op == "+" and any(type(x) is int and x == 0 for x in (a, b)):
            return self.convert(b if type(a) is int and a == 0 else a, kind)
        if op == "-" and type(b) is int and b == 0:
            return self.convert(a, kind)
        if kind != "int":
            return self.let(op, a, b)
        x, y = bound_of(a), bound_of(b)
        if x is not None and y is not None and (limit := x * y if op == "*" else x + y) <= INT64_MAX:
            return self.let(op, a, b, bound=limit)
        if op in ("+", "-") and isinstance(a, Symbol) and a.origin is not None and y is not None:
            grown = self.grown(op, a, b, y)
            if grown is not None:
                return grown
        if op == "+" and isinstance(b, Symbol) and b.origin is not None and x is not None:
            grown = self.grown(op, b, a, x)
            if grown is not None:
                return grown
        if not checked:
            return self.let(op, a, b)
        name = {"+": "add", "-": "subtract", "*": "multiply"}[op]
        return self.let(name, self.convert(a, "int"), self.convert(b, "int"))

    def grown(self, op: str, acc: Symbol, by: Any, bound: int) -> Any:
        """An accumulator plus something small: no check is needed, see DRIFT."""
        if acc.drift + bound > DRIFT:
            return None
        symbol = self.let(op, acc, by)
        symbol.origin, symbol.drift = acc.origin, acc.drift + bound
        return symbol

    def power(self, a: Any, b: Any) -> Any:
        if type(b) is int and 0 <= b <= 64:
            result = self.convert(1, "float" if kind_of(a) == "float" else "int")
            for _ in range(b):
                result = a if type(result) in (int, float) and result == 1 else self.arithmetic("*", result, a, True)
            return result
        if kind_of(a) != "float" and kind_of(b) != "float":
            raise Untraceable(
                "an integer to the power of another may be an integer or a fraction",
                "Say which: make one of them a float, or write the exponent as a number.",
            )
        return self.let("**", self.convert(a, "float"), self.convert(b, "float"))

    def no(self, a: Any) -> Any:
        a = self.operand(a, "not")
        if not isinstance(a, Symbol):
            return not a
        op, arguments = self.definitions.get(a.number, ("", ()))
        return arguments[0] if op == "not" else self.let("not", a)

    def maximum(self, a: Any, b: Any) -> Any:
        return self.extreme("max", a, b)

    def minimum(self, a: Any, b: Any) -> Any:
        return self.extreme("min", a, b)

    def extreme(self, op: str, a: Any, b: Any) -> Any:
        a, b = self.operand(a, op), self.operand(b, op)
        if isinstance(a, Undefined) or isinstance(b, Undefined):
            return b if isinstance(a, Undefined) else a
        if not isinstance(a, Symbol) and not isinstance(b, Symbol):
            return max(a, b) if op == "max" else min(a, b)
        if self.key(a) == self.key(b):
            return a
        kind = wider(kind_of(a), kind_of(b))
        if kind == "bool":
            return self.logic("|" if op == "max" else "&", a, b)
        x, y = bound_of(a), bound_of(b)
        return self.let(op, self.convert(a, kind), self.convert(b, kind), bound=max(x, y) if x and y else None)

    def plus(self, a: Any, b: Any) -> Any:
        return self.values("+", a, b)

    def times(self, a: Any, b: Any) -> Any:
        return self.values("*", a, b)

    def values(self, op: str, a: Any, b: Any) -> Any:
        """The sum or product of two values, checked wherever it stands."""
        a, b = self.operand(a, op), self.operand(b, op)
        if isinstance(a, Undefined) or isinstance(b, Undefined):
            return b if isinstance(a, Undefined) else a
        if not isinstance(a, Symbol) and not isinstance(b, Symbol):
            return super().plus(a, b) if op == "+" else super().times(a, b)
        return self.arithmetic(op, a, b, True)

    # ------------------------------------------------------------------ arrays

    def load(self, column: Any, i: Any) -> Any:
        array = self.array(column)
        hint = array.hint[:-1] if array.hint.endswith("s") else array.hint.replace("s_", "_")
        if isinstance(column, TracedBuffer):
            return self.let("load", array, i, hint=hint)
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
            made = TracedBuffer(array, self.symbol("int", f"out_{name}_count", bound=POSITIONS), zeros, self)
            self.owned[key] = made
            self.program.buffers.append(made)
        return self.owned[key]

    def append(self, buffer: TracedBuffer, value: Any) -> None:
        self.emit(Append(buffer, self.convert(value, buffer.array.kind[:-2])))

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

    # ------------------------------------------------------------------ control

    def truth(self, symbol: Symbol) -> bool:
        """Python asks for the truth of a symbol: a fact decides it, or the trace forks."""
        if symbol.kind != "bool":
            symbol = self.let("!=", symbol, 0 if symbol.kind == "int" else 0.0)
        known = self.known(symbol)
        if isinstance(known, bool):
            return known
        if self.path is None:
            raise BranchOnSymbol(
                "the truth of a value that is only known at run time was asked for",
                "In a stream's own methods use the words of the vocabulary: `&`, `|`, sk.no, sk.select, sk.maximum.",
            )
        raise Fork(symbol)

    def effect(self, perform: Callable[[], Any]) -> Any:
        path, checked = self.path, self.checked
        if path is not None and path.at < len(path.log):
            path.at += 1
            return path.log[path.at - 1]
        self.path, self.checked = None, False
        try:
            result = perform()
        finally:
            self.path, self.checked = path, checked
        if path is not None:
            path.log.append(result)
            path.at += 1
        return result

    def select(self, condition: Any, then: Callable[[], Any], other: Callable[[], Any]) -> Any:
        condition = self.operand(condition, "select")
        if isinstance(condition, Symbol) and condition.kind != "bool":
            condition = self.let("!=", condition, 0)
        if not isinstance(condition, Symbol):
            return then() if condition else other()
        return self.effect(lambda: self.arms(condition, then, other))

    def optional(self, present: Any, compute: Callable[[], Any]) -> Any:
        present = self.operand(present, "optional")
        if not isinstance(present, Symbol):
            return compute() if present else UNDEFINED
        found: list[Any] = []

        def there() -> Any:
            found.append(compute())
            return found[0]

        def absent() -> Any:
            zeros = (self.convert(UNDEFINED, kind_of(x)) if is_number(x) else x for x in leaves(found[0]))
            return rebuild(found[0], zeros)

        return self.effect(lambda: self.arms(present, there, absent))

    def undefined(self) -> Any:
        return UNDEFINED

    def arms(self, condition: Symbol, then: Callable[[], Any], other: Callable[[], Any]) -> Any:
        """Both sides of a branch, each in a block of its own, and what comes of them in variables of both."""
        node = If(condition)
        with self.block(node.then):
            self.learn(condition, True)
            x = then()
        with self.block(node.other):
            self.learn(condition, False)
            y = other()
        x, y = filled(x, y), filled(y, x)
        if shape(x) != shape(y):
            raise BranchesDiffer(
                f"the two sides of a branch differ in shape: {describe(x)} and {describe(y)}",
                "Return values of the same shape from both; for a stream, the same combinators over the same source.",
            )
        variables: list[Symbol] = []
        joined, sides = [], ([], [])  # type: tuple[list[Any], tuple[list[Any], list[Any]]]
        for a, b in zip(leaves(x), leaves(y), strict=True):
            if self.key(a) == self.key(b):
                joined.append(a)
                continue
            numeric = all(is_number(v) or isinstance(v, Undefined) for v in (a, b))
            if not numeric:
                raise BranchesDiffer(
                    f"the two sides of a branch read different things: {describe(a)} and {describe(b)}",
                    "Choose between numbers; to choose between streams, filter or multiply by a condition.",
                )
            if isinstance(a, Undefined) and isinstance(b, Undefined):
                joined.append(a)
                continue
            kinds = [kind_of(v) for v in (a, b) if not isinstance(v, Undefined)]
            kind = kinds[0] if len(kinds) == 1 else wider(*kinds)
            variable = self.symbol(kind, hint_of(a, b), **common(a, b, kind))
            for side, value, nodes in zip(sides, (a, b), (node.then, node.other), strict=True):
                with self.block(nodes):
                    side.append(self.convert(value, kind))
            variables.append(variable)
            joined.append(variable)
        node.joins = {v.number for v in variables}
        if variables:
            node.then.append(Assign(tuple(variables), tuple(sides[0])))
            node.other.append(Assign(tuple(variables), tuple(sides[1])))
        self.emit(node)
        return rebuild(x, iter(joined))

    def loop(self, going: Callable[..., Any], body: Callable[..., Any], q: Any, acc: Any) -> Any:
        return self.effect(lambda: self.written_loop(going, body, q, acc))

    def written_loop(self, going: Callable[..., Any], body: Callable[..., Any], q: Any, acc: Any) -> Any:
        """The loop, written down. Its variables' kinds are those it starts with until the body proves them too narrow;
        then it is written again."""
        drifting = True
        while True:
            saved = dict(self.owned), list(self.program.buffers)
            first = [(x, "q") for x in leaves(q)] + [(x, "total") for x in leaves(acc)]
            variables: list[Any] = []
            for x, hint in first:
                if not is_number(x):
                    variables.append(x)
                    continue
                variable = self.symbol(kind_of(x), hint, bound=1 if kind_of(x) == "bool" else None)
                if variable.kind == "int" and hint == "q":
                    variable.bound = POSITIONS
                elif variable.kind == "int" and drifting:
                    self.let_drift(variable, x)
                variables.append(variable)
            state = rebuild((q, acc), iter(variables))
            node = Loop()
            with self.block(node.body):
                condition = self.operand(going(*state), "loop")
                if condition is False:  # an empty stream: nothing to write, and no body to learn kinds from
                    return q, acc
                self.emit(Stay(condition))
                self.learn(condition, True)
                after = body(*state)
                wanted = self.compare(state, after)
                if wanted is None:
                    new = leaves(after)
                    kept = all(self.drifts(v, n) for v, n in zip(variables, new, strict=True))
                    if kept or not drifting:
                        pairs = [(v, self.convert(n, v.kind)) for v, n in zip(variables, new, strict=True)
                                 if isinstance(v, Symbol) and self.key(v) != self.key(n)]  # fmt: skip
                        if pairs:
                            assign(node.body, pairs)
                        break
            self.owned, self.program.buffers = saved
            if wanted is None:
                drifting = False
            else:
                q, acc = self.widened(q, wanted[0]), self.widened(acc, wanted[1])
        start = [(v, self.convert(x, v.kind)) for (x, _), v in zip(first, variables, strict=True) if isinstance(v, Symbol)]
        self.emit(Assign(tuple(v for v, _ in start), tuple(x for _, x in start)))
        self.emit(node)
        return state

    def let_drift(self, variable: Symbol, start: Any) -> None:
        """An accumulator whose start is small, or is itself one, may grow unchecked by small steps."""
        if isinstance(start, Symbol) and start.origin is not None:
            variable.origin, variable.drift = start.origin, start.drift
        elif (limit := bound_of(start)) is not None and limit <= POSITIONS:
            variable.origin = variable.number

    def drifts(self, variable: Any, new: Any) -> bool:
        """Whether a variable that was taken for an accumulator is one: its new value is itself, plus a little."""
        if not isinstance(variable, Symbol) or variable.origin is None or self.key(variable) == self.key(new):
            return True
        return isinstance(new, Symbol) and new.origin == variable.origin

    def compare(self, state: Any, after: Any) -> Any:
        """None if a loop's variables can hold what its body made of them, otherwise (q, acc) as wide as they must be."""

        def fit(x: Any, y: Any) -> tuple[bool, Any]:
            if isinstance(x, Undefined):
                return isinstance(y, Undefined), y
            if shape(x) != shape(filled(y, x)) and shape(filled(x, y)) != shape(y):
                raise BranchesDiffer(
                    f"a step turns {describe(x)} into {describe(y)}", "Keep the shape of what is accumulated."
                )
            if isinstance(x, tuple):
                parts = [fit(a, b) for a, b in zip(x, y, strict=True)]
                return all(ok for ok, _ in parts), rebuild_like(x, [wide for _, wide in parts])
            if is_number(x) and is_number(y):
                kind = wider(kind_of(x), kind_of(y))
                return kind == kind_of(x), KIND_ZERO[kind]
            if self.key(x) != self.key(y) and not is_number(x):
                raise BranchesDiffer(
                    f"a step turns {describe(x)} into {describe(y)}", "Only numbers can change from step to step."
                )
            return True, x

        if isinstance(state, tuple) and len(state) == 2:
            results = [fit(a, b) for a, b in zip(state, after, strict=True)]
            return None if all(ok for ok, _ in results) else tuple(wide for _, wide in results)
        raise BranchesDiffer("a loop's state is a pair")

    def widened(self, start: Any, wanted: Any) -> Any:
        """A loop's start, as wide as its body asked for."""
        if isinstance(start, Undefined):
            return rebuild(wanted, (KIND_ZERO[kind_of(x)] if is_number(x) else x for x in leaves(wanted)))
        if isinstance(start, tuple):
            return rebuild_like(start, [self.widened(a, b) for a, b in zip(start, wanted, strict=True)])
        if is_number(start) and is_number(wanted):
            return self.convert(start, wider(kind_of(start), kind_of(wanted)))
        return start

    # ------------------------------------------------------------------ users' functions

    def apply(self, f: Callable[..., Any], *arguments: Any) -> Any:
        def perform() -> Any:
            return self.once((f, None, arguments), lambda: self.traced(f, arguments))

        return self.effect(perform)

    def traced(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """f on symbols; if that cannot be, f as a kernel of its own; if that cannot be either, an error at its line."""
        if isinstance(f, Kernel):
            return self.call(f, arguments)
        size, saved, paths = len(self.blocks[-1]), (dict(self.owned), list(self.program.buffers)), self.paths
        shared = dict(self.scopes[-1].shared)
        self.paths = 0
        try:
            return self.follow(with_captured(f, self.cells), arguments, [])
        except Exception as error:
            if isinstance(error, SkipstoneError) and not isinstance(error, Untraceable):
                raise
            reason = error
        finally:
            self.paths = paths
        del self.blocks[-1][size:]
        self.owned, self.program.buffers = saved
        self.scopes[-1].shared = shared
        return self.as_kernel(f, arguments, reason)

    def follow(self, f: Callable[..., Any], arguments: tuple[Any, ...], log: list[Any]) -> Any:
        """One way through f, and from the first open question on, both."""
        path = self.path = Path(log)
        self.checked = True
        try:
            return tidy(f(*arguments))
        except Fork as fork:
            condition = fork.symbol
        finally:
            self.path, self.checked = None, False
        self.paths += 1
        if self.paths > PATHS:
            raise TooManyPaths(f"more than {PATHS} ways through it")
        return self.arms(
            condition,
            lambda: self.follow(f, arguments, list(path.log)),
            lambda: self.follow(f, arguments, list(path.log)),
        )

    def as_kernel(self, f: Callable[..., Any], arguments: tuple[Any, ...], reason: Exception) -> Any:
        """f compiled as it stands, if it is a function of numbers."""
        where = line_of(f, reason)
        if not all(is_number(x) for x in leaves(arguments)) or any(isinstance(x, tuple) for x in arguments):
            if isinstance(reason, Untraceable):
                reason.where = reason.where or where
                raise type(reason)(reason.what, reason.repair, where) from None
            raise Untraceable(
                f"this function cannot be compiled: {reason}",
                "It was run once, on symbols. Use arithmetic, comparisons, if, tuples and streams, or @sk.kernel.",
                where,
            ) from reason
        kernel = Kernel(f)
        try:
            return self.call(kernel, arguments)
        except Untraceable as error:
            text = reason.what if isinstance(reason, SkipstoneError) else str(reason) or type(reason).__name__
            kind = type(reason) if isinstance(reason, Untraceable) else Untraceable
            raise kind(
                f"this function cannot be compiled: {text}",
                f"Nor could it be compiled as it stands: {error.what}",
                where,
            ) from None


HINTS = {"max": "index", "min": "lowest", "==": "same", "<": "less", "<=": "upto", "&": "both", "|": "either", "+": "plus",
         "*": "times", "-": "minus", "add": "plus", "multiply": "times", "not": "none", "%": "rest", "/": "share"}  # fmt: skip
KIND_ZERO: dict[str, Any] = {"bool": False, "int": 0, "float": 0.0}


def letter_of(n: int) -> str:
    return chr(ord("a") + n) if n < 26 else f"s{n}"


def bound_of(x: Any) -> int | None:
    """The largest that |x| can be, if anything is known; nothing is, on purpose, of a captured number."""
    if isinstance(x, Symbol):
        return x.bound
    return None if isinstance(x, Captured | float) else abs(int(x))


def common(a: Any, b: Any, kind: str) -> dict[str, Any]:
    """What is known of a variable that is a on one path and b on the other."""
    if kind == "bool":
        return {"bound": 1}
    if kind == "float" or isinstance(a, Undefined) or isinstance(b, Undefined):
        return {}
    if isinstance(a, Symbol) and isinstance(b, Symbol) and a.origin is not None and a.origin == b.origin:
        return {"origin": a.origin, "drift": max(a.drift, b.drift)}
    x, y = bound_of(a), bound_of(b)
    return {"bound": max(x, y)} if x is not None and y is not None else {}


def hint_of(a: Any, b: Any) -> str:
    return next((x.hint for x in (a, b) if isinstance(x, Symbol)), "x")


def describe(x: Any) -> str:
    if is_number(x):
        return f"a number ({kind_of(x)})"
    return f"{type(x).__name__} {x!r}" if not isinstance(x, tuple) else f"a tuple of {len(x)}"


def rebuild_like(x: tuple[Any, ...], parts: list[Any]) -> Any:
    return type(x)(*parts) if hasattr(x, "_fields") else tuple(parts)


def filled(x: Any, like: Any) -> Any:
    """x, with each undefined part taking the shape that it has in `like`."""
    if isinstance(x, Undefined):
        return rebuild(like, iter([UNDEFINED if is_number(leaf) else leaf for leaf in leaves(like)]))
    if isinstance(x, tuple) and type(x) is type(like) and len(x) == len(like):
        return rebuild_like(x, [filled(a, b) for a, b in zip(x, like, strict=True)])
    return x


def tidy(result: Any) -> Any:
    """What a user's function returned, with NumPy's numbers as Python's."""
    if isinstance(result, list):
        raise Untraceable("a function returned a list", "Return a tuple: its length is part of the code.")
    if result is None:
        raise Untraceable("a function returned None", "Return a number, a tuple or a stream on every path.")
    return rebuild(result, iter([x.item() if isinstance(x, np.generic) else x for x in leaves(result)]))


def assign(block: list[Node], pairs: list[tuple[Symbol, Any]]) -> None:
    """Assign at the end of a block; if all values come from a branch that ends it, in its arms, where they arise."""
    last = block[-1] if block else None
    if isinstance(last, If):
        ends = [arm[-1] if arm and isinstance(arm[-1], Assign) else Assign((), ()) for arm in (last.then, last.other)]
        if all(isinstance(x, Symbol) and x.number in last.joins for _, x in pairs):
            last.joins = set()
            for arm, end in zip((last.then, last.other), ends, strict=True):
                arm.pop()
                own = {v.number: x for v, x in zip(end.variables, end.values, strict=True)}
                inner = [(v, own[x.number]) for v, x in pairs]
                inner = [(v, x) for v, x in inner if not (isinstance(x, Symbol) and x.number == v.number)]
                if inner:
                    assign(arm, inner)
            return
    block.append(Assign(tuple(v for v, _ in pairs), tuple(x for _, x in pairs)))
