"""A Document as bytes and back: what was read from its HTML; the sentences are cut anew."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mkdocs_recall.text.analysis import analyse
from mkdocs_recall.text.html import Reading, Run
from mkdocs_recall.text.model import Heading, Mark

if TYPE_CHECKING:
    from mkdocs_recall.text.model import Document


def pack(document: Document) -> bytes:
    """Return a page as bytes: JSON in UTF-8."""
    blocks = [(b.text, b.kind, b.top, b.section, b.marks, b.line) for b in document.blocks]
    whole = (document.title, document.language, document.url, document.headings, blocks)
    return json.dumps(whole, separators=(",", ":")).encode()


def unpack(uri: str, packed: bytes) -> Document:
    """Return the page that `pack` was given.

    Args:
        uri: The page's path from the documentation's root.
        packed: The bytes.

    Raises:
        ValueError: They are not what `pack` makes.
    """
    try:
        title, language, url, headings, blocks = json.loads(packed)
        reading = _reading([Heading(*heading) for heading in headings], blocks)
        lines = [block[-1] for block in blocks]
        return analyse(reading, uri=uri, title=title, language=language, url=url, lines=lines)
    except (TypeError, AttributeError, LookupError, RecursionError) as error:
        msg = f"'{uri}' is not packed as it should be"
        raise ValueError(msg) from error


def _reading(headings: list[Heading], blocks: list[list[Any]]) -> Reading:
    paths: list[tuple[Heading, ...]] = [()]
    for heading in headings:
        above = tuple(h for h in paths[-1] if h.level < heading.level)
        paths.append((*above, heading))
    return Reading(
        tuple(
            Run(text, kind, top, section, paths[section], tuple(Mark(*mark) for mark in marks))
            for text, kind, top, section, marks, _ in blocks
        ),
        tuple(headings),
    )
