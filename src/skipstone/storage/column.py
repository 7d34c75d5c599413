"""Columns: the arrays that streams read. Keys and values are checked once, here, on their way in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import KeysNotSorted, LengthsDiffer, MixedKeys, NotACollection, NotAKey, RepeatedKey, UnsupportedValue
from ..words import reading

Array = npt.NDArray[Any]
KINDS = {"b": "bool", "i": "int", "u": "int", "f": "float"}  # of numbers, by NumPy's letter
EXACT = 2**53  # integers up to here are floats as well
NARROW = 2**32  # integers from 0 to below it fit in four bytes


@dataclass(frozen=True, eq=False)
class Column:
    """One array of a structure. Read at a number it gives a number; read at a symbol, a load in the kernel.

    `owner` is what it shares with the other columns of its structure, any object, and `name` its part in it ("keys",
    "values"): the tracer makes the names in emitted code from them. The owner is not the structure itself: in a circle
    of references large arrays would outlive their use.
    """

    array: Array
    name: str
    owner: object

    def __getitem__(self, i: Any) -> Any:
        return reading().load(self, i)

    def item(self, i: Any) -> Any:
        return self.array.item(i)

    @property
    def size(self) -> int:
        return self.array.size

    @property
    def kind(self) -> str:
        return kind_of(self.array.dtype)

    def __repr__(self) -> str:
        return f"<{self.name}: {self.size} × {self.array.dtype}>"


def kind_of(dtype: np.dtype[Any]) -> str:
    """The kind of number that an array holds: "bool", "int" or "float"."""
    return KINDS[dtype.kind]


def narrow(array: Array) -> Array:
    """Integers in four bytes each, where they fit: loops mostly wait for them."""
    if array.dtype != np.int64 or (array.size and not 0 <= array.min() <= array.max() < NARROW):
        return array
    return array.astype(np.uint32)


def wide(array: Array) -> Array:
    """Integers in eight bytes each: narrow ones are for loops to read."""
    return array.astype(np.int64) if array.dtype == np.uint32 else array


def numbers(data: Any, what: str) -> Array:
    """An array of booleans, integers or floats that a kernel can read: native, contiguous, within int64."""
    try:
        array = np.asarray(data)
    except ValueError:
        raise UnsupportedValue(f"{what} of different lengths: {data!r:.80}", "Give a table without holes.") from None
    if array.dtype == object:
        array = from_objects(array, what)
    if array.dtype.kind == "f" and isinstance(data, list) and int in set(map(type, data)):
        large = next((x for x in data if type(x) is int and abs(x) > EXACT), None)
        if large is not None:
            raise UnsupportedValue(f"{what} hold floats, and the integer {large}, which is none", "Make all floats.")
    if array.size == 0 and array.dtype.kind not in "biuf":
        array = np.zeros(array.shape, np.float64)
    if array.dtype.kind not in "biuf":
        raise UnsupportedValue(
            f"{what} of type {array.dtype} cannot be stored",
            "Use integers, floats or booleans, or tuples of those.",
        )
    if array.dtype == np.uint64:
        if array.size and int(array.max()) > np.iinfo(np.int64).max:
            raise UnsupportedValue(f"{what} reach {array.max()}, beyond int64", "Use floats, or smaller numbers.")
        array = array.astype(np.int64)
    if array.dtype.kind == "f" and array.dtype.itemsize not in (4, 8):
        array = array.astype(np.float64)
    return np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("=")).reshape(array.shape)


def from_objects(array: Array, what: str) -> Array:
    """Python objects as numbers, if they all are."""
    types = {type(x) for x in array.flat}
    if types <= {int, bool} and any(type(x) is int and not -(2**63) <= x < 2**63 for x in array.flat):
        raise UnsupportedValue(f"{what} hold an integer beyond int64", "Use floats, or smaller numbers.")
    if not all(issubclass(t, int | float | np.integer | np.floating | np.bool_) for t in types):
        names = ", ".join(sorted(t.__name__ for t in types))
        raise UnsupportedValue(f"{what} hold {names}", "Use integers, floats or booleans, or tuples of those.")
    return np.array(array.tolist())


def key_array(keys: Any) -> Array:
    """Keys as an array of one type that has an order. Nothing is said yet about whether they increase."""
    if not isinstance(keys, np.ndarray):
        if not isinstance(keys, Iterable) or isinstance(keys, str):
            raise NotACollection(f"{type(keys).__name__} is not a collection of keys: {keys!r:.60}")
        keys = list(keys)
        kinds = {key_type(one) for one in {type(k): k for k in keys}.values()}  # one key of each type will do
        if len(kinds) > 1:
            raise MixedKeys(
                f"keys of several types in one collection: {', '.join(sorted(kinds))}",
                "Give all keys one type. (True and 1 are the same key to Python, but not the same type here.)",
            )
        if kinds == {"str"}:
            raise NotAKey(
                f"strings cannot be keys of a stream yet: {keys[0]!r}",
                "Number them in order: {name: n for n, name in enumerate(sorted(names))}.",
            )
        if not keys:
            return np.zeros(0, np.int64)
    array = numbers(keys, "keys")
    if array.ndim != 1:
        raise UnsupportedValue(f"keys must be one-dimensional, not {array.ndim}-dimensional")
    refuse_nan(array)
    return array


def refuse_nan(keys: Array) -> None:
    if keys.dtype.kind == "f" and np.isnan(keys).any():
        raise NotAKey(f"NaN is not a key (position {int(np.isnan(keys).argmax())})", "Drop those entries first.")


def key_type(key: Any) -> str:
    """The type of one key, in the words of an error message."""
    for name, types in {"bool": (bool, np.bool_), "int": (int, np.integer), "float": (float, np.floating)}.items():
        if isinstance(key, types):
            return name
    if isinstance(key, str):
        return "str"
    raise NotAKey(f"{key!r} ({type(key).__name__}) is not a key", "Keys are integers, floats or booleans.")


def increasing_keys(keys: Any) -> Array:
    """Keys that increase strictly, or the error that says where they do not."""
    array = key_array(keys)
    if array.size > 1 and not (array[1:] > array[:-1]).all():
        at = int((array[1:] > array[:-1]).argmin()) + 1
        if array[at] == array[at - 1]:
            raise RepeatedKey(
                f"key {array[at].item()!r} stands twice (positions {at - 1} and {at})",
                "Add up what belongs to one key first: sk.Sorted.from_pairs(zip(keys, values)).",
            )
        raise KeysNotSorted(
            f"keys must increase, but key {array[at].item()!r} stands after key {array[at - 1].item()!r} "
            f"(position {at})",
            "Sort them first, or let skipstone do it: sk.Sorted.from_pairs(zip(keys, values)).",
        )
    return array


def check_lengths(what: str, found: int, wanted: int) -> None:
    if found != wanted:
        raise LengthsDiffer(f"{found} {what} for {wanted} keys", "Each key needs one value, and each value a key.")
