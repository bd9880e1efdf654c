"""What is quoted with a sentence to make it understandable."""

from __future__ import annotations

import math
from typing import Any

import pytest
from answered import expect
from hypothesis import given, strategies as st
from tables import Case, beside, tabled

from mkdocs_recall import Corpus, Explanation
from mkdocs_recall.options import DEFAULT_UNITS, UNITS, Unit
from mkdocs_recall.ranking.quotation import (
    ALONE,
    FOLLOWERS,
    IN_CONTEXT,
    ITEM_WORDS,
    merge_quotations,
    runs,
)
from mkdocs_recall.ranking.result import quoted_texts


def ask(
    page: str, query: str, *, min_score: float = 0, context: int = 0, **options: Any
) -> list[str]:
    """Return what passages say, a sentence each by rank, however little they score."""
    corpus = Corpus.from_markdown({"a.md": f"# Larch\n\n{page}"})
    result = corpus.recall(query, on_empty="omit", min_score=min_score, context=context, **options)
    return [p.text for p in result.passages]


def first(page: str, query: str, **options: Any) -> str:
    return ask(page, query, **options)[0]


@tabled
def test_these_passages_are_quoted_in_this_order(
    behaviour: str, page: str, query: Any, options: dict[str, Any], quotes: list[str]
) -> None:
    assert ask(page, query, **options) == quotes, behaviour


@tabled
def test_a_passage_is_quoted_with_what_belongs_to_it(
    behaviour: str, page: str, query: str, options: dict[str, Any], quote: str
) -> None:
    assert first(page, query, **options) == quote, behaviour


def lines(count: int) -> str:
    return "\n".join(f"line {n}" if n % 5 != 4 else "" for n in range(count)) + "x"


def test_long_code_is_cut_to_its_first_lines_with_an_ellipsis() -> None:
    for count in (ALONE.lines, ALONE.lines + 1, IN_CONTEXT.lines + 9):
        text = first(f"Write a file:\n\n```\n{lines(count)}\n```\n\nMore.\n", "write a file")
        whole = f"Write a file:\n{lines(count)}"
        if count > ALONE.lines:
            assert text.endswith("\nline 13\n…")  # line 14 is empty
            assert whole.startswith(text.removesuffix("\n…") + "\n")
        else:
            assert text == whole


def test_code_that_is_chosen_itself_comes_whole_with_its_lead_in() -> None:
    page = f"Write a file:\n\n```\n{lines(ALONE.lines + 5)}\n```\n"
    assert first(page, "which line", units=UNITS) == f"Write a file:\n{lines(ALONE.lines + 5)}"


def test_code_in_two_passages_is_quoted_in_its_longer_part() -> None:
    corpus = Corpus.from_markdown({"a.md": f"Write a file:\n\n```\n{lines(20)}\n```\n"})
    (page,) = corpus.documents
    (cut,) = corpus.recall("write a file", context=0).passages
    (whole,) = corpus.recall("which line", units=UNITS, context=0).passages
    assert len(cut.text) < len(whole.text)
    for passages in ((cut, whole), (whole, cut)):
        merged = merge_quotations(page, [passage.quotation for passage in passages])
        assert merged.sentences == whole.quotation.sentences


def test_one_ellipsis_separates_cut_code_from_the_next_text() -> None:
    page = f"Write it:\n\n```\n{lines(20)}\n```\n\nKeep a copy.\n"
    corpus = Corpus.from_markdown({"a.md": f"# Larch\n\n{page}"})
    result = corpus.recall(["write", "keep a copy"], min_score=0, context=0)
    assert len(result.passages) == 2
    (text,) = quoted_texts(result)
    assert text.startswith("Write it:\nline 0\n")
    assert text.endswith("\nline 13\n…\nKeep a copy.")


TABS: str = beside(__file__)["TABS"]


@tabled
def test_tabs_are_quoted_with_their_titles_and_what_leads_in(case: Case) -> None:
    expect(case)


def test_code_that_fills_a_screen_is_quoted_in_part() -> None:
    code = "\n".join(f"alpha_{n} = {n}" for n in range(IN_CONTEXT.lines + 1))
    page = f"Write a file.\n\n```python\n{code}\n```\n\nAll of alpha is read at the start.\n"
    units: Any = ["prose", "code"]
    assert first(page, "start alpha file", units=units) == "All of alpha is read at the start."
    (text, *_) = ask(page, "alpha_30", units=units, context=0)
    assert text == "Write a file.\n…\nalpha_30 = 30"


