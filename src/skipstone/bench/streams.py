"""The paper's problems as stream expressions. Each has its loops by hand in `hand.py`."""

from __future__ import annotations

import skipstone as sk
from skipstone import Stream


def range_sum(n: int) -> Stream:
    return sk.range(0, n).map(lambda i, _: i % 5)


def nest_sum(n: int) -> Stream:
    inner = sk.range(0, n)  # outside of the function, so that its length is no constant of the code
    return sk.range(0, n).map(lambda i, _: inner.map(lambda j, _: j % 5).sum())


def product_of_two(a: Stream, b: Stream) -> Stream:
    return a * b


def product_of_three(a: Stream, b: Stream, c: Stream) -> Stream:
    return a * b * c


def join_fused(r: Stream, s: Stream, t: Stream) -> Stream:
    """R(a,b) S(b,c) T(a,c): first a, then b, then c."""
    return sk.zip_with(lambda row, cs: (row * s).map(lambda b, after: after * cs), r, t)


def join_unfused(r: Stream, s: Stream, t: Stream) -> Stream:
    """The same in two steps: R with S, kept in arrays, and then those with T."""
    paths = r.map(lambda a, row: row * s).memo()
    return sk.zip_with(lambda row, cs: row.map(lambda b, after: after * cs), paths, t)
