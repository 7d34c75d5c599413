"""Errors are part of the interface: what happened, where, the repair; never a Numba traceback."""

import traceback
from collections import Counter

import numpy as np
import pytest

import skipstone as sk
from skipstone import errors


def message(error, action):
    with pytest.raises(error) as caught:
        action()
    assert isinstance(caught.value, errors.SkipstoneError)
    shown = "".join(traceback.format_exception(caught.value))
    assert "numba/core" not in shown and "numba\\core" not in shown, shown
    return str(caught.value)


class TestKeys:
    def test_not_sorted(self):
        assert "key 1 stands after key 3 (position 1)" in message(
            errors.KeysNotSorted, lambda: sk.Sorted([3, 1], [1, 2])
        )

    def test_repeated(self):
        assert "key 2 stands twice (positions 1 and 2)" in message(errors.RepeatedKey, lambda: sk.Sorted([1, 2, 2]))

    def test_nan(self):
        assert "NaN is not a key (position 1)" in message(errors.NotAKey, lambda: sk.Sorted([1.0, np.nan]))
        message(errors.NotAKey, lambda: sk.stream({float("nan"): 1, 2.0: 3}))

    def test_none(self):
        assert "None" in message(errors.NotAKey, lambda: sk.stream({None: 1}))

    def test_strings(self):
        assert "enumerate(sorted(names))" in message(errors.NotAKey, lambda: sk.stream({"a": 1}))

    def test_mixed_types_in_one_collection(self):
        assert "int, str" in message(errors.MixedKeys, lambda: sk.stream({1: 1, "a": 2}))
        message(errors.MixedKeys, lambda: sk.stream({True: 1, 2: 2}))

    def test_mixed_types_in_a_product(self):
        text = message(errors.MixedKeys, lambda: sk.stream({1: 1}) * sk.stream({1.5: 1}))
        assert "float, int" in text and "map_keys" in text
        message(errors.MixedKeys, lambda: sk.stream({1: 1}) + sk.stream({1.5: 1}))

    def test_lengths(self):
        assert "2 values for 3 keys" in message(errors.LengthsDiffer, lambda: sk.Sorted([1, 2, 3], [1.0, 2.0]))

    def test_beyond_int64(self):
        message(errors.UnsupportedValue, lambda: sk.stream({1: 2**70}))
        message(errors.UnsupportedValue, lambda: sk.Sorted(np.array([2**63], np.uint64)))

    def test_iterator_out_of_order(self, engine):
        text = message(errors.KeysNotSorted, lambda: sk.stream(iter([(3, 1), (1, 1)])).sum())
        assert "1 came after 3" in text

    def test_a_dense_level_needs_small_integers(self):
        message(errors.BadOption, lambda: sk.Trie.from_columns([[-1], [2]], [1], formats=("dense", "compressed")))


class TestCollections:
    def test_unknown_source(self):
        assert "register" in message(errors.NotACollection, lambda: sk.stream(3.5))

    def test_unknown_destination(self):
        assert "update(key, modify)" in message(errors.NotACollection, lambda: sk.range(0, 3).collect(into=int))
        message(errors.NotACollection, lambda: sk.range(0, 3).collect(into="nowhere"))

    def test_values_of_different_depth(self):
        message(errors.UnsupportedValue, lambda: sk.stream({1: {2: 3}, 4: 5}))
        message(errors.UnsupportedValue, lambda: sk.stream({1: 5, 4: {2: 3}}))

    def test_values_that_are_no_numbers(self):
        message(errors.UnsupportedValue, lambda: sk.stream({1: "a"}))
        message(errors.UnsupportedValue, lambda: sk.stream({1: object()}))

    def test_values_of_different_shape(self):
        message(errors.UnsupportedValue, lambda: sk.stream({1: (1, 2), 2: (1, 2, 3)}))

    def test_unordered_streams_cannot_be_multiplied(self):
        a = sk.stream({1: 1, 2: 2})
        unordered = a.map_keys(lambda k: -k)
        for action in (
            lambda: unordered * a,
            lambda: a + unordered,
            lambda: a.without(unordered),
            lambda: unordered[1:],
            lambda: sk.zip_with(lambda x, y: x, a, unordered.map(lambda k, v: v)),
        ):
            assert ".memo()" in message(errors.UnorderedProduct, action)

    def test_implicit_streams_have_no_keys(self):
        assert "no keys of its own" in message(errors.ImplicitStream, lambda: sk.repeat(3).sum())
        message(errors.ImplicitStream, lambda: list(sk.function(lambda k: k)))

    def test_the_truth_of_a_stream_is_refused(self):
        with pytest.raises(TypeError, match="any"):
            bool(sk.range(0, 3))

    def test_numbers_cannot_be_added_to_streams(self):
        assert "map" in message(errors.BranchesDiffer, lambda: sk.range(0, 3) + 1)

    def test_bad_slices_seeks_formats_engines(self):
        message(errors.BadOption, lambda: sk.range(0, 3)[1])
        message(errors.BadOption, lambda: sk.range(0, 9)[1:5:2])
        message(errors.BadOption, lambda: sk.Sorted([1], seek="psychic"))
        message(errors.BadOption, lambda: sk.Trie.from_columns([[1]], [1], formats=("sparse",)))
        message(errors.BadOption, lambda: sk.engine("steam").__enter__())
        message(errors.BadOption, lambda: sk.range(0, 2**63))
        message(errors.BadOption, lambda: sk.range(0.5))


