"""Control: branches and loops, written once as program text, whatever paths will be taken at run time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..errors import BranchesDiffer, BranchOnSymbol
from ..structure import leaves, rebuild, shape
from .arithmetic import Arithmetic, bound_of
from .late_checks import wrapping_first
from .ops import wider
from .program import Assign, If, Loop, Node, Stay
from .recorder import KIND_ZERO, POSITIONS
from .symbol import UNDEFINED, Symbol, Undefined, is_number, kind_of

ATTEMPTS = 12  # of writing a loop: kinds widen twice at most, shapes once a level


class Fork(BaseException):
    """A function asked for the truth of a symbol that no fact decides.

    Not an Exception: a handler of the user's must not see it.
    """

    def __init__(self, symbol: Symbol) -> None:
        self.symbol = symbol


@dataclass
class Path:
    """One way through a user's function: the effects it has had so far, and how many of them were replayed."""

    log: list[Any]
    at: int = 0


class Control(Arithmetic):
    """Adds `select`, `loop` and the forking of users' functions."""

    path: Path | None = None

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
        return self.effect(lambda: self.arms(condition, then, other, lift=True))

    def optional(self, present: Any, compute: Callable[[], Any]) -> Any:
        present = self.operand(present, "optional")
        if not isinstance(present, Symbol):
            return compute() if present else UNDEFINED

        def perform() -> Any:
            node = If(present)
            with self.block(node.then):
                self.learn(present, True)
                found = compute()
            parts = leaves(found)
            return self.join(node, found, parts, [UNDEFINED if is_number(x) else x for x in parts])

        return self.effect(perform)

    def undefined(self) -> Any:
        return UNDEFINED

    def arms(self, condition: Symbol, then: Callable[[], Any], other: Callable[[], Any], lift: bool = False) -> Any:
        """Both sides of a branch, each in a block of its own.

        `lift`: a number on one side stands for a tuple of itself if there is a tuple on the other, as in a sum that
        starts from 0. Users' functions must say what they mean.
        """
        node = If(condition)
        with self.block(node.then):
            self.learn(condition, True)
            x = then()
        with self.block(node.other):
            self.learn(condition, False)
            y = other()
        x, y = filled(x, y, lift), filled(y, x, lift)
        if shape(x) != shape(y):
            raise BranchesDiffer(
                f"the two sides of a branch differ in shape: {describe(x)} and {describe(y)}",
                "Return values of the same shape from both; for a stream, the same combinators over the same source.",
            )
        return self.join(node, x, leaves(x), leaves(y))

    def join(self, node: If, value: Any, then: list[Any], other: list[Any]) -> Any:
        """What comes of a branch: `value`, its leaves replaced by variables wherever the two sides differ."""
        variables: list[Symbol] = []
        joined, sides = [], ([], [])  # type: tuple[list[Any], tuple[list[Any], list[Any]]]
        for a, b in zip(then, other, strict=True):
            if self.key(a) == self.key(b):
                joined.append(a)
                continue
            numeric = all(is_number(v) or isinstance(v, Undefined) for v in (a, b))
            if not numeric:
                raise BranchesDiffer(
                    f"the two sides of a branch read different things: {describe(a)} and {describe(b)}",
                    "Choose between numbers; to choose between streams, filter or multiply by a condition.",
                )
            if isinstance(b, Undefined) and not isinstance(a, Symbol):
                joined.append(a)  # a constant, or undefined as well
                continue
            kinds = [kind_of(v) for v in (a, b) if not isinstance(v, Undefined)]
            kind = kinds[0] if len(kinds) == 1 else wider(*kinds)
            variable = self.symbol(kind, hint_of(a, b), **common(a, b, kind))
            for side, part, nodes in zip(sides, (a, b), (node.then, node.other), strict=True):
                with self.block(nodes):
                    side.append(self.convert(part, kind))
            variables.append(variable)
            joined.append(variable)
        node.joins = {v.number for v in variables}
        if variables:
            node.then.append(Assign(tuple(variables), tuple(sides[0])))
            node.other.append(Assign(tuple(variables), tuple(sides[1])))
        self.emit(node)
        return rebuild(value, iter(joined))

    def loop(self, going: Callable[..., Any], body: Callable[..., Any], q: Any, acc: Any) -> Any:
        return self.effect(lambda: self.written_loop(going, body, q, acc))

    def written_loop(self, going: Callable[..., Any], body: Callable[..., Any], q: Any, acc: Any) -> Any:
        """The loop, written down. Its variables' kinds are those it starts with until the body proves them too narrow;
        then it is written again."""
        drifting = True
        for _ in range(ATTEMPTS):
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
        else:
            raise BranchesDiffer("what is accumulated grows with every step", "Keep the shape of what is accumulated.")
        start = [
            (v, self.convert(x, v.kind)) for (x, _), v in zip(first, variables, strict=True) if isinstance(v, Symbol)
        ]
        self.emit(Assign(tuple(v for v, _ in start), tuple(x for _, x in start)))
        for part in wrapping_first(self, node, {v.number for v, _ in start}):
            self.emit(part)
        return rebuild(state, iter(variables))

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
        """None if a loop's variables can hold what its body made of them, else (q, acc) as wide as they must be."""

        def fit(x: Any, y: Any) -> tuple[bool, Any]:
            if isinstance(x, Undefined) or (is_number(x) and isinstance(y, tuple)):
                # A number that meets a tuple stands for a tuple of itself, as it does in a sum that starts from 0.
                return isinstance(y, Undefined), y
            if shape(x) != shape(filled(y, x)) and shape(filled(x, y, lift=True)) != shape(y):
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
        if is_number(start) and isinstance(wanted, tuple):
            return rebuild_like(wanted, [self.widened(start, part) for part in wanted])
        if isinstance(start, tuple):
            return rebuild_like(start, [self.widened(a, b) for a, b in zip(start, wanted, strict=True)])
        if is_number(start) and is_number(wanted):
            return self.convert(start, wider(kind_of(start), kind_of(wanted)))
        return start


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
    return f"{type(x).__name__} {x!r}" if not isinstance(x, tuple) else f"({', '.join(map(describe, x))})"


def rebuild_like(x: tuple[Any, ...], parts: list[Any]) -> Any:
    return type(x)(*parts) if hasattr(x, "_fields") else tuple(parts)


def filled(x: Any, like: Any, lift: bool = False) -> Any:
    """x, with each undefined part (and each number, to `lift` it) taking the shape that it has in `like`."""
    if lift and is_number(x) and isinstance(like, tuple):
        return rebuild_like(like, [filled(x, part, lift) for part in like])
    if isinstance(x, Undefined):
        return rebuild(like, iter([UNDEFINED if is_number(leaf) else leaf for leaf in leaves(like)]))
    if isinstance(x, tuple) and type(x) is type(like) and len(x) == len(like):
        return rebuild_like(x, [filled(a, b, lift) for a, b in zip(x, like, strict=True)])
    return x


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
