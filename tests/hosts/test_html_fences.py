"""Directives are found in the HTML of any generator that keeps their name, and nothing else."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, strategies as st
from tables import tabled

from mkdocs_recall.directives.fences import replace_fences
from mkdocs_recall.hosts.html_fences import (
    COMMENT,
    count_lookalikes,
    fence_comment,
    fence_text,
    find_html_directives,
    read_comment,
)
from mkdocs_recall.text.theme import FENCE_END, main_html

BODY = "source: a.md\nquery: what is x?"


@tabled
def test_a_code_block_in_our_language_is_a_directive_as_a_whole(form: str, html: str) -> None:
    html = f"<p>Before.</p>{html}<p>After.</p>"
    [directive] = find_html_directives(html)
    assert (directive.name, directive.body) == ("recall", BODY)
    if form != "Starlight":  # whose frame has a caption beside the code
        assert html[: directive.start] + html[directive.end :] == "<p>Before.</p><p>After.</p>"
    assert count_lookalikes(html, [directive]) == 0
    read = main_html(f"<main>{html}</main>")  # as the page with a quote in its place
    assert ("<pre" in read, "<figure" in read) == (False, False)


@tabled
def test_nothing_else_is_a_directive(form: str, html: str) -> None:
    assert find_html_directives(f"<p>Before.</p>{html}<p>After.</p>") == [], form


@tabled
def test_code_blocks_are_looked_for_in_linear_time(part: str) -> None:
    def seconds(count: int) -> float:
        html = part * count
        started = time.process_time()
        find_html_directives(html)
        return time.process_time() - started

    seconds(100)
    assert seconds(40_000) < 30 * seconds(4_000) + 0.2


@tabled
def test_a_block_without_the_language_is_counted_as_a_lookalike(code: str, count: int) -> None:
    html = f'<div class="highlight"><pre><code>{code}</code></pre></div>'
    assert (find_html_directives(html), count_lookalikes(html, [])) == ([], count)


def test_a_comment_is_a_directive_together_with_the_quote_behind_it() -> None:
    one, other = (fence_comment(fence_text("recall", f"query: {word}")) for word in "xy")
    quote = '<blockquote class="recall">…</blockquote>'
    html = f"<p>{one}{quote}{FENCE_END}</p>{other}<p>After.</p>"
    directives = find_html_directives(html)
    assert [one.body for one in directives] == ["query: x", "query: y"]
    spans = [html[d.start : d.end] for d in directives]
    assert spans == [f"{one}{quote}{FENCE_END}", other]


def test_a_quote_replaces_a_comment_without_what_was_before_its_fence() -> None:
    html = "<p>Before.</p>" + fence_comment("> ```recall\n> query: x\n> ```")
    directives = find_html_directives(html)
    assert [directive.body for directive in directives] == ["query: x"]
    assert replace_fences(html, directives, ["QUOTE"]) == "<p>Before.</p>QUOTE"


def test_an_end_further_down_takes_no_text_of_the_author_away() -> None:
    one = fence_comment(fence_text("recall", "query: x"))
    html = f"<p>{one}</p><p>A sentence.</p>{FENCE_END}<p>After.</p>"
    [directive] = find_html_directives(html)
    assert (html[directive.start : directive.end], directive.is_filled) == (one, False)


@pytest.mark.parametrize(
    "comment",
    [
        "<!-- recall:fence QUJD -->",
        "<!-- recall:fence !!!! -->",
        "<!-- recall:fence /w== -->",
        fence_comment("```python\nx\n```"),
        fence_comment("```recall\nquery: x\n```\n\n```recall\nquery: y\n```"),
    ],
)
def test_a_comment_with_anything_else_holds_no_fence(comment: str) -> None:
    assert not any(directive.name for directive in find_html_directives(comment))


@given(st.sampled_from(["recall", "synopsis", "yaml embedm"]), st.text(max_size=80))
def test_a_comment_gives_back_its_fence_and_never_ends_early(name: str, text: str) -> None:
    body = f"type: recall\nquery: {text}".replace("\r", "").replace("\ud800", "")
    comment = fence_comment(fence_text(name, body))
    assert comment.count("-->") == 1
    match = COMMENT.fullmatch(comment)
    assert match
    fence = read_comment(match)
    if fence is not None:
        assert fence.source == fence_text(name, body)
    else:
        assert "\n" in text or not text.isprintable()
