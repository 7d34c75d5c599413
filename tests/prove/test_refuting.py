"""Planted mistakes are refuted, each with a counterexample that a reader can follow; and users' own streams."""

import pytest

pytest.importorskip("z3", reason="the extra `prove` is not installed")

import skipstone as sk
from skipstone.combinators import Difference, Filter, Product, Rekeyed, Slice, Union
from skipstone.errors import NotProvable
from skipstone.prove import CLAIMS, Maybe, NotProved, Proved, Refuted
from skipstone.prove.refuting import refuted
from skipstone.storage.levels import SortedRun
from skipstone.words import maximum, no, passed, plus, select

CLAIM = {claim.name: claim for claim in CLAIMS}


def either(c, a, b):
    return select(c, lambda: a, lambda: b)


# Each: the claim, the class, the method, and what stands there instead.
FILTER = {
    "strict wherever it stands": ("seek", lambda s, q, key, strict: s.stream.seek(
        q, key, strict | select(s.stream.ready(q), lambda: no(s.accepts(q)), lambda: False))),
    "strict always": ("seek", lambda s, q, key, strict: s.stream.seek(q, key, True)),
    "never passes what it rejects": ("seek", lambda s, q, key, strict: s.stream.seek(q, key, strict)),
    "stands still": ("approach", lambda s, q: q),
    "asks where nothing is ready": ("ready", lambda s, q: s.accepts(q)),
    "accepts what it should reject": ("ready", lambda s, q: s.stream.ready(q)),
    "rejects what it should accept": ("ready", lambda s, q: select(
        s.stream.ready(q), lambda: no(s.accepts(q)), lambda: False)),
    "approaches where it should step": ("approach", lambda s, q: s.stream.approach(q)),
    "the wrong value": ("value", lambda s, q: plus(s.stream.value(q), s.stream.value(q))),
    "steps twice": ("next", lambda s, q: s.stream.seek(s.stream.next(q), s.stream.index(q), True)),
    "an index that nobody promised": ("index", lambda s, q: s.stream.index(s.stream.next(q))),
    "asks beyond the end": ("valid", lambda s, q: s.stream.ready(q)),
}  # fmt: skip
UNION = {
    "never ends": ("next", lambda s, q: q),
    "loses the other side": ("next", lambda s, q: (
        select(s.a.valid(q[0]), lambda: s.a.seek(q[0], s.b.index(q[1]), True), lambda: q[0]), q[1])),
    "reads a side that has ended": ("index", lambda s, q: s.a.index(q[0])),
    "ends with the first side": ("valid", lambda s, q: s.a.valid(q[0])),
    "ends with either side": ("valid", lambda s, q: s.a.valid(q[0]) & s.b.valid(q[1])),
    "ready where one side is": ("ready", lambda s, q: select(
        s.a.valid(q[0]), lambda: s.a.ready(q[0]), lambda: s.b.ready(q[1]))),
    "only the first value": ("value", lambda s, q: select(
        s.a.valid(q[0]), lambda: s.a.value(q[0]), lambda: s.b.value(q[1]))),
    "adds always": ("value", lambda s, q: plus(s.a.value(q[0]), s.b.value(q[1]))),
    "seeks one side": ("seek", lambda s, q, key, strict: (
        select(s.a.valid(q[0]), lambda: s.a.seek(q[0], key, strict), lambda: q[0]), q[1])),
    "seeks strictly": ("seek", lambda s, q, key, strict: (
        select(s.a.valid(q[0]), lambda: s.a.seek(q[0], key, True), lambda: q[0]),
        select(s.b.valid(q[1]), lambda: s.b.seek(q[1], key, True), lambda: q[1]))),
    "seeks where it has ended": ("seek", lambda s, q, key, strict: (
        s.a.seek(q[0], key, strict), s.b.seek(q[1], key, strict))),
    "stays with what is not ready": ("approach", lambda s, q: q),
}  # fmt: skip
PRODUCT = {
    "the smallest index": ("index", lambda s, q: s.factors[0].index(q[0])),
    "ready where one is": ("ready", lambda s, q: s.factors[0].ready(q[0])),
    "ready though keys differ": ("ready", lambda s, q: s.factors[0].ready(q[0]) & s.factors[1].ready(q[1])),
    "ready though it is not": ("ready", lambda s, q: s.factors[0].index(q[0]) == s.factors[1].index(q[1])),
    "ends with the last": ("valid", lambda s, q: s.factors[0].valid(q[0]) | s.factors[1].valid(q[1])),
    "the other value": ("value", lambda s, q: s.factors[0].value(q[0])),
    "values exchanged": ("value", lambda s, q: s.combine(s.factors[1].value(q[1]), s.factors[0].value(q[0]))),
    "seeks one factor": ("seek", lambda s, q, key, strict: (s.factors[0].seek(q[0], key, strict), q[1])),
    "seeks strictly": ("seek", lambda s, q, key, strict: (
        s.factors[0].seek(q[0], key, True), s.factors[1].seek(q[1], key, True))),
    "steps only one": ("next", lambda s, q: q),
    "approaches as if it stepped": ("approach", lambda s, q: s.next(q)),
    "seeks beyond the key": ("approach", lambda s, q: s.seek(q, s.index(q), True)),
}  # fmt: skip
DIFFERENCE = {
    "ready before it is known": ("ready", lambda s, q: s.a.ready(q[0])),
    "ready where the other stands": ("ready", lambda s, q: s.a.ready(q[0]) & select(
        s.b.valid(q[1]), lambda: s.a.index(q[0]) <= s.b.index(q[1]), lambda: True)),
    "stands still where the other holds the key": ("seek", lambda s, q, key, strict: (
        s.a.seek(q[0], key, strict), select(s.b.valid(q[1]), lambda: s.b.seek(q[1], key, strict), lambda: q[1]))),
    "reads the other's end": ("ready", lambda s, q: s.a.ready(q[0]) & (s.a.index(q[0]) < s.b.index(q[1]))),
    "passes a key that the other does not deliver": ("seek", lambda s, q, key, strict: (
        s.a.seek(q[0], key, strict | select(s.b.valid(q[1]), lambda: s.b.index(q[1]) == key, lambda: False)),
        select(s.b.valid(q[1]), lambda: s.b.seek(q[1], key, strict), lambda: q[1]))),
    "the other's value": ("value", lambda s, q: s.b.value(q[1])),
    "ends with the other": ("valid", lambda s, q: s.a.valid(q[0]) & s.b.valid(q[1])),
    "leaves the other behind": ("seek", lambda s, q, key, strict: (s.a.seek(q[0], key, strict), q[1])),
    "moves the other too far": ("next", lambda s, q: (s.a.next(q[0]), select(
        s.b.valid(q[1]), lambda: s.b.seek(q[1], s.b.index(q[1]), True), lambda: q[1]))),
    "the larger index": ("index", lambda s, q: select(
        s.b.valid(q[1]), lambda: maximum(s.a.index(q[0]), s.b.index(q[1])), lambda: s.a.index(q[0]))),
    "never ready": ("ready", lambda s, q: False),
    "steps nowhere": ("next", lambda s, q: q),
}  # fmt: skip
SLICE = {
    "below its bound": ("ready", lambda s, q: s.stream.ready(q)),
    "beyond its bound": ("valid", lambda s, q: s.stream.valid(q)),
    "its bound too": ("valid", lambda s, q: select(
        s.stream.valid(q), lambda: s.stream.index(q) <= s.hi, lambda: False)),
    "without its first": ("ready", lambda s, q: s.stream.ready(q) & (s.stream.index(q) > s.lo)),
    "to its other bound": ("seek", lambda s, q, key, strict: s.stream.seek(q, maximum(key, s.hi), strict)),
    "strict below its bound": ("seek", lambda s, q, key, strict: s.stream.seek(q, maximum(key, s.lo), strict)),
    "reads the end": ("valid", lambda s, q: s.stream.index(q) < s.hi),
    "approaches as the stream below": ("approach", lambda s, q: s.stream.approach(q)),
    "strict always": ("seek", lambda s, q, key, strict: s.stream.seek(q, maximum(key, s.lo), True)),
    "stands still": ("approach", lambda s, q: q),
    "the bound for an index": ("index", lambda s, q: s.lo),
    "the index of the next": ("index", lambda s, q: maximum(s.stream.index(q), s.hi)),
}  # fmt: skip


