"""The reference: a name's signature and docstring as Markdown, taken from the running library.

Taken from the running library and not from its source, because the verbs become methods of Stream when it is imported.
"""

from __future__ import annotations

import inspect
import re
from typing import Any

import skipstone

SESSION = re.compile(r"(?:^|(?<=\n))((?: *)>>> (?:.+\n?)+)")


def entry(name: str) -> str:
    """The Markdown for a public name; for a class, its own methods below it."""
    thing = named(name)
    text = f"### {name}\n\n{shown(f'sk.{name}', thing)}"
    if inspect.isclass(thing) and not issubclass(thing, BaseException):
        text += "".join(f"\n\n#### {name}.{method} {{ data-toc-label='.{method}' }}\n\n" + shown(f".{method}", each)
                        for method, each in methods(thing))  # fmt: skip
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
    """A signature as code, and the docstring."""
    return f"```python\n{name}{signature(thing)}\n```\n\n{described(thing)}"


def signature(thing: Any) -> str:
    if not callable(thing) or (inspect.isclass(thing) and issubclass(thing, BaseException)):
        return ""
    try:
        plain = str(inspect.signature(thing))
    except ValueError:
        return "(…)"
    unquoted = re.sub(r"(: |-> )'([^']*)'", r"\1\2", plain)  # annotations are strings at run time
    return re.sub(r"\(self(, )?", "(", unquoted).replace(" -> None", "")


def described(thing: Any) -> str:
    """The docstring, its sessions fenced; a value of a class that is described is described by its repr."""
    if not (callable(thing) or inspect.ismodule(thing)):
        return f"`{thing!r}`"
    text = inspect.getdoc(thing) or ""
    return SESSION.sub(lambda m: f"```pycon\n{inspect.cleandoc(m[1])}\n```\n", text)
