"""What other sites quote of this one, compared with its pages as they are now.

A directive that asks this site alone is answered again, as the quoting site will do once it fetches
the pages. Of any other, only the sentences that it quotes are looked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from mkdocs_recall.answers.answer import answer
from mkdocs_recall.answers.entries import quoted_sections
from mkdocs_recall.answers.lock import AnswerChange, LockEntry
from mkdocs_recall.directives.catalog import OPTIONS
from mkdocs_recall.directives.nested import check_values
from mkdocs_recall.directives.schema import recall_options, synopsis_options
from mkdocs_recall.errors import OptionError
from mkdocs_recall.options import LIMITS
from mkdocs_recall.review.claims import Claim, ClaimedPlace
from mkdocs_recall.review.verification import Verifier
from mkdocs_recall.text.wording import wording

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mkdocs_recall.corpus.corpus import Corpus
    from mkdocs_recall.options import Options
    from mkdocs_recall.publishing.outbound import OutboundPassage, OutboundQuote
    from mkdocs_recall.retrieval.result import Passage, Result
    from mkdocs_recall.review.verification import Verification

InboundKind: TypeAlias = Literal["broken", "gone", "changed", "replaced", "moved"]
_WORST_FIRST: Final[tuple[InboundKind, ...]] = "gone", "changed", "moved"
"""The verdicts on a sentence that is no longer where it was, as it was."""
_ELSEWHERE: Final = frozenset({"semantic", "temporal", "enrich", "token_counter"})
"""Options by which more than the pages decides: a model, git's history or an installed package."""


class _QuotedSentence(NamedTuple):
    """A sentence with its page and section."""

    place: str
    text: str

    @property
    def comparable(self) -> tuple[str, str]:
        """The same for two texts that differ only in typography."""
        return self.place, wording(self.text)


@dataclass(frozen=True, slots=True)
class InboundChange:
    """A directive of another site whose quote of this one changes or breaks."""

    kind: InboundKind
    quote: OutboundQuote
    before: LockEntry
    """What it quotes of this site."""
    after: LockEntry | None = None
    """What it would quote; None where it would have an error."""
    error: str = ""
    file: str = ""
    """The file of this site that has the new text, or had the old one; empty where there is
    none."""
    line: int | None = None

    @property
    def change(self) -> AnswerChange:
        """The change as the lock file states it."""
        return AnswerChange(self.before, self.after)


class InboundQuotes:
    """Compares what other sites quote with the pages of this one."""

    def __init__(self, corpus: Corpus, site_url: str) -> None:
        """Take the site."""
        self._corpus = corpus
        self._site_url = site_url.rstrip("/")
        self._verifier = Verifier(corpus)
        with corpus.by_name() as pages:
            self._files = {uri: pages.document(uri).file for uri in pages.uris}

    def passages(self, quote: OutboundQuote) -> list[OutboundPassage]:
        """Return those passages of a quote that are of this site."""
        return [p for p in quote.passages if p.url.rstrip("/") == self._site_url]

    def change(self, quote: OutboundQuote) -> InboundChange | None:
        """Return what becomes of a quote of this site; None where it stays as it is."""
        passages = self.passages(quote)
        verified = list(self._verifier.verify(map(_claim, passages)))
        options = _own_options(quote, {passage.site for passage in passages})
        if options is None:
            return self._verified(quote, passages, verified)
        answered = answer(options, self._corpus, "")
        before = [_QuotedSentence(_place(p), p.text) for p in passages]
        if answered.error or answered.result is None:
            entry = _entry(quote, before)
            file = self._files.get(passages[0].uri, "")
            return InboundChange("broken", quote, entry, error=answered.error, file=file)
        after = list(_sentences(answered.result))
        old, new = ([sentence.comparable for sentence in side] for side in (before, after))
        if old == new:
            return None
        same_text = [text for _, text in old] == [text for _, text in new]
        kind = "moved" if same_text else _worst(verified) or "replaced"
        entries = _entry(quote, before), _entry(quote, after)
        place = self._changed_place(verified) or _first_new(answered.result, before)
        return InboundChange(kind, quote, *entries, file=place[0], line=place[1])

    def _verified(
        self,
        quote: OutboundQuote,
        passages: Sequence[OutboundPassage],
        verified: Sequence[Verification],
    ) -> InboundChange | None:
        """Return the change of a quote by its sentences alone."""
        kind = _worst(verified)
        if kind is None:
            return None
        before, after = [], []
        for passage, verification in zip(passages, verified, strict=True):
            before.append(_QuotedSentence(_place(passage), passage.text))
            if verification.verdict == "exact":
                after.append(before[-1])
            elif verification.verdict != "gone":
                now = verification.now or passage.text
                after.append(_QuotedSentence(verification.source, now))
        entries = _entry(quote, before), _entry(quote, after)
        file, line = self._changed_place(verified) or ("", None)
        return InboundChange(kind, quote, *entries, file=file, line=line)

    def _changed_place(self, verified: Sequence[Verification]) -> tuple[str, int | None] | None:
        """Return file and line of the first sentence that is not as it was."""
        for verification in verified:
            if verification.verdict == "gone":
                uri = verification.claim.places[0].uri
                return self._files.get(uri, ""), None
            if verification.verdict != "exact":
                return verification.file, verification.line
        return None


