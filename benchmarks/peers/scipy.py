"""SciPy: sparse matrices, and NumPy for what has more than two axes."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from .way import Way, summary

NAME, THREADS = "SciPy", (1,)


def matrix(data: dict[str, Any]) -> Any:
    return sparse.csr_array((data["x"], (data["i"], data["j"])), shape=(data["size"], data["size"]))


def summed(found: Any) -> list[float]:
    entries = found.tocoo()
    return summary([entries.row, entries.col], entries.data)


def square(data: dict[str, Any], threads: int) -> Way:
    A = matrix(data)
    return Way(lambda: A @ A, summed)


def square_in_order(data: dict[str, Any], threads: int) -> Way:
    A = matrix(data)

    def run() -> Any:
        found = A @ A
        found.sort_indices()
        return found

    return Way(run, summed)


def triangles(data: dict[str, Any], threads: int) -> Way:
    size = int(data["dst"].max()) + 1
    U = sparse.csr_array((np.ones(data["src"].size, np.int64), (data["src"], data["dst"])), shape=(size, size))
    return Way(lambda: int((U @ U).multiply(U).sum()))


def sddmm(data: dict[str, Any], threads: int) -> Way:
    """The rows that meet, gathered and multiplied: a product of all would be dense."""
    i, j, x, U, V = (data[name] for name in ("i", "j", "x", "U", "V"))
    return Way(lambda: x * np.einsum("ek,ek->e", U[i], V[j]), lambda found: summary([i, j], found))


def mttkrp(data: dict[str, Any], threads: int) -> Way:
    """The entries of the tensor as a matrix of rows × entries, times a dense one with a row for each entry."""
    n = data["x"].size
    T = sparse.csr_array((data["x"], (data["i"], np.arange(n))), shape=(data["size"], n))
    return Way(lambda: T @ (data["C"][data["j"]] * data["D"][data["k"]]), of_rows(data["i"]))


def of_rows(rows: Any) -> Any:
    """A dense answer, without the rows that no entry falls into."""

    def answer(found: Any) -> list[float]:
        at = np.unique(rows)
        i, r = (index.ravel() for index in np.indices((at.size, found.shape[1])))
        return summary([at[i], r], found[at].ravel())

    return answer


WAYS = {
    "triangles": {"": triangles},
    "sparse product": {"": square},
    "sparse product, sorted": {"": square_in_order},
    "SDDMM": {"": sddmm},
    "MTTKRP": {"": mttkrp},
}
