"""Sums over arrays, checked after the loop instead of in every step.

A branch in every step, even one that is never taken, keeps LLVM from vectorising: a plain sum of a million integers was
3.4 times slower with checks than without. Where a loop does nothing but read and add, its sum is let wrap around, and
a second, coarse sum is kept beside it: that of x >> 31, which cannot overflow in 2**31 steps. If T is the wrapped sum,
S the true one, and H the coarse one, then H <= S >> 31 <= H + steps, because each shift rounds down by less than one.
Were S = T + k * 2**64 with k other than 0, then T >> 31 would miss that range by 2**33. So T is the true sum if and
only if 0 <= (T >> 31) - H <= steps: `runtime.settled`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .program import Let, Node, Stay
from .symbol import Symbol

if TYPE_CHECKING:
    from .recorder import Recorder

MAY_FAIL = {"add", "subtract", "multiply", "divide", "/", "//", "%", "**", "floor", "ceil", "trunc"}


@dataclass
class LateCheck:
    """A sum that wraps around in its loop: the coarse sum beside it, and the position that counts the steps."""

    total: Symbol
    coarse: Symbol
    position: Symbol


def postponed(tracer: Recorder, body: list[Node], pairs: list[tuple[Symbol, Any]]) -> list[LateCheck]:
    """Take the checks out of a loop that only reads and adds, and extend its body and assignments accordingly."""
    lets = [node for node in body if isinstance(node, Let)]
    if len(lets) + sum(isinstance(node, Stay) for node in body) < len(body):
        return []  # branches, calls or inner loops: not vectorised anyway
    by_symbol = {node.symbol.number: node for node in lets}

    def update_of(variable: Symbol, new: Any) -> Let | None:
        found = by_symbol.get(new.number) if isinstance(new, Symbol) else None
        return found if found and any(is_same(x, variable) for x in found.arguments) else None

    read = Counter(x.number for node in body for x in operands(node) if isinstance(x, Symbol))
    read.update(new.number for _, new in pairs if isinstance(new, Symbol))

    def only_a_sum(variable: Symbol, new: Any) -> bool:
        # Read by its own addition and by nobody else: a sum that has wrapped around for a while must not be seen.
        return read[variable.number] == 1 and read[new.number] == 1

    sums = {
        v.number: n for v, new in pairs if (n := update_of(v, new)) is not None and n.op == "add" and only_a_sum(v, new)
    }
    position = next(
        (v for v, new in pairs if (n := update_of(v, new)) and n.op == "+" and is_one(n.arguments[1])), None
    )
    adding = {id(node) for node in sums.values()}
    if not sums or position is None or not any(node.op.startswith("load") for node in lets):
        return []  # without an array there is no telling how many steps there will be
    if any(node.op in MAY_FAIL and id(node) not in adding for node in lets):
        return []
    checks = []
    for variable, _ in list(pairs):
        if variable.number not in sums:
            continue
        node = sums[variable.number]
        node.op = "+"
        term = next(x for x in node.arguments if not is_same(x, variable))
        coarse = tracer.symbol("int", "coarse")
        pairs.append((coarse, tracer.let("+", coarse, tracer.let(">>", term, 31))))
        checks.append(LateCheck(variable, coarse, position))
    return checks


def operands(node: Node) -> tuple[Any, ...]:
    """What a node of a straight loop reads."""
    return node.arguments if isinstance(node, Let) else (node.condition,) if isinstance(node, Stay) else ()


def is_one(x: Any) -> bool:
    return type(x) is int and x == 1


def is_same(x: Any, symbol: Symbol) -> bool:
    return isinstance(x, Symbol) and x.number == symbol.number