RUN = {
    "never moves": ("seek", lambda s, q, key, strict: q),
    "always moves": ("seek", lambda s, q, key, strict: q + 1),
    "backwards": ("seek", lambda s, q, key, strict: either(passed(s.column[q], key, strict), q - 1, q)),
    "two at a time": ("seek", lambda s, q, key, strict: q + 2 * either(passed(s.column[q], key, strict), 1, 0)),
    "to the end": ("seek", lambda s, q, key, strict: either(passed(s.column[q], key, strict), s.hi, q)),
    "passes its key": ("seek", lambda s, q, key, strict: q + either(s.column[q] <= key, 1, 0)),
    "reads behind the end": ("seek", lambda s, q, key, strict: q + either(s.column[q + 1] < key, 1, 0)),
    "ends too late": ("valid", lambda s, q: q <= s.hi),
    "ends too early": ("valid", lambda s, q: q + 1 < s.hi),
    "the next key": ("index", lambda s, q: s.column[q + 1]),
    "the value before": ("value", lambda s, q: s.inner.at(q - 1)),
    "starts at the second": ("start", lambda s: s.lo + 1),
}
KEY_MAP = {
    "the keys below": ("index", lambda s, q: s.stream.index(q)),
    "seeks below by its own key": ("seek", lambda s, q, key, strict: s.stream.seek(q, key, strict)),
    "never moves": ("seek", lambda s, q, key, strict: q),
    "always steps": ("seek", lambda s, q, key, strict: select(
        s.stream.ready(q), lambda: s.stream.next(q), lambda: s.stream.approach(q))),
    "steps only where it is ready": ("seek", lambda s, q, key, strict: select(
        passed(s.index(q), key, strict) & s.stream.ready(q), lambda: s.stream.next(q), lambda: q)),
    "passes its key": ("seek", lambda s, q, key, strict: select(
        passed(s.index(q), key, True) & s.stream.ready(q), lambda: s.stream.next(q), lambda: s.stream.approach(q))),
    "approaches what is ready": ("seek", lambda s, q, key, strict: select(
        passed(s.index(q), key, strict), lambda: s.stream.approach(q), lambda: q)),
    "the value of the next": ("value", lambda s, q: s.stream.value(s.stream.next(q))),
    "ends before its last": ("valid", lambda s, q: select(
        s.stream.valid(q), lambda: s.stream.valid(s.stream.seek(q, s.stream.index(q), True)), lambda: False)),
    "never ready": ("ready", lambda s, q: False),
    "ready where nothing is": ("ready", lambda s, q: True),
    "stays where it is": ("next", lambda s, q: q),
}  # fmt: skip
FAMILIES = {
    "key map": ("order-preserving key map", Rekeyed, KEY_MAP),
    "filter": ("filter", Filter, FILTER),
    "union": ("union", Union, UNION),
    "product": ("product of two", Product, PRODUCT),
    "difference": ("difference", Difference, DIFFERENCE),
    "slice": ("slice", Slice, SLICE),
    "sorted array": ("sorted array, linear seek", SortedRun, RUN),
}
PLANTED = [(family, mistake) for family, (_, _, mistakes) in FAMILIES.items() for mistake in mistakes]


