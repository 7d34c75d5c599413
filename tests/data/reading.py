"""What the tests of one family share: reading a data set once, and its answers."""

import gzip
import json
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow.parquet as parquet

import skipstone as sk


@cache
def answers(directory: Path, name: str = "answers.json"):
    """The published answers of a data set."""
    found = directory / name
    return json.loads(gzip.decompress(found.read_bytes()) if found.suffix == ".gz" else found.read_bytes())


@cache
def columns(path: Path) -> dict:
    """The columns of a Parquet file by name."""
    found = parquet.read_table(path)
    return {name: found.column(name) for name in found.column_names}


def undirected(src, dst):
    """Every edge once, the smaller node first, without loops; and every edge in both directions."""
    src, dst = np.asarray(src), np.asarray(dst)
    low, high = np.unique(np.sort(np.stack([src, dst], 1)[src != dst], axis=1), axis=0).T
    both = {"src": np.concatenate([low, high]), "dst": np.concatenate([high, low])}
    return sk.table({"src": low, "dst": high}, name="U"), sk.table(both, name="S")
