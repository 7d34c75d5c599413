"""How time grows with size."""

from __future__ import annotations

import math

SMALL = 2e-3  # seconds: below, what is measured is the call, not the rows


def size(on: str) -> int:
    """The rows that a data set's name begins with.

    >>> size("100,000 rows")
    100000
    """
    return int(on.split()[0].replace(",", ""))


def exponent(points: list[tuple[int, float]]) -> float:
    """The slope of time against rows, both as logarithms, by least squares, over the points that are not too short.

    >>> exponent([(10, 0.1), (100, 1.0), (1000, 10.0)])
    1.0
    """
    long = [point for point in points if point[1] >= SMALL]
    used = long if len(long) > 1 else points
    x, y = ([math.log(each[n]) for each in used] for n in (0, 1))
    mx, my = sum(x) / len(x), sum(y) / len(y)
    return round(sum((a - mx) * (b - my) for a, b in zip(x, y, strict=True)) / sum((a - mx) ** 2 for a in x), 9)
