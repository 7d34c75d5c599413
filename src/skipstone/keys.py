"""Keys of every type as numbers in the same order, and back: integers, floats, dates, timestamps, booleans, strings.

A timestamp with a time zone is an instant: its code counts from 1970 in UTC, and the domain remembers the zone. Tables
of different zones meet by instant.

A column of keys becomes an array of codes and a *domain* that can turn codes into keys again; interop/columns.py does
that. Strings are numbered by a dictionary in their own order, so that codes compare as the strings do. Two tables that
meet on an axis bring their own dictionaries; `meeting` makes one of both, and says what becomes of the codes of each.
"""

from __future__ import annotations

import datetime
import math
import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from .errors import MixedKeys, NotAKey
from .storage.column import Array


@dataclass(frozen=True, eq=False)
class Domain:
    """What codes stand for: a kind, and for strings the dictionary, sorted; for timestamps and dates, the unit.

    A column without a single key, of which nobody said what they would be, is of the kind "any": it meets all others.
    """

    kind: str
    texts: Any = None  # the dictionary, an Arrow array: as Python's own, strings take six times as much
    unit: str = ""
    zone: str = ""

    @cached_property
    def names(self) -> Array:
        """The dictionary as strings of Python's own, made when they are first needed."""
        return as_objects(self.texts)

    def no_codes(self) -> Array:
        """The codes of a column without rows."""
        return np.zeros(0, np.float64 if self.kind == "float" else np.int64)

    def decoded(self, codes: Array) -> Array:
        """Codes as keys."""
        if self.kind == "str":
            if codes.size < len(self.texts):  # only the strings that are asked for are made
                import pyarrow as pa

                return as_objects(self.texts.take(pa.array(codes)))
            found: Array = self.names[codes]
            return found
        if self.kind == "bool":
            truth: Array = codes != 0
            return truth
        if self.kind in ("date", "timestamp"):
            moments: Array = codes.astype(np.int64, copy=False).view(f"datetime64[{self.unit}]")
            return moments
        return codes

    def listed(self, codes: Array) -> list[Any]:
        """Codes as keys of Python's own; timestamps that `datetime` cannot hold stay NumPy's."""
        keys = self.decoded(codes)
        if self.kind != "timestamp":
            found: list[Any] = keys.tolist()
            return found
        coarse = keys.astype("datetime64[us]")
        moments: list[Any] = coarse.tolist()
        if (coarse != keys).any() or any(isinstance(x, int) for x in moments):
            return list(keys)
        if not self.zone:
            return moments
        zone = a_zone(self.zone)
        local = [moment.replace(tzinfo=UTC).astimezone(zone) for moment in moments]
        # An hour that comes twice: the second time is equal to the first, to Python, unless it has another zone.
        return [x.astimezone(datetime.timezone(x.utcoffset())) if x.fold else x for x in local]

    def code_of(self, key: Any) -> Any:
        """The code of one key; of a string or a moment that is not there, where it would stand: a float between two."""
        key = key.item() if isinstance(key, np.generic) and key.dtype.kind in "biuf" else key
        if self.kind == "str":
            if not isinstance(key, str):
                raise MixedKeys(f"{key!r} is compared with keys that are strings", "Write it as a string, in quotes.")
            at = bisect_left(self.texts, key, key=lambda text: text.as_py())
            return at if at < len(self.texts) and self.texts[at].as_py() == key else at - 0.5
        if self.kind in ("date", "timestamp"):
            moment = self.moment(key)
            code = moment.astype(f"datetime64[{self.unit}]")
            whole = int(code.astype(np.int64))
            return whole if code == moment else whole + 0.5
        if self.kind == "any":
            return 0
        if not isinstance(key, int | float):
            repair = "Write a number, without quotes." if isinstance(key, str) else ""
            raise MixedKeys(f"{key!r} is compared with keys of type {self.kind}", repair)
        if key != key:
            raise NotAKey("NaN is compared with keys", "It is neither smaller nor larger than any of them.")
        if self.kind != "float" and not -(2**63) <= key < 2**63:
            return math.copysign(math.inf, key)
        return key

    def moment(self, key: Any) -> Any:
        """A date or timestamp as NumPy has it."""
        aware = getattr(key, "tzinfo", None) is not None
        try:
            plain = key.astimezone(UTC).replace(tzinfo=None) if aware else key
            # A Timestamp of pandas knows nanoseconds, and NumPy would take it for a datetime, which does not.
            found = plain.to_datetime64() if hasattr(plain, "to_datetime64") else np.datetime64(plain)
        except ValueError:
            raise MixedKeys(f"{key!r} is compared with keys of type {self.kind}", WRITTEN[self.kind]) from None
        if np.isnat(found):
            raise NotAKey("NaT is compared with keys", "It is neither smaller nor larger than any of them.")
        if aware != bool(self.zone):
            has, lacks = ("the constant has", "keys have none") if aware else ("keys have", "the constant has none")
            raise MixedKeys(f"{key!r} is compared with timestamps: {has} a time zone, and {lacks}", AWARE)
        return found


