"""Ahead: a stream that says, at each of its keys, what will be read a few keys further on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..words import length, minimum
from .over import Over


class Ahead(Over):
    """The same sorted run. `soon` is told the key that stands so many places further in its `column`, of this run or of
    one behind it: rows that lie far apart can be fetched before they are needed, across the end of a short run too.

    >>> import skipstone as sk
    >>> heard = []
    >>> run = sk.Sorted([2, 5, 9]).stream()
    >>> list(Ahead(run, run.column, heard.append, 2)), heard
    ([(2, 1), (5, 1), (9, 1)], [9, 9, 9])

    Costs a read of a key, and what `soon` does.
    """

    column: Any
    soon: Callable[[Any], None]
    places: int

    def value(self, q: Any) -> Any:
        self.soon(self.column[minimum(q + self.places, length(self.column) - 1)])
        return self.stream.value(q)
