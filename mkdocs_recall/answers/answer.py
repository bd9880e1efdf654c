"""The answer to a directive: its quote, or the error, and the warnings for its author.

An author's expectations are checked; an unmet one is located in the site. Texts are compared by
their wording; a pattern is matched with the text as a reader sees it, in Unicode's form NFC.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from itertools import chain, groupby
from time import monotonic
from typing import TYPE_CHECKING, Final
from unicodedata import normalize

from msgspec import Struct, field

from mkdocs_recall.answers.html import QuotingPage, caution, reader_note, render
from mkdocs_recall.answers.notes import EMBEDM_NOTES, notes
from mkdocs_recall.directives.catalog import compile_pattern, is_pattern
from mkdocs_recall.errors import RecallError, SourceError
from mkdocs_recall.index.sources import Target
from mkdocs_recall.messages import cut, shown
from mkdocs_recall.options import UNITS, Options, RecallOptions
from mkdocs_recall.ranking.result import Passage, Result, quoted_texts
from mkdocs_recall.text.model import LABELS, kinds_of
from mkdocs_recall.text.wording import wording

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mkdocs_recall.directives.directive import Directive
    from mkdocs_recall.index.sources import PageSet
    from mkdocs_recall.pages.corpus import Corpus


NOTHING: Final = Result((), "")
_QUERIES_SHOWN: Final = 3
_OWN_PAGE: Final = "without 'source', only this page is searched"


class Answer(Struct, frozen=True):
    """The answer to a directive."""

    directive: Directive
    result: Result = NOTHING
    error: str = ""
    """The error for its author; a caution replaces the quote."""
    warning: str = ""
    unanswered: bool = False
    """Whether the warning says that no sentence answers the query."""
    holds: bool = True
    """Whether it meets its author's expectations."""
    note: str = ""
    """What readers see if a fence for embedm finds no sentence at all."""

    @property
    def options(self) -> Options:
        """The options of the directive, which has no error."""
        assert self.directive.options is not None
        return self.directive.options

    @property
    def doubts(self) -> tuple[str, ...]:
        """Doubts about the answer; none if its author states an expectation."""
        options = self.directive.options
        is_checked = options and (options.expect or options.expect_source)
        return () if is_checked else self.result.doubts

    @property
    def fallback(self) -> bool:
        """Whether a query was answered with a synopsis."""
        return bool(self.result.fallback and self.result)

    def html(self, page: QuotingPage) -> str:
        """Return the HTML that replaces the directive on a page."""
        if self.error:
            message = self.directive.message(self.error)
            return caution(self.directive.name, message, language=page.language)
        if self.note:
            return reader_note(notes("en"), self.note)
        return render(self.result, self.options, page) if self.result else ""


def answer(
    directive: Directive,
    corpus: Corpus,
    *,
    locator: TextLocator | None = None,
    retrieve: Callable[[], Result] | None = None,
) -> Answer:
    """Answer a directive; an author's mistake becomes the answer's `error`."""
    options, page = directive.options, directive.page
    if options is None:
        return Answer(directive, error=str(directive.fault))
    with corpus.by_name() as pages, suppress(RecallError):  # the corpus raises it again
        if pages.heading_of:
            options = replace(options, source=pages.with_headings(options.source, page=page))
    recall = options if isinstance(options, RecallOptions) else None
    trivial = _trivial(recall) if recall else ""
    skipped = trivial != "" and recall is not None and recall.trivial_query == "skip"
    omits = skipped or (recall is not None and recall.on_empty == "omit")
    unmet = ""
    try:
        if recall and skipped:
            why = f"Recall skipped: {trivial}."
            result = Result((), recall.scorer, why=why, diagnostics=(why,))
        else:
            result = retrieve() if retrieve else corpus.answer(options, page=page)
        if options.embedm and not (omits or result.passages or result.left_out):
            return Answer(directive, result, note=EMBEDM_NOTES[options.name])
        if fault := _fault(result, options, corpus, page, omits=omits):
            return Answer(directive, error=fault)
        if options.expect or options.expect_source:
            with corpus.by_name() as pages:
                unmet = _unmet_expectations(result, options, page, locator or TextLocator(pages))
    except RecallError as error:
        return Answer(directive, error=str(error))
    trivial_warning = f"the query asks for nothing ({trivial})" if trivial and not skipped else ""
    unanswered = _unanswered(result, options)
    warning = "; ".join(filter(None, (trivial_warning, unanswered, unmet)))
    return Answer(directive, result, warning=warning, unanswered=bool(unanswered), holds=not unmet)


