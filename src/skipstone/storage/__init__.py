"""Storage: the structures that streams read and are collected into. One idea a file."""

from .collect import Gathered, destination
from .collection import Collection, Dense, Sorted, Trie
from .column import Column
from .sources import stream

__all__ = ["Collection", "Column", "Dense", "Gathered", "Sorted", "Trie", "destination", "stream"]
