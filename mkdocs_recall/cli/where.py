"""The source of a command's pages and settings: a site, a folder of Markdown, or a built site.

The nearest configuration of a site is in the current folder or above it.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from mkdocs_recall.cli.output import Progress, data_only, note
from mkdocs_recall.errors import SiteError
from mkdocs_recall.pages.config import (
    SPHINX_SETTINGS,
    cache_folder,
    checked,
    config_files,
    config_in,
    plugin_option,
    plugin_options,
    sphinx_defaults,
    stated_text,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from distributed import Client

    from mkdocs_recall.answers.survey import Finder, Survey
    from mkdocs_recall.options import Limits
    from mkdocs_recall.pages.built import SourceNames
    from mkdocs_recall.pages.corpus import Corpus


def nearest_config(here: Path) -> Path | None:
    """Return the configuration in a folder, or in the nearest one above it, if any."""
    return next(filter(None, map(config_in, (here, *here.parents))), None)


_T = TypeVar("_T")


class Where(NamedTuple):
    """The values of `--config`, `--docs`, `--built` and the like; files are read on demand."""

    config: str | None = None
    docs: str | None = None
    built: str | None = None
    published: tuple[str, ...] = ()
    sources: SourceNames | None = None
    """The sources of a built site of another generator."""
    lines: bool = True
    """Whether to find the source lines of a built site's sentences."""
    cluster: str | None = None
    """The scheduler of the cluster that holds published sites, or its file; None for this
    process."""

    def config_file(self, *, or_docs: bool = True) -> Path:
        """Return the site's `mkdocs.yml`: the stated one, else the nearest here or above."""
        if self.config is not None:
            return Path(self.config)
        here = Path.cwd()
        nearest = nearest_config(here)
        if nearest is not None:
            # MkDocs runs code that the file names.
            if nearest.parent != here and sys.platform != "win32":
                owner, trusted = nearest.stat().st_uid, {os.geteuid(), here.stat().st_uid, 0}
                if owner not in trusted:
                    named = "belongs to another user; if you trust it, name it with --config"
                    raise SiteError(f"'{nearest}' {named}")
            return nearest
        msg = f"there is no mkdocs.yml in '{here}' or above it; name one with --config"
        msg += ", or a folder of Markdown files with --docs" * or_docs
        raise SiteError(msg)

    def site_file(self) -> Path | None:
        """Return the site's `mkdocs.yml`; None if the pages are read without one."""
        if self.docs is not None or self.sources is not None or self.published:
            return None
        if self.built is not None and self.config is None:
            with suppress(SiteError):
                return self.config_file()
            return None
        return self.config_file()

    def lock_file(self) -> Path:
        """Return the lock file beside `mkdocs.yml`, or in this folder for published pages."""
        from mkdocs_recall.answers.lock import lock_path

        site_file = self.site_file()
        return lock_path(site_file.parent if site_file else Path.cwd())

    def corpus(
        self,
        *,
        language: str | None = None,
        include_expired: bool = True,
        now: str = "",
        progress: Progress | None = None,
    ) -> Corpus:
        """Open the pages as of a time, with a default language for a folder."""
        from mkdocs_recall.pages.corpus import Corpus
        from mkdocs_recall.pages.workers import usable_processors

        def clock(folder: str | Path) -> Callable[[], datetime | None] | None:
            return None if include_expired else partial(commit_time, Path(folder), now)

        processes = usable_processors()
        if self.published:
            from mkdocs_recall.pages.published import matching_files

            files = matching_files(self.published)
            at = clock(Path(files[0]).parent)
            client = self._client()
            return Corpus.from_published(files, now=at, processes=processes, client=client)
        reading: Any = {"progress": progress, "processes": processes}
        if self.docs is not None:
            at = clock(self.docs)
            return Corpus.from_folder(self.docs, language=language, now=at, **reading)
        if self.built is not None:
            site_file = self.site_file()
            return Corpus.from_built(
                self.built,
                config_file=site_file,
                sources=self.sources,
                lines=self.lines,
                progress=progress,
                now=clock(site_file.parent if site_file else self.built),
            )
        config_file = self.config_file()
        return Corpus.from_site(config_file, now=clock(config_file.parent), **reading)

    def _client(self) -> Client | None:
        """Connect to the cluster, if any, until the command ends."""
        if self.cluster is None:
            return None
        import click

        from mkdocs_recall.pages.cluster import connect

        client = connect(self.cluster)
        click.get_current_context().call_on_close(client.close)
        return client

    @contextmanager
    def reading(
        self, *, language: str | None = None, include_expired: bool = True
    ) -> Iterator[Corpus]:
        """Open the pages, and save their cache at the end; meanwhile stdout is stderr."""
        progress = Progress()
        options: Any = {"language": language, "include_expired": include_expired}
        try:
            with data_only():
                corpus = self.corpus(progress=progress, **options)
                yield corpus
                corpus.save()
        finally:
            progress.clear()
        if corpus.notice:
            note(f"Note: {corpus.notice}")

    def site_url(self) -> str:
        """Return the URL of the published site; empty if unknown."""
        site_file = self.site_file()
        return stated_text(site_file, "site_url") if site_file else ""

    def defaults(self) -> dict[str, Any]:
        """Return the site's defaults of a directive's options."""
        from mkdocs_recall.directives.options import site_defaults

        site_file = self.site_file()
        if site_file:
            return checked(site_file, site_defaults, plugin_options(site_file))
        folder = self.sources.root if self.sources else self.docs and Path(self.docs)
        settings = folder / SPHINX_SETTINGS if folder else None
        return checked(settings, site_defaults, sphinx_defaults(settings)) if settings else {}

    def default(self, name: str) -> Any:  # noqa: ANN401 - each option has its own type
        """Return the site's default of an option; None if it states none."""
        from mkdocs_recall.directives.catalog import PARSERS

        return self.option(name, lambda value: None if value is None else PARSERS[name](value))

    def option(self, name: str, parse: Callable[[Any], _T]) -> _T:
        """Return an option of the plugin parsed by `parse`, which gets None if it is not stated."""
        site_file = self.site_file()
        return plugin_option(site_file, name, parse) if site_file else parse(None)

    def limits(self) -> Limits:
        """Return the limits for pages and directives."""
        from mkdocs_recall.directives.catalog import as_limits

        return self.option("limits", as_limits)

    def survey(self, corpus: Corpus, *, shown: Callable[[str], str] = str) -> Survey:
        """Answer all directives of the pages; the arguments are those of `Survey.of`."""
        from mkdocs_recall.answers.survey import Survey

        finder: Finder | None = None
        if self.built is not None and self.sources is not None:
            from mkdocs_recall.hosts.fill import finder_in_site

            finder = finder_in_site(self.built, self.sources)
        return Survey.of(corpus, self.defaults(), self.limits(), shown=shown, finder=finder)

    def files_of_site(self) -> list[str]:
        """Return the site's `mkdocs.yml`, those it inherits from, and copies of other sites."""
        from mkdocs_recall.pages.published import COPIES, SITES_LOCK

        site_file = self.site_file()
        if site_file is None:
            return []
        root = site_file.absolute().parent
        copies = sorted((root / COPIES).glob("*.gz"))
        return [*map(str, (*config_files(site_file), root / SITES_LOCK, *copies))]

    def acknowledgments(self) -> Iterator[str]:
        """Yield the site's own acknowledgments; its settings are read with the first."""
        yield from self.default("acknowledgments") or ()

    def cache_folder(self) -> Path | None:
        """Return the folder of the cache, if any."""
        from mkdocs_recall.files import user_cache_folder

        folder = self.docs if self.built is None else self.built
        if folder is not None:
            return user_cache_folder(folder)
        from mkdocs_recall.pages.site import Site

        return cache_folder(Site(self.config_file()).path)


def commit_time(
    folder: Path, stated: str = "", *, note: Callable[[str], None] | None = note
) -> datetime | None:
    """Return the stated time, or that of the variable or HEAD; None, with a note, without any."""
    from mkdocs_recall.factors.history import VARIABLE, now

    current = now(stated, folder)
    if note and current is None:
        note(
            f"Note: some pages state when they expire, but neither git nor {VARIABLE} "
            "tells the time; all are quoted"
        )
    return current
