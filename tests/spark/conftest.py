"""One Spark session for the whole run, started when a test first needs it."""

import os
from pathlib import Path

import pytest

import skipstone as sk
from skipstone.errors import SparkMissing

collect_ignore = ["on_a_cluster.py", "on_connect.py", "on_little_memory.py"]  # programs, that tests start


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    """Two cores, four tries a task. Small shuffles: tests are about answers. Tables of the catalog go elsewhere."""
    pytest.importorskip("pyspark", reason="PySpark is not installed: pip install 'skipstone[spark]'")
    root = str(Path(__file__).parents[2])  # workers import the functions of tests by name
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))
    try:
        warehouse = str(tmp_path_factory.mktemp("warehouse"))
        conf = {"spark.sql.shuffle.partitions": "2", "spark.default.parallelism": "2"}
        session = sk.spark.session("local[2,4]", {**conf, "spark.sql.warehouse.dir": warehouse})
    except SparkMissing as missing:
        pytest.skip(str(missing))
    yield session
    session.stop()
