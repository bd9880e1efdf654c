"""Passages as a person at a terminal reads them: where they stand, what is quoted of them."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from mkdocs_recall.cache.store import Cache, digest
from mkdocs_recall.cli.output import Status, note, note_all, say_json
from mkdocs_recall.messages import location
from mkdocs_recall.retrieval.quotation import plain_text
from mkdocs_recall.retrieval.result import section_key
from mkdocs_recall.temporal import git, history

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from mkdocs_recall.corpus.corpus import Corpus
    from mkdocs_recall.retrieval.result import Passage, Result

PARTED = "\n\n---\n\n"
"""What stands between two blocks of text."""


def reference(passage: Passage) -> str:
    """Return page, section, file and line of a passage."""
    where = location(passage.file, passage.line)
    return f"{passage.source} ({where})" if where else passage.source


def found_by_note(passage: Passage) -> str:
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
        blocks.append(f"{text}\n\nSource: {reference(first)}{found_by_note(first)}")
    return blocks


def say_result(result: Result, *, explain: bool = False) -> None:
    """Write a result to stdout as JSON.

    Args:
        result: The result.
        explain: Whether it comes with the explanations of scores, and with what was not chosen.
    """
    from mkdocs_recall.retrieval.result import result_record

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


def with_creation_dates(result: Result, corpus: Corpus, cache_folder: Path | None) -> Result:
    """Return a result whose passages have the date of their page's first commit, if it states none.

    Args:
        result: The result.
        corpus: The pages it is made of.
        cache_folder: What git says is kept there as long as HEAD is the same.
    """
    files = {p.file for p in (*result.passages, *result.left_out) if p.file and not p.created}
    if not files:
        return result
    known = _known(files, corpus, cache_folder)

    def with_date(passage: Passage) -> Passage:
        created = passage.created or known.get(passage.file, "")
        return replace(passage, document=replace(passage.document, created=created))

    return replace(
        result,
        passages=tuple(map(with_date, result.passages)),
        left_out=tuple(map(with_date, result.left_out)),
    )


def _known(files: set[str], corpus: Corpus, cache_folder: Path | None) -> Mapping[str, str]:
    """Return what git says of some files, and of all others: it is asked for all or for none."""
    every = sorted(corpus.files.values())
    heads = [history.head_state(top) for top in sorted(git.repositories(every))]
    if not any(heads):
        return {}
    cache = Cache(cache_folder)
    key = digest("created", *heads)
    known = _unpacked(cache.get(key))
    if not files <= known.keys():
        known |= dict.fromkeys(every, "") | history.created(every)
        cache.put(key, json.dumps(known).encode())
    cache.save()
    return known


def _unpacked(packed: bytes | None) -> dict[str, str]:
    try:
        known = json.loads(packed or b"{}")
    except ValueError:
        return {}
    return known if isinstance(known, dict) else {}
