"""All questions, one a file. Libraries are imported inside of the functions: whoever is missing disturbs nobody."""

from __future__ import annotations

from importlib import import_module

from ..question import Case, Question

FILES = (
    "dense_vectors", "sparse_vectors", "filtered", "ordered_maps", "one_call", "names", "triangles", "cliques",
    "diamonds", "four_cycles", "typed", "lollipop", "lsqb", "tpch", "sparse_product", "elementwise", "min_plus",
    "sddmm", "mttkrp", "ten", "acyclic", "from_columns", "grouped", "start", "growing",
)  # fmt: skip


def questions() -> list[Question]:
    """In the order of the files."""
    return [each for name in FILES for each in import_module(f"{__name__}.{name}").QUESTIONS]


def question(name: str) -> Question:
    return next(each for each in questions() if each.name == name)


def cases() -> list[Case]:
    return [case for each in questions() for case in each.cases()]
