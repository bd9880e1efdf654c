"""A page as a theme has built it → what its author wrote: without menus, and without quotes.

Themes are not known by name but by what they tell a screen reader: where the main part is. Of that
part all is text but what a theme puts around every page, and what this plugin has put in.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from selectolax.lexbor import LexborHTMLParser

from mkdocs_recall.options import LIMITS
from mkdocs_recall.text.html.nesting import flatten_nesting
from mkdocs_recall.text.html.reader import read_well_formed, truncate_html
from mkdocs_recall.text.html.tags import RAW_TAGS

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

    from mkdocs_recall.options import Limits
    from mkdocs_recall.text.html.runs import HtmlContent

_OWN: Final = frozenset(
    {
        *("recall", "synopsis", "recall-note", "synopsis-note", "recall-error", "synopsis-error"),
        "recall-explain",
    }
)
"""Classes of what this plugin puts into a page, all of it marked to be left out of searches."""
_AROUND: Final = "nav,aside,form,noscript,[role=navigation],[role=search]"
"""What no author writes into a page's text."""
_FRAME: Final = f"{_AROUND},header,footer,[role=banner],[role=contentinfo]"
"""What else stands around the main part, where nothing tells which that is."""
_RESULTS: Final = "#mkdocs-search-results"


class ThemedPage(NamedTuple):
    """What a built page says."""

    title: str
    """Of the page as its browser tab has it, mostly with the name of the site behind."""
    language: str
    """What the page is in; empty where it does not say."""
    is_search: bool
    """Whether it only shows what a search finds."""
    reading: HtmlContent


def read_themed_page(html: str, *, limits: Limits = LIMITS) -> ThemedPage | None:
    """Read a page of a built site.

    Args:
        html: All of it, as a browser would take it.
        limits: How much of it is read.

    Returns:
        Its main part; None for a page that only leads to another.
    """
    whole = len(html) <= limits.page_size
    above, mark, below = truncate_html(html, limits.page_size).partition(
        "<body"
    )  # a head has no depth, and must be kept whole
    parser = LexborHTMLParser(
        above + mark + flatten_nesting(below) if mark else flatten_nesting(above)
    )
    head, body, root = parser.head, parser.body, parser.root
    if body is None or _leads_on(head):
        return None
    main = _main(body)
    is_search = main.css_first(_RESULTS) is not None
    for node in reversed(main.css(_FRAME if main.tag == "body" else _AROUND)):
        node.decompose()
    for node in reversed(main.css("[data-search-exclude]")):
        if not _OWN.isdisjoint((node.attributes.get("class") or "").split()):
            node.decompose()
    for node in reversed(main.css(",".join(RAW_TAGS))):
        node.decompose()
    named = head.css_first("title") if head else None
    title = " ".join(named.text().split()) if named else ""
    _drop_own_title(main, title)
    reading = read_well_formed(main.html or "")
    return ThemedPage(
        title=title,
        language=(root.attributes.get("lang") or "").strip() if root else "",
        is_search=is_search,
        reading=reading if whole else replace(reading, whole=False),
    )


def is_redirect(html: str) -> bool:
    """Tell whether a page only leads to another, without reading more than its head."""
    return _leads_on(LexborHTMLParser(flatten_nesting(html.partition("<body")[0])).head)


def _leads_on(head: LexborNode | None) -> bool:
    """Tell whether a page sends its reader on at once."""
    metas = head.css("meta[http-equiv]") if head else []
    return any((each.attributes["http-equiv"] or "").lower() == "refresh" for each in metas)


def _main(body: LexborNode) -> LexborNode:
    """Return the main part of a page."""
    for selector in ("[itemprop=articleBody]", "[role=main]", "main"):
        found = body.css_first(selector)
        if found is not None:
            return _only_article(found) if selector == "main" else found
    return _only_article(body)


def _only_article(part: LexborNode) -> LexborNode:
    """Return the article in a part of a page, if that has one and not several."""
    articles = part.css("article")
    if not articles:
        return part
    first = articles[0]
    inside = {first.mem_id, *(node.mem_id for node in first.css("article"))}
    return first if all(node.mem_id in inside for node in articles) else part


def _drop_own_title(main: LexborNode, title: str) -> None:
    """Take out the title that a theme puts above a page whose author wrote none: it has no `id`."""
    heading = main.css_first("h1")
    if heading is not None and not heading.attributes.get("id"):
        text = " ".join(heading.text().split())
        if text and title.startswith(text):
            heading.decompose()
