"""Small connected patterns in citeseer, and patterns of sixteen labelled nodes in a protein network."""

from functools import cache
from itertools import combinations

import pytest

import skipstone as sk

from .reading import answers, columns, undirected

MOTIFS = [("4", n) for n in range(6)] + [("5", n) for n in range(21)]
NODES = sk.axes(" ".join(f"v{n}" for n in range(16)))


@cache
def graph(directory):
    """The edges in both directions."""
    edges = columns(directory / "edges.parquet")
    return undirected(edges["src"], edges["dst"])[1]


def motif(directory, size, n):
    return answers(directory, "motif_counts.json")[size][n]


def product(factors):
    first, *rest = factors
    for factor in rest:
        first = first * factor
    return first


def all_different(pairs):
    return [NODES[i] != NODES[j] for i, j in pairs]


@pytest.mark.parametrize(("size", "n"), MOTIFS, ids=[f"{size}-{n}" for size, n in MOTIFS])
def test_motif_as_a_subgraph(shared_data, size, n):
    directory = shared_data / "citeseer_motifs"
    S, wanted = graph(directory), motif(directory, size, n)
    edges = [S[NODES[i], NODES[j]] for i, j in wanted["edges"]]
    found = product(edges + all_different(combinations(range(wanted["k"]), 2))).sum().collect()
    assert found == wanted["hom_injective_count"] == wanted["edge_induced_published"] * wanted["automorphisms"]


@pytest.mark.parametrize(("size", "n"), MOTIFS, ids=[f"{size}-{n}" for size, n in MOTIFS])
def test_motif_as_an_induced_subgraph(shared_data, size, n):
    directory = shared_data / "citeseer_motifs"
    S, wanted = graph(directory), motif(directory, size, n)
    there = {frozenset(edge) for edge in wanted["edges"]}
    pairs = list(combinations(range(wanted["k"]), 2))
    edges = [S[NODES[i], NODES[j]] for i, j in wanted["edges"]]
    absent = [~S[NODES[i], NODES[j]] for i, j in pairs if frozenset((i, j)) not in there]
    found = product(edges + absent + all_different(pairs)).sum().collect()
    assert found == wanted["vertex_induced_published"] * wanted["automorphisms"]


@cache
def labels(directory):
    return sk.table(columns(directory / "vertices.parquet"), keys=["id", "label"], name="L")


def pattern(directory, query):
    """The nodes of a query with their labels, and its edges."""
    S, L = graph(directory), labels(directory)
    nodes = [L[NODES[n], label] for n, label in enumerate(query["vertex_labels"])]
    return nodes + [S[NODES[i], NODES[j]] for i, j in query["edges"]]


# Of fifty queries, those that are not slow: a compiled one takes ten seconds and more to compile, one that is
# interpreted up to twenty to run.


@pytest.mark.parametrize("number", range(1, 13))
def test_pattern_of_sixteen_nodes(shared_data, number):
    directory = shared_data / "hprd_subgraph"
    query = answers(directory, "queries.json.gz")[f"query_dense_16_{number}"]
    label = query["vertex_labels"]
    alike = [(i, j) for i, j in combinations(range(16), 2) if label[i] == label[j]]  # the others differ anyway
    join = pattern(directory, query)
    assert product(join).sum().collect() == query["hom_join_count"]
    assert product(join + all_different(alike)).sum().collect() == query["expected_embeddings"]
