"""The protocol: what a stream is, and the one fold that consumes it.

A stream is a finite map from ordered keys to values that can be *sought* as well as stepped. It is an immutable
description; where one stands in it is a *state* q, a number or a tuple of them. Six small methods say it all:

    start()               the first state
    valid(q)              is there anything left?
    ready(q)              does q deliver a pair?                      (asked only where valid)
    index(q)              a lower bound on every key still to come;
                          the key itself where ready                  (asked only where valid)
    seek(q, key, strict)  a later state: see below                    (asked only where valid)
    value(q)              the value delivered                         (asked only where valid and ready)

**The contract of seek.** A caller that names `(key, strict)` says: I do not need any key below `key`, nor `key` itself
if `strict`. In return `seek`

- *may* leave those keys behind, as many of them as it likes, none included;
- *must not* leave behind any other key, nor change the value of one;
- *never* goes backwards: a caller may name a key that was passed long ago, and the answer is then q or a later state;
- *must make progress* whenever `(key, strict) >= (index(q), ready(q))`, in lexicographic order, False before True:
  the state it returns must be closer to the end. That is the termination rule. A stream that stands at key 5 without
  delivering anything there (a filter that rejected it, a product whose factors disagree) is asked `seek(q, 5, False)`;
  if it answered q, the fold would ask for ever.

The laws that follow from it are spelled out, and checked on any stream, in `laws.py`.

Two more methods are derived, and may be overridden where a cheaper step exists: `next(q)` leaves a ready state, and
`approach(q)` a state that is not ready. The fold takes them in two arms because in each of them more is known: with
one arm, `q = seek(q, index, ready)`, a three-way product took 1.35 times as long (docs/decisions/0002-two-arms.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields
from functools import wraps
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, dataclass_transform

from .words import PLAIN, Kernel, is_being_read, loop, no, read_by, reading, select

F = TypeVar("F", bound=Callable[..., Any])

_METHODS = ("start", "valid", "ready", "index", "seek", "next", "approach", "value")


def pure(method: F) -> F:
    """A method that depends on nothing but the state: asked twice, it answers once, if the reading remembers.

    The methods of the protocol are pure without saying so; a stream's own helpers may say `@pure`.
    """

    @wraps(method)
    def answer(self: Any, *arguments: Any) -> Any:
        now = reading()
        if now is PLAIN:
            return method(self, *arguments)
        return now.once((method, self, arguments), lambda: method(self, *arguments))

    return answer  # type: ignore[return-value]


@dataclass_transform(frozen_default=True, eq_default=False)
class Stream:
    """A finite map from ordered keys to values, as a state machine. Subclasses are frozen dataclasses by themselves.

    >>> class Evens(Stream):
    ...     stop: int
    ...     def start(self):                return 0
    ...     def valid(self, q):             return q < self.stop
    ...     def ready(self, q):             return True
    ...     def index(self, q):             return q
    ...     def seek(self, q, key, strict): return q + 2 * ((q < key) | (strict & (q == key)))
    ...     def value(self, q):             return q * q
    >>> dict(Evens(8))
    {0: 0, 2: 4, 4: 16, 6: 36}

    Building:    map, filter, map_keys, without, slicing `s[a:b]`, `*`, `+`, `-`
    Consuming:   sum, fold, any, all, first, min, max, count, collect, memo, iteration
    """

    __composite__: ClassVar[bool] = True
    __array_ufunc__: ClassVar[None] = None  # so that NumPy leaves `array * stream` to us
    ordered: ClassVar[bool] = True

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True, eq=False, repr=False)(cls)
        for name in _METHODS:
            if name in cls.__dict__:
                setattr(cls, name, pure(cls.__dict__[name]))

    # ------------------------------------------------------------------ the protocol

    def start(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not define start()")

    def valid(self, q: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not define valid(q)")

    def ready(self, q: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not define ready(q)")

    def index(self, q: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not define index(q)")

    def seek(self, q: Any, key: Any, strict: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not define seek(q, key, strict)")

    def value(self, q: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not define value(q)")

    @pure
    def next(self, q: Any) -> Any:
        """Past a ready state."""
        return self.seek(q, self.index(q), True)

    @pure
    def approach(self, q: Any) -> Any:
        """On from a state that is not ready, without losing its key."""
        return self.seek(q, self.index(q), False)

    def key_kind(self) -> str | None:
        """The kind of this stream's keys ("int", "float", "bool", "str"), or None where only running it would tell."""
        return None

    def meet(self, other: Stream) -> Stream | None:
        """The product with another stream as one stream that is cheaper than stepping both, if there is one."""
        return None

    def among(self, factors: tuple[Stream, ...]) -> Stream:
        """This stream as one of the factors of a product: one that has several ways to seek chooses here."""
        return self

    # ------------------------------------------------------------------ as a Python object

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        """The pairs in increasing order of keys, one at a time, interpreted. Nested values are streams."""
        q = self.start()
        while self.valid(q):
            if self.ready(q):
                yield self.index(q), self.value(q)
                q = self.next(q)
            else:
                q = self.approach(q)

    def __repr__(self) -> str:
        parts = ", ".join(_brief(getattr(self, f.name)) for f in fields(self))  # type: ignore[arg-type]
        return f"{type(self).__name__}({parts})"

    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        raise TypeError("the truth of a stream is not defined: ask `.any()`, or compare `.count()` with 0")

    if TYPE_CHECKING:  # the verbs: one file each, under combinators/ and storage/

        def map(self, f: Callable[[Any, Any], Any]) -> Stream: ...
        def filter(self, f: Callable[[Any, Any], Any]) -> Stream: ...
        def map_keys(
            self, f: Callable[[Any], Any], *, increasing: bool = False, inverse: Callable[[Any], Any] | None = None
        ) -> Stream: ...
        def without(self, other: Any) -> Stream: ...
        def __mul__(self, other: Any) -> Stream: ...
        def __rmul__(self, other: Any) -> Stream: ...
        def __add__(self, other: Any) -> Stream: ...
        def __radd__(self, other: Any) -> Stream: ...
        def __sub__(self, other: Any) -> Stream: ...
        def __neg__(self) -> Stream: ...
        def __getitem__(self, bounds: slice) -> Stream: ...
        def __contains__(self, key: Any) -> bool: ...
        def sum(self) -> Any: ...
        def fold(self, f: Callable[[Any, Any, Any], Any], start: Any) -> Any: ...
        def any(self) -> bool: ...
        def all(self) -> bool: ...
        def count(self) -> int: ...
        def first(self, default: Any = None) -> Any: ...
        def get(self, key: Any, default: Any = None) -> Any: ...
        def min(self, default: Any = None, enough: Any = None) -> Any: ...
        def max(self, default: Any = None, enough: Any = None) -> Any: ...
        def collect(self, into: Any = dict) -> Any: ...
        def memo(self, into: Any = None) -> Stream: ...
        def compile(self, consume: Callable[[Stream], Any] | None = None) -> Any: ...


