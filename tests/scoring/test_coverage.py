"""`coverage`: how much of a query stands in a sentence, or close to it."""

from __future__ import annotations

import math
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mkdocs_recall import Corpus, Document, Passage, Sentence
from mkdocs_recall.text.language import get_language
from mkdocs_recall.text.terms import terms

WORDS = ("token", "session", "cookie", "server", "client", "password", "logout", "browser")


def only(markdown: str, query: str) -> Passage:
    corpus = Corpus.from_markdown({"a.md": markdown})
    (passage,) = corpus.recall(query).passages
    return passage


def idf(sentences: int, with_term: int) -> float:
    return math.log(1 + (sentences - with_term + 0.5) / (with_term + 0.5))


def test_a_sentence_with_every_word_of_the_query_scores_one() -> None:
    assert only("The session ends. The cookie stays.", "session ends").score == pytest.approx(1)


def test_a_word_counts_in_any_of_its_forms() -> None:
    assert only("Sessions were expiring. The cookie stays.", "session expires").score == 1


def test_a_rare_word_of_the_query_counts_more_than_a_frequent_one() -> None:
    corpus = Corpus.from_markdown(
        {"a.md": "The server runs here.", "b.md": "The server stops.", "c.md": "A cookie stays."}
    )
    first, *others = corpus.recall("server cookie").passages
    assert first.uri == "c.md"
    rare, frequent = idf(3, 1), idf(3, 2)
    assert first.score == pytest.approx(rare / (rare + frequent))
    assert [p.score for p in others] == pytest.approx([frequent / (rare + frequent)] * 2)


@pytest.mark.parametrize(
    ("markdown", "credit"),
    [
        ("The session holds a cookie.", 1.0),
        ("The session ends. Logs stay. A cookie remains.", 0.6),
        ("The session ends.\n\nA cookie remains.", 0.2),
        ("A cookie remains.\n\nThe session ends.", 0.2),
        ("The session ends.\n\nLogs stay.\n\nA cookie remains.", 0.05),
        ("## Cookie\n\nThe session ends.", 0.05),
        ("# Cookies\n\n## Details\n\nThe session ends.", 0.05),
        ("The session ends.\n\nLogs stay.\n\n## Other\n\nA cookie remains.", 0.0),
        ("## Cookie\n\nLogs stay.\n\n## Other\n\nThe session ends.", 0.0),
    ],
    ids=[
        "in the sentence",
        "in its block",
        "in the sentence after",
        "in the sentence before",
        "in its section",
        "in its heading",
        "in a heading above that",
        "in another section",
        "in another heading",
    ],
)
def test_a_word_is_worth_what_its_nearness_says(markdown: str, credit: float) -> None:
    corpus = Corpus.from_markdown({"a.md": markdown})
    passages = corpus.recall("session cookie", max_sentences=9).passages
    passage = next(p for p in passages if "session" in p.text)
    sentences = corpus.documents[0].sentences
    here = idf(len(sentences), sum("session" in s.text for s in sentences))
    there = idf(len(sentences), sum("cookie" in s.text for s in sentences))
    assert passage.score == pytest.approx((here + there * credit) / (here + there))


def test_a_sentence_beside_it_counts_on_the_same_page_only() -> None:
    corpus = Corpus.from_markdown({"a.md": "A cookie remains.", "b.md": "The session ends."})
    scores = {p.uri: p.score for p in corpus.recall("session cookie").passages}
    assert scores == pytest.approx({"a.md": 0.5, "b.md": 0.5})


def test_a_sentence_without_a_word_of_the_query_is_not_quoted() -> None:
    text = "The session ends. It happens at night. Nobody minds."
    assert only(text, "session").text == "The session ends."


def test_a_word_that_stands_nowhere_lowers_the_score() -> None:
    whole = only("The session ends. Logs stay.", "session").score
    partial = only("The session ends. Logs stay.", "session zebra").score
    assert partial < whole == 1


