"""The tutorial works as written: its files, its mistake, its test, its lock file, its messages."""

from __future__ import annotations

import re
from pathlib import Path

from bs4 import BeautifulSoup
from golden_demo import DEMO, build
from terminal import Terminal

PAGE = (DEMO / "getting-started.md").read_text(encoding="utf-8")
FILE = re.compile(
    r'^(?P<fence>`{3,})\w+ title="(?P<name>.*?)"\n(?P<text>.*?)^(?P=fence)$',
    re.MULTILINE | re.DOTALL,
)
*FIRST, (INDEX, TESTED) = [(match["name"], match["text"]) for match in FILE.finditer(PAGE)]
FILES = dict(FIRST)
OUTPUT = re.compile(r"^```text\n(.*?)\n```$", re.MULTILINE | re.DOTALL)


def test_each_step_of_the_tutorial_does_what_the_page_says(tmp_path: Path) -> None:
    assert [*FILES, INDEX] == ["mkdocs.yml", "docs/tokens.md", "docs/index.md", "docs/index.md"]
    (tmp_path / "docs").mkdir()
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    built = build(tmp_path / "mkdocs.yml", tmp_path / "site")
    assert built.returncode == 0, built.stderr
    page = BeautifulSoup((tmp_path / "site/index.html").read_bytes(), "html.parser")
    (quote,) = page.select("blockquote.recall p")
    assert " ".join(quote.get_text().split()) == (
        "A token is valid for 90 days unless it was created with --days. No token lives longer "
        "than 365 days. Seven days before a token ends, Larch sends a mail to its owner. "
        "— Tokens › Lifetime"
    )
    warning, change = OUTPUT.findall(PAGE)

    index = tmp_path / "docs/index.md"
    index.write_text(FILES["docs/index.md"].replace("tokens.md", "token.md"), encoding="utf-8")
    built = build(tmp_path / "mkdocs.yml", tmp_path / "site")
    assert built.returncode == 1
    assert warning in built.stderr
    index.write_text(TESTED, encoding="utf-8")

    terminal = Terminal(tmp_path)
    assert terminal.run("lock").status == 0
    assert terminal.run("check").status == 0
    edited = FILES["docs/tokens.md"].replace("90 days", "60 days")
    (tmp_path / "docs/tokens.md").write_text(edited, encoding="utf-8")
    checked = terminal.run("check")
    assert checked.status == 3
    assert "expected '90 days', which is nowhere in the site" in checked.out
    assert change in checked.out
    assert build(tmp_path / "mkdocs.yml", tmp_path / "site").returncode == 1
    index.write_text(TESTED.replace("90 days", "60 days"), encoding="utf-8")
    assert terminal.run("lock", "--accept").status == 0
    assert terminal.run("check").status == 0
