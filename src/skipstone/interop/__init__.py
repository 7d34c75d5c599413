"""Data from elsewhere, and back: files here; the rest beside it.

files.py           a path as columns: which format, which files
chosen.py          which columns
columnar.py        Parquet, ORC and Arrow, which know their types
delimited.py       CSV and TSV
spaced.py          words apart by spaces: SNAP's edge lists, FROSTT's tensors
matrix_market.py   matrices with a head that says their shape
json_lines.py      an object a line
utf8.py            texts are UTF-8
malformed.py       rows that cannot be read: counted, told of with their line, refused or skipped
"""
