"""A survey of all directives of a documentation, answered from its Markdown without a build.

`check` and `lock` derive their findings from it, `impact` compares two, and the graph shows which
page asks, quotes and links to which other.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args

from msgspec import structs

from mkdocs_recall.answers.answer import Answer, TextLocator, answer
from mkdocs_recall.answers.lock import (
    LockEntry,
    answer_diff,
    cause_of,
    changed_answers,
    lock_entry,
    lock_id,
)
from mkdocs_recall.directives.directive import Directive
from mkdocs_recall.directives.fences import (
    find_fences,
    find_near_misses,
    may_hold_directive,
    may_hold_near_miss,
)
from mkdocs_recall.directives.options import read_directive
from mkdocs_recall.errors import SourceError
from mkdocs_recall.files import read_text
from mkdocs_recall.index.index import PageLinks, find_links
from mkdocs_recall.index.query import part_of
from mkdocs_recall.index.sources import Target
from mkdocs_recall.messages import location, one_line, single_line
from mkdocs_recall.options import LIMITS, Limits
from mkdocs_recall.pages.corpus import Corpus
from mkdocs_recall.ranking.result import Passage
from mkdocs_recall.store import gc_paused
from mkdocs_recall.text.front_matter import split_front_matter
from mkdocs_recall.text.model import Document
from mkdocs_recall.text.wording import wording

Finder: TypeAlias = Callable[[str, str], Iterable[Directive]]
"""Returns the directives of a page, by its uri and its file, with their lines."""
_BUILT = (".html", ".htm")
"""Generated pages without Markdown."""
_SHOWN: Final = 80

Level: TypeAlias = Literal["notice", "warning", "error"]
_TITLES: Final[Mapping[str, tuple[Level, str]]] = {
    "mistake": ("error", "mistake"),
    "cut": ("error", "value cut"),
    "unmet": ("error", "expectation not met"),
    "unanswered": ("error", "no answer"),
    "doubt": ("notice", "doubt"),
    "added": ("error", "new answer"),
    "removed": ("error", "answer gone"),
    "changed": ("error", "answer changed"),
    "same": ("notice", "quotes these lines"),
    "reworded": ("warning", "answer reworded"),
    "value": ("warning", "value changed"),
    "replaced": ("warning", "another answer"),
    "moved": ("warning", "answer moved"),
    "lost": ("warning", "answer lost"),
    "new": ("warning", "new answer"),
}
"""The level and the name of each kind of finding."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding about a directive: a fault, a doubt, or a changed answer."""

    kind: str
    directive: Directive
    message: str = ""
    query: Sequence[str] = ()
    before: LockEntry | None = None
    after: LockEntry | None = None
    why: str = ""
    cause: str | None = None
    """The kind of the cause, for a change since the answer was approved."""
    quotes: tuple[Sequence[Passage], Sequence[Passage]] | None = None
    """The quotes before and after; None if only the lock file has the earlier answer."""
    values: Sequence[tuple[str, str]] = ()
    shown: Callable[[str], str] = str

    @property
    def entry(self) -> LockEntry | None:
        """The changed answer as it is now, or as it was if it is gone."""
        return self.after or self.before

    @property
    def level(self) -> Level:
        """The severity."""
        return _TITLES[self.kind][0]

    @property
    def title(self) -> str:
        """The kind of finding, with the values or the cause of a change."""
        values = ", ".join(f"{old} → {new}" for old, new in self.values)
        since = f", since {self.why}" if self.cause else ""
        return f"{_TITLES[self.kind][1]}{f' ({values})' if values else ''}{since}"

    def text(self) -> str:
        """Return the finding as text for a person."""
        directive = self.directive
        head = f"{location(directive.file or directive.page, directive.line)}: {directive.name}"
        if self.entry is None:
            doubt = "doubt: " if self.kind == "doubt" else ""
            return single_line(f"{head}: {doubt}{self.message}")
        head += _quoted_queries(self.entry)
        if self.kind == "same" and self.quotes:
            lines = [f"  line {p.line or '?'}: {one_line(p.text)}" for p in self.quotes[1]]
            return "\n".join([single_line(head), *lines])
        why = f": {self.why}" if self.why and not self.cause else ""
        diff = answer_diff(self.before, self.after)
        return "\n".join([single_line(f"{head}: {self.title}{why}"), *diff])

    @property
    def details(self) -> str:
        """The message, or the change with its cause or its queries."""
        if self.entry is None:
            return self.message
        if self.kind == "same" and self.quotes:
            return "\n".join(passage.text for passage in self.quotes[1])
        queries = _quoted_queries(self.entry).strip()
        head = self.why if self.quotes else queries or self.directive.page
        return "\n".join([head, *answer_diff(self.before, self.after)])

    def record(self) -> dict[str, Any]:
        """Return the finding as a record for a program."""
        directive = self.directive
        quotes = self.quotes or (None, None)
        values = [{"before": old, "after": new} for old, new in self.values]
        return {
            "kind": self.kind,
            "page": directive.page,
            "file": directive.file,
            "line": directive.line,
            "directive": directive.name,
            "query": list(self.entry.query if self.entry else self.query),
            **({} if self.quotes else {"message": self.message, "cause": self.cause}),
            "why": self.why,
            **({"values": values} if self.quotes else {}),
            "before": self._answer(self.before, quotes[0]),
            "after": self._answer(self.after, quotes[1]),
        }

    def _answer(
        self, entry: LockEntry | None, quotes: Sequence[Passage] | None
    ) -> dict[str, Any] | None:
        if entry is None:
            return None
        record: dict[str, Any] = {
            "sources": list(entry.sources),
            "passages": list(entry.passages),
            "text": entry.text,
            "fallback": entry.fallback or None,
        }
        if quotes is not None:
            record["quotes"] = [
                {"text": p.text, "source": p.source, "file": self.shown(p.file), "line": p.line}
                for p in quotes
            ]
        return record


