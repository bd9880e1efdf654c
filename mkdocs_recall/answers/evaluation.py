"""The evaluation of a documentation by questions whose answers are known."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final, NamedTuple, TypeAlias

import yaml

from mkdocs_recall.answers.alternatives import places, yaml_text
from mkdocs_recall.answers.answer import TextLocator, comes_from
from mkdocs_recall.directives.options import read_options
from mkdocs_recall.errors import RecallError, RecordError
from mkdocs_recall.index.sources import WHOLE_SITE, Target
from mkdocs_recall.options import Limits, RecallOptions
from mkdocs_recall.pages.corpus import Corpus
from mkdocs_recall.ranking.quotation import words_in
from mkdocs_recall.ranking.result import Passage, quoted_texts
from mkdocs_recall.text.safe_loader import safe_loader

_DEPTH: Final = 10
_LINK: Final = re.compile(r"https?://[^\s<>()\[\]\"'`]+")
_FORM: Final = "'query', and 'expect_source', 'expect' or 'none: true'"
Entry: TypeAlias = "tuple[Mapping[str, Any], str, int | None]"
"""The options of a question, and its file and line."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the answer that is expected."""

    options: RecallOptions
    """With `expect_source` (any is right), `expect`, or neither if no answer is right."""
    file: str
    line: int | None = None

    @property
    def text(self) -> str:
        """Its first query."""
        return self.options.query[0].text

    @property
    def expected(self) -> str:
        """The expected answer, in words."""
        return ", ".join((*self.options.expect_source, *self.options.expect)) or "no answer"


class Outcome(NamedTuple):
    """The result of asking a question."""

    question: Question
    rank: int | None
    """The rank of the first right place, if any; 1 if there is rightly no answer."""
    answered: bool
    words: int
    first: str
    fault: str = ""
    """Why the expected answer is impossible."""

    def text(self) -> str:
        """Describe the outcome."""
        number = f"number {self.rank}" if self.rank else f"not among the first {_DEPTH}"
        expected = self.question.expected
        if expected == "no answer":
            return f"'{self.question.text}': expected no answer; the first place is {self.first}"
        note = "" if self.answered else "; nothing is quoted"
        first = f"; the first place is {self.first}" if self.first and self.rank != 1 else ""
        number = self.fault or f"which is {number}"
        return f"'{self.question.text}': expected {expected}, {number}{first}{note}"


