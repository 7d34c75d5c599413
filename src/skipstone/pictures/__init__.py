"""What people see of tables, streams, expressions and plans: as text, in notebooks, as pictures.

The modules that show them are imported when someone looks. Each then puts its own in the place of what stands here.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..notation import Expression
from ..plan.run import CompiledExpression, Report
from ..stream import Stream
from ..table import Table

if TYPE_CHECKING:
    from .svg import Picture

SHOWN = {
    "__str__": ("as_text", (Table, Stream)),
    "_repr_html_": ("as_html", (Table, Stream, Expression, Report, CompiledExpression)),
}


def late(name: str, module: str) -> Callable[..., Any]:
    """A method that is found in a module when it is first asked for."""

    def show(self: Any, *given: Any, **options: Any) -> Any:
        import_module(f"{__name__}.{module}")
        return getattr(self, name)(*given, **options)

    show.__name__ = name
    return show


for name, (module, kinds) in SHOWN.items():
    for kind in kinds:
        setattr(kind, name, late(name, module))


def diagram(self: Expression, *, order: Any = None, memo: bool = True) -> Picture:
    """The plan, drawn. The expression is run for it, as for `explain`.

    >>> import skipstone as sk
    >>> e = sk.table({"src": [1, 2, 1], "dst": [2, 3, 3]}, name="E")
    >>> a, b, c = sk.axes("a b c")
    >>> sk.sum(e[a, b] * e[b, c] * e[a, c]).diagram()
    <picture: the plan of (E[a, b] * E[b, c] * E[a, c]).sum(a, b, c)>

    Each axis is a column, the outermost loop first, with the keys that it took; each factor is a row, with a mark in
    the columns that it is walked along, round where it stores the keys that it has and square where it has a place for
    every key. What meets in a column is joined by a band. What has a green ring is kept in a workspace for the loops
    inside. What was summed first comes first.
    """
    from .diagram import drawn

    return drawn(self, order, memo)


Expression.diagram = diagram  # type: ignore[method-assign]
