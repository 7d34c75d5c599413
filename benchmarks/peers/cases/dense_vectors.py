"""The sum of a product of three arrays: what NumPy was made for."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import skipstone as sk

from .. import data
from ..ours import threaded
from ..question import Make, Question
from ..way import Way


def ours(given: dict[str, Any], threads: int) -> Way:
    a, b, c = (sk.stream(given[name]) for name in "abc")
    return Way(threaded((a * b * c).compile(), threads))


def in_index_notation(given: dict[str, Any], threads: int) -> Way:
    """As tables: the sum along an axis may be made in any order, that of a stream may not."""
    i = sk.axes("i")
    a, b, c = (sk.table({"i": np.arange(given[name].size), "x": given[name]}, value="x") for name in "abc")
    return Way(threaded((a[i] * b[i] * c[i]).sum().collect, threads))


def numba(in_any_order: bool) -> Make:
    def make(given: dict[str, Any], threads: int) -> Way:
        from numba import njit

        @njit(fastmath=in_any_order)
        def product(a, b, c):  # type: ignore[no-untyped-def]
            total = 0.0
            for n in range(a.size):
                total += a[n] * b[n] * c[n]
            return total

        return Way(lambda: product(given["a"], given["b"], given["c"]))

    return make


def multiplied(given: dict[str, Any], threads: int) -> Way:
    return Way(lambda: float((given["a"] * given["b"] * given["c"]).sum()))


def einsum(given: dict[str, Any], threads: int) -> Way:
    return Way(lambda: float(np.einsum("i,i,i->", given["a"], given["b"], given["c"])))


def dot(given: dict[str, Any], threads: int) -> Way:
    return Way(lambda: float((given["a"] * given["b"]) @ given["c"]))


def python(given: dict[str, Any], threads: int) -> Way:
    a, b, c = (given[name].tolist() for name in "abc")
    return Way(lambda: sum(x * y * z for x, y, z in zip(a, b, c, strict=True)))


def opt_einsum(given: dict[str, Any], threads: int) -> Way:
    from opt_einsum import contract

    return Way(lambda: float(contract("i,i,i->", given["a"], given["b"], given["c"])))


QUESTIONS = [
    Question(
        "three arrays",
        "small",
        {"1M floats each": partial(data.arrays, 1_000_000)},
        partial(data.arrays, 50),
        {
            "skipstone": {"streams": ours, "index notation": in_index_notation},
            "numba": {"in order": numba(False), "in any order": numba(True)},
            "python": {"": python},
            "numpy": {"multiplied": multiplied, "einsum": einsum, "a product and a dot": dot},
            "opt_einsum": {"": opt_einsum},
        },
    )
]
