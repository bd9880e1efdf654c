"""The unchanged pages that depend on changed ones, which `--dirty` must not skip."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mkdocs.structure.files import InclusionLevel

from mkdocs_recall.cache.files import fingerprint
from mkdocs_recall.directives.fences import may_hold_directive
from mkdocs_recall.errors import RecallError
from mkdocs_recall.plugin.keys import scope_digest, targets_digest
from mkdocs_recall.text.front_matter import split_front_matter

if TYPE_CHECKING:
    from collections.abc import Callable

    from mkdocs.structure.files import File, Files

    from mkdocs_recall.corpus.context import Context
    from mkdocs_recall.directives.fences import Fence
    from mkdocs_recall.index.selection import Scope
    from mkdocs_recall.options import Options
    from mkdocs_recall.plugin.sources import SourcePages
    from mkdocs_recall.plugin.state import State


def force_dependents(
    files: Files,
    sources: SourcePages,
    state: State,
    context: Context,
    *,
    read: Callable[[Fence, int], Options],
    receipts: str,
) -> None:
    """Have MkDocs render the pages that depend on changed ones, or on what else has changed.

    Args:
        context: What answers may depend on besides.
        read: Returns the options of a fence by its number, see `DirectivePages.options`.
        receipts: See `keys.receipts_key`.
    """
    search = _Search(sources, state, context, read=read, receipts=receipts)
    stale = [
        file
        for file in files.documentation_pages(inclusion=InclusionLevel.is_in_serve)
        if not file.is_modified() and search.is_stale(file)
    ]
    for file in stale:
        file.is_modified = _always  # type: ignore[method-assign]  # of this file alone


class _ScopeState(NamedTuple):
    """The pages of a scope, compared with the last build."""

    targets: bytes
    """Their digest."""
    changed: bool
    """Whether one of them differs from the page that the last build has read."""


class _Search:
    """Looks each page up once, however many directives quote it."""

    def __init__(
        self,
        sources: SourcePages,
        state: State,
        context: Context,
        *,
        read: Callable[[Fence, int], Options],
        receipts: str,
    ) -> None:
        self._context = context
        self._read = read
        self._receipts = receipts
        self._sources = sources
        self._state = state
        self._scopes: dict[tuple[str, ...], _ScopeState] = {}

    def is_stale(self, file: File) -> bool:
        """Tell whether a page that has not changed itself may have other quotes now."""
        if self._state.missing:  # a fence may come from anywhere, so no page is skipped
            return True
        if self._state.is_doubtful(file.src_uri):
            return True
        dependencies = self._state.dependencies(file.src_uri, fingerprint(file.abs_src_path))
        if dependencies is None:
            body = split_front_matter(file.content_string).body
            return self._state.has_directives(file.src_uri) or may_hold_directive(body)
        for number, (fence, before) in enumerate(dependencies):
            try:
                options = self._read(fence, number)
                scope = self._sources.pages.scope(options.source, page=file.src_uri)
                context = self._context.key(options, scope)
            except RecallError:
                return True
            pages = self._of(scope)
            key = scope_digest(pages.targets, self._receipts + context)
            if pages.changed or key != before:
                return True
        return False

    def _of(self, scope: Scope) -> _ScopeState:
        state = self._scopes.get(scope.key)
        if state is None:
            uris = {target.uri for target in scope.targets}
            state = self._scopes[scope.key] = _ScopeState(
                targets_digest(scope),
                any(map(self._sources.has_changed, uris)),
            )
        return state


def _always() -> bool:
    return True
