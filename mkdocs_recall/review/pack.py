"""A pack: the passages that answer several queries, within one budget of tokens, nothing twice.

The best passage of each entry comes first, the most important entry first; then the others by their
score. Context never takes the room of another entry's best passage. `pack_file` reads what is asked
for, `pack_text` writes the passages.
"""

from __future__ import annotations

import os
import sys
from bisect import bisect_right
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate, groupby, takewhile
from typing import TYPE_CHECKING, Any, Final

from mkdocs_recall.answers.answer import answer
from mkdocs_recall.errors import PackError
from mkdocs_recall.options import DEFAULT_MAX_SENTENCES, LIMITS, RecallOptions
from mkdocs_recall.rendering.markdown import TargetFile
from mkdocs_recall.retrieval.result import passage_record
from mkdocs_recall.retrieval.token_budget import checked_counter, shortened
from mkdocs_recall.review.pack_file import PackRequest
from mkdocs_recall.review.pack_text import PackText
from mkdocs_recall.scoring.features import is_complete
from mkdocs_recall.text.wording import wording

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mkdocs_recall.corpus.corpus import Corpus
    from mkdocs_recall.options import Options, TokenCounter
    from mkdocs_recall.retrieval.result import Passage, Result
    from mkdocs_recall.review.pack_file import PackEntry

_FEW_TOKENS: Final = 30
"""Few passages have fewer tokens, with their source."""
_NO_ANSWER: Final = "no sentence answers the query"


@dataclass(frozen=True, slots=True)
class PackedPassage:
    """A passage of a pack, or one that is left out."""

    entry: PackEntry
    """What it answers."""
    passage: Passage
    value: float
    """Its score as a share of the best for the entry, times the entry's priority."""


@dataclass(frozen=True, slots=True)
class Pack:
    """A text of quotes within a budget."""

    text: str
    tokens: int
    packed: tuple[PackedPassage, ...]
    """In the order of the text."""
    left_out: tuple[PackedPassage, ...]
    """What does not fit, the most valuable first."""
    unanswered: tuple[PackEntry, ...]
    warnings: tuple[tuple[int, str], ...]
    """What the author should know, each with the line of its entry."""
    diagnostics: tuple[str, ...] = ()
    """Notes on the answers, each once."""
    site: str = ""

    def record(self) -> dict[str, Any]:
        """Return it as a record; only what is in the text comes as whole passages."""
        return {
            "site": self.site,
            "tokens": self.tokens,
            "text": self.text,
            "passages": [
                {"asked": packed.entry.label, **passage_record(packed.passage, site=self.site)}
                for packed in self.packed
            ],
            "left_out": [
                {
                    "asked": packed.entry.label,
                    "source": packed.passage.source,
                    "file": packed.passage.file,
                    "line": packed.passage.line,
                    "score": packed.passage.score,
                    "sentence": packed.passage.sentence.text,
                }
                for packed in self.left_out
            ],
            "unanswered": [entry.label for entry in self.unanswered],
            "warnings": [message for _, message in self.warnings],
            "diagnostics": [*self.diagnostics],
        }


def make_pack(
    request: PackRequest,
    corpus: Corpus,
    file: TargetFile,
    *,
    every: Callable[[], Corpus] | None = None,
    comment: str = "",
) -> Pack:
    """Answer the entries of a pack, and choose of their passages what fits the budget.

    Args:
        file: The file that the text is written to; links lead from there.
        every: Returns the pages together with the expired ones, for an entry that says itself
            whether it quotes them; None where `corpus` includes them.
    """
    count = checked_counter(request.token_counter)
    answers = _answers(request, corpus, every)
    with corpus.by_name() as pages:
        uris = dict.fromkeys((*corpus.files, *pages.uris))  # the former has expired pages, too
    order = {uri: number for number, uri in enumerate(uris)}
    title = request.title and f"# {request.title}"
    head = "\n\n".join(filter(None, [comment, title, request.intro]))
    new_text = partial(PackText, head, file=file, order=order, count=count)
    choice = _Choice(new_text(), request.max_tokens)
    best, others = _in_turn([_enough(reply, request.max_tokens, count) for reply in answers])
    for packed in (*_in_shares(best, new_text, request.max_tokens, count), *others):
        choice.offer(packed)
    text: PackText = choice.text
    chosen: Sequence[PackedPassage] = choice.chosen
    written = text.text() if chosen else ""
    if count(written) > request.max_tokens:  # a counter may count more than in the parts
        text, chosen = _first_that_fit(chosen, new_text, request.max_tokens, count)
        written = text.text()
    by_passage = {id(packed.passage): packed for packed in chosen}
    return Pack(
        text=written,
        tokens=count(written),
        packed=tuple(by_passage[id(passage)] for passage in text.passages()),
        left_out=(
            *choice.chosen[len(chosen) :],
            *choice.left_out,
            *(packed for reply in answers for packed in reply.cut),
        ),
        unanswered=tuple(reply.entry for reply in answers if not reply.found),
        warnings=tuple((reply.entry.line, reply.warning) for reply in answers if reply.warning),
        diagnostics=tuple(dict.fromkeys(note for reply in answers for note in reply.diagnostics)),
        site=corpus.site,
    )


