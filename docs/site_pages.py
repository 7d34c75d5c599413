"""What MkDocs is told beyond mkdocs.yml: the first page, pages of source, the reference, and how blocks are shown.

The pages under docs/ are written to be read as they are, in an editor or on a forge. These differ on the site:

- the first page is README.md;
- a link to a file of this repository leads to a page with its text;
- `::: name` in api.md becomes the name's signature and docstring, with its methods, or those named behind it;
- a block that begins with `>>>` is coloured as a session, `csv paid.csv` becomes a block with a title, and blocks that
  follow each other without a line between them stand beside each other.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files
from reference import entry

ROOT = Path(__file__).parent.parent
LINK = re.compile(r"\]\((?:\.\./)+((?:src|examples|tests|benchmarks)/[^)#]*|[A-Z]+\.md|LICENSE)\)")
FENCE = re.compile(r"^```(\w+)(?: +(\S+))?\n(?=(>>> )?)", re.MULTILINE)
BESIDE = re.compile(r"(?:^```\w[^`]*?^```\n){2,}", re.MULTILINE)
LANGUAGES = {".py": "python", ".toml": "toml"}


def on_files(files: Files, config: Any) -> Files:
    """Add README.md as the first page, and a page for each file of the repository that some page leads to."""
    files.append(File.generated(config, "index.md", content=first_page()))
    texts = [page.content_string for page in files.documentation_pages()]
    for path in sorted({found for text in texts for found in LINK.findall(text)}):
        files.append(File.generated(config, page_of(path), content=source_page(ROOT / path, path)))
    return files


def first_page() -> str:
    """README.md as seen from inside docs/."""
    text = (ROOT / "README.md").read_text()
    return re.sub(r"\]\((?!docs/|https?:|#)", "](../", text).replace("](docs/", "](")


def page_of(path: str) -> str:
    return f"source/{path.rstrip('/')}.md"


def source_page(file: Path, path: str) -> str:
    """The text of a file, or what a directory holds."""
    if not file.exists():
        raise FileNotFoundError(f"a page of the docs leads to {path}, and there is no such file")
    if file.is_dir():
        listed = "\n".join(f"- `{each.name}`" for each in sorted(file.glob("*.py")))
        return f"# {path}\n\n{listed}\n"
    return f"# {path}\n\n`````{LANGUAGES.get(file.suffix, 'text')}\n{file.read_text()}`````\n"


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    up = "../" * page.file.src_uri.count("/")
    if page.file.src_uri.startswith("source/"):
        return markdown
    markdown = LINK.sub(lambda m: f"]({up}{page_of(m[1])})", markdown)
    if page.file.src_uri == "api.md":
        markdown = re.sub(r"^::: ([\w.]+)(?:: (.*))?$", lambda m: entry(m[1], m[2]), markdown, flags=re.MULTILINE)
    markdown = BESIDE.sub(beside, markdown)
    return FENCE.sub(fence, markdown)


def beside(m: re.Match[str]) -> str:
    apart = m[0].replace("```\n```", "```\n\n```")
    return f'<div class="beside" markdown>\n\n{apart}\n</div>\n'


def fence(m: re.Match[str]) -> str:
    language = "pycon" if m[3] else m[1]
    return f'```{language} title="{m[2]}"\n' if m[2] else f"```{language}\n"
