"""`python -m benchmarks.peers`: ours against peers, kept in benchmarks/results, drawn, and put into the pages."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from .. import report
from . import page, pictures
from .run import run, table


def main(
    rounds: Annotated[int, typer.Option(help="How often each way is timed.", min=1)] = 5,
    limit: Annotated[float, typer.Option(help="Seconds after which a way is given up.", min=1)] = 60,
    only: Annotated[str, typer.Option(help="Only cases whose name contains this; the others stay as they are.")] = "",
    measured: Annotated[bool, typer.Option("--measure/--no-measure", help="Or put in what was kept, again.")] = True,
) -> None:
    """Ours against whoever of the peers is installed. `skipstone bench peers` measures without writing pages."""
    try:
        if measured:
            Console().print(table(run(report.RESULTS / "peers.json", rounds, limit, only)))
    finally:  # cases are kept as they are measured: pages say the same, also where somebody interrupts the run
        page.write()
        pictures.draw(report.kept("peers"), report.ROOT / "docs" / "pictures")


if __name__ == "__main__":
    typer.run(main)
