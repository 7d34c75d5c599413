"""What people see of tables, streams, expressions and plans: as text, in notebooks, as pictures.

The modules that show them are imported when someone looks. Each then puts its own in the place of what stands here.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from ..notation import Expression
from ..plan.run import CompiledExpression, Report
from ..stream import Stream
from ..table import Table

SHOWN = {
    "__str__": ("as_text", (Table, Stream)),
    "_repr_html_": ("as_html", (Table, Stream, Expression, Report, CompiledExpression)),
    "diagram": ("diagram", (Expression,)),
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
