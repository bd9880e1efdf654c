"""Doubts: facts against an answer."""

from __future__ import annotations

import re

import pytest
from answered import expect
from tables import Case, tabled

from mkdocs_recall import Corpus, Result
from mkdocs_recall.ranking.recall import LIKELY


def doubts(pages: dict[str, str], query: str, **options: object) -> tuple[str, ...]:
    corpus = Corpus.from_markdown(pages)
    return corpus.recall(query, on_empty="omit", max_sentences=1, **options).doubts  # type: ignore[arg-type]


MAIL = "# Mail\n\nMail goes out on port 587.\n\n## Spam\n\nIt is deleted."


@tabled
def test_doubts_about_an_answer_are_reported(case: Case) -> None:
    expect(case)


def test_the_next_place_is_named_if_the_quoted_one_is_unlikely() -> None:
    pages = {"a.md": "# A\n\nThe port is 587.", "b.md": "# B\n\n## Mail\n\nThe port is 25."}
    said = "the quote answers with a probability of only {:.0%}; next is 'b.md#mail' with {:.0%}"
    (doubt,) = doubts(pages, "which port?")
    shares = [int(share) / 100 for share in re.findall(r"(\d+)%", doubt)]
    assert doubt == said.format(*shares)
    assert shares[0] <= LIKELY
    assert sum(shares) == pytest.approx(1, abs=0.02)
    assert doubts(pages, "which port?", scorer="coverage") == ()


def test_doubts_are_in_json_and_come_back() -> None:
    result = Corpus.from_markdown({"a.md": MAIL}).recall("which port has the mail of a walrus?")
    assert result.doubts
    assert Result.from_json(result.to_json()).doubts == result.doubts
