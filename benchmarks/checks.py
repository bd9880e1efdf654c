"""Is what was built right? A build that is fast and wrong is not measured, it is broken."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from benchmarks.site import Site

_QUOTE = re.compile(r'<blockquote class="(recall|synopsis)" data-search-exclude>\s*<p>(?!</p>)')
_LEFT_OVER = re.compile(
    r'class="[^"]*\b(?:recall|synopsis)-error\b|class="language-(?:recall|synopsis)\b|!-- recall:'
)
"""A caution in place of a quote; a fence that stayed code; a marker that nobody filled."""

_AT_ONCE = 65_536  # bytes


def unresolved(site: Site) -> list[str]:
    """Return the pages on which not every directive has become a quote."""
    asked: dict[str, Counter[str]] = {}
    for directive in site.directives:
        asked.setdefault(directive.host, Counter())[directive.name] += 1
    wrong = []
    for uri, expected in asked.items():
        html = built_page(site, uri).read_text(encoding="utf-8")
        if Counter(_QUOTE.findall(html)) != expected or _LEFT_OVER.search(html):
            wrong.append(uri)
    return wrong


def built_page(site: Site, uri: str) -> Path:
    """Return the HTML file that a page was built to."""
    path = site.built / uri
    if path.name in {"index.md", "README.md"}:
        return path.with_name("index.html")
    return path.with_suffix("") / "index.html"


def digests(folder: Path) -> dict[str, str]:
    """Return a digest of every file of a built site, by path."""
    return {
        path.relative_to(folder).as_posix(): _digest(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def _digest(path: Path) -> str:
    """Return the digest of a file without holding it: the index of a search is large."""
    found = hashlib.sha256()
    with path.open("rb") as file:
        while part := file.read(_AT_ONCE):
            found.update(part)
    return found.hexdigest()


def differing(one: Mapping[str, str], other: Mapping[str, str]) -> list[str]:
    """Return the files that are not the same in two built sites."""
    return sorted(path for path in {*one, *other} if one.get(path) != other.get(path))
