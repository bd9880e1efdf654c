"""What an answer depends on, as digests: equal digests mean equal answers, byte for byte.

An answer is made by this code and the libraries under it, from the options of its directive, the
page it is inserted into, and each page of its scope: its text, and its place in the order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mkdocs_recall.cache.pipeline import pipeline
from mkdocs_recall.cache.store import digest
from mkdocs_recall.readers.mkdocs_pages import site_language

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mkdocs.config.defaults import MkDocsConfig

    from mkdocs_recall.index.selection import Scope
    from mkdocs_recall.options import Options
    from mkdocs_recall.readers.mkdocs_pages import PageList
    from mkdocs_recall.text.front_matter import PageMetadata


def state_key(config: MkDocsConfig) -> bytes:
    """Return the key of the state of a site: it has one for each language it is built in."""
    return digest("state", config.config_file_path or "", config.docs_dir, site_language(config))


def form_key(site: str | None, *, copied: bool) -> str:
    """Return what stands for the forms of quotes.

    Args:
        site: The name that receipts have; None for none.
        copied: Whether there is Markdown for copies of pages.
    """
    return ("" if site is None else f"receipts of {site}") + "\0copied" * copied


def page_digest(
    content: str,
    *,
    uri: str,
    titles: tuple[str, str],
    stated: PageMetadata,
    url: str,
    language: str,
    limits: str,
) -> bytes:
    """Return the digest of a page as a source."""
    return digest(pipeline(), uri, *titles, *map(str, stated), url, language, limits, content)


def listing_digest(pages: PageList, files: Iterable[str]) -> bytes:
    """Return the digest of all that decides which pages a source names."""
    refused = (f"{uri}\0{reason}" for uri, reason in pages.refused.items())
    parts = pages.uris, refused, sorted(pages.unlisted), files
    return digest(*map("\0\0".join, parts))


def targets_digest(scope: Scope) -> bytes:
    """Return the digest of which pages and sections a scope names, in which order."""
    parts: list[str] = []
    for targets in (scope.targets, scope.named):
        parts.append(str(len(targets)))
        for target in targets:
            parts += (target.uri, target.anchor)
    return digest(*parts)


def answer_key(
    options: Options,
    targets: bytes,
    pages: bytes,
    *,
    uri: str,
    url: str,
    language: str,
    context: str = "",
) -> bytes:
    """Return the key of an answer as it is inserted into a page.

    Args:
        url: Where that is served; links lead from there.
        context: Stands for the model, git and the time, where these count.
    """
    return digest(pipeline(), "answer", repr(options), targets, pages, context, uri, url, language)
