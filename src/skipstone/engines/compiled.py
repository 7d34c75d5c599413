"""The compiled engine: trace a consumer, compile what it wrote, run that."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any

import numpy as np

from ..combinators import total
from ..errors import UnsupportedValue
from ..kernel import Compiled, call, compile_program, kernel_returns, source_value
from ..source import Source
from ..storage.gathered import Gathered
from ..stream import Stream
from ..structure import leaves, rebuild
from ..trace import Program, Symbol, Tracer, heeding, narrowed, verify
from ..trace.symbol import Undefined
from ..words import read_by
from .likeness import likeness


def trace(consume: Callable[[], Any]) -> tuple[Program, Any]:
    """The program of a consumer, and the shape of its result."""
    tracer = Tracer(kernel_returns)
    with read_by(tracer):
        result = consume()
    parts = leaves(result)
    for n, leaf in enumerate(parts):
        if isinstance(leaf, Gathered):
            if any(leaf is other for other in parts[:n]):
                continue  # it is returned twice, and made once
            for level in leaf.levels():
                tracer.program.results += [
                    tracer.buffer(level, role, role, 0, 1 if role == "starts" else 0) for role in level.roles()
                ]
        elif isinstance(leaf, Symbol | int | float):
            tracer.program.results.append(tracer.known(leaf))
        elif not isinstance(leaf, Undefined):
            raise UnsupportedValue(
                f"a kernel cannot return {type(leaf).__name__}",
                "Consume the stream: sum, count, collect …; numbers, tuples of them and collections can be returned. "
                "(The first pair of a nested stream: `next(iter(stream))`.)",
            )
    program = tracer.program
    narrowed(program)
    heeding(program)
    verify(program)
    tracer.forget()
    return program, result


def compiled(consume: Callable[[], Any]) -> Any:
    """Run a consumer as one fused kernel; traced, if none was that is like it."""
    alike = likeness(consume)
    if alike is not None:
        return kept(*alike, consume).run(alike[1])
    program, result = trace(consume)
    kernel, arguments = compile_program(program)
    return received(result, call(kernel, arguments))


def again(key: Any, sources: list[Any], consume: Callable[[], Any]) -> Callable[[list[Any]], Callable[[], Any]] | None:
    """A way to run a consumer; traced, if none came before under this key. See `stream.again`."""
    alike = likeness(key)
    if alike is None:
        return None
    kernel = kept(alike[0], [*alike[1], *sources], consume, told=True)
    return lambda sources: partial(kernel.call, kernel.arguments([*alike[1], *sources]))


def kept(key: Any, sources: list[Any], consume: Callable[[], Any], told: bool = False) -> KeptKernel:
    """The kernel of all consumers with this likeness. `told`: all that is no source of theirs depends on the key."""
    ids = [*map(id, sources)]  # a source that stands in two places is one argument of the code
    key = key, len(ids) if len(set(ids)) == len(ids) else tuple(map(ids.index, ids))
    if (found := _kept.get(key)) is not None:
        found.used = next(_uses)
        return found
    program, result = trace(consume)
    kernel, arguments = compile_program(program)
    places = {id(source): n for n, source in enumerate(sources)}
    read = [places.get(id(source)) for _, source in program.arguments]
    others = [x for n, x in enumerate(arguments) if n >= len(read) or read[n] is None]
    found = KeptKernel(kernel, [*read, *[None] * (len(arguments) - len(read))], others, result, next(_uses))
    if told or None not in read:  # what was made while it was traced may be another the next time
        with _lock:
            _kept[key] = found
            if len(_kept) > KEPT:
                del _kept[min(_kept, key=lambda each: _kept[each].used)]
    return found


@dataclass
class KeptKernel:
    """A kernel, which of its consumer's sources its arguments are (None: one of the others), and the shape of its
    result."""

    kernel: Compiled
    read: list[int | None]
    others: list[Any]
    result: Any
    used: int = 0  # when it was last asked for

    def run(self, sources: list[Any]) -> Any:
        return self.call(self.arguments(sources))

    def arguments(self, sources: list[Any]) -> list[Any]:
        others = iter(self.others)
        return [next(others) if n is None else source_value(sources[n]) for n in self.read]

    def call(self, arguments: list[Any]) -> Any:
        return received(self.result, call(self.kernel, arguments))


KEPT = 256
_kept: dict[Any, KeptKernel] = {}  # looked up by one hash of a long key: an OrderedDict would take three
_uses = count()
_lock = threading.Lock()

compiled.compiles = True  # type: ignore[attr-defined]
compiled.again = again  # type: ignore[attr-defined]


def received(result: Any, returned: Any) -> Any:
    """What a kernel returned, in the shape of what the consumer returned."""
    if isinstance(result, Symbol) and result.kind != "bool":
        return returned[0]
    values, made = iter(returned), dict[int, Any]()

    def taken(leaf: Any) -> Any:
        if isinstance(leaf, Gathered):
            if id(leaf) not in made:
                arrays = {(id(level), role): next(values) for level in leaf.levels() for role in level.roles()}
                made[id(leaf)] = leaf.made(lambda level, role: arrays[id(level), role])
            return made[id(leaf)]
        if isinstance(leaf, Symbol | int | float):
            value = next(values)
            return value.item() if isinstance(value, np.generic) else value
        return None  # undefined: nothing was found

    return rebuild(result, iter([taken(leaf) for leaf in leaves(result)]))


class FusedKernel:
    """A compiled expression: call it to run it again; `source` shows what was emitted."""

    def __init__(self, program: Program, result: Any, kernel: Compiled, arguments: list[Any]) -> None:
        self.program, self.result, self._kernel, self._arguments = program, result, kernel, arguments

    @property
    def source(self) -> Source:
        """The emitted loop nest."""
        return Source(self._kernel.source)

    def _repr_html_(self) -> str:
        return self.source._repr_html_()

    @property
    def from_disk(self) -> bool:
        """Whether the machine code came from the cache on disk."""
        return self._kernel.from_disk

    def __call__(self) -> Any:
        return received(self.result, call(self._kernel, self._arguments))

    def __repr__(self) -> str:
        return f"<fused kernel, {len(self.source.splitlines())} lines>"


def compile(consume: Callable[[], Any]) -> FusedKernel:
    """Compile an expression without running it.

    >>> import skipstone as sk
    >>> kernel = sk.compile(lambda: (sk.range(0, 1000) * sk.range(10, 20)).sum())
    >>> kernel()
    2185
    >>> print(kernel.source)
    def fused():
        q = 0
        ...
    """
    program, result = trace(consume)
    return FusedKernel(program, result, *compile_program(program))


def _compile(self: Stream, consume: Callable[[Stream], Any] = total) -> FusedKernel:
    """The kernel that consumes this stream, by default one that sums it.

    >>> import skipstone as sk
    >>> sk.stream({1: 2.0}).compile()()
    2.0
    """
    return compile(lambda: consume(self))


Stream.compile = _compile  # type: ignore[assignment,method-assign]
