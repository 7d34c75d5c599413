"""SciPy: sparse arrays and matrices of all formats in, in coordinates out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import BadOption
from ..keys import Domain
from ..storage.column import Array
from .library import library
from .sources import Found, by_place, source


@source("scipy")
def scipy_source(data: Any) -> Found | None:
    """Row, column and value of each entry that is stored, zeros too; entries at one place are added."""
    if not hasattr(data, "tocoo"):
        return None
    entries = data.tocoo(copy=False)
    coords = entries.coords if hasattr(entries, "coords") else (entries.row, entries.col)
    keys = dict(zip(("row", "col"), coords, strict=True)) if len(coords) == 2 else by_place(coords)
    return Found({**keys, "value": entries.data}, keys=list(keys), value="value", named=False)


def as_coo(
    keys: Sequence[tuple[str, Array, Domain]], values: Array | None, shape: Sequence[int] | None, labels: bool
) -> Any:
    """A coo_array, as long along each axis as its largest key asks for, or as `shape` says. Its numbers are copies.

    With `labels` keys are numbered in order, and the keys along each axis come with it.
    """
    sparse = library("scipy.sparse", "SciPy")
    coords, listed = [], []
    for name, codes, domain in keys:
        if labels:
            different, codes = np.unique(codes, return_inverse=True)
            listed.append(domain.listed(different))
        elif domain.kind not in ("int", "any") or (codes.size and codes.min() < 0):
            raise BadOption(
                f"a sparse array needs the keys 0, 1, 2, …, and {name} holds other ones",
                "Number them: to_scipy(labels=True) gives an array, and the keys along each of its axes.",
            )
        coords.append(codes.copy())
    needed = [int(codes.max(initial=-1)) + 1 for codes in coords]
    shape = needed if shape is None else list(shape)
    if len(shape) != len(needed) or any(a < b for a, b in zip(shape, needed, strict=True)):
        raise BadOption(f"shape={tuple(shape)} does not hold these keys", f"They need at least {tuple(needed)}.")
    held = np.ones(coords[0].size, np.int64) if values is None else values.copy()
    found = sparse.coo_array((held, tuple(coords)), shape=tuple(shape))
    return (found, *listed) if labels else found
