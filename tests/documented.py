"""A page of the docs whose files and commands are executed: blocks that name a file, and blocks of console."""

import re
import shlex
from pathlib import Path

DOCS = Path(__file__).parent.parent / "docs"


def blocks(page):
    """(language, file name or "", text) of each fenced block."""
    return re.findall(r"^```(\w+) ?(\S*)\n(.*?)^```$", (DOCS / page).read_text(), re.MULTILINE | re.DOTALL)


def write_files(page, directory):
    for _, name, text in blocks(page):
        if name:
            (directory / name).write_text(text)


def commands(page):
    """(arguments, what stdout must say) of each command, in order."""
    for language, _, text in blocks(page):
        if language == "console":
            for command, said in re.findall(r"^\$ skipstone (.*)\n((?:(?!\$ ).*\n)*)", text, re.MULTILINE):
                yield shlex.split(command), said
