"""Which keys were touched, and which were leapt over: the idea of the library in one picture."""

from __future__ import annotations

from typing import Any

from ..counting import counted
from ..errors import BadOption, NotACollection
from ..notation import Expression
from ..stream import Stream
from .svg import BLUE, FAINT, LINE, ORANGE, TEXT, WIDE, Drawing, Picture, shortened
from .watching import Panel, Row, seen_in_expression, seen_in_stream

ROW, TOP, BOTTOM = 58, 46, 34  # the height of a row, of what stands above the rows, and below
MOST, ENDS = 40, 2  # keys that are drawn without leaving any out, and that are drawn at the ends of a gap
SLOT = (16.0, 34.0)  # how far keys are apart
WIDTH = 780.0
SLANTED = 18.0  # how far names are apart that are turned


def visits(what: Any, limit: int = 60) -> Picture:
    """A picture of a run: each source a row of keys, with arcs from each key that it stood at to the next.

    >>> import skipstone as sk
    >>> sk.visits(sk.stream({1: 1, 5: 1, 7: 1, 9: 1}) * sk.stream({2: 1, 7: 1}))
    <picture: 1 match, 6 of 6 keys touched>

    Filled dots are keys that a source stood at, rings are keys that it read while it was searching, and the others it
    leapt over. Keys that all of them hold are marked. The run is a real one, interpreted, without the workspaces that
    the planner adds; in index notation there is a panel for each axis, in the order of the loops: what happened under
    the first keys outside that led to a match. It stops after `limit` keys that were stood at.
    """
    if type(limit) is not int or limit < 1:
        raise BadOption(f"limit={limit!r}", "Say how many keys: 1, 2, …")
    if isinstance(what, Stream):
        panels = seen_in_stream(what, limit)
    elif isinstance(what, Expression):
        panels = seen_in_expression(what, limit)
    else:
        raise NotACollection(
            f"{type(what).__name__} is neither a stream nor an expression",
            "Give sk.stream(…) * sk.stream(…), or T[i, j].",
        )
    layouts = [Layout(panel) for panel in panels]
    left = max(layout.left for layout in layouts)
    drawing, y = Drawing(), 0.0
    for layout in layouts:
        layout.draw(drawing, left, y)
        y += layout.height
    absent = any(row.name.startswith("~") for panel in panels for row in panel.rows)
    legend(drawing, left, y + 14, "a match" if absent else "all hold it")
    width = left + 20 + max(max(layout.width, layout.title_width + 6.4 * len(layout.told())) for layout in layouts)
    told = f"along {panels[0].axis}: {layouts[0].told()}" if len(panels) > 1 else layouts[0].told()
    return drawing.picture(max(width, left + 430), y + 30, told)


