"""A survey of all directives of a documentation, answered from its Markdown without a build."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from mkdocs_recall.answers.answer import answer
from mkdocs_recall.answers.entries import DirectiveIds, lock_entry
from mkdocs_recall.answers.expectations import TextLocator
from mkdocs_recall.directives.comments import cut_values
from mkdocs_recall.directives.fences import may_hold_directive, may_hold_near_miss
from mkdocs_recall.directives.near_misses import find_near_misses
from mkdocs_recall.directives.parser import find_fences
from mkdocs_recall.directives.schema import read_fence
from mkdocs_recall.errors import RecallError, SiteError, lines_below
from mkdocs_recall.options import LIMITS
from mkdocs_recall.text.front_matter import split_front_matter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mkdocs_recall.answers.answer import DirectiveAnswer
    from mkdocs_recall.answers.lock import LockEntry
    from mkdocs_recall.corpus.corpus import Corpus
    from mkdocs_recall.directives.comments import CutValue
    from mkdocs_recall.options import Limits, Options

    Answerer: TypeAlias = Callable[[str, Options, str, TextLocator], DirectiveAnswer]

_BUILT = (".html", ".htm")
"""Pages that a plugin generates have no Markdown; readers see a fence in their HTML as it is."""


@dataclass(frozen=True, slots=True)
class SurveyedDirective:
    """A directive with its answer, or its error."""

    page: str
    file: str
    """An absolute path."""
    line: int
    """That of its fence in the file, or of the fault in it."""
    directive: str
    """`recall` or `synopsis`."""
    body: str = ""
    """Its YAML."""
    entry: LockEntry | None = None
    """None where there is an error."""
    options: Options | None = None
    """What it asks for; None where that cannot be read."""
    error: str = ""
    """What its author has to mend."""
    unmet: str = ""
    """What its author expects, and the answer does not hold."""
    unanswered: str = ""
    """That no sentence answers, where the author has not said that a synopsis will do."""
    cuts: Sequence[CutValue] = ()
    """Its values that YAML has probably cut."""
    doubts: Sequence[str] = ()
    """What speaks against the answer, if that was asked for."""


def survey_directives(
    corpus: Corpus,
    defaults: Mapping[str, Any],
    *,
    limits: Limits = LIMITS,
    answerer: Answerer | None = None,
    doubts: bool = False,
) -> Iterator[SurveyedDirective]:
    """Answer all directives of a documentation, in page order."""
    with corpus.by_name() as pages:
        locator = TextLocator(pages)
    ids = DirectiveIds()
    for page, file in corpus.files.items():
        if file.endswith(_BUILT):
            continue
        try:
            text = Path(file).read_text("utf-8-sig")
        except (OSError, ValueError) as error:
            msg = f"'{file}' cannot be read: {error}"
            raise SiteError(msg) from error
        if not (may_hold_directive(text) or may_hold_near_miss(text)):
            continue
        source = split_front_matter(text)
        for miss in find_near_misses(source.body):
            line, name = source.offset + miss.fence.first + 1, miss.fence.name
            yield SurveyedDirective(page, file, line, name, error=miss.message)
        for number, fence in enumerate(find_fences(source.body)):
            line = source.offset + fence.first + 1
            surveyed = SurveyedDirective(page, file, line, fence.name, fence.body)
            try:
                options = read_fence(fence, number, defaults=defaults, limits=limits)
            except RecallError as error:
                below = lines_below(error)
                yield replace(surveyed, error=str(error), line=line + below)
                continue
            surveyed = replace(surveyed, options=options, cuts=cut_values(fence.body))
            identity = ids.next(page, options)
            if answerer is None:
                answered = answer(options, corpus, page, locator=locator)
            else:
                answered = answerer(identity, options, page, locator)
            if answered.error or answered.result is None:
                yield replace(surveyed, error=answered.error)
                continue
            entry = lock_entry(identity, page, options, answered.result)
            unmet = "" if answered.holds else answered.warning
            unanswered = answered.warning if answered.unanswered and not unmet else ""
            yield replace(
                surveyed,
                entry=entry,
                unmet=unmet,
                unanswered=unanswered,
                doubts=answered.doubts if doubts else (),
            )
