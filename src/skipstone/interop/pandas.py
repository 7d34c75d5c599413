"""pandas: frames and series in, frames out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..keys import Domain
from ..storage.column import Array
from . import arrow
from .library import library
from .sources import Found, by_name, source


@source("pandas")
def pandas_source(data: Any) -> Found | None:
    """The columns of a frame, and its index where it has names; a series from its index to its values."""
    if not hasattr(data, "index"):
        return None
    levels = data.index.names
    index = {str(name): data.index.get_level_values(n) for n, name in enumerate(levels) if name is not None}
    if hasattr(data, "columns"):
        columns = by_name(data.columns, (data.iloc[:, n] for n in range(len(data.columns))))
        return Found({**index, **columns}, keys=list(columns))
    keys = [str(n) if name is None else str(name) for n, name in enumerate(levels)]
    value = "value" if data.name is None else str(data.name)
    places = [data.index.get_level_values(n) for n, _ in enumerate(levels)]
    return Found(by_name([*keys, value], [*places, data]), keys=keys, value=value, named=None not in levels)


class Lent:
    """An array of a pandas column, and that column: while it lives, pandas copies before it writes there."""

    def __init__(self, array: Array, column: Any) -> None:
        self.array, self.column = array, column.copy(deep=False)
        self.__array_interface__ = array.__array_interface__


def lent(array: Array, column: Any) -> Array:
    """An array that does not change with the column that it was read from, without a copy where pandas allows it."""
    if not hasattr(column, "iloc") or array.flags.owndata:
        return array
    copies_on_write = int(library("pandas", "pandas").__version__.partition(".")[0]) >= 3
    return np.asarray(Lent(array, column)) if copies_on_write else array.copy()


def as_frame(columns: Sequence[tuple[str, Array, Domain | None]]) -> Any:
    """A DataFrame. Strings and dates are Arrow's; numbers are copied, because frames can be changed."""
    pd = library("pandas", "pandas")
    found = {}
    for name, array, domain in columns:
        if domain is not None and domain.kind == "str":
            found[name] = arrow.as_column(array, domain).to_pandas()
        elif domain is not None and domain.kind == "date":  # NumPy's types of pandas have no dates
            found[name] = arrow.as_column(array, domain).to_pandas(types_mapper=pd.ArrowDtype)
        else:
            found[name] = pd.Series(array if domain is None else domain.decoded(array), copy=True)
            if domain is not None and domain.zone:
                found[name] = found[name].dt.tz_localize("UTC").dt.tz_convert(domain.zone)
    return pd.DataFrame(found, copy=False)
