"""The output of commands: data on stdout, everything else on stderr, progress on a terminal.

Control characters are escaped, so that no text of a page can drive a terminal.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import ExitStack, contextmanager, redirect_stdout, suppress
from enum import IntEnum
from pathlib import Path
from textwrap import indent
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, TextIO
from unicodedata import combining, east_asian_width

from mkdocs_recall.messages import escape_invisible, location, one_line, single_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from mkdocs_recall.answers.survey import Finding
    from mkdocs_recall.pages.corpus import Corpus
    from mkdocs_recall.ranking.result import Passage, Result

_STDOUT = 1
_STDERR = 2
_GAP = "  "
_CHUNK = 512 // 4
"""Characters per write: by POSIX, a pipe takes 512 bytes at once."""
_PATIENCE: Final = 1.0
_PAUSE: Final = 0.1
_LEVELS: Final = ("notice", "warning", "error")
"""GitHub's levels, the worst last."""
_LONG_PAUSE: Final = 10.0


class Status(IntEnum):
    """The exit status of a command."""

    FOUND = 0
    NOTHING = 1
    WRONG = 2
    """An error in the command or the configuration."""
    CHANGED = 3
    """A check failed."""


@contextmanager
def data_only() -> Iterator[None]:
    """Redirect to stderr what other code and programs print meanwhile."""
    with ExitStack() as restore, redirect_stdout(sys.stderr):
        with suppress(OSError):  # a process may start without one of these
            stdout = os.dup(_STDOUT)
            restore.callback(os.close, stdout)
            os.dup2(_STDERR, _STDOUT)
            restore.callback(os.dup2, stdout, _STDOUT)
        yield


def read_stdin(most: int = -1) -> bytes:
    """Return up to `most` bytes of stdin; a process may start without it."""
    return sys.stdin.buffer.read(most) if sys.stdin is not None else b""


def discard_stdout() -> None:
    """Redirect stdout to nowhere: its buffer is written at exit."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def say(text: str) -> None:
    """Write data and a line end to stdout."""
    say_as_is(escape_invisible(text))


def say_as_is(text: str) -> None:
    """Write text that is already escaped to stdout."""
    _write(sys.stdout, text)


def say_json(record: Mapping[str, Any]) -> None:
    """Write a record to stdout as JSON on one line, encodable for the stream."""
    from mkdocs_recall.ranking.result import as_json

    encoding = (getattr(sys.stdout, "encoding", None) or "").lower()
    say(as_json(record) if encoding.startswith("utf") else json.dumps(record))


def report(findings: Sequence[Finding], output_format: str, name: str, **record: object) -> None:
    """Write findings to stdout as text, as JSON or as GitHub's annotations."""
    if output_format == "json":
        say_json({"schema": 1, **record, name: [finding.record() for finding in findings]})
    elif findings and output_format == "github":
        say_as_is("\n".join(_annotations(findings)))
    elif findings:
        say("\n\n".join(finding.text() for finding in findings))


def _annotations(findings: Iterable[Finding]) -> Iterator[str]:
    by_place: dict[tuple[str, str, int | None], list[Finding]] = {}
    for finding in findings:
        place = finding.directive.file or finding.directive.page, finding.directive.line
        by_place.setdefault((finding.directive.name, *place), []).append(finding)
    for (directive, _, line), group in by_place.items():
        level = max((finding.level for finding in group), key=_LEVELS.index)
        titles = ", ".join(dict.fromkeys(finding.title for finding in group))
        text = "\n".join(finding.details for finding in group)
        file = group[0].directive.file
        yield github_command(level, file, line, f"{directive}: {titles}", text)


def github_command(level: str, file: str, line: int | None, title: str, text: str) -> str:
    """Return one of GitHub's annotation commands, with all others in it escaped."""
    properties = {"line": "" if line is None else str(line), "title": title}
    if file:  # for GitHub: relative to the checked-out repository
        root = os.path.realpath(os.environ.get("GITHUB_WORKSPACE") or Path.cwd())
        path = Path(os.path.realpath(file))
        relative = path.relative_to(root) if path.is_relative_to(root) else path
        properties = {"file": relative.as_posix(), **properties}
    parameters = ",".join(
        f"{name}={_data(value).replace(':', '%3A').replace(',', '%2C')}"
        for name, value in properties.items()
        if value
    )
    return f"::{level} {escape_invisible(parameters)}::{escape_invisible(_data(text))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def note(text: str) -> None:
    """Write a line for the person at the terminal to stderr."""
    _write(sys.stderr, single_line(text))


def note_lines(text: str) -> None:
    """Write several lines for the person at the terminal to stderr."""
    _write(sys.stderr, escape_invisible(text))


def note_all(texts: Iterable[str], form: str = "Note: {}") -> None:
    """Write each text to stderr as a line, in a form."""
    for text in texts:
        note(form.format(text))


def complain(text: str) -> None:
    """Write an error to stderr."""
    note(f"Error: {text}")


