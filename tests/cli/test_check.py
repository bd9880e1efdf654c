"""`lock` and `check`: changed answers are reported with their place until accepted."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path
from urllib.parse import unquote

import pytest
import yaml
from golden_demo import DEMO, ROOT, build
from tables import Steps, beside, tabled
from terminal import Terminal

AUTH = "# Auth\n\n## Expiry\n\nA session expires after 12 hours. It says so, too.\n"
HOME: str = beside(__file__)["HOME"]
PAGES = {"index.md": HOME, "auth.md": AUTH, "b.md": "# B\n\nA token lets a program in.\n"}
ASKED = "100%: when, exactly, does a session expire?"
TAKE = "if that is right, accept it with 'mkdocs-recall lock --accept'"

CONFIG = "site_name: Larch\nplugins: [recall]\n"


@tabled
def test_check_tells_what_has_changed_or_is_wrong(terminal: Terminal, case: Steps) -> None:
    terminal.follow(case)


@pytest.fixture
def locked(terminal: Terminal) -> Terminal:
    """The same, with their answers locked."""
    assert terminal.run("lock").status == 0
    return terminal


def lock_of(terminal: Terminal) -> bytes:
    return (terminal.folder / "recall.lock").read_bytes()


def test_the_first_lock_is_beside_mkdocs_yml_and_all_is_well(terminal: Terminal) -> None:
    outcome = terminal.run("lock")
    assert (outcome.status, outcome.out, outcome.err) == (0, "", "'recall.lock' holds 2 answers.\n")
    answers = yaml.safe_load(lock_of(terminal))["answers"]
    assert [answer["text"] for answer in answers] == [
        "A session expires after 12 hours.",
        "A token lets a program in.",
    ]
    assert [answer["sources"] for answer in answers] == [["auth.md#expiry"], ["b.md#b"]]
    outcome = terminal.run("check")
    assert (outcome.status, outcome.out, outcome.err) == (0, "", "")
    below = Terminal(terminal.folder / "docs")
    assert below.run("check").status == 0


def test_a_lock_has_the_same_bytes_on_any_day_with_any_cache(locked: Terminal) -> None:
    first = lock_of(locked)
    assert locked.run("lock", variables={"PYTHONHASHSEED": "1"}).status == 0
    assert lock_of(locked) == first
    shutil.rmtree(locked.cache)
    assert locked.run("lock", variables={"PYTHONHASHSEED": "2"}).status == 0
    assert lock_of(locked) == first


def test_changed_answers_are_reported_with_their_line_until_accepted(locked: Terminal) -> None:
    locked.edit("docs/auth.md", "12 hours", "30 minutes")
    changed = (
        f"docs/index.md:7: recall '{ASKED}': answer changed, since the page changed\n"
        "- A session expires after 12 hours.\n"
        "+ A session expires after 30 minutes.\n"
        "  from auth.md#expiry\n"
    )
    for _ in range(2):
        outcome = locked.run("check")
        assert (outcome.status, outcome.out) == (3, changed)
        assert outcome.err == f"1 answer changed; {TAKE}.\n"
    before = lock_of(locked)
    outcome = locked.run("lock")
    assert (outcome.status, outcome.out) == (3, changed)
    assert outcome.err == f"Error: 'recall.lock' is not written: 1 answer changed; {TAKE}\n"
    assert lock_of(locked) == before
    assert locked.run("lock", "--accept").status == 0
    assert lock_of(locked) == before.replace(b"12 hours", b"30 minutes")
    assert locked.run("check").status == 0


def test_github_gets_annotations_with_all_that_it_reads_escaped(locked: Terminal) -> None:
    locked.edit("docs/auth.md", "12 hours", "30 minutes: 50 %")
    locked.edit("docs/index.md", "max_sentences: 1", "max_sentences: 1\nexpect: 12 hours")
    (locked.folder / "docs/index.md").rename(locked.folder / "docs/a, b.md")
    assert locked.run("lock", "--accept").status == 3
    locked.edit("docs/auth.md", "50 %", "60 %")
    outcome = locked.run("check", "--format", "github")
    assert outcome.status == 3
    (annotation,) = outcome.out.splitlines()
    assert annotation == (
        "::error file=docs/a%2C b.md,line=7,title=recall%3A expectation not met%2C "
        "answer changed%2C since the page changed::expected "
        "'12 hours', which is nowhere in the site; the quote is \"A session expires after "
        '30 minutes: 60 %25." from auth.md#expiry'
        "%0A'100%25: when, exactly, does a session expire?'"
        "%0A- A session expires after 30 minutes: 50 %25."
        "%0A+ A session expires after 30 minutes: 60 %25."
        "%0A  from auth.md#expiry"
    )
    properties = re.fullmatch(r"::error (.*?)::(.*)", annotation)
    assert properties
    read = dict(each.split("=") for each in properties[1].split(","))
    assert {name: unquote(value) for name, value in read.items()} == {
        "file": "docs/a, b.md",
        "line": "7",
        "title": "recall: expectation not met, answer changed, since the page changed",
    }


def test_github_gets_paths_from_the_root_of_the_repository(locked: Terminal) -> None:
    locked.edit("docs/auth.md", "12 hours", "30 minutes")
    name = locked.folder.name
    variables = {"GITHUB_WORKSPACE": str(locked.folder.parent)}
    outcome = locked.run("check", "--format", "github", variables=variables)
    assert outcome.out.startswith(f"::error file={name}/docs/index.md,line=7,title=")


def test_a_fence_with_an_error_is_reported_and_nothing_is_written(locked: Terminal) -> None:
    before = lock_of(locked)
    locked.edit("docs/index.md", "max_sentences", "max_sentence")
    message = (
        "docs/index.md:10: recall: unknown option 'max_sentence'; did you mean 'max_sentences'?\n"
    )
    for arguments in (["lock"], ["lock", "--accept"]):
        outcome = locked.run(*arguments)
        assert (outcome.status, outcome.out, outcome.err) == (2, "", f"Error: {message}")
    assert lock_of(locked) == before
    outcome = locked.run("check")
    assert (outcome.status, outcome.out) == (2, message)
    outcome = locked.run("check", "--format", "github")
    assert outcome.out.startswith(
        "::error file=docs/index.md,line=10,title=recall%3A mistake::unknown"
    )


@pytest.mark.skipif(sys.platform == "win32", reason="folders cannot be closed to writing there")
def test_a_folder_that_cannot_be_written_is_reported(terminal: Terminal) -> None:
    (terminal.folder / "recall.lock").mkdir()
    outcome = terminal.run("lock", "--accept")
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.startswith("Error: 'recall.lock' cannot be written: ")
    assert outcome.err.count("\n") == 1


HOURS = """
def on_page_markdown(markdown, page, config, files):
    return markdown.replace("HOURS", "12 hours")
