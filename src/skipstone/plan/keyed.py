"""Functions of keys as tables: asked once for each key that there is, they join like any other table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..errors import BadOption, WrongFunction, line_of
from ..interop import encoded
from ..notation import Access, Derivation, Where
from ..table import Table


def as_accesses(held: Sequence[Access], asked: Sequence[Where | Derivation]) -> list[Access]:
    """For each function a table of the keys that it accepts, or of keys with what it makes of them."""
    held, waiting, found = list(held), list(asked), []
    while waiting:
        one, column = next(((one, c) for one in waiting if (c := smallest(held, one.of))), (waiting[0], None))
        if column is None:
            raise BadOption(f"axis {one.of!r} occurs only in {one!r}", "Some table must hold its keys.")
        waiting.remove(one)
        if column not in one.results:
            one.results[column] = accepted(one, *column) if isinstance(one, Where) else derived(one, *column)
        found.append(Access(one.results[column], one.axes()))
        held.append(found[-1])  # an axis may be derived from one that is derived itself
    return found


def smallest(held: Sequence[Access], axis: Any) -> tuple[Table, int] | None:
    """The column that has fewest keys for an axis."""
    columns = [(a.table, n) for a in held for n, place in enumerate(a.places) if place is axis]
    return min(columns, key=lambda column: column[0].distinct([column[1]])) if columns else None


def accepted(where: Where, table: Table, n: int) -> Table:
    codes, keys = table.alphabet(n)

    def yes(key: Any) -> bool:
        answer = where.p(key)
        if answer is None:
            raise WrongFunction("a condition on keys must say yes or no, not None", where=line_of(where.p))
        return bool(answer)

    chosen = np.array(each(yes, keys, where.of), bool)
    return Table([where.of.name], [codes[chosen]], [table.domains[n]], name=repr(where))


def derived(derivation: Derivation, table: Table, n: int) -> Table:
    codes, keys = table.alphabet(n)
    made = each(derivation.f, keys, derivation.of)
    there = np.array([x is not None for x in made], bool)
    names = [derivation.of.name, derivation.axis.name]
    others, domain, kept = encoded([x for x in made if x is not None], repr(derivation))
    codes, others = (codes[there], others) if kept is None else (codes[there][kept], others[kept])
    return Table(names, [codes, others], [table.domains[n], domain], name=repr(derivation))


def each(f: Callable[[Any], Any], keys: list[Any], axis: Any) -> list[Any]:
    """f of each key; an error says which it was."""
    found = []
    for key in keys:
        try:
            found.append(f(key))
        except Exception as error:
            error.add_note(f"while a function was asked about key {key!r} of axis {axis!r}")
            raise
    return found
