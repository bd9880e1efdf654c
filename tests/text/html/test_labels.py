"""The labels around each block: titles of tabs and code blocks, captions, summaries, terms."""

from __future__ import annotations

import pytest
from python_markdown import DEFAULT_CONFIGS, DEFAULT_EXTENSIONS
from tables import beside, tabled

from mkdocs_recall import Document
from mkdocs_recall.pages.reader import MarkdownReader
from mkdocs_recall.text.document import analyse, pack, unpack
from mkdocs_recall.text.front_matter import split_front_matter
from mkdocs_recall.text.html import read_html
from mkdocs_recall.text.model import LABELS, lead_ins

STYLES = pytest.mark.parametrize("alternate", [True, False])


def page(html: str) -> Document:
    return analyse(read_html(html), uri="a.md", title="A", language="en")


def rendered(markdown: str, *, alternate: bool = True, pygments: bool = True) -> Document:
    configs = {
        **DEFAULT_CONFIGS,
        "pymdownx.tabbed": {"alternate_style": alternate},
        "pymdownx.blocks.tab": {"alternate_style": alternate},
        "pymdownx.highlight": {"use_pygments": pygments},
    }
    reader = MarkdownReader(DEFAULT_EXTENSIONS, configs)
    return reader.read(split_front_matter(markdown), uri="a.md", language="en")


def labelled(document: Document) -> list[tuple[str, str]]:
    """Return the text of each block that is no label, after the labels around it, outermost first.

    What leads in to the block, and is no label, is not shown.
    """
    assert unpack("a.md", pack(document)).blocks == document.blocks
    return [
        (
            " > ".join(
                b.text for b in [*lead_ins(document.blocks, block)][::-1] if b.kind in LABELS
            ),
            block.text,
        )
        for block in document.blocks
        if block.kind not in LABELS
    ]


TABS: str = beside(__file__)["TABS"]


@STYLES
def test_all_that_is_in_a_tab_is_below_its_title(alternate: bool) -> None:  # noqa: FBT001
    document = rendered(TABS, alternate=alternate)
    assert labelled(document) == [
        ("", "Install it:"),
        ("pip", "pip install larch"),
        ("Homebrew", "Open a shell:"),
        ("Homebrew > in a shell", "brew install larch"),
        ("Homebrew", "On a Mac"),
        ("Homebrew", "On an old one"),
        ("Homebrew", "Copy it. Then:"),
        ("Homebrew", "Start it"),
        ("", "Then read on."),
    ]
    pip, title = (block for block in document.blocks if block.kind == "tab")
    assert title.lead == pip.lead == 0
    assert [(m.role, title.text[m.start : m.end]) for m in title.marks] == [("em", "brew")]
    assert pip.line == 4


@STYLES
def test_tabs_in_a_tab_an_item_an_admonition_and_a_definition(alternate: bool) -> None:  # noqa: FBT001
    document = rendered(
        '=== "One"\n\n    === "Inner"\n\n        Deep.\n\n    Below.\n\n=== "Two"\n\n    Last.\n\n'
        '- Item:\n\n    === "In an item"\n\n        Text.\n\n'
        '!!! note "Offline"\n\n    === "In a box"\n\n        !!! tip\n\n            Bare.\n\n'
        'Term\n:   Meaning:\n\n    === "In a definition"\n\n        Text too.\n',
        alternate=alternate,
    )
    assert labelled(document) == [
        *(("One > Inner", "Deep."), ("One", "Below."), ("Two", "Last.")),
        *(("", "Item:"), ("In an item", "Text."), ("Offline > In a box", "Bare.")),
        *(("Term", "Meaning:"), ("Term > In a definition", "Text too.")),
    ]


@tabled
def test_text_is_below_these_labels(behaviour: str, text: str, expected: list[list[str]]) -> None:
    document = page(text) if text.startswith("<") else rendered(text)
    assert [*map(list, labelled(document))] == expected, behaviour


@tabled
def test_a_label_of_a_form_is_not_the_title_of_a_tab(html: str) -> None:
    assert labelled(page(html)) == [("", "Task")]


@tabled
def test_a_tab_without_a_title_gets_no_other_tab_s(html: str) -> None:
    assert labelled(page(html)) == [("A", "a"), ("", "b")]


@pytest.mark.parametrize("prepend", [True, False])
def test_a_caption_is_a_label_of_its_figure(prepend: bool) -> None:  # noqa: FBT001
    caption = "<figcaption><p>Ports <b>used</b></p></figcaption>"
    table = "<p>These:</p><table><tr><td>80</td></tr></table>"
    figure = (
        f"<figure>{caption}{table}</figure>" if prepend else f"<figure>{table}{caption}</figure>"
    )
    document = page(f"<h2>A</h2><p>Text.</p>{figure}<p>More.</p>")
    assert labelled(document) == [
        *(("", "Text."), ("Ports used", "These:"), ("Ports used", "80"), ("", "More."))
    ]
    assert [block.lead for block in document.blocks] == [None, None, 1, 2, None]
    assert [document.blocks[1].text[m.start : m.end] for m in document.blocks[1].marks] == ["used"]


def test_a_caption_by_markdown_is_a_label_of_the_table_above_it() -> None:
    document = rendered("Open:\n\n| a |\n|---|\n| b |\n\n/// caption\nPorts used.\n///\n")
    assert labelled(document) == [("", "Open:"), ("Ports used.", "a: b")]
    assert document.blocks[1].lead == 0


@pytest.mark.parametrize("content", ["<img src=a>", "<p></p>", ""])
def test_a_caption_of_a_picture_is_text(content: str) -> None:
    html = f"<figure>{content}<figcaption>The pump runs dry.</figcaption></figure>"
    blocks = [(b.kind, b.text) for b in page(html).blocks if b.kind != "figure"]
    assert blocks == [("prose", "The pump runs dry.")]


@pytest.mark.parametrize("order", ["{0}{1}", "{1}{0}"])
def test_a_picture_is_led_in_to_and_leads_in_to_its_caption(order: str) -> None:
    figure = order.format("<img src=a>", "<figcaption>The pump runs dry.</figcaption>")
    document = page(f"<p>It looks so:</p><figure>{figure}</figure><p>More.</p>")
    kinds = [(block.kind, block.lead) for block in document.blocks]
    assert kinds == [("prose", None), ("figure", 0), ("prose", 1), ("prose", None)]


@pytest.mark.parametrize("box", ["figure", "mediaobject"])
def test_a_caption_is_recognized_by_its_class(box: str) -> None:
    caption = '<div class="caption"><p>The pump runs dry.</p></div>'
    document = page(f'<p>Look:</p><div class="{box}"><div><img src=a></div>{caption}</div><p>a</p>')
    kinds = [(block.kind, block.lead) for block in document.blocks]
    assert kinds == [("prose", None), ("figure", 0), ("prose", 1), ("prose", None)]


def test_a_caption_in_many_figures_stays_where_it_is() -> None:
    html = "<figure>" * 9 + "<p>Text.</p>" + "<figcaption>C</figcaption></figure>" * 9
    document = page(html)
    assert len(document.blocks) == 10
    assert labelled(document)[0] == ("C > C > C > C", "Text.")
