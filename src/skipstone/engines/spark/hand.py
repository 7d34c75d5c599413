"""Whether an expression is handed over to Spark SQL, and what comes of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...errors import BadOption, IntegerOverflow
from ...notation import Aggregate, accesses
from ...table import Table
from ...words import read_by
from .adding import parts
from .columns import WIDTH, NotHanded, OnColumns
from .divide import is_pinned, strategy
from .frame import quoted
from .nulls import Inputs
from .relation import named
from .sql import Handing, checks_overflow


@dataclass(frozen=True)
class Handed:
    """A frame of Spark SQL; None, with the reason, where our kernels run the expression."""

    frame: Any
    reason: str
    handing: Handing

    def told(self) -> list[str]:
        """For `explain`."""
        if self.frame is None:
            return [f"not handed to Spark SQL: {self.reason}"]
        return [f"handed to Spark SQL, because {self.reason}", *(f"  {note}" for note in self.handing.notes)]

    def run(self, action: Callable[[Any], Any]) -> Any:
        """What an action on the frame gives; and then, what was left out."""
        from pyspark.errors import ArithmeticException

        try:
            found = action(self.frame)
        except ArithmeticException as error:
            if "ARITHMETIC_OVERFLOW" not in str(error):
                raise
            raise IntegerOverflow("an integer result left the range of int64", "Use floating point values.") from None
        self.handing.inputs.tell_nulls()
        return found


NOT_HANDED = Handed(None, "the order of the loops is pinned", Handing(False, Inputs(None, False)))


def handed(
    aggregate: Aggregate, shape: Table | None, types: list[tuple[str, str]] | None, session: Any, runs: bool
) -> Handed:
    """The expression as a frame of Spark SQL, if that means the same and is the better way.

    `types` are the names and types of the columns that come out, if they are known. `runs` says that the frame is run
    here, and not by whoever gets it: then its columns come in order, and may have other names.
    """
    pinned = strategy()
    handing = Handing(pinned == "sql", Inputs(session, runs))
    if pinned not in (None, "sql") or is_pinned():
        return Handed(None, "the strategy is pinned", handing)
    try:
        frame = translated(handing, aggregate, shape, types)
    except NotHanded as why:
        if pinned == "sql":
            raise BadOption(f"this cannot be handed to Spark SQL: {why}", 'Leave strategy="sql" out.') from None
        return Handed(None, str(why), handing)
    handing.inputs.look_for_nulls()
    reason = "it is asked for" if handing.pinned else because(handing)
    return Handed(frame, reason, handing)


def because(handing: Handing) -> str:
    if not any("joined" in note for note in handing.notes):
        return "it is an aggregate of one table"
    return "it is acyclic, and what is in between is not larger than its tables and its result"


def translated(handing: Handing, aggregate: Aggregate, shape: Table | None, types: Any) -> Any:
    if shape is not None and types is None:
        raise NotHanded("the types of its columns are known only when it has been run")
    names = {a.name for access in accesses(aggregate) for a in access.axes()}
    if len({name.lower() for name in names}) < len(names):
        raise NotHanded("Spark takes two of its axes for one")
    if not checks_overflow(handing.inputs.session):
        raise NotHanded("spark.sql.ansi.enabled is off: Spark would not see integers overflow")
    with read_by(OnColumns()):
        found = handing.aggregated(aggregate)
    values = parts(found)
    if shape is None and len(values) > 1:
        raise NotHanded("several values are added up to one")
    if shape is None:
        return found.frame
    kinds = [kind for _, kind in types[len(shape.keys) :]]
    if handing.inputs.counting and kinds == [WIDTH[value.kind] for value in values]:
        return found.frame  # one frame less for Spark to look through: who runs it here gives columns their names
    made = [*named(aggregate.axes()), *(value.column for value in values)]
    chosen = [f"cast({c} as {kind}) as {quoted(name)}" for c, (name, kind) in zip(made, types, strict=True)]
    return found.frame.selectExpr(*chosen)
