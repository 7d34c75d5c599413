"""The vocabulary: the few words, beside Python's operators, in which every stream is written.

A definition written in these words can be *read* in several ways. The reading in force decides what a word does:
read plainly, `maximum(2, 3)` is 3; read by the tracer, it emits an instruction; a prover would make a term of it.

    >>> maximum(2, 3), no(True), select(2 < 3, lambda: "then", lambda: "else")
    (3, False, 'then')
    >>> loop(lambda n, acc: n < 4, lambda n, acc: (n + 1, acc + n), 0, 0)
    (4, 6)

| word | meaning |
|---|---|
| `a & b`, `a \\| b`, `no(a)` | and, or, not: both sides are evaluated |
| `maximum(a, b)`, `minimum(a, b)` | the larger, the smaller |
| `plus(a, b)`, `times(a, b)` | the sum and product of *values*: checked against int64, tuples by component |
| `gather(a, b)` | the same sum, where several make one and their order is free: floats may be added in any |
| `lowest(bits)` | the number of the lowest bit that is set; 64 where none is |
| `select(c, then, other)` | `then()` or `other()`: only one side is evaluated, so a read may be guarded |
| `loop(going, body, q, acc)` | `while going(q, acc): q, acc = body(q, acc)` |
| `column[i]`, `length(column)` | a read from an array, its length |
| `fetch(column, i)` | column[i] will be read soon: a hint, on which nothing depends |
| `tell(key)` | the outermost loop is at that key, for whoever waits |
| `parameter(box)` | a number that may differ from run to run without changing the code |
| `apply(f, *args)` | call a user's function |
| `@kernel` | a function with loops of its own, compiled as it stands |
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from .errors import IntegerOverflow, UnsupportedValue, WrongFunction

INT64_MAX = 2**63 - 1


class Reading:
    """The plain reading, on Python's own numbers; other readings override what they read differently."""

    def no(self, a: Any) -> Any:
        return not a

    def maximum(self, a: Any, b: Any) -> Any:
        return a if a >= b else b

    def minimum(self, a: Any, b: Any) -> Any:
        return a if a <= b else b

    def plus(self, a: Any, b: Any) -> Any:
        return within_int64(a + b)

    def gather(self, a: Any, b: Any) -> Any:
        return self.plus(a, b)

    def times(self, a: Any, b: Any) -> Any:
        return within_int64(a * b)

    def lowest(self, bits: Any) -> Any:
        return (bits & -bits).bit_length() - 1 if bits else 64

    def select(self, condition: Any, then: Callable[[], Any], other: Callable[[], Any]) -> Any:
        return then() if condition else other()

    def loop(self, going: Callable[..., Any], body: Callable[..., Any], q: Any, acc: Any) -> Any:
        while going(q, acc):
            q, acc = body(q, acc)
            for part in acc if isinstance(acc, tuple) else (acc,):
                within_int64(part)
        return q, acc

    def load(self, column: Any, i: Any) -> Any:
        return column.item(i)

    def length(self, column: Any) -> Any:
        return column.size

    def fetch(self, column: Any, i: Any) -> None:
        """column[i] will be read soon: for compiled code, which may have it brought nearer."""

    def parameter(self, box: Any) -> Any:
        return box.value if isinstance(box, Parameter) else box

    def apply(self, f: Callable[..., Any], *arguments: Any) -> Any:
        return within_int64(f(*arguments))

    def call(self, kernel: Kernel, arguments: tuple[Any, ...]) -> Any:
        return kernel.function(*arguments)

    def once(self, key: Any, compute: Callable[[], Any]) -> Any:
        """compute(), unless this reading remembers having computed it: pure work is done once a state."""
        return compute()

    def effect(self, perform: Callable[[], Any]) -> Any:
        """perform(), exactly once on every path, however often a reading runs the function around it."""
        return perform()

    def optional(self, present: Any, compute: Callable[[], Any]) -> Any:
        """compute() where present; otherwise something of the same shape that is never looked at."""
        return compute() if present else None

    def emptied(self, compute: Callable[[], Any]) -> Any:
        """compute(), with the buffers that it fills emptied first: this point may be passed again and again."""
        return compute()

    def undefined(self) -> Any:
        """A value that is overwritten before it is looked at; its shape is that of what overwrites it."""
        return None

    def buffer(self, owner: Any, role: str, name: str, like: Any, zeros: int) -> Any:
        """The growing array in which `owner` keeps its `role`, made with so many zeros when first asked for."""
        return owner.buffers.setdefault(role, Buffer([0] * zeros))

    def tell(self, key: Any) -> None:
        """The outermost loop is at that key: for whoever waits for compiled code."""

    def scratch(self, owner: Any, role: str, like: Any, size: Parameter) -> Any:
        """An array of so many zeros like `like`, made once, of which `owner` may change any place."""
        return owner.buffers.setdefault(role, Scratch(type(like)(), size))


