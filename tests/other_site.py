"""Another site for tests: its published file, fetched as `mkdocs-recall fetch` leaves it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from mkdocs_recall import Corpus
from mkdocs_recall.pages.published import (
    LockedSite,
    SiteHeader,
    copy_path,
    file_digest,
    join_pages,
    pack_page,
    read_site_lock,
    write_site_lock,
)
from mkdocs_recall.text.model import Document

FLUX = {
    "index.md": "# Flux\n\nFlux keeps clusters in sync with their repositories.\n",
    "guides/tokens.md": (
        "# Tokens\n\n## Expiry\n\n"
        "A flux token expires after 12 hours, see [the start](../start/).\n"
        "\n## Renewal\n\nThe controller renews a flux token an hour before.\n"
    ),
}
URL = "https://flux.example/docs/"
SITES = {"flux": {"url": URL}}


def pack_site(header: SiteHeader, pages: Iterable[Document]) -> bytes:
    """Return the published file of a site with some pages."""
    return join_pages(header, map(pack_page, pages))


def flux(pages: dict[str, str] | None = None, *, site_url: str = URL, licence: str = "") -> bytes:
    """Return the published file of the site Flux."""
    header = SiteHeader("Flux", site_url, "2.5", "en", licence)
    documents = Corpus.from_markdown(pages or FLUX).documents
    return pack_site(header, [replace(d, url=d.uri.replace(".md", "/")) for d in documents])


def put_copy(root: Path, name: str = "flux", data: bytes | None = None) -> Path:
    """Put the copy of a site beside `mkdocs.yml`, with its digest."""
    data = flux() if data is None else data
    path = copy_path(root, name)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    sites = read_site_lock(root)
    write_site_lock(root, {**sites, name: LockedSite(URL, file_digest(data))})
    return path
