"""Answers by meaning: appended if words find too little, or part of the ranking."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, strategies as st
from meaning import MINILM, Toy, larch
from numpy.typing import NDArray
from tables import beside

from mkdocs_recall import Corpus, Passage, Result
from mkdocs_recall.directives.catalog import as_semantic
from mkdocs_recall.index.index import Index
from mkdocs_recall.index.query import part_of
from mkdocs_recall.options import DEFAULT_UNITS
from mkdocs_recall.pages.context import Context
from mkdocs_recall.ranking.semantic import OPENING, PAGES
from mkdocs_recall.ranking.structure import COMPARED, SectionRanking
from mkdocs_recall.ranking.weights import MEANING

__all__ = ["larch"]
pytestmark = pytest.mark.usefixtures("larch")

AUTH: str = beside(__file__)["AUTH"]
OTHER = """# Trees

The larch loses its needles. The birch does not, for it has leaves.
"""


def semantic(**settings: Any) -> dict[str, Any]:
    return {"model": "larch:toy", "min_relevance_score": 0, **settings}


def corpus(**pages: str) -> Corpus:
    return Corpus.from_markdown({f"{name}.md": text for name, text in pages.items()})


def told(result: Result) -> list[tuple[str, str]]:
    return [(passage.sentence.text, passage.found_by) for passage in result.passages]


def test_a_reworded_question_is_answered_by_meaning_and_tagged(larch: Toy) -> None:
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
def test_questions_with_good_matches_are_never_embedded(larch: Toy, scorer: str) -> None:
    pages = corpus(auth=AUTH, trees=OTHER)
    query = "when does a session expire?"
    plain = pages.recall(query, scorer=scorer)
    assert pages.recall(query, scorer=scorer, semantic=semantic()) == plain
    assert larch.asked == []
    pages.recall("log off wipes", scorer=scorer, semantic=semantic())
    assert larch.asked


def test_without_pages_of_quality_meaning_finds_nothing() -> None:
    pages = corpus(auth=f"---\nrecall_quality: 0\n---\n{AUTH}")
    settings = semantic(min_relevance_score=1)
    result = pages.recall("log off wipes", semantic=settings, on_empty="omit")
    assert (result.passages, result.fallback, result.diagnostics) == ((), "no_match", ())


def test_matches_by_words_stay_before_those_by_meaning() -> None:
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


def test_matches_by_meaning_come_by_cosine_without_repetition_up_to_the_limit() -> None:
    pages = corpus(auth=AUTH, again=AUTH, trees=OTHER)
    result = pages.recall("log off wipes", semantic=semantic(min_similarity=0, limit=3), context=0)
    cosines = [passage.score for passage in result.passages]
    assert len(cosines) == 3
    assert cosines == sorted(cosines, reverse=True)
    texts = [text for text, _ in told(result)]
    assert len(set(texts)) == 3


def test_context_of_a_sentence_is_not_appended_as_well() -> None:
    pages = corpus(auth="# Auth\n\nA birch is set first. Signing out removes each secret.\n")
    settings = semantic(min_lexical_score=2)
    options: dict[str, Any] = {"max_sentences": 1, "min_score": 0, "semantic": settings}
    first, second = pages.recall("birch log off wipes", **options, context=0).passages
    assert (first.found_by, second.found_by) == ("lexical", "semantic")
    [passage] = pages.recall("birch log off wipes", context=1, **options).passages
    assert second.sentence.text in passage.text


@pytest.mark.parametrize("least", [0.05, 0.99])
def test_sentences_below_the_minimum_similarity_are_not_answers(least: float) -> None:
    result = corpus(auth=AUTH, trees=OTHER).recall(
        "log off wipes", on_empty="omit", semantic=semantic(min_similarity=least)
    )
    assert all(passage.score >= least for passage in result.passages)
    assert bool(result.passages) == (least < 0.9)
    if not result.passages:
        assert result.fallback == "no_match"


def test_a_low_quality_page_is_not_embedded_but_words_find_it(larch: Toy) -> None:
    draft = f"---\nrecall_quality: 69\n---\n{AUTH}"
    good = f"---\nrecall_quality: 70\n---\n{OTHER}"
    pages = corpus(auth=draft, trees=good)
    others = dict.fromkeys(("the", "birch", "does", "not", "for", "it", "has"), "")
    larch.meanings = {"foliage": "leaves", **others}
    settings = {"model": "larch:toy", "min_similarity": 0.1, "min_lexical_score": 2}
    result = pages.recall("cookie needles foliage", semantic=settings, min_score=0, context=0)
    embedded = {text for call in larch.asked for text in call}
    assert not any("cookie named" in text for text in embedded)
    assert any("The larch loses" in text for text in embedded)
    lexical = {p.uri for p in result.passages if p.found_by == "lexical"}
    assert lexical == {"auth.md", "trees.md"}
    assert {p.uri for p in result.passages if p.found_by == "semantic"} == {"trees.md"}


def test_only_the_pages_nearest_to_the_question_are_looked_into() -> None:
    pages = {f"p{n}": f"# Page {n}\n\nThe needle number {n} is blunt." for n in range(30)}
    settings = semantic(min_similarity=0, limit=100)
    result = corpus(auth=AUTH, **pages).recall("log off wipes", semantic=settings)
    assert len({passage.uri for passage in result.passages}) == PAGES
    assert "auth.md" in {passage.uri for passage in result.passages}


def test_a_page_without_quotable_text_does_not_take_another_s_place() -> None:
    pages = {f"p{n}": f"# Signing out {n}\n\nSigning out removes it." for n in range(PAGES)}
    pages["code"] = "# Trees\n\nThe larch is tall.\n\n```sh\nsigning out\n```\n"
    result = corpus(**pages).recall("log off", units="code", semantic=semantic(), on_empty="omit")
    assert told(result) == [("signing out", "semantic")]


def test_a_question_of_stop_words_alone_is_asked_by_meaning(larch: Toy) -> None:
    larch.meanings = {"the": "needles", "it": "needles", "is": ""}
    result = corpus(trees=OTHER).recall("is it the", on_empty="omit", semantic=semantic())
    assert told(result)[0] == ("The larch loses its needles.", "semantic")


def test_only_questions_with_poor_matches_are_embedded(larch: Toy) -> None:
    pages = corpus(auth=AUTH, trees=OTHER)
    pages.recall(["when does a session expire?", "log off wipes"], semantic=semantic())
    embedded = {text for call in larch.asked for text in call}
    assert "log off wipes" in embedded
    assert "when does a session expire?" not in embedded


def test_an_answer_that_has_no_room_loses_what_meaning_found_first() -> None:
    settings = semantic(min_similarity=0)
    pages = corpus(auth=AUTH, trees=OTHER)
    words = pages.recall("birch log off wipes", min_score=0, context=0)
    size = sum(math.ceil(len(passage.text) / 4) + 1 for passage in words.passages)
    result = pages.recall(
        "birch log off wipes",
        min_score=0,
        semantic=settings,
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
def test_a_passage_that_fits_is_not_lost_to_one_found_by_meaning(mode: str) -> None:
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


WORDS_SUFFICE = {"min_lexical_score": 0}
"""Then nothing is appended: all that is embedded is for the ranking."""
SECTIONS = {
    "Drawers": "A token is kept and locked in a drawer of this desk.",
    "Mail": "A token is kept and locked in the mail of a friend.",
    "Snow": "A token is kept and locked in the snow until spring.",
}
OTHERS = {"Birds": "A wren sings.", "Rivers": "A brook is cold.", "Trees": "A larch is tall."}
VAULT = "# Vault\n" + "".join(
    f"\n## {name}\n\n{text}\n" for name, text in (SECTIONS | OTHERS).items()
)
"""For `DESKS`, words prefer the first section, and meaning, as `WINTER` has it, the third."""
DESKS = "a token kept and locked in desks"
WINTER = {"desks": "snow"}
OPENINGS = [f"Vault › {name}\n{text}" for name, text in SECTIONS.items()]
"""What is embedded of the sections that have a word of `DESKS`."""


def answered(pages: Corpus, query: str, **options: Any) -> Result:
    """Answer by words alone, if no option says otherwise, with all that is found."""
    return pages.recall(
        query, **{"max_sentences": 10, "min_score": 0, "on_empty": "omit", "context": 0, **options}
    )


def blended(
    pages: Corpus, query: str, settings: Mapping[str, Any] | None = None, **options: Any
) -> Result:
    asked = semantic(mode="blend", **WORDS_SUFFICE, **settings or {})
    return answered(pages, query, semantic=asked, **options)


def headings(result: Result) -> list[str]:
    return [passage.block.heading for passage in result.passages]


def embedded(toy: Toy) -> list[str]:
    """Return the texts that a toy was asked for since the last time, in order."""
    texts = [text for call in toy.asked for text in call]
    toy.asked.clear()
    return texts


def section_parts(passage: Passage) -> dict[str, float]:
    """Return what the score of a passage's section is made of."""
    explanation = passage.explanation
    if explanation.description == "relevance and rank":
        explanation = explanation.parts[0]
    return {part.description: part.value for part in explanation.parts[0].parts}


