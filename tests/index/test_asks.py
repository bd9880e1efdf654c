"""The questions that authors state in front matter: searched like headings, never quoted."""

from __future__ import annotations

import pytest
from tables import beside

from mkdocs_recall import Corpus
from mkdocs_recall.text.document import pack, unpack
from mkdocs_recall.text.front_matter import front_matter_faults, is_excluded, split_front_matter

AUTH: str = beside(__file__)["AUTH"]
OTHER = "# Login\n\n## Page\n\nThe login page is blue. Its form lasts."


def first(query: str) -> str:
    result = Corpus.from_markdown({"auth.md": AUTH, "login.md": OTHER}).recall(query)
    return result.passages[0].source


def test_a_question_of_a_section_finds_the_section() -> None:
    assert first("How long does a login last?") == "auth.md#sessions"


def test_a_question_of_the_page_finds_its_opening() -> None:
    assert first("Who may come in?") == "auth.md#auth"


def test_a_question_is_never_quoted() -> None:
    corpus = Corpus.from_markdown({"auth.md": AUTH, "login.md": OTHER})
    for query in ("How long does a login last?", "Who may come in?"):
        texts = [passage.text for passage in corpus.recall(query, max_sentences=9).passages]
        assert not any("How long" in text or "Who may" in text for text in texts)


def test_questions_survive_the_cache() -> None:
    (page, _) = Corpus.from_markdown({"auth.md": AUTH, "login.md": OTHER}).documents
    assert unpack(page.uri, pack(page)).asks == page.asks
    assert page.asks == (("sessions", "How long does a login last?"), ("", "Who may come in?"))


def test_a_page_without_questions_is_packed_as_before_there_were_any() -> None:
    (page,) = Corpus.from_markdown({"a.md": OTHER}).documents
    assert b'["","","","",null]' in pack(page)


@pytest.mark.parametrize("asks", ["How?", "[How?, Why?]", "{'#a': How?}", "{'': [How?]}"])
def test_a_page_with_questions_is_not_excluded(asks: str) -> None:
    source = split_front_matter(f"---\nrecall: {{asks: {asks}}}\n---\nText.")
    assert not is_excluded(source.meta)
    assert is_excluded({"recall": {"exclude": True, "asks": "How?"}})


@pytest.mark.parametrize("asks", ["1", "[1]", "{'#a': {b: c}}", "{2: [How]}"])
def test_invalid_questions_are_reported_with_their_line(asks: str) -> None:
    text = f"---\ntitle: A\nrecall: {{asks: {asks}}}\n---\nText."
    source = split_front_matter(text)
    [(line, message)] = front_matter_faults(source.meta, text)
    assert line == 3
    assert "'recall.asks' in the front matter must be a question" in message
    assert not is_excluded(source.meta)
