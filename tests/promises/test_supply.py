"""What the package is made of: SECURITY.md lists it, as `pyproject.toml` and the files say."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from mkdocs_recall.text import language

ROOT = Path(__file__).parents[2]
SECURITY = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
WORDS = Path(language.__file__).parent / "stopwords"
_CELL = r"\s*([^|]+?)\s*"


def requirements() -> dict[str, tuple[Requirement, str]]:
    """Return what is needed, with the extras that need it."""
    needed: dict[str, tuple[Requirement, str]] = {}
    for line in metadata("mkdocs-recall").get_all("Requires-Dist") or []:
        requirement = Requirement(line)
        extras = re.findall(r"extra == [\"'](\w+)", str(requirement.marker or ""))
        before = needed.get(requirement.name, (requirement, ""))[1]
        needed[requirement.name] = requirement, " ".join([*before.split(), *extras])
    return needed


def rows(heading: str, cells: int) -> list[tuple[str, ...]]:
    section = SECURITY.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    found = re.findall(r"^\|" + r"\|".join([_CELL] * cells) + r"\|$", section, re.MULTILINE)
    return [row for row in found[1:] if not row[0].startswith("-")]


LISTED = {name: (use, licence) for name, use, licence, _ in rows("What it is made of", 4)}


def test_each_package_is_listed_with_the_extras_that_need_it() -> None:
    needed = requirements()
    assert sorted(LISTED) == sorted(needed)
    for name, (_, extras) in needed.items():
        assert re.findall(r"`(\w+)`", LISTED[name][0]) == extras.split(), name


@pytest.mark.parametrize("name", sorted(LISTED))
def test_each_package_has_the_licence_that_is_listed(name: str) -> None:
    try:
        about = metadata(name)
    except PackageNotFoundError:
        pytest.skip("an extra that is not installed")
    told = about["License-Expression"] or (about["License"] or "").partition("\n")[0]
    told += " ".join(line for line in about.get_all("Classifier") or [] if "License" in line)
    kinds = {kind for kind in ("MIT", "BSD", "Apache", "CNRI", "GPL", "MPL") if kind in told}
    listed = LISTED[name][1].partition(";")[0]
    assert any(kind in listed for kind in kinds), told
    assert "others" in listed or all(kind in listed for kind in kinds), told


def test_no_version_is_allowed_that_the_list_of_faults_rules_out() -> None:
    needed = requirements()
    ruled = [(row[0], row[3]) for row in rows("Known faults of these packages", 4)]
    lowest = {name: found[1] for name, how in ruled if (found := re.search(r"needed: (\S+)", how))}
    assert sorted(lowest) == ["markdown", "pymdown-extensions"]
    for name, version in lowest.items():
        versions = needed[name][0].specifier
        assert version in versions
        assert not versions.contains(f"{Version(version).major}.0")


def test_each_list_of_words_says_whose_it_is() -> None:
    told = SECURITY.partition("Those\nfor ")[2].partition(" were made")[0]
    own = re.split(r", | and ", told)
    firsts = [file.read_text(encoding="utf-8").split("\n")[0] for file in WORDS.glob("*.txt")]
    assert len(firsts) > 20
    made_here = [first for first in firsts if "chosen for this project" in first]
    assert sorted(first.split()[1] for first in made_here) == sorted(own)
    for first in set(firsts) - set(made_here):
        assert first.startswith("# Snowball's ")
