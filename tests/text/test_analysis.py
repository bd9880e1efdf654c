"""Runs of text → a Document: sentences with their words, and what must not be quoted."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st
from tables import tabled

from mkdocs_recall import Block, Document, Sentence
from mkdocs_recall.text.document import analyse, in_language, unrendered_markup
from mkdocs_recall.text.html import read_html


def read(html: str, language: str = "en") -> Document:
    return analyse(read_html(html), uri="a.md", title="A", language=language)


def test_sentences_point_into_their_block() -> None:
    document = read("<p>First one. Second <em>one</em>.</p><p>Third.</p>")
    for sentence in document.sentences:
        block = document.blocks[sentence.block]
        assert block.text[sentence.start : sentence.end] == sentence.text
    assert [s.text for s in document.sentences] == ["First one.", "Second one.", "Third."]
    assert [s.block for s in document.sentences] == [0, 0, 1]


def test_words_are_folded_and_without_stop_words() -> None:
    assert read("<p>The Cache IS cleared.</p>").sentences[0].words == ("cache", "cleared")


@tabled
def test_bare_markup_is_not_quotable(text: str) -> None:
    document = read(f"<p>{text}</p>")
    assert not any(sentence.quotable for sentence in document.sentences)


@pytest.mark.parametrize("text", ["{{ x }}", "**", "[a](b)", "&lt;br&gt;", "!!! note", ":a_b:"])
def test_the_same_in_inline_code_is_quotable(text: str) -> None:
    assert read(f"<p>Write <code>{text}</code> here.</p>").sentences[0].quotable


@tabled
def test_signs_that_are_not_markup_are_quotable(text: str) -> None:
    assert all(sentence.quotable for sentence in read(f"<p>{text}</p>").sentences)


@pytest.mark.parametrize(
    "tag", ["{{ x }}", "{% if a.b %}", "{{&lt; tab &quot;It is. So.&quot; &gt;}}", ":::", "[!info]"]
)
def test_only_the_sentence_with_the_markup_is_passed_over(tag: str) -> None:
    document = read(f"<p>One is fine. Two has {tag} in it. Three is fine.</p>")
    quotable = [s.text for s in document.sentences if s.quotable]
    assert quotable == ["One is fine.", "Three is fine."]


def test_blocks_are_cut_into_sentences_when_asked_and_once() -> None:
    asked: list[Block] = []

    def cut(block: Block) -> tuple[Sentence, ...]:
        asked.append(block)
        return (Sentence("One.", 0, 4, 0, ("one",)),)

    block = Block("One.", "prose", 0, 0, (), cut=cut)
    page = Document("a.md", "A", "en", (block,))
    assert asked == []
    assert page.sentences == block.sentences
    assert asked == [block]


def test_a_page_that_is_read_twice_is_one_page() -> None:
    html = "<h1 id=a>A</h1><p>First <em>one</em>. Second one.</p><ul><li>Third.</li></ul>"
    first, second = read(html), read(html)
    assert first.sentences
    assert first == second
    assert hash(first) == hash(second)
    assert first != in_language(first, "de")


def test_reading_in_another_language_makes_other_words_and_keeps_the_text() -> None:
    document = read("<p>Die Sitzung läuft ab.</p>")
    german = in_language(document, "de")
    assert german.language == "de"
    assert german.sentences[0].text == document.sentences[0].text
    assert document.sentences[0].words == ("die", "sitzung", "läuft", "ab")
    assert german.sentences[0].words == ("sitzung", "läuft", "ab")


@pytest.mark.parametrize(
    "part", ["`", ": ", "a: ", "{{ ", "{ ", "$a", "$_", "++a", "<a ", "[", ":a", ": - ", "**. A"]
)
def test_markup_in_long_texts_is_found_in_linear_time(part: str) -> None:
    size = 60_000  # quadratic time would take minutes
    text = f"{part * size}."
    code = [(at, at + 1) for at in range(0, len(text), 2 * len(part))]
    assert len(unrendered_markup(text, code)) <= len(text)


@given(st.text(max_size=300))
def test_sentences_and_blanks_put_together_again_are_the_block(text: str) -> None:
    document = read(f"<p>{text}</p>")
    for block in document.blocks:
        at = 0
        for sentence in block.sentences:
            assert not block.text[at : sentence.start].strip()
            at = sentence.end
        assert not block.text[at:].strip()


def test_only_words_in_another_language_are_marked_as_such() -> None:
    html = '<p>The oven <span data-lang="x">says</span> so to all.</p>'
    assert [block.marks for block in read(html).blocks] == [()]
