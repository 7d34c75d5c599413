"""`python -m benchmarks`: run them all. `--rounds N` for more or fewer; `--save core` keeps them."""

from __future__ import annotations

from typing import Annotated

import typer

from skipstone.bench import harness

from . import compiling, core, report


def main(
    rounds: Annotated[int, typer.Option(help="How often each way is timed.", min=1)] = 9,
    save: Annotated[str | None, typer.Option(help="Keep the results, and put them into the documentation.")] = None,
    only: Annotated[str, typer.Option(help="Only cases whose name contains this.")] = "",
) -> None:
    """Ours against the best loops by hand and against NumPy."""
    compiled = {} if only else compiling.run()
    cases = [make for name, make in core.CASES.items() if only in name]
    results = harness.run(cases, rounds, "skipstone against loops written by hand")
    if save:
        harness.keep(report.RESULTS / f"{save}.json", results, rounds, compiling=compiled)
        report.write(save)


if __name__ == "__main__":
    typer.run(main)
