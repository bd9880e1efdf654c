"""The commands `publish`, `fetch`, `cache`, `init` and `schema`."""

from __future__ import annotations

import json
import re
import sys
from codecs import BOM_UTF8
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeVar

import click

from mkdocs_recall.cli.options import FILE, Where, config_option, where_options
from mkdocs_recall.cli.output import Status, complain, note, note_all, say
from mkdocs_recall.directives.catalog import (
    as_publication,
    fence_schema,
    questions_schema,
    site_schema,
)
from mkdocs_recall.errors import RecallError, SiteError
from mkdocs_recall.files import file_errors, leads_outside, read_text, real_path, write_atomically
from mkdocs_recall.messages import shown_path
from mkdocs_recall.pages.config import PLUGIN_NAMES, config_in, docs_folder, is_listed, plugin_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence, Set as AbstractSet

    from mkdocs_recall.pages.published import OtherSite
    from mkdocs_recall.pages.site import Site

_T = TypeVar("_T")


@click.command()
@where_options
@click.option(
    "--output", **FILE, help="The file to write.  [default: recall.jsonl.gz in the built site]"
)
@click.option("--check", is_flag=True, help="Write nothing; exit 3 if the file would change.")
@click.option(
    "--sites",
    "patterns",
    metavar="PATTERN",
    multiple=True,
    help="Publish each of these sites, such as 'teams/*/mkdocs.yml', as it is built in its "
    "site_dir. Repeatable.",
)
@click.option(
    "--cluster",
    "scheduler",
    metavar="ADDRESS",
    help="With --sites: let the workers of this Dask cluster read the sites, such as "
    "tls://10.0.0.5:8786. Also the scheduler's file.",
)
def publish(
    where: Where,
    *,
    output: str | None,
    check: bool,
    patterns: tuple[str, ...],
    scheduler: str | None,
) -> int:
    """Write the pages that other sites may quote to recall.jsonl.gz.

    Drafts, excluded pages, pages in 'not_in_nav' and pages kept from the search are left out, and
    so is every quote.
    """
    from mkdocs_recall.pages.published import matching_files

    if where.docs is not None:
        msg = "--docs names a folder, but a site is published; name its mkdocs.yml with --config"
        raise click.UsageError(msg)
    if output == "":
        raise click.UsageError("--output is empty; name a file")
    if scheduler is not None and not patterns:
        msg = "--cluster reads several built sites; name their mkdocs.yml with --sites"
        raise click.UsageError(msg)
    if not patterns:
        return _put(_Publication.of(where), output, check=check)
    for name, value in (("config", where.config), ("built", where.built), ("output", output)):
        if value is not None:
            msg = f"--sites names the sites, and each its own site_dir; leave out --{name}"
            raise click.UsageError(msg)
    files = [str(Path(file).absolute()) for file in matching_files(patterns, "teams/*/mkdocs.yml")]
    return _for_each(_publications(files, scheduler), lambda site: _put(site, None, check=check))


def _for_each(sites: Iterable[_T], run: Callable[[_T], int]) -> int:
    statuses = []
    for site in sites:
        try:
            statuses.append(run(site))
        except SiteError as error:  # noqa: PERF203 - to read a site takes longer
            complain(str(error))
            statuses.append(Status.WRONG)
    return Status.WRONG if Status.WRONG in statuses else max(statuses)


class _Publication(NamedTuple):
    data: bytes
    pages: int
    folder: str
    warnings: Sequence[str] = ()
    fault: str = ""

    @classmethod
    def of(cls, where: Where, site: Site | None = None) -> _Publication:
        from mkdocs_recall.pages.published import (
            is_publishable,
            join_pages,
            pack_page,
            unpublishable_warning,
        )
        from mkdocs_recall.pages.site import Site, site_header

        config_file = where.config_file(or_docs=False)
        publication = where.option("publish", as_publication) or {}
        site = site or Site(config_file).open()
        with where._replace(lines=False).reading() as corpus:
            published = [page for page in corpus.documents if site.publishes(page.uri)]
        pages = [page for page in published if is_publishable(page.uri, page.url)]
        unpublishable = (page.uri for page in published if not is_publishable(page.uri, page.url))
        warnings = [*map(unpublishable_warning, unpublishable)]
        if pages and where.built:
            _refuse_moved(site, Path(where.built), {page.uri for page in pages})
        data = b""
        if pages:
            packed = (pack_page(page, site.expiry(page.uri)) for page in pages)
            data = join_pages(site_header(site.config, publication), packed)
        return cls(data, len(pages), where.built or site.config.site_dir, warnings)


