"""The rows of tables that lack nothing, for Spark SQL; and who counts those that do.

If the query is run here, its own job counts them: no job comes before it. If a frame is given out, somebody else runs
it, perhaps never, and would not hear what was left out: then a job looks for nulls before. Where the footers of Parquet
files say that there are none, nobody counts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .frame import SparkTable, lacking_nothing
from .relation import local_frame


@dataclass
class Inputs:
    """The tables of one query as frames."""

    session: Any
    counting: bool  # whether nulls are counted by the job itself
    unsure: list[SparkTable] = field(default_factory=list)
    observed: list[tuple[SparkTable, Any]] = field(default_factory=list)
    frames: dict[int, Any] = field(default_factory=dict)

    def rows(self, table: Any) -> Any:
        if id(table) not in self.frames:
            self.frames[id(table)] = (
                self.complete(table) if isinstance(table, SparkTable) else local_frame(self.session, table)
            )
        return self.frames[id(table)]

    def complete(self, table: SparkTable) -> Any:
        """The rows of a Spark table that lack nothing; those that do are counted along the way."""
        from pyspark.sql import Observation
        from pyspark.sql import functions as F

        origin = table.origin
        if id(origin) in self.frames:
            return self.frames[id(origin)]
        lacking, frame = origin.lacking(), origin.frame
        if lacking and not origin.nulls_told:
            self.unsure.append(origin)
            if self.counting:
                self.observed.append((origin, Observation()))
                counts = [f"count_if({lacks}) as c{n}" for n, lacks in enumerate(lacking.values())]
                frame = frame.observe(self.observed[-1][1], *map(F.expr, counts))
        self.frames[id(origin)] = lacking_nothing(frame, lacking)
        return self.frames[id(origin)]

    def look_for_nulls(self) -> None:
        """By jobs before the query's own, if somebody else runs that: he would not hear what was left out."""
        for table in () if self.counting else self.unsure:
            table.look_for_nulls()

    def tell_nulls(self) -> None:
        """After the job: what it left out."""
        for table, seen in self.observed:
            try:
                counts = seen.get
            except Exception:  # Spark saw that it need not read the table at all
                table.look_for_nulls()
                continue
            if not table.nulls_told:
                table.tell_nulls(dict(zip(table.lacking(), counts.values(), strict=True)))
