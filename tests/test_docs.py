"""The documentation holds together: links lead somewhere, every public name is looked up, and the site is built."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import skipstone as sk
from skipstone.cli import app

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"!?\[[^\]]*\]\((?!https?:)([^)#]*)(#[^)]*)?\)|(?:src|href)=\"(?!https?:)([^\"#]*)\"")


def prose(page):
    """The text of a page without its blocks of code, and without code inside of lines."""
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL))


def anchors(page):
    """The headings of a page as links name them."""
    found = re.findall(
        r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL), re.M
    )
    return {re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", heading.lower()).strip()) for heading in found}


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for path, anchor, source in LINK.findall(prose(page)):
        there = (page.parent / (path or source)) if path or source else page
        assert there.exists(), f"{path or source} is not there"
        if anchor and there.suffix == ".md":
            assert anchor[1:] in anchors(there), f"{there.name} has no heading {anchor}"


def test_every_public_name_is_in_the_reference():
    listed = re.findall(r"^::: ([\w.]+)", (ROOT / "docs" / "api.md").read_text(), re.MULTILINE)
    assert {name for name in listed if "." not in name} == set(sk.__all__)
    assert len(listed) == len(set(listed))


def test_every_error_is_described():
    """With the built-in exception that it also is."""
    page = (ROOT / "docs" / "errors.md").read_text()
    sections = dict(re.findall(r"^### (\w+)\n(.*?)(?=^##|\Z)", page, re.MULTILINE | re.DOTALL))
    found = {name: c for name, c in vars(sk.errors).items() if isinstance(c, type) and issubclass(c, Exception)}
    assert set(sections) == set(found) - {"SkipstoneError"}
    for name, text in sections.items():
        built_in = [c.__name__ for c in found[name].__bases__ if c.__module__ == "builtins"]
        assert all(f"`{each}`" in text for each in built_in), name


def test_every_page_is_in_the_navigation():
    navigation = (ROOT / "mkdocs.yml").read_text()
    pages = {p.name for p in (ROOT / "docs").glob("*.md")} | {"index.md"}
    assert set(re.findall(r": (\w+\.md)$", navigation, re.MULTILINE)) == pages


def test_every_decision_is_listed():
    decisions = ROOT / "docs" / "decisions"
    listed = re.findall(r"\((\d{4}-\S+\.md)\)", (decisions / "README.md").read_text())
    assert listed == sorted(p.name for p in decisions.glob("0*.md"))


def test_the_command_of_the_tutorial_runs_on_its_data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    subprocess.run([sys.executable, "-m", "skipstone.demo.week", "flights"], check=True, stdout=subprocess.DEVNULL)
    text = (ROOT / "docs" / "tutorial.md").read_text()
    command = re.search(r"^```\nskipstone (query .*?)^```$", text, re.MULTILINE | re.DOTALL)[1].replace("\\\n", " ")
    done = CliRunner().invoke(app, [*shlex.split(command), "--format", "csv"])
    assert done.exit_code == 0 and done.stdout.splitlines() == ["o,n", "EWR,109", "JFK,42", "LGA,129"]


def test_the_docs_name_no_file_of_the_package_that_is_not_there():
    for page in PAGES:
        if page.name != "CHANGELOG.md":
            for path in re.findall(r"`((?:src|tests|examples|benchmarks)/[\w/]+(?:\.\w+)?)`", page.read_text()):
                assert (ROOT / path).exists(), f"{page.name} names {path}"


def test_the_site_is_built_without_a_warning(tmp_path):
    pytest.importorskip("material", reason="MkDocs is not installed: pip install 'skipstone[docs]'")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", tmp_path / "site"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "sk.stream(collection" in re.sub(r"<[^>]*>", "", (tmp_path / "site" / "api.html").read_text())
