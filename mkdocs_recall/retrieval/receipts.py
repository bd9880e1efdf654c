"""The receipt of a passage: which sentence of which section it is, for `verify`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mkdocs_recall import __version__
from mkdocs_recall.text.wording import wording_digest

if TYPE_CHECKING:
    from mkdocs_recall.retrieval.result import Passage


def receipt_record(passage: Passage, site: str) -> dict[str, Any]:
    """Return the receipt of a passage: what made it, its place, the digest of its sentence."""
    return {
        "site": site,
        "version": __version__,
        "uri": passage.uri,
        "anchor": passage.anchor,
        "line": passage.line,
        "digest": wording_digest(passage.sentence.text),
    }
