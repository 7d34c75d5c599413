"""NumPy: structured arrays, and arrays of rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import NotACollection
from .sources import Found, by_place, source


@source("numpy")
def numpy_source(data: Any) -> Found | None:
    """The fields of a structured array; the columns of an array of two dimensions, which have no names."""
    if not isinstance(data, np.ndarray):
        return None
    if data.dtype.names and data.ndim == 1:
        return Found({name: data[name] for name in data.dtype.names})
    if data.ndim != 2:
        raise NotACollection(
            f"an array of {data.ndim} dimensions is not a table",
            'Give rows, as an array of two dimensions, or columns by name: {"k": array}.',
        )
    return Found(by_place(list(data.T)), named=False)
