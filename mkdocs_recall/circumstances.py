"""What answers may depend on besides pages and options: a model, git, the time, files at hand.

All of it is opt-in, and looked for when the first answer needs it. What is missing never fails an
answer: it is told once, and the answer is that of words.
"""

from __future__ import annotations

import json
import os
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from mkdocs_recall.cache import digest
from mkdocs_recall.errors import EmbedderError
from mkdocs_recall.factors import Semantic, Temporal
from mkdocs_recall.text.front_matter import moment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import date

    from mkdocs_recall.clock import Now
    from mkdocs_recall.collection import Scope
    from mkdocs_recall.embedders import Embedder
    from mkdocs_recall.factors import Enrich
    from mkdocs_recall.history import History
    from mkdocs_recall.meaning import Meaning
    from mkdocs_recall.scoring.temporal import Freshness
    from mkdocs_recall.text.model import Document
    from mkdocs_recall.vectors import Vectors

_DAY = len("2026-02-11")


class Place(NamedTuple):
    """Where a documentation is on this machine."""

    root: Path
    """The folder from which the path of a model is seen: that of `mkdocs.yml`."""
    cache: Path | None = None
    """Where vectors are kept; None for nowhere."""


class Store(NamedTuple):
    """What keeps bytes for the next process."""

    get: Callable[[bytes], bytes | None]
    put: Callable[[bytes, bytes], None]


