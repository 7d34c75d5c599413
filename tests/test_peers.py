"""The comparison with peers: on tiny inputs, whoever is installed says what we say. No time is looked at."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import skipstone.cli
from benchmarks.peers import cases, data, growth, measure, page, run
from benchmarks.peers.question import Case, Question
from benchmarks.peers.way import Way
from benchmarks.peers.who import OURS, PEERS
from benchmarks.peers.worker import Failed, Worker
from benchmarks.report import kept
from skipstone.cli import app

GRAPH = data.rmat(6, 300)
QUESTIONS = {each.name: each for each in cases.questions()}
APART = ("ladybug",)  # it has the same types as Kùzu, and the two do not fit into one process


def answer(name, peer, form, given):
    if peer in APART:
        worker = Worker(peer, name, form, 2, given, "unused", 60)
        worker.hear()
        *_, said = worker.hear()
        worker.end()
        return said
    way = QUESTIONS[name].ways[peer][form](given, 1)
    return [float(x) for x in way.answer(way.run())]


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_peer_says_what_we_say(shared_data, name):
    given, ways = QUESTIONS[name].tiny(), QUESTIONS[name].ways
    forms = {form: answer(name, OURS, form, given) for form in ways[OURS]}
    ours = next(iter(forms.values()))
    assert ours[0] > 0, "an answer of nothing tells nothing"
    for peer in ways:
        if PEERS[peer].installed():
            for form in ways[peer]:
                said = answer(name, peer, form, given)
                assert len(said) == len(ours), f"{peer}, {form}"
                assert np.allclose(said, ours, rtol=1e-9), f"{peer}, {form}"


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_question_is_asked_of_us_and_of_known_peers(name):
    assert OURS in QUESTIONS[name].ways and set(QUESTIONS[name].ways) <= set(PEERS)
    assert len(QUESTIONS[name].ways) > 1 and QUESTIONS[name].on


def test_names_are_used_once():
    assert len(QUESTIONS) == len(cases.questions())
    assert {path.stem for path in Path(cases.__file__).parent.glob("[a-z]*.py")} == set(cases.FILES)


def test_the_extra_brings_every_peer():
    import tomllib

    extra = tomllib.loads((page.ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]["bench"]
    brought = {each.partition(">")[0] for each in extra} | {"numba", "numpy", "skipstone", ""}
    assert {peer.package.replace("suitesparse-", "python-") for peer in PEERS.values()} <= brought


# ---------------------------------------------------------------------- measuring

TINY = Case(Question("triangles", "triangles", {"tiny": lambda: GRAPH}, dict, QUESTIONS["triangles"].ways), "tiny")


def test_a_case_is_measured_in_processes_of_their_own():
    result = measure.measure(TINY, 1, 30.0, lambda doing: None, ["scipy"])
    assert {(t["peer"], t["threads"]) for t in result.timings} == {("skipstone", 1), ("skipstone", 2), ("scipy", 1)}
    for t in result.timings:
        assert not t["failed"] and t["first"] > 0 and t["seconds"] > 0 and t["memory"] >= 0
    assert run.table([result]).row_count == 3


def test_what_takes_too_long_is_killed_and_said():
    worker = Worker(OURS, "triangles", "", 1, GRAPH, "unused", 0.0)
    with pytest.raises(Failed, match="> 0 s"):
        worker.hear()
    assert not worker.process.is_alive()


class Ended:
    """A worker that only knows whether it was ended."""

    ended = False

    def end(self):
        self.ended = True


def test_peers_that_disagree_are_not_timed():
    worker = Ended()
    with pytest.raises(Failed, match="another answer: 3, not 2"):
        measure.agree([3.0], [2.0], worker)
    assert worker.ended
    measure.agree([2.0], [2.0], worker)


def test_a_peer_that_is_missing_is_reported(monkeypatch):
    for name in PEERS:
        gone = {"modules": ("no_such_module",)} if name != OURS else {}
        monkeypatch.setitem(PEERS, name, type(PEERS[name])(**vars(PEERS[name]) | gone))
    result = measure.measure(TINY, 1, 30.0, lambda doing: None)
    assert {t["failed"] for t in result.timings if t["peer"] != OURS} == {"not installed"}
    assert "duckdb" in run.missing() and run.missing(["skipstone"]) == []


def test_what_a_way_takes_at_its_peak_is_noticed():
    from benchmarks.peers.memory import peak_from_here

    taken = peak_from_here()
    np.ones(50_000_000 // 8).sum()
    assert 40_000_000 < taken() < 500_000_000


# ---------------------------------------------------------------------- running


def small(monkeypatch):
    def makes(said):
        return lambda given, threads: Way(lambda: said)

    case = Question("small", "triangles", {"one": dict, "two": dict}, dict, {OURS: {"": makes(1)}})
    monkeypatch.setattr(run, "cases", case.cases)

    def measured(case, rounds, limit, say, only):
        if case.on == "two":
            raise KeyboardInterrupt
        timing = measure.Timing("skipstone", OURS, 1, first=0.2, fresh=0.1, seconds=0.01, memory=5 << 20)
        return measure.Result("small", case.on, [vars(timing)], rounds, limit, "znver4")

    monkeypatch.setattr(run, "measure", measured)


def test_what_was_measured_stays_when_it_is_stopped(monkeypatch, tmp_path):
    small(monkeypatch)
    done = CliRunner().invoke(app, ["bench", "peers", "--out", str(tmp_path)])
    assert done.exit_code == 130 and "stopped; what was measured is in" in done.stderr
    assert [r["on"] for r in json.loads((tmp_path / "peers.json").read_text())["results"]] == ["one"]


def test_a_table_is_shown_at_the_end_and_the_rest_stays(monkeypatch, tmp_path):
    small(monkeypatch)
    for _ in range(2):
        done = CliRunner().invoke(app, ["bench", "peers", "--out", str(tmp_path), "--only", "one"])
        assert done.exit_code == 0 and "5.0 MB" in done.stdout and "1/1 small: one" in done.stderr
    assert len(json.loads((tmp_path / "peers.json").read_text())["results"]) == 1


def test_a_case_without_its_data_is_left_out(monkeypatch, tmp_path):
    small(monkeypatch)

    def gone(*anything):
        raise FileNotFoundError("edges.parquet")

    monkeypatch.setattr(run, "measure", gone)
    done = CliRunner().invoke(app, ["bench", "peers", "--out", str(tmp_path), "--only", "one"])
    assert done.exit_code == 0 and "SKIPSTONE_DATA" in done.stderr


def test_the_cases_are_listed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["bench", "peers", "--list", "--only", "TPC-H Q5", "--peers", "duckdb"])
    assert done.exit_code == 0 and "TPC-H Q5: scale 0.01" in done.stdout and "Polars" not in done.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("wrong", "said"), [(["--peers", "oracle"], "no peer called oracle"), (["--only", "zebra"], "no case has 'zebra'")]
)
def test_what_there_is_not_is_said(wrong, said):
    done = CliRunner().invoke(app, ["bench", "peers", *wrong])
    assert done.exit_code == 1 and said in done.stderr


def test_without_the_folder_there_is_a_line_and_a_repair(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(skipstone.cli, "__file__", str(tmp_path / "a" / "b" / "cli.py"))
    done = CliRunner().invoke(app, ["bench", "peers"])
    assert done.exit_code == 1 and len(done.stderr.splitlines()) == 1
    assert "benchmarks/peers" in done.stderr and "checkout" in done.stderr


# ---------------------------------------------------------------------- the pages


def made_up():
    """A result for every case: ours takes a second for a million rows, and whoever else grows with the square."""
    found = []
    for case in cases.cases():
        rows = growth.size(case.on) if case.question.grows else 10**6
        timings = [
            measure.Timing(
                PEERS[peer].label, peer, threads, first=5.0, fresh=3.0, memory=10**7,
                seconds=rows / 1e6 if peer == OURS else (rows / 1e6) ** 2,
            )
            for peer in case.question.ways
            for threads in PEERS[peer].threads
        ]  # fmt: skip
        found.append(vars(measure.Result(case.question.name, case.on, list(map(vars, timings)), 1, 60.0, "znver4")))
    return {"machine": {"cores": 2}, "rounds": 1, "peers": {}, "results": found}


def test_the_page_has_a_place_for_everything():
    text = page.made(page.PAGE.read_text(), made_up())
    assert page.NOTHING[0] not in text
    for case in cases.cases():
        assert f"| {case.name} |" in text
    assert "| growth, hard triangles | skipstone | 1.00 | 10,000,000 |" in text
    assert "| growth, hard triangles | DuckDB | 2.00 | 10,000,000 |" in text


def test_the_pictures_are_drawn(tmp_path):
    pytest.importorskip("matplotlib", reason="the pictures need the extra `plot`")
    from benchmarks.peers import pictures

    names = {path.name for path in pictures.draw(made_up(), tmp_path)}
    assert names == {"peers-means.svg", "peers-growth.svg"} == {path.name for path in tmp_path.iterdir()}


def test_the_page_shows_what_was_kept():
    for path in (page.PAGE, page.ROOT / "README.md"):
        text = path.read_text()
        assert page.made(text, kept("peers")) == text, "run `python -m benchmarks.peers --no-measure`"
