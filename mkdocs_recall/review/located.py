"""Approved sentences, found again in the pages that they were quoted from."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from mkdocs_recall.options import LOCK_FILE
from mkdocs_recall.retrieval.quotation import Quotation
from mkdocs_recall.retrieval.result import Passage, Result, quoted_texts
from mkdocs_recall.review.page_text import PageText
from mkdocs_recall.scoring.explanation import Explanation
from mkdocs_recall.text.place import split_place
from mkdocs_recall.text.wording import wording

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mkdocs_recall.answers.lock import LockEntry
    from mkdocs_recall.corpus.corpus import Corpus
    from mkdocs_recall.options import Options
    from mkdocs_recall.retrieval.records import Fallback, FoundBy
    from mkdocs_recall.review.page_text import StatedSentence


def located_result(entry: LockEntry, options: Options, corpus: Corpus, page: str) -> Result | None:
    """Return the approved answer, quoted from the pages as they are now.

    A sentence may have moved within its page. What stands between two sentences counts: where
    something new is there, a quote without "…" would hide it.

    Args:
        corpus: The pages it may quote.

    Returns:
        The answer; None where a sentence is no longer in its page, or reads otherwise there.
    """
    located = entry.located
    uris = dict.fromkeys(split_place(place)[0] for place, _ in located)
    documents = corpus.open_sources(options, uris=uris, page=page)
    found: list[StatedSentence] = []
    for uri, group in groupby(located, key=lambda item: split_place(item[0])[0]):
        if uri not in documents:
            return None
        page_text = PageText(documents[uri])
        for place, sentences in groupby(group, key=itemgetter(0)):
            texts, anchor = [text for _, text in sentences], split_place(place)[1]
            run = page_text.run(texts, anchor, with_description=options.prefer_description)
            if run is None:
                return None
            found += run
    result = _result(entry, found)
    same = wording("\n\n".join(quoted_texts(result))) == wording(entry.text)
    return result if same else None


# An approved answer is kept while its sentences still stand in their pages, even where the ranking
# would choose others by now. Renderers know results alone, so the sentences found again become
# passages, with the scores of a result that nobody has ranked: zero, and "approved" for a reason.
def _result(entry: LockEntry, found: Sequence[StatedSentence]) -> Result:
    by_words = len(found) - int(entry.by_meaning or 0)
    shows_end = not entry.open_end
    passages = []
    for number, stated in enumerate(found):
        found_by: FoundBy = "lexical" if number < by_words else "semantic"
        quotation = Quotation((stated.sentence,), goes_on=shows_end)
        passages.append(
            Passage(
                document=stated.document,
                sentence=stated.sentence,
                score=0.0,
                rank=number + 1,
                quotation=quotation,
                found_by=found_by,
                _explain=_explanation,
            )
        )
    fallback: Fallback | None = entry.fallback or None  # type: ignore[assignment]
    return Result(
        tuple(passages),
        LOCK_FILE,
        fallback=fallback,
        why="no sentence answers the query" if fallback else "",
        places=tuple(range(len(passages))),
    )


def _explanation() -> Explanation:
    return Explanation(0.0, "approved in recall.lock")
