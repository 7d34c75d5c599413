"""What Spark says when a job fails, in our words: what happened, where, and the repair.

with told():
    rows = frame.collect()          # a Py4J stack of two hundred lines becomes a SparkFailed of two

Spark tells of the same trouble in several ways (a captured exception, a bare Py4J error, one of Connect's), so its text
is searched for what it always says. What a task raised is raised here again, of the same class where that is a built-in
one or ours.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from ... import errors
from ...errors import SparkFailed

MEMORY = "Divide it into more cells, sk.spark.options(cells=…), or give tasks more memory: spark.executor.memory, or \
spark.driver.memory where Spark is embedded, and spark.executor.pyspark.memory."
SAID = (  # what Spark always says, what that means, and the repair
    (r"No space left on device|ENOSPC|Disk quota exceeded", "the disk is full",
     "Make room, or let spark.local.dir name a directory on another disk."),
    (r"FILE_NOT_EXIST\][^\n]*?reading file (\S+?)\.?\s", "{} is gone", "It was there before: make the table anew."),
    (r"FAILED_READ_FILE[^\n]*?reading file (\S+?)\.?\s", "{} cannot be read: it is corrupt, or of another format",
     "Write it again, or leave it out."),
    (r"PATH_NOT_FOUND\][^\n]*?exist: (\S+?)\.?\s", "there is no {}", "Check the path."),
    (r"TABLE_OR_VIEW_NOT_FOUND\] The table or view (\S+) ", "Spark has no table {}",
     "Check its name and its schema; spark.catalog.listTables() tells what there is."),
    (r"UNABLE_TO_INFER_SCHEMA\]", "nothing says what columns there are: no file has a row",
     "Check the path, and its format."),
    (r"\b_?(?:Array)?MemoryError\b|OutOfMemoryError|MEMORY_LIMIT|CANNOT_ACQUIRE_MEMORY", "a task ran out of memory",
     MEMORY),
    (r"Python worker exited unexpectedly", "a Python worker died each time that its task was tried",
     f"If it was killed, it may have taken too much memory. {MEMORY}"),
    (r"ExecutorLostFailure", "an executor was lost each time that a task was tried",
     f"If it was killed, it may have taken too much memory. {MEMORY}"),
    (r"shuffle map stage with indeterminate output",
     "an executor was lost, and a table's rows come in another order each time that they are made",
     "The answer would be the same: set spark.sql.shuffle.orderIndependentChecksum.enableFullRetryOnMismatch to false, "
     "or write the table to a file first."),
    (r"No module named '(?:skipstone|numba|numpy|pyarrow)", "executors have a Python that lacks what skipstone needs",
     "Send it along: docs/cluster.md tells how."),
)  # fmt: skip


@contextmanager
def told() -> Iterator[None]:
    """Errors of Spark's that are raised inside of this block, in our words."""
    try:
        yield
    except Exception as error:
        if type(error).__module__.partition(".")[0] not in ("pyspark", "py4j", "grpc"):
            raise
        raise in_our_words(str(error)) from None


def in_our_words(text: str) -> Exception:
    """The error that Spark's text speaks of."""
    for pattern, what, repair in SAID:
        found = re.search(pattern, text)
        if found is not None:
            return SparkFailed(what.format(*found.groups()), repair)
    raised = raised_in_a_task(text)
    if raised is not None:
        return raised
    said = re.sub(r"^An error occurred while calling \S+\s*:\s*", "", text).strip() or "nothing"
    first = re.sub(r"^(?:[\w.$]+(?:Exception|Error): )+", "", said.splitlines()[0])
    return SparkFailed(
        f"Spark says: {first}", "Its own log says more: sk.spark.session(conf={'spark.log.level': 'WARN'})."
    )


def raised_in_a_task(text: str) -> Exception | None:
    """What Python raised in a task: the text behind the last stack, whose own lines are all indented."""
    _, there, stack = text.rpartition("Traceback (most recent call last):\n")
    if not there:
        return None
    lines = re.split(r"\n\n|\n? SQLSTATE:", stack)[0].splitlines()
    while lines and lines[0].startswith(" "):
        del lines[0]
    name, _, first = (lines or ["an error"])[0].partition(": ")
    message = "\n".join([first, *(line for line in lines[1:] if line.startswith("  "))])
    kind = getattr(errors if name.startswith("skipstone.errors.") else builtins, name.rpartition(".")[2], None)
    made: Exception = SparkFailed(f"a task raised {name}: {message}", "It is one of your functions that did.")
    if isinstance(kind, type) and issubclass(kind, Exception):
        with suppress(TypeError):  # some want more than a text
            made = kind(message)
    for line in lines[1:]:
        if not line.startswith("  "):
            made.add_note(line)
    return made
