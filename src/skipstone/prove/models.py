"""Models: a small world that the solver found, as plain Python. Streams as tables of their states, arrays as lists."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import z3

from ..errors import LawBroken
from ..stream import Stream
from .lawful import AnyStream
from .world import Domain, Maybe, World, finite_states


class Tabled(Stream):
    """A stream read off a model: what it answers in each of its states."""

    name: str
    states: Any  # from state to (valid, ready, index, value, {(key, strict): state}, next, approach)

    def start(self) -> Any:
        return next(iter(self.states))

    def valid(self, q: Any) -> Any:
        return self.states[q][0]

    def ready(self, q: Any) -> Any:
        return self.asked("ready", q, 1)

    def index(self, q: Any) -> Any:
        return self.asked("index", q, 2)

    def value(self, q: Any) -> Any:
        if not self.asked("value", q, 1):
            raise LawBroken(f"{self.name}.value was asked at {q}, where it is not ready")
        return self.states[q][3]

    def seek(self, q: Any, key: Any, strict: Any) -> Any:
        moves = self.asked("seek", q, 4)
        last = max(k for k, _ in moves)
        if key < 0:  # beyond what the model says: nothing is asked, or all there is
            return q
        return moves[key, bool(strict)] if key <= last else moves[last, True]

    def next(self, q: Any) -> Any:
        return self.asked("next", q, 5)

    def approach(self, q: Any) -> Any:
        return self.asked("approach", q, 6)

    def asked(self, what: str, q: Any, part: int) -> Any:
        if not self.states[q][0]:
            raise LawBroken(f"{self.name}.{what} was asked at {q}, where it is not valid")
        return self.states[q][part]

    def means(self, q: Any, key: Any) -> Maybe:
        found = dict(delivered(self, q))
        return Maybe(key in found, found.get(key))

    def __repr__(self) -> str:
        return "; ".join(f"{q} {self.shown(q)}" for q in self.states)

    def shown(self, q: Any) -> str:
        valid, ready, index, value, *_ = self.states[q]
        return "ends" if not valid else f"at {index}, value {value}" if ready else f"at {index}, not ready"


def delivered(stream: Any, q: Any, steps: int = 100) -> Iterator[tuple[Any, Any]]:
    """The pairs that a stream delivers from a state on; no more than so many steps."""
    while steps and stream.valid(q):
        if stream.ready(q):
            yield stream.index(q), stream.value(q)
        q = stream.next(q) if stream.ready(q) else stream.approach(q)
        steps -= 1
    if not steps:
        raise LawBroken("the stream never ends")


class Listed(list[Any]):
    """An array of a model."""

    def item(self, i: Any) -> Any:
        if not 0 <= i < len(self):
            raise LawBroken(f"an array of {len(self)} is read at {i}")
        return list.__getitem__(self, i)

    def __getitem__(self, i: Any) -> Any:
        return self.item(i)

    known = item

    @property
    def size(self) -> int:
        return len(self)

    def find(self, key: Any) -> Maybe:
        return Maybe(key in list(self), list(self).index(key) if key in list(self) else 0)


@dataclass(frozen=True)
class Increasing:
    """An increasing function of a model."""

    table: dict[Any, Any]

    def __call__(self, key: Any) -> Any:
        return self.table[key]

    def source(self, key: Any) -> Maybe:
        """The key that leads to another."""
        found = [k for k, to in self.table.items() if to == key]
        return Maybe(bool(found), found[0] if found else 0)

    def __repr__(self) -> str:
        return repr(self.table)


@dataclass
class Decoded:
    """The world of a model: it makes the same inputs as another, as they are there."""

    world: World
    model: Any
    names: dict[str, str] = field(default_factory=dict)
    shown: dict[str, Any] = field(default_factory=dict)

    size = property(lambda self: self.world.size)
    keys = property(lambda self: self.world.keys)

    def plain(self, x: Any) -> Any:
        """A term as a Python value."""
        if isinstance(x, tuple):
            return tuple(map(self.plain, x))
        found = self.model.eval(getattr(x, "z3", x), model_completion=True)
        if z3.is_int_value(found):
            return found.as_long()
        if z3.is_true(found) or z3.is_false(found):
            return bool(z3.is_true(found))
        if found.sort().name().startswith("state of"):
            return str(found)
        return self.names.setdefault(str(found), f"v{len(self.names)}")

    def term(self, x: Any) -> Any:
        if isinstance(x, bool):
            return z3.BoolVal(x)
        if isinstance(x, int):
            return z3.IntVal(x)
        universe = self.model.get_universe(self.world.domain("v").sort) or []
        known = {self.names.get(str(u)): u for u in universe}
        return known.get(x, z3.Const("something", self.world.domain("v").sort))

    def made(self, name: str) -> Any:
        self.shown[name] = self.plain(self.world.inputs[name])
        return self.shown[name]

    key = flag = integer = length = bound = value = made

    def function(self, name: str, takes: str = "", gives: str = "") -> Callable[..., Any]:
        f = self.world.inputs[name]
        return lambda *arguments: self.plain(f(*map(self.term, arguments)))

    def increasing(self, name: str) -> Increasing:
        f = self.function(name)
        self.shown[name] = Increasing({k: f(k) for k in range(self.size.keys)})
        return self.shown[name]  # type: ignore[no-any-return]

    def inverse(self, of: Any, name: str = "inverse") -> Any:
        return self.function(name)

    def array(self, name: str, size: Any, holds: str = "v") -> Listed:
        f = self.world.inputs[name]
        self.shown[name] = Listed(self.plain(f(z3.IntVal(p))) for p in range(size))
        return self.shown[name]  # type: ignore[no-any-return]

    def sorted_array(self, name: str, size: Any, low: Any = 0, high: Any = None) -> Listed:
        return self.array(name, size)

    def stream(self, name: str) -> Tabled:
        any_one: AnyStream = self.world.inputs[name]
        states = {}
        for q in finite_states(name, self.size.states)[1]:
            moves = {
                (k, s): self.plain(any_one.after("seek", q, z3.IntVal(k), z3.BoolVal(s)))
                for k in range(self.size.keys)
                for s in (False, True)
            }
            answers = (
                any_one.is_valid(q),
                any_one.is_ready(q),
                any_one.at(q),
                any_one.method("value", self.world.domain("v").sort)(q),
            )
            further = (any_one.after("next", q), any_one.after("approach", q))
            states[str(q)] = *map(self.plain, answers), moves, *map(self.plain, further)
        self.shown[name] = Tabled(name, states)
        return self.shown[name]  # type: ignore[no-any-return]

    def suppose(self, *facts: Any) -> None:
        """It is known of the model already."""

    def over(self, domains: list[Domain], fact: Any, *patterns: Any) -> None:
        """It is known of the model already."""

    always = over

    def domain(self, kind: str) -> Domain:
        return self.world.domain(kind)
