"""`lock` and `check`: what has changed is told with its place, by whom it is read, until taken."""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path
from urllib.parse import unquote

import pytest
import yaml
from golden_demo import DEMO, ROOT, build
from tables import beside
from terminal import Terminal

AUTH = "# Auth\n\n## Expiry\n\nA session expires after 12 hours. It says so, too.\n"
HOME: str = beside(__file__)["HOME"]
PAGES = {"index.md": HOME, "auth.md": AUTH, "b.md": "# B\n\nA token lets a program in.\n"}
ASKED = "100%: when, exactly, does a session expire?"
TAKE = "if that is right, accept it with 'mkdocs-recall lock --accept'"

CONFIG = "site_name: Larch\nplugins: [recall]\n"


def test_a_directive_has_one_annotation_and_faults_are_counted(terminal: Terminal) -> None:
    fence = "```recall\nsource: auth.md\nquery: when does a session expire?\nexpect: {}\n```\n"
    terminal.write({"new.md": fence.format("12 hours")})
    assert terminal.run("lock").status == 0
    edit(terminal, "auth.md", "12 hours", "a week")
    said = terminal.run("check", "--json")
    kinds = [one["kind"] for one in json.loads(said.out)["findings"] if one["page"] == "new.md"]
    assert kinds == ["unmet", "changed"]
    shown = terminal.run("check", "--format", "github")
    (annotation,) = [line for line in shown.out.splitlines() if "new.md" in line.split("::")[1]]
    assert "title=recall%3A expectation not met%2C answer changed" in annotation
    assert "1 finding: expectation not met.\n" in shown.err


def test_a_lock_that_is_written_reports_what_is_unmet_without_an_error(terminal: Terminal) -> None:
    fence = "```recall\nsource: auth.md\nquery: when does a session expire?\nexpect: walrus\n```\n"
    terminal.write({"new.md": fence})
    said = terminal.run("lock")
    assert (said.status, "Error" in said.err) == (3, False)
    assert "docs/new.md:1: recall: expected 'walrus'" in said.err
    assert "'recall.lock' holds 3 answers." in said.err


@pytest.fixture
def locked(terminal: Terminal) -> Terminal:
    """The same, with their answers locked."""
    assert terminal.run("lock").status == 0
    return terminal


def edit(terminal: Terminal, uri: str, old: str, new: str) -> None:
    path = terminal.folder / "docs" / uri
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def lock_of(terminal: Terminal) -> bytes:
    return (terminal.folder / "recall.lock").read_bytes()


def test_the_first_lock_is_beside_mkdocs_yml_and_all_is_well(terminal: Terminal) -> None:
    said = terminal.run("lock")
    assert (said.status, said.out, said.err) == (0, "", "'recall.lock' holds 2 answers.\n")
    answers = yaml.safe_load(lock_of(terminal))["answers"]
    assert [each["text"] for each in answers] == [
        "A session expires after 12 hours.",
        "A token lets a program in.",
    ]
    assert [each["sources"] for each in answers] == [["auth.md#expiry"], ["b.md#b"]]
    said = terminal.run("check")
    assert (said.status, said.out, said.err) == (0, "", "")
    below = Terminal(terminal.folder / "docs")
    assert below.run("check").status == 0


def test_a_lock_is_the_same_bytes_on_each_day_and_from_each_cache(locked: Terminal) -> None:
    first = lock_of(locked)
    assert locked.run("lock", variables={"PYTHONHASHSEED": "1"}).status == 0
    assert lock_of(locked) == first
    shutil.rmtree(locked.cache)
    assert locked.run("lock", variables={"PYTHONHASHSEED": "2"}).status == 0
    assert lock_of(locked) == first


