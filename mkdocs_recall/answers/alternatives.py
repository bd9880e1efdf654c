"""The alternatives to an answer, for its author: other places, and the lines that quote them.

A warm build imports this module, since a stored quote may have alternatives: its imports are few.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from mkdocs_recall.answers.links import escape_html, relative_url
from mkdocs_recall.errors import RecallError
from mkdocs_recall.messages import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mkdocs_recall.answers.answer import Answer
    from mkdocs_recall.answers.html import QuotingPage
    from mkdocs_recall.options import Options, RecallOptions
    from mkdocs_recall.pages.corpus import Corpus
    from mkdocs_recall.ranking.result import Passage

PREVIEW: Final = "recall-preview"
_COPY: Final = (
    "getSelection().selectAllChildren(this.previousSibling);"
    "navigator.clipboard?.writeText(this.previousSibling.textContent)"
)
SHOWN: Final = 4
_SEARCHED: Final = 40
_LENGTH: Final = 120


class Alternative(Struct, frozen=True, array_like=True):
    """A place that could be quoted."""

    source: str
    """A `source` that works on any page: `/guides/auth.md#expiry`."""
    path: str
    """The titles above it: `Sign-in › Expiry`."""
    text: str
    words: str = ""
    """The words of the query in that sentence, if no sentence answers."""
    url: str = ""
    """Relative to the site's root; absolute for other sites."""


class Alternatives(Struct, frozen=True, array_like=True):
    """What an author may want to know about an answer, beyond the quote."""

    query: str
    why: str
    """Why no sentence answers; empty if one does."""
    doubts: tuple[str, ...]
    quoted: Alternative | None
    """The place of the first passage; None if nothing is quoted."""
    places: tuple[Alternative, ...]
    """The other places, best first; for a synopsis, the runner-up sentences."""

    def html(self, page: QuotingPage) -> str:
        """Return the folded note below a quote in a preview; empty if it has nothing to add."""
        from mkdocs_recall.answers.notes import notes

        facts = [*filter(None, [self.why]), *self.doubts]
        if not (facts or self.query or self.places):
            return ""
        labels = notes(page.language)
        head = labels["for_authors"] + (f" ({labels['doubts']}: {len(facts)})" if facts else "")
        parts = [f"<summary>{escape_html(head)}</summary>"]
        if facts:
            items = "".join(_fact(fact, page.language) for fact in facts)
            parts.append(f"<p><b>{labels['doubts']}</b></p>\n<ul>{items}</ul>")
        if self.quoted and not self.why:
            label = f"<b>{labels['quoted']}</b> {self._link(self.quoted, page)}"
            more = _copied(yaml_text({"context": "section"}), labels) if self.query else ""
            parts.append(f"<p>{label}</p>\n{_line(self.quoted, 'expect_source', labels)}{more}")
        if self.places:
            items = "".join(f"<li>{self._place(place, page, labels)}</li>" for place in self.places)
            label = labels["places" if self.query else "next"]
            parts.append(f"<p><b>{label}</b></p>\n<ol>{items}</ol>")
        inside = "\n".join(parts)
        # Material's search ends an excluded element at the first end tag of the same name.
        start = f'\n<aside class="{PREVIEW}" role="note" data-search-exclude>\n<details>'
        return f"{start}\n{inside}\n</details>\n</aside>"

    def _place(self, place: Alternative, page: QuotingPage, labels: Mapping[str, str]) -> str:
        words = escape_html(place.words)
        matched = f" <em>({labels['words']}: {words})</em>" if words else ""
        more = _line(place, "expect_source", labels)
        if self.query:
            more += _copied(asks(place.source, self.query), labels)
        return (
            f"{self._link(place, page)}: {escape_html(place.text)}{matched}\n"
            f"{_line(place, 'source', labels)}\n"
            f"<details><summary>{labels['more']}</summary>\n{more}</details>"
        )

    @staticmethod
    def _link(place: Alternative, page: QuotingPage) -> str:
        href = escape_html(relative_url(place.url, page.url), quote=True)
        return f'<a href="{href}">{escape_html(place.path)}</a>'


