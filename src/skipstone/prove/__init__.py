"""Proofs that streams keep the laws, for every input, about the very source that is run. Needs the extra `prove`.

    >>> import skipstone as sk
    >>> sk.laws.prove("range")             # doctest: +ELLIPSIS
    Proved(range: ... obligations in ... s)

The definitions are read a fourth way: the words in which they are written become terms of Z3 (reading.py), their
inputs any lawful stream, any sorted array, any function (lawful.py, world.py), and the laws what has to be shown
(obligations.py). What each stream of the library means stands in claims.py; what is trusted, and what is only tested,
in docs/correctness.md.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from ..errors import BadOption
from .claims import CLAIMS
from .obligations import Claim, Shown, obligations
from .own import claim_of
from .refuting import Counterexample, refuted
from .solving import confirmed, is_proved
from .theorems import THEOREMS, Theorem
from .world import Maybe, World

__all__ = [
    "CLAIMS", "EVERYTHING", "Claim", "Counterexample", "Maybe", "NotProved", "Proved", "Refuted", "World", "prove",
    "proved", "refute",
]  # fmt: skip


EVERYTHING: list[Claim | Theorem] = [*CLAIMS, *THEOREMS]


@dataclass(frozen=True)
class Proved:
    """Every obligation holds, for every input."""

    name: str
    laws: dict[str, int]  # how many obligations each has
    seconds: float

    @property
    def obligations(self) -> int:
        return sum(self.laws.values())

    def __repr__(self) -> str:
        return f"Proved({self.name}: {self.obligations} obligations in {self.seconds:.1f} s)"


@dataclass(frozen=True)
class NotProved:
    """Some obligations were not proved, and there is no small counterexample either."""

    name: str
    missing: tuple[Shown, ...]

    def __repr__(self) -> str:
        what = "\n".join(f"  {shown.law}: {shown.obligation.what}" for shown in self.missing[:5])
        more = f"\n  and {len(self.missing) - 5} more" if len(self.missing) > 5 else ""
        advice = "No small counterexample was found: most often the invariant, of the stream or of a loop, is too weak."
        return f"NotProved({self.name}):\n{what}{more}\n  {advice}"


@dataclass(frozen=True)
class Refuted:
    """A law is broken, and a small world shows it."""

    name: str
    counterexample: Counterexample

    def __repr__(self) -> str:
        return f"Refuted({self.name}):\n  {self.counterexample}"


def proved(
    claim: Claim | Theorem, machine: bool = False, twice: bool = False, first: bool = False
) -> Proved | NotProved:
    """Whether everything that a claim needs can be shown; `twice`: by a second solver too; `first`: up to what cannot.

    `machine`: integers are those of the machine, and arithmetic that leaves int64 has to be shown impossible.
    """
    began, world = time.perf_counter(), World(claim.keys, machine)
    found = claim.shown(world) if isinstance(claim, Theorem) else obligations(claim, world).found
    failing = (s for s in found if not is_proved(world, s) or (twice and not confirmed(world, s)))
    missing = tuple(islice(failing, 1) if first else failing)
    if missing:
        return NotProved(claim.name, missing)
    laws: dict[str, int] = {}
    for shown in found:
        laws[shown.law] = laws.get(shown.law, 0) + 1
    return Proved(claim.name, laws, time.perf_counter() - began)


def claims_about(what: Any) -> Iterator[Claim | Theorem]:
    """What is claimed: of a stream of the library, by class or name; of one of the user's, by what it says itself."""
    if isinstance(what, Claim | Theorem):
        yield what
        return
    known = [c for c in EVERYTHING if what == c.name or (isinstance(c, Claim) and what is c.about)]
    if known:
        yield from known
    elif isinstance(what, type):
        yield claim_of(what)
    else:
        raise BadOption(f"nothing is claimed about {what!r}", "Give a class of streams, or the name of a claim.")


def prove(what: Any) -> Any:
    """Prove that a stream keeps the laws and means what is claimed; or refute it; or say what could not be shown.

    >>> from skipstone.combinators import Filter
    >>> prove(Filter)                      # doctest: +ELLIPSIS
    Proved(filter: ... obligations in ... s)
    """
    results = []
    for claim in claims_about(what):
        found: Any = proved(claim)
        if isinstance(found, NotProved) and isinstance(claim, Claim):
            counterexample = refuted(claim)
            found = Refuted(claim.name, counterexample) if counterexample is not None else found
        results.append(found)
    return results[0] if len(results) == 1 else results


def refute(what: Any) -> Refuted | None:
    """A small counterexample to what is claimed of a stream; None if there is none."""
    for claim in claims_about(what):
        if isinstance(claim, Claim) and (counterexample := refuted(claim)) is not None:
            return Refuted(claim.name, counterexample)
    return None
