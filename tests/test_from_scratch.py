"""docs/from_scratch.md is a program: its blocks run in order, and its sessions give what the page says."""

import doctest
import re
from pathlib import Path

PAGE = Path(__file__).parent.parent / "docs" / "from_scratch.md"
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def blocks():
    """(the number of its first line, text) of each block of Python."""
    text = PAGE.read_text()
    for block in re.finditer(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield text[: block.start(1)].count("\n"), block[1]


def test_the_miniature_runs_from_top_to_bottom():
    scope = {"__name__": "from_scratch"}
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    said = []
    for line, text in blocks():
        if text.startswith(">>>"):
            test = doctest.DocTestParser().get_doctest(text, {}, PAGE.name, str(PAGE), line)
            test.globs = scope
            runner.run(test, out=said.append, clear_globs=False)
        else:
            exec(compile("\n" * line + text, str(PAGE), "exec"), scope)
    assert runner.summarize(verbose=False).failed == 0, "".join(said)
    assert runner.tries > 15


def test_it_is_a_miniature():
    code = [line for _, text in blocks() if not text.startswith(">>>") for line in text.splitlines() if line.strip()]
    assert 200 < len(code) < 360
