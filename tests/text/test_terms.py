"""Words and terms, in the scripts that need care."""

from __future__ import annotations

import sys
import unicodedata
from pathlib import Path

import pytest
import yaml
from hypothesis import given, strategies as st

from mkdocs_recall.text.language import get_language
from mkdocs_recall.text.sentences import distinct_words, plain_words, terms, words

WORDS: dict[str, list[str]] = yaml.safe_load(
    Path(__file__).with_name("words.yml").read_text(encoding="utf-8")
)


@pytest.mark.parametrize(("text", "expected"), WORDS.items(), ids=WORDS)
def test_a_text_has_these_words(text: str, expected: list[str]) -> None:
    normal = [unicodedata.normalize("NFKC", word) for word in expected]
    assert words(text) == normal


def test_terms_are_stems_without_stop_words_in_order() -> None:
    english = get_language("en")
    assert terms("The tokens of a token expire.", english) == ("token", "token", "expir")


def test_plain_words_are_not_stemmed() -> None:
    assert plain_words("The tokens of a token", get_language("en")) == ("tokens", "token")


def test_an_identifier_is_found_by_either_spelling() -> None:
    english = get_language("en")
    assert terms("site_url", english) == terms("site url", english)


@pytest.mark.parametrize(("code", "text"), [("fr", "l'option"), ("it", "dell’opzione")])
def test_an_elided_article_is_no_term(code: str, text: str) -> None:
    language = get_language(code)
    noun = text.replace("’", "'").partition("'")[2]
    assert terms(text, language) == terms(noun, language)
    assert plain_words(text, language) == (noun,)


def test_turkish_words_are_one_term_in_either_case() -> None:
    turkish = get_language("tr")
    assert terms("Işık", turkish) == terms("ışık", turkish)


def test_no_mark_of_the_basic_plane_breaks_a_word() -> None:
    joiners = {0x034F, *range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0x20D0, 0x20F1)}
    running = {*range(0x0E00, 0x0F00), *range(0x1000, 0x10A0), *range(0x1780, 0x1800)}
    marks = {c for c in range(0x0300, 0x10000) if unicodedata.category(chr(c)) in {"Mn", "Mc"}}
    # A joiner is dropped, a running script gives bigrams, and newer Pythons may know newer marks.
    broken = [hex(c) for c in sorted(marks - joiners - running) if len(words(f"é a{chr(c)}b")) != 2]
    if sys.version_info < (3, 12):
        assert broken == []
    assert len(broken) < 20


@given(st.text())
def test_words_hold_letters_digits_marks_and_inner_apostrophes_only(text: str) -> None:
    for word in words(text):
        assert word.strip("' ") == word
        assert word.strip("_")  # a name as code writes it may end with one
        assert not any(char.isspace() for char in word)


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_ascii_text_has_the_same_words_on_both_paths(text: str) -> None:
    assert words(text) == [word for word in words(f"{text} é") if word != "é"]


PIECES = st.text() | st.sampled_from(
    ["Larch's", "l'arbre", "the", "l\u2019e\u0301t\u00e9", "\u6728\u306e\u8449", "a_b"]
)


@given(st.lists(st.lists(PIECES).map(" ".join)), st.sampled_from(["en", "fr", "ja", "tr"]))
def test_the_distinct_words_of_texts_are_the_words_of_each(texts: list[str], code: str) -> None:
    language = get_language(code)
    expected = {word for text in texts for word in plain_words(text, language)}
    assert distinct_words(texts, language) == expected
