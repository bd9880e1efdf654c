"""What tells one version of a file or a folder from another, and which files were opened.

A Markdown extension may take in other files (snippets, tables, citations), and no two tell of them
in the same way. Python tells of every file that is opened (PEP 578).
"""

from __future__ import annotations

import os
import sys
import sysconfig
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from errno import EEXIST
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_INSTALLED: Final = frozenset({"node_modules", "site-packages", "__pycache__"})
_noting: ContextVar[set[str] | None] = ContextVar("noting", default=None)


def fingerprint(path: str | None) -> list[int] | None:
    """Return what tells one version of a file from another without reading it.

    Its date alone may be that of another: files from an archive often have the same, and two that
    are written at once may. The system's own note of the last change, and its number, differ.
    """
    if not path:
        return None
    try:
        found = os.stat(path)  # noqa: PTH116 - a page has a thousand fellows
    except (OSError, ValueError):  # a name with a NUL is no name
        return None
    return [found.st_mtime_ns, found.st_ctime_ns, found.st_ino, found.st_size]


def edited_since(moment: int, files: Iterable[str]) -> list[str]:
    """Return the files that were changed since a moment, in ns since 1970, the newest first."""
    stamps = {file: stamp[0] for file in files if (stamp := fingerprint(file))}
    edited = [file for file, stamp in stamps.items() if stamp >= moment]
    return sorted(edited, key=lambda file: (-stamps[file], file))


def is_ignored(name: str) -> bool:
    """Tell whether a file or a folder is no documentation of ours: hidden, or installed there."""
    return name.startswith(".") or name in _INSTALLED


def content_digest(path: str) -> str:
    """Return what stands for what a file says; an empty text where it cannot be read.

    What is no file, such as a device, may have no end.
    """
    try:
        if not os.path.isfile(path):  # noqa: PTH113 - a page has a thousand fellows
            return ""
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123
            return sha256(file.read()).hexdigest()
    except (OSError, ValueError):  # a name with a NUL is no name
        return ""


def listing_digest(roots: Iterable[str], suffixes: tuple[str, ...], *, all_of_them: bool) -> str:
    """Return what stands for all that lies in some folders, in hexadecimal digits.

    Of a link it counts where it leads; what lies there is not looked at.

    Args:
        roots: The folders. Of one that cannot be read it counts why.
        suffixes: The files of which the version counts; of others only the name does.
        all_of_them: Whether what is hidden or installed counts, too.
    """
    waiting = list(roots)
    found = [f"{root}\n{os.path.realpath(root)}" for root in waiting]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if not all_of_them and is_ignored(entry.name):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                        continue
                    stands = entry.path
                    if entry.is_symlink():
                        stands += f"\n{os.path.realpath(entry.path)}"
                    if entry.name.lower().endswith(suffixes):
                        stands += f"\n{fingerprint(entry.path)}"
                    found.append(stands)
        except OSError as error:
            found.append(f"{folder}\n{error.errno}")
    whole = "\0".join(sorted(found))
    return sha256(whole.encode("utf-8", "surrogateescape")).hexdigest()


@contextmanager
def files_opened() -> Iterator[set[str]]:
    """Note the absolute paths of the files that this thread opens meanwhile.

    Those of Python and of installed packages are left out.
    """
    _listen()
    found: set[str] = set()
    token = _noting.set(found)
    try:
        yield found
    finally:
        _noting.reset(token)
        around = _noting.get()
        if around is not None:
            around |= found


@cache
def _listen() -> None:
    """Have Python tell of opened files; once told, it does so to the end of the process."""
    libraries = {os.path.realpath(path) for path in sysconfig.get_paths().values()}
    ours = tuple(path + os.sep for path in libraries)

    def hear(event: str, args: tuple[object, ...]) -> None:
        if event != "open":
            return
        found = _noting.get()
        if found is None or not args or not isinstance(args[0], (str, bytes)):
            return
        path = os.path.realpath(os.fsdecode(args[0]))
        if not path.startswith(ours) and "__pycache__" not in path and os.path.isfile(path):  # noqa: PTH113
            found.add(path)

    sys.addaudithook(hear)


def leads_outside(path: Path, *others: Path) -> bool:
    """Tell whether a link leads out of its folder, and of some others, or to what is git's own.

    Who sends a pull request may have laid it.
    """
    place, *folders = (Path(os.path.realpath(each)) for each in (path, path.parent, *others))
    inside = [folder for folder in folders if place.is_relative_to(folder)]
    return not inside or ".git" in place.relative_to(inside[0]).parts


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file, and the folders it lies in: all of it, or nothing.

    A link stays one, and the file keeps who may read it. A device or a pipe is refused, as it would
    be replaced by a file.

    Raises:
        OSError: It cannot be written.
    """
    if path.exists() and not path.is_file():
        raise OSError(EEXIST, "it is there, and is no file")
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    whole = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        whole.unlink(missing_ok=True)
        with whole.open("xb") as file:  # through no link that somebody has laid there
            file.write(data)
        with suppress(OSError):  # it is new
            whole.chmod(path.stat().st_mode)
        whole.replace(path)
    except BaseException:
        with suppress(OSError):
            whole.unlink()
        raise
