"""What an answer is: its passages, in rank order, and how it was come by."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any, NoReturn

from mkdocs_recall.errors import RecordError
from mkdocs_recall.retrieval.quotation import Quotation, plain_text
from mkdocs_recall.retrieval.records import SCHEMA, as_json, read_record, shape_error, too_deep
from mkdocs_recall.scoring.explanation import Explanation
from mkdocs_recall.text.model import Block, Document, Heading, Sentence

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mkdocs_recall.retrieval.records import Fallback, FoundBy


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
        return as_json(result_record(self, explain=explain))

    @classmethod
    def from_json(cls, text: str | bytes) -> Result:
        """Return the result that was written as JSON. Of a page it has but what was quoted.

        Raises:
            RecordError: It is none, or of a newer schema.
        """
        record = read_record(text)
        try:
            return _read_result(record)
        except RecursionError as error:
            raise too_deep() from error


def section_key(passage: Passage) -> tuple[FoundBy, str, int]:
    """Return what passages share that are quoted together."""
    return passage.found_by, passage.uri, passage.block.section


def quoted_texts(result: Result) -> list[str]:
    """Return what is quoted of each section, in reading order; what passages share comes once."""
    sections = groupby(result.in_document_order(), key=section_key)
    return [_section(list(passages)) for _, passages in sections]


def _section(passages: Sequence[Passage]) -> str:
    sentences = {(s.block, s.start): s for p in passages for s in p.quotation.sentences}
    broken = {p.quotation.sentences[-1].block for p in passages if p.quotation.goes_on}
    in_order = [sentences[at] for at in sorted(sentences)]
    return plain_text(passages[0].document, in_order, goes_on=in_order[-1].block in broken)


def result_record(result: Result, *, explain: bool = False, lost: bool = True) -> dict[str, Any]:
    """Return a result as a record.

    Args:
        result: The result.
        explain: Whether each passage comes with the explanation of its score.
        lost: Whether the best sentences that were not chosen come with it.
    """
    return {
        "schema": SCHEMA,
        "scorer": result.scorer,
        "fallback": result.fallback,
        "why": result.why,
        "diagnostics": [*result.diagnostics],
        "passages": [passage_record(passage, explain=explain) for passage in result.passages],
        "places": [*result.places],
        "left_out": [passage_record(passage, explain=explain) for passage in result.left_out],
        "lost": [
            {"reason": each.reason, "passage": passage_record(each.passage, explain=explain)}
            for each in (result.lost if lost else ())
        ],
    }


def passage_record(passage: Passage, *, explain: bool = False) -> dict[str, Any]:
    """Return a passage as a record.

    Args:
        passage: The passage.
        explain: Whether it comes with the explanation of its score.
    """
    page, block = passage.document, passage.block
    record = {
        "rank": passage.rank,
        "score": passage.score,
        "text": passage.text,
        "sentence": passage.sentence.text,
        "kind": block.kind,
        "source": passage.source,
        "uri": page.uri,
        "anchor": passage.anchor,
        "title": page.title,
        "headings": [heading._asdict() for heading in block.headings],
        "section": block.section,
        "url": f"{page.url}#{passage.anchor}" if passage.anchor else page.url,
        "file": page.file,
        "line": passage.line,
        "language": page.language,
        "created": page.created,
        "found_by": passage.found_by,
    }
    return (
        {**record, "explanation": _explanation_record(passage.explanation)} if explain else record
    )


def _explanation_record(explanation: Explanation) -> dict[str, Any]:
    parts = [_explanation_record(part) for part in explanation.parts]
    return {"value": explanation.value, "description": explanation.description, "parts": parts}


def _read_result(record: Mapping[str, Any]) -> Result:
    """Return the result that a record of the right shape stands for.

    Each page it quotes is there once, with what was quoted of it in the order of the page.

    Raises:
        RecordError: Its parts do not fit together.
    """
    chosen, left_out, places = record["passages"], record["left_out"], record["places"]
    if len(places) != len(chosen):
        msg = f"this is no result: it has {len(places)} places for {len(chosen)} passages"
        raise RecordError(msg)
    lost = [each["passage"] for each in record["lost"]]
    in_order = [chosen[number] for number in sorted(range(len(chosen)), key=places.__getitem__)]
    blocks: dict[tuple[str, ...], list[Block]] = {}
    numbers: dict[int, int] = {}
    for each in (*in_order, *left_out, *lost):
        of_page = blocks.setdefault(_page_of(each), [])
        numbers[id(each)] = len(of_page)
        of_page += _read_blocks(each, len(of_page))
    documents = {
        page: Document(uri, title, language, tuple(blocks[page]), (), url, "", created, file)
        for page in blocks
        for uri, title, language, url, created, file in [page]
    }

    def passage(each: Mapping[str, Any]) -> Passage:
        document = documents[_page_of(each)]
        return _read_passage(each, document, document.blocks[numbers[id(each)]])

    lost_ones = tuple(
        Lost(passage(each["passage"]), reason=each["reason"]) for each in record["lost"]
    )
    return Result(
        passages=tuple(map(passage, chosen)),
        scorer=record["scorer"],
        fallback=record["fallback"],
        why=record["why"],
        diagnostics=tuple(record["diagnostics"]),
        places=tuple(places),
        left_out=tuple(map(passage, left_out)),
        _lost=lambda: lost_ones,
    )


@dataclass(frozen=True, slots=True)
class _Spans:
    """The sentences of a block that was read back; a function like those that find sentences."""

    sentences: tuple[Sentence, ...]

    def __call__(self, _: Block) -> tuple[Sentence, ...]:
        """Return them."""
        return self.sentences


def _page_of(passage: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what is known of a passage's page, as `Document` has it."""
    anchor = next((h["anchor"] for h in reversed(passage["headings"]) if h["anchor"]), "")
    url = passage["url"].removesuffix(f"#{anchor}") if anchor else passage["url"]
    names = ("uri", "title", "language")
    return (*(passage[name] for name in names), url, passage["created"], passage["file"])


