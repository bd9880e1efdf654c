"""`structure`: the section that is about the query, then the sentence in it that answers."""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mkdocs_recall import Corpus, Result
from mkdocs_recall.index.index import Index
from mkdocs_recall.index.part import part_of
from mkdocs_recall.index.query import query_terms
from mkdocs_recall.options import DEFAULT_UNITS
from mkdocs_recall.scoring import coverage as coverage_module
from mkdocs_recall.scoring import structure
from mkdocs_recall.scoring.coverage import Coverage
from mkdocs_recall.scoring.section_term import SectionTerm
from mkdocs_recall.text.language import get_language
from mkdocs_recall.text.terms import terms, words

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from mkdocs_recall import Explanation, Passage

ENGLISH = get_language("en")
WORDS = ("token", "session", "cookie", "server", "larch", "zebra")


def index_of(pages: Mapping[str, str]) -> Index:
    documents = Corpus.from_markdown(pages).documents
    return Index([part_of(document, units=DEFAULT_UNITS) for document in documents])


def scores(index: Index, query: str, **switches: bool) -> dict[str, float]:
    values = structure.score(query, index, **switches).values
    return {index.sentences[number].text: value for number, value in values.items()}


def texts(result: Result) -> list[str]:
    return [passage.sentence.text for passage in result.passages]


# ------------------------------------------------------------------------------------- the formula


class Section:
    """A section with its terms, counted one by one."""

    def __init__(self, index: Index, number: int) -> None:
        sentences = [n for n in range(len(index)) if index.sections.of_sentence[n] == number]
        self.sentences = sentences
        self.page = index.document(sentences[0])
        section = index.block(sentences[0]).section
        blocks = [block for block in self.page.blocks if block.section == section]
        said = [word for block in blocks for each in block.sentences for word in each.words]
        self.text = [ENGLISH.stems[word] for word in said]
        headings = list(blocks[0].headings)
        own = [headings.pop().text] if headings and headings[-1].level > 1 else []
        above = [heading.text for heading in headings]
        if not above or headings[0].level > 1:
            above.insert(0, self.page.title)
        self.own = [word for text in own for word in words(text)]
        self.above = [word for text in above for word in words(text)]

    def count(self, term: str) -> tuple[int, int, int]:
        stems = ENGLISH.stems
        own, above = ([stems[word] for word in each] for each in (self.own, self.above))
        return self.text.count(term), own.count(term), above.count(term)


def by_formula(index: Index, query: str) -> dict[int, float]:
    """The scores that are greater than 0, without links and chronicles, each section by itself."""
    sections = [Section(index, number) for number in range(index.section_count)]
    asked = list(dict.fromkeys(terms(query, ENGLISH)))
    fields = [("text", 1.0, 0.6), ("own", 4.0, 0.3), ("above", 2.0, 0.3)]
    average = {
        name: sum(len(getattr(section, name)) for section in sections) / len(sections) or 1
        for name, *_ in fields
    }

    def frequency(section: Section, term: str) -> float:
        return sum(
            weight * count / (1 - b + b * len(getattr(section, name)) / average[name])
            for (name, weight, b), count in zip(fields, section.count(term), strict=True)
        )

    holders = {term: sum(any(s.count(term)) for s in sections) for term in asked}
    weights = {
        term: math.log(1 + (len(sections) - n + 0.5) / (n + 0.5)) for term, n in holders.items()
    }
    total = sum(weights.values())
    known = sum(weights[term] for term in asked if holders[term]) / total
    coverage = Coverage(query, index)
    result = {}
    for section in sections:
        tf = {term: frequency(section, term) for term in asked}
        relevance = sum(weights[t] * tf[t] / (tf[t] + 2) for t in asked) / total
        several = sum(other.page == section.page for other in sections) > 1
        first = section.sentences[0]
        candidates = [
            n for n in section.sentences if coverage.matching_among({n}) or (several and n == first)
        ]
        if not relevance or not candidates:
            continue
        covered = coverage.values_of(set(candidates))
        best = max(covered.values())
        gains = {
            n: 0.15 * max(0, 1 - best / known) / (1 + n - first) + 0.03 * index.has_code(n)
            if several
            else 0.0
            for n in candidates
        }
        lowered = best - max(covered[n] + gains[n] for n in candidates)
        for n in candidates:
            value = (covered[n] + gains[n] + lowered + relevance) / 2
            if value > 0:
                result[n] = value
    return result


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


