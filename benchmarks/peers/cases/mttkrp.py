"""A sparse tensor times two dense matrices: Σⱼₖ T[i,j,k] C[j,r] D[k,r]."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import skipstone as sk

from .. import data, matrices
from ..ours import dense, laid_out, sparse, summed
from ..question import Question
from ..way import Way, summary

i, j, k, r = sk.axes("i j k r")


def ours(given: dict[str, Any], threads: int) -> Way:
    T, C, D = sparse(given, "i", "j", "k"), dense(given["C"]), dense(given["D"])
    return Way(laid_out((T[i, j, k] * C[j, r] * D[k, r]).sum(j, k), threads), summed)


def graphblas(given: dict[str, Any], threads: int) -> Way:
    """No tensors of three axes here: the entries of the tensor as a matrix of rows × entries."""
    gb = matrices.graphblas(threads)
    n = given["x"].size
    T = gb.Matrix.from_coo(given["i"], np.arange(n), given["x"], nrows=given["size"], ncols=n)

    def run() -> Any:
        right = gb.Matrix.from_dense(given["C"][given["j"]] * given["D"][given["k"]])
        return gb.semiring.plus_times(T @ right).new()

    return Way(run, matrices.of_graphblas)


def scipy(given: dict[str, Any], threads: int) -> Way:
    """The entries of the tensor as a matrix of rows × entries, times a dense one with a row for each entry."""
    from scipy import sparse

    n = given["x"].size
    T = sparse.csr_array((given["x"], (given["i"], np.arange(n))), shape=(given["size"], n))
    return Way(lambda: T @ (given["C"][given["j"]] * given["D"][given["k"]]), matrices.of_rows(given["i"]))


def numba(given: dict[str, Any], threads: int) -> Way:
    from skipstone.bench import hand_rows

    keys = [given[name].astype(np.int32) for name in "ijk"]
    rest = given["x"], given["C"], given["D"], given["size"]
    return Way(lambda: hand_rows.tensor_times_two(*keys, *rest), matrices.of_rows(given["i"]))


def tensor(given: dict[str, Any]) -> Any:
    import sparse

    cells = np.stack([given["i"], given["j"], given["k"]])
    return sparse.COO(cells, given["x"], shape=(given["size"],) * 3, has_duplicates=False, sorted=True)


def pydata_einsum(given: dict[str, Any], threads: int) -> Way:
    import sparse

    T = tensor(given)
    return Way(
        lambda: sparse.einsum("ijk,jr,kr->ir", T, given["C"], given["D"]),
        lambda found: matrices.of_rows(given["i"])(found.todense()),
    )


def pydata_by_column(given: dict[str, Any], threads: int) -> Way:
    """Two products for each of the columns, which keep the tensor sparse in between."""
    import sparse

    T, C, D = tensor(given), given["C"], given["D"]

    def column(r: int) -> Any:
        return sparse.tensordot(T, D[:, r], axes=([2], [0]), return_type=sparse.COO) @ C[:, r]

    return Way(lambda: np.stack([column(r) for r in range(C.shape[1])], axis=1), matrices.of_rows(given["i"]))


def opt_einsum(given: dict[str, Any], threads: int) -> Way:
    """Dense arrays only: the entries are an axis. They are sorted by i, and their products added up run by run."""
    from opt_einsum import contract

    starts = np.flatnonzero(np.diff(given["i"], prepend=-1))

    def run() -> Any:
        each = contract("e,er,er->er", given["x"], given["C"][given["j"]], given["D"][given["k"]])
        return np.add.reduceat(each, starts)

    def answer(found: Any) -> list[float]:
        at, r = (index.ravel() for index in np.indices(found.shape))
        return summary([given["i"][starts][at], r], found.ravel())

    return Way(run, answer)


QUESTIONS = [
    Question(
        "MTTKRP",
        "matrices",
        {f"random, 10k³, 1M entries, rank {rank}": partial(data.tensor, 10_000, 1_000_000, rank) for rank in (16, 32)},
        lambda: data.tensor(12, 100, 4),
        {
            "skipstone": {"": ours},
            "numba": {"": numba},
            "graphblas": {"": graphblas},
            "scipy": {"": scipy},
            "sparse": {"einsum": pydata_einsum, "column by column": pydata_by_column},
            "opt_einsum": {"": opt_einsum},
        },
    )
]