def test_what_has_changed_is_told_with_its_line_until_it_is_taken(locked: Terminal) -> None:
    edit(locked, "auth.md", "12 hours", "30 minutes")
    changed = (
        f"docs/index.md:7: recall '{ASKED}': answer changed, since the page changed\n"
        "- A session expires after 12 hours.\n"
        "+ A session expires after 30 minutes.\n"
        "  from auth.md#expiry\n"
    )
    for _ in range(2):
        said = locked.run("check")
        assert (said.status, said.out) == (3, changed)
        assert said.err == f"1 answer changed; {TAKE}.\n"
    before = lock_of(locked)
    said = locked.run("lock")
    assert (said.status, said.out) == (3, changed)
    assert said.err == f"Error: 'recall.lock' is not written: 1 answer changed; {TAKE}\n"
    assert lock_of(locked) == before
    assert locked.run("lock", "--accept").status == 0
    assert lock_of(locked) == before.replace(b"12 hours", b"30 minutes")
    assert locked.run("check").status == 0


def test_an_edit_that_changes_no_answer_is_no_change(locked: Terminal) -> None:
    edit(locked, "auth.md", "It says so, too.", "It says nothing else.")
    edit(locked, "index.md", "# Home\n", "# Home\n\nMore of it.\n")
    edit(locked, "index.md", "max_sentences: 1", "max_sentences: 1\nformat: list\ncite: false")
    assert locked.run("check").status == 0


def test_what_is_new_and_what_is_gone_are_changes_too(locked: Terminal) -> None:
    locked.write({"c.md": "# C\n\n```synopsis\nsource: b.md\n```\n"})
    edit(locked, "index.md", "synopsis\nsource: b.md", "text\nnothing")
    said = locked.run("check")
    assert said.status == 3
    assert said.out == (
        "docs/c.md:3: synopsis: new answer\n"
        "+ A token lets a program in.\n"
        "+ from b.md#b\n"
        "\n"
        "docs/index.md: synopsis: answer gone\n"
        "- A token lets a program in.\n"
        "- from b.md#b\n"
    )
    (locked.folder / "docs/c.md").unlink()
    (locked.folder / "docs/index.md").unlink()
    heads = [each.partition("\n")[0] for each in locked.run("check").out.split("\n\n")]
    assert heads == [f"index.md: recall '{ASKED}': answer gone", "index.md: synopsis: answer gone"]


def test_github_gets_annotations_with_all_that_it_reads_escaped(locked: Terminal) -> None:
    edit(locked, "auth.md", "12 hours", "30 minutes: 50 %")
    edit(locked, "index.md", "max_sentences: 1", "max_sentences: 1\nexpect: 12 hours")
    (locked.folder / "docs/index.md").rename(locked.folder / "docs/a, b.md")
    assert locked.run("lock", "--accept").status == 3
    edit(locked, "auth.md", "50 %", "60 %")
    said = locked.run("check", "--format", "github")
    assert said.status == 3
    (annotation,) = said.out.splitlines()
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
    edit(locked, "auth.md", "12 hours", "30 minutes")
    name = locked.folder.name
    variables = {"GITHUB_WORKSPACE": str(locked.folder.parent)}
    said = locked.run("check", "--format", "github", variables=variables)
    assert said.out.startswith(f"::error file={name}/docs/index.md,line=7,title=")


def test_a_program_gets_json(locked: Terminal) -> None:
    assert json.loads(locked.run("check", "--format", "json").out) == {"schema": 1, "findings": []}
    edit(locked, "auth.md", "12 hours", "30 minutes")
    said = locked.run("check", "--json")
    assert said.status == 3
    before = {
        "sources": ["auth.md#expiry"],
        "passages": ["A session expires after 12 hours."],
        "text": "A session expires after 12 hours.",
        "fallback": None,
    }
    text = "A session expires after 30 minutes."
    assert json.loads(said.out) == {
        "schema": 1,
        "findings": [
            {
                "kind": "changed",
                "page": "index.md",
                "file": str(locked.folder / "docs/index.md"),
                "line": 7,
                "directive": "recall",
                "query": [ASKED],
                "message": "",
                "cause": "page",
                "why": "the page changed",
                "before": before,
                "after": before | {"passages": [text], "text": text},
            }
        ],
    }


