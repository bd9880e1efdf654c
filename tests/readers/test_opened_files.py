"""The files that a page includes are found however an extension opens them, and at what price."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from mkdocs_recall import Corpus

if TYPE_CHECKING:
    from pathlib import Path

EXTENSION = """\
import codecs
import io
import os
from io import open as copied
from pathlib import Path

from markdown import Extension
from markdown.preprocessors import Preprocessor


def through_os(path):
    with os.fdopen(os.open(path, os.O_RDONLY), encoding="utf-8") as file:
        return file.read()


WAYS = {
    "open": lambda path: open(path, encoding="utf-8").read(),
    "io": lambda path: io.open(path, encoding="utf-8").read(),
    "copied": lambda path: copied(path, encoding="utf-8").read(),
    "codecs": lambda path: codecs.open(path, encoding="utf-8").read(),
    "pathlib": lambda path: Path(path).read_text("utf-8"),
    "os": through_os,
}


class Include(Preprocessor):
    def run(self, lines):
        for line in lines:
            if line.startswith("INCLUDE "):
                _, way, path = line.split()
                yield WAYS[way](path)
            else:
                yield line

    def __init__(self, md):
        super().__init__(md)
        self.run = lambda lines: list(Include.run(self, lines))


class IncludeExtension(Extension):
    def extendMarkdown(self, md):
        md.preprocessors.register(Include(md), "include", 100)


def makeExtension(**settings):
    return IncludeExtension(**settings)
"""
READ = """\
import json, sys
hooks = 0
def count(event, arguments):
    global hooks
    hooks += event == "sys.addaudithook"
sys.addaudithook(count)
from mkdocs_recall import Corpus
read = {
    "texts": lambda: Corpus.from_markdown({"a.md": "# A\\n\\nA session expires."}),
    "folder": lambda: Corpus.from_folder("docs", cache=False),
    "built": lambda: Corpus.from_built("site", cache=False),
    "site": lambda: Corpus.from_site("mkdocs.yml", cache=False),
}
for name in sys.argv[1:]:
    assert read[name]().recall("session", source="**").passages, name
print(hooks)
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A site with an extension of its own and two pages, beside which it is built."""
    for name, text in {
        "mkdocs.yml": "site_name: Site\n",
        "docs/index.md": "# A\n\nA session expires.\n",
        "docs/b.md": "# B\n\nAnother session expires.\n",
        "site/index.html": "<h1>A</h1><p>A session expires.</p>",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def quotes(site: Path) -> list[str]:
    corpus = Corpus.from_site(site / "mkdocs.yml")
    passages = corpus.recall("weather", source="index.md").passages
    corpus.save()
    return [passage.text for passage in passages]


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize("way", ["open", "io", "copied", "codecs", "pathlib", "os"])
def test_a_file_that_a_page_includes_in_any_way_counts_as_its_own(
    site: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (site / "including.py").write_text(EXTENSION, encoding="utf-8")
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.delitem(sys.modules, "including", raising=False)
    included = site / "included.txt"
    (site / "mkdocs.yml").write_text("site_name: Site\nmarkdown_extensions: [including]\n")
    (site / "docs/index.md").write_text(f"# A\n\nINCLUDE {way} {included.as_posix()}\n")
    for text in ("The weather is rainy.", "The weather is dry."):
        included.write_text(text)
        assert quotes(site) == [text]
    monkeypatch.delitem(sys.modules, "including")


@pytest.mark.parametrize(
    ("places", "hooks"),
    [((), 0), (("texts",), 0), (("folder",), 0), (("built",), 0), (("site", "site", "texts"), 1)],
)
def test_python_gets_a_hook_only_where_a_site_is_read_and_only_one(
    site: Path, places: tuple[str, ...], hooks: int
) -> None:
    run = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", READ, *places],
        capture_output=True,
        text=True,
        check=True,
        cwd=site,
        env={**os.environ, "XDG_CACHE_HOME": str(site / "cache")},
    )
    assert json.loads(run.stdout) == hooks
