"""A section cut out of its page: what comes along, what is adapted, what is dropped."""

from __future__ import annotations

import re

import pytest
from bs4 import BeautifulSoup
from markdown import Markdown
from tables import beside, tabled

from mkdocs_recall.answers.insertion import marker
from mkdocs_recall.answers.links import move_link, rebase, rebase_srcset
from mkdocs_recall.answers.markdown import to_markdown
from mkdocs_recall.answers.section import cut_section, fitted, heading_above
from mkdocs_recall.answers.whitelist import clean, is_clean, rebase_html

EXTENSIONS = (
    *("admonition", "attr_list", "def_list", "footnotes", "md_in_html", "tables", "toc"),
    *("pymdownx.highlight", "pymdownx.superfences", "pymdownx.tabbed", "pymdownx.tasklist"),
)
CONFIGS = {
    "pymdownx.highlight": {"linenums": True, "anchor_linenums": True},
    "pymdownx.tabbed": {"alternate_style": True},
    "toc": {"permalink": True},
}


def page(markdown: str) -> str:
    return Markdown(extensions=[*EXTENSIONS], extension_configs=CONFIGS).convert(markdown)


def quoted(html: str, anchor: str, **options: object) -> str:
    cut = cut_section(html, anchor, **options)  # type: ignore[arg-type]
    return clean(cut, lambda href: rebase(href, "guides/a/", "index.html"))


def text(html: str) -> str:
    return " ".join(BeautifulSoup(html, "html.parser").get_text(" ").split())


LEVELS = page(
    "# T\n\nTop.\n\n## A\n\na\n\n### A1\n\na1\n\n#### A2\n\na2\n\n## B\n\nb\n\n### B1\n\nb1"
)


@tabled
def test_a_section_ends_at_the_next_heading_of_its_level_or_above(
    anchor: str, options: dict[str, object], wanted: str
) -> None:
    assert text(quoted(LEVELS, anchor, **options)) == wanted


@tabled
def test_an_element_around_a_heading_does_not_change_its_section_s_end(
    html: str, wanted: str
) -> None:
    section = quoted(html, "a")
    assert text(section) == wanted
    assert not re.search("grid|card", section)  # the box around the next heading


@tabled
def test_a_placeholder_with_the_name_of_a_shape_hides_no_text(html: str, wanted: str) -> None:
    section = quoted(f'<h2 id="a">A</h2>{html}', "a")
    assert text(section) == wanted
    assert is_clean(section)


@tabled
def test_what_an_attribute_hides_or_strikes_out_does_not_come_along(attribute: str) -> None:
    html = f'<h2 id="a">A</h2><p {attribute}>no</p><p>yes<b title=" hidden" {attribute}>no</b></p>'
    assert quoted(html, "a") == "<h1>A</h1><p>yes</p>"


def test_a_section_keeps_the_language_and_direction_around_it() -> None:
    html = '<div dir="rtl" lang="ar"><div data-lang="x" lang="fa"><h2 id="a">A</h2>x</div></div>'
    assert quoted(html, "a") == '<div lang="fa" dir="rtl"><h1>A</h1>x</div>'
    assert quoted('<div lang="ar"></div><h2 id="a">A</h2>x', "a") == "<h1>A</h1>x"


def test_headings_are_shifted_below_the_one_above_them() -> None:
    section = quoted(LEVELS, "a")
    for above, levels in ((0, "234"), (1, "234"), (2, "345"), (5, "666")):
        tags = BeautifulSoup(fitted(section, "0a", above), "html.parser").select(
            "h1,h2,h3,h4,h5,h6"
        )
        assert "".join(heading.name[1] for heading in tags) == levels
        assert not any(heading.attrs for heading in tags)
    assert heading_above("<h1>a</h1><p><h3 id=x>b</h3><hr>", 100) == 3
    assert heading_above("<hr><header>x", 100) == 0


TABS = page('## A\n\n=== "One"\n\n    1\n\n=== "Two"\n\n    2\n')


def test_tabs_switch_by_ids_that_no_other_quote_has() -> None:
    section = BeautifulSoup(fitted(quoted(TABS, "a"), "0a", 1), "html.parser")
    ids = [tag["id"] for tag in section.select("input")]
    assert ids == [label["for"] for label in section.select("label")]
    assert all(str(anchor).startswith("recall-0a-") for anchor in ids)
    assert len({tag["name"] for tag in section.select("input")}) == 1
    assert len(section.select("input[checked]")) == 1


def test_footnotes_come_along_in_the_order_of_the_section() -> None:
    notes = "[^1]: First.\n[^x]: Second, see[^y].\n[^y]: Third.\n"
    section = quoted(page(f"Top[^1].\n\n## A\n\nOne[^x]. Two[^y].\n\n{notes}"), "a")
    html = BeautifulSoup(fitted(section, "0a", 1), "html.parser")
    assert [a.get_text() for a in html.select("p > sup > a")][:2] == ["1", "2"]
    assert [re.sub(r"\W*$", "", text(str(li))) for li in html.select(".footnote li")] == [
        "Second, see 2",
        "Third",
    ]
    ids = [tag["id"] for tag in html.select("[id]")]
    assert len(ids) == len(set(ids))
    addresses = [a["href"] for a in html.select("a")]
    assert addresses
    assert {str(href)[1:] for href in addresses} <= set(map(str, ids))


