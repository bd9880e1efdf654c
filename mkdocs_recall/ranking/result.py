"""The result of a recall or synopsis: its passages, how it was obtained, and its JSON record.

The page "For agents" of the documentation describes every field of a record. A passage's receipt
identifies its sentence and section, for `verify`. A section that an author names is a result of all
its sentences, without a query.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from itertools import groupby, takewhile
from math import isfinite
from operator import attrgetter
from typing import Any, Final, Literal, NoReturn, TypeAlias, TypeVar

from msgspec import Struct, ValidationError, convert, structs

from mkdocs_recall import __version__
from mkdocs_recall.errors import RecordError
from mkdocs_recall.messages import shown, start_of
from mkdocs_recall.options import RecallOptions
from mkdocs_recall.ranking.quotation import Quotation, merge_quotations, plain_text
from mkdocs_recall.ranking.scores import Explanation
from mkdocs_recall.text.model import (
    LABELS,
    Block,
    Document,
    Heading,
    Kind,
    Publisher,
    Sentence,
    innermost_tab,
    section_range,
    tabs_of,
)
from mkdocs_recall.text.wording import wording_digest

_T = TypeVar("_T")


def receipt_record(passage: Passage, site: str) -> dict[str, Any]:
    """Return a passage's receipt: its place and digest."""
    place = {name: getattr(passage, name) for name in ("uri", "anchor", "line")}
    digest = wording_digest(passage.sentence.text)
    return {"site": site, "version": __version__, **place, "digest": digest}


Fallback: TypeAlias = Literal["no_match", "stop_words", "low_score"]
"""Why an answer is a synopsis: no match, stop words, or a score that is too low."""
FoundBy: TypeAlias = Literal["lexical", "semantic"]
"""How a passage was found: by its words, or by its meaning."""

_SHOWN: Final = 20  # characters of an invalid number
SCHEMA: Final = 1
"""The version of the format: a changed or removed field changes it."""


class PublisherRecord(Struct):
    """The other site that a passage comes from. Without `private`, a text would be public."""

    name: str
    title: str
    url: str
    licence: str
    copyright: str
    private: bool


class PassageRecord(Struct, kw_only=True):
    """A passage; older versions did not write all fields."""

    rank: int
    score: float
    text: str
    sentence: str
    kind: Kind
    source: str
    uri: str
    anchor: str
    title: str
    headings: tuple[Heading, ...]
    section: int
    url: str
    file: str
    line: int | None
    language: str
    created: str
    found_by: FoundBy = "lexical"
    receipt: dict[str, str | int | None] | None = None
    publisher: PublisherRecord | None = None
    explanation: Explanation | None = None


class LostRecord(Struct):
    """A sentence that was not chosen."""

    reason: str
    passage: PassageRecord


class ResultRecord(Struct, kw_only=True):
    """A result."""

    schema: int
    site: str = ""
    scorer: str
    fallback: Fallback | None
    why: str
    diagnostics: list[str]
    doubts: list[str] = []
    passages: list[PassageRecord]
    places: list[int]
    left_out: list[PassageRecord]
    lost: list[LostRecord]


def page_record(document: Document) -> dict[str, Any]:
    """Return the metadata of a page as a record."""
    names = ("uri", "title", "description", "language", "url", "file", "created")
    return {name: getattr(document, name) for name in names}


def as_json(record: Mapping[str, Any]) -> str:
    """Return a record as JSON on one line in UTF-8."""
    text = json.dumps(record, ensure_ascii=False, allow_nan=False)
    try:
        text.encode()
    except UnicodeEncodeError:  # a file name may hold bytes that are not UTF-8
        text = json.dumps(record, allow_nan=False)
    return text


