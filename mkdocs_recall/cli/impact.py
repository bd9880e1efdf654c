"""`mkdocs-recall impact`: which directives answer otherwise because of an edit."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from mkdocs_recall.cli.format_options import format_options
from mkdocs_recall.cli.output import Status, data_only, note, say, say_as_is, say_json
from mkdocs_recall.cli.where_options import where_options
from mkdocs_recall.errors import SiteError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mkdocs_recall.cli.where import Where
    from mkdocs_recall.review.impact import Impact
    from mkdocs_recall.review.states import SiteLocation

_RANGE: Final = re.compile(
    r"(?P<file>.+?)(?::(?P<first>\d{1,9})(?:-(?P<last>\d{1,9}))?)?\Z", re.DOTALL
)
_TITLES: Final = {
    "same": "the same",
    "reworded": "answer reworded",
    "value": "value changed",
    "replaced": "another answer",
    "moved": "answer moved",
    "lost": "answer lost",
    "new": "new answer",
}


@click.command()
@where_options
@click.argument("lines", metavar="[FILE[:FIRST[-LAST]]]", required=False)
@click.option(
    "--diff",
    metavar="BASE..HEAD",
    help="Compare two revisions; BASE...HEAD starts where they parted, BASE alone ends with the "
    "work tree.",
)
@click.option("--staged", is_flag=True, help="Compare git's index with the last commit.")
@click.option(
    "--all",
    "whole",
    nargs=2,
    metavar="OLD NEW",
    help="Compare two revisions or two folders, and count all directives.",
)
@format_options
def impact(
    where: Where,
    *,
    lines: str | None,
    diff: str | None,
    staged: bool,
    whole: tuple[str, str] | None,
    output_format: str,
) -> int:
    """Show which directives' answers an edit changes.

    With FILE:10-20, prints the directives that quote these lines. Otherwise compares two states,
    and prints each directive that answers differently, with both answers and why. Then the exit
    status is 3. The work tree is only read.
    """
    if sum(map(bool, (lines, diff, staged, whole))) != 1:
        msg = "name either FILE:10-20, --diff BASE..HEAD, --staged, or --all OLD NEW"
        raise click.UsageError(msg)
    if where.built is not None:
        msg = "--built has no states to compare; leave it out, or use --docs"
        raise click.UsageError(msg)
    if lines:
        return _touched(where, lines, output_format)
    with data_only():
        impacts = _compared(where, diff, whole)
    changed = [found for found in impacts if found.kind != "same"]
    from mkdocs_recall.review.impact import counts

    numbers = counts(impacts)
    if output_format == "json":
        records = [_record(found) for found in changed]
        say_json({"schema": 1, "counts": numbers, "impacts": records})
    elif changed and output_format == "github":
        say_as_is("\n".join(map(_annotation, changed)))
    elif changed:
        say("\n\n".join(map(_text, changed)))
    if whole:
        note(", ".join(f"{number} {kind}" for kind, number in numbers.items()))
    else:
        note(_summary(len(changed), len(impacts)))
    return Status.CHANGED if changed else Status.FOUND


def _compared(where: Where, diff: str | None, whole: tuple[str, str] | None) -> Sequence[Impact]:
    """Return all directives of two states, with their changes."""
    from mkdocs_recall.gc_pause import gc_paused
    from mkdocs_recall.review.impact import Comparison
    from mkdocs_recall.review.states import (
        INDEX,
        WORK_TREE,
        git_states,
        location_of_folder,
        open_state,
    )
    from mkdocs_recall.temporal.git import GitError

    if whole and all(map(os.path.isdir, whole)):
        if where.config or where.docs:
            msg = "--all with two folders finds their pages itself; leave out --config and --docs"
            raise click.UsageError(msg)
        places = [location_of_folder(Path(folder)) for folder in whole]
        states = [open_state(place, place.cache()) for place in places]
        with gc_paused():
            found = tuple(Comparison(*states).impacts())
        for state in reversed(states):
            state.save()
        return found
    if whole and any(map(os.path.isdir, whole)):
        msg = "--all takes two folders or two revisions, not one of each"
        raise click.UsageError(msg)
    before, after = whole or ("HEAD", INDEX)
    place = _place(where)
    if diff:
        before, dots, after = diff.partition("...") if "..." in diff else diff.partition("..")
        before, after = before or "HEAD", after or ("HEAD" if dots else WORK_TREE)
        if dots == "...":
            from mkdocs_recall.temporal.revisions import commit_name, merge_base, top_folder

            top = top_folder(place.folder)
            before = merge_base(top, commit_name(top, before), commit_name(top, after))
    try:
        with git_states(place, before, after) as pair, gc_paused():
            return tuple(Comparison(*pair).impacts())
    except OSError as error:
        msg = f"the files of a revision cannot be written: {error}"
        raise GitError(msg) from error


def _place(where: Where) -> SiteLocation:
    from mkdocs_recall.review.states import SiteLocation

    return SiteLocation(None, Path(where.docs)) if where.docs else SiteLocation(where.config_file())


def _touched(where: Where, lines: str, output_format: str) -> int:
    """Print the directives that quote some lines of a page."""
    from mkdocs_recall.gc_pause import gc_paused
    from mkdocs_recall.review.impact import touched_directives
    from mkdocs_recall.review.states import open_state

    path, first, last = _parsed(lines)
    place = _place(where)
    with data_only():
        state = open_state(place, place.cache())
        pages = {os.path.realpath(file): uri for uri, file in state.corpus.files.items()}
        uri = pages.get(os.path.realpath(path))
        if uri is None:
            msg = f"'{path}' is not a page of this documentation; 'mkdocs-recall pages' lists them"
            raise SiteError(msg)
        with gc_paused():
            found = list(touched_directives(state, uri, first, last))
        state.save()
    if output_format == "json":
        say_json({"schema": 1, "impacts": [_record(each) for each in found]})
    elif found and output_format == "github":
        say_as_is("\n".join(_quoted_annotation(each) for each in found))
    elif found:
        say("\n\n".join(map(_quoted_text, found)))
    if not found:
        note("No directive quotes these lines.")
    return Status.FOUND if found else Status.NOTHING


def _parsed(lines: str) -> tuple[Path, int, int]:
    """Return the file and the first and last line that an argument names.

    Raises:
        UsageError: There is no such file, or it has no such line.
    """
    match = None if Path(lines).exists() else _RANGE.match(lines)
    path = Path(match["file"] if match else lines)
    if not path.is_file():
        msg = f"there is no file '{path}'"
        raise click.UsageError(msg)
    with path.open("rb") as file:
        length = max(1, sum(1 for _ in file))
    first = int(match["first"]) if match and match["first"] else 1
    last = int(match["last"]) if match and match["last"] else first
    if match is None or not match["first"]:
        return path, 1, length
    if not 1 <= first <= last <= length:
        shown = f"{first}" if first == last else f"{first}-{last}"
        msg = f"'{path}' has the lines 1-{length}, and not {shown}"
        raise click.UsageError(msg)
    return path, first, last


def _summary(changed: int, total: int) -> str:
    from mkdocs_recall.cli.findings import count_noun

    return (
        f"{changed} of {count_noun(total, 'answer')} changed." if changed else "No answer changes."
    )


def _head(found: Impact) -> str:
    """Return the place and the queries of a directive, on one line."""
    from mkdocs_recall.cli.findings import quoted_queries
    from mkdocs_recall.messages import shown_path, single_line

    place = shown_path(found.file) if found.file else found.page
    entry = found.after or found.before
    queries = quoted_queries(entry) if entry else ""
    return single_line(f"{place}:{found.line}: {found.directive}{queries}")


def _title(found: Impact) -> str:
    values = ", ".join(f"{old} → {new}" for old, new in found.values)
    return f"{_TITLES[found.kind]}{f' ({values})' if values else ''}"


def _text(found: Impact) -> str:
    from mkdocs_recall.messages import single_line

    head = single_line(f"{_head(found)}: {_title(found)}: {found.why}")
    return "\n".join([head, *found.change.lines()])


def _quoted_text(found: Impact) -> str:
    from mkdocs_recall.cli.output import one_line

    quotes = (f"  line {quote.line or '?'}: {one_line(quote.text)}" for quote in found.quotes_after)
    return "\n".join([_head(found), *quotes])


def _annotation(found: Impact) -> str:
    text = "\n".join([found.why, *found.change.lines()])
    return _command("warning", found, _title(found), text)


def _quoted_annotation(found: Impact) -> str:
    text = "\n".join(quote.text for quote in found.quotes_after)
    return _command("notice", found, "quotes these lines", text)


def _command(level: str, found: Impact, title: str, text: str) -> str:
    """Return one of GitHub's annotation commands, with all others in it escaped."""
    from mkdocs_recall.cli.findings import escape_data, escape_property, in_workspace
    from mkdocs_recall.messages import escape_invisible

    properties = {
        "file": found.file and in_workspace(found.file),
        "line": str(found.line),
        "title": f"{found.directive}: {title}",
    }
    shown = ",".join(f"{name}={escape_property(v)}" for name, v in properties.items() if v)
    return f"::{level} {escape_invisible(shown)}::{escape_invisible(escape_data(text))}"


def _record(found: Impact) -> dict[str, Any]:
    from mkdocs_recall.cli.findings import answer_record

    entry = found.after or found.before
    return {
        "kind": found.kind,
        "page": found.page,
        "file": found.file,
        "line": found.line,
        "directive": found.directive,
        "query": list(entry.query) if entry else [],
        "why": found.why,
        "values": [{"before": old, "after": new} for old, new in found.values],
        "before": _side(answer_record(found.before), found.quotes_before),
        "after": _side(answer_record(found.after), found.quotes_after),
    }


def _side(answer: dict[str, Any] | None, quotes: Iterable[Any]) -> dict[str, Any] | None:
    if answer is None:
        return None
    return answer | {"quotes": [quote._asdict() for quote in quotes]}
