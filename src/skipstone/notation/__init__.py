"""Index notation: `A[i, j] * B[j, k]`, over tables."""

from .axes import Axis, Condition, axes, axis
from .einsum import einsum
from .expression import (
    Absent,
    Access,
    Added,
    Aggregate,
    Expression,
    Mapped,
    Number,
    Optional,
    Product,
    Rows,
    a_semiring,
    as_expression,
    unique,
)
from .text import Query, parse, query

__all__ = [
    "Absent", "Access", "Added", "Aggregate", "Axis", "Condition", "Expression", "Mapped", "Number", "Optional",
    "Product", "Query", "Rows", "a_semiring", "as_expression", "axes", "axis", "einsum", "parse", "query", "unique",
]  # fmt: skip
