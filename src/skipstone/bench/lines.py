"""How long a piece of code is: lines that hold code, counted from the source itself."""

from __future__ import annotations

import ast
import inspect
import io
import textwrap
import tokenize
from collections.abc import Callable
from types import FunctionType
from typing import Any

LAYOUT = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER,
}  # fmt: skip


def lines(function: Callable[..., Any]) -> int:
    """The lines of a function and of those functions of its file that it calls.

    Decorators, docstrings, comments and blank lines do not count; what a library brings does not either.

    >>> lines(span), lines(code_lines)      # the second calls the first
    (2, 10)
    """
    return sum(len(code_lines(tree, text)) for tree, text in sources(plain(function), {}).values())


def plain(function: Any) -> FunctionType:
    """The function that was written, where Numba wrapped it."""
    written: FunctionType = getattr(function, "py_func", function)
    return written


def sources(function: FunctionType, found: dict[str, Any]) -> dict[str, tuple[ast.FunctionDef, str]]:
    """By name, the function and those of its own file that it calls."""
    text = textwrap.dedent(inspect.getsource(function))
    tree: Any = ast.parse(text).body[0]
    found[function.__name__] = tree, text
    names = {n.id for statement in tree.body for n in ast.walk(statement) if isinstance(n, ast.Name)}
    for name in sorted(names):
        called = plain(function.__globals__.get(name))
        if isinstance(called, FunctionType) and called.__module__ == function.__module__ and name not in found:
            sources(called, found)
    return found


def code_lines(tree: ast.FunctionDef, text: str) -> set[int]:
    """The numbers of the lines that hold code."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    held = {n for t in tokens if t.type not in LAYOUT for n in range(t.start[0], t.end[0] + 1)}
    for node in tree.decorator_list:
        held -= span(node)
    if ast.get_docstring(tree) is not None:
        held -= span(tree.body[0])
    return held


def span(node: ast.expr | ast.stmt) -> set[int]:
    return set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
