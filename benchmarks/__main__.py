"""`python -m benchmarks`: run them all. `--rounds N` for more or fewer; `--save NAME` keeps the figures as JSON."""

from __future__ import annotations

from typing import Annotated

import typer

from . import compiling, core, harness


def main(
    rounds: Annotated[int, typer.Option(help="How often each way is timed.", min=1)] = 9,
    save: Annotated[str | None, typer.Option(help="Keep the results under this name.")] = None,
    only: Annotated[str, typer.Option(help="Only cases whose name contains this.")] = "",
) -> None:
    """Ours against the best loops by hand and against NumPy."""
    if not only:
        compiling.run()
    cases = [make for name, make in core.CASES.items() if only in name]
    harness.run(cases, rounds, "skipstone against loops written by hand", save)


if __name__ == "__main__":
    typer.run(main)
