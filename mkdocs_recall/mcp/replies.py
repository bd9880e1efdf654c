"""What the tools for agents return: typed, and no longer than was asked for."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

from mcp.types import CallToolResult, TextContent
from pydantic import AfterValidator, BaseModel, Field

from mkdocs_recall.errors import SourceError
from mkdocs_recall.messages import escape_invisible, location, shown_path
from mkdocs_recall.retrieval.token_budget import estimate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mkdocs_recall.retrieval.result import Passage, Result
    from mkdocs_recall.text.model import Block, Document

_BREAKS: Final = ("\n\n", "\n", " ")
"""Where a text may be cut, the best place first."""
_CHARACTERS: Final = 4  # of a token, at most
_NOTE: Final = 50  # tokens of a note
_TITLE: Final = 80  # characters of a title or a heading


def encodable(text: str) -> str:
    """Return a text as the protocol can carry it: the name of a file may hold what is none."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


Text: TypeAlias = Annotated[str, AfterValidator(encodable)]


class Hit(BaseModel):
    """A passage of the documentation."""

    rank: int = Field(description="Its place in the ranking, from 1.")
    score: float = Field(description="How well it answers; compare it within one answer only.")
    text: Text = Field(description="What the page says, word for word; '…' where text is left out.")
    source: Text = Field(description="Page and section, 'page.md#anchor'; read_section takes it.")
    title: Text = Field(description="The page's title.")
    headings: list[Text] = Field(description="The headings it stands under, outermost first.")
    url: Text = Field(description="Where it is published; without a host, seen from the site.")
    place: Text = Field(default="", description="The file and line it was written in, 'file:line'.")
    created: Text = Field(default="", description="When its page was created, if that is known.")
    found_by: Text = Field(
        default="", description="'semantic' for what was found by meaning; it comes after the rest."
    )
    explanation: Text = Field(default="", description="How its score came about, if asked for.")


class Answer(BaseModel):
    """The passages that answer, and what to know about them."""

    passages: list[Hit] = Field(description="The best first; none if nothing answers.")
    left_out: int = Field(default=0, description="How many more there are that max_tokens cut off.")
    note: Text = Field(default="", description="Why there is nothing, or not all.")


class Section(BaseModel):
    """The text of a section, or a part of it."""

    source: Text = Field(description="Page and section, 'page.md#anchor'.")
    title: Text = Field(description="The page's title.")
    url: Text = Field(description="Where it is published; without a host, seen from the site.")
    file: Text = Field(default="", description="The file it was written in.")
    text: Text = Field(description="The text, with its headings.")
    next: int | None = Field(
        default=None, description="There is more: pass this as 'start' to go on reading."
    )
    note: Text = Field(default="", description="How to go on, if there is more.")


class Page(BaseModel):
    """A page that can be asked."""

    source: Text = Field(description="Its path: name it so as 'source' or 'page'.")
    title: Text = Field(description="Its title.")
    description: Text = Field(default="", description="What its author says of it.")
    sections: list[Text] = Field(
        default=[], description="The anchors of its sections, if asked for."
    )


class Pages(BaseModel):
    """Pages that can be asked, in their order."""

    pages: list[Page] = Field(description="As many as fit.")
    next: int | None = Field(
        default=None, description="There are more: pass this as 'start' to go on."
    )
    note: Text = Field(default="", description="How to go on, if there are more.")


def written(reply: BaseModel) -> str:
    """Return a reply as an agent reads it; fields that say nothing are left out."""
    return reply.model_dump_json(exclude_defaults=True)


def as_tool_result(reply: BaseModel) -> CallToolResult:
    """Return a reply as text and as data, both the same."""
    return CallToolResult(
        content=[TextContent(type="text", text=written(reply))],
        structured_content=reply.model_dump(exclude_defaults=True),
    )


def hit(passage: Passage, *, site_url: str, whole: bool, explain: bool) -> Hit:
    """Return a passage as an agent reads it.

    Args:
        passage: The passage.
        site_url: Where the site is published; empty if that is not known.
        whole: Whether the text is what is quoted, or but the chosen sentence.
        explain: Whether the explanation of the score comes with it.
    """
    document, anchor = passage.document, passage.anchor
    return Hit(
        rank=passage.rank,
        score=round(passage.score, 4),
        text=passage.text if whole else passage.sentence.text,
        source=passage.source,
        title=_cut(passage.title),
        headings=[_cut(heading.text) for heading in passage.block.headings if heading.text],
        url=url_of(document, anchor, site_url),
        place=location(passage.file, passage.line),
        created=passage.created,
        found_by=passage.found_by if passage.found_by == "semantic" else "",
        explanation=str(passage.explanation) if explain else "",
    )


def url_of(document: Document, anchor: str, site_url: str) -> str:
    """Return where a section is published, as far as that is known."""
    url = f"{site_url.rstrip('/')}/{document.url}" if site_url else document.url
    return f"{url}#{anchor}" if anchor else url


def answer(result: Result, hits: Sequence[Hit], max_tokens: int) -> Answer:
    """Return the first passages, as many as fit."""

    def first(count: int) -> Answer:
        more = len(hits) - count
        notes = [*filter(None, [result.why]), *result.diagnostics]
        if more and count:
            notes.insert(0, f"{more} more: ask for more max_tokens, or narrow the source")
        elif more:
            need = estimate(written(Answer(passages=list(hits[:1]), left_out=more))) + _NOTE
            notes = [f"the best passage needs max_tokens {need}; or read_section {hits[0].source}"]
        note = _cut(
            escape_invisible("; ".join(notes)), max_tokens
        )  # a character is a token at most
        return Answer(passages=list(hits[:count]), left_out=more, note=note)

    return first(_fitting(first, len(hits), max_tokens))


