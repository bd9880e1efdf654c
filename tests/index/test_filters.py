"""Sources that are filtered by the front matter of their pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from tables import beside, tabled

from mkdocs_recall import Corpus, OptionError, SourceError
from mkdocs_recall.directives.options import read_options
from mkdocs_recall.index.sources import front_matter_values

PAGES: dict[str, str] = beside(__file__)["PAGES"]


def corpus(pages: Mapping[str, str] | None = None) -> Corpus:
    stated = PAGES if pages is None else pages
    return Corpus.from_markdown(
        {uri: f"---\n{meta}---\nA token of {uri} expires.\n" for uri, meta in stated.items()}
    )


def matched(where: object, pages: object = "**") -> list[str]:
    selection = corpus().select({"pages": pages, "where": where})
    return [document.uri for document in selection]


def message(where: object, pages: object = "**") -> str:
    with pytest.raises((SourceError, OptionError)) as caught:
        matched(where, pages)
    return str(caught.value)


@tabled
def test_a_filter_takes_values_written_alike(where: dict[str, Any], uris: list[str]) -> None:
    assert matched(where) == uris


def test_a_value_of_a_fence_is_compared_like_one_of_python() -> None:
    body = "source: {pages: ops/, where: {since: 2024-01-02, tags: [admin]}}\nquery: token\n"
    options = read_options("recall", body)
    assert options.source == ('ops/ where {"since": "2024-01-02", "tags": "admin"}',)
    assert [p.uri for p in corpus().answer(options).passages] == ["ops/admin.md"]


def test_equal_filters_are_equal_options_in_any_order() -> None:
    one, other = "{a: 1, b: [2]}", "{b: 2, a: [1]}"
    assert read_options("synopsis", f"source: {{where: {one}}}") == read_options(
        "synopsis", f"source: {{where: {other}}}"
    )


def test_a_filter_without_pages_is_of_the_whole_site() -> None:
    assert [d.uri for d in corpus().select({"where": {"status": "beta"}})] == ["ops/user.md"]


def test_a_filter_holds_for_all_pages_of_a_list_and_for_sections() -> None:
    assert matched({"status": "beta"}, ["draft.md", "ops/"]) == ["ops/user.md"]
    pages = {
        "a.md": "---\nt: 1\n---\n## Limits\n\nA token ends.\n",
        "b.md": "## Limits\n\nOr not.\n",
    }
    result = Corpus.from_markdown(pages).synopsis({"pages": "*.md#limits", "where": {"t": 1}})
    assert [passage.uri for passage in result.passages] == ["a.md"]


def test_answers_of_two_filters_do_not_share_an_index() -> None:
    asked = corpus()
    for status, uri in (("stable", "ops/admin.md"), ("beta", "ops/user.md")):
        source = {"pages": "**", "where": {"status": status}}
        assert [p.uri for p in asked.recall("token expires", source=source).passages] == [uri]


@tabled
def test_a_filter_with_a_fault_says_what_there_is_instead(where: object, fault: str) -> None:
    assert message(where) == fault


def test_a_source_has_no_other_settings() -> None:
    with pytest.raises(OptionError, match="has no setting 'page'; did you mean 'pages'"):
        corpus().select({"page": "**"})


def test_a_text_that_looks_like_a_filter_is_an_error() -> None:
    for text in ('** where {"a": {"b": 1}}', "** where {", "** where {[]}", '** where {"a": []}'):
        with pytest.raises((OptionError, SourceError)):
            corpus().select(text)


def test_the_values_of_hostile_front_matter_are_bounded() -> None:
    many = list(range(100_000))
    values = front_matter_values(dict.fromkeys(range(1_000), many) | {"long": "x" * 10**6})
    assert sum(map(len, values.values())) <= 10_000
    assert front_matter_values({"huge": 1 << 100_000, "deep": {"a": [1]}}) == {
        "huge": [],
        "deep": [],
    }