def index_of(pages: Mapping[str, str]) -> Index:
    documents = Corpus.from_markdown(pages).documents
    return Index([part_of(document, units=DEFAULT_UNITS) for document in documents])


@pytest.mark.parametrize("context", [0, "auto"])
def test_meaning_brings_another_section_first(larch: Toy, context: Any) -> None:
    pages = corpus(vault=VAULT)
    assert headings(answered(pages, DESKS, context=context))[0] == "Drawers"
    larch.meanings = WINTER
    result = blended(pages, DESKS, context=context)
    assert headings(result)[0] == "Snow"
    assert {passage.found_by for passage in result.passages} == {"lexical"}


@given(st.lists(st.integers(-10_000, 10_000), min_size=7, max_size=7))
@example([3_000] * 7)
def test_whatever_the_cosines_of_a_model_are_the_fitted_weights_count(whole: list[int]) -> None:
    index, known = index_of({"vault.md": VAULT, "auth.md": AUTH}), [n / 10_000 for n in whole]
    plain = SectionRanking("token", index)
    asked: list[int] = []

    def cosines(query: str, sections: Sequence[int]) -> Sequence[float]:
        assert query == "token"
        asked.extend(sections)
        return [known[section] for section in sections]

    ranking = SectionRanking("token", index, cosines=cosines)
    assert len(ranking.features) == 4
    assert sorted(asked) == sorted(ranking.candidates) == sorted(plain.candidates)
    compared = [known[section] for section in asked]
    farthest, distance = min(compared), max(compared) - min(compared)
    for section in asked:
        features = ranking.features[section]
        assert features[:-1] == plain.features[section][:-1]
        expected = (known[section] - farthest) / distance if distance else 0
        assert features.meaning == expected
        value = sum(weight * fact for weight, fact in zip(MEANING, features, strict=True))
        assert ranking.values[section] == pytest.approx(value)
        assert 0 < ranking.scores[section] <= 1
    assert math.fsum(ranking.probabilities.values()) == pytest.approx(1)
    ranked = sorted(asked, key=ranking.values.__getitem__)
    assert ranked == sorted(ranked, key=ranking.probabilities.__getitem__)


