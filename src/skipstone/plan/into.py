"""Where a table can go: `collect(into=…)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import BadOption, NotACollection
from ..storage import Dense, Sorted, Trie
from ..storage.collect import check_destination, deliver
from ..storage.nesting import nested
from ..table import Table


def numbered(table: Table, what: str) -> Table:
    """A table whose keys are positions."""
    for name, domain, codes in zip(table.keys, table.domains, table.codes, strict=True):
        if domain.kind not in ("int", "any") or (codes.size and codes.min() < 0):
            raise BadOption(f"{what} needs the keys 0, 1, 2, …, and {name} holds other ones", "Number them first.")
    return table


WAYS: dict[Any, Callable[[Table], Any]] = {
    "pandas": Table.to_pandas, "arrow": Table.to_arrow, "polars": Table.to_polars, "numpy": Table.columns,
    "scipy": Table.to_scipy, "networkx": Table.to_networkx, dict: Table.to_dict,
}  # fmt: skip


def delivered(table: Table, into: Any) -> Any:
    """A table as what was asked for, and checked."""
    if into is None or into is Table:
        return table
    if isinstance(into, str) or into is dict:
        return WAYS[into](table)
    if into is np.ndarray or into is Dense or isinstance(into, np.ndarray):
        numbered(table, "an array")
    for name, domain in zip(table.keys, table.domains, strict=True):
        if domain.kind not in ("int", "float", "bool", "any"):
            raise BadOption(
                f"{into!r} holds keys that are numbers, and {name} holds {domain.kind}", "Collect into dict instead."
            )
    trie = nested(*table.content(), table.make, plain=True)
    if into is Sorted and trie.depth > 1:
        into = Trie
    return deliver(trie, into)


def check_into(into: Any) -> None:
    """Refuse what no table can become, before any work is done."""
    if into is None or into is Table or (isinstance(into, str) and into in WAYS):
        return
    try:
        check_destination(into)
    except NotACollection:
        raise unknown(into) from None


def unknown(into: Any) -> BadOption:
    known = ", ".join(f'"{way}"' for way in WAYS if isinstance(way, str))
    return BadOption(
        f"cannot collect a table into {into!r}",
        f"Known: {known}, dict, numpy.ndarray, the structures of skipstone (sk.Sorted, sk.Trie, …), and destinations "
        "that are registered.",
    )