def test_a_score_is_the_mean_of_what_sentence_and_section_say() -> None:
    """As the formula has it, with the numbers of words put in by hand."""
    index = index_of(
        {
            "a.md": "# Larches\n\nThe zebra grows.\n\n```\nzebra\n```\n\n"
            "## Zebras\n\nHe runs. `It` sleeps.",
            "b.md": "# Trees\n\nNo sun.",
        }
    )
    # The three sections have 3, 2 and 1 words of text (which is 2 on average), and no, one and no
    # word in their own heading. Each has one in those above.
    first, second = 2 / (0.4 + 0.6 * 3 / 2), 4 / (0.7 + 0.3 / (1 / 3))
    first, second = first / (first + 2), second / (second + 2)
    # What `coverage` says for the word itself, and for the heading right above.
    word, heading = 1 / 1.1, 0.6 / 1.1
    first_gains, second_gains = 0.15 * (1 - heading), 0.15 * (1 - heading) / 2 + 0.03

    def with_heading(value: float) -> float:  # it is the query, but for a letter
        return value + 0.4 * min(1, 2 * (1 - value))

    assert scores(index, "zebra") == pytest.approx(
        {
            "The zebra grows.": (word + first) / 2,
            "He runs.": with_heading((heading + second) / 2),  # it gains the most, and so nothing
            "It sleeps.": with_heading((heading + second_gains - first_gains + second) / 2),
        }
    )


@settings(deadline=None)
@given(drawn=sites(), query=QUERIES)
def test_scores_are_those_of_the_formula_met_with_every_section(
    drawn: dict[str, str], query: str
) -> None:
    index = index_of(drawn)
    if index.section_count < 2:  # then it is coverage: see below
        return
    values = structure.score(query, index, links=False, chronicles=False).values
    assert values == pytest.approx(by_formula(index, query), rel=1e-9)


@st.composite
def sites_with_lead_ins(draw: st.DrawFn) -> dict[str, str]:
    """The same pages, with lists and definitions below text or a heading of the next section."""
    word = st.sampled_from((*WORDS, "ember"))
    lines = st.lists(word, min_size=1, max_size=3).map(" ".join)
    block = st.one_of(
        st.tuples(lines, lines).map("{0[0]}:\n\n- {0[1]}\n- it {0[0]}".format),
        st.tuples(lines, lines).map("{0[0]}\n\n:   {0[1]}. It {0[0]}.".format),
        st.tuples(lines, lines).map("{0[0]}.\n\n## {0[1]}\n\n- {0[0]}".format),
    )
    return {
        uri: "\n\n".join((text, *draw(st.lists(block, max_size=4))))
        for uri, text in draw(sites()).items()
    }


def random_site(seed: int) -> dict[str, str]:
    """Some sixty sections with rare and frequent words, lists, code and links."""
    rng = random.Random(seed)  # noqa: S311 - no secret

    def some() -> str:
        return " ".join(rng.choices(WORDS, [1, 2, 4, 8, 16, 32], k=rng.randint(1, 4)))

    def section() -> str:
        items = f"{some()}:\n\n- {some()}\n- It {some()}." if rng.random() < 0.3 else ""
        link = f"See [it]({rng.randrange(20)}.md)." if rng.random() < 0.3 else ""
        return f"## {some()}\n\n{some()}. It {some()}. `{some()}` is.\n\n{items}\n\n{link}"

    return {
        f"{number}.md": f"# {some()}\n\n" + "\n\n".join(section() for _ in range(3))
        for number in range(20)
    }