def _quoted_queries(entry: LockEntry) -> str:
    """Return a directive's queries in quotes, after a space; empty if it has none."""
    return f" '{one_line('; '.join(entry.query), limit=_SHOWN)}'" if entry.query else ""


class Survey(NamedTuple):
    """A documentation at one time, with all its answers."""

    corpus: Corpus
    defaults: Mapping[str, Any]
    answers: Sequence[Answer]
    by_id: Mapping[str, LockEntry]
    """The entries of the answers without an error."""
    shown: Callable[[str], str] = str
    """Returns a text with file names for a person."""

    @classmethod
    def of(
        cls,
        corpus: Corpus,
        defaults: Mapping[str, Any],
        limits: Limits = LIMITS,
        *,
        shown: Callable[[str], str] = str,
        finder: Finder | None = None,
    ) -> Survey:
        """Answer all directives, of `finder` or in Markdown, in page order."""
        answers: list[Answer] = []
        by_id: dict[str, LockEntry] = {}
        counts: Counter[str] = Counter()
        with corpus.by_name() as pages, gc_paused():
            locator = TextLocator(pages)
            for page, file in corpus.files.items():
                for number, directive in enumerate((finder or in_markdown)(page, file)):
                    directive.page = page
                    directive.file = shown(file)
                    directive.number = number
                    options = read_directive(directive, defaults=defaults, limits=limits)
                    directive.lock_id = lock_id(page, options, counts) if options else ""
                    reply = answer(directive, corpus, locator=locator)
                    answers.append(structs.replace(reply, error=shown(reply.error)))
                    if options and not reply.error:
                        entry = lock_entry(directive.lock_id, page, options, reply.result)
                        by_id[directive.lock_id] = entry
        return cls(corpus, defaults, answers, by_id, shown)

    @property
    def files(self) -> dict[str, str]:
        """The source file of each page."""
        return {uri: self.shown(file) for uri, file in self.corpus.files.items()}

    @property
    def entries(self) -> list[LockEntry]:
        """The entries of the lock file, in page order."""
        return [*self.by_id.values()]

    def entry(self, answered: Answer | None) -> LockEntry | None:
        """Return the entry of an answer; None for one with an error."""
        return self.by_id.get(answered.directive.lock_id) if answered else None

    def faults(self) -> list[Finding]:
        """Return the errors, cut values, unexpected and missing answers."""
        faults: list[Finding] = []
        for answered in self.answers:
            directive, entry = answered.directive, self.entry(answered)
            query = entry.query if entry else ()
            for below, message in directive.cuts:
                cut = structs.replace(directive, opening=(directive.opening or 0) + below)
                faults.append(Finding("cut", cut, message, query))
            if kind := _fault_of(answered):
                message = answered.error or answered.warning
                faults.append(Finding(kind, directive, message, query))
        return faults

    def accepted_fallbacks(self) -> list[str]:
        """Return where a synopsis replaces an answer with its author's consent."""
        accepted = []
        for answered in self.answers:
            directive, entry = answered.directive, self.entry(answered)
            if entry and entry.fallback and entry.text and not _fault_of(answered):
                name = f"{directive.name}{_quoted_queries(entry)}"
                message = "a synopsis is quoted, since no sentence answers"
                place = location(directive.file, directive.line)
                accepted.append(f"{place}: {name}: {message}")
        return accepted

    def doubts(self, before: Iterable[LockEntry], changes: Iterable[Finding] = ()) -> list[Finding]:
        """Return the doubts about the answers that nobody has approved as they are now."""
        changed = {finding.entry.id for finding in changes if finding.entry}
        approved = {entry.id for entry in before} - changed
        return [
            Finding("doubt", answered.directive, doubt, entry.query)
            for answered in self.answers
            if (entry := self.entry(answered)) and entry.id not in approved
            for doubt in answered.doubts
        ]

    def changes(self, before: Iterable[LockEntry]) -> list[Finding]:
        """Return the changes since a lock.

        A removed answer on a page with an error does not count: it may be that of the faulty
        directive.
        """
        by_id = {answer.directive.lock_id: answer.directive for answer in self.answers}
        pages_with_error = {answer.directive.page for answer in self.answers if answer.error}
        findings = []
        for old, new in changed_answers(before, self.entries):
            kind = "changed" if old else "added"
            cause = None
            if new:
                directive = by_id[new.id]
                options = directive.options
                cause = old and options and cause_of(old, new, options, self.corpus)
            elif old and old.page not in pages_with_error:
                file = self.files.get(old.page, "")
                kind = "removed"
                directive = Directive(old.directive, page=old.page, file=file)
            else:
                continue
            caused, why = cause or (None, "")
            findings.append(Finding(kind, directive, before=old, after=new, why=why, cause=caused))
        return findings


