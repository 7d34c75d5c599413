"""Comparisons of a key with a bound, as slices of streams wherever that is possible: a slice seeks."""

from __future__ import annotations

from typing import Any

from ..notation.axes import COMPARE
from ..stream import Stream
from ..words import Parameter, parameter


def compared(stream: Stream, op: str, bound: Any, floats: bool) -> Stream:
    """The keys of a stream that compare so with a bound; by seeking, where that is possible."""
    if not floats and isinstance(bound, float) and not bound.is_integer():  # a key that no table holds
        if op == "==":
            return stream.filter(lambda key, value: False)
        return stream if op == "!=" else stream[: bound + 0.5] if op in ("<", "<=") else stream[bound + 0.5 :]
    behind = bound if floats else bound + 1
    if isinstance(bound, int | float):  # and not the key of a loop outside
        if not floats and bound >= 2**63 - 1 and op in ("<=", ">", "=="):  # there is no key behind it
            return stream if op == "<=" else stream[bound:] if op == "==" else stream.filter(lambda key, value: False)
        bound, behind = (Parameter(x if floats else int(x), "bound") for x in (bound, behind))
    if op == "!=":
        return stream.filter(lambda key, value: key != parameter(bound))
    if op == "<":
        return stream[:bound]
    if op == ">=":
        return stream[bound:]
    if floats:
        return stream.filter(lambda key, value: COMPARE[op](key, parameter(bound)))
    if op == "<=":
        return stream[:behind]
    return stream[behind:] if op == ">" else stream[bound:behind]


def number(x: Any) -> Any:
    """A number as a parameter of the code, which serves others too: many are sums of what happens to be there."""
    small = type(x) is float or (type(x) is int and x != 1 and -(2**63) <= x < 2**63)
    return parameter(Parameter(x, "number")) if small else x
