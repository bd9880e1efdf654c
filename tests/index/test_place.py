"""A place is written as one text: its page and its section."""

from __future__ import annotations

from tables import tabled

from mkdocs_recall.index.sources import Target


@tabled
def test_a_hash_in_a_name_begins_no_section(place: str, page: str, section: str) -> None:
    target = Target.of(place)
    assert target == (page, section)
    assert str(target) == place
