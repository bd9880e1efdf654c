"""The commands that query pages: their matches, output and exit statuses."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from pathlib import Path

import pytest
from golden_demo import build
from repositories import Repository
from tables import Steps, beside, tabled
from terminal import Terminal

from mkdocs_recall import Corpus, Result, __version__
from mkdocs_recall.cli.group import COMMANDS
from mkdocs_recall.cli.output import progress
from mkdocs_recall.store import Cache

AUTH: str = beside(__file__)["AUTH"]
TOKENS = """\
# Tokens

A token lets a program in. No token expires by itself.
"""
HIDDEN = "# Secret\n\nThe secret session or token expires.\n"
PAGES = {"auth.md": AUTH, "guides/tokens.md": TOKENS}
QUESTION = "When does a session expire?"


def test_search_lists_rank_score_section_file_and_text(terminal: Terminal) -> None:
    outcome = terminal.run("search", QUESTION, "--min-score", "0")
    assert outcome.status == 0
    assert outcome.err == ""
    first, *others = outcome.out.splitlines()
    assert re.fullmatch(
        r"1  0\.\d{3}  auth\.md#expiry +line 10 +"
        r"A session expires after 12 hours without a request\.",
        first,
    )
    assert [line[0] for line in others] == [str(rank) for rank in range(2, len(others) + 2)]
    assert any("guides/tokens.md#tokens" in line for line in others)
    assert len({re.search(r"line \d+ ", line).start() for line in outcome.out.splitlines()}) == 1  # type: ignore[union-attr]


def test_search_cuts_a_sentence_after_a_hundred_characters(terminal: Terminal) -> None:
    long = f"A token {'very ' * 30}seldom expires."
    terminal.write({"long.md": f"# Long\n\n{long}\n"})
    outcome = terminal.run("search", "seldom", "--source", "long.md")
    shown = outcome.out.split("  ")[-1].strip()
    assert shown == f"{long[:99]}…"
    assert len(shown) == 100


def test_search_finds_more_than_recall_and_max_sentences_says_how_many(terminal: Terminal) -> None:
    terminal.write({"many.md": "# Many\n\n" + "".join(f"Item {n} is red. " for n in range(20))})
    lines = terminal.run("search", "red item", "--source", "many.md").out.splitlines()
    assert len(lines) == 10
    lines = terminal.run("search", "red item", "--max-sentences", "12").out.splitlines()
    assert len(lines) == 12
    alone = terminal.run("recall", "which item is red", "--context", "0")
    assert len(alone.out.split("\n---\n")) == 3
    together = terminal.run("recall", "which item is red")
    assert len(together.out.split("\n---\n")) == 1, "they are of one section"


REMEDY = "; to search for it anyway, use 'search' or '--trivial-query allow'.\n"


@tabled
def test_recall_skips_trivial_queries_unread(tmp_path: Path, query: str, reason: str) -> None:
    said = Terminal(tmp_path).run("recall", query)  # there is no mkdocs.yml that could be read
    assert (said.status, said.out, said.err) == (1, "", f"Recall skipped: {reason}{REMEDY}")


def test_an_unusable_cache_is_reported_and_changes_no_answer(terminal: Terminal) -> None:
    outcome = terminal.run("search", "when does a session expire")
    cache = terminal.cache
    shutil.rmtree(cache)
    cache.write_text("This is not a folder.")
    again = terminal.run("search", "when does a session expire")
    assert (again.status, again.out) == (0, outcome.out)
    assert "Note: the cache '" in again.err


@tabled
def test_a_command_finds_what_it_is_asked_for(terminal: Terminal, case: Steps) -> None:
    terminal.follow(case)


def test_explain_shows_parts_that_add_up_and_what_was_not_chosen(terminal: Terminal) -> None:
    outcome = terminal.run("explain", QUESTION, "--max-sentences", "1")
    assert outcome.status == 0
    chosen, *lost = outcome.out.split("\n\n")
    lines = chosen.splitlines()
    assert lines[0] == "1. A session expires after 12 hours without a request."
    assert lines[1] == "   auth.md#expiry (docs/auth.md:10)"
    score = float(re.fullmatch(r"   (\d\.\d{4}) structure", lines[2])[1])  # type: ignore[index]
    parts = [float(m[1]) for line in lines[3:] if (m := re.match(r" {5}(-?\d\.\d{4}) ", line))]
    assert sum(parts) == pytest.approx(score, abs=0.0003)
    assert lost
    assert all("Not chosen: " in block for block in lost)


def test_json_is_the_result_that_python_reads_back(terminal: Terminal) -> None:
    corpus = Corpus.from_site(terminal.folder / "mkdocs.yml")
    for command, context in (("recall", "auto"), ("search", 0), ("explain", "auto")):
        asked = corpus.recall(QUESTION, context=context)  # type: ignore[arg-type]
        outcome = terminal.run(command, QUESTION, "--max-sentences", "3", "--json")
        assert outcome.status == 0
        result = Result.from_json(outcome.out)
        assert [(p.text, p.source, p.score) for p in result.passages] == [
            (p.text, p.source, p.score) for p in asked.passages
        ]
    assert result.passages[0].explanation == asked.passages[0].explanation
    assert [loss.reason for loss in result.lost] == [loss.reason for loss in asked.lost]
    about = Result.from_json(terminal.run("synopsis", "auth.md", "--json").out)
    assert about.scorer == "edmundson"


@pytest.mark.slow
def test_json_is_the_same_in_every_encoding(terminal: Terminal) -> None:
    text = "Die Sitzung läuft \x9b nach 12 Stunden ab – 終わり 😀."
    terminal.write({"auth.md": f"# Sitzung\n\n{text}\n"})
    variables = {"PYTHONIOENCODING": "latin-1"}
    outcome = terminal.run("search", "Sitzung", "--json", variables=variables)
    assert json.loads(outcome.out)["passages"][0]["text"] == text
    assert "\x9b" not in outcome.out


def test_a_built_site_is_read_with_built(terminal: Terminal) -> None:
    config = "site_name: Larch\ntheme: {name: null, custom_dir: theme}\n"
    terminal.configure(config)
    page = "<html><body><main>{{ page.content }}</main></body></html>"
    terminal.write({"main.html": page}, folder="theme")
    assert build(terminal.folder / "mkdocs.yml", terminal.folder / "site").returncode == 0
    line = "A session expires after 12 hours without a request."
    outcome = terminal.run("search", QUESTION, "--built", "site", "--max-sentences", "1")
    assert outcome.out.split()[2:5] == ["auth.md#expiry", "line", "10"]
    assert line in outcome.out
    (terminal.folder / "mkdocs.yml").unlink()
    outcome = terminal.run("search", QUESTION, "--built", "site", "--max-sentences", "1")
    assert outcome.out.split()[2:4] == ["auth/index.html#expiry", "A"]
    assert line in outcome.out
    assert terminal.run("cache", "clear", "--built", "site").err.startswith("Deleted ")


def test_the_nearest_mkdocs_yml_upwards_is_read(terminal: Terminal) -> None:
    inner = Terminal(terminal.folder / "docs" / "guides")
    outcome = inner.run("search", "token", "--max-sentences", "1")
    assert outcome.status == 0
    assert "  guides/tokens.md#tokens  line 3  " in outcome.out
    config = terminal.folder / "mkdocs.yml"
    for name in ("mkdocs.yaml", "properdocs.yml"):
        config = config.rename(terminal.folder / name)
        assert inner.run("search", "token", "--max-sentences", "1").out == outcome.out


@pytest.mark.slow
def test_recall_asks_git_for_the_date_of_a_page_that_states_none(terminal: Terminal) -> None:
    def sources() -> list[str]:
        asked = (terminal.run("recall", query, "--max-sentences", "9") for query in queries)
        said = "".join(each.out for each in asked)
        return re.findall(r"^Source: (.*)$", said, re.MULTILINE)

    queries = ("which token expires", "when does a session expire", "a secret or new session")
    undated = "guides/tokens.md#tokens (docs/guides/tokens.md:3)"
    assert undated in sources()
    repository = Repository(terminal.folder)
    repository.git("init", "--quiet")
    repository.commit(5)
    for _ in range(2):  # the second time, the date comes from the cache
        assert f"{undated}, created 2024-05-05" in sources()
        assert "auth.md#expiry (docs/auth.md:10), created 2026-02-11" in sources()
    terminal.write({"new.md": "# New\n\nA new session or token expires.\n"})
    assert "new.md#new (docs/new.md:3)" in sources()
    repository.commit(11)
    assert "new.md#new (docs/new.md:3), created 2024-05-11" in sources()
    terminal.write({"secret.md": f"---\nrecall: {{exclude: true}}\n---\n{HIDDEN}"})
    repository.commit(12)
    assert "secret.md" not in str(sources())
    terminal.write({"secret.md": HIDDEN})
    assert "secret.md#secret (docs/secret.md:3), created 2024-05-12" in sources()


def test_cache_clear_deletes_what_is_kept_and_names_its_folder(terminal: Terminal) -> None:
    folder = terminal.cache
    first = terminal.run("search", QUESTION)
    assert folder.is_dir()
    Cache(folder).put_mapped("index", b"key", b"an index that is mapped")
    (folder / "recall-0123-4567.map.99.new").write_bytes(b"half of one")  # its writer was killed
    outcome = terminal.run("cache", "clear")
    assert (outcome.status, outcome.out) == (0, "")
    assert re.fullmatch(rf"Deleted \d+\.\d kB in '{re.escape(str(folder))}'\.\n", outcome.err)
    assert not folder.exists()
    assert terminal.run("search", QUESTION) == first
    assert terminal.run("cache", "clear").status == 0
    assert terminal.run("cache", "clear").status == 0  # there is nothing, and that is no error


def test_cache_clear_leaves_what_is_not_ours(terminal: Terminal) -> None:
    terminal.run("search", QUESTION)
    folder = terminal.cache
    (folder / "mine.txt").write_text("keep", encoding="utf-8")
    terminal.run("cache", "clear")
    assert sorted(path.name for path in folder.iterdir()) == [".gitignore", "mine.txt"]


def test_cache_of_a_folder_without_a_site_is_the_users_own(terminal: Terminal) -> None:
    terminal.run("search", QUESTION, "--docs", "docs")
    outcome = terminal.run("cache", "clear", "--docs", "docs").err
    assert str(terminal.folder / ".caches") in outcome
    assert "Deleted 0 bytes" not in outcome
    assert "Deleted 0 bytes" in terminal.run("cache", "clear", "--docs", "docs").err


SLOW: str = beside(__file__)["SLOW"]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")
def test_slow_reading_shows_progress_only_at_a_terminal(terminal: Terminal) -> None:
    (terminal.folder / "slow.py").write_text(SLOW, encoding="utf-8")
    terminal.configure("site_name: Larch\nmarkdown_extensions: [slow]\n")
    terminal.write({f"{name}.md": f"# {name}\n\nA session expires.\n" for name in "abc"})
    variables = {"PYTHONPATH": f"{terminal.folder}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}

    some = ("--source", "[abc].md", "--source", "auth.md")  # of five
    terminal_end, theirs = os.openpty()
    process = terminal.start("search", QUESTION, *some, out=theirs, err=theirs, variables=variables)
    os.close(theirs)
    process.communicate()
    shown = os.read(terminal_end, 10_000).decode()
    os.close(terminal_end)
    assert process.returncode == 0
    read, _, rest = shown.partition(" of 5 pages read")
    assert re.fullmatch(r"\r[1-4]", read)
    assert re.search(r"\r *\r1  ", rest)  # it is gone before the first line of data

    terminal.run("cache", "clear")
    assert terminal.run("search", QUESTION, variables=variables).err == ""


def test_a_log_gets_a_line_on_the_progress_every_ten_seconds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = 0.0
    monkeypatch.setattr("mkdocs_recall.cli.output.monotonic", lambda: now)
    with progress() as show:
        for done in range(1, 31):
            now = float(done)
            show(done, 30)
    shown = capsys.readouterr().err
    assert shown == "".join(f"{n} of 30 pages read\n" for n in (10, 20, 30))


@pytest.mark.slow
def test_version_and_help_leave_with_0(terminal: Terminal) -> None:
    assert terminal.run("--version").out == f"mkdocs-recall {__version__}\n"
    outcome = terminal.run("--help")
    assert outcome.status == 0
    assert "..." not in outcome.out.partition("Commands:")[2]
    for name in COMMANDS:
        assert re.search(rf"^  {name} +\S", outcome.out, re.MULTILINE), name
        of_command = terminal.run(name, "--help")
        assert (of_command.status, of_command.err) == (0, "")
        assert of_command.out.startswith(f"Usage: mkdocs-recall {name} ")
