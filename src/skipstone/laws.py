"""The laws that every stream keeps, as predicates, and a checker that looks for a state in which one is broken.

    >>> import skipstone as sk
    >>> sk.laws.check(sk.stream({1: 10, 4: 40}) * sk.range(0, 5))
    Checked(laws=6, states=9, seeks=75)

| law | says |
|---|---|
| monotone | a seek never lowers the index |
| strictly monotone | a seek past a ready state raises it |
| lawful | a seek keeps every key that it was not told to pass, and its value |
| bounded | whatever is sought, the stream ends; a seek that must make progress does |
| in order | keys are delivered in increasing order, none below the index that announced them |
| shortcuts | `next` and `approach` do what the seeks they stand for do |

From the first four it follows that a fold delivers exactly what the stream means, each key once, in order, and ends.
`check` explores: from the start it seeks to every key of interest, and on from wherever that leads, breadth first, so
that the trace it shows is a shortest one. It runs the definitions plainly: what it finds, a debugger can step through.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from itertools import pairwise
from typing import Any

from .errors import BadOption, LawBroken, NotACollection
from .stream import Stream
from .structure import leaves
from .words import PLAIN, read_by

Probe = tuple[Any, bool]


@dataclass(frozen=True)
class Checked:
    """What a check looked at."""

    laws: int
    states: int
    seeks: int


@dataclass
class View:
    """A stream with what it delivers from each state, worked out once."""

    stream: Stream
    limit: int
    known: dict[str, list[tuple[Any, Any]] | None]

    def pairs(self, q: Any) -> list[tuple[Any, Any]] | None:
        """What is delivered from q on, or None if that never ends: it comes to a state where it has been before."""
        if name_of(q) not in self.known:
            self.walk(q)
        return self.known[name_of(q)]

    def walk(self, q: Any) -> None:
        """Step on from q to the end, or to a state whose future is known; all states on the way are known then."""
        s, way = self.stream, []  # type: tuple[Stream, list[tuple[str, list[tuple[Any, Any]]]]]
        passed: set[str] = set()
        while (name := name_of(q)) not in self.known:
            if name in passed:
                self.known.update((each, None) for each, _ in way)
                return
            if len(way) > self.limit:
                raise BadOption(
                    f"this {type(s).__name__} takes more than {self.limit:,} steps, too many to check",
                    "Check a shorter one, or give a larger `limit`.",
                )
            if not s.valid(q):
                self.known[name] = []
                break
            passed.add(name)
            ready = bool(s.ready(q))
            way.append((name, [(s.index(q), plainly(s.value(q), self.limit))] if ready else []))
            q = s.seek(q, s.index(q), ready)
        future = self.known[name_of(q)]
        for name, here in reversed(way):
            future = None if future is None else here + future
            self.known[name] = future


def plainly(value: Any, limit: int) -> Any:
    """A value that can be compared: a nested stream as the list of its pairs."""
    if isinstance(value, Stream):
        return View(value, limit, {}).pairs(value.start())
    return value


def name_of(q: Any) -> str:
    return repr(leaves(q))


def is_passed(k: Any, probe: Probe) -> bool:
    """Whether a seek to this probe may leave key k behind."""
    return bool((k, False) < probe)


# ---------------------------------------------------------------------- the laws: None where kept, else what was seen


def seek_is_monotone(view: View, q: Any, probe: Probe) -> str | None:
    """A seek never lowers the index."""
    s, after = view.stream, view.stream.seek(q, *probe)
    if s.valid(after) and s.index(after) < s.index(q):
        return f"the index fell from {s.index(q)!r} to {s.index(after)!r}"
    return None


def seek_past_ready_raises_the_index(view: View, q: Any, probe: Probe) -> str | None:
    """A seek that may pass a ready state does, and the index is larger then."""
    s = view.stream
    if not s.ready(q) or not is_passed(s.index(q), probe):
        return None
    after = s.seek(q, *probe)
    if s.valid(after) and not s.index(after) > s.index(q):
        return f"the index stayed at {s.index(q)!r}, although that key was delivered"
    return None


def seek_keeps_the_future(view: View, q: Any, probe: Probe) -> str | None:
    """A seek keeps every key that it was not told to pass."""
    before, after = view.pairs(q), view.pairs(view.stream.seek(q, *probe))
    if before is None or after is None:
        return None  # another law's business
    kept = [pair for pair in before if not is_passed(pair[0], probe)]
    left = [pair for pair in after if not is_passed(pair[0], probe)]
    if not same(kept, left):
        for key, value in kept:
            there = [v for k, v in left if k == key]
            if not there:
                return f"it must keep key {key!r}, but it became absent"
            if not same(there, [value]):
                return f"the value at key {key!r} was {value!r} and became {there[0]!r}"
        return f"it brought forth {[k for k, _ in left if k not in [key for key, _ in kept]]!r}"
    return None


def seek_makes_progress(view: View, q: Any, probe: Probe) -> str | None:
    """Where (key, strict) >= (index, ready), a seek moves; and every sequence of steps ends."""
    s = view.stream
    if view.pairs(q) is None:
        return "stepping on from here comes back to where it was, and never ends"
    if probe >= (s.index(q), bool(s.ready(q))) and name_of(s.seek(q, *probe)) == name_of(q):
        return f"it stands still at {s.index(q)!r}, so a fold would never end"
    return None


def keys_come_in_order(view: View, q: Any, probe: Probe) -> str | None:
    """Keys are delivered in increasing order, none below the index that announced them."""
    keys = [k for k, _ in view.pairs(q) or []]
    if keys and keys[0] < view.stream.index(q):
        return f"the index promised nothing below {view.stream.index(q)!r}, but key {keys[0]!r} was delivered"
    for a, b in pairwise(keys):
        if not a < b:
            return f"key {b!r} was delivered after key {a!r}"
    return None


def shortcuts_agree(view: View, q: Any, probe: Probe) -> str | None:
    """`next` at a ready state, and `approach` at another, lead where the seeks they stand for lead."""
    s = view.stream
    ready = bool(s.ready(q))
    short = s.next(q) if ready else s.approach(q)
    a, b = view.pairs(short), view.pairs(s.seek(q, s.index(q), ready))
    if a is not None and b is not None and not same(a, b):
        name = "next" if ready else "approach"
        return f"{name} leads to {[k for k, _ in a]!r}, the seek it stands for to {[k for k, _ in b]!r}"
    return None


Law = Callable[[View, Any, Probe], str | None]
LAWS: dict[str, Law] = {
    "monotone": seek_is_monotone,
    "strictly monotone": seek_past_ready_raises_the_index,
    "bounded": seek_makes_progress,
    "lawful": seek_keeps_the_future,
    "shortcuts": shortcuts_agree,
    "in order": keys_come_in_order,
}


def same(a: Any, b: Any) -> bool:
    """Equality in which NaN equals NaN, as it must when a value is compared with itself."""
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    return bool(a == b) or (a != a and b != b)


# ---------------------------------------------------------------------- proving: see prove/, which is loaded when asked


def prover() -> Any:
    """What proves, if its solver is there. It stands above this file, and is loaded when it is first asked."""
    try:
        return import_module("skipstone.prove")
    except ModuleNotFoundError as missing:
        if missing.name not in ("z3", "cvc5"):
            raise
        raise BadOption(f"proofs need {missing.name}", "Install it: pip install 'skipstone[prove]'.") from None


def prove(stream: Any) -> Any:
    """Prove that the streams of a class keep the laws, for every input; or refute it; or say what could not be shown.

    `sk.laws.prove(MyStream)` gives Proved, with the obligations and seconds; or Refuted, with a small counterexample
    that was replayed in plain Python; or NotProved. What a class has to say about itself: docs/correctness.md.
    """
    return prover().prove(stream)


def refute(stream: Any) -> Any:
    """A small counterexample to the laws, or to what a class says its streams mean; None if there is none."""
    return prover().refute(stream)


# ---------------------------------------------------------------------- exploring


def check(stream: Any, *, states: int = 200, keys: int = 12, limit: int = 10_000) -> Checked:
    """Look for a reachable state in which a stream breaks a law; nested streams are checked as well.

    At most `states` states are visited, from each of them `keys` keys are sought, strictly and not, and no fold may
    take more than `limit` steps. Raises LawBroken with the law and a shortest sequence of seeks that shows it.

    >>> import skipstone as sk
    >>> class Forgetful(sk.Stream):
    ...     def start(self):                return 0
    ...     def valid(self, q):             return q < 5
    ...     def ready(self, q):             return True
    ...     def index(self, q):             return q
    ...     def seek(self, q, key, strict): return max(q, key + 1)
    ...     def value(self, q):             return 1
    >>> sk.laws.check(Forgetful())
    Traceback (most recent call last):
        ...
    skipstone.errors.LawBroken: Forgetful breaks the law "lawful": a seek keeps every key that it was not told to pass
      from start(), where the index is 0 and it is ready, seek(q, 0, False): it must keep key 0, but it became absent
    """
    if not isinstance(stream, Stream):
        raise NotACollection(f"{type(stream).__name__} is not a stream", "Make it one first: `sk.stream(…)`.")
    with read_by(PLAIN):
        return explore(stream, states, keys, limit, "")


def explore(stream: Stream, states: int, keys: int, limit: int, prefix: str) -> Checked:
    view = View(stream, limit, {})
    first = stream.start()
    queue: deque[tuple[Any, str]] = deque([(first, prefix + "start()")])
    seen, seeks, inner = {name_of(first)}, 0, 0
    if stream.valid(first) and view.pairs(first) is None:
        probe = (stream.index(first), bool(stream.ready(first)))
        broken(stream, "bounded", first, prefix + "start()", probe, seek_makes_progress(view, first, probe) or "")
    probes = list(probes_of(view, first, keys))
    while queue and len(seen) <= states:
        q, trace = queue.popleft()
        if not stream.valid(q):
            continue
        for probe in [(stream.index(q), bool(stream.ready(q))), *probes]:
            for name, law in list(LAWS.items())[:-1]:
                if (seen_as := law(view, q, probe)) is not None:
                    broken(stream, name, q, trace, probe, seen_as)
            seeks += 1
            after = stream.seek(q, *probe)
            if name_of(after) not in seen:
                seen.add(name_of(after))
                queue.append((after, f"{trace}, seek(q, {probe[0]!r}, {probe[1]})"))
        if stream.ready(q) and inner < 8 and isinstance(value := stream.value(q), Stream):
            inner += 1
            below = explore(value, states // 4, keys // 2 + 1, limit, f"{trace}, value at {stream.index(q)!r}: ")
            seeks += below.seeks
    # The order of the whole comes last: where it is broken, another law often is, and says more about where.
    if stream.valid(first) and (seen_as := keys_come_in_order(view, first, probes[0])) is not None:
        broken(stream, "in order", first, prefix + "start()", probes[0], seen_as)
    return Checked(len(LAWS), len(seen), seeks)


def broken(stream: Stream, name: str, q: Any, trace: str, probe: Probe, seen_as: str) -> None:
    s = stream
    where = f"where the index is {s.index(q)!r} and it is {'ready' if s.ready(q) else 'not ready'}"
    text = (LAWS[name].__doc__ or "").rstrip(".")
    raise LawBroken(
        f'{type(s).__name__} breaks the law "{name}": {text[0].lower()}{text[1:]}',
        f"from {trace}, {where}, seek(q, {probe[0]!r}, {probe[1]}): {seen_as}",
    )


def probes_of(view: View, q: Any, count: int) -> Iterator[Probe]:
    """Keys worth seeking: those delivered, the indices on the way, and their neighbours on both sides."""
    s, found = view.stream, set()
    for _ in range(4 * count):
        if not s.valid(q):
            break
        found.add(s.index(q))
        q = s.seek(q, s.index(q), bool(s.ready(q)))
    near = sorted(found | {k + d for k in found if not isinstance(k, bool | str) for d in (-1, 1)})
    step = max(1, len(near) // count)
    for key in near[::step] + near[-1:]:
        yield key, False
        yield key, True
