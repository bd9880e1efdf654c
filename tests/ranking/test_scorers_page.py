"""The demo site's pages on scorers and algorithms state the numbers of the code, and no others.

The numbers of a section are compared in the order of its text, so that none is left unchecked.
"""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path

import pytest

from mkdocs_recall.index import index as chronicles, index as fields
from mkdocs_recall.index.query import QUESTION_WORD_WEIGHT
from mkdocs_recall.ranking import coverage, lexical, places, structure, synopsis, weights
from mkdocs_recall.ranking.scores import ALGORITHMS, SCORERS, Scores, elsewhere

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "demo_site"
NUMBER = re.compile(r"(?<![\w.])−?(?:\d+(?:\.\d+)?|\.\d+)(?!\w)")
DIRECTIVE = re.compile(r"^(`{3,})(?:markdown|recall|synopsis)\n.*?^\1\n", re.DOTALL | re.MULTILINE)
NUMERALS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 13: "thirteen"}

CREDITS = [
    coverage.IN_SENTENCE,
    coverage.AS_PART,
    coverage.IN_BLOCK,
    coverage.BEFORE,
    coverage.AFTER,  # and two before: "each"
    coverage.IN_SECTION,
    coverage.IN_HEADING,
    coverage.OPENING,
    coverage.LEANED_ON,
]
SHARE = [0, 1]
"""A score is between these."""
BLOCK_DECAY = [1, 1]
"""`1 / (1 + block)`"""
VALUES: dict[str, list[float]] = {
    "its heading, compared with the query": [1],
    "its length": [structure.HALF_LENGTH],
    "its paragraphs": [structure.HALF_PARAGRAPHS],
    "links to its page": [1],
    "release notes and the like, which no source names": [1, 0],
    "what it is for": [1, -1, 0],
    "its meaning": [1, 0, structure.COMPARED],
}
"""The numbers in the description of a feature's values."""
FEATURES = [
    (*VALUES.get(name, []), *columns)
    for name, *columns in zip(
        structure.DESCRIPTIONS, weights.WORDS, weights.PAGE, weights.MEANING, strict=True
    )
]
MEASURED = [
    round(100 * float(share))
    for figures in re.findall(r"section (\S+), page (\S+)\.\n", weights.__doc__ or "")
    for share in chain.from_iterable(figure.split("/") for figure in figures)
]
"""By words, then with meaning: the right section first, in three, and the same of the page."""
IN_A_PAGE = [
    round(100 * float(share))
    for share in re.findall(r"in the right page: section (\S+)/(\S+)\.\n", weights.__doc__ or "")[0]
]
QUESTIONS, DOCUMENTATIONS = map(
    float,
    re.findall(r"(\d+) questions of users over (\d+) documentations", weights.__doc__ or "")[0],
)
SCORERS_PAGE = {
    "structure": [
        structure.CANDIDATES,
        *chain.from_iterable(FEATURES),
        2004,  # Robertson, Zaragoza & Taylor
        fields.OWN_HEADING,
        fields.HEADING_ABOVE,
        *(QUESTIONS, DOCUMENTATIONS),
        structure.RANGE,
        *SHARE,
        structure.LOW,
        structure.OPENING,
        *(4.1, 2024, 5, 1),  # examples of headings
        *(places.RIVAL, places.HEDGE, places.HEDGE, places.TITLED),
        *(4, 5),  # `max_sentences` for three places, and for four
        places.NEAR,
    ],
    "coverage": [*(points / coverage.IN_SENTENCE for points in CREDITS), *SHARE, coverage.LONG],
    "bm25": [lexical.K1, lexical.B],
    "overlap": [0, *BLOCK_DECAY],
    "The scorers compared": [],
    # No code states what was measured: another figure needs another measurement.
    "The threshold": [
        coverage.MIN_SCORE,  # of structure in one section
        weights.MIN_SCORE,
        coverage.MIN_SCORE,
        Scores({}, elsewhere).min_score,
        *(10, 15),
    ],
    "Measured results": [
        QUESTIONS,
        *MEASURED,
        *(25, 45, 42, 62),  # coverage
        *(30, 48, 45, 66),  # FTS5
        *IN_A_PAGE,
    ],
}
ALGORITHMS_PAGE = {
    "edmundson": [
        *(1969, 0),
        *(synopsis.LOCATION, 1),
        synopsis.FIRST_PARAGRAPH,
        synopsis.FIRST_SECTION,
        synopsis.TITLE,
        synopsis.TITLE_COVERED,
        synopsis.SELF_REFERENCE,
        synopsis.CENTRALITY,
        *(synopsis.SHORT_UNDER, synopsis.SHORT),
        *(synopsis.LONG_OVER, synopsis.LONG),
        synopsis.POINTER,
        synopsis.CODE,
        synopsis.QUESTION,
        559,
    ],
    "lead": [1, 1],
    "frequency": [0, *BLOCK_DECAY],
    "luhn": [1958, synopsis.GAP, *BLOCK_DECAY],
    "textrank": [2004, *BLOCK_DECAY],
    "The position on the page": [*BLOCK_DECAY, 0],
}


