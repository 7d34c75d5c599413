"""Storage: the structures that streams read and are collected into. One idea a file."""

from .bitmap import Bitmap
from .blocked import Blocked
from .collect import destination
from .collection import Collection, Dense, Sorted, Trie
from .column import Column
from .hash import Hash
from .sources import stream
from .tree import Tree

__all__ = [
    "Bitmap", "Blocked", "Collection", "Column", "Dense", "Hash", "Sorted", "Tree", "Trie", "destination",
    "stream",
]  # fmt: skip
