"""Rows for a table: which columns are its keys and which its values, coded, without the rows that lack something."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from keyword import iskeyword
from typing import Any

import numpy as np

from ..errors import BadOption, LengthsDiffer, NotACollection
from ..keys import Domain
from ..storage.column import Array
from ..storage.nesting import Maker
from . import arrow
from .columns import encoded, held
from .sources import Found


@dataclass(frozen=True)
class Rows:
    """What a table is made of."""

    keys: list[str]
    codes: list[Array]
    domains: list[Domain]
    values: list[Array]
    make: Maker


def rows_of(
    found: Found,
    keys: str | Sequence[str] | None,
    value: str | Sequence[str] | None,
    nulls: str,
    used_up: bool = False,
    table: str = "",
) -> Rows:
    """The rows of some of the columns. One without a key or a value is left out, or refused, as the caller chooses.

    Columns that are nobody else's are `used_up`: each goes when its codes are there. Warnings name the `table`.
    """
    if nulls not in ("drop", "refuse"):
        raise BadOption(f"nulls={nulls!r}", 'Say "drop" or "refuse".')
    found, keyed, value = chosen(found, keys, value)
    valued = [value] if isinstance(value, str) else list(value or ())
    columns = checked(found.columns, keyed, valued)
    if used_up:
        found.columns.clear()  # type: ignore[attr-defined]
        arrow.release()  # what reading took
    keep = np.ones(len(columns[keyed[0]]), bool)
    codes, domains, values = [], [], []
    for name in keyed:
        code, domain, kept = encoded(columns.pop(name), name, nulls, table)
        codes.append(code)
        domains.append(domain)
        keep = keep if kept is None else keep & kept
        if used_up:
            arrow.release()
    for name in valued:
        array, kept = held(columns.pop(name), name, nulls, table)
        values.append(array)
        keep = keep if kept is None else keep & kept
        if used_up:
            arrow.release()
    if not keep.all():
        codes, values = [c[keep] for c in codes], [v[keep] for v in values]
    several = bool(valued) and not isinstance(value, str)
    return Rows(keyed, codes, domains, values, a_tuple(valued) if several else None)


def chosen(
    found: Found, keys: str | Sequence[str] | None, value: str | Sequence[str] | None
) -> tuple[Found, list[str], str | Sequence[str] | None]:
    """The names of the columns that are keys, and of those that are values, as asked for or as the data has it."""
    asked = [keys] if isinstance(keys, str) else None if keys is None else list(keys)
    if found.value and not isinstance(value, str | None) and not value:  # the keys alone
        found = Found({c: found.columns[c] for c in found.keys or ()}, named=found.named)
    value = found.value if value is None else value
    valued = [value] if isinstance(value, str) else list(value or ())
    if not found.named and not {*(asked or ()), *valued} <= set(found.columns):
        found = renamed(found, asked, valued)
    if asked is None:
        asked = [c for c in (found.keys if found.keys is not None else found.columns) if c not in valued]
    return found, asked, value


def renamed(found: Found, keys: list[str] | None, valued: list[str]) -> Found:
    """Columns that had no names, named by what was asked for: keys first, then values."""
    names = [*(list(found.columns)[: len(found.columns) - len(valued)] if keys is None else keys), *valued]
    if not found.columns:  # there is no row that would say how many
        return Found(dict.fromkeys(names, ()))
    if len(names) != len(found.columns):
        raise BadOption(
            f"there are {len(found.columns)} columns, and {len(names)} names: {', '.join(names)}",
            "Name each, in their order: those of keys, then those of values.",
        )
    return Found(dict(zip(names, found.columns.values(), strict=True)))


def checked(found: Mapping[str, Any], keyed: list[str], valued: list[str]) -> dict[str, Any]:
    """The columns that are asked for, if they are there, are columns, and are of one length."""
    names = [*keyed, *valued]
    for name in names:
        if name not in found:
            raise BadOption(f"there is no column {name!r}", f"There are: {', '.join(map(str, found))}.")
        if names.count(name) > 1:
            raise BadOption(f"column {name!r} is named twice", "Name each column once, as a key or as a value.")
    if not keyed:
        raise BadOption("a table needs a column of keys", "Name at least one: keys=…")
    columns = {name: found[name] for name in names}
    for name, column in columns.items():
        if not hasattr(column, "__len__") or isinstance(column, str | set | Mapping) or getattr(column, "ndim", 1) == 0:
            raise NotACollection(f"column {name!r} is a {type(column).__name__}", "Give a list, or an array.")
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise LengthsDiffer(f"columns of different lengths: {lengths}")
    return columns


def a_tuple(names: list[str]) -> Maker:
    """The named tuple whose parts are these columns."""
    for name in names:
        if not name.isidentifier() or iskeyword(name) or name.startswith("_"):
            raise BadOption(f"column {name!r} cannot name a part of a value", "Rename it to a word, as for a variable.")
    return namedtuple("Value", names)
