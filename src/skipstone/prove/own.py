"""Users' own streams: what they claim about themselves.

A class says what it is made of by its annotations (`Stream`: any lawful stream; `int`: any integer; anything else: a
value), what it means by a method `means(q, key)`, why it ends by `measure(q)`, and what holds of its states by
`invariant(q)`. Where annotations are not enough, a class method `made(world)` makes one.
"""

from __future__ import annotations

from typing import Any, get_type_hints

import z3

from ..errors import NotProvable
from ..stream import Stream
from ..words import read_by
from .cutting import anything_like
from .obligations import Claim
from .paths import explored
from .reading import Proving
from .terms import INT, KEY, Term
from .world import World


def claim_of(cls: type) -> Claim:
    """What a class claims about its streams."""
    if not issubclass(cls, Stream):
        raise NotProvable(f"{cls.__name__} is no stream", "Derive it from sk.Stream.")
    for name in ("means", "measure"):
        if not hasattr(cls, name):
            raise NotProvable(
                f"{cls.__name__} does not say {'what it means' if name == 'means' else 'why it ends'}",
                f"Give it a method {name}(q{', key' if name == 'means' else ''}): see docs/correctness.md.",
            )
    given: Any = cls
    return Claim(
        cls.__name__,
        given.made if hasattr(given, "made") else lambda world: made_of(given, world),
        any_state,
        lambda s, q, key: s.means(q, key),
        lambda s, q: s.measure(q),
        lambda s, key: s.whole(key) if hasattr(s, "whole") else s.means(s.start(), key),
        lambda s, q: s.invariant(q) if hasattr(s, "invariant") else True,
        keys=INT if getattr(given, "keys_are_integers", calculates(given)) else KEY,
    )


def calculates(cls: type) -> bool:
    """Whether a stream has integers of its own: then its keys are integers."""
    return any(hint is int for hint in get_type_hints(cls).values())


def made_of(cls: Any, world: World) -> Any:
    """One of any inputs."""
    found: dict[str, Any] = {}
    for name, hint in get_type_hints(cls).items():
        if name.startswith("_") or name not in cls.__dataclass_fields__:
            continue
        if isinstance(hint, type) and issubclass(hint, Stream):
            found[name] = world.stream(name)
        else:
            found[name] = world.integer(name) if hint is int else world.value(name)
    return cls(**found)


def any_state(world: World, stream: Any) -> Any:
    """Any state of the form that the first one has."""
    with read_by(Proving()):
        first = explored(stream.start, world.known, world.mode, silent=True).merged()
    return registered(world, anything_like("q", first), "q")


def registered(world: World, q: Any, name: str) -> Any:
    if isinstance(q, tuple):
        return tuple(registered(world, part, f"{name}{n}") for n, part in enumerate(q))
    if isinstance(q, Term) and z3.is_int(q.z3):
        return world.integer(name)
    return q
