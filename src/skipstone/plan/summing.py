"""What every loop does that sums: (whether there was anything, what it came to)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from ..algebra import Semiring
from ..stream import Stream, fold
from ..words import gather, maximum, minimum, plus, reading, select
from .term import At, Factor


def summed(stream: Stream, body: Callable[[Any, Any], Any], semiring: Semiring, from_nothing: bool, done: Any) -> Any:
    """The sum of what `body` makes of each key and value: (whether there is anything, what). `from_nothing`: it begins
    with the first of them, and not with zero. `done` says of such a pair whether nothing can be added any more."""
    add = gather if semiring.plus is plus else semiring.plus  # rows have no order, and neither has their sum

    def step(acc: Any, key: Any, value: Any) -> Any:
        found, new = body(key, value)
        return acc[0] | found, add(acc[1], new)

    def step_from_nothing(acc: Any, key: Any, value: Any) -> Any:
        found, new = body(key, value)
        more = select(found, lambda: select(acc[0], lambda: add(acc[1], new), lambda: new), lambda: acc[1])
        return acc[0] | found, more

    if from_nothing:
        return fold(step_from_nothing, stream, (False, reading().undefined()), done)
    return fold(step, stream, (False, semiring.zero), done)


def summed_with_zeros(stream: Stream, body: Callable[[Any, Any], Any], semiring: Semiring) -> Any:
    """The same where the value of what is not there is zero: a sum that is not, tells that there is something.

    Only one that is zero takes another look. To read at each key whether it is there took as long as all else.
    """
    total = fold(lambda acc, key, value: gather(acc, body(key, value)[1]), stream, semiring.zero)

    def look() -> Any:
        return fold(lambda acc, key, value: acc | body(key, value)[0], stream, False, lambda acc: acc)

    return select(total != semiring.zero, lambda: True, look), total


def has_enough(semiring: Semiring, acc: Any) -> Any:
    """Whether nothing can be added to a sum any more."""
    return select(acc[0], lambda: acc[1] == semiring.enough, lambda: False)


def begins_with_nothing(semiring: Semiring, tuples: bool) -> bool:
    """Whether a sum begins with its first value, and not with zero.

    Where the neutral element is infinite, integers would become floats by it; the largest product may be smaller than
    zero, where factors are; and no element fits all tuples. The plus of a user's semiring is never asked about a value
    that is not there.
    """
    smaller = semiring.plus in (minimum, maximum) and semiring.enough is None
    return smaller or (tuples and semiring.plus in (plus, minimum, maximum))


def tested(tests: Iterable[Factor], at: At, semiring: Semiring, value: Callable[[], Any], optional: bool) -> Any:
    """(Whether all tests say yes, the value where they do); zero stands for it elsewhere, unless it is `optional`."""
    found: Any = True
    for test in tests:  # each only where those before it said yes
        found = select(found, partial(test.value, at, semiring), lambda: False)
    return present(found, value, semiring.zero, optional)


def present(found: Any, value: Callable[[], Any], zero: Any, optional: bool) -> Any:
    """(Whether it is found, its value); zero stands for what is not, unless it is `optional`."""
    if found is True:
        return True, value()
    return found, reading().optional(found, value) if optional else select(found, value, lambda: zero)
