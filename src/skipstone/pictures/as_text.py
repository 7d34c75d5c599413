"""What `print` shows of tables and streams: sizes, types of keys, formats of levels, first rows."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from ..counting import counted
from ..storage.levels import Compressed, DenseRun, Leaf, SortedRun, Together
from ..stream import Stream
from ..table import Table

ROWS = 10  # that are shown
SORTED = 100_000  # rows that are put in order to be shown; of more, those that come first are
WIDEST = 40  # letters of a key


@dataclass
class First:
    """The first rows of a table: names of columns, rows, which columns hold numbers, and how many rows there are."""

    names: list[str]
    rows: list[list[Any]]
    numeric: list[bool]
    total: int

    @property
    def more(self) -> str:
        """How many rows are not shown; nothing, if none."""
        left = self.total - len(self.rows)
        return f"… and {left:,} more" if left else ""


def first_rows(table: Table) -> First:
    codes, values = table.in_order() if table.size <= SORTED else table.content()
    keys = [domain.listed(c[:ROWS]) for domain, c in zip(table.domains, codes, strict=True)]
    numbers = [v[:ROWS].tolist() for v in values]
    names = [*table.keys, *table.value_names(len(values))]
    numeric = [*(d.kind in ("int", "float", "bool", "any") for d in table.domains), *(True for _ in values)]
    return First(names, [list(row) for row in zip(*keys, *numbers, strict=True)], numeric, codes[0].size)


def cell(value: Any) -> str:
    told = f"{value:.10g}" if isinstance(value, float) else str(value).replace("\n", " ")
    return told if len(told) <= WIDEST else told[: WIDEST - 1] + "…"


def formats(level: Any) -> str:
    """The formats of levels, from this one inward."""
    found = []
    while not isinstance(level, Leaf):
        found.append("compressed" if isinstance(level, Compressed) else "dense")
        level = level.inner
    return ", ".join(found)


def copies(table: Table) -> list[str]:
    """The sorted copies that a table has, and how they are laid out."""
    return [
        f"sorted by {', '.join(table.keys[n] for n in order)} ({formats(trie.root)})"
        for order, trie in table.sorted_copies().items()
    ]


def table_as_text(self: Table) -> str:
    """The table in a line, its first rows, and its sorted copies."""
    if self.engine is not None or not self.keys:
        return repr(self)
    first = first_rows(self)
    columns = [[name, *(cell(row[n]) for row in first.rows)] for n, name in enumerate(first.names)]
    widths = [max(map(len, column)) for column in columns]

    def line(cells: list[str]) -> str:
        pairs = zip(cells, widths, first.numeric, strict=True)
        return "  " + "  ".join(c.rjust(w) if right else c.ljust(w) for c, w, right in pairs).rstrip()

    body = [line([column[n] for column in columns]) for n in range(len(first.rows) + 1)]
    rest = [f"  {told}" for told in (first.more, *copies(self)) if told]
    return "\n".join([repr(self), *body, *rest])


def stream_as_text(self: Stream) -> str:
    """What it is made of, one line a part: combinators, and below each what they combine."""
    return "\n".join(outline(self, 0))


def outline(stream: Stream, depth: int) -> list[str]:
    indent = "  " * depth
    if isinstance(stream, DenseRun) and isinstance(stream.inner, Together):
        return [f"{indent}Product, by place", *(line for x in stream.inner.runs for line in outline(x, depth + 1))]
    if isinstance(stream, SortedRun | DenseRun):
        if isinstance(stream, DenseRun):
            form, size = "dense", getattr(stream.size, "value", stream.size)
        else:
            form, size = "compressed", stream.column.size if stream.hi is None else stream.hi - stream.lo
        below = "" if isinstance(stream.inner, Leaf) else f", {formats(stream.inner)}"
        keys = f"{counted(size, 'key')} ({stream.key_kind()})"
        return [f"{indent}{form}{below}: {keys}, values {leaf_of(stream.inner)!r}"]
    parts = [getattr(stream, f.name) for f in fields(stream)]  # type: ignore[arg-type]
    each = [x for part in parts for x in (part if isinstance(part, tuple) else (part,))]
    inner = [x for x in each if isinstance(x, Stream)]
    if not inner:
        return [f"{indent}{stream!r}"]
    return [f"{indent}{type(stream).__name__}", *(line for x in inner for line in outline(x, depth + 1))]


def leaf_of(level: Any) -> Any:
    while hasattr(level, "inner"):
        level = level.inner
    return level


Table.__str__ = table_as_text  # type: ignore[method-assign,assignment]
Stream.__str__ = stream_as_text  # type: ignore[method-assign,assignment]
