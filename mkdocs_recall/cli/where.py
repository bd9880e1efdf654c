"""Where the pages come from that a command asks: a site, a folder of Markdown, or a built site."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mkdocs_recall.cli.output import Progress, data_only, note
from mkdocs_recall.errors import OptionError, SiteError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from datetime import datetime

    from mkdocs_recall.corpus.corpus import Corpus
    from mkdocs_recall.options import Limits

CONFIG_FILES = ("mkdocs.yml", "mkdocs.yaml")


@dataclass(frozen=True, slots=True)
class Where:
    """What `--config`, `--docs` and `--built` say. Nothing is looked up before it is needed."""

    config: str | None = None
    docs: str | None = None
    built: str | None = None

    def config_file(self) -> Path:
        """Return the site's `mkdocs.yml`: the one named, else the nearest at or above here.

        Raises:
            SiteError: There is none, or the one above is another user's.
        """
        if self.config is not None:
            return Path(self.config)
        here = Path.cwd()
        for folder in (here, *here.parents):
            for name in CONFIG_FILES:
                if (folder / name).is_file():
                    if folder != here:
                        _check_owner(folder / name, here)
                    return folder / name
        msg = (
            f"there is no mkdocs.yml in '{here}' or above it; "
            "name one with --config, or a folder of Markdown files with --docs"
        )
        raise SiteError(msg)

    def site_file(self) -> Path | None:
        """Return the site's `mkdocs.yml`; None where the pages are read without one.

        Raises:
            SiteError: There is none, and the pages cannot be read without.
        """
        if self.docs is not None:
            return None
        if self.built is not None and self.config is None:
            with suppress(SiteError):
                return self.config_file()
            return None
        return self.config_file()

    def corpus(
        self,
        *,
        language: str | None = None,
        include_expired: bool = True,
        now: str = "",
        progress: Progress | None = None,
    ) -> Corpus:
        """Open the pages.

        Args:
            language: What a folder's pages are written in, unless they say so; None for English.
            include_expired: Whether pages that say that they do not hold any more are there, too.
            now: What time it is, in ISO 8601; empty for what a variable or git tells.
            progress: Told how far the reading is.

        Raises:
            SiteError: They cannot be read.
        """
        from mkdocs_recall.corpus.corpus import Corpus

        if self.docs is not None:
            tell = None if include_expired else partial(commit_time, Path(self.docs), now)
            language = language or "en"
            return Corpus.from_folder(self.docs, language=language, progress=progress, now=tell)
        if self.built is not None:
            site_file = self.site_file()
            place = site_file.parent if site_file else Path(self.built)
            tell = None if include_expired else partial(commit_time, place, now)
            return Corpus.from_built(self.built, config_file=site_file, progress=progress, now=tell)
        config_file = self.config_file()
        tell = None if include_expired else partial(commit_time, config_file.parent, now)
        return Corpus.from_site(config_file, progress=progress, now=tell)

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
                corpus = self.corpus(
                    language=language, include_expired=include_expired, progress=progress
                )
                yield corpus
                corpus.save()
        finally:
            progress.clear()
        if corpus.notice:
            note(f"Note: {corpus.notice}")

    def site_url(self) -> str:
        """Return where the site is published; empty where that is not known.

        Raises:
            SiteError: There is no such site.
        """
        from mkdocs_recall.readers.mkdocs_yml import site_url

        site_file = self.site_file()
        return site_url(site_file) if site_file else ""

    def defaults(self) -> dict[str, Any]:
        """Return what the site has as defaults of a directive's options.

        Raises:
            SiteError: There is no such site, or one of them is impossible.
        """
        from mkdocs_recall.readers.mkdocs_yml import plugin_options

        site_file = self.site_file()
        return _checked(site_file, plugin_options(site_file)) if site_file else {}

    def default(self, name: str) -> Any:  # noqa: ANN401 - each option has its own type
        """Return what the site has as default of one option; None where it states none.

        Raises:
            SiteError: There is no such site, or it is impossible.
        """
        from mkdocs_recall.readers.mkdocs_yml import plugin_option

        site_file = self.site_file()
        written = plugin_option(site_file, name) if site_file else None
        if site_file is None or written is None:
            return None
        return _checked(site_file, {name: written})[name]

    def limits(self) -> Limits:
        """Return how much is read of a page and of a directive.

        Raises:
            SiteError: There is no such site, or what it says of it is impossible.
        """
        from mkdocs_recall.options import LIMITS
        from mkdocs_recall.readers.site import Site

        site_file = self.site_file()
        return Site(site_file).limits if site_file else LIMITS

    def acknowledgments(self) -> Iterator[str]:
        """Yield what the site takes for an acknowledgment; it is read when that is asked for.

        Raises:
            SiteError: There is no such site, or one of them is impossible.
        """
        yield from self.default("acknowledgments") or ()

    def cache_folder(self) -> Path | None:
        """Return where what was read of the pages is kept; None where nothing is.

        Raises:
            SiteError: There is no such site.
        """
        folder = self.docs if self.built is None else self.built
        if folder is not None:
            from mkdocs_recall.readers.library import user_cache_folder

            return user_cache_folder(folder)
        from mkdocs_recall.readers.mkdocs_yml import cache_folder
        from mkdocs_recall.readers.site import Site

        return cache_folder(Site(self.config_file()).path)


def _check_owner(config: Path, here: Path) -> None:
    """Refuse a `mkdocs.yml` that nobody named and a stranger wrote: MkDocs runs what it names.

    Raises:
        SiteError: It is neither one's own, nor root's, nor of the owner of the folder one is in.
    """
    if sys.platform != "win32" and config.stat().st_uid not in {
        os.geteuid(),
        here.stat().st_uid,
        0,
    }:
        msg = f"'{config}' belongs to another user; if you trust it, name it with --config"
        raise SiteError(msg)


def _checked(site_file: Path, written: Mapping[str, Any]) -> dict[str, Any]:
    """Return options as a site states them, checked.

    Raises:
        SiteError: One is impossible.
    """
    from mkdocs_recall.directives.schema import site_defaults

    try:
        return site_defaults(written)
    except OptionError as error:
        msg = f"{site_file}: recall: {error}"
        raise SiteError(msg) from error


def where_options(function: Callable[..., int]) -> Callable[..., int]:
    """Add `--config`, `--docs` and `--built` to a command, which gets them as `where`."""

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
    @click.option(
        "--built",
        metavar="DIR",
        type=click.Path(file_okay=False),
        help="Read the pages of a site that is built in this folder, with all its plugins add.",
    )
    @wraps(function)
    def wrapper(
        *,
        config: str | None,
        docs: str | None,
        built: str | None,
        **rest: Any,  # noqa: ANN401
    ) -> int:
        for name, value in (("config", config), ("docs", docs), ("built", built)):
            if value == "":  # as a variable is that is not set
                msg = f"--{name} is empty; name a {'file' if name == 'config' else 'folder'}"
                raise click.UsageError(msg)
        for name, other in (("config", config), ("built", built)):
            if docs is not None and other is not None:
                msg = f"--{name} and --docs are two places to read from; name one"
                raise click.UsageError(msg)
        return function(where=Where(config, docs, built), **rest)

    return wrapper


def commit_time(folder: Path, stated: str = "") -> datetime | None:
    """Return the time for the pages in a folder: `SOURCE_DATE_EPOCH`, else that of git's HEAD.

    Where neither is known, that is told, and None is returned.

    Args:
        folder: The folder.
        stated: The `now` of the site, which comes before all else; empty for none.

    Raises:
        OptionError: The variable holds no time.
    """
    from mkdocs_recall.temporal.now import VARIABLE, now

    told = now(stated, folder)
    if told.origin != "clock":
        return told.moment
    note(
        "Note: some pages say when they expire, but what time it is, neither git nor "
        f"{VARIABLE} tells; all are quoted"
    )
    return None