@pytest.mark.parametrize(("family", "mistake"), PLANTED, ids=lambda x: x)
def test_a_planted_mistake_is_refuted(family, mistake, monkeypatch):
    name, cls, mistakes = FAMILIES[family]
    method, wrong = mistakes[mistake]
    monkeypatch.setattr(cls, method, wrong)
    found = refuted(CLAIM[name])
    assert found is not None
    told = str(found)
    assert found.law in told and "⟨" not in told and "Z3" not in told  # a reader sees streams, not terms


def test_a_filter_that_forces_strictness_loses_a_key(monkeypatch):
    monkeypatch.setattr(Filter, *FILTER["strict wherever it stands"])
    told = str(refuted(CLAIM["filter"]))
    assert "must keep key" in told and "but it became absent" in told


def test_a_union_that_never_ends_is_told_so(monkeypatch):
    monkeypatch.setattr(Union, *UNION["never ends"])
    assert "never ends" in str(refuted(CLAIM["union"]))


# ---------------------------------------------------------------------- users' own streams


class Without(sk.Stream):
    """The pairs of `a` whose keys `b` does not hold."""

    a: sk.Stream
    b: sk.Stream

    def start(self):
        return self.a.start(), self.b.start()

    def valid(self, q):
        return self.a.valid(q[0])

    def index(self, q):
        return self.a.index(q[0])

    def ready(self, q):
        return self.a.ready(q[0]) & select(
            self.b.valid(q[1]), lambda: self.a.index(q[0]) < self.b.index(q[1]), lambda: True
        )

    def seek(self, q, key, strict):
        a, b = self.a, self.b
        here = (a.index(q[0]) == key) & b.valid(q[1])
        excluded = select(here, lambda: (b.index(q[1]) == key) & b.ready(q[1]), lambda: False)
        behind = select(b.valid(q[1]), lambda: b.seek(q[1], key, strict), lambda: q[1])
        return a.seek(q[0], key, strict | excluded), behind

    def value(self, q):
        return self.a.value(q[0])

    def means(self, q, key):
        return self.a.means(q[0], key).where(no(self.b.means(q[1], key).there))

    def measure(self, q):
        return self.a.measure(q[0]) + self.b.measure(q[1])


