"""Keys that many rows hold, and workers with little memory: work is divided further, and the answer is the same."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import skipstone as sk
from skipstone.engines.spark import blocks, run, send
from skipstone.engines.spark.java import use_java
from skipstone.errors import SparkMissing

a, b, c = sk.axes("a b c")


def test_a_star_with_a_third_of_the_rows_in_one_key(spark, monkeypatch):
    """Divided as for sixteen cores; what each task is sent is counted."""
    random = np.random.default_rng(0)
    src, dst = random.integers(0, 60_000, (2, 60_000))
    src[random.random(src.size) < 0.3] = 7
    here = sk.table({"src": src, "dst": dst}, name="E")
    there = sk.table(spark.createDataFrame(here.to_arrow()).repartition(2), name="E")
    monkeypatch.setattr(run, "cores_of", lambda session: 16)

    def star(e):
        return sk.sum(e[a, b] * e[a, c] * (b < c))

    told = str(star(there).explain())
    assert "heavy keys apart" in told and "heavy keys of a: 1" in told
    assert star(there).collect() == star(here).collect() > 0
    rows = {}
    plan = run.planned(star(there), None, True, runs=True)
    for row in send.blocks(plan.division, plan.session, plan.numbering).collect():
        rows[row.task] = rows.get(row.task, 0) + blocks.unpacked(bytes(row.block)).num_rows
    assert len(rows) >= 8 and max(rows.values()) <= 2 * np.mean(list(rows.values()))


def test_workers_with_little_memory(tmp_path):
    """In a process of its own: a limit on workers is one of the session's."""
    pytest.importorskip("pyspark", reason="PySpark is not installed: pip install 'skipstone[spark]'")
    try:
        use_java()
    except SparkMissing as missing:
        pytest.skip(str(missing))
    script = Path(__file__).parent / "on_little_memory.py"
    ran = subprocess.run([sys.executable, script], cwd=tmp_path, env=os.environ, capture_output=True, text=True)
    assert "FOUND" in ran.stdout, ran.stderr[-5000:]
    found = json.loads(ran.stdout.rpartition("FOUND")[2])
    assert found["unlimited"] == 1  # cells on one core
    assert found["planned"] > 1 and found["largest"] <= found["room"]
    assert found["parts"] > found["cells"] == 1
    assert found["answer"] == found["split"] == found["wanted"] > 1000
