"""The fourth reading: the words on terms. The same definitions that are run and compiled become formulas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import z3

from ..errors import NotProvable
from ..words import Kernel, Parameter, Reading
from .cutting import cut_kernel, cut_loop
from .paths import current, explored, oblige, supposing
from .terms import UNDEFINED, VALUE, Term, expression, less, merged, number, truth, within


class Proving(Reading):
    """Every word as a term. A `select` follows both sides, each under its condition, and merges what they come to."""

    def no(self, a: Any) -> Any:
        return not a if isinstance(a, bool) else Term(z3.simplify(z3.Not(truth(a))))

    def maximum(self, a: Any, b: Any) -> Any:
        return merged(z3.Not(less(a, b)), a, b)

    def minimum(self, a: Any, b: Any) -> Any:
        return merged(z3.Not(less(b, a)), a, b)

    def plus(self, a: Any, b: Any) -> Any:
        return self.of_values("plus", a, b) if are_values(a, b) else within(number(a) + number(b), "+")

    def times(self, a: Any, b: Any) -> Any:
        return self.of_values("times", a, b) if are_values(a, b) else within(number(a) * number(b), "*")

    def of_values(self, name: str, a: Any, b: Any) -> Any:
        """The sum or product of two values, of which nothing is known."""
        return Term(z3.Function(name, VALUE, VALUE, VALUE)(expression(a), expression(b)))

    def select(self, condition: Any, then: Callable[[], Any], other: Callable[[], Any]) -> Any:
        if isinstance(condition, bool):
            return then() if condition else other()
        holds = z3.simplify(truth(condition))
        if z3.is_true(holds) or z3.is_false(holds):
            return then() if z3.is_true(holds) else other()
        with supposing(holds):
            a = then()
        with supposing(z3.Not(holds)):
            b = other()
        return merged(holds, a, b)

    def optional(self, present: Any, compute: Callable[[], Any]) -> Any:
        return self.select(present, compute, lambda: UNDEFINED)

    def undefined(self) -> Any:
        return UNDEFINED

    def load(self, column: Any, i: Any) -> Any:
        return column.item(i)

    def parameter(self, box: Any) -> Any:
        return box.value if isinstance(box, Parameter) else box

    def apply(self, f: Callable[..., Any], *arguments: Any) -> Any:
        """A function may branch: it is followed along all of its paths by itself, and its caller along one."""
        path = current()
        found = explored(lambda: f(*arguments), path.assumed, path.mode, path.silent)
        path.obligations += found.obligations
        path.facts += found.facts
        return found.merged()

    def call(self, kernel: Kernel, arguments: tuple[Any, ...]) -> Any:
        return cut_kernel(kernel, arguments)

    def loop(self, going: Callable[..., Any], body: Callable[..., Any], q: Any, acc: Any) -> Any:
        return cut_loop(going, body, q, acc)

    def lowest(self, bits: Any) -> Any:
        raise NotProvable("the bits of a number", "Bitmaps are checked, not proved: see docs/correctness.md.")

    def buffer(self, owner: Any, role: str, name: str, like: Any, zeros: int) -> Any:
        raise NotProvable("an array that grows", "Destinations are proved by what `update` promises.")

    def scratch(self, owner: Any, role: str, like: Any, size: Parameter) -> Any:
        raise NotProvable("an array that is written to", "Destinations are proved by what `update` promises.")


def are_values(a: Any, b: Any) -> bool:
    return bool(expression(a).sort() == VALUE and expression(b).sort() == VALUE)


def within_bounds(name: str, i: Any, size: Any) -> None:
    at = number(i)
    oblige(f"{name}[…] is read within its bounds", z3.And(at >= 0, at < number(size)))
