"""The data pipeline: queries as text over files and catalog tables, on Spark or on one machine.

`skipstone query` runs one query, `skipstone run` all those of a TOML file. See docs/pipeline.md.

spec.py        inputs and queries, checked and in order, before anything is started
toml.py        the same from a file
on_spark.py    reading, running and writing by Spark
local.py       reading, running and writing on this machine
staged.py      outputs that come to be all together, or not at all
run.py         all of it, one after the other
progress.py    stages of Spark, as they go
shown.py       results, errors and the summary, as text
"""

from .run import Way, explain, run
from .spec import Input, Pipeline, Query, by_name, input_of, query_of
from .toml import read

__all__ = ["Input", "Pipeline", "Query", "Way", "by_name", "explain", "input_of", "query_of", "read", "run"]
