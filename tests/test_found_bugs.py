"""Every bug that was found, by name. Most of them in one campaign against the young library."""

import copy
import math
import os
import pickle
import subprocess
import sys
import types
from importlib import import_module
from itertools import permutations

import numpy as np
import pytest

import skipstone as sk
from skipstone import errors
from skipstone.engines.interpreted import interpreted

S = {1: 1, 2: 2, 3: 4}
NAN, INF = float("nan"), math.inf


class TestCapturedNumbers:
    def test_a_float_after_two_integers_was_truncated(self):
        s = sk.stream({1: 1.5, 2: 2.5, 3: 4.0})

        def total(c):
            return s.map(lambda k, v: v * c).sum()

        assert [total(c) for c in (2, 3, 2.5, 0.5)] == [16.0, 24.0, 20.0, 4.0]

    def test_functions_of_one_code_shared_their_defaults(self):
        double, triple = (lambda k, v, c=c: v * c for c in (2, 3))
        assert sk.stream(S).map(lambda k, v: (double(k, v), triple(k, v))).collect()[3] == (8, 12)

    def test_a_sum_of_maps_kept_the_first_numbers(self):
        def run(numbers):
            return sum(sk.stream(S).map(lambda k, v, c=c: v * c) for c in numbers).collect()

        assert run((2, 3, 4)) == {1: 9, 2: 18, 3: 36} and run((2, 30, 4)) == {1: 36, 2: 72, 3: 144}

    def test_a_variable_assigned_to_while_tracing(self):
        t = sk.stream({1: {1: 1, 2: 2}, 2: {5: 5}})

        def run(numbers):
            def g(i, row):
                total = 0
                for c in numbers:
                    total = total + row.map(lambda j, v: v * c).sum()
                return total

            return t.map(g).collect()

        assert run((2, 3)) == {1: 15, 2: 25} and run((2, 5)) == {1: 21, 2: 35}


class TestKernels:
    def test_functions_of_the_same_name_were_confused(self):
        def make(floor):
            def f(v):
                n = 0
                while n < 1:
                    n += 1
                return floor(v / 2)

            return sk.kernel(f)

        by_numpy, by_math = make(np.floor), make(math.floor)
        s = sk.stream({1: 5})
        assert isinstance(s.map(lambda k, v: by_numpy(v)).collect()[1], float)
        assert isinstance(s.map(lambda k, v: by_math(v)).collect()[1], int)

    def test_a_failing_kernel_kept_its_memory(self):
        import resource

        values = np.ones(1_000_000, np.int64)
        values[-1] = 2**62
        failing = sk.stream(values).map(lambda k, v: v * 4)

        def fail(times):
            for _ in range(times):
                with pytest.raises(errors.IntegerOverflow):
                    failing.collect(into=sk.Sorted)
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

        before = fail(4)
        assert fail(40) - before < 200_000  # kilobytes; it was 15,000 for each failure

    def test_functions_over_different_arrays_were_confused(self):
        def look(array):
            return sk.range(3).map(lambda k, v: array[k]).collect()

        assert look(np.array([1, 2, 3])) == {0: 1, 1: 2, 2: 3}
        assert look(np.array([7, 8, 9])) == {0: 7, 1: 8, 2: 9}

    def test_an_array_was_read_beyond_its_end(self):
        array = np.array([1, 2, 3])
        with pytest.raises(IndexError):
            sk.range(6).map(lambda k, v: array[k]).collect()

    def test_a_changed_global_was_not_seen(self):
        scope = {"n": 3}
        exec("def f(k, v):\n    t = 0\n    for _ in range(v): t += n\n    return t\n", scope)
        assert sk.stream(S).map(scope["f"]).sum() == 21
        scope["n"] = 10
        assert sk.stream(S).map(scope["f"]).sum() == 70

    @pytest.mark.parametrize("name", ["add", "max", "np", "grow", "fused", "multiply", "a_keys", "total"])
    def test_a_kernel_named_like_one_of_ours(self, name):
        scope = {}
        exec(f"def {name}(a, b):\n    t = 0\n    for _ in range(b): t += 100\n    return t\n", scope)
        marked = sk.kernel(scope[name])
        assert sk.stream(S).map(lambda k, v: marked(k, v)).sum() == 700

    def test_a_loop_with_a_default_argument(self):
        def loop(k, v, n=5):
            t = 0
            for _ in range(v):
                t += n
            return t

        assert sk.stream(S).map(loop).sum() == 35

    def test_a_helper_that_loops(self):
        def helper(x):
            t = 0
            for _ in range(x):
                t += 2
            return t

        assert sk.stream(S).map(lambda k, v: helper(v) + math.sqrt(4)).sum() == 20.0

    def test_built_in_functions(self):
        wanted = sum(math.atan2(k, v) for k, v in S.items())
        assert math.isclose(sk.stream(S).map(math.atan2).sum(), wanted)
        assert math.isclose(sk.stream(S).map(np.hypot).sum(), sum(math.hypot(k, v) for k, v in S.items()))


