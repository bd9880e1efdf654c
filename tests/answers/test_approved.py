"""Approved answers in builds: the quotes and warnings of each state."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import Built, Site
from mkdocs.exceptions import Abort
from tables import tabled
from terminal import Terminal

from mkdocs_recall.ranking import structure

AUTH = (
    "# Auth\n\nLarch knows its users.\n\n## Expiry\n\n"
    "A session expires after [12 hours](index.md) of *silence*. Nobody can change that.\n"
)
ASK = "```recall\nsource: '**'\nquery: when does a session expire?\nmax_sentences: 1\n```\n"
BETTER = "# When does a session expire?\n\nA session does expire at noon.\n"
EARLIER = Path(__file__).parent / "earlier"
"""A site with the lock file and the quotes of a version that quoted each sentence alone."""
ACCEPT = "if that is right, accept it with 'mkdocs-recall lock --accept'"


def approve(site: Site, ask: str = ASK, *, mode: object = "enforce", **pages: str) -> None:
    """Write a site with a directive, and approve its answer."""
    site.configure(recall={"lock": mode})
    written = {name.replace("__", "/") + ".md": text for name, text in pages.items()}
    site.write({"index.md": f"# Home\n\n{ask}", "auth.md": AUTH, **written})
    accept(site)


def accept(site: Site) -> None:
    """Accept all answers as they are."""
    outcome = Terminal(site.root).run("lock", "--accept")
    assert outcome.status in {0, 3}, outcome.err


def quote(built: Built, path: str = "index.html") -> str:
    """Return the text of the quote."""
    return built.text("blockquote.recall", path)


def cold(site: Site) -> dict[str, bytes]:
    """Return the pages that a build without the cache makes."""
    site.configure(recall={"lock": "enforce", "cache": False})
    return site.rebuild().files()


@pytest.mark.parametrize("mode", ["warn", "enforce"])
def test_an_answer_that_is_still_approved_is_quoted_silently(site: Site, mode: str) -> None:
    approve(site, mode="off")
    off = site.rebuild().files()
    site.configure(recall={"lock": mode})
    built = site.rebuild()
    assert not built.warnings
    assert built.files() == off


def test_a_sign_in_another_form_is_the_same_text_for_every_command(site: Site) -> None:
    terminal = Terminal(site.root)
    ask = ASK.replace("```\n", "expect: '\"session\" -- as a rule -- expires...'\n```\n")
    typeset = "# Auth\n\n## Expiry\n\nA «session» – as a rule – ex\u00adpires… after a day.\n"
    typed = '# Auth\n\n## Expiry\n\nA "session" -- as a rule -- expires... after a day.\n'
    approve(site, ask, auth=typeset)
    quoted = terminal.run("recall", "when does a session expire?", "--json")
    (site.root / "quoted.json").write_text(quoted.out, encoding="utf-8")
    site.write({"auth.md": typed})
    for command in (("check",), ("lock",), ("verify", "quoted.json")):
        outcome = terminal.run(*command)
        assert (outcome.status, "changed:" in outcome.out) == (0, False), (command, outcome)
    for mode in ("enforce", "warn"):
        site.configure(recall={"lock": mode})
        built = site.rebuild()
        assert not built.warnings
        assert quote(built).startswith('A "session" -- as a rule -- expires... after a day.')


def test_approved_answers_work_for_a_page_with_a_hash_in_its_name(site: Site) -> None:
    site.configure(recall={"lock": "enforce"})
    site.write({"index.md": f"# Home\n\n{ASK}", "c#.md": AUTH})
    accept(site)
    site.write({"better.md": BETTER})
    assert "12 hours" in quote(site.rebuild())


@pytest.mark.parametrize(("mode", "quoted"), [("warn", "at noon"), ("enforce", "12 hours")])
@pytest.mark.parametrize("uri", ["better.md", "auth.md"])
def test_a_better_sentence_waits_for_approval(site: Site, mode: str, quoted: str, uri: str) -> None:
    approve(site, mode=mode)
    before = site.rebuild().files()["index.html"]
    text = BETTER if uri == "better.md" else f"{AUTH}\n## When does a session expire?\n\n{BETTER}"
    site.write({uri: text})
    built = site.rebuild()
    assert quoted in quote(built)
    if mode == "enforce":
        assert not built.warnings
        assert built.files()["index.html"] == before
        assert built.files() == cold(site)
    else:
        (warning,) = built.warnings
        assert warning.startswith("index.md:3: recall: this answer differs from the approved one: ")
        assert "12 hours of silence." in warning
        assert "at noon" in warning
        assert warning.endswith(ACCEPT)


@pytest.mark.parametrize("mode", ["warn", "enforce"])
def test_an_edited_source_gives_a_new_answer_and_a_warning(site: Site, mode: str) -> None:
    approve(site, ASK.replace("1", "1\ncontext: 0"), mode=mode)
    site.rebuild()
    site.write({"auth.md": AUTH.replace("12 hours", "30 minutes")})
    for built in (site.rebuild(), site.rebuild()):  # the second one from the cache
        assert "30 minutes" in quote(built)
        (warning,) = built.warnings
        assert '"A session expires after 12 hours of silence." from auth.md#expiry' in warning
        assert '"A session expires after 30 minutes of silence." from auth.md#expiry' in warning
        assert warning.startswith("index.md:3: recall: this answer ")
        assert ("no longer in its source" in warning) == (mode == "enforce")
    accept(site)
    assert not site.rebuild().warnings
    assert site.run("--strict").returncode == 0


def test_an_upgrade_that_changes_the_ranking_changes_no_byte(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = ASK.replace("max_sentences: 1", "max_sentences: 2")
    approve(site, ask, better=BETTER, port="# Port\n\n- A session is a port.\n- It expires.\n")
    before = site.rebuild().files()
    assert before == cold(site)
    monkeypatch.setattr("mkdocs_recall.store.pipeline", lambda: b"upgraded")
    scores = structure.score

    def upside_down(*arguments: Any, **settings: Any) -> Any:
        result = scores(*arguments, **settings)
        values = {number: 1 / (1 + value) for number, value in result.values.items()}
        return type(result)(values, result.explain)

    monkeypatch.setattr(structure, "score", upside_down)
    site.configure(recall={"lock": "enforce", "cache": False})
    enforced = site.rebuild()
    assert not enforced.warnings
    assert enforced.files() == before
    site.configure(recall={"lock": "off", "cache": False})
    assert site.rebuild().files() != before


def test_an_unapproved_or_changed_directive_causes_a_warning(site: Site) -> None:
    approve(site)
    more = ASK.replace("max_sentences: 1", "max_sentences: 2")
    site.write({"index.md": f"# Home\n\n{more}"})
    built = site.rebuild()
    changed = "the directive has changed since its answer was approved ('max_sentences'); "
    assert built.warnings == [f"index.md:3: recall: {changed}{ACCEPT}"]
    site.write({"index.md": f"# Home\n\nMoved.\n\n{ASK.replace('when', 'after what time')}"})
    assert site.rebuild().warnings == [
        f"index.md:5: recall: nobody has approved this answer yet; {ACCEPT}"
    ]
    site.write({"index.md": f"# Home\n\nMoved.\n\n{ASK}"})
    assert not site.rebuild().warnings
    uncited = ASK.replace("```recall", "```recall\ncite: false")
    site.write({"index.md": f"# Home\n\n{uncited}"})

    assert not site.rebuild().warnings
    site.write({"index.md": "# Home\n"})
    assert not site.rebuild().warnings


def test_a_section_may_be_renamed_but_not_a_page(site: Site) -> None:
    approve(site)
    site.write({"auth.md": AUTH.replace("## Expiry", "## Lifetime"), "faq.md": BETTER})
    built = site.rebuild()
    assert not built.warnings
    assert "12 hours" in quote(built)
    assert built.tag("blockquote cite a")["href"] == "auth/#lifetime"
    (site.docs / "auth.md").rename(site.docs / "login.md")
    (warning,) = site.rebuild().warnings
    assert "no longer in its source" in warning


def test_a_faulty_lock_file_is_one_warning_and_new_answers_are_quoted(site: Site) -> None:
    site.configure(recall={"lock": "enforce"})
    site.write({"index.md": f"# Home\n\n{ASK}", "auth.md": AUTH})
    (warning,) = site.rebuild().warnings
    assert "recall.lock'; write it with 'mkdocs-recall lock'; until then" in warning
    accept(site)
    lock = site.root / "recall.lock"
    whole = lock.read_text(encoding="utf-8")
    lock.write_text(f"<<<<<<< HEAD\n{whole}=======\n{whole}>>>>>>> other\n", encoding="utf-8")
    built = site.rebuild()
    (warning,) = built.warnings
    assert "it has a merge conflict in line 1" in warning
    assert "12 hours" in quote(built)
    lock.write_text(whole, encoding="utf-8")
    assert not site.rebuild().warnings


@pytest.mark.parametrize("mode", [True, "on", "enforced", 1])
def test_a_wrong_mode_is_reported_with_the_right_ones(site: Site, mode: object) -> None:
    with pytest.raises(Abort):
        site.build({"index.md": "# Home\n"}, recall={"lock": mode})
    said = " ".join(record.getMessage() for record in site.records)
    assert "'lock' must be off, warn or enforce, not " in said


def test_check_says_why_an_answer_differs(site: Site) -> None:
    approve(site)
    lock = site.root / "recall.lock"
    whole = lock.read_text(encoding="utf-8")

    def cause() -> tuple[str, str]:
        outcome = Terminal(site.root).run("check", "--json")
        assert outcome.status == 3
        (finding,) = json.loads(outcome.out)["findings"]
        return finding["cause"], finding["why"]

    site.write({"faq.md": BETTER})
    assert cause() == ("other_page", "another page answers now: faq.md")
    outcome = Terminal(site.root).run("check", "--format", "github")
    assert "answer changed%2C since another page answers now%3A faq.md" in outcome.out
    lock.write_text(whole.replace("version: 0.1.0", "version: 0.0.9"), encoding="utf-8")
    assert cause() == ("ranking", "the ranking changed (version 0.0.9 → 0.1.0)")
    site.write({"auth.md": AUTH.replace("12 hours", "30 minutes")})
    assert cause() == ("page", "the page changed")


def test_an_edit_of_the_lock_file_reaches_a_dirty_build(site: Site) -> None:
    approve(site)
    site.rebuild()
    site.write({"faq.md": BETTER})
    assert "12 hours" in quote(site.rebuild())
    accept(site)
    assert site.run("--dirty").returncode == 0
    built = site.rebuild()
    dirty = (site.root / "site/index.html").read_bytes()
    assert b"at noon" in dirty
    assert built.files()["index.html"] == dirty


def test_lists_tables_and_code_are_quoted_from_the_lock_unchanged(site: Site) -> None:
    page = (
        "# Modes\n\nLarch knows these modes:\n\n- plain mode\n- sealed mode\n\n"
        "Run this for a mode:\n\n```\n" + "larch mode\n" * 9 + "```\n\n"
        "| Mode | Port |\n|---|---|\n| plain mode | 80 |\n| sealed mode | 443 |\n"
    )
    units = "max_sentences: 6\nunits: [prose, list, table, code]"
    ask = ASK.replace("when does a session expire?", "modes of larch")
    ask = ask.replace("max_sentences: 1", units)
    approve(site, ask, modes=page, more="# More\n\nThe modes of Larch are two.\n")
    before = site.rebuild()
    site.write({"new.md": "# Modes of Larch\n\nThe modes of Larch: modes of Larch.\n"})
    after = site.rebuild()
    assert not after.warnings
    assert after.files()["index.html"] == before.files()["index.html"]
    site.write({"modes.md": page.replace("- sealed mode\n", "- sealed mode\n- third mode\n")})
    assert len(site.rebuild().warnings) == 1


@tabled
def test_a_written_option_is_locked_even_if_it_is_the_default(site: Site, written: str) -> None:
    """A later version may have another default: what the author wrote is then still the same."""
    approve(site, ASK.replace("max_sentences: 1", written))
    (answer, *_) = yaml.safe_load((site.root / "recall.lock").read_text("utf-8"))["answers"]
    options = answer["options"]
    assert yaml.safe_load(options[0]) == yaml.safe_load(written)
    assert len(options) == 1
    assert not site.rebuild().warnings
    assert not site.rebuild().warnings  # also of the options that the cache holds


def test_unwritten_options_are_not_in_the_lock_file(site: Site) -> None:
    approve(site, ASK.replace("max_sentences: 1\n", ""))
    assert "options" not in (site.root / "recall.lock").read_text("utf-8")


def test_writing_a_default_out_changes_no_directive(site: Site) -> None:
    approve(site)
    before = site.rebuild().files()
    site.write({"index.md": f"# Home\n\n{ASK.replace('1', '1{}context: auto').format(chr(10))}"})
    built = site.rebuild()
    assert not built.warnings
    assert built.files() == before
    site.write({"index.md": f"# Home\n\n{ASK.replace('1', '1{}context: 1').format(chr(10))}"})
    assert "changed since its answer was approved ('context')" in site.rebuild().warnings[0]


def write_earlier(site: Site, mode: str) -> None:
    """Write the site whose answers an earlier version has approved."""
    site.configure(recall={"lock": mode})
    site.write({path.name: path.read_bytes() for path in EARLIER.glob("*.md")})
    (site.root / "recall.lock").write_bytes((EARLIER / "recall.lock").read_bytes())


def quotes(html: str) -> list[str]:
    """Return the quotes of a page, as they are written."""
    return re.findall(r"<blockquote.*?</blockquote>", html, re.DOTALL)


def test_answers_approved_by_earlier_versions_are_quoted_byte_for_byte(site: Site) -> None:
    write_earlier(site, "enforce")
    for built in (site.rebuild(), site.rebuild()):  # the second one from the cache
        assert not built.warnings
        written = "\n".join(quotes(built.html())) + "\n"
        assert written == (EARLIER / "quotes.html").read_text(encoding="utf-8")
    site.configure(recall={"lock": "off"})
    assert "It says so, too." in site.rebuild().html(), "this version quotes more"


def test_changed_answers_of_a_new_version_are_changes_of_the_ranking(site: Site) -> None:
    write_earlier(site, "warn")
    built = site.rebuild()
    warnings = built.warnings
    approved = quotes((EARLIER / "quotes.html").read_text(encoding="utf-8"))
    changed = sum(now != then for now, then in zip(quotes(built.html()), approved, strict=True))
    assert 0 < changed < len(approved)
    assert len(warnings) == changed
    assert all("this answer differs from the approved one" in warning for warning in warnings)
    outcome = Terminal(site.root).run("check", "--json")
    assert outcome.status == 3
    causes = [finding["cause"] for finding in json.loads(outcome.out)["findings"]]
    assert causes == ["ranking"] * changed
    assert "the ranking changed (version 0.0.9 → " in Terminal(site.root).run("check").out


def test_a_sentence_that_joins_the_quoted_ones_is_reported_as_such(site: Site) -> None:
    approve(site, mode="warn")
    site.write({"auth.md": f"{AUTH}\nA new session is easy to open.\n"})
    outcome = Terminal(site.root).run("check")
    assert "answer changed, since more is now quoted with it\n" in outcome.out
