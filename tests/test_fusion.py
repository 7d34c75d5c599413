"""Fusion, shown: no intermediate allocation, seeks that skip, fairness of products, early exit."""

import tracemalloc

import numpy as np
import pytest

import skipstone as sk
from skipstone.words import Reading, read_by


class Counting(Reading):
    """A reading that counts what is read from each column."""

    def __init__(self):
        self.reads = {}

    def load(self, column, i):
        self.reads[id(column)] = self.reads.get(id(column), 0) + 1
        return super().load(column, i)


def reads(collection, consume):
    counting = Counting()
    with read_by(counting):
        consume()
    return counting.reads.get(id(collection.root.keys), 0)


def sorted_of(n, of, seed, seek="adaptive"):
    keys = np.sort(np.random.default_rng(seed).choice(of, n, replace=False))
    return sk.Sorted(keys, keys * 1.0, seek=seek)


def numba_allocations():
    from numba.core.runtime import _nrt_python, rtsys

    _nrt_python.memsys_enable_stats()
    return rtsys.get_allocation_stats().alloc


def test_a_fused_product_allocates_nothing():
    streams = [sorted_of(100_000, 300_000, seed).stream() for seed in range(3)]
    kernel = (streams[0] * streams[1] * streams[2]).compile()
    kernel()
    before, _ = numba_allocations(), tracemalloc.start()
    assert kernel() > 0
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert numba_allocations() - before == 0
    assert peak < 20_000  # bytes of Python objects around the call; one column is 800,000


def test_a_collected_product_allocates_only_its_output():
    streams = [sorted_of(100_000, 300_000, seed).stream() for seed in range(3)]
    kernel = (streams[0] * streams[1] * streams[2]).compile(lambda s: s.collect(into=sk.Sorted))
    kernel()
    before = numba_allocations()
    assert len(kernel()) > 0
    assert numba_allocations() - before == 0  # the output is the memory that it was gathered in


@pytest.mark.parametrize("seek", ["adaptive", "gallop", "binary"])
def test_seeks_skip(seek):
    few, many = sorted_of(100, 10_000_000, 1), sorted_of(1_000_000, 10_000_000, 2, seek)
    touched = reads(many, (few.stream() * many.stream()).sum)
    assert touched < 100 * 4 * np.log2(1_000_000)


def test_a_linear_seek_does_not():
    few, many = sorted_of(10, 100_000, 1), sorted_of(10_000, 100_000, 2, "linear")
    assert reads(many, (few.stream() * many.stream()).sum) > 5_000


def test_no_nesting_order_changes_the_cost():
    few, one, two = sorted_of(50, 10**6, 1), sorted_of(50_000, 10**6, 2), sorted_of(50_000, 10**6, 3)
    a, b, c = few.stream(), one.stream(), two.stream()
    costs = [
        reads(one, s.sum) + reads(two, s.sum)
        for s in (a * b * c, c * b * a, b * c * a, b * (c * a), (b * c) * a, b * (a * c))
    ]
    assert max(costs) < 1.5 * min(costs) and max(costs) < 50 * 8 * 17


def test_the_smallest_factor_may_stand_under_a_map_or_filter():
    few, many = sorted_of(50, 10**6, 1), sorted_of(50_000, 10**6, 2)
    product = few.stream().map(lambda k, v: v + 1).filter(lambda k, v: k % 2 == 0) * many.stream()
    assert reads(many, product.sum) < 50 * 4 * 17


def test_a_slice_costs_the_slice():
    many = sorted_of(100_000, 10**6, 1)
    assert reads(many, many.stream()[500_000:500_100].sum) < 150
    dense = sk.Dense(np.arange(10**6))
    assert dense.stream()[500:510].collect() == {k: k for k in range(500, 510)}


def test_early_exit():
    many = sorted_of(100_000, 10**6, 1)
    assert reads(many, many.stream().any) < 10
    assert reads(many, lambda: many.stream().first(default=(0, 0.0))) < 10
    assert reads(many, lambda: many.stream().map(lambda k, v: k == -1).all()) < 10
    assert reads(many, lambda: many.stream().get(500_000, default=0.0)) < 60


def test_min_and_max_stop_at_enough():
    many = sk.Sorted(np.arange(1000), np.arange(1000) % 7)
    assert reads(many, lambda: many.stream().map(lambda k, v: v + 0 * k).min(default=0, enough=0)) < 5
    assert reads(many, lambda: many.stream().map(lambda k, v: v + 0 * k).max(default=0, enough=6)) < 20
    assert many.stream().max(enough=6) == 6


def test_a_product_with_repeat_costs_nothing():
    s = sorted_of(10, 100, 1).stream()
    with_repeat = (s * sk.repeat(1)).compile()
    assert with_repeat.source == s.compile().source


def test_a_repeated_stream_is_shared_not_copied():
    s = sorted_of(10, 100, 1).stream()
    assert (s * s).compile().source.count("a_keys,") >= 1
    assert "b_keys" not in (s * s).compile().source
