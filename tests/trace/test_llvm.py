"""The two ways to compile a program, from its source and from its own instructions, come to the same."""

import math
from itertools import pairwise

import numpy as np
import pytest

import skipstone as sk
from skipstone.engines.compiled import received, trace
from skipstone.examples import EXAMPLES
from skipstone.kernel import Compiled, argument_type, call, compile_source, render, source_value
from skipstone.trace import llvm

from .test_programs import CASES

FLOATS = sk.Sorted(np.arange(4), np.array([1.5, math.nan, -2.0, 1.5])).stream()
TRUTHS = sk.Sorted(np.arange(3), np.array([True, False, True])).stream()
SIGNED = sk.Sorted(np.arange(7), np.array([-(2**63), -7, -1, 0, 1, 8, 2**63 - 1])).stream()
NARROW = sk.Sorted(np.arange(3, dtype=np.int16), np.array([200, 100, 7], np.uint8)).stream()
MORE = {
    "nan": lambda: FLOATS.fold(lambda n, k, v: n + (v != v) + 10 * (v == v) + 100 * (v < 9) + 1000 * (v != 1.5), 0),
    "order of truths": lambda: TRUTHS.fold(lambda n, k, v: n + (v > False) + 10 * (v <= (k > 0)), 0),
    "truths as numbers": lambda: TRUTHS.map(lambda k, v: v * 2.5 + v).sum(),
    "narrow": lambda: (NARROW * NARROW).map(lambda k, v: v * 3).sum(),
    "largest": lambda: FLOATS[2:].max(default=0.0),
    "wrapping first": lambda: sk.Dense(np.arange(1000) * 2**40).stream().sum(),
    "wrapping first, products": lambda: (
        sk.Dense(np.arange(-500, 500) * 2**17).stream().map(lambda k, v: v * v - k).sum()
    ),
    "divided": lambda: SIGNED.map(lambda k, v: 1.5 / (v + 0.5)).collect(),
    "whole parts and rests": lambda: SIGNED.map(lambda k, v: (v // 3, v % 3, v // 2**40, v % 1)).collect(),
    "shifted": lambda: SIGNED.map(lambda k, v: (v >> 1, v >> 63, v >> k, v >> 20 * k)).collect(),
    "how far from zero": lambda: FLOATS[2:].map(lambda k, v: (abs(v), abs(v * 0.0), -v)).collect(),
    "truth of numbers": lambda: SIGNED.filter(lambda k, v: bool(v)).filter(lambda k, v: bool(v * 0.5)).collect(),
    "truth of nan": lambda: FLOATS.filter(lambda k, v: bool(v)).count(),
    "fetched ahead": lambda: EXAMPLES["fetching ahead"]().sum(),
    "bits": lambda: (sk.Bitmap([3, 64, 200, 201]).stream() * sk.Bitmap([3, 63, 200]).stream()).collect(),
}


def both_ways(consume):
    program, result = trace(consume)
    printed = render(program, constants=True)
    assert printed.program.body is program.body
    arguments = [source_value(source) for _, source in program.arguments]
    kinds = [*map(argument_type, arguments), *["int64[:]"] * (printed.heeds + bool(printed.rooms))]
    found = []
    for way in (printed.program, None):
        printed.program = way
        compiled = compile_source(printed, kinds, f"{way is None} {printed.source}")
        kernel = Compiled(printed.source, compiled.entry_point, False, printed.rooms, printed.gathered, printed.heeds)
        found.append(received(result, call(kernel, arguments)))
    return found


@pytest.mark.parametrize("name", [*CASES, *MORE])
def test_both_ways_agree(name):
    consume = {**CASES, **MORE}[name]
    directly, by_source = both_ways(consume)
    assert directly == by_source and type(directly) is type(by_source)
    with sk.engine("interpreted"):
        assert directly == consume()


@pytest.mark.parametrize(
    "name",
    [
        "nan",
        "order of truths",
        "narrow",
        "collect_nested",
        "memo_inside",
        "triangle",
        "product_of_three",
        "slice",
        "any",
        *list(MORE)[list(MORE).index("wrapping first") :],
    ],
)
def test_these_need_no_source(name):
    """Checks after loops needed one: a pattern of sixteen nodes took Numba 70 s to read."""
    assert llvm.knows(trace({**CASES, **MORE}[name])[0])


def test_a_program_that_divides_by_any_integer_needs_one():
    assert llvm.knows(trace(CASES["collect_product"])[0])
    assert not llvm.knows(trace(lambda: sk.range(1, 5).map(lambda k, v: 1 // v).sum())[0])
    assert not llvm.knows(trace(lambda: sk.range(1, 5).map(lambda k, v: v % -2).sum())[0])


def test_division_by_zero_is_an_error_either_way():
    with pytest.raises(ZeroDivisionError):
        both_ways(lambda: SIGNED.map(lambda k, v: 1.5 / v).sum())
    with pytest.raises(sk.errors.DivisionByZero):
        SIGNED.map(lambda k, v: 1.5 / v).sum()


def test_overflow_is_an_error_either_way():
    big = sk.Sorted([1, 2], np.array([2**62, 2**62])).stream()
    with pytest.raises(OverflowError):
        both_ways(lambda: (big * big.map(lambda k, v: 1)).sum())
    with pytest.raises(sk.errors.IntegerOverflow):
        (big * big.map(lambda k, v: 1)).sum()


def test_more_loops_than_python_allows():
    r = sk.table({"p": [1, 2], "q": [1, 2]})
    steps = sk.axes(" ".join(f"w{n}" for n in range(24)))
    chain = r[steps[0], steps[1]]
    for one, two in pairwise(steps[1:]):
        chain = chain * r[one, two]
    assert chain.sum().collect(memo=False, order=steps) == 2


class TestFloats:
    """A stream is summed in the order of its keys, to the last bit. Rows have no order, and neither has their sum."""

    CANCELLING = np.tile([1e16, 1.0, -1e16, 1.0], 64)
    IN_ORDER = 1.0  # each 1.0 but the last is lost in 1e16

    @pytest.mark.parametrize("engine", ["interpreted", "compiled"])
    def test_a_stream_is_summed_in_order(self, engine):
        with sk.engine(engine):
            assert sk.Dense(self.CANCELLING).stream().sum() == self.IN_ORDER

    def test_rows_are_summed_in_any_order(self):
        """Several at once: what is lost in one order is not in another."""
        assert self.total(self.CANCELLING) != self.IN_ORDER
        tame = np.sqrt(np.arange(1000.0))
        assert self.total(tame) == pytest.approx(math.fsum(tame), rel=1e-13)

    def total(self, values):
        i = sk.axes("i")
        return sk.sum(sk.table({"i": np.arange(values.size), "v": values}, value="v")[i]).collect()

    def test_the_two_are_never_taken_for_the_same_kernel(self):
        """Kernels are found by their source: one that may reorder says so in it."""
        i = sk.axes("i")
        rows = sk.table({"i": np.arange(4), "v": np.ones(4)}, value="v")
        assert "gather(" in str(rows[i].sum().explain())
        assert "gather(" not in sk.Dense(np.ones(4)).stream().compile().source


def test_results_of_any_size_follow_each_other():
    """A kernel begins with room for as many rows as it found the last time, and gives back what was too much."""
    i, j = sk.axes("i j")
    weights = sk.table({"i": np.arange(2000), "y": np.full(2000, 2.0)}, value="y")
    draw = np.random.default_rng(0)
    for size in (100_000, 10, 150_000, 3, 0, 40, 100_001):
        drawn = draw.choice(2000 * 2000, size, replace=False)
        a = sk.table({"i": drawn // 2000, "j": drawn % 2000, "x": drawn * 1.0}, value="x")
        found = (a[i, j] * weights[i]).collect().columns()
        order = np.argsort(drawn)
        assert (found["i"] * 2000 + found["j"] == drawn[order]).all()
        assert (found["value"] == 2.0 * drawn[order]).all()
