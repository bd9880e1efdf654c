"""Answers by meaning: appended where words find too little, or in another order."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest
from meaning import MINILM, Toy, larch

from mkdocs_recall import Corpus, Result
from mkdocs_recall.corpus.context import Context, Location
from mkdocs_recall.directives.nested import as_semantic
from mkdocs_recall.scoring.semantic import OPENING, PAGES, SECTIONS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["larch"]
pytestmark = pytest.mark.usefixtures("larch")

AUTH = """# Auth

Signing out removes each token of a browser. A session expires after a day.

A cookie named birch is set, and nothing else is stored.
"""
OTHER = """# Trees

The larch loses its needles. The birch does not, for it has leaves.
"""
QUESTION = "log off wipes tokens"
"""Of its words "token" alone stands on a page; what "log" and "off" mean does, too."""


def semantic(**settings: Any) -> dict[str, Any]:
    return {"model": "larch", "min_relevance_score": 0, **settings}


def corpus(**pages: str) -> Corpus:
    return Corpus.from_markdown({f"{name}.md": text for name, text in pages.items()})


def told(result: Result) -> list[tuple[str, str]]:
    return [(passage.sentence.text, passage.found_by) for passage in result.passages]


# ------------------------------------------------------------------------------------- supplement


def test_a_question_in_other_words_is_answered_by_meaning_and_that_is_tagged(larch: Toy) -> None:
    pages = corpus(auth=AUTH.replace("token", "secret"), trees=OTHER)
    assert pages.recall("log off wipes", min_score=0, on_empty="omit").passages == ()
    result = pages.recall("log off wipes", on_empty="error", semantic=semantic())
    assert told(result) == [("Signing out removes each secret of a browser.", "semantic")]
    assert result.fallback is None
    assert "found by meaning" in result.why
    assert "'min_lexical_score' 0.35" in result.why
    [passage] = result.passages
    assert passage.explanation.value == passage.score >= larch.default_min_similarity


@pytest.mark.parametrize("scorer", ["coverage", "overlap", "bm25"])
def test_what_words_find_well_is_never_embedded_whatever_the_scorer(
    larch: Toy, scorer: str
) -> None:
    pages = corpus(auth=AUTH, trees=OTHER)
    query = "when does a session expire?"
    plain = pages.recall(query, scorer=scorer)
    assert pages.recall(query, scorer=scorer, semantic=semantic()) == plain
    assert larch.asked == []
    pages.recall("log off wipes", scorer=scorer, semantic=semantic())
    assert larch.asked


def test_what_words_find_stays_before_what_meaning_finds() -> None:
    pages = corpus(auth=AUTH, trees=OTHER)
    query = "birch log off wipes"
    plain = pages.recall(query, min_score=0, context=0)
    result = pages.recall(query, min_score=0, semantic=semantic(min_similarity=0), context=0)
    count = len(plain.passages)
    assert told(result)[:count] == told(plain)
    assert {found for _, found in told(result)[count:]} == {"semantic"}
    assert [p.rank for p in result.passages] == list(range(1, len(result.passages) + 1))
    assert [p.found_by for p in result.in_document_order()] == [found for _, found in told(result)]
    assert min(p.sentence.start for p in result.passages[count:]) == 0  # some stand further up


def test_what_meaning_finds_comes_by_cosine_without_repetition_up_to_the_limit() -> None:
    pages = corpus(auth=AUTH, again=AUTH, trees=OTHER)
    result = pages.recall("log off wipes", semantic=semantic(min_similarity=0, limit=3), context=0)
    cosines = [passage.score for passage in result.passages]
    assert len(cosines) == 3
    assert cosines == sorted(cosines, reverse=True)
    texts = [text for text, _ in told(result)]
    assert len(set(texts)) == 3


def test_what_is_quoted_around_a_sentence_is_not_appended_as_well() -> None:
    pages = corpus(auth="# Auth\n\nA birch is set first. Signing out removes each secret.\n")
    asked = semantic(min_lexical_score=2)
    options: dict[str, Any] = {"max_sentences": 1, "min_score": 0, "semantic": asked}
    first, second = pages.recall("birch log off wipes", **options, context=0).passages
    assert (first.found_by, second.found_by) == ("lexical", "semantic")
    [passage] = pages.recall("birch log off wipes", context=1, **options).passages
    assert second.sentence.text in passage.text


@pytest.mark.parametrize("least", [0.05, 0.99])
def test_what_is_less_near_than_asked_is_no_answer(least: float) -> None:
    result = corpus(auth=AUTH, trees=OTHER).recall(
        "log off wipes", on_empty="omit", semantic=semantic(min_similarity=least)
    )
    assert all(passage.score >= least for passage in result.passages)
    assert bool(result.passages) == (least < 0.9)
    if not result.passages:
        assert result.fallback == "no_match"


def test_a_page_that_is_worth_too_little_is_not_embedded_but_words_find_it(larch: Toy) -> None:
    draft = f"---\nrecall_quality: 69\n---\n{AUTH}"
    good = f"---\nrecall_quality: 70\n---\n{OTHER}"
    pages = corpus(auth=draft, trees=good)
    others = dict.fromkeys(("the", "birch", "does", "not", "for", "it", "has"), "")
    larch.meanings = {"foliage": "leaves", **others}
    asked = {"model": "larch", "min_similarity": 0.1, "min_lexical_score": 2}
    result = pages.recall("cookie needles foliage", semantic=asked, min_score=0, context=0)
    embedded = {text for call in larch.asked for text in call}
    assert not any("cookie named" in text for text in embedded)
    assert any("The larch loses" in text for text in embedded)
    lexical = {p.uri for p in result.passages if p.found_by == "lexical"}
    assert lexical == {"auth.md", "trees.md"}
    assert {p.uri for p in result.passages if p.found_by == "semantic"} == {"trees.md"}


def test_only_the_pages_nearest_to_the_question_are_looked_into() -> None:
    pages = {f"p{n}": f"# Page {n}\n\nThe needle number {n} is blunt." for n in range(30)}
    asked = semantic(min_similarity=0, limit=100)
    result = corpus(auth=AUTH, **pages).recall("log off wipes", semantic=asked)
    assert len({passage.uri for passage in result.passages}) == PAGES
    assert "auth.md" in {passage.uri for passage in result.passages}


def test_a_page_without_what_may_be_quoted_takes_no_other_s_place() -> None:
    pages = {f"p{n}": f"# Signing out {n}\n\nSigning out removes it." for n in range(PAGES)}
    pages["code"] = "# Trees\n\nThe larch is tall.\n\n```sh\nsigning out\n```\n"
    result = corpus(**pages).recall("log off", units="code", semantic=semantic(), on_empty="omit")
    assert told(result) == [("signing out", "semantic")]


def test_a_question_of_stop_words_alone_is_asked_by_meaning(larch: Toy) -> None:
    larch.meanings = {"the": "needles", "it": "needles", "is": ""}
    result = corpus(trees=OTHER).recall("is it the", on_empty="omit", semantic=semantic())
    assert told(result)[0] == ("The larch loses its needles.", "semantic")


def test_of_several_questions_only_those_are_embedded_that_words_answer_badly(larch: Toy) -> None:
    pages = corpus(auth=AUTH, trees=OTHER)
    pages.recall(["when does a session expire?", "log off wipes"], semantic=semantic())
    embedded = {text for call in larch.asked for text in call}
    assert "log off wipes" in embedded
    assert "when does a session expire?" not in embedded


def test_an_answer_that_has_no_room_loses_what_meaning_found_first() -> None:
    asked = semantic(min_similarity=0)
    pages = corpus(auth=AUTH, trees=OTHER)
    words = pages.recall("birch log off wipes", min_score=0, context=0)
    size = sum(math.ceil(len(passage.text) / 4) + 1 for passage in words.passages)
    result = pages.recall(
        "birch log off wipes",
        min_score=0,
        semantic=asked,
        max_sentences=3,
        max_tokens=size,
        context=0,
    )
    assert told(result) == told(words)
    assert {passage.found_by for passage in result.left_out} == {"semantic"}


LONG = f"""# Auth

