"""The op table: every instruction that emitted code may contain, on one page.

An op has a form in Python, a binding strength (how tightly that form binds, for parentheses), and a rule for the kind
of its result. Kinds are "bool", "int" (int64) and "float" (float64); "int[]" is an array of ints.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

KINDS = ("bool", "int", "float")


def wider(a: str, b: str) -> str:
    """The kind that holds values of both."""
    return KINDS[max(KINDS.index(a), KINDS.index(b))]


def arithmetic(*kinds: str) -> str:
    """bool + bool is an int, as in Python; otherwise the wider."""
    kind = "int"
    for k in kinds:
        kind = wider(kind, k)
    return kind


def logical(*kinds: str) -> str:
    return "bool" if set(kinds) == {"bool"} else "int"


@dataclass(frozen=True)
class Op:
    form: str
    binds: int
    kind: Callable[..., str]


ATOM, POWER, UNARY, TIMES, PLUS, SHIFT, AND, XOR, OR, COMPARE, NOT = 20, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7


def _always(kind: str) -> Callable[..., str]:
    return lambda *kinds: kind


OPS: dict[str, Op] = {
    # numbers
    "+": Op("{} + {}", PLUS, arithmetic),
    "-": Op("{} - {}", PLUS, arithmetic),
    "*": Op("{} * {}", TIMES, arithmetic),
    "/": Op("{} / {}", TIMES, _always("float")),
    "//": Op("{} // {}", TIMES, arithmetic),
    "%": Op("{} % {}", TIMES, arithmetic),
    ">>": Op("{} >> {}", SHIFT, _always("int")),
    "**": Op("{} ** {}", POWER, _always("float")),
    "shifted": Op("shifted({}, {})", ATOM, _always("int")),
    "negate": Op("-{}", UNARY, arithmetic),
    "abs": Op("abs({})", ATOM, arithmetic),
    "lowest": Op("lowest({})", ATOM, _always("int")),
    # integers, refusing to leave int64
    "add": Op("add({}, {})", ATOM, _always("int")),
    "subtract": Op("subtract({}, {})", ATOM, _always("int")),
    "multiply": Op("multiply({}, {})", ATOM, _always("int")),
    "divide": Op("divide({}, {})", ATOM, _always("int")),
    # floats, in any order: LLVM may add several at once
    "gather": Op("gather({}, {})", ATOM, _always("float")),
    # order and logic
    "<": Op("{} < {}", COMPARE, _always("bool")),
    "small": Op("{} < 2.0**62", COMPARE, _always("bool")),  # see late_checks.py
    "<=": Op("{} <= {}", COMPARE, _always("bool")),
    ">": Op("{} > {}", COMPARE, _always("bool")),
    ">=": Op("{} >= {}", COMPARE, _always("bool")),
    "==": Op("{} == {}", COMPARE, _always("bool")),
    "!=": Op("{} != {}", COMPARE, _always("bool")),
    "&": Op("{} & {}", AND, logical),
    "^": Op("{} ^ {}", XOR, logical),
    "|": Op("{} | {}", OR, logical),
    "not": Op("not {}", NOT, _always("bool")),
    "max": Op("max({}, {})", ATOM, wider),
    "min": Op("min({}, {})", ATOM, wider),
    # of floats, as Python means it where one of them is NaN
    "larger": Op("larger({}, {})", ATOM, _always("float")),
    "smaller": Op("smaller({}, {})", ATOM, _always("float")),
    # conversions
    "bool": Op("bool({})", ATOM, _always("bool")),
    "int": Op("int({})", ATOM, _always("int")),
    "float": Op("float({})", ATOM, _always("float")),
    "floor": Op("whole(np.floor({}))", ATOM, _always("int")),
    "ceil": Op("whole(np.ceil({}))", ATOM, _always("int")),
    "trunc": Op("whole({})", ATOM, _always("int")),
    # arrays; narrow ones are widened as they are read, because Python's numbers are wide
    "load": Op("{}[{}]", ATOM, lambda array, i: array[:-2]),
    "load wide int": Op("np.int64({}[{}])", ATOM, lambda array, i: "int"),
    "load wide float": Op("np.float64({}[{}])", ATOM, lambda array, i: "float"),
    "size": Op("{}.size", ATOM, _always("int")),
    # a buffer's length now; it changes, so this is never shared or moved
    "count": Op("{}", ATOM, _always("int")),
}

UFUNCS = {
    name: Op(f"np.{name}({{}})", ATOM, _always("float"))
    for name in (
        "sqrt", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "arcsin", "arccos",
        "arctan", "sinh", "cosh", "tanh", "floor", "ceil", "trunc", "rint", "cbrt",
    )
}  # fmt: skip
OPS |= {f"np.{name}": op for name, op in UFUNCS.items()}
