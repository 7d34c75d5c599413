"""Triangle and motif counting: small patterns in a graph of friends.

Each pattern is a product with one factor an edge. Conditions such as `a < b` count each occurrence once.
"""

from itertools import combinations

import numpy as np

import skipstone as sk

random = np.random.default_rng(1)
PEOPLE, FRIENDSHIPS = 400, 3_000
ends = (PEOPLE * random.random((2, FRIENDSHIPS)) ** 2).astype(np.int64)  # some have many friends, most have few
ends = np.unique(np.sort(ends[:, ends[0] != ends[1]], axis=0), axis=1)
both = np.concatenate([ends, ends[::-1]], axis=1)  # friendship goes both ways
F = sk.table({"a": both[0], "b": both[1]}, name="friends")

counts = {
    "friendships": "n() = F(a, b) * [a < b]",
    "triangles": "n() = F(a, b) * F(b, c) * F(a, c) * [a < b, b < c]",
    "squares": "n() = F(a, b) * F(b, c) * F(c, d) * F(d, a) * [a < b, a < c, a < d, b < d]",
    "groups of four": """n() = F(a, b) * F(a, c) * F(a, d) * F(b, c) * F(b, d) * F(c, d)
                             * [a < b, b < c, c < d]""",
    "friends of someone, strangers to each other": "n() = F(a, b) * F(a, c) * !F(b, c) * [b < c]",
}
found = {what: sk.query(text, F=F) for what, text in counts.items()}

friends = {a: set(both[1][both[0] == a].tolist()) for a in range(PEOPLE)}  # the same, with sets
assert found["triangles"] == sum(
    c in friends[a] for a in friends for b in friends[a] if a < b for c in friends[b] if b < c
)
assert (
    found["squares"]
    == sum(n * (n - 1) // 2 for b, d in combinations(friends, 2) for n in [len(friends[b] & friends[d])]) // 2
)
assert found["friends of someone, strangers to each other"] == sum(
    c not in friends[b] for a in friends for b, c in combinations(sorted(friends[a]), 2)
)
assert found["groups of four"] == sum(
    d in friends[a] & friends[b] & friends[c]
    for a in friends
    for b in friends[a]
    if a < b
    for c in friends[a] & friends[b]
    if b < c
    for d in friends[c]
    if c < d
)

for what, n in found.items():
    print(f"{n:>8,}  {what}")

a, b, c = sk.axes("a b c")
of_each = (F[a, b] * F[b, c] * F[a, c] * (b < c)).sum(b, c).collect().to_dict()
print("in most triangles:", ", ".join(f"{who} ({n})" for who, n in sorted(of_each.items(), key=lambda x: -x[1])[:4]))
