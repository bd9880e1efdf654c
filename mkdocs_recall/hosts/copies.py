"""Copies of pages that other plugins write: `llms.txt`, Markdown beside pages, feeds.

A plugin or a generator copies our comment with the text around it. Files that still hold a marker
after a build, or a directive's comment in a finished site, are filled like pages. Markdown and text
get Markdown. HTML gets HTML; so do the texts of XML and the strings of JSON. mkdocs-llmstxt drops
comments unless its option keeps them: a warning says so.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from fnmatch import fnmatch
from functools import partial
from html import escape, unescape
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Final

from mkdocs_recall.answers import insertion
from mkdocs_recall.answers.insertion import Quote
from mkdocs_recall.directives.fences import MARKER_HINT
from mkdocs_recall.files import write_atomically

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
    from logging import Logger

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.plugins import BasePlugin
    from mkdocs.structure.files import Files

_OWN: Final = frozenset({"mkdocs", "mkdocs_recall", "material"})
"""Packages whose plugins copy no unfilled pages."""
_LLMSTXT: Final = "mkdocs_llmstxt"
_DROPS: Final = (
    "drops comments, so the quotes are missing in the copies of pages that it writes; keep the "
    "comments by its option 'preprocess', as the page 'Works with' of the documentation shows"
)
_SEARCH_INDEX: Final = "search/search_index.json"
"""Often the largest file, written from filled pages."""
_WRITING: Final = ("page_markdown", "page_content", "page_context", "post_page", "post_build")


def may_have_copies(config: MkDocsConfig) -> bool:
    """Return whether a plugin or a hook may write copies of pages."""
    methods = (method for event in _WRITING for method in config.plugins.events[event])
    owners = (getattr(method, "__self__", None) for method in methods)
    return any(owner is None or _package(type(owner)) not in _OWN for owner in owners)


def fill_built(
    config: MkDocsConfig,
    files: Files,
    quotes: Mapping[str, Quote],
    pages: Collection[str],
    log: Logger,
) -> None:
    """Fill the copies of pages in a built site; warn of plugins that drop markers."""
    has_markers = False
    for path, uri in _candidates(config, files):
        try:
            data = path.read_bytes()
            if not any(mark in data for mark in _MAY_NEED):  # faster than an expression
                continue
            text = data.decode()
            suffix, site = path.suffix.lower(), config.site_url or ""
            filled = fill_copy(text, suffix, quotes, url=uri, site=site)
            if filled != text:
                has_markers |= suffix in {".md", ".txt"}
                write_atomically(path, filled.encode(), Path(config.site_dir))
        except UnicodeDecodeError:
            continue
        except OSError as error:
            log.warning("recall: the copy '%s' cannot be filled: %s", uri, error)
    for name, plugin in config.plugins.items() if not has_markers else ():
        if _package(type(plugin)) == _LLMSTXT and _copies_one(plugin, pages):
            log.warning("recall: '%s' %s", name, _DROPS)


def _copies_one(llmstxt: BasePlugin[Any], pages: Collection[str]) -> bool:
    entries = chain.from_iterable((llmstxt.config.get("sections") or {}).values())
    patterns = [next(iter(entry)) if isinstance(entry, dict) else str(entry) for entry in entries]
    return any(fnmatch(uri, pattern) for uri in pages for pattern in patterns)


def _candidates(config: MkDocsConfig, files: Files) -> Iterator[tuple[Path, str]]:
    root = config.site_dir
    excluded = {file.dest_uri for file in files}
    for kind in map(type, config.plugins.values()):
        if kind.__name__ == "SearchPlugin" and _package(kind) in _OWN:
            excluded.add(_SEARCH_INDEX)
    for folder, folders, names in os.walk(root):
        folders.sort()
        above = folder[len(root) :].strip(os.sep).replace(os.sep, "/")
        for name in sorted(names):
            uri = f"{above}/{name}" if above else name
            if uri in excluded or not name.lower().endswith(tuple(FORMATS)):
                continue
            path = Path(folder, name)
            if path.is_file() and not path.is_symlink():
                yield path, uri


def _package(thing: object) -> str:
    return str(getattr(thing, "__module__", "")).partition(".")[0]


_MAY_NEED: Final = (b"!-- recall:", b"lt;!", b"lt;...")
_XML: Final = r"(?s)(<!\[CDATA\[.*?(?:\]\]>|\Z)|<[^<>]*>?)"
"""The parts between texts, including `CDATA`."""
_CDATA: Final = "<![CDATA["
_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*"')
_CUT: Final = r"&lt;([!\-a-z0-9: ]{0,90})\.\.\.(?=\s*</p>)"
"""The end of a cut abstract, possibly in a marker."""
_CUT_MARKER: Final = rf"{MARKER_HINT}[0-9a-f]{{0,64}}(?: -?-?)?"
_PREFIX: Final = r"[ \t>]*(?:(?:[-+*]|\d+[.)])[ \t]+)*"
"""The containers of a line, possibly with bullets."""
_BULLET: Final = re.compile(r"[^ \t>]")


def fill_copy(text: str, suffix: str, quotes: Mapping[str, Quote], *, url: str, site: str) -> str:
    """Return a file's text with quotes in place of their markers. Other markers stay.

    The suffix is in lower case; any but those of `FORMATS` means text. The file's URL is relative
    to the site's root; with the root's URL, links are absolute.
    """
    if fill_format := FORMATS.get(suffix):
        return fill_format(text, lambda html: insertion.insert_linked(html, quotes, url, site).html)
    from mkdocs_recall.answers.markdown import to_markdown

    markdown = {
        identity: to_markdown(insertion.linked(identity, quotes[identity], url, site))
        for identity in insertion.marked_ids(text) & quotes.keys()
    }
    return _fill_markdown(text, markdown) if markdown else text


def _uncut(html: str) -> str:
    """Drop the start of a marker at the end of an abstract."""

    def end(match: re.Match[str]) -> str:
        is_marker = MARKER_HINT.startswith(match[1]) or re.fullmatch(_CUT_MARKER, match[1])
        return "..." if is_marker else match[0]

    return re.sub(_CUT, end, html)


def _fill_xml(text: str, fill: Callable[[str], str]) -> str:
    parts = re.split(_XML, text)
    for number, part in enumerate(parts):
        if part.startswith(_CDATA):
            parts[number] = _uncut(fill(part))  # quotes escape each `>`, so none has `]]>`
        elif not number % 2 and "&" in part:
            html = unescape(part)
            filled = _uncut(fill(html))
            parts[number] = part if filled == html else escape(filled, quote=False)
    return "".join(parts)


def _fill_json(text: str, fill: Callable[[str], str]) -> str:
    def fill_string(match: re.Match[str]) -> str:
        if not (MARKER_HINT in match[0] or "lt;" in match[0]):
            return match[0]
        try:
            html = str(json.loads(match[0], strict=False))
        except ValueError:
            return match[0]
        filled = _uncut(fill(html))
        if filled == html:
            return match[0]
        return json.dumps(filled, ensure_ascii=match[0].isascii())

    return _STRING.sub(fill_string, text)


def _fill_markdown(text: str, quotes: Mapping[str, str]) -> str:
    copies: Counter[str] = Counter()
    output: list[str] = []
    is_below = False  # whether the previous line ends a quote
    for line in text.split("\n"):
        filled = [line]
        if any(match[1] in quotes for match in insertion.MARKER.finditer(line)):
            filled = _filled_line(line.rstrip("\r"), quotes, copies)
            if output and output[-1].strip(" \t\r>") and filled[0].strip(" \t>"):
                output.append(_container(line).rstrip())
        elif is_below and line.strip(" \t\r>"):
            output.append("")
        is_below = filled != [line]
        output += filled
    return "\n".join(output)


def _filled_line(line: str, quotes: Mapping[str, str], copies: Counter[str]) -> list[str]:
    from mkdocs_recall.answers.markdown import prefixed

    prefix = _prefix(line)
    blocks: list[str] = []
    done = len(prefix)
    for match in insertion.MARKER.finditer(line):
        if match[1] not in quotes:
            continue
        blocks.append(line[done : match.start()].strip())
        copies[match[1]] += 1
        if copies[match[1]] <= insertion.MAX_COPIES:
            blocks.append(quotes[match[1]])
        done = match.end()
    blocks.append(line[done:].strip())
    text = "\n\n".join(block for block in blocks if block)
    return prefixed(text, prefix, _container(line)).split("\n")


def _prefix(line: str) -> str:
    match = re.match(_PREFIX, line)
    return match[0] if match else ""


def _container(line: str) -> str:
    return _BULLET.sub(" ", _prefix(line))


FORMATS: Final[Mapping[str, Callable[[str, Callable[[str], str]], str] | None]] = {
    ".htm": lambda text, fill: fill(text),
    ".html": lambda text, fill: fill(text),
    ".json": _fill_json,
    ".md": None,
    ".txt": None,
    ".xml": _fill_xml,
}

COPY_SUFFIXES: Final = tuple(suffix for suffix in FORMATS if not suffix.startswith(".htm"))
_HINT: Final = b"recall:fence "
_DIRECTIVE: Final = (
    r"(?s)!-- recall:fence ([\w+/\\]{4,}={0,2}) --(>|&gt;|\\u003e)"
    r"(?:(?:(?!recall:fence).)*?(?:<|&lt;|\\u003c)!-- \\?/recall:fence --(?:>|&gt;|\\u003e))?"
)
"""A comment and, if filled, the quote and its end."""
_SEVERAL: Final = (
    "the same directive is on several pages, which answer it with different quotes, so which of "
    "them belongs in this copy is unknown; it stays a comment"
)
_UNKNOWN: Final = (
    "a comment asks for a quote that no page of the site asks for, so it stays a comment; build "
    "the site again"
)


def fill_copies(
    files: Iterable[tuple[str, str]],
    by_comment: Mapping[str, Mapping[str, str]],
    quotes: Mapping[str, Quote],
    site_url: str,
    warnings: list[str],
) -> Iterator[tuple[str, bytes]]:
    """Yield each file that changes, with its new content.

    Args:
        files: The relative and absolute paths of each file that may be a copy.
        by_comment: The ids and page paths of each directive, by the content of its comment.
        quotes: The quotes between their comments, by id.
        site_url: The URL of the published site; empty if unknown.
    """
    from mkdocs_recall.pages.built import page_url

    def mark(path: str, match: re.Match[str]) -> str:
        directives = by_comment.get(match[1].replace("\\", ""), {})
        choice = [key for key, page in directives.items() if path in _twins(page)] or [*directives]
        if len({quotes[key].html for key in choice}) == 1:
            return f"{MARKER_HINT}{choice[0]} --{match[2]}"
        warnings.append(f"{path}: {_SEVERAL if choice else _UNKNOWN}")
        return match[0]

    for path, file in files:
        data = Path(file).read_bytes()
        if _HINT not in data:
            continue
        try:
            text = data.decode()
        except UnicodeDecodeError:
            warnings.append(f"{path}: is not UTF-8, so the quotes in it are not filled")
            continue
        marked = re.sub(_DIRECTIVE, partial(mark, path), text)
        suffix = PurePosixPath(path).suffix.lower()
        filled = fill_copy(marked, suffix, quotes, url=page_url(path), site=site_url)
        if filled != text:
            yield file, filled.encode()


def _twins(path: str) -> set[str]:
    page = PurePosixPath(path)
    names = {f"{page}{suffix}" for suffix in COPY_SUFFIXES}
    names |= {str(page.with_suffix(suffix)) for suffix in COPY_SUFFIXES}
    if page.stem == "index" and page.parent.name:
        names |= {f"{page.parent}{suffix}" for suffix in COPY_SUFFIXES}
    return names
