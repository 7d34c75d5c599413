"""Knowledge graphs as tensors over (head, relation, tail): triangles by the three relations that make them."""

from functools import cache

import pytest

import skipstone as sk

from .reading import answers, columns

x, y, z, r1, r2, r3 = sk.axes("x y z r1 r2 r3")


@cache
def triples(directory):
    return sk.table(columns(directory / "triples.parquet"), keys=["split", "h", "r", "t"], name="T")


def T(table, head, relation, tail):
    """The triples that are trained on."""
    return table["train", head, relation, tail]


TRIANGLES = {
    "N[r1,r2,r3]=sum_xyz T[x,r1,y]T[y,r2,z]T[x,r3,z] (train): nnz,total,max": lambda t: (
        T(t, x, r1, y) * T(t, y, r2, z) * T(t, x, r3, z)
    ),
    "C[r1,r2,r3]=sum_xyz T[x,r1,y]T[y,r2,z]T[z,r3,x] (train): nnz,total,max": lambda t: (
        T(t, x, r1, y) * T(t, y, r2, z) * T(t, z, r3, x)
    ),
}
GRAPHS = ["nations", "umls", "WN18RR", "FB15K237"]


@pytest.mark.parametrize("query", TRIANGLES, ids=["transitive", "cyclic"])
@pytest.mark.parametrize("name", GRAPHS)
def test_typed_triangles(shared_data, name, query):
    directory = shared_data / f"kg_{name}"
    found = TRIANGLES[query](triples(directory)).sum(x, y, z).collect()
    counts = found[r1, r2, r3]
    assert [len(found), counts.sum().collect(), counts.max().collect()] == answers(directory)[query]


@pytest.mark.parametrize("query", TRIANGLES, ids=["transitive", "cyclic"])
@pytest.mark.parametrize("name", GRAPHS)
def test_triangles_in_all(shared_data, name, query):
    directory = shared_data / f"kg_{name}"
    assert TRIANGLES[query](triples(directory)).sum().collect() == answers(directory)[query][1]


@pytest.mark.parametrize("name", GRAPHS)
def test_paths_of_two(shared_data, name):
    directory = shared_data / f"kg_{name}"
    t = triples(directory)
    key = "2-paths (train, all relation pairs): sum T[x,r1,y]T[y,r2,z]"
    assert (T(t, x, r1, y) * T(t, y, r2, z)).sum().collect() == answers(directory)[key]
    by_pair = (T(t, x, r1, y) * T(t, y, r2, z)).sum(x, y, z).collect()
    assert by_pair[r1, r2].sum().collect() == answers(directory)[key]


@pytest.mark.parametrize("name", GRAPHS)
def test_distinct_triples(shared_data, name):
    directory = shared_data / f"kg_{name}"
    assert T(triples(directory), x, r1, y).count().collect() == answers(directory)["train_distinct"]
