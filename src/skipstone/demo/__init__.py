"""`skipstone demo`: what it does on this machine, then a pipeline on Spark; all of it computed as it is told.

story.py         two dicts, seeks, triangles
rings.py         the pipeline: data is made, payments.toml is run, and what it found is compared with what was hidden
payments.py      the data, for users too: python -m skipstone.demo.payments DIRECTORY
payments.toml    the queries
"""

from rich.console import Console

from . import rings, story


def run(out: Console) -> None:
    """Tell it."""
    story.tell(out)
    rings.tell(out)
    out.print("\nNext: [bold]README.md[/], [bold]docs/tutorial.md[/], and `skipstone --help`.\n")
