"""Passages as a person at a terminal reads them: where they stand, what is quoted of them."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from mkdocs_recall.chunks import plain_text
from mkdocs_recall.commands.output import Status, note, note_all, say_json
from mkdocs_recall.place import place
from mkdocs_recall.result import section_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mkdocs_recall.corpus import Corpus
    from mkdocs_recall.result import Passage, Result

PARTED = "\n\n---\n\n"
"""What stands between two blocks of text."""


def reference(passage: Passage) -> str:
    """Return page, section, file and line of a passage."""
    where = place(passage)
    return f"{passage.source} ({where})" if where else passage.source


def remark(passage: Passage) -> str:
    """Return what is to be known of how a passage was found, behind a comma; mostly nothing."""
    return ", found by meaning" if passage.found_by == "semantic" else ""


def section_blocks(passages: Sequence[Passage]) -> list[str]:
    """Return passages in their order as blocks of text, one for each section, with its source."""
    blocks = []
    for _, group in groupby(passages, key=section_key):
        of_section = list(group)
        quoted = {(s.block, s.start): s for p in of_section for s in p.quotation.sentences}
        text = plain_text(of_section[0].document, [quoted[at] for at in sorted(quoted)])
        first = of_section[0]
        blocks.append(f"{text}\n\nSource: {reference(first)}{remark(first)}")
    return blocks


def say_result(result: Result, *, explain: bool = False) -> None:
    """Write a result to stdout as JSON.

    Args:
        result: The result.
        explain: Whether it comes with the explanations of scores, and with what was not chosen.
    """
    from mkdocs_recall.records import result_record  # noqa: PLC0415 - a person reads text

    say_json(result_record(result, explain=explain, lost=explain))


def report(result: Result, corpus: Corpus) -> Status:
    """Say on stderr what there is to know of a result, and return the command's status."""
    note_all(dict.fromkeys((*result.diagnostics, *corpus.warnings)))
    if result.passages:
        if result.left_out:
            note(f"Note: {result.why}")
        return Status.FOUND
    note(f"Nothing found: {result.why}." if result.why else "Nothing found.")
    return Status.NOTHING
