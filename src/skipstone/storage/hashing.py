"""A hash map with open addressing: the functions that walk it and change it. Ordinary Python, compiled as it stands.

A key lies in the slot that its hash names, or in the first free one behind it, round the end. At most half of the slots
are in use, and a key that is taken out leaves no hole in a run: those behind it move up.

    reach     between the slot that its hash names and the slot where it lies, every slot is in use
"""

from __future__ import annotations

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

COUNT = 0  # of meta


def mix_int(key: Any) -> Any:
    """Scattered bits of an integer. No step leaves int64, so Python and the processor agree."""
    folded = (key ^ (key >> 31)) & 0x7FFFFFFF
    product = folded * 0x9E3779B1
    return (product >> 31) ^ product & 0x7FFFFFFF


def mix_float(key: Any) -> Any:
    if abs(key) == math.inf:
        return 1 if key > 0.0 else 2
    fraction, exponent = math.frexp(key)
    return mix_int(int(fraction * 9007199254740992.0) + exponent * 1000003)


def functions(mix: Callable[[Any], Any]) -> SimpleNamespace:
    """The functions for one type of key."""

    def slot_of(keys: Any, used: Any, key: Any) -> Any:
        """The slot of a key, or the free one where it would go."""
        mask = keys.size - 1
        slot = mix(key) & mask
        while used[slot] != 0 and keys[slot] != key:
            slot = (slot + 1) & mask
        return slot

    def find(keys: Any, used: Any, key: Any) -> Any:
        """The slot of a key, or -1."""
        mask = keys.size - 1
        slot = mix(key) & mask
        while used[slot] != 0:
            if keys[slot] == key:
                return slot
            slot = (slot + 1) & mask
        return -1

    def insert(keys: Any, used: Any, meta: Any, key: Any) -> Any:
        """The slot of a key, which takes it if there was none. There must be room for it."""
        slot = slot_of(keys, used, key)
        if used[slot] == 0:
            keys[slot], used[slot] = key, 1
            meta[COUNT] += 1
        return slot

    def remove(keys: Any, used: Any, values: Any, meta: Any, key: Any) -> Any:
        """Take a key out; whether it was there."""
        hole = slot_of(keys, used, key)
        if used[hole] == 0:
            return False
        mask = keys.size - 1
        at = (hole + 1) & mask
        # The slots between hole and at hold keys that may stay where they are. at goes round, to the end of the run.
        while used[at] != 0:
            home = mix(keys[at]) & mask
            if (at - home) & mask >= (at - hole) & mask:  # its way leads over the hole
                keys[hole] = keys[at]
                for n in range(values.shape[0]):
                    values[n, hole] = values[n, at]
                hole = at
            at = (at + 1) & mask
        used[hole] = 0
        meta[COUNT] -= 1
        return True

    def fill(keys: Any, used: Any, meta: Any, source: Any, slots: Any) -> Any:
        """Insert many keys; `slots` is filled with where they went."""
        for i in range(source.size):
            slots[i] = insert(keys, used, meta, source[i])
        return source.size

    return SimpleNamespace(find=find, insert=insert, remove=remove, fill=fill, slot_of=slot_of)
