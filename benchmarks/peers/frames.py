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


def engines(ask: Callable[[Any, Any], Any], answer: Callable[[Any], Any]) -> dict[str, Make]:
    """A query of all the data, in both of Polars' engines. `ask` is given Polars and the data."""

    def made(engine: str) -> Make:
        def make(data: Any, threads: int) -> Way:
            import polars as pl

            query = ask(pl, data)
            return Way(lambda: query.collect(engine=engine), answer)

        return make

    return {"streaming": made("streaming"), "in memory": made("in-memory")}


def number(put: Callable[[Any, Any], Any]) -> dict[str, Make]:
    """A query of a graph that gives a number. `put` is given Polars and the edges."""
    return engines(
        lambda pl, data: put(pl, pl.LazyFrame({"src": data["src"], "dst": data["dst"]})), lambda found: [found.item()]
    )
