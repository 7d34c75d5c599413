"""Inputs and queries: what a pipeline consists of. All that can be wrong with names and texts is said here."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from ..errors import PipelineError, SkipstoneError
from ..interop import files
from ..keys import Domain
from ..notation.text import Parser, Token, nearest, parse
from ..table import Table

CATALOG = "table:"
EQUAL = "#"  # as a value: how many equal rows there are
SET_UP = ("SPARK_HOME", "SPARK_REMOTE", "HADOOP_HOME", "HADOOP_CONF_DIR")
SPEC = re.compile(  # a value may be a number where keys are: `day=3` may be the end of a path
    r"(?P<path>(?:table:)?.+?)(?::(?P<keys>[^:=/\\*?\[]+)(?:=(?P<of_keys>[^:=/\\*?\[]+))?|=(?P<value>#|[^\W\d][\w,]*))?",
    re.DOTALL,
)


@dataclass(frozen=True)
class Input:
    """A table to read: a path or `table:` and a name, and which of its columns are keys and values."""

    name: str
    path: str
    keys: tuple[str, ...] | None = None
    value: str | tuple[str, ...] | None = None
    nulls: str = "drop"
    combine: str = "plus"
    malformed: str = "refuse"
    place: str = ""

    def counting(self) -> Input:
        """The same, if its value is `#`: how many equal rows there are."""
        return replace(self, value=None, combine="count") if self.value == EQUAL else self

    def options(self) -> dict[str, Any]:
        """What `sk.table` shall know beside the columns."""
        return {name: getattr(self, name) for name in ("name", "nulls", "combine", "malformed")}


@dataclass(frozen=True)
class Query:
    """A query as text, the name of its result, the tables that it is about, and where the result goes."""

    text: str
    name: str
    uses: tuple[str, ...]
    out: str = ""
    place: str = ""


@dataclass(frozen=True)
class Pipeline:
    """Inputs and queries, each query behind those that it uses. Making one checks it."""

    inputs: Mapping[str, Input]
    queries: tuple[Query, ...]
    master: str | None = None
    conf: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "queries", in_order(self.inputs, self.queries))
        outs: dict[str, Query] = {}
        for query in self.queries:
            if query.out:
                with at(query.place):
                    format_of(query.out, writing=True)
                    if query.out in outs:
                        raise PipelineError(f"{outs[query.out].name} and {query.name} both go to {query.out}")
                outs[query.out] = query
        for name in self.used_inputs():
            with at(self.inputs[name].place or f"input {name}"):
                format_of(self.inputs[name].path)
                must_exist(self.inputs[name].path)

    def used_inputs(self) -> list[str]:
        return [name for name in self.inputs if self.readers(name)]

    def is_plain(self) -> bool:
        """Whether all that it reads and writes are paths that need no Spark."""
        paths = [*(self.inputs[name].path for name in self.used_inputs()), *(query.out for query in self.queries)]
        return all(map(is_plain, paths))

    def readers(self, name: str) -> int:
        """How many queries use an input, or a result."""
        return sum(name in query.uses for query in self.queries)

    def shown(self, query: Query) -> bool:
        """A result that goes nowhere else is shown."""
        return not query.out and not self.readers(query.name)


def input_of(text: str, malformed: str = "refuse") -> Input:
    """An input as it is written on the command line: NAME=PATH[:key,key,…][=value], # for the number of equal rows.

    >>> input_of("E=edges.parquet:src,dst=weight")
    Input(name='E', path='edges.parquet', keys=('src', 'dst'), value='weight',
    nulls='drop', combine='plus', malformed='refuse', place='')
    >>> input_of("E=table:shop.sales:day").path
    'table:shop.sales'
    >>> input_of("O=orders.csv:customer=#").combine
    'count'
    """
    name, _, rest = text.partition("=")
    if not name.isidentifier() or not rest:
        repair = "Write NAME=PATH, or NAME=PATH:key,key=value; NAME is what the query calls it."
        raise PipelineError(f"{text!r} is not an input", repair)
    return Input(name, *parts_of(rest), malformed=malformed).counting()


def by_name(inputs: Iterable[Input]) -> dict[str, Input]:
    """Inputs by their names, which must differ."""
    found: dict[str, Input] = {}
    for each in inputs:
        if each.name in found:
            raise PipelineError(f"there are two inputs called {each.name}", "Give each a name of its own.")
        found[each.name] = each
    return found


def parts_of(text: str) -> tuple[str, tuple[str, ...] | None, str | tuple[str, ...] | None]:
    """Path, keys and value of PATH[:key,key,…][=value]. A path that exists is a path, whatever stands in it."""
    found = None if os.path.exists(text) else SPEC.fullmatch(text)
    if found is None:
        return text, None, None
    keys = tuple(key.strip() for key in found["keys"].split(",")) if found["keys"] else None
    values = tuple((found["of_keys"] or found["value"] or "").split(","))
    return found["path"], keys, (values if len(values) > 1 else values[0] or None)


def query_of(text: str, out: str = "", place: str = "") -> Query:
    """A query, with the names of the tables in it."""
    with at(place):
        parser = Parser(text, {})
        tokens = parser.tokens
        parser.head()
        called = [(n, one) for n, (one, two) in enumerate(pairwise(tokens)) if one.kind == "name" and two.text == "("]
        names = [one.text for n, one in called if not (one.text == "date" and tokens[n + 2].kind == "string")]
        if not called or called[0][0] != 0:
            parse(text)  # says what is wrong
        return Query(text, names[0], tuple(dict.fromkeys(names[1:])), out, place)


def in_order(inputs: Mapping[str, Input], queries: tuple[Query, ...]) -> tuple[Query, ...]:
    """The queries, each behind those that it uses; names must be known, and be there once."""
    by_name: dict[str, Query] = {}
    for query in queries:
        with at(query.place):
            if query.name in by_name or query.name in inputs:
                raise PipelineError(f"there are two tables called {query.name}", "Give each a name of its own.")
            by_name[query.name] = query
    found: dict[str, Query] = {}

    def visit(query: Query, above: tuple[str, ...]) -> None:
        if query.name in above:
            ring = (*above[above.index(query.name) :], query.name)
            with at(query.place):
                raise PipelineError(f"{query.name} needs its own result: {' → '.join(ring)}")
        if query.name in found:
            return
        with at(query.place):
            for name in query.uses:
                if name not in by_name and name not in inputs:
                    there = [*inputs, *(other for other in by_name if other != query.name)]
                    repair = f"There are: {', '.join(there) or 'none'}.{nearest(name, there)}"
                    raise PipelineError(f"{query.name} uses {name}, and nothing is called that", repair)
        for name in query.uses:
            if name in by_name:
                visit(by_name[name], (*above, query.name))
        with at(query.place):
            parse(query.text, **likely(query))
        found[query.name] = query

    for query in queries:
        visit(query, ())
    return tuple(found.values())


def likely(query: Query) -> dict[str, Table]:
    """Tables without rows, with as many keys as a query gives them places: its text can be checked with these."""
    made: dict[str, Table] = {}
    for name, count in places_of(query).items():
        keys, unknown = [f"key {k}" for k in range(count)], Domain("any")
        made[name] = Table(keys, [unknown.no_codes()] * count, [unknown] * count)
    return made


def places_of(query: Query) -> dict[str, int]:
    """The tables that a query is about, and how many places it gives each, where it is named first."""
    tokens = Parser(query.text, {}).tokens
    found: dict[str, int] = {}
    for n, token in enumerate(tokens[1:-1], 1):
        if token.kind == "name" and token.text in query.uses and tokens[n + 1].text == "(":
            found.setdefault(token.text, places(tokens[n + 1 :]))
    return found


def places(tokens: list[Token]) -> int:
    """How many places there are between a bracket and the one that closes it."""
    depth, commas = 0, 0
    for n, token in enumerate(tokens):
        depth += (token.text == "(") - (token.text == ")")
        commas += depth == 1 and token.text == ","
        if depth == 0:
            return commas + (n > 1)
    return commas + 1


def titles(columns: Sequence[str], keyed: int, name: str) -> list[str]:
    """The columns of a result, of which the first are keys: its one value is called by its name.

    >>> titles(["city", "value"], 1, "total"), titles(["total", "value"], 1, "total")
    (['city', 'total'], ['total', 'total_'])
    """
    keys = list(columns[:keyed])
    if len(columns) != keyed + 1:
        return list(columns)
    while name.lower() in (key.lower() for key in keys):  # Spark and others do not tell a from A
        name += "_"
    return [*keys, name]


def format_of(path: str, writing: bool = False) -> str:
    """The format that a path's name tells, "table" for one of the catalog."""
    return "table" if path.startswith(CATALOG) else files.format_of(path, writing)


def is_plain(path: str) -> bool:
    """Whether a path is neither a table nor a URL."""
    return not path.startswith(CATALOG) and "://" not in path


def is_here(path: str) -> bool:
    """Whether a path is one of this machine's. Where a Spark or Hadoop is set up, they may know others by default."""
    return is_plain(path) and not any(name in os.environ for name in SET_UP)


def must_exist(path: str) -> None:
    if is_here(path) and not os.path.exists(path) and not glob.glob(path):
        raise PipelineError(f"there is no file {path}")


@contextmanager
def at(place: str) -> Iterator[None]:
    """Errors inside tell the place in a file, or what they are about; the innermost says it best."""
    try:
        yield
    except SkipstoneError as error:
        if not place or getattr(error, "placed", False):
            raise
        placed = PipelineError(f"{place}: {error.what}", error.repair, error.where)
        placed.placed = True
        raise placed from error


def options_of(given: Mapping[str, Any], known: tuple[str, ...], what: str) -> None:
    """Names in a file that mean nothing are refused."""
    for name in given:
        if name not in known:
            raise PipelineError(f"{what} has no {name!r}", f"It may have: {', '.join(known)}.{nearest(name, known)}")
