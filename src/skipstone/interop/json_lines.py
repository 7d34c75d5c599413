"""JSON lines: an object a line, packed or not. Arrow reads them; where it cannot, line by line says why."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from ..errors import FileUnreadable
from .chosen import chosen
from .malformed import Account, exact

KINDS = {bool: "a truth value", int: "a number", float: "a number", str: "a text", list: "a list", dict: "an object"}


def read(path: str, wanted: Sequence[str] | None, malformed: str) -> Any:
    """The columns of one file as an Arrow table; `wanted` are those to read, all if None."""
    import pyarrow as pa
    import pyarrow.json as arrow

    account = Account(path, malformed, lambda: ((n, [text]) for n, text in lines_of(path)))
    try:
        with pa.input_stream(path) as stream:
            rows = arrow.read_json(stream)
    except pa.ArrowInvalid as error:
        good = sound(path, wanted, account)
        account.settle()
        try:
            rows = arrow.read_json(pa.BufferReader("\n".join(good).encode()))
        except pa.ArrowInvalid:
            raise FileUnreadable(f"{path} cannot be read: {str(error).splitlines()[0]}") from None
    columns = chosen(rows.column_names, wanted, path)
    for column in columns:
        exact(rows, column, account, partial(number_of, column))
    return rows.select(columns)


def lines_of(path: str) -> Iterator[tuple[int, str]]:
    import io

    import pyarrow as pa

    with pa.input_stream(path) as stream:
        for n, text in enumerate(io.TextIOWrapper(stream, "utf-8-sig", errors="replace"), 1):
            if text.strip():
                yield n, text.rstrip("\n")


def sound(path: str, wanted: Sequence[str] | None, account: Account) -> list[str]:
    """The lines that are objects, whose columns hold what they held in the first of them; the rest goes to account."""
    good: list[str] = []
    kinds: dict[str, str] = {}
    for _, text in lines_of(path):
        why = wrong_with(text, wanted, kinds)
        if why:
            account.add(1, why, is_line(text))
        else:
            good.append(text)
    return good


def is_line(text: str) -> Callable[[list[str]], bool]:
    return lambda fields: fields[0] == text


def wrong_with(text: str, wanted: Sequence[str] | None, kinds: dict[str, str]) -> str:
    """Why a line is malformed; empty, if it is not."""
    try:
        row = json.loads(text)
    except (ValueError, RecursionError) as error:
        return f"this is not JSON: {str(error).splitlines()[0]}"
    if not isinstance(row, dict):
        return f"{KINDS.get(type(row), 'null')} stands where an object is expected"
    for name, held in row.items():
        if held is not None and (wanted is None or name in wanted):
            kind = KINDS[type(held)]
            if kinds.setdefault(name, kind) != kind:
                return f"{name!r} is {kind}, and {kinds[name]} before"
    return ""


def number_of(column: str, fields: list[str]) -> str:
    return str(json.loads(fields[0]).get(column))