def _read_record(text: str | bytes) -> ResultRecord:
    try:
        # Not by msgspec, since a file name may hold bytes that are not UTF-8.
        record = json.loads(text, parse_constant=_finite, parse_float=_finite, parse_int=_whole)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"this is not JSON: {error}") from error
    schema = record.get("schema") if isinstance(record, dict) else None
    if isinstance(schema, int) and schema > SCHEMA:
        hint = f"up to {SCHEMA} is read: upgrade mkdocs-recall"
        raise RecordError(f"this result is of schema {shown(schema)}, and {hint}")
    try:
        return convert(record, ResultRecord)
    except ValidationError as error:
        raise _record_error(str(error)) from error
    except RecursionError as error:
        raise _record_error("it is nested too deeply") from error


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError(f"{text[:_SHOWN]} is not a number")
    return number


def _whole(text: str) -> int:
    _finite(text)  # some versions of msgspec fail on an integer that no float can hold
    return int(text)


def _record_error(fault: str) -> RecordError:
    return RecordError(f"this is not a result: {fault}")


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
    """Its page."""
    sentence: Sentence
    """The chosen sentence: one of text, a table's row or a block of code."""
    score: float
    """The scorer's score, or less: in a recall, it never rises with the rank. See the scorer for
    the range."""
    rank: int
    """Its place in the ranking, from 1."""
    quotation: Quotation
    """The quoted sentences: the chosen one, and those that a reader needs to understand it, except
    those that an earlier passage of the answer has."""
    found_by: FoundBy = field(default="lexical", kw_only=True)
    """`semantic` if words found too little and it is near in meaning; the score is a cosine."""
    place: int = field(default=0, kw_only=True, compare=False)
    """Its position among the sentences of the sources: greater is later. Passages found by meaning
    come last."""
    _explain: Callable[[], Explanation] = field(repr=False, compare=False)

    def __repr__(self) -> str:
        """Return rank, score, source and the start of the sentence."""
        text = start_of(self.sentence.text)
        return f"<Passage {self.rank}, {self.score:.2f}: {start_of(self.source)[1:-1]} {text}>"

    @property
    def explanation(self) -> Explanation:
        """The explanation: a tree whose parts add up to the score, computed on each access."""
        return self._explain()

    @property
    def text(self) -> str:
        """The quoted text, with "…" where text is left out."""
        quotation = self.quotation
        if quotation == Quotation((self.sentence,)):
            return self.sentence.text
        return plain_text(self.document, quotation)

    @property
    def uri(self) -> str:
        """The page's path from the documentation's root."""
        return self.document.uri

    @property
    def source(self) -> str:
        """The page and the section: `guides/auth.md#expiry`, as a `source` names them."""
        return f"{self.uri}#{self.anchor}" if self.anchor else self.uri

    @property
    def url(self) -> str:
        """The URL of the section, relative to the site's root; absolute for other sites."""
        return url_of(self.document, self.anchor)

    @property
    def title(self) -> str:
        """The page's title."""
        return self.document.title

    @property
    def block(self) -> Block:
        """The block that holds the sentence."""
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
        """The path of the author's file on this machine; empty if unknown."""
        return self.document.file

    @property
    def created(self) -> str:
        """The date its page states as `t_created`, in ISO 8601; empty if it states none."""
        return self.document.created


@dataclass(frozen=True, slots=True)
class Lost:
    """A sentence that was not chosen, and why.

    Example:
        >>> from mkdocs_recall import Corpus
        >>> corpus = Corpus.from_markdown({"a.md": "A port is open. Port 80 is open."})
        >>> (lost,) = corpus.recall("open port", max_sentences=1, context=0).lost
        >>> lost.passage.text
        'Port 80 is open.'
    """

    passage: Passage
    """The sentence as a passage, with the next free rank."""
    reason: str