@pytest.mark.parametrize("switches", [{}, {"links": False}, {"chronicles": False}])
@settings(deadline=None, max_examples=20)
@given(
    seed=st.integers(0, 10**6),
    query=st.one_of(QUERIES, QUERIES.map('"{}" larch'.format)),
    sizes=st.tuples(st.integers(1, 9), st.integers(1, 5), st.sampled_from((0, 20, 500))),
)
def test_sections_left_out_early_are_those_that_would_be_left_out_in_the_end(
    switches: dict[str, bool], seed: int, query: str, sizes: tuple[int, int, int]
) -> None:
    index = index_of(random_site(seed))
    kept, at_once, scored_at_once = sizes
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(structure, "SECTIONS", kept)
        patch.setattr(coverage_module, "SCORED_AT_ONCE", scored_at_once)
        patch.setattr(structure, "AT_ONCE", 10**6)  # all sections at once: none is left out early
        exhaustive = structure.score(query, index, **switches)
        patch.setattr(structure, "AT_ONCE", at_once)
        pruned = structure.score(query, index, **switches)
        assert pruned.values == exhaustive.values
        for number in pruned.values:
            assert pruned.explain(number) == exhaustive.explain(number)


@settings(deadline=None)
@given(drawn=sites_with_lead_ins(), query=st.one_of(QUERIES, QUERIES.map('"{}" larch'.format)))
def test_no_sentence_covers_more_than_the_terms_of_its_section_allow(
    drawn: dict[str, str], query: str
) -> None:
    index = index_of(drawn)
    coverage = Coverage(query, index)
    sections_with = [
        SectionTerm(index, term).sections | led
        for term, led in zip(
            query_terms(query, index.languages), coverage.lead_in_sections(), strict=True
        )
    ]
    for number, value in coverage.values_of(set(range(len(index)))).items():
        section = index.sections.of_sentence[number]
        held = frozenset(n for n, sections in enumerate(sections_with) if section in sections)
        assert value <= coverage.most_with(held)


@pytest.mark.parametrize("switches", [{}, {"links": False}, {"chronicles": False}])
@settings(deadline=None)
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


@settings(deadline=None)
@given(drawn=sites(), query=QUERIES)
def test_a_passage_is_behind_one_that_scores_less_only_where_its_section_has_one_already(
    drawn: dict[str, str], query: str
) -> None:
    corpus = Corpus.from_markdown(drawn)
    passages = corpus.recall(query, min_score=0, max_sentences=30, on_empty="omit").passages
    ranks: dict[tuple[str, int], int] = {}
    for rank, passage in enumerate(passages):
        ranks.setdefault((passage.uri, passage.block.section), rank)
    for rank, passage in enumerate(passages):
        if any(before.score < passage.score for before in passages[:rank]):
            assert ranks[passage.uri, passage.block.section] < rank


# ----------------------------------------------------------------------- the section, then in it


def test_the_section_whose_heading_is_the_question_wins_and_its_opening_is_quoted() -> None:
    pages = {
        "a.md": "# Help\n\n## Reset a password\n\nOpen the menu and press Forgotten. Then wait.\n\n"
        "## Sessions\n\nA session ends at night. Whoever wants to reset it needs the password of "
        "the server. Every session has a cookie, and every cookie a name. Larches have none.",
        "b.md": "# Admin\n\n## Users\n\nA user has a name. Nobody has two.",
    }
    corpus = Corpus.from_markdown(pages)
    (first,) = corpus.recall("How do I reset a password?", max_sentences=1, context=0).passages
    assert first.text == "Open the menu and press Forgotten."
    by_words = corpus.recall(
        "How do I reset a password?", max_sentences=1, scorer="coverage", context=0
    )
    assert texts(by_words) != [first.text]


def test_a_section_below_a_label_with_a_word_of_the_query_answers_though_it_lacks_the_word() -> (
    None
):
    install = "    ## Install\n\n    Run the file that came by mail."
    remove = "    ## Remove\n\n    Drop it."
    page = f'# Larch\n\nLarch keeps files.\n\n=== "Windows"\n\n{install}\n\n{remove}\n'
    corpus = Corpus.from_markdown(
        {"a.md": page, "b.md": "# Other\n\nNothing.\n\n## More\n\nHere.\n"}
    )
    found = corpus.recall("windows", min_score=0, scorer="structure").passages
    assert [passage.text for passage in found][:2] == [
        "Run the file that came by mail.",
        "Drop it.",
    ]


