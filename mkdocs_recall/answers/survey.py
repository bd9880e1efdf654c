"""A survey of all directives of a documentation, answered from its Markdown without a build.

The graph is made of it: which page asks, quotes and links to which other.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from mkdocs_recall.answers.answer import answer
from mkdocs_recall.answers.expectations import TextLocator
from mkdocs_recall.answers.lock import DirectiveIds, lock_entry
from mkdocs_recall.directives.fences import may_hold_directive, may_hold_near_miss
from mkdocs_recall.directives.near_misses import find_near_misses
from mkdocs_recall.directives.options import read_fence
from mkdocs_recall.directives.parser import find_fences
from mkdocs_recall.directives.yaml import cut_values
from mkdocs_recall.errors import RecallError, SiteError, SourceError, lines_below
from mkdocs_recall.index.query import part_of
from mkdocs_recall.index.sections import find_links
from mkdocs_recall.index.sources import split_filter, unknown_anchor_error
from mkdocs_recall.options import LIMITS
from mkdocs_recall.text.front_matter import split_front_matter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from mkdocs_recall.answers.answer import DirectiveAnswer
    from mkdocs_recall.answers.lock import LockEntry
    from mkdocs_recall.directives.fences import Fence
    from mkdocs_recall.directives.yaml import CutValue
    from mkdocs_recall.index.sources import Scope, Target
    from mkdocs_recall.options import Limits, Options
    from mkdocs_recall.pages.corpus import Corpus

    Finder: TypeAlias = Callable[[str, str], Iterable["FoundFence"]]
    Answerer: TypeAlias = Callable[[str, Options, str, TextLocator], DirectiveAnswer]


_BUILT = (".html", ".htm")
"""Pages that a plugin generates have no Markdown; readers see a fence in their HTML as it is."""


class FoundFence(NamedTuple):
    """A directive of a page, before it is read."""

    line: int
    fence: Fence
    fault: str = ""
    """What makes it none, though its author means one."""


@dataclass(frozen=True, slots=True)
class SurveyedDirective:
    """A directive with its answer, or its error."""

    page: str
    file: str
    """An absolute path."""
    line: int
    """That of its fence in the file, or of the fault in it."""
    directive: str
    """`recall` or `synopsis`."""
    body: str = ""
    """Its YAML."""
    entry: LockEntry | None = None
    """None where there is an error."""
    options: Options | None = None
    """What it asks for; None where that cannot be read."""
    error: str = ""
    """What its author has to mend."""
    unmet: str = ""
    """What its author expects, and the answer does not hold."""
    unanswered: str = ""
    """That no sentence answers, where the author has not said that a synopsis will do."""
    cuts: Sequence[CutValue] = ()
    """Its values that YAML has probably cut."""
    doubts: Sequence[str] = ()
    """What speaks against the answer, if that was asked for."""


def survey_directives(
    corpus: Corpus,
    defaults: Mapping[str, Any],
    *,
    limits: Limits = LIMITS,
    answerer: Answerer | None = None,
    doubts: bool = False,
    finder: Finder | None = None,
) -> Iterator[SurveyedDirective]:
    """Answer all directives of a documentation, in page order.

    Args:
        finder: Finds those of a page, by its name and file; None for those in its Markdown.
    """
    with corpus.by_name() as pages:
        locator = TextLocator(pages)
    ids = DirectiveIds()
    for page, file in corpus.files.items():
        for number, (line, fence, fault) in enumerate((finder or in_markdown)(page, file)):
            if fault:
                yield SurveyedDirective(page, file, line, fence.name, error=fault)
                continue
            surveyed = SurveyedDirective(page, file, line, fence.name, fence.body)
            try:
                options = read_fence(fence, number, defaults=defaults, limits=limits)
            except RecallError as error:
                below = lines_below(error)
                yield replace(surveyed, error=str(error), line=line + below)
                continue
            surveyed = replace(surveyed, options=options, cuts=cut_values(fence.body))
            identity = ids.next(page, options)
            if answerer is None:
                answered = answer(options, corpus, page, locator=locator)
            else:
                answered = answerer(identity, options, page, locator)
            if answered.error or answered.result is None:
                yield replace(surveyed, error=answered.error)
                continue
            entry = lock_entry(identity, page, options, answered.result)
            unmet = "" if answered.holds else answered.warning
            unanswered = answered.warning if answered.unanswered and not unmet else ""
            yield replace(
                surveyed,
                entry=entry,
                unmet=unmet,
                unanswered=unanswered,
                doubts=answered.doubts if doubts else (),
            )


def in_markdown(_: str, file: str) -> list[FoundFence]:
    """Return the directives in the Markdown of a page, with those that are misspelled."""
    if file.endswith(_BUILT):
        return []
    try:
        text = Path(file).read_text("utf-8-sig")
    except (OSError, ValueError) as error:
        msg = f"'{file}' cannot be read: {error}"
        raise SiteError(msg) from error
    if not (may_hold_directive(text) or may_hold_near_miss(text)):
        return []
    source = split_front_matter(text)
    first = source.offset + 1
    found = [FoundFence(first + fence.first, fence) for fence in find_fences(source.body)]
    found += [
        FoundFence(first + miss.fence.first, miss.fence, miss.message)
        for miss in find_near_misses(source.body)
    ]
    return sorted(found, key=lambda one: one.line)


EdgeKind: TypeAlias = Literal["asks", "quotes", "links"]
_HOME: Final = frozenset({"index.md", "README.md", "index.html"})
"""The home page, to which no page needs to lead."""


class Edge(NamedTuple):
    """What one page has to do with another."""

    kind: EdgeKind
    page: str
    target: str
    """A page, a section of it, or, of a source, a pattern: `guides/**`."""
    line: int | None
    """That of the directive in the page's file; None for a link."""


