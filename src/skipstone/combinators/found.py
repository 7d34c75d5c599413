"""Found: of values that come with whether there is anything, those where there is."""

from __future__ import annotations

from typing import Any

from ..stream import pure
from ..words import no, reading, select
from .over import Over


class Found(Over):
    """The values v of the pairs (True, v); keys with (False, …) are left out.

    >>> import skipstone as sk
    >>> sums = sk.stream({1: 0, 2: 5}).map(lambda k, v: (v > 0, v * 10))
    >>> dict(Found(sums))
    {2: 50}

    A filter and a map would say the same. But then the value below, which may be a loop, is computed twice wherever
    that stream is not always ready: once under the question whether it is, and once more to be used.
    """

    def ready(self, q: Any) -> Any:
        return self.seen(q)[0]

    def seek(self, q: Any, key: Any, strict: Any) -> Any:
        # As in a filter: a seek that names a key with nothing must pass it.
        here = (self.stream.index(q) == key) & self.stream.ready(q)
        return self.stream.seek(q, key, strict | (here & no(self.seen(q)[0])))

    def approach(self, q: Any) -> Any:
        return select(self.stream.ready(q), lambda: self.stream.next(q), lambda: self.stream.approach(q))

    def value(self, q: Any) -> Any:
        return self.seen(q)[1]

    @pure
    def seen(self, q: Any) -> Any:
        """Whether there is anything here, and what."""
        return select(self.stream.ready(q), lambda: self.stream.value(q), lambda: (False, reading().undefined()))