def test_a_word_of_code_counts_for_its_section() -> None:
    page = (
        "# Errors\n\n## Ports\n\nClose the other program.\n\n## Limits\n\nRaise the limit.\n\n"
        "{}\n\n## Disks\n\nDelete files."
    )
    query = "ENOSPC: no watchers left"
    code = Corpus.from_markdown({"a.md": page.format(f"```\nError: {query}\n```")})
    assert texts(code.recall(query, max_sentences=1, min_score=0)) == ["Raise the limit."]
    prose = Corpus.from_markdown({"a.md": page.format("Then wait.")})
    assert prose.recall(query, min_score=0).fallback == "no_match"


def test_a_part_of_a_word_counts_no_more_than_a_part() -> None:
    text = "## One\n\n{}\n\n## Two\n\nA larch grows."
    whole = scores(index_of({"a.md": text.format("The config.")}), "config")
    part = scores(index_of({"a.md": text.format("The configuration. " * 40)}), "config")
    assert 0 < part["The configuration."] <= (0.3 + 0.3 + 0.15) / 2 < whole["The config."]


def test_of_a_section_the_first_sentence_is_before_one_that_says_no_more() -> None:
    text = "## Sessions\n\nIt ends at night. A session ends at noon. {}\n\n## Trees\n\nNo larch."
    query = "when does a session end"
    more = Corpus.from_markdown({"a.md": text.format("Larches grow.")})
    assert texts(more.recall(query, max_sentences=1)) == ["A session ends at noon."]
    index = index_of({"a.md": text.format("A session ends at six. A session ends at one.")})
    same = [value for text, value in scores(index, query).items() if text.startswith("A session")]
    assert same == sorted(same, reverse=True)
    assert len(set(same)) == 3


def test_inline_code_is_before_text_that_says_the_same() -> None:
    text = "## Sessions\n\nFirst of all.\n\n{} {}\n\n## Trees\n\nNo larch."
    plain, code = "Set the session.", "Set `session`."
    for sentences in ((plain, code), (code, plain)):
        corpus = Corpus.from_markdown({"a.md": text.format(*sentences)})
        assert texts(corpus.recall("set session", max_sentences=1)) == ["Set session."]


def test_the_first_sentence_gains_little_where_another_says_all_that_is_known() -> None:
    text = "## Larches\n\nA larch grows. A deleted larch stays.\n\n## Trees\n\nNo birch."
    query = "deleted larch wombat quokka numbat bilby potoroo"
    result = Corpus.from_markdown({"a.md": text}).recall(query, min_score=0, max_sentences=1)
    assert texts(result) == ["A deleted larch stays."]


# ------------------------------------------------------------------------------------------- links


ALIKE = {
    "a.md": "# Alpha\n\nA session expires at night.\n\n## More\n\nLarches grow.",
    "b.md": "# Bravo\n\nA session expires at noon.\n\n## More\n\nZebras run.",
}


def first(pages: Mapping[str, str], query: str = "session expires", **options: Any) -> Passage:
    return Corpus.from_markdown(pages).recall(query, min_score=0, **options, context=0).passages[0]


def test_of_pages_that_say_the_same_the_one_that_others_link_to_is_first() -> None:
    pages = {**ALIKE, "c.md": "# Start\n\nSee [there](b.md)."}
    assert first(pages).uri == "b.md"
    assert first(pages, links=False).uri == "a.md"
    assert first(pages, source=["a.md", "b.md"]).uri == "a.md", "only pages asked count"


def test_of_sections_that_say_the_same_the_one_that_others_link_to_is_first() -> None:
    page = "# Help\n\n## Night\n\nA session expires then.\n\n## Noon\n\nSome session expires then."
    pages = {"a.md": page, "c.md": "# Start\n\nSee [there](a.md#noon)."}
    assert first(pages).anchor == "noon"
    assert first(pages, links=False).anchor == "night"


def test_links_add_what_the_formula_says() -> None:
    links = "[one](a.md#more), [two](a.md#more), [three](a.md)."
    pages = {**ALIKE, "c.md": f"# Start\n\nSee {links}", "d.md": "# End\n\nSee [it](a.md)."}
    index = index_of(pages)
    without, linked = scores(index, "session larch", links=False), scores(index, "session larch")
    for text, n, m in (("A session expires at night.", 2, 0), ("Larches grow.", 2, 1)):
        value = without[text]
        gain = 0.5 * n / (n + 2) + 0.5 * m / (m + 1)
        assert linked[text] == pytest.approx(value + gain * value * (1 - value))
    assert linked["A session expires at noon."] == without["A session expires at noon."]


