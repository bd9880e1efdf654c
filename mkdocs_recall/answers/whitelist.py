"""The whitelist of the HTML that a quote may hold, with which `nh3` cleans all that is inserted.

A part of a page must not look like a quote, and its ids are marked by `OWN_ID`. A quote in this
package's boxes may come from a cache that a stranger has written.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from html import unescape
from threading import local
from typing import Final
from urllib.parse import urljoin

import nh3

from mkdocs_recall.answers.links import is_allowed, move_link, rebase_srcset, without_templates
from mkdocs_recall.directives.fences import MARKER_HINT
from mkdocs_recall.text.tags import SHAPES

OWN_ID: Final = "recall:0:"
"""The prefix of a quote's ids until it is inserted."""
_OWN_IDS: Final = (OWN_ID, "recall-")
"""The prefixes before and after that."""

MARKER_COMMENT: Final = re.compile(
    rf"{re.escape(MARKER_HINT.removeprefix('!--'))}[0-9a-f]{{1,64}} "
)
DROPPED: Final = frozenset(
    {
        *("button", "canvas", "dialog", "embed", "frame", "frameset", "iframe", "nav", "noembed"),
        *("noframes", "noscript", "object", "plaintext", "script", "select", "style", "template"),
        *("textarea", "xmp"),
        *("annotation", "annotation-xml", "desc", "foreignobject", "metadata", "title"),
    }
)
"""Elements that are dropped with their content; the last are of MathML and SVG."""
FORMULAS: Final = frozenset(
    {
        *("mfrac", "mi", "mn", "mo", "mover", "mpadded", "mphantom", "mroot", "mrow", "mspace"),
        *("msqrt", "mstyle", "msub", "msubsup", "msup", "mtable", "mtd", "mtr", "munder"),
        *("munderover", "semantics"),
    }
)
OWNER: Final = re.compile(r'<(?:input|li|sup)\b[^>]*\sid="([^"]*)"')
"""The start tag of an element whose id a quote keeps."""


_TAGS: Final = {
    *("a", "abbr", "audio", "b", "bdi", "bdo", "blockquote", "br", "caption", "center", "cite"),
    *("code", "col", "colgroup", "dd", "del", "details", "dfn", "div", "dl", "dt", "em"),
    *("figcaption", "figure", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "img", "input", "ins"),
    *("kbd", "label", "li", "mark", "ol", "p", "picture", "pre", "q", "rp", "rt", "ruby", "s"),
    *("samp", "small", "source", "span", "strike", "strong", "sub", "summary", "sup", "table"),
    *("tbody", "td", "tfoot", "th", "thead", "time", "tr", "tt", "u", "ul", "var", "video", "wbr"),
    *(*SHAPES, "svg"),
    *(*FORMULAS, "math"),
}
"""Elements in no other set are unwrapped. No element of MathML here holds HTML."""
_DRAWN: Final = {
    *("clip-rule", "cx", "cy", "d", "dx", "dy", "fill", "fill-opacity", "fill-rule", "font-family"),
    *("font-size", "font-weight", "height", "points", "r", "rx", "ry", "stroke", "stroke-width"),
    *("stroke-dasharray", "stroke-linecap", "stroke-linejoin", "text-anchor", "transform", "width"),
    *("x", "x1", "x2", "y", "y1", "y2"),
}
_PLAIN: Final = r"(?is)(?!.*url)[\w\s#%.,'()+-]*"
"""A colour, a name or numbers, nothing to fetch."""
_ATTRIBUTES: Final[dict[str, set[str]]] = {
    "*": {"aria-hidden", "aria-label", "class", "dir", "lang", "title"},
    "a": {"href"},
    "audio": {"src", "controls", "loop", "muted"},
    "details": {"open"},
    "img": {"align", "alt", "height", "loading", "src", "srcset", "sizes", "width"},
    "input": {"checked", "disabled", "id", "name"},
    "label": {"for"},
    "li": {"id", "value"},
    "math": {"display"},
    "ol": {"reversed", "start", "type"},
    **dict.fromkeys(SHAPES, _DRAWN),
    "source": {"height", "media", "sizes", "src", "srcset", "type", "width"},
    "sup": {"id"},
    "svg": _DRAWN - {"transform"} | {"viewBox", "xmlns"},  # that could move it out of its place
    "td": {"align", "colspan", "rowspan", "style"},
    "th": {"align", "colspan", "rowspan", "scope", "style"},
    "time": {"datetime"},
    "video": {"controls", "height", "loop", "muted", "poster", "src", "width"},
}
_VALUES: Final = {"input": {"type": {"checkbox", "radio"}}, "a": {"target": {"_blank"}}}
_URLS: Final = frozenset({"href", "poster", "src"})
_PICTURE: Final = re.compile(r"data:image/(?:png|gif|jpeg|webp|avif|svg\+xml)[;,]")
_FOREIGN_CLASS: Final = re.compile(
    r"(?:.*-)?(?:recall|synopsis)(?:-.*)?|js-.*|md-(?!button(?:--\w+)?\Z).*"
    r"|(?:fixed|modal|offcanvas|position|sticky|toast)(?:-.*)?|stretched-link",
    re.ASCII,
)
"""Classes of a quote, of a part of a theme that is not text, or that move an element."""


