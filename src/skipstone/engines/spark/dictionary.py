"""A dictionary over all of Spark: strings as numbers that compare as they do, the same in every task.

A task finds the number of a string by its hash. That is right as long as no two strings of the dictionary share one,
which is checked when it is made, and as long as every string is in it, which is checked by every task.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...errors import SparkFailed
from ...keys import Domain
from ...storage.column import Array
from .blocks import of_strings


class Dictionary:
    """Strings in order; the number of each is its place."""

    def __init__(self, strings: Any) -> None:
        self.strings = strings  # an Arrow array

    def __reduce__(self) -> Any:
        return Dictionary, (self.strings,)

    def __len__(self) -> int:
        return len(self.strings)

    @cached_property
    def names(self) -> Array:
        """The strings as Python has them: made only where somebody asks for all of them."""
        return np.array(self.strings.to_pylist(), object)

    @cached_property
    def hashed(self) -> tuple[Array, Array]:
        """The hashes of all strings, in order, and the number of the string of each."""
        hashes = of_strings(self.strings)
        order = np.argsort(hashes, kind="stable")
        return hashes[order], order.astype(np.int32)

    @cached_property
    def domain(self) -> Numbered:
        """What its numbers stand for, in a task."""
        return Numbered(self, None)

    def is_sound(self) -> bool:
        """Whether no two strings have the same hash."""
        hashes, _ = self.hashed
        return bool((hashes[1:] != hashes[:-1]).all())

    def numbers(self, hashes: Array) -> Array:
        """The numbers of strings that have these hashes."""
        known, codes = self.hashed
        at = np.searchsorted(known, hashes).clip(max=max(known.size - 1, 0))
        if hashes.size and (not known.size or (known[at] != hashes).any()):
            raise SparkFailed(
                "a table holds strings that it did not hold when they were numbered",
                "Make it anew, sk.table(…), when what it is made of has changed.",
            )
        found: Array = codes[at]
        return found


class Numbered(Domain):
    """Strings by a dictionary that tasks are sent once: what is pickled is where they find it."""

    dictionary: Dictionary
    sent: Any

    def __init__(self, dictionary: Dictionary, sent: Any) -> None:
        for name, value in (("kind", "str"), ("unit", ""), ("zone", ""), ("dictionary", dictionary), ("sent", sent)):
            object.__setattr__(self, name, value)

    @property
    def texts(self) -> Any:
        return self.dictionary.strings

    @property
    def names(self) -> Array:
        return self.dictionary.names

    def __reduce__(self) -> Any:
        return received, (self.sent,)

    def decoded(self, codes: Array) -> Array:
        """Only the strings that are asked for are made."""
        import pyarrow as pa

        found: Array = self.dictionary.strings.take(pa.array(codes, pa.int64())).to_numpy(zero_copy_only=False)
        return found


@dataclass(frozen=True)
class Carried:
    """A dictionary that goes along with each task, where Spark has no broadcasts."""

    value: Dictionary


def received(sent: Any) -> Numbered:
    """The domain of a dictionary, in a task: the same one for all that speak of it."""
    found: Numbered = sent.value.domain
    return found