def _fault(result: Result, options: Options, corpus: Corpus, page: str, *, omits: bool) -> str:
    if result.left_out and not result.passages:
        return result.why
    if result.passages or omits:
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
    faults = empty or ["nothing to quote"]
    if not options.source:
        faults.append(_OWN_PAGE)
    return "; ".join(faults)


def _unanswered(result: Result, options: Options) -> str:
    if not isinstance(options, RecallOptions) or options.on_empty != "warn" or not result.fallback:
        return ""
    advice = "if a synopsis is enough, set 'on_empty: synopsis'" if options.source else _OWN_PAGE
    return f"{result.why}: a synopsis is quoted instead of an answer to {_asked(options)}; {advice}"


def _asked(options: RecallOptions) -> str:
    queries = ", ".join(shown(query.text) for query in options.query[:_QUERIES_SHOWN])
    return f"{queries}, …" if len(options.query) > _QUERIES_SHOWN else queries


def _kinds(options: RecallOptions, corpus: Corpus, page: str) -> str:
    with corpus.by_name() as pages:
        targets = pages.scope(options.source, page=page).targets
        uris = list(dict.fromkeys(target.uri for target in targets))
        kinds = {kind for uri in uris for kind in kinds_of(pages.document(uri))}
    present = ", ".join(unit for unit in UNITS if unit in kinds) or "nothing"
    more = len(uris) - 1
    return f"'{uris[0]}' and {more} more have {present}" if more else f"'{uris[0]}' has {present}"


def _trivial(options: RecallOptions) -> str:
    if options.trivial_query == "allow":
        return ""
    from mkdocs_recall.ranking.trivial import classify

    reasons = [classify(query.text, options.acknowledgments) for query in options.query]
    return reasons[0] or "" if reasons and all(reasons) else ""


_PLACES: Final = 3
_SHOWN: Final = 160
_ANSWER_SECONDS: Final = 1.0
"""For a pattern in an answer; an ordinary one takes a millisecond."""
_SITE_SECONDS: Final = 5.0
_ALL_SECONDS: Final = 30.0
"""For all patterns of a site; then every pattern counts as too slow."""


