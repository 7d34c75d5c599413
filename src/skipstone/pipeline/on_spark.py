"""A pipeline on Spark: Spark reads, keeps and writes; what is between is the engine's."""

from __future__ import annotations

import logging
import os
import signal
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from ..engines.spark import session as a_session
from ..engines.spark.frame import spark_table
from ..engines.spark.paths import frame_of as files_of
from ..errors import PipelineError, SkipstoneError, SparkMissing
from ..interop import files
from ..interop.writing import packing
from ..table import Table, table
from .spec import CATALOG, Input, format_of, is_here, titles
from .staged import ByHadoop, Files, Here, Staging, taken

HERE = ("mtx", "tns", "edges", "arrow")  # what Spark cannot read: it is read here, and handed to it
PATIENCE = 10  # seconds that cancelled tasks are given
SEPARATOR = {"csv": ",", "tsv": "\t"}


class OnSpark:
    """Reads, runs and writes by a Spark session."""

    def __init__(self, session: Any) -> None:
        self.session = session
        self.classic = hasattr(session, "_jsparkSession")  # and not Spark Connect
        self.files: Files = ByHadoop(session) if self.classic else Here()

    def read(self, given: Input, shared: bool) -> Table:
        """A table of the columns that are needed; kept by Spark if several queries read it."""
        from pyspark.errors import AnalysisException

        value: Any = given.value
        try:
            if format_of(given.path) in HERE or given.path.endswith((".zst", ".lz4")):
                rows, value = files.read(given.path, given.keys, given.value, given.malformed)
                frame = self.session.createDataFrame(rows)
            else:
                frame = frame_of(self.session, given)
        except AnalysisException as error:
            raise PipelineError(f"{given.path} cannot be read: {str(error).splitlines()[0]}") from None
        made = spark_table(frame, given.keys, value, given.name, given.nulls, given.combine)
        if shared:
            made.frame.persist()
        return made

    def found(self, expression: Any, name: str) -> Any:
        """A number, or a frame whose value has the name of the query."""
        found = expression.collect()
        return found.toDF(*titles(found.columns, len(expression.axes()), name)) if hasattr(found, "toDF") else found

    def kept(self, found: Any, name: str, keyed: int) -> Table:
        """A result as a table for the queries behind it, computed once. Its first columns are keys."""
        keys, values = found.columns[:keyed], found.columns[keyed:]
        return table(found.persist(), keys, values[0] if len(values) == 1 else values, name=name)

    def here(self, found: Any, name: str) -> Any:
        """A result as an Arrow table, its rows in order; a number is one row."""
        import pyarrow as pa

        if not hasattr(found, "toArrow"):
            return pa.table({name: [found]})
        rows = found.toArrow()
        return rows.sort_by([(column, "ascending") for column in rows.column_names])

    def check(self, path: str, overwrite: bool) -> None:
        """Whether a result may go there. Spark Connect is asked when it writes."""
        if format_of(path, writing=True) == "arrow" or packing(path) in ("zstd", "lz4"):
            raise PipelineError(f"Spark cannot write {path}", "Say --engine local, or write Parquet.")
        if overwrite:
            return
        if path.startswith(CATALOG):
            if self.session.catalog.tableExists(path.removeprefix(CATALOG)):
                raise taken(path)
        elif self.classic and self.files.exists(absolute(path)):
            raise taken(path)

    def write(self, found: Any, name: str, path: str, out: Staging) -> None:
        """Files are written now, and moved at last. A table cannot be moved: it is computed now, and saved at last."""
        frame = found if hasattr(found, "toArrow") else self.session.createDataFrame(self.here(found, name))
        form = format_of(path, writing=True)
        if self.classic and form != "table":
            saved(frame.write, path, out.place(absolute(path)))
            return
        ready = frame.localCheckpoint()
        mode = "overwrite" if out.overwrite else "error"
        if form == "table":
            out.at_last.append(lambda: ready.write.mode(mode).saveAsTable(path.removeprefix(CATALOG)))
        else:
            out.at_last.append(lambda: saved(ready.write.mode(mode), path, absolute(path)))


