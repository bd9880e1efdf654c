"""A directive of a finished page is found in its source, in any markup language."""

from __future__ import annotations

from pathlib import Path

from tables import tabled

from mkdocs_recall.directives.fences import find_fences
from mkdocs_recall.hosts.fill import SourceFences

BODY = "query: what is x?\nmax_sentences: 1"
[FENCE] = find_fences(f"```recall\n{BODY}\n```\n")


@tabled
def test_its_line_is_its_opening_or_the_one_above(
    tmp_path: Path, form: str, name: str, text: str, line: int
) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    assert SourceFences(str(tmp_path / name)).line(FENCE) == line, form


@tabled
def test_it_is_not_found_where_it_is_not(tmp_path: Path, form: str, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    assert SourceFences(str(tmp_path / name)).line(FENCE) is None, form


def test_a_page_of_bodies_that_are_not_directives_is_read_once(tmp_path: Path) -> None:
    """Were the lines above each read again, this would take minutes."""
    page = tmp_path / "a.md"
    page.write_text(f"````markdown\n```recall\n{BODY}\n```\n````\n" * 20_000, "utf-8")
    assert SourceFences(str(page)).line(FENCE) is None