@dataclass(frozen=True, eq=False)
class Coded:
    """A column of keys that are codes of a domain already."""

    codes: Array
    domain: Domain

    def __len__(self) -> int:
        return int(self.codes.size)


UTC = datetime.timezone.utc  # noqa: UP017
WRITTEN = {
    "date": "A date is written '2013-01-31'; in Python also datetime.date(2013, 1, 31).",
    "timestamp": "A time is written '2013-01-31T10:00'; in Python also datetime.datetime(2013, 1, 31, 10).",
}
AWARE = "Give both a time zone, or none."
OFFSET = re.compile(r"([+-])(\d\d):?(\d\d)")


def a_zone(name: str) -> datetime.tzinfo:
    """A time zone by name, or by offset: "Europe/Berlin", "+02:00"."""
    offset = OFFSET.fullmatch(name)
    if offset is None:
        from zoneinfo import ZoneInfo

        return ZoneInfo(name)
    sign, hours, minutes = offset.groups()
    return datetime.timezone(datetime.timedelta(minutes=int(f"{sign}{int(hours) * 60 + int(minutes)}")))


def as_objects(texts: Any) -> Array:
    """Strings of Arrow's as Python's own."""
    return np.asarray(texts.to_numpy(zero_copy_only=False), object)


def meeting(domains: list[Domain], where: list[str]) -> tuple[Domain, list[Array | None]]:
    """One domain for keys of several, and for each what becomes of its codes; None where they stay as they are."""
    known = [n for n, domain in enumerate(domains) if domain.kind != "any"]
    if len(known) < len(domains):  # columns without a key go along with the rest
        domain, found = meeting([domains[n] for n in known], [where[n] for n in known]) if known else (domains[0], [])
        moved = dict(zip(known, found, strict=True))
        return domain, [moved.get(n, domain.no_codes()) for n, _ in enumerate(domains)]
    first = domains[0]
    for other, place in zip(domains, where, strict=True):
        if other.kind != first.kind:
            raise MixedKeys(
                f"{where[0]} holds {first.kind} keys and {place} holds {other.kind} keys: they cannot meet on one axis",
                "Bring both to one type first.",
            )
    if first.kind in ("date", "timestamp") and len({d.unit for d in domains}) > 1:
        raise MixedKeys(f"{', '.join(where)} hold moments of different units", "Cast them to one unit first.")
    if len({bool(d.zone) for d in domains}) > 1:
        raise MixedKeys(f"{', '.join(where)} hold timestamps with and without a time zone", AWARE)
    if first.kind != "str" or all(d is first or d.texts is first.texts for d in domains):
        return first, [None] * len(domains)
    texts, moves = merged([d.texts for d in domains])
    return Domain("str", texts), moves


def merged(dictionaries: list[Any]) -> tuple[Any, list[Array | None]]:
    """One dictionary of several, and what becomes of the codes of each."""
    import pyarrow as pa

    texts, codes = by_dictionary(pa.chunked_array(dictionaries))
    return texts, list(np.split(codes, np.cumsum([len(d) for d in dictionaries])[:-1]))


def by_dictionary(strings: Any) -> tuple[Any, Array]:
    """Strings of Arrow's, in one piece or several, as (dictionary in order, codes), which compare as the strings do.

    >>> import pyarrow as pa
    >>> texts, codes = by_dictionary(pa.array(["b", "a", "b"]))
    >>> texts.to_pylist(), codes
    (['a', 'b'], array([1, 0, 1]))

    The code of a null means nothing. A million different strings take a second; ordered by Python, they took three.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    coded = strings if pa.types.is_dictionary(strings.type) else strings.dictionary_encode()
    pieces = coded.chunks if isinstance(coded, pa.ChunkedArray) else [coded]  # all of them with the same dictionary
    texts = (pieces[0].dictionary if pieces else pa.array([])).cast(pa.large_string())
    order = pc.sort_indices(texts)  # by bytes of UTF-8, which is the order of Python's strings
    texts = texts.take(order)
    if coded is strings and pc.any(pc.equal(texts[1:], texts[:-1])).as_py():  # another's dictionary, with equal ones
        return by_dictionary(strings.dictionary_decode())
    rank = np.empty(len(order), np.int64)
    rank[np.asarray(order)] = np.arange(len(order))
    del order
    codes, done = np.zeros(len(coded), np.int64), 0
    for piece in pieces if rank.size else ():
        indices = piece.indices.fill_null(0) if piece.null_count else piece.indices
        codes[done : done + len(piece)] = rank[np.asarray(indices)]
        done += len(piece)
    return texts, codes
