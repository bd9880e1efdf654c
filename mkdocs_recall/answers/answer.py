"""The answer to a directive: its quote, or the error, and the warnings for its author."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from mkdocs_recall.answers.html import QuotingPage, caution, reader_note, render
from mkdocs_recall.answers.notes import EMBEDM_NOTES, notes
from mkdocs_recall.errors import RecallError
from mkdocs_recall.messages import shown
from mkdocs_recall.options import UNITS, Options, RecallOptions
from mkdocs_recall.ranking.result import Result
from mkdocs_recall.text.model import kinds_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from mkdocs_recall.answers.expectations import TextLocator
    from mkdocs_recall.pages.corpus import Corpus


_QUERIES_SHOWN: Final = 3
"""How many queries of a directive a message names."""


class DirectiveAnswer(NamedTuple):
    """The answer to a directive."""

    options: Options
    result: Result | None
    """None where there is an error."""
    error: str = ""
    """What its author has to mend; a caution takes the quote's place."""
    warning: str = ""
    """What its author should know, though there is a quote."""
    unanswered: bool = False
    """Whether the warning says that no sentence answers the query."""
    holds: bool = True
    """Whether it holds what its author expects of it; if not, the warning says where in the whole
    site that is."""

    note: str = ""
    """What readers see in place of a quote, where a fence for embedm finds no sentence at all."""

    @property
    def doubts(self) -> tuple[str, ...]:
        """What speaks against the answer; nothing where its author has said what to expect."""
        if self.result is None or self.options.expect or self.options.expect_source:
            return ()
        return self.result.doubts

    @property
    def fallback(self) -> bool:
        """Whether a query was answered with a synopsis."""
        return self.result is not None and bool(self.result.fallback and self.result.passages)

    def html(self, page: QuotingPage) -> str:
        """Return the HTML that takes the directive's place on a page."""
        if self.error:
            return caution(self.options.name, self.error, language=page.language)
        if self.note:
            return reader_note(notes("en"), self.note)
        if self.result is None or not self.result.passages:
            return ""
        return render(self.result, self.options, page)


def answer(
    options: Options,
    corpus: Corpus,
    page: str,
    *,
    locator: TextLocator | None = None,
    retrieve: Callable[[], Result] | None = None,
) -> DirectiveAnswer:
    """Answer a directive.

    Args:
        corpus: The pages it may quote.
        locator: Finds where in these pages a text is; several directives share one.
        retrieve: Returns the result in place of the corpus, such as an approved one.

    Returns:
        Its result, or the error its author has to mend; an author's fault raises nothing.
    """
    with corpus.by_name() as pages, suppress(RecallError):  # the corpus raises it again
        if pages.heading_of:
            options = replace(options, source=pages.with_headings(options.source, page=page))
    trivial = _trivial(options)
    skipped = (
        isinstance(options, RecallOptions) and options.trivial_query == "skip" and trivial != ""
    )
    try:
        if isinstance(options, RecallOptions) and skipped:
            why = f"Recall skipped: {trivial}."
            result = Result((), options.scorer, why=why, diagnostics=(why,))
        else:
            result = retrieve() if retrieve else corpus.answer(options, page=page)
        is_empty = not (skipped or result.passages or result.left_out)
        omits = isinstance(options, RecallOptions) and options.on_empty == "omit"
        if is_empty and options.embedm and not omits:
            return DirectiveAnswer(options, result, note=EMBEDM_NOTES[options.name])
        if fault := _fault(result, options, corpus, page, skipped=skipped):
            return DirectiveAnswer(options, None, error=fault)
        unmet = _unmet(result, options, corpus, page, locator)
    except RecallError as error:
        return DirectiveAnswer(options, None, error=str(error))
    nothing = f"the query asks for nothing ({trivial})" if trivial and not skipped else ""
    unanswered = _unanswered(result, options)
    return DirectiveAnswer(
        options,
        result,
        warning="; ".join(filter(None, (nothing, unanswered, unmet))),
        unanswered=bool(unanswered),
        holds=not unmet,
    )


def _fault(result: Result, options: Options, corpus: Corpus, page: str, *, skipped: bool) -> str:
    """Return why there is nothing to quote, if that is an error."""
    if result.passages or skipped:
        return ""
    if result.left_out:
        return result.why
    if isinstance(options, RecallOptions) and options.on_empty == "omit":
        return ""
    empty = [note for note in result.diagnostics if "no sentence" in note]
    other_kinds = not empty or any("it has only" in note for note in empty)
    if isinstance(options, RecallOptions) and result.fallback and other_kinds:
        kinds = _kinds(options, corpus, page)
        return (
            f"{result.why}, and no synopsis can replace an answer to {_asked(options)}: "
            f"'units' allows {', '.join(options.units)}, {kinds}; "
            "to leave the quote out, set 'on_empty: omit'"
        )
    return "; ".join(empty) or "nothing to quote"


def _unanswered(result: Result, options: Options) -> str:
    """Return what to tell an author whose query got a synopsis; empty where that is as wanted."""
    if not isinstance(options, RecallOptions) or options.on_empty != "warn" or not result.fallback:
        return ""
    return (
        f"{result.why}: a synopsis is quoted instead of an answer to {_asked(options)}; "
        "if a synopsis is enough, set 'on_empty: synopsis'"
    )


def _asked(options: RecallOptions) -> str:
    """Return the queries for a message."""
    asked = ", ".join(shown(query.text) for query in options.query[:_QUERIES_SHOWN])
    return asked + ", …" * (len(options.query) > _QUERIES_SHOWN)


def _kinds(options: RecallOptions, corpus: Corpus, page: str) -> str:
    """Say what kinds of text the pages of a directive have."""
    with corpus.by_name() as pages:
        targets = pages.scope(options.source, page=page).targets
        uris = list(dict.fromkeys(target.uri for target in targets))
        kinds = {kind for uri in uris for kind in kinds_of(pages.document(uri))}
    has = ", ".join(unit for unit in UNITS if unit in kinds) or "nothing"
    more = len(uris) - 1
    return f"'{uris[0]}' and {more} more have {has}" if more else f"'{uris[0]}' has {has}"


def _unmet(
    result: Result,
    options: Options,
    corpus: Corpus,
    page: str,
    locator: TextLocator | None,
) -> str:
    """Return what a directive's author expects, and the answer does not hold."""
    if not (options.expect or options.expect_source):
        return ""
    from mkdocs_recall.answers.expectations import TextLocator, unmet_expectations

    with corpus.by_name() as pages:
        return unmet_expectations(result, options, page, locator or TextLocator(pages))


def _trivial(options: Options) -> str:
    """Return why a directive's queries are trivial, where it matters; empty if one is not."""
    if not isinstance(options, RecallOptions) or options.trivial_query == "allow":
        return ""
    from mkdocs_recall.ranking.trivial import classify

    reasons = [classify(query.text, options.acknowledgments) for query in options.query]
    return reasons[0] or "" if reasons and all(reasons) else ""