class TestFunctions:
    def test_a_loop_that_numba_cannot_compile_names_its_line(self):
        def spell(k, v):
            return len([c for c in f"{v}" if c == "1"]) + open

        text = message(errors.Untraceable, lambda: sk.range(0, 3).map(spell).sum())
        assert 'return len([c for c in f"{v}" if c == "1"]) + open' in text and "test_errors.py" in text

    def test_membership_in_a_python_set_is_refused_not_decided(self):
        allowed = {"a": 1}
        message(errors.Untraceable, lambda: sk.range(0, 3).filter(lambda k, v: k in allowed).sum())

    def test_branches_of_different_shape(self):
        text = message(errors.BranchesDiffer, lambda: sk.range(0, 3).map(lambda k, v: (v, v) if k > 1 else v).sum())
        assert "test_errors.py" in text or "shape" in text

    def test_returning_nothing(self):
        message(errors.Untraceable, lambda: sk.range(0, 3).map(lambda k, v: None).sum())

    def test_a_branch_in_a_streams_own_method_is_explained(self):
        class Branchy(sk.Stream):
            def start(self):
                return 0

            def valid(self, q):
                return q < 3

            def ready(self, q):
                return True if q > 1 else False  # noqa: SIM210

            def index(self, q):
                return q

            def seek(self, q, key, strict):
                return sk.maximum(q, key + strict)

            def value(self, q):
                return q

        assert "sk.select" in message(errors.BranchOnSymbol, lambda: Branchy().sum())

    def test_a_user_exception_in_a_kernel_comes_through(self):
        def picky(k, v):
            n = 0
            while n < k:
                n += 1
            if n == 2:
                raise ValueError("two is not allowed")
            return n

        with pytest.raises(ValueError, match="two is not allowed"):
            sk.range(0, 5).map(picky).sum()


