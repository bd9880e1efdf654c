"""Shell completion of SOURCE: the Markdown files of the documentation, found by name alone."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mkdocs_recall.cli.where import Where
from mkdocs_recall.errors import SiteError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import click

_DOCS_DIR: Final = re.compile(r"""^docs_dir:[ \t]+(['"]?)([^'"#\n]+)\1""", re.MULTILINE)
_PLAIN: Final = re.compile(r"[\w./@%+=:][\w./@%+=:-]*")
"""A path without characters that are special to a shell, which inserts completions unquoted."""
_SUFFIXES: Final = (".md", ".markdown")
_FOLDER_SUFFIXES: Final = (*_SUFFIXES, ".mdx")
"""Those of pages in a folder that is no site of MkDocs."""


def complete_source(
    context: click.Context,
    parameter: click.Parameter,  # noqa: ARG001 - click passes it
    incomplete: str,
) -> list[str]:
    """Return the pages whose path starts with the typed text, without the help of MkDocs."""
    where = Where(context.params.get("config"), context.params.get("docs"))
    if context.params.get("published"):
        return []
    try:
        suffixes = _SUFFIXES if where.docs is None else _FOLDER_SUFFIXES
        return sorted(uri for uri in _pages(_docs(where), suffixes) if uri.startswith(incomplete))
    except (SiteError, OSError, ValueError):
        return []


def _docs(where: Where) -> Path:
    """Return the folder of the pages."""
    if where.docs is not None:
        return Path(where.docs)
    config = where.config_file()
    stated = _DOCS_DIR.search(config.read_text("utf-8"))
    return config.parent / (stated[2].strip() if stated else "docs")


def _pages(docs: Path, suffixes: tuple[str, ...]) -> Iterator[str]:
    for folder, folders, names in os.walk(docs):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            if name.endswith(suffixes) and not name.startswith("."):
                path = (Path(folder) / name).relative_to(docs).as_posix()
                if _PLAIN.fullmatch(path):
                    yield path