_OWN_CLASS: Final = re.compile(
    "(?:recall|synopsis)(?:-(?:error|explain|icon|note|section|semantic|table))?"
)
_OWN_ATTRIBUTES: Final[dict[str, str]] = {
    "data-recall-receipts": r"(?a)(?:(?:\A| )[\w.~/%-]+#[\w.~/%-]*:\d*:[0-9a-f]{32})+",
    "data-recall-site": r"(?s).*",
    "data-recall-version": r"(?a)[\w.+]+",
    "data-search-exclude": "",
    "tabindex": "0",
}
"""Attributes that only the boxes of a quote have, and their values."""
_FORMS: Final = {**dict.fromkeys(_DRAWN, _PLAIN), **_OWN_ATTRIBUTES, "dir": r"(?i)auto|ltr|rtl"}
_IDS: Final = frozenset({"for", "id", "name"})
_VALUELESS: Final = re.compile(r'(<[a-z]+(?: class="[^"<>]*")? data-search-exclude)=""')
_ENTITIES: Final = {
    "\u2026": "&hellip;",
    "\u2014": "&mdash;",
    "\u203a": "&rsaquo;",
    "\u2610": "&#9744;",
    "\u2611": "&#9745;",
}
"""Signs that a quote adds: one beyond Latin-1 doubles a string's memory."""


_thread: Final = local()
"""The function `rebase` for the HTML that a thread cleans; the `kept_ids` of a part of a page, None
for a quote, whose ids are its own; and the `fault`, which `nh3` would only print."""


def _filter(tag: str, name: str, value: str) -> str | None:
    if _thread.fault is None:
        try:
            return _kept(tag, name, value)
        except BaseException as fault:  # noqa: BLE001 - raised again after cleaning
            _thread.fault = fault
    return None


def _kept(tag: str, name: str, value: str) -> str | None:
    if name == "class":
        return " ".join(filter(_is_class, value.split())) or None
    if name in _URLS:
        return _url(tag, value)
    if name == "srcset":
        return rebase_srcset(value, _thread.rebase) or None
    if name in _IDS:
        return _id(value, is_kept=name == "name")
    form = _FORMS.get(name)
    return value if form is None or re.fullmatch(form, value) else None


def _is_class(name: str) -> bool:
    is_own = _thread.kept_ids is None and _OWN_CLASS.fullmatch(name)
    return bool(is_own or not _FOREIGN_CLASS.fullmatch(name))


def _url(tag: str, value: str) -> str | None:
    if value[:1] == "#" and (identity := _id(value[1:])):
        return f"#{identity}"
    is_picture = tag == "img" and _PICTURE.match(value)
    return value if is_picture else _thread.rebase(value) or None


def _id(value: str, *, is_kept: bool = False) -> str | None:
    if _thread.kept_ids is None:
        return value if value.startswith(_OWN_IDS) else None
    return OWN_ID + value if is_kept or value in _thread.kept_ids else None


@lru_cache
def _cleaner(*, boxed: bool) -> nh3.Cleaner:
    box_attributes = _OWN_ATTRIBUTES.keys() if boxed else set[str]()
    return nh3.Cleaner(
        tags=_TAGS | {"section", "title"} if boxed else _TAGS,
        clean_content_tags=set(DROPPED - {"title"} if boxed else DROPPED),
        attributes={**_ATTRIBUTES, "*": _ATTRIBUTES["*"] | box_attributes},
        tag_attribute_values=_VALUES,
        attribute_filter=_filter,
        filter_style_properties={"text-align"},
        link_rel=None,
        strip_comments=False,
        url_schemes={"http", "https", "mailto", "ftp", "tel", "data"},
    )


def clean(html: str, rebase: Callable[[str], str]) -> str:
    """Return a part of a page without HTML that a quote may not hold.

    Args:
        rebase: Returns a link, empty to drop it.
    """
    ids = {unescape(identity) for identity in OWNER.findall(html)}
    return _cleaned(html, rebase, ids)


def clean_quote(html: str, rebase: Callable[[str], str] | None = None) -> str:
    """Return a quote without disallowed HTML; links stay unless there is a `rebase`."""
    cleaned = _cleaned(html, rebase or (lambda href: href if is_allowed(href) else ""), None)
    return _VALUELESS.sub(r"\1", cleaned) if "exclude=" in cleaned else cleaned


def _cleaned(html: str, rebase: Callable[[str], str], kept_ids: set[str] | None) -> str:
    _thread.rebase, _thread.kept_ids, _thread.fault = rebase, kept_ids, None
    cleaned = _cleaner(boxed=kept_ids is None).clean(html)
    if _thread.fault is not None:
        raise _thread.fault
    for sign, entity in _ENTITIES.items() if not cleaned.isascii() else ():
        cleaned = cleaned.replace(sign, entity)  # `translate` takes twenty times as long
    return without_templates(cleaned)


def is_clean(html: str) -> bool:
    """Tell whether `clean_quote` may have returned this HTML."""
    comments = re.findall(r"<!--(.*?)-->", html, re.DOTALL)
    return all(map(MARKER_COMMENT.fullmatch, comments)) and clean_quote(html) == html


def rebase_html(html: str, source: str, target: str, site: str = "") -> str:
    """Return the HTML of a quote that was rendered for one page, with links for another place.

    Source and target are the URLs of both, relative to the site's root. With the root's URL, links
    are absolute.
    """
    if source == target and not site:
        return html
    root = urljoin(f"{site.rstrip('/')}/", source)
    return clean_quote(
        html, lambda href: urljoin(root, href) if site else move_link(href, source, target)
    )
