"""Loops, written once as program text, with variables as wide as their bodies need them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ..errors import BranchesDiffer
from ..structure import leaves, rebuild, shape
from ..words import Kernel
from .control import Control, describe, filled, rebuild_like
from .drift import check, drifts, let_drift
from .late_checks import wrapping_first
from .ops import wider
from .program import Assign, If, Loop, Node, Stay
from .recorder import KIND_ZERO, POSITIONS
from .symbol import Symbol, Undefined, is_number, kind_of

ATTEMPTS = 12  # of writing a loop: kinds widen twice at most, shapes once a level


@dataclass
class Need:
    """What a loop was found to need: variables of these kinds, and checks."""

    wide: Any = None
    drifting: bool = True
    attempts: int = 0

    def learn(self, state: Any, wanted: Any) -> bool:
        """Remember what an attempt has shown. False if it cannot be: it is more than numbers, which the next attempt
        will make anew."""
        self.attempts += 1
        if self.attempts >= ATTEMPTS:
            raise BranchesDiffer("what is accumulated grows with every step", "Keep the shape of what is accumulated.")
        if wanted is state:
            self.drifting = False
            return True
        parts = leaves(wanted)
        if all(map(is_number, parts)):
            self.wide = rebuild(wanted, (KIND_ZERO[kind_of(x)] for x in parts))
            return True
        return False


class Looping(Control):
    """Adds `loop`."""

    def __init__(self, returns: Callable[[Kernel, list[Any]], Any]) -> None:
        super().__init__(returns)
        self.met = [0]  # how many loops were met so far: outside of any, in the one around here, in the one around that
        self.needs: dict[Any, Need] = {}
        self.unsettled = False  # a loop inside the present one was found to need more

    def loop(self, going: Callable[..., Any], body: Callable[..., Any], q: Any, acc: Any) -> Any:
        return self.effect(lambda: self.written_loop(going, body, q, acc))

    def written_loop(self, going: Callable[..., Any], body: Callable[..., Any], q: Any, acc: Any) -> Any:
        """The loop, written down. Its variables' kinds are those it starts with until the body proves them too narrow;
        then it is written again.

        Not at once, if there is a loop around it: that one is written again as a whole, and what this one needs is
        remembered until then, by where it stands. Otherwise the loops inside would be written twice in each of two
        attempts at the next one out: ten of them inside each other, a thousand times.
        """
        self.met[-1] += 1
        need = self.needs.setdefault((*self.met, shape((q, acc))), Need())
        around, self.unsettled = self.unsettled, False
        saved = dict(self.owned), list(self.program.buffers)
        try:
            while True:
                if need.wide is not None:
                    q, acc = self.widened(q, need.wide[0]), self.widened(acc, need.wide[1])
                node, state, wanted = self.attempt(going, body, q, acc, need.drifting)
                if node is None:  # an empty stream: nothing to write, and no body to learn kinds from
                    return q, acc
                if wanted is None and not self.unsettled:
                    break
                self.owned, self.program.buffers = dict(saved[0]), list(saved[1])
                if wanted is not None and not need.learn(state, wanted):
                    q, acc = self.widened(q, wanted[0]), self.widened(acc, wanted[1])
                elif len(self.met) > 1:
                    self.unsettled = True
                    return self.stand_in(state if wanted is None else wanted)
                self.unsettled = False
        finally:
            self.unsettled |= around
        pairs = zip(leaves(state), leaves((q, acc)), strict=True)
        start = [(v, self.convert(x, v.kind)) for v, x in pairs if isinstance(v, Symbol)]
        self.emit(Assign(tuple(v for v, _ in start), tuple(x for _, x in start)))
        for part in wrapping_first(self, node, {v.number for v, _ in start}):
            self.emit(part)
        return state

    def attempt(
        self, going: Callable[..., Any], body: Callable[..., Any], q: Any, acc: Any, drifting: bool
    ) -> tuple[Loop | None, Any, Any]:
        """The loop, if there is anything to repeat; its variables; and None, or what they must be able to hold."""
        variables: list[Any] = []
        for x, hint in [(x, "q") for x in leaves(q)] + [(x, "total") for x in leaves(acc)]:
            if not is_number(x):
                variables.append(x)
                continue
            variable = self.symbol(kind_of(x), hint, bound=1 if kind_of(x) == "bool" else None)
            if variable.kind == "int" and hint == "q":
                variable.bound = POSITIONS
            elif variable.kind == "int" and drifting:
                let_drift(variable, x)
            variables.append(variable)
        state = rebuild((q, acc), iter(variables))
        node = Loop()
        with self.block(node.body), self.inside():
            condition = self.operand(going(*state), "loop")
            if condition is False:
                return None, state, None
            self.emit(Stay(condition))
            self.learn(condition, True)
            after = body(*state)
            wanted = self.compare(state, after)
            if wanted is None:
                pairs = list(zip(variables, leaves(after), strict=True))
                if not all(drifts(v, new) or check(node.body, v) for v, new in pairs):
                    return node, state, state
                changed = [(v, self.convert(new, v.kind)) for v, new in pairs
                           if isinstance(v, Symbol) and self.key(v) != self.key(new)]  # fmt: skip
                if changed:
                    assign(node.body, changed)
        return node, state, wanted

    @contextmanager
    def inside(self) -> Iterator[None]:
        """In a loop's body: loops are counted anew."""
        self.met.append(0)
        try:
            yield
        finally:
            self.met.pop()

    def stand_in(self, state: Any) -> Any:
        """Something for the result of a loop that will be written again."""
        return rebuild(state, (self.symbol(kind_of(x), "x") if is_number(x) else x for x in leaves(state)))

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
