"""Accumulators that grow by a little in every step, and so need no overflow check: see DRIFT.

A loop is written as if all its accumulators were of that kind. Whether they are is known at its end. Where one is not,
its steps get their checks afterwards, in the program; writing the loop again would write every loop inside it again,
and those inside of them twice over.
"""

from __future__ import annotations

from typing import Any

from .arithmetic import bound_of
from .program import Assign, Let, Loop, Node, walk
from .recorder import POSITIONS
from .symbol import Symbol, kind_of

CHECKED = {"+": "add", "-": "subtract"}


def let_drift(variable: Symbol, start: Any) -> None:
    """An accumulator whose start is small, or is itself one, may grow unchecked by small steps."""
    if isinstance(start, Symbol) and start.origin is not None:
        variable.origin, variable.drift = start.origin, start.drift
    elif (limit := bound_of(start)) is not None and limit <= POSITIONS:
        variable.origin = variable.number


def drifts(variable: Any, new: Any) -> bool:
    """Whether a variable that was taken for an accumulator is one: its new value is itself, plus a little."""
    if not isinstance(variable, Symbol) or variable.origin is None:
        return True
    return isinstance(new, Symbol) and (new.number == variable.number or new.origin == variable.origin)


def check(body: list[Node], variable: Symbol) -> bool:
    """Check every step of a variable that does not drift. False if it cannot be done so late: a loop inside of this one
    carries the variable on, and would have been written in another way."""
    origin, nodes = variable.origin, list(walk(body))
    inside = [n for node in nodes if isinstance(node, Loop) for n in walk(node.body) if isinstance(n, Assign)]
    steps = [node for node in nodes if isinstance(node, Let) and node.symbol.origin == origin]
    whole = all(kind_of(x) == "int" for node in steps for x in node.arguments)
    if not whole or any(v.origin == origin for node in inside for v in node.variables):
        return False
    for step in steps:
        step.op = CHECKED[step.op]
    found = [step.symbol for step in steps] + [v for n in nodes if isinstance(n, Assign) for v in n.variables]
    for symbol in (variable, *found):
        symbol.origin = None if symbol.origin == origin else symbol.origin
    return True
