"""The pages and sections that a source names, less those that may not be quoted right now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mkdocs_recall.errors import SourceError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mkdocs_recall.index.selection import PageSet, Scope

_REMEDY: Final = "; 'include_expired: true' quotes it all the same"


def quotable_scope(
    pages: PageSet,
    sources: Sequence[str],
    page: str,
    expired_of: Callable[[list[str]], Mapping[str, str]],
) -> tuple[Scope, dict[str, str]]:
    """Return what sources name, and the pages among it that are not quoted, with the reason.

    Args:
        page: The page they are seen from; empty for the root. A glob leaves this page out.
        expired_of: Returns which of some pages have expired, with the reason.
    """
    scope = pages.scope(sources, page=page)
    uris = {target.uri for target in scope.targets}
    expired = expired_of(sorted(uris))
    for target in scope.named:
        if target.uri in expired:
            msg = f"'{target.uri}' cannot be quoted: {expired[target.uri]}{_REMEDY}"
            raise SourceError(msg)
    hidden = dict.fromkeys(scope.hidden_on(page), "it is on the page that asks")
    if uris <= hidden.keys():
        msg = f"source '{', '.join(sources)}' matches no page but this one, which it leaves out"
        raise SourceError(msg)
    if uris <= hidden.keys() | expired.keys():
        matched = "matches only pages that have expired or are not valid yet"
        msg = f"source '{', '.join(sources)}' {matched}{_REMEDY}"
        raise SourceError(msg)
    return scope, {**expired, **hidden}
