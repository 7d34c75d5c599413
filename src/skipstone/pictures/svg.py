"""Pictures: SVG written by hand, in colours that can be read on white and on black."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ..errors import BadOption

TEXT, FAINT, LINE = "#78818e", "#8d95a1", "#a4abb6"
BLUE, ORANGE, GREEN = "#2b8fbd", "#e0822a", "#3f9c6c"
FONT = "ui-sans-serif, system-ui, 'Segoe UI', Helvetica, Arial, sans-serif"
CODE = "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace"
WIDE = 0.61  # of its size, how wide a letter of CODE is


class Picture:
    """A drawing. A notebook shows it; `svg` is its text, and `save` writes it to a file."""

    def __init__(self, svg: str, told: str) -> None:
        self.svg, self.told = svg, told

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<picture: {self.told}>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file that ends in .svg."""
        if Path(path).suffix != ".svg":
            raise BadOption(f"a picture cannot be written to {os.fspath(path)}", "Let the name end in .svg.")
        Path(path).write_text(self.svg, encoding="utf-8")


class Drawing:
    """What is drawn so far. Numbers are in units of a pixel, from the upper left."""

    def __init__(self) -> None:
        self.parts: list[str] = []

    def add(self, tag: str, inside: str | None = None, **attributes: Any) -> None:
        """One element; in the names of attributes, `_` stands for `-`."""
        shown = "".join(
            f' {name.replace("_", "-")}="{number(value)}"' for name, value in attributes.items() if value is not None
        )
        self.parts.append(f"<{tag}{shown}/>" if inside is None else f"<{tag}{shown}>{inside}</{tag}>")

    def text(self, x: float, y: float, words: str, fill: str = TEXT, size: float = 12, **more: Any) -> None:
        self.add("text", escaped(words, quote=False), x=x, y=y, fill=fill, font_size=size, **more)

    def code(self, x: float, y: float, words: str, fill: str = TEXT, size: float = 12, **more: Any) -> None:
        self.text(x, y, words, fill, size, font_family=CODE, **more)

    def dot(self, x: float, y: float, r: float, fill: str, stroke: str | None = None, width: float = 1.4) -> None:
        self.add("circle", cx=x, cy=y, r=r, fill=fill, stroke=stroke, stroke_width=width if stroke else None)

    def line(self, x1: float, y1: float, x2: float, y2: float, stroke: str = LINE, width: float = 1, **m: Any) -> None:
        self.add("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=stroke, stroke_width=width, **m)

    def box(self, x: float, y: float, width: float, height: float, **more: Any) -> None:
        self.add("rect", x=x, y=y, width=width, height=height, **more)

    def arc(self, x1: float, x2: float, y: float, height: float, stroke: str, width: float, **more: Any) -> None:
        """From one point to another on the same line, above it."""
        path = f"M {number(x1)} {number(y)} C {number(x1)} {number(y - height)} "
        path += f"{number(x2)} {number(y - height)} {number(x2)} {number(y)}"
        self.add("path", d=path, fill="none", stroke=stroke, stroke_width=width, stroke_linecap="round", **more)

    def picture(self, width: float, height: float, told: str) -> Picture:
        w, h = number(width), number(height)
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w} {h}" width="{w}" height="{h}" '
            f'font-family="{FONT}" role="img">\n<title>{escaped(told)}</title>'
        )
        return Picture("\n".join([head, *self.parts, "</svg>\n"]), told)


def number(x: Any) -> str:
    """A number with two places at most, so that the same picture is the same text; anything else escaped."""
    return f"{x:.2f}".rstrip("0").rstrip(".") if isinstance(x, float) else escaped(str(x))


def shortened(words: str, most: int) -> str:
    return words if len(words) <= most else words[: most - 1] + "…"


def escaped(words: str, quote: bool = True) -> str:
    """Words as they stand in a text of tags."""
    from html import escape  # its table of names is long

    return escape(words, quote)
