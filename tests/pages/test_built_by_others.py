"""Pages of sites that Hugo and Sphinx have built are read under their names, titles and anchors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mkdocs_recall.pages.built import BuiltSite, SourceNames
from mkdocs_recall.text.theme import read_themed_page

if TYPE_CHECKING:
    from pathlib import Path

PAGE = "<html lang=en><head><title>{}</title></head><body><main>{}</main></body></html>"


@pytest.mark.parametrize(
    ("file", "page"),
    [
        ("Brot & Bäckerei.md", "brot--bäckerei/index.html"),
        ("Brot & Bäckerei.md", "brot-bäckerei/index.html"),
        ("What's new (2026).md", "whats-new-2026/index.html"),
        ("Release 1.2.md", "release-1.2/index.html"),
        ("Night_Shift.md", "night_shift.html"),
        ("docs/C++.md", "docs/c++/index.html"),
        ("Cafe\u0301.md", "caf\u00e9/index.html"),
        ("麦.md", "麦/index.html"),
    ],
)
def test_a_page_has_the_name_of_the_file_that_hugo_has_made_its_address_of(
    tmp_path: Path, file: str, page: str
) -> None:
    for path in (tmp_path / file, tmp_path / "docs/C.md"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("# A\n", "utf-8")
    assert SourceNames(tmp_path).destinations([page]) == {page: file}


def test_the_name_of_the_site_alone_is_no_title_of_a_page(tmp_path: Path) -> None:
    for name in ("a", "b"):
        html = PAGE.format("| Larch", f"<h1 id={name}>Page {name}</h1><p>Text.</p>")
        (tmp_path / f"{name}.html").write_text(html, "utf-8")
    (tmp_path / "c.html").write_text(PAGE.format("C | Larch", "<p>Text.</p>"), "utf-8")
    pages = BuiltSite(tmp_path).open()
    assert [pages.load(page.uri).title for page in pages.pages] == ["Page a", "Page b", "C"]


def test_a_heading_has_the_anchor_of_its_section_behind_the_labels_of_sphinx() -> None:
    page = read_themed_page(
        PAGE.format(
            "A",
            "<section id=a><h1>A</h1><section id=the-b>\n<span id=b></span><span id=bee></span>"
            "<h2>B</h2><p>Text.</p></section><section id=c><span id=x>no label</span><h2>C</h2>"
            "</section><section id=d><p>Text.</p><h2>D</h2></section></section>",
        )
    )
    assert page
    anchors = [(heading.text, heading.anchor) for heading in page.content.headings]
    assert anchors == [("A", "a"), ("B", "the-b"), ("C", ""), ("D", "")]


def test_what_sphinx_adds_to_the_pages_is_no_page(tmp_path: Path) -> None:
    results = '<h1>Search</h1><p>Searching shows matches.</p><div id="search-results"></div>'
    for name, text in {
        "a.html": "<h1>A</h1><p>Text.</p>",
        "genindex.html": "<h1>Index</h1>",
        "py-modindex.html": "<h1>Python Module Index</h1>",
        "search.html": results,
    }.items():
        (tmp_path / name).write_text(PAGE.format("A", text), "utf-8")
    assert [page.uri for page in BuiltSite(tmp_path).open().pages] == ["a.html"]