def _fault_of(answered: Answer) -> str:
    if answered.error:
        return "mistake"
    if not answered.holds:
        return "unmet"
    return "unanswered" if answered.unanswered else ""


def in_markdown(_: str, file: str) -> list[Directive]:
    """Return the directives in the Markdown of a page, misspelled ones included."""
    if file.endswith(_BUILT):
        return []
    text = read_text(file)
    if not (may_hold_directive(text) or may_hold_near_miss(text)):
        return []
    source = split_front_matter(text)
    directives = [*find_fences(source.body), *find_near_misses(source.body)]
    for directive in directives:
        directive.opening = source.offset + 1 + directive.first
    return sorted(directives, key=attrgetter("first"))


Kind: TypeAlias = Literal["same", "reworded", "value", "replaced", "moved", "lost", "new"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
_SIMILAR: Final = 0.5
"""The share of common words from which a text counts as reworded."""
_TOKEN: Final = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d]+|[^\w\s]|_")
_SWITCHES: Final = frozenset(
    {"true", "false", "on", "off", "yes", "no", "enabled", "disabled", "null"}
)
_PAGES: Final = 3


def impacts(
    before: Survey, after: Survey, renames: Mapping[str, str] | None = None
) -> Iterator[Finding]:
    """Yield all directives in page order; unchanged ones are of the kind `same`."""
    renames = renames or {}

    def shown(file: str) -> str:
        return before.shown(after.shown(file))

    for old, new in _pairs(before.answers, after.answers, renames):
        answered = new or old
        assert answered is not None
        old_entry, new_entry = before.entry(old), after.entry(new)
        kind, values = _kind(old_entry, new_entry, renames)
        why = "" if kind == "same" else _reason(before, after, old, new)
        yield Finding(
            kind,
            answered.directive,
            before=old_entry,
            after=new_entry,
            why=why,
            quotes=(_quoted(old), _quoted(new)),
            values=values,
            shown=shown,
        )


