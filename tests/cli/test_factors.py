"""The factors of a command besides words, and their settings in the site's mkdocs.yml."""

from __future__ import annotations

import json
import os
import subprocess

import pytest
from tables import Steps, beside, tabled
from terminal import Outcome, Terminal

from mkdocs_recall.cli.ask import search

QUESTION = "When does a session expire?"
PAGE = "# Auth\n\nA session expires after 12 hours without a request.\n"
PAGES = {"auth.md": PAGE}


@tabled
def test_a_command_counts_what_the_site_and_its_options_say(
    terminal: Terminal, case: Steps
) -> None:
    terminal.follow(case)


@tabled
def test_a_fault_in_the_site_s_settings_is_reported_where_they_are_used(
    terminal: Terminal, options: str, site: str, message: str
) -> None:
    terminal.configure(f"site_name: Larch\nplugins:\n  - recall:\n      {site}\n")
    assert terminal.run("search", QUESTION).status == 0
    outcome = terminal.run("search", options, QUESTION)
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err == f"Error: {terminal.folder / 'mkdocs.yml'}: recall: {message}\n"


LIBRARY: str = beside(__file__)["LIBRARY"]
OTHER_WORDS = "How soon will my visit lapse?"


@pytest.fixture
def modelled(terminal: Terminal) -> Terminal:
    """A terminal that has a static model in the folder `tiny`."""
    terminal.write({"model2vec.py": LIBRARY}, folder="packages")
    terminal.write({"config.json": "{}", "model.safetensors": "weights"}, folder="tiny")
    package = terminal.folder / "packages"
    path = os.pathsep.join(filter(None, (str(package), os.environ.get("PYTHONPATH"))))
    log = str(terminal.folder / "embedded.txt")
    terminal.write({"auth.md": f"---\nrecall_quality: 90\n---\n{PAGE}"})
    return Terminal(terminal.folder, {"PYTHONPATH": path, "TINY_LOG": log})


def embedded(terminal: Terminal) -> str:
    """Return what the embedder was asked since the last time."""
    log = terminal.folder / "embedded.txt"
    text = log.read_text(encoding="utf-8") if log.exists() else ""
    log.unlink(missing_ok=True)
    return text


@tabled
def test_a_question_in_other_words_is_answered_by_meaning(
    modelled: Terminal, command: str, options: tuple[str, ...]
) -> None:
    assert modelled.run(command, OTHER_WORDS).status == 1
    assert embedded(modelled) == ""
    outcome = modelled.run(command, "--model", "static:tiny", *options, OTHER_WORDS)
    assert (outcome.status, outcome.err) == (0, "")
    assert "12 hours" in outcome.out
    assert embedded(modelled)


@pytest.mark.parametrize("command", ["search", "recall"])
def test_matches_by_meaning_are_marked(modelled: Terminal, command: str) -> None:
    options = ("--semantic", "--model", "static:tiny")
    assert ", found by meaning" in modelled.run(command, OTHER_WORDS, *options).out
    assert "meaning" not in modelled.run(command, QUESTION, *options).out


def test_the_query_may_follow_the_option_or_stand_before_it(modelled: Terminal) -> None:
    after = modelled.run("search", "--model", "static:tiny", "--semantic", OTHER_WORDS)
    before = modelled.run("search", OTHER_WORDS, "--model", "static:tiny", "--semantic")
    behind = modelled.run("search", "--model", "static:tiny", "--semantic", "--", OTHER_WORDS)
    assert after.status == 0
    assert after == before == behind
    assert search.make_context("search", ["--", "--semantic"]).params["query"] == "--semantic"


def test_the_site_s_settings_hold_even_if_turned_off_there(modelled: Terminal) -> None:
    for enabled in ("", ", enabled: true", ", enabled: false"):
        modelled.configure(
            "site_name: Larch\nplugins:\n  - recall:\n"
            f"      semantic: {{model: 'static:tiny'{enabled}}}\n"
        )
        assert modelled.run("search", OTHER_WORDS).status == 1
        assert modelled.run("search", OTHER_WORDS, "--semantic").status == 0


def test_an_option_goes_over_the_setting_of_the_site(modelled: Terminal) -> None:
    settings = "model: 'static:tiny', mode: blend, min_similarity: 0.1"
    modelled.configure(f"site_name: Larch\nplugins:\n  - recall:\n      semantic: {{{settings}}}\n")
    nearer = "A session expires early if a visit may lapse."
    modelled.write({"auth.md": f"{PAGE}\n## Other\n\n{nearer}\n"})
    plain = modelled.run("search", QUESTION)
    assert "12 hours" in plain.out.splitlines()[0]
    blended = modelled.run("search", QUESTION, "--semantic")
    assert nearer in blended.out.splitlines()[0]
    assert blended == modelled.run("search", QUESTION, "--semantic", "blend")
    assert plain == modelled.run("search", QUESTION, "--semantic", "supplement")
    outcome = modelled.run("search", OTHER_WORDS, "--semantic", "--model", "statc:tiny")
    assert outcome.status == 2
    assert "did you mean 'static'?" in outcome.err


