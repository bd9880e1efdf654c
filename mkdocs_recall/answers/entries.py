"""Entries of the lock file, made of directives and their answers."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import fields, is_dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Final

from mkdocs_recall.answers.expectations import quoted_places
from mkdocs_recall.answers.lock import LockEntry
from mkdocs_recall.cache.store import digest
from mkdocs_recall.options import DEFAULTS, RecallOptions
from mkdocs_recall.retrieval.openings import goes_on
from mkdocs_recall.retrieval.quotation import merge_quotations
from mkdocs_recall.retrieval.result import quoted_texts, section_key

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mkdocs_recall.options import Options
    from mkdocs_recall.retrieval.quotation import Quotation
    from mkdocs_recall.retrieval.result import Passage, Result

_DIGITS: Final = 8
"""Of the digest in an id. Should two on a page share one, they are numbered."""
_NOT_CHOOSING: Final = frozenset(
    {
        "source",
        "query",
        "cite",
        "format",
        "explain",
        "expect",
        "expect_source",
        "restated",
    }
)
"""Options that an id has already, that only shape a quote, or that only check it."""


class DirectiveIds:
    """The ids of directives in the lock file."""

    def __init__(self) -> None:
        """Start without a directive."""
        self._counts: Counter[str] = Counter()

    def next(self, page: str, options: Options) -> str:
        """Return the id of the next directive; edits of other options leave it the same."""
        identity = lock_identity(page, options)
        self._counts[identity] += 1
        number = self._counts[identity]
        return f"{identity}-{number}" if number > 1 else identity


def lock_identity(page: str, options: Options) -> str:
    """Return the id of a directive, but for the number of one among equals on its page."""
    key = digest(options.name, *_queries(options), "", *options.source)
    return f"{_encodable(page)}@{key.hex()[:_DIGITS]}"


def lock_entry(identity: str, page: str, options: Options, result: Result) -> LockEntry:
    """Return the entry of a directive with its answer.

    Args:
        identity: See `DirectiveIds`.
    """
    from mkdocs_recall import __version__

    sources = tuple(map(_encodable, quoted_places(result)))
    passages = tuple(passage.text for passage in result.in_document_order())
    located: list[tuple[str, str]] = []
    by_meaning, hides_end = 0, False
    for first, merged in quoted_sections(result):
        hides_end |= not merged.goes_on and goes_on(first.document, merged.sentences)
        located += [(_encodable(first.source), sentence.text) for sentence in merged.sentences]
        by_meaning += len(merged.sentences) * (first.found_by == "semantic")
    sentences = tuple(text for _, text in located)
    return LockEntry(
        id=identity,
        page=_encodable(page),
        directive=options.name,
        query=_queries(options),
        source=options.source,
        sources=sources,
        passages=passages,
        text="\n\n".join(quoted_texts(result)),
        fallback=result.fallback or "",
        options=choosing_options(options),
        sentences=() if sentences == passages else sentences,
        places=tuple(place for place, _ in located) if len(sources) > 1 else (),
        by_meaning=str(by_meaning or ""),
        open_end="hidden" if hides_end else "",
        version=__version__,
    )


def quoted_sections(result: Result) -> Iterator[tuple[Passage, Quotation]]:
    """Yield the first passage of each quoted section, and all that is quoted of it, in order."""
    for _, group in groupby(result.in_document_order(), key=section_key):
        passages = list(group)
        document = passages[0].document
        yield passages[0], merge_quotations(document, [passage.quotation for passage in passages])


def choosing_options(options: Options) -> tuple[str, ...]:
    """Return the options that choose an answer and are written, or differ from their defaults."""
    return tuple(
        f"{name}: {written}" for name, written in written_options(options).items()
    ) + tuple(
        f"weight: {query.weight:g}"
        for query in (options.query if isinstance(options, RecallOptions) else ())
        if query.weight != 1
    )


def written_options(options: Options) -> dict[str, str]:
    """Return the same by name, in JSON, without the weights of queries."""
    return {
        option.name: _written(value, option.name, options.restated)
        for option in fields(options)
        if option.name not in _NOT_CHOOSING
        and (
            (value := getattr(options, option.name)) != options.default_of(option.name)
            or option.name in options.restated
        )
    }


def chooses_the_same(entry: LockEntry, options: Options) -> bool:
    """Tell whether the options of a directive choose an answer as those of its entry did."""
    from mkdocs_recall import __version__

    now = choosing_options(options)
    if entry.options == now:
        return True
    # The defaults of other versions are not known here: there, what is written has to be the same.
    defaults = {
        f"{name}: {_written(options.default_of(name), name, ())}" for name in DEFAULTS[options.name]
    }
    return entry.version == __version__ and {*entry.options} - defaults == {*now} - defaults


def _written(value: object, name: str, restated: tuple[str, ...]) -> str:
    if is_dataclass(value) and not isinstance(value, type):
        given = ((part.name, getattr(value, part.name), part.default) for part in fields(value))
        value = {
            part: own
            for part, own, default in given
            if own != default or f"{name}.{part}" in restated
        }
    return json.dumps(value, ensure_ascii=False, default=str)


def _queries(options: Options) -> tuple[str, ...]:
    if isinstance(options, RecallOptions):
        return tuple(query.text for query in options.query)
    return ()


def _encodable(name: str) -> str:
    r"""Return the name of a page as a file can hold it: half a character is written `\udcff`."""
    return name.encode("utf-8", "backslashreplace").decode()
