"""Imports go down only, and importing the package brings in nothing heavy."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "src" / "skipstone"

LAYERS = [
    {"errors"},
    {"bar", "counting", "crew", "source", "warned"},
    {"structure", "watch", "words"},
    {"attending", "fingerprint"},
    {"algebra"},
    {"stream"},
    {"combinators"},
    {"storage"},
    {"keys"},
    {"interop"},
    {"duplicates"},
    {"interop"},
    {"table"},
    {"notation"},
    {"plan"},
    {"pictures"},
    {"laws"},
    {"prove"},
    {"trace"},
    {"cache"},
    {"kernel"},
    {"engines"},
    {"testing", "examples"},
    {"pipeline"},
    {"demo"},
    {"bench"},
    {"telling"},
    {"cli"},
]
RANK = {name: n for n, names in enumerate(LAYERS) for name in names}


def modules():
    return sorted(PACKAGE.rglob("*.py"))


def imported(path):
    """The parts of this package that a file imports, wherever in it the import stands."""
    package = ["skipstone", *path.relative_to(PACKAGE).parts[:-1]]
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.ImportFrom):
            continue
        base = package[: len(package) - node.level + 1] if node.level else []
        full = [*base, *(node.module or "").split(".")] if node.module else base
        if full[0] == "skipstone":
            yield from [full[1]] if len(full) > 1 else [a.name for a in node.names]


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_go_down_only(path):
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    if parts == ("__init__",):
        return
    own = RANK[parts[0]]
    for name in set(imported(path)) & set(RANK):
        assert RANK[name] <= own, f"{'/'.join(parts)} imports {name}, which is above it"


def test_every_module_has_a_layer():
    assert {p.relative_to(PACKAGE).with_suffix("").parts[0] for p in modules()} - {"__init__"} == set(RANK)


def test_importing_loads_nothing_heavy():
    heavy = ["numba", "llvmlite", "pyarrow", "pandas", "pyspark", "z3", "hypothesis", "typer", "rich", "matplotlib"]
    heavy += ["polars", "scipy", "networkx", "duckdb"]
    heavy += ["csv", "difflib", "html", "importlib.resources", "json", "socket", "tempfile", "zoneinfo"]
    heavy += [f"skipstone.{part}" for part in ("laws", "notation.text", "notation.einsum", "pictures.visits")]
    code = f"import skipstone, sys; print([m for m in {heavy} if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"


def test_plain_columns_load_no_masked_arrays():
    code = "import numpy as np, skipstone as sk, sys; sk.table({'a': np.arange(3)}); print('numpy.ma' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "False"


def test_every_public_name_is_there_and_documented():
    import skipstone as sk

    for name in sk.__all__:
        assert getattr(sk, name).__doc__, f"sk.{name} has no docstring"