def test_skipped_queries_are_not_embedded(modelled: Terminal) -> None:
    outcome = modelled.run("recall", "ok", "--semantic", "--model", "static:tiny")
    assert outcome.err.startswith("Recall skipped: too short. ")
    assert embedded(modelled) == ""


def test_enrich_tells_the_model_alone_which_files_were_edited(modelled: Terminal) -> None:
    subprocess.run(["git", "init"], check=True, capture_output=True, cwd=modelled.folder)  # noqa: S607
    arguments = ("search", OTHER_WORDS, "--semantic", "--model", "static:tiny")
    plain = modelled.run(*arguments)
    assert repr(OTHER_WORDS) in embedded(modelled)
    enriched = modelled.run(*arguments, "--enrich")
    assert enriched == plain  # no word of the name is one that is looked for
    context = "\n\n[Context: recently touched files: auth.md]"
    assert repr(OTHER_WORDS + context) in embedded(modelled)


def test_even_few_embeddings_of_a_command_are_cached(modelled: Terminal) -> None:
    filler = "\n\n".join(f"Walrus number {number} is here." for number in range(30))
    page = f"---\nrecall_quality: 90\n---\n{PAGE}\n\n{filler}\n"
    modelled.write({"auth.md": page})
    arguments = ("search", "--semantic", "--model", "static:tiny")
    assert modelled.run(*arguments, OTHER_WORDS).status == 0
    assert "number 29" in embedded(modelled)
    assert modelled.run(*arguments, f"{OTHER_WORDS} Now?").status == 0
    assert embedded(modelled) == f"{OTHER_WORDS + ' Now?'!r}\n"
    assert modelled.run(*arguments, f"{OTHER_WORDS} Now?").status == 0
    assert embedded(modelled) == ""


@pytest.mark.parametrize("command", [("lock",), ("check",), ("render", "docs/index.md")], ids=str)
def test_a_missing_model_is_reported_once(terminal: Terminal, command: tuple[str, ...]) -> None:
    fence = "```recall\nsource: auth.md\nquery: walrus {}\non_empty: omit\n```\n"
    terminal.write({"index.md": "\n".join(map(fence.format, "abc")), "auth.md": PAGE})
    site = "site_name: Larch\nplugins:\n  - recall:\n      semantic: {}\n"
    terminal.configure(site.format("false"))
    assert terminal.run("lock").err == "'recall.lock' holds 3 answers.\n"
    terminal.configure(site.format("{enabled: true, model: 'static:none'}"))
    said = terminal.run(*command)
    assert said.status == 0
    assert said.err.count("Note: only words are compared, since meanings cannot be: model 's") == 1
    assert said.err.count("\n") == 1 + (command == ("lock",))


AGED = (
    f"---\nt_valid: 2026-02-04\ntemporal_stability: ephemeral\nt_expired: 2026-03-01\n---\n{PAGE}"
)


def score(said: Outcome) -> float:
    """Return the score of the first passage of a search."""
    assert said.status == 0, said.err
    found: float = json.loads(said.out)["passages"][0]["score"]
    return found


def test_time_counts_on_request_with_the_site_s_settings(terminal: Terminal) -> None:
    terminal.write({"auth.md": AGED})
    terminal.configure(
        "site_name: Larch\nplugins:\n  - recall:\n      temporal: {now: 2026-02-11}\n"
    )
    variables = {"SOURCE_DATE_EPOCH": "1770724800"}  # 2026-02-10, for what has expired
    plain = score(terminal.run("search", QUESTION, "--json", variables=variables))
    timed = score(terminal.run("search", QUESTION, "--json", "--temporal", variables=variables))
    assert timed == pytest.approx(plain * 0.367879441)  # a week old, and 7 days are its time


def test_the_server_for_agents_asks_by_meaning_all_the_time(modelled: Terminal) -> None:
    arguments = ("--semantic", "--model", "static:tiny")
    for reply in modelled.ask_server(
        ("recall", OTHER_WORDS), ("search", OTHER_WORDS), arguments=arguments
    ):
        [passage] = reply["passages"]
        assert "12 hours" in passage["text"]
        assert passage["found_by"] == "semantic"


@pytest.mark.parametrize(("now", "is_listed"), [("2026-02-28", True), ("2026-03-01", False)])
def test_the_server_lists_current_pages(terminal: Terminal, now: str, *, is_listed: bool) -> None:
    terminal.write({"auth.md": AGED, "other.md": "# Other\n\nA page about a session.\n"})
    settings = f"site_name: Larch\nplugins:\n  - recall:\n      temporal: {{now: {now}}}\n"
    terminal.configure(settings)
    variables = {"SOURCE_DATE_EPOCH": "1900000000" if is_listed else "1700000000"}

    (listed,) = terminal.ask_server(
        ("list_pages", ""), arguments=["--temporal"], variables=variables
    )
    assert ("auth.md" in json.dumps(listed)) is is_listed
