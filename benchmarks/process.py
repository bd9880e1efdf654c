"""A command in a process of its own, and what it used."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Usage:
    """What a process used, from its start to its end."""

    wall: float
    """Seconds."""
    cpu: float
    """Seconds, in the process and in the system for it; NaN on Windows, which does not tell."""
    peak: float
    """MiB of memory at most; NaN on Windows."""


def run(command: Sequence[str], *, folder: Path, **variables: str) -> Usage:
    """Run a command to its end, with these environment variables beside the usual ones.

    Raises:
        RuntimeError: Its exit status is not 0; the message is what it wrote.
    """
    usual = {
        "NO_MKDOCS_2_WARNING": "1",
        "PYTHONUTF8": "1",
        "SOURCE_DATE_EPOCH": "1735689600",  # a sitemap holds the day of the build
    }
    env = {**os.environ, **usual, **variables}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryFile() as written:
        start = time.perf_counter()
        process = subprocess.Popen(command, cwd=folder, env=env, stdout=written, stderr=written)
        cpu = peak = math.nan
        if sys.platform == "win32":
            process.wait()
        else:
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            cpu, peak = used.ru_utime + used.ru_stime, _mib(used.ru_maxrss)
        wall = time.perf_counter() - start
        if process.returncode:
            written.seek(0)
            raise RuntimeError(written.read().decode("utf-8", "replace"))
    return Usage(wall, cpu, peak)


def own_peak() -> float:
    """Return the most memory that this process has had, in MiB; NaN on Windows."""
    if sys.platform == "win32":
        return math.nan
    import resource

    return _mib(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def _mib(resident: int) -> float:
    """Return what the system tells in bytes on macOS, in KiB elsewhere."""
    return resident / (1024 * 1024 if sys.platform == "darwin" else 1024)
