"""The tables of compatible programs: an existing test, or a date, backs each row."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^\| (?P<name>(?!Name|Generator)[^|]+) \| (.+?) \| (.+?) \|$", re.MULTILINE)
BY_HAND = re.compile(r"tried by hand on \d{4}-\d\d-\d\d with version (\S+)")
HOSTS = ("hugo", "sphinx", "techdocs", "zensical")


@dataclass(frozen=True)
class Row:
    """What the page says of a neighbour."""

    title: str
    versions: str
    backing: str

    @property
    def name(self) -> str:
        """Its own name, as `mkdocs.yml` or its makers write it."""
        return self.title.partition(" (")[0].strip("`")

    @property
    def packages(self) -> set[str]:
        """The names that may be those of packages."""
        return {self.name.lower(), *re.findall(r"`([\w-]+)`", self.title)}


ROWS = [
    Row(*row) for row in ROW.findall((ROOT / "demo_site/works-with.md").read_text(encoding="utf-8"))
]


def group(name: str) -> list[tuple[str, str]]:
    """Return the packages of a dependency group, with their version bounds."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    match = re.search(rf"^{name} = \[(.*?)^\]$", text, re.DOTALL | re.MULTILINE)
    assert match, name
    return re.findall(r'"([\w-]+)[>=]=([\d.]+)"', match[1])


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_each_row_names_its_test_or_the_day_of_a_trial(row: Row) -> None:
    if tried := BY_HAND.fullmatch(row.backing):
        assert tried[1] == row.versions
        return
    path = row.backing.strip("`")
    assert path.startswith("tests/")
    text = (ROOT / path).read_text(encoding="utf-8")
    word = row.name.partition(" ")[0]
    quoted = row.title.startswith("`")  # a plugin or extension, which the test lists by this name
    assert f'"{word}"' in text if quoted else word.lower() in text.lower()


def test_each_tested_neighbour_and_host_has_a_row_with_its_version() -> None:
    wanted = group("neighbours") + group("docs")
    wanted += [pin for host in HOSTS for pin in group(host) if host in pin[0]]
    assert len(wanted) > 20
    for package, version in wanted:
        rows = [row for row in ROWS if package in row.packages]
        assert rows, package
        if package != "mkdocstrings-python":  # it has a row with mkdocstrings
            assert all(row.versions.startswith(version) for row in rows), package


def test_the_sites_and_plugins_that_people_ask_for_are_on_the_page() -> None:
    names = {row.name for row in ROWS}
    assert {"MkDocs", "ProperDocs", "TechDocs", "Zensical", "Hugo", "Sphinx"} < names
    assert {"pymdownx.snippets", "blog", "mike", "git-revision-date"} < names
