"""Users' functions: ordinary Python, followed along both sides of every branch."""

import math
from collections import namedtuple

import numpy as np
import pytest

import skipstone as sk

from .conftest import close

Point = namedtuple("Point", "x y")
A = {1: 2.0, 3: -4.0, 4: 0.5, 8: 7.0, 9: 0.0}


def sign(v):
    if v > 0:
        return 1
    if v < 0:
        return -1
    return 0


FUNCTIONS = {
    "arithmetic": lambda k, v: (k + v) * 2 - v / 4 + k // 2 + k % 3,
    "negative floor": lambda k, v: -k // 2 + -k % 3 + (v // 2) + (v % 3),
    "power": lambda k, v: v**2 + k**3 + v**0 + abs(v) ** 0.5,
    "conditional": lambda k, v: v if k > 3 else -v,
    "and or not": lambda k, v: 1 if (k > 1 and v > 0) or not (k < 8) else 0,
    "chained comparison": lambda k, v: 10 if 1 < k <= 8 else 20,
    "values of and/or": lambda k, v: (v and k) or -1,
    "builtins": lambda k, v: max(k, v) + min(k, v, 3) + abs(v) + sum((k, v)),
    "membership": lambda k, v: k in (3, 9),
    "helper": lambda k, v: sign(v) * k,
    "bool arithmetic": lambda k, v: (v > 0) + (k > 3) * 2,
    "bools compared": lambda k, v: (v > 0) == (k > 3),
    "xor": lambda k, v: (v > 0) ^ (k > 3),
    "math, as a kernel": lambda k, v: math.sin(v) + math.floor(k / 2),
    "numpy functions": lambda k, v: np.sqrt(abs(v)) + np.exp(-k) + np.maximum(k, v) + np.floor(v),
    "numpy scalars": lambda k, v: v * np.float64(2) + np.int64(3),
    "loop, as a kernel": lambda k, v: sum([j * v for j in range(k)]),
    "inner fold": lambda k, v: sk.range(0, k).sum() + v,
    "branch after an inner fold": lambda k, v: k if sk.range(0, k).sum() > 5 else -k,
    "branch inside an inner fold": lambda k, v: sk.range(0, k).map(lambda j, _: j if j % 2 else v).sum(),
    "two inner folds": lambda k, v: sk.range(0, k).sum() * sk.range(0, 3).map(lambda j, _: j + k).sum(),
    "early exit inside": lambda k, v: 1 if sk.range(0, k).filter(lambda j, _: j * j == 9).any() else 0,
    "three levels": lambda k, v: (
        sk.range(0, 3).map(lambda i, _: sk.range(0, i).map(lambda j, _: (i + j) * k if j < i else v).sum()).sum()
    ),
    "inner minimum": lambda k, v: sk.range(0, k).map(lambda j, _: (j - 2) * (j - 2)).min(default=9),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_means_the_same_compiled(name):
    f = FUNCTIONS[name]
    with sk.engine("interpreted"):
        plain = sk.stream(A).map(f).collect()
    assert close(sk.stream(A).map(f).collect(), plain)


def test_first_and_min_inside_a_function(engine):
    s = sk.stream({1: 1, 4: 1})
    assert s.map(lambda k, v: sk.range(k, 9).min(default=0)).collect() == {1: 1, 4: 4}
    assert s.map(lambda k, v: sk.range(k, 3).first(default=(0, -5))[1]).collect() == {1: 1, 4: -5}
    with pytest.raises(sk.errors.BadOption, match="default"):
        s.map(lambda k, v: sk.range(k, 9).min()).sum()
    assert s.map(lambda k, v: sk.range(k, 3).max(default=-1)).collect() == {1: 2, 4: -1}
    assert s.map(lambda k, v: sk.stream({1: 10}).get(k, default=0)).collect() == {1: 10, 4: 0}


def test_values_may_be_tuples_and_named_tuples(engine):
    s = sk.stream(A).map(lambda k, v: Point(k, v) if v > 0 else Point(-k, v * 2))
    assert s.collect() == {1: (1, 2.0), 3: (-3, -8.0), 4: (4, 0.5), 8: (8, 7.0), 9: (-9, 0.0)}
    assert all(isinstance(p, Point) for p in s.collect().values())
    assert s.map(lambda k, p: p.x + p.y).sum() == 1 + 2 - 3 - 8 + 4 + 0.5 + 8 + 7 - 9
    assert s.sum() == (1, 1.5)
    assert (s * sk.stream({1: 10})).collect() == {1: (10, 20.0)}


def test_tuples_in_sources(engine):
    assert sk.stream({1: (2, 0.5), 4: (3, 1.5)}).map(lambda k, t: t[0] * t[1]).collect() == {1: 1.0, 4: 4.5}
    points = sk.stream({1: Point(2, 0.5), 4: Point(3, 1.5)})
    assert points.map(lambda k, p: p.x).collect() == {1: 2, 4: 3}
    record = np.array([(1, 2.5), (3, 4.5)], dtype=[("a", np.int32), ("b", np.float32)])
    assert sk.Sorted([5, 6], record).stream().map(lambda k, t: t[0] + t[1]).collect() == {5: 3.5, 6: 7.5}


def test_folds_with_tuples(engine):
    s = sk.stream(A)
    found = s.fold(lambda acc, k, v: (acc[0] + 1, max(acc[1], v), acc[2] or k == 4), (0, -1, False))
    assert found == (5, 7.0, True)
    assert s.fold(lambda acc, k, v: Point(acc.x + k, acc.y + v), Point(0, 0)) == Point(25, 5.5)


def test_a_fold_whose_accumulator_becomes_a_float(engine):
    assert sk.range(1, 4).fold(lambda acc, k, v: acc + 0.5 if k > 1 else acc + 1, 0) == 2.0


def test_streams_as_values(engine):
    rows = sk.stream({2: {1: 1, 5: 2}, 7: {1: 3}})
    assert rows.map(lambda i, row: row.map(lambda j, v: v * i).sum()).collect() == {2: 6, 7: 21}
    assert rows.map(lambda i, row: row[2:]).collect() == {2: {5: 2}, 7: {}}
    assert sk.range(1, 4).map(lambda i, _: sk.range(0, i)).collect() == {
        1: {0: 0},
        2: {0: 0, 1: 1},
        3: {0: 0, 1: 1, 2: 2},
    }


def test_streams_chosen_by_a_branch(engine):
    chosen = sk.range(0, 4).map(lambda i, _: sk.range(0, i) if i % 2 else sk.range(i, 4))
    assert chosen.map(lambda i, s: s.sum()).collect() == {0: 6, 1: 0, 2: 5, 3: 3}


def test_more_paths_than_can_be_written_out():
    def many(k, v):
        n = 0
        if k > 0:
            n += 1
        if k > 1:
            n += 2
        if k > 2:
            n += 4
        if k > 3:
            n += 8
        if k > 4:
            n += 16
        if v > 5:
            n += 32
        if v > 6:
            n += 64
        if v > 7:
            n += 128
        return n

    s = sk.range(0, 12)
    assert s.map(many).collect() == {k: many(k, k) for k in range(12)}


def test_a_while_loop_on_a_value_becomes_a_kernel():
    def collatz(k, v):
        steps = 0
        while v != 1:
            v = v // 2 if v % 2 == 0 else 3 * v + 1
            steps += 1
        return steps

    s = sk.range(1, 30)
    assert s.map(collatz).collect() == {k: collatz(k, k) for k in range(1, 30)}


def test_a_marked_kernel(engine):
    @sk.kernel
    def digits(n):
        count = 1
        while n >= 10:
            n //= 10
            count += 1
        return count

    assert sk.stream({1: 5, 2: 123, 3: 99999}).map(lambda k, v: digits(v) * 10).collect() == {1: 10, 2: 30, 3: 50}


def test_a_function_is_run_on_symbols_and_never_on_data():
    seen = set()

    def noisy(k, v):
        seen.add(type(v).__name__)
        return v

    sk.stream(A).map(noisy).sum()
    assert seen == {"Symbol"}
