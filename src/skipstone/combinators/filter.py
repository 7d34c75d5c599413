"""filter: only the pairs that a function accepts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import WrongFunction, line_of
from ..stream import Stream, pure, verb
from ..words import apply, no, select
from .arguments import a_function
from .over import Over


class Filter(Over):
    """The pairs for which f(key, value) is true.

    >>> from skipstone.combinators import Span
    >>> dict(Filter(Span(0, 10), lambda k, v: k % 3 == 1))
    {1: 1, 4: 4, 7: 7}

    A rejected key is a state that is not ready, so f is asked once a key that the *others* did not skip.
    """

    f: Callable[[Any, Any], Any]

    def ready(self, q: Any) -> Any:
        # f sees only what is there: where the stream below is not ready, it has no value to show.
        return select(self.stream.ready(q), lambda: self.accepts(q), lambda: False)

    def seek(self, q: Any, key: Any, strict: Any) -> Any:
        # A key that f rejects must be passed even by a seek that is not strict, or the stream would stand still.
        # But only if the seek names that very key: forcing strictness at any key loses one further on
        # (a galloping source would land on it, and step over it).
        here = (self.stream.index(q) == key) & self.stream.ready(q)
        rejected = select(here, lambda: no(self.accepts(q)), lambda: False)
        return self.stream.seek(q, key, strict | rejected)

    def approach(self, q: Any) -> Any:
        # Not ready: either the stream below is not, or it is and f said no, and then its key is done with.
        return select(self.stream.ready(q), lambda: self.stream.next(q), lambda: self.stream.approach(q))

    @pure
    def accepts(self, q: Any) -> Any:
        """f at a ready state, as a truth value."""
        answer = apply(self.f, self.stream.index(q), self.stream.value(q))
        if answer is None or isinstance(answer, str | tuple | Stream):
            raise WrongFunction(
                f"a filter's function must say yes or no, not {type(answer).__name__}", where=line_of(self.f)
            )
        return answer != 0


@verb
def filter(stream: Stream, f: Callable[[Any, Any], Any]) -> Stream:
    """Only the pairs for which f(key, value) is true.

    >>> import skipstone as sk
    >>> sk.stream({3: 1.5, 7: 2.0}).filter(lambda k, v: v > 1.7).collect()
    {7: 2.0}
    """
    return Filter(stream, a_function(f, "filter", "key", "value"))