class Hasty(Without):
    """It does not wait for b."""

    def ready(self, q):
        return self.a.ready(q[0])


class Evens(sk.Stream):
    """The even numbers below a bound."""

    stop: int

    def start(self):
        return 0

    def valid(self, q):
        return q < self.stop

    def ready(self, q):
        return True

    def index(self, q):
        return q

    def seek(self, q, key, strict):
        return q + 2 * either(passed(q, key, strict), 1, 0)

    def value(self, q):
        return q

    def means(self, q, key):
        return Maybe((q <= key) & (key < self.stop) & (key % 2 == 0), key)

    def measure(self, q):
        return maximum(self.stop + 1 - q, 0)


class EvensWithInvariant(Evens):
    def invariant(self, q):
        return (q % 2 == 0) & (q >= 0)


def test_a_users_stream_is_proved():
    found = sk.laws.prove(Without)
    assert isinstance(found, Proved) and found.obligations > 30 and found.laws["lawful"] == 2
    assert sk.laws.refute(Without) is None


def test_a_users_mistake_is_refuted():
    found = sk.laws.prove(Hasty)
    assert isinstance(found, Refuted) and "Hasty" in repr(found)
    assert sk.laws.refute(Hasty).counterexample.law == found.counterexample.law


def test_an_invariant_makes_the_difference():
    """From an odd state the even numbers would never come: such a state has to be excluded."""
    assert isinstance(sk.laws.prove(EvensWithInvariant), Proved)
    assert isinstance(sk.laws.prove(Evens), Refuted | NotProved)


@pytest.mark.parametrize("missing", ["means", "measure"])
def test_a_stream_that_does_not_say_what_it_means_is_told_so(missing):
    cls = type("Silent", (sk.Stream,), {name: lambda self, *q: 0 for name in ("means", "measure") if name != missing})
    with pytest.raises(NotProvable, match=f"Give it a method {missing}"):
        sk.laws.prove(cls)


class Mutable(Without):
    def ready(self, q):
        self.seen[0] = q
        return self.a.ready(q[0])


class Identical(Without):
    def ready(self, q):
        return self.a.ready(q[0]) & (q[0] is q[1])


@pytest.mark.parametrize(("cls", "why"), [(Mutable, "assignment into an object"), (Identical, "`is`")])
def test_the_lint_names_the_line(cls, why):
    with pytest.raises(NotProvable, match=f"{cls.__name__}.ready, line .*{why}"):
        sk.laws.prove(cls)
