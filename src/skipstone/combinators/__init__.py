"""Combinators: streams made of streams. One file each; importing this package makes them methods of every stream."""

from .chain import Chain, chain
from .consume import total
from .difference import Difference
from .filter import Filter
from .guarded import Guarded
from .implicit import Function, Implicit, Predicate, Repeat, function, predicate, repeat
from .map import Map
from .map_keys import Rekeyed, Unordered
from .product import Product, multiply, zip_with
from .slice import Slice
from .span import Empty, Singleton, Span, range, singleton
from .union import Union, add

__all__ = [
    "Chain", "Difference", "Empty", "Filter", "Function", "Guarded", "Implicit", "Map", "Predicate", "Product",
    "Rekeyed", "Repeat", "Singleton", "Slice", "Span", "Union", "Unordered", "add", "chain", "function",
    "multiply", "predicate", "range", "repeat", "singleton", "total", "zip_with",
]  # fmt: skip
