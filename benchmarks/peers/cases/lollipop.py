"""A triangle with a tail, and two triangles with an edge between them. Every edge stands in both directions."""

from __future__ import annotations

import skipstone as sk

from .. import data, sql
from ..ours import counted
from ..question import Question
from .triangles import JOINED

a, b, c, x, y, z = sk.axes("a b c x y z")

CORNERS = f"with T as materialized (select ab.src a, count(*) n from {JOINED} group by a)"
ON = {name: lambda name=name: data.both_ways(data.snap(name)) for name in ("ca-GrQc", "soc-Epinions1")}


def tiny() -> data.Columns:
    return data.both_ways(data.rmat(6, 300))


QUESTIONS = [
    Question(
        "lollipop",
        "patterns",
        ON,
        tiny,
        {
            "skipstone": {"": counted(lambda S: S[a, b] * S[b, c] * S[a, c] * S[a, x])},
            "duckdb": {
                "triangles first": sql.number(
                    f"{CORNERS}, D as (select src a, count(*) n from E group by a) "
                    "select sum(T.n * D.n)::bigint from T join D using (a)"
                ),
                "joined": sql.number(f"select count(*) from {JOINED} join E ax on ax.src = ab.src"),
            },
        },
    ),
    Question(
        "barbell",
        "patterns",
        ON,
        tiny,
        {
            "skipstone": {"": counted(lambda S: S[a, b] * S[b, c] * S[a, c] * S[a, x] * S[x, y] * S[y, z] * S[x, z])},
            "duckdb": {
                "triangles first": sql.number(
                    f"{CORNERS} select sum(s.n * t.n)::bigint from T s join E on s.a = src join T t on t.a = dst"
                ),
            },
        },
    ),
]
