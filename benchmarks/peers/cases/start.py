"""From nothing to an answer: a new process imports the library, reads two arrays, and counts triangles.

Everybody's program is text, run by the same Python, once before it is timed: everybody's modules are then on disk as
bytecode, as those of an installed package are, also where the environment asks Python to write none. Ours has its
kernels on disk as well, or has to compile them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from .. import data
from ..question import Make, Question
from ..way import Way

READ = "import sys; import numpy as np; src, dst = np.load(sys.argv[1])\n"
PROGRAMS = {
    "skipstone": """
import skipstone as sk
a, b, c = sk.axes("a b c")
E = sk.table({"src": src, "dst": dst})
print(sk.sum(E[a, b] * E[b, c] * E[a, c]).collect())
""",
    "python": """
after = {}
for a, b in zip(src.tolist(), dst.tolist()):
    after.setdefault(a, set()).add(b)
none = set()
print(sum(len(bs & after.get(b, none)) for bs in after.values() for b in bs))
""",
    "duckdb": """
import duckdb
con = duckdb.connect(config={"threads": 1})
E = {"src": src, "dst": dst}
con.execute("create table G as select * from E")
print(con.execute(
    "select count(*) from G ab join G bc on ab.dst = bc.src join G ac on ab.src = ac.src and bc.dst = ac.dst"
).fetchone()[0])
""",
    "polars": """
import polars as pl
E = pl.LazyFrame({"src": src, "dst": dst})
wedges = E.join(E.rename({"src": "dst", "dst": "third"}), on="dst")
print(wedges.join(E.rename({"dst": "third"}), on=["src", "third"]).select(pl.len()).collect().item())
""",
    "graphblas": """
import graphblas as gb
n = int(dst.max()) + 1
U = gb.Matrix.from_coo(src, dst, 1, dtype="INT64", nrows=n, ncols=n)
print(gb.semiring.plus_pair(U @ U.T).new(mask=U.S).reduce_scalar().new().value)
""",
    "igraph": """
import igraph
print(len(igraph.Graph(n=int(dst.max()) + 1, edges=np.stack([src, dst], axis=1)).list_triangles()))
""",
    "scipy": """
from scipy import sparse
n = int(dst.max()) + 1
U = sparse.csr_array((np.ones(src.size, np.int64), (src, dst)), shape=(n, n))
print(int((U @ U).multiply(U).sum()))
""",
}  # fmt: skip


def started(program: str, empty: bool) -> Make:
    def make(given: dict[str, Any], threads: int) -> Way:
        directory = tempfile.TemporaryDirectory()
        arrays, kernels = Path(directory.name) / "edges.npy", Path(directory.name) / "kernels"
        np.save(arrays, np.stack([given["src"], given["dst"]]))
        settings = {**os.environ, "SKIPSTONE_CACHE_DIR": str(kernels)}
        settings["PYTHONPATH"] = os.pathsep.join(each for each in sys.path if each)
        settings["PYTHONPYCACHEPREFIX"] = str(Path(directory.name) / "bytecode")
        settings.pop("PYTHONDONTWRITEBYTECODE", None)
        command = [sys.executable, "-c", READ + program, str(arrays)]

        def run() -> int:
            if empty:
                shutil.rmtree(kernels, ignore_errors=True)
            return int(subprocess.run(command, env=settings, capture_output=True, check=True).stdout)

        run()
        return Way(run, lambda found, _=directory: [found])  # the directory lives as long as the way does

    return make


def question(name: str, empty: bool) -> Question:
    return Question(
        name,
        "start",
        {"triangles of ca-GrQc": lambda: data.by_degree(data.snap("ca-GrQc"))},
        lambda: data.by_degree(data.rmat(6, 300)),
        {peer: {"": started(program, empty)} for peer, program in PROGRAMS.items()},
    )


QUESTIONS = [question("from import, kernels on disk", False), question("from import, no kernels", True)]
