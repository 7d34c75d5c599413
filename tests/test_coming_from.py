"""docs/coming_from.md: every task is solved in several ways, and all of them give the same answer."""

import ast
import itertools
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from skipstone import Table

from .conftest import close

PAGE = (Path(__file__).parent.parent / "docs" / "coming_from.md").read_text()
BLOCK = re.compile(r"^```(\w+) ?(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TASKS = re.findall(r"^## (\d+)\. (.*?)\n(.*?)(?=^## )", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def scope():
    pytest.importorskip("pandas")
    pytest.importorskip("scipy")
    found = {"itertools": itertools, "Counter": Counter}
    exec(next(text for _, name, text in BLOCK.findall(PAGE) if name == "setup"), found)
    return found


def evaluated(text, scope):
    """The value of the last line, after the lines before it."""
    *before, last = ast.parse(text).body
    scope = dict(scope)
    exec(compile(ast.Module(before, []), "block", "exec"), scope)
    return eval(compile(ast.Expression(last.value), "block", "eval"), scope)


def asked(text, scope):
    """The rows that DuckDB answers with, as a DataFrame."""
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed: pip install 'skipstone[bench]'")
    with duckdb.connect() as connection:
        for name in ("paid", "lives", "follows", "roads"):
            connection.register(name, scope[name])
        return connection.execute(text).fetchall()


def plain(answer):
    """A number, or a sorted dict from keys to floats."""
    if isinstance(answer, Table):
        answer = answer.to_dict()
    elif hasattr(answer, "toarray") or isinstance(answer, np.ndarray):
        dense = answer.toarray() if hasattr(answer, "toarray") else answer
        answer = {tuple(map(int, place)): dense[tuple(place)] for place in np.argwhere(dense)}
    elif hasattr(answer, "itertuples"):
        answer = list(answer.itertuples(index=False, name=None))
    elif hasattr(answer, "to_dict"):
        answer = answer.to_dict()
    if isinstance(answer, list):
        rows = [tuple(row) for row in answer]
        answer = rows[0][0] if len(rows) == len(rows[0]) == 1 else {key(row[:-1]): row[-1] for row in rows}
    return {k: float(v) for k, v in sorted(answer.items())} if isinstance(answer, dict) else float(answer)


def key(parts):
    return parts[0] if len(parts) == 1 else parts


def test_there_are_twenty_tasks():
    assert [int(number) for number, *_ in TASKS] == list(range(1, 21))


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task[1])
def test_all_ways_give_the_same_answer(task, scope):
    blocks = BLOCK.findall(task[2])
    answers = {}
    for n, (language, name, text) in enumerate(blocks):
        way = f"{name or language} {n}"
        answers[way] = plain(asked(text, scope) if language == "sql" else evaluated(text, scope))
    assert len(answers) >= 4
    ours = next(answer for way, answer in answers.items() if way.startswith("skipstone"))
    for way, answer in answers.items():
        assert close(answer, ours), f"{way} says {answer}, skipstone {ours}"
