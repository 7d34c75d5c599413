"""Polars: a graph as a lazy frame. How many threads there are is settled by the environment, before it is imported."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .question import Make
from .way import Way


def wedges(E: Any) -> Any:
    """src → dst → third."""
    return E.join(E.rename({"src": "dst", "dst": "third"}), on="dst")


def three(E: Any) -> Any:
    """Triangles: src, dst and the third corner."""
    return wedges(E).join(E.rename({"dst": "third"}), on=["src", "third"])


def number(put: Callable[[Any, Any], Any]) -> dict[str, Make]:
    """A query of the graph that gives a number, in both of Polars' engines. `put` is given Polars and the edges."""

    def made(engine: str) -> Make:
        def make(data: dict[str, Any], threads: int) -> Way:
            import polars as pl

            query = put(pl, pl.LazyFrame({"src": data["src"], "dst": data["dst"]}))
            return Way(lambda: query.collect(engine=engine).item())

        return make

    return {"streaming": made("streaming"), "in memory": made("in-memory")}