def _publications(files: Sequence[str], scheduler: str | None) -> Iterator[_Publication]:
    publications: Iterable[_Publication] = map(_publication, files)
    if scheduler is not None:
        from mkdocs_recall.pages.cluster import Cluster, connect

        with connect(scheduler) as client:
            publications = Cluster(client, {}).run(_publication, files)
    by_folder: dict[Path, str] = {}
    for file, publication in zip(files, publications, strict=True):
        folder = publication.folder
        first = by_folder.setdefault(real_path(folder), file) if folder else file
        if first == file:
            yield publication
        else:
            names = f"'{shown_path(file)}' has the site_dir of '{shown_path(first)}'"
            fault = f"{names}, which is published there; give each its own"
            yield publication._replace(fault=fault)


def _publication(file: str) -> _Publication:
    from mkdocs_recall.pages.site import Site

    try:
        site = Site(file).open()
        return _Publication.of(Where(file, built=site.config.site_dir), site)
    except SiteError as error:
        return _Publication(b"", 0, "", fault=str(error))


def _put(publication: _Publication, output: str | None, *, check: bool) -> int:
    from mkdocs_recall.pages.published import FILE

    if publication.fault:
        raise SiteError(publication.fault)
    note_all(publication.warnings, "Warning: {}")
    folder = Path(output).parent if output else Path(publication.folder)
    path = Path(output) if output else folder / FILE
    name = shown_path(str(path))
    if not publication.data:
        note(f"Nothing found: there is no page that may be published in '{name}'.")
        return Status.NOTHING
    with file_errors(name, "read" if check else "written"):
        if check and path.exists() and path.read_bytes() == publication.data:
            return Status.FOUND
        if check:
            reason = "is out of date" if path.exists() else "does not exist"
            complain(f"'{name}' {reason}; write it with 'mkdocs-recall publish'")
            return Status.CHANGED
        folders = folder, *([Path.cwd()] if output else [])
        is_there = output and path.is_file() and not leads_outside(path, *folders)
        if is_there and path.read_bytes()[: len(_GZIP)] not in {b"", _GZIP}:
            msg = f"'{name}' exists, and is not a published file; name another with --output"
            raise SiteError(msg)
        write_atomically(path, publication.data, *folders)
    ending = "" if publication.pages == 1 else "s"
    note(f"'{name}' holds {publication.pages:,} page{ending}.")
    return Status.FOUND


def _refuse_moved(site: Site, built: Path, uris: AbstractSet[str]) -> None:
    if uris <= set(site.destinations.values()):
        return
    for uri, path in site.kept_back():
        if not (built / path).is_file():
            raise SiteError(
                f"'{uri}' must not be published, and is not at '{path}' in the built site, so a "
                "plugin may have moved it; build with 'publish: true' instead"
            )


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
@config_option
def fetch(
    names: Sequence[str], *, update: bool, only_check: bool, allow_file: bool, config: str | None
) -> int:
    """Fetch what other sites publish, for builds that quote it.

    The sites are those of 'sites' in mkdocs.yml; name some to fetch only these. Their copies are
    in recall-sites beside mkdocs.yml, and the digests in recall-sites.lock: commit both. A copy
    stays as it is until --update. No other command uses the network.
    """
    from mkdocs_recall.pages.fetch import (
        chosen_sites,
        compare_copy,
        fetch as fetch_site,
        update_copy,
    )
    from mkdocs_recall.pages.published import read_site_lock

    if update and only_check:
        raise click.UsageError("--check writes nothing, so --update has no effect; choose one")
    config_file = Where(config).config_file(or_docs=False)
    sites = chosen_sites(config_file, names)
    root = config_file.absolute().parent
    locked = read_site_lock(root)

    def run(site: OtherSite) -> Status:
        data = fetch_site(site, allow_file=allow_file)
        if not only_check:
            note(update_copy(site, root, data, locked, update=update))
        elif change := compare_copy(site, root, data, locked.get(site.name)):
            note(change)
            return Status.CHANGED
        else:
            note(f"The site '{site.name}' has not changed since it was fetched.")
        return Status.FOUND

    return _for_each(sites, run)


