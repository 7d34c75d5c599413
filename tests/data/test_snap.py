"""Counts of small patterns in the SNAP graphs."""

from functools import cache

import pytest

import skipstone as sk

from .reading import answers, columns, undirected

a, b, c, d, x, y, z = sk.axes("a b c d x y z")

GRAPHS = [
    "bitcoin-otc", "ca-GrQc", "ca-HepPh", "ca-HepTh", "ego-Facebook", "email-Enron", "email-Eu-core", "lastfm-asia",
    "p2p-Gnutella04", "soc-Epinions1", "web-NotreDame", "wiki-Vote",
]  # fmt: skip


@cache
def graph(directory):
    """Distinct directed edges as they are; undirected ones once; undirected ones in both directions."""
    edges = columns(directory / "edges.parquet")
    once, both = undirected(edges["src"], edges["dst"])
    return sk.table(edges, keys=["src", "dst"], name="E"), once, both


# What is asked, the name of its answer, and how it is put.
QUERIES = {
    "path2": (
        "directed (distinct rows, loops kept): path2 E(a,b),E(b,c)",
        lambda E, U, S: (E[a, b] * E[b, c]).sum(),
    ),
    "directed_triangle": ("directed: E(a,b),E(b,c),E(a,c)", lambda E, U, S: (E[a, b] * E[b, c] * E[a, c]).sum()),
    "directed_cycle": ("directed: E(a,b),E(b,c),E(c,a)", lambda E, U, S: (E[a, b] * E[b, c] * E[c, a]).sum()),
    "triangles": ("undirected simple: triangles", lambda E, U, S: (U[a, b] * U[b, c] * U[a, c]).sum()),
    "wedges": ("undirected simple: wedges sum C(deg,2)", lambda E, U, S: (S[b, a] * S[b, c] * (a < c)).sum()),
    "four_cliques": (
        "undirected simple: 4-cliques",
        lambda E, U, S: (U[a, b] * U[a, c] * U[a, d] * U[b, c] * U[b, d] * U[c, d]).sum(),
    ),
    "four_cycles": (
        "undirected simple: 4-cycles (not nec. induced)",
        lambda E, U, S: (S[a, b] * S[b, c] * S[c, d] * S[d, a] * (a < b) * (a < c) * (a < d) * (b < d)).sum(),
    ),
    "diamonds": (
        "undirected simple: diamonds (K4 minus edge, not nec. induced)",
        lambda E, U, S: (S[b, c] * S[a, b] * S[a, c] * S[d, b] * S[d, c] * (b < c) * (a < d)).sum(),
    ),
    "lollipop": (
        "symmetrised hom-count: lollipop E(a,b),E(b,c),E(a,c),E(a,x)",
        lambda E, U, S: (S[a, b] * S[b, c] * S[a, c] * S[a, x]).sum(),
    ),
    "barbell": (
        "symmetrised hom-count: barbell two triangles joined by E(a,x)",
        lambda E, U, S: (S[a, b] * S[b, c] * S[a, c] * S[a, x] * S[x, y] * S[y, z] * S[x, z]).sum(),
    ),
    "nodes_in_a_triangle": (
        "symmetrised: nodes in >=1 triangle",
        lambda E, U, S: (S[a, b] * S[b, c] * S[a, c]).any(b, c).count(),
    ),
    "most_triangles_at_a_node": (
        "symmetrised: max triangles at a node",
        lambda E, U, S: (S[a, b] * S[b, c] * S[a, c] * (b < c)).sum(b, c).max(),
    ),
}

# More than ten seconds each.
SLOW = {("soc-Epinions1", "four_cycles"), ("web-NotreDame", "four_cycles")}
CASES = [(g, q) for g in GRAPHS for q in QUERIES if (g, q) not in SLOW]


@pytest.mark.parametrize(("name", "query"), CASES, ids=[f"{g}-{q}" for g, q in CASES])
def test_pattern_count_is_the_published_one(shared_data, name, query):
    directory = shared_data / f"snap_{name}"
    key, put = QUERIES[query]
    assert put(*graph(directory)).collect() == answers(directory)[key]


# The sums of the signed trust in bitcoin-otc, along the same joins.
RATED = {
    "triangle": (
        "weighted (rating w): sum over E(a,b),E(b,c),E(a,c) of w_ab*w_bc*w_ac",
        lambda W: (W[a, b] * W[b, c] * W[a, c]).sum(),
    ),
    "cycle": (
        "weighted: sum over E(a,b),E(b,c),E(c,a) of w_ab*w_bc*w_ca",
        lambda W: (W[a, b] * W[b, c] * W[c, a]).sum(),
    ),
}


@pytest.fixture
def rated(shared_data):
    directory = shared_data / "snap_bitcoin-otc"
    edges = columns(directory / "edges.parquet")
    return sk.table(edges, keys=["src", "dst"], value="rating", name="W"), answers(directory)


@pytest.mark.parametrize("query", RATED)
def test_sum_of_ratings_is_the_published_one(rated, query):
    W, found = rated
    key, put = RATED[query]
    assert put(W).collect() == found[key]


def test_all_ratings_and_those_that_are_negative(rated):
    W, found = rated
    negative = W[a, b].map(lambda w: w < 0).sum()
    assert [W[a, b].sum().collect(), negative.collect()] == found["weighted: sum of all ratings, count of negative"]


def test_square_of_the_ratings(rated):
    W, found = rated
    square = (W[a, b] * W[b, c]).sum(b).collect()
    assert [len(square), square[a, c].sum().collect()] == found["weighted: nnz structural of W@W, sum of W@W"]
