"""Copies of pages that other plugins and hooks write: `llms.txt`, Markdown beside pages, feeds.

What still holds a marker after the build is filled. mkdocs-llmstxt turns pages into Markdown before
the answers are there, and drops comments: it gets the filled pages through its own event. Where
neither is possible, the directive's author is warned.
"""

from __future__ import annotations

import os
import re
from functools import partial
from html import unescape
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mkdocs_recall.cache.files import write_atomically

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from logging import Logger

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

    from mkdocs_recall.plugin.directive import Directive, Quote

_OWN: Final = frozenset({"mkdocs", "mkdocs_recall", "material"})
"""Packages whose plugins write no copies of pages from before they are filled."""
_LLMSTXT: Final = "mkdocs_llmstxt"
_KEEPS_MARKERS: Final = frozenset({_LLMSTXT, "mkdocs_rss_plugin"})
"""Packages whose copies are known to be filled; or else a warning was logged."""
_SEARCH_INDEX: Final = "search/search_index.json"
"""What the search of MkDocs or Material writes from filled pages; often the largest file."""
_WRITING: Final = ("page_markdown", "page_content", "page_context", "post_page", "post_build")
_TAG: Final = re.compile(r"<[^<>]*>")
_NO_WORD: Final = re.compile(r"[\W_]+")
_NEAR: Final = 2000
"""Characters of HTML beside a quote in which the text beside it is looked for."""
_SIDE: Final = 24
"""Letters and digits on each side of a quote; where they follow each other, a copy lacks it."""


def may_have_copies(config: MkDocsConfig) -> bool:
    """Return whether a plugin or a hook may write copies of pages."""
    return bool(_writers(config))


class Filling(NamedTuple):
    """What a build fills copies with."""

    quotes: Mapping[str, Quote]
    """By the directive's id."""
    urls: Mapping[str, str]
    """The URL of the page that a directive is on, by its id."""
    fences: Mapping[str, str]
    """The fence as written, by the directive's id."""


