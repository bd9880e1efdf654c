"""The places of an answer: sentences of one section are one, and a further one adds something."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from mkdocs_recall import Corpus
from mkdocs_recall.directives.schema import recall_options
from mkdocs_recall.index.index import Index
from mkdocs_recall.index.part import Part
from mkdocs_recall.options import RecallOptions
from mkdocs_recall.retrieval.places import ADDS, NEAR, choose_places
from mkdocs_recall.retrieval.quotation import Quotation
from mkdocs_recall.retrieval.result import quoted_texts
from mkdocs_recall.retrieval.siblings import Siblings
from mkdocs_recall.scoring.features import words_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mkdocs_recall import Result
    from mkdocs_recall.retrieval.places import Places


def places(sections: Sequence[str], query: str, scores: Sequence[float], **options: Any) -> Places:
    """Return the places of sentences, each the first of its section, with such scores."""
    page = "\n\n".join(f"## Part {number}\n\n{text}" for number, text in enumerate(sections))
    index = Index(
        [Part(each, each.blocks) for each in Corpus.from_markdown({"a.md": page}).documents]
    )
    first = [
        n for n, s in enumerate(index.sentences) if not s.start and s.block in range(len(scores))
    ]
    given = recall_options(query, source="**", **options)
    assert isinstance(given, RecallOptions)
    return choose_places(
        index,
        given,
        first,
        scores=dict(zip(first, scores, strict=True)),
        siblings=Siblings([query], index),
        quotation=lambda number: Quotation((index.sentences[number],)),
    )


SAME, OTHER = "A walrus swims.", "A walrus sings."


@pytest.mark.parametrize(
    ("further", "score", "is_quoted"),
    [
        (SAME, NEAR, True),
        (SAME, NEAR - 0.01, False),
        (OTHER, ADDS, True),
        (OTHER, ADDS - 0.01, False),
    ],
)
def test_a_further_place_has_another_word_of_the_query_or_is_worth_nearly_the_same(
    further: str, score: float, *, is_quoted: bool
) -> None:
    chosen = places([SAME, further], "which walrus sings", [1, score])
    assert [*chosen.quotations] == ([0, 1] if is_quoted else [0])
    reasons = [left.reason for left in chosen.left_out]
    assert reasons == ([] if is_quoted else ["it adds nothing to those before it"])


def test_a_word_that_only_the_context_of_a_place_has_is_no_word_to_add() -> None:
    above = f"{SAME} A seal sings."
    assert [*places([above, OTHER], "which walrus sings", [1, ADDS]).quotations] == [0]


def test_a_word_of_a_heading_is_a_word_of_its_place() -> None:
    headed = f"{SAME}\n\n## Singing\n\nSeals dance."
    for query, quoted in (("a walrus swims", [0]), ("which walrus swims to sing", [0, 1])):
        assert [*places([headed], query, [1, ADDS]).quotations] == quoted


def answer(pages: dict[str, str], query: Any, **options: Any) -> Result:
    return Corpus.from_markdown(pages).recall(query, on_empty="omit", min_score=0, **options)


@pytest.mark.parametrize("context", ["auto", "block", "section"])
def test_sentences_of_one_section_are_one_passage(context: Any) -> None:
    songs = "\n\n".join(f"A walrus sings song {number}." for number in range(3))
    page = f"# Larch\n\n## One\n\n{songs}\n\n### Two\n\nA walrus sings song 9.\n"
    result = answer({"a.md": page}, "walrus sings song", max_sentences=4, context=context)
    assert [passage.source for passage in result.passages] == ["a.md#one", "a.md#two"]
    assert [passage.rank for passage in result.passages] == [1, 2]
    assert quoted_texts(result) == [songs.replace("\n\n", " "), "A walrus sings song 9."]


def test_sentences_of_two_tabs_are_two_passages() -> None:
    tabs = '=== "Sea"\n\n    A walrus sings.\n\n=== "Land"\n\n    A seal dances.\n'
    result = answer({"a.md": f"# Larch\n\n{tabs}"}, "walrus sings, seal dances")
    chosen = {passage.sentence.text for passage in result.passages}
    assert chosen == {"A walrus sings.", "A seal dances."}


def test_each_of_several_queries_has_its_place_whatever_it_adds() -> None:
    seal = "A seal of wax is here for good and for a long time."
    pages = {"a.md": "# A\n\nA walrus sings to a seal by day.", "b.md": f"# B\n\n{seal}"}
    for query, uris in (
        (["walrus sings to a seal by day", "seal"], ["a.md", "b.md"]),
        ("walrus sings to a seal by day", ["a.md"]),
    ):
        assert [passage.uri for passage in answer(pages, query).passages] == uris


@pytest.mark.parametrize(
    ("count", "sizes"), [(1, [63]), (2, [63, 23]), (3, [63, 53]), (4, [63, 63])]
)
def test_a_further_place_has_the_words_that_are_left(count: int, sizes: list[int]) -> None:
    rest = " ".join(f"{'Alder ' * 9}stone." for _ in range(9))
    sections = [f"A {animal} sings. {rest}" for animal in ("walrus", "seal", "bird", "frog")]
    scores = [1.0, 0.9, 0.9, 0.9][:count]
    chosen = places(sections[:count], "walrus seal bird frog", scores, max_sentences=count)
    assert sizes == [
        sum(words_in(sentence.text, "en") for sentence in quotation.sentences)
        for quotation in chosen.quotations.values()
    ]
    none_left = "those before it have all the words of an answer"
    assert [left.reason for left in chosen.left_out] == [none_left] * (count - len(sizes))
