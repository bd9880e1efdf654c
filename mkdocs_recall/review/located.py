"""Approved sentences, found again in the pages that they were quoted from."""

from __future__ import annotations

from bisect import bisect_right
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from mkdocs_recall.index.part import part_of
from mkdocs_recall.options import LOCK_FILE
from mkdocs_recall.retrieval.quotation import Quotation
from mkdocs_recall.retrieval.result import Passage, Result, quoted_texts
from mkdocs_recall.retrieval.synopsis import description_index
from mkdocs_recall.scoring.explanation import Explanation
from mkdocs_recall.text.place import split_place
from mkdocs_recall.text.wording import wording

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mkdocs_recall.answers.lock import LockEntry
    from mkdocs_recall.corpus.corpus import Corpus
    from mkdocs_recall.options import Options
    from mkdocs_recall.retrieval.records import Fallback, FoundBy
    from mkdocs_recall.text.model import Document, Sentence


class _Located(NamedTuple):
    """A sentence with the page it is on."""

    document: Document
    sentence: Sentence

    @property
    def anchor(self) -> str:
        return self.document.blocks[self.sentence.block].anchor


def located_result(entry: LockEntry, options: Options, corpus: Corpus, page: str) -> Result | None:
    """Return the approved answer, quoted from the pages as they are now.

    A sentence may have moved within its page. What stands between two sentences counts: where
    something new is there, a quote without "…" would hide it.

    Args:
        entry: The approved answer.
        options: The options of its directive.
        corpus: The pages it may quote.
        page: The page it is on.

    Returns:
        The answer; None where a sentence is no longer in its page, or reads otherwise there.

    Raises:
        SourceError: The source names nothing that can be quoted.
    """
    located = entry.located
    uris = dict.fromkeys(split_place(place)[0] for place, _ in located)
    documents = corpus.open_sources(options, uris=uris, page=page)
    found: list[_Located] = []
    for uri, group in groupby(located, key=lambda item: split_place(item[0])[0]):
        if uri not in documents:
            return None
        pages = _PageSentences(documents[uri], options)
        for place, sentences in groupby(group, key=itemgetter(0)):
            run = pages.find([text for _, text in sentences], split_place(place)[1])
            if run is None:
                return None
            found += run
    result = _result(entry, found)
    same = wording("\n\n".join(quoted_texts(result))) == wording(entry.text)
    return result if same else None


class _PageSentences:
    """The sentences of a page, by their text."""

    def __init__(self, document: Document, options: Options) -> None:
        self._sentences = [
            *_description(document, options),
            *(_Located(document, s) for block in document.blocks for s in block.sentences),
        ]
        self._numbers: dict[str, list[int]] = {}
        for number, located in enumerate(self._sentences):
            self._numbers.setdefault(wording(located.sentence.text), []).append(number)

    def find(self, texts: Sequence[str], anchor: str) -> list[_Located] | None:
        """Return sentences that follow each other in the page, as close together as they are.

        Args:
            texts: The sentences, in reading order.
            anchor: The section that they are looked for first.
        """
        runs = [run for run in self._runs(texts) if run]
        if not runs:
            return None
        elsewhere = [self._sentences[run[0]].anchor != anchor for run in runs]
        best = min(range(len(runs)), key=lambda n: (elsewhere[n], runs[n][-1] - runs[n][0]))
        return [self._cut(self._sentences[n], t) for n, t in zip(runs[best], texts, strict=True)]

    def _runs(self, texts: Sequence[str]) -> Iterator[list[int]]:
        """Yield the numbers of the sentences, from each place where the first of them is."""
        numbers = [self._of(text) for text in texts]
        for first in numbers[0]:
            run = [first]
            for candidates in numbers[1:]:
                position = bisect_right(candidates, run[-1])
                if position == len(candidates):
                    return
                run.append(candidates[position])
            yield run

    def _of(self, text: str) -> Sequence[int]:
        """Return the numbers of the sentences with a text; of code, its first lines suffice."""
        if numbers := self._numbers.get(wording(text)):
            return numbers
        return [
            number
            for number, located in enumerate(self._sentences)
            if located.document.blocks[located.sentence.block].kind == "code"
            and located.sentence.text.startswith(f"{text}\n")
        ]

    @staticmethod
    def _cut(located: _Located, text: str) -> _Located:
        sentence = located.sentence
        if sentence.text.startswith(f"{text}\n"):
            cut = sentence._replace(text=text, end=sentence.start + len(text))
            return located._replace(sentence=cut)
        return located


def _description(document: Document, options: Options) -> Iterator[_Located]:
    """Yield the sentences of the page's own description, which a synopsis may open with."""
    if options.prefer_description:
        for part in description_index(part_of(document)).parts:
            for sentence in part.document.sentences:
                yield _Located(part.document, sentence)


def _result(entry: LockEntry, found: Sequence[_Located]) -> Result:
    by_words = len(found) - int(entry.by_meaning or 0)
    shows_end = not entry.open_end
    passages = []
    for number, (document, sentence) in enumerate(found):
        found_by: FoundBy = "lexical" if number < by_words else "semantic"
        quotation = Quotation((sentence,), goes_on=shows_end)
        passages.append(
            Passage(
                document=document,
                sentence=sentence,
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
