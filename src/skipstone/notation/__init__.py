"""Index notation: `A[i, j] * B[j, k]`, over tables."""

from .axes import Axis, Condition, Derivation, Derived, Where, axes, axis
from .expression import (
    Absent,
    Access,
    Added,
    Aggregate,
    Expression,
    Kept,
    Mapped,
    Memo,
    Number,
    Optional,
    Present,
    Product,
    Rows,
    a_semiring,
    as_expression,
    is_one,
    place,
    unique,
)
from .rebind import accesses, rebound

__all__ = [
    "Absent", "Access", "Added", "Aggregate", "Axis", "Condition", "Derivation", "Derived", "Expression", "Kept",
    "Mapped", "Memo", "Number", "Optional", "Present", "Product", "Rows", "Where", "a_semiring",
    "accesses", "as_expression", "axes", "axis", "is_one", "place", "rebound", "unique",
]  # fmt: skip
