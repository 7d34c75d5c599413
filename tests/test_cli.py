"""The command line."""

import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from skipstone.cli import app

run = CliRunner().invoke


def test_help_lists_the_commands():
    text = run(app, ["--help"]).output
    assert all(command in text for command in ("query", "explain", "run", "demo", "laws", "prove", "cache", "info"))


@pytest.mark.parametrize(
    "command", ["query", "explain", "run", "demo", "laws", "prove", "info", "cache info", "cache clear"]
)
def test_every_command_has_an_example(command):
    assert "Example" in run(app, [*command.split(), "--help"]).output


def test_version():
    assert run(app, ["--version"]).output.startswith("skipstone 0.")


def test_laws():
    done = run(app, ["laws", "--states", "20"])
    assert done.exit_code == 0 and "6 kept" in done.output


def test_cache_info_and_clear(tmp_path, monkeypatch):
    monkeypatch.setenv("SKIPSTONE_CACHE_DIR", str(tmp_path))
    assert str(tmp_path) in run(app, ["cache", "info"]).output.replace("\n", "")
    assert run(app, ["cache", "clear"]).output == "removed 0 kernels\n"


def test_info():
    text = run(app, ["info"]).output
    assert all(part in text for part in ("numba", "Spark", "Java", "Arrow", "kernels"))


def test_info_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert "Install Java 17" in run(app, ["info"]).output


def in_a_process_of_its_own(*arguments, **environment):
    command = [sys.executable, "-m", "skipstone.cli", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})


def test_the_demo_goes_on_without_spark(tmp_path):
    """The story, then the pipeline, which says what is missing, and finds what is hidden all the same.

    Not in this process: another test may have started Spark in it.
    """
    done = in_a_process_of_its_own("demo", JAVA_HOME=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "triangles" in done.stdout and "15.5" in done.stdout
    assert "Spark cannot be had: Spark needs Java, and there is none in JAVA_HOME" in done.stdout
    assert "found without Spark" in done.stdout and "These are the 14 rings that were hidden." in done.stdout


def test_it_is_installed_as_a_command():
    done = in_a_process_of_its_own("info")
    assert done.returncode == 0 and "skipstone" in done.stdout


def test_unknown_commands_fail():
    assert run(app, ["dance"]).exit_code != 0
