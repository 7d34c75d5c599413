"""Who is asked: what they are called, what they are installed as, and on how many threads they are run."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec


@dataclass(frozen=True)
class Peer:
    """`modules` are imported before the clock starts; `package` is the name that has a version."""

    label: str
    package: str
    modules: tuple[str, ...] = ()
    threads: tuple[int, ...] = (1,)

    def installed(self) -> bool:
        return all(find_spec(name.partition(".")[0]) is not None for name in self.modules)

    def version(self) -> str:
        try:
            return version(self.package)
        except PackageNotFoundError:
            return "not installed"


OURS = "skipstone"
PEERS = {
    OURS: Peer("skipstone", "skipstone", ("skipstone",), (1, 2)),
    "numba": Peer("loop by hand", "numba", ("skipstone.bench.hand",)),
    "python": Peer("plain Python", "", ()),
    "numpy": Peer("NumPy", "numpy", ("numpy",)),
    "duckdb": Peer("DuckDB", "duckdb", ("duckdb", "pyarrow"), (1, 2)),
    "polars": Peer("Polars", "polars", ("polars",), (1, 2)),
    "pandas": Peer("pandas", "pandas", ("pandas",)),
    "kuzu": Peer("Kùzu", "kuzu", ("kuzu", "pyarrow"), (2,)),
    "ladybug": Peer("Ladybug", "ladybug", ("ladybug", "pyarrow"), (2,)),
    "graphblas": Peer("GraphBLAS", "suitesparse-graphblas", ("graphblas",), (1, 2)),
    "igraph": Peer("igraph", "igraph", ("igraph",)),
    "networkx": Peer("NetworkX", "networkx", ("networkx",)),
    "scipy": Peer("SciPy", "scipy", ("scipy.sparse",)),
    "sparse": Peer("PyData sparse", "sparse", ("sparse",)),
    "opt_einsum": Peer("opt_einsum", "opt_einsum", ("opt_einsum",)),
    "sortedcontainers": Peer("sortedcontainers", "sortedcontainers", ("sortedcontainers",)),
}


def versions() -> dict[str, str]:
    return {peer.package: peer.version() for name, peer in PEERS.items() if peer.package and name != OURS}
