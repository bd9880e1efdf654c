"""Passages for a person at a terminal: sources, blocks of text, JSON and notes."""

from __future__ import annotations

import os
from textwrap import indent
from typing import TYPE_CHECKING

from mkdocs_recall.cli.output import Status, columns, note, note_all, say, say_json
from mkdocs_recall.messages import location, one_line
from mkdocs_recall.ranking.quotation import plain_text
from mkdocs_recall.ranking.result import Passage, Result, quoted_sections, result_record

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mkdocs_recall.pages.corpus import Corpus


SEPARATOR = "\n\n---\n\n"
"""Between two blocks of text."""
_DATE = len("2026-02-11")
"""Characters of a date, without its time."""
_SHOWN = 100
"""Characters of a sentence in a list, or above the parts of its score."""


def passage_with_source(passage: Passage) -> str:
    """Return the text of a passage, with its source and date."""
    created = f", created {passage.created[:_DATE]}" if passage.created else ""
    return f"{passage.text}\n\nSource: {_reference(passage)}{created}{_found_by_note(passage)}"


def passage_with_explanation(passage: Passage, reason: str = "") -> str:
    """Return the sentence of a passage, with its source and the parts of its score."""
    lines = [
        one_line(passage.sentence.text, limit=_SHOWN),
        _reference(passage),
        *filter(None, (reason,)),
        str(passage.explanation),
    ]
    head = f"{passage.rank}. "
    return f"{head}{indent(chr(10).join(lines), ' ' * len(head)).lstrip()}"


def passage_list(passages: Iterable[Passage]) -> str:
    """Return passages as a table: rank, score, source, line and sentence of each."""
    return columns(
        [
            str(passage.rank),
            f"{passage.score:.3f}",
            passage.source,
            f"{_place(passage)}{_found_by_note(passage)}",
            one_line(passage.sentence.text, limit=_SHOWN),
        ]
        for passage in passages
    )


def section_blocks(passages: Sequence[Passage]) -> list[str]:
    """Return passages in their order as blocks of text, one for each section, with its source."""
    return [
        f"{plain_text(first.document, quotation.sentences)}\n\n"
        f"Source: {_reference(first)}{_found_by_note(first)}"
        for first, quotation in quoted_sections(passages)
    ]


def report(
    result: Result, corpus: Corpus, text: str, *, as_json: bool, explain: bool = False
) -> Status:
    """Write a result to stdout, as text or as JSON, and the notes on it to stderr.

    Returns:
        The exit status.
    """
    if as_json:
        say_json(result_record(result, explain=explain, lost=explain))
    elif text:
        say(text)
    note_all(dict.fromkeys((*result.diagnostics, *corpus.warnings)))
    if result.passages:
        if result.left_out:
            note(f"Note: {result.why}")
        return Status.FOUND
    note(f"Nothing found: {result.why}." if result.why else "Nothing found.")
    return Status.NOTHING


def _reference(passage: Passage) -> str:
    """Return the page, section, file and line of a passage; of another site, its title and URL."""
    if publisher := passage.document.publisher:
        where = ", ".join(filter(None, (publisher.title, publisher.licence, passage.url)))
        return f"{passage.source} ({where})"
    where = location(passage.file, passage.line)
    return f"{passage.source} ({where})" if where else passage.source


def _place(passage: Passage) -> str:
    """Return the line of a passage, with its file where that does not end with the page's path."""
    if passage.file.replace(os.sep, "/").endswith(f"/{passage.uri}"):
        return "" if passage.line is None else f"line {passage.line}"
    return location(passage.file, passage.line)


def _found_by_note(passage: Passage) -> str:
    """Return a note, after a comma, on a passage that was not found by its words; else nothing."""
    return ", found by meaning" if passage.found_by == "semantic" else ""
