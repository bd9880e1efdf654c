"""Approved answers: what a build quotes of `recall.lock`, and what it warns of.

`warn` quotes the new answer and says where it differs from the approved one. `enforce` quotes the
approved sentences, in whatever order the scorer has them today, while all are in their page.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from mkdocs_recall.answers.answer import answer
from mkdocs_recall.answers.entries import chooses_the_same, lock_entry
from mkdocs_recall.answers.lock import pack_lock, read_lock
from mkdocs_recall.cache.store import digest
from mkdocs_recall.errors import LockError
from mkdocs_recall.messages import shown_path
from mkdocs_recall.options import LOCK_FILE
from mkdocs_recall.review.located import located_result

if TYPE_CHECKING:
    from pathlib import Path

    from mkdocs_recall.answers.answer import DirectiveAnswer
    from mkdocs_recall.answers.expectations import TextLocator
    from mkdocs_recall.answers.lock import LockEntry
    from mkdocs_recall.corpus.corpus import Corpus
    from mkdocs_recall.options import LockMode, Options
    from mkdocs_recall.retrieval.result import Result

_SHOWN: Final = 160
"""Characters of a text in a message."""
_BEFORE: Final = 40
"""Characters that a message shows of two texts before they differ."""
_ACCEPT: Final = "if that is right, accept it with 'mkdocs-recall lock --accept'"


class ApprovedAnswers:
    """The answers of a lock file, which a build compares with its own."""

    def __init__(self, mode: LockMode, entries: dict[str, LockEntry]) -> None:
        """Take the entries by id."""
        self._enforces = mode == "enforce"
        self._entries = entries
        self.digest = digest(*map(self.key, sorted(entries)), *sorted(entries))
        """Stands for all of the file; equal digests mean equal answers."""

    @classmethod
    def of(cls, mode: LockMode, folder: Path) -> ApprovedAnswers:
        """Read the lock file of a site.

        Args:
            mode: What happens to an answer that differs: `warn` or `enforce`.
            folder: The folder of the site's configuration.
        """
        path = lock_path(folder)
        try:
            entries = read_lock(path)
        except LockError as error:
            msg = f"{error}; until then 'lock: {mode}' compares nothing"
            raise LockError(msg) from error
        if any(not entry.version for entry in entries):
            msg = (
                f"'{path}' is of an earlier version, which does not say where its sentences are; "
                f"rewrite it with 'mkdocs-recall lock'; until then 'lock: {mode}' compares "
                "nothing"
            )
            raise LockError(msg)
        return cls(mode, {entry.id: entry for entry in entries})

    def has(self, identity: str) -> bool:
        """Tell whether somebody has approved an answer of a directive."""
        return identity in self._entries

    def key(self, identity: str) -> str:
        """Return what stands for all that the answer of a directive depends on here."""
        entry = self._entries.get(identity)
        packed = pack_lock([replace(entry, id="")]) if entry else b""
        return digest("lock", str(self._enforces), packed).hex()

    def answer(
        self,
        identity: str,
        options: Options,
        corpus: Corpus,
        page: str,
        *,
        locator: TextLocator | None = None,
    ) -> DirectiveAnswer:
        """Answer a directive; its warning says what nobody has approved.

        Args:
            corpus: The pages it may quote.
            locator: See `answers.answer`.
        """
        entry = self._entries.get(identity)
        is_same = entry is not None and chooses_the_same(entry, options)
        approved: list[Result] = []

        def retrieve() -> Result:
            if self._enforces and entry and is_same:
                found = located_result(entry, options, corpus, page)
                if found is not None:
                    approved.append(found)
                    return found
            return corpus.answer(options, page=page)

        reply = answer(options, corpus, page, locator=locator, retrieve=retrieve)
        if reply.error or reply.result is None or approved:
            return reply
        new = lock_entry(identity, page, options, reply.result)
        warning = self._difference(entry, new, is_same=is_same)
        return reply._replace(warning="; ".join(filter(None, (reply.warning, warning))))

    def _difference(self, entry: LockEntry | None, new: LockEntry, *, is_same: bool) -> str:
        """Say what nobody has approved; empty where the answer is the approved one."""
        if entry is None:
            return f"nobody has approved this answer yet; {_ACCEPT}"
        if not is_same:
            changed = {o.partition(":")[0] for o in {*entry.options} ^ {*new.options}}
            names = ", ".join(f"'{name}'" for name in sorted(changed)) or "the order of its queries"
            return f"the directive has changed since its answer was approved ({names}); {_ACCEPT}"
        if entry.answer == new.answer:
            return ""
        before, after = _shown_pair(entry, new)
        fault = "differs from the approved one"
        if self._enforces:
            fault = "is new, since the approved one is no longer in its source"
        return f"this answer {fault}: approved was {before}, now it is {after}; {_ACCEPT}"


def lock_path(folder: Path) -> Path:
    """Return the lock file of a site, as messages name it."""
    return type(folder)(shown_path(os.path.join(folder.absolute(), LOCK_FILE)))  # noqa: PTH118


def _shown_pair(before: LockEntry, after: LockEntry) -> tuple[str, str]:
    """Return two answers for a message; of long ones, the part in which they differ."""
    texts = [" ".join(entry.text.split()) for entry in (before, after)]
    same = next((n for n, (a, b) in enumerate(zip(*texts)) if a != b), min(map(len, texts)))  # noqa: B905 - one may be longer
    start = max(0, same - _BEFORE) if max(map(len, texts)) > _SHOWN else 0
    shown = []
    for entry, text in zip((before, after), texts, strict=True):
        part = f"{'…' if start else ''}{text[start : start + _SHOWN]}"
        more = "…" if len(text) > start + _SHOWN else ""
        places = ", ".join(entry.sources[:3])
        shown.append(f'"{part}{more}" from {places}' if text else "nothing")
    return shown[0], shown[1]