def section(
    document: Document, anchor: str, text: str, *, start: int, site_url: str, max_tokens: int
) -> Section:
    """Return a section's text from one of its characters on, as much as fits.

    Raises:
        SourceError: The text ends before.
    """
    if start and start >= len(text):
        msg = f"'start' is {start}, and the text ends at {len(text)}"
        raise SourceError(msg)

    def until(end: int) -> Section:
        more = len(text) - end
        return Section(
            source=f"{document.uri}#{anchor}" if anchor else document.uri,
            title=_cut(document.title),
            url=url_of(document, anchor, site_url),
            file=document.file and shown_path(document.file),
            text=text[start:end],
            next=end if more else None,
            note=f"{more} characters more: call again with start={end}" if more else "",
        )

    farthest = min(len(text), start + _CHARACTERS * max_tokens)
    end = (
        start
        + 1
        + _fitting(lambda count: until(start + 1 + count), farthest - start - 1, max_tokens)
    )
    return until(end if end == len(text) else _break(text, start, end))


def page(document: Document, *, sections: bool) -> Page:
    """Return a page as an agent reads it in a list, with its sections if they are asked for."""
    return Page(
        source=document.uri,
        title=_cut(document.title),
        description=document.description,
        sections=list(document.anchors) if sections else [],
    )


def pages(entries: Sequence[Page], *, start: int, max_tokens: int) -> Pages:
    """Return the pages from one on, as many as fit; of one that does not fit alone, a part.

    Raises:
        SourceError: There are not so many.
    """
    if start and start >= len(entries):
        msg = f"'start' is {start}, and there are {len(entries)} pages"
        raise SourceError(msg)

    def reply(shown: Sequence[Page], *notes: str) -> Pages:
        end = start + len(shown)
        more = len(entries) - end
        go_on = [f"{more} pages more: call again with start={end}"] if more else []
        return Pages(
            pages=list(shown), next=end if more else None, note="; ".join([*notes, *go_on])
        )

    def part(count: int) -> Pages:
        first = entries[start]
        more = len(first.sections) - count
        known = {"description": "", "sections": first.sections[:count]}
        notes = [f"{more} sections more: ask for more max_tokens"] if more else []
        return reply([first.model_copy(update=known)], *notes)

    left = entries[start:]
    count = _fitting(lambda count: reply(left[:count]), len(left), max_tokens)
    if count or not left:
        return reply(left[:count])
    return part(_fitting(part, len(left[0].sections), max_tokens))


def _fitting(reply: Callable[[int], BaseModel], most: int, max_tokens: int) -> int:
    """Return how many a reply may have: the highest number, from 0, with which it is no longer."""

    def size(count: int) -> int:
        return estimate(written(reply(count)))

    if size(most) <= max_tokens:  # with all there is no note on how to go on
        return most
    return max(0, bisect_right(range(most), max_tokens, key=size) - 1)


def _break(text: str, start: int, end: int) -> int:
    """Return where to cut a text that must be cut: at a paragraph, a line, a blank near the end."""
    for sign in _BREAKS:
        at = text.rfind(sign, (start + end) // 2, end)
        if at > start:
            return at + len(sign)
    return end


def _cut(text: str, longest: int = _TITLE) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"


_ROWS: Final = frozenset({"list", "table"})
_SIGNS: Final = {"list": "- ", "table": "- ", "definition": ": ", "admonition": "> "}
_TICKS: Final = re.compile("`{3,}")


def section_text(document: Document, anchor: str = "") -> str:
    """Return the text of a section and of those below it.

    Inline markup and links are left out; a table's row is a list item with its header cells.

    Args:
        document: The page.
        anchor: The `id` of the heading that opens the section, which must be one of the page's;
            empty for the whole page.
    """
    first, end = _sections(document, anchor)
    blocks: dict[int, list[Block]] = {}
    for block in document.blocks:
        blocks.setdefault(block.section, []).append(block)
    parts: list[str] = []
    for number in range(first, end):
        if number:
            heading = document.headings[number - 1]
            parts.append(f"{'#' * heading.level} {heading.text}".rstrip())
        parts += _texts(blocks.get(number, ()))
    return "\n\n".join(parts)


def _sections(document: Document, anchor: str) -> tuple[int, int]:
    """Return the number of the first section, and that behind the last."""
    headings = document.headings
    if not anchor:
        return 0, len(headings) + 1
    at = next(number for number, heading in enumerate(headings) if heading.anchor == anchor)
    level = headings[at].level
    after = (n for n in range(at + 1, len(headings)) if headings[n].level <= level)
    return at + 1, next(after, len(headings)) + 1


def _texts(blocks: list[Block] | tuple[()]) -> Iterator[str]:
    """Yield paragraphs; the items of a list, and the rows of a table, are one."""
    rows: list[str] = []
    top = -1
    for block in blocks:
        if not block.text:
            continue
        if rows and (block.kind not in _ROWS or block.top != top):
            yield "\n".join(rows)
            rows = []
        if block.kind in _ROWS:
            rows.append(_SIGNS[block.kind] + block.text)
            top = block.top
        elif block.kind == "code":
            ticks = max(["```", *(f"{found}`" for found in _TICKS.findall(block.text))], key=len)
            yield f"{ticks}\n{block.text}\n{ticks}"
        else:
            yield _SIGNS.get(block.kind, "") + block.text
    if rows:
        yield "\n".join(rows)
