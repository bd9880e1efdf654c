"""The key sentences that each algorithm chooses."""

from __future__ import annotations

import math
from itertools import product

import pytest
from hypothesis import given, strategies as st
from tables import tabled

from mkdocs_recall import Corpus

ALGORITHMS = ("edmundson", "lead", "frequency", "luhn", "textrank")
WORDS = ("token", "forum", "button", "server", "client", "record", "garden", "window")
"""Words that are their own stems."""
TAGS = tuple(f"{a}{b}lonar" for a, b in product("bdfgkmprtv", "aeiou"))
"""One of these makes each sentence differ from all others."""


def scores(markdown: str, algorithm: str) -> dict[str, float]:
    corpus = Corpus.from_markdown({"a.md": markdown})
    result = corpus.synopsis("a.md", algorithm=algorithm, max_sentences=50)
    return {passage.text: passage.score for passage in result.passages}


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_only_complete_sentences_of_prose_are_chosen(algorithm: str) -> None:
    text = (
        "# Tokens of tokens\n\nTokens open doors. Yes.\n\nDoors open for tokens of\n\n"
        "- Tokens open windows.\n\nEvery token expires one day. Tokens are renewed each day."
    )
    chosen = set(scores(text, algorithm))
    assert chosen <= {
        "Tokens open doors.",
        "Every token expires one day.",
        "Tokens are renewed each day.",
    }
    assert chosen


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_list_items_are_chosen_where_prose_is_short(algorithm: str) -> None:
    text = "Doors open for everyone.\n\n- Tokens open tokens of old.\n- Tokens open windows too."
    assert "Tokens open tokens of old." in scores(text, algorithm)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_page_without_a_sentence_has_an_empty_synopsis(algorithm: str) -> None:
    assert scores("# Title\n\n```\ncode\n```", algorithm) == {}


def test_lead_takes_the_first_sentences() -> None:
    text = "Tokens open doors. Doors lead home.\n\nHome is far away. Roads wind along."
    assert list(scores(text, "lead").items()) == [
        ("Tokens open doors.", 1),
        ("Doors lead home.", 1 / 2),
        ("Home is far away.", pytest.approx(1 / 3)),
        ("Roads wind along.", 1 / 4),
    ]


def test_frequency_is_the_mean_frequency_of_a_sentence_s_words() -> None:
    text = "The token opens the door. A token expires soon.\n\nThe door stays shut."
    # without stop words: token 2, door 2, opens, expires, soon, stays, shut 1
    assert scores(text, "frequency") == {
        "The token opens the door.": pytest.approx((2 + 1 + 2) / 5),
        "A token expires soon.": pytest.approx((2 + 1 + 1) / 4),
        "The door stays shut.": pytest.approx((2 + 1 + 1) / 4 / 2),
    }


def test_luhn_is_the_density_of_the_best_cluster() -> None:
    text = (
        "Token one server two three four. Token server rises high.\n\n"
        "Token alpha beta gamma delta epsilon zeta server token."
    )
    # significant: token and server; more than five words between end a cluster
    assert scores(text, "luhn") == {
        "Token one server two three four.": pytest.approx(2**2 / 3),
        "Token server rises high.": pytest.approx(2**2 / 2),
        "Token alpha beta gamma delta epsilon zeta server token.": pytest.approx(2**2 / 2 / 2),
    }


def test_luhn_bridges_at_most_five_other_words() -> None:
    five = "Token token token one two three four five token token token."
    six = "Token token token six seven eight nine ten eleven token token token."
    values = scores(f"{five} {six} Nothing stands here.", "luhn")
    assert values == {five: pytest.approx(6**2 / 11), six: pytest.approx(3**2 / 3)}