def bodies(page: str) -> dict[str, str]:
    """The text of each section by its heading, without the examples and their quotes."""
    text = DIRECTIVE.sub("", (DEMO / page).read_text(encoding="utf-8"))
    _, *parts = re.split(r"^## ", text, flags=re.MULTILINE)
    named = (part.partition("\n") for part in parts)
    return {heading.partition(" {#")[0]: body for heading, _, body in named}


def numbers(text: str) -> list[float]:
    return [float(number.replace("−", "-")) for number in NUMBER.findall(text)]


@pytest.mark.parametrize(
    ("page", "heading", "expected"),
    [
        *(("scorers.md", heading, expected) for heading, expected in SCORERS_PAGE.items()),
        *(("algorithms.md", heading, expected) for heading, expected in ALGORITHMS_PAGE.items()),
    ],
)
def test_sections_state_the_numbers(page: str, heading: str, expected: list[float]) -> None:
    assert numbers(bodies(page)[heading]) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("page", "checked"), [("scorers.md", SCORERS_PAGE), ("algorithms.md", ALGORITHMS_PAGE)]
)
def test_no_section_is_unchecked(page: str, checked: dict[str, list[float]]) -> None:
    assert bodies(page).keys() == checked.keys()


def test_the_features_have_the_names_that_an_explanation_gives_them() -> None:
    table = bodies("scorers.md")["structure"].partition("| Feature |")[2].partition("\n\n")[0]
    rows = table.splitlines()[2:]
    assert [row.split(" | ")[0].removeprefix("| ") for row in rows] == [*structure.DESCRIPTIONS]


def test_numbers_written_as_words_match_the_code() -> None:
    scorers, algorithms = bodies("scorers.md"), bodies("algorithms.md")
    text = " ".join(scorers["structure"].split())
    assert f"at least {NUMERALS[chronicles.MIN_SECTIONS]} sections and a quarter of them" in text
    assert chronicles.ENTRIES == 4
    assert f"weighted sum of {NUMERALS[len(structure.Features._fields)]} features" in text
    assert structure.HEADING_POWER == 3
    assert "*F*³: 1 if" in text
    text = " ".join(scorers["coverage"].split())
    assert coverage.TWO_BEFORE == coverage.AFTER
    assert "0.05 each in the sentence after or two before" in text
    assert f"the first {NUMERALS[coverage.OPENING_SENTENCES]} sentences below it get" in text
    assert QUESTION_WORD_WEIGHT == 1 / 2
    assert 'words that only put a question ("can", "use") weigh half' in text
    introduction = {
        page: (DEMO / page).read_text(encoding="utf-8").partition("\n## ")[0]
        for page in ("scorers.md", "algorithms.md")
    }
    assert f"There are {NUMERALS[len(SCORERS)]}, chosen with" in introduction["scorers.md"]
    assert f"There are {NUMERALS[len(ALGORITHMS)]}, chosen with" in introduction["algorithms.md"]
    assert set(SCORERS) <= scorers.keys()
    assert set(ALGORITHMS) <= algorithms.keys()


def test_the_scorers_are_in_the_contract_that_keeps_them_apart() -> None:
    settings = (ROOT / "pyproject.toml").read_text("utf-8")
    contract = settings.partition("Scorers do not import each other")[2].partition("[[")[0]
    modules = {scorer.module for scorer in SCORERS.values()}
    assert modules <= {*re.findall(r"\w+", contract)}
