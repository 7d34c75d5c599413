"""`skipstone bench paper`, end to end and small. Nothing here looks at a time."""

import json
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import skipstone as sk
from skipstone.bench import hand, harness, paper, relations, streams
from skipstone.bench.harness import Case
from skipstone.bench.lines import lines
from skipstone.cli import app

run = CliRunner().invoke
ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """One quick run for all tests that look at what it left; as if there were no matplotlib."""
    out = tmp_path_factory.mktemp("bench") / "made" / "here"
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "matplotlib", None)
        done = run(app, ["bench", "paper", "--quick", "--rounds", "1", "--out", str(out)])
    assert done.exit_code == 0, done.exception
    return done, out


@pytest.fixture(scope="module")
def kept(quick):
    return json.loads((quick[1] / "paper.json").read_text())


def test_every_way_of_every_case_was_timed(kept):
    problems = {r["case"].split(",")[0] for r in kept["results"]}
    assert problems == {"range", "nest", "v3", "triangle", "rb.2", "rb.3", "fill"}
    assert all(seconds > 0 for r in kept["results"] for seconds in r["seconds"].values())
    assert kept["quick"] and kept["rounds"] == 1 and "numba" in kept["machine"]


def test_the_tables_print(quick):
    printed = quick[0].stdout
    for title in (
        "Streams against loops",
        "The triangle join",
        "Ordered maps",
        "Filling a map",
        "Lines of code",
        "How many times",
    ):
        assert title in printed
    assert "paper.json" in printed.replace("\n", "")


def test_without_matplotlib_it_says_so_and_leaves_the_pictures_out(quick):
    done, out = quick
    assert "skipstone[plot]" in done.stderr.replace("\n", " ") and "left out" in done.stderr.replace("\n", " ")
    assert [path.name for path in out.iterdir()] == ["paper.json"]


def test_the_pictures_are_drawn(kept, tmp_path):
    pytest.importorskip("matplotlib", reason="the pictures need the extra `plot`")
    from skipstone.bench import charts

    names = {path.name for path in charts.draw(kept, tmp_path)}
    assert names == {f"paper-{name}.{form}" for name in ("loops", "triangle", "trees") for form in ("svg", "png")}
    assert names == {path.name for path in tmp_path.iterdir()}
    again = tmp_path / "again"
    again.mkdir()
    charts.draw(kept, again)
    for path in again.glob("*.svg"):
        assert path.read_bytes() == (tmp_path / path.name).read_bytes(), "the same results give the same picture"


def test_the_help_has_an_example():
    assert "Example" in run(app, ["bench", "paper", "--help"]).output


def test_a_file_is_no_directory(tmp_path):
    (tmp_path / "taken").write_text("mine")
    done = run(app, ["bench", "paper", "--quick", "--out", str(tmp_path / "taken")])
    assert done.exit_code == 2 and (tmp_path / "taken").read_text() == "mine"


def test_the_page_shows_what_was_kept():
    from benchmarks import report

    page = (report.ROOT / "docs" / "evaluation.md").read_text()
    assert report.evaluation(page, report.kept("paper")) == page, "run `python -m benchmarks.paper --no-measure`"


def test_the_figures_of_when_not_to_use_it_are_those_that_were_measured():
    from benchmarks import report, when_not

    page = when_not.PAGE.read_text()
    assert when_not.made(page, report.kept("when_not")) == page, "run `python -m benchmarks.when_not --no-measure`"


@pytest.mark.parametrize("script", ["spark_joins", "spark_limits", "spark_model", "spark_sql"])
def test_the_page_on_spark_shows_what_was_kept(script):
    from benchmarks import report

    page, marked = (report.ROOT / report.ON_SPARK).read_text(), import_module(f"benchmarks.{script}").marked()
    assert report.with_lines(page, marked) == page, f"`python -m benchmarks.{script}` puts it there"
    assert all(f"<!-- {mark} -->" in page for mark in marked)


# ---------------------------------------------------------------------- nothing half-written, nothing unchecked


def test_what_fails_half_way_leaves_nothing(tmp_path):
    path = tmp_path / "kept.json"
    path.write_text("old")

    def fail():
        with harness.whole(path) as temporary:
            temporary.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("other", [3.0, 2.0 + 1e-6])
def test_ways_that_disagree_are_not_timed(other):
    case = Case("numbers", ours={"one": lambda: 2.0}, hand={"other": lambda: other})
    with pytest.raises(AssertionError, match="numbers: other says"):
        harness.measure(case, 1)


def test_arrays_are_compared_whole():
    case = Case("arrays", ours={"one": lambda: np.array([1, 2])}, hand={"other": lambda: np.array([1, 3])})
    with pytest.raises(AssertionError, match="other says"):
        harness.agree(case)


# ---------------------------------------------------------------------- the data and the loops


@pytest.mark.parametrize("tables", [relations.hard(60), relations.zipf(300, 40, seed=3)], ids=["hard", "zipf"])
def test_every_join_finds_the_triangles_of_the_definition(tables):
    found, numbers = relations.related(tables)
    r, s, t = (set(each.pairs) for each in found)
    expected = sorted((a, b, c) for a, b in r for b2, c in s if b == b2 and (a, c) in t)
    rows = relations.rows_of_names(expected, numbers)
    assert rows.shape[1] > 0
    flat = [array for each in found for array in each.arrays()]
    nested = [each.names for each in found]
    xs = [each.trie.stream() for each in found]
    assert (hand.join_naive(*flat) == rows).all() and (hand.join_fair(*flat) == rows).all()
    assert sorted(hand.join_in_python(*nested)) == sorted(hand.join_by_sets(*nested)) == expected
    assert (relations.rows_of(streams.join_fused(*xs).collect(into=sk.Trie)) == rows).all()
    assert (relations.rows_of(streams.join_unfused(*xs).collect(into=sk.Trie)) == rows).all()
    assert relations.paths(*found[:2]) == sum(b == b2 for _, b in r for b2, _ in s)


def test_the_numbers_keep_the_order_of_the_names():
    _, numbers = relations.related(relations.zipf(100, 30))
    assert sorted(numbers) == sorted(numbers, key=numbers.__getitem__)


def test_the_data_are_of_the_size_they_should_be():
    full = paper.FULL.pairs
    assert [len(set(pairs)) for pairs in relations.hard(full)] == [full] * 3
    assert [len(set(pairs)) for pairs in relations.zipf(full, paper.FULL.names)] == [full] * 3


def test_lines_count_code_and_helpers_but_no_comment():
    assert lines(hand.range_sum) == 5
    assert lines(hand.gallop_three) == lines(hand.leap) + 14
    assert lines(streams.nest_sum) == 3


@pytest.mark.parametrize("path", sorted((ROOT / "benchmarks").glob("[!_]*.py")), ids=lambda path: path.stem)
def test_every_benchmark_finds_what_it_imports(path):
    """`spark_joins` did not, when its data had moved."""
    import_module(f"benchmarks.{path.stem}")
