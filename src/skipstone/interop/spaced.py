"""Words apart by spaces or tabs, behind comments: SNAP's edge lists, FROSTT's tensors, the entries of a matrix."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter
from typing import Any

from ..errors import FileUnreadable
from .chosen import chosen
from .malformed import Account, exact, expected, numeric
from .utf8 import Utf8

COMMENTS = re.compile(rb"^[#%].*\n?", re.MULTILINE)
SPACES = bytes.maketrans(b"\t", b" ")
BLOCK = 1 << 22


def read_edges(path: str, wanted: Sequence[str] | None, valued: Sequence[str], malformed: str) -> Any:
    """A list of edges, as SNAP has them: columns "0", "1", … as they stand."""
    rows, account = words(path, malformed)
    columns = chosen(rows.column_names, wanted, path)
    for column in columns:
        place = rows.column_names.index(column)
        if column in valued:
            rows = numeric(rows, column, place, "a number", account, rows.column_names)
        exact(rows, column, account, itemgetter(place))
    account.settle()
    return rows.select(columns)


def read_tensor(path: str, wanted: Sequence[str] | None, malformed: str) -> Any:
    """A tensor, as FROSTT has them: coordinates from 1 on, then a value. Here coordinates go from 0 on."""
    rows, account = words(path, malformed)
    if rows.num_columns < 2:
        raise FileUnreadable(f"{path} is no tensor", "Each line has coordinates, and a value behind them.")
    rows = rows.rename_columns([*rows.column_names[:-1], "value"])
    rows = coordinates(rows, rows.column_names[:-1], account)
    rows = numeric(rows, "value", rows.num_columns - 1, "a number", account)
    exact(rows, "value", account, itemgetter(-1))
    account.settle()
    return rows.select(chosen(rows.column_names, wanted, path))


def coordinates(rows: Any, columns: Sequence[str], account: Account, limits: Sequence[int] = ()) -> Any:
    """Coordinates that are counted from 1 in a file, counted from 0. Those outside of the limits are malformed."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for n, column in enumerate(columns):
        rows = numeric(rows, column, n, "an integer", account)
        held = rows.column(column)
        if not pa.types.is_int64(held.type) and len(held):
            what = f"column {n + 1} holds {held.type} where coordinates are expected"
            raise FileUnreadable(f"{account.path}: {what}")
        held = held.cast(pa.int64())
        fits = pc.greater_equal(held, 1)
        if limits:
            fits = pc.and_(fits, pc.less_equal(held, limits[n]))
        if not pc.all(fits).as_py():
            bad = held.filter(pc.invert(fits))
            first = bad[0].as_py()
            span = f"from 1 to {limits[n]}" if limits else "from 1 on"
            account.add(len(bad), f"coordinate {first} is not {span}", at(n, first), f"{column}: limits")
            rows, held = rows.filter(fits), held.filter(fits)
        rows = rows.set_column(n, column, pc.subtract(held, 1))
    return rows


def at(place: int, number: int) -> Callable[[list[str]], bool]:
    return lambda fields: place < len(fields) and fields[place].lstrip("+") == f"{number}"


def words(path: str, malformed: str, skipped: int = 0) -> tuple[Any, Account]:
    """The words of a file as columns "0", "1", …, without its first lines; and what could not be read of it."""
    import pyarrow as pa
    import pyarrow.csv as arrow

    account = Account(path, malformed, lambda: rows_of(path, skipped))

    with pa.input_stream(path) as file:
        stream = io.BufferedReader(file)
        for _ in range(skipped):
            stream.readline()
        try:
            rows = arrow.read_csv(
                pa.PythonFile(Spaced(Utf8(stream, path)), mode="r"),
                arrow.ReadOptions(autogenerate_column_names=True),
                arrow.ParseOptions(delimiter=" ", quote_char=False, invalid_row_handler=account.skip),
            )
        except pa.ArrowInvalid as error:
            if "Empty CSV file" not in str(error):
                raise
            raise FileUnreadable(f"{path} holds no rows") from None
    width = rows.num_columns
    account.add(account.uneven, expected(width, "word"), lambda fields: len(fields) != width, "uneven")
    return rows.rename_columns([f"{n}" for n in range(width)]), account


def rows_of(path: str, skipped: int) -> Iterator[tuple[int, list[str]]]:
    import pyarrow as pa

    with pa.input_stream(path) as stream:
        for line, text in enumerate(io.TextIOWrapper(stream, errors="replace"), 1):
            if line > skipped and text.strip() and text[0] not in "#%":
                yield line, text.split()


class Spaced(io.RawIOBase):
    """A text without comments, its words apart by one space: what Arrow reads as CSV. Taken in by blocks of lines."""

    def __init__(self, stream: Any) -> None:
        self.stream, self.rest, self.ready = stream, b"", b""

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        while not self.ready:
            block: bytes = self.stream.read(BLOCK)
            lines, end, rest = (self.rest + block).rpartition(b"\n")
            self.rest, last = (rest, b"") if block else (b"", rest)
            if not block and not end and not last:
                return b""
            self.ready = tidy(lines + end + last)
        size = len(self.ready) if size < 0 else size
        found, self.ready = self.ready[:size], self.ready[size:]
        return found


def tidy(text: bytes) -> bytes:
    """Lines without comments, tabs, and spaces at either end or side by side."""
    text = text.replace(b"\r\n", b"\n").translate(SPACES)
    while b"  " in text:
        text = text.replace(b"  ", b" ")
    text = text.replace(b"\n ", b"\n").replace(b" \n", b"\n").removeprefix(b" ").removesuffix(b" ")
    return COMMENTS.sub(b"", text) if b"#" in text or b"%" in text else text
