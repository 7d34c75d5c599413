"""opt_einsum: dense arrays only, so the entries of what is sparse are an axis of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
from opt_einsum import contract

from .way import Way, summary

NAME, THREADS = "opt_einsum", (1,)


def sddmm(data: dict[str, Any], threads: int) -> Way:
    i, j, x, U, V = (data[name] for name in ("i", "j", "x", "U", "V"))
    return Way(lambda: contract("e,ek,ek->e", x, U[i], V[j]), lambda found: summary([i, j], found))


def mttkrp(data: dict[str, Any], threads: int) -> Way:
    """The entries are sorted by i: their products are added up run by run."""
    starts = np.flatnonzero(np.diff(data["i"], prepend=-1))

    def run() -> Any:
        return np.add.reduceat(contract("e,er,er->er", data["x"], data["C"][data["j"]], data["D"][data["k"]]), starts)

    def answer(found: Any) -> list[float]:
        at, r = (index.ravel() for index in np.indices(found.shape))
        return summary([data["i"][starts][at], r], found.ravel())

    return Way(run, answer)


WAYS = {"SDDMM": {"": sddmm}, "MTTKRP": {"": mttkrp}}
