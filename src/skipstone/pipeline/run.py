"""A pipeline, run: inputs are read when first needed, results kept for the queries behind, outputs staged."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from rich.console import Console

from ..counting import counted, rows_told
from ..engines.spark.meter import metered
from ..errors import PipelineError
from ..notation.text import parse
from ..table import Table
from .local import Local
from .on_spark import OnSpark, cancelling, started
from .progress import stages
from .shown import show, summary
from .spec import EQUAL, Pipeline, Query, at, places_of
from .staged import staging, swept

CHEAP = 1_000_000  # rows that are sorted, to see whether some are equal


@dataclass(frozen=True)
class Way:
    """How a pipeline is run: here or on Spark, what becomes of outputs that are there, and how results are shown."""

    local: bool = False
    overwrite: bool = False
    form: str = "table"
    named: bool = False
    verbose: bool = False


def run(pipeline: Pipeline, way: Way) -> None:
    """Run every query. Results go to stdout, with their names if the way says so, or to their outputs.

    All else goes to stderr. Outputs are there when all queries have succeeded; if one fails, nothing is written.
    """
    console, began = Console(stderr=True), time.perf_counter()
    outs = [query.out for query in pipeline.queries if query.out]
    with swept() as staged, an_engine(pipeline, way, console) as (engine, session):
        for query in pipeline.queries:
            with at(query.place):
                if query.out:
                    engine.check(query.out, way.overwrite)
        shown = []
        with (
            metered(session) as meter,
            stages(session, console) as say,
            staging(engine.files, way.overwrite) as out,
            cancelling(session),
        ):
            staged.append(out)
            tables = Tables(pipeline, engine)
            for query in pipeline.queries:
                say(query.name)
                with at(query.place):
                    expression = tables.expression(query)
                    found = engine.found(expression, query.name)
                    if pipeline.readers(query.name):
                        tables.keep(found, query.name, expression)
                    if query.out:
                        engine.write(found, query.name, query.out, out)
                    if pipeline.shown(query):
                        shown.append((engine.here(found, query.name), query.name))
            read = tables.rows() if way.local else None
            notes = list(tables.equal_rows())
        for rows, name in shown:
            show(rows, name, way.form, way.named, console)
        for note in notes:
            console.print(note, highlight=False, markup=False, soft_wrap=True)
        spent = summary(read, meter, outs, time.perf_counter() - began)
    console.print(spent, highlight=False, markup=False, soft_wrap=True)


def explain(pipeline: Pipeline, way: Way) -> None:
    """Print how each query would be run. Tables are counted, results that others use computed, and nothing written."""
    with an_engine(pipeline, way, Console(stderr=True)) as (engine, _):
        tables = Tables(pipeline, engine)
        for query in pipeline.queries:
            with at(query.place):
                expression = tables.expression(query)
                print(f"{query.text.strip()}\n\n{expression.explain()}\n")
                if pipeline.readers(query.name):
                    tables.keep(engine.found(expression, query.name), query.name, expression)


class Tables:
    """What queries are about: inputs, read when they are first needed, and results."""

    def __init__(self, pipeline: Pipeline, engine: Any) -> None:
        self.pipeline, self.engine = pipeline, engine
        self.made: dict[str, Table] = {}

    def expression(self, query: Query) -> Any:
        for name, places in places_of(query).items():
            if name not in self.made:
                given = self.pipeline.inputs[name]
                with at(given.place or f"input {name}"):
                    made = self.engine.read(given, self.pipeline.readers(name) > 1)
                    if given.keys is None and places < len(made.keys):
                        keys = counted(len(made.keys), "column")
                        what = f"{given.path} has {keys} of keys, and the query gives it {places}"
                        example = f"{name}={given.path}:{','.join(made.keys[:places])}"
                        raise PipelineError(what, f"Name those that are keys, as in {example}")
                    self.made[name] = made
        parsed = parse(query.text, **{name: self.made[name] for name in query.uses})
        for doubt in parsed.doubts:
            warnings.warn(doubt, stacklevel=2)
        return parsed

    def keep(self, found: Any, name: str, expression: Any) -> None:
        """A result for the queries behind."""
        if not expression.axes():
            what = f"{name} is a number, and other queries use it as a table"
            raise PipelineError(what, f"Keep an axis of it: {name}(a) = …")
        self.made[name] = self.engine.kept(found, name, len(expression.axes()))

    def equal_rows(self) -> Iterator[str]:
        """A line for each input that has no value and equal rows, as far as that is known or cheap to know."""
        for name, made in self.made.items():
            given = self.pipeline.inputs.get(name)
            if given is None or made.engine is not None or made.values or given.combine != "plus":
                continue
            different = made.different(CHEAP)
            if different is not None and different < made.size:
                keys = f":{','.join(given.keys)}" if given.keys else ""
                written = f"{name}={given.path}{keys}={EQUAL}"
                way = 'say combine = "count"' if given.place else f"say --table '{written}'"
                yield f"{name}: {rows_told(made.size, different)}: equal ones count once; to count each, {way}"

    def rows(self) -> int:
        return sum(table.size for name, table in self.made.items() if name in self.pipeline.inputs)


@contextmanager
def an_engine(pipeline: Pipeline, way: Way, console: Console) -> Iterator[tuple[Any, Any]]:
    """Who reads, runs and writes; and the session of Spark, if it is one."""
    if way.local:
        yield Local(), None
        return
    if console.is_terminal:
        console.print("starting Spark …", end="\r", highlight=False)
    with started(pipeline.master, pipeline.conf, way.verbose) as session:
        yield OnSpark(session), session
