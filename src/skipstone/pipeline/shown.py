"""Results, errors and the summary, as text for people and programs."""

from __future__ import annotations

import csv
import sys
from typing import Any, TextIO

from rich.console import Console
from rich.table import Table as Shown

from ..counting import counted
from ..errors import SkipstoneError
from ..interop.writing import json_lines

MOST = 100  # rows of a table for people
LONGEST = 1000  # characters of what went wrong


def show(rows: Any, name: str, form: str, named: bool, console: Console) -> None:
    """A result on stdout, with its name if there may be others."""
    if form == "arrow":
        as_stream(rows)
    elif form == "json":
        for line in json_lines(rows, **({"query": name} if named else {})):
            print(line)
    elif form == "csv":
        if named:
            print(f"# {name}")
        as_csv(rows, sys.stdout)
    elif rows.column_names == [name] and rows.num_rows == 1:
        value = rows.column(0)[0].as_py()
        print(f"{name} = {value}" if named else value)
    else:
        as_table(rows, name if named else None)
        if rows.num_rows > MOST:
            left = counted(rows.num_rows - MOST, "row")
            console.print(f"… and {left} more: --format csv shows all, --out writes them")


def as_csv(rows: Any, file: TextIO) -> None:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(rows.column_names)
    writer.writerows(zip(*(column.to_pylist() for column in rows.columns), strict=True))


def as_stream(rows: Any) -> None:
    """As Arrow's stream of record batches; several results are one stream behind the other."""
    import pyarrow as pa

    sys.stdout.flush()
    with pa.ipc.new_stream(sys.stdout.buffer, rows.schema) as writer:
        writer.write_table(rows)
    sys.stdout.buffer.flush()


def as_table(rows: Any, title: str | None) -> None:
    first = rows.slice(0, MOST)
    numeric = [str(field.type).startswith(("int", "uint", "float", "double")) for field in rows.schema]
    shown = Shown(title=title)
    for name, number in zip(rows.column_names, numeric, strict=True):
        shown.add_column(name, justify="right" if number else "left")
    for row in zip(*(column.to_pylist() for column in first.columns), strict=True):
        shown.add_row(*(f"{x:.10g}" if isinstance(x, float) else str(x) for x in row))
    Console().print(shown, highlight=False)


def summary(read: int | None, meter: Any, written: list[str], seconds: float) -> str:
    """One line: what it was, and what it cost. What was not counted is left out."""
    parts = []
    if meter is not None and meter.cells:
        parts += [f"{counted(meter.rows, 'row')} in", counted(meter.cells, "cell")]
        parts += [f"{meter.bytes / 1e6:,.1f} MB shuffled", f"{meter.seconds:.1f} s in cells"]
    elif read is not None:
        parts.append(f"{counted(read, 'row')} in")
    parts.append(f"{seconds:.1f} s in all")
    if written:
        parts.append(f"written: {', '.join(written)}")
    return ", ".join(parts)


def one_line(error: BaseException) -> str:
    """What went wrong, in a line; the place in a text below it, if there is one."""
    if isinstance(error, SkipstoneError):
        first = squeezed(f"{error.what}. {error.repair}" if error.repair else error.what)
        return f"{first}\n  {printable(error.where, '�')}" if error.where else first
    lines = [line for line in str(error).splitlines() if line.strip()]
    if any(line.strip().startswith("Traceback") for line in lines):  # of a Python worker: its last line says what
        begin = next(n for n, line in enumerate(lines) if line.strip().startswith("Traceback"))
        lines = [line for line in lines[begin + 1 :] if not line.startswith((" ", "\t"))] or lines
    return squeezed(f"{type(error).__name__}: {lines[0] if lines else 'no more is known'}")


def printable(text: str, instead: str) -> str:
    """A text without what would move a terminal's cursor, or worse, character for character."""
    return "".join(c if c.isprintable() or c == "\n" else instead for c in text)


def squeezed(text: str) -> str:
    """A text as one line that is not too long: names of columns and files in it may be anything."""
    line = " ".join(printable(text.replace("\n", " "), " ").split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST // 2]} … {line[-LONGEST // 2 :]}"
