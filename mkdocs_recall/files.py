"""File helpers: places and versions, links out of a folder, and atomic writing."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from errno import EEXIST, ELOOP
from hashlib import sha256
from pathlib import Path
from stat import S_ISREG
from threading import get_native_id
from typing import Final

from mkdocs_recall.errors import OptionError, RecallError, SiteError
from mkdocs_recall.messages import in_utf8, shown

LOCK_FILE: Final = "recall.lock"
"""The lock file's name; it is beside `mkdocs.yml`."""
_UNFINISHED: Final = ".new"
"""The suffix of a file while it is written."""
_TAIL: Final = 60
"""How much of the file's name that one keeps, lest it become too long."""
_IN_USE: Final = frozenset({5, 32})
"""Windows' errors for a file that is open elsewhere: access denied, sharing violation."""
_WAITS: Final = (0.01, 0.03, 0.1, 0.3)
"""Seconds between the attempts to replace such a file."""
_LONGEST_NAME: Final = 50
_INSTALLED: Final = frozenset({"node_modules", "site-packages", "__pycache__"})


def fingerprint(path: str) -> list[int] | None:
    """Return the fingerprint of a file's version, without reading the file.

    The date alone is not enough: files from an archive often share one, as may files written at
    once. The inode's number and the time of its last change differ.
    """
    try:
        status = os.stat(path)  # noqa: PTH116 - for thousands of pages, faster than Path
    except (OSError, ValueError):  # ValueError: a NUL in the name
        return None
    return [status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_size]


@contextmanager
def file_errors(
    path: Path | str, action: str = "read", kind: type[RecallError] = SiteError
) -> Iterator[None]:
    """Turn a system error into one that names the file and the failed action."""
    try:
        yield
    except OSError as error:
        raise kind(f"'{path}' cannot be {action}: {error.strerror or error}") from error


def read_text(path: Path | str, kind: type[RecallError] = SiteError) -> str:
    """Return the text of a file in UTF-8; an error names the file."""
    try:
        return Path(path).read_text("utf-8-sig")
    except (OSError, ValueError) as error:
        msg = f"'{path}' cannot be read: {getattr(error, 'strerror', None) or error}"
        raise kind(msg) from error


def edited_since(moment: int, files: Iterable[str]) -> list[str]:
    """Return the files that were changed since a moment, in ns since 1970, the newest first."""
    times = {file: stamp[0] for file in files if (stamp := fingerprint(file))}
    edited = [file for file, time in times.items() if time >= moment]
    return sorted(edited, key=lambda file: (-times[file], file))


def is_ignored(name: str) -> bool:
    """Tell whether a file or folder is hidden or installed."""
    return name.startswith(".") or name in _INSTALLED


def content_digest(path: str) -> str:
    """Return the digest of a regular file; empty if unreadable."""
    try:
        if not os.path.isfile(path):  # noqa: PTH113 - for thousands of pages, faster than Path
            return ""
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123
            return sha256(file.read()).hexdigest()
    except (OSError, ValueError):  # ValueError: a NUL in the name
        return ""


def listing_digest(
    roots: Iterable[str],
    suffixes: tuple[str, ...],
    *,
    include_ignored: bool,
    without: frozenset[str] = frozenset(),
) -> str:
    """Return the digest of all names in some folders, in hexadecimal digits.

    For a link, the target's path counts; a linked folder is not entered. For files with these
    suffixes, the version counts, too. The paths in `without` are left out.
    """
    folders = list(roots)
    lines = [f"{root}\n{os.path.realpath(root)}" for root in folders]
    while folders:
        folder = folders.pop()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if (not include_ignored and is_ignored(entry.name)) or entry.path in without:
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                        continue
                    line = entry.path
                    if entry.is_symlink():
                        line += f"\n{os.path.realpath(entry.path)}"
                    if entry.name.lower().endswith(suffixes):
                        line += f"\n{fingerprint(entry.path)}"
                    lines.append(line)
        except OSError as error:
            lines.append(f"{folder}\n{error.errno}")
    listing = "\0".join(sorted(lines))
    return sha256(listing.encode("utf-8", "surrogateescape")).hexdigest()


def is_file_inside(path: str, inside: str) -> bool:
    """Tell whether a path of `os.walk` is a file in the walked folder, or a link to one.

    Only a link's target is looked up, which takes a system call for each folder above it.

    Args:
        path: The path; no link to a folder was followed to it, but on Windows a junction may be.
        inside: The real path of the walked folder, with a separator at its end.
    """
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return False
    if S_ISREG(mode) and sys.platform != "win32":
        return True
    target = os.path.realpath(path)
    return target.startswith(inside) and os.path.isfile(target)  # noqa: PTH113