def columns(rows: Iterable[Sequence[str]]) -> str:
    """Return rows of cells as lines with aligned columns, numbers to the right."""
    lines = [[one_line(cell) for cell in row] for row in rows]
    aligned = [_column(cells) for cells in zip(*lines, strict=True)]
    return "\n".join(_GAP.join(cells).rstrip() for cells in zip(*aligned, strict=True))


def _column(cells: Sequence[str]) -> Iterator[str]:
    width = max(map(_width, cells))
    numbers = all(cell.replace(".", "", 1).isdecimal() for cell in cells)
    for cell in cells:
        padding = " " * (width - _width(cell))
        yield f"{padding}{cell}" if numbers else f"{cell}{padding}"


def _width(text: str) -> int:
    if text.isascii():
        return len(text)
    wide = sum(east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(combining(character) > 0 for character in text)


def _write(stream: TextIO | None, text: str) -> None:
    # Without buffering, Python misses that only a part of a longer text was written.
    if stream is None:  # a process may start without the stream
        return
    line = f"{text}\n"
    for start in range(0, len(line), _CHUNK):
        stream.write(line[start : start + _CHUNK])


SEPARATOR = "\n\n---\n\n"
_DATE = len("2026-02-11")
_SHOWN = 100


def passage_with_source(passage: Passage) -> str:
    """Return the text of a passage, with its source and date."""
    created = f", created {passage.created[:_DATE]}" if passage.created else ""
    return f"{passage.text}\n\nSource: {_reference(passage)}{created}{_found_by_note(passage)}"


def passage_with_explanation(passage: Passage, reason: str = "") -> str:
    """Return the sentence of a passage, its source and the parts of its score."""
    lines = [one_line(passage.sentence.text, limit=_SHOWN), _reference(passage)]
    lines += [*filter(None, (reason,)), str(passage.explanation)]
    head = f"{passage.rank}. "
    return f"{head}{indent(chr(10).join(lines), ' ' * len(head)).lstrip()}"


def passage_list(passages: Iterable[Passage]) -> str:
    """Return passages as a table of rank, score, source, line and sentence."""
    return columns(
        [
            str(passage.rank),
            f"{passage.score:.3f}",
            passage.source,
            f"{_place(passage)}{_found_by_note(passage)}",
            one_line(passage.sentence.text, limit=_SHOWN),
        ]
        for passage in passages
    )


def section_blocks(passages: Sequence[Passage]) -> list[str]:
    """Return passages as blocks of text, one for each section, with its source."""
    from mkdocs_recall.ranking.quotation import plain_text
    from mkdocs_recall.ranking.result import quoted_sections

    return [
        f"{plain_text(first.document, quotation)}\n\n"
        f"Source: {_reference(first)}{_found_by_note(first)}"
        for first, quotation in quoted_sections(passages)
    ]


def report_result(
    result: Result, corpus: Corpus, text: str, *, as_json: bool, explain: bool = False
) -> Status:
    """Write a result, as text or as JSON, and its notes; return the status."""
    if as_json:
        from mkdocs_recall.ranking.result import result_record

        say_json(result_record(result, explain=explain, lost=explain))
    elif text:
        say(text)
    note_all(dict.fromkeys((*result.diagnostics, *corpus.warnings)))
    if result.passages:
        if result.left_out:
            note(f"Note: {result.why}")
        return Status.FOUND
    note(f"Nothing found: {result.why}." if result.why else "Nothing found.")
    return Status.NOTHING


def _reference(passage: Passage) -> str:
    if publisher := passage.document.publisher:
        where = ", ".join(filter(None, (publisher.title, publisher.licence, passage.url)))
        return f"{passage.source} ({where})"
    where = location(passage.file, passage.line)
    return f"{passage.source} ({where})" if where else passage.source


def _place(passage: Passage) -> str:
    if passage.file.replace(os.sep, "/").endswith(f"/{passage.uri}"):
        return "" if passage.line is None else f"line {passage.line}"
    return location(passage.file, passage.line)


def _found_by_note(passage: Passage) -> str:
    return ", found by meaning" if passage.found_by == "semantic" else ""


@contextmanager
def progress() -> Iterator[Callable[[int, int], None]]:
    """Yield a function that says on stderr how many of all pages are read.

    Its line appears after a second, and is updated in place, then removed; if stderr is not a
    terminal, there is a new line every ten seconds.
    """
    is_visible = sys.stderr is not None and sys.stderr.isatty()
    due = monotonic() + (_PATIENCE if is_visible else _LONG_PAUSE)
    width = 0

    def show(done: int, total: int) -> None:
        nonlocal due, width
        if monotonic() < due:
            return
        text = f"{done} of {total} pages read"
        if is_visible:
            sys.stderr.write(f"\r{text.ljust(width)}")
            sys.stderr.flush()
            width = len(text)
        else:
            note(text)
        due = monotonic() + (_PAUSE if is_visible else _LONG_PAUSE)

    try:
        yield show
    finally:
        if width:
            sys.stderr.write(f"\r{' ' * width}\r")
            sys.stderr.flush()
