"""What a site of MkDocs publishes for other sites: which of its pages, and what it says of itself.

The plugin asks this of a build, the command of a site that it reads without one.
"""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING, Any, Final

from mkdocs_recall.publishing.published_file import SiteHeader, is_site_url
from mkdocs_recall.readers.mkdocs_pages import site_language

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import File

    from mkdocs_recall.options import Publication

_TAG: Final = re.compile(r"<[^<>]*>")


def site_header(config: MkDocsConfig, publication: Publication) -> SiteHeader:
    """Return what a site says about itself: texts on one line, without markup."""
    url = str(config.site_url or "")
    return SiteHeader(
        site=_on_one_line(config.site_name) or "Documentation",
        site_url=url if is_site_url(url) else "",
        version=publication.version,
        language=site_language(config),
        licence=publication.licence,
        copyright=_on_one_line(unescape(_TAG.sub("", config.copyright or ""))),
    )


def is_published(file: File, meta: Mapping[str, Any]) -> bool:
    """Tell whether a built page is published: it is in the navigation's reach and the search's."""
    search = meta.get("search")
    is_hidden = isinstance(search, dict) and bool(search.get("exclude"))
    return file.inclusion.is_included() and not file.inclusion.is_not_in_nav() and not is_hidden  # type: ignore[no-untyped-call]  # so in MkDocs 1.6


def _on_one_line(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
