"""README.md is executed where the files are that it shows."""

import pytest

from tests.documented import write_files


@pytest.fixture(autouse=True)
def files_of_the_readme(request, tmp_path, monkeypatch):
    if request.path.name == "README.md":
        write_files("../README.md", tmp_path)
        monkeypatch.chdir(tmp_path)