@dataclass(frozen=True, slots=True)
class Result:
    """The passages of an answer and how it was obtained.

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
    """The reason in words, why meaning was consulted, and how a limit cut the answer short."""
    diagnostics: tuple[str, ...] = ()
    """Notes on the answer: languages without word lists, pages without text."""
    left_out: tuple[Passage, ...] = ()
    """The chosen passages that do not fit `max_words` or `max_tokens`, in rank order."""
    site: str = field(default="", kw_only=True)
    """The name of the site; empty if it has none."""
    _lost: Callable[[], tuple[Lost, ...]] = field(default=tuple, repr=False, compare=False)
    _doubts: Callable[[], tuple[str, ...]] = field(default=tuple, repr=False, compare=False)

    def __len__(self) -> int:
        """Return the number of passages; a result without any is false."""
        return len(self.passages)

    def __iter__(self) -> Iterator[Passage]:
        """Iterate over the passages, in rank order."""
        return iter(self.passages)

    def __repr__(self) -> str:
        """Return the number of passages and the first, or why there is none."""
        first = f": {self.passages[0]!r}" if self.passages else f": {start_of(self.why)}"
        return f"<Result of {len(self)}{first}>"

    @property
    def places(self) -> tuple[int, ...]:
        """The place of each passage."""
        return tuple(passage.place for passage in self.passages)

    @property
    def doubts(self) -> tuple[str, ...]:
        """Doubts: facts against the answer, computed on each access."""
        return self._doubts()

    @property
    def lost(self) -> tuple[Lost, ...]:
        """The best three sentences that were not chosen, and why; computed on each access."""
        return self._lost()

    def in_document_order(self) -> tuple[Passage, ...]:
        """Return the passages in the order of the documentation: by page, then by place in it."""
        return tuple(sorted(self.passages, key=attrgetter("place")))

    def to_json(self, *, explain: bool = False) -> str:
        """Return the result as JSON on one line; the documentation describes its fields.

        Args:
            explain: Whether each passage comes with the explanation of its score.
        """
        return as_json(result_record(self, explain=explain))

    @classmethod
    def from_json(cls, text: str | bytes) -> Result:
        """Return the result that was written as JSON. Its pages hold only the quoted text.

        Raises:
            RecordError: The text is not a result, or has a newer schema.
        """
        return _read_result(_read_record(text))


def url_of(page: Document, anchor: str) -> str:
    """Return the URL of a section; that of its page without an anchor."""
    is_known = page.url or page.publisher is None
    return f"{page.url}#{anchor}" if anchor and is_known else page.url


def section_key(passage: Passage) -> tuple[object, ...]:
    """Return a key that a section's passages share."""
    return passage.found_by, *place_key(passage.document, passage.block)[:-1]


def place_key(document: Document, block: Block) -> tuple[str, int, int, int]:
    """Return the page, section, its start, and tab of a block."""
    tab = innermost_tab(document.blocks, block)
    start = section_range(document, block).start  # a box with a heading divides a section
    return document.uri, block.section, start, -1 if tab is None else tab.number


def quoted_sections(passages: Iterable[Passage]) -> Iterator[tuple[Passage, Quotation]]:
    """Yield each quoted section's first passage, with all that is quoted.

    A passage outside of tabs is first. The text of several tabs has their titles.
    """
    for _, group in groupby(passages, key=section_key):
        section = list(group)
        blocks = section[0].document.blocks
        tabs = [{tab.number for tab in tabs_of(blocks, passage.block)} for passage in section]
        first = section[tabs.index(set()) if set() in tabs else 0]
        quotations = [passage.quotation for passage in section]
        shared = set.intersection(*tabs)
        titles = (title for tab in set.union(*tabs) - shared for title in blocks[tab].sentences)
        quotations.append(Quotation(tuple(title for title in titles if title.quotable)))
        yield first, merge_quotations(first.document, quotations)


def quoted_texts(result: Result) -> list[str]:
    """Return the quoted text of each section."""
    sections = quoted_sections(result.in_document_order())
    return [plain_text(first.document, quotation) for first, quotation in sections]


