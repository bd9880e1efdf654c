"""Two states of a documentation in git, with the answers of both.

The files of a revision, or of the index, are written elsewhere: the work tree is only read.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from mkdocs_recall.answers.survey import Finding, Survey, impacts
from mkdocs_recall.cli.options import Where
from mkdocs_recall.errors import SiteError
from mkdocs_recall.git import GitError, locate, run_git, without_filters
from mkdocs_recall.pages.config import config_files, docs_folder
from mkdocs_recall.pages.corpus import Corpus
from mkdocs_recall.pages.library import PAGES
from mkdocs_recall.pages.reader import Folder
from mkdocs_recall.pages.site import Site


def _top_folder(folder: Path) -> str:
    return os.path.realpath(run_git(folder, "rev-parse", "--show-toplevel").removesuffix("\n"))


def _commit_name(top: str, revision: str) -> str:
    spec = f"{revision or '-'}^{{commit}}"
    command = ("rev-parse", "--verify", "--quiet", "--end-of-options", spec)
    return _commit(top, *command, fault=f"there is no revision '{revision}' in '{top}'")


def _commit(top: str, *arguments: str, fault: str) -> str:
    try:
        return run_git(top, *arguments).split()[-1]
    except (GitError, IndexError) as error:
        if locate(top).shallow:
            fault += "; this clone is shallow: 'git fetch --unshallow' fetches all commits"
        raise GitError(fault) from error


def _check_out(top: str, commit: str, folders: Sequence[str], copy: Path) -> None:
    """Write the folders of a commit, or of the index, into a temporary work tree.

    Its history ends with the commit, so dates are those of the revision. No hook or filter runs.
    """
    names = [] if "" in folders else folders
    command = ("ls-tree", "-r", "-z", "--full-tree", commit) if commit else ("ls-files", "-s", "-z")
    if not commit and (unmerged := run_git(top, "ls-files", "--unmerged", "-z")):
        path = unmerged.split("\0")[0].partition("\t")[2]
        raise GitError(f"'{path}' is in conflict; finish the merge, and add it")
    listing = run_git(top, "--literal-pathspecs", *command, "--", *names)
    shared = run_git(top, "rev-parse", "--git-common-dir").removesuffix("\n")
    (copy / ".git").mkdir()
    (copy / ".git/commondir").write_bytes(os.fsencode(os.path.join(top, shared)))
    (copy / ".git/HEAD").write_text(f"{commit or locate(top).head}\n", encoding="ascii")
    settings = {"core.hooksPath": os.devnull, **without_filters(top, "smudge")}
    run_git(copy, "update-index", "-z", "--index-info", stdin=listing, settings=settings)
    run_git(copy, "checkout-index", "--all", settings=settings)


INDEX: Final = "the index"
WORK_TREE: Final = "the work tree"


class _Documentation(NamedTuple):
    top: str
    config: Path | None
    pages: Path
    ignored: Sequence[str] = ()
    """The pages that git ignores, the same in all states, relative to the root."""

    def pages_of(
        self, commit: str, copy: str, original: Corpus, folder: str
    ) -> tuple[Corpus, Where]:
        Path(copy).mkdir()
        paths = [self.pages]
        if self.config:
            paths += [self.config.parent, *config_files(self.config)]
        names = [_inside(path, self.top) for path in paths if path.exists()]
        _check_out(self.top, commit, names, Path(copy))
        for path in self.ignored:
            file = Path(copy, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            copyfile(Path(self.top, path), file)
        place = Path(copy, _inside(self.config or self.pages, self.top))
        where = Where(str(place)) if self.config else Where(docs=str(place))
        reader = Site(place) if self.config else Folder(place, language="")
        config_file = place if self.config else None
        return original.in_copy(reader, config_file=config_file, folder=folder, copy=copy), where

    def state(self, commit: str, copy: str, original: Corpus, folder: str) -> Survey:
        corpus, where = self.pages_of(commit, copy, original, folder)
        return where.survey(corpus, shown=lambda text: text.replace(copy, self.top))


@contextmanager
def past_pages(where: Where, revision: str, corpus: Corpus) -> Iterator[Corpus]:
    """Yield the pages of a revision."""
    source = _documentation(where)
    with TemporaryDirectory(prefix="mkdocs-recall-") as folder:
        copy = os.path.join(os.path.realpath(folder), "a")
        commit = _commit_name(source.top, revision)
        try:
            yield source.pages_of(commit, copy, corpus, source.top)[0]
        except SiteError as error:
            raise SiteError(f"{revision}: {str(error).replace(copy, source.top)}") from error


def _documentation(where: Where) -> _Documentation:
    config = None if where.docs else where.config_file().absolute()
    pages = docs_folder(config) if config else Path(where.docs or "")
    top = _top_folder(config.parent if config else pages)
    _inside(pages, top)  # else git does not have them
    repository = _top_folder(pages) if pages.is_dir() else top
    if repository != top and Path(repository).is_relative_to(top):
        inside = _inside(pages, top)
        raise GitError(
            f"'{inside}' is in the submodule '{_inside(Path(repository), top)}', which is a "
            f"repository of its own; compare its pages with --docs {quote(inside)}"
        )
    return _Documentation(top, config, pages)


def impacts_in_git(
    where: Where, before: str, after: str, *, parted: bool = False
) -> Sequence[Finding]:
    """Return all directives of two states, with their changes."""
    source = _documentation(where)
    top, inside = source.top, _inside(source.pages, source.top)
    old = _commit_name(top, before)
    compared = {WORK_TREE: [old], INDEX: ["--cached", old]}.get(after)
    new = "" if compared else _commit_name(top, after)
    if parted:
        fault = f"'{old}' and '{new}' have no commit in common here"
        old = _commit(top, "merge-base", old, new, fault=fault)
    command = ("diff", "--name-status", "-M", "-z", "--diff-filter=R", "--no-ext-diff")
    renamed = run_git(top, *command, *(compared or (old, new)), "--").split("\0")
    if compared:
        arguments = ("ls-files", "--others", "--ignored", "--exclude-standard", "-z")
        paths = run_git(top, *arguments, "--", f":(top,literal){inside}").split("\0")
        files = ((path, Path(top, path)) for path in paths if path.lower().endswith(PAGES))
        ignored = [path for path, file in files if file.is_file() and not file.is_symlink()]
        source = source._replace(ignored=ignored)
    with TemporaryDirectory(prefix="mkdocs-recall-") as folder, where.reading() as corpus:
        copies = [os.path.join(os.path.realpath(folder), name) for name in "ab"]
        try:
            is_here = after == WORK_TREE
            here = top if is_here else copies[1]
            present = where.survey(corpus) if is_here else source.state(new, here, corpus, top)
            past = source.state(old, copies[0], present.corpus, here)
        except SiteError as error:
            msg = str(error)
            for copy, name in zip(copies, (before, after), strict=True):
                msg = f"{name}: {msg.replace(copy, top)}" if copy in msg else msg
            raise SiteError(msg) from error
        old_uris = {os.path.realpath(file): uri for uri, file in past.files.items()}
        new_uris = {os.path.realpath(file): uri for uri, file in present.files.items()}
        paths = [os.path.join(top, path) for path in renamed]
        moves = zip(paths[1::3], paths[2::3], strict=False)
        moved = {
            old_uris[old_path]: new_uris[new_path]
            for old_path, new_path in moves
            if old_path in old_uris and new_path in new_uris
        }
        return list(impacts(past, present, moved))


def _inside(path: Path, top: str) -> str:
    real = Path(os.path.realpath(path))
    if not real.is_relative_to(top):
        raise GitError(f"'{path}' is outside the repository '{top}', so git has no history of it")
    inside = real.relative_to(top).as_posix()
    return "" if inside == "." else inside