def pack_of(entries: Sequence[PackEntry], corpus: Corpus, max_tokens: int) -> Pack:
    """Return a pack without a file: its links are sources, seen from the documentation's root."""
    file = TargetFile(uri="", folder=os.sep, root=os.sep)
    return make_pack(PackRequest(tuple(entries), max_tokens), corpus, file)


@dataclass(frozen=True, slots=True)
class _EntryAnswer:
    """What answers an entry."""

    entry: PackEntry
    found: tuple[PackedPassage, ...]
    """In rank order; none where nothing answers."""
    cut: tuple[PackedPassage, ...]
    """What exceeds the budget of the entry itself."""
    warning: str
    diagnostics: tuple[str, ...]


class _Choice:
    """The passages that are chosen, one after the other."""

    def __init__(self, text: PackText, max_tokens: int) -> None:
        self.text = text
        self.chosen: list[PackedPassage] = []
        self.left_out: list[PackedPassage] = []
        self._max_tokens = max_tokens
        self._quoted: dict[str, object] = {}
        """The sentences that are quoted, by their wording, each with its section."""

    def offer(self, packed: PackedPassage) -> None:
        """Take a passage with the context that fits, unless it is quoted already or too long."""
        if wording(packed.passage.sentence.text) in self._quoted:
            return
        passage = self._without_repetition(packed.passage)
        packed = replace(packed, passage=passage)
        size = self.text.add(passage, self._max_tokens)
        if size > self._max_tokens and passage.quotation.added:
            shorter = self.text.fitting(passage, self._max_tokens)
            if shorter is not None:
                passage, packed = shorter, replace(packed, passage=shorter)
                size = self.text.add(passage, self._max_tokens)
        if size > self._max_tokens:
            if not self.chosen:
                raise _too_small(packed, size, self._max_tokens)
            self.left_out.append(packed)
            return
        self.chosen.append(packed)
        section = self.text.section_of(passage)
        for sentence in passage.quotation.sentences:
            self._quoted.setdefault(wording(sentence.text), section)

    def _without_repetition(self, passage: Passage) -> Passage:
        """Return a passage without what another section is quoted with, but for lead-ins."""
        section = self.text.section_of(passage)
        quotation = passage.quotation
        sentences = tuple(
            sentence
            for sentence in quotation.sentences
            if sentence == passage.sentence
            or self._quoted.get(wording(sentence.text), section) == section
            or not is_complete(sentence, passage.document.language)
        )
        if len(sentences) == len(quotation.sentences):
            return passage
        return replace(passage, quotation=replace(quotation, sentences=sentences))


def _answers(
    request: PackRequest, corpus: Corpus, every: Callable[[], Corpus] | None
) -> list[_EntryAnswer]:
    """Return the answers to all entries."""
    answers, faults = [], []
    for entry in request.entries:
        options = entry.options
        says_itself = options.include_expired or options.temporal is not None
        pages = every() if every and says_itself else corpus
        retrieve = partial(_retrieve, options, pages, request.max_tokens)
        reply = answer(options, pages, "", retrieve=retrieve)
        if reply.error:
            faults.append((entry.line, reply.error))
            continue
        result = reply.result
        assert result is not None  # there is no error
        warning = reply.warning
        if not (warning or result.passages):
            warning = f"'{entry.label}' has no answer: {result.why or _NO_ANSWER}"
        cut = tuple(PackedPassage(entry, passage, 0.0) for passage in result.left_out)
        found = tuple(_valued(entry, result))
        answers.append(_EntryAnswer(entry, found, cut, warning, result.diagnostics))
    if faults:
        raise PackError(*faults)
    return answers


def _retrieve(options: Options, corpus: Corpus, max_tokens: int) -> Result:
    """Return the answer to an entry, with the passages that may fit the budget of the pack."""
    result = corpus.answer(_filling(options, max_tokens))
    if result.passages or not _fills(options):
        return result
    # The budget is that of the pack: what does not fit is offered to it all the same.
    found = result.left_out
    return replace(result, passages=found, places=(*range(len(found)),), left_out=())


