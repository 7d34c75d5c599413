"""Sorted, Dense and Trie as ordinary collections, sources and destinations."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import skipstone as sk
from skipstone.errors import WrongState
from skipstone.storage.column import Column
from skipstone.storage.levels import Compressed, Leaf

from ..conftest import close

PAIRS = st.dictionaries(st.integers(-50, 50), st.integers(-9, 9), max_size=20)
ROWS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(-9, 9)), max_size=25)


class TestAsMappings:
    def test_sorted(self):
        s = sk.Sorted([2, 3, 5], [0.2, 0.3, 0.5])
        assert len(s) == 3 and list(s) == [2, 3, 5] and s[3] == 0.3 and 4 not in s and s.get(4) is None
        assert s == {2: 0.2, 3: 0.3, 5: 0.5} and dict(s.items()) == dict(s) and "Sorted" in repr(s)
        with pytest.raises(KeyError):
            s[4]
        with pytest.raises(KeyError):
            s["x"]

    def test_dense(self):
        d = sk.Dense([5, 6, 7])
        assert len(d) == 3 and d[1] == 6 and d == {0: 5, 1: 6, 2: 7} and 3 not in d and -1 not in d

    def test_trie(self):
        t = sk.Trie.from_nested({1: {2: 3}, 4: {5: 6, 7: 8}})
        assert t == {1: {2: 3}, 4: {5: 6, 7: 8}} and t.depth == 2 and len(t) == 2 and t[4] == {5: 6, 7: 8}
        assert t.nbytes > 0

    def test_a_set_has_ones(self):
        assert sk.Sorted([1, 4]) == {1: 1, 4: 1}


class TestArraysAreUsedAsTheyAre:
    def test_no_copy(self):
        keys, values = np.arange(5), np.arange(5.0)
        root = sk.Sorted(keys, values).root
        assert np.shares_memory(root.keys.array, keys) and np.shares_memory(root.inner.columns[0].array, values)
        assert np.shares_memory(sk.Dense(values).root.inner.columns[0].array, values)

    @pytest.mark.parametrize(
        "dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]
    )
    def test_every_integer_width(self, engine, dtype):
        a = sk.Sorted(np.array([1, 5, 100], dtype), np.array([1, 2, 120], dtype)).stream()
        assert (a * sk.stream({5: 10, 100: 10})).collect() == {5: 20, 100: 1200}
        assert a.map(lambda k, v: v * v * k).sum() == 1 + 20 + 1440000

    @pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, ">f8", np.bool_])
    def test_every_value_type(self, engine, dtype):
        a = sk.Sorted([1, 2], np.array([1, 0], dtype)).stream()
        assert close(a.map(lambda k, v: v * 0.1).sum(), 0.1)

    def test_read_only_and_strided_arrays(self, engine):
        keys = np.arange(20)
        keys.flags.writeable = False
        assert sk.Sorted(keys[::2], keys[::2] * 1.0).stream().sum() == 90.0

    def test_extreme_keys(self, engine):
        top, bottom = 2**63 - 1, -(2**63)
        s = sk.stream({bottom: 1, 0: 2, top: 3})
        assert (s * s).collect() == {bottom: 1, 0: 4, top: 9}
        assert (s + sk.stream({top: 1})).collect() == {bottom: 1, 0: 2, top: 4}
        assert (s * sk.range(1, 5)).collect() == {}
        assert s.get(top) == 3

    def test_float_and_boolean_keys(self, engine):
        s = sk.stream({-1.5: 1, 0.25: 2, 7.0: 3})
        assert (s * sk.stream({0.25: 10, 8.0: 1})).collect() == {0.25: 20}
        assert s[0.0:7.0].collect() == {0.25: 2}
        assert (sk.stream({False: 5, True: 6}) * sk.stream({True: 2})).collect() == {True: 12}


def test_a_structure_is_freed_as_soon_as_nobody_holds_it():
    import gc
    import weakref

    gc.disable()
    try:
        for make in (
            lambda: sk.Sorted([1, 2], [1.0, 2.0]),
            lambda: sk.Dense([1.0]),
            lambda: sk.Trie({1: {2: 3}}),
            lambda: (sk.range(0, 5) * sk.range(0, 5)).collect(into=sk.Sorted),
        ):
            made = make()
            watch = weakref.ref(made)
            del made
            assert watch() is None
    finally:
        gc.enable()


class TestBuilding:
    @given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), max_size=30))
    def test_pairs_in_any_order_are_sorted_and_added_up(self, pairs):
        model = {}
        for k, v in pairs:
            model[k] = model.get(k, 0) + v
        made = sk.Sorted.from_pairs(pairs)
        made.check()
        assert dict(made) == dict(sorted(model.items()))

    @given(ROWS, st.sampled_from(["dense", "compressed"]), st.sampled_from(["dense", "compressed"]))
    def test_columns_in_any_order_and_format(self, rows, outer, inner):
        model = {}
        for i, j, v in rows:
            row = model.setdefault(i, {})
            row[j] = row.get(j, 0) + v
        columns = [[r[0] for r in rows], [r[1] for r in rows]]
        trie = sk.Trie.from_columns(columns, np.array([r[2] for r in rows], np.int64), formats=(outer, inner))
        trie.check()
        assert trie.formats == (outer, inner)
        with sk.engine("interpreted"):
            assert trie.stream().sum() == sum(r[2] for r in rows)
        if (outer, inner) == ("compressed", "compressed"):
            assert dict(trie) == {i: dict(sorted(row.items())) for i, row in sorted(model.items())}
        for i, row in model.items():
            for j, v in row.items():
                assert trie[i][j] == v

    def test_small_integers_add_up_wide(self):
        assert sk.Trie.from_columns([[1, 1]], np.array([100, 100], np.int8))[1] == 200

    def test_three_levels(self, engine):
        deep = {1: {2: {3: 4, 5: 6}}, 7: {8: {9: 10}, 11: {}}}
        assert sk.stream(deep).collect() == deep and sk.stream(deep).sum() == 20
        assert (sk.stream(deep) * sk.stream({1: {2: {5: 2}}})).collect() == {1: {2: {5: 12}}}

    def test_check_notices_what_is_wrong(self):
        for keys, starts in (([3, 1], [0, 2]), ([1, 3], [0, 1]), ([1, 1], [0, 2])):
            bad = sk.Trie.from_nested({0: {1: 1}})
            inner = Compressed(Column(np.array(keys), "keys", bad), Column(np.array(starts), "starts", bad), Leaf(()))
            bad.root = Compressed(bad.root.keys, None, inner)
            with pytest.raises(WrongState):
                bad.check()


class TestDestinations:
    S = {0: 1.5, 2: 0.0, 5: -1.0}

    @pytest.mark.parametrize("into", [dict, sk.Sorted, sk.Trie])
    def test_mappings(self, engine, into):
        found = sk.stream(self.S).collect(into=into)
        assert isinstance(found, into) and dict(found) == self.S

    def test_list_and_set(self, engine):
        assert sk.stream(self.S).collect(into=list) == [(0, 1.5), (2, 0.0), (5, -1.0)]
        assert sk.stream({1: {2: 3}}).collect(into=list) == [(1, [(2, 3)])]
        assert sk.stream(self.S).collect(into=set) == {0, 2, 5}

    def test_arrays(self, engine):
        assert sk.stream(self.S).collect(into=np.ndarray).tolist() == [1.5, 0, 0, 0, 0, -1]
        assert sk.stream({1: {2: 3}}).collect(into=np.ndarray).tolist() == [[0, 0, 0], [0, 0, 3]]
        assert sk.stream(self.S).collect(into=sk.Dense)[5] == -1.0
        with pytest.raises(sk.errors.BadOption):
            sk.stream({-1: 2}).collect(into=np.ndarray)

    def test_added_to_what_is_there(self, engine):
        there = {2: 1.0, 9: 9.0}
        assert sk.stream(self.S).collect(into=there) is there
        assert there == {0: 1.5, 2: 1.0, 5: -1.0, 9: 9.0}
        array = np.ones(6)
        sk.stream(self.S).collect(into=array)
        assert array.tolist() == [2.5, 1, 1, 1, 1, 0]
        with pytest.raises(sk.errors.BadOption):
            sk.stream(self.S).collect(into=np.ones(3))

    def test_a_class_with_update(self, engine):
        class Log:
            def __init__(self):
                self.held = {}

            def update(self, key, modify):
                self.held[key] = modify(self.held.get(key))

        log = sk.stream(self.S).collect(into=Log)
        sk.stream({2: 10.0}).collect(into=log)
        assert log.held == {0: 1.5, 2: 10.0, 5: -1.0}

    def test_growing_output(self):
        assert len(sk.range(0, 100_000).collect(into=sk.Sorted)) == 100_000

    @given(PAIRS)
    def test_unordered_keys_are_sorted_and_added_up(self, model):
        s = sk.stream(model).map_keys(lambda k: k % 7)
        wanted = {}
        for k, v in model.items():
            wanted[k % 7] = wanted.get(k % 7, 0) + v
        with sk.engine("interpreted"):
            assert s.collect() == dict(sorted(wanted.items()))
            assert s.memo().collect() == dict(sorted(wanted.items()))
            assert s.sum() == sum(model.values())

    def test_unordered_outer_keys_merge_what_is_under_them(self, engine):
        nested = sk.stream({1: {5: 1, 6: 2}, 2: {5: 10}, 3: {6: 100, 7: 200}})
        assert nested.map_keys(lambda k: k % 2).collect() == {0: {5: 10}, 1: {5: 1, 6: 102, 7: 200}}

    def test_unordered_inner_keys(self, engine):
        nested = sk.stream({1: {5: 1, 6: 2}, 2: {5: 10}})
        assert nested.map(lambda i, row: row.map_keys(lambda k: -k)).collect() == {1: {-6: 2, -5: 1}, 2: {-5: 10}}


class TestSources:
    def test_ranges(self, engine):
        assert sk.stream(range(2, 5)).collect() == {2: 2, 3: 3, 4: 4}
        assert sk.stream(range(9, 0, -4)).collect() == {1: 1, 5: 5, 9: 9}

    def test_iterators_are_pulled_only_as_far_as_needed(self):
        def endless():
            n = 0
            while True:
                yield n, n * n
                n += 1

        with sk.engine("interpreted"):
            assert (sk.stream(endless()) * sk.stream({3: 1, 5: 1})).collect() == {3: 9, 5: 25}

    def test_iterators_of_pairs(self, engine):
        assert sk.stream(iter([(1, 2.5), (4, 1.0)])).map(lambda k, v: k * v).collect() == {1: 2.5, 4: 4.0}
        assert sk.stream([(1, 2), (4, 1)]).collect() == {1: 2, 4: 1}

    def test_later_changes_to_a_dict_are_not_seen(self, engine):
        d = {1: 2}
        s = sk.stream(d)
        d[5] = 6
        assert s.collect() == {1: 2}

    def test_sorted_dicts_and_things_with_items(self, engine):
        from sortedcontainers import SortedDict

        class Series:
            def items(self):
                return iter([(5, 1.0), (2, 2.0), (5, 3.0)])

        assert sk.stream(SortedDict({3: 1, 1: 2})).collect() == {1: 2, 3: 1}
        assert sk.stream(Series()).collect() == {2: 2.0, 5: 4.0}

    def test_a_registered_type(self, engine):
        class Squares:
            n = 4

        @sk.stream.register
        def _(squares: Squares):
            return sk.range(0, squares.n).map(lambda k, v: v * v)

        assert sk.stream(Squares()).collect() == {0: 0, 1: 1, 2: 4, 3: 9}

    def test_memo_into_a_structure(self, engine):
        s = sk.stream({1: 2, 5: 3})
        assert s.memo(into=sk.Dense).collect() == {0: 0, 1: 2, 2: 0, 3: 0, 4: 0, 5: 3}
        assert sk.range(0, 3).map(lambda i, _: (s * sk.range(i, 9)).memo().sum()).collect() == {0: 17, 1: 17, 2: 15}
        with pytest.raises(sk.errors.UnorderedProduct):
            sk.range(0, 3).map(lambda i, _: s.map_keys(lambda k: -k).memo().sum()).sum()


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_arrays_are_multiplied_by_place(engine):
    a, b, c = np.arange(7.0), np.arange(5.0) + 1, np.arange(6) - 2
    with sk.engine(engine):
        made = sk.stream(a) * sk.stream(b) * sk.stream(c)
        assert made.collect() == dict(enumerate((a[:5] * b * c[:5]).tolist()))
        assert (sk.stream(np.outer(a, a)) * sk.stream(np.outer(b, c))).sum() == pytest.approx(
            (np.outer(a, a)[:5, :6] * np.outer(b, c)).sum()
        )
    assert made.compile().source.count("at = 0") == 1, "one position, not three"
    assert str(made).splitlines()[0] == "Product, by place"
