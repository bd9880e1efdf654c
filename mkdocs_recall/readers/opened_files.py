"""The files that a thread opens while a site is read: what its pages include depends on them.

A Markdown extension may include other files (snippets, tables, citations), and no two report them
in the same way. Python reports every file that it opens, by whatever function, to audit hooks
(PEP 578). To wrap `open` instead would miss each copy of it that a module has imported by name, and
a missed file means a quote that is out of date.

CPython cannot remove an audit hook. It is added when the first `mkdocs.yml` is loaded to read the
pages of a site, and at no other time: a process that builds a site, or reads Markdown texts, a
folder or a built site without its configuration, never has it. In a process that has it, it
returns at once while no site is being read; what remains is Python's call of it for each audited
event (an import, an opened file), a third of a microsecond.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_recording: ContextVar[set[str] | None] = ContextVar("recording", default=None)
"""The files that this thread has opened so far; None while they are not recorded."""


@contextmanager
def files_opened() -> Iterator[set[str]]:
    """Record the absolute paths of the files that this thread opens meanwhile.

    The files of Python and of installed packages are left out.
    """
    _add_hook()
    files: set[str] = set()
    token = _recording.set(files)
    try:
        yield files
    finally:
        _recording.reset(token)
        outer = _recording.get()
        if outer is not None:
            outer |= files


@cache
def _add_hook() -> None:
    """Have Python report each file that it opens, from now to the end of the process."""
    libraries = {os.path.realpath(path) for path in sysconfig.get_paths().values()}
    installed = tuple(path + os.sep for path in libraries)

    def record(event: str, arguments: tuple[object, ...]) -> None:
        if event != "open":
            return
        files = _recording.get()
        if files is None or not arguments or not isinstance(arguments[0], (str, bytes)):
            return
        path = os.path.realpath(os.fsdecode(arguments[0]))
        is_ours = not path.startswith(installed) and "__pycache__" not in path
        if is_ours and os.path.isfile(path):  # noqa: PTH113 - twice as fast as Path
            files.add(path)

    sys.addaudithook(record)
