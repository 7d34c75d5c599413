"""A pipeline from a TOML file. Paths in it are seen from the directory of the file.

[inputs]
paid = { path = "paid.parquet", keys = ["payer", "payee"], value = "amount" }
open = "accounts.csv:account"                  # or as on the command line

[[query]]
text = "back(a, b) = paid(a, b) * paid(b, a) * open(a)"
out = "back.parquet"
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..errors import PipelineError
from .spec import Input, Pipeline, Query, at, is_plain, options_of, parts_of, query_of


def read(file: Path) -> Pipeline:
    """The pipeline that a file describes, checked."""
    try:
        text = file.read_text()
        given = tomllib.loads(text)
    except OSError as error:
        raise PipelineError(f"{file} cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise PipelineError(f"{file} is not TOML: {error}") from None
    with at(str(file)):
        options_of(given, ("inputs", "query", "spark"), "a pipeline")
        spark = table_of(given.get("spark", {}), "spark")
        options_of(spark, ("master", "conf"), "[spark]")
        queries = given.get("query", [])
        if not isinstance(queries, list) or not queries:
            raise PipelineError("there is no query", 'Write [[query]], and below it text = "…".')
    inputs = {
        name: an_input(name, described, file, text) for name, described in table_of(given.get("inputs", {})).items()
    }
    heads = [n for n, line in enumerate(text.splitlines(), 1) if re.match(r"\s*\[\[\s*query\s*\]\]", line)]
    found = []
    for n, described in enumerate(queries):
        place = f"{file}, line {heads[n]}" if len(heads) == len(queries) else f"{file}, query {n + 1}"
        found.append(a_query(described, file, place))
    conf = {key: spelt(value) for key, value in table_of(spark.get("conf", {}), "conf").items()}
    with at(str(file)):
        return Pipeline(inputs, tuple(found), spark.get("master"), conf)


def an_input(name: str, described: Any, file: Path, text: str) -> Input:
    place = f"{file}{line_of(name, text)}, input {name}"
    with at(place):
        if not name.isidentifier():
            raise PipelineError(f"{name!r} cannot stand in a query", "Name it by a word, as for a variable.")
        if isinstance(described, str):
            path, keys, value = parts_of(described)
            if (whole := beside(file, described)) != described and os.path.exists(whole):
                path, keys, value = described, None, None
            return Input(name, beside(file, path), keys, value, place=place).counting()
        given = table_of(described, name)
        options_of(given, ("path", "keys", "value", "nulls", "combine", "malformed"), "an input")
        if not isinstance(given.get("path"), str):
            raise PipelineError("there is no path", 'Write path = "…", or table:NAME for one of the catalog.')
        keys = given.get("keys")
        return replace(
            Input(name, beside(file, given["path"]), place=place),
            keys=(keys,) if isinstance(keys, str) else tuple(keys) if keys is not None else None,
            value=value if isinstance(value := given.get("value"), str) else tuple(value) if value else None,
            **{option: given[option] for option in ("nulls", "combine", "malformed") if option in given},
        )


def a_query(described: Any, file: Path, place: str) -> Query:
    with at(place):
        given = table_of(described, "query")
        options_of(given, ("text", "out"), "a query")
        if not isinstance(given.get("text"), str):
            raise PipelineError("there is no text", 'Write text = "n(a) = T(a, b)".')
        out = given.get("out", "")
        return query_of(given["text"], beside(file, str(out)) if out else "", place)


def table_of(given: Any, name: str = "inputs") -> Mapping[str, Any]:
    if not isinstance(given, Mapping):
        raise PipelineError(f"{name} is {given!r}, and not a table", f"Write [{name}], and below it name = value.")
    return given


def beside(file: Path, path: str) -> str:
    """A path as the file means it."""
    return os.path.normpath(file.parent / path) if is_plain(path) else path


def line_of(name: str, text: str) -> str:
    """Where an input is described, as far as a look at the lines can tell."""
    quoted = rf"[\"']?{re.escape(name)}[\"']?"
    form = re.compile(rf"\s*(?:{quoted}\s*=|{quoted}\s*\.|\[\s*inputs\s*\.\s*{quoted}\s*\])")
    return next((f", line {n}" for n, line in enumerate(text.splitlines(), 1) if form.match(line)), "")


def spelt(value: Any) -> str:
    """A setting as Spark spells it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
