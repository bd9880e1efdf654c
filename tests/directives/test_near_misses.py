"""Which fences resemble a directive enough to be reported, and which do not."""

from __future__ import annotations

import time
from difflib import get_close_matches
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, strategies as st
from tables import beside

from mkdocs_recall.directives.fences import find_fences, find_near_misses
from mkdocs_recall.errors import nearest

CASES: dict[str, Any] = beside(__file__)
NOT_REPORTED: dict[str, str] = CASES["not reported"]
BODY = "query: when does a session expire\nsource: auth.md"


@pytest.mark.parametrize(("info", "written", "meant"), CASES["names"])
def test_a_near_name_is_reported_with_the_right_one(info: str, written: str, meant: str) -> None:
    markdown = f"# A\n\n```{info}\n{BODY}\n```\n"
    assert find_fences(markdown) == []
    [miss] = find_near_misses(markdown)
    assert (miss.name, miss.first, miss.last) == (meant, 2, 5)
    assert str(miss.fault) == (
        f"'{written}' is not a directive, so the fence is shown as code; did you mean '{meant}'?"
    )


@pytest.mark.parametrize(("info", "type_", "written", "meant"), CASES["types"])
def test_an_embedm_near_miss_is_reported(info: str, type_: str, written: str, meant: str) -> None:
    markdown = f"```{info}\ntype: {type_}\n{BODY}\n```\n"
    assert find_fences(markdown) == []
    [miss] = find_near_misses(markdown)
    assert str(miss.fault).startswith(f"'{written}' is not a directive")
    assert str(miss.fault).endswith(f"did you mean '{meant}'?")


@pytest.mark.parametrize("case", NOT_REPORTED)
def test_another_language_an_example_and_the_right_name_are_not_reported(case: str) -> None:
    markdown = NOT_REPORTED[case].replace("BODY", BODY)
    assert find_near_misses(markdown) == []


def test_an_invalid_or_nested_body_is_recognized_by_its_keys() -> None:
    body = (
        'query: note: what?\n"source":\n- a.md\n  - b\nsemantic:\n  model: x\n# so\n\nunits: [a\n]'
    )
    quoted = "\n".join(f"  > {line}" for line in f"```Recall\n{body}\n```".split("\n"))
    [miss] = find_near_misses(f"- a\n\n{quoted}\n")
    assert miss.body == body


def test_all_near_misses_of_a_page_are_found_between_its_directives() -> None:
    good, bad, other = (f"```{name}\n{BODY}\n```\n" for name in ("recall", "recal", "python"))
    rest = "x\n" * 100
    markdown = "\n".join([good, bad, other, rest, bad.replace("\n", "\r\n"), good, bad, other])
    misses = find_near_misses(markdown)
    assert len(misses) == 3
    for fence in misses:
        assert markdown[fence.start :].startswith(fence.source)
        assert "recal\n" in fence.source.replace("\r", "")
        assert fence.body == BODY


@given(st.lists(st.sampled_from(["```Recall", "~~~recal", "query: x", "```", "> ", "<!--", "\t"])))
def test_no_fence_is_both_a_directive_and_a_near_miss(parts: list[str]) -> None:
    markdown = "\n".join([*parts, "```recall", "query: x", "```"])
    spans = [*find_fences(markdown), *find_near_misses(markdown)]
    spans.sort(key=lambda fence: fence.first)
    assert all(above.last < below.first for above, below in pairwise(spans))


@given(
    word=st.text("eclsynopimRx", max_size=12),
    known=st.lists(st.sampled_from(["recall", "synopsis", "max_sentences", "s", ""]), max_size=4),
    cutoff=st.sampled_from([0.0, 0.6, 0.82]),
)
def test_no_near_word_is_lost_to_the_count_of_letters(
    word: str, known: list[str], cutoff: float
) -> None:
    expected = get_close_matches(word, known, n=1, cutoff=cutoff)
    assert nearest(word, known, cutoff) == "".join(expected)


def test_a_long_word_is_compared_with_many_names_in_no_time() -> None:
    names = [f"section-number-{number}" for number in range(2_000)]
    start = time.process_time()
    assert nearest("section-" * 12_000, names) == ""
    assert time.process_time() - start < 1  # .01; each letter with each name takes 6
