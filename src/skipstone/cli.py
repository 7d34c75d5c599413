"""The command line: `skipstone demo`, `laws`, `bench paper`, `cache info`, `cache clear`, `info`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from .errors import SkipstoneError

app = typer.Typer(
    help="skipstone: indexed streams for Python.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    add_completion=True,
)
cache_app = typer.Typer(help="The kernels kept on disk.", no_args_is_help=True)
app.add_typer(cache_app, name="cache")
bench_app = typer.Typer(help="Measure it on your machine.", no_args_is_help=True)
app.add_typer(bench_app, name="bench")


@app.callback(invoke_without_command=True)
def main(version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False) -> None:
    """Indexed streams for Python: keyed collections that are sought, not only stepped."""
    if version:
        from . import __version__

        print(f"skipstone {__version__}")
        raise typer.Exit


@app.command()
def demo() -> None:
    """What skipstone does, in half a minute.

    Example: `skipstone demo`
    """
    from .demo import run

    run(Console())


@app.command()
def laws(
    states: Annotated[int, typer.Option(help="How many states of each stream to visit.", min=1)] = 200,
) -> None:
    """Check the stream laws on every stream of the library.

    Example: `skipstone laws --states 500`
    """
    from rich.progress import track

    from .examples import EXAMPLES
    from .laws import check

    table = Table("stream", "states", "seeks", "laws", title="every stream keeps the laws")
    for name, make in track(EXAMPLES.items(), "checking", console=Console(stderr=True), transient=True):
        try:
            found = check(make(), states=states)
        except SkipstoneError as error:
            Console(stderr=True).print(f"[red]{name}[/]: {error}", highlight=False)
            raise typer.Exit(1) from None
        table.add_row(name, f"{found.states}", f"{found.seeks:,}", f"{found.laws} kept")
    Console().print(table)


@app.command()
def info() -> None:
    """Versions, processor and cache: what to put into a bug report.

    Example: `skipstone info`
    """
    from importlib.metadata import version

    from . import cache

    kernels = cache.contents()
    rows = [
        ("skipstone", version("skipstone")),
        ("Python", sys.version.split()[0]),
        *((name, version(name)) for name in ("numpy", "numba", "llvmlite", "pyarrow")),
        ("kernel cache", f"{len(kernels)} kernels, {sum(size for _, size in kernels) / 1e6:.1f} MB"),
    ]
    table = Table(show_header=False, box=None)
    for row in rows:
        table.add_row(*row)
    Console().print(table)


@bench_app.command("paper")
def bench_paper(
    rounds: Annotated[int, typer.Option(help="How often each way is timed; the best counts.", min=1)] = 5,
    out: Annotated[Path, typer.Option(help="Where the results and pictures go.", file_okay=False)] = Path(
        "skipstone-bench"
    ),
    quick: Annotated[bool, typer.Option("--quick", help="Small problems: does it run? The times say little.")] = False,
) -> None:
    """The paper's evaluation: loops by hand, the triangle join, ordered trees. A few minutes.

    Tables here; `paper.json` and the pictures in a directory.

    Example: `skipstone bench paper --rounds 3 --out figures`
    """
    from .bench import charts, paper

    errors = Console(stderr=True)
    if not charts.available():
        errors.print(charts.MISSING, highlight=False, markup=False)
    out.mkdir(parents=True, exist_ok=True)
    kept = paper.run(out / "paper.json", rounds, quick)
    for listing in paper.listings(kept):
        table = Table(*listing.head, title=listing.title)
        for n, row in enumerate(listing.rows):
            again = n > 0 and row[0] == listing.rows[n - 1][0]
            table.add_row("" if again else row[0], *row[1:])
        Console().print(table, *listing.notes, "", sep="\n", highlight=False)
    made = charts.draw(kept, out) if charts.available() else []
    print(f"written: {', '.join(str(path) for path in (out / 'paper.json', *made))}")


@cache_app.command("info")
def cache_info() -> None:
    """Where the kernels are kept, how many, and how large.

    Example: `skipstone cache info`
    """
    from . import cache

    kernels = cache.contents()
    print(f"directory  {cache.directory()}")
    print(f"kernels    {len(kernels)}")
    print(f"size       {sum(size for _, size in kernels) / 1e6:.2f} MB")
    print(f"version    {cache.version()}")


@cache_app.command("clear")
def cache_clear() -> None:
    """Remove every kernel; they are compiled again when needed.

    Example: `skipstone cache clear`
    """
    from . import cache

    print(f"removed {cache.clear()} kernels")


if __name__ == "__main__":
    app()
