"""Narrowing: arrays of a program's own that hold small integers take four bytes for each, not eight.

Loops that gather many rows mostly wait for memory. What an array may hold is known once all of the program is written.
"""

from __future__ import annotations

from typing import Any

from ..words import Parameter
from .captured import Captured
from .program import Append, Let, Program, Store, TracedBuffer, walk
from .symbol import Symbol

LIMIT = 2**32  # of what fits in four bytes; without a sign, because processors widen such numbers for nothing


def narrowed(program: Program) -> None:
    """Mark the arrays that can be narrow. Values that are returned stay wide: somebody will calculate with them."""
    made = {node.symbol.number: node for node in walk(program.body) if isinstance(node, Let)}
    arrays = [(symbol.number, getattr(source, "array", None)) for symbol, source in program.arguments]
    given = {n for n, array in arrays if array is not None and fits(array.dtype)}
    parameters = [(symbol.number, x.below) for symbol, x in program.arguments if isinstance(x, Parameter)]
    few = {n for n, below in parameters if below is not None and below <= LIMIT}
    returned = [x for x in program.results if isinstance(x, TracedBuffer) and not x.of_keys]
    candidates = [b for b in program.buffers if b.array.kind == "int[]" and not any(b is x for x in returned)]

    def is_small(x: Any) -> bool:
        if not isinstance(x, Symbol):
            return not isinstance(x, Captured) and bool(0 <= x < LIMIT)  # the next captured number may not fit
        node = made.get(x.number)
        if node is None:
            return x.number in few
        if node.op == "min":  # what is counted is not less than 0
            return any(map(is_small, node.arguments)) and all(is_small(y) or is_count(y) for y in node.arguments)
        if not node.op.startswith("load"):
            return node.op == "max" and all(map(is_small, node.arguments))
        return node.arguments[0].number in narrow or node.arguments[0].number in given

    def is_count(x: Any) -> bool:
        return isinstance(x, Symbol) and x.number in made and made[x.number].op == "count"

    narrow: set[int] = set()
    held: dict[int, list[Any]] = {buffer.array.number: [] for buffer in candidates}
    for node in walk(program.body):
        if isinstance(node, Append | Store) and node.buffer.array.number in held:
            held[node.buffer.array.number].append(node.value)
    while fresh := [b for b in candidates if not b.narrow and all(map(is_small, held[b.array.number]))]:
        for buffer in fresh:
            buffer.narrow = True
            narrow.add(buffer.array.number)
    for node in made.values():
        if node.op == "load" and node.arguments[0].number in narrow:
            node.op = "load wide int"


def fits(dtype: Any) -> bool:
    """Whether every number of an array fits."""
    return bool(dtype.kind == "u" and dtype.itemsize <= 4)