_OURS: Final = ("recall-*-[0-9]*-*.bin*", "recall-*.map*")
"""The cache's files in all formats, and its temporary files."""
_GITIGNORE: Final = "*\n"
_UNITS: Final = ("kB", "MB", "GB")
_STEP: Final = 1000


# Earlier versions of click print this help to stdout.
@click.group(no_args_is_help=False)
def cache() -> int:
    """Clear the cache of pages and answers."""
    return Status.FOUND


@cache.command()
@where_options
def clear(where: Where) -> int:
    """Delete the cache. The next command or build rebuilds what it needs."""
    from mkdocs_recall.files import user_cache_folder

    folder = where.cache_folder()
    if folder is None:
        reason = "you have no home folder. Set XDG_CACHE_HOME to name one."
        if user_cache_folder(Path()):
            reason = "'cache' is turned off in mkdocs.yml."
        note(f"There is no cache: {reason}")
        return Status.NOTHING
    # The folder may hold others; a link may lead out of it.
    caches = sorted(file for pattern in _OURS for file in folder.glob(pattern))
    files = [file for file in caches if file.is_file() and not file.is_symlink()]
    size = sum(path.stat().st_size for path in files)
    for path in files:
        with file_errors(path, "deleted"):  # Windows does not delete open files
            path.unlink(missing_ok=True)
    gitignore = folder / ".gitignore"
    with suppress(OSError, ValueError):  # other files stay
        if list(folder.iterdir()) == [gitignore] and gitignore.read_text("utf-8") == _GITIGNORE:
            gitignore.unlink()
        folder.rmdir()
    note(f"Deleted {_format_size(size)} in '{folder}'.")
    return Status.FOUND


def _format_size(size: float) -> str:
    unit = "bytes"
    for larger in _UNITS:
        if size < _STEP:
            break
        size, unit = size / _STEP, larger
    return f"{size:.1f} {unit}" if unit != "bytes" else f"{size} {unit}"


_GZIP: Final = b"\x1f\x8b"
_TOML: Final = "\n[project.markdown_extensions.recall]\n"
_LIST: Final = re.compile(
    r"^plugins:(?:[ \t]*(?:#.*)?\n)+(?P<indent>[ \t]*)(?:(?P<dash>- )|(?<=[ \t])\w)", re.MULTILINE
)
_FLOW: Final = re.compile(r"^plugins:[ \t]*\[(?P<names>[^\[\]{}#\n]*)\]", re.MULTILINE)
_PAGE: Final = """\
# Answers

```synopsis
source: {source}
```

<!-- Ask for an answer: 'mkdocs-recall suggest "a question of your readers"' prints the fence. -->
"""


@click.command()
@click.argument("file", type=click.Choice(["mkdocs", "recall", "synopsis", "questions"]))
def schema(file: Literal["mkdocs", "recall", "synopsis", "questions"]) -> int:
    """Print the JSON schema of FILE, for editors.

    It is that of the plugin's part of mkdocs.yml, of a fence (recall, synopsis), or of the
    questions for 'evaluate'.
    """
    if file == "mkdocs":
        printed = site_schema()
    else:
        printed = questions_schema() if file == "questions" else fence_schema(file)
    say(json.dumps(printed, indent=2))
    return Status.FOUND