def _first_that_fit(
    chosen: Sequence[PackedPassage],
    new_text: Callable[[], PackText],
    max_tokens: int,
    count: TokenCounter,
) -> tuple[PackText, Sequence[PackedPassage]]:
    """Return the text of the first passages, as many as fit, and these."""

    def size(number: int) -> int:
        return count(_text_of(chosen[:number], new_text).text())

    fitting = bisect_right(range(1, len(chosen) + 1), max_tokens, key=size)
    if not fitting:
        raise _too_small(chosen[0], size(1), max_tokens)
    return _text_of(chosen[:fitting], new_text), chosen[:fitting]


def _in_shares(
    best: Sequence[PackedPassage],
    new_text: Callable[[], PackText],
    max_tokens: int,
    count: TokenCounter,
) -> Sequence[PackedPassage]:
    """Return the best passages of the entries with as much context as leaves room for each.

    Where they do not fit together, none has more tokens than the same share, unless it has them
    without its context.
    """

    def within(share: int) -> list[PackedPassage]:
        return [replace(packed, passage=_within(packed.passage, share, count)) for packed in best]

    def size(share: int) -> int:
        return count(_text_of(within(share), new_text).text())

    if size(max_tokens) <= max_tokens:
        return best
    return within(bisect_right(range(max_tokens), max_tokens, key=size) - 1)


def _within(passage: Passage, share: int, count: TokenCounter) -> Passage:
    """Return a passage with as much of its context as its share allows."""

    def fits(some: Passage) -> bool:
        return not some.quotation.added or count(some.text) <= share

    return shortened(passage, fits) or passage


def _text_of(chosen: Sequence[PackedPassage], new_text: Callable[[], PackText]) -> PackText:
    """Return the text of all these passages."""
    text = new_text()
    for packed in chosen:
        text.add(packed.passage, sys.maxsize)
    return text


def _too_small(packed: PackedPassage, size: int, max_tokens: int) -> PackError:
    source = packed.passage.source
    msg = (
        f"the first passage, of '{source}', needs {size:,} tokens with the title and its source, "
        f"and 'max_tokens' is {max_tokens:,}"
    )
    return PackError((packed.entry.line, msg))


def _fills(options: Options) -> bool:
    """Tell whether an entry has as many passages as fit."""
    return (
        isinstance(options, RecallOptions)
        and options.max_sentences is None
        and options.max_tokens is None
    )


def _filling(options: Options, max_tokens: int) -> Options:
    """Return the options of an entry, with as many passages as may fit the budget."""
    if not (isinstance(options, RecallOptions) and _fills(options)):
        return options
    if not isinstance(options.context, int):
        return replace(options, max_tokens=max_tokens)
    number = min(LIMITS.sentences, max(DEFAULT_MAX_SENTENCES, max_tokens // _FEW_TOKENS))
    return replace(options, max_sentences=number)


def _valued(entry: PackEntry, result: Result) -> list[PackedPassage]:
    """Return the passages of an entry in rank order; of a synopsis, each page has a best one."""
    found = []
    is_recall = isinstance(entry.options, RecallOptions)
    for _, group in groupby(result.passages, key=lambda p: "" if is_recall else p.uri):
        passages = list(group)
        share, best = 1.0, passages[0].score
        for passage in passages:
            share = min(share, max(0.0, passage.score / best)) if best > 0 else 0.0
            found.append(PackedPassage(entry, passage, share * entry.priority))
    return found


def _enough(reply: _EntryAnswer, max_tokens: int, count: TokenCounter) -> Sequence[PackedPassage]:
    """Return the passages of an entry; of one that fills the budget, as many as do so alone."""
    if not _fills(reply.entry.options):
        return reply.found
    totals = accumulate(count(packed.passage.text) for packed in reply.found)
    return reply.found[: 1 + sum(1 for _ in takewhile(lambda total: total < max_tokens, totals))]


def _in_turn(
    queues: Sequence[Sequence[PackedPassage]],
) -> tuple[Sequence[PackedPassage], Sequence[PackedPassage]]:
    """Return the best passage of each entry, the most important first, and the others by value."""
    best = (queue[0] for queue in queues if queue)
    others = (packed for queue in queues for packed in queue[1:])
    return (
        sorted(best, key=lambda packed: -packed.entry.priority),
        sorted(others, key=lambda packed: -packed.value),
    )
