"""Copies of pages that other plugins and hooks write: `llms.txt`, Markdown beside pages, feeds.

What still holds a marker after the build is filled. mkdocs-llmstxt drops comments when it turns
pages into Markdown, unless its author keeps them: a warning names the plugin and the way.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mkdocs_recall.files import write_atomically

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from logging import Logger

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.plugins import BasePlugin
    from mkdocs.structure.files import Files

    from mkdocs_recall.answers.insertion import PageQuote


_OWN: Final = frozenset({"mkdocs", "mkdocs_recall", "material"})
"""Packages whose plugins write no copies of pages from before they are filled."""
_LLMSTXT: Final = "mkdocs_llmstxt"
_SEARCH_INDEX: Final = "search/search_index.json"
"""What the search of MkDocs or Material writes from filled pages; often the largest file."""
_WRITING: Final = ("page_markdown", "page_content", "page_context", "post_page", "post_build")


def may_have_copies(config: MkDocsConfig) -> bool:
    """Return whether a plugin or a hook may write copies of pages."""
    methods = (method for event in _WRITING for method in config.plugins.events[event])
    owners = (getattr(method, "__self__", None) for method in methods)
    return any(owner is None or _package(type(owner)) not in _OWN for owner in owners)


@dataclass(frozen=True, eq=False)
class Copies:
    """The copies of one build's pages."""

    config: MkDocsConfig
    files: Files
    quotes: Mapping[str, PageQuote]
    """By the directive's id."""
    pages: Collection[str]
    """The pages with a quote, by uri."""
    log: Logger

    def fill(self) -> None:
        """Fill the files of the built site that are no pages; warn of plugins that drop markers."""
        from mkdocs_recall.hosts.site_copies import fill_copy, may_need_quotes

        has_markers = False
        for path, uri in self._candidates():
            try:
                data = path.read_bytes()
                if not may_need_quotes(data):
                    continue
                text = data.decode()
                suffix, site = path.suffix.lower(), self.config.site_url or ""
                filled = fill_copy(text, suffix, self.quotes, url=uri, site=site)
                if filled != text:
                    has_markers |= suffix in {".md", ".txt"}
                    write_atomically(path, filled.encode(), Path(self.config.site_dir))
            except UnicodeDecodeError:
                continue
            except OSError as error:
                self.log.warning("recall: the copy '%s' cannot be filled: %s", uri, error)
        if not has_markers:
            self._warn_of_droppers()

    def _warn_of_droppers(self) -> None:
        """Warn once of each plugin whose copies lack the quotes, since it drops our comments."""
        for name, plugin in self.config.plugins.items():
            if _package(type(plugin)) == _LLMSTXT and self._is_asked(plugin):
                self.log.warning(
                    "recall: '%s' drops comments, so the quotes are missing in the copies of pages "
                    "that it writes; keep the comments by its option 'preprocess', as the page "
                    "'Works with' of the documentation shows",
                    name,
                )

    def _is_asked(self, llmstxt: BasePlugin[Any]) -> bool:
        """Tell whether mkdocs-llmstxt copies a page with a quote, by its option `sections`."""
        patterns = [
            next(iter(entry)) if isinstance(entry, dict) else str(entry)
            for entries in (llmstxt.config.get("sections") or {}).values()
            for entry in entries
        ]
        return any(fnmatch(uri, pattern) for uri in self.pages for pattern in patterns)

    def _candidates(self) -> Iterator[tuple[Path, str]]:
        """Yield the files of the built site that others have written, by path."""
        from mkdocs_recall.hosts.site_copies import FORMATS

        root = self.config.site_dir
        own = {file.dest_uri for file in self.files}
        if _has_own_search(self.config):
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


def _has_own_search(config: MkDocsConfig) -> bool:
    """Tell whether a plugin of MkDocs or Material writes the search index."""
    return any(
        type(plugin).__name__ == "SearchPlugin" and _package(type(plugin)) in _OWN
        for plugin in config.plugins.values()
    )


def _package(thing: Any) -> str:  # noqa: ANN401 - a class, or a function of a hook
    return str(getattr(thing, "__module__", "")).partition(".")[0]
