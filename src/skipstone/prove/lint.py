"""What the executor would misread is refused: source that decides something in silence instead of on a term."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from functools import cache
from typing import Any

from ..errors import NotProvable

# `is` and isinstance see a term, and not what it stands for; a `try` would catch what the executor raises; and what is
# changed in place on one path would stay changed on the next. (What asks a term for a number, as len does, is told so.)
SAME = {ast.Is: "is", ast.IsNot: "is not"}
MISREAD = {ast.Try: "try", ast.Global: "global", ast.Nonlocal: "nonlocal", ast.With: "with", ast.Delete: "del"}
FORMS = {"Stream", "Implicit", "str", "tuple", "bool"}  # that a value may have, known before anything is proved


@cache
def refuse_what_is_misread(function: Callable[..., Any]) -> None:
    """Nothing, or an error that says which line could not be trusted."""
    try:
        lines, first = inspect.getsourcelines(function)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, SyntaxError, TypeError):
        return  # a lambda inside of a larger expression: its definition is read as part of that
    for node in ast.walk(tree):
        why = misread(node)
        if why:
            raise NotProvable(
                f"{function.__qualname__}, line {first + getattr(node, 'lineno', 1) - 1}: `{why}`"
                " is decided before anything is proved",
                "Write it with the words select, no, maximum, minimum.",
            )


def misread(node: ast.AST) -> str:
    """What cannot be trusted about a piece of source, or nothing."""
    if isinstance(node, ast.Compare):
        known = any(isinstance(x, ast.Constant) and x.value in (None, True, False) for x in node.comparators)
        return next((SAME[type(op)] for op in node.ops if type(op) in SAME and not known), "")
    if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store):
        return "assignment into an object"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id == "isinstance":
            named = {x.id for x in ast.walk(node.args[1]) if isinstance(x, ast.Name)}
            return "" if named <= FORMS else "isinstance"
        return node.func.id if node.func.id in ("setattr", "type", "id", "hasattr") else ""
    return MISREAD.get(type(node), "")
