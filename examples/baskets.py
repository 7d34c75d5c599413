"""Market baskets: what is bought together more often than chance would have it.

`bought(x, y)` joins the table of purchases with itself on the order. The *lift* of a pair is how many times more often
it is in one basket than if people chose the two by chance.
"""

from collections import Counter
from itertools import combinations

import numpy as np

import skipstone as sk

random = np.random.default_rng(4)
GOODS = ["bread", "butter", "jam", "milk", "coffee", "tea", "pasta", "tomatoes", "basil", "beer", "crisps", "apples"]
HABITS = [["bread", "butter", "jam"], ["pasta", "tomatoes", "basil"], ["beer", "crisps"], ["coffee", "milk"]]
baskets = []
for _ in range(5_000):
    habit = HABITS[random.integers(len(HABITS))] if random.random() < 0.5 else []
    some = random.choice(GOODS, random.integers(1, 4), replace=False).tolist()
    baskets.append(sorted({*some, *(good for good in habit if random.random() < 0.8)}))
order = np.repeat(np.arange(len(baskets)), [len(basket) for basket in baskets])
B = sk.table({"order": order, "good": [good for basket in baskets for good in basket]}, name="bought")

o, x, y = sk.axes("o x y")
alone = B[o, x].count(o).collect()
pairs = (B[o, x] * B[o, y] * (x < y)).count(o)
lift = (pairs * alone[x].map(lambda n: 1 / n) * alone[y].map(lambda n: len(baskets) / n)).collect()

once = Counter(good for basket in baskets for good in basket)  # the same with Counters
twice = Counter(pair for basket in baskets for pair in combinations(basket, 2))
assert pairs.collect().to_dict() == twice
for (one, two), times in lift.to_dict().items():
    assert abs(times - twice[one, two] * len(baskets) / once[one] / once[two]) < 1e-9

print(f"{len(baskets):,} baskets, {len(B):,} purchases")
for (one, two), times in sorted(lift.to_dict().items(), key=lambda item: -item[1])[:8]:
    print(f"{times:5.2f} times as often together as by chance: {one} and {two} ({twice[one, two]})")
