"""The passages of an answer do not repeat each other's text."""

from __future__ import annotations

from typing import Any

import pytest
from answered import expect
from tables import beside

ANSWERS: dict[str, dict[str, Any]] = beside(__file__)["answers"]


@pytest.mark.parametrize("case", ANSWERS.values(), ids=ANSWERS)
def test_these_pages_answer(case: dict[str, Any]) -> None:
    expect(case)
