"""A sentence that says what the query asks for is the answer."""

from __future__ import annotations

import pytest

from mkdocs_recall import Corpus
from mkdocs_recall.scoring.definition import LONGEST


def best(page: str, query: str, language: str = "en") -> str:
    corpus = Corpus.from_markdown({"a.md": page}, language=language)
    return corpus.recall(query, context=0, max_sentences=1).passages[0].text


OTHERS = "\n\n## Faults\n\n{}\n\n## Many\n\n{}"


@pytest.mark.parametrize(
    ("language", "query", "definition", "others"),
    [
        (
            *("en", "What is a manager node?"),
            "A manager node is a machine that keeps the state.",
            ("If a manager node fails, another manager node takes over.", "Many manager nodes."),
        ),
        (
            *("de", "Was ist ein Knoten?"),
            "Ein Knoten ist ein Rechner im Verbund.",
            ("Wenn ein Knoten ausfällt, übernimmt ein Knoten.", "Viele Knoten helfen."),
        ),
        (
            *("fr", "Qu'est-ce qu'un jeton ?"),
            "Un jeton est un secret.",
            ("Sans jeton, rien ne va.", "Chaque jeton compte."),
        ),
    ],
)
def test_of_sentences_with_the_words_the_definition_comes_first(
    language: str, query: str, definition: str, others: tuple[str, str]
) -> None:
    page = "# Start\n\nAll of it." + OTHERS.format(*others) + f"\n\n## Words\n\nText. {definition}"
    assert best(page, query, language) == definition


@pytest.mark.parametrize(
    "sentence",
    [
        "Is a token a secret?",
        "When a token is lost, ask for another.",
        "Token rotation is automatic.",
        "Each of them has a token.",
    ],
)
def test_other_sentences_are_no_definitions(sentence: str) -> None:
    corpus = Corpus.from_markdown({"a.md": f"# A\n\n## B\n\n{sentence}\n\n## C\n\nText."})
    assert corpus.recall("token").passages
    assert "it says what it is" not in str(corpus.recall("token").passages[0].explanation)


def test_a_long_query_asks_for_no_definition() -> None:
    page = "# A\n\n## B\n\nRed green blue black is a list of colours.\n\n## C\n\nText."
    corpus = Corpus.from_markdown({"a.md": page})
    of_four = corpus.recall("red green blue black").passages[0]
    of_three = corpus.recall("red green blue").passages[0]
    assert "it says what it is" not in str(of_four.explanation)
    assert LONGEST == 3
    assert of_three.uri == "a.md"


def test_the_first_sentence_of_a_page_of_that_name_is_one() -> None:
    pages = {
        "tokens.md": "# Tokens\n\nA token lets a program in.\n\n## More\n\nText.",
        "notes.md": "# Notes\n\nText.\n\n## Tokens\n\nUse a token.\n\n## Loss\n\nA token is lost.",
    }
    (passage,) = Corpus.from_markdown(pages).recall("What is a token?", max_sentences=1).passages
    assert passage.source == "tokens.md#tokens"
    assert "it says what it is" in str(passage.explanation)


def test_nothing_is_defined_in_release_notes() -> None:
    notes = "".join(f"## 1.{number}\n\n- A token is lost.\n\n" for number in range(4))
    pages = {"changes.md": f"# Changes\n\n{notes}", "a.md": "# A\n\nText.\n\n## B\n\nNo token."}
    for chronicles, count in ((True, 0), (False, 1)):
        result = Corpus.from_markdown(pages).recall("token", min_score=0, chronicles=chronicles)
        told = [str(passage.explanation) for passage in result.passages]
        told += [str(lost.passage.explanation) for lost in result.lost]
        assert any("it says what it is" in each for each in told) == bool(count)
