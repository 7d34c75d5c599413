"""The pictures of the README and of docs/pictures.md.

python -m benchmarks.visits
"""

from pathlib import Path

import skipstone as sk

PICTURES = Path(__file__).parent.parent / "docs" / "pictures"


def visits():
    """Three sources of different density. What the smallest leaps over, nobody reads."""
    thirds = sk.Sorted(range(0, 3_000, 3))
    few = sk.Sorted([3, 6, 900, 901, 2_400])
    evens = sk.Sorted(range(0, 3_000, 2))
    return sk.visits(sk.stream(thirds) * sk.stream(few) * sk.stream(evens))


def triangles():
    who = ["ann", "ann", "bob", "cy", "cy", "dee", "eve", "eve"]
    whom = ["bob", "cy", "cy", "ann", "dee", "eve", "ann", "bob"]
    follows = sk.table({"who": who, "whom": whom}, name="follows")
    a, b, c = sk.axes("a b c")
    return sk.sum(follows[a, b] * follows[b, c] * follows[a, c])


if __name__ == "__main__":
    visits().save(PICTURES / "visits.svg")
    sk.visits(triangles()).save(PICTURES / "visits-triangles.svg")
    triangles().diagram().save(PICTURES / "diagram.svg")
