"""Combinators: streams made of streams. One file each; importing this package makes them methods of every stream."""

from .chain import Chain, chain
from .consume import total, value_at
from .difference import Difference
from .filter import Filter
from .guarded import Guarded
from .implicit import ByKey, Function, Implicit, Predicate, Repeat, function, predicate, repeat
from .interval import Interval, at_least, below, identity
from .map import Map
from .map_keys import Rekeyed, Unordered
from .over import Over
from .product import Product, multiply, zip_with
from .slice import Slice
from .span import Empty, Singleton, Span, range, singleton
from .union import Union, add

__all__ = [
    "ByKey", "Chain", "Difference", "Empty", "Filter", "Function", "Guarded", "Implicit", "Interval", "Map", "Over",
    "Predicate", "Product", "Rekeyed", "Repeat", "Singleton", "Slice", "Span", "Union", "Unordered", "add", "at_least",
    "below", "chain", "function", "identity", "multiply", "predicate", "range", "repeat", "singleton", "total",
    "value_at", "zip_with",
]  # fmt: skip
