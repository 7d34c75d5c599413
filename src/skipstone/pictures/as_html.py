"""What a notebook shows: tables with their first rows, streams, expressions, plans, kernels."""

from __future__ import annotations

from typing import Any

from ..counting import rows_told
from ..notation import Expression, accesses
from ..plan.run import CompiledExpression, Report
from ..source import Source
from ..stream import Stream
from ..table import Table
from .as_text import cell, copies, first_rows
from .svg import escaped


def written(tag: str, inside: str, style: str = "") -> str:
    return f'<{tag} style="{style}">{inside}</{tag}>' if style else f"<{tag}>{inside}</{tag}>"


def plain(words: str) -> str:
    return escaped(words)


def small(words: str) -> str:
    return written("div", plain(words), "opacity: 0.7; font-size: 90%")


def table_as_html(self: Table) -> str:
    if self.engine is not None or not self.keys:
        return written("code", plain(repr(self)))
    first = first_rows(self)
    sides = ["text-align: right" if number else "text-align: left" for number in first.numeric]
    kinds = [*(domain.kind for domain in self.domains), *(str(v.dtype) for v in self.values)]

    def row(tag: str, cells: list[str]) -> str:
        return written("tr", "".join(written(tag, words, side) for words, side in zip(cells, sides, strict=True)))

    under = [written("small", plain(kind), "font-weight: normal; opacity: 0.7") for kind in kinds]
    head = row("th", [f"{plain(name)}<br>{kind}" for name, kind in zip(first.names, under, strict=True)])
    body = "".join(row("td", [plain(cell(x)) for x in each]) for each in first.rows)
    shown = written("table", written("thead", head) + written("tbody", body))
    title = written("b", plain(self.name or "table")) + f", {rows_told(self.size, self.different())}"
    return written("div", title + shown + "".join(small(told) for told in (first.more, *copies(self)) if told))


def stream_as_html(self: Stream) -> str:
    return written("pre", plain(str(self)))


def expression_as_html(self: Expression) -> str:
    tables = {id(access.table): access.table for access in accesses(self)}
    axes = ", ".join(map(repr, self.axes())) or "none: a number"
    told = [f"axes: {axes}", *(repr(table) for table in tables.values())]
    return written("div", written("code", plain(repr(self))) + "".join(map(small, told)))


def report_as_html(self: Report) -> str:
    return written("pre", plain("\n".join(self.lines))) + "".join(Source(each)._repr_html_() for each in self.sources)


def kernel_as_html(self: Any) -> str:
    return str(self.source._repr_html_())


for kind, show in {
    Table: table_as_html,
    Stream: stream_as_html,
    Expression: expression_as_html,
    Report: report_as_html,
    CompiledExpression: kernel_as_html,
}.items():
    kind._repr_html_ = show  # type: ignore[attr-defined]