def test_the_nearer_the_nearest_section_is_the_likelier_there_is_an_answer(larch: Toy) -> None:
    larch.meanings = WINTER
    pages, query = corpus(vault=VAULT, trees=OTHER), f"{DESKS} wombat zebra"
    scores = [
        blended(pages, query, {"min_similarity": least}).passages[0].score
        for least in (0.9, 0.5, 0.1)
    ]
    assert scores == sorted({*scores})
    result = blended(pages, query, min_score=1)
    assert (result.passages, result.fallback) == ((), "low_score")
    assert result.lost[0].passage.block.heading == "Snow"
    assert result.lost[0].reason == "it scores less than 'min_score'"


def test_the_30_best_sections_by_words_are_embedded_with_their_openings(larch: Toy) -> None:
    assert COMPARED == 30
    grows = "It grows. " * 60

    def sections(numbers: range, text: str) -> str:
        return "".join(f"\n## Part {n}\n\n{text}\n" for n in numbers)

    first, last = "A token of birch and wren is here.", "A larch of birch and wren is here."
    most = f"A token and larch of birch and wren is here. {grows}"
    page = (
        f"# Parts\n{sections(range(9), f'{first} {grows}')}"
        f"{sections(range(9, 9 + COMPARED), most)}"
        f"{sections(range(9 + COMPARED, 48), f'{last} {grows}')}"
    )
    result = blended(corpus(parts=page), "token larch birch wren", max_sentences=100)
    query, *texts = embedded(larch)
    assert query == "token larch birch wren"
    names = [f"Parts › Part {n}" for n in range(9, 9 + COMPARED)]
    assert sorted(texts) == sorted(f"{name}\n{most[:OPENING]}" for name in names)
    others = [passage for passage in result.passages if passage.sentence.text in {first, last}]
    assert len(others) == 2
    assert all("its meaning" not in section_parts(passage) for passage in others)
    assert "its meaning" in section_parts(result.passages[0])