def result_record(result: Result, *, explain: bool, lost: bool = True) -> dict[str, Any]:
    """Return a result as a record."""
    to_record = partial(passage_record, site=result.site, explain=explain)
    return {
        "schema": SCHEMA,
        "site": result.site,
        "scorer": result.scorer,
        "fallback": result.fallback,
        "why": result.why,
        "diagnostics": [*result.diagnostics],
        "doubts": [*result.doubts],
        "passages": [*map(to_record, result.passages)],
        "places": [*result.places],
        "left_out": [*map(to_record, result.left_out)],
        "lost": [
            {"reason": loser.reason, "passage": to_record(loser.passage)}
            for loser in (result.lost if lost else ())
        ],
    }


def passage_record(passage: Passage, *, site: str = "", explain: bool = False) -> dict[str, Any]:
    """Return a passage as a record."""
    page, block = passage.document, passage.block
    derived = {
        "sentence": passage.sentence.text,
        "kind": block.kind,
        "headings": [*map(structs.asdict, block.headings)],
        "section": block.section,
        "language": page.language,
        "receipt": receipt_record(passage, site),
    }
    names = PassageRecord.__struct_fields__[:-2]  # the last two are only for some passages
    record = {name: derived[name] if name in derived else getattr(passage, name) for name in names}
    if page.publisher is not None:
        record["publisher"] = structs.asdict(page.publisher)
    return {**record, "explanation": asdict(passage.explanation)} if explain else record


def _read_result(record: ResultRecord) -> Result:
    # A record holds quotes, but a `Passage` points into a page. So a page is made from its quotes,
    # in their order on the page: enough to render and compare them.
    chosen, places = record.passages, record.places
    if len(places) != len(chosen):
        raise _record_error(f"it has {len(places)} places for {len(chosen)} passages")
    in_order = [chosen[number] for number in sorted(range(len(chosen)), key=places.__getitem__)]
    in_order += (*record.left_out, *(loser.passage for loser in record.lost))
    blocks: dict[tuple[str, ...], list[Block]] = {}
    numbers: dict[int, int] = {}  # a passage's block number, by the id of its record
    publishers: dict[tuple[str, ...], Publisher] = {}
    for passage in in_order:
        page = _page_of(passage)
        page_blocks = blocks.setdefault(page, [])
        numbers[id(passage)] = len(page_blocks)
        page_blocks += _read_blocks(passage, len(page_blocks))
        if passage.publisher is not None:
            publishers[page] = Publisher(*structs.astuple(passage.publisher))
    documents = {
        page: Document(
            *(uri, title, language, tuple(blocks[page]), (), url, "", created, file),
            publisher=publishers.get(page),
        )
        for page in blocks
        for uri, title, language, url, created, file in [page]
    }

    def read_passage(passage: PassageRecord, place: int = 0) -> Passage:
        document = documents[_page_of(passage)]
        explanation = passage.explanation
        block = document.blocks[numbers[id(passage)]]
        return Passage(
            document=document,
            sentence=next(s for s in block.sentences if s.text == passage.sentence),
            score=passage.score,
            rank=passage.rank,
            quotation=Quotation(block.sentences),
            found_by=passage.found_by,
            place=place,
            _explain=partial(_known, explanation) if explanation else _no_explanation,
        )

    lost = tuple(Lost(read_passage(loser.passage), reason=loser.reason) for loser in record.lost)
    return Result(
        passages=tuple(map(read_passage, chosen, places)),
        scorer=record.scorer,
        fallback=record.fallback,
        why=record.why,
        diagnostics=tuple(record.diagnostics),
        left_out=tuple(map(read_passage, record.left_out)),
        site=record.site,
        _lost=partial(_known, lost),
        _doubts=partial(tuple, record.doubts),
    )


def _page_of(passage: PassageRecord) -> tuple[str, ...]:
    anchor = next((h.anchor for h in reversed(passage.headings) if h.anchor), "")
    url = passage.url.removesuffix(f"#{anchor}") if anchor else passage.url
    return passage.uri, passage.title, passage.language, url, passage.created, passage.file


