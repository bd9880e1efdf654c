"""A finished site, of any generator, with its directives answered from its own pages.

All answers are computed before the first is inserted, and quotes are not read as text of their
pages, so filling a site again gives the same result. The saved result is valid as long as neither
the site nor its sources change.

A generator that serves a site from its folder, as Zensical does, writes pages again after each
edit, without their quotes. So its folder is watched while it runs, and filled when all pages are
written. Filling counts as a change, too, so no page is missed that was written meanwhile.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
from contextlib import suppress
from functools import cached_property, lru_cache
from itertools import accumulate, chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import replace

from mkdocs_recall.answers import insertion
from mkdocs_recall.answers.answer import TextLocator, answer
from mkdocs_recall.answers.html import QuotingPage
from mkdocs_recall.answers.insertion import STYLESHEET, Quote, marker, marker_id
from mkdocs_recall.answers.links import is_section
from mkdocs_recall.directives.fences import find_fences, replace_fences
from mkdocs_recall.directives.options import read_directive
from mkdocs_recall.errors import SiteError
from mkdocs_recall.files import file_errors, fingerprint
from mkdocs_recall.hosts import html_fences
from mkdocs_recall.hosts.copies import COPY_SUFFIXES, fill_copies
from mkdocs_recall.messages import single_line
from mkdocs_recall.pages import built
from mkdocs_recall.store import Cache, digest, gc_paused, pack, pipeline, unpack
from mkdocs_recall.text.theme import FENCE_END, main_html

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from mkdocs_recall.answers.lock import ApprovedAnswers
    from mkdocs_recall.answers.survey import Finder
    from mkdocs_recall.directives.directive import Directive
    from mkdocs_recall.options import Limits
    from mkdocs_recall.pages.corpus import Corpus
    from mkdocs_recall.text.front_matter import MarkdownSource

_MARKUP: Final = (".rst", ".adoc")
"""Sources other than Markdown."""
_ABOVE: Final = 3
_SETTING: Final = re.compile(r":[\w-]+:")
_NAMED: Final = r"\b{}\b"
_MYST: Final = r"[`~:]{{3,}}\{{(?:(?:code|code-block|sourcecode)\}} *{0}|{0}\}})$"
"""The line above Sphinx's directive or code block."""
_MYST_BOX: Final = re.compile(r"(`{3,}|~{3,}|:{3,})(\{(?!code|source)[\w-]+\})?(.*)")
"""The opening or end of a box of MyST, or of another fence."""
_HIGHLIGHT: Final = re.compile(r"\.\. highlight::\s*(\S*)")
"""The language of the code blocks below."""


class SourceFences:
    """The directives in the source of a page, read on demand."""

    def __init__(self, file: str | None) -> None:
        self._file = file
        self._is_markdown = not (file or "").lower().endswith(_MARKUP)

    def line(self, directive: Directive) -> int | None:
        """Return the line of a directive's opening, or above its body."""
        if self._file is None or not directive.name:
            return None
        line = self._fences.get((directive.name, _plain(directive.body)))
        if line is None:
            line = self._line_above(directive)
        return None if line is None else self._source.offset + line

    @cached_property
    def _source(self) -> MarkdownSource:
        return built.read_source(self._file or "")

    @cached_property
    def _fences(self) -> dict[tuple[str, str], int]:
        fences = reversed(find_fences(self._source.body))  # the first of two equal ones counts
        return {(fence.name, _plain(fence.body)): fence.first + 1 for fence in fences}

    @cached_property
    def _lines(self) -> list[str]:
        return [line.strip() for line in self._source.body.split("\n")]

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        places: dict[str, list[int]] = {}
        for number, line in enumerate(self._lines):
            places.setdefault(line, []).append(number)
        return places

    def _line_above(self, directive: Directive) -> int | None:
        body = [line.strip() for line in directive.body.strip("\n").split("\n")]
        name = re.compile((_MYST if self._is_markdown else _NAMED).format(directive.name))
        for start in self._places.get(body[0], ()):
            if self._lines[start : start + len(body)] == body:
                lines = (self._lines[number] for number in range(start - 1, -1, -1))
                texts = (line for line in lines if line and not _SETTING.match(line))
                above = islice(texts, 1 if self._is_markdown else _ABOVE)
                if any(map(name.search, above)) or self._languages[start] == directive.name:
                    return start
                if (start - 1, directive.name) in self._in_boxes:
                    return start
        return None

    @cached_property
    def _in_boxes(self) -> set[tuple[int, str]]:
        """The lines and names of fences directly in a box of MyST."""
        openings: set[tuple[int, str]] = set()
        open_fences: list[tuple[str, bool]] = []  # all but the last are boxes
        for number, line in enumerate(self._lines if self._is_markdown else ()):
            match = _MYST_BOX.match(line)
            if match is None:
                continue
            marks, is_box, name = match[1], bool(match[2]), match[3].strip()
            if open_fences and not (is_box or name) and marks.startswith(open_fences[-1][0]):
                open_fences.pop()
            elif not open_fences or open_fences[-1][1]:
                if open_fences and not is_box:
                    openings.add((number, name))
                open_fences.append((marks, is_box))
        return openings

    @cached_property
    def _languages(self) -> list[str]:
        matches = (None if self._is_markdown else _HIGHLIGHT.match(line) for line in self._lines)
        names = (match and match[1] for match in matches)
        return [*accumulate(names, lambda last, name: last if name is None else name, initial="")]