class TestFunctions:
    def test_a_bare_except_swallowed_the_fork(self):
        def f(k, v):
            try:
                if v > 1:
                    return 1
                return 2
            except:  # noqa: E722
                return 3

        assert sk.stream({1: 0, 2: 5}).map(f).collect() == {1: 2, 2: 1}

    def test_a_handler_that_would_never_run_is_refused(self):
        def f(k, v):
            try:
                return k // v
            except ZeroDivisionError:
                return -99

        with pytest.raises(errors.Untraceable, match="handles exceptions"):
            sk.stream({1: 0, 2: 5}).map(f).collect()

    def test_a_boolean_met_a_float(self, engine):
        assert sk.stream(S).map(lambda k, v: (k > v) if k > 2 else 2.5).collect() == {1: 2.5, 2: 2.5, 3: 0.0}
        assert sk.stream(S).map(lambda k, v: max(v > 1, 0.5)).collect() == {1: 0.5, 2: 1.0, 3: 1.0}

    def test_a_closure_that_differs_between_branches(self, engine):
        def f(i, row):
            m = max(i, 3)
            return row.map(lambda j, v: v * m)

        assert sk.stream({1: {1: 1}, 5: {2: 2}}).map(f).collect() == {1: {1: 3}, 5: {2: 10}}

    def test_a_union_over_rows_whose_functions_hold_the_outer_key(self, engine):
        a = sk.stream({0: {0: 5, 1: 2}, 2: {3: -1}}).map(lambda i, row: row.map(lambda j, v: v * i - j))
        b = sk.stream({1: {3: -7}, 2: {3: 1}}).map(lambda i, row: row.filter(lambda j, v: v > i - 9))
        assert (a + b).collect() == {0: {0: 0, 1: -1}, 1: {3: -7}, 2: {3: -4}}

    def test_the_same_function_of_two_streams_with_the_same_leaves(self, engine):
        t = sk.stream({0: {1: 1, 2: 2}, 3: {0: 5}})

        def g(i, row):
            total, big = (lambda x: x.sum()), (lambda j, v: v > 1)
            return sk.apply(total, row.map(big)) + 100 * sk.apply(total, row.filter(big))

        assert t.map(g).collect() == {0: 201, 3: 501}

    def test_functions_of_the_wrong_kind_are_told_when_given(self):
        s = sk.stream(S)
        for action in (
            lambda: s.map(lambda v: v),
            lambda: s.map(None),
            lambda: s.filter(5),
            lambda: s.fold(lambda a: a, 0),
            lambda: s.map_keys("x"),
            lambda: sk.zip_with(s, s),
            lambda: sk.function(None),
            lambda: sk.predicate(lambda a, b: a),
            lambda: sk.kernel(5),
        ):
            with pytest.raises(errors.WrongFunction):
                action()

    def test_results_that_cannot_be_stored(self):
        for result in ("a", {1: 2}, (), None, [1], np.arange(2)):
            with pytest.raises(errors.SkipstoneError):
                sk.stream(S).map(lambda k, v, r=result: r).collect()

    def test_a_filter_that_says_neither_yes_nor_no(self, engine):
        for result in (None, "x", (1, 2)):
            with pytest.raises(errors.SkipstoneError):
                sk.stream(S).filter(lambda k, v, r=result: r).collect()


