"""The unchanged pages that `--dirty` must not skip: those with directives, and what these name.

Which of them another page has made stale is not worth knowing: to render the few pages that quote
and are quoted costs less than to keep account of all that a quote depends on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mkdocs.structure.files import File, InclusionLevel

from mkdocs_recall.directives.fences import may_hold_directive
from mkdocs_recall.errors import RecallError
from mkdocs_recall.text.front_matter import split_front_matter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mkdocs.structure.files import Files

    from mkdocs_recall.directives.fences import Fence
    from mkdocs_recall.options import Options
    from mkdocs_recall.plugin.sources import SourcePages
    from mkdocs_recall.plugin.state import State

_INCLUDES: Final = ("8<", "{%")
"""What marks a file that a page includes, with snippets, mkdocs-include-markdown-plugin or macros:
the file may hold a fence that it did not hold in the last build."""


def force_pages(
    files: Files, sources: SourcePages, state: State, *, read: Callable[[Fence, int], Options]
) -> None:
    """Have MkDocs render the pages with directives, and the pages that directives name.

    Args:
        read: Returns the options of a fence by its number, see `DirectivePages.options`.
    """
    pages = files.documentation_pages(inclusion=InclusionLevel.is_in_serve)
    asking, named = list[File](), set(state.named)
    for file in pages:
        text = file.content_string
        fences = _fences(text)
        named.update(_named(file, fences, sources, read))
        if fences or state.has_directives(file.src_uri) or any(m in text for m in _INCLUDES):
            asking.append(file)
    _force((*asking, *(file for file in pages if file.src_uri in named)))


def force_all(files: Files) -> None:
    """Have MkDocs render all pages."""
    _force(files.documentation_pages(inclusion=InclusionLevel.is_in_serve))


def _fences(text: str) -> list[Fence]:
    """Return the directives in the file of a page."""
    if not may_hold_directive(text):
        return []
    from mkdocs_recall.directives.parser import find_fences

    return find_fences(split_front_matter(text).body)


def _named(
    file: File,
    fences: Iterable[Fence],
    sources: SourcePages,
    read: Callable[[Fence, int], Options],
) -> Iterator[str]:
    """Yield the pages that the directives of a page name."""
    for number, fence in enumerate(fences):
        try:
            source = read(fence, number).source
            scope = sources.pages.scope(source, page=file.src_uri)
        except RecallError:  # its author is warned when the page is rendered
            continue
        yield from (target.uri for target in scope.targets)


def _force(files: Iterable[File]) -> None:
    for file in files:
        file.is_modified = _always  # type: ignore[method-assign]  # of this file alone


def _always() -> bool:
    return True
