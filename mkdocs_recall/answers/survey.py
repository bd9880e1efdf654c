"""What all directives of a documentation answer, read from its Markdown without building it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mkdocs_recall.answers.answer import answer
from mkdocs_recall.answers.expectations import TextLocator, quoted_places
from mkdocs_recall.answers.lock import LockEntry
from mkdocs_recall.cache.store import digest
from mkdocs_recall.directives.fences import may_hold_directive
from mkdocs_recall.directives.nested import check_count
from mkdocs_recall.directives.parser import find_fences
from mkdocs_recall.directives.schema import read_options
from mkdocs_recall.errors import DirectiveError, RecallError, SiteError
from mkdocs_recall.options import LIMITS
from mkdocs_recall.retrieval.result import quoted_texts
from mkdocs_recall.text.front_matter import split_front_matter

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mkdocs_recall.corpus.corpus import Corpus
    from mkdocs_recall.directives.fences import Fence
    from mkdocs_recall.directives.schema import Options
    from mkdocs_recall.options import Limits
    from mkdocs_recall.retrieval.result import Result

_BUILT = (".html", ".htm")
"""What a plugin has made has no Markdown. What looks like a fence in its HTML, a reader sees so."""
_DIGITS = 8
"""Of the digest in an id. Should two on a page share one, they are numbered."""


@dataclass(frozen=True, slots=True)
class SurveyedDirective:
    """A directive, and what came of it."""

    page: str
    file: str
    """An absolute path."""
    line: int
    """That of its fence in the file, or of the fault in it."""
    directive: str
    """`recall` or `synopsis`."""
    entry: LockEntry | None = None
    """None where there is an error."""
    error: str = ""
    """What its author has to mend."""
    unmet: str = ""
    """What its author expects, and the answer does not hold."""


def survey_directives(
    corpus: Corpus, defaults: Mapping[str, Any], *, limits: Limits = LIMITS
) -> Iterator[SurveyedDirective]:
    """Answer all directives of a documentation, in page order.

    Args:
        corpus: Its pages.
        defaults: Its own defaults of the options.
        limits: How much is read of a directive.

    Raises:
        SiteError: A page cannot be read.
    """
    with corpus.by_name() as pages:
        site = TextLocator(pages)
    for page, file in corpus.files.items():
        if file.endswith(_BUILT):
            continue
        try:
            text = Path(file).read_text("utf-8-sig")
        except (OSError, ValueError) as error:
            msg = f"'{file}' cannot be read: {error}"
            raise SiteError(msg) from error
        if not may_hold_directive(text):
            continue
        source = split_front_matter(text)
        seen: Counter[str] = Counter()
        for number, fence in enumerate(find_fences(source.body)):
            place = partial(
                SurveyedDirective, page, file, source.offset + fence.first + 1, fence.name
            )
            try:
                check_count(number, limits)
                options = _options(fence, defaults, limits)
            except RecallError as error:
                below = error.line if isinstance(error, DirectiveError) else 0
                found = place(error=str(error))
                yield replace(found, line=found.line + below)
                continue
            given = answer(options, corpus, page, site=site)
            if given.error or given.result is None:
                yield place(error=given.error)
                continue
            identity = _identity(page, options)
            seen[identity] += 1
            if seen[identity] > 1:
                identity = f"{identity}-{seen[identity]}"
            entry = _entry(identity, page, options, given.result)
            yield place(entry=entry, unmet="" if given.holds else given.warning)


def _options(fence: Fence, defaults: Mapping[str, Any], limits: Limits) -> Options:
    if fence.fault:
        raise fence.fault
    return read_options(
        fence.name, fence.body, defaults=defaults, embedm=fence.embedm, limits=limits
    )


def _identity(page: str, options: Options) -> str:
    asked = digest(options.name, *(query.text for query in options.query), "", *options.source)
    return f"{_written(page)}@{asked.hex()[:_DIGITS]}"


def _entry(identity: str, page: str, options: Options, result: Result) -> LockEntry:
    return LockEntry(
        id=identity,
        page=_written(page),
        directive=options.name,
        query=tuple(query.text for query in options.query),
        source=options.source,
        sources=tuple(map(_written, quoted_places(result))),
        passages=tuple(passage.text for passage in result.in_document_order()),
        text="\n\n".join(quoted_texts(result)),
        fallback=result.fallback or "",
    )


def _written(name: str) -> str:
    r"""Return the name of a page as a file can hold it: what is no text in it is `\udcff`."""
    return name.encode("utf-8", "backslashreplace").decode()
