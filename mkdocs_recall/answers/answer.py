"""A directive and a corpus → its quote: what every host of a directive shares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mkdocs_recall.errors import RecallError
from mkdocs_recall.rendering.html import QuotingPage, caution, render
from mkdocs_recall.retrieval.result import Result
from mkdocs_recall.scoring.registry import SCORERS
from mkdocs_recall.text.model import DEFAULT_UNITS

if TYPE_CHECKING:
    from mkdocs_recall.answers.expectations import TextLocator
    from mkdocs_recall.corpus.corpus import Corpus
    from mkdocs_recall.directives.schema import Options


@dataclass(frozen=True, slots=True)
class DirectiveAnswer:
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

    def html(self, name: str, place: QuotingPage) -> str:
        """Return what stands in the directive's place on a page."""
        if self.error:
            return caution(name, self.error)
        if self.options is None or self.result is None or not self.result.passages:
            return ""
        return render(self.result, self.options, place)


def answer(
    options: Options, corpus: Corpus, page: str, *, site: TextLocator | None = None
) -> DirectiveAnswer:
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
    trivial = _trivial(options)
    skipped = bool(trivial) and options.trivial_query == "skip"
    try:
        if skipped:
            why = f"Recall skipped: {trivial}."
            result = Result((), options.scorer, why=why, diagnostics=(why,))
        else:
            result = _asked(options, corpus, page)
        if fault := _fault(result, options, skipped=skipped):
            return DirectiveAnswer(options, None, error=fault)
        unmet = _unmet(result, options, corpus, page, site)
    except RecallError as error:
        return DirectiveAnswer(options, None, error=str(error))
    warnings = []
    if trivial and not skipped:
        warnings.append(f"the query asks for nothing ({trivial})")
    if result.fallback and options.on_empty == "warn":
        warnings.append(f"{result.why}: a synopsis is quoted instead")
    if unmet:
        warnings.append(unmet)
    return DirectiveAnswer(options, result, warning="; ".join(warnings), holds=not unmet)


def _asked(options: Options, corpus: Corpus, page: str) -> Result:
    """Return what the corpus has to say to a directive."""
    if options.name == "synopsis":
        return corpus.synopsis(
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
            temporal=options.temporal,
            include_expired=options.include_expired,
        )
    return corpus.recall(
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
        semantic=options.semantic,
        enrich=options.enrich,
        temporal=options.temporal,
        include_expired=options.include_expired,
    )


def _fault(result: Result, options: Options, *, skipped: bool) -> str:
    """Return why there is nothing to quote, if that is an error."""
    if result.passages or skipped:
        return ""
    if result.left_out:
        return result.why
    if options.name == "recall" and options.on_empty == "omit":
        return ""
    empty = [note for note in result.diagnostics if "no sentence" in note]
    return "; ".join(empty) or "nothing to quote"


def _unmet(
    result: Result, options: Options, corpus: Corpus, page: str, site: TextLocator | None
) -> str:
    """Return what a directive's author expects, and the answer does not hold."""
    if not (options.expect or options.expect_source):
        return ""
    from mkdocs_recall.answers.expectations import TextLocator, unmet_expectations

    with corpus.by_name() as pages:
        return unmet_expectations(result, options, page, site or TextLocator(pages))


def _trivial(options: Options) -> str:
    """Return why a directive asks for nothing, where it matters; empty for one that asks."""
    if options.name != "recall" or options.trivial_query == "allow":
        return ""
    from mkdocs_recall.retrieval.trivial import Trivial, classify

    found = [classify(query.text, options.acknowledgments) for query in options.query]
    reasons = [each.reason for each in found if isinstance(each, Trivial)]
    return reasons[0] if len(reasons) == len(found) else ""


def _min_score(options: Options) -> float:
    own = SCORERS[options.scorer].min_score
    return own if options.min_score is None else options.min_score
