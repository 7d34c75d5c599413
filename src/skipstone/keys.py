"""Keys of every type as numbers in the same order, and back: integers, floats, dates, timestamps, booleans, strings.

A timestamp with a time zone is an instant: its code counts from 1970 in UTC, and the domain remembers the zone. Tables
of different zones meet by instant.

A column of keys becomes an array of codes and a *domain* that can turn codes into keys again. Strings are numbered by a
dictionary in their own order, so that codes compare as the strings do. Two tables that meet on an axis bring their own
dictionaries; `meeting` makes one of both, and says what becomes of the codes of each.
"""

from __future__ import annotations

import datetime
import math
import re
import warnings
import zoneinfo
from dataclasses import dataclass
from typing import Any

import numpy as np

from .errors import BadOption, MixedKeys, NotAKey, UnsupportedValue
from .storage.column import Array

KINDS = "iubfMUTO"  # of arrays that can be keys: integers, truth values, floats, moments, strings, objects


@dataclass(frozen=True, eq=False)
class Domain:
    """What codes stand for: a kind, and for strings the dictionary, sorted; for timestamps and dates, the unit.

    A column without a single key, of which nobody said what they would be, is of the kind "any": it meets all others.
    """

    kind: str
    names: Array | None = None
    unit: str = ""
    zone: str = ""

    def no_codes(self) -> Array:
        """The codes of a column without rows."""
        return np.zeros(0, np.float64 if self.kind == "float" else np.int64)

    def decoded(self, codes: Array) -> Array:
        """Codes as keys."""
        if self.kind == "str":
            assert self.names is not None
            found: Array = self.names[codes] if codes.size else np.array([], dtype=object)
            return found
        if self.kind == "bool":
            truth: Array = codes != 0
            return truth
        if self.kind in ("date", "timestamp"):
            moments: Array = codes.astype(np.int64).view(f"datetime64[{self.unit}]")
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
        return [moment.replace(tzinfo=UTC).astimezone(zone) for moment in moments]

    def code_of(self, key: Any) -> Any:
        """The code of one key; of a string or a moment that is not there, where it would stand: a float between two."""
        key = key.item() if isinstance(key, np.generic) and key.dtype.kind in "biuf" else key
        if self.kind == "str":
            if not isinstance(key, str):
                raise MixedKeys(f"{key!r} is compared with keys that are strings")
            assert self.names is not None
            at = int(np.searchsorted(self.names, key))
            return at if at < self.names.size and self.names[at] == key else at - 0.5
        if self.kind in ("date", "timestamp"):
            moment = self.moment(key)
            code = moment.astype(f"datetime64[{self.unit}]")
            whole = int(code.astype(np.int64))
            return whole if code == moment else whole + 0.5
        if self.kind == "any":
            return 0
        if not isinstance(key, int | float):
            raise MixedKeys(f"{key!r} is compared with keys of type {self.kind}")
        if key != key:
            raise NotAKey("NaN is compared with keys", "It is neither smaller nor larger than any of them.")
        if self.kind != "float" and not -(2**63) <= key < 2**63:
            return math.copysign(math.inf, key)
        return key

    def moment(self, key: Any) -> Any:
        """A date or timestamp as NumPy has it."""
        aware = getattr(key, "tzinfo", None) is not None
        if aware != bool(self.zone):
            has, lacks = ("the constant has", "keys have none") if aware else ("keys have", "the constant has none")
            raise MixedKeys(f"{key!r} is compared with timestamps: {has} a time zone, and {lacks}", AWARE)
        if aware:
            key = key.astimezone(UTC).replace(tzinfo=None)
        try:
            found = np.datetime64(key)
        except ValueError:
            raise MixedKeys(f"{key!r} is compared with keys of type {self.kind}") from None
        if np.isnat(found):
            raise NotAKey("NaT is compared with keys", "It is neither smaller nor larger than any of them.")
        return found


TEXTS = ("string", "large_string", "string_view")
UTC = datetime.timezone.utc  # noqa: UP017
AWARE = "Give both a time zone, or none."
OFFSET = re.compile(r"([+-])(\d\d):?(\d\d)")


def a_zone(name: str) -> datetime.tzinfo:
    """A time zone by name, or by offset: "Europe/Berlin", "+02:00"."""
    offset = OFFSET.fullmatch(name)
    if offset is None:
        return zoneinfo.ZoneInfo(name)
    sign, hours, minutes = offset.groups()
    return datetime.timezone(datetime.timedelta(minutes=int(f"{sign}{int(hours) * 60 + int(minutes)}")))


