"""Which ` #` in a fence's YAML has probably cut a value, and which opens a comment."""

from __future__ import annotations

import pytest
from tables import tabled

from mkdocs_recall.directives.yaml import cut_values, read_body

CUT = {
    "query: issue #507 label": (1, 'query: "issue #507 label"'),
    "max_sentences: 1\nquery: is #5 open?": (2, 'query: "is #5 open?"'),
    "query: when is it closed? #507": (1, 'query: "when is it closed? #507"'),
    'query: what does "x" mean in #507': (1, "query: 'what does \"x\" mean in #507'"),
    "query:\n  - a label\n  - issue #507 label": (3, '"issue #507 label"'),
    "query: how long\n  is #507 open": (2, 'query: "how long is #507 open"'),
    "query: issue #507  # the one in May": (1, 'query: "issue #507"'),
    "query: x\nsource: guides/labels.md #cancel": (2, 'source: "guides/labels.md#cancel"'),
    "source:\n  - a.md\n  - b.md #cancel # the part": (3, '"b.md#cancel"'),
    "source: [a.md #cancel\n  , b.md]": (1, '"a.md#cancel"'),
    "source: release #7.md": (1, 'source: "release #7.md"'),
    "expect: case #7": (1, 'expect: "case #7"'),
    "expect_source: a.md #b": (1, 'expect_source: "a.md#b"'),
    "query: &a issue #5\nexpect: *a": (1, 'query: "issue #5"'),
    "query: größer als é #7": (1, 'query: "größer als é #7"'),
    'query: "a\u2028 b"\nsource: a.md #x': (2, 'source: "a.md#x"'),
    "query: issue \t#507 \r\nsource: a.md\r": (1, 'query: "issue #507"'),
}


@pytest.mark.parametrize("body", CUT)
def test_a_hash_that_cuts_a_text_is_reported_with_the_value_in_quotes(body: str) -> None:
    read_body(body)
    [(below, message)] = cut_values(body)
    line, remedy = CUT[body]
    assert below == line
    assert f", which YAML treats as a comment; put it in quotes: {remedy}, or " in message


@tabled
def test_a_real_comment_and_a_hash_in_quotes_are_not_reported(body: str) -> None:
    read_body(body)
    assert cut_values(body) == []


def test_a_long_value_is_cut_in_the_message() -> None:
    [(_, message)] = cut_values(f"query: issue #{'5' * 5000}")
    assert len(message) < 350