def test_an_unmet_expectation_fails_an_unchanged_check(terminal: Terminal) -> None:
    edit(terminal, "index.md", "max_sentences: 1", "max_sentences: 1\nexpect: 30 minutes")
    message = (
        "docs/index.md:7: recall: expected '30 minutes', which is nowhere in the site; "
        'the quote is "A session expires after 12 hours." from auth.md#expiry\n'
    )
    said = terminal.run("lock")
    assert (said.status, said.err) == (3, f"{message}'recall.lock' holds 2 answers.\n")
    said = terminal.run("check")
    closing = "1 finding: expectation not met.\n"
    assert (said.status, said.out, said.err) == (3, message, closing)
    edit(terminal, "index.md", "30 minutes", "/12 \\w+/")
    assert terminal.run("check").status == 0


def test_a_fence_with_a_mistake_is_told_and_nothing_is_written(locked: Terminal) -> None:
    before = lock_of(locked)
    edit(locked, "index.md", "max_sentences", "max_sentence")
    message = (
        "docs/index.md:10: recall: unknown option 'max_sentence'; did you mean 'max_sentences'?\n"
    )
    for arguments in (["lock"], ["lock", "--accept"]):
        said = locked.run(*arguments)
        assert (said.status, said.out, said.err) == (2, "", f"Error: {message}")
    assert lock_of(locked) == before
    said = locked.run("check")
    assert (said.status, said.out) == (2, message)
    said = locked.run("check", "--format", "github")
    assert said.out.startswith(
        "::error file=docs/index.md,line=10,title=recall%3A mistake::unknown"
    )


def test_no_lock_file_or_a_broken_one_cannot_be_compared(terminal: Terminal) -> None:
    said = terminal.run("check")
    assert (said.status, said.out) == (2, "")
    assert said.err == "Error: there is no 'recall.lock'; write it with 'mkdocs-recall lock'\n"
    path = terminal.folder / "recall.lock"
    path.write_text("<<<<<<< HEAD\n", encoding="utf-8")
    for command in ("check", "lock"):
        said = terminal.run(command)
        assert (said.status, said.out) == (2, "")
        assert said.err == (
            "Error: 'recall.lock' is not a readable lock file: it has a merge conflict in line 1; "
            "take it from version control, or rewrite it with "
            "'mkdocs-recall lock --accept'\n"
        )
    assert terminal.run("lock", "--accept").status == 0
    assert terminal.run("check").status == 0


@pytest.mark.skipif(sys.platform == "win32", reason="folders cannot be closed to writing there")
def test_a_folder_that_cannot_be_written_is_told(terminal: Terminal) -> None:
    (terminal.folder / "recall.lock").mkdir()
    said = terminal.run("lock", "--accept")
    assert (said.status, said.out) == (2, "")
    assert said.err.startswith("Error: 'recall.lock' cannot be written: ")
    assert said.err.count("\n") == 1


def test_the_defaults_of_the_site_count_also_those_it_inherits(terminal: Terminal) -> None:
    edit(terminal, "b.md", "in.", "in. A token never expires.")
    (terminal.folder / "base.yml").write_text(
        "plugins:\n  recall:\n    max_sentences: 1\n", encoding="utf-8"
    )
    terminal.configure("INHERIT: base.yml\nsite_name: Larch\nplugins:\n  recall: {}\n")
    assert terminal.run("lock").status == 0
    terminal.configure("INHERIT: base.yml\nsite_name: Larch\nplugins: [recall]\n")
    said = terminal.run("check")
    assert (said.status, "+ A token never expires." in said.out) == (3, True)
    terminal.configure("site_name: Larch\nplugins: [recall: {max_sentences: x}]\n")
    said = terminal.run("check")
    assert (said.status, said.out) == (2, "")
    assert "mkdocs.yml: recall: 'max_sentences' must be a whole number, not 'x'" in said.err


