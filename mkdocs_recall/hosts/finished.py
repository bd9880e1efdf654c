"""Whether the finished page of a source still shows what is quoted from it.

A plugin may replace the content of a page after its text was quoted, so that only some readers see
it. Other plugins minify a page, escape it, hyphenate it or change its quotation marks: it shows the
same, and nothing is said. So the longest words of each cited place are looked for, and only a page
that holds none of them has lost its text.
"""

from __future__ import annotations

import re
from html import unescape
from posixpath import join, normpath
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mkdocs.structure.pages import Page

    from mkdocs_recall.hosts.directive import Directive

_CITE: Final = re.compile(r"<cite>(.*?)</cite>", re.DOTALL)
_HREF: Final = re.compile(r'<a href="([^"]*)"')
_ADDED: Final = re.compile(
    r'<p class="admonition-title">.*?</p>|<div class="admonition note recall-note".*?</div>',
    re.DOTALL,
)
"""What is not of a page: the title of a quote, which may be the query, and notes to readers."""
_TAG: Final = re.compile(r"<[^<>]*>")
_WORD: Final = re.compile(r"[^\W\d_]{6,}")
_FEWEST, _MOST = 2, 12
"""How many words of a place are looked for; a place with fewer is not."""
_INVISIBLE: Final = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060"))
"""What may be put into a word so that it breaks there."""


class QuotedPlaces:
    """The places of each page that the quotes of a build cite."""

    def __init__(self, uris: Mapping[str, str]) -> None:
        """Start without a place.

        Args:
            uris: The pages by URL, relative to the site's root.
        """
        self._uris = {normpath(url): uri for url, uri in uris.items()}
        self._places: dict[str, list[tuple[Directive, Sequence[str]]]] = {}
        """By uri: what cites a place, and the longest words of what it quotes of that."""

    def note(self, directive: Directive, html: str) -> None:
        """Note what a quote cites of pages of this site."""
        folder = directive.mkdocs_page.url.rpartition("/")[0]
        for href, words in _cited(html):
            path = join(f"/{folder}", href.partition("#")[0].partition("?")[0])
            uri = self._uris.get(normpath(path)[1:] or ".")
            if uri and uri != directive.page:
                self._places.setdefault(uri, []).append((directive, words))

    def quoting(self, uri: str) -> list[Page]:
        """Return the pages that cite a page, each once, in the order of their directives."""
        return list({one.page: one.mkdocs_page for one, _ in self._places.get(uri, ())}.values())

    def lost(self, uri: str, html: str) -> Directive | None:
        """Return the first directive of which a finished page holds no word; None for none.

        Args:
            html: The page as it is written.
        """
        missing = [
            (directive, words)
            for directive, words in self._places.pop(uri, ())
            if len(words) >= _FEWEST and not any(word in html for word in words)
        ]
        if not missing:
            return None
        # without white space, and without what may be in a word
        shown = "".join(unescape(_TAG.sub("", html)).translate(_INVISIBLE).split())
        return next((one for one, words in missing if not any(w in shown for w in words)), None)


def _cited(html: str) -> Iterator[tuple[str, list[str]]]:
    """Yield where each citation of a quote leads, and the longest words of what it is for."""
    parts = _CITE.split(html)
    for text, cite in zip(parts[::2], parts[1::2], strict=False):
        href = _HREF.search(cite)
        shown = unescape(_TAG.sub(" ", _ADDED.sub("", text) if "admonition" in text else text))
        words = sorted(dict.fromkeys(_WORD.findall(shown)), key=len, reverse=True)[:_MOST]
        if href:
            yield unescape(href[1]), words