def test_a_page_that_links_to_itself_gains_nothing() -> None:
    pages = {**ALIKE, "b.md": ALIKE["b.md"] + " See [above](b.md), [here](#more)."}
    assert scores(index_of(pages), "session") == scores(index_of(pages), "session", links=False)


def test_a_menu_is_no_link() -> None:
    menu = '<nav><ul><li><a href="b.md">B</a></li></ul></nav>'
    pages = {**ALIKE, "c.md": f"{menu}\n\n# Start\n\nSee it."}
    assert first(pages).uri == "a.md"


# -------------------------------------------------------------------------------------- chronicles


CHANGES = {
    "changes.md": "# Changes\n\n## 1.2\n\n- A session expires at night.\n\n## 1.1\n\n- Larches."
    "\n\n## 1.0\n\n- Zebras.",
    "guide.md": "# Guide\n\nThe start.\n\n## Days\n\nAfter a day, each session of a larch "
    "expires, whatever else it does.",
}


def test_release_notes_lose_unless_a_source_names_them() -> None:
    assert first(CHANGES).uri == "guide.md"
    assert first(CHANGES, chronicles=False).uri == "changes.md"
    assert first(CHANGES, source=["**", "changes.md"]).uri == "changes.md"
    assert first(CHANGES, source="**").uri == "guide.md"


def test_a_chronicle_is_worth_seven_tenths() -> None:
    text = "A session expires at night."
    full = scores(index_of(CHANGES), "session night", chronicles=False)
    less = scores(index_of(CHANGES), "session night")
    assert less[text] == pytest.approx(0.7 * full[text])
    assert {**less, text: full[text]} == full


# -------------------------------------------------------------------- one page, and one section


def test_of_one_page_neither_links_nor_chronicles_count() -> None:
    pages = {"changes.md": CHANGES["changes.md"] + " See [above](#12), [it](changes.md#12)."}
    index = index_of(pages)
    plain = scores(index, "session expires", links=False, chronicles=False)
    assert scores(index, "session expires") == plain
    both = index_of({**pages, "a.md": "# A\n\nA larch. See [it](changes.md#12)."})
    sentence = "A session expires at night."
    assert scores(both, "session") != scores(both, "session", links=False)
    assert scores(both, "session")[sentence] < scores(both, "session", chronicles=False)[sentence]


def test_of_one_section_the_answer_is_that_of_coverage() -> None:
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


def test_a_page_of_one_section_among_others_has_no_openings() -> None:
    pages = {"a.md": "# Larches\n\nTrees.", "b.md": "# Larches\n\nTrees.\n\n## More\n\nPlants."}
    index = index_of(pages)
    values = structure.score("larches", index).values
    assert {index.document(number).uri for number in values} == {"b.md"}


# ----------------------------------------------------------------------------------- the selection


def sectioned(*sections: str) -> str:
    return "# Page\n\n" + "\n\n".join(
        f"## {'ABCDEFG'[number]}\n\n{text}" for number, text in enumerate(sections)
    )


ALL_ALIKE = [
    [f"A session {verb} {noun}." for verb in ("needs", "holds", "wants")]
    for noun in ("larches", "zebras", "cookies")
]


def anchors(text: str, **options: Any) -> list[str]:
    corpus = Corpus.from_markdown({"a.md": text})
    return [p.anchor for p in corpus.recall("session", min_score=0, **options, context=0).passages]


def test_the_first_passages_are_from_different_sections_if_these_are_about_equal() -> None:
    text = sectioned(*(" ".join(sentences) for sentences in ALL_ALIKE))
    assert anchors(text) == ["a", "b", "c"]
    assert anchors(text, max_sentences=9) == ["a", "b", "c"] * 3
    assert anchors(text, scorer="coverage") == ["a", "a", "a"]