def within_int64(x: Any) -> Any:
    """x itself; an integer beyond int64 is an error here because it is one in compiled code."""
    if type(x) is int and not -INT64_MAX - 1 <= x <= INT64_MAX:
        raise IntegerOverflow(
            "an integer result left the range of int64",
            "Use floating point values (`.map(lambda k, v: v * 1.0)`), or sum less at a time.",
        )
    return x


PLAIN = Reading()
_reading: ContextVar[Reading | None] = ContextVar("reading", default=None)


def reading() -> Reading:
    """The reading in force."""
    return _reading.get() or PLAIN


def is_being_read() -> bool:
    """Whether a reading was put in force: then a consumer runs in it, instead of asking an engine for a new one."""
    return _reading.get() is not None


@contextmanager
def read_by(new: Reading) -> Iterator[Reading]:
    """Put a reading in force."""
    token = _reading.set(new)
    try:
        yield new
    finally:
        _reading.reset(token)


def no(a: Any) -> Any:
    """Not a."""
    return reading().no(a)


def maximum(a: Any, b: Any) -> Any:
    """The larger of two."""
    return reading().maximum(a, b)


def minimum(a: Any, b: Any) -> Any:
    """The smaller of two."""
    return reading().minimum(a, b)


def by_component(word: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
    """A binary word on values, lifted to tuples and named tuples."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        if len(a) != len(b):
            raise UnsupportedValue(f"tuples of {len(a)} and of {len(b)} cannot be combined", "Make them equally long.")
        parts = (by_component(word, x, y) for x, y in zip(a, b, strict=True))
        return type(a)(*parts) if hasattr(a, "_fields") else tuple(parts)
    if isinstance(a, tuple):
        return by_component(word, a, type(a)(*[b] * len(a)) if hasattr(a, "_fields") else (b,) * len(a))
    if isinstance(b, tuple):
        return by_component(word, type(b)(*[a] * len(b)) if hasattr(b, "_fields") else (a,) * len(b), b)
    return word(a, b)


def plus(a: Any, b: Any) -> Any:
    """The sum of two values, by component where they are tuples."""
    return by_component(reading().plus, a, b)


def gather(a: Any, b: Any) -> Any:
    """The sum of two values as a part of a larger one, whose order is free; by component where they are tuples."""
    return by_component(reading().gather, a, b)


def times(a: Any, b: Any) -> Any:
    """The product of two values, by component where they are tuples."""
    return by_component(reading().times, a, b)


def lowest(bits: Any) -> Any:
    """The number of the lowest bit that is set in an integer; 64 where none is."""
    return reading().lowest(bits)


def select(condition: Any, then: Callable[[], Any], other: Callable[[], Any]) -> Any:
    """then() if condition else other(): only one side is evaluated."""
    return reading().select(condition, then, other)


def loop(going: Callable[..., Any], body: Callable[..., Any], q: Any, acc: Any) -> Any:
    """Repeat q, acc = body(q, acc) while going(q, acc); the last (q, acc)."""
    return reading().loop(going, body, q, acc)


def length(column: Any) -> Any:
    """How many entries a column has."""
    return reading().length(column)


def parameter(box: Any) -> Any:
    """The number in a Parameter; any other value as it is."""
    return reading().parameter(box)


def fetch(column: Any, i: Any) -> None:
    """Have column[i] brought nearer, as it will be read soon. Nothing is read: i may lie outside of the column."""
    reading().fetch(column, i)


def tell(key: Any) -> None:
    """Say at which key the outermost loop is."""
    reading().tell(key)


def apply(f: Callable[..., Any], *arguments: Any) -> Any:
    """f(*arguments), for a function of the user's."""
    return reading().apply(f, *arguments)


def passed(k: Any, key: Any, strict: Any) -> Any:
    """Whether `seek(q, key, strict)` may leave key k behind: k < key, or k == key if strict."""
    return (k < key) | (strict & (k == key))


def landing(q: Any, key: Any, stop: Any, strict: Any) -> Any:
    """Where a seek lands among consecutive integers, from q on and no further than just behind `stop`.

    A caller whose keys are floats may name one that lies between two of ours.
    """
    least = maximum(q, minimum(key, stop))
    whole = math.ceil(least)
    return whole + (strict & (whole == key))


def is_symbolic(x: Any) -> bool:
    """Whether x stands for a value that is only known at run time."""
    return getattr(x, "__symbolic__", False) is True


@dataclass(frozen=True, eq=False)
class Parameter:
    """A number that the code may not depend on: traced, it is an argument of the kernel, not a constant in it.

    `below`: what it always is below, and not less than 0, if the code may depend on that.
    """

    value: Any
    name: str = "size"
    below: int | None = field(default=None, repr=False)


@dataclass
class Buffer:
    """A growing array: where collected keys and values go. The plain reading keeps a list."""

    items: list[Any] = field(default_factory=list)

    def append(self, value: Any, stays: Any = True) -> None:
        """Put a value behind the last one. If it does not stay, the next one takes its place: for loops that had better
        not branch."""
        if stays:
            self.items.append(value)

    def put(self, i: Any, value: Any) -> None:
        self.items[i] = value

    @property
    def count(self) -> Any:
        return len(self.items)

    def clear(self) -> None:
        self.items.clear()

    def item(self, i: Any) -> Any:
        return self.items[i]

    def __getitem__(self, i: Any) -> Any:
        return reading().load(self, i)


@dataclass
class Scratch:
    """An array to write to at any place, zero at first. The plain reading remembers the places that were written to.

    It is an error there to go beyond the end. Compiled code does not look.
    """

    zero: Any
    size: Parameter
    items: dict[Any, Any] = field(default_factory=dict)

    def put(self, i: Any, value: Any) -> None:
        self.items[self.within(i)] = value

    def item(self, i: Any) -> Any:
        return self.items.get(self.within(i), self.zero)

    def within(self, i: Any) -> Any:
        if not 0 <= i < self.size.value:
            raise IndexError(f"place {i} of {self.size.value}")
        return i

    def __getitem__(self, i: Any) -> Any:
        return reading().load(self, i)


@dataclass(frozen=True, eq=False)
class Invariant:
    """Why a kernel's loop is right, said beside it for the prover.

    What holds whenever its body begins, of the variables as they are and as they were before the loop; and a number
    that falls, and is never below 0.
    """

    holds: Callable[[Any, Any], list[Any]]
    falls: Callable[[Any], Any]


@dataclass(frozen=True, eq=False)
class Kernel:
    """A function with loops on data: plain Python when interpreted, a call of compiled code when traced.

    `returns` names the kind of its result ("int", "float", "bool") where it is known; otherwise Numba is asked. `loops`
    has an invariant for each of its loops, if it is to be proved.
    """

    function: Callable[..., Any]
    returns: str | None = None
    loops: tuple[Invariant, ...] = ()

    def __call__(self, *arguments: Any) -> Any:
        return reading().call(self, arguments)

    def __repr__(self) -> str:
        return self.function.__name__

    def __reduce__(self) -> Any:
        return Kernel, (self.function, self.returns)  # invariants are for proofs, which are made where it stands

    def __deepcopy__(self, memo: Any) -> Kernel:
        return self


def kernel(function: Callable[..., Any]) -> Kernel:
    """Mark a function that loops on its arguments: it is compiled as it stands, by Numba.

    Numbers in it are Numba's: integer arithmetic wraps around at int64 there, as it does not elsewhere.

    >>> @kernel
    ... def digits(n):
    ...     count = 1
    ...     while n >= 10:
    ...         n //= 10
    ...         count += 1
    ...     return count
    >>> digits(12345)
    5
    """
    if not callable(function):
        raise WrongFunction(f"@kernel marks a function, not {type(function).__name__}")
    return Kernel(function)
