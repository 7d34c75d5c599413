"""Every stream of the library keeps the laws; a dozen planted mistakes are each caught, and told in words."""

import pytest

import skipstone as sk
from skipstone.errors import LawBroken
from skipstone.examples import EXAMPLES
from skipstone.stream import Stream
from skipstone.words import no, passed


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_stream_keeps_the_laws(name):
    found = sk.laws.check(EXAMPLES[name]())
    assert found.laws == 6


class Keys(Stream):
    """A correct stream over a tuple of keys, to be spoilt by subclasses."""

    keys_: tuple = (0, 2, 3, 7, 8, 12)

    def start(self):
        return 0

    def valid(self, q):
        return q < len(self.keys_)

    def ready(self, q):
        return True

    def index(self, q):
        return self.keys_[q]

    def seek(self, q, key, strict):
        while q < len(self.keys_) and passed(self.keys_[q], key, strict):
            q += 1
        return q

    def value(self, q):
        return self.keys_[q] * 10


def test_the_unspoilt_stream_passes():
    sk.laws.check(Keys())


class GoesTooFar(Keys):
    """Passes the key itself although the seek was not strict."""

    def seek(self, q, key, strict):
        return super().seek(q, key, True)


class LandsOneBeyond(Keys):
    """Off by one."""

    def seek(self, q, key, strict):
        after = super().seek(q, key, strict)
        return after + 1 if after > q else after


class StandsStill(Keys):
    """Ignores strictness, so a fold never ends."""

    def seek(self, q, key, strict):
        return super().seek(q, key, False)


class GoesBackwards(Keys):
    """Starts its search from the beginning."""

    def seek(self, q, key, strict):
        return super().seek(0, key, strict)


class JumpsToTheEnd(Keys):
    """Gives up when a key is not there."""

    def seek(self, q, key, strict):
        return super().seek(q, key, strict) if key in self.keys_ else len(self.keys_)


class Wraps(Keys):
    """Starts again after the end."""

    def seek(self, q, key, strict):
        return super().seek(q, key, strict) % len(self.keys_)


class ChangesAValue(Keys):
    """Remembers in its state that it was sought, and lets it show."""

    def start(self):
        return (0, 0)

    def valid(self, q):
        return super().valid(q[0])

    def index(self, q):
        return super().index(q[0])

    def seek(self, q, key, strict):
        return super().seek(q[0], key, strict), q[1] + (0 if key in self.keys_ else 1)

    def value(self, q):
        return super().value(q[0]) + min(q[1], 1)


class LyingIndex(Keys):
    """Announces keys above those it delivers."""

    keys_: tuple = (0, 2, 3, 7)

    def ready(self, q):
        return q % 2 == 1

    def index(self, q):
        return self.keys_[q] if q % 2 == 1 else self.keys_[q] + 5

    def seek(self, q, key, strict):
        return q + 1


class Unsorted(Keys):
    """Keys that do not increase."""

    keys_: tuple = (0, 3, 2, 7)

    def seek(self, q, key, strict):
        return q + passed(self.keys_[q], key, strict)


class Repeats(Keys):
    """A key that comes twice."""

    keys_: tuple = (0, 2, 2, 7)

    def seek(self, q, key, strict):
        return q + passed(self.keys_[q], key, strict)


class FilterThatForcesStrictness(Stream):
    """The trap: strictness forced at any key loses the key that a galloping source lands on."""

    stream: Stream

    def start(self):
        return self.stream.start()

    def valid(self, q):
        return self.stream.valid(q)

    def ready(self, q):
        return self.index(q) % 2 == 0

    def index(self, q):
        return self.stream.index(q)

    def seek(self, q, key, strict):
        return self.stream.seek(q, key, strict | no(self.ready(q)))

    def value(self, q):
        return self.stream.value(q)


class FilterThatStandsStill(FilterThatForcesStrictness):
    """The other trap: a rejected key that is never passed."""

    def seek(self, q, key, strict):
        return self.stream.seek(q, key, strict)


