"""What answers may depend on besides pages and options: a model, git, the time, files at hand.

All of it is opt-in, and looked for when the first answer needs it. What is missing never fails an
answer: it is told once, and the answer is that of words.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from mkdocs_recall.errors import EmbedderError
from mkdocs_recall.messages import Diagnostics
from mkdocs_recall.options import Semantic, Temporal
from mkdocs_recall.temporal.timeline import Timeline

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from mkdocs_recall.index.selection import Scope
    from mkdocs_recall.options import Enrich
    from mkdocs_recall.scoring.semantic import SemanticSimilarity
    from mkdocs_recall.semantic.embedders import Embedder
    from mkdocs_recall.semantic.vectors import Vectors
    from mkdocs_recall.temporal.timeline import ByteStore


class Location(NamedTuple):
    """Where a documentation is on this machine."""

    root: Path
    """The folder from which the path of a model is seen: that of `mkdocs.yml`."""
    cache: Path | None = None
    """Where vectors are kept; None for nowhere."""


class Context:
    """The circumstances of one build, or of one corpus.

    Attributes:
        place: Where the pages are.
        remarks: What is wrong with them.
        chronicle: What git and the clock tell.
        failed: Whether a model failed, so that answers by meaning are not what they could be.
    """

    def __init__(
        self,
        place: Location,
        *,
        files: Callable[[], Mapping[str, str]] = dict,
        expires: Callable[[str], str] = lambda _: "",
        store: ByteStore | None = None,
        edited: Callable[[], Sequence[str]] | None = None,
    ) -> None:
        """Look for nothing yet.

        Args:
            place: Where the pages are.
            files: Returns the author's file of each page by uri; empty for one without.
            expires: Returns from when on a page does not hold, in ISO 8601; empty for never.
            store: Keeps what git says.
            edited: Returns the files that were edited in this `mkdocs serve`, the newest first;
                None outside of one.
        """
        self.failed = False
        self.remarks = Diagnostics()
        self.place = place
        self.chronicle = Timeline(self.remarks, files=files, expires=expires, store=store)
        self._edited = edited
        self._vectors: dict[str, Vectors] = {}
        self._meanings: dict[tuple[Semantic, Enrich], SemanticSimilarity] = {}
        self._touched: tuple[str, ...] | None = None
        self._keys: dict[str, str] = {}

    def meaning(self, semantic: Semantic, enrich: Enrich) -> SemanticSimilarity:
        """Return what compares queries with sentences by meaning.

        Args:
            semantic: How meaning counts.
            enrich: When a query is embedded with the names of files that were touched last.

        Raises:
            EmbedderError: There is no such model.
        """
        from mkdocs_recall.scoring.semantic import SemanticSimilarity
        from mkdocs_recall.temporal.recent_files import enrich_query

        known = self._meanings.get((semantic, enrich))
        if known is None:
            names = self._names(enrich)
            known = self._meanings[semantic, enrich] = SemanticSimilarity(
                semantic,
                self._vectors_of(semantic.model),
                min_similarity=self._embedder(semantic.model).default_min_similarity,
                enriched=lambda query: enrich_query(query, names),
            )
        return known

    def key(self, values: Mapping[str, Any], scope: Scope) -> str:
        """Return what stands for all that the answer of a directive depends on besides.

        Args:
            values: The options of the directive that are not as by default, as JSON has them.
            scope: Whom it asks.

        Raises:
            OptionError: The variable that should tell what time it is does not.
        """
        semantic, enrich, temporal = map(values.get, ("semantic", "enrich", "temporal"))
        if not semantic and not temporal:
            return ""
        key = json.dumps([semantic, enrich, temporal, *scope.key])
        if key not in self._keys:
            parts = []
            if semantic:
                parts.append(self.semantic_key(Semantic(**semantic), enrich or False))
            if temporal:
                pages = {target.uri for target in scope.targets}
                parts.append(self.chronicle.key(Temporal(**temporal), sorted(pages)))
            self._keys[key] = "\n\n".join(parts)
        return self._keys[key]

    def semantic_key(self, semantic: Semantic, enrich: Enrich) -> str:
        """Return what stands for all that answers by meaning depend on besides their pages."""
        try:
            model = self._embedder(semantic.model)
            parts = model.fingerprint, str(model.default_min_similarity)
        except EmbedderError as error:
            self.fail(error)
            return ""
        return "\n".join((*parts, *self._names(enrich)))

    def fail(self, error: EmbedderError) -> None:
        """Note that a model failed."""
        self.failed = True
        self.remarks.warn(f"only words count, for meaning cannot be told: {error}")

    def save(self, *, soon: bool = True) -> None:
        """Leave what was embedded to the next process; if that is little, only if it is due."""
        for vectors in self._vectors.values():
            vectors.save(soon=soon)
            if vectors.notice:
                self.remarks.note(vectors.notice)

    def _vectors_of(self, model: str) -> Vectors:
        from mkdocs_recall.semantic.vectors import Vectors

        if model not in self._vectors:
            self._vectors[model] = Vectors(self._embedder(model), self.place.cache)
        return self._vectors[model]

    def _embedder(self, model: str) -> Embedder:
        from mkdocs_recall.semantic.embedders import embedder

        return embedder(model, self.place.root)

    def _names(self, enrich: Enrich) -> tuple[str, ...]:
        """Return the names of the files touched last, where they are asked for."""
        from mkdocs_recall.temporal.recent_files import recent_file_names

        if not enrich or (enrich == "serve" and self._edited is None):
            return ()
        if self._touched is None:
            edited = self._edited() if self._edited else ()
            self._touched = recent_file_names(self.chronicle.folder, edited)
        return self._touched
