"""A set and a dict, of which only some values count: the paper's opening example. The values are added up."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import skipstone as sk

from .. import data, frames
from ..ours import threaded
from ..question import Question
from ..way import Way


def ours(given: dict[str, Any], threads: int) -> Way:
    members, held = sk.Sorted(given["members"]), sk.Sorted(given["keys"], given["values"])
    wanted = held.stream().filter(lambda k, v: v > 0.5)
    return Way(threaded((members.stream() * wanted).compile(), threads))


def collections(given: dict[str, Any]) -> tuple[set[int], dict[int, float]]:
    return set(given["members"].tolist()), dict(zip(given["keys"].tolist(), given["values"].tolist(), strict=True))


def over_the_dict(given: dict[str, Any], threads: int) -> Way:
    members, held = collections(given)
    return Way(lambda: sum(v for k, v in held.items() if v > 0.5 and k in members))


def over_the_set(given: dict[str, Any], threads: int) -> Way:
    members, held = collections(given)
    return Way(lambda: sum(v for k in members if (v := held.get(k, 0.0)) > 0.5))


def sorted_dict(given: dict[str, Any], threads: int) -> Way:
    from sortedcontainers import SortedDict, SortedSet

    members, held = collections(given)
    ordered, kept = SortedSet(members), SortedDict(held)
    return Way(lambda: sum(v for k, v in kept.items() if v > 0.5 and k in ordered))


def sorted_set(given: dict[str, Any], threads: int) -> Way:
    from sortedcontainers import SortedDict, SortedSet

    members, held = collections(given)
    ordered, kept = SortedSet(members), SortedDict(held)
    return Way(lambda: sum(v for k in ordered if (v := kept.get(k, 0.0)) > 0.5))


def isin(given: dict[str, Any], threads: int) -> Way:
    def run() -> float:
        wanted = given["values"] > 0.5
        keys, values = given["keys"][wanted], given["values"][wanted]
        return float(values[np.isin(keys, given["members"], assume_unique=True)].sum())

    return Way(run)


def searched(given: dict[str, Any], threads: int) -> Way:
    def run() -> float:
        at = np.searchsorted(given["keys"], given["members"])
        at[at == given["keys"].size] = 0
        values = given["values"][at[given["keys"][at] == given["members"]]]
        return float(values[values > 0.5].sum())

    return Way(run)


def pandas_isin(given: dict[str, Any], threads: int) -> Way:
    import pandas as pd

    held, members = pd.Series(given["values"], index=given["keys"]), pd.Index(given["members"])

    def run() -> float:
        wanted = held[held > 0.5]
        return float(wanted[wanted.index.isin(members)].sum())

    return Way(run)


def pandas_intersection(given: dict[str, Any], threads: int) -> Way:
    import pandas as pd

    held, members = pd.Series(given["values"], index=given["keys"]), pd.Index(given["members"])

    def run() -> float:
        wanted = held[held > 0.5]
        return float(wanted.loc[wanted.index.intersection(members)].sum())

    return Way(run)


def polars(pl: Any, given: dict[str, Any]) -> Any:
    held = pl.LazyFrame({"k": given["keys"], "v": given["values"]})
    members = pl.LazyFrame({"k": given["members"]})
    return held.filter(pl.col("v") > 0.5).join(members, on="k", how="semi").select(pl.col("v").sum())


QUESTIONS = [
    Question(
        "set and filtered dict",
        "small",
        {
            "1M and 1M of 2M keys": partial(data.set_and_dict, 1_000_000, 1_000_000, 2_000_000),
            "1k and 1M of 2M keys": partial(data.set_and_dict, 1_000, 1_000_000, 2_000_000),
        },
        partial(data.set_and_dict, 40, 60, 90),
        {
            "skipstone": {"": ours},
            "python": {"over the dict": over_the_dict, "over the set": over_the_set},
            "numpy": {"isin": isin, "searchsorted": searched},
            "polars": frames.engines(polars, lambda found: [found.item()]),
            "pandas": {"isin": pandas_isin, "intersection": pandas_intersection},
            "sortedcontainers": {"over the dict": sorted_dict, "over the set": sorted_set},
        },
    )
]
