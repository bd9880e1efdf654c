"""The author's file of each page of a built site, by the forms in which generators name pages."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final
from unicodedata import normalize

from mkdocs_recall.cache.files import is_file_inside, is_ignored
from mkdocs_recall.cache.store import digest
from mkdocs_recall.errors import OptionError, SiteError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_SUFFIXES: Final = (
    *(".md", ".markdown", ".mdown", ".mkdn", ".mkd", ".mdx", ".rst", ".qmd", ".adoc"),
)
"""Of several files with one name, the first of these is the page's."""
_INDEX_NAMES: Final = ("index", "_index", "README")
_DROPPED: Final = re.compile(r"[^\w\s./\\#+~@-]+")
_REST: Final = "{}"
"""In a pattern, what file and page have in common."""


class SourceNames:
    """The files that a site was built from, by the path of the page that each became."""

    def __init__(self, docs: str | os.PathLike[str] | None, patterns: Sequence[str] = ()) -> None:
        """List the files.

        Args:
            docs: The folder of the sources, which pages are named from; None where only the
                patterns tell, of each the folder before `{}`.
            patterns: Pairs such as `content/{}.md={}/index.html`: a file, from the current folder,
                and the page that it became, from the site's. They come before the usual forms.
        """
        self._patterns = [_Pattern(pattern) for pattern in patterns]
        self._root = None if docs is None else Path(docs).absolute()
        if self._root is not None and not self._root.is_dir():
            fault = "is not a folder" if self._root.exists() else "does not exist"
            msg = f"'{docs}' {fault}; name the folder with the sources of the site"
            raise SiteError(msg)
        self.files: dict[str, str] = {}
        """The absolute path of each file by its path from the root: the name of its page."""
        self._by_stem: dict[str, str] = {}
        roots = [self._root] if self._root else [pattern.folder for pattern in self._patterns]
        for root in roots:
            self.files |= {uri: path for uri, path in _files(root) if uri not in self.files}
        for uri in sorted(self.files, key=_rank):
            stem = os.path.splitext(uri)[0]  # noqa: PTH122
            self._by_stem.setdefault(stem, uri)
        for stem, uri in list(self._by_stem.items()):
            self._by_stem.setdefault(_slug(stem), uri)

    @property
    def identity(self) -> str:
        """What distinguishes these names from others: a digest of all."""
        patterns = [pattern.text for pattern in self._patterns]
        return digest(str(self._root), *patterns, *sorted(self.files)).hex()

    def destinations(self, pages: Iterable[str]) -> dict[str, str]:
        """Return the name of each page whose source is known, by its path in the site."""
        left = list(pages)
        named: dict[str, str] = {}
        taken: set[str] = set()
        for sources in (self._by_pattern, self._by_path, self._by_form):  # the surest first
            for page in left:
                uri = next((uri for uri in sources(page) if uri not in taken), None)
                if uri is not None:
                    named[page] = uri
                    taken.add(uri)
            left = [page for page in left if page not in named]
        return named

    def _by_pattern(self, page: str) -> Iterator[str]:
        files = (pattern.file_of(page) for pattern in self._patterns)
        return filter(None, (self._uri(file) for file in files if file))

    def _by_path(self, page: str) -> Iterator[str]:
        """Yield the file that has the path of a page: `x/index.md` is not `x.md` beside it."""
        return filter(None, [self._by_stem.get(page.rpartition(".")[0])])

    def _by_form(self, page: str) -> Iterator[str]:
        base = page.rpartition(".")[0]
        folder, _, name = base.rpartition("/")
        stems = [base]
        if name == "index":
            inside = [f"{folder}/{index}".lstrip("/") for index in _INDEX_NAMES]
            stems = [folder, *inside] if folder else inside
        return filter(None, (self._by_stem.get(stem) for stem in [*stems, *map(_slug, stems)]))

    def _uri(self, file: Path) -> str | None:
        roots = [self._root] if self._root else [pattern.folder for pattern in self._patterns]
        for root in roots:
            if file.is_relative_to(root) and file.relative_to(root).as_posix() in self.files:
                return file.relative_to(root).as_posix()
        return None


class _Pattern:
    """How pages are named after files: `content/{}.md={}/index.html`."""

    def __init__(self, text: str) -> None:
        self.text = text
        file, equals, page = text.partition("=")
        if not equals or file.count(_REST) != 1 or page.count(_REST) != 1:
            msg = (
                f"'{text}' is not a map from files to pages; write it like "
                "'content/{}.md={}/index.html', with '{}' once on each side"
            )
            raise OptionError(msg)
        before, _, self._after = file.partition(_REST)
        self.folder = Path(before or ".").absolute()
        if before and not before.endswith(("/", os.sep)):
            self.folder = self.folder.parent
        self._before = str(Path(before or ".").absolute())
        if not before or before.endswith(("/", os.sep)):
            self._before = os.path.join(self._before, "")  # noqa: PTH118
        if not self.folder.is_dir():
            msg = f"'{text}': there is no folder '{self.folder}'"
            raise SiteError(msg)
        start, _, end = page.partition(_REST)
        self._page = re.compile(f"{re.escape(start)}(.*){re.escape(end)}", re.DOTALL)

    def file_of(self, page: str) -> Path | None:
        """Return the file that a page was made of, if it is one of this pattern."""
        match = self._page.fullmatch(page)
        return Path(f"{self._before}{match[1]}{self._after}") if match else None


def _files(root: Path) -> Iterator[tuple[str, str]]:
    """Yield path and absolute path of the sources in a folder."""
    inside = os.path.join(os.path.realpath(root), "")  # noqa: PTH118
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not is_ignored(name)]
        above = f"{Path(folder).relative_to(root).as_posix()}/".removeprefix("./")
        for name in names:
            path = os.path.join(folder, name)  # noqa: PTH118
            is_ours = name.lower().endswith(_SUFFIXES) and not is_ignored(name)
            if is_ours and is_file_inside(path, inside):
                yield f"{above}{name}", path


def _rank(uri: str) -> tuple[int, str]:
    return _SUFFIXES.index(os.path.splitext(uri)[1].lower()), uri  # noqa: PTH122


def _slug(stem: str) -> str:
    """Return what the forms of a path in addresses have in common.

    Generators write it in small letters, with hyphens for spaces; Hugo drops what is no letter,
    digit or one of a few signs, and may leave several hyphens around it.
    """
    plain = _DROPPED.sub("", normalize("NFC", stem).lower())
    return re.sub(r"[\s-]+", "-", plain)
