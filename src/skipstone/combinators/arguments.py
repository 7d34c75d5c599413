"""What verbs are given: checked when the expression is written, so that a mistake is told where it was made."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import (
    BadOption,
    MixedKeys,
    NotACollection,
    NotAKey,
    UnorderedProduct,
    UnsupportedValue,
    WrongFunction,
    line_of,
)
from ..stream import Stream
from ..structure import parts


def a_function(f: Any, verb: str, *parameters: str) -> Callable[..., Any]:
    """f, if it can be called with these parameters."""
    wanted = f"`{verb}` needs a function of ({', '.join(parameters)})"
    if not callable(f):
        raise WrongFunction(f"{wanted}, not {type(f).__name__}: {f!r:.60}")
    try:
        inspect.signature(f).bind(*parameters)
    except TypeError as error:
        raise WrongFunction(f"{wanted}, but this one does not take them: {error}", where=line_of(f)) from None
    except ValueError:
        pass  # a built-in that does not say what it takes
    return f  # type: ignore[no-any-return]


def streams(verb: str, *given: Any) -> tuple[Stream, ...]:
    """Streams that can be combined by key: in order, and with keys of one type."""
    if not given:
        raise NotACollection(f"there is nothing to {verb}", "Give at least one stream.")
    for s in given:
        if not isinstance(s, Stream):
            if isinstance(s, int | float) or hasattr(s, "kind"):
                raise NotACollection(f"cannot {verb} a stream and a number", "Both must be nested to the same depth.")
            raise NotACollection(
                f"cannot {verb} {type(s).__name__}: it is not a stream", "Make it one first: `sk.stream(…)`."
            )
        if not s.ordered:
            raise UnorderedProduct(
                f"cannot {verb} an unordered stream: {s!r}",
                "Its keys come in no particular order. Put them in order first: `.memo()`.",
            )
    kinds = {kind for s in given if (kind := s.key_kind()) is not None}
    if len(kinds) > 1:
        raise MixedKeys(
            f"cannot {verb} streams whose keys are of different types: {', '.join(sorted(kinds))}",
            "Bring them to one type first, for example with `.map_keys(lambda k: k * 1.0, increasing=True)`.",
        )
    return given


def number(x: Any) -> Any:
    """NumPy's numbers as Python's; anything else as it is."""
    return x.item() if isinstance(x, np.generic) else x


def a_value(x: Any) -> Any:
    """A number, a tuple of them, or a stream: what can stand at a key."""
    x = number(x)
    if isinstance(x, tuple) and x:
        made = [a_value(part) for part in x]
        return type(x)(*made) if hasattr(x, "_fields") else tuple(made)
    if not isinstance(x, int | float) and parts(x) in (None, []) and not hasattr(x, "kind"):
        raise UnsupportedValue(
            f"{type(x).__name__} cannot be a value: {x!r:.60}", "Use numbers, booleans, tuples of those, or streams."
        )
    return x


def a_key(x: Any) -> Any:
    """A key that can be compared with others."""
    x = number(x)
    if x is None or isinstance(x, str | tuple | list | dict | set | Stream):
        raise NotAKey(f"{x!r:.60} ({type(x).__name__}) is not a key", "Keys are integers, floats or booleans.")
    if isinstance(x, float) and x != x:
        raise NotAKey("NaN is not a key: it is neither below nor above any other")
    return x


def an_integer(x: Any, what: str, limit: int) -> Any:
    """An integer of moderate size, or something only known at run time."""
    x = number(x)
    if isinstance(x, float | bool | str | tuple | list | dict | set) or x is None or isinstance(x, Stream):
        raise BadOption(f"{what} needs integers, not {x!r:.60}")
    if isinstance(x, int) and not -limit <= x <= limit:
        raise BadOption(f"{what} needs integers between -2**62 and 2**62 (exclusive), not {x!r}")
    return x


def kind_of_key(key: Any) -> str | None:
    """The kind of one key, or None where only running would tell."""
    if isinstance(key, bool):
        return "bool"
    if isinstance(key, int | float):
        return "int" if isinstance(key, int) else "float"
    return getattr(key, "kind", None)