def quoting(survey: Survey, uri: str, first: int, last: int) -> list[Finding]:
    """Return the directives that quote some lines of a page, counted from 1."""
    return [
        Finding("same", answered.directive, after=survey.entry(answered), quotes=((), passages))
        for answered in survey.answers
        if (passages := [p for p in _quoted(answered) if _quotes_lines(p, uri, first, last)])
    ]


def _quoted(answered: Answer | None) -> Sequence[Passage]:
    return answered.result.in_document_order() if answered else ()


def _pairs(
    before: Iterable[Answer], after: Iterable[Answer], renames: Mapping[str, str]
) -> Iterator[tuple[Answer | None, Answer | None]]:
    old_names = {new: old for old, new in renames.items()}
    old_pages = dict(_by_page(before))
    for page, answers in _by_page(after):
        unpaired = old_pages.pop(old_names.get(page, page), {})
        partners = {key: unpaired.pop(key) for key in answers if key in unpaired}
        for key, new in answers.items():
            name = new.directive.name
            alike = (k for k, old in unpaired.items() if old.directive.name == name)
            yield partners.get(key) or unpaired.pop(next(alike, ""), None), new
        yield from ((old, None) for old in unpaired.values())
    for unpaired in old_pages.values():
        yield from ((old, None) for old in unpaired.values())


def _by_page(answers: Iterable[Answer]) -> Iterator[tuple[str, dict[str, Answer]]]:
    for page, group in groupby(answers, lambda answer: answer.directive.page):
        counts: Counter[str] = Counter()
        by_id = {}
        for answered in group:
            directive = answered.directive
            key = str(directive.line)
            if directive.options:
                key = lock_id("", directive.options, counts)
            by_id[key] = answered
        yield page, by_id


def _reason(before: Survey, after: Survey, old: Answer | None, new: Answer | None) -> str:
    if old is None or new is None:
        return "the directive is new" if new else "the directive is gone"
    if new.error or old.error:
        return new.error or f"before, there was an error: {old.error}"
    reasons = []
    if old.directive.body != new.directive.body:
        reasons.append("the directive was edited")
    if before.defaults != after.defaults:
        reasons.append("the site's settings changed")
    old_targets, new_targets = _targets(before, old), _targets(after, new)
    uris = dict.fromkeys(target.uri for target in (*old_targets, *new_targets))
    changed = [uri for uri in uris if _page(before, uri) != _page(after, uri)]
    passages = *old.result.passages, *new.result.passages
    quoted = {passage.uri for passage in passages}
    if changed_sources := [uri for uri in changed if uri in quoted]:
        reasons.append(f"{_listed(changed_sources)} changed")
    elif changed:
        reasons.append(f"{_listed(changed)} changed, and with it the ranking")
    elif old_targets != new_targets:
        reasons.append("its source names other pages")
    return "; ".join(reasons) or "git's history or the time changed"


def _page(state: Survey, uri: str) -> Document | None:
    with state.corpus.by_name() as pages, suppress(KeyError):
        return replace(pages.document(uri), file="")
    return None


def _targets(state: Survey, answered: Answer) -> tuple[Target, ...]:
    source, page = answered.options.source, answered.directive.page
    try:
        with state.corpus.by_name() as pages:
            return pages.scope(source, page=page).targets
    except SourceError:
        return ()


def _listed(uris: Sequence[str]) -> str:
    more = len(uris) - _PAGES
    names = ", ".join(f"'{uri}'" for uri in uris[:_PAGES])
    return f"{names} and {more} more" if more > 0 else names


def _kind(
    before: LockEntry | None, after: LockEntry | None, renames: Mapping[str, str]
) -> tuple[Kind, tuple[tuple[str, str], ...]]:
    old, new = (wording(entry.text) if entry else "" for entry in (before, after))
    if before is None or after is None or not (old and new):
        if old == new:
            return "same", ()
        return ("lost" if old else "new"), ()
    if old == new:
        renamed = tuple(_renamed(source, renames) for source in before.sources)
        is_same = renamed == after.sources and before.fallback == after.fallback
        return ("same" if is_same else "moved"), ()
    values = changed_values(old, new)
    if values:
        return "value", values
    old_tokens, new_tokens = (Counter(_TOKEN.findall(text.lower())) for text in (old, new))
    total = old_tokens.total() + new_tokens.total()
    similarity = 2 * (old_tokens & new_tokens).total() / max(1, total)
    return ("reworded" if similarity >= _SIMILAR else "replaced"), ()


