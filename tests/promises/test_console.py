"""Every block of console output in the documentation is what its commands print, in order.

A block `console` holds commands and their output. `…` alone on a line stands for lines left out,
and at the end of a line for the rest of it.
A block with a title is a file, written before the commands that follow it are run.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from golden_demo import DEMO, ROOT
from terminal import Terminal

BLOCK: Final = re.compile(
    r'^(?P<fence>`{3,})(?P<language>\w+)(?: title="(?P<title>[^"]+)")?\n(?P<text>.*?)^(?P=fence)$',
    re.DOTALL | re.MULTILINE,
)
EDIT: Final = re.compile(r"sed -i 's/(?P<before>[^/]+)/(?P<after>[^/]+)/' (?P<file>\S+)")
IN_THE_TUTORIAL: Final = {
    "answers-under-test.md",
    "approved-answers.md",
    "getting-started.md",
    "impact.md",
    "receipts.md",
}
"""The pages whose commands are run in the site of the tutorial, not in this one."""


def blocks(page: str) -> Iterator[tuple[str, str, str]]:
    """Yield the language, the title and the text of each block of a page."""
    for match in BLOCK.finditer((DEMO / page).read_text(encoding="utf-8")):
        yield match["language"], match["title"] or "", match["text"]


PAGES: Final = [
    name
    for name in sorted(path.relative_to(DEMO).as_posix() for path in DEMO.rglob("*.md"))
    if any(language == "console" for language, _, _ in blocks(name))
]


def committed(terminal: Terminal) -> Terminal:
    """Commit all files in the folder of a terminal, at one time."""
    date = "2026-02-11T12:00:00+00:00"
    names = {
        f"GIT_{who}_{what}": "a@b.example"
        for who in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    }
    dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
    terminal = Terminal(terminal.folder, {**names, **dates})
    for line in ("git init -b main", "git add .", "git commit -m 'docs: Write pages'"):
        assert run(terminal, line)[0] == 0
    return terminal


def site(folder: Path, page: str) -> Terminal:
    """Return a terminal in the site of a page, with a history of one commit."""
    if page in IN_THE_TUTORIAL:
        terminal = Terminal(folder)
        shown = [(title, text) for _, title, text in blocks("getting-started.md") if title]
        terminal.write(dict(reversed(shown)), folder=".")  # each as it is at first
    else:
        shutil.copytree(DEMO, folder / "demo_site")
        shutil.copy(ROOT / "mkdocs.yml", folder)
        terminal = Terminal(folder)
    return committed(terminal)


def run(terminal: Terminal, command: str) -> tuple[int, list[str]]:
    """Run a line as a shell would, and return its status and what it prints.

    A terminal shows the two streams as they come, so either may be first.
    """
    if edit := EDIT.fullmatch(command):  # `sed -i` takes other arguments on macOS
        path = terminal.folder / edit["file"]
        text = path.read_text(encoding="utf-8")
        assert edit["before"] in text, command
        after = edit["after"].replace(r"\n", "\n")
        path.write_text(text.replace(edit["before"], after), encoding="utf-8")
        return 0, [""]
    program, *arguments = shlex.split(command)
    if program == "mkdocs-recall" and not {"|", "<", ">"} & {*arguments}:
        outcome = terminal.run(*arguments)
        return outcome.status, [outcome.err + outcome.out, outcome.out + outcome.err]
    paths = f"{Path(sys.executable).parent}:{terminal.environment()['PATH']}"
    process = subprocess.run(  # noqa: S603 - our own documentation
        ["bash", "-c", command],  # noqa: S607
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        cwd=terminal.folder,
        env=terminal.environment({"PATH": paths}),
    )
    return process.returncode, [process.stdout.decode("utf-8")]


def pattern(shown: str) -> str:
    """Return a pattern for what is printed, where `…` stands for what is left out."""
    lines = shown.splitlines(keepends=True)
    return "".join(
        "(?s:.*)" if line == "…\n" else re.escape(line).replace("…\\\n", ".*\n") for line in lines
    )


@pytest.mark.skipif(shutil.which("bash") is None, reason="the blocks are written for a shell")
@pytest.mark.parametrize("page", PAGES)
def test_the_commands_of_a_page_print_what_is_shown(tmp_path: Path, page: str) -> None:
    terminal = site(tmp_path, page)
    for language, title, text in blocks(page):
        if title:
            terminal.write({title: text}, folder=".")
        if language != "console":
            continue
        _, *parts = re.split(r"^\$ (.*)\n", text, flags=re.MULTILINE)
        assert parts, f"{page}: a block without a command: {text}"
        for command, shown in zip(parts[::2], parts[1::2], strict=True):
            _, printed = run(terminal, command)
            expected = re.compile(pattern(shown))
            assert any(map(expected.fullmatch, printed)), f"$ {command}\n{printed[-1]}"
