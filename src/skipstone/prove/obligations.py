"""What has to be shown of a stream: the laws, for every state, every key, and every lawful input.

| law | to be shown, at a state q where the invariant holds |
|---|---|
| safe | streams are asked only where they may be, arrays read within their bounds, loops end |
| invariant | it holds at the start, and behind every seek, next and approach |
| start | from the start on, all of it is to come |
| end | where q is not valid, nothing is to come |
| support | below the index, nothing is to come |
| head | where q is ready, the stream means its value at its index |
| lawful | seek(q, key, strict) keeps what is to come from key on, or behind it if strict |
| monotone | a seek does not lower the index |
| strictly monotone | a seek past a ready state raises it |
| bounded | the measure is never negative; a seek lowers it or stays, and lowers it where it must make progress |
| next, approach | they do what the seeks do that they stand for |

`proofs/Fold.v` shows, once and for all, that a fold over a stream for which these hold ends, and delivers exactly what
the stream means, each key once, in increasing order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import z3

from ..stream import Stream
from ..words import read_by
from .lint import refuse_what_is_misread
from .paths import Obligation, explored
from .reading import Proving
from .terms import KEY, Term, Undefined, expression, less, truth
from .world import Maybe, World

PROTOCOL = ("start", "valid", "ready", "index", "seek", "next", "approach", "value")


@dataclass(frozen=True)
class Claim:
    """What is claimed about a stream: how it is made, what it means, and why it ends.

    `made(world)` makes one of any inputs, and `state(world, stream)` any state of it. `means(stream, q, key)` is what
    is to come at a key, `whole(stream, key)` what there is in all, `measure(stream, q)` a number that seeks lower,
    `invariant(stream, q)` what holds of every state.
    """

    name: str
    made: Callable[[World], Any]
    state: Callable[[World, Any], Any]
    means: Callable[[Any, Any, Any], Maybe]
    measure: Callable[[Any, Any], Any]
    whole: Callable[[Any, Any], Maybe]
    invariant: Callable[[Any, Any], Any] = lambda stream, q: True
    keys: Any = KEY  # their sort; INT, where somebody calculates with them
    about: Any = None  # the class of the stream


@dataclass(frozen=True)
class Shown:
    """One thing to show, and by which law."""

    law: str
    obligation: Obligation


@dataclass
class Showing:
    """A claim on its way to what has to be shown for it: one stream, at any state, sought to any key."""

    claim: Claim
    world: World
    stream: Any = None
    q: Any = None
    key: Any = None
    strict: Any = None
    answers: dict[str, Any] = field(default_factory=dict)  # of each method at this state
    found: list[Shown] = field(default_factory=list)
    facts: list[Any] = field(default_factory=list)

    def run(self, what: str, text: Callable[[], Any], *assumed: Any, silent: bool = False) -> Any:
        """Run a definition on terms; what it relies on has to be shown."""
        with read_by(Proving()):
            got = explored(text, [*self.world.known, *self.facts, *assumed], self.world.mode, silent)
        self.facts += got.facts
        if what:
            self.answers[what] = got.merged()
        self.found += [
            Shown("safe", Obligation(f"{what}: {o.what}", o.assumed, o.goal)) for o in got.obligations if not silent
        ]
        return got.merged()

    def show(self, law: str, what: str, goal: Any, *assumed: Any) -> None:
        self.found.append(Shown(law, Obligation(what, (*self.world.known, *self.facts, *assumed), goal)))

    def said(self, text: Callable[[], Any], *assumed: Any) -> Any:
        """The text of the claim, which is not itself to be shown safe."""
        return self.run("", text, *assumed, silent=True)


def obligations(claim: Claim, world: World) -> Showing:
    """All that has to be shown for a claim."""
    stream = claim.made(world)
    for part in parts_of(stream):
        for name in PROTOCOL:
            refuse_what_is_misread(getattr(type(part), name))
    q, key, strict, j = claim.state(world, stream), world.key("key"), world.flag("strict"), world.key("j")
    it = Showing(claim, world, stream, q, key, strict)

    def holds(state: Any, *assumed: Any) -> Any:
        return truth(it.said(lambda: claim.invariant(stream, state), *assumed))

    def means(state: Any, at: Any, *assumed: Any) -> Maybe:
        there, value = it.said(lambda: flat(claim.means(stream, state, at)), *assumed)
        return Maybe(truth(there), value)

    def measure(state: Any, *assumed: Any) -> Any:
        return expression(it.said(lambda: claim.measure(stream, state), *assumed))

    first = it.run("start", stream.start)
    it.show("invariant", "it holds at the start", holds(first))
    there, value = it.said(lambda: flat(claim.whole(stream, j)))
    it.show("start", "all of it is to come", agree(means(first, j), Maybe(truth(there), value)))
    here = [holds(q)]
    valid = truth(it.run("valid", lambda: stream.valid(q), *here))
    standing = [*here, valid]
    ready = truth(it.run("ready", lambda: stream.ready(q), *standing))
    at = expression(it.run("index", lambda: stream.index(q), *standing))
    value = it.run("value", lambda: stream.value(q), *standing, ready)
    now, left = means(q, j, *here), measure(q, *here)
    k, s, jj = expression(key), truth(strict), expression(j)

    it.show("end", "nothing is to come", z3.Not(now.there), *here, z3.Not(valid))
    it.show("support", "nothing is to come below the index", z3.Not(now.there), *standing, lt(jj, at))
    at_index = agree(means(q, Term(at), *standing), Maybe(z3.BoolVal(True), value))
    it.show("head", "it means its value at its index", at_index, *standing, ready)
    it.show("bounded", "the measure is never negative", left >= 0, *here)

    asked = z3.Or(lt(at, k), z3.And(at == k, z3.Implies(ready, s)))
    beyond = z3.And(ready, z3.Or(lt(at, k), z3.And(at == k, s)))
    needed_by_seek = z3.Or(lt(k, jj), z3.And(k == jj, z3.Not(s)))
    yes, no = z3.BoolVal(True), z3.BoolVal(False)
    moves: list[tuple[Any, ...]] = [
        # how it is asked; where; which keys it must keep; where it must raise the index; where it must make progress
        ("seek", lambda: stream.seek(q, key, strict), yes, needed_by_seek, beyond, asked),
        ("next", lambda: stream.next(q), ready, lt(at, jj), yes, yes),
        ("approach", lambda: stream.approach(q), z3.Not(ready), z3.Not(lt(jj, at)), no, yes),
    ]
    for how, move, where, needed, raises, progress in moves:
        before = [*standing, where]
        new = it.run(how, move, *before)
        kept = holds(new, *before)
        it.show("invariant", f"{how} keeps it", kept, *before)
        behind = [*before, kept]
        later = truth(it.said(partial(stream.valid, new), *behind))
        there = expression(it.said(partial(stream.index, new), *behind, later))
        then, less_left = means(new, j, *behind), measure(new, *behind)
        law = "lawful" if how == "seek" else how
        it.show(law, f"{how} loses nothing that is to come", z3.Implies(now.there, agree(then, now)), *behind, needed)
        it.show(law, f"{how} brings nothing that was not to come", z3.Implies(then.there, now.there), *behind, needed)
        law = "monotone" if how == "seek" else how
        it.show(law, f"{how} does not lower the index", z3.Not(lt(there, at)), *behind, later)
        law = "strictly monotone" if how == "seek" else how
        if not z3.is_false(raises):
            it.show(law, f"{how} raises the index", lt(at, there), *behind, later, raises)
        law = "bounded" if how == "seek" else how
        it.show(law, f"{how} makes progress where it must", less_left < left, *behind, progress)
        if how == "seek":
            stays = same(new, q)
            it.show("bounded", "seek makes progress, or stays", z3.Or(less_left < left, stays), *behind)
    return it


def parts_of(stream: Any) -> list[Stream]:
    """A stream and those that it is made of, but for inputs."""
    from .lawful import AnyStream

    if isinstance(stream, tuple):
        return [part for each in stream for part in parts_of(each)]
    if not isinstance(stream, Stream) or isinstance(stream, AnyStream):
        return []
    return [stream, *(part for field in vars(stream).values() for part in parts_of(field))]


def flat(maybe: Maybe) -> tuple[Any, Any]:
    return maybe.there, maybe.value


def lt(a: Any, b: Any) -> Any:
    return less(Term(a), Term(b))


def same(a: Any, b: Any) -> Any:
    """Whether two values, of whatever form, are equal."""
    if isinstance(a, Undefined) or isinstance(b, Undefined):  # nobody looks at it
        return z3.BoolVal(True)
    if isinstance(a, tuple):
        return z3.And(*(same(x, y) for x, y in zip(a, b, strict=True)))
    return truth(Term(expression(a)) == b)


def agree(a: Maybe, b: Maybe) -> Any:
    return z3.And(a.there == b.there, z3.Implies(a.there, same(a.value, b.value)))