class TestNumbers:
    def test_sums_that_leave_int64(self, engine):
        big = sk.stream({1: 2**62, 2: 2**62})
        assert "int64" in message(errors.IntegerOverflow, big.sum)
        with pytest.raises(OverflowError):
            big.sum()

    @pytest.mark.parametrize(
        "expression",
        [
            lambda s: s,
            lambda s: s.map(lambda k, v: v * 3 + 1),
            lambda s: s.filter(lambda k, v: v > 0),
            lambda s: s.map(lambda k, v: v * v - k),
            lambda s: s.filter(lambda k, v: k % 3 == 0).map(lambda k, v: (v - 7) * k if v > 0 else -v),
            lambda s: s.map(lambda k, v: max(v, k) // 2 - min(v, 12) * (v > k)),
        ],
    )
    def test_loops_over_arrays_are_checked_afterwards(self, expression):
        """Exactly as if every step were: the same answers, the same errors."""
        random = np.random.default_rng(7)
        outcomes = Counter()
        for _ in range(200):
            high = int(random.choice([24, 30, 45, 61, 63]))
            edges = [-(2 ** (high - 1)), 2 ** (high - 1) - 1]
            values = random.integers(*edges, int(random.integers(0, 70)), dtype=np.int64)
            values[random.random(len(values)) < 0.2] = edges[int(random.integers(2))]
            stream = expression(sk.stream(values))
            try:
                with sk.engine("interpreted"):
                    wanted = stream.sum()
            except errors.IntegerOverflow:
                outcomes["overflow"] += 1
                message(errors.IntegerOverflow, stream.sum)
            else:
                outcomes["fits"] += 1
                assert stream.sum() == wanted
        assert min(outcomes["overflow"], outcomes["fits"]) > 5
        assert "seen" in stream.compile(lambda s: s.sum()).source

    def test_a_partial_sum_that_others_see_is_checked_at_once(self, engine):
        s = sk.stream({1: 2**62, 2: 2**62, 3: -(2**62), 4: -(2**62)})
        message(errors.IntegerOverflow, lambda: s.fold(lambda acc, k, v: (acc[0] + v, acc[1] + acc[0] * 1.0), (0, 0.0)))

    def test_products_that_leave_int64(self, engine):
        message(errors.IntegerOverflow, (sk.stream({1: 2**40}) * sk.stream({1: 2**40})).sum)
        message(errors.IntegerOverflow, sk.stream({1: 2**40}).map(lambda k, v: v * v).sum)
        message(errors.IntegerOverflow, sk.stream({1: -(2**63)}).map(lambda k, v: -v).sum)
        message(errors.IntegerOverflow, sk.stream({1: -(2**63)}).map(lambda k, v: v - 1).sum)
        message(errors.IntegerOverflow, sk.stream({3: 2**30}).map(lambda k, v: v**3).sum)

    def test_folds_that_leave_int64(self, engine):
        message(errors.IntegerOverflow, lambda: sk.range(1, 30).fold(lambda acc, k, v: acc * k, 1))

    def test_an_accumulator_that_jumps_is_still_checked(self, engine):
        """It grows by one a step, but not from where it started: the check may not be left out."""
        top = 2**63 - 1
        s = sk.stream({0: top, 1: 0})
        message(errors.IntegerOverflow, lambda: s.fold(lambda acc, k, v: v if k == 0 else acc + 1, 0))

    def test_unordered_sums_that_leave_int64(self):
        message(errors.IntegerOverflow, lambda: sk.stream({1: 2**62, 2: 2**62}).map_keys(lambda k: 0).collect())

    def test_the_largest_sums_are_right(self, engine):
        assert sk.stream({1: 2**62, 2: 2**62 - 1}).sum() == 2**63 - 1
        assert sk.stream({1: -(2**62), 2: -(2**62)}).sum() == -(2**63)

    def test_division_by_zero(self, engine):
        with pytest.raises(ZeroDivisionError):
            sk.range(0, 3).map(lambda k, v: 1 / v).sum()
        with pytest.raises(ZeroDivisionError):
            sk.range(0, 3).map(lambda k, v: 10 // v).sum()


class TestEmpty:
    def test_an_empty_collection_is_a_value(self, engine):
        for empty in ({}, set(), np.zeros(0), [], range(0), iter([]), sk.Sorted(), sk.Dense(np.zeros(0))):
            s = sk.stream(empty)
            assert s.collect() == {} and s.sum() == 0 and s.count() == 0
            assert s.first() is None and s.min() is None and not s.any() and s.all()

    def test_combined_with_something(self, engine):
        a = sk.stream({1: 2})
        for empty in (sk.stream({}), sk.stream({1: 1})[5:], a.filter(lambda k, v: False)):
            assert (a * empty).collect() == {} and (empty * a).sum() == 0
            assert (a + empty).collect() == {1: 2} and (empty + a).collect() == {1: 2}
            assert a.without(empty).collect() == {1: 2} and empty.without(a).collect() == {}

    def test_nested(self, engine):
        s = sk.stream({1: {}, 2: {}})
        assert s.collect() == {1: {}, 2: {}} and s.sum() == 0
        assert sk.stream({}).map(lambda k, row: row.sum()).collect() == {}


class TestTablesAreNoLists:
    orders = sk.table({"customer": ["ann", "bob", "ann"]}, name="O")

    def test_rows_are_not_walked_in_python(self):
        """`list(table)` asked for table[0], table[1], … and never ended, or spoke of places."""
        for walk in (list, set, iter):
            with pytest.raises(TypeError, match=r"not walked row by row\n.*table.to_dict\(\).*table.columns\(\)"):
                walk(self.orders)

    def test_the_name_of_a_column_is_no_axis(self):
        said = "'customer', which is the name of a column and no key in it. Axes are made by sk.axes: customer = "
        with pytest.warns(UserWarning, match=said) as told:
            self.orders["customer"]
        assert told[0].filename == __file__

    def test_a_key_with_the_name_of_a_column_is_a_key(self, recwarn):
        t = sk.table({"who": ["who", "ann"], "n": [1, 2]}, keys="who", value="n")
        assert t["who"].sum().collect() == 1 and t["ann"].sum().collect() == 2 and not recwarn.list


def test_one_is_not_told_as_several():
    with pytest.raises(errors.BadOption, match="has 1 key column, and is given 2 places"):
        sk.table({"k": [1]})[1, 2]
    with pytest.raises(errors.RepeatedKey, match="1 row has the keys of another"):
        sk.table({"k": [1, 1]}, combine="refuse")
    assert repr(sk.table({"k": [1]})) == "Table(unnamed, 1 row; k: int)"
    assert repr(sk.Sorted([1], [2])).endswith(", 1 key)")
