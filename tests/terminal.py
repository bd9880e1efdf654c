"""`mkdocs-recall` as a person at a terminal runs it: in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

COMMAND = (sys.executable, "-m", "mkdocs_recall")


@dataclass(frozen=True)
class Said:
    """What a command has come to."""

    status: int
    out: str
    err: str


@dataclass(frozen=True)
class Terminal:
    """A folder in which commands are run; what they keep for other folders lies below it, too."""

    folder: Path
    variables: Mapping[str, str] = field(default_factory=dict)
    """What stands in the environment of all that is run."""

    def environment(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return what a command finds in its environment."""
        own = {"XDG_CACHE_HOME": str(self.folder / ".caches"), "PYTHONUTF8": "1"}
        around = {name: text for name, text in os.environ.items() if name != "SOURCE_DATE_EPOCH"}
        return {**around, "NO_MKDOCS_2_WARNING": "1", **own, **self.variables, **(more or {})}

    def run(
        self,
        *arguments: str | bytes,
        given: bytes | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> Said:
        """Run a command.

        Args:
            arguments: What stands behind the program's name.
            given: What it reads on stdin; None for nothing.
            variables: More variables of its environment.
        """
        process = subprocess.run(  # noqa: S603 - our own interpreter
            [*COMMAND, *arguments],
            input=given or b"",
            capture_output=True,
            check=False,
            cwd=self.folder,
            env=self.environment(variables),
        )
        return Said(process.returncode, process.stdout.decode("utf-8"), process.stderr.decode())

    def start(
        self,
        *arguments: str,
        out: IO[bytes] | int = subprocess.PIPE,
        err: IO[bytes] | int = subprocess.PIPE,
        variables: Mapping[str, str] | None = None,
    ) -> subprocess.Popen[bytes]:
        """Start a command, with pipes for all it reads and writes, unless others are given."""
        return subprocess.Popen(  # noqa: S603 - our own interpreter
            [*COMMAND, *arguments],
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=err,
            cwd=self.folder,
            env=self.environment(variables),
        )

    def write(self, pages: Mapping[str, str | bytes], *, folder: str = "docs") -> None:
        """Write files into a folder below this one."""
        for name, text in pages.items():
            path = self.folder / folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode("utf-8") if isinstance(text, str) else text)

    def configure(self, text: str = "site_name: Larch\n") -> None:
        """Write `mkdocs.yml`."""
        (self.folder / "mkdocs.yml").write_text(text, encoding="utf-8")