class Layout:
    """Where the keys of a panel are: each has a slot, in their order; where many are leapt over, some are left out."""

    def __init__(self, panel: Panel) -> None:
        self.panel = panel
        last = max((key for row in panel.rows for key in row.stood), default=None) if panel.cut else None
        self.keys = {row: row.keys(last) for row in panel.rows}
        self.slots, self.gaps, slots = chosen_slots(self.keys, {key for row in panel.rows for key in row.stood})
        self.apart = min(max(WIDTH / max(slots, 1), SLOT[0]), SLOT[1])
        self.names = {key: shortened(panel.named(key), 12) for key in self.slots}
        self.slanted = max((len(name) for name in self.names.values()), default=0) * 7 > self.apart - 2
        self.labels = self.thinned()
        self.left = 40 + WIDE * 13 * max((len(shortened(row.name, 26)) for row in panel.rows), default=1)
        self.width = self.apart * slots
        where = f", where {panel.within}" if panel.within else ""
        self.title = shortened(f"along {panel.axis}{where}", 70) if panel.axis else ""
        self.title_width = 7.6 * len(self.title) + 12 if self.title else 0
        below = BOTTOM + (34 if self.slanted else 0)
        self.height = TOP + ROW * len(panel.rows) + below

    def x(self, key: Any) -> float:
        return (self.slots[key] + 0.5) * self.apart

    def thinned(self) -> list[Any]:
        """The keys that are named: as many as have room, those that match first."""
        named: list[Any] = []
        for key in sorted(self.names, key=lambda key: (key not in self.panel.matches, self.slots[key])):
            if all(abs(self.x(key) - self.x(other)) >= self.room(key, other) for other in named):
                named.append(key)
        return sorted(named)

    def room(self, one: Any, two: Any) -> float:
        """How far apart two names must be."""
        return SLANTED if self.slanted else WIDE * 10.5 * (len(self.names[one]) + len(self.names[two])) / 2 + 4

    def told(self) -> str:
        """What was seen, in a line."""
        stood = sum(len(set(row.stood)) for row in self.panel.rows)
        keys = sum(map(len, self.keys.values()))
        read = sum(len(row.read - set(row.stood)) for row in self.panel.rows)
        matches = f"{len(self.panel.matches)} match{'es' * (len(self.panel.matches) != 1)}"
        matches += " of those drawn" if self.panel.cut else ""
        searched = f", {read} read in searches" if read else ""
        rest = "; the rest is not drawn" if self.panel.cut else ""
        return f"{matches}, {stood} of {counted(keys, 'key')} touched{searched}{rest}{self.not_drawn()}"

    def not_drawn(self) -> str:
        """How many panels there would be beside this one, under other keys outside."""
        n, more = self.panel.others, "at least " if self.panel.stopped else ""
        return f"; {more}{n:,} other{'s' * (n != 1)} like it {'is' if n == 1 else 'are'} not drawn" if n else ""

    def draw(self, to: Drawing, left: float, y: float) -> None:
        panel, base = self.panel, y + TOP
        to.text(left, y + 22, self.title, TEXT, 13, font_weight=600)
        to.text(left + self.title_width, y + 22, self.told(), FAINT, 12)
        rows_end = base + ROW * len(panel.rows)
        for key in panel.matches:
            if key in self.slots:
                to.box(left + self.x(key) - 8, base + 8, 16, rows_end - base - 2, rx=8, fill=ORANGE, fill_opacity=0.16)
        for n, row in enumerate(panel.rows):
            self.draw_row(to, row, left, base + ROW * (n + 1) - 12)
        for key in self.labels:
            x, name, matched = left + self.x(key), self.names[key], key in panel.matches
            colour = ORANGE if matched else FAINT
            turned = {"transform": f"rotate(-42 {x:.2f} {rows_end + 14})", "text_anchor": "end"}
            look = turned if self.slanted else {"text_anchor": "middle"}
            to.code(x, rows_end + 14, name, colour, 10.5, font_weight=700 if matched else None, **look)
        for before, count in self.gaps.items():
            x = left + (before + 1.5) * self.apart
            to.text(x, rows_end + 14, f"… {count:,} …", FAINT, 10.5, text_anchor="middle", font_style="italic")

    def draw_row(self, to: Drawing, row: Row, left: float, y: float) -> None:
        to.code(left - 18, y + 4, shortened(row.name, 26), TEXT, 13, text_anchor="end")
        to.line(left, y, left + self.width, y, LINE, 1, stroke_opacity=0.5)
        own = [key for key in self.keys[row] if key in self.slots]
        rank = {key: n for n, key in enumerate(self.keys[row])}
        stood = set(row.stood)
        for before, after in row.moves:
            if before not in self.slots or after not in self.slots:
                continue
            far = self.x(after) - self.x(before)
            leap = rank.get(after, 0) - rank.get(before, 0) > 1
            to.arc(
                left + self.x(before), left + self.x(after), y - 6, min(11 + far * 0.28, 44) if leap else 9,
                BLUE, 2 if leap else 1.1, stroke_opacity=0.95 if leap else 0.55,
            )  # fmt: skip
        for key in own:
            x = left + self.x(key)
            if key in stood:
                to.dot(x, y, 5, ORANGE if key in self.panel.matches else BLUE)
            elif key in row.read:
                to.dot(x, y, 4, "none", BLUE)
            else:
                to.dot(x, y, 3.4, "none", FAINT, 1.2)


def chosen_slots(keys: dict[Row, list[Any]], stood: set[Any]) -> tuple[dict[Any, int], dict[int, int], int]:
    """A slot for each key that is drawn; how many are left out behind which slot, if there are too many; all slots."""
    every = sorted({key for own in keys.values() for key in own})
    slots: dict[Any, int] = {}
    gaps: dict[int, int] = {}
    end, run = 0, []  # keys at which nothing stood
    for key in [*every, None]:
        if key is not None and key not in stood:
            run.append(key)
            continue
        left_out = len(run) - 2 * ENDS if len(every) > MOST and len(run) > 2 * ENDS + 2 else 0
        for n, each in enumerate(run):
            if left_out and n == ENDS:
                gaps[end] = left_out
                end += 3  # room for how many
            if not (left_out and ENDS <= n < len(run) - ENDS):
                slots[each] = end
                end += 1
        run = []
        if key is not None:
            slots[key] = end
            end += 1
    return slots, gaps, end


def legend(to: Drawing, left: float, y: float, match: str) -> None:
    x = left
    for kind, words in (
        ("match", match), ("stood", "touched"), ("read", "read in a search"), ("over", "leapt over"),
    ):  # fmt: skip
        fill = {"match": ORANGE, "stood": BLUE}.get(kind, "none")
        stroke = {"read": BLUE, "over": FAINT}.get(kind)
        to.dot(x + 5, y - 4, 4.2 if fill != "none" else 3.6, fill, stroke)
        to.text(x + 15, y, words, FAINT, 11)
        x += 36 + 5.6 * len(words)
