"""Which pages a source names, relative to a page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from time import process_time

import pytest
from tables import beside, tabled

from mkdocs_recall import Corpus, Document, SourceError
from mkdocs_recall.index.sources import PageSet

SITE: list[str] = beside(__file__)["SITE"]
TEXT = (
    "# Page\n\nThe intro stands here.\n\n## First part\n\nA token opens doors.\n\n"
    "### Ünder it\n\nA key too.\n"
)


def site(**refused: str) -> Corpus:
    pages = dict.fromkeys(SITE, TEXT)
    pages["draft.md"] = f"---\nrecall: {{exclude: true}}\n---\n{TEXT}"
    return Corpus.from_markdown(pages | refused)


def named(source: str | Sequence[str], page: str = "") -> list[str]:
    """Return the pages a source names, as a synopsis of each shows them."""
    result = site().synopsis(source, page=page, max_sentences=1)
    return [passage.uri for passage in result.passages]


def message(source: str | Sequence[str], page: str = "") -> str:
    with pytest.raises(SourceError) as caught:
        site().synopsis(source, page=page)
    return str(caught.value)


@tabled
def test_a_page_is_named_like_a_link(source: str, page: str, uri: str) -> None:
    assert named(source, page) == [uri]


@tabled
def test_an_anchor_names_a_section(
    source: str | list[str], page: str, sentences: list[str]
) -> None:
    result = site().synopsis(source, page=page, max_sentences=9)
    assert [passage.text for passage in result.in_document_order()] == sentences


@tabled
def test_sources_are_in_page_order(source: str | list[str], page: str, uris: list[str]) -> None:
    if uris:
        assert named(source, page) == uris
    else:
        assert re.search("is not a page of this site|matches no page", message(source, page))


def test_a_glob_with_an_anchor_takes_the_pages_that_have_it() -> None:
    corpus = site(**{"other.md": "# Other\n\nOnly this here."})
    result = corpus.synopsis("*.md#first-part", max_sentences=9)
    assert {p.uri for p in result.passages} == {"index.md", "auth.md"}
    assert {p.text for p in result.passages} == {"A token opens doors.", "A key too."}


def test_a_glob_passes_over_pages_that_may_not_be_quoted() -> None:
    assert "draft.md" not in named("*.md")


@tabled
def test_a_source_without_pages_states_the_reason(
    source: str | list[str], page: str, expected: str
) -> None:
    assert message(source, page).startswith(expected)


def test_an_empty_page_has_no_sections_to_offer() -> None:
    corpus = Corpus.from_markdown({"a.md": ""})
    with pytest.raises(SourceError, match=r"has no section '#x' \(its sections: none\)"):
        corpus.synopsis("a.md#x")


def test_many_sections_are_not_all_listed() -> None:
    text = "\n\n".join(f"## Part {number}" for number in range(20))
    with pytest.raises(SourceError, match=r"#part-11 and 8 more\)"):
        Corpus.from_markdown({"a.md": text}).synopsis("a.md#zzz")


def test_a_page_named_beside_a_pattern_needs_no_anchor() -> None:
    corpus = site(**{"other.md": "# Other\n\n## Else\n\nOnly this here."})
    result = corpus.synopsis(["other.md#else", "*.md#first-part"], max_sentences=9)
    assert {p.uri for p in result.passages} == {"index.md", "auth.md", "other.md"}


@pytest.mark.parametrize(
    "source",
    [
        "*a" * 500 + "*b",
        "**/" * 5000 + "x.md",
        "**/*" * 1000,
        "*" * 10_000,
        "?" * 10_000,
        "[" * 10_000,
        "[a-" * 5_000,
        "[!" * 5_000 + "]",
        "../" * 10_000 + "x.md",
        "./" * 10_000 + "nothing.md",
        "%" * 10_000,
        "a" * 100_000 + ".md",
        "#" * 10_000,
    ],
    ids=lambda source: source[:6],
)
def test_no_source_keeps_a_build_waiting(source: str) -> None:
    long = "/".join(["a" * 200] * 50) + ".md"
    corpus = Corpus.from_markdown({"a" * 3000 + ".md": TEXT, long: TEXT, "b.md": TEXT})
    try:
        result = corpus.synopsis(source)
    except SourceError as error:
        assert str(error)  # noqa: PT017 - either answer is right, if it comes
    else:
        assert result.passages


def test_a_page_is_read_when_it_is_first_asked_and_never_again() -> None:
    read = []

    def load(uri: str) -> Document:
        read.append(uri)
        return Corpus.from_markdown({uri: TEXT}).documents[0]

    corpus = Corpus(PageSet(SITE, load))
    for _ in range(2):
        corpus.synopsis("auth.md")
        corpus.recall("token", source=["auth.md", "guides/tips.md"])
    assert read == ["auth.md", "guides/tips.md"]


def matched(pattern: str, uris: Sequence[str]) -> tuple[str, ...]:
    scope = PageSet(uris, lambda uri: Document(uri, uri, "en", ())).scope([pattern])
    return tuple(target.uri for target in scope.targets)


@tabled
def test_several_stars_in_a_row_are_one(pattern: str, page: str) -> None:
    assert matched(pattern, [page, "other/than/that"]) == (page,)


@pytest.mark.parametrize(
    "pattern", ["**/" * 30_000 + "b", "*" * 90_000 + "b", "[" * 90_000 + "*", "*a" * 45_000 + "*b"]
)
def test_a_very_long_glob_is_not_matched_against_each_page(pattern: str) -> None:
    uris = [f"{number}/{'a' * 200}.md" for number in range(2_000)]
    start = process_time()
    with pytest.raises(SourceError):
        matched(pattern, uris)
    assert process_time() - start < 2  # else it takes seconds to compile, or minutes to match


def test_a_pattern_of_stars_and_letters_is_matched_in_little_time() -> None:
    uris = [f"{'a' * 250}/{number}.md" for number in range(1_000)]
    start = process_time()
    with pytest.raises(SourceError):
        matched(f"{'*a' * 100}b/**", uris)
    assert process_time() - start < 5
