"""Any lawful stream: its methods are functions of which only the laws are known.

They are the laws that obligations.py asks of a stream, word for word: what is proved of one stream may be assumed of it
as the input of another.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import z3

from ..stream import Stream
from .paths import oblige
from .terms import BOOL, INT, VALUE, Term, expression, less, truth
from .world import Domain, Maybe, finite_states


class AnyStream(Stream):
    """A stream of which only the laws are known."""

    world: Any
    name: str

    ordered: ClassVar[bool] = True

    def __iter__(self) -> Iterator[Any]:
        raise TypeError("any stream at all cannot be iterated")

    def __repr__(self) -> str:
        return self.name

    @property
    def sort(self) -> Any:
        size = self.world.size
        return z3.DeclareSort(f"state of {self.name}") if size is None else finite_states(self.name, size.states)[0]

    @property
    def states(self) -> Domain:
        return Domain(self.sort, lambda: list(finite_states(self.name, self.world.size.states)[1]))

    def method(self, name: str, *sorts: Any) -> Any:
        return z3.Function(f"{self.name}.{name}", self.sort, *sorts)

    def is_valid(self, q: Any) -> Any:
        return self.method("valid", BOOL)(q)

    def is_ready(self, q: Any) -> Any:
        return self.method("ready", BOOL)(q)

    def at(self, q: Any) -> Any:
        return self.method("index", self.world.keys)(q)

    def after(self, how: str, q: Any, *asked: Any) -> Any:
        """The state behind a seek, next or approach."""
        sorts = (self.world.keys, BOOL, self.sort) if how == "seek" else (self.sort,)
        return self.method(how, *sorts)(q, *asked)

    def holds(self, q: Any, k: Any) -> Any:
        return self.method("holds", self.world.keys, BOOL)(q, k)

    def held(self, q: Any, k: Any) -> Any:
        return self.method("means", self.world.keys, VALUE)(q, k)

    def left(self, q: Any) -> Any:
        return self.method("measure", INT)(q)

    # ------------------------------------------------------------------ the protocol, asked where it may be

    def start(self) -> Any:
        return Term(z3.Const(f"{self.name}.start", self.sort))

    def state(self, name: str) -> Any:
        self.world.inputs[name] = z3.Const(name, self.sort)
        return Term(self.world.inputs[name])

    def valid(self, q: Any) -> Any:
        return Term(self.is_valid(expression(q)))

    def ready(self, q: Any) -> Any:
        return Term(self.is_ready(self.asked("ready", q)))

    def index(self, q: Any) -> Any:
        return Term(self.at(self.asked("index", q)))

    def seek(self, q: Any, key: Any, strict: Any) -> Any:
        return Term(self.after("seek", self.asked("seek", q), expression(key), truth(strict)))

    def next(self, q: Any) -> Any:
        q = self.asked("next", q)
        oblige(f"{self.name}.next is asked where it is ready", self.is_ready(q))
        return Term(self.after("next", q))

    def approach(self, q: Any) -> Any:
        q = self.asked("approach", q)
        oblige(f"{self.name}.approach is asked where it is not ready", z3.Not(self.is_ready(q)))
        return Term(self.after("approach", q))

    def value(self, q: Any) -> Any:
        q = self.asked("value", q)
        oblige(f"{self.name}.value is asked where it is ready", self.is_ready(q))
        return Term(self.method("value", VALUE)(q))

    def asked(self, what: str, q: Any) -> Any:
        q = expression(q)
        oblige(f"{self.name}.{what} is asked where it is valid", self.is_valid(q))
        return q

    def means(self, q: Any, key: Any) -> Maybe:
        q, key = expression(q), expression(key)
        return Maybe(Term(self.holds(q, key)), Term(self.held(q, key)))

    def measure(self, q: Any) -> Any:
        return Term(self.left(expression(q)))

    # ------------------------------------------------------------------ the laws, as facts

    def is_lawful(self) -> None:
        world, size = self.world, self.world.size
        states = self.states
        k, b = world.domain("k"), world.domain("b")
        valid, ready, at, holds, held, left = self.is_valid, self.is_ready, self.at, self.holds, self.held, self.left
        value = self.method("value", VALUE)

        def lt(x: Any, y: Any) -> Any:
            return less(Term(x), Term(y))

        def kept(q: Any, new: Any, j: Any) -> Any:
            return z3.And(holds(new, j) == holds(q, j), held(new, j) == held(q, j))

        def further(q: Any, new: Any, strictly: Any) -> Any:
            """The index of a later state that is valid."""
            raised = z3.If(strictly, lt(at(q), at(new)), z3.Not(lt(at(new), at(q))))
            return z3.Implies(valid(new), raised)

        world.over([states, k], lambda q, j: z3.Implies(z3.Not(valid(q)), z3.Not(holds(q, j))),
                   lambda q, j: [holds(q, j)])  # fmt: skip
        world.over([states, k], lambda q, j: z3.Implies(z3.And(valid(q), lt(j, at(q))), z3.Not(holds(q, j))),
                   lambda q, j: [holds(q, j)])  # fmt: skip

        def head(q: Any) -> Any:
            return z3.Implies(z3.And(valid(q), ready(q)), z3.And(holds(q, at(q)), held(q, at(q)) == value(q)))

        world.over([states], head,
                   lambda q: [ready(q)], lambda q: [value(q)])  # fmt: skip
        world.over([states], lambda q: left(q) >= 0, lambda q: [left(q)])

        def seek(q: Any, i: Any, s: Any) -> Any:
            return self.after("seek", q, i, s)

        def seek_keeps(q: Any, i: Any, s: Any, j: Any) -> Any:
            needed = z3.Or(lt(i, j), z3.And(i == j, z3.Not(s)))
            return z3.Implies(z3.And(valid(q), needed), kept(q, seek(q, i, s), j))

        def seek_moves(q: Any, i: Any, s: Any) -> Any:
            new = seek(q, i, s)
            beyond = z3.And(ready(q), z3.Or(lt(at(q), i), z3.And(at(q) == i, s)))
            asked = z3.Or(lt(at(q), i), z3.And(at(q) == i, z3.Implies(ready(q), s)))
            falls = z3.Or(left(new) < left(q), z3.And(z3.Not(asked), new == q))
            return z3.Implies(valid(q), z3.And(further(q, new, beyond), falls))

        world.over([states, k, b, k], seek_keeps, lambda q, i, s, j: [holds(seek(q, i, s), j)],
                   lambda q, i, s, j: [seek(q, i, s), holds(q, j)])  # fmt: skip
        world.over([states, k, b], seek_moves, lambda q, i, s: [seek(q, i, s)])
        for how, passes in (("next", True), ("approach", False)):

            def keeps(q: Any, j: Any, how: str = how, passes: bool = passes) -> Any:
                needed = lt(at(q), j) if passes else z3.Not(lt(j, at(q)))
                stands = z3.And(valid(q), ready(q) if passes else z3.Not(ready(q)))
                return z3.Implies(z3.And(stands, needed), kept(q, self.after(how, q), j))

            def moves(q: Any, how: str = how, passes: bool = passes) -> Any:
                new = self.after(how, q)
                stands = z3.And(valid(q), ready(q) if passes else z3.Not(ready(q)))
                return z3.Implies(stands, z3.And(further(q, new, z3.BoolVal(passes)), left(new) < left(q)))

            world.over([states, k], keeps, lambda q, j, how=how: [holds(self.after(how, q), j)],
                       lambda q, j, how=how: [self.after(how, q), holds(q, j)])  # fmt: skip
            world.over([states], moves, lambda q, how=how: [self.after(how, q)])
        if size is not None or world.machine:
            world.over([states], lambda q: z3.And(*world.limits(at(q))), lambda q: [at(q)])
