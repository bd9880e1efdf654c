"""The gate: meaning decides whether the best passage answers, by its section."""

from __future__ import annotations

from typing import Any

import pytest
from meaning import MINILM, Toy, larch
from tables import beside, tabled

from mkdocs_recall import Corpus, OptionError, RecallError, Result, Semantic
from mkdocs_recall.options import GATE
from mkdocs_recall.ranking.reranking import BEFORE, text_around
from mkdocs_recall.ranking.semantic import CHARACTERS

__all__ = ["larch"]
pytestmark = pytest.mark.usefixtures("larch")

AUTH: str = beside(__file__)["AUTH"]
ANSWERED = "signing out removes a token of a browser"
FOREIGN = "which Kubernetes pods share one token?"
"""Of its words "token" alone stands on a page."""


def asked(query: Any, pages: str | dict[str, str] = AUTH, **options: Any) -> Result:
    corpus = Corpus.from_markdown({"auth.md": pages} if isinstance(pages, str) else pages)
    return corpus.recall(query, **{"min_score": 0, "on_empty": "omit", **options})


def gate(value: float | None = 0.4, **settings: Any) -> dict[str, Any]:
    return {"model": "larch:toy", "gate": value, **settings}


def test_a_question_of_another_documentation_is_not_answered() -> None:
    assert asked(FOREIGN).passages
    result = asked(FOREIGN, semantic=gate())
    assert result.passages == ()
    assert result.fallback == "low_score"


def test_a_section_near_in_meaning_answers_like_one_by_words() -> None:
    plain = asked(ANSWERED)
    assert plain.passages
    assert asked(ANSWERED, semantic=gate()) == plain


def test_a_refusal_states_the_cosine_and_the_gate_and_what_was_refused() -> None:
    refused = asked(FOREIGN).passages[0]
    result = asked(FOREIGN, semantic=gate())
    assert result.why.startswith("no sentence answers the query well enough (the section of")
    assert "a cosine of " in result.why
    assert "'semantic.gate' is 0.4" in result.why
    assert result.lost[0].passage == refused
    assert result.lost[0].reason in result.why


def test_an_explanation_states_how_near_the_answer_is_and_still_adds_up() -> None:
    [passage] = asked(ANSWERED, semantic=gate(), max_sentences=1).passages
    words, cosine = passage.explanation.parts
    assert words == asked(ANSWERED).passages[0].explanation
    assert words.value + cosine.value == passage.explanation.value == passage.score
    assert cosine.description.startswith("cosine of its section 0.")
    assert cosine.description.endswith("'semantic.gate' 0.4")


def test_one_section_is_embedded_and_nothing_where_words_find_nothing(larch: Toy) -> None:
    asked("walrus", semantic=gate())
    assert larch.asked == []
    asked(ANSWERED, semantic=gate())
    assert [text for call in larch.asked for text in call] == [
        ANSWERED,
        "Auth\nSign out\nSigning out removes each token of a browser. The session ends.",
    ]


def test_a_section_is_embedded_with_title_headings_code_and_rows() -> None:
    page = "# Auth\n\n## Token\n\n```\ntoken --new\n```\n\nA plum.\n\n| A | B |\n|-|-|\n| 1 | 2 |"
    [passage] = asked("plum", page, max_sentences=1).passages
    assert text_around(passage) == "Auth\nToken\ntoken --new\nA plum.\nA: 1 — B: 2"


@pytest.mark.parametrize("glue", [" ", "\n\n"])
@pytest.mark.parametrize("above", [0, 3, 200])
@pytest.mark.parametrize("below", [0, 3, 200])
def test_a_long_section_is_embedded_around_the_passage(glue: str, above: int, below: int) -> None:
    words = [f"Number {n} is a word." for n in range(above + below)]
    page = f"# Auth\n\n{glue.join([*words[:above], 'A plum.', *words[above:]])}\n\n## Other\n\nNo."
    [passage] = asked("plum", page, max_sentences=1).passages
    text = text_around(passage)
    assert len(text) <= CHARACTERS
    assert "Other" not in text
    before, after = " ".join(text.split("\n")).removeprefix("Auth ").split("A plum.")
    whole = " ".join([*words[:above], "A plum.", *words[above:]])
    assert f"{before}A plum.{after}" in whole
    assert before == "" or before.startswith("Number")
    assert len(before) <= BEFORE + 1
    assert above < 200 or len(before) > BEFORE - 30
    assert below < 200 or len(text) == CHARACTERS
    assert above > 3 or f"{before}A plum." in whole[: len(before) + 7]


