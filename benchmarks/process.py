"""A command in a process of its own, and what it used."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Usage:
    """What a process used, from its start to its end."""

    wall: float
    """Seconds."""
    cpu: float | None
    """Seconds, in the process and in the system for it; None on Windows, which does not tell."""
    peak: float | None
    """MiB of memory at most; None on Windows."""


class FailedError(Exception):
    """A command did not succeed."""


def environment() -> dict[str, str]:
    """Return the environment of a command: an ordinary one, in which bytecode is kept."""
    kept = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {
        **kept,
        "NO_MKDOCS_2_WARNING": "1",
        "PYTHONUTF8": "1",
        "SOURCE_DATE_EPOCH": "1735689600",  # a sitemap holds the day of the build
    }


def run(command: Sequence[str], *, folder: Path, env: Mapping[str, str] | None = None) -> Usage:
    """Run a command to its end.

    Raises:
        FailedError: Its exit status is not 0; the message is what it wrote.
    """
    with tempfile.TemporaryFile() as written:
        start = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=folder, env=env or environment(), stdout=written, stderr=written
        )
        cpu, peak = _wait(process)
        wall = time.perf_counter() - start
        if process.returncode:
            written.seek(0)
            raise FailedError(written.read().decode("utf-8", "replace"))
    return Usage(wall, cpu, peak)


def _wait(process: subprocess.Popen[bytes]) -> tuple[float | None, float | None]:
    """Wait for the end of a process; return its CPU seconds and its peak memory, where known."""
    if sys.platform == "win32":
        process.wait()
        return None, None
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    in_bytes = used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return used.ru_utime + used.ru_stime, in_bytes / _MIB
