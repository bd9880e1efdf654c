"""Where the pages come from that a command asks: a site, a folder of Markdown, or a built site."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mkdocs_recall.commands.clock import time_of
from mkdocs_recall.commands.output import data_only
from mkdocs_recall.commands.progress import Progress
from mkdocs_recall.errors import SiteError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mkdocs_recall.corpus import Corpus

CONFIG_FILES = ("mkdocs.yml", "mkdocs.yaml")


@dataclass(frozen=True, slots=True)
class Where:
    """What `--config` and `--docs` say. Nothing is looked up before it is needed."""

    config: str | None = None
    docs: str | None = None

    def config_file(self) -> Path:
        """Return the site's `mkdocs.yml`: the one named, else the nearest at or above here.

        Raises:
            SiteError: There is none.
        """
        if self.config is not None:
            return Path(self.config)
        here = Path.cwd()
        for folder in (here, *here.parents):
            for name in CONFIG_FILES:
                if (folder / name).is_file():
                    return folder / name
        msg = (
            f"there is no mkdocs.yml in '{here}' or above it; "
            "name one with --config, or a folder of Markdown files with --docs"
        )
        raise SiteError(msg)

    def corpus(
        self,
        *,
        language: str | None = None,
        include_expired: bool = True,
        progress: Progress | None = None,
    ) -> Corpus:
        """Open the pages.

        Args:
            language: What a folder's pages are written in, unless they say so; None for English.
            include_expired: Whether pages that say that they do not hold any more are there, too.
            progress: Told how far the reading is.

        Raises:
            SiteError: They cannot be read.
        """
        from mkdocs_recall.corpus import Corpus  # noqa: PLC0415 - help and version need none

        if self.docs is not None:
            now = None if include_expired else partial(time_of, Path(self.docs))
            language = language or "en"
            return Corpus.from_folder(self.docs, language=language, progress=progress, now=now)
        config_file = self.config_file()
        now = None if include_expired else partial(time_of, config_file.parent)
        return Corpus.from_site(config_file, progress=progress, now=now)

    @contextmanager
    def reading(
        self, *, language: str | None = None, include_expired: bool = True
    ) -> Iterator[Corpus]:
        """Open the pages, and leave stdout alone as long as they are read.

        What a Markdown extension prints goes to stderr; who waits at a terminal is told how far the
        reading is.

        Args:
            language: As for `corpus`.
            include_expired: As for `corpus`.
        """
        progress = Progress()
        try:
            with data_only():
                yield self.corpus(
                    language=language, include_expired=include_expired, progress=progress
                )
        finally:
            progress.clear()

    def site_url(self) -> str:
        """Return where the site is published; empty where that is not known.

        Raises:
            SiteError: There is no such site.
        """
        if self.docs is not None:
            return ""
        from mkdocs_recall.settings import site_url  # noqa: PLC0415 - few commands ask

        return site_url(self.config_file())

    def cache_folder(self) -> Path | None:
        """Return where what was read of the pages is kept; None where nothing is.

        Raises:
            SiteError: There is no such site.
        """
        if self.docs is not None:
            from mkdocs_recall.library import own_cache_folder  # noqa: PLC0415 - few commands ask

            return own_cache_folder(self.docs)
        from mkdocs_recall.settings import cache_folder  # noqa: PLC0415
        from mkdocs_recall.site import Site  # noqa: PLC0415

        return cache_folder(Site(self.config_file()).path)


def where_options(function: Callable[..., int]) -> Callable[..., int]:
    """Add `--config` and `--docs` to a command, which gets them as `where`."""

    @click.option(
        "--config",
        metavar="FILE",
        type=click.Path(dir_okay=False),
        help="The site's mkdocs.yml. Left out, the nearest one in this folder or above it.",
    )
    @click.option(
        "--docs",
        metavar="DIR",
        type=click.Path(file_okay=False),
        help="Read the Markdown files of this folder, without a site.",
    )
    @wraps(function)
    def wrapper(*, config: str | None, docs: str | None, **rest: Any) -> int:  # noqa: ANN401
        if config is not None and docs is not None:
            msg = "--config and --docs are two places to read from; name one"
            raise click.UsageError(msg)
        return function(where=Where(config, docs), **rest)

    return wrapper