@dataclass(frozen=True, slots=True)
class PageCounts:
    """How often a page is asked, quoted and linked to by others."""

    uri: str
    title: str
    asked: int
    """By how many directives on other pages."""
    quoted: int
    """By how many directives on other pages."""
    linked: int
    """From how many other pages."""


class Graph:
    """The edges between the pages of a documentation.

    Attributes:
        edges: In page order of their pages; those of directives before links.
        pages: All pages that may be quoted, in page order.
    """

    def __init__(self, corpus: Corpus, directives: Iterable[SurveyedDirective]) -> None:
        """Find the edges.

        Args:
            directives: Their directives, answered; those with an error are left out.
        """
        self._corpus = corpus
        self._uris = {*corpus.files, *(document.uri for document in corpus.documents)}
        self._matches: dict[str, frozenset[str]] = {}
        """The pages that each source of an edge names."""
        asked: Counter[str] = Counter()
        quoted: Counter[str] = Counter()
        scopes: Counter[tuple[str, ...]] = Counter()
        by_key: dict[tuple[str, ...], frozenset[str]] = {}
        edges: dict[str, list[Edge]] = {}
        for directive in directives:
            if directive.options is None or directive.entry is None:
                continue
            page = directive.page
            with corpus.by_name() as pages:
                scope = pages.scope(directive.options.source, page=page)
            if scope.key not in by_key:
                by_key[scope.key] = frozenset(target.uri for target in scope.targets)
                self._note_sources(scope)
            scopes[scope.key] += 1
            asked[page] -= page in by_key[scope.key]
            of_page = edges.setdefault(page, [])
            sources = [key for key in scope.key if self._split(key)[0] != page]
            of_page += (Edge("asks", page, source, directive.line) for source in sources)
            places = [place for place in directive.entry.sources if self._split(place)[0] != page]
            of_page += (Edge("quotes", page, place, directive.line) for place in places)
            quoted.update({self._split(place)[0] for place in places})
        for key, count in scopes.items():
            for uri in by_key[key]:
                asked[uri] += count
        linked = self._add_links(edges)
        documents = corpus.documents
        self.edges = [edge for page in corpus.files for edge in edges.get(page, ())]
        self.pages = [
            PageCounts(d.uri, d.title, asked[d.uri], quoted[d.uri], linked[d.uri])
            for d in documents
        ]

    @property
    def orphans(self) -> list[str]:
        """The pages, but for the home page, that no other page links to or quotes."""
        return [
            page.uri
            for page in self.pages
            if not page.quoted and not page.linked and page.uri not in _HOME
        ]

    def asked_most(self, number: int) -> list[PageCounts]:
        """Return the pages that most directives ask, most first."""
        asked = [page for page in self.pages if page.asked]
        return sorted(asked, key=lambda page: -page.asked)[:number]

    def between(self, *, page: str = "", target: str = "") -> list[Edge]:
        """Return the edges from a page, to a page or section, or both.

        A source that is a pattern leads to each page that it matches, and one that is a whole page
        to each section of it.

        Args:
            page: Where they start; empty for any page.
            target: Where they lead, such as `auth.md#expiry`; empty for anywhere.
        """
        start, end = (self._place(written) if written else None for written in (page, target))
        if start and start.anchor:
            msg = f"'{page}' is a section: name the whole page, '{start.uri}'"
            raise SourceError(msg)
        return [
            edge
            for edge in self.edges
            if (start is None or edge.page == start.uri)
            and (end is None or self._leads_to(edge, end))
        ]

    def _place(self, written: str) -> Target:
        """Return the page or section that a text names."""
        with self._corpus.by_name() as pages:
            named = pages.scope((written,)).named
            if not named:
                msg = f"'{written}' is a folder or a pattern: name one page"
                raise SourceError(msg)
            target = named[0]
            document = pages.document(target.uri)
        if target.anchor and target.anchor not in document.anchors:
            raise unknown_anchor_error(document, target.anchor)
        return target

    def _leads_to(self, edge: Edge, end: Target) -> bool:
        uri, anchor = self._split(edge.target)
        if edge.target in self._matches and edge.kind == "asks":
            is_there = end.uri in self._matches[edge.target]
            return is_there and (not end.anchor or anchor in {"", end.anchor})
        return uri == end.uri and (not end.anchor or anchor == end.anchor)

    def _split(self, place: str) -> tuple[str, str]:
        """Return the page of a place, or the path of a source, and the section; empty for none."""
        path = split_filter(place)[0]
        if path in self._uris:  # a name may have a '#'
            return path, ""
        page, _, anchor = path.rpartition("#")
        if page in self._uris:
            return page, anchor
        page, _, anchor = path.partition("#")
        return page, anchor

    def _note_sources(self, scope: Scope) -> None:
        """Note which pages each source of a scope names."""
        for key in scope.key:
            if key not in self._matches:
                with self._corpus.by_name() as pages:
                    targets = pages.scope((key,)).targets
                self._matches[key] = frozenset(target.uri for target in targets)

    def _add_links(self, edges: dict[str, list[Edge]]) -> Counter[str]:
        """Add the links between pages; return from how many pages each is linked."""
        documents = self._corpus.documents
        uris = [document.uri for document in documents]
        pairs = set()
        for link in sorted(set(find_links([part_of(document) for document in documents]))):
            page, uri = uris[link.page], uris[link.target]
            target = f"{uri}#{link.anchor}" if link.anchor else uri
            edges.setdefault(page, []).append(Edge("links", page, target, None))
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
    """Return what edges connect: several directives of a page may ask the same."""
    return list(dict.fromkeys((edge.kind, edge.page, edge.target) for edge in edges))


def _dot_text(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _mermaid_text(text: str) -> str:
    escaped = text.replace("&", "#amp;").replace('"', "#quot;").replace("<", "#lt;")
    return escaped.replace("\n", "#10;")
