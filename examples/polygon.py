"""Points in a polygon, through a stream of one's own.

The places of a map are numbered row by row. A shape is then a sorted list of *intervals*: a few for each row, however
many places lie in them. `Intervals` below is a stream with a key for every place inside, and seeks by binary
search, so its product with the points touches no place without a point.
"""

from math import cos, pi, sin

import numpy as np

import skipstone as sk

WIDTH = HEIGHT = 1_000


@sk.kernel
def first_ending_after(ends, at, key):
    """The number of the first interval from `at` on whose end lies beyond key."""
    low, high = at, ends.size
    while low < high:
        middle = (low + high) // 2
        if ends[middle] <= key:
            low = middle + 1
        else:
            high = middle
    return low


class Intervals(sk.Stream):
    """Every key in some interval [start, end), with the number of the interval as its value."""

    starts: sk.Column
    ends: sk.Column

    def start(self):
        return sk.select(sk.length(self.starts) > 0, lambda: (0, self.starts[0]), lambda: (0, 0))

    def valid(self, q):
        return q[0] < sk.length(self.starts)

    def ready(self, q):
        return True

    def index(self, q):
        return q[1]

    def seek(self, q, key, strict):
        target = sk.maximum(q[1], key + strict)  # never backwards
        n = first_ending_after(self.ends, q[0], target)
        return sk.select(
            n < sk.length(self.starts), lambda: (n, sk.maximum(target, self.starts[n])), lambda: (n, target)
        )

    def value(self, q):
        return q[0]


def intervals(starts, ends):
    owner = (starts, ends)  # whoever keeps the arrays: they are one collection
    return Intervals(sk.Column(starts, "starts", owner), sk.Column(ends, "ends", owner))


def star(points=7):
    """The corners of a star."""
    for n in range(2 * points):
        radius, angle = (480 if n % 2 == 0 else 200), pi * n / points
        yield 500 + radius * cos(angle), 500 + radius * sin(angle)


def rows_of(corners):
    """For each row of places, from where to where a line through their middles is inside: even, odd, even, odd."""
    starts, ends = [], []
    for y in range(HEIGHT):
        cuts = []
        for (x0, y0), (x1, y1) in zip(corners, corners[1:] + corners[:1], strict=True):
            if (y0 <= y + 0.5) != (y1 <= y + 0.5):
                cuts.append(x0 + (y + 0.5 - y0) / (y1 - y0) * (x1 - x0))
        cuts.sort()
        for left, right in zip(cuts[::2], cuts[1::2], strict=True):
            first, last = int(np.ceil(left - 0.5)), int(np.ceil(right - 0.5))
            if first < last:
                starts.append(y * WIDTH + first)
                ends.append(y * WIDTH + last)
    return np.array(starts), np.array(ends)


def is_inside(x, y, corners):
    """The same for one point: does a ray to the left cross the edge an odd number of times?"""
    crossings = 0
    for (x0, y0), (x1, y1) in zip(corners, corners[1:] + corners[:1], strict=True):
        crossings += (y0 <= y) != (y1 <= y) and x0 + (y - y0) / (y1 - y0) * (x1 - x0) <= x
    return crossings % 2 == 1


corners = list(star())
starts, ends = rows_of(corners)
inside = intervals(starts, ends)
sk.laws.check(intervals(np.array([2, 7, 8]), np.array([4, 8, 11])))

random = np.random.default_rng(6)
xs, ys = random.integers(0, WIDTH, 5_000), random.integers(0, HEIGHT, 5_000)
points = sk.Sorted.from_pairs(zip((ys * WIDTH + xs).tolist(), [1] * xs.size, strict=True)).stream()
found = (points * inside.map(lambda place, n: 1)).sum()

assert found == sum(is_inside(x + 0.5, y + 0.5, corners) for x, y in zip(xs.tolist(), ys.tolist(), strict=True))
print(f"a star of {int((ends - starts).sum()):,} places in {len(starts):,} intervals")
print(f"{found:,} of {xs.size:,} points are inside")
for y in range(20, HEIGHT, 60):
    row = inside[y * WIDTH : (y + 1) * WIDTH].collect()
    print("".join("#" if y * WIDTH + x in row else "·" for x in range(10, WIDTH, 25)))
