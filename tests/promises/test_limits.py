"""`limits`: set like other settings, and effective wherever pages are read."""

from __future__ import annotations

import logging
import re
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import pytest
from conftest import Site
from golden_demo import DEMO
from mkdocs.exceptions import Abort
from tables import tabled
from terminal import Terminal

from mkdocs_recall import Corpus, Limits, OptionError, SiteError

FIRST = "A session expires after a day."
PAGE = f"{FIRST} A session also ends with the browser."
HTML = f"<p>{PAGE}</p>"
SHORT = {"page_size": HTML.index(" A session also")}
ASKING = (
    "```recall\nsource: auth.md\nquery: when does a session end\ncite: false\n"
    "on_empty: synopsis\n```\n"
)


def said(corpus: Corpus) -> list[str]:
    return [
        sentence.text
        for document in corpus.documents
        for block in document.blocks
        for sentence in block.sentences
    ]


def test_the_defaults_on_the_page_of_options_are_those_of_the_code() -> None:
    text = (DEMO / "options.md").read_text(encoding="utf-8")
    section = text.partition("\n### limits\n")[2].partition("\n### ")[0]
    rows = re.findall(r"^\| `(\w+)` \| ([\d,]+) \|", section, re.MULTILINE)
    assert {name: int(value.replace(",", "")) for name, value in rows} == asdict(Limits())


def test_a_build_reads_pages_up_to_the_limit_and_again_when_it_changes(site: Site) -> None:
    pages = {"index.md": f"{ASKING}\n", "auth.md": PAGE}
    whole = site.build(pages).text("blockquote")
    assert site.build(recall={"limits": SHORT}).text("blockquote") == FIRST != whole
    assert site.build().text("blockquote") == whole


CURTAILED = "auth.md: only the start of this page is read"


def test_every_build_names_pages_read_in_part(site: Site) -> None:
    pages = {"index.md": f"{ASKING}\n", "auth.md": PAGE, "other.md": PAGE}
    for _ in range(2):
        built = site.build(pages, recall={"limits": SHORT})
        assert [text for text in built.warnings if "auth.md" in text] == built.warnings
        assert CURTAILED in built.warnings[0]
        assert "limits.page_size" in built.warnings[0]
    assert site.build().warnings == []


def test_a_build_with_a_cache_warns_in_the_order_of_one_without(site: Site) -> None:
    asking = ASKING.replace("auth.md", "[a.md, c.md]") + "\n" + ASKING.replace("auth.md", "b.md")
    pages = {"index.md": asking, **dict.fromkeys(("a.md", "b.md", "c.md"), PAGE)}
    limits = {"limits": SHORT}
    site.build(pages, recall=limits)
    edited = site.build({"a.md": f"{PAGE}\n\nMore."}, recall=limits).warnings
    assert len(edited) == 3
    assert edited == site.build(recall=limits | {"cache": False}).warnings


def test_a_corpus_names_truncated_pages_even_from_the_cache(site: Site) -> None:
    site.write({"auth.md": PAGE})
    site.configure(recall={"limits": SHORT})
    for _ in range(2):
        corpus = Corpus.from_site(site.root / "mkdocs.yml")
        corpus.recall("when does a session end")
        assert [text[: len(CURTAILED)] for text in corpus.warnings] == [CURTAILED]


def test_a_built_site_names_pages_read_in_part(tmp_path: Path) -> None:
    text = f"<html><body><p>{PAGE}</p></body></html>"
    (tmp_path / "auth.html").write_text(text, encoding="utf-8")
    for limits, number in ((Limits(page_size=40), 1), (Limits(), 0)):
        corpus = Corpus.from_built(tmp_path, cache=False, limits=limits)
        assert corpus.documents[0].whole != bool(number)
        assert len(corpus.warnings) == number


def test_a_truncated_page_ends_with_a_block() -> None:
    page = "\n\n".join([PAGE] * 20)
    for size in range(3, 12):
        corpus = Corpus.from_markdown({"a.md": page}, limits=Limits(page_size=size * 50))
        texts = [block.text for block in corpus.documents[0].blocks]
        assert texts in ([PAGE] * len(texts), [PAGE[: size * 50 - 3].strip()])


def test_a_corpus_of_a_site_follows_changes_of_the_site_s_limits(site: Site) -> None:
    site.write({"auth.md": PAGE})
    site.configure()
    corpus = Corpus.from_site(site.root / "mkdocs.yml")
    assert len(said(corpus)) == 2
    site.configure(recall={"limits": SHORT})
    assert said(corpus.refreshed()) == [FIRST]
    assert len(said(Corpus.from_site(site.root / "mkdocs.yml", limits=Limits()))) == 2