def test_code_keeps_its_colours_and_title_but_no_numbers_of_lines() -> None:
    section = quoted(page('## A\n\n```python title="a.py"\nx = 1\n\ny = 2\n```\n'), "a")
    html = BeautifulSoup(section, "html.parser")
    assert html.select_one("pre").get_text() == "x = 1\n\ny = 2\n"  # type: ignore[union-attr]
    assert html.select("table, a, [id]") == []
    assert html.select_one(".highlight span.filename").get_text() == "a.py"  # type: ignore[union-attr]
    assert [span.get_text() for span in html.select("span.mi")] == ["1", "2"]


def test_links_and_pictures_lead_where_they_lead_on_their_own_page() -> None:
    section = quoted(
        '<h2 id="a">A</h2><p><a href="../b/#x">b</a> <a href="#c">c</a>'
        '<a href="https://larch.example/">w</a>'
        '<img src="p.png" srcset="p1.png 1x, /p2.png 2x" alt="P">'
        '<img src="data:image/png;base64,AA" alt=""></p>'
        '<svg><a xlink:href="d/"><text>d</text></a></svg>',
        "a",
    )
    links = re.findall(r'(?:href|src|srcset)="([^"]*)"', section)
    assert links == [
        *("guides/b/#x", "guides/a/#c", "https://larch.example/"),
        *("guides/a/p.png", "guides/a/p1.png 1x, /p2.png 2x", "data:image/png;base64,AA"),
        "guides/a/d/",
    ]
    again = rebase_html(section, "index.html", "deep/er/")
    assert 'srcset="../../guides/a/p1.png 1x, /p2.png 2x"' in again
    assert 'src="data:image/png;base64,AA"' in again
    assert '<svg><a xlink:href="../../guides/a/d/">' in again
    assert rebase_html('<i title="not src=" class="j">', "a/", "b/").endswith('=" class="j"></i>')


@tabled
def test_each_picture_of_a_srcset_is_moved(srcset: str, moved: str) -> None:
    assert rebase_srcset(srcset, lambda href: move_link(href, "index.html", "a/")) == moved


@pytest.mark.parametrize("more", ["", "<p>x</p>" * 800, "<math><mi>x</mi></math>" * 800])
def test_icons_and_markers_survive_hardening(more: str) -> None:
    drawing = '<path d="M1 2"></path><g fill="red"><text x="1">a</text></g></svg>'
    icon = f'<svg viewBox="0 0 24 24" transform="scale(9)"><!--! Larch Icons -->{drawing}'
    here = marker("0a" * 8)
    section = quoted(
        f'{more}<h2 id="a">A</h2><p><span class="twemoji">{icon}</span> y</p>{here}', "a"
    )
    assert section.count(f'<svg viewBox="0 0 24 24">{drawing}') == section.count(here) == 1
    again = quoted(f'<h2 id="a">A</h2><p>{icon}<wbr data-part="0"><wbr data-part="9"></p>', "a")
    assert again.count("<path") == 1


def test_the_place_of_a_directive_stays_and_no_other_comment() -> None:
    here = marker("0a" * 8)
    section = quoted(f'<h2 id="a">A</h2><!-- x --><?x?>{here}<p>y<!-- {here} --></p>', "a")
    assert section.count("<!--") == section.count(here) == 1 + ("-->" in section.partition("y")[2])


RICH: str = beside(__file__)["RICH"]
WRITTEN: str = beside(__file__)["WRITTEN"]


def test_a_section_in_markdown_drops_only_html_markup() -> None:
    section = fitted(quoted(page(RICH), "a"), "0a", 2)
    assert to_markdown(section) == WRITTEN


@tabled
def test_what_a_section_may_hold_is_written_as_markdown(html: str, markdown: str) -> None:
    assert to_markdown(html) == markdown


@pytest.mark.parametrize("tag", ["blockquote", "ul><li", "ol><li", "table><tr><td", "div"])
def test_boxes_in_boxes_are_written_in_a_few_times_their_size(tag: str) -> None:
    start, end = f"<{tag}>", "".join(f"</{name}>" for name in reversed(tag.split("><")))
    html = f"{start * 500}{'<p>x</p>' * 500}{end * 500}"
    assert len(to_markdown(html)) < 10 * len(html)


def test_a_wide_table_is_written_in_a_few_times_its_size() -> None:
    wide = '<tr><td colspan="99" rowspan="0">x</td></tr>' * 10
    html = f"<table><tr>{'<th>x</th>' * 500}</tr>{wide}{'<tr><td>y</td></tr>' * 500}</table>"
    assert len(to_markdown(html)) < 10 * len(html)


def test_a_fault_while_a_link_is_moved_is_raised_and_forgotten() -> None:
    def fault(href: str) -> str:
        raise MemoryError(href)

    with pytest.raises(MemoryError, match=r"a\.md"):
        clean('<p><a href="a.md">A</a> <a href="b.md">B</a></p>', fault)
    assert clean('<a href="b.md">B</a>', str) == '<a href="b.md">B</a>'
