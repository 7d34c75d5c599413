"""The parts of Spark that cells need, in a hundred lines and one process: for thousands of queries in a minute.

Rows lie in partitions; functions go over the batches of each; `repartitionById` deals them out anew.
"""

import re
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
from pyspark import cloudpickle

import skipstone as sk
from skipstone.engines.spark import run
from skipstone.engines.spark.blocks import as_numbers
from skipstone.engines.spark.frame import Facts, SparkTable, domain_of
from skipstone.table import Table

ARROW = {"int": pa.int64(), "float": pa.float64(), "bool": pa.bool_(), "str": pa.string(), "date": pa.date32()}
SPARK = {"int": "long", "float": "double", "bool": "boolean", "str": "string", "date": "date"}
BY_SPARK = {
    "bigint": pa.int64(), "double": pa.float64(), "boolean": pa.bool_(), "string": pa.string(), "date": pa.date32(),
    "int": pa.int32(), "binary": pa.binary(),
}  # fmt: skip
CORES = 2


class Frame:
    def __init__(self, parts, names=(), types=()):
        self.parts, self.columns, self.types = parts, list(names), types

    @property
    def sparkSession(self):
        return SimpleNamespace(
            conf=SimpleNamespace(get=lambda key, otherwise=None: otherwise),
            sparkContext=SimpleNamespace(defaultParallelism=CORES),
            sql=lambda text: Frame([[pa.record_batch(NO_BLOCK)]]),
        )

    @property
    def schema(self):
        kinds = {kind: SimpleNamespace(simpleString=lambda kind=kind: kind) for kind in SPARK.values()}
        return [SimpleNamespace(dataType=kinds[kind]) for kind in self.types]

    def mapInArrow(self, function, schema):
        """Functions are pickled, as on their way to a task; Spark does it once for each."""
        function = cloudpickle.loads(cloudpickle.dumps(function))
        named = re.findall(r"`?([^`,]+?)`? (\w+)(?:, |$)", schema)
        return Frame([list(function(iter(part))) for part in self.parts], [name for name, _ in named], dict(named))

    def unionAll(self, other):
        return Frame([*self.parts, *other.parts])

    def repartitionById(self, many, column):
        dealt = [[] for _ in range(many)]
        for batch in (b for part in self.parts for b in part):
            for n, goal in enumerate(batch.column(column).to_pylist()):
                dealt[goal].append(batch.slice(n, 1))
        return Frame(dealt)

    def collect(self):
        return [[value] for part in self.parts for batch in part for value in batch.column(0).to_pylist()]

    def toArrow(self):
        schema = pa.schema([(name, BY_SPARK[kind]) for name, kind in self.types.items()]) if self.types else None
        return pa.Table.from_batches([batch for part in self.parts for batch in part], schema)


NO_BLOCK = {
    "task": pa.array([0], pa.int32()), "cell": pa.array([0], pa.int32()), "source": pa.array([-1], pa.int32()),
    "block": pa.array([b""]),
}  # fmt: skip


class Stub(SparkTable):
    """A local table, taken apart into two partitions. Whatever is in more than two rows is a heavy key."""

    def __init__(self, table, kind):
        kinds = [kind if domain.kind == "any" else domain.kind for domain in table.domains]
        columns = table.columns()
        types = [ARROW[k] for k in kinds]
        types += [pa.float64() if v.dtype.kind == "f" else pa.int64() for v in table.values]
        rows = pa.table(
            [pa.array(column.tolist(), type) for column, type in zip(columns.values(), types, strict=True)],
            list(columns),
        )
        half = rows.num_rows // 2
        parts = [rows.slice(0, half).to_batches(), rows.slice(half).to_batches()]
        frame = Frame(parts, list(columns), [SPARK[k] for k in kinds])
        domains = [domain_of("", SPARK[k]) for k in kinds]
        codes = [np.zeros(0, np.float64 if k == "float" else np.int64) for k in kinds]
        shape = Table(table.keys, codes, domains, [v[:0] for v in table.values], table.make, table.name)
        super().__init__(frame, shape, list(columns)[-1] if table.values else None, "drop", "plus")
        self.original, self.kind = table, kind
        numbers = [as_numbers(rows.column(n)) for n, _ in enumerate(table.keys)]
        counts = [np.unique(column, return_counts=True) for column in numbers]
        self.__dict__["facts"] = Facts(rows.num_rows, tuple(keys.size for keys, _ in counts))
        self.__dict__["heavy"] = tuple(
            {int(k): n / rows.num_rows for k, n in zip(*each, strict=True) if n > 2} for each in counts
        )

    def as_set(self):
        return Stub(self.original.as_set(), self.kind) if self.values else self


def found_strings(columns):
    """The strings of columns, with copies."""
    return [batch.column(n).cast(pa.large_string()) for t, n in columns for part in t.frame.parts for batch in part]


def added_up(plan, frame):
    """What Spark would make of equal rows, by a local table."""
    rows, keyed = frame.toArrow(), len(plan.head)
    if not plan.adds_up() or not rows.num_rows:
        return frame
    way = {"sum": "plus"}.get(run.way_to_add(plan.aggregate), run.way_to_add(plan.aggregate))
    columns = {
        name: column.to_numpy(zero_copy_only=False)
        for name, column in zip(rows.column_names, rows.columns, strict=True)
    }
    names = rows.column_names
    found = sk.table(columns, names[:keyed], names[keyed:] if len(names) > keyed + 1 else names[keyed], combine=way)
    arrays = [pa.array(c.tolist(), field.type) for c, field in zip(found.columns().values(), rows.schema, strict=True)]
    return Frame([pa.table(arrays, names).to_batches()])
