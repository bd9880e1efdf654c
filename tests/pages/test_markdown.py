"""Markdown → a Document: front matter, titles, extensions, lines."""

from __future__ import annotations

import pytest
from mkdocs.utils.meta import get_data
from tables import tabled

from mkdocs_recall import Document
from mkdocs_recall.pages.reader import MarkdownReader
from mkdocs_recall.text.front_matter import (
    is_excluded,
    page_language,
    split_front_matter,
)


def read(markdown: str, uri: str = "a.md") -> Document:
    return MarkdownReader().read(split_front_matter(markdown), uri=uri, language="en")


def test_front_matter_is_split_off_and_its_lines_are_counted() -> None:
    source = split_front_matter("---\ntitle: T\ntags: [a]\n---\n\nText.\n")
    assert (source.meta, source.body, source.offset) == (
        {"title": "T", "tags": ["a"]},
        "\nText.\n",
        4,
    )


@pytest.mark.parametrize(
    "matter", ["---\na: [\n---\n", "---\njust text\n---\n", "---\n- a list\n---\n", "---\na: 1\n"]
)
def test_text_that_is_not_front_matter_stays(matter: str) -> None:
    for text in (f"{matter}Text.", "Text.\n---\n"):
        source = split_front_matter(text)
        assert (source.body, dict(source.meta), source.offset) == (text, {}, 0)


def test_a_title_of_too_many_digits_is_none() -> None:
    assert read(f"---\ntitle: 0x{'f' * 5000}\n---\n# Heading").title == "Heading"


def test_a_page_states_its_language_and_norwegian_is_not_a_refusal() -> None:
    assert page_language({"lang": " de "}) == "de"
    assert page_language({"lang": False}) == "no"
    assert page_language({"lang": 3}) == page_language({}) == ""


def test_a_page_is_refused_by_statistics_or_a_failed_attempt() -> None:
    assert is_excluded({"recall": {"exclude": True}})
    assert is_excluded({"recall": {"exclude": "yes"}})
    assert not any(
        is_excluded(meta) for meta in ({}, {"recall": {"exclude": False}}, {"recall": None})
    )


def test_the_default_extensions_read_what_documentation_uses() -> None:
    document = read(
        '!!! note "N"\n    In a note.\n\n=== "A"\n\n    In a tab.\n\n??? tip\n    In details.\n\n'
        "Term\n:   In a definition.\n\n- [x] A done task.\n\n/// warning\nIn a block.\n///\n\n"
        "Press ++ctrl+c++ or ==mark== it.[^1]\n\n[^1]: In a footnote.\n\n<div markdown>\n"
        "In *HTML*.\n</div>\n\n```py\nx = 1.\n```\n\n| a | b |\n|---|---|\n| c | d |\n"
    )
    assert [(block.kind, block.text) for block in document.blocks] == [
        *(("label", "N"), ("admonition", "In a note."), ("tab", "A"), ("prose", "In a tab.")),
        *(("admonition", "In details."), ("label", "Term"), ("definition", "In a definition.")),
        *(("list", "[x] A done task."), ("admonition", "In a block.")),
        *(("prose", "Press Ctrl+C or mark it."), ("prose", "In HTML."), ("code", "x = 1.")),
        *(("table", "a: c — b: d"), ("list", "In a footnote.")),
    ]


@tabled
def test_a_page_may_say_itself_what_it_is_about(front_matter: str, description: str) -> None:
    assert read(f"---\n{front_matter}\n---\n\nText.\n").description == description


def test_front_matter_may_open_twice_as_in_mkdocs() -> None:
    text = "---\n---\ntitle: T\nrecall: {exclude: true}\n---\nText.\n"
    source = split_front_matter(text)
    assert (source.body, source.meta) == get_data(text)
    assert (is_excluded(source.meta), source.offset) == (True, 5)
    assert split_front_matter("---\n---\nText.\n").body == get_data("---\n---\nText.\n")[0]


def test_half_a_character_in_front_matter_is_none() -> None:
    stated = 'description: "It is \\ud83d."\nlang: "\\udc00"\ntitle: "a \\ud800"\n'
    for slow in ("", f"more: [{'[], ' * 2000}]\n"):  # YAML's two readers do not agree on these
        document = read(f"---\n{stated}{slow}---\nA token.")
        for text in (document.description, document.language, document.title):
            text.encode()
    assert (document.description, document.language) == ("It is \ufffd.", "\ufffd")
    assert document.title == "a \ufffd"