def test_only_the_opening_of_a_section_with_a_long_list_is_embedded(larch: Toy) -> None:
    items = "".join(f"- A token of number {n}\n" for n in range(200))
    blended(corpus(keys=f"# Keys\n\n## Tokens\n\n{items}\n## Mail\n\nA mail.\n"), "token mail")
    _, *texts = embedded(larch)
    assert len(texts) == 2
    [listed] = [text for text in texts if text.startswith("Keys › Tokens\nA token of number 0\n")]
    assert len(listed) == len("Keys › Tokens\n") + OPENING


def test_a_section_without_a_word_of_the_query_is_not_embedded(larch: Toy) -> None:
    larch.meanings = {"desks": "larch", "token": "tall"}
    result = blended(corpus(vault=VAULT, trees=OTHER), DESKS)
    assert sorted(embedded(larch)) == sorted([DESKS, *OPENINGS])
    assert sorted(headings(result)) == sorted(SECTIONS)


def test_a_page_not_searched_by_meaning_is_ranked_by_it(larch: Toy) -> None:
    larch.meanings = WINTER
    pages = corpus(vault=f"---\nrecall_quality: 0\n---\n{VAULT}", trees=OTHER)
    assert headings(blended(pages, DESKS, {"min_relevance_score": 100}))[0] == "Snow"


def test_a_section_is_embedded_once_however_often_it_is_asked_for(larch: Toy) -> None:
    pages = corpus(vault=VAULT)
    first = blended(pages, DESKS)
    assert embedded(larch)[0] == DESKS
    assert blended(pages, DESKS) == first
    assert embedded(larch) == []
    blended(pages, "where is the token kept")
    assert embedded(larch) == ["where is the token kept"]


def test_equal_texts_are_embedded_once(larch: Toy) -> None:
    blended(corpus(vault=VAULT, again=VAULT), DESKS)
    _, *texts = embedded(larch)
    assert sorted(texts) == sorted(OPENINGS)


def test_each_question_is_compared_with_sections_of_its_words(larch: Toy) -> None:
    larch.meanings = WINTER
    pages = corpus(vault=VAULT, trees=OTHER)
    settings = semantic(mode="blend", **WORDS_SUFFICE)
    queries = [DESKS, "larch needles"]
    result = pages.recall(queries, semantic=settings, max_sentences=2, min_score=0, context=0)
    assert {passage.sentence.text for passage in result.passages} == {
        SECTIONS["Snow"],
        "The larch loses its needles.",
    }
    assert {call[0] for call in larch.asked if len(call) == 1} >= set(queries)


