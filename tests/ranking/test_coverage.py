"""`coverage`: how much of a query is in a sentence, or close to it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, permutations
from random import Random

import pytest
from answered import expect
from hypothesis import given, strategies as st
from tables import Case, tabled

from mkdocs_recall import Corpus, Document, Passage, Sentence
from mkdocs_recall.index.index import Index
from mkdocs_recall.index.query import part_of
from mkdocs_recall.options import DEFAULT_UNITS
from mkdocs_recall.ranking import coverage
from mkdocs_recall.ranking.quotation import Room, quotation
from mkdocs_recall.text.language import get_language
from mkdocs_recall.text.model import Kind
from mkdocs_recall.text.sentences import terms

WORDS = ("token", "session", "cookie", "server", "client", "password", "logout", "browser")


def only(markdown: str, query: str) -> Passage:
    corpus = Corpus.from_markdown({"a.md": markdown})
    (passage,) = corpus.recall(query, scorer="coverage", context=0).passages
    return passage


def idf(sentences: int, with_term: int) -> float:
    return math.log(1 + (sentences - with_term + 0.5) / (with_term + 0.5))


@tabled
def test_an_antecedent_counts_for_a_sentence_that_adds_a_word(markdown: str, where: str) -> None:
    corpus = Corpus.from_markdown({"a.md": f"# Larch\n\n{markdown}"})
    result = corpus.recall(
        "token expires", scorer="coverage", min_score=0, max_sentences=9, context=0
    )
    (passage,) = (p for p in result.passages if "expires" in p.sentence.text)
    first = passage.explanation.parts[0]
    while first.parts:  # of a score that is shown lower, for its rank
        first = first.parts[0]
    assert first.description == f"'token' {where}"
    parts = math.fsum(part.value for part in passage.explanation.parts)
    assert parts == pytest.approx(passage.score, abs=1e-12)


@given(st.randoms(use_true_random=False))
def test_a_sentence_is_quoted_with_the_one_it_refers_to(chance: Random) -> None:
    parts = (
        *("It ends.", "A token.", "This opens: ", "{{ x }} runs.", "- ", "\n\n", "\n\n## B\n\n"),
        *("\n\n```\nx\n```\n\n", "\n\n!!! note\n    ", "Larch\n:   ", " "),
    )
    (page,) = Corpus.from_markdown({"a.md": "".join(chance.choices(parts, k=30))}).documents
    index = Index([part_of(page)])
    for number in filter(index.leans, range(len(index))):
        with_it = quotation(Room(page, DEFAULT_UNITS), index.sentences[number]).sentences
        assert index.sentences[number - 1] in with_it


@tabled
def test_a_word_is_found_in_part(language: str, text: str, query: str) -> None:
    corpus = Corpus.from_markdown({"a.md": f"Oma.\n\n{text}\n\nUla."}, language=language)
    first = corpus.recall(
        query, max_sentences=1, min_score=0, on_empty="omit", scorer="coverage", context=0
    ).passages[0]
    assert first.text == text
    assert first.score < 0.6


@tabled
def test_letters_that_happen_to_match_are_not_a_part(text: str, query: str) -> None:
    assert (
        Corpus.from_markdown({"a.md": text}).recall(query, scorer="coverage").fallback == "no_match"
    )


def test_a_word_itself_is_worth_more_than_a_part_of_one() -> None:
    corpus = Corpus.from_markdown(
        {"a.md": "Der Sitzungsablauf ist neu.\n\nOma.\n\nUla.\n\nEine Sitzung ist offen."},
        language="de",
    )
    first, second = corpus.recall("Sitzung", scorer="coverage", context=0).passages
    assert (first.text, second.text) == ("Eine Sitzung ist offen.", "Der Sitzungsablauf ist neu.")
    assert second.score == pytest.approx((0.3 + 0.05) / 1.1)


@tabled
def test_these_pages_answer(case: Case) -> None:
    expect(case)


def test_a_word_that_only_puts_the_question_counts_less() -> None:
    corpus = Corpus.from_markdown({"a.md": "You can use it.\n\nOne zebra.\n\nTwo larches."})
    first, second = corpus.recall("can zebra", scorer="coverage", context=0).passages
    assert first.text == "One zebra."
    zebra, can = first.explanation.parts[1], second.explanation.parts[0]
    assert (zebra.description, can.description) == (
        "'zebra' in the sentence",
        "'can' in the sentence",
    )
    assert zebra.value == pytest.approx(2 * can.value)


@tabled
def test_a_quoted_phrase_is_better_word_for_word(query: str) -> None:
    corpus = Corpus.from_markdown(
        {"a.md": "Expiry session kept.\n\nSessions expiry kept.\n\nA session expiry kept."}
    )
    first, *others = corpus.recall(query, scorer="coverage").passages
    assert first.text == "A session expiry kept."
    assert [part.description for part in first.explanation.parts][-1] == (
        "'session expiry' word for word"
    )
    assert all(first.score > passage.score for passage in others)


def test_a_quotation_mark_without_its_counterpart_is_none() -> None:
    text = "A session expiry is kept."
    assert only(text, 'a 27" session expiry').score == only(text, "a 27 session expiry").score


def led(kind: Kind) -> Index:
    """A page with a text of some kind that leads in to the paragraph after the next."""
    kinds: tuple[Kind, ...] = (kind, "prose", "prose", "prose")
    texts = ("Old. Reset my password?", "Larches grow.", "Open it. Press it. Wait.", "Zebras run.")
    (page,) = Corpus.from_markdown({"a.md": "\n\n".join(texts)}).documents
    blocks = tuple(
        replace(block, kind=kind, lead=0 if block.number == 2 else None)
        for block, kind in zip(page.blocks, kinds, strict=True)
    )
    return Index([part_of(replace(page, blocks=blocks))])


def test_the_first_sentences_below_a_label_are_found_by_it() -> None:
    index = led("label")
    values = coverage.score("reset password", index).values
    found = {index.sentences[number].text: value for number, value in values.items()}
    assert found.keys() == {"Open it.", "Press it."}
    assert found["Open it."] == pytest.approx(0.6 / 1.21)


def test_the_last_sentence_of_a_lead_in_counts_like_the_block() -> None:
    index = led("prose")
    values = coverage.score("password wait old", index).values
    (number,) = (n for n in values if index.sentences[n].text == "Wait.")
    parts = {
        part.description for part in coverage.score("password wait", index).explain(number).parts
    }
    assert "'password' in its lead-in and in its section" in parts
    words = coverage.score("wait old", index).explain(number).parts
    assert words[1].description == "'old' in its section"


def test_a_long_text_does_not_win_by_its_length() -> None:
    words = " ".join(f"word{number}" for number in range(300))
    corpus = Corpus.from_markdown(
        {"a.md": f"Expire {words} token session.\n\nA session of a token will expire."}
    )
    first, second = corpus.recall("session token expire", scorer="coverage", context=0).passages
    assert first.text == "A session of a token will expire."
    assert second.explanation.description.endswith("in a text of 303 words")


def test_the_explanation_says_where_each_word_stands() -> None:
    corpus = Corpus.from_markdown({"a.md": "# Browser\n\nThe sessions end. A cookie remains."})
    query = "session ends browser cookie zebra"
    passage = next(
        p for p in corpus.recall(query, scorer="coverage").passages if "session" in p.text
    )
    assert passage.explanation.description == "coverage: 2 of 5 words of the query"
    assert [part.description for part in passage.explanation.parts] == [
        "'session' as 'sessions'",
        "'ends' as 'end'",
        "'browser' in the heading or label right above",
        "'cookie' in its block, in the sentence after and in its section",
        "'zebra' not near it",
        "'session ends' side by side",
    ]
    assert passage.explanation.parts[4].value == 0
    assert math.fsum(part.value for part in passage.explanation.parts) == pytest.approx(
        passage.score, abs=1e-12
    )


def test_rounding_never_lifts_a_score_above_one() -> None:
    text = (
        "# Alpha bravo carbon delta\n\n## Ember falcon garnet\n\n"
        "Bravo garnet ember falcon carbon.\n\nBravo ember falcon delta falcon.\n\n"
        "Bravo garnet garnet alpha ember.\n\nEmber falcon garnet garnet carbon.\n\n"
        "Falcon garnet alpha carbon alpha."
    )
    corpus = Corpus.from_markdown({"a.md": text})
    words = ("alpha", "bravo", "carbon", "delta", "ember", "falcon", "garnet")
    scores = [
        p.score
        for query in permutations(words, 3)
        for p in corpus.recall(" ".join(query), on_empty="omit", scorer="coverage").passages
    ]
    assert max(scores) == 1


ENGLISH = get_language("en")


class Place:
    """A sentence with its terms, those around it, and where it stands."""

    def __init__(self, page: Document, sentence: Sentence) -> None:
        self.page, self.sentence = page, sentence
        block = page.blocks[sentence.block]
        self.run = terms(sentence.text, ENGLISH)
        self.terms = frozenset(self.run)
        self.in_block = frozenset(terms(block.text, ENGLISH))
        blocks = [b for b in page.blocks if b.section == block.section]
        self.in_section = frozenset(terms(" ".join(b.text for b in blocks), ENGLISH))
        headings = block.headings
        self.above = frozenset(terms(" ".join(h.text for h in headings), ENGLISH))
        at = page.sentences.index(sentence)
        self.before = self.of(page, at - 1)
        self.two_before = self.of(page, at - 2)
        self.after = self.of(page, at + 1)
        first = [s for b in blocks for s in b.sentences][:2]
        opens = sentence in first and headings and headings[-1].level > 1
        said = frozenset(terms(" ".join(s.text for s in first), ENGLISH))
        self.opens = frozenset(terms(headings[-1].text, ENGLISH)) - said if opens else frozenset()
        self.refers_to: list[Sentence] = []
        for number in range(at, max(0, at - 3), -1):
            one, other = page.sentences[number], page.sentences[number - 1]
            if not one.text.startswith("It ") or not is_next(page, other, one):
                break
            self.refers_to.append(other)
        opens_section = sentence in first[:1]  # then it refers to the heading
        dangles = sentence.text.startswith("It ") and not self.refers_to and not opens_section
        self.share = 0.7 if dangles else 1.0

    @staticmethod
    def of(page: Document, at: int) -> frozenset[str]:
        there = 0 <= at < len(page.sentences)
        return frozenset(terms(page.sentences[at].text, ENGLISH)) if there else frozenset()

    def credit(self, term: str, asked: Iterable[str]) -> int:
        heading = 10 * (term in self.above)
        if term in self.terms:
            return 100 + heading
        said = frozenset(terms(" ".join(s.text for s in self.refers_to), ENGLISH))
        adds = any(other in self.terms and other not in said for other in asked)
        places = (
            (self.in_block, 25),
            (self.before, 10),
            (self.after, 5),
            (self.two_before, 5),
            (self.in_section | self.above, 5),
        )
        credit = heading + sum(credit for held, credit in places if term in held)
        if term in self.opens:
            credit = max(credit, 60)
        return max(credit, 70 + heading) if adds and term in said else credit

    def beside(self, one: str, other: str) -> bool:
        return any({one, other} == set(pair) for pair in pairwise(self.run))


def is_next(page: Document, one: Sentence, other: Sentence) -> bool:
    """Tell whether a sentence follows another in its paragraph, or the next under the heading."""
    above, block = page.blocks[one.block], page.blocks[other.block]
    return above.section == block.section and block.number - above.number <= 1


def by_formula(pages: tuple[Document, ...], query: str, hidden: str) -> dict[Place, float]:
    """The scores of all sentences that match, best first, each sentence met with each term."""
    places = [Place(page, sentence) for page in pages for sentence in page.sentences]
    asked = list(dict.fromkeys(terms(query, ENGLISH)))
    weights = {
        t: int(idf(len(places), sum(t in place.terms for place in places)) * 2**48) for t in asked
    }
    pairs = {(one, other): weights[one] + weights[other] for one, other in pairwise(asked)}

    def score(place: Place) -> float:
        held = sum(weight * place.credit(term, weights) for term, weight in weights.items())
        whole = Fraction(held, 110 * sum(weights.values()))
        if pairs:
            beside = sum(weight for pair, weight in pairs.items() if place.beside(*pair))
            whole = (10 * whole + Fraction(beside, sum(pairs.values()))) / 11
        return float(whole)

    scores = {
        place: score(place)
        for place in places
        if (place.terms | place.opens) & weights.keys() and place.page.uri != hidden
    }
    by_rank = sorted(
        scores, key=lambda place: -place.share * scores[place]
    )  # ties keep their order
    return {place: scores[place] for place in by_rank}


def without_repetitions(places: dict[Place, float]) -> list[Place]:
    chosen: list[Place] = []
    for place in places:
        cosines = [
            len(place.terms & other.terms) / math.sqrt(len(place.terms) * len(other.terms))
            for other in chosen
        ]
        quoted = any(
            place.page is other.page and place.sentence in other.refers_to for other in chosen
        )
        if not quoted and not any(cosine >= 0.9 for cosine in cosines):
            chosen.append(place)
    return chosen


@st.composite
def sites(draw: st.DrawFn) -> dict[str, str]:
    """Pages of headings and paragraphs; some words are frequent, others rare."""
    word = st.sampled_from((*WORDS[:3] * 3, *WORDS[3:], "zebra", "quartz", "gravel", "ember"))
    sentence = st.builds(
        lambda opening, words: f"{opening}{' '.join(words)}.".capitalize(),
        st.sampled_from(("", "", "it ")),
        st.lists(word, min_size=1, max_size=4),
    )
    block = st.one_of(
        st.lists(sentence, min_size=1, max_size=3).map(" ".join),
        word.map(lambda heading: f"## {heading.capitalize()}"),
    )
    texts = draw(st.lists(st.lists(block, max_size=7).map("\n\n".join), min_size=2, max_size=4))
    return {f"{number}.md": text for number, text in enumerate(texts)}


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
    result = corpus.recall(
        " ".join(query),
        page=hidden,
        max_sentences=count,
        min_score=0,
        on_empty="omit",
        scorer="coverage",
        context=0,
    )
    assert [(p.uri, p.sentence, p.score) for p in result.passages] == [
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
    result = corpus.recall(
        query, max_sentences=count, min_score=0, scorer="coverage", context=0
    ).passages
    assert [(p.sentence, p.score) for p in result] == [
        (place.sentence, expected[place]) for place in without_repetitions(expected)[:count]
    ]


def test_a_rare_word_outweighs_several_common_ones() -> None:
    pages = {
        "a.md": "Token one session.\n\nZebra runs.",
        **{f"{tag}.md": f"Token {tag} session." for tag in ("two", "three", "four")},
        **{f"{number}.md": f"Larch{number} grows." for number in range(13)},
    }
    result = Corpus.from_markdown(pages).recall(
        "token session zebra", max_sentences=2, scorer="coverage", context=0
    )
    assert [p.text for p in result.passages] == ["Token one session.", "Zebra runs."]


def test_references_to_another_paragraph_are_not_hidden() -> None:
    page = (
        "# Larch\n\n## Token\n\nA token is old. Mail expires.\n\n"
        "## Secret\n\nA token is one.\n\nIt expires."
    )
    corpus = Corpus.from_markdown({"a.md": page})
    first = corpus.recall("token expires", scorer="coverage", max_sentences=1).passages[0]
    assert first.sentence.text == "It expires."


def test_each_of_several_queries_is_scored_for_every_sentence() -> None:
    pages = {
        "a.md": "A zebra runs. The session ends.\n\nTokens stay.\n\n## Zebra\n\nServers stop.",
        "b.md": "A token is a cookie.\n\nThe session of a zebra.\n\nServers log sessions.",
    }
    corpus = Corpus.from_markdown(pages)
    queries = ("zebra session", "token server cookie", "server")
    each = [by_formula(corpus.documents, query, "") for query in queries]
    scores = [{(p.page.uri, p.sentence): score for p, score in one.items()} for one in each]
    result = corpus.recall(list(queries), max_sentences=30, scorer="coverage", context=0)
    assert len(result.passages) == 7
    lowest = math.inf  # what ranks before is never shown with less
    for passage in result.passages:
        key = (passage.uri, passage.sentence)
        lowest = min(lowest, math.fsum(one.get(key, 0.0) for one in scores) / 3)
        assert passage.score == lowest