def _claim(passage: OutboundPassage) -> Claim:
    place = ClaimedPlace(passage.uri, passage.anchor)
    return Claim(_place(passage), texts=(passage.text,), places=(place,))


def _place(passage: OutboundPassage) -> str:
    return f"{passage.uri}#{passage.anchor}" if passage.anchor else passage.uri


def _worst(verified: Sequence[Verification]) -> InboundKind | None:
    verdicts = {verification.verdict for verification in verified}
    return next((kind for kind in _WORST_FIRST if kind in verdicts), None)


def _own_options(quote: OutboundQuote, names: set[str]) -> Options | None:
    """Return a directive's options with the page names of this site; None if it cannot be asked."""
    sources = [source.partition(":") for source in quote.source]
    known = {option.name for option in OPTIONS if quote.directive in option.directives}
    known -= _ELSEWHERE | {"query", "source", "expect", "expect_source"}
    is_own = bool(sources) and all(name in names for name, _, _ in sources)
    if not (is_own and known and quote.options.keys() <= known):
        return None
    paths = [path for _, _, path in sources]
    try:
        check_values({**quote.options, "query": [*quote.query], "source": paths}, LIMITS)
        if quote.directive == "recall":
            return recall_options(quote.query, source=paths, **quote.options)
        return synopsis_options(source=paths, **quote.options)
    except OptionError:
        return None


def _sentences(result: Result) -> Iterator[_QuotedSentence]:
    for first, quotation in quoted_sections(result):
        for sentence in quotation.sentences:
            yield _QuotedSentence(first.source, sentence.text)


def _first_new(result: Result, before: Sequence[_QuotedSentence]) -> tuple[str, int | None]:
    """Return file and line of the first passage that was not quoted; of the first at all, else."""
    passages: tuple[Passage, ...] = result.in_document_order()
    old = {wording(sentence.text) for sentence in before}
    new = [p for p in passages if wording(p.sentence.text) not in old] or passages
    return (new[0].file, new[0].line) if new else ("", None)


def _entry(quote: OutboundQuote, sentences: Sequence[_QuotedSentence]) -> LockEntry:
    texts = tuple(sentence.text for sentence in sentences)
    return LockEntry(
        id="",
        page=quote.page,
        directive=quote.directive,
        query=tuple(query.text for query in quote.query),
        source=quote.source,
        sources=tuple(dict.fromkeys(sentence.place for sentence in sentences)),
        passages=texts,
        text="\n".join(texts),
    )
