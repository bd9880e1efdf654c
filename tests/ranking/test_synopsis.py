"""The contents of a synopsis: the page's description, the limits, and the opening."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from tables import tabled

from mkdocs_recall import Corpus, Document, Result
from mkdocs_recall.index.index import Index
from mkdocs_recall.index.query import part_of
from mkdocs_recall.options import ALGORITHM_NAMES, AlgorithmName, Options
from mkdocs_recall.ranking.quotation import words_in
from mkdocs_recall.ranking.result import quoted_texts
from mkdocs_recall.ranking.synopsis import first_synopsis, synopsis
from mkdocs_recall.text.model import Kind

WORDS = ("token", "session", "cookie", "server", "client", "password", "however", "it")
AUTH = (
    "# Auth\n\nA session expires after one day. Tokens are renewed by the server each night.\n\n"
    "## Expiry\n\nAn expired session leaves a trace in the log of the server."
)


def page(markdown: str, *, description: str = "", language: str = "en") -> Document:
    document = Corpus.from_markdown({"a.md": markdown}, language=language).documents[0]
    return replace(document, url="a/", description=description)


def described(
    document: Document,
    *,
    algorithm: AlgorithmName = "edmundson",
    max_sentences: int = 3,
    max_words: int | None = None,
    prefer_description: bool = False,
) -> Result:
    return synopsis(
        Index([part_of(document)]),
        Options(
            algorithm=algorithm,
            max_sentences=max_sentences,
            max_words=max_words,
            prefer_description=prefer_description,
        ),
    )


def texts(result: Result) -> list[str]:
    return [passage.text for passage in result.in_document_order()]


@pytest.mark.parametrize("algorithm", ALGORITHM_NAMES)
def test_a_page_s_description_comes_first_if_it_is_preferred(algorithm: AlgorithmName) -> None:
    document = page(AUTH, description="How people  sign in.\nHow they are signed out again.")
    sentences = texts(described(document, algorithm=algorithm, max_sentences=2))
    chosen = described(document, algorithm=algorithm, max_sentences=4, prefer_description=True)
    first = ["How people sign in.", "How they are signed out again."]
    assert texts(chosen) == [*first, *sentences]
    assert [p.text for p in chosen.passages[:2]] == first
    assert [p.rank for p in chosen.passages] == [1, 2, 3, 4]


def test_a_description_is_left_alone_unless_it_is_preferred() -> None:
    document = page(AUTH, description="How people sign in.")
    assert texts(described(document)) == texts(described(replace(document, description="")))


def test_a_page_without_a_description_is_summarised_as_ever() -> None:
    document = page(AUTH)
    assert texts(described(document, prefer_description=True)) == texts(described(document))


@tabled
def test_a_synopsis_holds_what_stands_alone_within_its_limits(
    behaviour: str, markdown: str, made: Any, options: Any, expected: list[str]
) -> None:
    assert texts(described(page(markdown, **made), **options)) == expected, behaviour


def test_sentences_that_repeat_the_description_are_left_out() -> None:
    document = page(AUTH, description="A session expires after one day!")
    chosen = texts(described(document, max_sentences=5, prefer_description=True))
    assert chosen[0] == "A session expires after one day!"
    assert "A session expires after one day." not in chosen
    assert len(chosen) == 3


def test_a_description_is_cited_as_the_page() -> None:
    document = page(AUTH, description="How people sign in.")
    passage = described(document, prefer_description=True).passages[0]
    assert (passage.uri, passage.title, passage.document.url) == ("a.md", "Auth", "a/")
    assert (passage.anchor, passage.heading, passage.line) == ("", "", None)
    assert passage.block.sentences == (passage.sentence,)
    assert passage.explanation.value == passage.score
    assert passage.explanation.description == "the page's own description"


@pytest.mark.parametrize("max_sentences", [2, 4])
def test_a_description_is_quoted_apart_from_the_opening(max_sentences: int) -> None:
    document = page(
        "Nobody shares a session with other people. It ends after a day.\n\nA token opens a door.",
        description="About sessions.",
    )
    result = described(document, max_sentences=max_sentences, prefer_description=True)
    description, *sentences = quoted_texts(result)
    assert description == "About sessions."
    assert quoted_texts(Result.from_json(result.to_json()))[0] == description
    [text] = sentences
    assert text == " ".join(passage.text for passage in result.passages[1:])


def test_a_record_from_before_description_sections_is_read() -> None:
    document = page("Nobody shares a session.", description="About sessions.")
    result = described(document, prefer_description=True)
    assert [passage.block.section for passage in result.passages] == [-1, 0]
    old = Result.from_json(result.to_json().replace('"section": -1', '"section": 0'))
    assert quoted_texts(old) == ["About sessions. … Nobody shares a session."]


def test_a_description_with_template_syntax_is_not_quoted() -> None:
    document = page(AUTH, description="All about {{ product }}.")
    assert texts(described(document, prefer_description=True)) == texts(described(document))


def test_a_section_is_not_what_the_page_s_description_describes() -> None:
    part = part_of(page(AUTH, description="How people sign in."), anchors=["expiry"])
    result = synopsis(Index([part]), Options(prefer_description=True))
    assert texts(result) == ["An expired session leaves a trace in the log of the server."]


@pytest.mark.parametrize(
    ("max_words", "count"), [(1, 1), (6, 1), (13, 1), (14, 2), (25, 2), (26, 3)]
)
def test_a_synopsis_ends_before_the_limit(max_words: int, count: int) -> None:
    result = described(page(AUTH), algorithm="lead", max_words=max_words)
    assert [len(p.text.split()) for p in result.passages] == [6, 8, 12][:count]


def test_words_are_counted_where_no_blanks_set_them_apart() -> None:
    document = page("鍵は期限が切れます。扉は夜に閉まります。", language="ja")
    assert len(described(document, max_words=5).passages) == 1
    assert len(described(document, max_words=10).passages) == 2


def test_the_limit_in_words_is_that_of_each_page() -> None:
    pages = Corpus.from_markdown({"a.md": AUTH, "b.md": AUTH}).documents
    index = Index(map(part_of, pages))
    result = synopsis(index, Options(algorithm="lead", max_words=14))
    assert [p.uri for p in result.passages] == ["a.md"] * 2 + ["b.md"] * 2


@pytest.mark.parametrize(("max_words", "count"), [(1, 1), (14, 2), (26, 3), (31, 3), (32, 4)])
def test_a_first_synopsis_is_limited_in_all(max_words: int, count: int) -> None:
    pages = Corpus.from_markdown({"a.md": AUTH, "b.md": AUTH}).documents
    index = Index(map(part_of, pages))
    options = Options(algorithm="lead", max_sentences=4, max_words=max_words)
    result = first_synopsis(index.parts, options)
    assert [p.uri for p in result.passages] == ["a.md", "a.md", "a.md", "b.md"][:count]
    assert [p.rank for p in result.passages] == list(range(1, count + 1))


def test_a_first_synopsis_can_begin_with_descriptions() -> None:
    pages = [replace(page(AUTH), uri=f"{n}.md", description=f"Page {n} of all.") for n in (1, 2)]
    result = first_synopsis(
        map(part_of, pages),
        Options(algorithm="lead", max_sentences=5, prefer_description=True),
    )
    assert [p.text for p in result.passages][::4] == ["Page 1 of all.", "Page 2 of all."]


def test_the_memo_of_synopses_is_keyed_by_all_counted_options() -> None:
    index = Index([part_of(page(AUTH, description="How people sign in."))])
    memo: dict[tuple[object, ...], Result] = {}

    def ask(max_words: int | None, prefer_description: bool) -> list[str]:  # noqa: FBT001 - a column
        return texts(
            synopsis(
                index,
                Options(
                    algorithm="lead",
                    max_sentences=2,
                    max_words=max_words,
                    prefer_description=prefer_description,
                ),
                memo=memo,
            )
        )

    wishes = [(None, False), (None, True), (4, False), (4, True)]
    answers = [ask(*wish) for wish in wishes]
    assert len(memo) == 4
    assert [ask(*wish) for wish in wishes] == answers
    assert len(memo) == 4
    assert len({tuple(answer) for answer in answers}) == 4


@st.composite
def pages(draw: st.DrawFn) -> str:
    """A page of paragraphs and lists of a few words, some of which lean."""
    sentence = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(
        lambda words: f"{' '.join(words).capitalize()}."
    )
    paragraph = st.lists(sentence, min_size=1, max_size=4).map(" ".join)
    block = st.one_of(paragraph, sentence.map("- {}".format), st.just("## Token"))
    return draw(st.lists(block, min_size=1, max_size=6).map("\n\n".join))


@pytest.mark.parametrize("algorithm", ALGORITHM_NAMES)
@settings(max_examples=20)
@given(
    markdown=pages(),
    description=st.sampled_from(["", "All of the token.", "Token. Session and server."]),
    max_sentences=st.integers(1, 5),
    max_words=st.integers(1, 30),
)
def test_a_synopsis_keeps_within_its_limits_and_is_the_same_each_time(
    algorithm: AlgorithmName, markdown: str, description: str, max_sentences: int, max_words: int
) -> None:
    document = page(markdown, description=description)

    def ask(max_words: int | None) -> Result:
        return described(
            document,
            algorithm=algorithm,
            max_sentences=max_sentences,
            max_words=max_words,
            prefer_description=True,
        )

    result, whole = ask(max_words), ask(None)
    assert len(result.passages) <= max_sentences
    assert bool(result.passages) == bool(whole.passages)
    assert [p.text for p in result.passages] == [p.text for p in whole.passages][
        : len(result.passages)
    ]
    total = sum(words_in(p.sentence.text, "en") for p in result.passages)
    assert total <= max_words or len(result.passages) == 1
    assert ask(max_words) == result


def of_kinds(*pairs: tuple[Kind, str]) -> Document:
    """Return a page with blocks of these kinds and texts."""
    document = page("\n\n".join(text for _, text in pairs))
    blocks = tuple(
        replace(block, kind=kind) for block, (kind, _) in zip(document.blocks, pairs, strict=True)
    )
    return replace(document, blocks=blocks)


@tabled
def test_the_first_sentence_leans_on_what_it_may_be_said_of(above: Kind, first: str) -> None:
    document = of_kinds(
        (above, "Doors"),
        ("prose", "This service makes the tokens."),
        ("prose", "Zebras run around here all night."),
    )
    document = replace(document, title="Token service")
    assert texts(described(document, max_sentences=1)) == [first]


@pytest.mark.parametrize("end", [":", "...", "…"])
@pytest.mark.parametrize("algorithm", ALGORITHM_NAMES)
def test_lead_ins_of_other_text_are_left_out(algorithm: AlgorithmName, end: str) -> None:
    text = f"# Token\n\nThe token server has these parts{end}\n\n- Zebras run around all night."
    chosen = texts(described(page(text), algorithm=algorithm))
    assert chosen == ["Zebras run around all night."]


@pytest.mark.parametrize("algorithm", ALGORITHM_NAMES)
def test_admonitions_are_chosen_for_want_of_other_text_only(algorithm: AlgorithmName) -> None:
    notes: list[tuple[Kind, str]] = [
        ("admonition", "Tokens are not for zebras."),
        ("admonition", "Tokens open no window."),
    ]
    prose: list[tuple[Kind, str]] = [("prose", f"Tokens open door number {n}.") for n in range(3)]
    enough = described(of_kinds(*notes, *prose), algorithm=algorithm, max_sentences=9)
    assert sorted(texts(enough)) == [text for _, text in prose]
    items: list[tuple[Kind, str]] = [("list", text) for _, text in prose]
    enough = described(of_kinds(*notes, *items), algorithm=algorithm, max_sentences=9)
    assert sorted(texts(enough)) == [text for _, text in prose]
    few = described(of_kinds(*notes, *prose[:1]), algorithm=algorithm, max_sentences=9)
    assert len(few.passages) == 3
