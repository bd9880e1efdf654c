"""A directive and a corpus → its quote: what every host of a directive shares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mkdocs_recall.directives.render import Place, caution, render
from mkdocs_recall.errors import RecallError
from mkdocs_recall.scoring.registry import SCORERS
from mkdocs_recall.text.model import DEFAULT_UNITS

if TYPE_CHECKING:
    from mkdocs_recall.corpus import Corpus
    from mkdocs_recall.directives.options import Options
    from mkdocs_recall.expectations import Whereabouts
    from mkdocs_recall.result import Result


@dataclass(frozen=True, slots=True)
class Answer:
    """What a directive comes to."""

    options: Options | None
    """None where the directive could not be read."""
    result: Result | None
    """None where there is an error."""
    error: str = ""
    """What its author has to mend; a caution stands where the quote would."""
    warning: str = ""
    """What its author should know, though there is a quote."""
    holds: bool = True
    """Whether it holds what its author expects of it; if not, the warning says where in the whole
    site that stands."""

    @property
    def fallback(self) -> bool:
        """Whether a query was answered with a synopsis."""
        return self.result is not None and bool(self.result.fallback and self.result.passages)

    def html(self, name: str, place: Place) -> str:
        """Return what stands in the directive's place on a page."""
        if self.error:
            return caution(name, self.error)
        if self.options is None or self.result is None or not self.result.passages:
            return ""
        return render(self.result, self.options, place)


def answer(
    options: Options, corpus: Corpus, page: str, *, site: Whereabouts | None = None
) -> Answer:
    """Answer a directive.

    Args:
        options: What it asks.
        corpus: The pages it may quote.
        page: The page it stands on.
        site: What knows where in these pages a text stands; who answers several directives gives
            all of them the same.

    Returns:
        Its result, or the error its author has to mend; nothing is raised for an author's mistake.
    """
    try:
        if options.name == "recall":
            result = corpus.recall(
                options.query,
                source=options.source,
                page=page,
                max_sentences=options.max_sentences,
                sections=options.sections,
                language=options.language,
                scorer=options.scorer,
                diversity=options.diversity,
                units=options.units or DEFAULT_UNITS,
                context=options.context,
                min_score=_min_score(options),
                on_empty=options.on_empty,
                algorithm=options.algorithm,
                prefer_description=options.prefer_description,
                max_words=options.max_words,
                max_tokens=options.max_tokens,
                token_counter=options.token_counter,
            )
        else:
            result = corpus.synopsis(
                options.source,
                page=page,
                max_sentences=options.max_sentences,
                sections=options.sections,
                language=options.language,
                algorithm=options.algorithm,
                diversity=options.diversity,
                prefer_description=options.prefer_description,
                max_words=options.max_words,
                max_tokens=options.max_tokens,
                token_counter=options.token_counter,
            )
    except RecallError as error:
        return Answer(options, None, error=str(error))
    if result.left_out and not result.passages:
        return Answer(options, result, error=result.why)
    if not result.passages and not (options.name == "recall" and options.on_empty == "omit"):
        empty = [note for note in result.diagnostics if "no sentence" in note]
        return Answer(options, result, error="; ".join(empty) or "nothing to quote")
    warning = ""
    if result.fallback and options.on_empty == "warn":
        warning = f"{result.why}: a synopsis is quoted instead"
    if options.expect or options.expect_source:
        from mkdocs_recall.expectations import Whereabouts, unmet  # noqa: PLC0415 - few have any

        try:
            with corpus.by_name() as pages:
                fault = unmet(result, options, page, site or Whereabouts(pages))
        except RecallError as error:
            return Answer(options, None, error=str(error))
        if fault:
            warning = f"{warning}; {fault}" if warning else fault
            return Answer(options, result, warning=warning, holds=False)
    return Answer(options, result, warning=warning)


def _min_score(options: Options) -> float:
    own = SCORERS[options.scorer].min_score
    return own if options.min_score is None else options.min_score
