"""HTML that is nearly right, or means harm: what a stranger may put on a page."""

from __future__ import annotations

from typing import Final

from fuzzing import edited, parts_of, text
from hypothesis import strategies as st
from real import html_pages
from tables import beside

from mkdocs_recall.directives.fences import MARKER_HINT
from mkdocs_recall.text.runs import BLOCK_TAGS, HEADING_TAGS, RAW_TAGS, ROLES, SKIPPED_TAGS
from mkdocs_recall.text.tags import VOID_TAGS

TAGS: Final = sorted(
    {
        *(BLOCK_TAGS | HEADING_TAGS.keys() | SKIPPED_TAGS | VOID_TAGS | ROLES.keys()),
        *(*RAW_TAGS, "pre", "table", "caption", "thead", "tbody", "tfoot", "tr", "td", "th", "col"),
        *("span", "sup", "ins", "mark", "abbr", "font", "html", "head", "frameset", "noscript"),
        *("foreignObject", "mtext", "desc", "annotation-xml", "image", "x-y", "ruby", "rt", "slot"),
    }
)
HREFS: Final[list[str]] = beside(__file__)["HREFS"]
CLASSES: Final[list[str]] = beside(__file__)["CLASSES"]
ATTRIBUTES: Final = st.one_of(
    st.just(""),
    st.just(""),
    st.sampled_from(CLASSES).map(lambda name: f' class="{name}"'),
    st.sampled_from(HREFS).map(lambda href: f' href="{href}"'),
    st.sampled_from(("a", "é b", "x\" onclick='y", "<b>", "{{x}}", "\x00")).map(" id='{}'".format),
    st.sampled_from(
        (
            *(" onclick=alert(1)", ' style="x:expression(alert(1))"', " hidden"),
            *(' aria-hidden="true"', ' colspan="99999999"', ' rowspan="0"', ' start="-1"'),
            *(' data-code="0"', ' type="x"', ' data-table="0"', ' data-table="999999999"'),
            *(' data-code="1"', ' markdown="1"', ' title="<script>alert(1)</script>"', " class="),
            *(' class="', " a=b a=c", " /", ' lang="x"'),
        )
    ),
)
TAG: Final = st.builds(
    lambda tag, attributes, end: f"</{tag}>" if end else f"<{tag}{attributes}>",
    st.sampled_from(TAGS),
    ATTRIBUTES,
    st.booleans(),
)
OTHERS: Final = (
    *("<!-- a", "-->", "<!-- <p>x</p> -->", "<![CDATA[", "]]>", "<?php x ?>", "<!doctype html>"),
    *(f"<{MARKER_HINT}0123456789abcdef -->", f"&lt;{MARKER_HINT}0123456789abcdef --&gt;"),
    *("&lt;script&gt;alert(1)&lt;/script&gt;", "&amp;lt;b&amp;gt;", "&#0;", "&#xD800;"),
    *("&#x110000;", "&notanentity;", "&copy", "&nbsp;", "&#8232;", "&#x202e;", "&lt"),
    *("<script>alert('x')</script>", "<img src=x onerror=alert(1)>", "<svg onload=alert(1)>"),
    *("<a href='x'", "<p/>", "</", "<>", "< p>"),
    "<svg><style><img src=x onerror=alert(1)></style></svg>",
    *("<math><mtext><table><mglyph><style>", "{{ x }}", "{% raw %}", "${x}", "[[x]]"),
    *("{{ constructor.constructor('alert(1)')() }}", "<br/>"),
    *("<pre><code>x = 1\n\n y</code></pre>", "<tr><td>a<td>b", "<table><thead><tr><th>a</table>"),
    *("<ul><li>", "</li></ul>", "<p>", "</p>", "<h2 id=a>", "</h2>", "<dl><dt>a<dd>b</dl>", "\n"),
)


LINK: Final = st.builds('<a href="{}">{}</a>'.format, st.sampled_from(HREFS), text)
INLINE: Final = st.one_of(
    text,
    text,
    LINK,
    st.builds("<{0}>{1}</{0}>".format, st.sampled_from(sorted(ROLES)), text | LINK),
    st.sampled_from(OTHERS),
    st.sampled_from(
        (
            *("&lt;img src=x onerror=alert(1)&gt;", "a &amp; b &lt; c. ", "<br>", "</em>", "<b>"),
            *("A port&lt;token of it. ", "It is a&amp;lt;b. ", "Is x&lt;!-- y? ", "A &amp;copy. "),
        )
    ),
)
PARAGRAPHS: Final = st.lists(
    st.builds(
        lambda tag, parts: f"<{tag}>{' '.join(parts)}</{tag}>",
        st.sampled_from(("p", "p", "p", "li", "td", "dd", "h2", "pre", "blockquote", "div")),
        st.lists(INLINE, max_size=5),
    ),
    max_size=5,
).map("\n".join)
"""What a page is mostly made of, and so what is mostly quoted."""


def tree(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Return what wraps HTML in elements, each closed."""
    return st.builds(
        lambda tag, attributes, parts: f"<{tag}{attributes}>{''.join(parts)}</{tag}>",
        st.sampled_from(TAGS),
        ATTRIBUTES,
        st.lists(inner, max_size=4),
    )


TREES: Final = st.recursive(INLINE, tree, max_leaves=12)
LISTED: Final = st.lists(st.one_of(TAG, TAG, text, st.sampled_from(OTHERS)), max_size=25).map(
    "".join
)
HTML: Final = st.one_of(
    PARAGRAPHS, PARAGRAPHS, TREES, LISTED, edited(parts_of(html_pages()), (*OTHERS, "<td>", "</p>"))
)
