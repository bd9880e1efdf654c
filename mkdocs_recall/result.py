"""What an answer is: its passages, in rank order, and how it was come by."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Literal, TypeAlias

from mkdocs_recall.chunks import plain_text
from mkdocs_recall.quotation import Quotation

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mkdocs_recall.index import Index
    from mkdocs_recall.ranking import Rejected
    from mkdocs_recall.scoring.explanation import Explanation, Scores
    from mkdocs_recall.text.model import Block, Document, Sentence

Fallback: TypeAlias = Literal["no_match", "stop_words", "low_score"]
"""Why an answer is a synopsis: no sentence matches, the query holds nothing but stop words, or what
matches scores less than `min_score`."""
FoundBy: TypeAlias = Literal["lexical", "semantic"]
"""What has found a passage."""


@dataclass(frozen=True, slots=True)
class Passage:
    r"""A chosen sentence, with its place, its score and why.

    Example:
        >>> from mkdocs_recall import Corpus
        >>> corpus = Corpus.from_markdown({"a.md": "# A\n\n## B\n\nMail goes out on port 587."})
        >>> (passage,) = corpus.recall("which port has mail?").passages
        >>> passage.text, passage.source, passage.line, passage.rank
        ('Mail goes out on port 587.', 'a.md#b', 5, 1)
    """

    document: Document
    """The page it stands on."""
    sentence: Sentence
    """The one that was chosen: a sentence of text, a table's row or a block of code."""
    score: float
    """What the scorer gave it; see the scorer for the range."""
    rank: int
    """Its place in the ranking, from 1."""
    quotation: Quotation
    """What is quoted of the page: the sentence, with what it needs to be understood."""
    found_by: FoundBy = field(default="lexical", kw_only=True)
    """Its words, or what it means where words find too little; its score is a cosine then."""
    _explain: Callable[[], Explanation] = field(repr=False, compare=False)

    @property
    def explanation(self) -> Explanation:
        """Why: a tree whose parts add up to the score. It is made when asked for."""
        return self._explain()

    @property
    def text(self) -> str:
        """What is quoted, with "…" where something is left out."""
        quotation = self.quotation
        if quotation.sentences == (self.sentence,):
            return self.sentence.text
        return plain_text(self.document, quotation.sentences, goes_on=quotation.goes_on)

    @property
    def uri(self) -> str:
        """The page's path from the documentation's root."""
        return self.document.uri

    @property
    def source(self) -> str:
        """The page and the section: `guides/auth.md#expiry`, as a `source` names them."""
        return f"{self.uri}#{self.anchor}" if self.anchor else self.uri

    @property
    def title(self) -> str:
        """The page's title."""
        return self.document.title

    @property
    def block(self) -> Block:
        """The block the sentence stands in."""
        return self.document.blocks[self.sentence.block]

    @property
    def heading(self) -> str:
        """The nearest heading above it, or an empty string."""
        return self.block.heading

    @property
    def anchor(self) -> str:
        """The `id` of the nearest heading above it, or an empty string."""
        return self.block.anchor

    @property
    def line(self) -> int | None:
        """The line of the author's file on which its block starts, from 1, where known."""
        return self.block.line

    @property
    def file(self) -> str:
        """The path of the author's file on this machine; empty where that is not known."""
        return self.document.file

    @property
    def created(self) -> str:
        """The date its page states as `t_created`, as in ISO 8601; empty where there is none."""
        return self.document.created


@dataclass(frozen=True, slots=True)
class Lost:
    """A sentence that was not chosen, and why.

    Example:
        >>> from mkdocs_recall import Corpus
        >>> corpus = Corpus.from_markdown({"a.md": "A port is open. Port 80 is open."})
        >>> (lost,) = corpus.recall("open port", max_sentences=1).lost
        >>> lost.passage.text
        'Port 80 is open.'
    """

    passage: Passage
    """It, with the rank it would have had next."""
    reason: str