@pytest.mark.parametrize(
    ("item", "is_whole"),
    [
        ("The larch grows. It is tall. It is old.", True),
        ("The larch grows. It is tall. It is old. It is big.", False),
        (f"The larch grows. {'So ' * (ITEM_WORDS - 4)}end.", True),
        (f"The larch grows. {'So ' * (ITEM_WORDS - 3)}end.", False),
        ("The larch grows. See {{ page }}.", False),
    ],
)
def test_a_long_item_is_quoted_in_parts(item: str, *, is_whole: bool) -> None:
    (text,) = ask(f"- {item}\n", "larch grows", max_sentences=1)
    assert text == (item if is_whole else "The larch grows.")


def test_a_long_list_is_cut_with_an_ellipsis() -> None:
    items = "\n".join(f"- item number {n}" for n in range(FOLLOWERS + 1))
    text = first(f"These belong to a kit:\n\n{items}\n", "belong to a kit")
    assert text.startswith("These belong to a kit:\nitem number 0\n")
    assert text.endswith(f"item number {FOLLOWERS - 1}\n…")


@tabled
def test_only_the_units_asked_for_are_quoted(unit: str, text: str) -> None:
    page = (
        "```\nlarch --short\n```\n\nLarch in prose is short.\n\n"
        "## One\n\n- Larch in an item is short.\n\n"
        "## Two\n\n| Name | Size |\n|---|---|\n| larch | short |\n\n"
        "## Three\n\nLarch\n:   A short tree.\n\n"
        "## Four\n\n!!! note\n    Larch in a box is short.\n"
    )
    assert ask(page, "short larch", units=[unit]) == [text]
    everything = ask(page, "short larch", max_sentences=9)
    assert (text in everything) == (unit != "code")


def test_a_sentence_that_opens_a_section_refers_to_its_heading() -> None:
    page = (
        "Larch is small.\n\n## One\n\nIt lives in the home folder.\n\n"
        "## Two\n\nSome home folder holds what users of it made.\n"
    )
    assert first(page, "lives in home folder") == "It lives in the home folder."
    corpus = Corpus.from_markdown({"a.md": page})
    result = corpus.recall("lives in home folder", min_score=0, context=0)
    assert result.passages[0].quotation.whole


def test_a_result_says_that_the_score_was_too_low() -> None:
    corpus = Corpus.from_markdown({"a.md": "# Zoo\n\nA kangaroo has a pouch. It hops.\n"})
    result = corpus.recall("who feeds the kangaroo of the mayor", min_score=0.9, context=0)
    assert result.fallback == "low_score"
    assert "(the best scores 0." in result.why
    assert result.why.endswith("'min_score' is 0.9)")


def test_each_of_several_queries_is_held_against_min_score_by_itself() -> None:
    page = "A kangaroo has a pouch.\n\nThe mayor sleeps.\n"
    query: Any = ["kangaroo pouch", "mayor sleeps", "rare steak"]
    assert len(ask(page, query, min_score=0.9)) == 2


def test_the_best_that_lost_are_named_with_the_reason() -> None:
    page = (
        "The session ends after a day. After a day the session ends.\n\n"
        "A session is open. Every session has a name. A cookie is none.\n"
    )
    corpus = Corpus.from_markdown({"a.md": f"# Larch\n\n{page}"})
    result = corpus.recall(
        "when does a session end after a day", max_sentences=1, min_score=0, context=0
    )
    assert [(lost.passage.text, lost.reason) for lost in result.lost] == [
        ("After a day the session ends.", "it says the same as number 1"),
        ("A session is open.", "others score more"),
        ("Every session has a name.", "others score more"),
    ]
    assert [lost.passage.rank for lost in result.lost] == [2, 3, 4]
    assert all(lost.passage.explanation.value == lost.passage.score for lost in result.lost)


