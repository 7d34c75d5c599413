"""What definitions come to on terms is what they come to on numbers."""

import pytest

pytest.importorskip("z3", reason="the extra `prove` is not installed")

import random

import z3

from skipstone.errors import NotProvable
from skipstone.prove import CLAIMS
from skipstone.prove.models import Decoded
from skipstone.prove.obligations import obligations
from skipstone.prove.paths import Mode, explored
from skipstone.prove.reading import Proving
from skipstone.prove.terms import INT, Term, expression, truth
from skipstone.prove.world import Size, World
from skipstone.words import Reading, maximum, minimum, no, passed, read_by, select

MADE_OF_STREAMS = [
    c for c in CLAIMS if not c.name.startswith(("search tree", "product with", "union with", "union of"))
]
MODELS, DRAWN = 6, 60  # worlds to look at, of so many at most: in some, no state is one that the invariant allows


def models(it, many, seed):
    """Worlds that the solver did not choose: keys, places and truths are set at random, as far as that is possible."""
    chance, world = random.Random(seed), it.world
    inputs = [x for x in world.inputs.values() if z3.is_expr(x) and (z3.is_int(x) or z3.is_bool(x))]
    for _ in range(many):
        solver = z3.Solver()
        solver.add(*world.axioms, *world.known, truth(it.answers["valid"]))
        for x in chance.sample(inputs, len(inputs)):
            wanted = x == (chance.randrange(3) if z3.is_int(x) else chance.random() < 0.5)
            if solver.check(wanted) == z3.sat:
                solver.add(wanted)
        if solver.check() == z3.sat:
            yield solver.model()


class OfModel(Reading):
    """The plain reading, except that values are names and the model says what their sum is called."""

    def __init__(self, here):
        self.here = here

    def plus(self, a, b):
        if not isinstance(a, str):
            return super().plus(a, b)
        return self.here.plain(Proving().plus(*(Term(self.here.term(x)) for x in (a, b))))


@pytest.mark.parametrize("claim", MADE_OF_STREAMS, ids=lambda claim: claim.name)
def test_on_terms_as_on_numbers(claim):
    """At random states of random lawful inputs, each method comes to the same."""
    world = World(claim.keys, size=Size(3, 3, 3))
    it = obligations(claim, world)
    compared = states = 0
    for model in models(it, DRAWN, seed=1):
        here = Decoded(world, model)
        stream = claim.made(here)
        q, key, strict = here.plain(it.q), here.plain(it.key), here.plain(it.strict)
        with read_by(OfModel(here)):
            if not claim.invariant(stream, q):
                continue
            states += 1
            answers = {"index": stream.index(q), "ready": stream.ready(q), "seek": stream.seek(q, key, strict)}
            answers |= {"next": stream.next(q)} if stream.ready(q) else {"approach": stream.approach(q)}
            answers |= {"value": stream.value(q)} if stream.ready(q) else {}
        for name, plain in answers.items():
            assert here.plain(as_terms(it.answers[name])) == plain, name
            compared += 1
        if states == MODELS:
            break
    assert compared or claim.name in ("empty", "guarded, absent")


def as_terms(x):
    return tuple(map(as_terms, x)) if isinstance(x, tuple) else expression(x)


WORDS = {
    "maximum": lambda a, b, c: maximum(a, b),
    "minimum": lambda a, b, c: minimum(a, b),
    "passed": lambda a, b, c: passed(a, b, c),
    "no": lambda a, b, c: no(a < b) & (a != b),
    "select": lambda a, b, c: select(c, lambda: a + 1, lambda: b - a),
    "a branch": lambda a, b, c: a * 2 if c and a < b else -b,
    "division": lambda a, b, c: (a // 3 + b % 4) - (a >> 1),
    "a loop": lambda a, b, c: doubled(a),
}


def doubled(a):
    steps = 0
    while steps < 3 and a < 4:
        a, steps = a + a, steps + 1
    return a


@pytest.mark.parametrize("word", WORDS)
def test_words_and_operators(word):
    f = WORDS[word]
    a, b, c = *z3.Ints("a b"), z3.Bool("c")
    with read_by(Proving()):
        found = expression(explored(lambda: f(Term(a), Term(b), Term(c)), [], Mode()).merged())
    for x in range(-4, 5):
        for y in range(-4, 5):
            for t in (False, True):
                got = z3.simplify(z3.substitute(found, (a, z3.IntVal(x)), (b, z3.IntVal(y)), (c, z3.BoolVal(t))))
                wanted = f(x, y, t)
                assert (z3.is_true(got) if isinstance(wanted, bool) else got.as_long()) == wanted


@pytest.mark.parametrize("ask", [len, int, float, list, hash], ids=lambda f: f.__name__)
def test_a_term_is_not_a_number(ask):
    with pytest.raises((NotProvable, TypeError)):
        ask(Term(z3.Const("x", INT)))


def test_sixty_branches_are_a_loop_without_an_invariant():
    def runs(n):
        while n < 1000:
            n = n + 1
        return n

    with pytest.raises(NotProvable, match="invariant"):
        explored(lambda: runs(Term(z3.Const("n", INT))), [], Mode())
