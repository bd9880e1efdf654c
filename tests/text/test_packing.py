"""A page as bytes and back: nothing is lost, and foreign bytes are refused."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given, strategies as st
from tables import beside, tabled

from mkdocs_recall import Corpus
from mkdocs_recall.text.document import analyse, pack, unpack
from mkdocs_recall.text.front_matter import PageMetadata
from mkdocs_recall.text.html import read_html
from mkdocs_recall.text.model import Publisher

PAGE = (
    "<h1 id=a>A</h1><p>First <em>one</em>:</p><ul><li>item</li></ul><dl><dt>Term</dt><dd>Said.</dd>"
    "</dl><table><tr><th>H</th></tr><tr><td><a href=x>c</a></td></tr></table><p>Run:</p>"
    "<pre><code>a &amp;&amp; b &amp;lt;\n  c</code></pre><details><summary>More</summary>Text."
    "</details>"
)

STATED = PageMetadata("About.", "2026-02-10", "2026-02-10T12:00:00+00:00", "dynamic", 80.0)

_PIECES = st.lists(
    st.sampled_from(beside(__file__)["PIECES"]),
    max_size=40,
).map("".join)


@given(_PIECES)
@example("<em>[!NOTE]one")
def test_a_page_is_the_same_again(html: str) -> None:
    document = analyse(
        read_html(html), uri="a.md", title="A", language="en", url="a/", metadata=STATED
    )
    again = unpack("a.md", pack(document))
    assert again == document
    assert [b.sentences for b in again.blocks] == [b.sentences for b in document.blocks]
    for block in document.blocks:
        assert block.lead is None or 0 <= block.lead < block.number
        assert all(0 <= m.start < m.end <= len(block.text) for m in block.marks)
        assert list(block.marks) == sorted(block.marks, key=lambda m: (m.start, -m.end))


def test_a_page_with_footnotes_is_the_same_again() -> None:
    text = "# A\n\nOne.[^1]\n\n## B\n\nTwo.\n\n[^1]: A note. More of it.\n"
    (document,) = Corpus.from_markdown({"a.md": text}).documents
    assert [block.section for block in document.blocks] == [1, 2, 0]
    assert unpack("a.md", pack(document)) == document


def _change(block: int, field: int, value: object) -> bytes:
    document = analyse(read_html(PAGE), uri="a.md", title="A", language="en")
    whole: list[Any] = json.loads(pack(document))
    whole[-1][field][block] = value
    return json.dumps(whole).encode()


@tabled
def test_a_block_that_was_not_packed_here_is_refused(field: int, value: object) -> None:
    with pytest.raises(ValueError, match=r"'a\.md' is packed incorrectly"):
        unpack("a.md", _change(2, field, value))


@pytest.mark.parametrize("level", [0, 7, 20_000])
def test_a_heading_of_another_level_than_1_to_6_is_refused(level: int) -> None:
    whole: list[Any] = json.loads(_change(2, 2, 0))
    whole[-2][0][1] = level
    with pytest.raises(ValueError, match=r"'a\.md' is packed incorrectly"):
        unpack("a.md", json.dumps(whole).encode())


def test_blocks_that_lack_a_value_are_refused() -> None:
    whole: list[Any] = json.loads(_change(2, 2, 0))
    whole[-1][3].pop()
    with pytest.raises(ValueError, match=r"\S"):
        unpack("a.md", json.dumps(whole).encode())


def test_a_page_without_blocks_and_one_of_another_site_come_back() -> None:
    document = analyse(read_html(""), uri="flux:a.md", title="A", language="en")
    publisher = Publisher("flux", "Flux", "https://flux.example/", "CC-BY-4.0", "Flux authors")
    for page in (document, replace(document, publisher=publisher)):
        assert unpack("flux:a.md", pack(page)) == page
    packed: list[Any] = json.loads(pack(replace(document, publisher=publisher)))
    packed[5][2] = 1
    with pytest.raises(ValueError, match=r"is packed incorrectly"):
        unpack("flux:a.md", json.dumps(packed).encode())


@pytest.mark.parametrize("packed", [b"", b"[]", b"{}", b"null", b"[" * 100_000, b"\xff", b'"a"'])
def test_other_bytes_are_refused(packed: bytes) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        unpack("a.md", packed)


@tabled
def test_values_that_front_matter_cannot_have_are_refused(place: int, value: object) -> None:
    whole: list[Any] = json.loads(
        pack(analyse(read_html(PAGE), uri="a.md", title="A", language="en", metadata=STATED))
    )
    whole[3][place] = value
    with pytest.raises(ValueError, match=r"\S"):
        unpack("a.md", json.dumps(whole).encode())
    del whole[3][place]
    with pytest.raises(ValueError, match=r"'a\.md' is packed incorrectly"):
        unpack("a.md", json.dumps(whole).encode())