def test_a_word_asked_twice_counts_once() -> None:
    text = "The session ends. The cookie stays."
    once = only(f"{text} Logs stay.", "session zebra").score
    assert only(f"{text} Logs stay.", "session sessions zebra").score == once


def test_the_explanation_says_where_each_word_stands() -> None:
    corpus = Corpus.from_markdown({"a.md": "# Browser\n\nThe session ends. A cookie remains."})
    query = "session cookie browser zebra"
    passage = next(p for p in corpus.recall(query).passages if "session" in p.text)
    assert passage.explanation.description == "coverage: 1 of 4 words of the query"
    assert [part.description for part in passage.explanation.parts] == [
        "'session' in the sentence",
        "'cookie' in its block",
        "'browser' in its section or a heading",
        "'zebra' not near it",
    ]
    assert passage.explanation.parts[3].value == 0


@settings(deadline=None)
@given(
    paragraphs=st.lists(
        st.lists(st.lists(st.sampled_from(WORDS), min_size=3, max_size=8), min_size=1, max_size=4),
        min_size=1,
        max_size=5,
    ),
    query=st.lists(st.sampled_from(WORDS), min_size=1, max_size=6),
)
def test_scores_are_above_zero_and_at_most_one(
    paragraphs: list[list[list[str]]], query: list[str]
) -> None:
    text = "\n\n".join(
        " ".join(f"{' '.join(words).capitalize()}." for words in sentences)
        for sentences in paragraphs
    )
    corpus = Corpus.from_markdown({"a.md": text})
    result = corpus.recall(" ".join(query), max_sentences=30, on_empty="omit")
    assert all(0 < passage.score <= 1 for passage in result.passages)


def test_rounding_never_lifts_a_score_above_one() -> None:
    text = (
        "Bravo garnet ember falcon carbon.\n\nBravo ember falcon delta falcon.\n\n"
        "Bravo garnet garnet alpha ember.\n\nEmber falcon garnet garnet carbon.\n\n"
        "Falcon garnet alpha carbon alpha."
    )
    corpus = Corpus.from_markdown({"a.md": text})
    words = ("alpha", "bravo", "carbon", "delta", "ember", "falcon", "garnet")
    scores = [
        p.score
        for query in permutations(words, 4)
        for p in corpus.recall(" ".join(query), on_empty="omit").passages
    ]
    assert max(scores) == 1


ENGLISH = get_language("en")


class Place:
    """A sentence with its terms, those around it, and where it stands."""

    def __init__(self, page: Document, sentence: Sentence) -> None:
        self.page, self.sentence = page, sentence
        block = page.blocks[sentence.block]
        self.terms = frozenset(terms(sentence.text, ENGLISH))
        self.in_block = frozenset(terms(block.text, ENGLISH))
        in_section = [b.text for b in page.blocks if b.section == block.section]
        above = [heading.text for heading in block.headings]
        self.in_section = frozenset(terms(" ".join(in_section + above), ENGLISH))
        at = page.sentences.index(sentence)
        beside = page.sentences[max(0, at - 1) : at] + page.sentences[at + 1 : at + 2]
        self.beside = frozenset(terms(" ".join(s.text for s in beside), ENGLISH))

    def credit(self, term: str) -> float:
        places = (
            (self.terms, 1.0),
            (self.in_block, 0.6),
            (self.beside, 0.2),
            (self.in_section, 0.05),
        )
        return next((credit for held, credit in places if term in held), 0.0)


def by_formula(pages: tuple[Document, ...], query: str, hidden: str) -> dict[Place, float]:
    """The scores of all sentences that match, best first, each sentence met with each term."""
    places = [Place(page, sentence) for page in pages for sentence in page.sentences]
    asked = dict.fromkeys(terms(query, ENGLISH))
    weights = {t: idf(len(places), sum(t in place.terms for place in places)) for t in asked}
    total = math.fsum(weights.values())
    scores = {
        place: math.fsum(weight * place.credit(term) for term, weight in weights.items()) / total
        for place in places
        if place.terms & weights.keys() and place.page.uri != hidden
    }
    return dict(sorted(scores.items(), key=lambda pair: -pair[1]))  # which keeps ties in order


