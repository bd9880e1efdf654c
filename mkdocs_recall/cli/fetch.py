"""`mkdocs-recall fetch`: copies of the other sites that this one quotes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from mkdocs_recall.cli.output import Status, complain, note
from mkdocs_recall.errors import FetchError, OptionError, SiteError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mkdocs_recall.publishing.site_lock import LockedSite
    from mkdocs_recall.publishing.site_settings import OtherSite


@click.command()
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option("--update", is_flag=True, help="Replace copies whose site has changed.")
@click.option(
    "--check",
    "only_check",
    is_flag=True,
    help="Write nothing; exit with 3 if a site has changed since it was fetched.",
)
@click.option("--allow-file", is_flag=True, help="Allow file: URLs in 'sites'.")
@click.option(
    "--config",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    help="The site's mkdocs.yml.  [default: the nearest one, in this folder or above it]",
)
def fetch(
    names: Sequence[str], *, update: bool, only_check: bool, allow_file: bool, config: str | None
) -> int:
    """Fetch what other sites publish, for builds that quote it.

    The sites are those of 'sites' in mkdocs.yml; name some to fetch only these. Their copies are
    in recall-sites beside mkdocs.yml, and the digests in recall-sites.lock: commit both. A copy
    stays as it is until --update. No other command uses the network.
    """
    from mkdocs_recall.cli.where import Where
    from mkdocs_recall.publishing.site_lock import read_site_lock

    if update and only_check:
        msg = "--check writes nothing, so that --update has no effect; choose one"
        raise click.UsageError(msg)
    config_file = Where(config).config_file()
    sites = _chosen_sites(config_file, names)
    root = config_file.absolute().parent
    locked = read_site_lock(root)

    def run(site: OtherSite) -> Status:
        try:
            if only_check:
                return _check(site, locked.get(site.name), allow_file=allow_file)
            _fetch(site, root, locked, update=update, allow_file=allow_file)
        except SiteError as error:  # the other sites are fetched all the same
            complain(str(error))
            return Status.WRONG
        return Status.FOUND

    statuses = [run(site) for site in sites]
    return Status.WRONG if Status.WRONG in statuses else max(statuses)


def _chosen_sites(config_file: Path, names: Sequence[str]) -> list[OtherSite]:
    """Return the sites of a `mkdocs.yml` with some names; all for no names."""
    from mkdocs_recall.publishing.site_settings import as_sites
    from mkdocs_recall.readers.mkdocs_yml import plugin_option

    if not config_file.is_file():
        msg = f"there is no '{config_file}'; name the site's mkdocs.yml"
        raise SiteError(msg)
    try:
        sites = as_sites(plugin_option(config_file, "sites"))
    except OptionError as error:
        msg = f"{config_file}: recall: {error}"
        raise SiteError(msg) from error
    if not sites:
        msg = f"'{config_file}' names no other site; list them under 'sites', an option of recall"
        raise SiteError(msg)
    for name in names:
        if name not in sites:
            msg = f"'sites' has no site '{name}'{did_you_mean(name, sites)}"
            raise SiteError(msg)
    return [sites[name] for name in dict.fromkeys(names or sites)]


def _fetch(
    site: OtherSite, root: Path, locked: dict[str, LockedSite], *, update: bool, allow_file: bool
) -> None:
    """Fetch a site, and write its copy and its digest unless it has changed."""
    from mkdocs_recall.cache.files import write_atomically
    from mkdocs_recall.publishing.fetch import fetch as fetch_site
    from mkdocs_recall.publishing.site_lock import (
        LockedSite,
        checked_copy_path,
        file_digest,
        write_site_lock,
    )
    from mkdocs_recall.publishing.site_settings import COPIES

    path = checked_copy_path(root, site.name)
    data = fetch_site(site, allow_file=allow_file)
    before, after = locked.get(site.name), LockedSite(site.file_url, file_digest(data))
    is_there = path.is_file()
    if before and before.digest != after.digest and not update:
        if not is_there:
            msg = (
                f"the site '{site.name}' has changed since it was fetched, and its copy is not in "
                f"'{COPIES}'; restore that, or run 'mkdocs-recall fetch {site.name} --update'"
            )
            raise FetchError(msg)
        note(
            f"The site '{site.name}' has changed; its copy stays as it is. "
            f"'mkdocs-recall fetch {site.name} --update' replaces it."
        )
        return
    try:
        if is_there and file_digest(path.read_bytes()) == after.digest and before == after:
            note(f"The copy of the site '{site.name}' is up to date.")
            return
        write_atomically(path, data, root)
    except OSError as error:
        msg = f"'{path}' cannot be written: {error.strerror}"
        raise FetchError(msg) from error
    locked[site.name] = after
    write_site_lock(root, locked)
    note(f"'{COPIES}/{path.name}' holds the site '{site.name}' ({len(data):,} bytes).")


def _check(site: OtherSite, locked: LockedSite | None, *, allow_file: bool) -> Status:
    """Tell whether a site has changed since it was fetched."""
    from mkdocs_recall.publishing.fetch import fetch as fetch_site
    from mkdocs_recall.publishing.site_lock import file_digest

    if locked is None:
        note(f"The site '{site.name}' is not fetched; 'mkdocs-recall fetch {site.name}' does it.")
        return Status.CHANGED
    if file_digest(fetch_site(site, allow_file=allow_file)) == locked.digest:
        note(f"The copy of the site '{site.name}' is up to date.")
        return Status.FOUND
    note(f"The site '{site.name}' has changed since it was fetched.")
    return Status.CHANGED