class Circumstances:
    """The circumstances of one build, or of one corpus.

    Attributes:
        place: Where the pages are.
        warnings: What an author should mend, each once.
        notices: What an author should know, each once.
        failed: Whether a model failed, so that answers by meaning are not what they could be.
    """

    def __init__(
        self,
        place: Place,
        *,
        files: Callable[[], Mapping[str, str]] = dict,
        expires: Callable[[str], str] = lambda _: "",
        store: Store | None = None,
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
        self.warnings: list[str] = []
        self.notices: list[str] = []
        self.place = place
        self._files = files
        self._expires = expires
        self._store = store
        self._edited = edited
        self._vectors: dict[str, Vectors] = {}
        self._meanings: dict[tuple[Semantic, Enrich], Meaning] = {}
        self._freshness: dict[Temporal, dict[str, Freshness]] = {}
        self._times: dict[str, Now] = {}
        self._histories: dict[str, History] = {}
        self._touched: tuple[str, ...] | None = None
        self._keys: dict[str, str] = {}

    def meaning(self, semantic: Semantic, enrich: Enrich) -> Meaning:
        """Return what compares queries with sentences by meaning.

        Args:
            semantic: How meaning counts.
            enrich: When a query is embedded with the names of files that were touched last.

        Raises:
            EmbedderError: There is no such model.
        """
        from mkdocs_recall.meaning import Meaning  # noqa: PLC0415 - see the module's docstring
        from mkdocs_recall.touched import enriched  # noqa: PLC0415

        known = self._meanings.get((semantic, enrich))
        if known is None:
            names = self._names(enrich)
            known = self._meanings[semantic, enrich] = Meaning(
                semantic,
                self._vectors_of(semantic.model),
                min_similarity=self._embedder(semantic.model).default_min_similarity,
                enriched=lambda query: enriched(query, names),
            )
        return known

    def freshness(self, temporal: Temporal) -> Callable[[Document], Freshness]:
        """Return what says how much time counts for a page."""
        from mkdocs_recall.scoring.temporal import freshness  # noqa: PLC0415

        now, history = self._now(temporal), self._history(temporal)
        known = self._freshness.setdefault(temporal, {})

        def fresh(document: Document) -> Freshness:
            if document.uri not in known:
                past = history.past.get(self._paths.get(document.uri, ""))
                events = map(datetime.fromisoformat, past.dates if past else ())
                known[document.uri] = freshness(
                    document, events, now.moment, temporal, whole=past is None or past.whole
                )
            return known[document.uri]

        return fresh

    def expired(self, temporal: Temporal, pages: Iterable[str]) -> dict[str, str]:
        """Return those of some pages that do not hold any more, with the reason."""
        stated = {page: expires for page in pages if (expires := self._expires(page))}
        if not stated:
            return {}
        now = self._now(temporal).moment
        return {
            page: f"it expired on {expires[:_DAY]}"
            for page, expires in stated.items()
            if moment(expires) <= now
        }

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
                parts.append(self.temporal_key(Temporal(**temporal), sorted(pages)))
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

    def temporal_key(self, temporal: Temporal, pages: Iterable[str]) -> str:
        """Return what stands for all that answers of some pages depend on besides, in time."""
        self._history(temporal)  # what is wrong with it is told in each build
        now = self._now(temporal).moment.isoformat()
        expired = (f"{page} {why}" for page, why in self.expired(temporal, pages).items())
        return "\n".join((now, *self._heads, *expired))

    def is_current(self) -> bool:
        """Tell whether git and time still say what they said; of a clock only the day counts."""
        if "_heads" in vars(self) and self._heads != self._find_heads():
            return False
        times = list(self._times.items())
        return all(_day_of(known) == _day_of(self._ask_now(stated)) for stated, known in times)

    def fail(self, error: EmbedderError) -> None:
        """Note that a model failed."""
        self.failed = True
        self._warn(f"only words count, for meaning cannot be told: {error}")

    @property
    def told(self) -> tuple[str, ...]:
        """All warnings and notices so far."""
        return (*self.warnings, *self.notices)

    def save(self, *, soon: bool = True) -> None:
        """Leave what was embedded to the next process; if that is little, only if it is due."""
        for vectors in self._vectors.values():
            vectors.save(soon=soon)
            if vectors.notice:
                self._note(vectors.notice)

    @cached_property
    def _paths(self) -> Mapping[str, str]:
        """The author's file of each page that has one, by uri."""
        return {uri: file for uri, file in self._files().items() if file}

    @cached_property
    def _folder(self) -> Path | None:
        """The folder where git is asked what time it is, and what was touched; None for none.

        It is that of the pages in the repository that has most of them.
        """
        if not self._repositories:
            return None
        files = max(self._repositories.values(), key=len)
        return Path(os.path.commonpath([os.path.dirname(file) for file in files]))  # noqa: PTH120

    @cached_property
    def _repositories(self) -> Mapping[str, Mapping[str, str]]:
        """The pages' files by the repository that they lie in."""
        from mkdocs_recall import git  # noqa: PLC0415

        return git.repositories(sorted(self._paths.values()))

    @cached_property
    def _outside(self) -> Sequence[str]:
        """The pages that are in no repository, such as those that a plugin has made."""
        inside = set().union(*self._repositories.values())
        return [uri for uri, file in self._files().items() if file not in inside]

    @cached_property
    def _heads(self) -> tuple[str, ...]:
        """What stands for all that git can tell of the pages; empty texts where it cannot."""
        return self._find_heads()

    def _find_heads(self) -> tuple[str, ...]:
        from mkdocs_recall import history  # noqa: PLC0415

        return tuple(history.head(top) for top in sorted(self._repositories))

    def _vectors_of(self, model: str) -> Vectors:
        from mkdocs_recall.vectors import Vectors  # noqa: PLC0415

        if model not in self._vectors:
            self._vectors[model] = Vectors(self._embedder(model), self.place.cache)
        return self._vectors[model]

    def _embedder(self, model: str) -> Embedder:
        from mkdocs_recall.embedders import embedder  # noqa: PLC0415

        return embedder(model, self.place.root)

    def _note(self, message: str) -> None:
        if message not in self.notices:
            self.notices.append(message)

    def _warn(self, message: str) -> None:
        if message not in self.warnings:
            self.warnings.append(message)

    def _names(self, enrich: Enrich) -> tuple[str, ...]:
        """Return the names of the files touched last, where they are asked for."""
        from mkdocs_recall.touched import touched  # noqa: PLC0415

        if not enrich or (enrich == "serve" and self._edited is None):
            return ()
        if self._touched is None:
            edited = self._edited() if self._edited else ()
            self._touched = touched(self._folder, edited)
        return self._touched

    def _now(self, temporal: Temporal) -> Now:
        known = self._times.get(temporal.now)
        if known is None:
            known = self._times[temporal.now] = self._ask_now(temporal.now)
            if known.origin == "clock":
                self._warn(
                    "what time it is, neither git nor SOURCE_DATE_EPOCH tells, so that an answer "
                    "may be another one tomorrow: set 'now' of 'temporal'"
                )
        return known

    def _ask_now(self, stated: str) -> Now:
        from mkdocs_recall.clock import now  # noqa: PLC0415

        return now(stated, self._folder)

    def _history(self, temporal: Temporal) -> History:
        known = self._histories.get(temporal.commit_date)
        if known is None:
            known = self._histories[temporal.commit_date] = self._read_history(temporal)
            if known.shallow:
                self._warn(
                    "this is a shallow clone: time does not count for pages whose commits are "
                    "missing; get all of them (in GitHub Actions, 'fetch-depth: 0')"
                )
            if known.notice:
                self._note(f"commits do not count: {known.notice}")
            elif self._outside:
                first, *others = (f"'{uri}'" for uri in self._outside)
                named = f"{first} and {len(others)} more" if others else first
                self._note(f"commits do not count for pages that are in no git repository: {named}")
        return known

    def _read_history(self, temporal: Temporal) -> History:
        """Return what git says of the pages, as long as HEAD is the same from the store.

        Pages in no repository do not matter: a plugin may make them elsewhere in each build.
        """
        from mkdocs_recall import history  # noqa: PLC0415

        is_known = self._store and self._heads and all(self._heads)
        places = json.dumps(sorted(self._repositories.items()))
        parts = (*self._heads, temporal.commit_date, places)
        key = digest("history", *parts) if is_known else b""
        if key and self._store and (kept := _unpacked(self._store.get(key))):
            return kept
        found = history.read(sorted(self._paths.values()), dates=temporal.commit_date)
        if key and self._store and not found.notice:
            packed = json.dumps((found.past, found.shallow), separators=(",", ":"))
            self._store.put(key, packed.encode())
        return found


def _day_of(now: Now) -> datetime | date:
    """Return a moment, but of what a clock tells the day: it never tells the same twice."""
    return now.moment.date() if now.origin == "clock" else now.moment


def _unpacked(packed: bytes | None) -> History | None:
    """Return what was kept; None, where it is none."""
    from mkdocs_recall.history import History, Past  # noqa: PLC0415

    try:
        past, shallow = json.loads(packed or b"")
        known = {file: Past(*each) for file, each in past.items()}
        for each in known.values():
            list(map(datetime.fromisoformat, each.dates))
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None
    return History(known, shallow=bool(shallow))
