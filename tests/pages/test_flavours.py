"""Markdown for Hugo, Jekyll, VitePress, Docusaurus, Nuxt or MDX → its text and its lines."""

from __future__ import annotations

import time
from typing import Any

import pytest
from tables import Case, beside, tabled

from mkdocs_recall import Corpus, Document
from mkdocs_recall.pages.reader import MarkdownReader
from mkdocs_recall.text.front_matter import split_front_matter

CASES: dict[str, Any] = beside(__file__)


def read(markdown: str, uri: str = "a.md") -> Document:
    return MarkdownReader().read(split_front_matter(markdown), uri=uri, language="en")


def sentences(markdown: str, uri: str = "a.md") -> list[tuple[str, bool]]:
    return [(sentence.text, sentence.quotable) for sentence in read(markdown, uri).sentences]


def quotable(markdown: str, uri: str = "a.md") -> list[str]:
    return [text for text, is_quotable in sentences(markdown, uri) if is_quotable]


@pytest.mark.parametrize("markdown", CASES["tabs"].values(), ids=CASES["tabs"])
def test_tabs_of_other_generators_are_read_like_text_with_labels(markdown: str) -> None:
    document = read(markdown)
    expected = [
        ("tab", "Linux", '"Linux"'),
        ("prose", "Run the installer. It takes a minute.", "Run"),
        ("code", "curl -O install.sh", "```sh"),
        ("tab", "macOS", '"macOS"'),
        ("prose", "Use the package.", "Use the"),
        ("prose", "Then start it.", "Then"),
    ]
    blocks = [block for block in document.blocks if block.kind != "label"]  # the code's title
    assert [(block.kind, block.text) for block in blocks] == [row[:2] for row in expected]
    assert all(sentence.quotable for sentence in document.sentences)
    lines = markdown.split("\n")
    for block, (*_, start) in zip(blocks, expected, strict=True):
        assert block.line == 1 + next(n for n, line in enumerate(lines) if start in line)


@pytest.mark.parametrize("markdown", CASES["callouts"].values(), ids=CASES["callouts"])
def test_a_callout_is_an_admonition_and_its_title_a_label(markdown: str) -> None:
    label, block = read(markdown).blocks
    assert (label.kind, label.text) == ("label", "Keep in mind")
    assert (block.kind, block.text, block.lead) == ("admonition", "Sessions expire. They do.", 0)
    assert all(sentence.quotable for sentence in block.sentences)


@tabled
def test_a_tag_removes_no_text_around_it(case: Case) -> None:
    assert sentences(case["page"]) == [(text, True) for text in case["texts"]]


@tabled
def test_a_page_is_read_as_this(case: Case) -> None:
    document = read(case["page"], case.get("uri", "a.md"))
    seen = {
        "blocks": [[block.kind, block.text] for block in document.blocks],
        "headings": [heading.text for heading in document.headings],
        "ids": [heading.anchor for heading in document.headings],
        "links": [[mark.role, mark.href] for block in document.blocks for mark in block.marks],
        "sentences": [[sentence.text, sentence.quotable] for sentence in document.sentences],
        "quotable": [sentence.text for sentence in document.sentences if sentence.quotable],
        "labels": [
            [sentence.text, sentence.quotable]
            for block in document.blocks
            for sentence in block.sentences
            if block.kind == "label"
        ],
        "leads": [[block.kind, block.lead, block.line] for block in document.blocks],
    }
    assert {name: seen[name] for name in case["told"]} == case["told"]


@tabled
def test_code_in_tags_is_code(tags: tuple[str, str]) -> None:
    (block,) = read(f"{tags[0]}\nlarch keep\n\n  # <all>\n{tags[1]}\n").blocks
    assert (block.kind, block.text) == ("code", "larch keep\n\n  # <all>")


@pytest.mark.parametrize("name", ["highlight", "prism", "code", "codeblock"])
@pytest.mark.parametrize("page", CASES["code"].values(), ids=CASES["code"])
def test_code_in_tags_is_code_wherever_the_tags_are(page: str, name: str) -> None:
    step, code = read(page.replace("NAME", name)).blocks
    assert (code.kind, code.text, code.lead) == ("code", "larch keep\n  --all", step.number)


@tabled
def test_code_that_a_template_captures_is_code(captured: str) -> None:
    _, block = read(f"It is small.\n\n{{% capture keep %}}{captured}{{% endcapture %}}\n").blocks
    assert (block.kind, block.text.strip()) == ("code", "larch keep")


@pytest.mark.parametrize("tag", ["capture note", "raw"])
@tabled
def test_prose_in_tags_around_code_stays_prose(tag: str, prose: str) -> None:
    name = tag.partition(" ")[0]
    blocks = read(f"{{% {tag} %}}\n{prose}\n{{% end{name} %}}\n").blocks
    assert blocks
    assert not any(block.kind == "code" for block in blocks)


def test_a_tag_may_hold_a_long_table() -> None:
    rows = "  { name: 'larch', type: 'Tree' },\n" * 2500
    assert quotable(f"<Table rows={{[\n{rows}]}} />\n\nStop it.\n", "a.mdx") == ["Stop it."]


@tabled
def test_a_tag_in_a_heading_costs_the_heading_no_other_word(heading: str) -> None:
    document = read(f"# Larch {{{{% beta %}}}}\n\nIt is small.\n\n## {heading}\n\nIt does.\n")
    assert [each.text for each in document.headings] == ["Larch", "Keep files"]
    assert document.title == "Larch"


@tabled
def test_lookalikes_of_tags_stay(markdown: str) -> None:
    bare = read(markdown).blocks
    assert all(block.kind == "prose" for block in bare)


UNITS: list[str] = beside(__file__)["UNITS"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "parts",
    [
        *CASES["long pages"],
        *([[unit, 20_000 // len(unit)]] for unit in UNITS),
        [("`" * length + "{glossary}\na\n", 1) for length in range(1200, 2, -1)],
    ],
)
def test_no_page_takes_long(parts: list[tuple[str, int]]) -> None:
    page = "".join(unit * times for unit, times in parts)
    start = time.process_time()
    read(page, "a.mdx")
    assert time.process_time() - start < 2


def test_no_tag_gets_into_a_quote() -> None:
    page = (
        "# Sessions\n\n::: tip {{ 191*7 }}\nA session expires.\n:::\n\n"
        'A session expires {{ 191*7 }} late.\n\n<Tip title="{% x %}">\nA session ends.\n</Tip>\n'
    )
    corpus = Corpus.from_markdown({"a.md": page})
    assert [block.text for block in corpus.documents[0].blocks if "{" in block.text] == [
        "A session expires {{ 191*7 }} late."
    ]
    result = corpus.recall("when does a session expire")
    assert result.passages
    assert not any("{" in passage.text for passage in result.passages)


@tabled
def test_a_tab_without_a_title_is_named_by_its_name_or_value(tags: tuple[str, str]) -> None:
    tab, text = read(f"<Tabs>\n{tags[0]}\nLarch keeps files.\n{tags[1]}\n</Tabs>\n").blocks
    assert (tab.kind, tab.text, text.lead) == ("tab", "Linux", tab.number)
