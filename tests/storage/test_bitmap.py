"""Bitmap as an ordinary set, as a source and destination of streams, and in products that go word by word."""

import copy
import gc
import pickle
import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

import skipstone as sk
from skipstone.errors import BadOption, MixedKeys, NotAKey, UnsupportedValue, WrongState
from skipstone.storage.bitmap import Bits
from skipstone.words import Reading, lowest, read_by

EDGES = [-65, -64, -33, -32, -31, -1, 0, 1, 31, 32, 33, 63, 64, 65, 95, 96]
KEYS = st.sampled_from(EDGES) | st.integers(-200, 200)
SETS = st.sets(KEYS, max_size=30)


def ones(keys):
    return dict.fromkeys(sorted(keys), 1)


class BitmapAgainstSet(RuleBasedStateMachine):
    """Whatever is done to a bitmap, it is the set that the same was done to, and streams show what was."""

    def __init__(self):
        super().__init__()
        self.bitmap, self.model, self.streams = sk.Bitmap(), set(), []

    @rule(key=KEYS)
    def add(self, key):
        self.bitmap.add(key)
        self.model.add(key)

    @rule(key=KEYS)
    def discard(self, key):
        self.bitmap.discard(key)
        self.model.discard(key)

    @rule(keys=SETS)
    def update(self, keys):
        self.bitmap.update(keys)
        self.model.update(keys)

    @rule(keys=SETS)
    def join(self, keys):
        self.bitmap |= sk.Bitmap(keys)
        self.model |= keys

    @rule(keys=SETS)
    def keep(self, keys):
        self.bitmap &= sk.Bitmap(keys)
        self.model &= keys

    @rule()
    def clear(self):
        self.bitmap.clear()
        self.model.clear()

    @rule()
    def take_a_stream(self):
        self.streams.append((self.bitmap.stream(), ones(self.model)))

    @rule()
    def forget_a_stream(self):
        self.streams = self.streams[1:]

    @invariant()
    def they_agree(self):
        self.bitmap.check()
        assert list(self.bitmap) == sorted(self.model) and len(self.bitmap) == len(self.model)
        assert self.bitmap == self.model and all((k in self.bitmap) == (k in self.model) for k in EDGES)
        for stream, shown in self.streams:
            assert dict(stream) == shown


TestBitmapAgainstSet = BitmapAgainstSet.TestCase
TestBitmapAgainstSet.settings = settings(max_examples=60, stateful_step_count=25)


class TestAsASet:
    @given(SETS, SETS)
    def test_operators(self, a, b):
        x, y = sk.Bitmap(a), sk.Bitmap(b)
        for found, wanted in ((x & y, a & b), (x | y, a | b), (x - y, a - b), (x ^ y, a ^ b)):
            found.check()
            assert isinstance(found, sk.Bitmap) and found == wanted
        assert x & b == a & b and x | b == a | b and x - b == a - b and a - y == a - b and x ^ b == a ^ b
        assert (x <= y) == (a <= b) and (x == y) == (a == b) and x.isdisjoint(y) == a.isdisjoint(b)
        assert x == a and y == b

    @given(SETS)
    def test_it_is_made_of_anything_that_can_be_iterated(self, keys):
        arrays = [np.array(list(keys), dtype) for dtype in (np.int16, np.int64)]
        for source in (keys, list(keys), iter(keys), dict.fromkeys(keys), sk.Bitmap(keys), *arrays):
            made = sk.Bitmap(source)
            made.check()
            assert made == keys

    def test_nothing_at_all(self, engine):
        for empty in (sk.Bitmap(), sk.Bitmap([]), sk.Bitmap(np.array([])), sk.Bitmap({1}) & sk.Bitmap({100})):
            empty.check()
            assert len(empty) == 0 and list(empty) == [] and 0 not in empty and not empty
            assert empty.stream().collect() == {} and empty.stream().sum() == 0
            assert (empty.stream() * sk.Bitmap([1, 2]).stream()).collect() == {}

    def test_membership_is_by_equality_as_in_any_set(self):
        b = sk.Bitmap([0, 1, 40])
        assert 1.0 in b and True in b and np.int8(40) in b and np.float64(40) in b
        assert 1.5 not in b and "1" not in b and None not in b and float("nan") not in b and 2**80 not in b
        b.discard(40.0)
        b.discard("x")
        assert b == {0, 1}
        with pytest.raises(KeyError):
            b.remove(40)

    def test_a_short_repr(self):
        assert repr(sk.Bitmap()) == "Bitmap({}, 0 keys)"
        assert repr(sk.Bitmap([-1, 3])) == "Bitmap({-1, 3}, 2 keys)"
        assert repr(sk.Bitmap(range(9))) == "Bitmap({0, 1, 2, 3, …}, 9 keys)"

    def test_it_grows_on_both_sides(self):
        b = sk.Bitmap([1000])
        for n in range(0, 3000, 7):
            b.add(1000 + n)
            b.add(1000 - n)
        b.check()
        assert list(b) == sorted({1000 + n for n in range(0, 3000, 7)} | {1000 - n for n in range(0, 3000, 7)})

    def test_growing_takes_few_new_rooms(self):
        b, rooms = sk.Bitmap(), []
        for key in range(100_000):
            b.add(key)
            if not rooms or rooms[-1] is not b._room:
                rooms.append(b._room)
        assert len(rooms) < 16 and len(b) == 100_000 and b._room.size < 4 * 100_000 / 32

    def test_iterating_over_what_is_being_changed(self):
        b = sk.Bitmap(range(100))
        for key in b:
            b.discard(key)
            b.add(key + 1000)
        assert b == set(range(1000, 1100))

    def test_an_emptied_one_may_go_elsewhere(self):
        b = sk.Bitmap([0])
        b.discard(0)
        b.add(2**50)
        b.check()
        assert list(b) == [2**50]

    def test_copies(self):
        b = sk.Bitmap([3, -40])
        for other in (copy.copy(b), copy.deepcopy(b), pickle.loads(pickle.dumps(b))):
            other.add(7)
            assert other == {3, 7, -40} and b == {3, -40}

    def test_check_notices_what_is_wrong(self):
        for spoil in (
            lambda b: setattr(b, "_count", 5),
            lambda b: setattr(b, "_end", 99),
            lambda b: setattr(b, "_first", 1),
            lambda b: setattr(b, "_room", b._room.astype(np.int64)),
        ):
            b = sk.Bitmap([1, 40])
            spoil(b)
            with pytest.raises(WrongState):
                b.check()


