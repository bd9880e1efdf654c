"""Real git repositories for the tests of histories and revisions."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from mkdocs_recall.factors.history import PageHistory, read

GIT = shutil.which("git") or ""
LONG = "".join(f"Line {number} of a page that is long enough.\n" for number in range(20))
OTHER = LONG.replace("Line", "Row")
posix = pytest.mark.skipif(sys.platform == "win32", reason="needs programs that are scripts")


def read_histories(files: Iterable[str | Path]) -> dict[str, PageHistory]:
    """Return the histories of files, with the author's dates."""
    return read(files).past


def created(files: Iterable[str | Path]) -> dict[str, str]:
    """Return the date of the commit that created each file, if it is known."""
    return {file: past.dates[-1] for file, past in read(files).past.items() if past.whole}


@dataclass
class Repository:
    """A repository in a separate folder."""

    root: Path

    def git(self, *arguments: str, day: int = 1) -> str:
        """Run git on a day of May 2024; commits are applied a year later."""
        dates = {
            "GIT_AUTHOR_DATE": f"2024-05-{day:02}T10:00:00+02:00",
            "GIT_COMMITTER_DATE": f"2025-05-{day:02}T10:00:00+00:00",
        }
        run = subprocess.run(  # noqa: S603 - git, in a folder of the test
            [GIT, "-c", "user.name=A", "-c", "user.email=a@larch.example", *arguments],
            cwd=self.root,
            env={**os.environ, **dates},
            capture_output=True,
            text=True,
            check=True,
        )
        return run.stdout

    def commit(self, day: int, **pages: str) -> None:
        """Write pages and commit all there is."""
        for name, text in pages.items():
            self.write(f"docs/{name}.md", text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "A change", day=day)

    def follow(self, steps: Iterable[Mapping[str, Any]]) -> None:
        """Take steps: each may `write`, `remove` and `move` files, use `git`, and `commit`.

        `LONG` and `OTHER` stand for text by which git recognises a renamed page.
        """
        for step in steps:
            for path, text in step.get("write", {}).items():
                self.write(path, text.replace("LONG", LONG).replace("OTHER", OTHER))
            for path in step.get("remove", []):
                (self.root / path).unlink()
            for old, new in step.get("move", []):
                (self.root / new).parent.mkdir(parents=True, exist_ok=True)
                self.git("mv", old, new)
            for command in step.get("git", []):
                self.git(*command, day=step.get("day", 1))
            if "commit" in step:
                self.commit(step["commit"])

    def commit_with_impossible_date(self) -> None:
        """Make the staged tree the only commit."""
        person = "A <a@larch.example> 1714550400 +9999"
        tree = self.git("write-tree").strip()
        raw = f"tree {tree}\nauthor {person}\ncommitter {person}\n\nA change\n"
        (self.root.parent / "raw").write_text(raw, encoding="utf-8", newline="\n")
        name = self.git("hash-object", "-t", "commit", "-w", "--literally", "../raw").strip()
        self.git("reset", "--quiet", "--hard", name)

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def file(self, path: str) -> str:
        return str(self.root / path)

    def created(self, path: str) -> str | None:
        return created([self.file(path)]).get(self.file(path))

    def past(self, path: str) -> PageHistory:
        return read_histories([self.file(path)])[self.file(path)]


def day(number: int) -> str:
    return f"2024-05-{number:02}T10:00:00+02:00"


def calls_of_git(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the file that records the arguments of git's calls from now on."""
    calls = repository.root.parent / "calls"
    programs = repository.root.parent / "programs"
    programs.mkdir()
    script(programs / "git", f'echo "$@" >> "{calls}"; exec "{GIT}" "$@"')
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    return calls


def script(path: Path, text: str) -> Path:
    """Write a program."""
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return path
