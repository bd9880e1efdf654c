"""When the pages of passages were created: what they state, else what git says."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from mkdocs_recall import git, history
from mkdocs_recall.cache import Cache, digest

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from mkdocs_recall.corpus import Corpus
    from mkdocs_recall.result import Passage, Result


def dated(result: Result, corpus: Corpus, cache_folder: Path | None) -> Result:
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
    heads = [history.head(top) for top in sorted(git.repositories(every))]
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
