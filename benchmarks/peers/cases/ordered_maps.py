"""Two ordered maps that can be changed at any time, walked together: Σ a[k] b[k]."""

from __future__ import annotations

from functools import partial
from typing import Any

import skipstone as sk

from .. import data
from ..ours import threaded
from ..question import Make, Question
from ..way import Way
from .sparse_vectors import dicts


def ours(kind: type) -> Make:
    def make(given: dict[str, Any], threads: int) -> Way:
        a, b, _ = (kind(each).stream() for each in dicts(given))
        return Way(threaded((a * b).compile(), threads))

    return make


def python(given: dict[str, Any], threads: int) -> Way:
    """Without an order: a dict looks up faster than anything ordered."""
    a, b = sorted(dicts(given)[:2], key=len)
    return Way(lambda: sum(x * b[k] for k, x in a.items() if k in b))


def looked_up(given: dict[str, Any], threads: int) -> Way:
    from sortedcontainers import SortedDict

    a, b = sorted((SortedDict(each) for each in dicts(given)[:2]), key=len)
    return Way(lambda: sum(x * b[k] for k, x in a.items() if k in b))


def by_views(given: dict[str, Any], threads: int) -> Way:
    from sortedcontainers import SortedDict

    a, b = (SortedDict(each) for each in dicts(given)[:2])
    return Way(lambda: sum(a[k] * b[k] for k in a.keys() & b.keys()))


QUESTIONS = [
    Question(
        "ordered maps",
        "small",
        {
            "300k and 300k of 1M keys": partial(data.vectors, (300_000, 300_000, 1), 1_000_000),
            "1k and 1M of 10M keys": partial(data.vectors, (1_000, 1_000_000, 1), 10_000_000),
        },
        partial(data.vectors, (40, 60, 1), 90),
        {
            "skipstone": {"sk.Blocked": ours(sk.Blocked), "sk.Tree": ours(sk.Tree)},
            "python": {"": python},
            "sortedcontainers": {"looked up": looked_up, "views of keys": by_views},
        },
    )
]
