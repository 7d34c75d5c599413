"""Index notation: `A[i, j] * B[j, k]`, over tables."""

from .axes import Axis, Condition, axes, axis
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

__all__ = [
    "Absent", "Access", "Added", "Aggregate", "Axis", "Condition", "Expression", "Mapped", "Number", "Optional",
    "Product", "Rows", "a_semiring", "as_expression", "axes", "axis", "unique",
]  # fmt: skip
