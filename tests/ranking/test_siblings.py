"""Siblings of which a query names one: tabs, details, definitions, rows."""

from __future__ import annotations

from typing import Any

import pytest
from tables import beside, tabled

from mkdocs_recall import Corpus
from mkdocs_recall.options import DEFAULT_UNITS
from mkdocs_recall.ranking.result import quoted_texts


def quotes(section: str, query: str, **options: object) -> list[str]:
    """Return what is quoted of a section, of one sentence unless an option says otherwise."""
    given: dict[str, object] = {"max_sentences": 1, "min_score": 0, "on_empty": "omit"} | options
    page = f"# Larch\n\n{section}\n\n## Others\n\nBelow it all.\n"
    return quoted_texts(Corpus.from_markdown({"a.md": page}).recall(query, **given))  # type: ignore[arg-type]


SCRIPT, PROGRAM = "Run the shell script to install.", "Take a program from the shelf."
KINDS: dict[str, str] = beside(__file__)["KINDS"]


@pytest.mark.parametrize("context", ["auto", 0])
@pytest.mark.parametrize("kind", KINDS)
def test_the_sibling_that_is_named_is_quoted(kind: str, context: object) -> None:
    section = KINDS[kind].format(SCRIPT, PROGRAM)
    for query, quoted, other in (
        ("run the shell script", SCRIPT, ""),
        ("run the shell script on windows", PROGRAM, SCRIPT),
        ("take a program from the shelf on linux", SCRIPT, PROGRAM),
    ):
        (text,) = quotes(section, query, context=context)
        assert quoted in text
        assert not other or other not in text


def test_where_two_siblings_are_named_either_may_be_quoted() -> None:
    section = KINDS["tabs"].format(SCRIPT, PROGRAM)
    texts = quotes(section, "windows and linux: script, program", max_sentences=2)
    assert "".join(texts).count("shel") == 2


@tabled
def test_a_quote_is_of_the_sibling_that_is_named_alone(
    behaviour: str, section: str, query: str, options: dict[str, Any], quote: str
) -> None:
    assert quotes(section, query, **options) == [quote], behaviour


@pytest.mark.parametrize("units", [DEFAULT_UNITS, ("prose",)])
@pytest.mark.parametrize("context", ["auto", "block", "section", 0])
def test_a_title_alone_is_never_a_passage(context: object, units: object) -> None:
    image, code = "![](a.png)", "## Below\n\n    ```\n    go\n    ```"
    tabs = KINDS["tabs"].format(image, image)
    assert quotes(tabs, "linux and windows", context=context, units=units) == []
    tabs = KINDS["tabs"].format(image, code)  # code that is all that a section has may answer
    for text in quotes(tabs, "linux and windows", context=context, units=units):
        assert text.endswith("go")


MANAGERS: str = beside(__file__)["MANAGERS"]


@pytest.mark.parametrize("context", ["auto", "section"])
def test_nested_tabs_keep_their_titles_with_their_content(context: str) -> None:
    texts = quotes(MANAGERS, "install larch on windows", context=context, max_sentences=4)
    text = "\n".join(texts)
    assert "Chocolatey\nchoco install larch" in text
    assert "Scoop\nscoop install larch" in text
    assert text.count("Chocolatey") == text.count("Scoop") == 1
    assert ("brew" in text) == (context == "section")


NESTED: str = beside(__file__)["NESTED"]


def test_text_of_several_tabs_is_quoted_with_all_titles_around_it() -> None:
    asked = "birch holds the plum, aspen keeps a seed"
    (text,) = quotes(NESTED, asked, max_sentences=2, context=0)
    assert text == "Linux: The birch holds the plum. … Windows: Scoop: … The aspen keeps a seed."


def test_context_in_sentences_stays_in_the_tabs_of_its_sentence() -> None:
    assert quotes(NESTED, "aspen keeps a seed", context=1) == [
        "The elder is bitter. The aspen keeps a seed."
    ]