def test_a_page_that_is_titled_elsewhere_is_named_before_its_headings() -> None:
    page = "---\ntitle: Login\n---\n# Auth\n\nA plum."
    [passage] = asked("plum", page).passages
    assert text_around(passage) == "Login\nAuth\nA plum."


def test_the_nearest_of_several_queries_decides() -> None:
    assert asked([FOREIGN, "token, node, pod, cluster"], semantic=gate()).passages == ()
    assert asked([FOREIGN, ANSWERED], semantic=gate()).passages


@pytest.mark.parametrize(("on_empty", "count"), [("omit", 0), ("synopsis", 2), ("warn", 2)])
def test_a_refusal_is_an_empty_answer_like_any_other(on_empty: str, count: int) -> None:
    result = asked(FOREIGN, semantic=gate(), on_empty=on_empty, max_sentences=2)
    assert (len(result.passages), result.fallback) == (count, "low_score")
    with pytest.raises(RecallError, match=r"'semantic\.gate' is 0\.4"):
        asked(FOREIGN, semantic=gate(), on_empty="error")


def test_a_budget_does_not_open_the_gate() -> None:
    page = f"{'A plum is in a jar and so on ' * 20}.\n\n# B\n\nA token. It is."
    result = asked(FOREIGN, page, semantic=gate(), on_empty="synopsis", max_tokens=5)
    assert result.fallback == "low_score"
    assert not any("token" in passage.text for passage in result.passages)


OTHER_WORDS = "log off wipes browser"


def test_beside_a_mode_it_decides_on_what_meaning_found() -> None:
    both = gate(0.2, mode="supplement", min_relevance_score=0)
    [passage] = asked(OTHER_WORDS, min_score=0.9, semantic=both).passages
    assert passage.found_by == "semantic"
    assert asked(OTHER_WORDS, min_score=0.9, semantic={**both, "gate": 0.99}).passages == ()


def test_beside_blend_it_decides_on_what_both_rank_first() -> None:
    pages = "A browser shows pages. Each browser has a window, with plum pages in it."
    page = f"{AUTH}\n## Pages\n\n{pages}\n"  # has more of the words, and means something else
    assert asked(OTHER_WORDS, page).passages[0].source == "auth.md#pages"
    assert asked(OTHER_WORDS, page, semantic=gate(0.5)).passages == ()
    blend = gate(0.5, mode="blend")
    [passage] = asked(OTHER_WORDS, page, semantic=blend).passages
    assert passage.source == "auth.md#sign-out"
    assert "its meaning" in str(passage.explanation)
    assert asked(OTHER_WORDS, page, semantic={**blend, "gate": 0.9}).passages == ()


def test_a_gate_alone_changes_nothing_in_what_words_find(larch: Toy) -> None:
    alone = gate(0, min_relevance_score=0)
    assert asked("log off wipes", semantic=alone).passages == ()
    assert larch.asked == []
    assert asked("log off wipes", semantic={**alone, "mode": "supplement"}).passages


def test_without_a_gate_no_section_is_embedded(larch: Toy) -> None:
    plain = asked(ANSWERED)
    assert asked(ANSWERED, semantic={"model": "larch:toy", "min_relevance_score": 0}) == plain
    assert larch.asked == []


@tabled
def test_a_gate_without_a_mode_is_alone(
    settings: dict[str, Any], mode: str, least: float | None
) -> None:
    made = Semantic(**settings)
    assert (made.mode, made.gate) == (mode, least)


@pytest.mark.parametrize("stated", [False, None])
def test_a_mode_that_is_nothing_but_a_gate_needs_one(stated: object) -> None:
    with pytest.raises(OptionError, match=r"set a cosine such as 0\.3, or another mode"):
        asked(ANSWERED, semantic={"mode": "gate", "gate": stated})


@MINILM
def test_a_real_model_tells_a_foreign_question() -> None:
    page = "# Sessions\n\nA session expires after a day. Signing in again opens another one."
    settings = {"gate": GATE}
    assert asked("how long is a session valid?", page, semantic=settings).passages
    foreign = "which day is the best one to plant a birch?"
    assert asked(foreign, page).passages
    assert asked(foreign, page, semantic=settings).passages == ()