def zone_of(column: Any) -> str:
    """The time zone of a column's timestamps, by name; empty, if they have none."""
    if isinstance(column, list | tuple | np.ndarray):
        dtype = getattr(column, "dtype", None)
        zones = {x.tzinfo for x in column if getattr(x, "tzinfo", None) is not None} if dtype in (None, object) else ()
        if len(zones) != 1:
            return "UTC" if zones else ""
        return str(next(iter(zones))).removeprefix("UTC") or "UTC"
    for kind in (getattr(column, "type", None), getattr(column, "dtype", None)):
        for name in ("tz", "time_zone"):  # of Arrow and pandas, of Polars
            if getattr(kind, name, None) is not None:
                return str(getattr(kind, name)).removeprefix("UTC") or "UTC"
    return ""


def encoded(column: Any, name: str, nulls: str = "drop") -> tuple[Array, Domain, Array | None]:
    """A column of keys as codes, with its domain, and which rows to keep if some hold no key."""
    if is_arrow(column) and str(column.type) in TEXTS:
        return encoded_text(column, name, nulls)
    array, missing = as_array(column, name)
    if missing is not None and missing.any():
        refuse_or_warn(int(missing.sum()), f"without a key in column {name!r}", nulls)
        keep: Array | None = ~missing
        array = array[keep]
    else:
        keep = None
    kind = array.dtype.kind
    if not array.size and (kind == "O" or isinstance(column, list | tuple)):
        return np.zeros(0, np.int64), Domain("any"), keep
    if kind == "M":
        unit, count = np.datetime_data(array.dtype)
        array = array if count == 1 else array.astype(f"datetime64[{unit}]")
        if unit == "D":
            return array.view(np.int64), Domain("date", unit=unit), keep
        return array.view(np.int64), Domain("timestamp", unit=unit, zone=zone_of(column)), keep
    if kind in "UTO":
        names, codes = by_dictionary(array, name)
        return codes, Domain("str", names), keep
    if kind == "u" and array.dtype.itemsize == 8 and array.size and int(array.max()) >= 2**63:
        raise UnsupportedValue(f"column {name!r} reaches {array.max()}, beyond int64", "Use smaller numbers.")
    if kind == "f":
        return np.add(array, 0.0, dtype=np.float64), Domain("float"), keep  # -0.0 is the same key as 0.0
    codes = array.astype(np.int64, copy=not is_arrow(column))  # Arrow's do not change, and need no copy
    return codes, Domain("bool" if kind == "b" else "int"), keep