class TestRefusals:
    @pytest.mark.parametrize(
        ("key", "error", "text"),
        [
            (True, NotAKey, "a bitmap holds integers, and True is none"),
            (1.5, NotAKey, r"a bitmap holds integers, and 1\.5 is none\n.*sk\.Sorted"),
            (2.0, NotAKey, "a bitmap holds integers"),
            ("one", NotAKey, "strings cannot be keys"),
            (None, NotAKey, r"None \(NoneType\) is not a key"),
            (float("nan"), NotAKey, "NaN"),
            (2**64, UnsupportedValue, "beyond int64"),
            (2**62, BadOption, r"between -2\*\*62 and 2\*\*62"),
            (-(2**63), BadOption, r"between -2\*\*62 and 2\*\*62"),
        ],
    )
    def test_what_is_no_key(self, key, error, text):
        b = sk.Bitmap([3])
        for put in (b.add, lambda k: b.update([k]), lambda k: sk.Bitmap([k])):
            with pytest.raises(error, match=text):
                put(key)
        b.check()
        assert b == {3}

    def test_arrays_of_other_things(self):
        for array in (np.array([1.5]), np.array([True]), np.array(["a"]), np.array([[1]])):
            with pytest.raises((NotAKey, UnsupportedValue)):
                sk.Bitmap(array)
        with pytest.raises(MixedKeys):
            sk.Bitmap([1, 2.5])

    def test_a_range_too_wide(self):
        b = sk.Bitmap([5])
        for put in (lambda: b.add(2**31 + 64), lambda: b.update([-(2**40)]), lambda: b | sk.Bitmap([2**40])):
            with pytest.raises(BadOption, match=r"too far apart for a bitmap\n.*Use a set, or sk\.Sorted"):
                put()
        b.check()
        assert b == {5}

    def test_keys_that_are_no_integers_are_not_collected(self, engine):
        with pytest.raises(NotAKey, match="a bitmap holds integers"):
            sk.stream({0.5: 1}).collect(into=sk.Bitmap)