def test_without_a_site_the_lock_is_beside_the_folder_of_pages(terminal: Terminal) -> None:
    (terminal.folder / "mkdocs.yml").unlink()
    assert terminal.run("lock", "--docs", "docs").err == "'recall.lock' holds 2 answers.\n"
    assert terminal.run("check", "--docs", "docs").status == 0
    edit(terminal, "b.md", "lets", "will let")
    assert terminal.run("check", "--docs", "docs").status == 3


HOURS = """
def on_page_markdown(markdown, page, config, files):
    return markdown.replace("HOURS", "12 hours")
"""
MADE = """<!doctype html>
<html><head><title>Made</title></head><body><main><h1>Made</h1><p>A session is long:
```recall
querry: x
```
</p></main></body></html>
"""


def test_a_built_site_is_checked_with_all_that_its_plugins_have_added(terminal: Terminal) -> None:
    terminal.write({"made.html": MADE})
    edit(terminal, "auth.md", "12 hours", "HOURS")
    edit(terminal, "index.md", "max_sentences: 1", "max_sentences: 1\nexpect: 12 hours")
    (terminal.folder / "hook.py").write_text(HOURS, encoding="utf-8")
    terminal.configure("site_name: Larch\nplugins: [recall]\nhooks: [hook.py]\n")
    built = build(terminal.folder / "mkdocs.yml", terminal.folder / "site")
    assert built.returncode == 0, built.stderr
    assert terminal.run("lock").status == 3
    said = terminal.run("lock", "--accept", "--built", "site")
    assert (said.status, said.err) == (0, "'recall.lock' holds 2 answers.\n")
    assert b"    text: A session expires after 12 hours.\n" in lock_of(terminal)
    assert terminal.run("check", "--built", "site").status == 0
    edit(terminal, "index.md", "12 hours", "13 hours")
    said = terminal.run("check", "--built", "site")
    assert (said.status, said.out[:55]) == (
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


def test_defaults_in_conf_py_hold_and_none_of_its_code_runs(terminal: Terminal) -> None:
    docs = terminal.folder / "source"
    docs.mkdir()
    (docs / "index.md").write_text(
        "# Mail\n\nMail waits. Mail goes on port 587. Mail is sent.\n\n"
        "```recall\nsource: '#mail'\nquery: which port has mail\n```\n",
        encoding="utf-8",
    )
    settings = (
        "raise SystemExit\nproject = 'Mail'\nrecall_defaults = {'max_sentences': 1, 'context': 0}\n"
    )
    (docs / "conf.py").write_text(settings, encoding="utf-8")
    assert terminal.run("lock", "--docs", "source").status == 0
    lock = (terminal.folder / "recall.lock").read_text("utf-8")
    assert "max_sentences: 1" in lock
    (docs / "conf.py").write_text("recall_defaults = {'max_sentences': 0}\n", encoding="utf-8")
    said = terminal.run("check", "--docs", "source")
    assert said.status == 2
    assert "conf.py: recall: 'max_sentences' must be 1 or more" in said.err


def test_a_query_without_an_answer_is_found_and_locked(terminal: Terminal) -> None:
    ask = "# Home\n\n```recall\nsource: auth.md\nquery: kangaroo\n{}```\n"
    terminal.write({"index.md": ask.format("")})
    said = terminal.run("lock")
    found = (
        "docs/index.md:3: recall: no sentence answers the query: a synopsis is quoted instead of "
        "an answer to 'kangaroo'; if a synopsis is enough, set 'on_empty: synopsis'\n"
    )
    assert (said.status, said.out) == (3, "")
    assert said.err == f"{found}'recall.lock' holds 1 answer.\n"
    said = terminal.run("check")
    assert (said.status, said.out, said.err) == (3, found, "1 finding: no answer.\n")
    said = terminal.run("check", "--format", "github")
    assert said.out.startswith(
        "::error file=docs/index.md,line=3,title=recall%3A no answer::no sen"
    )
    record = json.loads(terminal.run("check", "--json").out)["findings"][0]
    assert (record["kind"], record["line"], record["query"], record["message"]) == (
        *("unanswered", 3, ["kangaroo"]),
        found.partition("recall: ")[2].strip(),
    )

    terminal.write({"index.md": ask.format("expect: kangaroo\n")})
    said = terminal.run("check")
    assert (said.status, said.err) == (3, "1 finding: expectation not met.\n")
    assert "expected 'kangaroo'" in said.out

    terminal.write({"index.md": ask.format("on_empty: synopsis\n")})
    said = terminal.run("check")
    assert (said.status, said.out) == (0, "")
    assert said.err == (
        "Note: docs/index.md:3: recall 'kangaroo': a synopsis is quoted, "
        "since no sentence answers\n"
    )


def test_a_build_warns_of_an_unmet_expectation_in_the_words_of_check(terminal: Terminal) -> None:
    edit(terminal, "index.md", "max_sentences: 1", "max_sentences: 1\nexpect: 30 minutes")
    assert terminal.run("lock").status == 3
    said = terminal.run("check")
    assert said.status == 3
    message = next(line for line in said.out.splitlines() if "expected '30 minutes'" in line)
    built = build(terminal.folder / "mkdocs.yml", terminal.folder / "site")
    assert built.returncode == 1
    assert f"WARNING -  {message.removeprefix('docs/')}\n" in built.stderr


def test_what_check_answers_is_what_a_build_quotes(demo: Terminal) -> None:
    """Both read the same site: what is quoted by the one is locked by the other."""
    assert demo.run("lock").status == 0
    golden = yaml.safe_load((ROOT / "tests/golden/demo_quotes.yaml").read_text(encoding="utf-8"))
    quoted: dict[str, str] = {}
    for name, quotes in golden.items():
        parts = [part for quote in quotes for part in quote["text"]]
        texts = [part["text"] if isinstance(part, dict) else part for part in parts]
        quoted[name] = squeezed(" ".join(texts))
    answers = yaml.safe_load(lock_of(demo))["answers"]
    for each in answers:
        page = each["page"].removesuffix(".md").removesuffix("index")
        name = f"{page.rstrip('/')}/index.html".lstrip("/")
        for passage in each.get("passages", []):
            sentence = re.sub(r"^\d+\. ", "", passage.partition("\n")[0])
            whole = squeezed(sentence) in quoted[name]
            cells = [cell.partition(": ")[2] for cell in sentence.split(" — ")]  # of a row
            is_row = len(cells) > 1 and all(squeezed(cell) in quoted[name] for cell in cells)
            assert whole or is_row, sentence
    assert len(answers) > 20


def squeezed(text: str) -> str:
    """Return a text without white space, which code and lists have in other places."""
    return "".join(text.split())


def test_a_value_cut_by_yaml_is_found_beside_a_locked_answer(terminal: Terminal) -> None:
    edit(terminal, "index.md", "source: b.md", "source: b.md #b")
    cut = (
        "docs/index.md:15: synopsis: 'source' ends before '#b', which YAML treats as a comment; "
        'put it in quotes: source: "b.md#b", or move the comment to its own line\n'
    )
    said = terminal.run("lock")
    assert (said.status, said.err) == (3, f"{cut}'recall.lock' holds 2 answers.\n")
    said = terminal.run("check")
    assert (said.status, said.out, said.err) == (3, cut, "1 finding: value cut.\n")
    [finding] = json.loads(terminal.run("check", "--json").out)["findings"]
    assert (finding["kind"], finding["line"]) == ("cut", 15)


def test_a_fence_with_a_near_name_is_a_mistake_not_a_lost_answer(locked: Terminal) -> None:
    edit(locked, "index.md", "```synopsis", "```Synopsis")
    wrong = (
        "docs/index.md:14: synopsis: 'Synopsis' is not a directive, so the fence is shown as code; "
        "did you mean 'synopsis'?\n"
    )
    said = locked.run("check")
    assert (said.status, said.out, said.err) == (2, wrong, "1 finding: mistake.\n")
    assert locked.run("lock").err == f"Error: {wrong}"
