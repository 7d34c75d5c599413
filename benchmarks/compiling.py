"""What compiling costs: cold, from the disk cache, and importing; each in a process of its own.

Queries of ten factors are run on a few rows, so that planning and tracing are in it and running takes no time; loops
inside each other from 3 to 19 show how it grows with their number.

Numba's own start-up (its import, and its first compile of anything) is measured and left out.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

WARM = "import numba; w = numba.njit(lambda x: x + 1); w(1); import skipstone.trace.runtime\n"
SETUP = """
import time, numpy as np, skipstone as sk
def v(n): return sk.Sorted(np.arange(n) * 3, np.arange(n) * 1.0).stream()
a, b, c = v(10), v(20), v(30)
g = sk.Trie.from_columns([np.arange(9) // 3, np.arange(9)]).stream()
E = sk.table({"s": np.arange(12), "t": (np.arange(12) + 1) % 12})
x = sk.axes(" ".join(f"x{n}" for n in range(20)))
def query(pairs, memo=False):
    product = E[x[pairs[0][0]], x[pairs[0][1]]]
    for one, two in pairs[1:]: product = product * E[x[one], x[two]]
    return sk.sum(product).collect(memo=memo, order=None if memo else x[: 1 + max(map(max, pairs))])
def chain(n): return [(i, i + 1) for i in range(n)]
cases = {
    "three-way product": lambda: (a * b * c).compile(),
    "two-level triangle":
        lambda: g.map(lambda x, row: (row * g).map(lambda y, after: (row * after).count())).compile(),
    "chain of ten": lambda: query(chain(10)),
    "chain of ten, parts summed first": lambda: query(chain(10), memo=True),
    "cycle of ten": lambda: query([*chain(9), (0, 9)]),
    "clique of ten": lambda: query([(i, j) for i in range(5) for j in range(i + 1, 5)]),
    "star of ten": lambda: query([(0, i) for i in range(1, 11)]),
    "tree of ten": lambda: query([((i - 1) // 2, i) for i in range(1, 11)]),
    **{f"cycle of {n}": (lambda n=n: query([*chain(n - 1), (0, n - 1)])) for n in (3, 6, 14, 19)},
}
"""
NAMES = (
    "three-way product", "two-level triangle", "chain of ten", "chain of ten, parts summed first", "cycle of ten",
    "clique of ten", "star of ten", "tree of ten", "cycle of 3", "cycle of 6", "cycle of 14", "cycle of 19",
)  # fmt: skip
ONE = """
c0, w0 = time.process_time(), time.perf_counter()
cases[{name!r}]()
print(time.process_time() - c0, time.perf_counter() - w0)
"""


def process(code: str, cache: str) -> list[float]:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"SKIPSTONE_CACHE_DIR": cache}
    )
    return [float(x) for x in done.stdout.split()]


def importing(module: str) -> float:
    times = []
    for _ in range(7):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", f"import {module}"], check=True)
        times.append(time.perf_counter() - began)
    return min(times)


def run() -> dict[str, float]:
    """Print the table; what it says, by name."""
    found: dict[str, float] = {}
    table = Table("what", "seconds", title="compiling, Numba's own start-up aside")
    for name in NAMES:
        code = WARM + SETUP + ONE.format(name=name)
        cold, cached = [], []
        for _ in range(3):
            with tempfile.TemporaryDirectory() as cache:
                cold.append(process(code, str(Path(cache)))[0])
                cached.append(process(code, str(Path(cache)))[0])
        found[f"{name}, cold (CPU)"] = min(cold)
        found[f"{name}, from the disk cache in a new process (CPU)"] = min(cached)
    found["import skipstone, over import numpy (wall clock)"] = importing("skipstone") - importing("numpy")
    for what, seconds in found.items():
        table.add_row(what, f"{seconds:.3f}")
    Console(width=110).print(table)
    return found
