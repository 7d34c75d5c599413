"""Which columns to read."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import BadOption


def chosen(names: Sequence[str], wanted: Sequence[str] | None, path: str) -> list[str]:
    """The columns to read, all of which must be there, once."""
    columns = list(names if wanted is None else dict.fromkeys(wanted))
    for column in columns:
        if column not in names:
            raise BadOption(f"there is no column {column!r}", f"There are: {', '.join(map(str, names))}.")
        if list(names).count(column) > 1:
            raise BadOption(f"{path}: two columns are called {column!r}", "Give each a name of its own.")
    return columns
