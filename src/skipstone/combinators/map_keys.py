"""map_keys: the same values under other keys, in order if the function keeps it, unordered if not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import UnorderedProduct
from ..stream import Stream, verb
from ..words import apply, no, passed, select
from .arguments import a_function
from .over import Over


class Rekeyed(Over):
    """Each key k replaced by f(k), for a strictly increasing f.

    >>> from skipstone.combinators import Span
    >>> dict(Rekeyed(Span(0, 3), lambda k: 10 * k, None))
    {0: 0, 10: 1, 20: 2}

    `inverse(key)` is the least k with f(k) >= key. With it a seek is a seek below; without, it is one step.
    """

    f: Callable[[Any], Any]
    inverse: Callable[[Any], Any] | None

    def index(self, q: Any) -> Any:
        return apply(self.f, self.stream.index(q))

    def seek(self, q: Any, key: Any, strict: Any) -> Any:
        if self.inverse is not None:
            # A key that f does not reach has no k of its own: the one above it must not be passed. And an inverse that
            # rounds down gives a k whose key may be passed in any case; not passing it, we would stand still.
            below = apply(self.inverse, key)
            found = apply(self.f, below)
            return self.stream.seek(q, below, (strict & (found == key)) | (found < key))
        behind = passed(self.index(q), key, strict | no(self.stream.ready(q)))
        return select(
            behind,
            lambda: select(self.stream.ready(q), lambda: self.stream.next(q), lambda: self.stream.approach(q)),
            lambda: q,
        )

    def key_kind(self) -> str | None:
        return None


class Unordered(Over):
    """Each key k replaced by f(k), for any f: the keys come as they come, and one may come twice.

    It can be folded, collected and memoised, never multiplied: `seek` has no meaning without an order.
    """

    f: Callable[[Any], Any]

    @property
    def ordered(self) -> bool:  # type: ignore[override]
        return False

    def index(self, q: Any) -> Any:
        return apply(self.f, self.stream.index(q))

    def seek(self, q: Any, key: Any, strict: Any) -> Any:
        raise UnorderedProduct("an unordered stream cannot be sought", "Put its keys in order first: `.memo()`.")

    def key_kind(self) -> str | None:
        return None


@verb
def map_keys(
    self: Stream,
    f: Callable[[Any], Any],
    *,
    increasing: bool = False,
    inverse: Callable[[Any], Any] | None = None,
) -> Stream:
    """The same values under the keys f(k).

    Say `increasing=True` if f is strictly increasing: the result is an ordinary stream. With `inverse` (the least k
    with f(k) >= key) it also seeks as fast as the stream below. Otherwise the result is unordered: it can be folded,
    collected and memoised, and values whose keys fall together are added.

    >>> import skipstone as sk
    >>> s = sk.stream({1: 10, 2: 20, 3: 30})
    >>> s.map_keys(lambda k: k % 2).collect()
    {0: 20, 1: 40}
    >>> (s.map_keys(lambda k: 2 * k, increasing=True, inverse=lambda k: (k + 1) // 2) * sk.range(3, 5)).collect()
    {4: 80}
    """
    a_function(f, "map_keys", "key")
    if inverse is not None:
        a_function(inverse, "map_keys(inverse=)", "key")
    if increasing or inverse is not None:
        if self.ordered:
            return Rekeyed(self, f, inverse)
        raise UnorderedProduct("the keys are out of order already", "Put them in order first: `.memo()`.")
    return Unordered(self, f)