@pytest.mark.parametrize("query", ["wombat", "is it the"])
def test_without_any_word_there_is_nothing_to_embed(larch: Toy, query: str) -> None:
    assert blended(corpus(vault=VAULT, trees=OTHER), query).passages == ()
    assert larch.asked == []


def test_with_a_single_section_nothing_is_embedded(larch: Toy) -> None:
    pages = corpus(trees=OTHER)
    assert blended(pages, "birch leaves") == answered(pages, "birch leaves")
    assert larch.asked == []


def test_an_expired_page_is_not_embedded_and_does_not_gain(larch: Toy) -> None:
    larch.meanings = WINTER
    hidden = f"---\nt_expired: 2020-01-01\n---\n{VAULT.replace('Vault', 'Igloo')}"
    hidden = hidden.replace("snow", "snow snow snow")
    options: dict[str, Any] = {"temporal": {"now": "2026-01-01"}, "max_sentences": 1}
    result = blended(corpus(vault=VAULT, igloo=hidden), DESKS, **options)
    assert [(p.uri, p.block.heading) for p in result.passages] == [("vault.md", "Snow")]
    assert sorted(embedded(larch)) == sorted([DESKS, *OPENINGS])
    named = [lost for lost in result.lost if lost.passage.uri == "igloo.md"]
    assert named
    assert all("expired" in lost.reason for lost in named)
    assert "its meaning" not in str([lost.passage.explanation for lost in named])