def _read_blocks(passage: PassageRecord, number: int) -> tuple[Block, Block]:
    """Return a quote's block, and an empty one to divide quotes."""
    text, chosen = passage.text, passage.sentence
    start = text.find(chosen)
    if start < 0 or not chosen:
        raise _record_error("'sentence' must be a part of 'text'")
    end = start + len(chosen)
    spans = [(0, len(text[:start].rstrip()) or start), (start, end)]
    spans.append((len(text) - (len(text[end:].lstrip()) or len(text[end:])), len(text)))
    sentences = tuple(Sentence(text[a:b], a, b, number, ()) for a, b in spans if a < b)
    place = number, passage.section, passage.headings, (), passage.line
    return (
        Block(text, passage.kind, *place, number, cut=partial(_known, sentences)),
        Block("", "table", *place, number + 1),
    )


def _known(value: _T, *_: object) -> _T:
    """Return what a record has; unlike a lambda, it can be pickled."""
    return value


def _no_explanation() -> NoReturn:
    msg = "this result was read from JSON without explanations; write it with 'explain=True'"
    raise RecordError(msg)


def whole_section(document: Document, anchor: str, options: RecallOptions) -> Result:
    """Return a section as one passage per sentence."""
    blocks = _blocks_of(document, anchor, subsections=options.subsections)
    sentences = _first(blocks, options.max_sentences)
    passages = [
        unranked(document, Quotation((sentence,)), rank, "its section is quoted whole")
        for rank, sentence in enumerate(sentences, start=1)
    ]
    place = f"{document.uri}#{anchor}"
    notes = () if passages else (f"'{place}' has no sentence to quote",)
    return Result(tuple(passages), "section", diagnostics=notes)


def unranked(document: Document, quotation: Quotation, rank: int, why: str) -> Passage:
    """Return a passage of one sentence that was not chosen by its score."""
    return Passage(
        document=document,
        sentence=quotation.sentences[0],
        score=0.0,
        rank=rank,
        quotation=quotation,
        place=rank - 1,
        _explain=partial(Explanation, 0.0, why),
    )


def headings_within(block: Block, anchor: str) -> list[tuple[int, Heading]]:
    """Return the headings above a block with their levels in a section."""
    first = next((h for h in block.headings if anchor and h.anchor == anchor), None)
    if first is None:
        return []
    below = block.headings[block.headings.index(first) :]
    return [(heading.level - first.level + 1, heading) for heading in below]


def heading_block(block: Block, anchor: str) -> Block:
    """Return a block that stands right below the heading of its quoted section."""
    headings = headings_within(block, anchor)
    path = block.headings[: len(block.headings) - len(headings) + 1] if headings else ()
    return replace(block, kind="prose", headings=path, lead=None)


def _blocks_of(document: Document, anchor: str, *, subsections: bool) -> Iterable[Block]:
    headings = document.headings
    if not anchor:  # down to the footnotes
        last = 1 if headings and headings[0].level == 1 else 0
        return takewhile(lambda block: 0 <= block.section <= last, document.blocks)
    numbers = section_numbers(document, anchor, subsections=subsections)
    return (block for block in document.blocks if block.section in numbers)


def section_numbers(document: Document, anchor: str, *, subsections: bool = True) -> range:
    """Return the numbers of a section and its subsections."""
    headings = document.headings
    first = next((n for n, heading in enumerate(headings, 1) if heading.anchor == anchor), None)
    if first is None:
        return range(0)
    level = headings[first - 1].level
    behind = enumerate(headings[first:], first + 1)
    end = next((n for n, h in behind if h.level <= level or not subsections), len(headings) + 1)
    return range(first, end)


def _first(blocks: Iterable[Block], count: int | None) -> Iterator[Sentence]:
    for block in blocks:
        for sentence in block.sentences:
            if count == 0:
                return
            if count is not None and block.kind not in LABELS:
                count -= 1
            yield sentence
