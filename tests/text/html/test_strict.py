"""HTML that is read without a parser says what it says with one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown import markdown

from mkdocs_recall.text.html import reader
from mkdocs_recall.text.html.reader import read_html
from mkdocs_recall.text.html.strict import strict_tokens

if TYPE_CHECKING:
    from mkdocs_recall.text.html.runs import HtmlContent, MarkedText

PIECES = (
    *("<p>One. ", "</p>", "<b>", "</b>", '<a href="x?a=1&amp;b=2">', "</a>", "<ul>", "</ul>"),
    *("<li>Two. ", "</li>", "<h2 id='a'>", '<h2 id="b">', "</h2>", "<dl>", "<dt>", "</dt>", "<dd>"),
    *("</dd>", "</dl>", "<table>", "</table>", "<tbody>", "</tbody>", "<tr>", "</tr>", "</td>"),
    *('<td rowspan="2" rowspan="3">', "<td>", "<td> ", "<br>", "<br />", "</br>", "<hr>", "<code>"),
    *("</code>", '<div class="admonition"><p class="admonition-title">Note</p>', "<div>", "</div>"),
    *(
        "&para;",
        "&#160;",
        "&#10;",
        "&copy",
        "&",
        "& ",
        "&amp;lt;",
        "&#38;lt;",
        "&NotEqualTilde;",
        "&gt",
    ),
    *("<", ">", '"', "text\n", "\u00a0", "\ufeff", "\r", "\0", "\x0c", "&#34;", "&#150;", "<i/>"),
    *("&apos;", "\ud800", "&gt;", "&#xD800;"),
    *('<a class="\u00a0headerlink" href="#x">', "<!-- a -->", "<svg><path d='M'/></svg>", "<pre>"),
    *("</pre>", "<script>a</script>", "<button>", "</button>", "<P>", '<a CLASS="headerlink">'),
)


def _read(html: str) -> tuple[HtmlContent, list[MarkedText | None]]:
    """Return the content of a page, and what its deferred runs say."""
    content = read_html(html)
    texts = [run.read and run.read() for run in content.runs]
    runs = tuple(run._replace(read=None) for run in content.runs)
    return type(content)(runs, content.headings, content.whole), texts


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_html_says_the_same_with_and_without_a_parser(html: str) -> None:
    alone = _read(html)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "strict_tokens", lambda _html: None)
        assert alone == _read(html)


def test_html_from_markdown_needs_no_parser() -> None:
    text = (
        "# A & B\n\nSee [*this*](x.md 'Title') &rarr; `code` <kbd>Ctrl</kbd>.\n\n"
        "- one\n\n    two\n- three\n\n!!! note\n    Well.  \n    So.\n\n"
        "A | B\n--|--\n1 | **2**\n\nTerm\n: Definition[^1]\n\n[^1]: Note.\n"
    )
    extensions = ["admonition", "tables", "def_list", "footnotes", "toc"]
    html = markdown(text, extensions=extensions, extension_configs={"toc": {"permalink": True}})
    assert strict_tokens(html) is not None


@pytest.mark.parametrize(
    "html",
    [
        *("<p>a<div>b</div></p>", "<ul><ul><li>a</li></ul>b</ul><li>c</li>", "<b><i>a</b></i>"),
        *("<a>a<a>b</a></a>", "<table>a</table>", "<table><tr><td>a</td></tr></table>", "<p>a"),
        *("<h2><h3>a</h3></h2>", "<textarea><b></textarea>", "<p>a<br></br></p>", "<p>a</p></p>"),
        "<div>" * 300 + "</div>" * 300,
    ],
)
def test_html_that_a_parser_changes_is_left_to_it(html: str) -> None:
    assert strict_tokens(html) is None
