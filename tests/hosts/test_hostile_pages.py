"""No page can prevent the filling of a site, and pages lose only their directives."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings, strategies as st

from mkdocs_recall import Corpus
from mkdocs_recall.hosts.fill import SiteFiller
from mkdocs_recall.hosts.html_fences import fence_comment, find_html_directives
from mkdocs_recall.options import LIMITS
from mkdocs_recall.text.theme import FENCE_END, FENCE_OPENING

ASKED = "source: source.html\nquery: when does it expire?"
PIECES = (
    *("<p>", "</p>", "<div>", "</div>", "<ul><li>", "</ul>", "<table><tr><td>", "</table>"),
    *("<pre>", "</pre>", "<code>", "</code>", "<!--", "-->", "<script>", "</script>", "<svg>"),
    *('<div class="highlight">', '<div class="language-recall">', '<h2 id="a">', "</h2>", "<br>"),
    *("text ", "\r\n", "\x00", "\ufeff", "&lt;", "&#0;", "<", ">", '"', "</", "]]>", "<![CDATA["),
    *(f'<pre><code class="language-recall">{ASKED}</code></pre>', fence_comment("```recall\n```")),
    *(
        fence_comment(f"```recall\n{ASKED}\n```"),
        FENCE_END,
        FENCE_OPENING,
        "<!-- recall:0a -->",
        "query: x",
    ),
)
PAGE = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)
BYTES = st.one_of(
    PAGE.map(lambda text: text.encode("utf-8", "replace")),
    PAGE.map(lambda text: text.encode("utf-16")),
    st.tuples(st.binary(max_size=40), PAGE).map(lambda pair: pair[0] + pair[1].encode()),
)
SOURCE = b"<html><body><main><h1>Keys</h1><p>A key expires after an hour.</p></main></body></html>"


def text_of(html: str) -> str:
    """Return the text of a page without its directives, quotes and tags."""
    parts, end = [], 0
    for directive in find_html_directives(html):
        parts.append(html[end : directive.start])
        end = directive.end
    return re.sub(r"<[^<>]*>|\s", "", "".join([*parts, html[end:]]))


@settings(max_examples=100)
@given(BYTES)
def test_a_random_page_keeps_all_but_its_directives(
    tmp_path_factory: pytest.TempPathFactory, page: bytes
) -> None:
    folder = tmp_path_factory.mktemp("site")
    (folder / "source.html").write_bytes(SOURCE)
    (folder / "page.html").write_bytes(page)

    def fill() -> dict[str, bytes]:
        corpus = Corpus.from_built(folder, cache=False)
        filler = SiteFiller(folder, corpus, None, defaults={}, limits=LIMITS, trust_html=True)
        return filler.fill().files

    filled = fill()
    assert list(filled) in ([], [str(folder / "page.html")])
    for content in filled.values():
        before, after = page.decode(), content.decode()
        assert text_of(after) == text_of(before)
        (folder / "page.html").write_bytes(content)
        again = fill()
        assert again == {}, (before, after, again)