class TextLocator(Struct, eq=False):
    """Finds a text in a site; each page is read once, on the first search."""

    pages: PageSet
    _sections: dict[str, list[tuple[str, str, str]]] = {}
    _locations: dict[str, str] = {}
    _seconds_left: float = field(default_factory=lambda: _ALL_SECONDS)

    def finder(self, expected: str, *, seconds: float) -> Callable[[str], bool]:
        """Return a predicate of texts that hold `expected`, or a TimeoutError."""
        if not is_pattern(expected):
            words = wording(expected)
            return lambda text: words in wording(text)
        pattern = compile_pattern(expected)
        allowed = min(seconds, self._seconds_left)

        def holds(text: str) -> bool:
            nonlocal allowed
            start = monotonic()
            try:
                return pattern.search(text, timeout=max(allowed, 0.001)) is not None
            finally:
                spent = monotonic() - start
                allowed -= spent
                self._seconds_left -= spent

        return holds

    def location(self, expected: str, quoted: Sequence[str]) -> str:
        """Return where in the site a text or a pattern occurs, as a message says it.

        Partly quoted sections come first. Elsewhere, code is searched only if no text matches,
        since it is seldom quoted.
        """
        if place := self.quoted_place(expected, quoted):
            return f"which is in {place}, but not in the quoted part"
        if expected not in self._locations:
            holds = self.finder(expected, seconds=_SITE_SECONDS)
            try:
                places = self._places(holds) or self._places(holds, in_code=True)
            except TimeoutError:
                location = "which takes too long to look for in the site"
            else:
                where = f"in {_join_names(places)}" if places else "nowhere in the site"
                location = f"which is {where}"
            self._locations[expected] = location
        return self._locations[expected]

    def quoted_place(self, expected: str, quoted: Sequence[str]) -> str:
        """Return the first quoted section that holds a text, if any."""
        holds = self.finder(expected, seconds=_ANSWER_SECONDS)
        try:
            for place, text, code in chain.from_iterable(
                self._page_sections(Target.of(source).uri) for source in quoted
            ):
                if place in quoted and (holds(text) or holds(code)):
                    return place
        except TimeoutError:
            pass
        return ""

    def _places(self, holds: Callable[[str], bool], *, in_code: bool = False) -> list[str]:
        places: list[str] = []
        for place, text, code in chain.from_iterable(map(self._page_sections, self.pages.uris)):
            if place not in places and holds(code if in_code else text):
                places.append(place)
                if len(places) == _PLACES:
                    break
        return places

    def _page_sections(self, uri: str) -> Sequence[tuple[str, str, str]]:
        if uri in self._sections:
            return self._sections[uri]
        sections = self._sections[uri] = []
        for _, group in groupby(self.pages.peek(uri).blocks, key=lambda block: block.section):
            blocks = list(group)
            code = [block.text for block in blocks if block.kind == "code"]
            plain = [block for block in blocks if block.kind != "code"]
            text = [f"{block.text}:" if block.kind in LABELS else block.text for block in plain]
            place = str(Target(uri, blocks[0].anchor))
            sections.append((place, _normal(" ".join(text)), _normal(" ".join(code))))
        return sections


def _unmet_expectations(result: Result, options: Options, page: str, locator: TextLocator) -> str:
    texts = [_normal(text) for text in quoted_texts(result)]
    places = quoted_places(result)
    faults = [_text_fault(expected, texts, places, locator) for expected in options.expect]
    faults += [_source_fault(source, result, page, locator) for source in options.expect_source]
    if not (faults := list(filter(None, faults))):
        return ""
    quoted = cut(_normal(" … ".join(quoted_texts(result))), _SHOWN)
    quote = f'the quote is "{quoted}" from {_join_names(places[:_PLACES])}' if places else ""
    return "; ".join([*faults, quote or "nothing is quoted"])


def quoted_places(result: Result) -> tuple[str, ...]:
    """Return the quoted pages and sections, in reading order."""
    return tuple(dict.fromkeys(passage.source for passage in result.in_document_order()))


def _text_fault(
    expected: str, texts: Iterable[str], places: Sequence[str], locator: TextLocator
) -> str:
    try:
        if any(map(locator.finder(expected, seconds=_ANSWER_SECONDS), texts)):
            return ""
    except TimeoutError:
        return f"expected {expected}, which takes too long to look for: make the pattern simpler"
    text = expected if is_pattern(expected) else f"'{cut(_normal(expected), _SHOWN)}'"
    return f"expected {text}, {locator.location(expected, places)}"


def _source_fault(source: str, result: Result, page: str, locator: TextLocator) -> str:
    try:
        scope = locator.pages.scope((source,), page=page)
        if any(comes_from(p, target) for p in result.passages for target in scope.targets):
            return ""
        for target in scope.named:
            locator.pages.check_anchor(locator.pages.peek(target.uri), target.anchor)
    except SourceError as error:
        raise SourceError(f"'expect_source': {str(error).removeprefix('source ')}") from error
    return f"expected a quote from {_join_names(scope.key)}"


def comes_from(passage: Passage, target: Target) -> bool:
    """Tell whether a passage comes from a page, or a section or one below it."""
    if passage.uri != target.uri:
        return False
    anchors = {heading.anchor for heading in passage.block.headings}
    return not target.anchor or target.anchor in anchors


def _normal(text: str) -> str:
    return normalize("NFC", " ".join(text.split()))


def _join_names(names: Iterable[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
