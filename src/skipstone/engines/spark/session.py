"""A Spark session with the settings that this engine likes, for those who have none."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...errors import SparkMissing

JAVA = 17  # the oldest that Spark 4 runs on

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
    # Quiet: no web page, no progress bar, errors only.
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
}
# An embedded Spark talks to itself: the machine's name need not resolve.
EMBEDDED = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}


def session(master: str = "local[*,4]", conf: Mapping[str, Any] | None = None) -> Any:
    """A Spark session: the one that is running, or a new one, tuned for this engine.

    `local[*,4]` runs on all cores of this machine, and gives a task that dies four tries; without the 4, it gives one.
    `conf` adds settings, or replaces some. Spark starts here and nowhere else in skipstone's library.
    """
    check_java()
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise SparkMissing("PySpark is not installed", "Install it: pip install 'skipstone[spark]'.") from None
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # or workers take whatever Python comes first in the path
    builder = SparkSession.builder.appName("skipstone").master(master)
    embedded = EMBEDDED if master.startswith("local") else {}
    for key, value in {**SETTINGS, **embedded, **(conf or {})}.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def check_java() -> None:
    """Whether there is a Java that Spark runs on; without one, Spark says only that its gateway exited."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    repair = f"Install Java {JAVA} or newer, and let JAVA_HOME name its directory."
    if java is None or not Path(java).exists():
        raise SparkMissing(f"Spark needs Java, and there is none{f' in JAVA_HOME, {home}' if home else ''}", repair)
    said = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr
    found = re.search(r'version "(?:1\.)?(\d+)', said)
    if found is None or int(found[1]) < JAVA:
        raise SparkMissing(f"Spark needs Java {JAVA}, and {java} is {found[1] if found else 'something else'}", repair)
