"""Approved answers: what a build quotes of `recall.lock`, what it warns of, and why one differs.

`warn` quotes the new answer and says where it differs from the approved one. `enforce` quotes the
approved sentences, found again in the pages that they were quoted from, in whatever order the
scorer has them today, while all are in their page. The cause of a changed answer is the directive,
its page, another page, or the ranking.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from mkdocs_recall.answers.answer import DirectiveAnswer, answer
from mkdocs_recall.answers.lock import (
    ACCEPT,
    LockEntry,
    chooses_the_same,
    lock_entry,
    lock_path,
    pack_lock,
    read_lock,
)
from mkdocs_recall.answers.statements import PageText, StatedSentence
from mkdocs_recall.errors import LockError, SourceError
from mkdocs_recall.files import LOCK_FILE
from mkdocs_recall.ranking.quotation import Quotation
from mkdocs_recall.ranking.result import Fallback, Passage, Result, quoted_texts
from mkdocs_recall.ranking.scores import Explanation
from mkdocs_recall.store import digest
from mkdocs_recall.text.wording import quoted_wording, split_place, wording

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mkdocs_recall.answers.expectations import TextLocator
    from mkdocs_recall.options import LockMode, Options
    from mkdocs_recall.pages.corpus import Corpus


def located_result(entry: LockEntry, options: Options, corpus: Corpus, page: str) -> Result | None:
    """Return the approved answer, quoted from the pages as they are now.

    A sentence may have moved within its page. What stands between two sentences counts: where
    something new is there, a quote without "…" would hide it.

    Args:
        corpus: The pages it may quote.

    Returns:
        The answer; None where a sentence is no longer in its page, or reads otherwise there.
    """
    uris = dict.fromkeys(split_place(place)[0] for place, _ in entry.located)
    documents = corpus.open_sources(options, uris=uris, page=page)
    pages = {uri: PageText(document) for uri, document in documents.items()}
    found: list[StatedSentence] = []
    for place, sentences in groupby(entry.located, key=itemgetter(0)):
        uri, anchor = split_place(place)
        texts = [text for _, text in sentences]
        is_described = options.prefer_description
        run = pages[uri].run(texts, anchor, with_description=is_described) if uri in pages else None
        if run is None:
            return None
        found += run
    result = _result(entry, found)
    same = quoted_wording("\n\n".join(quoted_texts(result))) == quoted_wording(entry.text)
    return result if same else None


# An approved answer is kept while its sentences still stand in their pages, even where the ranking
# would choose others by now. Renderers know results alone, so the sentences found again become
# passages, with the scores of a result that nobody has ranked: zero, and "approved" for a reason.
def _result(entry: LockEntry, found: Sequence[StatedSentence]) -> Result:
    by_words = len(found) - int(entry.by_meaning or 0)
    passages = [
        Passage(
            document=stated.document,
            sentence=stated.sentence,
            score=0.0,
            rank=rank,
            quotation=Quotation((stated.sentence,), goes_on=not entry.open_end),
            found_by="lexical" if rank <= by_words else "semantic",
            place=rank - 1,
            _explain=partial(Explanation, 0.0, "approved in recall.lock"),
        )
        for rank, stated in enumerate(found, start=1)
    ]
    fallback: Fallback | None = entry.fallback or None  # type: ignore[assignment]
    return Result(
        tuple(passages),
        LOCK_FILE,
        fallback=fallback,
        why="no sentence answers the query" if fallback else "",
    )


CauseKind: TypeAlias = Literal["directive", "page", "ranking", "other_page", "sentence"]


def cause_of(
    before: LockEntry, after: LockEntry, options: Options, corpus: Corpus
) -> tuple[CauseKind, str]:
    """Return why the answer of a directive has changed.

    Where the approved text is still in its page, either something else ranks higher since pages
    were edited, or this package ranks otherwise; the version in the lock file tells which.

    Args:
        corpus: The pages it may quote.
    """
    if not chooses_the_same(before, options):
        return "directive", "the directive changed"
    try:
        is_there = located_result(before, options, corpus, after.page) is not None
    except SourceError:
        is_there = False
    if not is_there or quoted_wording(before.text) == quoted_wording(after.text):
        return "page", "the page changed"
    if before.version != after.version:
        versions = f"version {before.version} → {after.version}"
        return "ranking", f"the ranking changed ({versions})"
    old, new = ({split_place(place)[0] for place in e.sources} for e in (before, after))
    if others := sorted(new - old):
        return "other_page", f"another page answers now: {', '.join(others)}"
    was, now = ({(place, wording(text)) for place, text in e.located} for e in (before, after))
    text = "more is quoted with it now" if was < now else "another sentence answers now"
    return "sentence", text


_SHOWN: Final = 160
"""Characters of a text in a message."""
_BEFORE: Final = 40
"""Characters that a message shows of two texts before they differ."""


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
        try:
            entries = read_lock(lock_path(folder))
        except LockError as error:
            msg = f"{error}; until then 'lock: {mode}' compares nothing"
            raise LockError(msg) from error
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
            return f"nobody has approved this answer yet; {ACCEPT}"
        if not is_same:
            changed = {o.partition(":")[0] for o in {*entry.options} ^ {*new.options}}
            names = ", ".join(f"'{name}'" for name in sorted(changed)) or "the order of its queries"
            return f"the directive has changed since its answer was approved ({names}); {ACCEPT}"
        if entry.answer == new.answer:
            return ""
        before, after = _shown_pair(entry, new)
        fault = "differs from the approved one"
        if self._enforces:
            fault = "is new, since the approved one is no longer in its source"
        return f"this answer {fault}: approved was {before}, now it is {after}; {ACCEPT}"


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
