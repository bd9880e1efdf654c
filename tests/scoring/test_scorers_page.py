"""The demo site's pages on scorers and algorithms state the numbers of the code, and no others.

The numbers of a section are compared in the order of its text, so that none is left unchecked.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mkdocs_recall.index import chronicles, links
from mkdocs_recall.index import sections as index_sections
from mkdocs_recall.index.query import QUESTION_WORD_WEIGHT
from mkdocs_recall.index.sections import IDF_SMOOTHING
from mkdocs_recall.retrieval import places
from mkdocs_recall.scoring import (
    bm25,
    coverage,
    credit,
    definition,
    edmundson,
    heading_match,
    luhn,
    section_term,
    structure,
)
from mkdocs_recall.scoring.registry import ALGORITHMS, COVERAGE_MIN_SCORE, SCORERS

DEMO = Path(__file__).parents[2] / "demo_site"
NUMBER = re.compile(r"(?<![\w.])−?(?:\d+(?:\.\d+)?|\.\d+)(?!\w)")
DIRECTIVE = re.compile(r"^(`{3,})(?:markdown|recall|synopsis)\n.*?^\1\n", re.DOTALL | re.MULTILINE)
NUMERALS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five"}

CREDITS = [
    credit.IN_SENTENCE,
    credit.AS_PART,
    credit.IN_BLOCK,
    credit.BEFORE,
    credit.AFTER,  # and two before: "each"
    credit.IN_SECTION,
    credit.IN_HEADING,
    credit.OPENING,
    credit.LEANED_ON,
    credit.IN_SENTENCE + credit.IN_HEADING,  # the most that a word can be worth
]
WEIGHTS = [
    coverage.PAIRS_WEIGHT,
    coverage.PHRASES_WEIGHT,
    coverage.TERMS_WEIGHT + coverage.PAIRS_WEIGHT + coverage.PHRASES_WEIGHT,
]
SHARE = [0, 1]
"""A score is between these."""
BLOCK_DECAY = [1, 1]
"""`1 / (1 + block)`"""
BETWEEN_ONE_AND_ITSELF = [1]
"""`r · (1 − r)`, `1 − b`, `1 − best / known`"""
AUTHORITY = [
    *(links.PAGE_LINKS, links.HALF_PAGE_LINKS),
    *(links.ANCHOR_LINKS, links.HALF_ANCHOR_LINKS),
]
DEFAULT_MIN_SCORES = [
    COVERAGE_MIN_SCORE,
    structure.ONE_PAGE,
    *(structure.SEVERAL_PAGES, 1, structure.PER_TENFOLD),
    SCORERS["coverage"].min_score,
    SCORERS["bm25"].min_score,
    structure.SEVERAL_PAGES * (1 + structure.PER_TENFOLD * 2),  # a hundred sections
    structure.SEVERAL_PAGES * (1 + structure.PER_TENFOLD * 3),  # a thousand
    structure.USUAL_TERMS,
    1 + structure.PER_TERM * structure.USUAL_TERMS,
    *(1, structure.PER_TERM),
]
SCORERS_PAGE = {
    "From query to quote": [1, 2, 3, 4, 5, 0],  # its steps, and a context
    "structure": [
        *(1, 2, 1),  # up to .5 in full: `_SectionScore.value`
        *(1, 5, 1),  # up to .8
        *BETWEEN_ONE_AND_ITSELF,
        2,  # halves
        *SHARE,
        *SHARE,
        *SHARE,
        *(definition.WEIGHT, 0),
        *(structure.CHRONICLE, 1),
        *(0, heading_match.VERBATIM),
        *SHARE,
        *(0.5, 0.8),
        section_term.K1,
        *BETWEEN_ONE_AND_ITSELF,
        *(1, index_sections.TEXT_LENGTH),
        *(index_sections.OWN_HEADING, index_sections.HEADING_LENGTH),
        *(index_sections.HEADING_ABOVE, index_sections.HEADING_LENGTH),
        section_term.PARTIAL,
        2004,  # Robertson, Zaragoza & Taylor
        *(2, heading_match.WEIGHT, heading_match.VERBATIM),
        *(heading_match.LEAST, 0),
        1945,  # Dice
        definition.WEIGHT,
        *AUTHORITY,
        2005,  # Craswell, Robertson, Zaragoza & Taylor
        *BETWEEN_ONE_AND_ITSELF,
        *(4.1, 2024, 5, 1),  # examples of headings
        structure.CHRONICLE,
        structure.OPENING,
        *BETWEEN_ONE_AND_ITSELF,
        structure.CODE,
        structure.VALUE,
        1,  # the place of the first sentence
        SCORERS["structure"].repetition,
        *(places.NEAR, places.ADDS, places.EQUAL),
    ],
    "coverage": [
        *(weight / coverage.TERMS_WEIGHT for weight in WEIGHTS),
        *(points / credit.IN_SENTENCE for points in CREDITS),
        *(1, IDF_SMOOTHING, IDF_SMOOTHING),
        *SHARE,
        coverage.LONG,
    ],
    "bm25": [1, 1, bm25.K1, bm25.B, 0],
    "overlap": [*BLOCK_DECAY, 0, *SHARE],
    "The scorers compared": [4.0],  # a version of Larch
    # No code states what was measured: another figure needs another measurement.
    "The threshold": [
        *DEFAULT_MIN_SCORES,
        *(26, 8, 61, 25, 2, 50),
        0,
        *(0, 0.1, 0.15, SCORERS["coverage"].min_score, 0.25, 0.3, 0.4),
        *(100, 100, 100, 98, 94, 88, 75),
        *(72, 40, 19, 9, 4, 2, 0),
        *(100, 100, 100, 100, 100, 100, 100),
        *(61, 50, 38, 28, 18, 12, 7),
    ],
    "Measured results": [
        *(146, 15, 2, 1),  # SQuAD 2
        *(0.52, 0.80, 0.80, 0.78),
        *(0.45, 0.80),
        *(0.33, 0.71, 0.80, 0.78),
        *(0.78, 0.74),
        *(0.40, 0.22),
        *(0.38, 0.73),  # FTS5
    ],
}
ALGORITHMS_PAGE = {
    "edmundson": [
        *(1969, 0),
        *(edmundson.LOCATION, 1),
        edmundson.FIRST_PARAGRAPH,
        edmundson.FIRST_SECTION,
        edmundson.TITLE,
        edmundson.TITLE_COVERED,
        edmundson.SELF_REFERENCE,
        edmundson.CENTRALITY,
        *(edmundson.SHORT_UNDER, edmundson.SHORT),
        *(edmundson.LONG_OVER, edmundson.LONG),
        edmundson.POINTER,
        edmundson.CODE,
        edmundson.QUESTION,
        559,
    ],
    "lead": [1, 1],
    "frequency": [*BLOCK_DECAY, 0],
    "luhn": [1958, *BLOCK_DECAY, luhn.GAP],
    "textrank": [2004, *BLOCK_DECAY],
    "The position on the page": [1, 0],
}


def sections(page: str) -> dict[str, str]:
    """The text of each section by its heading, without the examples and their quotes."""
    text = DIRECTIVE.sub("", (DEMO / page).read_text(encoding="utf-8"))
    _, *parts = re.split(r"^## ", text, flags=re.MULTILINE)
    bodies = (part.partition("\n") for part in parts)
    return {heading.partition(" {#")[0]: body for heading, _, body in bodies}


def numbers(text: str) -> list[float]:
    return [float(number.replace("−", "-")) for number in NUMBER.findall(text)]


@pytest.mark.parametrize(
    ("page", "heading", "expected"),
    [
        *(("scorers.md", heading, expected) for heading, expected in SCORERS_PAGE.items()),
        *(("algorithms.md", heading, expected) for heading, expected in ALGORITHMS_PAGE.items()),
    ],
)
def test_a_section_states_the_numbers_of_the_code(
    page: str, heading: str, expected: list[float]
) -> None:
    assert numbers(sections(page)[heading]) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("page", "checked"), [("scorers.md", SCORERS_PAGE), ("algorithms.md", ALGORITHMS_PAGE)]
)
def test_no_section_is_unchecked(page: str, checked: dict[str, list[float]]) -> None:
    assert sections(page).keys() == checked.keys()


def test_the_numbers_that_the_pages_write_as_words_are_those_of_the_code() -> None:
    scorers, algorithms = sections("scorers.md"), sections("algorithms.md")
    text = " ".join(scorers["structure"].split())
    assert f"at least {NUMERALS[chronicles.MIN_SECTIONS]} sections and a quarter of them" in text
    assert chronicles.ENTRIES == 4
    assert [name for name, scorer in SCORERS.items() if scorer.repetition] == ["structure"]
    text = " ".join(scorers["coverage"].split())
    assert credit.TWO_BEFORE == credit.AFTER
    assert "| in the sentence after, or two before | 0.05 each |" in text
    assert f"the first {NUMERALS[credit.OPENING_SENTENCES]} sentences get at least" in text
    assert QUESTION_WORD_WEIGHT == 1 / 2
    assert 'words that only put a question ("can", "use") weigh half' in text
    assert SCORERS["overlap"].min_score == SCORERS["bm25"].min_score  # they share a row
    introduction = {
        page: (DEMO / page).read_text(encoding="utf-8").partition("\n## ")[0]
        for page in ("scorers.md", "algorithms.md")
    }
    assert f"There are {NUMERALS[len(SCORERS)]}, chosen with" in introduction["scorers.md"]
    assert f"There are {NUMERALS[len(ALGORITHMS)]}, chosen with" in introduction["algorithms.md"]
    assert set(SCORERS) <= scorers.keys()
    assert set(ALGORITHMS) <= algorithms.keys()
