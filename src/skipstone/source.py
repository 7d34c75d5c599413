"""Emitted code, as text that knows how to be shown: in colours in a notebook and, by Rich, in a terminal."""

from __future__ import annotations

from typing import Any


class Source(str):
    """The text of a kernel. It is a string; a notebook highlights it, and so does `show()` in a terminal.

    >>> import skipstone as sk
    >>> source = sk.range(0, 5).compile().source
    >>> source.startswith("def fused"), "<pre" in source._repr_html_()
    (True, True)
    """

    __slots__ = ()

    def show(self) -> None:
        """Print it, in colours where there are any."""
        from rich.console import Console

        Console().print(self.__rich__(), soft_wrap=True)

    def __rich__(self) -> Any:
        from rich.syntax import Syntax

        return Syntax(str(self), "python", theme="ansi_dark", background_color="default")

    def _repr_html_(self) -> str:
        from pygments import highlight
        from pygments.formatters import HtmlFormatter
        from pygments.lexers import PythonLexer
        from pygments.style import Style
        from pygments.token import Keyword, Name, Number

        # Colours that can be read on white and on black; Pygments' own styles are for one of them.
        colours = {Keyword: "bold #2b8fbd", Name.Function: "bold #e0822a", Number: "#3f9c6c"}
        made = HtmlFormatter(style=type("Colours", (Style,), {"styles": colours}), noclasses=True, nobackground=True)
        return str(highlight(str(self), PythonLexer(), made))
