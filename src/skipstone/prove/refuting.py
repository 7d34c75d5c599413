"""Counterexamples: a small world in which a law is broken, told in terms of streams and replayed in plain Python.

The inputs of the world are lawful streams of a few states, short arrays, functions of a few keys. They are made of the
model that the solver found, the stream in question is made of them by its own definition, and run without any prover.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import z3

from ..combinators.over import Over
from ..errors import LawBroken, SkipstoneError
from ..laws import check
from ..words import PLAIN, read_by
from .models import Decoded, delivered
from .obligations import Claim, Showing, Shown, obligations
from .solving import opposite
from .world import Maybe, Size, World


@dataclass(frozen=True)
class Counterexample:
    """A law that is broken, the inputs for which it is, and what happens there."""

    law: str
    what: str
    inputs: dict[str, Any]
    told: str

    def __str__(self) -> str:
        given = [f"  {name}: {shown}" for name, shown in self.inputs.items()]
        return "\n".join([f"{self.law}: {self.what}", *given, f"  {self.told}"])


SIZES = (Size(2, 2, 2), Size(3, 3, 3))  # the smallest first: what it shows is easier to read


def refuted(claim: Claim, sizes: Sequence[Size] = SIZES) -> Counterexample | None:
    """A counterexample in a small world, if there is one."""
    for size in sizes:
        world = World(claim.keys, size=size)
        it = obligations(claim, world)
        for shown in it.found:
            solver = opposite(world, shown)
            if solver.check() == z3.sat:
                return decoded(it, shown, solver.model())
    return None


class From(Over):
    """A stream that begins at one of its states."""

    q: Any

    def start(self) -> Any:
        return self.q


def decoded(it: Showing, shown: Shown, model: Any) -> Counterexample:
    """What a model says, replayed."""
    here = Decoded(it.world, model)
    stream: Any = it.claim.made(here)  # type: ignore[arg-type]
    key, strict = here.plain(it.key), here.plain(it.strict)
    with read_by(PLAIN):
        if shown.law == "start":
            q, meant = stream.start(), lambda k: it.claim.whole(stream, k)
        else:
            q = here.plain(it.q)
            meant = lambda k: it.claim.means(stream, q, k)  # noqa: E731
        told = replayed(stream, q, key, strict, meant, range(it.world.size.keys if it.world.size else 0))
    return Counterexample(shown.law, shown.obligation.what, {**here.shown, "state": q}, told)


def replayed(stream: Any, q: Any, key: Any, strict: Any, meant: Callable[[Any], Maybe], keys: range) -> str:
    """What goes wrong, as plain Python sees it."""
    try:
        before = dict(delivered(stream, q))
        new = stream.seek(q, key, strict) if stream.valid(q) else q
        after = dict(delivered(stream, new))
    except SkipstoneError as error:
        return str(error)
    for k in sorted(keys, key=lambda k: k not in before):  # what is lost first
        kept = k > key or (k == key and not strict)
        if stream.valid(q) and kept and before.get(k) != after.get(k):
            became = f"became {after[k]}" if k in after else "became absent"
            was = f"with the value {before[k]} " if k in before else "absent "
            return f"seek({key}, {strict}) must keep key {k}, {was}before, but it {became}"
    for k in keys:
        wanted = meaning(meant, k)
        if wanted != (k in before, before.get(k)):
            said = f"the value {wanted[1]}" if wanted[0] else "nothing"
            return f"at key {k} it means {said}, and delivers {before.get(k, 'nothing')}"
    try:
        check(From(stream, q), states=50)
    except LawBroken as broken:
        return str(broken)
    return f"seek({key}, {strict}) leads from {q} to {new}"


def meaning(meant: Callable[[Any], Maybe], key: Any) -> tuple[bool, Any]:
    """Whether something is meant at a key, and what."""
    try:
        found = meant(key)
    except LawBroken:  # the value of what is not there is read from nowhere
        return False, None
    return (True, found.value) if found.there else (False, None)