def _read_blocks(passage: Mapping[str, Any], number: int) -> tuple[Block, Block]:
    """Return a block of what is quoted, in up to three sentences, and one that sets it apart."""
    text, chosen = passage["text"], passage["sentence"]
    start = text.find(chosen)
    if start < 0 or not chosen:
        at = "sentence"
        raise shape_error(at, "a part of 'text'", chosen)
    end = start + len(chosen)
    spans = [(0, len(text[:start].rstrip()) or start), (start, end)]
    spans.append((len(text) - (len(text[end:].lstrip()) or len(text[end:])), len(text)))
    sentences = _Spans(tuple(Sentence(text[a:b], a, b, number, ()) for a, b in spans if a < b))
    common = {
        "top": number,
        "section": passage["section"],
        "headings": tuple(Heading(h["text"], h["level"], h["anchor"]) for h in passage["headings"]),
        "line": passage["line"],
    }
    quoted = Block(text, passage["kind"], number=number, cut=sentences, **common)
    return quoted, Block("", "table", number=number + 1, cut=_Spans(()), **common)


def _read_passage(record: Mapping[str, Any], document: Document, block: Block) -> Passage:
    sentence = next(s for s in block.sentences if s.text == record["sentence"])
    known = record.get("explanation")
    return Passage(
        document=document,
        sentence=sentence,
        score=record["score"],
        rank=record["rank"],
        quotation=Quotation(block.sentences),
        found_by=record.get("found_by", "lexical"),
        _explain=partial(_read_explanation, known) if known else _unexplained,
    )


def _read_explanation(record: Mapping[str, Any]) -> Explanation:
    parts = tuple(map(_read_explanation, record["parts"]))
    return Explanation(record["value"], record["description"], parts)


def _unexplained() -> NoReturn:
    msg = "this result was read from JSON without explanations; write it with 'explain=True'"
    raise RecordError(msg)