@dataclass(frozen=True, slots=True)
class Result:
    """The passages of an answer and how it was come by.

    Example:
        >>> from mkdocs_recall import Corpus
        >>> corpus = Corpus.from_markdown({"a.md": "Mail goes out on port 587."})
        >>> result = corpus.recall("what is a walrus?", on_empty="omit")
        >>> result.passages, result.fallback, result.why
        ((), 'no_match', 'no sentence answers the query')
        >>> Result.from_json(result.to_json()) == result
        True
    """

    passages: tuple[Passage, ...]
    """In rank order."""
    scorer: str
    """The scorer or algorithm that chose them."""
    fallback: Fallback | None = None
    """Why a query was answered with a synopsis (or not at all), or None."""
    why: str = ""
    """The same in words, why meaning was asked, and in which way `max_tokens` cut it short."""
    diagnostics: tuple[str, ...] = ()
    """What the asker should know: languages without word lists, pages without text."""
    places: tuple[int, ...] = ()
    """Where each passage stands among the sentences that were looked at: greater is later. What was
    found by meaning stands behind all others."""
    left_out: tuple[Passage, ...] = ()
    """Those that were chosen too, in rank order, and go over `max_tokens`."""
    _lost: Callable[[], tuple[Lost, ...]] = field(default=tuple, repr=False, compare=False)

    @property
    def lost(self) -> tuple[Lost, ...]:
        """The best three that were not chosen, and why. They are looked up when asked for."""
        return self._lost()

    def in_document_order(self) -> tuple[Passage, ...]:
        """Return the passages as they stand in the documentation: pages in order, then text."""
        pairs = sorted(zip(self.places, self.passages, strict=True), key=lambda pair: pair[0])
        return tuple(passage for _, passage in pairs)

    def to_json(self, *, explain: bool = False) -> str:
        """Return the result as JSON on one line; the documentation describes its fields.

        Args:
            explain: Whether each passage comes with the explanation of its score.
        """
        from mkdocs_recall import records  # noqa: PLC0415 - it makes results

        return records.as_json(records.result_record(self, explain=explain))

    @classmethod
    def from_json(cls, text: str | bytes) -> Result:
        """Return the result that was written as JSON. Of a page it has but what was quoted.

        Raises:
            RecordError: It is none, or of a newer schema.
        """
        from mkdocs_recall import records  # noqa: PLC0415 - it makes results

        return records.read_json(text)


def section_key(passage: Passage) -> tuple[FoundBy, str, int]:
    """Return what passages share that are quoted together."""
    return passage.found_by, passage.uri, passage.block.section


def quoted(result: Result) -> list[str]:
    """Return what is quoted of each section, in reading order; what passages share comes once."""
    sections = groupby(result.in_document_order(), key=section_key)
    return [_section(list(passages)) for _, passages in sections]


def _section(passages: Sequence[Passage]) -> str:
    sentences = {(s.block, s.start): s for p in passages for s in p.quotation.sentences}
    broken = {p.quotation.sentences[-1].block for p in passages if p.quotation.goes_on}
    in_order = [sentences[at] for at in sorted(sentences)]
    return plain_text(passages[0].document, in_order, goes_on=in_order[-1].block in broken)


def make_result(
    index: Index,
    chosen: Sequence[int],
    scores: Scores,
    scorer: str,
    *,
    quote: Callable[[int], Quotation] | None = None,
    rejected: Callable[[], Sequence[Rejected]] = tuple,
    by_meaning: Scores | None = None,
) -> Result:
    """Return the chosen sentences of an index as passages.

    Args:
        index: The sentences.
        chosen: The numbers of those chosen, in rank order.
        scores: What the scorer says of them.
        scorer: Its name.
        quote: Returns what is quoted with a sentence; None where that is but itself.
        rejected: Finds the best that were not chosen.
        by_meaning: What is said of those, the last, that were found by meaning alone; None if none.
    """
    semantic = frozenset(by_meaning.values) if by_meaning else frozenset[int]()

    def passage(rank: int, number: int) -> Passage:
        sentence = index.sentences[number]
        said = by_meaning if by_meaning and number in semantic else scores
        return Passage(
            document=index.document(number),
            sentence=sentence,
            score=said.values[number],
            rank=rank,
            quotation=quote(number) if quote else Quotation((sentence,)),
            found_by="semantic" if number in semantic else "lexical",
            _explain=partial(said.explain, number),
        )

    def lost() -> tuple[Lost, ...]:
        first = len(chosen) + 1
        return tuple(
            Lost(passage(rank, each.number), each.reason)
            for rank, each in enumerate(rejected(), start=first)
        )

    passages = tuple(passage(rank, number) for rank, number in enumerate(chosen, start=1))
    places = tuple(n + len(index) if n in semantic else n for n in chosen)
    return Result(passages, scorer, places=places, _lost=lost)
