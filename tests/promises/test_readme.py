"""The README says what is so: its fence becomes its quote, its Python prints its output."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING
from urllib.parse import urljoin

import markdown
from bs4 import BeautifulSoup
from golden_demo import DEMO, ROOT, build, pages

from mkdocs_recall.directives.catalog import OPTIONS

if TYPE_CHECKING:
    from pathlib import Path

    from bs4 import Tag

README = (ROOT / "README.md").read_text(encoding="utf-8")


def section(heading: str) -> str:
    """Return the text below a heading, to the next of its level or above."""
    _, start, rest = README.partition(f"\n{heading}\n")
    assert start, heading
    level = heading.count("#")
    return re.split(rf"^#{{1,{level}}} (?=[A-Z])", rest, maxsplit=1, flags=re.MULTILINE)[0]


def block(text: str, language: str) -> str:
    """Return what stands in the first code block of a language."""
    pattern = rf"^(?P<fence>`{{3,}}){language}\n(.*?)^(?P=fence)$"
    match = re.search(pattern, text, re.DOTALL | re.MULTILINE)
    assert match, language
    return match[2]


def words(tag: Tag) -> str:
    return " ".join(tag.get_text(" ").split())


def test_the_fence_becomes_the_quote_in_a_real_build(tmp_path: Path) -> None:
    shown = section("## What it looks like")
    quote = "\n".join(re.findall(r"^> ?(.*)$", shown, re.MULTILINE))
    said = BeautifulSoup(markdown.markdown(quote), "html.parser")
    (tmp_path / "mkdocs.yml").write_text(
        "site_name: Test\nplugins: [recall]\nmarkdown_extensions: [admonition]\n", encoding="utf-8"
    )
    shutil.copytree(DEMO / "handbook", tmp_path / "docs" / "handbook")
    (tmp_path / "docs" / "index.md").write_text(block(shown, "markdown"), encoding="utf-8")

    result = build(tmp_path / "mkdocs.yml", tmp_path / "site", strict=False)

    assert result.returncode == 0, result.stderr
    assert "recall: 1 directive answered, 0 by fallback, 0 from the cache" in result.stderr
    (made,) = pages(tmp_path / "site")["index.html"].find_all("blockquote")
    assert words(made) == words(said)
    assert [words(tag) for tag in made("strong")] == [words(tag) for tag in said("strong")]
    assert [urljoin("demo_site/", str(a["href"])) for a in made("a")] == [
        str(a["href"]).replace(".md#", "/#") for a in said("a")
    ]


def test_the_python_block_prints_what_stands_below_it() -> None:
    shown = section("## From Python")
    result = subprocess.run(  # noqa: S603 - our own interpreter, our own README
        [sys.executable, "-c", block(shown, "python")],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONUTF8": "1"},
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout == block(shown, "text")


def test_the_table_of_options_has_every_option_and_its_default() -> None:
    rows = re.findall(
        r"^\| `(\w+)` \| (\S+) \| (.+?) \| ", section("## Use it in your site"), re.MULTILINE
    )
    assert [(name, for_, default) for name, for_, default in rows if name != "language"] == [
        (
            option.name,
            "both" if len(option.directives) > 1 else f"`{option.directives[0]}`",
            option.default,
        )
        for option in OPTIONS
        if option.name != "language"  # shortened there
    ]
    assert "language" in [name for name, _, _ in rows]


def test_every_file_it_links_to_is_there() -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)", README)
    assert len(links) > 10
    assert [link for link in links if not (ROOT / link).is_file()] == []