def figures_of(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """Return the figures of at least one outcome, by name; shares are 0 … 1."""
    ranks = [outcome.rank or 0 for outcome in outcomes]
    quoted = [outcome.words for outcome in outcomes if outcome.answered]
    sums = {
        "hit_1": sum(rank == 1 for rank in ranks),
        "hit_3": sum(1 <= rank <= 3 for rank in ranks),  # noqa: PLR2004 - hit@3
        "mrr": sum(1 / rank for rank in ranks if rank),
        "answered": len(quoted),
    }
    count = len(outcomes)
    shares = {name: round(total / count, 4) for name, total in sums.items()}
    return {"questions": count, **shares, "words": round(sum(quoted) / max(1, len(quoted)), 1)}


def evaluate(questions: Sequence[Question], corpus: Corpus) -> list[Outcome]:
    """Ask all questions."""
    with corpus.by_name() as pages:
        locator = TextLocator(pages)
        return [_outcome(question, corpus, locator) for question in questions]


def _outcome(question: Question, corpus: Corpus, locator: TextLocator) -> Outcome:
    options = question.options
    try:
        result = corpus.answer(replace(options, expect=(), expect_source=()))
    except RecallError as error:
        return Outcome(question, None, answered=False, words=0, first="", fault=str(error))
    quoted = {passage.source for passage in result.passages}
    others = (place for place in places(options, corpus) if place.source not in quoted)
    ranked = list(islice((*result.passages, *others), _DEPTH))
    words = sum(words_in(text, "en") for text in quoted_texts(result))
    rank, fault = None, ""
    if question.expected == "no answer":
        rank = None if quoted else 1
    else:
        try:
            ranks = (n for n, place in enumerate(ranked, 1) if _fits(place, options, locator))
            rank = next(ranks, None)
        except RecallError as error:
            fault = str(error)
    first = ranked[0].source if ranked else ""
    rank = rank if quoted or question.expected == "no answer" else None
    return Outcome(question, rank, bool(quoted), words, first, fault)


def _fits(place: Passage, options: RecallOptions, locator: TextLocator) -> bool:
    scopes = [locator.pages.scope((source,)) for source in options.expect_source]
    is_there = any(comes_from(place, target) for scope in scopes for target in scope.targets)
    return (is_there or not scopes) and all(
        locator.quoted_place(text, [place.source]) for text in options.expect
    )


def questions_in_yaml(text: str, file: str) -> Iterator[Entry]:
    """Yield the questions of a list; raise a RecordError for anything else."""
    try:
        loader = safe_loader(text)
        items, node = yaml.load(text, loader), yaml.compose(text, loader)  # noqa: S506 - safe
    except yaml.YAMLError as error:
        raise RecordError(f"'{file}' is not YAML: {error}") from error
    if not (isinstance(items, list) and isinstance(node, yaml.SequenceNode)):
        raise RecordError(f"'{file}' must be a list of mappings with {_FORM}")
    for item, item_node in zip(items, node.value, strict=True):
        line = item_node.start_mark.line + 1
        has_answer = isinstance(item, dict) and {"expect", "expect_source"} & item.keys()
        has_none = isinstance(item, dict) and item.get("none") is True
        if bool(has_answer) == has_none:
            raise RecordError(f"{file}:{line}: a question must be a mapping with {_FORM}")
        yield {k: v for k, v in item.items() if k != "none"}, file, line


def questions_of_pages(corpus: Corpus) -> Iterator[Entry]:
    """Yield the questions that pages say they answer."""
    for document in corpus.documents:
        for anchor, text in document.asks if document.publisher is None else ():
            item = {"query": text, "expect_source": f"/{Target(document.uri, anchor)}"}
            yield item, document.file or document.uri, None


def questions_in_issues(
    records: object, file: str, corpus: Corpus, site_url: str
) -> Iterator[Entry]:
    """Yield the titles of issues (in JSON) that link into the documentation."""
    if not isinstance(records, list):
        raise RecordError(f"'{file}' must be a JSON list of issues with 'title' and 'body'")
    find = _link_finder(corpus, site_url)
    for record in records:
        title = record.get("title") if isinstance(record, dict) else None
        if isinstance(title, str) and title.strip():
            links = [link for text in _texts(record) for link in _LINK.findall(text)]
            if sources := list(dict.fromkeys(filter(None, map(find, links)))):
                yield {"query": title, "expect_source": sources}, file, None


def read_questions(
    entries: Iterable[Entry], defaults: Mapping[str, Any], limits: Limits
) -> Iterator[Question]:
    """Yield questions, with a site's defaults and limits."""
    for item, file, line in entries:
        body = yaml_text({"source": WHOLE_SITE, **item, "on_empty": "omit"})
        try:
            options = read_options("recall", body, defaults=defaults, limits=limits)
        except RecallError as error:
            if line is None:
                raise
            raise RecordError(f"{file}:{line}: {error}") from error
        assert isinstance(options, RecallOptions)
        yield Question(options, file, line)


def _link_finder(corpus: Corpus, site_url: str) -> Callable[[str], str]:
    site_url = site_url.rstrip("/") + "/"
    pages = {page.url.strip("/"): page for page in corpus.documents}
    files = {page.uri: page for page in corpus.documents}

    def source(link: str) -> str:
        path, _, anchor = link.rstrip(".,;:!?").partition("#")
        path = path.partition("?")[0]
        if len(site_url) > 1 and (path + "/").startswith(site_url):
            inside = path[len(site_url) :].removesuffix("index.html").strip("/")
            _, _, versioned = inside.partition("/")
            page = pages.get(inside) or pages.get(versioned)
        else:
            parts = path.split("/")
            suffixes = ("/".join(parts[n:]) for n in range(3, len(parts)))
            page = next((files[suffix] for suffix in suffixes if suffix in files), None)
        if page is None:
            return ""
        return f"/{Target(page.uri, anchor if anchor in page.anchors else '')}"

    return source


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part)
