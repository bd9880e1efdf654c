"""The impact of an edit: which directives answer otherwise than before, and why.

A directive whose sources read the same in both states is not answered. Each other one is answered
in both, so that only real changes are reported.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from mkdocs_recall.answers.lock import AnswerChange
from mkdocs_recall.index.filters import split_filter
from mkdocs_recall.review.states import StateAnswer
from mkdocs_recall.text.place import split_place
from mkdocs_recall.text.wording import wording

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mkdocs_recall.answers.lock import LockEntry
    from mkdocs_recall.index.selection import Scope
    from mkdocs_recall.retrieval.result import Passage
    from mkdocs_recall.review.directives import ParsedDirective
    from mkdocs_recall.review.states import SiteState

Kind: TypeAlias = Literal["same", "reworded", "value", "replaced", "moved", "lost", "new"]
KINDS: Final[tuple[Kind, ...]] = (
    *("same", "reworded", "value", "replaced", "moved", "lost", "new"),
)
_SIMILAR: Final = 0.5
"""The share of common words from which a text counts as reworded."""
_TOKEN: Final = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d]+|[^\w\s]|_")
_SWITCHES: Final = frozenset(
    {"true", "false", "on", "off", "yes", "no", "enabled", "disabled", "null"}
)
_VALUES: Final = 3
"""How many changed values are named."""
_PAGES: Final = 3
"""How many changed pages are named."""


class QuotedPassage(NamedTuple):
    """A quoted passage with its place in one state."""

    text: str
    source: str
    file: str
    line: int | None


@dataclass(frozen=True, slots=True)
class Impact:
    """A directive in two states, with its answers."""

    kind: Kind
    page: str
    directive: str
    file: str
    line: int
    """That of the directive: as it is now, or as it was if it is gone."""
    why: str
    before: LockEntry | None
    after: LockEntry | None
    quotes_before: Sequence[QuotedPassage] = ()
    quotes_after: Sequence[QuotedPassage] = ()
    values: Sequence[tuple[str, str]] = ()
    """The changed values: those of before and after, with their unit."""

    @property
    def change(self) -> AnswerChange:
        """The change as the lock file states it."""
        return AnswerChange(self.before, self.after)


class _DirectivePair(NamedTuple):
    """A directive in both states, or in one of them."""

    before: tuple[str, ParsedDirective] | None
    """With its page."""
    after: tuple[str, ParsedDirective] | None


class Comparison:
    """Compares the answers of two states of a documentation."""

    def __init__(self, before: SiteState, after: SiteState) -> None:
        """Take the states."""
        self._before = before
        self._after = after
        if before.index.key == after.index.key:
            before.index = after.index
        self._lists_alike = before.lists_as(after)
        self._clean: dict[tuple[str, ...], bool] = {}
        self._has_changed: dict[str, bool] = {}

    def impacts(self) -> Iterator[Impact]:
        """Yield the directives in page order; unchanged ones are of the kind `same`."""
        pairs = list(self._pairs())
        scopes = (self._after.scope(p.after[1], p.after[0]) for p in pairs if p.after)
        asked = {scope.key: scope for scope in scopes if scope}.values()
        uris = {target.uri for scope in asked for target in scope.targets}
        self._after.read(uris)  # and caches them, so that the other state can share them
        self._before.read(uris)
        with self._after.corpus.by_name(), self._before.corpus.by_name():
            for pair in pairs:
                if pair.before and pair.after and self._asks_the_same(pair.before, pair.after):
                    page, directive = pair.after
                    place = page, directive.name, self._after.file(page), directive.line
                    yield Impact("same", *place, "", None, None)
                else:
                    yield self._compare(pair)

    def _pairs(self) -> Iterator[_DirectivePair]:
        """Yield the directives of both states, paired.

        On a page, those with the same queries and sources belong together; of the rest, the first
        with the first.
        """
        old_pages = self._before.directives()
        renamed = {new: old for old, new in self._before.renames.items()}
        for page, directives in self._after.directives().items():
            old_page = renamed.get(page, page)
            rest = {old.identity: old for old in old_pages.pop(old_page, [])}
            partners = {new.identity: rest.pop(new.identity, None) for new in directives}
            for new in directives:
                old = partners[new.identity]
                if old is None:
                    same_kind = (o for o in rest.values() if o.name == new.name)
                    old = next(same_kind, None)
                    if old:
                        del rest[old.identity]
                yield _DirectivePair((old_page, old) if old else None, (page, new))
            for old in rest.values():
                yield _DirectivePair((old_page, old), None)
        for old_page, directives in old_pages.items():
            for old in directives:
                yield _DirectivePair((old_page, old), None)

    def _asks_the_same(
        self, before: tuple[str, ParsedDirective], after: tuple[str, ParsedDirective]
    ) -> bool:
        """Tell whether a directive and all pages that it asks are the same in both states."""
        (old_page, old), (new_page, new) = before, after
        if old_page != new_page or old.body != new.body or new.is_timed:
            return False
        if self._before.index is not self._after.index:  # the site's defaults differ
            return False
        scope = self._after.scope(new, new_page)
        if scope is None:
            return False
        if scope.key not in self._clean:
            is_filtered = any(split_filter(source)[1] for source in new.source or ())
            lists_alike = self._lists_alike and not is_filtered
            one = scope if lists_alike else self._before.scope(old, old_page)
            self._clean[scope.key] = (
                one is not None and one == scope and not any(self._changed_pages(one, scope))
            )
        return self._clean[scope.key]

    def _changed_pages(self, *scopes: Scope) -> Iterator[str]:
        """Yield the pages of some scopes that read otherwise in the two states."""
        for uri in dict.fromkeys(target.uri for scope in scopes for target in scope.targets):
            if uri not in self._has_changed:
                self._has_changed[uri] = self._before.key(uri) != self._after.key(uri)
            if self._has_changed[uri]:
                yield uri

    def _compare(self, pair: _DirectivePair) -> Impact:
        """Answer a directive in both states, and compare the answers."""
        old_page, old = pair.before or ("", None)
        new_page, new = pair.after or ("", None)
        before = self._before.answer(old, old_page) if old else StateAnswer(None)
        after = self._after.answer(new, new_page) if new else StateAnswer(None)
        kind, values = _kind(before.entry, after.entry, self._before.renames)
        why = "" if kind == "same" else self._reason(pair, before, after)
        stated = new or old
        assert stated is not None
        page = new_page or old_page
        state = self._after if new else self._before
        return Impact(
            kind,
            *(page, stated.name, state.file(page), stated.line, why),
            *(before.entry, after.entry),
            quotes_before=_quotes(before, self._before),
            quotes_after=_quotes(after, self._after),
            values=values,
        )

    def _reason(self, pair: _DirectivePair, before: StateAnswer, after: StateAnswer) -> str:
        """Return why an answer has changed."""
        if pair.after is None or pair.before is None:
            return "the directive is new" if pair.after else "the directive is gone"
        (old_page, old), (new_page, new) = pair.before, pair.after
        if after.error or before.error:
            return after.error or f"before, there was an error: {before.error}"
        if old.body != new.body:
            return "the directive was edited"
        reasons = []
        if self._before.index is not self._after.index:
            reasons.append("the site's settings changed")
        one, other = self._before.scope(old, old_page), self._after.scope(new, new_page)
        if one and other:
            changed = list(self._changed_pages(one, other))
            quoted = {p.uri for p in (*before.passages, *after.passages)}
            if named := [uri for uri in changed if uri in quoted]:
                reasons.append(f"{_listed(named)} changed")
            elif changed:
                reasons.append(f"{_listed(changed)} changed, and with it the ranking")
            elif one.targets != other.targets:
                reasons.append("its source names other pages")
        return "; ".join(reasons) or "git's history or the time changed"


def _listed(uris: Sequence[str]) -> str:
    """Return the names of some pages for a sentence."""
    more = len(uris) - _PAGES
    shown = ", ".join(f"'{uri}'" for uri in uris[:_PAGES])
    return f"{shown} and {more} more" if more > 0 else shown


def _quotes(answer: StateAnswer, state: SiteState) -> tuple[QuotedPassage, ...]:
    return tuple(
        QuotedPassage(p.text, p.source, state.shown(p.file), p.line) for p in answer.passages
    )


def _kind(
    before: LockEntry | None, after: LockEntry | None, renames: Mapping[str, str]
) -> tuple[Kind, tuple[tuple[str, str], ...]]:
    """Return how an answer has changed, and which values in it."""
    old, new = (wording(entry.text) if entry else "" for entry in (before, after))
    if before is None or after is None or not (old and new):
        if old == new:
            return "same", ()
        return ("lost" if old else "new"), ()
    if old == new:
        moved = tuple(_renamed(source, renames) for source in before.sources)
        same = moved == after.sources and before.fallback == after.fallback
        return ("same" if same else "moved"), ()
    values = changed_values(old, new)
    if values:
        return "value", values
    return ("reworded" if _similarity(old, new) >= _SIMILAR else "replaced"), ()


def _renamed(source: str, renames: Mapping[str, str]) -> str:
    """Return a source by the present name of its page."""
    uri, _ = split_place(source)
    return f"{renames.get(uri, uri)}{source[len(uri) :]}"


def changed_values(old: str, new: str) -> tuple[tuple[str, str], ...]:
    """Return the values that differ between two texts that are equal otherwise; else nothing."""
    before, after = _TOKEN.findall(old), _TOKEN.findall(new)
    if len(before) != len(after):
        return ()
    values = []
    for number, (one, other) in enumerate(zip(before, after, strict=True)):
        if one == other:
            continue
        if not (_is_value(one) and _is_value(other)):
            return ()
        unit = "".join(before[number + 1 : number + 2])
        unit = f" {unit}" if unit.isalpha() and one[0].isdecimal() else ""
        values.append((one, f"{other}{unit}"))
    return tuple(values)


def _is_value(token: str) -> bool:
    return token[0].isdecimal() or token.lower() in _SWITCHES


def _similarity(old: str, new: str) -> float:
    """Return the share of words that two texts have in common."""
    one, other = (Counter(_TOKEN.findall(text.lower())) for text in (old, new))
    return 2 * (one & other).total() / max(1, one.total() + other.total())


def touched_directives(state: SiteState, uri: str, first: int, last: int) -> Iterator[Impact]:
    """Yield the directives that quote lines of a page.

    Args:
        state: The documentation.
        uri: The page.
        first: The first line, from 1.
        last: The last line.
    """
    for page, directives in state.directives().items():
        for directive in directives:
            scope = state.scope(directive, page)
            if scope is None or all(target.uri != uri for target in scope.targets):
                continue
            answer = state.answer(directive, page)
            quotes = tuple(
                QuotedPassage(p.text, p.source, p.file, p.line)
                for p in answer.passages
                if p.uri == uri and _overlaps(_lines(p), first, last)
            )
            if quotes and answer.entry:
                place = page, directive.name, state.file(page), directive.line
                yield Impact("same", *place, "", None, answer.entry, quotes_after=quotes)


def _overlaps(lines: tuple[int, int] | None, first: int, last: int) -> bool:
    """Tell whether lines overlap; those that are not known count."""
    return lines is None or (lines[0] <= last and first <= lines[1])


def _lines(passage: Passage) -> tuple[int, int] | None:
    """Return the first and last line of the blocks that a passage is quoted from."""
    document = passage.document
    numbers = {sentence.block for sentence in (passage.sentence, *passage.quotation.sentences)}
    starts = [document.blocks[number].line for number in numbers]
    known = [line for line in starts if line is not None]
    if len(known) < len(starts) or not known:
        return None
    later = [b.line for b in document.blocks if b.line is not None and b.line > max(known)]
    return min(known), _last_line(document.file, max(known), min(later, default=0))


def _last_line(file: str, start: int, following: int) -> int:
    """Return the last line of a block, given the first line of the one that follows, or 0."""
    lines = Path(file).read_text("utf-8-sig").split("\n")
    end = following - 1 if following else len(lines)
    while end > start and (not lines[end - 1].strip() or lines[end - 1].startswith("#")):
        end -= 1
    return end


def counts(impacts: Iterable[Impact]) -> dict[Kind, int]:
    """Return how many directives there are of each kind."""
    found = Counter(impact.kind for impact in impacts)
    return {kind: found[kind] for kind in KINDS}