def pagerank(links: list[list[float]], damping: float = 0.85) -> list[float]:
    """Solve `r = 1 - d + d·Mᵀr` by elimination, M being the links with rows that sum to 1."""
    size = len(links)
    rows = [
        [
            (1.0 if i == j else 0.0) - (damping * links[j][i] / sum(links[j]) if links[j][i] else 0)
            for j in range(size)
        ]
        + [1 - damping]
        for i in range(size)
    ]
    for i in range(size):
        pivot = max(range(i, size), key=lambda k: abs(rows[k][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for k in range(size):
            if k != i:
                rows[k] = [a - rows[k][i] * b for a, b in zip(rows[k], rows[i], strict=True)]
    return [row[-1] for row in rows]


@given(
    drawn=st.lists(
        st.lists(st.sampled_from(WORDS), min_size=3, max_size=8), min_size=3, max_size=12
    )
)
def test_textrank_is_pagerank_over_shared_words(drawn: list[list[str]]) -> None:
    sentences = [[tag, *words] for tag, words in zip(TAGS, drawn, strict=False)]
    texts = [f"{' '.join(words).capitalize()}." for words in sentences]
    sets = [set(words) for words in sentences]
    links = [
        [len(a & b) / (math.log(len(a)) + math.log(len(b))) if a is not b else 0.0 for b in sets]
        for a in sets
    ]
    expected = pagerank(links)
    assert scores(" ".join(texts), "textrank") == pytest.approx(
        dict(zip(texts, expected, strict=True)), abs=5e-3
    )


def test_textrank_links_no_sentences_by_a_word_that_many_share() -> None:
    few = " ".join(f"Token {tag} {tag[::-1]}." for tag in TAGS[:20])
    assert list(scores(few, "textrank").values()) == pytest.approx([1] * 20, abs=5e-3)
    many = " ".join(f"Token {tag} {tag[::-1]}." for tag in TAGS[:21])
    assert list(scores(many, "textrank").values()) == pytest.approx([0.15] * 21)


def test_textrank_favours_early_blocks() -> None:
    first, second = "The token opens a door.", "A door needs the token."
    third = "Nothing like it exists."
    values = scores(f"{first}\n\n{second}\n\n{third}", "textrank")
    assert values[first] == pytest.approx(2 * values[second])


def features(markdown: str) -> dict[str, dict[str, float]]:
    corpus = Corpus.from_markdown({"page.md": markdown})
    result = corpus.synopsis("page.md", max_sentences=50)
    return {
        p.text: {part.description: part.value for part in p.explanation.parts}
        for p in result.passages
    }


NINE = "Nine words are neither short nor long for it."


@tabled
def test_edmundson_weighs_what_a_sentence_is_and_where_it_stands(
    behaviour: str, page: str, sentences: list[str], part: str, value: float
) -> None:
    values = features(page.replace("NINE", NINE))
    for sentence in sentences:
        parts = values[sentence.replace("NINE", NINE)]
        assert parts.get(part, 0) == pytest.approx(value), (behaviour, sentence)


def test_edmundson_counts_short_and_long_sentences_down() -> None:
    for words, part, value in (
        *((3, "short", 6 / 9), (8, "short", 1 / 9), (9, "short", 0), (24, "short", 0)),
        *((24, "long", 0), (36, "long", 1 / 2), (48, "long", 1), (90, "long", 1)),
    ):
        sentence = " ".join(["Alpha", *["token"] * (words - 1)]) + "."
        values = features(f"{NINE} {sentence} {NINE[:-1]} either.")
        assert values[sentence].get(part, 0) == pytest.approx(-0.75 * value), (words, part)


def test_edmundson_counts_words_of_the_title() -> None:
    values = features(
        "---\ntitle: Rotating a token safely\n---\n"
        "Every rotation of a token takes time. Rotation is fine. Nothing else happens here."
    )
    both = values["Every rotation of a token takes time."]["2 of 3 words of the title"]
    one = values["Rotation is fine."]["1 of 3 words of the title"]
    assert 2 / 3 * 1.25 < both < 2 + 1.25
    assert 1 / 3 * 1.25 < one < both
    assert not any("title" in name for name in values["Nothing else happens here."])


def test_edmundson_speaks_the_language_of_the_page() -> None:
    corpus = Corpus.from_markdown(
        {"a.md": "Eine Sitzung läuft ab. Diese Anleitung zeigt Wege. Siehe die Liste dort."},
        language="de",
    )
    parts = {
        p.text: {part.description for part in p.explanation.parts}
        for p in corpus.synopsis("a.md").passages
    }
    assert "speaks of the page itself" in parts["Diese Anleitung zeigt Wege."]
    assert "points elsewhere" in parts["Siehe die Liste dort."]


def test_edmundson_counts_what_a_sentence_shares_with_the_others() -> None:
    values = features("The token opens doors. Doors need the token. Zebras run around.")
    name = "shares words with other sentences"
    assert values["The token opens doors."][name] == pytest.approx(1)
    assert 0 < values["Zebras run around."][name] < 1


def test_edmundson_ranks_a_sentence_that_leans_on_another_behind() -> None:
    text = (
        "Zebras run around the house every night.\n\nHowever, tokens open every door of the house."
        "\n\nWindows stay closed in winter and in autumn."
    )
    corpus = Corpus.from_markdown({"a.md": text})
    passages = corpus.synopsis("a.md", diversity=0).passages
    assert [p.text.split()[0] for p in passages] == ["Zebras", "Windows", "However,"]


def test_edmundson_lets_a_sentence_lean_on_one_that_is_chosen() -> None:
    text = (
        "Zebras run around the house every night. However, tokens open every door of the castle."
        "\n\nWindows stay closed in winter and in autumn."
    )
    corpus = Corpus.from_markdown({"a.md": text})
    passages = corpus.synopsis("a.md", max_sentences=2, diversity=0).passages
    assert [p.text.split()[0] for p in passages] == ["Zebras", "However,"]
