"""Control: branches, written once as program text, whatever paths will be taken at run time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..errors import BranchesDiffer, BranchOnSymbol
from ..structure import leaves, rebuild, shape
from .arithmetic import Arithmetic, bound_of
from .ops import wider
from .program import Assign, If
from .symbol import UNDEFINED, Symbol, Undefined, is_number, kind_of


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
    """Adds `select` and the forking of users' functions."""

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
