"""What it costs to verify receipts: `python -m benchmarks.receipts [FOLDER]`.

Of the pages of a folder, or of pages made up, so many sentences are verified as JSON hands them in,
once as they are and once with a word changed in every tenth; the pages are open already.
"""

from __future__ import annotations

import argparse
import json
import sys
from itertools import cycle, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import TYPE_CHECKING, Any

from benchmarks import documentation
from mkdocs_recall import Corpus
from mkdocs_recall.review.claims import read_claims
from mkdocs_recall.review.verification import Verifier
from mkdocs_recall.text.wording import wording_digest

if TYPE_CHECKING:
    from collections.abc import Sequence

RECEIPTS = 10_000
PAGES = 1000
_EVERY = 10


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print what was measured, and say whether the verdicts are right."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, help="Markdown; left out, made up")
    parser.add_argument("--receipts", type=int, default=RECEIPTS)
    parser.add_argument("--pages", type=int, default=PAGES, help="how many are made up")
    options = parser.parse_args(arguments)
    with TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        if options.folder is None:
            for page in documentation.made_up(options.pages, seed=1):
                path = folder / page.uri
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(page.markdown, encoding="utf-8")
        corpus = Corpus.from_folder(folder, cache=False)
        passages = list(islice(cycle(_passages(corpus)), options.receipts))
    intact = _measure(corpus, passages, "as they are")
    changed = [
        {**passage, "text": f"Never {passage['text']}"} if number % _EVERY == 0 else passage
        for number, passage in enumerate(passages)
    ]
    found = _measure(corpus, changed, "every tenth changed")
    right = intact == len(passages) and found == sum(
        a is b for a, b in zip(passages, changed, strict=True)
    )
    if not right:
        sys.stderr.write("the verdicts are wrong\n")
    return 0 if right else 1


def _passages(corpus: Corpus) -> list[dict[str, Any]]:
    """Return every sentence as a passage with its receipt."""
    return [
        {
            "text": sentence.text,
            "receipt": {
                "uri": document.uri,
                "anchor": document.blocks[sentence.block].anchor,
                "digest": wording_digest(sentence.text),
            },
        }
        for document in corpus.documents
        for sentence in document.sentences
    ]


def _measure(corpus: Corpus, passages: list[dict[str, Any]], name: str) -> int:
    """Verify passages, print the seconds of CPU, and return how many are exact."""
    text = json.dumps(passages)
    start = process_time()
    results = list(Verifier(corpus).verify(read_claims(text)))
    print(f"{len(passages)} receipts, {name}: {process_time() - start:.2f} s CPU")
    return sum(result.verdict == "exact" for result in results)


if __name__ == "__main__":
    sys.exit(main())