def _fact(text: str, language: str) -> str:
    from mkdocs_recall.answers.notes import translated

    if translation := translated(text, language):
        return f"<li>{escape_html(translation)}</li>"
    return f'<li lang="en">{escape_html(text)}</li>'


def _line(place: Alternative, option: str, labels: Mapping[str, str]) -> str:
    return _copied(yaml_text({option: place.source}), labels)


def _copied(text: str, labels: Mapping[str, str]) -> str:
    return (
        f"<div><code>{escape_html(text)}</code>"
        f'<button type="button" onclick="{_COPY}">{labels["copy"]}</button></div>'
    )


def alternatives(answered: Answer, corpus: Corpus) -> Alternatives:
    """Return the alternatives to an answer that has no error."""
    from mkdocs_recall.options import RecallOptions

    options = answered.options
    page = answered.directive.page
    result = answered.result
    recall = options if isinstance(options, RecallOptions) else None
    queries = recall.query if recall else ()
    fails = bool(queries and (result.fallback or not result.passages))
    if queries:
        quoted = set() if fails else {passage.source for passage in result.passages}
        passages = (place for place in places(options, corpus, page) if place.source not in quoted)
    else:
        passages = (lost.passage for lost in result.lost)
    chosen = [passage for passage, _ in zip(passages, range(SHOWN), strict=False)]
    first = next(iter(result.passages), None)
    return Alternatives(
        queries[0].text if queries else "",
        result.why if fails else "",
        answered.doubts,
        _alternative(first, None) if first else None,
        tuple(_alternative(place, recall if fails else None) for place in chosen),
    )


def places(options: Options, corpus: Corpus, page: str = "") -> Iterator[Passage]:
    """Yield the best sentence of each section that matches, whether likely to answer or not."""
    limits = {"max_sentences": _SEARCHED, "max_tokens": None, "max_words": None, "diversity": None}
    search: Any = {**limits, "context": 0, "min_score": 0.0, "on_empty": "omit"}
    try:
        with corpus.by_name() as pages:
            search["source"] = pages.with_headings(options.source, page=page)
        result = corpus.answer(replace(options, **search), page=page)
    except RecallError:
        return
    by_section = {passage.source: passage for passage in reversed(result.passages)}
    for passage in result.passages:
        if by_section[passage.source] is passage:
            yield passage


def heading_path(passage: Passage) -> str:
    """Return the titles above a passage, on one line: page and headings."""
    titles = dict.fromkeys([passage.title, *(h.text for h in passage.block.headings)])
    return " › ".join(one_line(title) for title in titles if title)


def asks(source: str, query: str) -> str:
    """Return the front matter with which a section says that it answers a query."""
    _, sign, anchor = source.partition("#")
    return yaml_text({"recall": {"asks": {sign + anchor: query} if sign else query}})


def yaml_text(values: Mapping[str, object]) -> str:
    """Return a mapping as YAML, a line for each value."""
    import yaml

    text: str = yaml.safe_dump(values, allow_unicode=True, sort_keys=False, width=1 << 30)
    return text.rstrip("\n")


def _alternative(passage: Passage, options: RecallOptions | None) -> Alternative:
    text = one_line(passage.sentence.text, limit=_LENGTH)
    words = _shared_words(passage, options) if options else ""
    path = heading_path(passage)
    return Alternative(source_from_root(passage), path, text, words, passage.url)


def source_from_root(passage: Passage) -> str:
    """Return a `source` that names a passage's section from any page."""
    root = "/" if passage.document.publisher is None else ""
    return f"{root}{passage.source}"


def _shared_words(passage: Passage, options: RecallOptions) -> str:
    from mkdocs_recall.index.query import query_terms
    from mkdocs_recall.text.language import get_language

    language = get_language(passage.document.language)
    stems = {(language.code, language.stems[word]) for word in passage.sentence.words}
    terms = [term for query in options.query for term in query_terms(query.text, [language.code])]
    return ", ".join(dict.fromkeys(term.word for term in terms if not stems.isdisjoint(term.stems)))
