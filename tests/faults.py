"""Faults injected into a running program, at each of its steps in turn."""

from __future__ import annotations

import errno
import os
import sys
import sysconfig
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType

import mkdocs_recall

_HERE = os.fspath(Path(mkdocs_recall.__file__).parent) + os.sep

FAULTS: tuple[Callable[[], BaseException], ...] = (
    lambda: OSError(errno.ENOSPC, "No space left on device"),
    MemoryError,
    KeyboardInterrupt,
    lambda: PermissionError(errno.EACCES, "Permission denied"),
    RecursionError,
    lambda: UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"),
    lambda: ValueError("a value that nobody expects"),
    SystemExit,
)
"""Exceptions that may occur at any moment."""
ERRORS: tuple[int, ...] = (errno.ENOSPC, errno.EACCES, errno.EROFS, errno.EIO, errno.EMFILE)
"""Errors that may occur with a file."""
_LIBRARY = sysconfig.get_path("stdlib") + os.sep


def steps(run: Callable[[], object]) -> list[CodeType]:
    """Return the functions of the plugin that `run` calls, in order."""
    found: dict[CodeType, None] = {}
    with _traced(found.setdefault):
        run()
    # Python ignores what the first two raise when it ends them, and nh3 what its filter raises
    # before the first line of it has caught anything.
    ignored = {"__del__", "<genexpr>", "_filter"}
    return [code for code in found if code.co_name not in ignored]


@contextmanager
def fault_in(step: CodeType, error: BaseException) -> Iterator[None]:
    """Raise an error at the first call of a function, instead of running it."""
    waiting = [error]

    def called(code: CodeType) -> None:
        if code is step and waiting:
            raise waiting.pop()

    with _traced(called):
        yield


@contextmanager
def _traced(called: Callable[[CodeType], object]) -> Iterator[None]:
    def trace(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(_HERE):
            called(frame.f_code)

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)


class Disk:
    """The plugin's uses of files, by Python's audit events (PEP 578); each may be made to fail."""

    def __init__(self) -> None:
        """Start to listen for events; Python cannot stop that."""
        self._heard: list[str] | None = None
        self._failing: dict[int, OSError] = {}
        sys.addaudithook(self._hear)

    def uses(self, run: Callable[[], object]) -> list[str]:
        """Return the uses of files while `run` runs."""
        with self.failing(-1, OSError()) as heard:
            run()
        return heard

    @contextmanager
    def failing(self, number: int, error: OSError) -> Iterator[list[str]]:
        """Make the use of this number fail; yield the list of uses."""
        self._heard, self._failing = [], {number: error}
        try:
            yield self._heard
        finally:
            self._heard = None

    def _hear(self, event: str, args: tuple[object, ...]) -> None:
        heard = self._heard
        if heard is None or event.partition(".")[0] not in {"open", "os", "shutil"}:
            return
        if args and isinstance(args[0], (str, bytes, os.PathLike)) and _is_asked_by_us():
            heard.append(f"{event} {os.fsdecode(args[0])}")
            if error := self._failing.get(len(heard) - 1):
                raise error


def _is_asked_by_us() -> bool:
    """Tell whether the plugin itself, rather than another package, uses a file now."""
    frame: FrameType | None = sys._getframe(2)  # noqa: SLF001 - nothing else tells
    while frame is not None:
        name = frame.f_code.co_filename
        if not name.startswith((_LIBRARY, "<frozen")) or "site-packages" in name:
            return name.startswith(_HERE)
        frame = frame.f_back
    return False