class TestNumbers:
    def test_numpy_integers_were_taken_for_floats(self, engine):
        assert sk.singleton(np.int64(3), np.int64(2**60 + 1)).collect() == {3: 2**60 + 1}
        assert sk.range(np.int64(1), np.int64(5)).sum() == 10
        assert sk.stream(S).fold(lambda a, k, v: a + v, np.int64(0)) == 7
        assert sk.stream(S)[np.int64(2) :].collect() == {2: 2, 3: 4}

    def test_constants_beyond_int64(self):
        e = sk.stream({-1: 2, 2**63 - 1: 4})
        assert e[2**63 :].collect() == {} and e[: 10**30].collect() == {-1: 2, 2**63 - 1: 4} and e.get(2**63 - 1) == 4
        for action in (e.map(lambda k, v: v + 2**63).collect, sk.singleton(2**63, 1).collect):
            with pytest.raises(errors.SkipstoneError):
                action()

    def test_the_smallest_number_divided_by_minus_one(self, engine):
        for f in (lambda k, v: v // -1, lambda k, v: v // (k - 2), lambda k, v: math.floor(v * 1e300)):
            with pytest.raises(OverflowError):
                sk.stream({1: -(2**63)}).map(f).sum()

    def test_shifts_and_powers(self, engine):
        assert sk.stream(S).map(lambda k, v: v << 3).sum() == 56
        assert sk.stream(S).map(lambda k, v: v >> (v + 100)).sum() == 0
        assert sk.stream(S).map(lambda k, v: (v + 1) ** -1).collect() == {1: 0.5, 2: 1 / 3, 3: 0.2}
        with pytest.raises(OverflowError):
            sk.stream({1: 2**60}).map(lambda k, v: v << 8).sum()

    def test_shifts_by_what_is_only_known_at_run_time(self):
        s = sk.stream({1: 5, 3: -2})
        for f in (lambda k, v: 1 << (k * 30), lambda k, v: v << k, lambda k, v: ~(v > 0)):
            with pytest.raises(errors.UnsupportedValue):
                s.map(f).collect()
        with pytest.raises(ValueError, match="negative shift"):
            s.map(lambda k, v: 5 >> v).collect()
        assert s.map(lambda k, v: ~v).collect() == {1: -6, 3: 1}

    def test_nan_in_a_maximum(self):
        for values in ({1: NAN, 2: 5.0, 3: 2.0}, {1: 1.0, 2: NAN}, {1: 3.0, 2: NAN, 3: 1.0}):
            with sk.engine("interpreted"):
                wanted = sk.stream(values).max(), sk.stream(values).min()
            assert repr((sk.stream(values).max(), sk.stream(values).min())) == repr(wanted)

    def test_nan_is_no_key_and_no_bound(self, engine):
        s = sk.stream({-1.5: 1, 0.0: 2})
        for action in (
            lambda: s[NAN:].collect(),
            lambda: s.get(NAN),
            lambda: sk.singleton(NAN),
            lambda: s.map_keys(lambda k: k * NAN).collect(),
        ):
            with pytest.raises(errors.NotAKey):
                action()


class TestBounds:
    def test_float_bounds_on_integer_keys(self, engine):
        assert sk.range(0, 5)[0.5:].collect() == {1: 1, 2: 2, 3: 3, 4: 4}
        assert sk.stream([10, 20, 30])[0.5:].collect() == {1: 20, 2: 30}
        assert sk.stream(S)[-INF:2.5].collect() == {1: 1, 2: 2} and sk.stream(S)[INF:].collect() == {}
        assert sk.range(0, 5).get(0.5) is None and sk.stream([10, 20, 30]).get(1.0) == 20
        with pytest.raises(errors.MixedKeys):
            sk.range(0, 5) * sk.singleton(0.5, 1)

    def test_infinity_as_a_key_and_as_a_bound(self, engine):
        s = sk.stream({INF: 1, -INF: 2, 0.0: 3})
        assert s[:INF].collect() == {-INF: 2, 0.0: 3} and s[INF:].collect() == {INF: 1}
        assert s[-(10**400) : 10**400].collect() == {-INF: 2, 0.0: 3}

    def test_an_inverse_that_rounds_down_stood_still(self, engine):
        s = sk.stream({1: 5, 3: -2, 4: 0})
        odd = s.map_keys(lambda k: 2 * k + 1, increasing=True, inverse=lambda k: (k - 1) // 2)
        assert odd[4:10].collect() == {7: -2, 9: 0} and odd[3.5:9.5].collect() == {7: -2, 9: 0}
        sk.laws.check(odd)

    def test_another_slice_of_the_same_stream_was_another_kernel(self):
        s = sk.stream(S)
        assert s[1:2].compile().source == s[2:9].compile().source

    def test_membership(self, engine):
        s = sk.stream(S)
        assert 1 in s and 7 not in s
        assert sk.range(0, 5).filter(lambda k, v: k in s).collect() == {1: 1, 2: 2, 3: 3}


class TestCombining:
    def test_predicates_multiplied_with_each_other_stopped_filtering(self, engine):
        above, below = sk.predicate(lambda k: k > 1), sk.predicate(lambda k: k < 9)
        assert (above * below * sk.range(4)).collect() == {2: 2, 3: 3}
        assert (above * 2 * sk.range(4)).collect() == {2: 4, 3: 6} == (sk.range(4) * (2 * above)).collect()
        assert (sk.function(lambda k: k) * above * sk.range(4)).collect() == {2: 4, 3: 9}

    def test_a_union_of_unordered_rows_lost_keys(self, engine):
        t = sk.stream({1: {1: 1, 2: 2}}).map(lambda i, row: row.map_keys(lambda j: -j))
        with pytest.raises(errors.UnorderedProduct):
            (t + sk.stream({1: {-2: 10}})).collect()

    def test_things_that_are_no_streams(self):
        s = sk.stream(S)
        for action in (
            lambda: s.without({0}),
            lambda: sk.zip_with(lambda x, y: x, s, {1: 2}),
            lambda: sk.chain(s, {}),
            lambda: sk.chain(),
            lambda: s * {1: 2},
            lambda: s * np.arange(3),
            lambda: np.arange(3) * s,
            lambda: s * sk.Sorted([1]),
        ):
            with pytest.raises(errors.NotACollection):
                action()

    def test_different_depths_and_shapes_cannot_be_added(self, engine):
        for a, b in (({1: {2: 3}}, {1: 5}), ({0: (1, 2)}, {0: (1, 2, 3)})):
            with pytest.raises(errors.SkipstoneError):
                (sk.stream(a) + sk.stream(b)).collect()

    def test_the_sum_of_tuples_none_of_which_is_there(self):
        s = sk.stream({0: 1}).filter(lambda k, v: v > 100).map(lambda k, v: (v, k))
        assert s.sum() == (0, 0)

    def test_values_of_different_shapes_lost_components(self):
        rows = sk.stream({0: {1: 2}, 3: {}}).map(lambda k, r: r.map(lambda j, v: (v, j)).sum())
        assert rows.collect() == {0: (2, 1), 3: (0, 0)}
        with sk.engine("interpreted"), pytest.raises(errors.UnsupportedValue):
            rows.collect()

    def test_a_lookup_in_a_dict_is_told_how_to_be_one(self):
        table = {1: 2}
        with pytest.raises(errors.Untraceable, match=r"sk\.stream\(d\)|dict or set"):
            sk.stream(S).map(lambda k, v: table.get(v, 3)).sum()

    def test_a_value_out_of_a_nested_stream(self, engine):
        t = sk.stream({1: {2: 3}, 4: {5: 6}})
        assert dict(t.get(4)) == {5: 6} and t.get(2) is None


class TestStorage:
    def test_a_mapping_given_to_sorted_lost_its_values(self):
        assert sk.Sorted({1: 2, 3: 4}) == {1: 2, 3: 4} and sk.Trie({1: {2: 3}}) == {1: {2: 3}}

    def test_values_with_too_many_dimensions(self):
        for action in (
            lambda: sk.stream({1: [5]}),
            lambda: sk.Sorted([1, 2, 3, 4], np.ones((2, 2))),
            lambda: sk.Dense(5),
            lambda: sk.stream([[1], [1, 2]]),
            lambda: sk.singleton(1, [1]),
            lambda: sk.repeat("a"),
        ):
            with pytest.raises(errors.UnsupportedValue):
                action()

    def test_a_dense_level_without_values_made_up_keys(self):
        assert sk.Trie.from_columns([[0, 3]], formats=["dense"]).stream().sum() == 2

    def test_floats_collected_into_integers_were_truncated(self):
        with pytest.raises(errors.BadOption):
            sk.stream({0: 0.5}).collect(into=np.zeros(2, int))

    def test_unsuitable_destinations(self):
        s, t = sk.stream(S), sk.stream({1: {2: 3}})
        for action in (
            lambda: s.collect(into=[]),
            lambda: s.collect(into=sk.Sorted([1])),
            lambda: s.collect(into=np.array(3)),
            lambda: t.collect(into=np.zeros(5)),
            lambda: t.collect(into={1: 1}),
            lambda: s.map(lambda k, v: (k, v)).collect(into=np.zeros(9)),
            lambda: t.map(lambda i, row: row.collect()).sum(),
        ):
            with pytest.raises(errors.SkipstoneError):
                action()
        assert s.collect(into={9}) == {1, 2, 3, 9}

    def test_an_error_in_a_users_generator_was_hidden(self):
        def broken():
            yield 1, 2
            raise ValueError("the disk is full")

        with pytest.raises(ValueError, match="the disk is full"):
            sk.stream(broken()).sum()

    def test_compiling_something_that_is_no_result(self):
        for result in (None, "a", {1: 2}):
            with pytest.raises(errors.UnsupportedValue):
                sk.compile(lambda r=result: r)


class TestKernelsFoundAgain:
    """A kernel is found by what its loops depend on; where that left something out, another query's answer came."""

    a, b, c, d = sk.axes("a b c d")
    edges = sk.table({"x": [1, 1, 2, 3], "y": [2, 3, 3, 1]})

    def test_a_table_walked_in_two_orders_after_one_walked_twice_in_the_same(self):
        a, b, t = self.a, self.b, self.edges
        assert sk.sum(t[a, b] * t[a, b]).collect() == 4
        assert sk.sum(t[a, b] * t[b, a]).collect() == 2

    def test_a_class_that_changes_under_a_function(self):
        class Settings:
            rate = 2

        e = sk.sum(self.edges[self.a, self.b].map(lambda v: v * Settings.rate))
        assert e.collect() == 8
        Settings.rate = 3
        assert e.collect() == 12

    def test_a_module_that_changes_under_a_function(self):
        settings = types.ModuleType("settings")
        settings.rate = 2
        e = sk.sum(self.edges[self.a, self.b].map(lambda v: v * settings.rate))
        assert e.collect() == 8
        settings.rate = 3
        assert e.collect() == 12

    def test_an_object_that_changes_and_is_called(self):
        class Times:
            rate = 2

            def __call__(self, v):
                return v * self.rate

        times = Times()
        e = sk.sum(self.edges[self.a, self.b].map(times))
        assert e.collect() == 8
        times.rate = 3
        assert e.collect() == 12

    def test_helpers_that_come_twice_in_another_order(self):
        def run(p, q, r):
            return sk.sum(self.edges[self.a, self.b].map(lambda v: p(v) * 100 + q(v) * 10 + r(v))).collect()

        def one(v):
            return v + 1

        def two(v):
            return v + 2

        assert (run(one, two, one), run(one, two, two)) == (4 * 232, 4 * 233)

    def test_semirings_whose_elements_are_equal_and_of_other_types(self):
        plus, times = sk.plus_times.plus, sk.plus_times.times
        whole, real = (sk.Semiring("same", plus, times, zero, zero + 1) for zero in (0, 0.0))
        found = [sk.sum(self.edges[self.a, self.b], semiring=s).collect() for s in (whole, real)]
        assert found == [4, 4] and [type(x) for x in found] == [int, float]


class TestPlaces:
    """An array with a place for each key, and keys beyond it. Compiled code wrote over what lay there."""

    def four_cycle(self, largest):
        a, b, c, d = sk.axes("a b c d")
        few = sk.table({"x": [0, 1, 2, 3], "y": [1, 2, 3, 0]})
        far = sk.table({"x": [0, 1, 2, largest], "y": [1, 2, 3, 0]})
        return (a, c), [few[a, b] * few[b, c] * far[c, d] * few[d, a], few[a, b] * few[b, c] * few[c, d] * far[a, d]]

    def test_a_part_summed_within_loops_has_keys_that_these_have_not(self, engine, monkeypatch):
        cut, products = self.four_cycle(60_000)
        run = import_module("skipstone.plan.run")
        monkeypatch.setattr(run, "cut_within", lambda term, head, semiring: cut)
        expected = [sk.sum(product).collect(memo=False) for product in products]
        assert [sk.sum(product).collect() for product in products] == expected

    def test_a_run_kept_for_two_axes_is_asked_for_keys_of_both(self, engine, monkeypatch):
        monkeypatch.setattr(import_module("skipstone.plan.hoist"), "USES", 0)
        a, b, c, d = sk.axes("a b c d")
        e = sk.table({"x": [0, 0, 1, 1, 2], "y": [1, 2, 0, 2, 1]})
        far = sk.table({"x": [0, 1, 2, 1], "y": [60_000, 50_000, 2, 2]})
        product = e[a, b] * e[a, c] * e[a, d] * e[b, c] * far[b, d] * e[c, d]
        found, expected = sk.sum(product).collect(order=[a, b, c, d]), sk.sum(product).collect(memo=False)
        assert found == expected

    def test_what_is_kept_last_and_met_with_a_run_that_hangs_on_nothing(self, engine, monkeypatch):
        monkeypatch.setattr(import_module("skipstone.plan.hoist"), "USES", 0)
        a, b, c, d = sk.axes("a b c d")
        one = sk.table({"x": [40], "y": [40], "z": [0]})
        two = sk.table({"x": [40, 3, 40], "y": [40, 310, 3], "z": [0, 40, 40]})
        product = one[a, b, c] * two[b, a, d] * sk.table({"x": [40]})[a]
        for order in permutations([a, b, c, d]):
            assert product.collect(order=order).to_dict() == {(40, 40, 0, 0): 1}


class TestValuesAtEveryKey:
    """What is kept before all loops has a value at each key, zero where there is none. No bug, but a trap."""

    def step(self, weights, values, **semiring):
        a, b = sk.axes("a b")
        n = len(values)
        edges = {"a": np.repeat(np.arange(4), n), "b": np.tile(np.arange(n) + 1, 4), "w": np.resize(weights, 4 * n)}
        there = [(key, value) for key, value in enumerate(values, 1) if value is not None]
        kept = sk.table({"b": [k for k, _ in there], "v": np.array([v for _, v in there])}, value="v")
        query = (sk.table(edges, value="w")[a, b] * kept[b]).sum(b, **semiring)
        assert "kept before all loops" in str(query.explain(order=[a, b]))
        return query.collect(order=[a, b]).to_dict()

    def test_infinity_times_nothing_is_nothing(self, engine, monkeypatch):
        monkeypatch.setattr(import_module("skipstone.plan.hoist"), "USES", 0)
        weights = np.array([1.0, np.inf, 2.0])
        assert self.step(weights, [0.5, None, 4.0]) == dict.fromkeys(range(4), 8.5)

    @pytest.mark.parametrize("semiring", ["min_plus", "max_plus"])
    def test_nothing_is_neither_the_least_nor_the_largest(self, engine, monkeypatch, semiring):
        monkeypatch.setattr(import_module("skipstone.plan.hoist"), "USES", 0)
        sign = 1 if semiring == "min_plus" else -1
        found = self.step(np.array([0, 0, 0]), [sign * 5, None, sign * 7], semiring=semiring)
        assert found == dict.fromkeys(range(4), sign * 5)

    def test_rows_without_anything_are_not_there(self, engine, monkeypatch):
        monkeypatch.setattr(import_module("skipstone.plan.hoist"), "USES", 0)
        a, b = sk.axes("a b")
        edges = sk.table({"a": [0, 0, 1, 1, 2, 2], "b": [0, 1, 2, 3, 0, 2]})
        kept = sk.table({"b": [0, 1], "v": [3, 0]}, value="v")
        query = (edges[a, b] * kept[b]).sum(b)
        assert query.collect(order=[a, b]).to_dict() == {0: 3, 2: 3}

    def test_sums_that_do_not_fit_are_refused(self, engine, monkeypatch):
        monkeypatch.setattr(import_module("skipstone.plan.hoist"), "USES", 0)
        with pytest.raises(sk.errors.IntegerOverflow):
            self.step(np.array([1, 1, 1]), [2**62, None, 2**62])

    def test_what_is_kept_may_be_where_something_else_is_begun(self, engine, monkeypatch):
        monkeypatch.setattr(import_module("skipstone.plan.hoist"), "USES", 0)
        a, b, x = sk.axes("a b x")
        kept = sk.table({"a": [1, 2], "v": [2, 3]}, value="v")
        wide = sk.table({"x": [1, 1, 2, 2], "a": [1, 2, 1, 3], "v": [1, 2, 3, 4]}, value="v")
        query = (kept[a] * wide[x, a] * wide[b, a]).sum(a)
        assert query.collect(order=[b, x, a]).to_dict() == {(1, 1): 14, (1, 2): 6, (2, 1): 6, (2, 2): 18}
        assert sk.einsum("a,Xa,ab", kept, wide, sk.table({"a": [1], "b": [1], "v": [2]}, value="v")).size == 2

    def test_twice_a_kept_sum_is_refused_where_it_does_not_fit(self, engine):
        a, b, c = sk.axes("a b c")
        t = sk.table({"x": [0, 1, 1], "y": [1, 1, 0], "v": [2**31, 2**31, 1]}, value="v")
        doubled = (t[a, b] * t[b, c]).sum(b).map(lambda v: v + v)
        with pytest.raises(sk.errors.IntegerOverflow):
            doubled.sum().collect()


class TestPartsWithFunctions:
    def test_a_part_was_summed_for_rows_that_never_meet_the_rest(self, engine, monkeypatch):
        """TPC-H Q5 took six times as long: all line items were summed, for the few of one region and year."""
        monkeypatch.setattr(import_module("skipstone.plan.within"), "STEPS", 1)
        a, b, c = sk.axes("a b c")
        n = np.arange(6000)
        large = sk.table({"a": n, "b": n % 7, "v": n * 0.5}, value="v")
        few = sk.table({"a": [3, 70], "c": [1, 2]})
        query = (large[a, b].map(lambda v: v + 1) * few[a, c]).sum(a, b)
        assert "summed first" not in str(query.explain())
        assert query.collect().to_dict() == {1: 2.5, 2: 36.0}


class TestSumsInSemirings:
    def test_any_stopped_at_the_first_row_and_not_at_the_first_truth(self, engine):
        a, b = sk.axes("a b")
        t = sk.table({"x": [1, 1, 2], "y": [1, 2, 1], "v": [False, True, False]}, value="v")
        assert t[a, b].sum(b, semiring="or_and").collect().to_dict() == {1: True, 2: False}
        assert sk.sum(t[a, b], semiring="or_and").collect() is True

    def test_a_pinned_order_added_what_is_to_be_the_least(self, engine):
        a, b, c = sk.axes("a b c")
        t = sk.table({"x": [-1, -1, 5, 7], "y": [5, 7, -2, -2], "v": [1, 2, 3, 4]}, value="v")
        paths = (t[a, b] * t[b, c]).sum(b, semiring="min_plus")
        assert paths.collect(order=[b, a, c]).to_dict() == paths.collect().to_dict() == {(-1, -2): 4}

    @pytest.mark.parametrize("last", [2**63 - 1, INF])
    def test_threads_lost_the_largest_key_of_all(self, last, monkeypatch):
        monkeypatch.setattr(import_module("skipstone.plan.run"), "wanted", lambda steps, before: 8)
        a = sk.axes("a")
        t = sk.table({"x": [type(last)(1), type(last)(2), last], "v": [1, 2, 4]}, value="v")
        with sk.options(threads=2):
            assert sk.sum(t[a]).collect() == 7


def test_places_for_keys_together_where_a_table_is_empty():
    """No places for one axis times an unknown number for another made none, which was taken for few enough."""
    a, b, c = sk.axes("a b c")
    far = np.array([-1, 2**40, -(2**62)])
    e, none = sk.table({"s": far, "d": far[::-1]}), sk.table({"s": far[:0], "d": far[:0]})
    for one, two in ((e, none), (none, e), (none, none)):
        assert (one[a, b] * two[b, c] * ~e[c, a] * (a < c)).sum(b).collect().to_dict() == {}


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_a_dense_level_that_is_split_over_threads_has_places_without_rows(engine, monkeypatch):
    """Its places reached beyond those of another table, which was then read behind its end."""
    monkeypatch.setattr(import_module("skipstone.plan.run"), "wanted", lambda steps, before: 8)
    a, b, c = sk.axes("a b c")
    wide = sk.table({"a": [3, 2], "b": [3, 4], "c": [0, 3]})
    keys, narrow = sk.table({"a": [0, 1, 2, 3, 4]}), sk.table({"a": [3], "b": [3]})
    with sk.engine(engine), sk.options(threads=2):
        assert (wide[a, b, c] * keys[a] * narrow[a, b]).collect().to_dict() == {(3, 3, 0): 1}


class TestOtherProcesses:
    def test_a_table_can_be_sent_after_it_was_used(self):
        """Its sorted copies went along, with kernels whose invariants cannot be sent."""
        a, b = sk.axes("a b")
        t = sk.table({"a": [1, 2, 2], "b": [3, 4, 4], "v": [0.5, 1.0, 2.0]}, value="v", name="T")
        query = (t[a, b] * t[a, b]).sum(b)
        found = query.collect()
        sent, asked, answered = (pickle.loads(pickle.dumps(x)) for x in (t, query, found))
        assert repr(sent) == repr(t) and sent.to_dict() == t.to_dict() == {(1, 3): 0.5, (2, 4): 3.0}
        assert asked.collect().to_dict() == answered.to_dict() == found.to_dict()

    def test_tables_with_several_values_can_be_sent(self):
        t = sk.table({"a": [1], "v": [1], "w": [2.5]}, value=["v", "w"])
        for each in (t, t[sk.axes("a")].collect()):
            assert str(pickle.loads(pickle.dumps(each)).to_dict()) == "{1: Value(v=1, w=2.5)}"

    @pytest.mark.parametrize("make", [lambda: sk.Sorted([1, 3], [2.0, 4.0]), lambda: sk.stream({1: 2.0, 3: 4.0})])
    def test_sorted_arrays_can_be_sent_and_copied(self, make):
        for again in (pickle.loads(pickle.dumps(make())), copy.deepcopy(make())):
            assert dict(again if not isinstance(again, sk.Stream) else iter(again)) == {1: 2.0, 3: 4.0}


def test_results_keep_the_names_of_several_values():
    """They were called value_0 and value_1, but in dicts."""
    t, a = sk.table({"a": [1], "v": [1], "w": [2]}, value=["v", "w"]), sk.axes("a")
    assert list(t[a].collect().columns()) == ["a", "v", "w"]
    assert str(t[a].collect()).splitlines()[1].split() == ["a", "v", "w"]


def test_names_that_are_imported_late_are_among_the_others():
    assert set(sk.__all__) <= set(dir(sk))
    assert "The plan, drawn" in sk.table({"a": [1]})[sk.axes("a")].diagram.__doc__


class TestTimestamps:
    def test_nanoseconds_of_pandas_are_not_cut(self):
        """A key was not equal to itself, and larger."""
        pd, a = pytest.importorskip("pandas"), sk.axes("a")
        for zone in (None, "UTC", "Europe/Oslo"):
            key = pd.Timestamp("2021-01-01 05:00:00.000000001", tz=zone)
            t = sk.table({"a": pd.DatetimeIndex([key])})
            asked = ((t[a] * (a == key)).count(), (t[a] * (a > key)).count(), t[key].count())
            assert [query.collect() for query in asked] == [1, 0, 1]

    def test_not_a_time_is_refused_whoever_says_it(self):
        pd, a = pytest.importorskip("pandas"), sk.axes("a")
        t = sk.table({"a": [np.datetime64("2021-01-01T05:00")]})
        for none in (pd.NaT, np.datetime64("NaT")):
            with pytest.raises(sk.errors.NotAKey, match="NaT is compared"):
                (t[a] * (a == none)).collect()


@pytest.mark.parametrize("condition", ["[short(a)]", "[y == short(a)]", "[short(a) == 1]"])
def test_a_function_that_was_not_given_is_told_as_that(condition):
    """It was said not to stand in a condition, where it stood."""
    with pytest.raises(sk.errors.QueryError, match=r"there is no function or table called short") as told:
        sk.query(f"n(a) = T(a) * {condition}", T=sk.table({"a": ["x"]}))
    assert "Given are: T." in str(told.value)


@pytest.mark.parametrize("far", [-3, 200_000])
@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_keys_without_rows_are_no_keys_of_a_result(far, engine):
    """Loops came to the last row of T, found nothing, and left its key in the result, beyond all keys of its rows:
    marks for them were written beyond their array."""
    a, b, c, y = sk.axes("a b c y")
    t, u = sk.table({"a": [200, 700, far], "c": [0, 1, 2]}), sk.table({"c": [0, 0, 1], "b": [3, 4, 3]})
    names, v = sk.table({"y": np.repeat(np.arange(30), 2), "a": [200, 700] * 30}), sk.table({"b": [3, 4]})
    with sk.engine(engine):
        paths = (t[a, c] * u[c, b]).sum(c).collect(order=(a, b, c))
        query = (names[y, a] * paths[a, b] * v[b]).sum(a, b)
        assert "kept before all loops: T[a, b], along a" in str(query.explain(order=(y, a, b)))
        assert query.collect(order=(y, a, b)).to_dict() == dict.fromkeys(range(30), 3)
        assert paths.to_dict() == {(200, 3): 1, (200, 4): 1, (700, 3): 1}


def test_a_compiled_collect_becomes_what_was_asked_for():
    """`into` was not heeded inside of `sk.compile`: it was a Trie."""
    s = sk.stream({1: 2.0, 3: 4.0})
    for into, expected in ((list, [(1, 2.0), (3, 4.0)]), (dict, {1: 2.0, 3: 4.0}), (set, {1, 3})):
        kernel = sk.compile(lambda into=into: s.collect(into=into))
        assert type(kernel()) is into and kernel() == expected == s.collect(into=into)
    assert sk.compile(lambda: (s.sum(), s.collect(into=list)))() == (6.0, [(1, 2.0), (3, 4.0)])


def test_a_number_is_not_collected_into_what_does_not_exist():
    t, a = sk.table({"a": [1, 2]}), sk.axes("a")
    assert t[a].count().collect(into="pandas") == 2
    with pytest.raises(sk.errors.BadOption, match="into 'parquet'"):
        t[a].count().collect(into="parquet")


def test_a_stream_of_a_bitmap_is_shown_without_its_words():
    assert str(sk.Bitmap([3, 5]).stream()) == "Bits(<words: 1 × uint32>)"


@pytest.mark.parametrize("run", [interpreted, lambda consume: sk.compile(consume)()], ids=["interpreted", "compiled"])
def test_one_collection_may_be_returned_twice(run):
    """Its memory was given back twice."""
    s, old = sk.stream(np.arange(10_000)), {9: 5}

    def twice(into):
        found = s.collect(into=into)
        return found, found

    one, two = run(lambda: twice(sk.Sorted))
    assert one is two and len(one) == 10_000
    one, two = run(lambda: twice(old))
    assert one is two is old and old[9] == 14


FAILING = """
import numpy as np, skipstone as sk, sys
good, bad = np.ones(100_000, np.int64), np.ones(100_000, np.int64)
bad[-1] = 2**62
def found(values):
    return int(sk.stream(values).map(lambda k, v: v * 4).collect(np.ndarray).sum())
for _ in range(2):
    assert found(good) == 400_000
    try:
        found(bad)
    except sk.errors.IntegerOverflow:
        print("told")
"""


def test_a_kernel_from_disk_may_fail_after_it_has_run(tmp_path):
    """How many rows it had found before, was taken for addresses, and given back."""
    for _ in range(2):
        ran = subprocess.run(
            [sys.executable, "-c", FAILING],
            capture_output=True, text=True, env={**os.environ, "SKIPSTONE_CACHE_DIR": str(tmp_path)},
        )  # fmt: skip
        assert ran.returncode == 0 and ran.stdout.split() == ["told", "told"], ran.stderr


SHORT_OF_MEMORY = """
import resource, numpy as np, skipstone as sk
def found(values):
    return len(sk.stream(values).filter(lambda k, v: v >= 0).map(lambda k, v: v + 1).collect(sk.Sorted))
few, many = np.full(20_000, -1), np.zeros(20_000_000, np.int64)
few[:3] = 5
found(few)
kept = sk.stream(many).filter(lambda k, v: v >= 0).map(lambda k, v: v + 1).collect(sk.Sorted)
taken = int(open("/proc/self/statm").read().split()[0]) * 4096
resource.setrlimit(resource.RLIMIT_AS, (taken + 60_000_000,) * 2)
print(found(few), found(few))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_small_result_needs_no_room_for_the_large_one_before(tmp_path):
    """A kernel asked for as much memory as it had taken the last time, and failed for want of it, for ever. One from
    disk imported Numba to fail, for which there was no memory either: OpenBLAS then waits until there is some."""
    for _ in range(2):
        ran = subprocess.run(
            [sys.executable, "-c", SHORT_OF_MEMORY],
            capture_output=True, text=True, timeout=120, env={**os.environ, "SKIPSTONE_CACHE_DIR": str(tmp_path)},
        )  # fmt: skip
        assert ran.stdout.split() == ["3", "3"], ran.stderr


def test_sums_of_many_equal_rows_stay_exact():
    """They were added one after the other, by place, where NumPy adds sums of halves."""
    keys, values = np.arange(1_000_000) % 4, np.where(np.arange(1_000_000) < 4, 1e16, 1.0)
    a = sk.axes("a")
    found = sk.table({"a": keys, "v": values}, value="v")[a].collect().to_dict()
    assert all(abs(found[n] - 1e16 - 249_999) < 500 for n in range(4))


def one_in_a_hundred(large):
    """Two matrices, large in the even columns, and what stands beside their odd ones."""
    src, dst = np.divmod(np.unique(np.random.default_rng(0).integers(0, 2000**2, 40_000)), 2000)
    columns = {"i": src, "j": dst, "v": np.where(dst % 2 == 0, large, 3)}
    return (*(sk.table(columns, value="v", name=name) for name in "AB"), np.arange(1, 2000, 2))


@pytest.mark.parametrize("kind", [np.int64, np.uint32, np.uint8])
@pytest.mark.parametrize(
    ("semiring", "large", "found"), [(sk.plus_times, 2**40, 9 * 5), (sk.max_plus, 2**62, 3 + 3 + 5)]
)
def test_a_row_that_is_not_there_does_not_leave_int64(semiring, large, found, kind):
    """Values that are laid by place are read there or not: what the others come to was calculated for both."""
    i, j = sk.axes("i j")
    one, other, odd = one_in_a_hundred(large)
    beside = sk.table({"j": odd, "v": np.full(odd.size, 5, kind)}, value="v")
    rows = (one[i, j] * other[i, j] * beside[j]).sum(j, semiring=semiring)
    times = np.bincount(one.where(lambda codes: codes[1] % 2 == 1).codes[0])
    times = times if semiring is sk.plus_times else np.ones(2000, int)
    assert all(value == times[key] * found for key, value in rows.collect(order=[i, j]).to_dict().items())


@pytest.mark.parametrize("semiring", ["plus_times", "max_plus", "min_plus"])
@pytest.mark.parametrize("form", ["asked for", "a set", "a default"])
def test_nor_does_it_beside_sets_defaults_and_what_is_only_asked_for(semiring, form):
    """Only values in columns were counted among those that may leave int64, and sets have values of 1."""
    i, j = sk.axes("i j")
    one, other, odd = one_in_a_hundred(2**40 if form == "asked for" and semiring == "plus_times" else 2**63 - 1)
    five, rows = sk.table({"j": odd, "v": np.full(odd.size, 5)}, value="v"), one.as_set()
    query = {
        "asked for": lambda: one[i, j] * other[i, j] * ~~five[j],
        "a set": lambda: one[i, j] * rows[i, j] * five[j],
        "a default": lambda: one[i, j] * five[j] * rows[i, j].default(1),
    }[form]().sum(j, semiring=semiring)
    found = query.collect(order=[i, j]).to_dict()
    assert found == query.collect(order=[i, j], memo=False).to_dict() and len(found) > 1900


@pytest.mark.parametrize(("engine", "many", "nodes"), [("interpreted", 300, 900), ("compiled", 300, 900)])
def test_opposite_corners_of_a_cycle_are_asked_within_their_marks(engine, many, nodes):
    """A level that had places for the keys of other columns was walked over all of them, and marks were read behind
    their array: with a million nodes, that was a crash."""
    a, b, c, d = sk.axes("a b c d")
    top, low = np.arange(9), np.array([0, 2, 3])  # key 1 is missing: such a level has places
    left = np.append(np.sort(np.random.default_rng(0).choice(nodes - 1, many - 1, replace=False)), nodes - 1)
    right = np.arange(many // 10)

    def pairs(one, other):
        (x, xs), (y, ys) = one, other
        return sk.table({x: np.repeat(xs, ys.size), y: np.tile(ys, xs.size)})

    up, down = pairs(("a", top), ("b", left)), sk.table({"b": np.tile(left, 3), "c": np.repeat(low, many)})
    along, back = pairs(("a", top), ("d", right)), sk.table({"d": np.tile(right, 3), "c": np.repeat(low, right.size)})
    with sk.engine(engine):
        found = (up[a, b] * down[b, c] * along[a, d] * back[d, c]).sum(b, d).collect().to_dict()
    assert found == {(x, y): many * right.size for x in range(9) for y in (0, 2, 3)}


def test_places_for_the_keys_of_other_columns_are_not_walked():
    """Three keys were walked as 240,000, for each key outside: 720 million steps, where 9,000 were expected."""
    random, (a, b, c) = np.random.default_rng(0), sk.axes("a b c")
    wide = sk.table({"a": np.arange(3000), "b": random.integers(0, 40_000, 3000)})
    few = sk.table({"c": np.repeat([0, 2, 3], 5000), "b": random.integers(0, 40_000, 15_000)})
    query = (wide[a, b] * few[c, b]).sum(b)
    assert "→ c (9,000) →" in next(line for line in str(query.explain(order=(a, c, b))).splitlines() if "taken" in line)
    assert query.collect(order=(a, c, b)).to_dict() == query.collect().to_dict()


def test_the_largest_product_may_be_smaller_than_zero():
    """Whether it came out as 0 depended on the order of the loops."""
    i, j = sk.axes("i j")
    t = sk.table({"i": [0, 0, 1], "j": [0, 1, 1], "v": [2, 3, 4]}, value="v")
    below = sk.table({"j": [0, 1], "v": [-5, -7]}, value="v")
    query = (t[i, j] * below[j]).sum(j, semiring="max_times")
    assert all(query.collect(order=o).to_dict() == {0: -10, 1: -28} for o in ((i, j), (j, i)))
    assert below[j].sum(semiring="max_times").collect() == -5
