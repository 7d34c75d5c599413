"""Every program under examples/ runs on its own, and prints what docs/cookbook.md says."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from skipstone.engines.spark.java import found_java
from skipstone.errors import SparkMissing

ROOT = Path(__file__).parent.parent
PROGRAMS = sorted((ROOT / "examples").glob("*.py"))
SHOWN = re.compile(r"\[examples/(\w+\.py)\].*?^```python\n(.*?)^```$.*?^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def shown():
    """What the cookbook shows of each program: (an excerpt, what it prints), by its name."""
    return {name: (part, said) for name, part, said in SHOWN.findall((ROOT / "docs" / "cookbook.md").read_text())}


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.stem)
def test_it_runs_and_prints_what_the_cookbook_says(program):
    pytest.importorskip("scipy", reason="some examples compare with SciPy")
    if "sk.spark" in program.read_text():
        pytest.importorskip("pyspark", reason="PySpark is not installed: pip install 'skipstone[spark]'")
        try:
            found_java()
        except SparkMissing as missing:
            pytest.skip(str(missing))
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert done.stdout == shown()[program.name][1]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.stem)
def test_the_cookbook_shows_lines_of_the_program(program):
    part = shown()[program.name][0]
    lines = [line.strip() for line in program.read_text().splitlines()]
    assert [line for line in part.splitlines() if line.strip() and line.strip() not in lines] == []


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.stem)
def test_it_checks_itself(program):
    assert re.search(r"^ *assert ", program.read_text(), re.MULTILINE)
