"""skipstone: indexed streams for Python.

Every keyed collection is an associative array that can be sought as well as stepped. Whole-collection operations on
them compose into one fused loop nest, with no intermediate collection:

    >>> import skipstone as sk
    >>> prices = sk.stream({101: 4.0, 205: 2.5, 309: 8.0})
    >>> basket = sk.stream({205: 3, 309: 1, 999: 7})
    >>> (prices * basket).sum()
    15.5
    >>> (prices * basket).filter(lambda item, cost: cost > 7.75).collect()
    {309: 8.0}
    >>> (prices + sk.stream({205: 0.5, 400: 1.0})).collect()
    {101: 4.0, 205: 3.0, 309: 8.0, 400: 1.0}

Collections in   stream, Sorted, Dense, Trie, Tree, Blocked, Hash, Bitmap, range, singleton, chain
By key alone     function, predicate, repeat, below, at_least, identity
Tables           table, axes, sum, and as text query, parse, einsum
Semirings        plus_times, min_plus, max_plus, max_times, min_max, or_and
Combining        `*`, `+`, `-`, zip_with, and the methods of Stream
Running          engine, compile, kernel, and on Spark spark.session
Extending        Stream, verb, destination, stream.register, and the words no, select, maximum, minimum, passed
Seeing           visits, and of an expression explain, diagram
Trusting         laws
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import errors
from . import pictures as pictures
from .algebra import Semiring, count, max_plus, max_times, min_max, min_plus, or_and, plus_times
from .combinators import at_least, below, chain, function, identity, predicate, range, repeat, singleton, zip_with
from .engines import compile, engine
from .notation import axes
from .plan import options, sum
from .storage import Bitmap, Blocked, Column, Dense, Hash, Sorted, Tree, Trie, destination, stream
from .stream import Stream, fold, verb
from .table import Table, table
from .words import apply, kernel, length, maximum, minimum, no, passed, select

if TYPE_CHECKING:
    from . import laws
    from .engines import spark
    from .notation.einsum import einsum
    from .notation.text import parse, query
    from .pictures.visits import visits

__version__ = "0.1.0"
LATE = {
    "einsum": "notation.einsum", "laws": "laws", "parse": "notation.text", "query": "notation.text",
    "spark": "engines.spark", "visits": "pictures.visits",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    """What not every program needs, when it is asked for: half of the imports are theirs."""
    if name not in LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(f".{LATE[name]}", __name__)
    return module if name in ("laws", "spark") else getattr(module, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *LATE})


__all__ = [
    "Bitmap", "Blocked", "Column", "Dense", "Hash", "Semiring", "Sorted", "Stream", "Table", "Tree", "Trie", "apply",
    "at_least", "axes", "below", "chain", "compile", "count", "destination", "einsum", "engine", "errors", "fold",
    "function", "identity", "kernel", "laws", "length", "max_plus", "max_times", "maximum", "min_max", "min_plus",
    "minimum", "no", "options", "or_and", "parse", "passed", "plus_times", "predicate", "query", "range", "repeat",
    "select", "singleton", "spark", "stream", "sum", "table", "verb", "visits", "zip_with",
]  # fmt: skip
