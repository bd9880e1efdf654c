"""The context of answers: an opt-in model, git, the time, and recently edited files.

If one of these is missing, answers use words alone and one warning says so.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mkdocs_recall.errors import EmbedderError
from mkdocs_recall.text.front_matter import Validity

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from mkdocs_recall.factors.history import Timeline
    from mkdocs_recall.factors.vectors import Vectors
    from mkdocs_recall.index.sources import Scope
    from mkdocs_recall.options import Embedder, Enrich, Options, Semantic
    from mkdocs_recall.ranking.semantic import SemanticSimilarity
    from mkdocs_recall.store import Cache


class Context(Struct, eq=False, dict=True):
    """The context of a build or a corpus, looked up on demand."""

    root: Path
    """The folder of `mkdocs.yml`, to which a model's path is relative."""
    cache: Path | None = None
    """The folder of cached vectors; None for no cache."""
    config_file: Path | None = None
    """The site's `mkdocs.yml`; None for pages without a site."""
    files: Callable[[], Mapping[str, str]] = dict
    validity: Callable[[str], Validity] = lambda _: Validity()
    store: Cache | None = None
    edited: Callable[[], Sequence[str]] | None = None
    """Returns the files edited during this `mkdocs serve`, the newest first."""
    warnings: dict[str, None] = {}
    notices: dict[str, None] = {}
    """What concerns all answers, each text once."""
    failed: bool = False
    """Whether a model failed, so that answers lack its matches."""
    _vectors: dict[str | Embedder, Vectors] = {}
    _similarities: dict[tuple[Semantic, Enrich], SemanticSimilarity] = {}
    _recent_names: tuple[str, ...] | None = None
    _keys: dict[tuple[Any, ...], str] = {}

    @property
    def diagnostics(self) -> tuple[str, ...]:
        """Warnings, then notices."""
        return (*self.warnings, *self.notices)

    @cached_property
    def timeline(self) -> Timeline:
        """The dates from git and the clock."""
        from mkdocs_recall.factors.history import Timeline

        return Timeline(self.warnings, self.notices, self.files, self.validity, self.store)

    def meaning(self, semantic: Semantic, enrich: Enrich) -> SemanticSimilarity:
        """Return the comparison of queries with sentences by meaning."""
        from mkdocs_recall.factors.history import enrich_query
        from mkdocs_recall.factors.vectors import Vectors
        from mkdocs_recall.ranking.semantic import SemanticSimilarity

        similarity = self._similarities.get((semantic, enrich))
        if similarity is None:
            names = self._names(enrich)
            model = self._embedder(semantic.model)
            if semantic.model not in self._vectors:
                self._vectors[semantic.model] = Vectors(model, self.cache)
            least = semantic.min_similarity
            similarity = self._similarities[semantic, enrich] = SemanticSimilarity(
                semantic,
                self._vectors[semantic.model],
                model.default_min_similarity if least is None else least,
                enrich=lambda query: enrich_query(query, names),
            )
        return similarity

    def key(self, options: Options, scope: Scope) -> str:
        """Return the key of what an answer depends on besides pages."""
        if options.is_pure:
            return ""
        from mkdocs_recall.options import RecallOptions

        semantic: Semantic | None = None
        enrich: Enrich = False
        if isinstance(options, RecallOptions):
            semantic, enrich = options.semantic, options.enrich
        key = semantic, enrich, options.temporal, scope.key
        if key not in self._keys:
            parts = []
            if semantic is not None:
                parts.append(self.semantic_key(semantic, enrich))
            if options.temporal is not None:
                parts.append(self.timeline.key(options.temporal, sorted(scope.uris)))
            self._keys[key] = "\n\n".join(parts)
        return self._keys[key]

    def semantic_key(self, semantic: Semantic, enrich: Enrich) -> str:
        """Return the key of what meaning depends on besides pages."""
        try:
            model = self._embedder(semantic.model)
            parts = model.fingerprint, str(model.default_min_similarity)
        except EmbedderError as error:
            self.fail(error)
            return ""
        return "\n".join((*parts, *self._names(enrich)))

    def fail(self, error: EmbedderError) -> None:
        """Record that a model failed."""
        self.failed = True
        self.warnings.setdefault(f"only words are compared, since meanings cannot be: {error}")

    def save(self) -> None:
        """Save embeddings for the next process."""
        for vectors in self._vectors.values():
            vectors.save()
            if vectors.notice:
                self.notices.setdefault(vectors.notice)

    def _embedder(self, model: str | Embedder) -> Embedder:
        if not isinstance(model, str):
            return model
        from mkdocs_recall.factors.embedders import embedder

        return embedder(model, self.root)

    def _names(self, enrich: Enrich) -> tuple[str, ...]:
        from mkdocs_recall.factors.history import recent_file_names

        if not enrich or (enrich == "serve" and self.edited is None):
            return ()
        if self._recent_names is None:
            edited = self.edited() if self.edited else ()
            self._recent_names = recent_file_names(self.timeline.folder, edited)
        return self._recent_names
