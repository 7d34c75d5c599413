"""Those we are compared with, one a file. Each names the questions that it answers, and how.

A file has a NAME, the numbers of THREADS that it is run on, and WAYS: for each question the forms in which it may be
put, each a function of the columns and the number of threads. It prepares what can be prepared, and returns the `Way`.
"""

from __future__ import annotations

import importlib
from types import ModuleType

OURS = "skipstone"
PEERS = ("skipstone", "duckdb", "polars", "kuzu", "graphblas", "igraph", "scipy", "opt_einsum")


def peer(name: str) -> ModuleType | None:
    """The file of that peer; None if it is not installed."""
    try:
        return importlib.import_module(f"{__name__}.{name}")
    except ModuleNotFoundError as missing:
        if (missing.name or "").startswith(("benchmarks", "skipstone")):
            raise
        return None
