"""A plan, drawn: axes as columns, in the order of the loops; what is walked along them as rows."""

from __future__ import annotations

from typing import Any

from ..counting import rows_told
from ..errors import BadOption
from ..notation import Expression, is_one, place
from ..plan.described import Plan
from ..plan.hoist import Hoist
from ..plan.loops import Loops
from ..plan.meeting import levels_of
from ..plan.run import Report, engine_of
from ..storage.levels import Compressed
from ..storage.nesting import innermost
from .svg import BLUE, FAINT, GREEN, LINE, ORANGE, TEXT, WIDE, Drawing, Picture, shortened

COLUMN, ROW, HEAD, NOTE = 112.0, 34.0, 78.0, 18.0
LONGEST = 34  # letters of a name


def drawn(self: Expression, order: Any, memo: bool) -> Picture:
    """`Expression.diagram`."""
    if engine_of(self) is not None:
        raise BadOption("a plan on Spark is not drawn", "Read it: expression.explain().")
    report: Report = self.explain(order=order, memo=memo)
    blocks = [block for plan in report.plans for block in blocks_of(plan)]
    left = 36 + WIDE * 13 * max((len(block.longest) for block in blocks), default=1)
    drawing, y, width = Drawing(), 8.0, 460.0
    for block in blocks:
        y, reach = block.draw(drawing, left, y)
        width = max(width, reach)
    drawing.text(left, y + 16, report.lines[-1], TEXT, 12.5, font_weight=600)
    return drawing.picture(width + 20, y + 34, f"the plan of {shortened(repr(self), 80)}")


def blocks_of(plan: Plan) -> list[Block]:
    """A block for a product, and one for each part that is summed within its loops."""
    inner = [Block(each.loops, plan.kept_before, (), f"within, for each {each.first!r}") for each in plan.loops.within]
    return [Block(plan.loops, plan.kept_before, plan.counts, ""), *inner]


class Block:
    """One nest of loops."""

    def __init__(self, loops: Loops, kept_before: set[int], counts: tuple[int, ...], title: str) -> None:
        self.loops, self.kept_before, self.counts, self.title = loops, kept_before, counts, title
        self.names = [self.named(n) for n, _ in enumerate(loops.walks)]
        self.conditions = [(shortened(repr(c), LONGEST), c) for c in loops.term.conditions]
        self.longest = max([*self.names, *(name for name, _ in self.conditions)], key=len)
        self.rings = {(n, hoist.level) for hoist in loops.runs.hoists for n in hoist.members}
        self.notes = [*loops.term.notes, *map(self.kept, loops.runs.hoists)]

    def kept(self, hoist: Hoist) -> str:
        what, along = " * ".join(self.names[n] for n in hoist.members), self.loops.order[hoist.level]
        return f"kept {hoist.when(self.loops.order)}: {what}, along {along!r}"

    def named(self, n: int) -> str:
        name = shortened(repr(self.loops.walks[n].source), LONGEST)
        return f"~{name}" if n in self.loops.absent else name

    def x(self, left: float, k: int) -> float:
        return left + COLUMN * (k + 0.5)

    def draw(self, to: Drawing, left: float, y: float) -> tuple[float, float]:
        """Draw it; how far down and to the right it reaches."""
        loops, order = self.loops, self.loops.order
        if self.title:
            to.text(left, y + 14, self.title, TEXT, 12.5, font_style="italic")
            y += 24
        rows = y + HEAD
        end = rows + ROW * (len(loops.walks) + len(self.conditions))
        for k, axis in enumerate(order):
            self.draw_axis(to, k, axis, left, y, rows)
        right = left + COLUMN * len(order) + 8
        reach = right + 182
        for n, walk in enumerate(loops.walks):
            self.draw_walk(to, n, left, rows + ROW * (n + 0.5))
            copy = "" if id(loops.tries[n]) in self.kept_before else ", sorted for this"
            told = f"{rows_told(walk.table.size, innermost(loops.tries[n]))}{copy}"
            to.text(right, rows + ROW * (n + 0.5) + 4, told, FAINT, 11.5)
            reach = max(reach, right + 6 * len(told))
        for m, (name, condition) in enumerate(self.conditions, len(loops.walks)):
            here = rows + ROW * (m + 0.5)
            at = [self.x(left, place(order, axis)) for axis in condition.axes()]
            to.code(left - 4, here + 4, name, ORANGE, 13, text_anchor="end")
            to.line(min(at), here, max(at), here, ORANGE, 1.2, stroke_dasharray="3 3")
            for x in at:
                to.box(x - 3.6, here - 3.6, 7.2, 7.2, fill=ORANGE, transform=f"rotate(45 {x:.2f} {here:.2f})")
        for note in self.notes:
            end += NOTE
            to.text(left, end, shortened(note, 110), GREEN if note.startswith("kept") else TEXT, 11.5)
        reach = max([reach, *(left + 6 * min(len(note), 110) for note in self.notes)])
        return end + 26, reach

    def draw_axis(self, to: Drawing, k: int, axis: Any, left: float, y: float, rows: float) -> None:
        """What stands above a column, and the band behind what meets in it."""
        loops, x = self.loops, self.x(left, k)
        kept = is_one(axis, loops.head)
        to.code(x, y + 22, repr(axis), BLUE if kept else TEXT, 17, text_anchor="middle", font_weight=700)
        to.text(x, y + 39, "kept" if kept else "summed", BLUE if kept else FAINT, 11, text_anchor="middle")
        told = f"{self.counts[k]:,} taken" if self.counts else ""
        to.text(x, y + 55, told, TEXT, 11.5, text_anchor="middle")
        to.text(x, y + 69, f"{loops.planned.steps[k]:,.0f} expected", FAINT, 10.5, text_anchor="middle")
        if k:
            to.add("path", d=f"M {x - COLUMN / 2 - 5:.1f} {y + 12:.1f} l 7 5 l -7 5", fill="none", stroke=LINE,
                   stroke_width=1.6, stroke_linejoin="round", stroke_linecap="round")  # fmt: skip
        along = [n for n, axes in enumerate(loops.along) if is_one(axis, axes)]
        if len(along) > 1:
            top = rows + ROW * (along[0] + 0.5)
            height = ROW * (along[-1] - along[0])
            to.box(x - 11, top - 11, 22, height + 22, rx=11, fill=BLUE, fill_opacity=0.14)

    def draw_walk(self, to: Drawing, n: int, left: float, y: float) -> None:
        loops = self.loops
        absent, optional = n in loops.absent, n in loops.optional
        at = [place(loops.order, axis) for axis in loops.along[n]]
        to.code(left - 4, y + 4, self.names[n], TEXT, 13, text_anchor="end")
        to.line(self.x(left, at[0]), y, self.x(left, at[-1]), y, BLUE, 1.6, stroke_opacity=0.7,
                stroke_dasharray="4 4" if absent or optional else None)  # fmt: skip
        for k, level in zip(at, levels_of(loops.tries[n]), strict=True):
            x = self.x(left, k)
            look = {"fill": "none", "stroke": BLUE, "stroke_width": 1.6} if absent else {"fill": BLUE}
            if not isinstance(level, Compressed):
                to.box(x - 5, y - 5, 10, 10, rx=1.5, **look)
            else:
                to.add("circle", cx=x, cy=y, r=5.4, **look)
            if (n, k) in self.rings:
                to.dot(x, y, 9, "none", GREEN, 2)