def without_repetitions(places: dict[Place, float]) -> list[Place]:
    kept: list[Place] = []
    for place in places:
        cosines = [
            len(place.terms & other.terms) / math.sqrt(len(place.terms) * len(other.terms))
            for other in kept
        ]
        if not any(cosine >= 0.9 for cosine in cosines):
            kept.append(place)
    return kept


@st.composite
def sites(draw: st.DrawFn) -> dict[str, str]:
    """Pages of headings and paragraphs; some words are frequent, others rare."""
    word = st.sampled_from((*WORDS[:3] * 3, *WORDS[3:], "zebra", "quartz", "gravel", "ember"))
    sentence = st.lists(word, min_size=1, max_size=4).map(
        lambda words: f"{' '.join(words).capitalize()}."
    )
    block = st.one_of(
        st.lists(sentence, min_size=1, max_size=3).map(" ".join),
        word.map(lambda heading: f"## {heading.capitalize()}"),
    )
    texts = draw(st.lists(st.lists(block, max_size=7).map("\n\n".join), min_size=2, max_size=4))
    return {f"{number}.md": text for number, text in enumerate(texts)}


@settings(deadline=None)
@given(
    drawn=sites(),
    query=st.lists(st.sampled_from((*WORDS, "zebra", "quartz", "wombat")), min_size=1, max_size=6),
    count=st.sampled_from((1, 2, 5, 30)),
    hides=st.booleans(),
)
def test_the_passages_are_those_of_the_formula_met_with_every_sentence(
    drawn: dict[str, str],
    query: list[str],
    count: int,
    hides: bool,  # noqa: FBT001 - drawn
) -> None:
    corpus = Corpus.from_markdown(drawn)
    hidden = "0.md" if hides else ""
    expected = by_formula(corpus.documents, " ".join(query), hidden)
    found = corpus.recall(" ".join(query), page=hidden, max_sentences=count, on_empty="omit")
    assert [(p.uri, p.sentence, p.score) for p in found.passages] == [
        (place.page.uri, place.sentence, expected[place])
        for place in without_repetitions(expected)[:count]
    ]


@pytest.mark.parametrize(
    "text",
    [
        "\n\n".join(f"Token session {tag}." for tag in ("one", "two", "three", "four", "five"))
        + "\n\nA zebra runs.",
        "A token here. The session there. One zebra beyond.\n\nToken and session again.\n\n"
        + "\n\n".join(f"Zebra {tag} {tag[::-1]}." for tag in ("one", "two", "three", "four")),
    ],
    ids=["a rare word alone", "two words in one sentence"],
)
@pytest.mark.parametrize("count", [1, 2, 30])
def test_frequent_words_near_each_other_do_not_hide_what_is_better(text: str, count: int) -> None:
    corpus = Corpus.from_markdown({"a.md": text})
    query = "token session zebra"
    expected = by_formula(corpus.documents, query, "")
    found = corpus.recall(query, max_sentences=count).passages
    assert [(p.sentence, p.score) for p in found] == [
        (place.sentence, expected[place]) for place in without_repetitions(expected)[:count]
    ]


def test_of_several_queries_each_is_met_with_every_sentence() -> None:
    pages = {
        "a.md": "A zebra runs. The session ends.\n\nTokens stay.\n\n## Zebra\n\nServers stop.",
        "b.md": "A token is a cookie.\n\nThe session of a zebra.\n\nServers log sessions.",
    }
    corpus = Corpus.from_markdown(pages)
    queries = ("zebra session", "token server cookie", "server")
    each = [by_formula(corpus.documents, query, "") for query in queries]
    scores = [{(p.page.uri, p.sentence): score for p, score in one.items()} for one in each]
    found = corpus.recall(list(queries), max_sentences=30)
    assert len(found.passages) == 7
    for passage in found.passages:
        key = (passage.uri, passage.sentence)
        assert passage.score == math.fsum(one.get(key, 0.0) for one in scores) / 3
