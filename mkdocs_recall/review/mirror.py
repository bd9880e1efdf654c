"""A mirror: a folder that holds the files of a git revision, updated file by file.

It lies in the cache, so that a next run writes, and reads anew, only what differs. It holds a small
repository of its own that borrows git's objects, so that dates are those of the revision, too.
"""

from __future__ import annotations

import json
import os
import shutil
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, TYPE_CHECKING, Any, Final

from mkdocs_recall.cache.files import MIRRORS
from mkdocs_recall.cache.shapes import shape_test
from mkdocs_recall.cache.store import make_folder
from mkdocs_recall.readers.manifest import PAGES
from mkdocs_recall.temporal.git import locate, run_git
from mkdocs_recall.temporal.revisions import GitFile, contents, ignored_files

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_LINK: Final = "120000"
_IGNORED: Final = "ignored"
"""The mode of a file that git ignores; in place of its blob is what `_stamp` returns."""
_LARGEST: Final = 1 << 20
"""Bytes: no page is larger; of a larger file only the name counts."""
_is_listing: Final = shape_test({str: [str]})


@contextmanager
def mirror_folder(cache: Path | None, slot: str) -> Iterator[Path]:
    """Yield the folder of a mirror: in the cache, or a temporary one where another run uses that.

    Args:
        cache: The folder of the cache; None for none.
        slot: Distinguishes the mirrors of one run.
    """
    with ExitStack() as stack:
        folder = cache / MIRRORS if cache else None
        if folder is None or not _take(folder, slot, stack):
            name = stack.enter_context(TemporaryDirectory(prefix="mkdocs-recall-"))
            folder = Path(os.path.realpath(name))
        yield folder / slot


def _take(folder: Path, slot: str, stack: ExitStack) -> bool:
    """Lock a mirror in the cache until the end of a stack; False where that cannot be."""
    try:
        if not folder.exists():
            make_folder(folder)
        file = stack.enter_context((folder / f"{slot}.lock").open("ab"))
    except OSError:
        return False
    return not folder.is_symlink() and not (folder / slot).is_symlink() and _lock(file)


def update_mirror(folder: Path, top: str, commit: str, files: Mapping[str, GitFile]) -> None:
    """Make a folder hold these files and no others.

    Args:
        folder: The folder of the mirror.
        top: The repository's root.
        commit: The commit that its history ends with.
        files: The files by path from the root.

    Raises:
        GitError: Git has no content for one.
        OSError: One cannot be written.
    """
    listing = folder.parent / f"{folder.name}.json"
    written = _read_listing(listing)
    if not written:
        shutil.rmtree(folder, ignore_errors=True)
    listing.unlink(missing_ok=True)  # a run that is cut off starts anew
    current = {
        path: state
        for path, state in written.items()
        if path in files and state[:2] == list(files[path]) and state[2:] == _stamp(folder / path)
    }
    for path in written.keys() - current.keys():
        (folder / path).unlink(missing_ok=True)
        with suppress(OSError):
            (folder / path).parent.rmdir()
    _write_files(folder, top, {path: file for path, file in files.items() if path not in current})
    _write_repository(folder, top, commit)
    for path, file in files.items():
        if path not in current:
            current[path] = [*file, *_stamp(folder / path)]
    listing.write_text(json.dumps(current), encoding="utf-8")


def ignored_pages(top: str, folder: str) -> dict[str, GitFile]:
    """Return the pages in a folder that git ignores: they are the same in all states.

    Args:
        top: The repository's root.
        folder: The folder, from the root.
    """
    pages = {}
    for path in ignored_files(top, [folder]):
        file = Path(top, path)
        if path.lower().endswith(PAGES) and not file.is_symlink() and file.is_file():
            pages[path] = GitFile(_IGNORED, "-".join(_stamp(file)))
    return pages


def _write_files(folder: Path, top: str, files: Mapping[str, GitFile]) -> None:
    """Write files of git into a mirror."""
    missing: dict[str, list[str]] = {}
    for path, file in files.items():
        if file.mode == _IGNORED:
            _write_file(folder / path, Path(top, path).read_bytes())
        else:
            missing.setdefault(file.blob, []).append(path)
    links = {}
    for blob, data in contents(top, missing):
        for path in missing[blob]:
            if files[path].mode == _LINK:
                links[path] = data
            else:
                _write_file(folder / path, data)
    for path, data in links.items():  # last, so that nothing is written through one
        _write_link(folder, path, os.fsdecode(data))


def _write_file(file: Path, data: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data if len(data) <= _LARGEST else b"")


def _write_link(folder: Path, path: str, target: str) -> None:
    """Write a symbolic link, unless it leads out of the mirror."""
    link = folder / path
    place = os.path.normpath(link.parent / target)
    if not os.path.isabs(target) and Path(place).is_relative_to(folder):  # noqa: PTH117
        link.parent.mkdir(parents=True, exist_ok=True)
        with suppress(OSError):  # on Windows, not every user may make one
            link.symlink_to(target)


def _write_repository(folder: Path, top: str, commit: str) -> None:
    """Write a repository that ends with a commit, and has its objects elsewhere."""
    repository = folder / ".git"
    objects = Path(top, run_git(top, "rev-parse", "--git-path", "objects").removesuffix("\n"))
    for name in ("objects/info", "refs"):
        (repository / name).mkdir(parents=True, exist_ok=True)
    (repository / "objects/info/alternates").write_bytes(os.fsencode(objects) + b"\n")
    (repository / "HEAD").write_text(f"{commit}\n", encoding="ascii")
    ends = "".join(f"{name}\n" for name in sorted(locate(top).shallow))
    shallow = repository / "shallow"
    if ends:
        shallow.write_text(ends, encoding="ascii")
    else:
        shallow.unlink(missing_ok=True)


def _stamp(path: Path) -> list[str]:
    """Return what distinguishes two versions of a file on disk."""
    try:
        status = path.lstat()
    except OSError:
        return []
    return [str(status.st_mtime_ns), str(status.st_size)]


def _read_listing(path: Path) -> dict[str, list[str]]:
    try:
        listing: Any = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return listing if _is_listing(listing) else {}


def _lock(file: IO[bytes]) -> bool:
    """Lock an open file for this process, until it is closed; False if another has it."""
    try:
        import fcntl
    except ImportError:  # on Windows
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
