"""How much a task can take: the cores that there are, and the memory of a Python worker."""

from __future__ import annotations

import os
from typing import Any

from .cell import GROWS, IMPORTED

CORES = 8  # where Spark does not say
WORKER = 2**31  # bytes that a Python worker may take, if nothing is said


def room_of(session: Any) -> float:
    """How many bytes a cell may sort and go through: the memory of a Python worker, by what becomes of a byte."""
    given = session.conf.get("spark.executor.pyspark.memory", None)
    cores = int(session.conf.get("spark.executor.cores", None) or 1)  # so many workers share it
    worker = in_bytes(given) / cores - IMPORTED if given else WORKER
    return max(worker, 2**24) / GROWS


def in_bytes(size: str) -> float:
    """A size as Spark writes it: 512m, 2g; a number alone is in MiB."""
    units = {"b": 0, "k": 10, "m": 20, "g": 30, "t": 40}
    digits = size.strip().lower().removesuffix("b") or "0"
    unit = digits[-1] if digits[-1] in units else "m"
    return float(digits.rstrip("kmgt")) * float(2 ** units[unit])


def cores_of_driver(session: Any) -> int:
    """How many cores the driver may use itself: all that there are, where it is Spark's only process."""
    context = session.sparkContext
    if context.master.startswith("local[") or context.master == "local":
        return min(cores_of(session), os.cpu_count() or 1)
    return int(context.getConf().get("spark.driver.cores", "1"))


def cores_of(session: Any) -> int:
    try:
        return int(session.sparkContext.defaultParallelism)
    except Exception:  # Spark Connect has no such thing
        return CORES
