"""A place as one text is split into its page and its section."""

from __future__ import annotations

from tables import tabled

from mkdocs_recall.text.wording import split_place


@tabled
def test_a_hash_in_a_name_begins_no_section(place: str, page: str, section: str) -> None:
    assert split_place(place) == (page, section)
