"""The command line: `skipstone query`, `explain`, `run`, `demo`, `laws`, `prove`, `bench`, `cache`, `info`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console
from rich.table import Table

from .counting import counted
from .errors import SkipstoneError
from .telling import STATUS, STOPPED, told

if TYPE_CHECKING:
    from .pipeline import Pipeline, Way

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


Text = Annotated[str, typer.Argument(help='As in "n(a) = E(a, b) * E(b, c)"; see docs/queries.md.')]
Tables = Annotated[list[str] | None, typer.Argument(help="NAME=PATH[:key,key,…][=value], as with --table.")]
TableOption = Annotated[
    list[str] | None,
    typer.Option(
        "--table",
        "-t",
        help="NAME=PATH[:key,key,…][=value]; a PATH may be table:NAME of the catalog. Without a value, equal rows "
        "count once; as a value, # is the number of equal rows.",
    ),
]
Engine = Annotated[Literal["spark", "local"], typer.Option(help="Spark, or this machine alone.")]
Master = Annotated[str | None, typer.Option(help="Spark's master; all cores of this machine, if nothing names one.")]
Conf = Annotated[list[str] | None, typer.Option(help="A setting of Spark, key=value; may be said several times.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace outputs that are there already.")]
Format = Annotated[Literal["table", "csv", "json", "arrow"], typer.Option("--format", help="Of results on stdout.")]
Malformed = Annotated[
    Literal["refuse", "skip"] | None,
    typer.Option(help="What becomes of rows that cannot be read: an error, if nothing is said."),
]
Explain = Annotated[bool, typer.Option("--explain", help="Say how it would be run, and write nothing.")]
Verbose = Annotated[bool, typer.Option("-v", "--verbose", help="Show Spark's own log, and tracebacks.")]


@app.command(epilog=STATUS)
def query(
    text: Text,
    inputs: Tables = None,
    table: TableOption = None,
    out: Annotated[str, typer.Option(help="Where the result goes: a path, or table:NAME. Stdout, if left out.")] = "",
    overwrite: Overwrite = False,
    format: Format = "table",
    engine: Engine = "spark",
    master: Master = None,
    conf: Conf = None,
    explain: Explain = False,
    malformed: Malformed = None,
    verbose: Verbose = False,
) -> None:
    """Run a query over files and tables, on Spark.

    Example: `skipstone query "n() = E(a, b) * E(b, c) * E(a, c)" --table E=edges.parquet:src,dst`
    """
    from . import pipeline

    with told(verbose):
        given = [pipeline.input_of(each, malformed or "refuse") for each in (*(inputs or ()), *(table or ()))]
        made = pipeline.Pipeline(pipeline.by_name(given), (pipeline.query_of(text, out),), master, settings(conf))
        perform(made, explain, pipeline.Way(engine == "local", overwrite, format, verbose=verbose))


@app.command()
def explain(
    text: Text,
    inputs: Tables = None,
    table: TableOption = None,
    engine: Engine = "spark",
    master: Master = None,
    conf: Conf = None,
    malformed: Malformed = None,
    verbose: Verbose = False,
) -> None:
    """How a query would be run: how it is divided, what is moved, and the loops.

    Example: `skipstone explain "n() = E(a, b) * E(b, a)" --table E=edges.parquet:src,dst`
    """
    query(
        text, inputs, table, engine=engine, master=master, conf=conf, explain=True, malformed=malformed, verbose=verbose
    )


@app.command(epilog=STATUS)
def run(
    file: Annotated[Path, typer.Argument(help="A pipeline in TOML; see docs/pipeline.md.")],
    overwrite: Overwrite = False,
    format: Format = "table",
    engine: Engine = "spark",
    master: Master = None,
    conf: Conf = None,
    explain: Explain = False,
    malformed: Malformed = None,
    verbose: Verbose = False,
) -> None:
    """Run all queries of a TOML file, which share inputs and use each other's results, on Spark.

    Example: `skipstone run pipeline.toml --overwrite`
    """
    from dataclasses import replace

    from . import pipeline

    with told(verbose):
        made = pipeline.read(file)
        inputs = {n: replace(each, malformed=malformed or each.malformed) for n, each in made.inputs.items()}
        made = replace(made, inputs=inputs, master=master or made.master, conf={**made.conf, **settings(conf)})
        perform(made, explain, pipeline.Way(engine == "local", overwrite, format, named=True, verbose=verbose))


def perform(made: Pipeline, explain: bool, way: Way) -> None:
    # Memory of columns goes back to the system when they go: Arrow's own allocators keep it, up to a third of the peak.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    from . import pipeline
    from .errors import SparkMissing

    try:
        (pipeline.explain if explain else pipeline.run)(made, way)
    except SparkMissing as missing:
        if made.is_plain():
            missing.repair = f"{missing.repair} Or run it without Spark: --engine local."
        raise


def settings(conf: list[str] | None) -> dict[str, str]:
    """Settings of Spark from the command line."""
    from .errors import PipelineError

    found = {}
    for each in conf or ():
        key, sign, value = each.partition("=")
        if not sign or not key:
            raise PipelineError(f"--conf {each} is no setting", "Write --conf key=value.")
        found[key] = value
    return found


@app.command()
def demo() -> None:
    """What skipstone does, here and on Spark, in a minute.

    Example: `skipstone demo`
    """
    from .demo import run

    with told(verbose=False):
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
def prove(
    twice: Annotated[bool, typer.Option("--twice", help="Ask a second solver, cvc5, too.")] = False,
    deep: Annotated[bool, typer.Option("--deep", help="Change every token: proofs must fail then.")] = False,
    page: Annotated[Path | None, typer.Option(help="A page whose table is to be written anew.")] = None,
) -> None:
    """Prove that the streams of the library keep the laws, for every input (extra `prove`).

    Example: `skipstone prove --twice`
    """
    from .laws import prover

    with told(verbose=False):
        prover()
        from .prove import report

        out = Console()
        holds = report.run_mutants(out) if deep else report.run(out, twice, page)
    if not holds:
        raise typer.Exit(1)


@app.command()
def info() -> None:
    """Versions, Java, Spark and cache: what to put into a bug report.

    Example: `skipstone info`
    """
    from importlib.metadata import PackageNotFoundError, version

    from . import cache
    from .engines.spark.java import found_java

    kernels = cache.contents()
    try:
        java = found_java()
        java_told = f"{java.version}, from {java.source}: {java.program}"
    except SkipstoneError as error:
        java_told = f"{error.what}. {error.repair}"
    try:
        spark = version("pyspark")
    except PackageNotFoundError:
        spark = "not installed: pip install 'skipstone[spark]'"
    rows = [
        ("skipstone", version("skipstone")),
        ("Python", sys.version.split()[0]),
        *((name, version(name)) for name in ("numpy", "numba", "llvmlite")),
        ("Arrow", version("pyarrow")),
        ("Spark", spark),
        ("Java", java_told),
        *((name, os.environ[name]) for name in ("SPARK_HOME", "SPARK_REMOTE", "SPARK_MASTER") if name in os.environ),
        ("cache", str(cache.directory())),
        ("kernels", f"{len(kernels)}, {sum(size for _, size in kernels) / 1e6:.1f} MB"),
    ]
    for name, what in rows:
        print(f"{name:<12}  {what}")


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


@bench_app.command("peers")
def bench_peers(
    only: Annotated[str, typer.Option(help="Only cases whose name contains this text.")] = "",
    rounds: Annotated[int, typer.Option(help="How often each way is timed; the best counts.", min=1)] = 3,
    limit: Annotated[float, typer.Option(help="Seconds after which a way is given up.", min=1)] = 60,
    peers: Annotated[str, typer.Option(help="Only these, by name and with commas: duckdb,scipy. Ours always.")] = "",
    out: Annotated[Path, typer.Option(help="Where the results go.", file_okay=False)] = Path("skipstone-bench"),
    listed: Annotated[bool, typer.Option("--list", help="Say what would be asked of whom, and stop.")] = False,
) -> None:
    """The same questions, asked of DuckDB, Polars, GraphBLAS and others (extra `bench`). Hours, if all are run.

    It needs a checkout of the source. Answers are compared before anything is timed; whoever is not installed is left
    out. `peers.json` in a directory grows with every case: what is there when you stop it, stays.

    Example: `skipstone bench peers --only triangles --peers duckdb,igraph`
    """
    from importlib import import_module

    from .errors import BadOption, FileUnreadable

    with told(verbose=False):
        here = Path(__file__).parents[2]
        root = next((each for each in (here, Path.cwd()) if (each / "benchmarks" / "peers").is_dir()), None)
        if root is None:
            raise FileUnreadable(
                "there is no folder benchmarks/peers here, and a package does not hold it",
                "Run this in a checkout of skipstone's source.",
            )
        sys.path.insert(0, str(root))
        running, who = import_module("benchmarks.peers.run"), import_module("benchmarks.peers.who")
        names = [name.strip() for name in peers.split(",") if name.strip()]
        if unknown := [name for name in names if name not in who.PEERS]:
            raise BadOption(f"there is no peer called {unknown[0]}", f"Known are: {', '.join(who.PEERS)}.")
        if not running.chosen(only, names):
            raise BadOption(f"no case has {only!r} in its name", "`skipstone bench peers --list` says which there are.")
        if listed:
            Console().print(running.listing(only, names))
            return
        out.mkdir(parents=True, exist_ok=True)
    try:
        done = running.run(out / "peers.json", rounds, limit, only, names)
    except KeyboardInterrupt:
        there = (out / "peers.json").exists()
        print(f"stopped; {f'what was measured is in {out}' if there else 'nothing was measured yet'}", file=sys.stderr)
        raise typer.Exit(STOPPED) from None
    if done:
        Console().print(running.table(done))
        print(f"written: {out / 'peers.json'}")


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

    print(f"removed {counted(cache.clear(), 'kernel')}")


if __name__ == "__main__":
    app()