def files_in(
    root: str | Path, suffixes: tuple[str, ...], *, ignores: Callable[[str], bool] = is_ignored
) -> Iterator[tuple[str, str]]:
    """Yield the relative and absolute paths of the files in a folder and below it."""
    inside = os.path.join(os.path.realpath(root), "")  # noqa: PTH118

    def refuse(error: OSError) -> None:
        msg = f"the folder '{error.filename or root}' cannot be read: {error.strerror or error}"
        raise SiteError(msg) from error

    for folder, folders, names in os.walk(root, onerror=refuse):
        folders[:] = [name for name in folders if not ignores(name)]
        above = f"{Path(folder).relative_to(root).as_posix()}/".removeprefix("./")
        for name in names:
            path = os.path.join(folder, name)  # noqa: PTH118
            is_ours = name.lower().endswith(suffixes) and not ignores(name)
            if is_ours and is_file_inside(path, inside):
                yield in_utf8(f"{above}{name}"), path


def as_file(path: str | os.PathLike[str]) -> Path:
    """Return the path of a file or folder in any of Python's forms."""
    if not isinstance(path, (str, os.PathLike)):
        raise OptionError(f"a file or folder must be a path, not {shown(path)}")
    return Path(path)


def existing_folder(folder: str | os.PathLike[str], remedy: str) -> Path:
    """Return the absolute path of an existing folder, or an error with a remedy."""
    path = as_file(folder).absolute()
    if not path.is_dir():
        fault = "is not a folder" if path.exists() else "does not exist"
        raise SiteError(f"'{folder}' {fault}; {remedy}")
    return path


def real_path(path: str | os.PathLike[str]) -> Path:
    """Return a path without links; if they form a circle, the rest stays unresolved.

    `Path.resolve` raises different errors in different versions of Python.
    """
    return Path(os.path.realpath(path))


def user_cache_folder(path: str | os.PathLike[str]) -> Path | None:
    """Return the cache folder of a site, by its configuration, or of a folder or file.

    It is in the user's own cache folder; None if the user has none, as in a container.
    """
    from platformdirs import user_cache_path

    try:
        caches = user_cache_path("mkdocs-recall")
    except RuntimeError:
        return None
    path = real_path(path)
    name = "-".join(path.parts[1:][-2:])[-_LONGEST_NAME:]
    folder = caches / f"{name}-{sha256(os.fsencode(path)).hexdigest()[:16]}"
    return folder if folder.is_absolute() else None  # older versions of platformdirs may leave `~`


def leads_outside(path: Path, *others: Path) -> bool:
    """Tell whether a link leads out of its folder and of some others, or to a file of git.

    The link may come from a pull request.
    """
    return not _lies_in(path, (path.parent, *others))


def check_place(path: Path, kind: type[RecallError], name: str = "") -> None:
    """Refuse a link that leads out of its folder."""
    if leads_outside(path):
        raise kind(f"'{name or path}' is a link that leads out of its folder; remove it")


def _lies_in(path: Path, folders: Iterable[Path]) -> bool:
    place, *real = map(real_path, (path, *folders))
    inside = [folder for folder in real if place.is_relative_to(folder)]
    # For Windows and macOS, `.GIT` is `.git`.
    return bool(inside) and ".git" not in map(str.lower, place.relative_to(inside[0]).parts)


def write_atomically(
    path: Path, data: bytes | Iterable[bytes | memoryview], *folders: Path, anew: bool = True
) -> None:
    """Write a file atomically, possibly in parts, and make the folders above it.

    A link remains a link, and the file keeps its permissions. With folders, such as a built site,
    the resolved file must be in one of them. Unless `anew`, these must exist: a running generator
    may have moved its site away, and would fail if another took its place.
    """
    if folders and not _lies_in(path, folders):
        raise OSError(ELOOP, "a link leads out of its folder; remove the link")
    if path.exists() and not path.is_file():
        raise OSError(EEXIST, "it exists, and is not a file")
    path = real_path(path)
    existing = [] if anew else [*map(real_path, folders)]
    for folder in reversed(path.parents):
        if not any(parent.is_relative_to(folder) for parent in existing):
            folder.mkdir(exist_ok=True)
    writer = f"{os.getpid()}-{get_native_id()}"
    new = path.with_name(f"{path.name[-_TAIL:]}.{writer}{_UNFINISHED}")
    try:
        new.unlink(missing_ok=True)
        with new.open("xb") as file:  # never through a planted link
            file.writelines([data] if isinstance(data, bytes) else data)
        with suppress(OSError):  # there may be no file yet
            new.chmod(path.stat().st_mode)
        _replace(path, new)
    except BaseException:
        with suppress(OSError):
            new.unlink()
        raise


def _replace(path: Path, new: Path) -> None:
    # On Windows, virus scanners and indexers open each new file for some milliseconds.
    for wait in _WAITS:
        try:
            new.replace(path)
        except OSError as error:  # noqa: PERF203 - it is tried five times at most
            if getattr(error, "winerror", None) not in _IN_USE:
                raise
            time.sleep(wait)
        else:
            return
    new.replace(path)