class UnionThatNeverEnds(Stream):
    """{1, 3} + {2, 3}: both must be at the index to move, so neither ever does."""

    a: Stream
    b: Stream

    def start(self):
        return self.a.start(), self.b.start()

    def valid(self, q):
        return self.a.valid(q[0]) | self.b.valid(q[1])

    def ready(self, q):
        return True

    def index(self, q):
        if not self.b.valid(q[1]):
            return self.a.index(q[0])
        return min(self.a.index(q[0]), self.b.index(q[1])) if self.a.valid(q[0]) else self.b.index(q[1])

    def seek(self, q, key, strict):
        both = self.a.valid(q[0]) and self.b.valid(q[1]) and self.a.index(q[0]) == self.b.index(q[1])
        return (self.a.seek(q[0], key, strict), self.b.seek(q[1], key, strict)) if both else q

    def value(self, q):
        return 1


class WrongShortcut(Keys):
    """`next` skips two."""

    def next(self, q):
        return q + 2


def galloping(*keys):
    return sk.Sorted(list(keys), seek="gallop").stream()


@pytest.mark.parametrize(
    ("stream", "law"),
    [
        (GoesTooFar(), "lawful"),
        (LandsOneBeyond(), "lawful"),
        (StandsStill(), "bounded"),
        (GoesBackwards(), "monotone"),
        (JumpsToTheEnd(), "lawful"),
        (Wraps(), "bounded"),
        (ChangesAValue(), "lawful"),
        (LyingIndex(), "monotone"),
        (Unsorted(), "monotone"),
        (Repeats(), "strictly monotone"),
        (FilterThatForcesStrictness(galloping(1, 2, 4)), "lawful"),
        (FilterThatStandsStill(galloping(1, 2, 4)), "bounded"),
        (UnionThatNeverEnds(galloping(1, 3), galloping(2, 3)), "bounded"),
        (WrongShortcut(), "shortcuts"),
        (sk.chain(sk.range(0, 5), sk.range(3, 8)), "strictly monotone"),
    ],
    ids=lambda x: x if isinstance(x, str) else type(x).__name__,
)
def test_planted_mistakes_are_caught(stream, law):
    with pytest.raises(LawBroken) as caught:
        sk.laws.check(stream, limit=500)
    assert f'breaks the law "{law}"' in str(caught.value)
    assert "from start()" in str(caught.value)


def test_a_long_stream_is_not_a_broken_one():
    with pytest.raises(sk.errors.BadOption, match="too many to check"):
        sk.laws.check(sk.range(0, 10**9))
    assert sk.laws.check(sk.Dense(list(range(1500))).stream(), states=40, keys=4).laws == 6


def test_only_streams_can_be_checked():
    with pytest.raises(sk.errors.NotACollection, match=r"sk\.stream"):
        sk.laws.check({1: 2})


def test_the_trace_is_a_shortest_one():
    class Late(Keys):
        """Steps back when asked for a key long passed, but only from 7 on: no fold would notice."""

        def seek(self, q, key, strict):
            return q - 1 if q >= 3 and key == 1 else super().seek(q, key, strict)

    with pytest.raises(LawBroken) as caught:
        sk.laws.check(Late())
    assert str(caught.value).count("seek(") == 2  # one to get there, one to show it


def test_a_mistake_in_a_nested_stream_is_found_and_located():
    outer = sk.stream({1: 1, 5: 1}).map(lambda k, v: GoesTooFar() if k == 5 else Keys())
    with pytest.raises(LawBroken, match=r"GoesTooFar .*\n.*value at 5: start\(\)"):
        sk.laws.check(outer)


def test_a_run_ends_where_it_ends_though_the_column_goes_on():
    trie = sk.Trie.from_columns([[0, 0, 1], [5, 9, 7]], [1, 2, 3], seek="linear")
    run = next(row for key, row in trie.stream() if key == 0)
    assert dict(run) == {5: 1, 9: 2}
    sk.laws.check(run)