class Copies:
    """The copies of one build's pages."""

    def __init__(self, config: MkDocsConfig, files: Files, filling: Filling, log: Logger) -> None:
        """Take a build whose quotes are in its pages."""
        self._config = config
        self._files = files
        self._filling = filling
        self._log = log
        self._directives: list[Directive] = []
        self._warned: set[str] = set()

    def hand_over(self, directives: Sequence[Directive]) -> None:
        """Give filled pages to mkdocs-llmstxt; warn of those that it does not take."""
        self._directives = list(directives)
        pages: dict[int, tuple[Page, list[Directive]]] = {}
        for directive in directives:
            page = directive.mkdocs_page
            pages.setdefault(id(page), (page, []))[1].append(directive)
        for name, plugin in self._config.plugins.items():
            if _package(type(plugin)) == _LLMSTXT:
                for page, on_page in pages.values():
                    if not self._is_taken(plugin, page):
                        for directive in on_page:
                            self._warn(directive, name)

    def fill(self) -> None:
        """Fill the files of the built site that are no pages; warn of pages that lack a quote."""
        from mkdocs_recall.rendering.copies import fill_copy, may_need_quotes
        from mkdocs_recall.rendering.links import LinkedQuotes

        others = _writers(self._config).items()
        unknown = [name for name, package in others if package not in _KEEPS_MARKERS]
        twins: dict[str, list[Directive]] | None = None
        gaps: dict[str, Directive] | None = None  # both are costly; most sites have no such text
        for path, uri in self._candidates():
            try:
                data = path.read_bytes()
                is_text = bool(unknown) and path.suffix.lower() in {".md", ".txt"}
                if not (is_text or may_need_quotes(data)):
                    continue
                text = data.decode()
                if may_need_quotes(data):
                    quotes = LinkedQuotes(self._filling.quotes, partial(self._html, uri))
                    filled = fill_copy(text, path.suffix.lower(), quotes, self._filling.fences)
                    if filled != text:
                        write_atomically(path, filled.encode(), Path(self._config.site_dir))
                        text = filled
            except UnicodeDecodeError:
                continue
            except OSError as error:
                self._log.warning("recall: the copy '%s' cannot be filled: %s", uri, error)
                continue
            if is_text:
                twins = self._twins() if twins is None else twins
                gaps = self._gaps() if gaps is None else gaps
                lacking = [one for one in twins.get(uri, ()) if not self._holds(text, one)]
                lacking += _at_gaps(text, gaps) if gaps else []
                for directive in lacking:
                    self._warn(directive, " or ".join(unknown))

    def _html(self, uri: str, identity: str) -> str:
        """Return a quote with links for a file of the site."""
        from mkdocs_recall.rendering.links import html_for_copy

        html, url = self._filling.quotes[identity].html, self._filling.urls[identity]
        return html_for_copy(html, url, uri, self._config.site_url or "")

    def _is_taken(self, plugin: Any, page: Page) -> bool:  # noqa: ANN401 - a stranger's
        """Give a page to mkdocs-llmstxt again; return whether what it keeps is another text now."""
        try:
            kept = vars(plugin)["_md_pages"]
            if page.file.src_uri not in kept:
                return True  # it leaves the page out
            number, before = len(kept), kept[page.file.src_uri]
            plugin.on_page_content(page.content, page=page, config=self._config, files=self._files)
            return len(kept) == number and bool(kept[page.file.src_uri] != before)
        except Exception:  # noqa: BLE001 - the insides of another version may be others
            return False

    def _warn(self, directive: Directive, name: str) -> None:
        if directive.id in self._warned:
            return
        self._warned.add(directive.id)
        lost = f"the copy of this page that '{name}' writes lacks the quote"
        self._log.warning("%s", directive.message(lost))

    def _candidates(self) -> Iterator[tuple[Path, str]]:
        """Yield the files of the built site that others have written, by path."""
        from mkdocs_recall.rendering.copies import FORMATS

        root = self._config.site_dir
        own = {file.dest_uri for file in self._files}
        if _has_own_search(self._config):
            own.add(_SEARCH_INDEX)
        for folder, folders, names in os.walk(root):
            folders.sort()
            below = folder.removeprefix(root).strip(os.sep).replace(os.sep, "/")
            below = f"{below}/" if below else ""
            for name in sorted(names):
                if os.path.splitext(name)[1].lower() not in FORMATS:  # noqa: PTH122 - of thousands
                    continue
                uri = f"{below}{name}"
                if uri in own:
                    continue
                path = Path(folder, name)
                if path.is_file() and not path.is_symlink():
                    yield path, uri

    def _twins(self) -> dict[str, list[Directive]]:
        """Return the files that would be copies of pages with quotes, each with its directives."""
        twins: dict[str, list[Directive]] = {}
        for directive in self._directives:
            if self._filling.quotes[directive.id].html:
                file = directive.mkdocs_page.file
                built = PurePosixPath(file.dest_uri)
                names = {f"{built}.md", f"{file.url.rstrip('/')}.md", file.src_uri}
                names |= {str(built.with_suffix(suffix)) for suffix in (".md", ".txt")}
                for name in names:
                    twins.setdefault(name, []).append(directive)
        return twins

    def _gaps(self) -> dict[str, Directive]:
        """Return the text before and after each quote, put together as where it is missing."""
        gaps: dict[str, Directive] = {}
        for directive in self._directives:
            html, quote = directive.mkdocs_page.content or "", self._filling.quotes[directive.id]
            start = html.find(quote.html)
            end = start + len(quote.html)
            before = _words(_TAG.sub(" ", html[max(0, start - _NEAR) : max(0, start)]))[-_SIDE:]
            after = _words(_TAG.sub(" ", html[end : end + _NEAR]))[:_SIDE]
            if quote.html and len(before) == len(after) == _SIDE:
                gaps[before + after] = directive
        return gaps

    def _holds(self, text: str, directive: Directive) -> bool:
        """Return whether a copy has the longest text of a quote, or the fence as written."""
        texts = map(_words, _TAG.split(self._filling.quotes[directive.id].html))
        return max(texts, key=len) in _words(text) or directive.fence.source in text


def _writers(config: MkDocsConfig) -> dict[str, str]:
    """Return the plugins and hooks that may write copies of pages: the package of each by name."""
    names = {id(plugin): name for name, plugin in config.plugins.items()}
    writers: dict[str, str] = {}
    for event in _WRITING:
        for method in config.plugins.events[event]:
            owner = getattr(method, "__self__", None)
            package = _package(method if owner is None else type(owner))
            if package not in _OWN:
                hook = getattr(method, "__module__", package)  # the file of a hook, as configured
                writers[names.get(id(owner), hook)] = package
    return writers


def _has_own_search(config: MkDocsConfig) -> bool:
    """Tell whether a plugin of MkDocs or Material writes the search index."""
    return any(
        type(plugin).__name__ == "SearchPlugin" and _package(type(plugin)) in _OWN
        for plugin in config.plugins.values()
    )


def _at_gaps(text: str, gaps: Mapping[str, Directive]) -> list[Directive]:
    """Return the directives whose quotes a copy lacks where they should be."""
    words, length = _words(text), 2 * _SIDE
    starts = range(len(words) - length + 1)
    return [gaps[near] for start in starts if (near := words[start : start + length]) in gaps]


def _package(thing: Any) -> str:  # noqa: ANN401 - a class, or a function of a hook
    return str(getattr(thing, "__module__", "")).partition(".")[0]


def _words(text: str) -> str:
    """Return the letters and digits of a text."""
    return _NO_WORD.sub("", unescape(text))