class Trembling(Toy):
    """Computes as another machine does: the last digits of its numbers differ."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = super().embed(texts)
        noise = np.random.default_rng(len(texts)).uniform(-1e-6, 1e-6, rows.shape)
        return (rows + noise).astype(np.float32)


def test_differences_between_machines_change_no_digit_of_a_result() -> None:
    one, other = Toy(WINTER), Trembling(WINTER)
    rows, differing = (toy.embed([DESKS, *OPENINGS]).astype(np.float64) for toy in (one, other))
    assert np.all(rows[1:] @ rows[0] != differing[1:] @ differing[0])
    pages = corpus(vault=VAULT)
    result, again = (blended(pages, DESKS, {"model": toy}) for toy in (one, other))
    assert again.passages == result.passages
    assert again.to_json(explain=True) == result.to_json(explain=True)


def test_sections_that_are_equally_near_stay_in_the_order_of_words(larch: Toy) -> None:
    pages = corpus(vault=VAULT)
    larch.meanings = dict.fromkeys(re.findall(r"\w+", f"{VAULT} {DESKS}".lower()), "")
    result = blended(pages, DESKS)
    assert larch.asked
    assert headings(result) == headings(answered(pages, DESKS))
    assert "its meaning" not in str([passage.explanation for passage in result.passages])


@pytest.mark.parametrize("scorer", ["coverage", "overlap", "bm25"])
def test_a_scorer_of_sentences_is_supplemented(larch: Toy, scorer: str) -> None:
    pages = corpus(vault=VAULT, auth=AUTH)
    larch.meanings = {**larch.meanings, **WINTER}
    plain = answered(pages, DESKS, scorer=scorer)
    assert blended(pages, DESKS, scorer=scorer) == plain
    assert larch.asked == []
    assert blended(pages, DESKS) != answered(pages, DESKS)
    options: dict[str, Any] = {"scorer": scorer, "on_empty": "omit"}
    weak = "log off wipes"
    blend, supplement = (
        pages.recall(weak, semantic=semantic(mode=mode), **options)
        for mode in ("blend", "supplement")
    )
    assert told(blend) == [("Signing out removes each token of a browser.", "semantic")]
    assert blend == supplement


def test_an_answer_that_is_ranked_with_meaning_is_not_lengthened_by_meaning() -> None:
    pages, found_by = corpus(auth=AUTH, trees=OTHER), {}
    for mode in ("supplement", "blend"):
        settings = semantic(min_similarity=0, mode=mode)
        result = pages.recall("birch log off wipes", min_score=0, semantic=settings, context=0)
        found_by[mode] = {passage.found_by for passage in result.passages}
    assert found_by == {"supplement": {"lexical", "semantic"}, "blend": {"lexical"}}


def test_sentences_found_by_neither_words_nor_meaning_are_not_answers() -> None:
    result = corpus(vault=VAULT, trees=OTHER).recall(
        "granite quarry", semantic=semantic(mode="blend"), on_empty="omit"
    )
    assert result.passages == ()
    assert result.fallback == "no_match"


@pytest.mark.parametrize("gate", [None, 0.9])
@pytest.mark.parametrize("mode", ["gate", "supplement", "blend"])
def test_a_model_that_fails_leaves_the_answer_of_words(
    larch: Toy, monkeypatch: pytest.MonkeyPatch, mode: str, gate: float | None
) -> None:
    def fail(_texts: object) -> None:
        msg = "no current"
        raise OSError(msg)

    monkeypatch.setattr(larch, "embed", fail)
    pages = corpus(auth=AUTH, vault=VAULT, trees=OTHER)
    plain = pages.recall("birch log off", min_score=0)
    settings = semantic(mode=mode, min_lexical_score=2, **{"gate": gate} if gate else {})
    result = pages.recall("birch log off", min_score=0, semantic=settings)
    assert result.passages == plain.passages
    [said] = result.diagnostics
    assert "only words are compared" in said
    assert "no current" in said


def test_a_model_that_is_not_there_is_named() -> None:
    result = corpus(auth=AUTH).recall("log off", semantic={"model": "transformers:no/such"})
    [said] = result.diagnostics
    assert "transformers:no/such" in said


@pytest.mark.parametrize("enrich", [False, "serve", "always"])
def test_without_files_there_is_nothing_to_name_beside_a_question(larch: Toy, enrich: Any) -> None:
    corpus(auth=AUTH).recall("log off wipes", semantic=semantic(), enrich=enrich)
    assert any("log off wipes" in call for call in larch.asked)


def test_cached_answers_depend_on_the_model_s_threshold(larch: Toy, tmp_path: Path) -> None:
    settings = as_semantic(semantic())
    assert settings is not None
    key = Context(tmp_path).semantic_key(settings, False)  # noqa: FBT003 - `enrich`
    assert Context(tmp_path).semantic_key(settings, False) == key  # noqa: FBT003
    larch.default_min_similarity += 0.1
    assert Context(tmp_path).semantic_key(settings, False) != key  # noqa: FBT003


@MINILM
def test_a_real_model_finds_what_no_word_says() -> None:
    pages: Mapping[str, str] = {
        "auth.md": "# Sessions\n\nSigning out removes all keys of the browser at once.\n",
        "mail.md": "# Mail\n\nA message is sent on port 587, and never twice.\n",
        "trees.md": "# Trees\n\nThe larch loses its needles in autumn.\n",
    }
    asked_corpus = Corpus.from_markdown(pages)
    query = "how do I log off and wipe my credentials?"
    assert asked_corpus.recall(query, min_score=0, on_empty="omit").passages == ()
    for mode in ("supplement", "blend"):
        result = asked_corpus.recall(
            query,
            on_empty="omit",
            max_sentences=1,
            semantic={"min_relevance_score": 0, "mode": mode, "limit": 1},
        )
        assert [passage.uri for passage in result.passages] == ["auth.md"]


@MINILM
def test_a_real_model_ranks_meaning_before_words() -> None:
    sections = {
        "Files": "The log names each browser, and each is kept for a week.",
        "Signing out": "Signing out of a browser ends its session at once.",
        "Mail": "A message is sent on port 587.",
        "Trees": "The larch loses its needles.",
        "Ports": "A port is open at night.",
    }
    text = "".join(f"\n## {name}\n\n{text}\n" for name, text in sections.items())
    pages, query = corpus(accounts=f"# Accounts\n{text}"), "how do I log off in a browser?"
    asked = {**WORDS_SUFFICE, "mode": "blend"}
    assert headings(answered(pages, query)) == ["Files", "Signing out"]
    assert headings(answered(pages, query, semantic=asked)) == ["Signing out", "Files"]