"""
MADE: str = beside(__file__)["MADE"]


def test_a_built_site_is_checked_with_all_that_its_plugins_have_added(terminal: Terminal) -> None:
    terminal.write({"made.html": MADE})
    terminal.edit("docs/auth.md", "12 hours", "HOURS")
    terminal.edit("docs/index.md", "max_sentences: 1", "max_sentences: 1\nexpect: 12 hours")
    (terminal.folder / "hook.py").write_text(HOURS, encoding="utf-8")
    terminal.configure("site_name: Larch\nplugins: [recall]\nhooks: [hook.py]\n")
    built = build(terminal.folder / "mkdocs.yml", terminal.folder / "site")
    assert built.returncode == 0, built.stderr
    assert terminal.run("lock").status == 3
    outcome = terminal.run("lock", "--accept", "--built", "site")
    assert (outcome.status, outcome.err) == (0, "'recall.lock' holds 2 answers.\n")
    assert b"    text: A session expires after 12 hours.\n" in lock_of(terminal)
    assert terminal.run("check", "--built", "site").status == 0
    terminal.edit("docs/index.md", "12 hours", "13 hours")
    outcome = terminal.run("check", "--built", "site")
    assert (outcome.status, outcome.out[:55]) == (
        3,
        "docs/index.md:7: recall: expected '13 hours', which is ",
    )
    shutil.rmtree(terminal.folder / "site")
    assert terminal.run("check", "--built", "site").status == 2


@pytest.fixture
def demo(tmp_path: Path) -> Terminal:
    """A terminal in a copy of the demo site."""
    shutil.copytree(DEMO, tmp_path / "demo_site")
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    return Terminal(tmp_path)


def test_a_build_warns_of_an_unmet_expectation_in_the_words_of_check(terminal: Terminal) -> None:
    terminal.edit("docs/index.md", "max_sentences: 1", "max_sentences: 1\nexpect: 30 minutes")
    assert terminal.run("lock").status == 3
    outcome = terminal.run("check")
    assert outcome.status == 3
    message = next(line for line in outcome.out.splitlines() if "expected '30 minutes'" in line)
    built = build(terminal.folder / "mkdocs.yml", terminal.folder / "site")
    assert built.returncode == 1
    assert f"WARNING -  {message.removeprefix('docs/')}\n" in built.stderr


def test_check_answers_like_a_build(demo: Terminal) -> None:
    """Both read the same site: what is quoted by the one is locked by the other."""
    assert demo.run("lock").status == 0
    golden = yaml.safe_load((ROOT / "tests/golden/demo_quotes.yaml").read_text(encoding="utf-8"))
    quoted: dict[str, str] = {}
    for name, quotes in golden.items():
        parts = [part for quote in quotes for part in quote["text"]]
        texts = [part["text"] if isinstance(part, dict) else part for part in parts]
        quoted[name] = squeezed(" ".join(texts))
    answers = yaml.safe_load(lock_of(demo))["answers"]
    for answer in answers:
        page = answer["page"].removesuffix(".md").removesuffix("index")
        name = f"{page.rstrip('/')}/index.html".lstrip("/")
        for passage in answer.get("passages", []):
            sentence = re.sub(r"^\d+\. ", "", passage.partition("\n")[0])
            whole = squeezed(sentence) in quoted[name]
            cells = [cell.partition(": ")[2] for cell in sentence.split(" — ")]  # of a row
            is_row = len(cells) > 1 and all(squeezed(cell) in quoted[name] for cell in cells)
            assert whole or is_row, sentence
    assert len(answers) > 20


def squeezed(text: str) -> str:
    """Return a text without white space, which code and lists have in other places."""
    return "".join(text.split())
