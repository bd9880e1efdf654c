"""Lists as CommonMark reads them → lists, although no empty line is above them."""

from __future__ import annotations

import time

import pytest
from markdown import Markdown

from mkdocs_recall import Corpus
from mkdocs_recall.pages.foreign import InterruptingLists


def blocks(markdown: str) -> list[tuple[str, str, int | None]]:
    (document,) = Corpus.from_markdown({"a.md": markdown}).documents
    return [(block.kind, block.text, block.line) for block in document.blocks]


@pytest.mark.parametrize("markers", ["--", "**", "++", ("1.", "2.")])
def test_a_list_right_below_a_paragraph_is_a_list(markers: tuple[str, str]) -> None:
    first, second = markers
    page = (
        "# Cleaning\n\n**The order**\nin which files go:\n"
        f"{first} Files that no page\n  asks for.\n{second} Files older than `keep`.\n"
        "\nThat is all.\n"
    )
    assert blocks(page) == [
        ("prose", "The order in which files go:", 3),
        ("list", "Files that no page asks for.", 5),
        ("list", "Files older than keep.", 7),
        ("prose", "That is all.", 9),
    ]


@pytest.mark.parametrize(
    ("page", "texts"),
    [
        ("Either of:\n- One.\n", ["Either of:", "One."]),
        (
            "It keeps\n* the old files\n* the new ones\n",
            ["It keeps", "the old files", "the new ones"],
        ),
        ("**Either ([more](x.md)):**\n- One.\n", ["Either (more):", "One."]),
        ("> Either of:\n> - One.\n> - Two.\n", ["Either of:", "One.", "Two."]),
        ("> Either of:\n- One.\n", ["Either of:", "One."]),
        ("> [!TIP]\n> Either of:\n> 1. One.\n", ["Either of:", "One."]),
        ("- An item.\n\n  Either of:\n  - One.\n", ["An item.", "Either of:", "One."]),
        ("1.  An item.\n\n    Either of:\n    - One.\n", ["An item.", "Either of:", "One."]),
        ("- An item.\n\n  Either of:\n- One.\n", ["An item.", "Either of:", "One."]),
        ("!!! note\n    Either of:\n    - One.\n", ["Either of:", "One."]),
        ("/// note\nEither of:\n- One.\n///\n", ["Either of:", "One."]),
        (":::tip\nEither of:\n- One.\n:::\n", ["Either of:", "One."]),
        ('=== "Mac"\n    Either of:\n    - One.\n', ["Mac", "Either of:", "One."]),
        ("Term\n:   Either of:\n    - One.\n", ["Term", "Either of:", "One."]),
        ("```sh\nx\n```\n- One.\n", ["x", "One."]),
        ("## H\nEither of:\n- One.\n", ["Either of:", "One."]),
        ("Either of:\n- One.\n\nOr of:\n- Two.\n", ["Either of:", "One.", "Or of:", "Two."]),
    ],
)
def test_a_list_needs_no_empty_line_in_any_container(page: str, texts: list[str]) -> None:
    assert [text for _, text, _ in blocks(page)] == texts


@pytest.mark.parametrize(
    "page",
    [
        "The first release was in\n2019. It had no cache.\n",
        "The price of this is\n1. And that is not much.\n",
        "It is from:\n1999. It had no cache.\n",
        "The sessions of a page\n- and of its sources, too - expire.\n",
        "The length is a\n+ b\n+ c in all.\n",
        "The area is x = a\n* b\n* c in all.\n",
        "It says:\n    - not an item\n",
        "It is\n--- so\n",
        "Text:\n-5 is less.\n",
    ],
)
def test_wrapped_text_that_looks_like_an_item_stays(page: str) -> None:
    assert [kind for kind, *_ in blocks(page)] == ["prose"]


@pytest.mark.parametrize(
    ("page", "block"),
    [
        ("Text.\n\n    Either of:\n    - One.\n", ("code", "Either of:\n- One.", None)),
        ("```\nEither of:\n- One.\n```\n", ("code", "Either of:\n- One.", 1)),
        ("<pre>Either of:\n- One.\n</pre>\n", ("code", "Either of:\n- One.", None)),
        ("- One.\n- Two:\n  - Three.\n- Four.\n", ("list", "Four.", 4)),
    ],
)
def test_code_and_lists_stay(page: str, block: tuple[str, str, int | None]) -> None:
    assert blocks(page)[-1] == block


@pytest.mark.parametrize(
    "page",
    ["Either of:\n- One.\n- Two\n  text.\n", "$$\na.\n- b\n- c\n$$\n"],
)
def test_an_empty_line_is_put_only_above_the_first_item(page: str) -> None:
    md = Markdown(extensions=[InterruptingLists()])
    added = md.preprocessors["recall_lists"].run(page.split("\n"))
    assert [line for line in added if line] == [line for line in page.split("\n") if line]
    assert len(added) - len(page.split("\n")) == (not page.startswith("$$"))


@pytest.mark.parametrize(
    "page",
    [
        "a\n- b\n" * 50_000,
        "a:\n- b\n\n" * 50_000,
        "- a\n" * 50_000,
        "-a\n" * 50_000,
        "a\n" + "+ b\n" * 50_000,
        "a" + ":*" * 50_000 + "x\n- b",
        "a\n- " + "- " * 50_000 + "x",
        "> " * 50_000 + "a:\n- b",
    ],
)
def test_no_page_takes_long(page: str) -> None:
    md = Markdown(extensions=[InterruptingLists()])
    start = time.process_time()
    md.preprocessors["recall_lists"].run(page.split("\n"))
    assert time.process_time() - start < 5
