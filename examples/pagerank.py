"""PageRank: a surfer follows links at random, and sometimes starts anew. Where is she most of the time?

One step is the product of the link matrix and a vector, kept as one compiled expression a round. Pages without links
send their visitors anywhere.
"""

import numpy as np
from scipy.sparse import coo_array

import skipstone as sk

PAGES, LINKS, STAYS = 2_000, 12_000, 0.85
random = np.random.default_rng(2)
source, target = random.integers(0, PAGES, LINKS), (PAGES * random.random(LINKS) ** 3).astype(np.int64)
links = sk.table({"from": source, "to": target}, name="links")

x, y = sk.axes("x y")
out = links[x, y].count(y).map(lambda n: 1.0 / n).memo()  # a link's share of its page's visitors
loose = np.setdiff1d(np.arange(PAGES), source)

rank, rounds, change = np.full(PAGES, 1 / PAGES), 0, 1.0
while change > 1e-10:
    now = sk.table({"x": np.arange(PAGES), "rank": rank}, value="rank")
    followed = np.zeros(PAGES)
    arrived = (now[x] * out * links[x, y]).sum(x).collect(into="numpy")
    followed[arrived["y"]] = arrived["value"]
    new = STAYS * (followed + rank[loose].sum() / PAGES) + (1 - STAYS) / PAGES
    rank, rounds, change = new, rounds + 1, abs(new - rank).sum()

matrix = coo_array((np.ones(LINKS), (target, source)), shape=(PAGES, PAGES)).tocsr()  # the same with SciPy
matrix.data[:] = 1  # a link that comes twice is one link
matrix = matrix / np.maximum(matrix.sum(axis=0), 1)
check = np.full(PAGES, 1 / PAGES)
for _ in range(rounds):
    check = STAYS * (matrix @ check + check[loose].sum() / PAGES) + (1 - STAYS) / PAGES
assert np.allclose(rank, check, atol=1e-12)

print(f"{len(links):,} links, {rounds} rounds, ranks add up to {rank.sum():.6f}")
for page in np.argsort(-rank)[:5]:
    print(f"page {page:4}  {100 * rank[page]:.2f} %")
