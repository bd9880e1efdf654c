"""What of a page may be in a quote: its text, made safe, its links, and whitelisted marks.

Text holds no markup and turns no text that follows it. A link of one page is written so that it
leads to the same place from another; one that leads nowhere, or with a scheme that no document
needs (`javascript:`), is dropped.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from functools import lru_cache
from html import escape, unescape
from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin, urlsplit

from mkdocs_recall.text.tags import VOID_TAGS, is_font_icon

if TYPE_CHECKING:
    from mkdocs_recall.text.model import Document

_TEMPLATE: Final = re.compile(r"\{(?=[{%#])")
_DIRECTION_MARKS: Final = re.compile("[\u202a-\u202e\u2066-\u2069]")
_PDF: Final = "\u202c"
"""POP DIRECTIONAL FORMATTING: ends an embedding or an override."""
_PDI: Final = "\u2069"
"""POP DIRECTIONAL ISOLATE: ends an isolate, and all that is open in it."""
_DIRECTION_ENDS: Final = dict.fromkeys("\u202a\u202b\u202d\u202e", _PDF) | dict.fromkeys(
    "\u2066\u2067\u2068", _PDI
)


TOKEN: Final = re.compile(r"<!--(.*?)-->|</([^\s>]+)>|<([^\s/>]+)([^>]*)>|([^<]+)", re.DOTALL)
"""A comment, an end tag, a start tag or text, as in a quote, or as a parser serialises them."""


def escape_html(text: str, *, quote: bool = False) -> str:
    """Return a text as HTML in which a plugin that fills templates later finds none."""
    return without_templates(escape(text, quote=quote))


def without_templates(html: str) -> str:
    """Return HTML, or text in it, in which a plugin that fills templates later finds none."""
    return _TEMPLATE.sub("&#123;", html) if "{" in html else html


def closing_direction_marks(text: str) -> str:
    """Return the marks that end the text directions which a text leaves open; mostly none."""
    pending: list[str] = []
    isolates = 0  # how many of them end an isolate
    for mark in () if text.isascii() else _DIRECTION_MARKS.findall(text):
        if mark in _DIRECTION_ENDS:
            pending.append(_DIRECTION_ENDS[mark])
            isolates += _DIRECTION_ENDS[mark] == _PDI
        elif mark == _PDI and isolates:
            isolates -= 1
            while pending.pop() != _PDI:
                pass
        elif mark == _PDF and pending and pending[-1] == mark:
            pending.pop()
    return "".join(reversed(pending))


SECTION_CLASS: Final = "recall-section"
"""The class, beside `recall`, of the box around a section that is quoted whole."""


def is_section(html: str) -> bool:
    """Tell whether the HTML of a quote is a section that is quoted whole."""
    return SECTION_CLASS in html.partition(">")[0]


BASE_URL: Final = "http://site.invalid/"
"""A stand-in for the site's URL: links are resolved against it and made relative again."""
_SCHEMES: Final = frozenset({"http", "https", "mailto", "ftp", "tel"})
TAG: Final = re.compile(r"<[a-z][^<>]*>")
_ATTRIBUTE: Final = re.compile(r'(?<=\s)([^\s"=]+)="([^"]*)"')
_LINKS: Final = frozenset({"href", "poster", "src", "srcset", "xlink:href"})
"""The attributes that hold links; the last is of drawings."""
OWN_ID: Final = "recall:0:"
"""What the ids of a quote begin with until it is inserted."""
_OWN_LINK: Final = (f"#{OWN_ID}", "#recall-", "data:")
"""What leads to a place in the same quote, or nowhere."""
_CANDIDATES: Final = r",\s+|,\s*\Z"
"""What stands between the pictures of a `srcset`."""
_UNRENDERED: Final = re.compile(r"[{}<>]")
"""Template syntax that nothing has filled: such a link leads nowhere on its own page either."""
_CONTROLS: Final = re.compile(r"[\x00-\x1f\x7f]+")
_ABSOLUTE: Final = re.compile("[a-zA-Z]+:")
_OTHER_SITE: Final = re.compile("https?://")
_ORDINARY: Final = r"(?a)(?:https?://)?[\w./#?&=~%+@,-]+"
"""Most links; none of them can name another scheme."""


