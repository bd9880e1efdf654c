"""The notes below quotes that authors see in `mkdocs serve`, and readers do not."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from conftest import Built, Site
from tables import Case, beside, tabled

import mkdocs_recall
from mkdocs_recall import Corpus
from mkdocs_recall.answers.alternatives import Alternative, Alternatives
from mkdocs_recall.answers.html import QuotingPage
from mkdocs_recall.answers.notes import facts, notes, translated

TRANSLATIONS = Path(mkdocs_recall.__file__).parent / "answers/translations"
LANGUAGES = sorted(file.stem for file in TRANSLATIONS.iterdir())

AUTH = (
    "# Sign-in\n\n## Expiry\n\nA session expires after 12 hours.\n\n"
    "## Tokens\n\nA token expires after 90 days.\n\n"
    "## Backup\n\nA backup of each session <b>and</b> token is kept.\n"
)
FENCE = "```{}\nsource: auth.md\n{}```\n"
QUERY = "query: When does the session of a walrus expire?\nmax_sentences: 1\ncontext: 0\n"
PAGES = {"index.md": f"# Home\n\n{FENCE.format('recall', QUERY)}", "auth.md": AUTH}
NOTE = re.compile(r'\n<aside class="recall-preview".*?\n</aside>', re.DOTALL)


def served(site: Site, pages: dict[str, str], **settings: Any) -> Built:
    """Build pages as `mkdocs serve` does."""
    site.write(pages)
    site.configure(**settings)
    return site.rebuild(command="serve")


def test_the_author_s_note_has_doubts_and_other_places_to_paste(site: Site) -> None:
    built = served(site, PAGES)
    note = built.tag("article > aside.recall-preview")
    assert note.summary is not None
    assert note.summary.get_text() == "For authors (Doubts: 1)"
    assert note.ul is not None
    assert "'walrus', the rarest word of the query, is not in the quote" in note.ul.get_text()
    lines = [code.get_text() for code in note.select("code")]
    assert lines[:5] == [
        "expect_source: /auth.md#expiry",
        "context: section",
        "source: /auth.md#tokens",
        "expect_source: /auth.md#tokens",
        "recall:\n  asks:\n    '#tokens': When does the session of a walrus expire?",
    ]
    links = [link["href"] for link in note.select("a")]
    assert links == ["auth/#expiry", "auth/#tokens", "auth/#backup"]
    assert "A backup of each session and token is kept." in built.text(".recall-preview")


def test_each_line_to_paste_does_what_it_says(site: Site) -> None:
    note = served(site, PAGES).tag("article > aside.recall-preview")
    source, expect_source, asks = [code.get_text() for code in note.select("ol code")][:3]
    fence = FENCE.format("recall", QUERY)
    narrow = {"index.md": fence.replace("source: auth.md", source)}
    assert "90 days" in site.build(narrow).text("blockquote")
    wanted = {"index.md": fence.removesuffix("```\n") + f"{expect_source}\n```\n"}
    (unmet,) = site.build(wanted).warnings
    assert "auth.md#tokens" in unmet
    asked = {**PAGES, "auth.md": f"---\n{asks}\n---\n{AUTH}"}
    assert "90 days" in site.build(asked).text("blockquote")


def test_only_a_preview_adds_the_author_s_note_to_a_page(site: Site) -> None:
    item = "- A\n    " + FENCE.format("recall", QUERY).replace("\n", "\n    ") + "\n- B\n"
    whole = "\n```recall\nsource: auth.md#tokens\n```\n"
    pages = {**PAGES, "list.md": f"# List\n\n{item}", "whole.md": f"# Whole\n{whole}"}
    previewed = {name: data.decode() for name, data in served(site, pages).files().items()}
    assert len(NOTE.findall("".join(previewed.values()))) == 2
    built = {name: data.decode() for name, data in site.rebuild().files().items()}
    assert {name: NOTE.sub("", html) for name, html in previewed.items()} == built
    again = site.rebuild(command="serve")
    assert again.html("index.html") == previewed["index.html"], "from the cache, the same"
    off = served(site, pages, recall={"preview": False})
    assert {name: data.decode() for name, data in off.files().items()} == built


@pytest.mark.parametrize("theme", ["mkdocs", "material"])
def test_the_search_of_material_leaves_the_note_out(site: Site, theme: str) -> None:
    built = served(site, PAGES, theme={"name": theme}, plugins=["search", "recall"])
    assert "For authors" in built.html()
    entries = (built.folder / "search/search_index.json").read_text(encoding="utf-8")
    assert "Home" in entries
    assert theme == "mkdocs" or "For authors" not in entries


def test_an_unanswered_query_names_the_nearest_place_and_the_words_in_it(site: Site) -> None:
    query = "query: Which walrus feeds on fish for 90 days?\nmin_score: 0.9\non_empty: omit\n"
    built = served(site, {**PAGES, "index.md": f"# Home\n\n{FENCE.format('recall', query)}"})
    text = built.text("article > aside.recall-preview")
    assert "no sentence answers the query" in text
    assert "Sign-in › Tokens: A token expires after 90 days. (words: 90, days)" in text
    assert "Quoted" not in text


@tabled
def test_a_note_tells_its_author_what_came_next(site: Site, case: Case) -> None:
    site.write({"auth.md": AUTH})
    site.expect(case)


TABS = (
    '# A\n\nLarch has an installer:\n\n=== "Linux"\n\n    Run it.\n\n=== "Windows"\n\n    {{ m }}\n'
)
ASKED: list[tuple[str, dict[str, Any]]] = beside(__file__)["ASKED"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_that_speaks_against_an_answer_is_translated(language: str) -> None:
    english: set[str] = set()
    said: set[str] = set()
    for page, options in ASKED:
        corpus = Corpus.from_markdown({"a.md": page})
        result = corpus.recall(max_sentences=1, **options)
        found = [result.why] if result.fallback else result.doubts
        english.update(found)
        said.update(translated(doubt, language) for doubt in found)
        for doubt in found:
            facts = set(re.findall(r"\d+%|\d\.\d+|walrus|Windows|max_\w+", doubt))
            assert [fact for fact in facts if fact not in translated(doubt, language)] == []
    assert len(said) == len(english) >= len(ASKED)
    assert "" not in said
    assert (said == english) == (language == "en")


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_all_labels(language: str) -> None:
    text = (TRANSLATIONS / f"{language}.txt").read_text("utf-8")
    assert re.findall(r"^\w+", text, re.MULTILINE) == [*notes("en"), "facts"]
    assert notes(language).keys() == notes("en").keys()
    translated, english = facts(language), facts("en")
    assert [fact.count("{}") for fact in translated] == [one.count("{}") for one in english]


def test_forged_cached_text_stays_text() -> None:
    evil = "<script>alert(1)</script>"
    place = Alternative(evil, evil, evil, evil, f"javascript:{evil}")
    note = Alternatives(evil, "", (evil,), place, (place,))
    html = note.html(QuotingPage("index.md", ""))
    assert "<script" not in html
    assert 'href="./javascript:' in html
