"""The picture of the README: which keys three streams visit to find what they have in common.

python -m benchmarks.visits
"""

from pathlib import Path

import skipstone as sk


def picture():
    """Three sources of different density. What the first leaps over, nobody reads."""
    thirds = sk.Sorted(range(0, 3_000, 3))
    few = sk.Sorted([3, 6, 900, 901, 2_400])
    evens = sk.Sorted(range(0, 3_000, 2))
    return sk.visits(sk.stream(thirds) * sk.stream(few) * sk.stream(evens))


if __name__ == "__main__":
    picture().save(Path(__file__).parent.parent / "docs" / "pictures" / "visits.svg")