def test_each_passage_of_a_section_lowers_the_next() -> None:
    longer = " ".join(ALL_ALIKE[1]) + " Embers of oaks."
    assert anchors(sectioned(" ".join(ALL_ALIKE[0]), longer), max_sentences=4) == [*"abab"]


def test_a_section_that_says_clearly_more_gives_several() -> None:
    text = sectioned(" ".join(ALL_ALIKE[0]), "A zebra runs.", "Nobody needs no session or larch.")
    text = text.replace("## A", "## Sessions")
    assert anchors(text) == ["sessions"] * 3


def test_of_a_page_with_one_section_all_passages_may_come() -> None:
    one = "# Sessions\n\n" + "\n\n".join(ALL_ALIKE[0])
    pages = {"a.md": one, "b.md": "# Trees\n\n" + "\n\n".join(ALL_ALIKE[1]) + "\n\n## Z\n\nZ."}
    result = Corpus.from_markdown(pages).recall("session", min_score=0, context=0)
    assert [p.uri for p in result.passages] == ["a.md"] * 3


def test_what_loses_by_its_section_is_told() -> None:
    other = "A session needs zebras. A session holds grass."
    corpus = Corpus.from_markdown({"a.md": sectioned(" ".join(ALL_ALIKE[0]), other, "Nobody.")})
    result = corpus.recall("session", max_sentences=2, min_score=0, context=0)
    assert [passage.source for passage in result.passages] == ["a.md#a", "a.md#b"]
    lost = result.lost[0]
    assert lost.passage.source == "a.md#a"
    assert lost.passage.score > result.passages[1].score
    assert lost.reason == "others score more, because its section already has a passage"
    alone = corpus.recall("session", max_sentences=1, min_score=0, context=0)
    assert alone.lost[0].reason == "others score more"


# ----------------------------------------------------------------------------------- the threshold


def threshold(query: str, *, pages: int, sections: int) -> float:
    text = "\n\n".join(f"## Heading {number}\n\nLarches grow." for number in range(sections))
    return structure.min_score(query, index_of({f"{n}.md": text for n in range(pages)}))


FIVE = "larch zebra wombat quokka numbat"


def test_an_answer_scores_more_among_more_sections() -> None:
    assert threshold(FIVE, pages=1, sections=1) == 0.2
    assert threshold(FIVE, pages=1, sections=2) == threshold(FIVE, pages=1, sections=9) == 0.16
    assert threshold(FIVE, pages=2, sections=5) == pytest.approx(0.18 * 1.25)
    assert threshold(FIVE, pages=10, sections=10) == pytest.approx(0.18 * 1.5)


def test_a_long_query_need_not_be_repeated_whole() -> None:
    for query, factor in (("larch", 1.05), (FIVE, 1.25), (f"{FIVE} bilby", 1.3)):
        found = threshold(query, pages=2, sections=5)
        assert found == pytest.approx(0.18 * 1.25 * 1.25 / factor)
    assert threshold(f"what is the {FIVE}?", pages=1, sections=2) == 0.16, "stop words are none"


def test_the_reason_for_no_answer_states_the_threshold() -> None:
    corpus = Corpus.from_markdown({"a.md": sectioned("A larch grows.", "A zebra runs.")})
    query = "why did the larch cross rivers without numbats"
    low = corpus.recall(query, on_empty="omit")
    assert "'min_score' is 0.16)" in low.why
    assert corpus.recall(query, min_score=0.01).passages


# ------------------------------------------------------------------------------- from the cache


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


def test_the_title_of_a_tab_is_no_opening_of_its_section() -> None:
    page = """# Install

## Server

=== "Package"

    ```bash
    larch-get server
    ```

=== "Container"

    ```bash
    larch-run server
    ```

After that, start the server by hand or at boot.

## Client

It needs no server.
"""
    corpus = Corpus.from_markdown({"install.md": page})
    (passage,) = corpus.recall("Install the server by hand", max_sentences=1).passages
    assert passage.sentence.text == "After that, start the server by hand or at boot."
    for passage in corpus.recall("Install the server by hand", max_sentences=9).passages:
        if passage.block.kind == "tab":
            assert all(
                part.value <= 0 for part in passage.explanation.parts if "place" in part.description
            )
