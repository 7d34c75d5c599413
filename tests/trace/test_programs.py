"""The emitted program: verified, the same for the same expression, readable, and as it was."""

import linecache
import os
from pathlib import Path

import numpy as np
import pytest

import skipstone as sk
from skipstone.engines.compiled import trace
from skipstone.kernel import kernel_returns
from skipstone.trace import Tracer, render
from skipstone.trace.program import Append, Assign, Fetch, If, Let, Loop, Malformed, Program, Stay, TracedBuffer, verify
from skipstone.words import read_by

GOLDEN = Path(__file__).parent.parent / "kernels"


def vectors(n):
    return [sk.Sorted(np.arange(5) + i, np.arange(5.0)).stream() for i in range(n)]


def graph():
    return sk.Trie.from_columns([[0, 0, 1], [1, 2, 2]]).stream()


def triangle():
    g, h, i = graph(), graph(), graph()
    return g.map(lambda a, row: (row * h).map(lambda b, after: (after * i).count())).sum()


CASES = {
    "range": lambda: sk.range(0, 10).map(lambda i, _: i % 5).sum(),
    "nest": lambda: (lambda inner: sk.range(0, 9).map(lambda i, _: inner.map(lambda j, _: j % 5).sum()).sum())(
        sk.range(9)
    ),
    "product_of_three": lambda: (lambda a, b, c: (a * b * c).sum())(*vectors(3)),
    "filter_under_product": lambda: (lambda a, b: (a.filter(lambda k, v: v > 0.3) * b).sum())(*vectors(2)),
    "union": lambda: (lambda a, b: (a + b).sum())(*vectors(2)),
    "difference": lambda: (lambda a, b: a.without(b).sum())(*vectors(2)),
    "branches": lambda: vectors(1)[0].map(lambda k, v: v * 2 if k % 3 == 0 and v > 0.5 else -v).sum(),
    "collect_product": lambda: (lambda a, b: (a * b).collect())(*vectors(2)),
    "collect_nested": lambda: (lambda g: (g * g).collect())(graph()),
    "triangle": triangle,
    "captured": lambda: (lambda factor: vectors(1)[0].map(lambda k, v: v * factor).sum())(2.5),
    "memo_inside": lambda: (lambda a: sk.range(0, 3).map(lambda i, _: (a * sk.range(i, 9)).memo().sum()).sum())(
        vectors(1)[0]
    ),
    "any": lambda: (lambda a, b: (a * b).any())(*vectors(2)),
    "product_of_bitmaps": lambda: (sk.Bitmap([1, 40]).stream() * sk.Bitmap([2, 40]).stream()).map(lambda k, v: k).sum(),
    "slice": lambda: vectors(1)[0][1:3].sum(),
}


def emitted(name):
    return sk.compile(CASES[name]).source


@pytest.mark.parametrize("name", CASES)
def test_kernels_are_as_they_were(name):
    """A changed kernel is seen before it ships. To accept: delete tests/kernels/NAME.txt and run this again."""
    path = GOLDEN / f"{name}.txt"
    source = emitted(name)
    if not path.exists() and not os.environ.get("CI"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(source)
    assert source == path.read_text()


@pytest.mark.parametrize("name", CASES)
def test_the_same_expression_emits_the_same_source(name):
    assert emitted(name) == emitted(name)


def test_names_come_from_what_they_hold():
    source = emitted("product_of_three")
    assert "a_keys" in source and "b_at" in source and "c_values" in source and "total" in source


def test_emitted_source_is_registered_for_debuggers():
    source = emitted("union")
    assert any("".join(entry[2]) == source for entry in linecache.cache.values() if len(entry) == 4)


def test_a_three_way_product_stays_short():
    assert len(emitted("product_of_three").splitlines()) < 30


class TestVerifier:
    def make(self):
        tracer = Tracer(kernel_returns)
        return tracer, tracer.symbol("int", "x"), tracer.symbol("bool", "c")

    def refuses(self, *nodes, results=(), arguments=()):
        with pytest.raises(Malformed):
            verify(Program(arguments=[(a, None) for a in arguments], body=list(nodes), results=list(results)))

    def test_real_programs_pass(self):
        for case in CASES.values():
            verify(trace(case)[0])

    def test_undefined_symbols(self):
        _, x, _ = self.make()
        self.refuses(results=[x])

    def test_double_definitions(self):
        _, x, _ = self.make()
        self.refuses(Let(x, "+", (1, 2)), Let(x, "+", (1, 2)))

    def test_wrong_kinds(self):
        tracer, x, _ = self.make()
        self.refuses(Let(x, "+", (1, 2.5)))
        self.refuses(Assign((x,), (2.5,)))
        self.refuses(If(x, [], []), arguments=[x])
        buffer = TracedBuffer(tracer.symbol("int[]", "b"), tracer.symbol("int", "n"), 0, tracer)
        with pytest.raises(Malformed):
            verify(Program(buffers=[buffer], body=[Append(buffer, 2.5)]))
        self.refuses(Fetch(x, 0), arguments=[x])
        self.refuses(Fetch(buffer.array, 2.5), arguments=[buffer.array])

    def test_definitions_do_not_leak_out_of_an_arm(self):
        _, x, c = self.make()
        self.refuses(If(c, [Let(x, "+", (1, 2))], []), results=[x], arguments=[c])

    def test_loops_can_be_left(self):
        self.refuses(Loop([]))
        self.refuses(Stay(True))


class TestTracing:
    def test_a_fact_decides_what_follows_from_it(self):
        tracer = Tracer(kernel_returns)
        with read_by(tracer):
            a, b = tracer.symbol("bool", "a"), tracer.symbol("bool", "b")
            both = a & b
            seen = []

            def inside():
                seen.extend([tracer.known(a), tracer.known(b), tracer.known(tracer.no(a))])
                return 1

            tracer.select(both, inside, lambda: 2)
        assert seen[:2] == [True, True]

    def test_the_same_operation_is_recorded_once(self):
        tracer = Tracer(kernel_returns)
        x = tracer.symbol("int", "x")
        assert (x + 1) is (x + 1) and len(tracer.program.body) == 1

    def test_printing_respects_precedence(self):
        values = {1: 3, 2: -4, 5: 7}
        s = sk.stream(values)
        for f in (
            lambda k, v: (k - v) - (v - k) - 1,
            lambda k, v: k - (v - (k - v)),
            lambda k, v: (k + v) * (k - v) // (k * 2) % 5,
            lambda k, v: -(k + v) * -v,
            lambda k, v: ((k > v) == (v > 2)) + (k == v),
            lambda k, v: (k & 3) + (v | 4) ^ (k >> 1),
            lambda k, v: 7 - (k % (v % 3 + 1)),
            lambda k, v: 2.0 ** (v / 3) ** 2.0,
            lambda k, v: (v / 2) ** -1.0 if v > 0 else -(v**2),
        ):
            assert s.map(f).collect() == pytest.approx({k: f(k, v) for k, v in values.items()})

    def test_special_floats(self):
        inf, nan = float("inf"), float("nan")
        s = sk.stream({1: 2.0})
        assert s.map(lambda k, v: v * inf).sum() == inf
        assert s.map(lambda k, v: min(v, -inf)).sum() == -inf
        assert np.isnan(s.map(lambda k, v: v * nan).sum())

    def test_render_can_be_repeated(self):
        program, _ = trace(CASES["captured"])
        assert render(program, False).source == render(program, False).source
        assert "2.5" in render(program, True).source and "factor" in render(program, False).source
