"""What our ways share: threads, products of many factors, and answers as rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

import skipstone as sk

from .question import Make
from .way import Way, summary


def threaded(run: Callable[[], Any], threads: int) -> Callable[[], Any]:
    def inside() -> Any:
        with sk.options(threads=threads):
            return run()

    return inside


def counted(put: Callable[[Any], Any]) -> Make:
    """A pattern in a graph, counted."""

    def make(data: dict[str, Any], threads: int) -> Way:
        query = put(sk.table({"src": data["src"], "dst": data["dst"]}, name="E")).sum()
        return Way(threaded(query.collect, threads))

    return make


def laid_out(query: Any, threads: int) -> Callable[[], Any]:
    """Collect rows in one array, as peers have them: those of several threads are put together when someone asks."""

    def run() -> Any:
        found = query.collect()
        assert len(found.values[0]) == found.size
        return found

    return threaded(run, threads)


def product(factors: list[Any]) -> Any:
    return reduce(lambda a, b: a * b, factors)


def summed(table: Any) -> list[float]:
    *keys, values = table.columns().values()
    return summary(keys, values)


def sparse(data: dict[str, Any], *keys: str, value: str = "x") -> Any:
    return sk.table({name: data[name] for name in (*keys, value)}, keys=keys, value=value)


def dense(array: Any) -> Any:
    """A dense matrix as a table: every cell a row."""
    rows, columns = (index.ravel() for index in np.indices(array.shape))
    return sk.table({"row": rows, "col": columns, "x": array.ravel()}, value="x")
