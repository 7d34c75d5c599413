"""`einsum("ij,jk->ik", A, B)`, with NumPy's meaning, over tables and arrays, dense and sparse."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..algebra import plus_times
from ..errors import BadOption, NotACollection, QueryError, UnsupportedValue
from ..keys import Domain
from ..storage.column import Array
from ..table import Table
from .axes import axis
from .expression import Access, Expression, Number, Product
from .text import Query

INTEGERS = Domain("int")


@dataclass
class Operand:
    """An operand, its letters, and how many keys there are along each; None for a table, whose keys are its own."""

    letters: str
    given: Any
    shape: tuple[int, ...] | None


def einsum(subscripts: str, /, *operands: Any) -> Any:
    """A sum of products, its axes named by letters.

    >>> import numpy as np
    >>> import skipstone as sk
    >>> einsum("ij,jk->ik", np.array([[1, 2], [0, 3]]), np.array([[0, 1], [4, 0]]))
    array([[ 8,  1],
           [12,  0]])
    >>> edges = sk.table({"src": ["ann", "ann", "bob"], "dst": ["bob", "cy", "cy"]})
    >>> einsum("ab,bc,ac->", edges, edges, edges)
    1
    >>> einsum("ab->b", edges).to_dict()
    {'bob': 1, 'cy': 2}

    Operands are tables, NumPy arrays, numbers, and sparse matrices as SciPy's. Without `->` the output has the letters
    that occur once, in alphabetical order. A letter that occurs twice in one operand takes its diagonal. The result is
    a number if the output has no letters; an array if all operands are arrays; and a table otherwise. What a table or a
    sparse matrix does not hold is zero, and is never multiplied, not even with infinity.
    """
    inputs, output = split(subscripts)
    if len(inputs) != len(operands):
        raise QueryError(
            f"{subscripts!r} names {len(inputs)} operands, and {len(operands)} are given",
            "Write the letters of each operand, with commas between them.",
        )
    found = [an_operand(n, letters, given) for n, (letters, given) in enumerate(zip(inputs, operands, strict=True))]
    sizes = sizes_of(found)
    dense = all(isinstance(operand.given, np.ndarray) for operand in found)
    # 0 * infinity is not 0. Then zeros count, and nothing may be summed first: inf * (0 + 1) is not inf * 0 + inf * 1.
    whole = dense and not all(np.isfinite(operand.given).all() for operand in found)
    factors = tuple(a_factor(operand, sizes, whole) for operand in found)
    there = {letter for letters in inputs for letter in letters}
    along = tuple(axis(letter) for letter in sorted(there - set(output)))
    head = tuple(axis(letter) for letter in output)
    result = Query(Product(factors), along, plus_times, "", head).collect(memo=not whole)
    return as_array(result, output, sizes, found) if dense else result


def split(subscripts: str) -> tuple[list[str], str]:
    """The letters of each operand, and of the output."""
    text = "".join(subscripts.split())
    if "..." in text:
        raise QueryError(f"{subscripts!r} has an ellipsis", "Write a letter for each axis instead of `...`.")
    left, arrow, output = text.partition("->")
    for part in (left, output):
        strange = re.search(r"[^a-zA-Z,]", part) if part is left else re.search(r"[^a-zA-Z]", part)
        if strange:
            raise QueryError(
                f"{strange.group()!r} in the subscripts {subscripts!r}", 'Axes are letters, as in "ij,jk->ik".'
            )
    counts = Counter(left.replace(",", ""))
    if not arrow:
        output = "".join(sorted(letter for letter, n in counts.items() if n == 1))
    for letter, n in Counter(output).items():
        if n > 1:
            raise QueryError(f"{letter!r} stands in the output of {subscripts!r} twice", "Name each letter once.")
        if letter not in counts:
            raise QueryError(
                f"{letter!r} is in the output of {subscripts!r}, and in no operand",
                f"The operands have {', '.join(sorted(counts)) or 'no letters'}.",
            )
    return left.split(","), output


def an_operand(n: int, letters: str, given: Any) -> Operand:
    """An operand that has as many axes as it has letters."""
    if isinstance(given, Table):
        if given.make is not None:
            raise UnsupportedValue(f"operand {n} has several values a row", "Give a table with one value, or none.")
        rank, shape = len(given.keys), None
    elif hasattr(given, "tocoo"):
        given = given.tocoo()
        rank, shape = len(given.shape), tuple(given.shape)
    else:
        given = np.asarray(given)
        rank, shape = given.ndim, given.shape
    if rank != len(letters):
        raise QueryError(f"operand {n} has {rank} axes, and {len(letters)} letters: {letters!r}", "Write one for each.")
    kind = None if shape is None else (given if isinstance(given, np.ndarray) else given.data).dtype.kind
    if kind is not None and kind not in "biuf":
        raise NotACollection(f"operand {n} does not hold numbers that skipstone can multiply", "Give ints or floats.")
    return Operand(letters, given, shape)


def sizes_of(operands: list[Operand]) -> dict[str, int]:
    """How many keys there are along each letter; an array that has one of them has the same for all, as in NumPy."""
    sizes: dict[str, int] = {}
    for n, operand in enumerate(operands):
        own: dict[str, int] = {}
        for letter, size in zip(operand.letters, operand.shape or (), strict=False):
            known = sizes.setdefault(letter, size)
            if own.setdefault(letter, size) != size or (known != size and 1 not in (known, size)):
                raise BadOption(
                    f"{letter!r} is {own[letter] if own[letter] != size else known} long in one place, and {size} in "
                    f"operand {n}",
                    "Axes of the same letter have the same length.",
                )
            if known == 1:
                sizes[letter] = size
    return sizes


def a_factor(operand: Operand, sizes: dict[str, int], whole: bool) -> Expression:
    """An operand as an expression: a table with its letters as axes, or a number."""
    given, letters = operand.given, operand.letters
    if isinstance(given, Table):
        return Access(given, tuple(axis(letter) for letter in letters))
    shape = given.shape
    if isinstance(given, np.ndarray):
        at: Any = np.nonzero(np.ones(shape) if whole else given) if letters else ()
        values = given[at]
    else:
        at, values = (given.coords if hasattr(given, "coords") else (given.row, given.col)), given.data
    values = values.astype(np.float64 if values.dtype.kind == "f" else np.int64)
    # An axis of length one, where others are longer, is repeated: it takes no part in the product.
    kept = [n for n, letter in enumerate(letters) if shape[n] == sizes[letter]]
    if not kept:
        return Number(values.sum().item())
    codes = [np.ascontiguousarray(at[n], np.int64) for n in kept]
    axes = tuple(axis(letters[n]) for n in kept)
    return Access(Table([a.name for a in axes], codes, [INTEGERS] * len(codes), [values]), axes)


def as_array(result: Any, output: str, sizes: dict[str, int], operands: list[Operand]) -> Any:
    """What came out as a dense array, of the type that NumPy gives it."""
    dtype = np.result_type(*(operand.given.dtype for operand in operands))
    if not output:
        return np.asarray(result).astype(dtype)[()]
    dense: Array = np.zeros([sizes[letter] for letter in output], dtype)
    *keys, values = result.columns().values()
    dense[tuple(keys)] = values.astype(dtype)
    return dense