Keys are small.

Signing out removes each secret{" of a browser that somebody has opened" * 9}.
"""


@pytest.mark.parametrize("mode", ["supplement", "blend"])
def test_what_fits_is_not_lost_to_what_meaning_found_and_does_not_fit(mode: str) -> None:
    pages, asked = corpus(auth=LONG), semantic(mode=mode, min_similarity=0.1)
    query = "log off wipes"
    assert told(pages.recall(query, semantic=asked))[0][0].startswith("Signing out")
    plain = pages.recall(query, max_tokens=10, on_empty="synopsis")
    result = pages.recall(query, max_tokens=10, semantic=asked, on_empty="synopsis")
    assert told(result) == told(plain) == [("Keys are small.", "lexical")]
    assert (result.fallback, result.why) == (plain.fallback, plain.why)
    for on_empty in ("omit", "error"):  # then words have nothing that would fit, either
        result = pages.recall(query, max_tokens=10, semantic=asked, on_empty=on_empty)
        assert (result.passages, result.fallback) == ((), None)
        assert "the best sentence needs " in result.why


def test_a_result_read_from_json_tells_what_found_its_passages() -> None:
    result = corpus(auth=AUTH).recall(
        "birch log off wipes", min_score=0, semantic=semantic(min_similarity=0)
    )
    again = Result.from_json(result.to_json(explain=True))
    assert told(again) == told(result)
    assert again.to_json() == result.to_json()


# ------------------------------------------------------------------------------------------ blend


def blended(
    pages: Corpus, query: str, settings: Mapping[str, Any] | None = None, **options: Any
) -> Result:
    return pages.recall(
        query,
        semantic=semantic(mode="blend", **settings or {}),
        max_sentences=10,
        **options,
        context=0,
    )


def cosine(toy: Toy, one: str, *others: str) -> float:
    rows = toy.embed([one, *others]).astype(float)
    mean = rows[1:].sum(axis=0)
    return float(rows[0] @ mean / math.sqrt(mean @ mean))


WORDS_SUFFICE = {"min_lexical_score": 0}
SECTIONS_OF_A_PAGE = {
    "First": "A token is kept in a drawer.",
    "Second": "A token is sent by mail. Oaks grow.",
    "Third": "A token is lost in snow. Wipes come after that here.",
}
TOKENS = "# Keys\n" + "".join(f"\n## {h}\n\n{t}\n" for h, t in SECTIONS_OF_A_PAGE.items())
"""Words find its sections in their order; the third is nearest to what "log" means."""


def test_meaning_orders_the_sections_below_the_one_that_words_find_first(larch: Toy) -> None:
    larch.meanings = {"log": "wipes"}
    plain = corpus(keys=TOKENS).recall("log a token", min_score=0, max_sentences=10, context=0)
    result = blended(corpus(keys=TOKENS), "log a token", WORDS_SUFFICE, min_score=0)
    assert [p.block.heading for p in plain.passages] == ["First", "Second", "Third"]
    assert [p.block.heading for p in result.passages] == ["First", "Third", "Second"]


def test_a_score_is_made_of_words_and_of_the_opening_of_the_section(larch: Toy) -> None:
    larch.meanings = {"log": "wipes"}
    query, pages = "log a token", corpus(keys=TOKENS)
    plain = pages.recall(query, max_sentences=10, min_score=0, context=0)
    words = {passage.block.heading: passage.score for passage in plain.passages}
    nearness = {
        heading: cosine(larch, query, f"Keys\n{heading}\n{text}")
        for heading, text in SECTIONS_OF_A_PAGE.items()
    }
    nearness["First"] = max(nearness.values())
    result = blended(pages, query, WORDS_SUFFICE, min_score=0)
    assert len(result.passages) == 3
    for passage in result.passages:
        heading = passage.block.heading
        expected = (words[heading] + 0.3 * nearness[heading]) / 1.3
        assert passage.score == pytest.approx(expected, abs=2e-6)
        parts = [part.value for part in passage.explanation.parts]
        assert math.fsum(parts) == pytest.approx(passage.score)


def test_only_the_openings_of_the_first_sections_are_embedded(larch: Toy) -> None:
    grows = "It grows. " * 60
    more = (f"\n## Token {n}\n\nA token of larch {n}. {grows}\n" for n in range(SECTIONS + 9))
    blended(corpus(tokens=f"# Tokens\n{''.join(more)}"), "token larch", min_score=0)
    query, *texts = [text for call in larch.asked for text in call]
    assert query == "token larch"
    assert len(texts) == SECTIONS
    assert max(map(len, texts)) == OPENING
    assert all(text.startswith("Tokens\nToken ") for text in texts)


@pytest.mark.parametrize("scorer", ["coverage", "overlap", "bm25"])
def test_a_blended_score_is_between_0_and_1(scorer: str) -> None:
    result = blended(corpus(auth=AUTH, trees=OTHER), QUESTION, scorer=scorer)
    assert result.passages
    assert all(0 < passage.score <= 1 for passage in result.passages)


def test_what_words_answer_well_enough_stays_an_answer_though_its_meaning_is_far(
    larch: Toy,
) -> None:
    larch.meanings = dict.fromkeys(["when", "does", "a", "session", "expire", "expires"], "")
    pages = corpus(auth=AUTH, trees=OTHER)
    query = "when does a session expire?"
    [best] = pages.recall(query, max_sentences=1).passages
    result = blended(pages, query, min_score=best.score, on_empty="omit")
    assert best.sentence.text in [text for text, _ in told(result)]
    assert result.passages[0].score < best.score


def test_what_neither_words_nor_meaning_find_is_no_answer() -> None:
    result = blended(corpus(trees=OTHER), "granite quarry", on_empty="omit", min_score=0.2)
    assert result.passages == ()
    assert result.fallback == "no_match"


def test_of_what_is_no_answer_it_is_told_what_its_words_score() -> None:
    pages = corpus(trees=OTHER)
    query, asked = "larch needles granite quarry", semantic(mode="blend", min_similarity=1)
    [best, *_] = pages.recall(query).passages
    least = best.score + 0.01
    result = pages.recall(query, semantic=asked, min_score=least, on_empty="omit")
    assert result.lost[0].passage.score > least  # with its meaning
    assert result.lost[0].reason == "its words score less than 'min_score'"
    assert f"(the best scores {best.score:.2f} by its words, 'min_score'" in result.why


def test_where_words_find_too_little_meaning_finds_more() -> None:
    pages = corpus(auth=AUTH.replace("token", "secret"), trees=OTHER)
    result = blended(pages, "log off wipes", on_empty="omit", min_score=0.9)
    assert told(result) == [("Signing out removes each secret of a browser.", "semantic")]


def test_each_of_several_questions_gets_its_answer_by_meaning() -> None:
    pages = corpus(auth=AUTH.replace("token", "secret"), trees=OTHER)
    asked = semantic(mode="blend")
    result = pages.recall(["log off wipes", "larch needles"], semantic=asked, max_sentences=2)
    assert {text for text, _ in told(result)} == {
        "Signing out removes each secret of a browser.",
        "The larch loses its needles.",
    }


# ----------------------------------------------------------------------------------- what is amiss


@pytest.mark.parametrize("mode", ["supplement", "blend"])
def test_a_model_that_fails_leaves_the_answer_of_words(
    larch: Toy, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    def fail(_texts: object) -> None:
        msg = "no current"
        raise OSError(msg)

    monkeypatch.setattr(larch, "embed", fail)
    pages = corpus(auth=AUTH, trees=OTHER)
    plain = pages.recall("birch log off")
    result = pages.recall("birch log off", semantic=semantic(mode=mode, min_lexical_score=2))
    assert told(result) == told(plain)
    [said] = result.diagnostics
    assert "only words count" in said
    assert "no current" in said


def test_a_model_that_is_not_there_is_named() -> None:
    result = corpus(auth=AUTH).recall("log off", semantic={"model": "transformers:no/such"})
    [said] = result.diagnostics
    assert "transformers:no/such" in said


@pytest.mark.parametrize("enrich", [False, "serve", "always"])
def test_without_files_there_is_nothing_to_name_beside_a_question(larch: Toy, enrich: Any) -> None:
    corpus(auth=AUTH).recall("log off wipes", semantic=semantic(), enrich=enrich)
    assert any("log off wipes" in call for call in larch.asked)


def test_what_is_kept_depends_on_how_near_the_model_says_an_answer_must_be(
    larch: Toy, tmp_path: Path
) -> None:
    asked = as_semantic(semantic())
    assert asked is not None
    key = Context(Location(tmp_path)).semantic_key(asked, False)  # noqa: FBT003 - `enrich`
    assert Context(Location(tmp_path)).semantic_key(asked, False) == key  # noqa: FBT003
    larch.default_min_similarity += 0.1
    assert Context(Location(tmp_path)).semantic_key(asked, False) != key  # noqa: FBT003


@MINILM
def test_a_real_model_finds_what_no_word_says() -> None:
    pages: Mapping[str, str] = {
        "auth.md": "# Sessions\n\nSigning out removes all keys of the browser at once.\n",
        "mail.md": "# Mail\n\nA message is sent on port 587, and never twice.\n",
        "trees.md": "# Trees\n\nThe larch loses its needles in autumn.\n",
    }
    asked = Corpus.from_markdown(pages)
    query = "how do I log off and wipe my credentials?"
    assert asked.recall(query, min_score=0, on_empty="omit").passages == ()
    for mode in ("supplement", "blend"):
        found = asked.recall(
            query,
            on_empty="omit",
            max_sentences=1,
            semantic={"min_relevance_score": 0, "mode": mode, "limit": 1},
        )
        assert [passage.uri for passage in found.passages] == ["auth.md"]
