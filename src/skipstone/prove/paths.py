"""Paths: a definition is run on terms; where it branches on one, it is run again for the other side.

While it runs, a path knows what is assumed (hypotheses, decisions, the side of a `select` it is in), and collects what
has to be shown: that a stream was valid when it was asked, that an array was read within its bounds. What must hold is
assumed from there on, and is shown by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import z3

from ..errors import NotProvable
from .terms import merged

BRANCHES = 60  # on one path: more are a loop without an invariant
PATHS = 2000


@dataclass(frozen=True)
class Obligation:
    """What has to be shown: that the goal follows from what is assumed."""

    what: str
    assumed: tuple[Any, ...]
    goal: Any


@dataclass(frozen=True)
class Mode:
    """How definitions are run: whether integers are those of the machine, and whether loops are run as they stand."""

    machine: bool = False
    unrolled: bool = False


@dataclass
class Path:
    script: tuple[bool, ...]  # how to decide, as far as it goes
    assumed: list[Any]
    mode: Mode
    silent: bool  # nothing has to be shown: this is the text of a specification
    decisions: list[Any] = field(default_factory=list)
    obligations: list[Obligation] = field(default_factory=list)
    facts: list[Any] = field(default_factory=list)  # about what came out of loops; true on every path
    later: list[tuple[bool, ...]] = field(default_factory=list)
    cut: bool = False  # whether a loop was cut: its result is not a function of what went in


class EndOfPath(Exception):
    """All that there is to show on this path has been noted: it ends in the body of a loop that was cut."""


_path: ContextVar[Path | None] = ContextVar("path", default=None)


def current() -> Path:
    path = _path.get()
    if path is None:
        raise NotProvable("a term is asked for its truth outside of a proof", "Use the words: select, no, maximum.")
    return path


def machine_numbers() -> bool:
    path = _path.get()
    return path is not None and path.mode.machine and not path.silent


def oblige(what: str, goal: Any) -> None:
    """Note what has to be shown here; from here on it is assumed."""
    path = current()
    if path.silent or z3.is_true(z3.simplify(goal)):
        return
    path.obligations.append(Obligation(what, (*path.assumed, *path.facts), goal))
    path.assumed.append(goal)


@contextmanager
def supposing(condition: Any) -> Iterator[None]:
    """One side of a case: the condition is assumed within, and nothing of what was assumed there remains."""
    path = current()
    before, decided_before = len(path.assumed), len(path.decisions)
    path.assumed.append(condition)
    try:
        yield
    finally:
        path.assumed[before:] = path.decisions[decided_before:]


def decided(condition: Any) -> bool:
    """How this path takes a condition. The other way, if there is one, is taken by another."""
    path = current()
    condition = z3.simplify(condition)
    if z3.is_true(condition) or z3.is_false(condition):
        return bool(z3.is_true(condition))
    if len(path.decisions) >= BRANCHES:
        raise NotProvable(f"{BRANCHES} branches on one path", "A loop needs an invariant: see docs/correctness.md.")
    if cannot_hold(path.assumed, condition):
        return False
    if cannot_hold(path.assumed, z3.Not(condition)):
        return True
    at = len(path.decisions)
    way = path.script[at] if at < len(path.script) else True
    if at >= len(path.script):
        path.script = (*path.script, True)
        path.later.append((*path.script[:at], False))
    path.decisions.append(condition if way else z3.Not(condition))
    path.assumed.append(path.decisions[-1])
    return way


def cannot_hold(assumed: Sequence[Any], condition: Any) -> bool:
    solver = z3.Solver()
    solver.set("timeout", 500)
    solver.add(*(a for a in assumed if not z3.is_quantifier(a)), condition)
    return bool(solver.check() == z3.unsat)


@dataclass(frozen=True)
class Way:
    """One way through a function: what it decided, all that is known there, and what it came to."""

    decisions: Any
    known: Any
    result: Any


@dataclass(frozen=True)
class Explored:
    """What a function comes to along all of its paths, what is to be shown, and what is known of its loops."""

    ways: tuple[Way, ...]
    obligations: tuple[Obligation, ...]
    facts: tuple[Any, ...]
    cut: bool

    def merged(self) -> Any:
        """The result as one term; it is one if no loop was cut on the way."""
        found = self.ways[-1].result
        for way in reversed(self.ways[:-1]):
            found = merged(way.decisions, way.result, found)
        return found


def explored(run: Callable[[], Any], assumed: Sequence[Any], mode: Mode, silent: bool = False) -> Explored:
    """Run a function along all of its paths."""
    ways, obligations, facts, cut = [], [], [], False
    waiting: list[tuple[bool, ...]] = [()]
    while waiting:
        path = Path(waiting.pop(), list(assumed), mode, silent)
        token = _path.set(path)
        try:
            result = run()
            ways.append(Way(z3.And(*path.decisions), z3.And(*path.assumed[len(assumed) :]), result))
        except EndOfPath:
            pass
        finally:
            _path.reset(token)
        waiting += path.later
        obligations += path.obligations
        facts += path.facts
        cut = cut or path.cut
        if len(ways) + len(waiting) > PATHS:
            raise NotProvable(f"more than {PATHS} ways through a function", "Write it with fewer branches.")
    if not ways:
        raise NotProvable("no way through a function comes to an end", "Every path ends in a loop's body.")
    return Explored(tuple(ways), tuple(obligations), tuple(facts), cut)
