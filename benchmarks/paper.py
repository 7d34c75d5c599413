"""`python -m benchmarks.paper`: the paper's evaluation in full, kept, drawn, and put into docs/evaluation.md."""

from __future__ import annotations

from typing import Annotated

import typer

from skipstone.bench import charts, paper

from . import report


def main(
    rounds: Annotated[int, typer.Option(help="How often each way is timed.", min=1)] = 9,
    measure: Annotated[bool, typer.Option(help="Without it, the kept results are drawn and put in again.")] = True,
) -> None:
    """Measure, keep, draw, and write the page."""
    if not charts.available():
        raise SystemExit(charts.MISSING)
    path = report.RESULTS / "paper.json"
    if measure:
        paper.run(path, rounds)
    report.write_evaluation()
    charts.draw(report.kept("paper"), report.ROOT / "docs" / "pictures")


if __name__ == "__main__":
    typer.run(main)
