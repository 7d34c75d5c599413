"""The reference: a name's signature and docstring as Markdown, taken from the running library.

Taken from the running library and not from its source, because the verbs become methods of Stream when it is imported.
"""

from __future__ import annotations

import inspect
import re
from typing import Any

import skipstone

WIDE = 90
SESSION = re.compile(r"(?:^|(?<=\n))((?: *)>>> (?:.+\n?)+)")


def entry(name: str, chosen: str | None = None) -> str:
    """The Markdown for a public name; for a class, its own methods below it.

    `chosen` names the methods to show, or is "all": of a class that is not made by calling it.
    """
    thing, short = named(name), name.rpartition(".")[2] if name.count(".") > 1 else name
    text = f"### {short}\n\n" + (described(thing) if chosen else shown(f"sk.{name}", thing))
    if inspect.isclass(thing):
        for method, each in methods(thing):
            if chosen in (None, "all") or method in chosen.split(", "):
                text += f"\n\n#### {short}.{method} {{ data-toc-label='.{method}' }}\n\n{shown(f'.{method}', each)}"
    return text


def named(name: str) -> Any:
    found: Any = skipstone
    for part in name.split("."):
        found = getattr(found, part)
    return found


def methods(cls: type) -> list[tuple[str, Any]]:
    """The public methods that skipstone itself defines and describes."""
    found = [(name, getattr(cls, name)) for name in sorted(dir(cls)) if not name.startswith("_")]
    return [(n, f) for n, f in found if callable(f) and f.__doc__ and f.__module__.startswith("skipstone")]


def shown(name: str, thing: Any) -> str:
    """A signature as code, and the docstring. A name that begins with a dot is that of a method."""
    return f"```python\n{name}{signature(thing, name.startswith('.'))}\n```\n\n{described(thing)}"


def signature(thing: Any, of_method: bool = False) -> str:
    """As it is written in the source; a long one with a line for each parameter."""
    if not callable(thing):
        return ""
    found = inspect.signature(thing)
    parameters = list(found.parameters.values())[of_method and inspect.isfunction(thing) :]
    parts = [unquoted(str(parameter)) for parameter in parameters]
    named = [n for n, parameter in enumerate(parameters) if parameter.kind is parameter.KEYWORD_ONLY]
    if named and not any(parameter.kind is parameter.VAR_POSITIONAL for parameter in parameters):
        parts.insert(named[0], "*")
    no_result = inspect.isclass(thing) or found.return_annotation in (found.empty, "None")
    result = "" if no_result else f" -> {found.return_annotation}"
    line = f"({', '.join(parts)}){result}"
    return line if len(line) < WIDE else "(\n" + "".join(f"    {part},\n" for part in parts) + f"){result}"


def unquoted(parameter: str) -> str:
    """Annotations are strings at run time."""
    return re.sub(r": '([^']*)'", r": \1", parameter, count=1)


def described(thing: Any) -> str:
    """The docstring, its sessions fenced."""
    if isinstance(thing, skipstone.Semiring):
        return f"A semiring, with the zero {thing.zero} and the one {thing.one}."
    text = inspect.getdoc(thing) or ""
    return SESSION.sub(lambda m: f"```pycon\n{inspect.cleandoc(m[1])}\n```\n", text)
