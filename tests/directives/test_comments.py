"""Which ` #` in a fence's YAML has probably cut a value, and which starts a comment."""

from __future__ import annotations

from tables import tabled

from mkdocs_recall.directives.yaml import cut_values, read_body


@tabled
def test_a_hash_that_cuts_a_text_is_reported_with_the_value_in_quotes(
    body: str, line: int, remedy: str
) -> None:
    read_body(body)
    [(below, message)] = cut_values(body)
    assert below == line
    assert f", which YAML treats as a comment; put it in quotes: {remedy}, or " in message


@tabled
def test_a_real_comment_and_a_hash_in_quotes_are_not_reported(body: str) -> None:
    read_body(body)
    assert cut_values(body) == []


def test_a_long_value_is_cut_in_the_message() -> None:
    [(_, message)] = cut_values(f"query: issue #{'5' * 5000}")
    assert len(message) < 350
