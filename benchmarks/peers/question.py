"""A question: what it is asked of, and every way to answer it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .way import Way

Make = Callable[[Any, int], Way]  # prepares what can be prepared, from the data and a number of threads


@dataclass
class Question:
    """`ways` has for each peer the forms in which it may be asked; the fastest of them counts.

    `tiny` is small data on which tests compare all answers. `family` is where the page shows it. `grows` says that the
    data sets are the same thing in several sizes, named by their rows, so that an exponent can be fitted. `only_on` has
    the peers that are asked on some data sets alone: on the others there is no hope that they come to an end.
    """

    name: str
    family: str
    on: dict[str, Callable[[], Any]]
    tiny: Callable[[], Any]
    ways: dict[str, dict[str, Make]]
    grows: bool = field(default=False, kw_only=True)
    only_on: dict[str, tuple[str, ...]] = field(default_factory=dict, kw_only=True)

    def asks(self, peer: str, on: str) -> bool:
        return peer in self.ways and on in self.only_on.get(peer, (on,))

    def cases(self) -> list[Case]:
        return [Case(self, name) for name in self.on]


@dataclass
class Case:
    """A question on one of its data sets."""

    question: Question
    on: str

    @property
    def name(self) -> str:
        return f"{self.question.name}: {self.on}"