def frame_of(session: Any, given: Input) -> Any:
    """The rows of an input; the columns of a text without a header are named by their numbers."""
    form, path, headless = format_of(given.path), absolute(given.path), files.is_headless(given.keys)
    if form == "table":
        return session.table(path.removeprefix(CATALOG))
    how: dict[str, Any] = {}
    if form in ("csv", "tsv", "json"):
        how["mode"] = "FAILFAST" if given.malformed == "refuse" else "DROPMALFORMED"
    if form not in SEPARATOR:
        return files_of(session, [path], form, how)
    frame = files_of(session, [path], "csv", {**how, "header": not headless, "sep": SEPARATOR[form]})
    return frame.toDF(*(f"{n}" for n, _ in enumerate(frame.columns))) if headless else frame


def absolute(path: str) -> str:
    """A path of this machine as Spark can find it: its own working directory may be another."""
    return os.path.abspath(path) if is_here(path) else path


def saved(writer: Any, name: str, path: str) -> None:
    """Write to a path what shall have that name in the end."""
    form, how = format_of(name, writing=True), {"gzip": "gzip", "bz2": "bzip2"}.get(packing(name) or "")
    writer = writer.option("compression", how) if how else writer
    if form in ("csv", "tsv"):
        writer.csv(path, header=True, sep=SEPARATOR[form])
    else:
        writer.format(form).save(path)


@contextmanager
def started(master: str | None, conf: Mapping[str, str], verbose: bool) -> Iterator[Any]:
    """A session for the time of this block: one that is there already, or one that is stopped at the end."""
    running = active_session()
    level = {"spark.log.level": "INFO"} if verbose else {}

    def make() -> Any:
        return a_session(master, {**level, **conf})

    session = running or (make() if verbose else quietly(make))
    if running is None:
        with suppress(ValueError):  # in a thread of its own, there are no signals
            signal.signal(
                signal.SIGINT, signal.default_int_handler
            )  # PySpark's talks to Java amidst of a call, and fails
        if not verbose:
            logging.getLogger().addHandler(logging.NullHandler())  # Py4J logs that it was stopped
    try:
        yield session
    finally:
        if running is None:
            session.stop()


@contextmanager
def cancelling(session: Any) -> Iterator[None]:
    """If this block fails, its jobs end before anyone cleans up: a task that still runs would write once more."""
    try:
        yield
    except BaseException:
        if session is not None:
            until = time.monotonic() + PATIENCE
            with suppress(Exception):  # what was interrupted may have been a talk with Java
                session.interruptAll()
                while running_tasks(session) and time.monotonic() < until:
                    time.sleep(0.05)
        raise


def running_tasks(session: Any) -> int:
    """How many tasks run, as far as Spark tells; Spark Connect does not."""
    if not hasattr(session, "_jsparkSession"):
        return 0
    infos = session.sparkContext._jsc.sc().statusTracker().getExecutorInfos()
    return sum(int(info.numRunningTasks()) for info in infos)


def active_session() -> Any:
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        return None
    active: Any = SparkSession.getActiveSession
    return active()


def quietly(start: Callable[[], Any]) -> Any:
    """Start Spark without what Java and Spark say on stderr. It goes to a file, and its end is told if Spark fails."""
    with tempfile.TemporaryFile("w+", errors="replace") as log:
        stderr = os.dup(2)
        try:
            os.dup2(log.fileno(), 2)
            return start()
        except SkipstoneError:
            raise
        except Exception as error:
            log.seek(0)
            said = [line.strip() for line in log if line.strip() and not line.startswith(("\t", "WARNING"))]
            why = next(
                (line for line in said if "Exception: " in line or "Error: " in line), (said or [str(error)])[-1]
            )
            raise SparkMissing(f"Spark did not start: {why}", "With -v it says more.") from error
        finally:
            os.dup2(stderr, 2)
            os.close(stderr)
