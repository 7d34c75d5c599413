"""A Spark session with the settings that this engine likes, for those who have none."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any

from ...errors import SparkMissing
from .java import use_java

SETTINGS = {
    # Rows go between Spark and Python as Arrow batches; 10,000 rows, the default, make many small ones.
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "65536",
    # What cells found is added up by Spark in a last, small shuffle; 200 partitions are for larger ones.
    "spark.sql.shuffle.partitions": "16",
    # Blocks are packed in the order in which rows come, and behind a shuffle that is another each time: the same rows
    # with another checksum. When an executor is lost, Spark would take that for another answer, and give up.
    "spark.sql.shuffle.orderIndependentChecksum.enableFullRetryOnMismatch": "false",
    # A crash of a Python worker comes with a stack; one setting for plain workers, one for those of DataFrames.
    "spark.python.worker.faulthandler.enabled": "true",
    "spark.sql.execution.pyspark.udf.faulthandler.enabled": "true",
    # Python workers take addresses as they need them: Arrow's own allocator reserves a gigabyte at once, and the C
    # library 64 MB for each thread, which a limit on the memory of workers counts as taken.
    "spark.executorEnv.ARROW_DEFAULT_MEMORY_POOL": "system",
    "spark.executorEnv.MALLOC_ARENA_MAX": "2",
    # Quiet: no web page, no progress bar, errors only.
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
}
LOCAL = "local[*,4]"
# An embedded Spark talks to itself: the machine's name need not resolve.
EMBEDDED = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}


def session(master: str | None = None, conf: Mapping[str, Any] | None = None) -> Any:
    """A Spark session: the one that is running, or a new one, tuned for this engine.

    Without a `master`, the environment has its say: SPARK_REMOTE is a Spark Connect server, SPARK_MASTER a master, and
    the defaults of the Spark in SPARK_HOME name one. Otherwise it is `local[*,4]`, which runs on all cores of this
    machine, and gives a task that dies four tries; without the 4, it gives one. `conf` adds settings, or replaces some.
    Spark starts here and nowhere else in skipstone's library.
    """
    remote = master is None and "SPARK_REMOTE" in os.environ
    if master is None and not remote:
        master = os.environ.get("SPARK_MASTER") or (None if "SPARK_HOME" in os.environ else LOCAL)
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise SparkMissing("PySpark is not installed", "Install it: pip install 'skipstone[spark]'.") from None
    if not remote or os.environ["SPARK_REMOTE"].startswith("local"):  # a server of its own needs one too
        use_java()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # or workers take whatever Python comes first in the path
    builder = SparkSession.builder.appName("skipstone")
    if master is not None:
        builder = builder.master(master)
    tuned = {key: value for key, value in SETTINGS.items() if key.startswith("spark.sql.") or not remote}
    embedded = EMBEDDED if master is not None and master.startswith("local") else {}
    for key, value in {**tuned, **embedded, **(conf or {})}.items():  # a server that runs has the others already
        builder = builder.config(key, value)
    return builder.getOrCreate()