def test_a_sentence_that_answers_one_of_several_queries_scores_enough() -> None:
    page = (
        "A kangaroo has a pouch.\n\nSome kangaroo has fur.\n\nThe mayor sleeps.\n\n"
        "A horse eats. A cow eats. A pig eats. A hen eats.\n"
    )
    corpus = Corpus.from_markdown({"a.md": f"# Larch\n\n{page}"})
    queries = ["kangaroo pouch", "mayor sleeps", "rare steak", "blue moon"]
    result = corpus.recall(queries, max_sentences=2, min_score=0.2, context=0)
    reasons = {lost.passage.text: lost.reason for lost in result.lost}
    assert reasons["Some kangaroo has fur."] == "others score more, or answer another query"


def test_a_synopsis_names_what_lost_too() -> None:
    page = "A larch is a tree. It has needles. A larch drops its needles. Fir trees keep theirs.\n"
    corpus = Corpus.from_markdown({"a.md": f"# Larch\n\n{page}"})
    result = corpus.synopsis("a.md", max_sentences=1)
    assert len(result.lost) == 3
    assert {lost.reason for lost in result.lost} == {
        "others score more, or differ more from each other"
    }


WORDS = st.sampled_from(
    ["larch", "token", "it", "this", "Session", "`code`", "*ends*", "[go](b.md)"]
)
TEXT = st.builds(
    lambda words, stop: f"{' '.join(words).capitalize()}{stop}",
    st.lists(WORDS, min_size=1, max_size=6),
    st.sampled_from([".", ":", "?", ""]),
)
PARAGRAPH = st.lists(TEXT, min_size=1, max_size=3).map(" ".join)
BLOCK = st.one_of(
    PARAGRAPH,
    TEXT.map(lambda text: f"## {text}"),
    st.lists(PARAGRAPH, min_size=1, max_size=10).map(
        lambda items: "\n".join(f"- {i}" for i in items)
    ),
    st.builds(lambda a, b: f"- {a}\n    - {b}\n    - {a}", PARAGRAPH, PARAGRAPH),
    st.builds(lambda a, b: f"| A | B |\n|---|---|\n| {a} | {b} |\n| {b} | |", TEXT, TEXT),
    st.builds(lambda a, b: f"{a}\n:   {b}", TEXT, PARAGRAPH),
    st.builds(lambda a, b: f'!!! note "{a}"\n    {b}', WORDS, PARAGRAPH),
    st.builds(lambda a, n: f"```\n{a}\n" + "larch token\n" * n + "```", TEXT, st.integers(1, 40)),
    st.builds(
        lambda a, b: f'=== "{a}"\n\n    {b}\n\n=== "Two"\n\n    ```\n    {a}\n    ```',
        WORDS,
        PARAGRAPH,
    ),
)


@given(
    st.lists(BLOCK, min_size=1, max_size=8).map("\n\n".join),
    st.lists(
        st.sampled_from(["larch", "token", "session", "ends", "code"]), min_size=1, max_size=3
    ),
    st.integers(0, 3),
    st.sampled_from([UNITS, DEFAULT_UNITS]),
)
def test_quoted_text_is_on_the_page_in_order_and_once(
    page: str, query: list[str], context: int, units: tuple[Unit, ...]
) -> None:
    corpus = Corpus.from_markdown({"a.md": f"# Larch\n\n{page}"})
    result = corpus.recall(" ".join(query), max_sentences=9, units=units, context=context)
    document = corpus.documents[0]
    standing = {(s.block, s.start) for block in document.blocks for s in block.sentences}
    hits = [(p.sentence.block, p.sentence.start) for p in result.passages]
    assert len(hits) == len(set(hits))
    for passage in result.passages:
        sentences = passage.quotation.sentences
        places = [(s.block, s.start) for s in sentences]
        assert places == sorted(set(places))
        assert passage.sentence in sentences
        assert set(places) <= standing
        assert all(document.blocks[s.block].text[s.start : s.end] == s.text for s in sentences)
        assert len({document.blocks[s.block].section for s in sentences}) == 1
        assert math.isclose(leaves(passage.explanation), passage.score, abs_tol=1e-9)
        for run in runs(document, sentences):
            assert run.block.text[run.start : run.end] in passage.text
    assert {
        (lost.passage.sentence.block, lost.passage.sentence.start) for lost in result.lost
    }.isdisjoint(hits)


def leaves(tree: Explanation) -> float:
    """Return the sum of what a score is made of."""
    return math.fsum(map(leaves, tree.parts)) if tree.parts else tree.value
