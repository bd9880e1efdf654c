"""The parts of the package: SECURITY.md lists them like `pyproject.toml` and the files."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.version import Version

from mkdocs_recall.text import language

ROOT = Path(__file__).parents[2]
SECURITY = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
WORKFLOWS = {
    file.name: yaml.safe_load(file.read_text(encoding="utf-8"))
    for file in sorted((ROOT / ".github" / "workflows").glob("*.yml"))
}
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


LISTED = {name: (use, licence) for name, use, licence, _ in rows("Dependencies", 4)}


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
    [licence, *_] = about.get_all("License-Expression") or about.get_all("License") or [""]
    licence = licence.partition("\n")[0]
    licence += " ".join(line for line in about.get_all("Classifier") or [] if "License" in line)
    kinds = {kind for kind in ("MIT", "BSD", "Apache", "CNRI", "GPL", "MPL") if kind in licence}
    listed = LISTED[name][1].partition(";")[0]
    assert any(kind in listed for kind in kinds), licence
    assert "others" in listed or all(kind in listed for kind in kinds), licence


def test_lowest_versions_exclude_listed_vulnerabilities() -> None:
    needed = requirements()
    ruled = [(row[0], row[3]) for row in rows("Known vulnerabilities of these packages", 4)]
    lowest = {name: found[1] for name, how in ruled if (found := re.search(r"needed: (\S+)", how))}
    assert sorted(lowest) == ["markdown", "pymdown-extensions"]
    for name, version in lowest.items():
        versions = needed[name][0].specifier
        assert version in versions
        assert not versions.contains(f"{Version(version).major}.0")


def test_each_list_of_words_says_whose_it_is() -> None:
    listed = SECURITY.partition("Those\nfor ")[2].partition(" were made")[0]
    names = re.split(r", | and ", listed)
    firsts = [file.read_text(encoding="utf-8").split("\n")[0] for file in WORDS.glob("*.txt")]
    assert len(firsts) > 20
    made_here = [first for first in firsts if "chosen for this project" in first]
    assert sorted(first.split()[1] for first in made_here) == sorted(names)
    for first in set(firsts) - set(made_here):
        assert first.startswith("# Snowball's ")


def steps(workflow: str, job: str) -> list[str]:
    """Return what each step of a job uses or runs."""
    found = WORKFLOWS[workflow]["jobs"][job]["steps"]
    return [str(step.get("uses") or step["run"]).partition("@")[0] for step in found]


@pytest.mark.parametrize("name", sorted(WORKFLOWS))
def test_each_action_is_pinned_to_a_commit_and_says_its_version(name: str) -> None:
    lines = (ROOT / ".github" / "workflows" / name).read_text(encoding="utf-8").splitlines()
    used = [line.partition("uses:")[2].strip() for line in lines if "uses:" in line]
    assert used
    for action in used:
        assert re.fullmatch(r"[\w/.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action), action


@pytest.mark.parametrize("name", sorted(WORKFLOWS))
def test_a_workflow_reads_and_only_the_job_that_publishes_may_write(name: str) -> None:
    assert WORKFLOWS[name]["permissions"] == {"contents": "read"}
    for job, settings in WORKFLOWS[name]["jobs"].items():
        publishes = (name, job) in {("release.yml", "publish"), ("docs.yml", "deploy")}
        assert ("permissions" in settings) == publishes, job


def test_releases_are_built_where_nothing_else_ran() -> None:
    assert steps("release.yml", "check")[-1] == ".ci/run"
    assert steps("release.yml", "build") == [
        "actions/checkout",
        "actions/setup-python",
        'python -m pip install --upgrade "pip>=25.1"',
        "python -m pip install --group dist",
        "python -m build",
        "python -m twine check --strict dist/*",
        'test -f "dist/mkdocs_recall-${GITHUB_REF_NAME#v}-py3-none-any.whl"',
        "actions/upload-artifact",
    ]
    assert steps("release.yml", "publish") == [
        "actions/download-artifact",
        "pypa/gh-action-pypi-publish",
    ]
    assert WORKFLOWS["release.yml"]["jobs"]["publish"]["needs"] == ["check", "build"]


def test_the_description_on_the_index_has_no_link_that_leads_nowhere_there() -> None:
    about = metadata("mkdocs-recall")
    description = about["Description"]
    links = re.findall(r"\]\(([^()\s]*)\)", description)
    assert links
    assert [link for link in links if not link.startswith("https://")] == []
    assert "\n> — Tokens › Lifetime\n" in description  # the text of such a link stays
