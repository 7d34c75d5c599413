"""Everything that is claimed, proved, and told: a table of claims and laws, on the screen or in a page."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import CLAIMS, EVERYTHING, NotProved, Proved, proved
from .mutants import mutants
from .survivors import WHY

LAWS = ("safe", "invariant", "start", "end", "support", "head", "lawful", "monotone", "strictly monotone", "bounded",
        "next", "approach")  # fmt: skip
MARK = "<!-- proved -->", "<!-- /proved -->"


@dataclass(frozen=True)
class Line:
    """One claim: what became of it with any integers, and with those of the machine."""

    name: str
    found: Proved | NotProved
    machine: Proved | NotProved

    @property
    def holds(self) -> bool:
        return isinstance(self.found, Proved) and isinstance(self.machine, Proved)


def lines(twice: bool) -> Iterator[Line]:
    """Every claim and theorem, in turn."""
    for claim in EVERYTHING:
        yield Line(claim.name, proved(claim, twice=twice), proved(claim, machine=True))


def heads() -> list[str]:
    return ["claim", *LAWS, "other", "int64"]


def cells(line: Line) -> list[str]:
    """How many obligations of each law were proved, and how many with integers of the machine."""
    if not isinstance(line.found, Proved):
        return [line.name, *["not proved"] * (len(LAWS) + 2)]
    laws = line.found.laws
    other = sum(count for law, count in laws.items() if law not in LAWS)
    machine = f"{line.machine.obligations}" if isinstance(line.machine, Proved) else "not proved"
    return [line.name, *(str(laws.get(law, "–")) for law in LAWS), str(other or "–"), machine]


def page(found: list[Line], seconds: float, twice: bool) -> str:
    """The table as Markdown."""
    total = sum(line.found.obligations for line in found if isinstance(line.found, Proved))
    both = ", each confirmed by cvc5" if twice else ""
    rows = [heads(), ["---"] * len(heads()), *map(cells, found)]
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    return f"{table}\n\n{len(found)} claims, {total:,} obligations{both}; {seconds:.0f} s on one core.\n"


def written(file: Path, text: str) -> None:
    """Put the table between its marks."""
    before, _, rest = file.read_text().partition(MARK[0])
    _, _, behind = rest.partition(MARK[1])
    file.write_text(f"{before}{MARK[0]}\n{text}{MARK[1]}{behind}")


def run(out: Any, twice: bool, page_file: Path | None) -> bool:
    """Prove everything, show it line by line, and say whether all of it holds."""
    began, found = time.perf_counter(), []
    for line in lines(twice):
        found.append(line)
        out.print(f"{line.found!r}" if line.holds else f"[red]{line.found!r} {line.machine!r}[/]", highlight=False)
    seconds = time.perf_counter() - began
    total = sum(line.found.obligations for line in found if isinstance(line.found, Proved))
    out.print(f"{sum(line.holds for line in found)} of {len(found)} claims, {total:,} obligations, {seconds:.0f} s")
    if page_file is not None:
        written(page_file, page(found, seconds, twice))
    return all(line.holds for line in found)


def run_mutants(out: Any) -> bool:
    """Change every token in turn: whether all mutants are rejected, but for those that are known to be right."""
    many, surprising, seen = 0, 0, set()
    for mutant in mutants(CLAIMS):
        many += 1
        if mutant.survives():
            seen.add(str(mutant))
            why = WHY.get(str(mutant))
            surprising += why is None
            out.print(f"{mutant}: {why or '[red]survives, and nobody knows why[/]'}", highlight=False)
    for gone in WHY.keys() - seen:
        out.print(f"[yellow]no longer there, or no longer surviving: {gone}[/]", highlight=False)
    out.print(f"{many} mutants, {many - len(seen)} rejected, {surprising} survive without a reason")
    return not surprising
