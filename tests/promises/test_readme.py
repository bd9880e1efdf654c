"""The README is true: its fences become quotes, its command prints its output."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from urllib.parse import urljoin

import markdown
from bs4 import BeautifulSoup, Tag
from golden_demo import DEMO, ROOT, build, pages
from terminal import Terminal

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
    shown = README.partition("\n## ")[0]
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
    assert [words(tag) for tag in made("code")] == [words(tag) for tag in said("code")]
    assert [urljoin("demo_site/", str(a["href"])) for a in made("a")] == [
        str(a["href"]).replace(".md#", "/#") for a in said("a")
    ]


def test_each_other_example_is_answered_in_a_strict_build(tmp_path: Path) -> None:
    shown = section("## Three examples")
    (tmp_path / "mkdocs.yml").write_text("site_name: Test\nplugins: [recall]\n", encoding="utf-8")
    shutil.copytree(DEMO / "handbook", tmp_path / "docs" / "handbook")
    (tmp_path / "docs" / "index.md").write_text(shown, encoding="utf-8")

    result = build(tmp_path / "mkdocs.yml", tmp_path / "site")

    assert "recall: 2 directives answered, 0 by fallback" in result.stderr, result.stderr
    recall, *summaries = pages(tmp_path / "site")["index.html"].find_all("blockquote")
    assert "takes" in words(recall)
    assert len(summaries) == 1


def test_the_check_prints_what_stands_below_it(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path)
    (tmp_path / "mkdocs.yml").write_text("site_name: Test\nplugins: [recall]\n", encoding="utf-8")
    shutil.copytree(DEMO / "handbook", tmp_path / "docs" / "handbook")
    fence = block(README, "markdown")
    (tmp_path / "docs" / "index.md").write_text(f"# Home\n\n{fence}", encoding="utf-8")
    assert terminal.run("lock").status == 0
    tokens = tmp_path / "docs" / "handbook" / "tokens.md"
    edited = tokens.read_text(encoding="utf-8").replace("90 days", "60 days")
    tokens.write_text(edited, encoding="utf-8")

    outcome = terminal.run("check")

    assert outcome.status == 3
    command, _, output = block(README, "console").partition("\n")
    assert command == "$ mkdocs-recall check"
    assert outcome.out + outcome.err == output


def test_the_readme_installs_on_the_first_screen_and_is_short() -> None:
    assert len(README.split()) < 700
    assert README.partition("pip install mkdocs-recall")[0].count("\n") < 30


def test_every_file_it_links_to_is_there() -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)", README)
    assert len(links) > 10
    assert [link for link in links if not (ROOT / link).is_file()] == []