def _brief(part: Any) -> str:
    if isinstance(part, tuple):
        return ", ".join(map(_brief, part))
    return getattr(part, "__name__", None) or repr(part)


def verb(function: F) -> F:
    """Make a function of a stream a method of every stream, under its own name. Users' own combinators may too.

    >>> @verb
    ... def doubled(stream):
    ...     return stream.map(lambda key, value: 2 * value)
    """
    setattr(Stream, function.__name__, function)
    return function


# ---------------------------------------------------------------------- the one fold


def fold(f: Callable[[Any, Any, Any], Any], stream: Stream, acc: Any, done: Callable[[Any], Any] | None = None) -> Any:
    """f(… f(f(acc, k₀, v₀), k₁, v₁) …) over the pairs of a stream, in order; `done(acc)` ends it early.

    Everything that consumes a stream is this loop.
    """

    def going(q: Any, acc: Any) -> Any:
        return stream.valid(q) if done is None else stream.valid(q) & no(done(acc))

    def visit(q: Any, acc: Any) -> Any:
        new = f(acc, stream.index(q), stream.value(q))
        return stream.next(q), new

    def step(q: Any, acc: Any) -> Any:
        return select(stream.ready(q), lambda: visit(q, acc), lambda: (stream.approach(q), acc))

    return loop(going, step, stream.start(), acc)[1]


# ---------------------------------------------------------------------- who runs a whole expression

Engine = Callable[[Callable[[], Any]], Any]


def interpreted(consume: Callable[[], Any]) -> Any:
    """The reference engine: run the definitions as they stand, on Python's own numbers."""
    with read_by(PLAIN):
        return consume()


_engine: ContextVar[Engine | None] = ContextVar("engine", default=None)
_default: list[Engine] = [interpreted]


def use_by_default(engine: Engine) -> None:
    """Install the engine that runs expressions wherever `running_on` does not say otherwise."""
    _default[0] = engine


@contextmanager
def running_on(engine: Engine) -> Iterator[None]:
    """Run every expression inside this block on the given engine."""
    token = _engine.set(engine)
    try:
        yield
    finally:
        _engine.reset(token)


_machine: list[Callable[[Kernel, tuple[Any, ...]], Callable[..., Any]]] = []


def use_machine(machine: Callable[[Kernel, tuple[Any, ...]], Callable[..., Any]]) -> None:
    """Install what makes machine code of kernels that are called from Python: see `worker`."""
    _machine[:] = [machine]


def worker(kernel: Kernel, *arguments: Any) -> Callable[..., Any]:
    """A kernel as a function to call from Python, on arrays that it may change.

    Compiled for arguments like these; on the interpreted engine, the function as it stands.
    """
    if not _machine or is_interpreted():
        return kernel.function
    return _machine[0](kernel, arguments)


_emitter: list[Callable[[Callable[[], Any]], str]] = []


def use_emitter(emitter: Callable[[Callable[[], Any]], str]) -> None:
    """Install what shows the code that would run a consumer: see `emitted`."""
    _emitter[:] = [emitter]


def emitted(consume: Callable[[], Any]) -> str:
    """The loops that would run a consumer, as source; nothing, where nothing is compiled."""
    return _emitter[0](consume) if _emitter and not is_interpreted() else ""


def is_interpreted() -> bool:
    """Whether the engine is one that compiles nothing."""
    return not getattr(_engine.get() or _default[0], "compiles", False)


def ready_engine() -> Any:
    """Who runs what `again` gives: an engine that compiles; None for others, and inside of another's reading."""
    return None if is_interpreted() or is_being_read() else _engine.get() or _default[0]


def again(key: Any, sources: list[Any], consume: Callable[[], Any]) -> Callable[[list[Any]], Callable[[], Any]] | None:
    """A way to run a consumer whose loops, and the numbers in them, depend on `key` alone, and which reads arrays of
    `sources`; on those, or on others like them. It may be kept, and holds none of them.

    For a key that came before, an engine that compiles has a kernel. None where it is run anew each time: see `run`.
    """
    ready = getattr(_engine.get() or _default[0], "again", None)
    if key is None or ready is None or is_being_read():
        return None
    found: Callable[[list[Any]], Callable[[], Any]] | None = ready(key, sources, consume)
    return found


def run(consume: Callable[[], Any], finish: Callable[[Any], Any] = lambda result: result) -> Any:
    """Run a consumer: inside another one's reading as part of it, otherwise on the engine, `finish`ed in Python."""
    if is_being_read():
        return consume()
    return finish((_engine.get() or _default[0])(consume))
