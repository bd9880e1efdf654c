"""`structure`: the section about the query, then the sentence in it that answers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from answered import expect
from hypothesis import given, strategies as st
from tables import Case, beside, tabled

from mkdocs_recall import Corpus, Explanation, Passage, Result
from mkdocs_recall.index.index import Index
from mkdocs_recall.index.query import part_of
from mkdocs_recall.options import DEFAULT_UNITS
from mkdocs_recall.ranking import structure
from mkdocs_recall.ranking.structure import (
    CANDIDATES,
    LOW,
    RANGE,
    Features,
    SectionRanking,
)
from mkdocs_recall.ranking.weights import LEVEL, MIN_SCORE, PAGE, PAGE_LEVEL, WORDS as WEIGHTS

WORDS = ("token", "session", "cookie", "server", "larch", "zebra")


def index_of(pages: Mapping[str, str]) -> Index:
    documents = Corpus.from_markdown(pages).documents
    return Index([part_of(document, units=DEFAULT_UNITS) for document in documents])


def scores(index: Index, query: str, **switches: Any) -> dict[str, float]:
    values = structure.score(query, index, **switches).values
    return {index.sentences[number].text: value for number, value in values.items()}


def texts(result: Result) -> list[str]:
    return [passage.sentence.text for passage in result.passages]


@st.composite
def sites(draw: st.DrawFn) -> dict[str, str]:
    """Pages of headings, paragraphs, code and links to each other; some are release notes."""
    word = st.sampled_from((*WORDS[:2] * 3, *WORDS, "`token`", "ember"))
    sentence = st.lists(word, min_size=1, max_size=4).map(
        lambda drawn: f"{' '.join(drawn).capitalize()}."
    )
    heading = st.one_of(st.lists(word, min_size=1, max_size=3).map(" ".join), st.just("1.2"))
    target = st.sampled_from(("0.md", "1.md", "2.md#token", "0.md#session", "9.md", "#larch"))
    block = st.one_of(
        st.lists(sentence, min_size=1, max_size=3).map(" ".join),
        st.tuples(st.sampled_from(("##", "###")), heading).map(" ".join),
        st.lists(word, max_size=3).map(lambda drawn: f"```\n{' '.join(drawn)}\n```"),
        st.tuples(word, target).map(lambda drawn: "[{}]({}).".format(*drawn)),
    )
    pages = draw(st.lists(st.lists(block, max_size=8).map("\n\n".join), min_size=1, max_size=4))
    return {f"{number}.md": text for number, text in enumerate(pages)}


QUERIES = st.lists(st.sampled_from((*WORDS, "wombat")), min_size=1, max_size=4).map(" ".join)


def features(index: Index, query: str) -> dict[str, Features]:
    """Return what is known of each section, by the words of its own heading."""
    found = SectionRanking(query, index).features
    first = index.sections.first_sentences
    return {index.block(first[section]).heading: known for section, known in found.items()}


def idf(holders: int, sections: int) -> float:
    return math.log(1 + (sections - holders + 0.5) / (holders + 0.5))


def test_the_features_of_a_section_follow_the_formulas() -> None:
    """With the numbers of words put in by hand."""
    index = index_of(
        {
            "a.md": "# Larches\n\nThe zebra grows.\n\n```\nzebra\n```\n\n"
            "## Zebras\n\nHe runs. It sleeps. See [trees](b.md).",
            "b.md": "# Trees\n\nNo sun.",
            "c.md": "# Seas\n\nSee [zebras](a.md#zebras), [larches](a.md).",
        }
    )
    sections = features(index, "which zebras run")
    zebras, run = idf(3, 4), idf(1, 4)  # a section has one, whatever its field
    # Words of text: 3 with the code, 4, 1 and 3; in each own heading one.
    text = 1 - 0.5 + 0.5 * 3 / ((3 + 4 + 1 + 3) / 4)
    first = zebras * (2 / text) / (2 / text + 1)
    weight = 4  # of a heading of average length
    second = zebras * weight / (weight + 1)
    in_text = 1 / (1 - 0.5 + 0.5 * 4 / ((3 + 4 + 1 + 3) / 4))
    second += run * in_text / (in_text + 1)
    assert sections["Zebras"].words == 1
    assert sections["Larches"].words == pytest.approx(first / second)
    assert sections["Zebras"].heading == pytest.approx((2 * 1 / (2 + 1)) ** 3)
    assert features(index, "which zebra runs")["Zebras"].heading == pytest.approx(
        (2 * 1 / (2 + 1)) ** 3 * 2 / 3
    )
    assert sections["Larches"].heading == 0
    assert sections["Zebras"].headings == pytest.approx(zebras / (zebras + run))
    best = max(zebras, run)
    assert sections["Larches"].sentence == pytest.approx(zebras / best)
    assert sections["Zebras"].sentence == pytest.approx(run / best)
    assert (sections["Larches"].title, sections["Zebras"].title) == (0, 0)
    assert sections["Larches"].length == pytest.approx(3 / 53)
    assert sections["Larches"].paragraphs == pytest.approx(1 / 3)
    assert sections["Zebras"].page_links == sections["Larches"].page_links == math.log(2)
    assert (sections["Zebras"].section_links, sections["Larches"].section_links) == (math.log(2), 0)
    assert {each.chronicle for each in sections.values()} == {0}
    assert {each.meaning for each in sections.values()} == {0}


def test_among_equal_sections_a_matching_page_title_wins() -> None:
    """All sections of a page are about its title; a heading elsewhere on it is about its own."""
    text = "\n\n## {}\n\nLarches grow.\n\n## {}\n\nA session expires at night."
    pages = {
        "a.md": "# Alpha" + text.format("Cookie", "Days"),
        "b.md": "# Cookies" + text.format("Trees", "Nights"),
    }
    sections = features(index_of(pages), "session of a cookie")
    assert (sections["Days"].title, sections["Nights"].title) == (0, 1)
    assert (sections["Cookie"].title, sections["Trees"].title) == (0, 1)
    assert Corpus.from_markdown(pages).recall("session of a cookie").passages[0].uri == "b.md"


def test_among_equal_sections_paragraphs_precede_a_list() -> None:
    """A reference lists; who asks wants what is explained."""
    items = ("A session expires at night.", "The server knows.", "It is quiet.")
    pages = {
        "a.md": "# Alpha\n\n## Days\n\n" + "\n".join(f"- {item}" for item in items),
        "b.md": "# Bravo\n\n## Nights\n\n" + "\n\n".join(items),
    }
    sections = features(index_of(pages), "session expires")
    assert sections["Days"].paragraphs == 0
    assert sections["Nights"].paragraphs == pytest.approx(3 / 5)
    assert Corpus.from_markdown(pages).recall("session expires").passages[0].uri == "b.md"


def test_the_first_section_counts_for_whether_there_is_an_answer() -> None:
    index = index_of({"a.md": "# Larch\n\n## Token session\n\nA zebra can.\n\n## B\n\nA token."})
    ranking = SectionRanking("can token session lapse", index)
    best = max(ranking.candidates, key=ranking.values.__getitem__)
    headings, value, found, share = ranking.facts[3:7]
    assert headings == ranking.features[best].headings > 0
    assert value == ranking.values[best] / RANGE
    assert found == pytest.approx(math.log(3))
    assert share == pytest.approx(2 / 3)  # "can" only asks


@given(drawn=sites(), query=QUERIES)
def test_a_section_scores_by_its_distance_to_the_best(drawn: dict[str, str], query: str) -> None:
    ranking = SectionRanking(query, index_of(drawn))
    if not ranking.candidates:
        return
    best = max(ranking.values.values())
    of_facts = PAGE_LEVEL if len(drawn) == 1 else LEVEL
    level = sum(w * fact for w, fact in zip(of_facts, ranking.facts, strict=True))
    for section, score in ranking.scores.items():
        weights = PAGE if len(drawn) == 1 else WEIGHTS
        by_features = zip(weights, ranking.features[section], strict=True)
        assert ranking.values[section] == pytest.approx(sum(w * x for w, x in by_features))
        whole = 1 / (1 + math.exp(-level)) + (ranking.values[section] - best) / RANGE
        assert score == pytest.approx(whole if whole >= LOW else LOW * math.exp(whole / LOW - 1))
    assert math.fsum(ranking.probabilities.values()) == pytest.approx(1)
    ordered = sorted(ranking.candidates, key=ranking.values.__getitem__)
    assert ordered == sorted(ordered, key=ranking.probabilities.__getitem__)


@given(drawn=sites(), query=QUERIES)
def test_a_sentence_scores_with_its_section(drawn: dict[str, str], query: str) -> None:
    index = index_of(drawn)
    if index.section_count < 2:  # then it is coverage: see below
        return
    sections = SectionRanking(query, index).scores
    by_section: dict[int, list[float]] = {}
    for number, value in structure.score(query, index).values.items():
        by_section.setdefault(index.sections.of_sentence[number], []).append(value)
    for section, values in by_section.items():
        assert max(values) == pytest.approx(sections[section])
        several = not index.sections.is_alone(section)
        for rank, value in enumerate(sorted(values, reverse=True)):
            assert value <= sections[section] / (1 + rank * several) + 1e-9


def test_only_so_many_sections_are_ranked_the_best_by_their_words() -> None:
    rare = "## Rare\n\nA zebra and a session.\n\n"
    page = "# Page\n\n" + "".join(f"## Part {n}\n\nA session.\n\n" for n in range(99)) + rare
    index = index_of({"a.md": page})
    ranking = SectionRanking("session zebra", index)
    assert len(ranking.candidates) == CANDIDATES < index.section_count
    assert max(ranking.scores, key=ranking.scores.__getitem__) == index.section_count - 1


def test_a_name_counts_where_it_stands_whole() -> None:
    page = "## One\n\nSet `run_once_at` there.\n\n## Two\n\nThe once and run of it.\n"
    sections = features(index_of({"a.md": f"# Page\n\n{page}"}), "what is run_once_at")
    assert (sections["One"].named, sections["Two"].named) == (1, 0)


@pytest.mark.parametrize("switches", [{}, {"links": False}, {"chronicles": False}])
@given(drawn=sites(), query=QUERIES)
def test_scores_and_explanations_agree_whatever_is_switched_off(
    switches: dict[str, Any], drawn: dict[str, str], query: str
) -> None:
    result = Corpus.from_markdown(drawn).recall(
        query, min_score=0, max_sentences=9, on_empty="omit", **switches
    )
    for passage in (*result.passages, *(lost.passage for lost in result.lost)):
        assert 0 < passage.score <= 1
        assert passage.explanation.value == passage.score
        check(passage.explanation)


def check(tree: Explanation) -> None:
    if tree.parts:
        assert math.fsum(part.value for part in tree.parts) == pytest.approx(tree.value, abs=1e-9)
    for part in tree.parts:
        check(part)


@tabled
def test_the_section_that_is_about_the_query_answers(case: Case) -> None:
    expect(case)


def test_a_part_of_a_word_counts_no_more_than_a_part() -> None:
    text = "## One\n\n{}\n\n## Two\n\nThe config of a larch."
    sections = features(index_of({"a.md": text.format("The configuration. " * 40)}), "config")
    assert 0 < sections["One"].words < sections["Two"].words == 1


def test_the_first_sentence_of_a_section_wins_a_tie() -> None:
    text = "## Sessions\n\nIt ends at night. A session ends at noon. {}\n\n## Trees\n\nNo larch."
    query = "when does a session end"
    more = Corpus.from_markdown({"a.md": text.format("Larches grow.")})
    assert texts(more.recall(query, max_sentences=1)) == ["A session ends at noon."]
    index = index_of({"a.md": text.format("A session ends at six. A session ends at one.")})
    same = [value for text, value in scores(index, query).items() if text.startswith("A session")]
    assert same == sorted(same, reverse=True)
    assert len(set(same)) == 3


ALIKE = {
    "a.md": "# Alpha\n\nA session expires at night.\n\n## More\n\nLarches grow.",
    "b.md": "# Bravo\n\nA session expires at noon.\n\n## More\n\nZebras run.",
}


def first(pages: Mapping[str, str], query: str = "session expires", **options: Any) -> Passage:
    return Corpus.from_markdown(pages).recall(query, min_score=0, **options, context=0).passages[0]


@tabled
def test_among_places_with_the_words_this_one_is_first(
    behaviour: str, pages: dict[str, str], query: str, options: dict[str, Any], source: str
) -> None:
    assert first(pages, query, **options).source == source, behaviour


def test_a_page_that_links_to_itself_gains_nothing() -> None:
    pages = {**ALIKE, "b.md": ALIKE["b.md"] + " See [above](b.md), [here](#more)."}
    assert scores(index_of(pages), "session") == scores(index_of(pages), "session", links=False)


CHANGES = {
    "changes.md": "# Changes\n\n## 1.2\n\n- A session expires at night.\n\n## 1.1\n\n- Larches."
    "\n\n## 1.0\n\n- Zebras.",
    "guide.md": "# Guide\n\nThe start.\n\n## Days\n\nAfter a day, each session of a larch "
    "expires, whatever else it does.",
}


def test_among_equal_sections_one_that_answers_questions_is_first() -> None:
    pages = {
        "a.md": "# Alpha\n\n## Nights\n\nA session expires then.",
        "b.md": "# Bravo\n\n## Known issues\n\nA session expires then.",
    }
    assert first(pages).uri == "b.md"
    sections = features(index_of(pages), "session expires")
    assert (sections["Nights"].purpose, sections["Known issues"].purpose) == (0, 1)


def test_within_one_page_neither_links_nor_chronicles_count() -> None:
    pages = {"changes.md": CHANGES["changes.md"] + " See [above](#12), [it](changes.md#12)."}
    index = index_of(pages)
    plain = scores(index, "session expires", links=False, chronicles=False)
    assert scores(index, "session expires") == plain
    both = index_of({**pages, "a.md": "# A\n\nA larch. See [it](changes.md#12)."})
    counted = features(both, "session expires")["1.2"]
    assert counted.page_links == counted.section_links == math.log(2)
    assert counted.chronicle == 1
    ranking = SectionRanking("session expires", both, links=False, chronicles=False)
    assert {(f.page_links, f.section_links, f.chronicle) for f in ranking.features.values()} == {
        (0, 0, 0)
    }


def test_within_one_section_the_answer_is_that_of_coverage() -> None:
    text = (
        "# Larches\n\nA tree. A larch grows. It has `needles`.\n\nNo larch flowers, zebra or not."
    )
    corpus = Corpus.from_markdown({"a.md": text})
    for options in ({}, {"min_score": 0}, {"max_sentences": 1}):
        for query in ("what larch grows", "larch needles", "zebra crossings of a river", "wombat"):
            one = corpus.recall(query, on_empty="omit", **options)  # type: ignore[arg-type]
            other = corpus.recall(query, on_empty="omit", scorer="coverage", **options)  # type: ignore[arg-type]
            assert one.passages == other.passages
            assert [p.explanation for p in one.passages] == [p.explanation for p in other.passages]
            assert (one.why, one.fallback) == (other.why, other.fallback)
    assert "'min_score' is 0.2)" in corpus.recall("zebra crossings of a river bed").why


def test_a_page_s_title_is_the_heading_of_the_text_right_below_it() -> None:
    pages = {"a.md": "# Larches\n\nTrees.", "b.md": "# Other\n\nTrees.\n\n## More\n\nPlants."}
    assert scores(index_of(pages), "larches").keys() == {"Trees."}
    assert first(pages, "larches").uri == "a.md"


def sectioned(*sections: str) -> str:
    return "# Page\n\n" + "\n\n".join(
        f"## {'ABCDEFG'[number]}\n\n{text}" for number, text in enumerate(sections)
    )


def test_the_reason_for_no_answer_states_the_threshold() -> None:
    corpus = Corpus.from_markdown({"a.md": sectioned("A larch grows.", "A zebra runs.")})
    query = "why did the larch cross rivers without numbats"
    low = corpus.recall(query, on_empty="omit")
    assert f"'min_score' is {MIN_SCORE:.2g})" in low.why
    assert corpus.recall(query, min_score=0.01).passages


@pytest.fixture(scope="module")
def large_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a site of so many pages that their index is cached."""
    root = tmp_path_factory.mktemp("site")
    (root / "docs").mkdir()
    for number in range(66):
        one, two = WORDS[number % 6], WORDS[number // 6 % 6]
        text = (
            f"# {one}\n\nThe {two} {number}. See [it](p{number * 7 % 66}.md#{two}).\n\n"
            f"## {two}\n\nUse `{one} {number}`. A {two} {one}s.\n\n```\n{one} error {number}\n```\n"
        )
        if number % 9 == 0:
            text += f"\n## 1.{number}\n\n- A {one}.\n\n## 0.9\n\n- The {two}.\n"
        (root / f"docs/p{number}.md").write_text(text, "utf-8")
    (root / "mkdocs.yml").write_text("site_name: Site\n", "utf-8")
    return root / "mkdocs.yml"


@pytest.mark.slow
def test_the_cache_changes_no_answer(large_site: Path) -> None:
    asked: list[dict[str, Any]] = [
        {"query": "when does a session cookie expire"},
        {"query": "larch error 7", "units": ["prose", "code"]},
        {"query": "zebra", "links": False, "chronicles": False},
        {"query": "server 9"},
        {"query": "server 9", "source": ["**", "p9.md"]},
        {"query": ["server token", "larch"], "diversity": 0.3},
    ]

    def answers(*, cache: bool) -> list[str]:
        corpus = Corpus.from_site(large_site, cache=cache)
        return [corpus.recall(max_sentences=9, min_score=0, **one).to_json() for one in asked]

    plain = answers(cache=False)
    cold, warm = answers(cache=True), answers(cache=True)
    assert plain == cold == warm
    assert all('"structure' in answer for answer in plain)


def test_the_title_of_a_tab_is_not_an_opening_of_its_section() -> None:
    page = beside(__file__)["TABS"]
    corpus = Corpus.from_markdown({"install.md": page})
    (passage,) = corpus.recall("Install the server by hand", max_sentences=1).passages
    assert passage.sentence.text == "After that, start the server by hand or at boot."
    for passage in corpus.recall("Install the server by hand", max_sentences=9).passages:
        if passage.block.kind == "tab":
            assert all(
                part.value <= 0 for part in passage.explanation.parts if "place" in part.description
            )
