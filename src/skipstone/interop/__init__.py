"""In and out of what other libraries hold. Nothing of theirs is imported before it is met or asked for.

sources.py     who knows the columns of what, by library; what else says `__arrow_c_stream__`
rows.py        which columns are keys, which are values; rows that lack something
columns.py     a column as codes with their domain, or as values
objects.py     lists of Python objects
plain.py       dicts, lists and sets of tuples, structures of skipstone, tables
numpy.py  arrow.py  pandas.py  polars.py  scipy.py  networkx.py      a library each, both ways
library.py     a library that may not be there
"""

from . import arrow, networkx, numpy, pandas, plain, polars, scipy
from .columns import encoded
from .rows import Rows, rows_of
from .sources import Found, source, source_of

__all__ = [
    "Found", "Rows", "arrow", "encoded", "networkx", "numpy", "pandas", "plain", "polars", "rows_of", "scipy", "source",
    "source_of",
]  # fmt: skip
