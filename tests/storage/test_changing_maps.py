"""Tree, Blocked and Hash: against SortedDict and dict, as mappings, as streams, and under change."""

import copy
import pickle
import random
import threading
from collections import namedtuple

import numpy as np
import pytest
from sortedcontainers import SortedDict, SortedSet

import skipstone as sk
from skipstone import errors
from skipstone.words import Reading, read_by

ORDERED = [sk.Tree, sk.Blocked]
ALL = [*ORDERED, sk.Hash]
Point = namedtuple("Point", "x y")


def message(kind, action):
    with pytest.raises(kind) as raised:
        action()
    return str(raised.value)


def work_on(cls, operations, span, seed, often):
    """Random operations on a map and on its model; both must agree all along."""
    choose = random.Random(seed)
    made, model = cls(), SortedDict()
    ordered = cls is not sk.Hash
    share = 0.5
    for n in range(operations):
        if n % 4096 == 0:
            share = choose.choice([0.25, 0.5, 0.75])  # it grows for a while, shrinks for a while
        key = choose.randrange(span)
        what = choose.random()
        if what < share * 0.8:
            made[key] = model[key] = n
        elif what < 0.8:
            assert made.pop(key, None) == model.pop(key, None)
        elif what < 0.9:
            assert made.get(key) == model.get(key) and (key in made) == (key in model)
        elif ordered:
            if n % 64 == 0:
                found = next(iter(made.stream()[key:]), (None, None))
                assert found[0] == next(model.irange(key), None)
            if n % 16 == 0:
                assert list(made.irange(key, key + 5)) == list(model.irange(key, key + 5))
        if n % often == 0:
            made.check()
            assert len(made) == len(model)
            assert dict(made) == dict(model)
            assert (list(made) if ordered else sorted(made)) == list(model)
            assert made.stream().collect() == dict(model)
    made.check()
    assert dict(made) == dict(model)


class TestAgainstAModel:
    @pytest.mark.parametrize("cls", ALL)
    @pytest.mark.parametrize("span", [700, 20_000])
    def test_100_000_operations_compiled(self, cls, span):
        work_on(cls, 100_000, span, seed=span, often=5_000)

    @pytest.mark.parametrize("cls", ALL)
    def test_the_same_functions_interpreted(self, cls):
        with sk.engine("interpreted"):
            work_on(cls, 3_000, 400, seed=5, often=500)

    @pytest.mark.parametrize("cls", ORDERED)
    @pytest.mark.parametrize("shape", ["rising", "falling", "shuffled", "inwards"])
    def test_insertion_in_any_order(self, cls, shape):
        keys = list(range(2_000))
        if shape == "falling":
            keys.reverse()
        elif shape == "shuffled":
            random.Random(3).shuffle(keys)
        elif shape == "inwards":
            keys = [k for pair in zip(keys[:1000], reversed(keys[1000:]), strict=True) for k in pair]
        made = cls()
        for n, key in enumerate(keys):
            made[key] = key * 2
            if n % 250 == 0:
                made.check()
        made.check()
        assert list(made.items()) == [(k, 2 * k) for k in range(2_000)]
        for key in keys[::2]:
            del made[key]
        made.check()
        assert list(made) == sorted(keys[1::2])

    @pytest.mark.parametrize("cls", ALL)
    @pytest.mark.parametrize("size", [0, 1, 2, 3, 7, 8, 223, 224, 225, 256, 257, 1000, 4095, 4096])
    def test_built_at_once(self, cls, size):
        keys = np.random.default_rng(size).permutation(size * 3)[:size]
        made = cls(keys, keys * 0.5)
        made.check()
        assert dict(made) == {k: k * 0.5 for k in keys.tolist()}
        assert made.stream().collect() == {k: k * 0.5 for k in sorted(keys.tolist())}

    @pytest.mark.parametrize("cls", ALL)
    def test_taking_in_many_at_once(self, cls):
        made, model = cls(), {}
        choose = random.Random(8)
        for size in (50, 3, 400, 1, 0, 120):
            pairs = [(choose.randrange(500), choose.randrange(9)) for _ in range(size)]
            made.update(pairs)
            model.update(pairs)
            made.check()
            assert dict(made) == model
            made.add(pairs)
            for k, v in pairs:
                model[k] += v
            assert dict(made) == model


