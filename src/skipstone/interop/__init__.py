"""In and out of what other libraries and files hold. Nothing of theirs is imported before it is met or asked for.

sources.py     who knows the columns of what, by library; what else says `__arrow_c_stream__`
rows.py        which columns are keys, which are values; rows that lack something
columns.py     a column as codes with their domain, or as values
objects.py     lists of Python objects
plain.py       dicts, lists and sets of tuples, structures of skipstone, tables
numpy.py  arrow.py  pandas.py  polars.py  scipy.py  networkx.py      a library each, both ways
library.py     a library that may not be there

files.py           a path as columns: which format, which files
chosen.py          which columns
columnar.py        Parquet, ORC and Arrow, which know their types
delimited.py       CSV and TSV
spaced.py          words apart by spaces: SNAP's edge lists, FROSTT's tensors
matrix_market.py   matrices with a head that says their shape
json_lines.py      an object a line
utf8.py            texts are UTF-8
malformed.py       rows that cannot be read: counted, told of with their line, refused or skipped
writing.py         rows as files
"""

from . import arrow, files, networkx, numpy, pandas, plain, polars, scipy
from .columns import encoded
from .rows import Rows, rows_of
from .sources import Found, source, source_of

__all__ = [
    "Found", "Rows", "arrow", "encoded", "files", "networkx", "numpy", "pandas", "plain", "polars", "rows_of", "scipy",
    "source", "source_of",
]  # fmt: skip
