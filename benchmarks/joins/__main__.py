"""`python -m benchmarks.joins`: queries against peers, kept and put into docs/joins.md."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import Annotated, Any

import typer
from rich.console import Console

from skipstone.bench import harness

from .. import report
from . import page
from .cases import cases
from .measure import Result, measure

PACKAGES = ("duckdb", "polars", "kuzu", "suitesparse-graphblas", "igraph", "scipy", "opt_einsum")


def main(
    rounds: Annotated[int, typer.Option(help="How often each way is timed.", min=1)] = 5,
    limit: Annotated[float, typer.Option(help="Seconds after which a way is given up.", min=1)] = 60,
    only: Annotated[str, typer.Option(help="Only cases whose name contains this; the others stay as they are.")] = "",
    measured: Annotated[bool, typer.Option("--measure/--no-measure", help="Or put in what was kept, again.")] = True,
) -> None:
    """Ours against DuckDB, Polars, Kùzu, SuiteSparse, igraph, SciPy and opt_einsum, whichever are installed."""
    if measured:
        run(rounds, limit, only)
    page.write()


def run(rounds: int, limit: float, only: str) -> None:
    """Measure, and keep each case as soon as it is there: a run that is stopped has not been for nothing."""
    every, console = list(cases()), Console(stderr=True)
    found = {(r["question"], r["on"]): Result(**r) for r in report.kept("joins")["results"]} if only else {}
    chosen = [case for case in every if only in case.name]
    with console.status("") as status:
        for n, case in enumerate(chosen, 1):
            title = f"{n}/{len(chosen)} {case.name}"
            result = measure(case, rounds, limit, lambda doing, title=title: status.update(f"{title}: {doing}"))
            console.print(f"{title}: {', '.join(map(told, result.timings))}", highlight=False)
            found[case.question, case.on] = result
            known = [found[case.question, case.on] for case in every if (case.question, case.on) in found]
            harness.keep(report.RESULTS / "joins.json", known, rounds, peers=versions())


def told(timing: dict[str, Any]) -> str:
    found = timing["failed"] or report.milliseconds(timing["seconds"])
    return f"{timing['label']} {timing['threads']}: {found}"


def versions() -> dict[str, str]:
    found = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


if __name__ == "__main__":
    typer.run(main)
