"""Columns of files, read into as little memory as can be.

Arrow reads a column as many pieces, and whoever needs it as one array copies them all once more: numbers are put where
they belong as they come. Strings are numbered by a dictionary, which for a while takes more than they do: so that is
done for one column before the next is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..storage.column import Array
from .arrow import is_string, release


def whole(found: Any, names: Sequence[str]) -> Any:
    """Columns of an Arrow dataset as a table: numbers and moments in one piece each, strings by a dictionary each."""
    import pyarrow as pa

    fields = [found.schema.field(name) for name in names]
    texts = [each.name for each in fields if is_string(each.type)]
    others = pa.schema([each for each in fields if each.name not in texts])
    columns = gathered(found.to_batches(columns=others.names), others, found.count_rows())
    for name in texts:
        columns[name] = found.to_table(columns=[name]).column(name).dictionary_encode()
        release()
    return pa.table({name: columns[name] for name in names})


def gathered(batches: Iterable[Any], schema: Any, rows: int) -> dict[str, Any]:
    """The columns of record batches, which have so many rows together; numbers in one piece.

    It needs what the columns take, and the batches that are on their way.
    """
    columns = [Numbers(each.type, rows) if is_number(each.type) else Pieces(each.type) for each in schema]
    done = 0
    for batch in filter(len, batches):
        if done + len(batch) <= rows:
            for column, piece in zip(columns, batch.columns, strict=True):
                column.put(done, piece)
        done += len(batch)
    if done != rows:
        raise ValueError(f"it says that it has {rows:,} rows, and has {done:,}")
    return {each.name: column.made() for each, column in zip(schema, columns, strict=True)}


def is_number(kind: Any) -> bool:
    """Whether keys or values of an Arrow type lie side by side in whole bytes, as NumPy has them."""
    import pyarrow as pa

    return bool(pa.types.is_primitive(kind)) and kind.bit_width in (8, 16, 32, 64)


class Numbers:
    """A column of numbers, moments included, of which pieces are put in one after the other."""

    def __init__(self, kind: Any, rows: int) -> None:
        self.kind = kind
        self.array: Array = np.empty(rows, f"u{kind.bit_width // 8}")
        self.there: Array | None = None  # unless there is one everywhere

    def put(self, at: int, piece: Any) -> None:
        here, kind = slice(at, at + len(piece)), self.array.dtype
        self.array[here] = np.frombuffer(piece.buffers()[1], kind, len(piece), piece.offset * kind.itemsize)
        if piece.null_count:
            if self.there is None:
                self.there = np.ones(self.array.size, bool)
            self.there[here] = np.asarray(piece.is_valid())

    def made(self) -> Any:
        import pyarrow as pa

        bits = None if self.there is None else pa.py_buffer(np.packbits(self.there, bitorder="little"))
        return pa.Array.from_buffers(self.kind, self.array.size, [bits, pa.py_buffer(self.array)])


class Pieces:
    """A column of anything else: what comes stays as it is."""

    def __init__(self, kind: Any) -> None:
        self.kind = kind
        self.pieces: list[Any] = []

    def put(self, at: int, piece: Any) -> None:
        self.pieces.append(piece)

    def made(self) -> Any:
        import pyarrow as pa

        return pa.chunked_array(self.pieces, self.kind)