class TestAsAStream:
    @settings(max_examples=40)
    @given(SETS, SETS, SETS, st.dictionaries(KEYS, st.integers(-9, 9), max_size=20))
    def test_products(self, a, b, c, d):
        x, y, z, other = (sk.stream(s) for s in (sk.Bitmap(a), sk.Bitmap(b), sk.Bitmap(c), d))
        mixed = {k: d[k] for k in sorted(a & b & d.keys())}

        def consume():
            return x.collect(), (x * y).collect(), (x * y * z).collect(), (x * other * y).collect(), (x * y).count()

        for name in ("interpreted", "compiled"):
            with sk.engine(name):
                assert consume() == (ones(a), ones(a & b), ones(a & b & c), mixed, len(a & b))

    @settings(max_examples=25)
    @given(SETS, SETS, KEYS, KEYS)
    def test_other_combinators(self, a, b, lo, hi):
        x, y = sk.Bitmap(a).stream(), sk.Bitmap(b).stream()
        for name in ("interpreted", "compiled"):
            with sk.engine(name):
                assert (x + y).collect() == {k: (k in a) + (k in b) for k in sorted(a | b)}
                assert x.without(y).collect() == ones(a - b)
                assert (x[lo:hi] * y).collect() == ones(k for k in a & b if lo <= k < hi)
                assert x.map(lambda k, v: k).sum() == sum(a)
                assert (lo in x) == (lo in a) and x.first() == ((min(a), 1) if a else None)

    @given(SETS, SETS)
    def test_laws(self, a, b):
        x, y = sk.Bitmap(a).stream(), sk.Bitmap(b).stream()
        for s in (x, x * y, x * sk.stream(b), x[-33:64]):
            sk.laws.check(s, states=60, keys=8)

    @pytest.mark.parametrize("key", [*EDGES, 2**62 - 1, 1 - 2**62, 2**57, -(2**57)])
    def test_one_key_alone(self, engine, key):
        s = sk.Bitmap([key]).stream()
        assert s.collect() == {key: 1} and s.map(lambda k, v: k).min() == key
        assert (s * sk.stream({-(2**63): 1, key: 5, 2**63 - 1: 1})).collect() == {key: 5}
        assert (s * sk.range(key, key + 1) if abs(key) < 2**61 else s).count() == 1
        assert s.get(key) == 1 and s.get(key - 1) is None and s.get(key + 1) is None
        sk.laws.check(s)

    def test_seeks_to_the_ends_of_int64(self, engine):
        s = sk.Bitmap(EDGES).stream()
        ends = sk.stream({-(2**63): 1, 64: 7, 2**63 - 1: 1})
        assert (s * ends).collect() == {64: 7} and s.without(ends).count() == len(EDGES) - 1
        assert (s + ends).count() == len(EDGES) + 2

    def test_far_apart_they_have_nothing_in_common(self, engine):
        a, b = sk.Bitmap([0, 5]).stream(), sk.Bitmap([2**60]).stream()
        assert (a * b).collect() == {} == (b * a).collect() and (a * b * a).count() == 0

    def test_seeks_between_keys(self, engine):
        """A stream with keys of its own making may name a key that is no integer."""
        halves = sk.stream(dict.fromkeys([1, 2, 5, 6, 63, 64, 128], 10)).map_keys(lambda k: k * 0.5, increasing=True)
        found = (sk.Bitmap([0, 1, 2, 3, 31, 32, 64, 65]).stream() * halves).collect()
        assert found == {1: 10, 3: 10, 32: 10, 64: 10}

    def test_the_same_bitmap_twice(self, engine):
        b = sk.Bitmap([1, 33])
        assert (b.stream() * b.stream()).collect() == {1: 1, 33: 1}

    def test_values_of_products(self, engine):
        b = sk.Bitmap([1, 2]).stream()
        assert (b * sk.stream({1: (1, 2.5)}) * b).collect() == {1: (1, 2.5)}
        assert (b * sk.stream({1: {5: 0.5}}) * b).collect() == {1: {5: 0.5}}
        assert (b * 3 * b).collect() == {1: 3, 2: 3}

    def test_a_product_made_inside_a_function_with_branches(self, engine):
        a, b = sk.Bitmap([1, 2, 3, 70]), sk.Bitmap([2, 3, 4, 70])

        def common(i, _):
            both = a.stream() * b.stream()
            return both.sum() if i % 2 == 0 else (both * sk.range(0, i)).count()

        assert sk.range(0, 4).map(common).collect() == {0: 3, 1: 0, 2: 3, 3: 1}

    def test_unions_and_differences_are_not_merged(self):
        a, b = sk.Bitmap([1]).stream(), sk.Bitmap([2]).stream()
        assert isinstance(a * b, Bits) and not isinstance(a + b, Bits) and a.meet(sk.range(0, 3)) is None


