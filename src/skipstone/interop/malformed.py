"""Rows that cannot be read: counted, told of with file and line, and refused or skipped as asked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any

from ..counting import counted
from ..errors import BadOption, FileUnreadable, MalformedRows, UnsupportedValue
from ..warned import warn

WAYS = ("refuse", "skip")
NUMBERS = {
    "an integer": r"^[ ]*[+-]?[0-9]+[ ]*$",
    "a number": r"^[ ]*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?[ ]*$|^[+-]?(?i:nan|inf|infinity)$",
}
REPAIR = 'Mend the file, or skip such rows: malformed="skip", or --malformed skip on the command line.'
EXACT = 2**53  # from here on there are integers that are no floats

Rows = Iterable[tuple[int, list[str]]]  # (line, fields), as plain Python reads them: slowly, to find a line


class Account:
    """What could not be read of one file. `rows` reads it again, to say on which line the first of them stands."""

    def __init__(self, path: str, malformed: str, rows: Callable[[], Rows]) -> None:
        if malformed not in WAYS:
            raise BadOption(f"malformed={malformed!r}", 'Say "refuse" or "skip".')
        self.path, self.skips, self.rows = path, malformed == "skip", rows
        self.uneven = 0
        self.causes: dict[str, tuple[int, str]] = {}  # how many rows, and the first of them

    @property
    def count(self) -> int:
        return sum(n for n, _ in self.causes.values())

    def skip(self, row: Any) -> str:
        """For Arrow to call with each row that has too few fields, or too many."""
        self.uneven += 1
        return "skip"

    def add(self, count: int, why: str, is_wrong: Callable[[list[str]], bool], cause: str = "") -> None:
        """Some rows more of one cause; `is_wrong` knows the first of them."""
        if count:
            before, first = self.causes.get(cause) or (0, f"{self.line(is_wrong)}{why}")
            self.causes[cause] = before + count, first

    def line(self, is_wrong: Callable[[list[str]], bool]) -> str:
        found = next((line for line, fields in self.rows() if is_wrong(fields)), None)
        return "" if found is None else f"line {found}: "

    def settle(self) -> None:
        """Refuse, or say how many were skipped; each cause by itself."""
        count, several = self.count, len(self.causes) > 1
        if not count:
            return
        rows = f"{counted(count, 'row')} {'is' if count == 1 else 'are'} malformed"
        each = "; ".join(first + f": {counted(n, 'row')}" * several for n, first in self.causes.values())
        if not self.skips:
            raise MalformedRows(f"{self.path}, {each} ({rows})", REPAIR)
        first = "the first of each kind:" if several else "the first is"
        warn(f"{self.path}: {rows} and skipped; {first} {each}")


def numeric(rows: Any, column: str, place: int, what: str, account: Account, names: Sequence[str] | None = None) -> Any:
    """The rows with numbers in a column that was read as text, because something in it is none; that is malformed.

    `names` are all columns, if another may be meant where there is not one number in this.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    held = rows.column(column)
    if not is_text(held.type):
        return rows
    fits = pc.match_substring_regex(held, NUMBERS[what])
    bad = held.filter(pc.fill_null(pc.invert(fits), False))
    if len(bad):
        text = str(bad[0])
        if names is not None and not account.skips and len(bad) == len(held) - held.null_count:
            raise of_text(column, text, names, account)
        why = f"{text!r:.60} is not {what}, in column {column!r}"
        account.add(len(bad), why, lambda fields: place < len(fields) and fields[place] == text, f"{column}: number")
    rows = rows.filter(pc.fill_null(fits, True))
    kept = pc.utf8_trim_whitespace(rows.column(column))
    kind = pa.int64() if what == "an integer" else pa.float64()
    try:
        if what == "a number" and pc.all(pc.match_substring_regex(kept, NUMBERS["an integer"])).as_py():
            kind = pa.int64()
        return rows.set_column(rows.column_names.index(column), column, kept.cast(kind))
    except pa.ArrowInvalid as error:
        raise FileUnreadable(f"{account.path}, column {column!r}: {str(error).splitlines()[0]}") from None


def expected(count: int, what: str) -> str:
    return f"{counted(count, what)} {'is' if count == 1 else 'are'} expected"


def of_text(column: str, text: str, names: Sequence[str], account: Account) -> UnsupportedValue:
    """There is not one number in a column: the wrong column was named, and no row is to blame."""
    first: list[str] = next((fields for _, fields in account.rows() if len(fields) == len(names)), [])
    number = re.compile(NUMBERS["a number"])
    others = [repr(name) for name, held in zip(names, first, strict=False) if number.match(held)]
    there = f" There {'is' if len(others) == 1 else 'are'} {', '.join(others[:5])}." if others else ""
    return UnsupportedValue(
        f"{account.path}: column {column!r} holds text ({text!r:.60}), and cannot be a value",
        f"Name a column of numbers as the value, or make this one a key.{there}",
    )


def exact(rows: Any, column: str, account: Account, field: Callable[[list[str]], str]) -> None:
    """Refuse integers that were read as floats, and are none: they would be others than those in the file."""
    import pyarrow.compute as pc

    held = rows.column(column)
    if str(held.type) != "double" or not pc.any(pc.greater_equal(pc.abs(held), EXACT)).as_py():
        return

    def changed(fields: list[str]) -> bool:
        with suppress(IndexError):
            text = field(fields).strip()
            return re.fullmatch(r"[+-]?\d+", text) is not None and float(text) != int(text)
        return False

    line = account.line(changed)
    if line:
        raise UnsupportedValue(
            f"{account.path}, {line}column {column!r} holds an integer that neither int64 nor a float can hold",
            "Use smaller numbers, or quote them as text.",
        )


def is_text(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_binary(kind))