def _renamed(source: str, renames: Mapping[str, str]) -> str:
    uri = Target.of(source).uri
    return f"{renames.get(uri, uri)}{source[len(uri) :]}"


def changed_values(old: str, new: str) -> tuple[tuple[str, str], ...]:
    """Return the values in which two otherwise equal texts differ; empty for other texts."""
    before, after = _TOKEN.findall(old), _TOKEN.findall(new)
    if len(before) != len(after):
        return ()
    values = []
    for number, (old_value, new_value) in enumerate(zip(before, after, strict=True)):
        if old_value == new_value:
            continue
        if not (_is_value(old_value) and _is_value(new_value)):
            return ()
        unit = "".join(before[number + 1 : number + 2])
        unit = f" {unit}" if unit.isalpha() and old_value[0].isdecimal() else ""
        values.append((old_value, f"{new_value}{unit}"))
    return tuple(values)


def _is_value(token: str) -> bool:
    return token[0].isdecimal() or token.lower() in _SWITCHES


def _quotes_lines(passage: Passage, uri: str, first: int, last: int) -> bool:
    lines = _lines(passage) if passage.uri == uri else (0, 0)
    return lines is None or (lines[0] <= last and first <= lines[1])


def _lines(passage: Passage) -> tuple[int, int] | None:
    document = passage.document
    numbers = {sentence.block for sentence in (passage.sentence, *passage.quotation.sentences)}
    starts = [document.blocks[number].line for number in numbers]
    lines = [line for line in starts if line is not None]
    if len(lines) < len(starts) or not lines:
        return None
    later = [b.line for b in document.blocks if b.line is not None and b.line > max(lines)]
    return min(lines), _last_line(document.file, max(lines), min(later, default=0))


def _last_line(file: str, start: int, following: int) -> int:
    lines = Path(file).read_text("utf-8-sig").split("\n")
    end = following - 1 if following else len(lines)
    while end > start and (not lines[end - 1].strip() or lines[end - 1].startswith("#")):
        end -= 1
    return end


EdgeKind: TypeAlias = Literal["asks", "quotes", "links"]
_HOME: Final = frozenset({"index.md", "README.md", "index.html"})


class Edge(NamedTuple):
    """A relation between two pages."""

    kind: EdgeKind
    page: str
    target: str
    """A page, a section, or, for a source, a pattern: `guides/**`."""
    line: int | None
    anchors: Mapping[str, Collection[str]]
    """The anchors of the target pages' sections; empty for a whole page."""

    def leads_to(self, place: Target) -> bool:
        """Tell whether it leads to a place; asking a page asks all its sections."""
        anchors = self.anchors.get(place.uri)
        if anchors is None or not place.anchor:
            return anchors is not None
        return place.anchor in anchors or (self.kind == "asks" and "" in anchors)


