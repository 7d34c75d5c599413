"""ByPlace: beside each value, what dense runs have at the same key. They are read, and never walked."""

from __future__ import annotations

from typing import Any

from .over import Over


class ByPlace(Over):
    """The keys of a stream; the value is a tuple: the stream's, then that of each run, which must have all of its keys.

    >>> import skipstone as sk
    >>> from skipstone.combinators import Span
    >>> dict(ByPlace(Span(1, 3), (sk.Dense([7, 8, 9]).stream(),)))
    {1: (1, 8), 2: (2, 9)}

    Costs a read a key and run, without a search.
    """

    runs: tuple[Any, ...]

    def value(self, q: Any) -> Any:
        key = self.stream.index(q)
        return self.stream.value(q), *(run.value(key) for run in self.runs)
