"""A place as one text is split into its page and its section."""

from __future__ import annotations

import pytest

from mkdocs_recall.text.wording import split_place


@pytest.mark.parametrize(
    ("place", "page", "section"),
    [
        ("guides/auth.md", "guides/auth.md", ""),
        ("guides/auth.md#expiry", "guides/auth.md", "expiry"),
        ("c#.md", "c#.md", ""),
        ("c#.md#sharp", "c#.md", "sharp"),
        ("langs/c#/why.md#c#", "langs/c#/why.md", "c#"),
        ("auth.md#use-notes.md", "auth.md", "use-notes.md"),
        ("two\nlines.md#a", "two\nlines.md", "a"),
        ("a.mdx#b", "a.mdx", "b"),
        ("guides/auth/#expiry", "guides/auth/", "expiry"),
    ],
)
def test_a_hash_in_the_name_of_a_page_begins_no_section(
    place: str, page: str, section: str
) -> None:
    assert split_place(place) == (page, section)