class TestSnapshots:
    def test_later_changes_are_not_seen(self, engine):
        b = sk.Bitmap([1, 40])
        before = b.stream()
        b.add(2)
        b.discard(40)
        b.add(-1000)
        assert before.collect() == {1: 1, 40: 1} and b.stream().collect() == {-1000: 1, 1: 1, 2: 1}

    def test_nor_by_a_product_or_a_kernel_that_outlives_the_stream(self):
        b = sk.Bitmap([1, 40])
        product, kernel = b.stream() * sk.Bitmap([1, 2, 40]).stream(), b.stream().compile()
        b.add(2)
        assert product.collect() == {1: 1, 40: 1} and kernel() == 2 and b.stream().sum() == 3

    def test_words_are_copied_only_where_somebody_reads_them(self):
        b = sk.Bitmap([1, 40])
        room, stream = b._room, b.stream()
        assert np.shares_memory(stream.words[0].array, room) and b.stream().words == stream.words
        del stream
        b.add(2)
        assert b._room is room
        stream = b.stream()
        b.add(3)
        assert b._room is not room and stream.count() == 3
        room = b._room
        b.add(4)
        assert b._room is room

    def test_it_is_freed_as_soon_as_nobody_holds_it(self):
        gc.disable()
        try:
            b = sk.Bitmap([1, 2])
            stream = b.stream()
            watch = weakref.ref(b), weakref.ref(stream.words[0])
            del b, stream
            assert watch[0]() is None and watch[1]() is None
        finally:
            gc.enable()


class TestAsADestination:
    def test_collect(self, engine):
        s = sk.stream({3: 0.5, -40: 2.0, 64: 0.0})
        found = s.collect(into=sk.Bitmap)
        found.check()
        assert isinstance(found, sk.Bitmap) and found == {-40, 3, 64}
        assert sk.stream({}).collect(into=sk.Bitmap) == set()
        assert sk.stream({1: {2: 3}}).collect(into=sk.Bitmap) == {1}
        assert sk.range(0, 10).map_keys(lambda k: k // 4).collect(into=sk.Bitmap) == {0, 1, 2}

    def test_keys_are_added_to_one_that_is_there(self, engine):
        there = sk.Bitmap([1, 100])
        before = there.stream()
        assert sk.stream({3: 0.5, -40: 2.0}).collect(into=there) is there
        assert there == {-40, 1, 3, 100} and before.count() == 2
        there.check()

    def test_memo(self, engine):
        kept = sk.stream({3: 5, 64: 7}).memo(into=sk.Bitmap)
        assert isinstance(kept, Bits) and kept.collect() == {3: 1, 64: 1}


class Counting(Reading):
    """A reading that counts what is read from each column."""

    def __init__(self):
        self.reads = {}

    def load(self, column, i):
        self.reads[id(column)] = self.reads.get(id(column), 0) + 1
        return super().load(column, i)


class TestWordByWord:
    def reads(self, stream, consume):
        counting = Counting()
        with read_by(counting):
            consume()
        return [counting.reads.get(id(column), 0) for column in stream.words]

    def test_a_product_reads_each_word_once(self):
        a, b, c = (sk.Bitmap(range(start, 10_000, step)) for start, step in ((0, 1), (5, 3), (64, 7)))
        two, three = a.stream() * b.stream(), a.stream() * b.stream() * c.stream()
        assert self.reads(two, two.sum) == [313, 313]
        assert self.reads(three, three.sum) == [311, 311, 311]  # the first two words of the others are not read

    def test_a_seek_reads_one_word(self):
        few, many = sk.Sorted(np.arange(0, 100_000, 1000)).stream(), sk.Bitmap(range(100_000)).stream()
        (reads,) = self.reads(many, (few * many).sum)
        assert reads <= 2 * 100 + 1

    def test_it_stops_early(self):
        s = sk.Bitmap(range(100_000)).stream() * sk.Bitmap(range(50, 100_000)).stream()
        assert self.reads(s, s.any) <= [2, 2]


class TestLowest:
    NUMBERS = [1, 2, 3, 8, 2**31, 2**32, 2**62, -1, -8, -(2**63), 0]

    def test_plainly(self):
        assert [lowest(n) for n in self.NUMBERS] == [0, 1, 0, 3, 31, 32, 62, 0, 3, 63, 64]

    def test_both_engines(self, engine):
        s = sk.Dense(np.array(self.NUMBERS)).stream()
        assert s.map(lambda k, v: lowest(v)).collect(into=list) == list(
            enumerate([0, 1, 0, 3, 31, 32, 62, 0, 3, 63, 64])
        )

    def test_a_float_has_none(self):
        with pytest.raises(UnsupportedValue, match="a float has no lowest bit"):
            sk.stream({1: 2.5}).map(lambda k, v: lowest(v)).sum()
