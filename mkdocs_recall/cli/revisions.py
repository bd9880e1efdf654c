"""Two states of a documentation that git keeps, with the answers of both."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from shlex import quote
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from mkdocs_recall.cli.where import Where
from mkdocs_recall.errors import SiteError
from mkdocs_recall.git import GitError
from mkdocs_recall.readers.folder import Folder
from mkdocs_recall.readers.manifest import PAGES
from mkdocs_recall.readers.mkdocs_yml import config_files, docs_folder
from mkdocs_recall.readers.site import Site
from mkdocs_recall.review.impact import impacts, survey_state
from mkdocs_recall.temporal.revisions import (
    check_out,
    commit_name,
    ignored_files,
    merge_base,
    renamed_files,
    top_folder,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mkdocs_recall.corpus.corpus import Corpus
    from mkdocs_recall.review.impact import Impact, SiteState

INDEX: Final = "the index"
WORK_TREE: Final = "the work tree"


@dataclass(frozen=True)
class _Documentation:
    """A documentation in a repository."""

    top: str
    """The root of the repository."""
    config: Path | None
    """The site's configuration; None for a folder of Markdown files."""
    pages: Path
    ignored: Sequence[str] = ()
    """The pages that git ignores and that are the same in all states, from the root."""

    @cached_property
    def names(self) -> list[str]:
        """The folders and files it consists of, from the root."""
        paths = [self.pages]
        if self.config:
            paths += [self.config.parent, *config_files(self.config)]
        return [_inside(path, self.top) for path in paths if path.exists()]

    def state(self, commit: str, copy: str, original: Corpus, folder: str) -> SiteState:
        """Answer the directives of a commit.

        Args:
            commit: The commit; empty for the index.
            copy: The folder that its files are written into.
            folder: The folder that stands for the repository's root there.
        """
        Path(copy).mkdir()
        check_out(self.top, commit, self.names, Path(copy))
        for path in self.ignored:
            file = Path(copy, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            copyfile(Path(self.top, path), file)
        place = Path(copy, _inside(self.config or self.pages, self.top))
        where = Where(str(place)) if self.config else Where(docs=str(place))
        reader = Site(place) if self.config else Folder(place, language="en")
        config_file = place if self.config else None
        corpus = original.in_copy(reader, config_file=config_file, folder=folder, copy=copy)

        def shown(text: str) -> str:
            return text.replace(copy, self.top)

        return survey_state(corpus, where.defaults(), where.limits(), shown=shown)


def impacts_in_git(
    where: Where, before: str, after: str, *, parted: bool = False
) -> Sequence[Impact]:
    """Return all directives of two states that git keeps, with their changes.

    Args:
        after: A revision; or `INDEX` or `WORK_TREE`.
    """
    config = None if where.docs else where.config_file().absolute()
    pages = docs_folder(config) if config else Path(where.docs or "")
    top = top_folder(config.parent if config else pages)
    inside = _inside(pages, top)
    _check_submodule(pages, top)
    old = commit_name(top, before)
    compared = {WORK_TREE: [old], INDEX: ["--cached", old]}.get(after)
    new = "" if compared else commit_name(top, after)
    if parted:
        old = merge_base(top, old, new)
    renamed = renamed_files(top, *(compared or (old, new)))
    source = _Documentation(top, config, pages, _ignored_pages(top, inside) if compared else ())
    with TemporaryDirectory(prefix="mkdocs-recall-") as folder, where.reading() as corpus:
        copies = [os.path.join(os.path.realpath(folder), name) for name in "ab"]  # noqa: PTH118
        try:
            if after == WORK_TREE:
                here = top
                present = survey_state(corpus, where.defaults(), where.limits())
            else:
                here = copies[1]
                present = source.state(new, here, corpus, top)
            past = source.state(old, copies[0], present.corpus, here)
        except SiteError as error:
            msg = str(error)
            for copy, name in zip(copies, (before, after), strict=True):
                msg = f"{name}: {msg.replace(copy, top)}" if copy in msg else msg
            raise SiteError(msg) from error
        return list(impacts(past, present, _renamed_pages(past, present, top, renamed)))


def _ignored_pages(top: str, folder: str) -> list[str]:
    """Return the pages in a folder that git ignores: they are the same in all states."""
    paths = ignored_files(top, [folder])
    files = ((path, Path(top, path)) for path in paths if path.lower().endswith(PAGES))
    return [path for path, file in files if file.is_file() and not file.is_symlink()]


def _renamed_pages(
    before: SiteState, after: SiteState, top: str, renamed: Mapping[str, str]
) -> dict[str, str]:
    """Return the new name of each renamed page by its old one."""
    old, new = (
        {os.path.realpath(file): uri for uri, file in state.files.items()}
        for state in (before, after)
    )
    moves = ((os.path.join(top, one), os.path.join(top, other)) for one, other in renamed.items())  # noqa: PTH118
    return {old[one]: new[other] for one, other in moves if one in old and other in new}


def _check_submodule(pages: Path, top: str) -> None:
    """Check that pages lie in a repository itself."""
    own = top_folder(pages) if pages.is_dir() else top
    if own != top and Path(own).is_relative_to(top):
        inside = _inside(pages, top)
        msg = (
            f"'{inside}' is in the submodule '{_inside(Path(own), top)}', which is a repository of "
            f"its own; compare its pages with --docs {quote(inside)}"
        )
        raise GitError(msg)


def _inside(path: Path, top: str) -> str:
    """Return a path from the repository's root."""
    real = Path(os.path.realpath(path))
    if not real.is_relative_to(top):
        msg = f"'{path}' lies outside of the repository '{top}', so git does not keep its states"
        raise GitError(msg)
    inside = real.relative_to(top).as_posix()
    return "" if inside == "." else inside
