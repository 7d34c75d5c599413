"""The command line."""

import subprocess
import sys

import pytest
from typer.testing import CliRunner

from skipstone.cli import app

run = CliRunner().invoke


def test_help_lists_the_commands():
    text = run(app, ["--help"]).output
    assert all(command in text for command in ("demo", "laws", "cache", "info"))


@pytest.mark.parametrize("command", ["demo", "laws", "info", "cache info", "cache clear"])
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
    assert "numba" in run(app, ["info"]).output


def test_demo_runs_and_checks_itself():
    done = run(app, ["demo"])
    assert done.exit_code == 0, done.exception
    assert "triangles" in done.output and "15.5" in done.output


def test_it_is_installed_as_a_command():
    done = subprocess.run([sys.executable, "-m", "skipstone.cli", "info"], capture_output=True, text=True)
    assert done.returncode == 0 and "skipstone" in done.stdout


def test_unknown_commands_fail():
    assert run(app, ["dance"]).exit_code != 0
