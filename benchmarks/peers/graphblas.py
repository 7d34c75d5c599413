"""SuiteSparse:GraphBLAS, through python-graphblas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import graphblas as gb
import numpy as np
from graphblas.semiring import plus_pair, plus_times

from .way import Way, summary

NAME, THREADS = "GraphBLAS", (1, 2)


def triangles(form: Callable[[Any, Any], Any]) -> Callable[[dict[str, Any], int], Way]:
    """The upper triangle U and the lower one L of the graph: a product, where the mask has an entry, added up."""

    def make(data: dict[str, Any], threads: int) -> Way:
        gb.ss.config["nthreads"] = threads
        size = int(data["dst"].max()) + 1
        U = gb.Matrix.from_coo(data["src"], data["dst"], 1, dtype="INT64", nrows=size, ncols=size)
        L = U.T.new()
        return Way(lambda: form(L, U).reduce_scalar().new().value)

    return make


def from_columns(data: dict[str, Any], threads: int) -> Way:
    gb.ss.config["nthreads"] = threads

    def run() -> Any:
        size = int(data["dst"].max()) + 1
        U = gb.Matrix.from_coo(data["src"], data["dst"], 1, dtype="INT64", nrows=size, ncols=size)
        return plus_pair(U @ U.T).new(mask=U.S).reduce_scalar().new().value

    return Way(run)


def sparse(data: dict[str, Any]) -> Any:
    return gb.Matrix.from_coo(data["i"], data["j"], data["x"], nrows=data["size"], ncols=data["size"])


def summed(found: Any) -> list[float]:
    *keys, values = found.to_coo()
    return summary(keys, values)


def square(data: dict[str, Any], threads: int) -> Way:
    gb.ss.config["nthreads"] = threads
    A = sparse(data)
    return Way(lambda: plus_times(A @ A).new(), summed)


def square_in_order(data: dict[str, Any], threads: int) -> Way:
    gb.ss.config["nthreads"] = threads
    A = sparse(data)

    def run() -> Any:
        found = plus_times(A @ A).new()
        found.ss.export("csr", sort=True)  # a copy in order; what it leaves is still the matrix
        return found

    return Way(run, summed)


def sddmm(data: dict[str, Any], threads: int) -> Way:
    gb.ss.config["nthreads"] = threads
    S, U, V = sparse(data), gb.Matrix.from_dense(data["U"]), gb.Matrix.from_dense(data["V"])
    return Way(lambda: gb.binary.times(S & plus_times(U @ V.T).new(mask=S.S)).new(), summed)


def mttkrp(data: dict[str, Any], threads: int) -> Way:
    """No tensors of three axes here: the entries of the tensor as a matrix of rows × entries."""
    gb.ss.config["nthreads"] = threads
    n = data["x"].size
    T = gb.Matrix.from_coo(data["i"], np.arange(n), data["x"], nrows=data["size"], ncols=n)

    def run() -> Any:
        return plus_times(T @ gb.Matrix.from_dense(data["C"][data["j"]] * data["D"][data["k"]])).new()

    return Way(run, summed)


WAYS = {
    "triangles": {
        "L @ L, masked by L": triangles(lambda L, U: plus_pair(L @ L).new(mask=L.S)),
        "U @ U, masked by U": triangles(lambda L, U: plus_pair(U @ U).new(mask=U.S)),
        "L @ U.T, masked by L": triangles(lambda L, U: plus_pair(L @ U.T).new(mask=L.S)),
        "U @ L.T, masked by U": triangles(lambda L, U: plus_pair(U @ L.T).new(mask=U.S)),
    },
    "triangles from columns": {"": from_columns},
    "sparse product": {"": square},
    "sparse product, sorted": {"": square_in_order},
    "SDDMM": {"": sddmm},
    "MTTKRP": {"": mttkrp},
}
