"""The text of a code block from its HTML."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mkdocs_recall.text.runs import code_text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ('<span class="k">if</span> a &lt; b:', "if a < b:"),
        ("<code>a > b</code>", "a > b"),
        ("a < b <i>c</i>", "a < b c"),
        ("a<br>b<br />c", "a\nb\nc"),
        ('<span class="linenos">1</span>pip install x', "pip install x"),
        ("plain", "plain"),
    ],
)
def test_code_is_what_is_between_the_tags(html: str, text: str) -> None:
    assert code_text(html) == text


@given(st.text(alphabet="<>ab"))
def test_a_sign_that_opens_no_tag_stays_in_code(html: str) -> None:
    assert code_text(html) == re.sub("<[^<>]*>", "", html)
