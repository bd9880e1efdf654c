"""Golden sentences by language, and what holds for the spans of any text."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from time import process_time
from typing import TypeAlias

import pytest
import yaml
from hypothesis import given, strategies as st
from tables import tabled

from mkdocs_recall.text.language import get_language
from mkdocs_recall.text.sentences import sentence_spans

Spans: TypeAlias = list[tuple[int, int]]

GOLDEN: dict[str, list[str]] = yaml.safe_load(
    Path(__file__).with_name("sentences.yaml").read_text(encoding="utf-8")
)
LANGUAGES = sorted({row[0] for row in GOLDEN.values()})
PROSE = st.lists(
    st.sampled_from(["A", "no", "e.g.", "3.", "v2.0", "z.", "B.", "(", ")", '"', "“", "。", "npm",
                     "U.S.", "!", "?", "...", "Then", "ends.", "🎉", "\u00a0", "\t", "是", "」"]),
    max_size=40,
)  # fmt: skip


def read(marked: str) -> tuple[str, Spans]:
    """Return the text without backticks, and the spans that stood between them."""
    text, code = "", []
    for number, part in enumerate(marked.split("`")):
        if number % 2:
            code.append((len(text), len(text) + len(part)))
        text += part
    return text, code


def split(marked: str, language: str = "en") -> list[str]:
    text, code = read(marked)
    return [text[a:b] for a, b in sentence_spans(text, get_language(language), code)]


@pytest.mark.parametrize("row", GOLDEN.values(), ids=GOLDEN.keys())
def test_a_text_is_split_as_its_golden_row(row: list[str]) -> None:
    language, *sentences = row
    joined = ("" if language in {"ja", "zh"} else " ").join(sentences)
    assert split(joined, language) == [sentence.replace("`", "") for sentence in sentences]


def check(text: str, spans: Spans) -> None:
    done = 0
    for start, end in spans:
        assert start < end
        assert not text[done:start].strip()
        assert text[start:end] == text[start:end].strip()
        done = end
    assert not text[done:].strip()


@given(st.text(), st.sampled_from(LANGUAGES))
def test_spans_cover_any_text_but_for_white_space(text: str, language: str) -> None:
    check(text, sentence_spans(text, get_language(language)))


@given(PROSE, st.sampled_from(["", " ", "  "]), st.sampled_from(LANGUAGES), st.data())
def test_spans_cover_prose_and_never_cut_code(
    parts: list[str], glue: str, language: str, data: st.DataObject
) -> None:
    text = glue.join(parts)
    ends = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6, unique=True)))
    code = list(zip(ends[::2], ends[1::2], strict=False))
    spans = sentence_spans(text, get_language(language), code)
    check(text, spans)
    for start, end in code:
        low = end - len(text[start:end].lstrip())
        assert not any(low < cut < end for cut, _ in spans[1:])


@given(PROSE, st.sampled_from(["e\u0301", "e\u0323\u0301", "Å", "क़"]), st.data())
def test_decomposed_prose_is_cut_alike(parts: list[str], letter: str, data: st.DataObject) -> None:
    text = f"{letter} ".join(parts)
    ends = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=4, unique=True)))
    code = list(zip(ends[::2], ends[1::2], strict=False))
    spans = sentence_spans(text, get_language("en"), code)
    check(text, spans)
    composed = unicodedata.normalize("NFC", text)
    usual = sentence_spans(composed, get_language("en"))
    assert [composed[a:b] for a, b in usual] == [
        unicodedata.normalize("NFC", text[a:b]) for a, b in sentence_spans(text, get_language("en"))
    ]


@given(PROSE, st.sampled_from(LANGUAGES))
def test_a_sentence_ends_before_white_space(parts: list[str], language: str) -> None:
    text = "".join(part for part in parts if part.isascii())
    for _, end in sentence_spans(text, get_language(language))[:-1]:
        assert text[end].isspace()


def test_code_spans_may_overlap_or_leave_the_text() -> None:
    text = "Use a.b. It works."
    spans = sentence_spans(text, get_language("en"), [(4, 7), (5, 7), (17, 99)])
    assert [text[a:b] for a, b in spans] == ["Use a.b.", "It works."]


@pytest.mark.parametrize("text", ["", " ", "\n\t "])
def test_white_space_alone_has_no_sentence(text: str) -> None:
    assert sentence_spans(text, get_language("en")) == []


def test_a_lone_surrogate_is_not_an_error() -> None:
    assert split("Broken \ud800 text! Next one.") == ["Broken \ud800 text!", "Next one."]


def test_proposals_that_are_not_the_text_are_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sentencex.segment", lambda _code, _text: ["It is", " lost."])
    assert split("It is here! It is there.") == ["It is here!", "It is there."]


@pytest.mark.slow
def test_a_long_text_is_split_as_its_parts_are() -> None:
    part = "It says e.g. 1.5 to Mr. Smith, “keep it. So be it,” and (see fig. 2. below) ends. "
    for shift in range(len(part)):  # whatever stands where one piece of the text ends
        before = "a" * shift + part
        assert split(before + part * 60) == [*split(before), *split(part) * 60]
    text = "漢字は「長い。」と言う。もう一つ。" * 500
    assert len(sentence_spans(text, get_language("ja"))) == 1000


@pytest.mark.slow
@tabled
def test_long_texts_are_split_in_linear_time(part: str) -> None:
    text = part * 4_000
    start = process_time()
    check(text, sentence_spans(text, get_language("en")))
    assert process_time() - start < 2  # less than half; quadratic time would be far more
