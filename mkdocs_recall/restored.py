"""A result that was kept as a record, made anew; of its pages there is but what was quoted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

from mkdocs_recall.errors import RecordError
from mkdocs_recall.quotation import Quotation
from mkdocs_recall.result import Lost, Passage, Result
from mkdocs_recall.scoring.explanation import Explanation
from mkdocs_recall.shapes import fault
from mkdocs_recall.text.model import Block, Document, Heading, Sentence

if TYPE_CHECKING:
    from collections.abc import Mapping


def restored(record: Mapping[str, Any]) -> Result:
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
        of_page = blocks.setdefault(_page(each), [])
        numbers[id(each)] = len(of_page)
        of_page += _blocks(each, len(of_page))
    documents = {
        page: Document(uri, title, language, tuple(blocks[page]), (), url, "", created, file)
        for page in blocks
        for uri, title, language, url, created, file in [page]
    }

    def passage(each: Mapping[str, Any]) -> Passage:
        document = documents[_page(each)]
        return _passage(each, document, document.blocks[numbers[id(each)]])

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


def _page(passage: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what is known of a passage's page, as `Document` has it."""
    anchor = next((h["anchor"] for h in reversed(passage["headings"]) if h["anchor"]), "")
    url = passage["url"].removesuffix(f"#{anchor}") if anchor else passage["url"]
    names = ("uri", "title", "language")
    return (*(passage[name] for name in names), url, passage["created"], passage["file"])


def _blocks(passage: Mapping[str, Any], number: int) -> tuple[Block, Block]:
    """Return a block of what is quoted, in up to three sentences, and one that sets it apart."""
    text, chosen = passage["text"], passage["sentence"]
    start = text.find(chosen)
    if start < 0 or not chosen:
        at = "sentence"
        raise fault(at, "a part of 'text'", chosen)
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


def _passage(record: Mapping[str, Any], document: Document, block: Block) -> Passage:
    sentence = next(s for s in block.sentences if s.text == record["sentence"])
    known = record.get("explanation")
    return Passage(
        document=document,
        sentence=sentence,
        score=record["score"],
        rank=record["rank"],
        quotation=Quotation(block.sentences),
        found_by=record.get("found_by", "lexical"),
        _explain=partial(_explanation, known) if known else _unexplained,
    )


def _explanation(record: Mapping[str, Any]) -> Explanation:
    parts = tuple(map(_explanation, record["parts"]))
    return Explanation(record["value"], record["description"], parts)


def _unexplained() -> NoReturn:
    msg = "this result was read from JSON without explanations; write it with 'explain=True'"
    raise RecordError(msg)