def rebase_html(html: str, source: str, target: str, site: str = "") -> str:
    """Return the HTML of a quote that was rendered for one page, with links for another place.

    Source and target are the URLs of both, relative to the site's root. With the URL of that root,
    links are absolute.
    """
    if source == target and not site:
        return html
    root = urljoin(f"{site.rstrip('/')}/", source)

    def link(match: re.Match[str]) -> str:
        name, value = match[1], unescape(match[2])
        if name not in _LINKS or value.startswith(_OWN_LINK):
            return match[0]
        value = rebase_srcset(value, move) if name == "srcset" else move(value)
        return f'{name}="{escape_html(value, quote=True)}"'

    def move(href: str) -> str:
        return urljoin(root, href) if site else _rebase(href, source, target)

    return TAG.sub(lambda tag: _ATTRIBUTE.sub(link, tag[0]) if "=" in tag[0] else tag[0], html)


def rebase_srcset(value: str, rebase: Callable[[str], str]) -> str:
    """Return the pictures of a `srcset`, each as `rebase` returns it."""
    pictures = []
    for candidate in re.split(_CANDIDATES, value.strip()):
        url, _, descriptor = candidate.strip().partition(" ")
        if url and (link := rebase(url)):
            pictures.append(f"{link} {descriptor}".strip())
    return ", ".join(pictures)


def rebase(href: str, source: str, target: str) -> str:
    """Return a link of one page as it is written on another; empty if it is dropped.

    Source and target are the URLs of both, relative to the site's root; that of a page of another
    site is absolute. A link is dropped if its scheme is not one of a document (`javascript:`), or
    if it has template syntax in it.
    """
    href = _CONTROLS.sub("", href).strip().replace(" ", "%20")
    if _UNRENDERED.search(href):
        return ""
    return _rebase(href, source, target)


def link_from(document: Document, href: str, target: str) -> str:
    """Return a link as the page with a URL writes it; empty if it is dropped, or leads nowhere."""
    link = rebase(href, document.url, target)
    is_lost = document.publisher is not None and not document.url
    return "" if is_lost and not _ABSOLUTE.match(link) else link


def is_rebased(href: str) -> bool:
    """Return whether `rebase` may have returned a link; most need but one look."""
    return bool(re.fullmatch(_ORDINARY, href) or rebase(href, "", ""))


def relative_url(url: str, page: str) -> str:
    """Return a URL as a page writes it: both are relative to the site's root, or it is absolute."""
    if _OTHER_SITE.match(url):
        return url
    path, separator, rest = _split(url)
    page_path = _split(page)[0]
    if path == page_path and rest:
        return separator + rest
    folder, _, name = path.rpartition("/")
    relative = _folder_path(folder, page_path.rpartition("/")[0]) + name or "./"
    if ":" in relative.split("/", 1)[0]:  # it would read as a scheme
        relative = f"./{relative}"
    return relative + separator + rest


def _rebase(href: str, source: str, target: str) -> str:
    try:
        parts = urlsplit(href)
    except ValueError:
        return ""
    if parts.scheme or parts.netloc:
        return href if parts.scheme in _SCHEMES or not parts.scheme else ""
    if _OTHER_SITE.match(source):
        return urljoin(source, href)
    if href.startswith(("/", "\\")):
        return href if href.startswith("/") else ""
    return relative_url(urljoin(BASE_URL + source, href).removeprefix(BASE_URL), target)


@lru_cache(maxsize=4096)  # most links lead to a folder near by
def _folder_path(folder: str, start: str) -> str:
    there, here = ([n for n in path.split("/") if n not in ("", ".")] for path in (folder, start))
    shared = len(posixpath.commonprefix([there, here]))
    return "../" * (len(here) - shared) + "".join(f"{name}/" for name in there[shared:])


def _split(url: str) -> tuple[str, str, str]:
    path, separator, rest = url.partition("#")
    return url.partition("?") if "?" in path else (path, separator, rest)


