"""A page as a line of a published file, and its words for the document frequencies of the site."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Final, NamedTuple

from mkdocs_recall.text.language import get_language
from mkdocs_recall.text.packing import pack
from mkdocs_recall.text.terms import distinct_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mkdocs_recall.text.model import Document

DOCUMENT: Final = b',"document":'
"""What precedes the packed document, the last value of a page's line. No text of JSON can hold it:
a quotation mark in a text is escaped."""
_DIGITS: Final = 32
"""Of a page's digest: 128 bits tell one version of a page from another."""


class PackedPage(NamedTuple):
    """A page ready for a published file."""

    line: bytes
    language: str
    words: tuple[str, ...]
    """Each word once: folded, without stop words."""


def pack_page(document: Document, expires: str = "", packed: bytes | None = None) -> PackedPage:
    """Return a page as a published file has it.

    Args:
        expires: From when on it no longer holds, in ISO 8601; empty where it does not say.
        packed: The page as `text.packing` packs it without lines; None to do that here.
    """
    if packed is None:
        # No reader has the author's file, and older versions read no questions.
        packed = pack(replace(document, asks=()), with_lines=False)
    head = {
        "uri": document.uri,
        "url": document.url,
        "title": document.title,
        "digest": document_digest(packed),
    }
    if expires:
        head["expires"] = expires
    line = compact_json(head)[:-1] + DOCUMENT + packed + b"}\n"
    texts = [block.text for block in document.blocks]
    return PackedPage(line, document.language, _words(texts, document.language))


def page_of_line(line: bytes) -> PackedPage:
    """Return the page that `pack_page` has turned into a line; one that is no page has no words."""
    try:
        _, language, *_, columns = json.loads(line)["document"]
        return PackedPage(line, language, _words(columns[0] if columns else [], language))
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return PackedPage(line, "", ())


def count_words(
    pages: Iterable[PackedPage], others: Mapping[str, Counter[str]] | None = None
) -> dict[str, Counter[str]]:
    """Return, by language, in how many pages each word occurs.

    Args:
        others: The same of other pages, to which these are added; None for none.
    """
    frequencies = {code: counts.copy() for code, counts in (others or {}).items()}
    for page in pages:
        frequencies.setdefault(page.language, Counter()).update(page.words)
    return frequencies


def document_digest(packed: bytes) -> str:
    """Return the digest of a packed document, as the line of its page states it."""
    return sha256(packed).hexdigest()[:_DIGITS]


def compact_json(value: object) -> bytes:
    """Return a value as JSON without spaces, in ASCII."""
    return json.dumps(value, separators=(",", ":")).encode()


def _words(texts: Sequence[str], language: str) -> tuple[str, ...]:
    return tuple(distinct_words(texts, get_language(language)))
