"""Numbers with their nouns: what is one is not told as several."""

from __future__ import annotations


def counted(n: int, what: str) -> str:
    """A number of things.

    >>> counted(1, "row"), counted(1200, "row")
    ('1 row', '1,200 rows')
    """
    return f"{n:,} {what}" if n == 1 else f"{n:,} {what}s"


def rows_told(size: int, different: int | None) -> str:
    """How many rows there are, and how many different ones, if that is known and less.

    >>> rows_told(373, 69), rows_told(3, 3), rows_told(10**7, None)
    ('373 rows, 69 different', '3 rows', '10,000,000 rows')
    """
    rows = counted(size, "row")
    return rows if different is None or different == size else f"{rows}, {different:,} different"
