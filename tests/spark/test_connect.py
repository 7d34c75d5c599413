"""Spark Connect: a client without a Java of its own. The server is started in a process beside the tests."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from skipstone.engines.spark.java import use_java
from skipstone.errors import SparkMissing


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    for package in ("pyspark", "grpc", "grpc_status", "google.rpc", "zstandard"):
        pytest.importorskip(package, reason="Spark Connect is not installed: pip install 'pyspark[connect]'")
    try:
        use_java()
    except SparkMissing as missing:
        pytest.skip(str(missing))
    directory, script = tmp_path_factory.mktemp("connect"), Path(__file__).parent / "on_connect.py"
    ran = subprocess.run([sys.executable, script], cwd=directory, capture_output=True, text=True, timeout=600)
    assert "FOUND" in ran.stdout, ran.stderr[-5000:]
    return json.loads(ran.stdout.rpartition("FOUND")[2])


@pytest.mark.parametrize("query", ["number", "rows", "added up", "functions", "values"])
def test_answers_are_those_of_the_local_engine(found, query):
    assert found["client"].startswith("pyspark.sql.connect") and found[query] is True


def test_frames_nulls_and_plans(found):
    assert found["lazy"] == ["pyspark.sql.connect.dataframe", 7] and found["warned"]
    assert found["explained"] == "on Spark: HyperCube, 4 cells"
    assert found["numbered"] == [True, True]


def test_errors_are_in_our_words(found):
    assert found["error"] == ["a function divided by zero", ["at follows(who='cy', whom='dee')"]]
    assert found["missing"] == "there is no file:/no/such/rows.parquet"


def test_tables_of_the_catalog(found):
    assert found["view"] == "SparkTable(unnamed, who: str, whom: str -> value)"
