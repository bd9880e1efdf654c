"""The author's text of a themed page, without menus and this plugin's quotes.

The main part of a page is found by the markup that serves screen readers, whatever the theme.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape, unescape
from typing import Final

from msgspec import structs
from selectolax.lexbor import LexborHTMLParser, LexborNode

from mkdocs_recall.options import LIMITS, Limits
from mkdocs_recall.text.hardening import DRAWING, flatten_nesting, read_apart, without_foreign
from mkdocs_recall.text.html import read_well_formed, truncate_html
from mkdocs_recall.text.runs import HEADING_TAGS, RAW_TAGS, HtmlContent
from mkdocs_recall.text.tags import VOID_TAGS

FENCE_OPENING: Final = "<!-- recall:fence "
"""The start of a comment that holds a directive in a page to be filled after its build."""
FENCE_END: Final = "<!-- /recall:fence -->"
"""The comment after the quote of such a directive."""
_QUOTE_START: Final = re.compile(
    rf"""\s*(?:{FENCE_END}|<[a-z]+\b[^<>]*\bclass=["']?[^"'<>]*\b(?:recall|synopsis)\b)"""
)
_NEVER_TEXT: Final = (
    ":is(.recall,.synopsis,.recall-note,.synopsis-note,.recall-error,.synopsis-error,"
    f".recall-explain,.recall-backlinks)[data-search-exclude],{','.join(RAW_TAGS)},"
    "nav,aside:not(.footnote,.footnote-list,.topic,.admonition,.starlight-aside),form,noscript,"
    "[role=navigation],[role=search],footer:not(blockquote *),"
    ".footnote>.label,.footnote>.backrefs,.footnote>dt,.footnote td.label,.viewcode-back,"
    "a.footnote,sup.footnote,sup.para,.footnote-definition-label,[role=doc-backlink],"
    "[data-footnote-ref],[data-footnote-backref],.conum,.conum+b,"
    ".bd-sidebar-secondary,.onlyprint,.contents.topic,#toc,.navheader,.navfooter,.docnav,.d-print-none,.td-page-meta__lastmod,"
    ".eqno,.sd-hide-link-text,[class*=language-]>.lang,.line-numbers-wrapper,.sl-anchor-link,"
    ".dropdown-menu,.sphinxsidebar,table[class^=index-],.printindex,"
    "table:has(.summary-letter),.copiable-anchor,.copiable-link,:is(.memdoc,.textblock)>:is(.definition,.reference),"
    ".header>p:has([accesskey]),.nav-panel,[class$=ontents_element],.element-contents,"
    ".longdesc-link,.src>.link,.selflink,.srclink,a.src,.out-of-band,summary.hideme,"
    "#siteSub,#contentSub,#catlinks,.mw-editsection,.printfooter,.navbox,.t-navbar,"
    "#header>.details"
)
"""Elements that are never part of an author's text: this plugin's insertions, footers except those
of quotations, marks of footnotes and of Asciidoctor's callouts, tables of contents, DocBook's links
above and below a page, what Bootstrap does not print and the last change of Docsy, Sphinx's numbers
of equations and links over cards, VitePress's language names and line numbers beside code,
Starlight's permalinks, menus, indexes and permalinks of Texinfo, source links of Doxygen, Haddock
and rustdoc, MediaWiki's frame around a page, and Asciidoctor's authors and version.
"""
_NAMES: Final = ("recall", "synopsis")
_OUR_CODE: Final = ",".join(
    f"[class*=-{name}],pre.{name},pre>code.{name},pre[data-language={name}]" for name in _NAMES
)
"""A possible code block in the language of our directives: a quote's place, not text."""
_LANGUAGES: Final = frozenset(
    prefix + name for prefix in ("", "language-", "lang-", "highlight-", "code-") for name in _NAMES
)
_HEADINGS: Final = ",".join(HEADING_TAGS)
_ANCHORS: Final = "[id]:not(.indexterm),a[name]:not(.indexterm)"
"""Possible link targets; entries of a DocBook index are not anchors of sections."""
_MOST_LABELS: Final = 8
_OBJECTS: Final = "dt.sig-object[id]"
_TITLES: Final = (
    ".alert>.alert-heading,.alert>[class^=admonitionHeading],.custom-block>.custom-block-title,"
    ".hint-container>.hint-container-title,.starlight-aside>.starlight-aside__title,"
    ".example>h3:first-child,"
    + ",".join(f".{kind}>h3.title" for kind in ("note", "tip", "important", "warning", "caution"))
)
"""Titles of admonitions: of Bootstrap, Docusaurus, VitePress, VuePress, Starlight, DocBook, and
Apache's examples."""
_BOXED: Final = ":is(.admonitionblock,.note,.tip,.important,.warning,.caution)>table:only-child"
"""The table in which Asciidoctor and DocBook write an admonition."""
_TITLED: Final = ":has(h2,h3,h4,h5,h6)"
_SECTIONS: Final = f"ul:has(>li{_TITLED}):not(:has(>li:not({_TITLED})))"
"""A list of sections, as Javadoc writes the members of a class."""
_LAYOUT: Final = f"{_SECTIONS},{_SECTIONS}>li,details:has(>summary{_TITLED}),summary{_TITLED}"
"""Elements around sections: such lists, and folded details, as in rustdoc."""
_SIGNATURE: Final = ".memproto table.memname"
"""The table in which Doxygen writes the definition of a function or macro."""
_TAG: Final = "data-recall-tag"
"""The attribute with the tag as which an element is read."""
_RETAGGED: Final = re.compile(
    rf'<(\w+)\b([^<>]*) {_TAG}="(h[1-6]|p)"([^<>]*)>(.*?)</\1>', re.DOTALL
)
_FORMULAS: Final = "div.math.notranslate,.stemblock>.content"
"""The displayed formulas of Sphinx and Asciidoctor."""
_CAPTIONS: Final = (
    ".listingblock>.title,.literalblock>.title,.literal-block-wrapper>.code-block-caption,"
    "[class*=codeBlockContainer]>[class^=codeBlockTitle]"
)
"""The titles of code: of Asciidoctor, Sphinx, and Docusaurus."""
_BOXES: Final = ".checklist .fa-check-square-o,.checklist .fa-square-o"
"""The check boxes of Asciidoctor."""
_TAB_TITLES: Final = "[role=tablist],.vp-code-group>.tabs,.sd-tab-set,.tab-set"
_TAB: Final = (
    "[role=tabpanel],.vp-code-group>.blocks>div,.sd-tab-set>.sd-tab-content,.tab-set>.tab-content"
)
"""What holds the titles of tabs, and each tab: as for screen readers, in VitePress, and in
sphinx-design and sphinx-inline-tabs."""
_TABS: Final = "data-recall-tabs"
_START_OF_TABS, _END_OF_TABS = f'<wbr {_TABS}="start">', f'<wbr {_TABS}="end">'
"""The marks around a set of tabs, which begins with the titles of all."""
_START_OF_SET: Final = '<div class="tabbed-set tabbed-alternate">'
_FOOTNOTE_NUMBER: Final = r'(<div [^<>]*id="_footnotedef_[^<>]*>)\s*<a\b[^<>]*>\d+</a>\.\s*'
"""The number of a footnote of Asciidoctor."""
_HEADING_WITH_ANCHOR: Final = re.compile(r'<h[1-6]\b[^<>]* id="(?P<anchor>[^"]*)"[^<>]*>')
_XML: Final = re.compile(r"\s*<\?xml\b")
_EMPTY: Final = re.compile(rf"<(?!(?:{'|'.join(VOID_TAGS)})\b)([\w:-]+)([^<>]*)/>")
"""An empty element as XML has it, which HTML would leave open."""
_LABELS: Final = re.compile(r"(?:<(?:span|a|div)\b[^<>]*>\s*(?:</(?:span|a|div)>\s*)*)*")
"""Elements without text, as labels are."""
_AROUND_MAIN: Final = (
    f"{_NEVER_TEXT},header,footer,[role=banner],[role=contentinfo],#banner,#footer"
)
"""Those, and the elements around the main part of a page without a marked one."""
_SEARCH_RESULTS: Final = "#mkdocs-search-results,#search-results"


@dataclass(frozen=True)
class ThemedPage:
    """The content of a built page."""

    title: str
    """The title in the browser's tab, mostly followed by the site's name."""
    language: str
    """The page's `lang`; empty if it has none."""
    is_search: bool
    """Whether it is the theme's page of search results."""
    html: str
    """The main part of it, without the parts that are not read."""
    whole: bool = True

    @cached_property
    def content(self) -> HtmlContent:
        """The text of the main part."""
        content = read_well_formed(self.html)
        return content if self.whole else structs.replace(content, whole=False)


def read_themed_page(html: str, *, limits: Limits = LIMITS) -> ThemedPage | None:
    """Read the main part of a built page; None for a redirect."""
    themed = _themed(without_foreign(html), limits)
    return themed and replace(themed, whole=len(html) <= limits.page_size)


def main_html(html: str, *, apart: str = DRAWING, limits: Limits = LIMITS) -> str:
    """Return the HTML of the main part, or "" for a redirect.

    Args:
        apart: The pattern of parts that are kept, although the protection would drop them.
    """

    def main(html: str) -> str:
        themed = _themed(html, limits)
        return "" if themed is None else themed.html

    return read_apart(html, apart, main)


def labelled_heading(html: str, label: str, *, limits: Limits = LIMITS) -> str:
    """Return the anchor of the heading below a label of Sphinx."""
    html = main_html(html, limits=limits)
    position = html.find(f' id="{escape(label)}"')
    labels = _LABELS.match(html, html.rfind("<", 0, position)) if position >= 0 else None
    heading = _HEADING_WITH_ANCHOR.match(html, labels.end()) if labels else None
    return unescape(heading["anchor"]) if heading else ""


def _themed(html: str, limits: Limits) -> ThemedPage | None:
    if FENCE_END in html:  # a generator may have removed the mark of the quote itself
        html = _without_filled_quotes(html)
    html = _EMPTY.sub(r"<\1\2></\1>", html) if _XML.match(html) else html
    above, body_tag, below = truncate_html(html, limits.page_size).partition("<body")
    # The head is not nested, and flattening may drop its title.
    flat = above + body_tag + flatten_nesting(below) if body_tag else flatten_nesting(above)
    parser = LexborHTMLParser(flat)
    head, body, root = parser.head, parser.body, parser.root
    if body is None or _redirects(head):
        return None
    main = _main(body)
    is_search = main.css_first(_SEARCH_RESULTS) is not None
    for node in reversed(main.css(_AROUND_MAIN if main.tag == "body" else _NEVER_TEXT)):
        node.decompose()
    if any(name in html for name in _NAMES):
        _remove_our_code(main)
    _name_headings(main)
    title_node = head.css_first("title") if head else None
    title = " ".join(title_node.text().split()) if title_node else ""
    _remove_theme_title(main, title)
    return ThemedPage(title, _stated_language(root, body), is_search, _retagged(main))


def _stated_language(*nodes: LexborNode | None) -> str:
    attributes = [node.attributes for node in nodes if node]
    languages = (values.get("lang") or values.get("xml:lang") or "" for values in attributes)
    return next(filter(None, map(str.strip, languages)), "")


def _without_filled_quotes(html: str) -> str:
    """Return a page without quotes between comment and end."""
    parts = []
    end = 0
    while (after := html.find(FENCE_END, end)) >= 0:
        stop = after + len(FENCE_END)
        start = html.rfind(FENCE_OPENING, end, after)
        comment_end = html.find("-->", start, after) if start >= 0 else -1
        is_quote = comment_end >= 0 and starts_with_quote(html, comment_end + len("-->"))
        parts.append(html[end : start if is_quote else stop])
        end = stop
    return "".join([*parts, html[end:]])


def starts_with_quote(html: str, position: int) -> bool:
    """Tell whether a quote, or the end of an empty one, is at a position."""
    return bool(_QUOTE_START.match(html, position))


def is_redirect(html: str) -> bool:
    """Tell whether a page is a redirect, by its head alone."""
    return _redirects(LexborHTMLParser(flatten_nesting(html.partition("<body")[0])).head)


def _redirects(head: LexborNode | None) -> bool:
    metas = head.css("meta[http-equiv]") if head else []
    return any((meta.attributes["http-equiv"] or "").lower() == "refresh" for meta in metas)


def _main(body: LexborNode) -> LexborNode:
    for selector in ("[itemprop=articleBody]", "[role=main]", "main", "#doc-content .contents"):
        node = body.css_first(selector)
        if node is not None:
            article = _only_article(node) if selector == "main" else node
            return node if _is_card(article, node) else article
    return _only_article(body)


def _is_card(article: LexborNode, main: LexborNode) -> bool:
    """Tell whether an article is a small part of a page, whose title is outside of it."""
    title = main.css_first("h1")
    if title is None or title.mem_id in {heading.mem_id for heading in article.css("h1")}:
        return False
    return 3 * len(article.text()) < len(main.text())


def _only_article(part: LexborNode) -> LexborNode:
    articles = part.css("article")
    if not articles:
        return part
    first = articles[0]
    inside = {first.mem_id, *(node.mem_id for node in first.css("article"))}
    return first if all(node.mem_id in inside for node in articles) else part


def _remove_our_code(main: LexborNode) -> None:
    for node in reversed(main.css(_OUR_CODE)):
        words = (node.attributes.get("class") or "").split()
        if not _LANGUAGES.isdisjoint([*words, node.attributes.get("data-language") or ""]) and (
            node.css_matches("pre,pre>code") or node.css_first("pre") is not None
        ):
            node.decompose()
    for node in main.css("pre:empty,figure:empty"):  # the box that held the code
        node.decompose()


def _name_headings(main: LexborNode) -> None:
    """Give headings without an anchor the anchor of an element in, around or before them."""
    # Docutils, DocBook, Doxygen and Node.js write it there.
    for heading in main.css(_HEADINGS):
        if not heading.attributes.get("id") and (anchor := _anchor_near(heading, main)):
            heading.attrs["id"] = anchor
        links = heading.css("a[href^='#']")
        text = heading.text().strip() if links else ""
        for link in links:
            sign = link.text().strip()
            if sign != text and not any(map(str.isalnum, sign)):
                link.decompose()


def _anchor_near(heading: LexborNode, main: LexborNode) -> str:
    """Return a heading's anchor, preferably its section's."""
    anchor = _anchor_in(heading)
    node: LexborNode | None = heading
    while node is not None:
        before, left = node.prev, _MOST_LABELS
        while before is not None and left and not before.text().strip():
            anchor = anchor or _anchor_in(before)
            before, left = before.prev, left - 1
        node = node.parent if before is None else None
        if node is None or node.mem_id == main.mem_id:
            break
        if node_id := node.attributes.get("id"):
            is_section = "sect" in f"{node.tag} {node.attributes.get('class')}"
            return node_id if is_section else anchor or node_id
    return anchor


def _anchor_in(node: LexborNode) -> str:
    """Return the first anchor of an element or in it; empty for none."""
    is_element = not (node.tag or "-").startswith("-")  # as for texts and comments
    label = node.css_first(_ANCHORS) if is_element else None
    return (label.attributes.get("id") or label.attributes.get("name") or "") if label else ""


def _retagged(main: LexborNode) -> str:
    """Return HTML in which only headings have heading tags."""
    for term in main.css(_OBJECTS):
        level, above = 1, term.parent
        while above is not None and above.mem_id != main.mem_id:
            level += above.tag in {"section", "dd"}
            above = above.parent
        term.attrs[_TAG] = f"h{min(level, len(HEADING_TAGS))}"
    for table in main.css(_SIGNATURE):
        for node in reversed(table.css("tbody,tr,td")):
            node.unwrap()
        table.attrs[_TAG] = "p"
    for node in reversed(main.css(_LAYOUT)):
        node.unwrap()
    for table in main.css(_BOXED):
        _open_box(table)
    for title in main.css(_TITLES):
        _mark_title(title, title.parent)
    _mark_blocks(main)
    _mark_tabs(main)
    html = (main.html or "").replace(_START_OF_TABS, _START_OF_SET).replace(_END_OF_TABS, "</div>")
    if "_footnotedef_" in html:
        html = re.sub(_FOOTNOTE_NUMBER, r"\1", html)
    return _RETAGGED.sub(r"<\3\2\4>\5</\3>", html) if _TAG in html else html


def _mark_blocks(main: LexborNode) -> None:
    """Mark formulas, titles of code and check boxes as Material has them."""
    for formula in main.css(_FORMULAS):
        _add_class(formula, "arithmatex")
    for title in main.css(_CAPTIONS):
        _add_class(title, "caption")
        if title.parent:
            _add_class(title.parent, "figure")
    for icon in main.css(_BOXES):
        checked = " checked" if "check" in (icon.attributes["class"] or "") else ""
        body = LexborHTMLParser(f"<input type='checkbox'{checked}>").body
        if body and body.child:
            icon.insert_before(body.child)
            icon.decompose()


def _mark_tabs(main: LexborNode) -> None:
    """Mark sets of tabs, for `_retagged`; titles without any tab are dropped, as in a menu.

    An accordion stays as it is: its titles are headings, or each is beside its own text.
    """
    for node in main.css(f"[{_TABS}]"):
        del node.attrs[_TABS]
    for titles, tabs in _tab_sets(main):
        is_folded = any(title.tag in HEADING_TAGS or title.css_first(_HEADINGS) for title in titles)
        if is_folded or len({tab.parent.mem_id for tab in tabs if tab.parent}) > 1:
            continue
        pairs = list(zip(titles, tabs))  # noqa: B905 - a page may lack tabs
        labels = "".join(f"<label>{escape(title.text(strip=True))}</label>" for title, _ in pairs)
        for title in titles:
            title.decompose()
        for tab in tabs:
            if "hidden" in tab.attributes:  # as all but one are
                del tab.attrs["hidden"]
            _add_class(tab, "tabbed-block")
        marks = LexborHTMLParser(f"{_START_OF_TABS}{labels}{_END_OF_TABS}").body
        if tabs and marks:
            *start, end = marks.iter()
            for node in start:
                tabs[0].insert_before(node)
            tabs[-1].insert_after(end)


def _tab_sets(main: LexborNode) -> list[tuple[list[LexborNode], list[LexborNode]]]:
    """Return the titles and the tabs of each set of tabs."""
    sets: list[tuple[list[LexborNode], list[LexborNode]]] = []
    open_sets: list[int] = []  # those with titles left, the innermost last
    around_titles = {node.mem_id for node in main.css(_TAB_TITLES)}
    for node in main.css(f"{_TAB_TITLES},{_TAB}"):
        if node.mem_id in around_titles:
            labels = [child for child in node.iter() if child.tag == "label"]
            if titles := labels or node.css("[role=tab]"):
                open_sets.append(len(sets))
                sets.append((titles, []))
        elif open_sets:
            titles, tabs = sets[open_sets[-1]]
            tabs.append(node)
            if len(tabs) == len(titles):
                open_sets.pop()
    return sets


def _add_class(node: LexborNode, classes: str) -> None:
    node.attrs["class"] = f"{node.attributes.get('class') or ''} {classes}"


def _mark_title(title: LexborNode, box: LexborNode | None) -> None:
    title.attrs["class"] = "admonition-title"
    if title.tag in HEADING_TAGS or title.tag == "th":
        title.attrs[_TAG] = "p"
    if box is not None:
        _add_class(box, "admonition")


def _open_box(table: LexborNode) -> None:
    """Take an admonition out of its table, without the icon."""
    box = table.parent
    bodies = list(table.iter())
    rows = [row for body in bodies for row in body.iter()]
    cells = [cell for row in rows for cell in row.iter()]
    filled = [cell for cell in cells if cell.text().strip()]
    if not cells or (cells[0].text().strip() and not cells[0].css_matches("td.icon")):
        return
    for cell in [cell for cell in cells if not cell.text().strip()]:
        cell.decompose()
    titles = [cell for cell in filled if cell.tag == "th"]
    titles += filter(None, (cell.css_first("td.icon>.title") for cell in filled[:1]))
    for node in (*filled, *rows, *bodies, table):
        if node.tag != "th":
            node.unwrap()
    for title in titles[:1]:
        _mark_title(title, box)


def _remove_theme_title(main: LexborNode, title: str) -> None:
    """Remove the heading that a theme adds: it has no `id`."""
    heading = main.css_first("h1")
    if heading is not None and not heading.attributes.get("id"):
        text = " ".join(heading.text().split())
        if text and title.startswith(text):
            heading.decompose()
