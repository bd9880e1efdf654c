"""A site that another generator serves or builds, filled as often as it has been written.

A generator that serves a site from its folder, as Zensical does, writes pages again after each
edit, without their quotes. So its folder is looked at while it runs, and filled when all pages are
written. What filling writes counts as a change, too, and filling again changes nothing: so no page
is missed that the generator has written meanwhile.
"""

from __future__ import annotations

import shutil
import subprocess
import time
from typing import TYPE_CHECKING, Final

from mkdocs_recall.errors import SiteError
from mkdocs_recall.files import fingerprint
from mkdocs_recall.pages.built import site_files

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    Stamps: TypeAlias = list[tuple[str, list[int] | None]]


_PAUSE: Final = 0.3
"""Seconds between two looks at the folder; where both see the same, it is written."""


def fill_while_running(
    command: Sequence[str], folder: str, fill: Callable[[Callable[[], bool]], object]
) -> int:
    """Run a command, fill the site that it writes until it ends, and return its exit status.

    Args:
        fill: Fills the site; takes what tells whether its pages are still those that it has read.
    """
    program = shutil.which(command[0])
    if program is None:
        msg = f"there is no command '{command[0]}'"
        raise SiteError(msg)
    seen: Stamps = []
    filled = seen
    with subprocess.Popen([program, *command[1:]]) as process:  # noqa: S603 - the user's command
        try:
            while process.poll() is None:
                time.sleep(_PAUSE)
                before, seen = seen, _stamps(folder)
                if seen and seen == before != filled:
                    fill(lambda: _stamps(folder) == seen)  # noqa: B023 - it is called at once
                    filled = seen
        finally:
            process.terminate()
    return process.returncode


def _stamps(folder: str) -> Stamps:
    try:
        return sorted((path, fingerprint(file)) for path, file in site_files(folder))
    except SiteError:  # it is not there yet, or is being cleaned
        return []
