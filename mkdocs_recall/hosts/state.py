"""What one build leaves to the next: its quotes, and the pages that have or name directives.

A quote is used again if nothing has changed that the key of its answer is made of. To make that key
takes the options of the directive, and the pages that it names. So the key of an answer that
depends on nothing but a few pages is left beside these. While no page of the site comes or goes, to
compare their digests is enough, which takes a fraction of the time.

`--dirty` must not skip the unchanged pages with directives, which may not be in their files, nor
what these name. Which of them another page has made stale is not worth knowing: to render the few
pages that quote and are quoted costs less than to keep account of all that a quote depends on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence  # noqa: TC003 - msgspec reads them
from contextlib import suppress
from hashlib import blake2b
from typing import TYPE_CHECKING, Final, NamedTuple

from mkdocs_recall.answers.links import is_quote, is_section
from mkdocs_recall.directives.fences import Fence, find_fences, may_hold_directive
from mkdocs_recall.errors import RecallError
from mkdocs_recall.hosts.directive import Quote  # noqa: TC001 - the same
from mkdocs_recall.text.front_matter import split_front_matter

if TYPE_CHECKING:
    from collections.abc import Callable

    from mkdocs.structure.files import File

    from mkdocs_recall.hosts.sources import SourcePages
    from mkdocs_recall.options import Options


def cached_quote(quote: Quote | None) -> Quote | None:
    """Return a quote from the cache; None if it is not one: a stranger may have written it."""
    if quote is None or quote.error or not quote.holds:
        return None
    is_clean = is_quote
    if is_section(quote.html):
        from mkdocs_recall.answers.section import is_clean_section as is_clean
    return quote._replace(cached=True) if is_clean(quote.html) else None


class PageFences(NamedTuple):
    """The fences of a page with directives, or with what looked like some."""

    markdown: str = ""
    """The digest of its Markdown; empty where each build warns of one of them."""
    fences: Sequence[Fence] = ()

    def are_in(self, text: str) -> bool:
        """Tell whether the fences are in a text: others may write to a cache."""
        end = 0
        lines = f"\n{text}\n"
        for fence in self.fences:
            is_here = lines.startswith(f"\n{fence.source}\n", fence.start)
            if not (end <= fence.start and is_here and fence.is_as_written):
                return False
            end = fence.end
        return True


class Origin(NamedTuple):
    """What the key of an answer was made of that depends on nothing but a few pages."""

    key: bytes
    directive: tuple[str, str, str]
    """The fence, the address and the language of its page."""
    site: bytes
    """Stands for how fences and pages are read, and for which pages a source names."""
    pages: Sequence[str]
    """By uri."""
    digest: bytes
    """That of these pages."""


class LastBuild(NamedTuple):
    """What a build knows of the one before."""

    pages: Mapping[str, PageFences] = {}
    """Those with directives, by uri."""
    named: Sequence[str] = ()
    """The pages that directives name, by uri."""
    origins: Mapping[str, Origin] = {}
    """By the ids of directives."""


def markdown_digest(text: str) -> str:
    """Return the digest of a page's Markdown, in hexadecimal digits."""
    # Between two pages that MkDocs renders, this takes two thirds of the time of SHA-256.
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


_INCLUDES: Final = ("8<", "{%")
"""What marks a file that a page includes, with snippets, mkdocs-include-markdown-plugin or macros:
the file may hold a fence that it did not hold in the last build."""


def pages_to_force(
    pages: Sequence[File],
    sources: SourcePages,
    last: LastBuild,
    *,
    read: Callable[[Fence, int], Options],
) -> list[File]:
    """Return the pages with directives, and the pages that directives name.

    Args:
        read: Returns the options of a fence by its number, see `DirectivePages.options`.
    """
    forced = set(last.named)
    for file in pages:
        text, uri = file.content_string, file.src_uri
        body = split_front_matter(text).body if may_hold_directive(text) else ""
        fences = find_fences(body)
        for number, fence in enumerate(fences):
            with suppress(RecallError):  # its author is warned when the page is rendered
                scope = sources.pages.scope(read(fence, number).source, page=uri)
                forced.update(target.uri for target in scope.targets)
        if fences or uri in last.pages or any(mark in text for mark in _INCLUDES):
            forced.add(uri)
    return [file for file in pages if file.src_uri in forced]
