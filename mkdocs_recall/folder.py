"""A folder of Markdown files → its pages, rendered on first need; no site and no settings."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs_recall.collection import Collection
from mkdocs_recall.errors import SiteError
from mkdocs_recall.text.front_matter import is_refused, split_front_matter

if TYPE_CHECKING:
    from os import PathLike

    from mkdocs_recall.text.model import Document

_SUFFIXES = frozenset({".md", ".markdown", ".mdown", ".mkdn", ".mkd"})
_OPENING = ("index", "README")


def read_folder(folder: str | PathLike[str], *, language: str) -> Collection:
    """Return the Markdown files of a folder and those below it, rendered on first need.

    What begins with a dot is passed over, and so is what a link leads to outside of the folder.

    Args:
        folder: Where they are.
        language: What they are written in, unless their front matter has `lang`.

    Raises:
        SiteError: There is no such folder, it cannot be read, or no Markdown is in it.
    """
    from mkdocs_recall.text.markdown import MarkdownReader  # noqa: PLC0415 - not without a page

    root = Path(folder)
    try:
        files = {path.relative_to(root).as_posix(): path for path in _files(root)}
        order = sorted(files, key=_place)
        sources = {uri: split_front_matter(files[uri].read_text("utf-8")) for uri in order}
    except OSError as error:
        msg = f"the folder '{root}' cannot be read: {error}"
        raise SiteError(msg) from error
    if not sources:
        msg = f"there is no Markdown file in '{root}'"
        raise SiteError(msg)
    reader = MarkdownReader()
    refused = {
        uri: "its front matter says 'recall: {exclude: true}'"
        for uri, source in sources.items()
        if is_refused(source.meta)
    }

    def load(uri: str) -> Document:
        document = reader.read(sources[uri], uri=uri, language=language, url=uri)
        return replace(document, file=str(files[uri]))

    return Collection([uri for uri in order if uri not in refused], load, refused)


def _files(root: Path) -> list[Path]:
    return [
        path
        for path in sorted(root.rglob("*"))
        if path.suffix.lower() in _SUFFIXES
        and not any(part.startswith(".") for part in path.relative_to(root).parts)
        and path.is_file()
        and path.resolve().is_relative_to(root.resolve())
    ]


def _place(uri: str) -> tuple[object, ...]:
    """Return what orders a page: folder by folder, in each its opening page first."""
    *folders, name = uri.split("/")
    return (*((1, folder) for folder in folders), (0, name.partition(".")[0] not in _OPENING, name))
