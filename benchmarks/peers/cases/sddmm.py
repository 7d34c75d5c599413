"""A product of dense matrices, sampled at the entries of a sparse one: Σₖ S[i,j] U[i,k] V[j,k]."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import skipstone as sk

from .. import data, matrices
from ..ours import dense, laid_out, sparse, summed
from ..question import Question
from ..way import Way, summary

i, j, k = sk.axes("i j k")


def ours(given: dict[str, Any], threads: int) -> Way:
    S, U, V = sparse(given, "i", "j"), dense(given["U"]), dense(given["V"])
    return Way(laid_out((S[i, j] * U[i, k] * V[j, k]).sum(k), threads), summed)


def graphblas(given: dict[str, Any], threads: int) -> Way:
    gb = matrices.graphblas(threads)
    S = matrices.entries(given, threads)
    U, V = gb.Matrix.from_dense(given["U"]), gb.Matrix.from_dense(given["V"])
    return Way(lambda: gb.binary.times(S & gb.semiring.plus_times(U @ V.T).new(mask=S.S)).new(), matrices.of_graphblas)


def numpy(given: dict[str, Any], threads: int) -> Way:
    """The rows that meet, gathered and multiplied: a product of all would be dense."""
    i, j, x, U, V = (given[name] for name in ("i", "j", "x", "U", "V"))
    return Way(lambda: x * np.einsum("ek,ek->e", U[i], V[j]), lambda found: summary([i, j], found))


def opt_einsum(given: dict[str, Any], threads: int) -> Way:
    from opt_einsum import contract

    i, j, x, U, V = (given[name] for name in ("i", "j", "x", "U", "V"))
    return Way(lambda: contract("e,ek,ek->e", x, U[i], V[j]), lambda found: summary([i, j], found))


def numba(given: dict[str, Any], threads: int) -> Way:
    from skipstone.bench import hand_rows

    S = matrices.rows(given["i"], given["j"], given["size"], given["x"])  # which is the order that they have
    return Way(
        lambda: hand_rows.sampled(*S, given["U"], given["V"]), lambda found: summary([given["i"], given["j"]], found)
    )


QUESTIONS = [
    Question(
        "SDDMM",
        "matrices",
        {"random, 20k × 20k, 10 a row, rank 64": partial(data.sampled, 20_000, 10, 64)},
        lambda: data.sampled(30, 3, 5),
        {
            "skipstone": {"": ours},
            "numba": {"": numba},
            "graphblas": {"": graphblas},
            "scipy": {"": numpy},  # it has no such product: this is NumPy, as its users write it
            "opt_einsum": {"": opt_einsum},
        },
    )
]
