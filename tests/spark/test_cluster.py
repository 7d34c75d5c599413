"""A cluster of two executors, in a process of its own: they have only what Spark sends them, and they are killed."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import skipstone
from skipstone.engines.spark.java import use_java
from skipstone.errors import SparkMissing


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    pytest.importorskip("pyspark", reason="PySpark is not installed: pip install 'skipstone[spark]'")
    try:
        use_java()
    except SparkMissing as missing:
        pytest.skip(str(missing))
    directory = tmp_path_factory.mktemp("cluster")
    library, source = directory / "skipstone.zip", Path(skipstone.__file__).parent
    with zipfile.ZipFile(library, "w") as packed:
        for file in sorted(source.rglob("*.py")):
            packed.write(file, file.relative_to(source.parent))
    env = {**os.environ, "SPARK_WORKER_DIR": str(directory / "work"), "SPARK_LOCAL_DIRS": str(directory)}
    script = Path(__file__).parent / "on_a_cluster.py"
    ran = subprocess.run(
        [sys.executable, script, directory, library],
        cwd=directory,
        env=env,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert "FOUND" in ran.stdout, ran.stderr[-5000:]
    return json.loads(ran.stdout.rpartition("FOUND")[2])


def test_executors_have_what_was_sent_and_nothing_else(found):
    (home,) = found["homes"]
    assert "skipstone.zip" in home


@pytest.mark.parametrize("trouble", ["worker", "executor", "slow"])
def test_each_row_comes_once_whatever_is_lost_or_run_twice(found, trouble):
    told = found[trouble]
    assert told["happened"] and told["right"] and told["rows"] > 1000 and not told["twice"]


def test_sums_after_an_executor_was_lost(found):
    assert found["summed"] and found["number"]
