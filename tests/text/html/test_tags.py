"""The text of a code block from its HTML."""

from __future__ import annotations

import re

from hypothesis import given, strategies as st
from tables import tabled

from mkdocs_recall.text.runs import code_text


@tabled
def test_code_is_what_is_between_the_tags(html: str, text: str) -> None:
    assert code_text(html) == text


@given(st.text(alphabet="<>ab"))
def test_a_sign_that_opens_no_tag_stays_in_code(html: str) -> None:
    assert code_text(html) == re.sub("<[^<>]*>", "", html)
