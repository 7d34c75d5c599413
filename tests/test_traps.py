"""Mistakes seen in earlier implementations of indexed streams, each by name."""

import gzip

import numpy as np
import pytest

import skipstone as sk


def test_the_union_of_1_3_and_2_3_ends(engine):
    assert (sk.stream({1: 1, 3: 1}) + sk.stream({2: 1, 3: 1})).collect() == {1: 1, 2: 1, 3: 2}


@pytest.mark.parametrize("seek", ["gallop", "adaptive", "binary", "linear"])
def test_a_filter_under_a_seeking_source_loses_no_key(engine, seek):
    keys = np.arange(0, 40)
    a = sk.Sorted(keys, keys, seek=seek).stream().filter(lambda k, v: k in (20, 35))
    assert (a * sk.stream({20: 1, 35: 1})).collect() == {20: 20, 35: 35}


def test_stored_zeros_are_values_like_any_other(engine):
    a = sk.stream({1: 0.0, 2: 3.0})
    assert a.collect() == {1: 0.0, 2: 3.0}
    assert (a * sk.stream({1: 5.0})).collect() == {1: 0.0}
    assert (a + sk.stream({1: 0.0})).count() == 2
    assert (a - a).collect() == {1: 0.0, 2: 0.0}


def test_zeros_in_a_dense_array_are_values(engine):
    assert sk.stream(np.array([0.0, 1.0, 0.0])).collect() == {0: 0.0, 1: 1.0, 2: 0.0}


def test_an_outer_key_with_nothing_under_it_stays(engine):
    a, b = sk.stream({1: {2: 3}, 4: {5: 6}}), sk.stream({1: {9: 9}, 4: {5: 1}})
    assert (a * b).collect() == {1: {}, 4: {5: 6}}


def facebook(shared_data):
    with gzip.open(shared_data / "emptyheaded_graph" / "facebook_pruned.tsv.gz", "rt") as file:
        edges = np.loadtxt(file, dtype=np.int64)
    return sk.Trie.from_columns([edges[:, 0], edges[:, 1]]).stream()


def test_an_intersection_is_not_dropped_when_the_last_axis_is_projected_away(shared_data):
    """EmptyHeaded published 85658 for TriangleProj(a, b): the edges whose end has any edge. The answer is 84185."""
    graph = facebook(shared_data)
    closed = graph.map(lambda a, row: (row * graph).map(lambda b, after: (row * after).any()))
    assert closed.sum() == 84185


def test_triangles_of_ego_facebook(shared_data):
    graph = facebook(shared_data)
    assert graph.map(lambda a, row: (row * graph).map(lambda b, after: (row * after).count())).sum() == 1612010
    # the same as a product of three relations over (a, b, c), as the paper has it: `repeat` where an axis is missing
    ab = graph.map(lambda a, row: row.map(lambda b, v: sk.repeat(v)))
    bc = sk.repeat(graph)
    ac = graph.map(lambda a, row: sk.repeat(row))
    assert (ab * bc * ac).sum() == 1612010


def test_directed_joins_of_ca_grqc(shared_data):
    import json

    import pyarrow.parquet as pq

    table = pq.read_table(shared_data / "snap_ca-GrQc" / "edges.parquet")
    answers = json.loads((shared_data / "snap_ca-GrQc" / "answers.json").read_text())
    src, dst = (table[name].to_numpy() for name in ("src", "dst"))
    graph = sk.Trie.from_columns([src, dst], np.ones(src.size, np.int8)).stream()
    paths = graph.map(lambda a, row: (row * graph).map(lambda b, after: after.count()))
    assert paths.sum() == answers["directed (distinct rows, loops kept): path2 E(a,b),E(b,c)"]
    transitive = graph.map(lambda a, row: (row * graph).map(lambda b, after: (row * after).count()))
    assert transitive.sum() == answers["directed: E(a,b),E(b,c),E(a,c)"]
