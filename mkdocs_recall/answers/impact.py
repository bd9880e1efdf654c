"""The impact of an edit: which directives answer otherwise than before, and why.

All directives are answered in both states of a documentation, and their answers compared.
"""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

from mkdocs_recall.answers.lock import AnswerChange, DirectiveIds
from mkdocs_recall.answers.survey import Finding
from mkdocs_recall.errors import SourceError
from mkdocs_recall.text.wording import split_place, wording

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mkdocs_recall.answers.lock import LockEntry
    from mkdocs_recall.answers.survey import Survey, SurveyedDirective
    from mkdocs_recall.index.sources import Target
    from mkdocs_recall.ranking.result import Passage
    from mkdocs_recall.text.model import Document


Kind: TypeAlias = Literal["same", "reworded", "value", "replaced", "moved", "lost", "new"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
_SIMILAR: Final = 0.5
"""The share of common words from which a text counts as reworded."""
_TOKEN: Final = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d]+|[^\w\s]|_")
_SWITCHES: Final = frozenset(
    {"true", "false", "on", "off", "yes", "no", "enabled", "disabled", "null"}
)
_PAGES: Final = 3
"""How many changed pages are named."""


def impacts(
    before: Survey, after: Survey, renames: Mapping[str, str] | None = None
) -> Iterator[Finding]:
    """Yield all directives in page order; unchanged ones are of the kind `same`."""
    renames = renames or {}

    def shown(file: str) -> str:
        return before.shown(after.shown(file))

    for old, new in _pairs(before.directives, after.directives, renames):
        stated = new or old
        assert stated is not None
        one, other = old.entry if old else None, new.entry if new else None
        kind, values = _kind(one, other, renames)
        why = "" if kind == "same" else _reason(before, after, old, new)
        yield Finding(
            kind,
            stated,
            change=AnswerChange(one, other) if one or other else None,
            why=why,
            quotes=(old.passages if old else (), new.passages if new else ()),
            values=values,
            shown=shown,
        )


def quoting(survey: Survey, uri: str, first: int, last: int) -> list[Finding]:
    """Return the directives that quote some lines of a page.

    Args:
        first: The first line, from 1.
    """
    return [
        Finding("same", one, change=AnswerChange(None, one.entry), quotes=((), passages))
        for one in survey.directives
        if (passages := [p for p in one.passages if _quotes_lines(p, uri, first, last)])
    ]


def _pairs(
    before: Iterable[SurveyedDirective],
    after: Iterable[SurveyedDirective],
    renames: Mapping[str, str],
) -> Iterator[tuple[SurveyedDirective | None, SurveyedDirective | None]]:
    """Yield the directives of both states, paired.

    On a page, those with the same queries and sources belong together; of the rest, the first with
    the first.
    """
    old_names = {new: old for old, new in renames.items()}
    old_pages = dict(_by_page(before))
    for page, directives in _by_page(after):
        rest = old_pages.pop(old_names.get(page, page), {})
        partners = {key: rest.pop(key) for key in directives if key in rest}
        for key, new in directives.items():
            alike = (k for k, old in rest.items() if old.directive == new.directive)
            yield partners.get(key) or rest.pop(next(alike, ""), None), new
        yield from ((old, None) for old in rest.values())
    for rest in old_pages.values():
        yield from ((old, None) for old in rest.values())


def _by_page(
    directives: Iterable[SurveyedDirective],
) -> Iterator[tuple[str, dict[str, SurveyedDirective]]]:
    """Yield each page with its directives by what they ask; one with an error, by its line."""
    for page, of_page in groupby(directives, attrgetter("page")):
        ids = DirectiveIds()
        yield page, {ids.next("", d.options) if d.options else str(d.line): d for d in of_page}


def _reason(
    before: Survey,
    after: Survey,
    old: SurveyedDirective | None,
    new: SurveyedDirective | None,
) -> str:
    """Return why an answer has changed."""
    if old is None or new is None:
        return "the directive is new" if new else "the directive is gone"
    if new.error or old.error:
        return new.error or f"before, there was an error: {old.error}"
    if old.body != new.body:
        return "the directive was edited"
    reasons = []
    if before.defaults != after.defaults:
        reasons.append("the site's settings changed")
    one, other = _targets(before, old), _targets(after, new)
    uris = dict.fromkeys(target.uri for target in (*one, *other))
    changed = [uri for uri in uris if _page(before, uri) != _page(after, uri)]
    places = (place for d in (old, new) if d.entry for place in d.entry.sources)
    quoted = {split_place(place)[0] for place in places}
    if named := [uri for uri in changed if uri in quoted]:
        reasons.append(f"{_listed(named)} changed")
    elif changed:
        reasons.append(f"{_listed(changed)} changed, and with it the ranking")
    elif one != other:
        reasons.append("its source names other pages")
    return "; ".join(reasons) or "git's history or the time changed"


def _page(state: Survey, uri: str) -> Document | None:
    """Return a page as it is read, wherever its file is; None where there is no such page."""
    with state.corpus.by_name() as pages, suppress(KeyError):
        return replace(pages.document(uri), file="")
    return None


def _targets(state: Survey, directive: SurveyedDirective) -> tuple[Target, ...]:
    """Return the pages that a directive asks; none where its sources have an error."""
    assert directive.options is not None
    try:
        with state.corpus.by_name() as pages:
            return pages.scope(directive.options.source, page=directive.page).targets
    except SourceError:
        return ()


def _listed(uris: Sequence[str]) -> str:
    """Return the names of some pages for a sentence."""
    more = len(uris) - _PAGES
    shown = ", ".join(f"'{uri}'" for uri in uris[:_PAGES])
    return f"{shown} and {more} more" if more > 0 else shown


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


def _quotes_lines(passage: Passage, uri: str, first: int, last: int) -> bool:
    """Tell whether a passage is quoted from lines of a page; where that is not known, it is."""
    lines = _lines(passage) if passage.uri == uri else (0, 0)
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