def encoded_text(column: Any, name: str, nulls: str) -> tuple[Array, Domain, Array | None]:
    """Strings that Arrow holds, as codes: it numbers them, and none but the different ones become Python's."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_string_view(column.type):
        column = column.cast(pa.large_string())  # which Arrow can sort
    keep: Array | None = None
    if column.null_count:
        refuse_or_warn(column.null_count, f"without a key in column {name!r}", nulls)
        keep, column = np.asarray(column.is_valid()), column.drop_null()
    coded = (column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])).dictionary_encode()
    if not len(coded):
        return np.zeros(0, np.int64), Domain("any"), keep
    words = coded.chunk(0).dictionary  # that of all chunks
    order = np.asarray(pc.sort_indices(words))
    names = np.array(words.take(order).to_pylist(), dtype=object)
    rank = np.empty(order.size, np.int64)
    rank[order] = np.arange(order.size)
    codes = np.empty(len(coded), np.int64)
    at = 0
    for chunk in coded.chunks:
        codes[at : at + len(chunk)] = rank[np.asarray(chunk.indices)]
        at += len(chunk)
    return codes, Domain("str", names), keep


def refuse_or_warn(count: int, what: str, nulls: str) -> None:
    """Rows that lack something are refused, or left out with a warning, as the caller chooses."""
    if nulls == "refuse":
        raise NotAKey(f"{count} rows {what}", 'Drop them first, or say nulls="drop".')
    if nulls != "drop":
        raise BadOption(f"nulls={nulls!r}", 'Say "drop" or "refuse".')
    warnings.warn(f"{count} rows {what} are left out", stacklevel=4)


def as_array(column: Any, name: str) -> tuple[Array, Array | None]:
    """A column as a NumPy array, and where it holds nothing that could be a key."""
    if hasattr(column, "categories") or str(getattr(column, "dtype", "")) == "category":
        column = np.asarray(column)
    if hasattr(column, "to_arrow"):
        column = column.to_arrow()
    elif hasattr(column, "dtype") and not isinstance(column.dtype, np.dtype):  # a pandas column with nulls of its own
        import pyarrow as pa

        column = pa.array(column, from_pandas=True)
    if is_arrow(column):
        return from_arrow(column, name)
    if isinstance(column, list | tuple):
        column = from_list(column, name)
    array = np.asarray(column)
    if array.ndim != 1:
        raise UnsupportedValue(f"column {name!r} has {array.ndim} dimensions", "A column is a list of keys.")
    if array.dtype.kind == "f":
        return array, np.isnan(array)
    if array.dtype.kind == "M":
        return array, np.isnat(array)
    if array.dtype.kind == "O":
        missing = np.array([x is None or x != x for x in array.tolist()], bool)
        rest = array[~missing].tolist()
        if rest and not all(isinstance(x, str) for x in rest):
            kinds = sorted({type(x).__name__ for x in rest})
            if len(kinds) > 1:
                raise MixedKeys(
                    f"column {name!r} holds keys of several types: {', '.join(kinds)}", "Give all one type."
                )
            tight = np.array(rest)
            if tight.dtype.kind not in "biufMU":
                unit = "us" if hasattr(rest[0], "hour") else "D"
                rest = [x.astimezone(UTC).replace(tzinfo=None) if getattr(x, "tzinfo", None) else x for x in rest]
                tight = np.array(rest, f"datetime64[{unit}]") if hasattr(rest[0], "year") else tight
            if tight.dtype.kind == "O" and kinds == ["int"]:
                raise UnsupportedValue(f"column {name!r} holds integers beyond int64", "Use smaller numbers.")
            if tight.dtype.kind not in "biufMU":
                raise NotAKey(f"column {name!r} holds {kinds[0]}", "Keys are numbers, dates and strings.")
            full = np.zeros(array.size, tight.dtype)
            full[~missing] = tight
            return full, missing
        return array, missing
    if array.dtype.kind not in KINDS:
        raise NotAKey(f"column {name!r} of type {array.dtype} cannot be keys", "Keys are numbers, dates and strings.")
    return array, None


def from_list(column: list[Any] | tuple[Any, ...], name: str) -> Array:
    """A list as an array; NumPy would make strings of numbers that stand among strings."""
    kinds = {type(x) for x in column if x is not None}
    if len(kinds) > 1 and not all(issubclass(kind, np.generic) for kind in kinds):
        told = ", ".join(sorted(kind.__name__ for kind in kinds))
        raise MixedKeys(f"column {name!r} holds keys of several types: {told}", "Give all one type.")
    if str in kinds or len(kinds) < len({type(x) for x in column}):
        array: Array = np.empty(len(column), object)
        array[:] = column
        return array
    return np.asarray(column)


def is_arrow(column: Any) -> bool:
    return type(column).__module__.partition(".")[0] == "pyarrow"


def from_arrow(column: Any, name: str) -> tuple[Array, Array | None]:
    """An Arrow column, chunked or not; its nulls."""
    import pyarrow as pa

    if isinstance(column, pa.ChunkedArray):
        column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks(pa.system_memory_pool())
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_string_view(column.type):
        column = column.cast(pa.large_string())
    missing = None
    if pa.types.is_null(column.type):
        return np.full(len(column), None, object), np.ones(len(column), bool)
    if column.null_count:
        missing = np.asarray(column.is_null())
        column = column.fill_null(nothing_of(column.type))
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        return np.asarray(column.to_numpy(zero_copy_only=False)), missing
    if pa.types.is_decimal(column.type):
        column = column.cast(pa.float64())
    array = column.to_numpy(zero_copy_only=False)
    if array.dtype.kind not in "biufM" or isinstance(column.type, pa.BaseExtensionType):
        raise NotAKey(f"column {name!r} of type {column.type} cannot be keys", "Keys are numbers, dates and strings.")
    if array.dtype.kind == "f":
        nans = np.isnan(array)
        missing = nans if missing is None else missing | nans
    return array, missing


def nothing_of(kind: Any) -> Any:
    """What may stand in place of a null until its row is dropped."""
    import pyarrow as pa

    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return ""
    return False if pa.types.is_boolean(kind) else 0


def by_dictionary(array: Array, name: str) -> tuple[Array, Array]:
    """Strings as (dictionary in order, codes)."""
    import pyarrow as pa

    coded = pa.array(array.tolist() if array.dtype.kind != "O" else array, pa.large_string()).dictionary_encode()
    names = np.array(coded.dictionary.to_pylist(), dtype=object)
    order = np.argsort(names, kind="stable")
    rank = np.empty(order.size, np.int64)
    rank[order] = np.arange(order.size)
    return names[order], rank[np.asarray(coded.indices)] if array.size else np.zeros(0, np.int64)


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
    if first.kind != "str" or all(d.names is first.names for d in domains):
        return first, [None] * len(domains)
    names = np.array(sorted({x for d in domains for x in (d.names.tolist() if d.names is not None else ())}), object)
    moves = [np.searchsorted(names, d.names) if d.names is not None else None for d in domains]
    return Domain("str", names), moves
