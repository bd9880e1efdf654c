"""The roles of sentences by their phrases, in each language."""

from __future__ import annotations

from typing import Any

import pytest
from tables import beside

from mkdocs_recall.text.sentences import phrases

CASES: dict[str, Any] = beside(__file__)


@pytest.mark.parametrize("sentence", CASES["leaning"])
def test_a_sentence_that_needs_the_one_before_it_leans(sentence: str) -> None:
    assert phrases("en").leans(sentence)


@pytest.mark.parametrize("sentence", CASES["standing"])
def test_a_sentence_that_can_stand_alone_does_not_lean(sentence: str) -> None:
    assert not phrases("en").leans(sentence)


@pytest.mark.parametrize("language", CASES["languages"])
def test_each_language_has_its_phrases(language: str) -> None:
    particles = phrases(language)
    sentences = CASES["languages"][language]
    page, leaning, standing, pointing = sentences
    assert [particles.speaks_of_page(s) for s in sentences] == [True, False, False, False]
    assert not particles.leans(page)
    assert particles.leans(leaning)
    assert not particles.leans(standing)
    assert particles.points_elsewhere(pointing)
    assert not particles.points_elsewhere(standing)


def test_a_variant_of_a_language_has_the_phrases_of_the_language() -> None:
    assert phrases("pt-BR").leans("No entanto, expira.")
    assert phrases("nb").leans("Dette er en nøkkel.")


def test_a_language_without_lists_has_no_phrases() -> None:
    particles = phrases("eo")
    sentence = "This guide is it; see below."
    assert not particles.leans(sentence)
    assert not particles.speaks_of_page(sentence)
    assert not particles.points_elsewhere(sentence)