class TestAsAMapping:
    @pytest.mark.parametrize("cls", ORDERED)
    def test_what_a_sorted_dict_can_do(self, cls):
        pairs = {k: k * k for k in (5, 1, 9, 3, 7)}
        made, model = cls(pairs), SortedDict(pairs)
        assert list(made) == list(model) and list(reversed(made)) == list(reversed(model))
        for index in range(-5, 5):
            assert made.peekitem(index) == model.peekitem(index)
        for key in (0, 1, 2, 5, 9, 10, 4.5, -1e300, float("inf"), 2**70):
            assert made.bisect_left(key) == model.bisect_left(key)
            assert made.bisect_right(key) == model.bisect_right(key) == made.bisect(key)
            for both in [(a, b) for a in (True, False) for b in (True, False)]:
                assert list(made.irange(key, 8, both)) == list(model.irange(key, 8, both))
                assert list(made.irange(2, key, both, True)) == list(model.irange(2, key, both, True))
        assert list(made.islice(1, -1)) == list(model.islice(1, -1))
        assert made.popitem() == model.popitem() and made.popitem(0) == model.popitem(0)
        assert made.setdefault(3, 100) == 9 and made.setdefault(4, 100) == 100
        assert message(IndexError, lambda: made.peekitem(99)) == "there is no key number 99 among 4"
        with pytest.raises(KeyError):
            cls().popitem()

    @pytest.mark.parametrize("cls", ALL)
    def test_what_any_mapping_can_do(self, cls):
        made = cls({1: 10, 2: 20})
        assert made == {1: 10, 2: 20} and made != {1: 10} and sorted(made.values()) == [10, 20]
        assert 1.0 in made and made[1.0] == 10 and 1.5 not in made and "1" not in made and None not in made
        assert 2**70 not in made and float("nan") not in made and made.get(7) is None
        for absent in (7, "1", 2**70, float("inf")):
            with pytest.raises(KeyError):
                made[absent]
            with pytest.raises(KeyError):
                del made[absent]
        made.clear()
        made.check()
        assert not made and made == {} and list(made.items()) == [] == list(made.values())
        made[0.5] = 1  # of another type than before: a map that was cleared is as new
        assert dict(made) == {0.5: 1}

    @pytest.mark.parametrize("cls", ALL)
    def test_copies_and_pickles_are_apart(self, cls):
        made = cls({k: (k, k / 2) for k in range(300)})
        for other in (made.copy(), copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
            assert other == made
            del other[5]
            other[1000] = (1, 1.0)
            other.check()
            assert 5 in made and 1000 not in made
        made.check()

    @pytest.mark.parametrize("cls", ALL)
    def test_repr(self, cls):
        assert repr(cls({1: 0.5})) == f"{cls.__name__}({{1: 0.5}}, 1 key)"
        assert repr(cls({k: k for k in range(9)})).endswith(", …}, 9 keys)")

    @pytest.mark.parametrize("cls", ALL)
    def test_iteration_is_not_disturbed_by_changes(self, cls):
        made = cls({k: k for k in range(50)})
        for key in made:
            del made[key]
        assert not made


class TestKeysAndValues:
    @pytest.mark.parametrize("cls", ALL)
    @pytest.mark.parametrize(
        "keys",
        [
            [-(2**63), -1, 0, 1, 2**63 - 1],
            [float("-inf"), -1.5, 0.0, 5e-324, 1e300, float("inf")],
            [False, True],
            [2**31, -(2**31), 2**62, 2**32 - 1, 2**62 + 2**31],
        ],
    )
    def test_keys_at_the_edges(self, cls, keys, engine):
        made = cls()
        for n, key in enumerate(keys):
            made[key] = n
        made.check()
        assert dict(made) == {k: n for n, k in enumerate(keys)}
        assert made.stream().collect() == {k: keys.index(k) for k in sorted(keys)}
        assert all(type(k) is type(keys[0]) for k in made)
        for key in keys:
            del made[key]
        made.check()
        assert not made

    @pytest.mark.parametrize("cls", ALL)
    def test_minus_zero_is_zero(self, cls):
        made = cls({0.0: 1})
        made[-0.0] = 2
        assert dict(made) == {0.0: 2}

    @pytest.mark.parametrize("cls", ALL)
    def test_numpy_numbers(self, cls):
        made = cls()
        made[np.int32(3)] = np.float32(0.5)
        assert dict(made) == {3: 0.5} and made[np.int64(3)] == 0.5 and type(next(iter(made))) is int

    @pytest.mark.parametrize("cls", ALL)
    def test_columns_widen(self, cls, engine):
        made = cls({1: True})
        assert made[1] is True and made.stream().map(lambda k, v: 5 if v else 6).sum() == 5
        made[2] = 7
        assert dict(made) == {1: 1, 2: 7}
        made[3] = 0.5
        assert dict(made) == {1: 1.0, 2: 7.0, 3: 0.5}
        made[4] = 2
        assert made[4] == 2.0 and made.stream().sum() == 10.5

    @pytest.mark.parametrize("cls", ALL)
    def test_tuples(self, cls, engine):
        made = cls({1: Point(1, 0.5), 2: Point(2, 1.5)})
        made[3] = Point(True, 2)
        assert made[3] == Point(1, 2.0) and type(made[3]) is Point
        assert made.stream().map(lambda k, p: p.x * p.y).sum() == 0.5 + 3.0 + 2.0
        plain = cls({1: (1, True)})
        plain[2] = (2, False)
        assert plain[1] == (1, True) and plain[2][1] is False
        assert plain.stream().collect() == {1: (1, True), 2: (2, False)}

    @pytest.mark.parametrize("cls", ALL)
    def test_what_is_refused(self, cls):
        made = cls({1: 10})
        name = cls.__name__
        assert f"key 0.5 is float, but the keys of this {name} are int" in message(
            errors.MixedKeys, lambda: made.__setitem__(0.5, 1)
        )
        assert "True is bool" in message(errors.MixedKeys, lambda: made.__setitem__(True, 1))
        assert "strings cannot be keys" in message(errors.NotAKey, lambda: made.__setitem__("a", 1))
        assert "beyond int64" in message(errors.NotAKey, lambda: made.__setitem__(2**63, 1))
        assert "NaN" in message(errors.NotAKey, lambda: cls({0.5: 1}).__setitem__(float("nan"), 1))
        assert "not a key" in message(errors.NotAKey, lambda: made.__setitem__(None, 1))
        assert "str cannot be a value" in message(errors.UnsupportedValue, lambda: made.__setitem__(2, "x"))
        assert "beyond int64" in message(errors.UnsupportedValue, lambda: made.__setitem__(2, 2**63))
        assert "another shape" in message(errors.UnsupportedValue, lambda: made.__setitem__(2, (1, 2)))
        large = cls({1: 2**60})
        assert "2**53" in message(errors.UnsupportedValue, lambda: large.__setitem__(2, 0.5))
        assert "2**53" in message(errors.UnsupportedValue, lambda: large.update([(2, 0.5)]))
        assert "2**53" in message(errors.UnsupportedValue, lambda: cls({1: 0.5}).__setitem__(2, 2**60))
        assert "is not a key with its value" in message(errors.NotACollection, lambda: cls([1, 2]))
        assert "no keys and values" in message(errors.NotACollection, lambda: cls(5))
        assert "several types" in message(errors.MixedKeys, lambda: cls([(1, 1), (2.5, 1)]))
        assert "names cannot be keys" in message(errors.NotAKey, lambda: made.update(a=1))
        assert "not collections" in message(errors.UnsupportedValue, lambda: sk.stream({1: {2: 3}}).collect(into=cls))
        for one in (made, large):
            one.check()
        assert dict(made) == {1: 10} and dict(large) == {1: 2**60}

    @pytest.mark.parametrize("cls", ALL)
    def test_what_was_refused_leaves_no_trace(self, cls):
        made = cls()
        with pytest.raises(errors.UnsupportedValue):
            made[1] = "x"
        made[0.5] = 1
        assert dict(made) == {0.5: 1}

    @pytest.mark.parametrize("cls", ALL)
    def test_sums_that_leave_int64(self, cls):
        made = cls({1: 2**62})
        message(errors.IntegerOverflow, lambda: made.add({1: 2**62}))
        message(errors.IntegerOverflow, lambda: sk.stream({1: 2**62}).collect(into=made))
        assert dict(made) == {1: 2**62}


class TestAsStreams:
    @pytest.mark.parametrize("cls", ALL)
    def test_a_stream_is_a_snapshot(self, cls, engine):
        made = cls({k: k for k in range(100)})
        stream, kernel = made.stream(), made.stream().compile()
        walking = iter(stream)
        first = next(walking)
        for key in range(0, 100, 2):
            del made[key]
        made[1000] = 1
        made.check()
        assert len([first, *walking]) == 100  # it goes on over the map as it was
        assert stream.sum() == kernel() == sum(range(100))
        assert made.stream().sum() == sum(range(1, 100, 2)) + 1

    @pytest.mark.parametrize("cls", ALL)
    def test_nothing_is_copied_once_a_stream_is_gone(self, cls):
        made = cls({k: k for k in range(100)})
        made[5] = 5  # so that there is room
        made.stream().map(lambda k, v: v if v > 3 else 0).sum()
        arrays = made._keys
        made[5] = 0
        assert made._keys is arrays
        kept = made.stream()
        made[6] = 0
        assert made._keys is not arrays and kept.sum() == sum(range(100)) - 5

    @pytest.mark.parametrize("cls", ALL)
    def test_growth_under_a_stream(self, cls):
        made = cls({0: 0})
        streams = [made.stream()]
        for key in range(1, 600):
            made[key] = key
            if key % 100 == 0:
                streams.append(made.stream())
        assert [s.count() for s in streams] == [1, 101, 201, 301, 401, 501]

    @pytest.mark.parametrize("cls", ORDERED)
    def test_seeks_skip(self, cls):
        """A hundred keys out of a hundred thousand: the rest is not looked at."""
        keys = np.random.default_rng(1).permutation(100_000)
        large, few = cls(keys, keys), sk.Sorted(np.sort(keys[:100]))
        counted = CountedArrays()
        with read_by(counted):
            assert (large.stream() * few.stream()).sum() == int(keys[:100].sum())
        assert counted.calls < 400 and counted.reads < 100 * 20 * np.log2(100_000)

    @pytest.mark.parametrize("cls", ORDERED)
    def test_products_of_large_ones(self, cls, engine):
        size = 2_000 if engine == "interpreted" else 50_000
        draw = np.random.default_rng(4)
        sets = [draw.choice(4 * size, size, replace=False) for _ in range(3)]
        maps = [cls(keys, keys) for keys in sets]
        common = sorted({*sets[0].tolist()} & {*sets[1].tolist()} & {*sets[2].tolist()})
        product = maps[0].stream() * maps[1].stream() * maps[2].stream()
        assert product.collect(into=list) == [(k, k**3) for k in common]

    @pytest.mark.parametrize("cls", ALL)
    def test_as_destinations(self, cls, engine):
        s = sk.range(0, 300).filter(lambda k, v: k % 3 == 0)
        made = s.collect(into=cls)
        made.check()
        assert type(made) is cls and dict(made) == {k: k for k in range(0, 300, 3)}
        again = s.collect(into=made)
        assert again is made and dict(made) == {k: 2 * k for k in range(0, 300, 3)}
        tens = sk.range(0, 300).map_keys(lambda k: k // 100).collect(into=cls)
        assert dict(tens) == {n: sum(range(100 * n, 100 * n + 100)) for n in range(3)}
        assert sk.range(0, 9).memo(into=cls).sum() == 36
        assert dict(sk.range(0, 0).collect(into=cls)) == {}

    def test_memo_into_a_tree_restores_order(self, engine):
        unordered = sk.range(0, 10).map_keys(lambda k: (7 * k) % 10)
        assert ".memo()" in message(errors.UnorderedProduct, lambda: unordered * sk.range(0, 5))
        assert (unordered.memo(into=sk.Tree) * sk.range(0, 3)).collect() == {0: 0, 1: 3, 2: 12}

    def test_a_hash_map_in_products(self, engine):
        table, s = sk.Hash({2: 0.5, 7: 1.5, 100: 9.0}), sk.stream({1: 1, 2: 2, 7: 7})
        assert (table.stream() * s).collect() == (s * table.stream()).collect() == {2: 1.0, 7: 10.5}
        assert (table.stream() * 2).collect() == {2: 1.0, 7: 3.0, 100: 18.0}
        both = table.stream() * sk.Hash({7: 2, 2: 4}).stream()
        assert not both.ordered and both.collect() == {2: 2.0, 7: 3.0}
        nested = sk.stream({1: {2: 10, 3: 10}, 5: {7: 10}})
        assert nested.map(lambda i, row: row * table.stream()).collect() == {1: {2: 5.0}, 5: {7: 15.0}}
        assert ".memo()" in message(errors.UnorderedProduct, lambda: table.stream() + s)
        assert "different types" in message(errors.MixedKeys, lambda: table.stream() * sk.stream({0.5: 1}))
        assert (table.stream().memo() + s).collect() == {1: 1.0, 2: 2.5, 7: 8.5, 100: 9.0}

    def test_a_product_with_a_hash_map_runs_over_the_other(self):
        table, few = sk.Hash(np.arange(100_000), np.arange(100_000)), sk.stream({5: 1, 70_000: 1})
        counted = CountedArrays()
        with read_by(counted):
            assert (few * table.stream()).sum() == 70_005
        assert counted.reads < 100

    def test_sortedcontainers_are_sources(self, engine):
        assert sk.stream(SortedDict({5: 0.5, 1: 1.5})).collect() == {1: 1.5, 5: 0.5}
        assert sk.stream(SortedDict(lambda k: -k, {5: 0.5, 1: 1.5})).collect() == {1: 1.5, 5: 0.5}
        assert (sk.stream(SortedSet([3, 1])) * sk.range(2, 9)).collect() == {3: 3}


class TestFoundByOthers:
    """What testing with fresh eyes has found."""

    @pytest.mark.parametrize("cls", ALL)
    def test_a_lookup_inside_a_function(self, cls, engine):
        """It said that nothing was there, whatever was: a symbol is no number, and so it was not found."""
        made = cls({1: 10, 2: 20})
        assert sk.range(0, 4).map(lambda k, v: made.get(k, -1)).collect() == {0: -1, 1: 10, 2: 20, 3: -1}
        assert sk.range(0, 4).filter(lambda k, v: k in made).collect() == {1: 1, 2: 2}
        assert sk.range(0, 4).filter(lambda k, v: k not in made).collect() == {0: 0, 3: 3}
        assert sk.range(0, 4).filter(lambda k, v: k in made.keys()).count() == 2  # noqa: SIM118
        assert sk.range(0, 4).map(lambda k, v: made.stream().get(k, 5)).sum() == 40
        if engine == "compiled":
            assert "up in a" in message(errors.Untraceable, lambda: sk.range(1, 3).map(lambda k, v: made[k]).sum())

    def test_a_lookup_in_a_bitmap_inside_a_function(self, engine):
        bits = sk.Bitmap([1, 2, 40])
        assert sk.range(0, 50).filter(lambda k, v: k in bits).collect() == {1: 1, 2: 2, 40: 40}

    @pytest.mark.parametrize("cls", ALL)
    def test_a_change_that_fails_changes_nothing(self, cls):
        made = cls(dict.fromkeys(range(100), 0))
        made[50] = 2**63 - 1
        message(errors.IntegerOverflow, lambda: made.add({1000: 7, 3: 1, 50: 1}))
        message(errors.IntegerOverflow, lambda: sk.stream({3: 1, 50: 1, 1000: 7}).collect(into=made))
        assert 1000 not in made and made[3] == 0
        made = cls(dict.fromkeys(range(100), 0.5))
        message(errors.UnsupportedValue, lambda: made.update({4: 5, 5: 2**60}))
        assert made[4] == 0.5
        made = cls(dict.fromkeys(range(10), (1, 2)))
        made[5] = (1, 2**60)
        message(errors.UnsupportedValue, lambda: made.__setitem__(3, (0.5, 0.5)))
        assert made[3] == (1, 2) and type(made[3][0]) is int

    @pytest.mark.parametrize("cls", ALL)
    def test_equal_keys_among_few(self, cls):
        made = cls(dict.fromkeys(range(100), 0))
        made.add([(5, 1), (5, 2), (500, 3), (500, 4)])
        made.update([(6, 1), (6, 2)])
        assert made[5] == 3 and made[500] == 7 and made[6] == 2

    @pytest.mark.parametrize("cls", ALL)
    def test_an_empty_tuple_is_refused(self, cls):
        assert "empty tuple" in message(errors.UnsupportedValue, lambda: cls({1: ()}))
        assert "empty tuple" in message(errors.UnsupportedValue, lambda: cls().__setitem__(1, ()))

    @pytest.mark.parametrize("make", [*ALL, lambda d: sk.Sorted(d)])
    def test_integers_that_no_float_can_hold(self, make):
        assert "9007199254740993" in message(errors.UnsupportedValue, lambda: make({1: 2**53 + 1, 2: 0.5}))

    def test_products_with_hash_maps_associate(self, engine):
        h1, h2 = sk.Hash({1: 5, 3: 2}), sk.Hash({1: 7, 4: 2, 2: 2, 0: 1, 9: 1})
        a, b, s = h1.stream(), h2.stream(), sk.range(0, 4)
        for product in (a * b * s, s * (a * b), (b * a) * s, a * (b * s), a * s * b, (s * a) * b, s * (b * a)):
            assert product.ordered and product.collect() == {1: 35}
        assert (s * (a * 3)).collect() == ((3 * a) * s).collect() == {1: 15, 3: 18}
        assert (s * (sk.below(2) * a)).collect() == ((a * sk.below(2)) * s).collect() == {1: 5}
        assert (s * (a * sk.function(lambda k: k + 1))).collect() == {1: 10, 3: 24}
        assert (a * b * 2).collect() == {1: 70} and not (a * b).ordered
        assert sk.range(0, 3).map(lambda k, v: (a * b).get(k, 0)).collect() == {0: 0, 1: 35, 2: 0}
        assert ((a * b) * (a * a)).collect() == {1: 875}

    @pytest.mark.parametrize("cls", ALL)
    def test_an_empty_map_meets_keys_of_any_type(self, cls, engine):
        empty = cls()
        assert (empty.stream() * sk.stream({1.5: 2})).collect() == {}
        assert (sk.stream({1.5: 2}) * empty.stream()).collect() == {}
        if cls is not sk.Hash:
            assert (empty.stream() + sk.stream({1.5: 2})).collect() == {1.5: 2}

    @pytest.mark.parametrize("cls", ALL)
    def test_views_of_items_are_pairs(self, cls):
        made = cls({3: 4}.items())
        made.update({5: 6}.items())
        assert dict(made) == {3: 4, 5: 6}

    @pytest.mark.parametrize("cls", ALL)
    def test_what_is_no_collection(self, cls):
        assert "not a collection of keys" in message(errors.NotACollection, lambda: cls(5, [1]))
        assert "one value for each key" in message(errors.UnsupportedValue, lambda: cls([1, 2], 5))
        assert "(1, 2)" in message(errors.UnsupportedValue, lambda: cls({1: 1}).update({2: (1, 2)}))
        assert "not a collection of keys" in message(errors.NotACollection, lambda: sk.Bitmap(5))
        assert sk.Bitmap(sk.stream({5: 1})) == {5}

    @pytest.mark.parametrize("cls", ORDERED)
    def test_bounds_that_are_no_floats(self, cls):
        made = cls({2.0**60: 1})
        assert made.bisect_left(2**60 + 1) == 1 and made.bisect(2**60 - 1) == 0
        assert made.bisect(2**2000) == 1 and made.bisect(-(2**2000)) == 0
        with pytest.raises(TypeError):
            made.peekitem(0.5)

    def test_bounds_beyond_int64(self, engine):
        assert (sk.Hash({5: 2}).stream() * sk.at_least(-(2**70))).collect() == {5: 2}
        assert (sk.Hash({5: 2}).stream() * sk.at_least(2**70)).collect() == {}

    @pytest.mark.parametrize("cls", ALL)
    def test_threads(self, cls):
        """Each operation is one step to the others: a map that several threads change at once stays whole."""
        made = cls(dict.fromkeys(range(1000), 0))
        failed = []

        def work(own):
            try:
                for n in range(400):
                    key = own + 4 * (n % 50)
                    made[key] = n
                    assert made[key] == n and key in made
                    if n % 3 == 0:
                        stream = made.stream()
                        assert stream.count() == len(list(stream))
                    del made[key]
            except BaseException as error:
                failed.append(error)

        workers = [threading.Thread(target=work, args=(10_000 + n,)) for n in range(4)]
        for each in workers:
            each.start()
        for each in workers:
            each.join()
        made.check()
        assert not failed and dict(made) == dict.fromkeys(range(1000), 0)


class CountedArrays(Reading):
    """A plain reading that counts the calls of kernels, and what kernels and definitions read from columns."""

    def __init__(self):
        self.calls = self.reads = 0

    def load(self, column, i):
        self.reads += 1
        return super().load(column, i)

    def call(self, kernel, arguments):
        self.calls += 1

        class Counted:
            def __init__(self, column):
                self.column, self.size = column, column.size

            def __getitem__(counted, i):
                self.reads += 1
                return counted.column.item(i)

        return kernel.function(*(Counted(a) if isinstance(a, sk.Column) else a for a in arguments))


class TestChecks:
    """check() finds damage of every kind."""

    @pytest.mark.parametrize(
        "damage",
        [
            lambda t: t._keys.__setitem__(3, 10**9),
            lambda t: t._links.__setitem__(4 * 3 + 3, 1 - t._links[4 * 3 + 3]),
            lambda t: t._links.__setitem__(4 * 5 + 2, 2),
            lambda t: t._meta.__setitem__(1, 99),
            lambda t: t._links.__setitem__(2, 5),
            lambda t: t._meta.__setitem__(3, 4),
            lambda t: t._links.__setitem__(4 * int(t._meta[0]) + 3, 1),
        ],
    )
    def test_of_a_tree(self, damage):
        tree = sk.Tree({k: k for k in range(20)})
        tree.check()
        damage(tree)
        with pytest.raises(errors.WrongState):
            tree.check()

    @pytest.mark.parametrize(
        "damage",
        [
            lambda b: b._keys.__setitem__(3, 10**9),
            lambda b: b._heads.__setitem__(1, 3),
            lambda b: b._counts.__setitem__(0, 0),
            lambda b: b._meta.__setitem__(1, 99),
            lambda b: b._order.__setitem__(1, 0),
            lambda b: (b._counts.__setitem__(slice(0, 2), 5), b._meta.__setitem__(1, b._counts[:3].sum())),
        ],
    )
    def test_of_blocks(self, damage):
        blocks = sk.Blocked({k: k for k in range(600)})
        blocks.check()
        damage(blocks)
        with pytest.raises(errors.WrongState):
            blocks.check()

    @pytest.mark.parametrize(
        "damage",
        [
            lambda h: h._keys.__setitem__(np.flatnonzero(h._used)[0], 12345),
            lambda h: h._meta.__setitem__(0, 99),
            lambda h: h._used.__setitem__(slice(None), 1),
        ],
    )
    def test_of_a_hash_map(self, damage):
        table = sk.Hash({k: k for k in range(20)})
        table.check()
        damage(table)
        with pytest.raises(errors.WrongState):
            table.check()


class TestImplicit:
    def test_comparisons_seek(self):
        """Multiplied with an array, a bound costs a seek, not a walk."""
        large = sk.Sorted(np.arange(0, 1_000_000, 2))
        counted = CountedArrays()
        with read_by(counted):
            assert (sk.at_least(999_990) * large.stream() * sk.below(999_996)).count() == 3
        assert counted.reads < 200

    def test_comparisons(self, engine):
        s = sk.stream({1: 10, 2: 20, 5: 50})
        assert (s * sk.below(5)).collect() == (sk.below(5) * s).collect() == {1: 10, 2: 20}
        assert (s * sk.at_least(2)).collect() == {2: 20, 5: 50}
        assert (s * (sk.at_least(2) * sk.below(5))).collect() == {2: 20}
        assert (s * sk.below(2.5) * 3).collect() == (sk.below(2.5) * 3 * s).collect() == {1: 30, 2: 60}
        assert (sk.below(3) * sk.predicate(lambda k: k % 2 == 1) * s).collect() == {1: 10}
        assert (sk.function(lambda k: k) * sk.at_least(2) * s).collect() == {2: 40, 5: 250}
        assert (s.map_keys(lambda k: -k) * sk.below(-1)).collect() == {-5: 50, -2: 20}
        nested = sk.stream({1: {1: 5, 9: 6}, 3: {2: 7}})
        assert nested.map(lambda i, row: row * sk.at_least(i + 1)).collect() == {1: {9: 6}, 3: {}}

    def test_the_identity(self, engine):
        square = sk.stream({1: {1: 5, 2: 6}, 2: {1: 7}, 4: {4: 8, 5: 9}})
        assert (square * sk.identity()).sum() == 13
        assert (sk.identity() * square).collect() == {1: {1: 5}, 2: {}, 4: {4: 8}}

    def test_what_they_refuse(self):
        assert "needs keys" in message(errors.ImplicitStream, lambda: sk.below(3).sum())
        assert "NaN" in message(errors.NotAKey, lambda: sk.below(float("nan")))
