"""Whatever holds a table, as named columns: a function for each library, found by the package of the data's type."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from ..errors import BadOption, NotACollection


@dataclass(frozen=True)
class Found:
    """Columns that a table can be made of, and what is key and value among them if nobody says otherwise."""

    columns: Mapping[str, Any]
    keys: Sequence[str] | None = None  # all that are not values
    value: str | Sequence[str] | None = None
    named: bool = True  # if not, `keys` and `value` of sk.table may name the columns, in their order


Source = TypeVar("Source", bound=Callable[[Any], Found | None])
SOURCES: dict[str, Callable[[Any], Found | None]] = {}


def source(*packages: str) -> Callable[[Source], Source]:
    """Registers who knows the columns of what these packages hold. It says None to what is not a table."""

    def register(function: Source) -> Source:
        SOURCES.update(dict.fromkeys(packages, function))
        return function

    return register


def source_of(data: Any) -> Found:
    """The columns of whatever holds a table. A subclass is known by the class that it extends."""
    for kind in type(data).__mro__[:-1]:
        package = kind.__module__.partition(".")[0]
        found = SOURCES[package](data) if package in SOURCES else None
        if found is not None:
            return found
    for package in ("pyarrow", "builtins"):  # what speaks Arrow; mappings and sets of other makers
        found = SOURCES[package](data)
        if found is not None:
            return found
    raise NotACollection(
        f"{type(data).__name__} is not a table",
        "Give a dict of columns, tuples, a DataFrame, an Arrow table, a sparse matrix, a graph or a Parquet path.",
    )


def by_name(names: Iterable[Any], columns: Iterable[Any]) -> dict[str, Any]:
    """Columns by their names, which must differ."""
    found: dict[str, Any] = {}
    for name, column in zip(map(str, names), columns, strict=True):
        if name in found:
            raise BadOption(f"two columns are called {name!r}", "Rename one of them.")
        found[name] = column
    return found


def by_place(columns: Sequence[Any]) -> dict[str, Any]:
    """Columns without names: they are called 0, 1, …"""
    return {f"{n}": column for n, column in enumerate(columns)}