class Graph:
    """The edges between the pages of a documentation."""

    def __init__(self, survey: Survey) -> None:
        self._corpus = corpus = survey.corpus
        self.asked = asked = Counter[str]()
        self._quoted = quoted = Counter[str]()
        scopes: Counter[tuple[str, ...]] = Counter()  # by their pages, possibly all of a site
        edges: dict[str, list[Edge]] = {}
        asked_by = cache(self._asked_by)
        for answered in survey.answers:
            if answered.error:
                continue
            page, line = answered.directive.page, answered.directive.line
            with corpus.by_name() as pages:
                scope = pages.scope(answered.options.source, page=page)
            scopes[tuple(scope.uris)] += 1
            asked[page] -= page in scope.uris
            page_edges = edges.setdefault(page, [])
            prefixes = f"{page}#", f"{page} where "
            sources = [key for key in scope.key if key != page and not key.startswith(prefixes)]
            for source in sources:
                page_edges.append(Edge("asks", page, source, line, asked_by(source)))
            passages = (passage for passage in _quoted(answered) if passage.uri != page)
            places = {passage.source: {passage.uri: {passage.anchor}} for passage in passages}
            for place, anchors in places.items():
                page_edges.append(Edge("quotes", page, place, line, anchors))
            quoted.update({uri for anchors in places.values() for uri in anchors})
        for uris, count in scopes.items():
            asked.update(dict.fromkeys(uris, count))
        self._linked = self._add_links(edges)
        self.edges = [edge for page in corpus.files for edge in edges.get(page, ())]
        """In page order of their pages; those of directives before links."""

    def records(self) -> list[dict[str, str | int]]:
        """Return how often each page is asked, quoted and linked to by others."""
        return [
            {
                "uri": d.uri,
                "title": d.title,
                "asked": self.asked[d.uri],
                "quoted": self._quoted[d.uri],
                "linked": self._linked[d.uri],
            }
            for d in self._corpus.documents
        ]

    @property
    def orphans(self) -> list[str]:
        """The pages, except the home page, that no other page links to or quotes."""
        led_to = {*self._quoted, *self._linked, *_HOME}
        return [d.uri for d in self._corpus.documents if d.uri not in led_to]

    def asked_most(self, number: int) -> list[str]:
        """Return the pages that most directives ask."""
        uris = [d.uri for d in self._corpus.documents if self.asked[d.uri]]
        return sorted(uris, key=lambda uri: -self.asked[uri])[:number]

    def between(self, *, page: str = "", target: str = "") -> list[Edge]:
        """Return the edges from a page, to a page or section such as `auth.md#expiry`, or both.

        An empty text means anywhere. A source that is a pattern leads to each page that it matches,
        and a whole page to each of its sections.
        """
        start, end = (self._place(written) if written else None for written in (page, target))
        if start and start.anchor:
            raise SourceError(f"'{page}' is a section: name the whole page, '{start.uri}'")
        edges = [edge for edge in self.edges if start is None or edge.page == start.uri]
        return [edge for edge in edges if end is None or edge.leads_to(end)]

    def _place(self, written: str) -> Target:
        with self._corpus.by_name() as pages:
            document, anchor = pages.place(written)
        return Target(document.uri, anchor)

    def _asked_by(self, source: str) -> Mapping[str, Collection[str]]:
        with self._corpus.by_name() as pages:
            targets = pages.scope((source,)).targets
        anchors: dict[str, set[str]] = {}
        for uri, anchor in targets:
            anchors.setdefault(uri, set()).add(anchor)
        return anchors

    def _add_links(self, edges: dict[str, list[Edge]]) -> Counter[str]:
        documents = self._corpus.documents
        uris = [document.uri for document in documents]
        pairs = set()
        links = [PageLinks.of(part_of(document)) for document in documents]
        for link in sorted(set(find_links(links))):
            page, uri = uris[link.page], uris[link.target]
            target = str(Target(uri, link.anchor))
            edge = Edge("links", page, target, None, {uri: {link.anchor}})
            edges.setdefault(page, []).append(edge)
            pairs.add((page, uri))
        return Counter(uri for _, uri in pairs)


def as_dot(edges: Sequence[Edge]) -> str:
    """Return edges in the language of Graphviz."""
    lines = ["digraph documentation {", "  rankdir=LR;"]
    lines += [
        f"  {_dot_text(page)} -> {_dot_text(target)} [label={kind}];"
        for kind, page, target in _distinct(edges)
    ]
    return "\n".join([*lines, "}"])


def as_mermaid(edges: Sequence[Edge]) -> str:
    """Return edges as a flowchart of Mermaid."""
    distinct = _distinct(edges)
    names = dict.fromkeys(name for _, *ends in distinct for name in ends)
    ids = {name: f"n{number}" for number, name in enumerate(names)}
    lines = [f'  {ids[name]}["{_mermaid_text(name)}"]' for name in names]
    lines += [f"  {ids[page]} -->|{kind}| {ids[target]}" for kind, page, target in distinct]
    return "\n".join(["flowchart LR", *lines])


def _distinct(edges: Iterable[Edge]) -> list[tuple[EdgeKind, str, str]]:
    return list(dict.fromkeys((edge.kind, edge.page, edge.target) for edge in edges))


def _dot_text(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _mermaid_text(text: str) -> str:
    escaped = text.replace("&", "#amp;").replace('"', "#quot;").replace("<", "#lt;")
    return escaped.replace("\n", "#10;")
