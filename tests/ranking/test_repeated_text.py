"""The passages of an answer do not repeat each other's text."""

from __future__ import annotations

from answered import expect
from tables import Case, tabled


@tabled
def test_these_pages_answer(case: Case) -> None:
    expect(case)