TABLE_TAG: Final = '<table class="recall-table" tabindex="0">'
"""The start of a quoted table: the keyboard reaches it, since it may scroll."""
TOKEN_NAME: Final = "[a-z][a-z0-9]{0,3}"  # noqa: S105 - a pattern of names
"""The class of a token of coloured code, as Pygments names them."""
LANGUAGE_CLASS: Final = r"language-(?!(?:recall|synopsis)\b)[\w+#.-]{1,30}"
"""The class of code that the browser colours; but of no directive in a finished site."""
BOX_CLASSES: Final = ("highlight", "codehilite", "chroma")
"""The classes of the boxes whose styles colour tokens: of pymdownx, Sphinx and codehilite."""
_ALWAYS: Final = frozenset(
    {
        *("p", "ul", "ol", "li", "pre", "code", "em", "strong", "cite", "summary", "title", "br"),
        *("kbd", "sup", "sub", "mark", "ins", "small"),
        *("table", "thead", "tbody", "tr", "th", "td"),
        *('p class="admonition-title"', TABLE_TAG.strip("<>"), 'pre class="mermaid"'),
        *('span class="arithmatex"', 'div class="arithmatex"'),
        *('span class="twemoji recall-icon"', *(f'div class="{name}"' for name in BOX_CLASSES)),
    }
)
"""The start tags that never vary; all tags here are without brackets."""
_CLASS: Final = "admonition|quote|note|recall|synopsis|recall-(?:note|semantic|explain)"
_RECEIPT: Final = r"[\w.~/%-]+#[\w.~/%-]*:\d*:[0-9a-f]{32}"
RECEIPTS: Final = (
    r' data-recall-site="[^"<>]*" data-recall-version="[\w.+]+"'
    rf' data-recall-receipts="{_RECEIPT}(?: {_RECEIPT})*"'
)
"""What of a quote's sources stands in the tag of its box."""
_VARYING: Final = (
    rf'(?a)(?:blockquote|ul|div|details|section) class="(?:{_CLASS})(?: (?:{_CLASS}))*"'
    rf' data-search-exclude(?: lang="[\w-]+"(?: dir="(?:ltr|rtl)")?)?(?:{RECEIPTS})?'
    rf'|(?:ul|div) class="(?:{_CLASS})(?: (?:{_CLASS}))*"'
    r'|span(?: lang="[\w-]+")?(?: dir="(?:ltr|rtl)")?'
    r'|ol(?: type="[aAiI]")?(?: start="[1-9]\d{0,6}")?|li value="[1-9]\d{0,6}"|abbr title="[^"]*"'
    r'|svg viewBox="[\d. -]+"|path d="[A-Za-z\d\s,.+-]+"'
)
_CODE: Final = rf'(?a)span class="{TOKEN_NAME}"|code class="{LANGUAGE_CLASS}"'
"""A token of coloured code, or code that the browser colours: elsewhere, a theme's class could hide
text."""
_LINK_TAG: Final = r'(?:a href|img alt="[^"]*" src)="([^"]+)"'
_ICON_TAG: Final = r'(?a)i class="([\w -]+)"'


def is_quote(html: str) -> bool:
    """Return whether HTML is well formed, with only what a quote has: tags, classes, links."""
    end_tags: list[str] = []
    for part in html.split("<")[1:]:  # an expression that finds the tags takes far longer
        tag, bracket, _ = part.partition(">")
        if not bracket:
            return False
        if end_tags and tag == end_tags[-1]:
            end_tags.pop()
            continue
        if not (tag in _ALWAYS or _is_allowed(tag, in_code="/pre" in end_tags)):
            return False
        name = tag.split(" ", 1)[0]
        if name not in VOID_TAGS:
            end_tags.append(f"/{name}")
    return not end_tags and without_templates(html) == html


@lru_cache(maxsize=1024)  # most are tokens of code
def _is_allowed(tag: str, *, in_code: bool) -> bool:
    if link := re.fullmatch(_LINK_TAG, tag):
        return is_rebased(unescape(link[1]))
    if icon := re.fullmatch(_ICON_TAG, tag):
        return is_font_icon(icon[1])
    return bool((in_code and re.fullmatch(_CODE, tag)) or re.fullmatch(_VARYING, tag))
