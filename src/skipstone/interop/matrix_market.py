"""Matrix Market: a head that says shape and symmetry, then entries, or all values column by column."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

from ..errors import FileUnreadable
from .chosen import chosen
from .malformed import numeric
from .spaced import coordinates, words

FIELDS = ("real", "integer", "double", "pattern")
SYMMETRIES = ("general", "symmetric", "skew-symmetric")
HEAD = "The first line is %%MatrixMarket matrix, coordinate or array, the kind of numbers, and the symmetry."


def read(path: str, wanted: Sequence[str] | None, malformed: str) -> Any:
    """The entries of a matrix: columns "row" and "col", from 0 on, and "value", unless it is a pattern."""
    form, field, symmetry, sizes, skipped = head(path)
    if form == "array":
        return listed(path, sizes, symmetry, skipped, wanted)
    rows, cols, count = sizes
    names = ["row", "col"] if field == "pattern" else ["row", "col", "value"]
    columns = chosen(names, wanted, path)
    if count == 0:
        return empty(names).select(columns)
    found, account = words(path, malformed, skipped)
    if found.num_columns != len(names):
        what = f"{path}: its entries have {found.num_columns} words, and {len(names)} are expected"
        raise FileUnreadable(what, f"It says that it is a {field} matrix.")
    found = found.rename_columns(names)
    there = found.num_rows + account.count
    found = coordinates(found, names[:2], account, (rows, cols))
    if "value" in names:
        found = numeric(found, "value", 2, "a number", account)
        if field == "integer" and str(found.column("value").type) != "int64":
            raise FileUnreadable(f"{path}: it says that its values are integers, and they are not")
    account.settle()
    if there != count:
        raise FileUnreadable(f"{path}: its head says {count:,} entries, and there are {there:,}", "Is it cut off?")
    return mirrored(found, symmetry).select(columns)


def head(path: str) -> tuple[str, str, str, list[int], int]:
    """What the first lines say: form, kind of numbers, symmetry, sizes; and how many lines they are."""
    import pyarrow as pa

    with pa.input_stream(path) as file:
        stream = io.BufferedReader(file)
        line, skipped = stream.readline(1000), 1
        told = line.decode(errors="replace").lower().split()
        if len(told) != 5 or told[:2] != ["%%matrixmarket", "matrix"] or told[2] not in ("coordinate", "array"):
            raise FileUnreadable(f"{path} is no Matrix Market file", HEAD)
        form, field, symmetry = told[2:]
        if field not in FIELDS or (form == "array" and field == "pattern"):
            raise FileUnreadable(f"{path} holds {field} numbers", f"Known are {', '.join(FIELDS)}.")
        if symmetry not in SYMMETRIES:
            raise FileUnreadable(f"{path} is {symmetry}", f"Known are {', '.join(SYMMETRIES)}.")
        while line and (line.startswith(b"%") or not line.strip()):
            line = stream.readline()
            skipped += 1
    try:
        sizes = [int(word) for word in line.split()]
    except ValueError:
        sizes = []
    if len(sizes) != (2 if form == "array" else 3) or min(sizes) < 0 or max(sizes) >= 2**63:
        raise FileUnreadable(f"{path}, line {skipped}: there is no size of the matrix", HEAD)
    if symmetry != "general" and sizes[0] != sizes[1]:
        raise FileUnreadable(f"{path} is {symmetry}, and has {sizes[0]} rows and {sizes[1]} columns")
    return form, field, symmetry, sizes, skipped


def listed(path: str, sizes: list[int], symmetry: str, skipped: int, wanted: Sequence[str] | None) -> Any:
    """All values of a matrix, or of its lower half, column by column. None can be left out: the rest would move."""
    import numpy as np
    import pyarrow as pa

    rows, cols = sizes
    names = ["row", "col", "value"]
    columns = chosen(names, wanted, path)
    below = {"general": 0, "symmetric": 0, "skew-symmetric": 1}[symmetry]
    count = rows * cols if symmetry == "general" else (rows - below) * (rows - below + 1) // 2
    if count <= 0:
        return empty(names).select(columns)
    found, account = words(path, "refuse", skipped)
    if found.num_columns != 1:
        raise FileUnreadable(f"{path}: a line has {found.num_columns} words, and one value is expected")
    found = numeric(found, "0", 0, "a number", account)
    account.settle()
    if found.num_rows != count:
        what = f"{path}: its head says {rows:,} × {cols:,}, {count:,} values, and there are {found.num_rows:,}"
        raise FileUnreadable(what, "Is it cut off?")
    if symmetry == "general":
        col, row = np.divmod(np.arange(count), rows)
    else:
        lengths = np.arange(rows - below, 0, -1)
        col = np.repeat(np.arange(lengths.size), lengths)
        row = np.arange(count) - np.repeat(np.cumsum(lengths) - lengths, lengths) + col + below
    made = pa.table({"row": row, "col": col, "value": found.column(0)})
    return mirrored(made, symmetry).select(columns)


def mirrored(found: Any, symmetry: str) -> Any:
    """A whole matrix from one half of it."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if symmetry == "general":
        return found
    other = found.filter(pc.not_equal(found.column("row"), found.column("col")))
    across = {"row": other.column("col"), "col": other.column("row")}
    if "value" in found.column_names:
        values = other.column("value")
        across["value"] = pc.negate(values) if symmetry == "skew-symmetric" else values
    return pa.concat_tables([found, pa.table(across)])


def empty(names: list[str]) -> Any:
    import pyarrow as pa

    return pa.table({name: pa.array([], pa.float64() if name == "value" else pa.int64()) for name in names})