def _plain(body: str) -> str:
    return "\n".join(line.rstrip() for line in body.strip("\n").split("\n"))


def finder_in_site(folder: str, names: built.SourceNames) -> Finder:
    """Return a finder of a finished site's directives."""
    site = dict(built.site_files(folder, others=built.language_folders(folder)))
    pages = {uri: site[path] for path, uri in names.destinations(site).items()}

    def find(uri: str, file: str) -> Iterator[Directive]:
        html = Path(pages.get(uri, file)).read_bytes().decode("utf-8", "replace")
        sources = SourceFences(names.files.get(uri))
        for directive in html_fences.find_html_directives(html):
            line = sources.line(directive)
            if line or not directive.is_comment:
                directive.opening = line or 1
                yield directive

    return find


class FillState:
    """The saved result of filling a site, valid if all files are unchanged."""

    def __init__(self, folder: Path | None, site: str, *settings: str) -> None:
        self._cache = Cache(folder)
        self._key = digest("fill", pipeline(), site, *settings)
        self._read: dict[str, list[int] | None] = {}

    def read(self, files: Iterable[str]) -> FilledSite | None:
        """Return the result without files; None if a file has changed."""
        self._read = {file: fingerprint(file) for file in files}
        stored = unpack(tuple[str, FilledSite], self._cache.get(self._key))
        self._cache.close()
        return stored[1] if stored and stored[0] == _digest(self._read) else None

    def write(self, files: Iterable[str], site: FilledSite) -> None:
        """Save the result, if nobody else has written any file."""
        current = {file: fingerprint(file) for file in files}
        written = dict.fromkeys([*site.files, *site.assets])
        if {**current, **written} != {**self._read, **written}:
            return
        self._cache.put(self._key, pack((_digest(current), replace(site, files={}, assets={}))))
        self._cache.save()
        self._cache.close()


def _digest(versions: Mapping[str, list[int] | None]) -> str:
    return digest(json.dumps(sorted(versions.items()))).hex()


_PLACE: Final = re.compile(r"(.*?)(?::(\d{1,9}))?: ")
SITE_SUFFIXES: Final = (*built.HTML_SUFFIXES, *COPY_SUFFIXES)
_HINTS: Final = (b"recall", b"synopsis", b"query", b"source")
_UNSEARCHED: Final = " data-search-exclude>"
"""The end of a quote's tag; Pagefind has another attribute."""
_LOOKALIKE: Final = (
    "{} like a directive, but no class names the language, so it stays code; if it is not an "
    "example, have the generator keep the word after the backticks as a class"
)
_NOWHERE: Final = "the HTML around it is too broken to hold a quote; close its tags and comments"
_UNTRUSTED: Final = (
    "a comment asks for a quote that the page's source does not ask for, so it stays as it is; "
    "where nobody but you writes HTML into these pages, fill them with '--trust-html'"
)
_SOURCELESS: Final = (
    "no source of this page is known that could account for a directive's comment, so it stays as "
    "it is; name the sources with '--docs' or '--map', or, where nobody but you writes HTML into "
    "these pages, fill them with '--trust-html'"
)

_RENDERED_AGAIN: Final = (
    "'{}' cannot be filled: {} renders the page again in the browser, without the quotes; answer "
    "the fences before the build: 'mkdocs-recall render docs --output DIR/' writes a copy of the "
    "sources with the quotes in it"
)


class FilledSite(Struct):
    """The result of filling a site, before anything is written."""

    files: dict[str, bytes] = {}
    """The new contents of pages and copies, by absolute path."""
    assets: dict[str, bytes] = {}
    warnings: list[str] = []
    pages: int = 0
    directives: int = 0
    answered: int = 0
    fallbacks: int = 0
    is_pure: bool = True
    """Whether the site and its sources alone determine the result."""


