"""The cause of a changed answer: the directive, its page, another page, or the ranking."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from mkdocs_recall.answers.entries import chooses_the_same
from mkdocs_recall.errors import SourceError
from mkdocs_recall.review.located import located_result
from mkdocs_recall.text.place import split_place
from mkdocs_recall.text.wording import wording

if TYPE_CHECKING:
    from mkdocs_recall.answers.lock import LockEntry
    from mkdocs_recall.corpus.corpus import Corpus
    from mkdocs_recall.options import Options

CauseKind: TypeAlias = Literal["directive", "page", "ranking", "other_page", "sentence"]


class Cause(NamedTuple):
    """Why an answer has changed."""

    kind: CauseKind
    text: str
    """The same for a person."""


def cause_of(before: LockEntry, after: LockEntry, options: Options, corpus: Corpus) -> Cause | None:
    """Return why the answer of a directive has changed; None where the lock file is too old.

    Where the approved text is still in its page, either something else ranks higher since pages
    were edited, or this package ranks otherwise; the version in the lock file tells which.

    Args:
        corpus: The pages it may quote.
    """
    if not before.version:
        return None
    if not chooses_the_same(before, options):
        return Cause("directive", "the directive changed")
    try:
        is_there = located_result(before, options, corpus, after.page) is not None
    except SourceError:
        is_there = False
    if not is_there or wording(before.text) == wording(after.text):
        return Cause("page", "the page changed")
    if before.version != after.version:
        versions = f"version {before.version} → {after.version}"
        return Cause("ranking", f"the ranking changed ({versions})")
    old, new = ({split_place(place)[0] for place in e.sources} for e in (before, after))
    if others := sorted(new - old):
        return Cause("other_page", f"another page answers now: {', '.join(others)}")
    was, now = ({(place, wording(text)) for place, text in e.located} for e in (before, after))
    text = "more is quoted with it now" if was < now else "another sentence answers now"
    return Cause("sentence", text)
