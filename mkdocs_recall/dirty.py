"""Which unchanged pages depend on changed ones, so that `--dirty` must not pass over them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from mkdocs_recall import dependencies
from mkdocs_recall.directives import may_hold_directive
from mkdocs_recall.errors import RecallError
from mkdocs_recall.state import fingerprint

if TYPE_CHECKING:
    from mkdocs.structure.files import File, Files

    from mkdocs_recall.collection import Scope
    from mkdocs_recall.sources import Sources
    from mkdocs_recall.state import State


def force_dependents(files: Files, sources: Sources, state: State) -> None:
    """Have MkDocs render the pages that depend on changed ones.

    Args:
        files: The files of the site.
        sources: Its pages.
        state: What the last build knew of them.
    """
    search = _Search(sources, state)
    stale = [
        file
        for file in files.documentation_pages()
        if not file.is_modified() and search.is_stale(file)
    ]
    for file in stale:
        file.is_modified = _always  # type: ignore[method-assign]  # of this file alone


class _Asked(NamedTuple):
    """What is known of the pages of a scope."""

    targets: str
    """The digest of what it names."""
    modified: bool
    """Whether one of them has changed."""
    newest: float
    """When one of them was last written."""


class _Search:
    """Looks each page up once, however many ask it."""

    def __init__(self, sources: Sources, state: State) -> None:
        self._sources = sources
        self._state = state
        self._asked: dict[tuple[str, ...], _Asked] = {}

    def is_stale(self, file: File) -> bool:
        """Tell whether a page that has not changed itself may be another by now."""
        named = self._state.named(file.src_uri, fingerprint(file.abs_src_path))
        if named is None:
            return may_hold_directive(file.content_string)
        built = _modified(file.abs_dest_path)
        for written, before in named:
            try:
                scope = self._sources.collection.scope(written, page=file.src_uri)
            except RecallError:
                return True
            asked = self._of(scope)
            if asked.targets != before or asked.modified or asked.newest > built:
                return True
        return False

    def _of(self, scope: Scope) -> _Asked:
        known = self._asked.get(scope.key)
        if known is None:
            files = [self._sources.file(uri) for uri in {t.uri for t in scope.targets}]
            known = self._asked[scope.key] = _Asked(
                dependencies.targets_digest(scope).hex(),
                any(file.is_modified() for file in files),
                max((_modified(file.abs_src_path) for file in files), default=0.0),
            )
        return known


def _always() -> bool:
    return True


def _modified(path: str | None) -> float:
    """Return when a file was last written; never, for one that there is not."""
    try:
        return os.path.getmtime(path) if path else 0.0  # noqa: PTH204 - as MkDocs compares them
    except OSError:
        return 0.0
