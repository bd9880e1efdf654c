"""`mkdocs-recall publish`: the file that lets other sites quote this one, without a build."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mkdocs_recall.cli.output import Status, complain, note
from mkdocs_recall.cli.where_options import where_options
from mkdocs_recall.messages import shown_path

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from mkdocs_recall.cli.where import Where
    from mkdocs_recall.readers.site import SitePages


@click.command()
@where_options
@click.option(
    "--output",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    help="The file to write.  [default: recall.jsonl.gz in the built site]",
)
@click.option("--check", is_flag=True, help="Write nothing; exit 3 if the file would change.")
def publish(where: Where, *, output: str | None, check: bool) -> int:
    """Write the pages that other sites may quote to recall.jsonl.gz.

    Drafts, excluded pages, pages in 'not_in_nav' and pages kept from the search are left out, and
    so is every quote.
    """
    from mkdocs_recall.cache.files import write_atomically
    from mkdocs_recall.errors import SiteError
    from mkdocs_recall.publishing.published_file import (
        FILE,
        is_publishable,
        pack_site,
        unpublishable_warning,
    )
    from mkdocs_recall.readers.site import Site

    if where.docs is not None:
        msg = "--docs names a folder, but a site is published; name its mkdocs.yml with --config"
        raise click.UsageError(msg)
    if output == "":
        msg = "--output is empty; name a file"
        raise click.UsageError(msg)
    publication = where.publication()
    site = Site(where.config_file()).pages()
    with replace(where, lines=False).reading() as corpus:
        shown = [page for page in corpus.documents if site.publishes(page.uri)]
        pages = [page for page in shown if is_publishable(page.uri, page.url)]
        for page in shown:
            if not is_publishable(page.uri, page.url):
                note(f"Warning: {unpublishable_warning(page.uri)}")
    if not pages:
        note("Nothing found: there is no page that may be published.")
        return Status.NOTHING
    if where.built:
        _refuse_moved(site, Path(where.built), {page.uri for page in pages})
    expires = {page.uri: site.expiry(page.uri) for page in pages}
    data = pack_site(site.header(publication), pages, expires=expires)
    folder = Path(output).parent if output else Path(where.built or site.folder)
    path = Path(output) if output else folder / FILE
    name = shown_path(str(path))
    try:
        if check:
            return _compare(data, path, name)
        write_atomically(path, data, folder, *([Path.cwd()] if output else []))
    except OSError as error:
        action = "read" if check else "written"
        msg = f"'{name}' cannot be {action}: {error.strerror or error}"
        raise SiteError(msg) from error
    note(f"'{name}' holds {len(pages):,} page{'s' * (len(pages) != 1)}.")
    return Status.FOUND


def _refuse_moved(site: SitePages, built: Path, uris: AbstractSet[str]) -> None:
    """Refuse a built site in which a page that is kept back may pass for one that a plugin made."""
    from mkdocs_recall.errors import SiteError

    if uris <= set(site.destinations.values()):
        return
    for uri, path in site.kept_back():
        if not (built / path).is_file():
            msg = (
                f"'{uri}' must not be published, and is not at '{path}' in the built site, so that "
                "a plugin may have moved it; build with 'publish: true' instead"
            )
            raise SiteError(msg)


def _compare(data: bytes, path: Path, name: str) -> int:
    if path.exists() and path.read_bytes() == data:
        return Status.FOUND
    reason = "is not what the pages say now" if path.exists() else "does not exist"
    complain(f"'{name}' {reason}; write it with 'mkdocs-recall publish'")
    return Status.CHANGED