def test_every_corpus_takes_limits(tmp_path: Path) -> None:
    docs, built = tmp_path / "docs", tmp_path / "built"
    docs.mkdir()
    built.mkdir()
    (docs / "auth.md").write_text(PAGE)
    (built / "auth.html").write_text(f"<body>{HTML}")
    for limits, sentences in ((None, 2), (SHORT, 1), (Limits(**SHORT), 1), (Limits(), 2)):
        assert len(said(Corpus.from_markdown({"auth.md": PAGE}, limits=limits))) == sentences
        assert len(said(Corpus.from_folder(docs, limits=limits))) == sentences
    more = {"page_size": SHORT["page_size"] + len("<body>")}
    for limits, sentences in ((None, 2), (more, 1), (None, 2)):
        assert len(said(Corpus.from_built(built, limits=limits))) == sentences


@tabled
def test_impossible_values_are_reported_everywhere(site: Site, limits: Any, message: str) -> None:
    with pytest.raises(Abort):
        site.build({"auth.md": PAGE}, recall={"limits": limits})
    errors = [r.getMessage() for r in site.records if r.levelno == logging.ERROR]
    assert any(message in error for error in errors), errors
    with pytest.raises(SiteError, match=re.escape(f"mkdocs.yml: recall: {message}")):
        Corpus.from_site(site.root / "mkdocs.yml")
    with pytest.raises(OptionError, match=re.escape(message)):
        Corpus.from_markdown({}, limits=limits)


def test_every_limit_is_a_positive_number() -> None:
    for limit in fields(Limits):
        with pytest.raises(OptionError, match=f"'limits.{limit.name}' must be 1 or more"):
            Corpus.from_markdown({}, limits={limit.name: -1})


@tabled
def test_a_fence_that_asks_too_much_is_an_error(
    site: Site, limit: str, least: int, body: str, fault: str
) -> None:
    message = f"{fault}; reduce it, or raise 'limits.{limit}' in mkdocs.yml"
    body += "\nsource: auth.md\non_empty: synopsis"
    pages = {"index.md": f"# A\n\n```recall\n{body}\n```\n", "auth.md": PAGE}
    bounds = {"directive_size": 242, "list_length": 10, limit: least}
    built = site.build(pages, recall={"limits": bounds})
    assert built.warnings == [message]
    assert message in built.text(".recall-error p:last-child")
    raised = {"directive_size": 300, "list_length": 20, "sentences": 1200}
    assert site.build(pages, recall={"limits": raised}).warnings == []
    assert site.build(pages, recall={"limits": bounds}).warnings == built.warnings


def test_directives_of_a_page_beyond_the_limit_are_not_answered(site: Site) -> None:
    pages = {"index.md": f"{ASKING}\n" * 3, "auth.md": PAGE}
    built = site.build(pages, recall={"limits": {"directives": 2}})
    fault = "this is directive 3 of its page, and the limit is 2"
    remedy = "move it to another page, or raise 'limits.directives' in mkdocs.yml"
    assert built.warnings == [f"index.md:15: recall: {fault}; {remedy}"]
    assert built.html().count("<blockquote") == 2


def test_the_pages_that_all_directives_search_are_limited_cold_and_warm(site: Site) -> None:
    asking = ASKING.replace("auth.md", '"**"')
    pages = {f"page{number}.md": PAGE for number in range(60)} | {"a.md": f"{asking}\n" * 3}
    for _ in range(2):
        built = site.build(pages, recall={"limits": {"searches": 2 * 61}})
        fault = "it and the directives before it search 183 pages, and the limit is 122"
        remedy = "narrow 'source', or raise 'limits.searches' in mkdocs.yml"
        assert built.warnings == [f"a.md:15: recall: {fault}; {remedy}"]
        assert built.html("a/index.html").count("<blockquote") == 2
    assert site.build(pages, recall={"limits": {"searches": 3 * 61}}).warnings == []


def test_the_command_line_has_the_limits_of_the_site(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path)
    terminal.configure("site_name: Larch\nplugins: [recall: {limits: {sentences: 2}}]\n")
    terminal.write({"index.md": ASKING.replace("cite", "max_sentences: 3\ncite"), "auth.md": PAGE})
    message = "'max_sentences' must be 2 or less, got 3"
    for command in (("lock",), ("render", "docs/index.md")):
        outcome = terminal.run(*command)
        assert outcome.status == 2
        assert f":4: recall: {message}" in outcome.err, outcome.err


@pytest.mark.parametrize("command", ["recall", "search", "explain", "synopsis"])
def test_a_command_names_pages_read_in_part(tmp_path: Path, command: str) -> None:
    terminal = Terminal(tmp_path)
    terminal.configure(f"site_name: Larch\nplugins: [recall: {{limits: {SHORT}}}]\n")
    terminal.write({"auth.md": PAGE})
    asked = "auth.md" if command == "synopsis" else "when does a session end"
    for _ in range(2):
        assert terminal.run(command, asked).err.count(CURTAILED) == 1
