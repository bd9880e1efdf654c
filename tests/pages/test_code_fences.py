"""Fenced code of any flavour of Markdown → what is code, what is text, and the lines of both."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from markdown_it import MarkdownIt

from mkdocs_recall import Corpus
from mkdocs_recall.pages.foreign import find_code_fences

if TYPE_CHECKING:
    from mkdocs_recall import Block, Document

INFOS = (
    *(
        "toml",
        "toml title='larch.toml'",
        'toml title="larch.toml" hl_lines="2"',
        "toml [larch.toml]",
    ),
    *("ts twoslash", "js {1,3}", "js{1,3} [larch.config.js]", "ts:line-numbers {3}"),
    *(
        "{ .toml .annotate }",
        '{.toml title="larch.toml" linenums="1"}',
        'json  tab="Larch"',
        "[.env]",
    ),
    *(
        "bash exec='on' source=\"above\"",
        "yaml {hl_lines=[1,3]}",
        "Dockerfile base image",
        "c++",
        "!",
    ),
)
CODE = "files:\n  - keep.me"
PLACES = {
    "the margin": "",
    "a list item": "- Edit the file:\n\n  ",
    "a numbered step": "1. Edit the file:\n   ",
    "a step in a step": "1. First:\n\n    - Edit the file:\n\n        ",
    "a tab": '=== "Linux"\n\n    ',
    "a tab in an admonition": '!!! note\n\n    === "Linux"\n\n        ',
    "a block quote": "> Edit the file:\n>\n> ",
    "a definition": "Keeping\n:   Edit the file:\n\n    ",
}


def read(markdown: str) -> Document:
    (document,) = Corpus.from_markdown({"a.md": markdown}).documents
    return document


def code(markdown: str) -> list[Block]:
    return [block for block in read(markdown).blocks if block.kind == "code"]


def fenced(place: str, info: str, ticks: str = "```") -> str:
    """Return a page with code in some place, and prose and a heading after it."""
    above, line, prefix = place.rpartition("\n")
    lines = [f"{ticks}{info}", *CODE.split("\n"), ticks]
    block = "\n".join(prefix + each for each in lines)
    return f"{above}{line}{block}\n\nLarch keeps *files*.\n\n## Limits\n\nIt keeps 40 of them.\n"


@pytest.mark.parametrize("info", INFOS)
@pytest.mark.parametrize("place", PLACES)
def test_code_is_code_and_prose_behind_it_is_prose_whatever_the_info_string(
    place: str, info: str
) -> None:
    page = fenced(PLACES[place], info)
    document = read(page)
    (block,) = (block for block in document.blocks if block.kind == "code")
    assert block.text == CODE
    assert block.line == page[: page.index("```")].count("\n") + 1
    assert [heading.text for heading in document.headings] == ["Limits"]
    first, second = document.blocks[-2:]
    assert (first.text, first.heading) == ("Larch keeps files.", "")
    assert (second.text, second.heading) == ("It keeps 40 of them.", "Limits")
    assert all(sentence.quotable for sentence in (*first.sentences, *second.sentences))


@pytest.mark.parametrize(
    ("markdown", "texts"),
    [
        ("```py\nx\n`````\n", ["x"]),
        ("````md\n```py\nx\n```\n````\n", ["```py\nx\n```"]),
        ("~~~ md `x`\n```\n~~~\n", ["```"]),
        ("   ```py\nx\n  ```\n", ["x"]),
        ("- ```py\n  x\n  ```\n", ["x"]),
        ("1. ```py\n   x\n\n   y\n   ```\n\n   Then.\n", ["x\n\ny"]),
        ("Text.\n\n```py\nx\n\n## No heading\n", ["x\n\n## No heading"]),
        ("- a\n\n  ```py\n  x\nText.\n\n```py\ny\n```\n", ["x", "y"]),
        ("Text.\n\n    ```py\n    x\n    ```\n", ["```py\nx\n```"]),
        ("<!--\n```py\nx\n```\n-->\n\n```py\ny\n```\n", ["y"]),
        ("``` a ` b\nText.\n", []),
    ],
)
def test_a_fence_starts_and_ends_as_in_commonmark(markdown: str, texts: list[str]) -> None:
    assert [block.text for block in code(markdown)] == texts
    tokens = MarkdownIt("commonmark").parse(markdown)
    fences = [
        (token.map[0], token.map[1]) for token in tokens if token.map and token.type == "fence"
    ]
    assert [(fence.first, fence.end) for fence in find_code_fences(markdown)] == fences


@pytest.mark.parametrize(
    ("info", "title"),
    [
        ('toml title="a & b.toml" hl_lines="2"', "a &amp; b.toml"),
        ("{.toml title='x.toml'}", "x.toml"),
        ("js{1,3} twoslash [vite.config.js]", "vite.config.js"),
        ('json  tab="Claims"', "Claims"),
        ("yaml {hl_lines=[1,3]}", ""),
        ("yaml subtitle='x'", ""),
    ],
)
def test_the_title_of_a_code_block_is_rendered_as_pymdownx_does(info: str, title: str) -> None:
    (fence,) = find_code_fences(f"```{info}\nx\n```\n")
    label = f'<span class="filename">{title}</span>'
    assert fence.html.startswith(f'<div class="highlight">{label}<pre>' if title else "<pre")


@pytest.mark.parametrize(
    ("info", "language"),
    [("js{1}", "js"), ("{.py .x}", "py"), ("ts:line-numbers", "ts"), ("c++", "c++"), ("a=1", "")],
)
def test_the_language_of_code_is_known_whatever_follows_it(info: str, language: str) -> None:
    (fence,) = find_code_fences(f"```{info}\nx\n```\n")
    assert (f'<code class="language-{language}">' if language else "<code>") in fence.html


@pytest.mark.parametrize(
    ("markdown", "blocks"),
    [
        ("Edit:\n    ```py\n    x\n    ```\nThen.\n", ["Edit:", "x", "Then."]),
        ("Edit:\n    ```py\n    x\nThen.\n\nStop.\n", ["Edit:", "x", "Then.", "Stop."]),
        ("- Edit:\n\n      ```py\n      x\n      ```\n\nThen.\n", ["Edit:", "x", "Then."]),
    ],
)
def test_a_fence_that_is_indented_too_far_is_code_all_the_same(
    markdown: str, blocks: list[str]
) -> None:
    document = read(markdown)
    assert [block.text for block in document.blocks] == blocks
    assert [block.kind for block in document.blocks][1] == "code"


def test_code_that_is_never_closed_has_its_line() -> None:
    assert [(block.text, block.line) for block in code("Text.\n\n```py\nx\n\ny\n")] == [
        ("x\n\ny", 3)
    ]


def test_a_fence_shown_in_indented_code_is_shown_with_its_options() -> None:
    (block,) = code('Write:\n\n    ```toml title="larch.toml"\n    a = 1\n    ```\n\nThen go on.\n')
    assert block.text == '```toml title="larch.toml"\na = 1\n```'


@pytest.mark.parametrize(
    "page",
    [
        "Text\n" + "    ```a\n" * 40_000 + "x\n",
        "> ```\n\n" * 40_000,
        "- ```a\n" * 40_000,
        "```" * 40_000 + " " * 40_000 + "`\n",
        "<!--\n```\n" * 40_000,
        "".join(" " * (2 * n) + "- a\n" for n in range(400)) + " " * 800 + "```\n" + "x\n" * 40_000,
    ],
)
def test_no_page_takes_long(page: str) -> None:
    start = time.process_time()
    find_code_fences(page)
    assert time.process_time() - start < 5
