"""A path, or several, as columns: what its name ends in says what it holds.

Parquet, ORC, Arrow; CSV and TSV, JSON lines, Matrix Market, FROSTT tensors, edge lists: the texts also packed.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..errors import BadOption, FileUnreadable, SkipstoneError

FORMATS = {
    ".parquet": "parquet", ".orc": "orc", ".arrow": "arrow", ".feather": "arrow",
    ".csv": "csv", ".tsv": "tsv", ".json": "json", ".jsonl": "json", ".ndjson": "json",
    ".mtx": "mtx", ".tns": "tns", ".txt": "edges", ".edges": "edges", ".el": "edges", ".snap": "edges",
}  # fmt: skip
PACKED = (".gz", ".zst", ".bz2", ".lz4")  # around texts; other formats are packed inside
TEXTS = ("csv", "tsv", "json", "mtx", "tns", "edges")
VALUED = ("mtx", "tns")  # these say themselves what is a key and what is a value

Names = str | Sequence[str] | None


def read(source: Any, keys: Names, value: Names, malformed: str = "refuse") -> tuple[Any, Names]:
    """The columns of a path, or of several, as an Arrow table; and which of them is the value.

    Only columns that are keys or values are read, if keys are named. Of a text without names, columns are "0", "1", …
    """
    paths, directory = paths_of(source)
    form = format_of(directory or paths[0])
    keyed = [keys] if isinstance(keys, str) else keys
    valued = [value] if isinstance(value, str) else list(value or ())
    wanted = None if keyed is None else [*keyed, *valued]
    try:
        if form in TEXTS:
            found = together([text(path, form, is_headless(keyed), wanted, valued, malformed) for path in paths], paths)
        else:
            from . import columnar

            found = columnar.read(paths, directory, form, wanted)
    except SkipstoneError:
        raise
    except Exception as error:  # Arrow's, of many kinds, and those of the file system
        raise unreadable(directory or ", ".join(paths[:3]), error) from None
    if form in VALUED and keys is None and value is None and "value" in found.column_names:
        value = "value"
    return found, value


def text(
    path: str, form: str, headless: bool, wanted: Sequence[str] | None, valued: Sequence[str], malformed: str
) -> Any:
    from . import delimited, json_lines, matrix_market, spaced

    match form:
        case "json":
            return json_lines.read(path, wanted, malformed)
        case "mtx":
            return matrix_market.read(path, wanted, malformed)
        case "tns":
            return spaced.read_tensor(path, wanted, malformed)
        case "edges":
            return spaced.read_edges(path, wanted, valued, malformed)
    return delimited.read(path, form, headless, wanted, valued, malformed)


def is_headless(keys: Sequence[str] | None) -> bool:
    """Whether columns are named by their numbers: then there is no line that names them."""
    return bool(keys) and all(str(key).isdigit() for key in keys or ())


def is_source(data: Any) -> bool:
    """Whether this is a path, or a list of them."""
    if isinstance(data, list | tuple):
        return bool(data) and all(isinstance(each, str | Path) for each in data)
    return isinstance(data, str | Path)


def paths_of(source: Any) -> tuple[list[str], str]:
    """The files that are meant, in order; and the directory, if it is one. A path that exists is meant as it stands."""
    found: list[str] = []
    given = [source] if isinstance(source, str | Path) else list(source)
    for each in map(str, given):
        if os.path.isdir(each):
            inside = files_in(each)
            if not inside:
                raise FileUnreadable(f"there are no files in {each}")
            if len(given) == 1:
                return inside, each
            found += inside
        elif os.path.exists(each):
            found.append(each)
        else:
            there = sorted(glob.glob(each, recursive=True)) if "\0" not in each else []
            if not there:
                raise FileUnreadable(f"there is no file {each if each.isprintable() else repr(each)}")
            found += [file for path in there for file in (files_in(path) if os.path.isdir(path) else [path])]
    return found, ""


def files_in(directory: str) -> list[str]:
    """The files below a directory, in order, without those that Spark and others hide."""
    found = []
    for folder, folders, files in os.walk(directory):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "_")))
        found += [os.path.join(folder, name) for name in sorted(files) if not name.startswith((".", "_"))]
    return found


def format_of(path: str, writing: bool = False) -> str:
    """The format that a path's name tells: parquet if it has no ending.

    >>> format_of("edges.csv.gz"), format_of("part/*.parquet"), format_of("edges")
    ('csv', 'parquet', 'parquet')
    """
    stem, ending = os.path.splitext(path.rstrip("/*"))
    packed = ending.lower() in PACKED
    if packed:
        ending = os.path.splitext(stem)[1]
    form = FORMATS.get(ending.lower(), "" if ending or writing else "parquet")
    if packed and form not in TEXTS:
        form = ""
    if writing and form in ("mtx", "tns", "edges"):
        form = ""
    if not form:
        known = [each for each in FORMATS if not writing or FORMATS[each] not in ("mtx", "tns", "edges")]
        repair = f"Known are {', '.join(known)}; texts also with .gz or .zst."
        raise BadOption(f"the format of {path} is not known", repair)
    return form


def together(tables: list[Any], paths: list[str]) -> Any:
    """The rows of several files, one after the other."""
    import pyarrow as pa

    for rows, path in zip(tables[1:], paths[1:], strict=True):
        if set(rows.column_names) != set(tables[0].column_names):
            raise FileUnreadable(f"{path} has other columns than {paths[0]}", "Name those that they share: keys=…")
    if len(tables) == 1:
        return tables[0]
    try:
        return pa.concat_tables(tables, promote_options="permissive")
    except pa.ArrowException as error:
        raise FileUnreadable(f"{paths[0]} and others differ: {str(error).splitlines()[0]}") from None


def unreadable(path: str, error: Exception) -> FileUnreadable:
    lines = [line for line in str(error).splitlines() if line.strip()]
    return FileUnreadable(f"{path} cannot be read: {lines[0] if lines else type(error).__name__}")