class SiteFiller(Struct, eq=False, dict=True):
    """Answers the directives of a finished site."""

    folder: str | os.PathLike[str]
    corpus: Corpus
    names: built.SourceNames | None
    defaults: Mapping[str, Any]
    limits: Limits
    site_url: str = ""
    trust_html: bool = False
    """Whether to answer comments that are not in the page's source."""
    approved: ApprovedAnswers | None = None
    css: bool = True
    others: Collection[str] = ()
    """The folders in it with separate sites."""

    def __post_init__(self) -> None:
        self._filled = FilledSite()
        self._folder = str(Path(self.folder).absolute())
        self._files: dict[str, str] = {}
        self._html_of = lru_cache(maxsize=1)(self._main_html)  # for several quotes of one page
        self._paths: dict[str, str] = {}
        """The paths of pages with directives, by uri."""
        self._html: dict[str, str] = {}
        self._directives: dict[str, list[Directive]] = {}
        self._quotes: dict[str, Quote] = {}
        self._answered: set[str] = set()

    @gc_paused()
    def fill(self) -> FilledSite:
        """Answer all directives."""
        self._read()
        directives = [*chain.from_iterable(self._directives.values())]
        self._filled.directives = len(directives)
        with self.corpus.by_name() as by_name:  # pages are cached once, at the end
            self._answer(directives, TextLocator(by_name))
        self._fit_sections(directives)
        paths: dict[str, dict[str, str]] = {}
        for directive in directives:
            quote = self._quotes[directive.id]
            comment = html_fences.directive_comment(directive)
            html = quote.html.replace(_UNSEARCHED, f"{_UNSEARCHED[:-1]} data-pagefind-ignore>")
            html = "\n".join(filter(None, (comment, html, FENCE_END)))
            self._quotes[directive.id] = replace(quote, html=html)
            paths.setdefault(comment.split()[2], {})[directive.id] = self._paths[directive.page]
        for uri in self._directives:
            self._insert(uri)
        self._filled.answered = len(self._answered)
        warnings = self._filled.warnings
        if directives:
            copies = sorted(built.site_files(self._folder, COPY_SUFFIXES, others=self.others))
            self._filled.files |= fill_copies(copies, paths, self._quotes, self.site_url, warnings)
        warnings.sort(key=_place)
        return self._filled

    def _read(self) -> None:
        files = dict(sorted(built.site_files(self._folder, others=self.others)))
        uris = self.names.destinations(files) if self.names else {}
        self._files = {uris.get(path, path): file for path, file in files.items()}
        self._filled.pages = len(files)
        for path, file in files.items():
            # A link's target is in the site, too, with the other links.
            if not Path(file).is_symlink():
                self._find(path, file, uris.get(path, path))

    def _find(self, path: str, file: str, uri: str) -> None:
        with file_errors(file):
            data = Path(file).read_bytes()
        plain = data.replace(b"\0", b"")  # as UTF-16 has it
        if not any(hint in plain for hint in _HINTS):
            return
        try:
            html = data.decode()
        except UnicodeDecodeError:
            if html_fences.find_html_directives(plain.decode("latin-1")):
                warning = f"{path}: is not UTF-8, so its directives are not answered"
                self._filled.warnings.append(warning)
            return
        directives = html_fences.find_html_directives(html)
        if framework := html_fences.rendering_framework(html, directives):
            raise SiteError(_RENDERED_AGAIN.format(file, framework))
        source = self.names.files.get(uri) if self.names else None
        sources = SourceFences(source)
        if count := html_fences.count_lookalikes(html, directives):
            blocks = "a code block reads" if count == 1 else f"{count} code blocks read"
            self._filled.warnings.append(f"{uri}: {_LOOKALIKE.format(blocks)}")
        answerable: list[Directive] = []
        language = built.stated_language(html) or "en"
        for directive in directives:
            directive.opening = sources.line(directive)
            is_there = directive.opening is not None
            is_known = is_there or not directive.is_comment or self.trust_html
            if not (directive.name and is_known):
                self._filled.warnings.append(f"{uri}: {_UNTRUSTED if source else _SOURCELESS}")
                continue
            if not (is_there or self.trust_html):
                self._filled.is_pure = False  # once filled, it is an unanswered comment
            directive.number = len(answerable)
            directive.id = marker_id(path, directive.number)
            directive.page = uri
            directive.url = built.page_url(path)
            directive.language = language
            answerable.append(directive)
        if answerable:
            self._paths[uri], self._files[uri] = path, file
            self._html[uri], self._directives[uri] = html, answerable

    def _answer(self, directives: Sequence[Directive], locator: TextLocator) -> None:
        for directive in directives:
            options = read_directive(directive, defaults=self.defaults, limits=self.limits)
            if self.approved and directive.opening is not None:
                self.approved.number([directive])
            if options and not options.is_pure:
                self._filled.is_pure = False
            for below, message in directive.cuts:
                self._warn(directive, message, below=below)
        ask = self.approved.answer if self.approved else answer
        for directive in sorted(directives, key=lambda d: d.options.source if d.options else ()):
            reply = ask(directive, self.corpus, locator=locator)
            if text := reply.error or reply.warning:
                self._warn(directive, text)
            if not reply.error:
                self._answered.add(directive.id)
                self._filled.fallbacks += reply.fallback
            place = directive.page, directive.url, directive.language
            page = QuotingPage(*place, html_of=self._html_of)
            self._quotes[directive.id] = Quote(reply.html(page), url=directive.url)

    def _main_html(self, uri: str) -> str:
        from mkdocs_recall.answers.section import APART

        html = self._replaced(uri) if uri in self._html else ""
        with suppress(KeyError, OSError, UnicodeDecodeError):
            html = html or Path(self._files[uri]).read_text(encoding="utf-8")
        return main_html(html, apart=APART, limits=self.limits)

    def _fit_sections(self, directives: Sequence[Directive]) -> None:
        if not any(is_section(quote.html) for quote in self._quotes.values()):
            return
        from mkdocs_recall.answers.section import fitted, heading_above

        by_id = {directive.id: directive for directive in directives}
        self._quotes, left_out = insertion.nested_quotes({key: self._quotes[key] for key in by_id})
        for uri, page_directives in self._directives.items():
            html = self._replaced(uri)
            for directive in page_directives:
                quote = self._quotes[directive.id]
                if is_section(quote.html):
                    level = heading_above(html, html.find(marker(directive.id)))
                    section = fitted(quote.html, directive.id, level)
                    self._quotes[directive.id] = replace(quote, html=section)
        for path in left_out:
            options = filter(None, (by_id[identity].options for identity in path))
            first = by_id[path[0]]
            self._warn(first, insertion.nesting_warning(first.page, options))

    def _warn(self, directive: Directive, text: str, *, below: int = 0) -> None:
        self._filled.warnings.append(single_line(directive.message(text, below=below)))

    def _insert(self, uri: str) -> None:
        # Code blocks and existing quotes are at valid places; a comment may be in a paragraph.
        directives = self._directives[uri]
        comments = [
            directive
            for directive in directives
            if directive.is_comment and not directive.is_filled
        ]
        texts = {directive.id: self._quotes[directive.id].html for directive in directives}
        texts |= {directive.id: marker(directive.id) for directive in comments}
        html = self._replaced(uri, texts.__getitem__)
        if comments:
            html = self._insert_bare(comments, html, len(directives))
        is_styled = self.css and insertion.has_quote(html)
        if is_styled:
            file = Path(self._folder, STYLESHEET)
            content = insertion.stylesheet()
            if not file.is_file() or file.read_bytes() != content:
                self._filled.assets[str(file)] = content
        html = insertion.with_link(html, directives[0].url if is_styled else None)
        if html != self._html[uri]:
            self._filled.files[self._files[uri]] = html.encode()

    def _insert_bare(self, directives: Sequence[Directive], html: str, count: int) -> str:
        quotes = {directive.id: self._quotes[directive.id].html for directive in directives}
        filled = insertion.insert_quotes(html, quotes, {}).html
        inserted = html_fences.find_html_directives(filled)
        if sum(directive.is_filled for directive in inserted) >= count:
            return filled
        originals: dict[str, str] = {}
        for directive in directives:
            originals[directive.id] = self._html[directive.page][directive.start : directive.end]
            self._answered.discard(directive.id)
            self._warn(directive, _NOWHERE)
        return insertion.MARKER.sub(lambda match: originals.get(match[1], match[0]), html)

    def _replaced(self, uri: str, text_of: Callable[[str], str] = marker) -> str:
        directives = self._directives[uri]
        return replace_fences(self._html[uri], directives, [text_of(d.id) for d in directives])


def _place(warning: str) -> tuple[str, int]:
    match = _PLACE.match(warning)
    return (match[1], int(match[2] or 0)) if match else ("", 0)


_PAUSE: Final = 0.3


def fill_while_running(
    command: Sequence[str], folder: str, fill: Callable[[Callable[[], bool]], object]
) -> int:
    """Run a command, fill the site that it writes, and return its exit status."""
    program = shutil.which(command[0])
    if program is None:
        raise SiteError(f"there is no command '{command[0]}'")
    seen: list[tuple[str, list[int] | None]] = []
    filled = seen
    with subprocess.Popen([program, *command[1:]]) as process:  # noqa: S603 - the user's command
        try:
            while process.poll() is None:
                time.sleep(_PAUSE)
                before, seen = seen, _versions(folder)
                if seen and seen == before != filled:
                    fill(lambda: _versions(folder) == seen)  # noqa: B023 - it is called at once
                    filled = seen
        finally:
            process.terminate()
    return process.returncode


def _versions(folder: str) -> list[tuple[str, list[int] | None]]:
    try:
        return sorted((path, fingerprint(file)) for path, file in built.site_files(folder))
    except SiteError:  # it does not exist yet, or is being cleaned
        return []
