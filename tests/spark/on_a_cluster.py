"""Run by test_cluster.py, in a process of its own: a small cluster, whose executors are lost, slow, and bare.

    python on_a_cluster.py DIRECTORY LIBRARY

Executors are processes of their own, started in DIRECTORY. They have skipstone from LIBRARY, a zip file that Spark
sends them, and from nowhere else. Their cache cannot be written: each of them compiles what it needs.
"""

import json
import os
import sys
from collections import Counter
from pathlib import Path

import skipstone as sk

directory, library = Path(sys.argv[1]), sys.argv[2]
a, b, c = sk.axes("a b c")
found = {}


spark = sk.spark.session(
    "local-cluster[2,1,1024]",
    {
        "spark.sql.shuffle.partitions": "2",
        "spark.default.parallelism": "4",
        "spark.executorEnv.PYTHONPATH": "",  # as on another machine: nothing of this one's source
        "spark.executorEnv.SKIPSTONE_CACHE_DIR": "/dev/null/no/such/place",
        "spark.speculation": "true",  # a task that is slow is run twice, and one of the two is taken
        "spark.speculation.multiplier": "1.1",
        "spark.speculation.quantile": "0.25",
        "spark.speculation.interval": "50ms",
    },
)
spark.addArtifacts(library, pyfile=True)
edges = [(n % 60, n * n % 61) for n in range(900)]
# Behind a shuffle, rows come in another order each time that they are made.
there = sk.table(spark.createDataFrame(edges, "src long, dst long").repartition(4), name="E")
here = sk.table({"src": [x for x, _ in edges], "dst": [y for _, y in edges]})


def once(name):
    """True for the first process that asks: the others find its mark."""
    try:
        os.close(os.open(str(directory / name), os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


def home(key):
    import skipstone

    return skipstone.__file__


def kill_a_worker(key):
    if once("worker"):
        os.kill(os.getpid(), 9)
    return key % 2 == 0


def kill_an_executor(key):
    """The Python worker's parent is a daemon, and the daemon's is the executor's Java."""
    if once("executor"):
        daemon = Path(f"/proc/{os.getppid()}/stat").read_text().rpartition(")")[2].split()
        os.kill(int(daemon[1]), 9)
    return key % 2 == 0


def slow_once(key):
    if once("slow"):
        import time

        time.sleep(20)  # until another try is done: nothing waits for this one
    return key % 2 == 0


def paths(e, p):
    return e[a, b] * e[b, c] * a.where(p)


places = (there[a, b] * (a.map(home) == c)).sum(a, b).collect(into=dict)
found["homes"] = sorted(places)

with sk.spark.options(shares={a: 2, b: 2}):
    wanted = paths(here, lambda key: key % 2 == 0)
    for name, p in (("worker", kill_a_worker), ("slow", slow_once), ("executor", kill_an_executor)):
        rows = paths(there, p).collect().collect()  # a lazy frame: each row as it came from a cell
        found[name] = {
            "happened": (directory / name).exists(),
            "rows": len(rows),
            "twice": [row for row, n in Counter((r.a, r.b, r.c) for r in rows).items() if n > 1],
            "right": {(r.a, r.b, r.c): r.value for r in rows} == wanted.collect(into=dict),
        }
    # Added up by Spark, and by the driver.
    summed = {r.a: r.value for r in paths(there, lambda key: key % 2 == 0).sum(b, c).collect().collect()}
    found["summed"] = summed == wanted.sum(b, c).collect(into=dict)
    found["number"] = paths(there, lambda key: key % 2 == 0).sum().collect() == wanted.sum().collect()
spark.stop()
print("FOUND" + json.dumps(found))