@click.command()
@click.argument("folder", default=".", type=click.Path(file_okay=False))
@click.option("--ci", type=click.Choice(["github"]), help="Also write the workflow that checks.")
def init(folder: str, *, ci: Literal["github"] | None) -> int:
    """Prepare the site in FOLDER, or a new one.

    It gets the plugin, and a first page with a quote. No file is overwritten. In the site's
    configuration, the plugin is added to the list; on a terminal, the command asks before.
    """
    root = Path(folder)
    config = config_in(root) if root.is_dir() else None
    if config is None:
        config = root / "mkdocs.yml"
        name = json.dumps(root.absolute().name, ensure_ascii=False)
        _write(config, f"site_name: {name}\nplugins:\n  - search\n  - recall\n")
        _write(root / "docs/index.md", "# Welcome\n\nThis page says what the site is about.\n")
    else:
        _add_plugin(config)
    docs = docs_folder(config)
    pages = sorted(docs.rglob("*.md"), key=lambda page: (page.name != "index.md", page))
    page = docs / "answers.md"
    if quoted := next((file for file in pages if file != page and _has_text(file)), None):
        _write(page, _PAGE.format(source=json.dumps(quoted.relative_to(docs).as_posix())))
    if ci:
        workflow = Path(__file__).with_name("workflow.yml")
        _write(root / ".github/workflows/answers.yml", workflow.read_text("utf-8"))
    command = "zensical serve" if config.suffix == ".toml" else "mkdocs serve"
    place = "" if root == Path() else f"in '{shown_path(folder)}', "
    note(f"Next: {place}run '{command}', and 'mkdocs-recall suggest \"a question\"'.")
    return Status.FOUND


def _has_text(page: Path) -> bool:
    from mkdocs_recall.pages.corpus import Corpus

    with suppress(RecallError):
        return bool(Corpus.from_markdown({"a.md": read_text(page)}).synopsis("a.md"))
    return False


def _write(file: Path, text: str) -> None:
    if file.exists() or file.is_symlink():
        note(f"'{file}' exists and is unchanged.")
        return
    with file_errors(file, "written"):
        write_atomically(file, text.encode(), file.parent)
    note(f"'{file}' is written.")


def _add_plugin(config: Path) -> None:
    text, data = read_text(config), config.read_bytes()
    new = _with_plugin(text, plugin_names(config))
    if config.suffix == ".toml":
        new = text if _TOML.strip() in text else text.rstrip("\n") + f"\n{_TOML}"
    if new == text:
        note(f"'{config}' already has recall.")
        return
    if new is None or not (config.suffix == ".toml" or is_listed(new)):
        raise SiteError(
            f"'{config}' inherits its plugins, lists them where no line can be added, or is not "
            "valid YAML; add 'recall'"
        )
    is_asked = sys.stdin is not None and sys.stdin.isatty()
    if is_asked and not click.confirm(f"Add recall to '{config}'?", default=True, err=True):
        return
    if b"\r\n" in data:
        new = new.replace("\n", "\r\n")
    codec = "utf-8-sig" if data.startswith(BOM_UTF8) else "utf-8"
    with file_errors(config, "written"):
        write_atomically(config, new.encode(codec), config.parent)
    note(f"'{config}' has recall now.")


def _with_plugin(text: str, plugins: AbstractSet[str]) -> str | None:
    if not plugins.isdisjoint(PLUGIN_NAMES):
        return text
    if match := _LIST.search(text):
        start = match.end("indent")
        line = "- recall" if match["dash"] else "recall:"
        return f"{text[:start]}{line}\n{match['indent']}{text[start:]}"
    if match := _FLOW.search(text):
        names = ", ".join(filter(None, [match["names"].strip(), "recall"]))
        return f"{text[: match.start('names')]}{names}{text[match.end('names') :]}"
    if plugins or re.search(r"^plugins:", text, re.MULTILINE):
        return None
    return text.rstrip("\n") + "\nplugins:\n  - search\n  - recall\n"
