"""Answers under test: the expectations of a quote, and the messages if it does not meet them."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal
from unicodedata import normalize

import pytest
from answered import answer_to
from conftest import Built, Site
from rebuilds import Dirty, Rebuilds, counts
from serving import COUNT, serving
from tables import beside, tabled

from mkdocs_recall import Corpus, RecallError
from mkdocs_recall.answers.answer import NOTHING, Answer, TextLocator
from mkdocs_recall.directives.options import read_options

AUTH: str = beside(__file__)["AUTH"]
PAGES = {
    "auth.md": AUTH,
    "b.md": "# B\n\nTea takes 30 minutes.\n",
    "c.md": "# C\n\n## One\n\nA run takes 30 minutes.\n\n## Two\n\nA walk takes 30 minutes.\n",
}
ASKED = "source: auth.md\nquery: When does a session expire?\nmax_sentences: 1\ncontext: 0"
QUOTE = "A session expires after 12 hours without a request."
GIVEN = f'the quote is "{QUOTE}" from auth.md#expiry'


def found(
    expectations: str,
    *,
    asked: str = ASKED,
    name: str = "recall",
    page: str = "",
    pages: Mapping[str, str] = PAGES,
) -> Answer:
    """Answer a directive with some expectations, asked from a page."""
    corpus = Corpus.from_markdown(pages)
    return answer_to(read_options(name, f"{asked}\n{expectations}"), corpus, page)


def fault(expectations: str) -> str:
    """Return what is wrong with a directive when it is read."""
    with pytest.raises(RecallError) as caught:
        read_options("recall", f"{ASKED}\n{expectations}")
    return str(caught.value)


def fenced(expectations: str = "", asked: str = ASKED) -> str:
    return f"```recall\n{asked}\n{expectations}\n```\n"


@tabled
def test_an_answer_as_expected_is_given_without_a_word(case: str, expectations: str) -> None:
    given = found(expectations)
    assert (given.error, given.warning, given.holds) == ("", "", True), case


@tabled
def test_an_answer_that_does_not_is_given_with_a_warning(
    case: str, expectations: str, message: str
) -> None:
    given = found(expectations)
    assert (given.error, given.warning) == ("", f"{message}; {GIVEN}"), case
    assert not given.holds
    assert given.result
    assert [p.text for p in given.result.passages] == [QUOTE]


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_letter_is_the_same_in_each_form_of_unicode(form: Literal["NFC", "NFD"]) -> None:
    other: Literal["NFC", "NFD"] = "NFD" if form == "NFC" else "NFC"
    page, asked = normalize(form, "# A\n\nThe larch is in a café.\n"), normalize(other, "café")
    corpus = Corpus.from_markdown({"a.md": page})
    options = read_options("recall", f"source: a.md\nquery: larch\nexpect: [{asked}, /{asked}/]")
    assert answer_to(options, corpus, "").holds


@tabled
def test_an_expectation_is_held_against_what_a_directive_quotes(
    behaviour: str, expectations: str, options: dict[str, Any], warning: str
) -> None:
    given = found(expectations, **options)
    assert (given.warning, given.holds) == (warning, not warning), behaviour


def test_a_quote_ends_where_a_reader_sees_its_end() -> None:
    items = "".join(f"- thing {number}\n" for number in range(40))
    page = f"# Log\n\nA session log holds these:\n\n{items}\nA session log is small.\n"
    corpus = Corpus.from_markdown({"log.md": page})
    options = read_options(
        "recall",
        "source: '**'\nquery: session log\ncontext: 0\nexpect: ['/small\\.$/', '/thing 7 …/']",
    )
    assert answer_to(options, corpus, "").holds


def test_a_long_answer_and_a_long_text_are_cut() -> None:
    corpus = Corpus.from_markdown({"a.md": f"# A\n\nThe larch {'is green and ' * 40}old.\n"})
    options = read_options("recall", f"source: a.md\nquery: larch\nexpect: {'ab ' * 1000}")
    warning = answer_to(options, corpus, "").warning
    assert 'the quote is "The larch is green and is' in warning
    assert warning.count("…") == 2
    assert len(warning) < 500


@tabled
def test_impossible_expectations_are_reported_when_the_fence_is_read(
    expectations: str, message: str
) -> None:
    assert fault(expectations) == message


@tabled
def test_a_missing_source_is_the_author_s_error(source: str, message: str) -> None:
    given = found(f"expect_source: {source}")
    assert (given.result, given.error) == (NOTHING, message)


NO_SECTION = (
    "'expect_source': 'auth.md' has no section '#expire'; did you mean '#expiry'? "
    "(its sections: #auth, #expiry, #for-guests, #cookies)"
)
SLOW = "/(a|a)+$/"
"""What tries each way to read a row of many an a."""


@pytest.mark.slow
def test_a_pattern_that_never_ends_is_ended() -> None:
    start = time.perf_counter()
    corpus = Corpus.from_markdown({"a.md": f"# A\n\nThe larch is {'a' * 60} {'b' * 60} green.\n"})
    options = read_options("recall", f"source: a.md\nquery: larch\nexpect: '{SLOW}'")
    warning = answer_to(options, corpus, "").warning
    assert warning.startswith(
        f"expected {SLOW}, which takes too long to look for: make the pattern simpler; the quote is"
    )
    assert time.perf_counter() - start < 30


@pytest.mark.slow
def test_an_endless_pattern_is_ended_in_the_site_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mkdocs_recall.answers.answer._SITE_SECONDS", 0.5)
    corpus = Corpus.from_markdown(
        {"a.md": "# A\n\nThe larch is green.\n", "b.md": f"# B\n\nNo {'a' * 60} {'b' * 60}.\n"}
    )
    options = read_options("recall", f"source: a.md\nquery: larch\nexpect: '{SLOW}'")
    assert answer_to(options, corpus, "").warning.startswith(
        f"expected {SLOW}, which takes too long to look for in the site; the quote is"
    )


@pytest.mark.slow
def test_patterns_that_never_end_take_no_longer_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mkdocs_recall.answers.answer._ALL_SECONDS", 0.5)
    corpus = Corpus.from_markdown({"a.md": f"# A\n\nThe larch is {'a' * 60} {'b' * 60} green.\n"})
    with corpus.by_name() as pages:
        locator = TextLocator(pages)
    start = time.perf_counter()
    for number in range(20):
        slow = f"/(a|a)+{number}$/"
        options = read_options("recall", f"source: a.md\nquery: larch\nexpect: '{slow}'")
        warning = answer_to(options, corpus, "", locator=locator).warning
        assert warning.startswith(f"expected {slow}, which takes too long to look for")
    assert time.perf_counter() - start < 15, "each by itself may take a second"


@pytest.mark.slow
def test_no_patterns_are_imported_where_none_is_expected() -> None:
    code = beside(__file__)["PROGRAM"]
    subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603 - our own interpreter


def test_a_strict_build_fails_with_the_quote_in_place(site: Site) -> None:
    home = "---\ntitle: Home\n---\n\n# Home\n\n"
    site.write({**PAGES, "index.md": home + fenced("expect: 30 minutes")})
    site.configure()
    said = (
        "index.md:7: recall: expected '30 minutes', which is in auth.md#cookies, b.md#b and "
        f"c.md#one; {GIVEN}"
    )
    assert site.run().returncode == 0
    strict = site.run("--strict")
    assert strict.returncode == 1
    assert f"WARNING -  {said}\n" in strict.stderr
    assert "Aborted with 1 warnings in strict mode!" in strict.stdout
    built = site.rebuild()
    assert built.warnings == [said]
    assert QUOTE in built.text("blockquote.recall")
    site.write({"index.md": home + fenced("expect: 12 hours\nexpect_source: auth.md#expiry")})
    assert site.run("--strict").returncode == 0


def test_unmet_expectations_are_reported_by_each_build_and_met_ones_cached(site: Site) -> None:
    site.write(
        {
            **PAGES,
            "index.md": "# Home\n\n" + fenced("expect: 12 hours\nexpect_source: [auth.md#auth]"),
            "unmet.md": "# Unmet\n\n" + fenced("expect: [30 minutes, '/7 days/']"),
            "error.md": "# Error\n\n" + fenced("expect_source: auth.md#expire"),
        }
    )
    rebuilds = Rebuilds(site)
    where = "which is in auth.md#cookies, b.md#b and c.md#one"
    nowhere = "expected /7 days/, which is nowhere in the site"
    assert counts(rebuilds.build()) == (2, 0, 0)
    built = rebuilds.build()
    assert counts(built) == (2, 0, 1)
    assert built.warnings == [
        f"error.md:3: recall: {NO_SECTION}",
        f"unmet.md:3: recall: expected '30 minutes', {where}; {nowhere}; {GIVEN}",
    ]

    # What a message says of other pages holds for the site as it is now.
    rebuilds.edit("b.md", "30 minutes", "7 days")
    where = "which is in auth.md#cookies, c.md#one and c.md#two"
    nowhere = "expected /7 days/, which is in b.md#b"
    built = rebuilds.build()
    assert counts(built) == (2, 0, 1)
    assert built.warnings[1:] == [
        f"unmet.md:3: recall: expected '30 minutes', {where}; {nowhere}; {GIVEN}"
    ]

    # An edit of the page that is asked mends it, and breaks the other.
    rebuilds.edit("error.md", "#expire", "")
    rebuilds.edit("auth.md", "12\nhours", "30\nminutes (not 7 days)")
    built = rebuilds.build()
    assert [w.partition(",")[0] for w in built.warnings] == [
        "index.md:3: recall: expected '12 hours'"
    ]
    assert counts(rebuilds.build()) == (3, 0, 2)


def test_other_expectations_of_the_same_answer_are_held_against_it(site: Site) -> None:
    site.write({**PAGES, "index.md": fenced("expect: 12 hours")})
    rebuilds = Rebuilds(site)
    assert rebuilds.build().warnings == []
    rebuilds.edit("index.md", "12 hours", "13 hours")
    assert len(rebuilds.build().warnings) == 1
    rebuilds.edit("index.md", "13 hours", "/1[0-9] hours/")
    assert rebuilds.build().warnings == []
    assert rebuilds.cached() == 1


@pytest.fixture
def dirty(site: Site) -> Dirty:
    """A documentation with an expectation that holds and one that does not, built once."""
    site.write(
        {
            **PAGES,
            "index.md": "# Home\n\n" + fenced("expect: 12 hours"),
            "unmet.md": "# Unmet\n\n" + fenced("expect: seven days"),
        }
    )
    made = Dirty(site)
    made.make(dirty=False)
    return made


def expected(built: Built) -> list[str]:
    return [warning for warning in built.warnings if "expected" in warning]


def test_a_dirty_build_goes_on_warning_until_it_is_fixed(dirty: Dirty) -> None:
    unmet = f"unmet.md:3: recall: expected 'seven days', which is nowhere in the site; {GIVEN}"
    assert expected(dirty.make()) == [unmet]
    dirty.edit("c.md", "30 minutes", "seven days")
    assert expected(dirty.make()) == [unmet.replace("nowhere in the site", "in c.md#one")]
    dirty.edit("unmet.md", "seven days", "hours")
    assert expected(dirty.make()) == []


def test_a_dirty_build_notices_an_expectation_that_fails(dirty: Dirty) -> None:
    dirty.edit("auth.md", "12\nhours", "one day")
    warnings = expected(dirty.make())
    assert [w.partition(",")[0] for w in warnings] == [
        "index.md:3: recall: expected '12 hours'",
        "unmet.md:3: recall: expected 'seven days'",
    ]


@pytest.mark.slow
def test_a_server_says_so_after_the_edit_that_breaks_it(
    site: Site, tmp_path_factory: pytest.TempPathFactory
) -> None:
    site.write({**PAGES, "apart.md": "# Apart\n", "index.md": fenced("expect: 12 hours")})
    site.configure(hook=COUNT)
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    with serving(site, elsewhere) as server:
        log: Path = elsewhere / "log"
        assert "expected" not in log.read_text()
        server.edit({"auth.md": AUTH.replace("12\nhours", "one day")})
        assert "A session expires after <strong>one day</strong>" in server.page()
        server.until(lambda: "index.md:1: recall: expected '12 hours'" in log.read_text())
