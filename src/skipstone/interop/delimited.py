"""CSV and TSV, with or without a line that names the columns, packed or not. Arrow reads them."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Any

from ..errors import FileUnreadable
from ..warned import warn
from .chosen import chosen
from .malformed import Account, exact, expected, is_text, numeric
from .utf8 import Utf8

SIGNS = {"csv": ",", "tsv": "\t"}
NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")
REPAIR = "Name columns by number, as in keys=['0', '1'], if there is no such line."


def read(
    path: str, form: str, headless: bool, wanted: Sequence[str] | None, valued: Sequence[str], malformed: str
) -> Any:
    """The columns of one file as an Arrow table; `wanted` are those to read, all if None."""
    import pyarrow as pa
    import pyarrow.csv as arrow

    sign = SIGNS[form]
    names, skipped = head(path, sign, headless)
    account = Account(path, malformed, lambda: rows_of(path, sign, skipped))
    columns = chosen(names, wanted, path)
    with pa.input_stream(path) as stream:
        text = Utf8(stream, path)
        rows = arrow.read_csv(
            pa.PythonFile(text, mode="r"),
            arrow.ReadOptions(column_names=names, skip_rows=skipped),
            arrow.ParseOptions(delimiter=sign, newlines_in_values=True, invalid_row_handler=account.skip),
            arrow.ConvertOptions(include_columns=columns),
        )
    account.add(account.uneven, expected(len(names), "field"), lambda fields: len(fields) != len(names), "uneven")
    if text.quotes % 2 and (line := unclosed(path, sign)):
        account.add(1, f'line {line}: a quote " is not closed', lambda fields: False, "quote")
        rows = rows.slice(0, max(rows.num_rows - 1, 0))
    for column in columns:
        place = names.index(column)
        if column in valued:
            rows = numeric(rows, column, place, "a number", account, names)
        exact(rows, column, account, itemgetter(place))
    account.settle()
    return without_empty(rows)


def head(path: str, sign: str, headless: bool) -> tuple[list[str], int]:
    """The names of the columns, and how many lines to skip before the rows."""
    import pyarrow as pa

    with pa.input_stream(path) as stream:
        reader = csv.reader(io.TextIOWrapper(stream, "utf-8-sig", errors="replace", newline=""), delimiter=sign)
        try:
            first = next((row for row in reader if row), None)
        except csv.Error as error:
            raise FileUnreadable(f"{path} cannot be read: {error}") from None
    if first is None:
        raise FileUnreadable(f"{path} is empty", "There should be a line that names the columns.")
    if len(first) == 1 and (other := next((each for each in ";\t|," if each in first[0]), None)):
        what = f"{path}: the first line is one field, with {other!r} in it"
        warn(f"{what}. Columns stand apart by commas in .csv, and by tabs in .tsv.")
    numbers = [f"{n}" for n, _ in enumerate(first)]
    if headless and first != numbers:
        return numbers, 0
    if not headless and any(NUMBER.fullmatch(name) for name in first) and first != numbers:
        what = f"{path}: the first line is taken for names of columns: {sign.join(first)}"
        warn(f"{what}. {REPAIR}")
    return first, reader.line_num


def rows_of(path: str, sign: str, skipped: int) -> Iterator[tuple[int, list[str]]]:
    import pyarrow as pa

    with pa.input_stream(path) as stream:
        reader = csv.reader(io.TextIOWrapper(stream, "utf-8-sig", errors="replace", newline=""), delimiter=sign)
        line = 0
        for row in reader:
            if row and reader.line_num > skipped:
                yield line + 1, row
            line = reader.line_num


def unclosed(path: str, sign: str) -> int:
    """The line of a quote that nothing closes, if the file ends within it; all behind it would be one value."""
    last = 0
    for line, _ in rows_of(path, sign, 0):
        last = line
    import pyarrow as pa

    with pa.input_stream(path) as stream:
        text = io.TextIOWrapper(stream, "utf-8-sig", errors="replace", newline="")
        try:
            list(csv.reader((line for n, line in enumerate(text, 1) if n >= last), delimiter=sign, strict=True))
        except csv.Error as error:
            return last if "unexpected end" in str(error) else 0
    return 0


def without_empty(rows: Any) -> Any:
    """Nothing between two commas is a missing key, and not an empty one."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for n, name in enumerate(rows.column_names):
        held = rows.column(n)
        if is_text(held.type) and pc.any(pc.equal(held, "")).as_py():
            rows = rows.set_column(n, name, pc.if_else(pc.equal(held, ""), pa.scalar(None, held.type), held))
    return rows
