"""Which unchanged pages depend on changed ones, so that `--dirty` must not pass over them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mkdocs.structure.files import InclusionLevel

from mkdocs_recall.cache.files import fingerprint
from mkdocs_recall.directives.fences import may_hold_directive
from mkdocs_recall.errors import RecallError
from mkdocs_recall.plugin.keys import scope_digest, targets_digest
from mkdocs_recall.text.front_matter import split_front_matter

if TYPE_CHECKING:
    from mkdocs.structure.files import File, Files

    from mkdocs_recall.corpus.context import Context
    from mkdocs_recall.index.selection import Scope
    from mkdocs_recall.plugin.sources import SourcePages
    from mkdocs_recall.plugin.state import State


def force_dependents(
    files: Files, sources: SourcePages, state: State, circumstances: Context
) -> None:
    """Have MkDocs render the pages that depend on changed ones, or on what else has changed.

    Args:
        files: The files of the site.
        sources: Its pages.
        state: What the last build knew of them.
        circumstances: What answers may depend on besides.
    """
    search = _Search(sources, state, circumstances)
    stale = [
        file
        for file in files.documentation_pages(inclusion=InclusionLevel.is_in_serve)
        if not file.is_modified() and search.is_stale(file)
    ]
    for file in stale:
        file.is_modified = _always  # type: ignore[method-assign]  # of this file alone


class _ScopeState(NamedTuple):
    """What is known of the pages of a scope."""

    targets: bytes
    """The digest of what it names."""
    changed: bool
    """Whether one of them is not the page that was read, or will not be."""


class _Search:
    """Looks each page up once, however many ask it."""

    def __init__(self, sources: SourcePages, state: State, circumstances: Context) -> None:
        self._circumstances = circumstances
        self._sources = sources
        self._state = state
        self._asked: dict[tuple[str, ...], _ScopeState] = {}

    def is_stale(self, file: File) -> bool:
        """Tell whether a page that has not changed itself may be another by now."""
        if self._state.missing:  # a fence may come from anywhere, so no page is passed over
            return True
        named = self._state.named(file.src_uri, fingerprint(file.abs_src_path))
        if named is None:
            body = split_front_matter(file.content_string).body
            return self._state.asks(file.src_uri) or may_hold_directive(body)
        for directive, before in named:
            try:
                scope = self._sources.collection.scope(directive.source, page=file.src_uri)
                besides = self._circumstances.key(directive.values, scope)
            except RecallError:
                return True
            asked = self._of(scope)
            if asked.changed or scope_digest(asked.targets, besides) != before:
                return True
        return False

    def _of(self, scope: Scope) -> _ScopeState:
        known = self._asked.get(scope.key)
        if known is None:
            files = [self._sources.file(uri) for uri in {t.uri for t in scope.targets}]
            known = self._asked[scope.key] = _ScopeState(
                targets_digest(scope),
                any(map(self._is_changed, files)),
            )
        return known

    def _is_changed(self, file: File) -> bool:
        known = self._state.source(file.src_uri, fingerprint(file.abs_src_path))
        return known is None or file.is_modified()


def _always() -> bool:
    return True
