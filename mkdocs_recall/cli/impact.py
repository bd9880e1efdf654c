"""`mkdocs-recall impact`: which directives answer otherwise because of an edit."""

from __future__ import annotations

import os
import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from mkdocs_recall.cli.format_options import format_options
from mkdocs_recall.cli.output import Status, note, say, say_as_is, say_json
from mkdocs_recall.cli.where_options import where_options
from mkdocs_recall.errors import SiteError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mkdocs_recall.cli.where import Where
    from mkdocs_recall.review.impact import Impact, SiteState

_RANGE: Final = re.compile(
    r"(?P<file>.+?)(?::(?P<first>\d{1,9})(?:-(?P<last>\d{1,9}))?)?\Z", re.DOTALL
)
_TITLES: Final = {
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
    impacts = _compared(where, diff, whole)
    changed = [found for found in impacts if found.kind != "same"]
    from mkdocs_recall.review.impact import counts

    numbers = counts(impacts)
    _report(changed, output_format, {"counts": numbers})
    if whole:
        note(", ".join(f"{number} {kind}" for kind, number in numbers.items()))
    else:
        note(_summary(len(changed), len(impacts)))
    return Status.CHANGED if changed else Status.FOUND


def _compared(where: Where, diff: str | None, whole: tuple[str, str] | None) -> Sequence[Impact]:
    """Return all directives of two states, with their changes."""
    if whole and all(map(os.path.isdir, whole)):
        if where.config or where.docs:
            msg = "--all with two folders finds their pages itself; leave out --config and --docs"
            raise click.UsageError(msg)
        from mkdocs_recall.review.impact import impacts

        return list(impacts(_state_of_folder(whole[0]), _state_of_folder(whole[1])))
    if whole and any(map(os.path.isdir, whole)):
        msg = "--all takes two folders or two revisions, not one of each"
        raise click.UsageError(msg)
    from mkdocs_recall.cli.revisions import INDEX, WORK_TREE, impacts_in_git

    if diff is None:
        return impacts_in_git(where, *(whole or ("HEAD", INDEX)))
    before, dots, after = diff.partition("...") if "..." in diff else diff.partition("..")
    after = after or ("HEAD" if dots else WORK_TREE)
    return impacts_in_git(where, before or "HEAD", after, parted=dots == "...")


def _state_of_folder(folder: str) -> SiteState:
    """Answer the directives in a folder: those of a site where it has a configuration."""
    from mkdocs_recall.cli.where import Where
    from mkdocs_recall.readers.mkdocs_yml import config_in
    from mkdocs_recall.review.impact import survey_state

    config = config_in(Path(folder))
    where = Where(str(config)) if config else Where(docs=folder)
    with where.reading() as corpus:
        return survey_state(corpus, where.defaults(), where.limits())


def _touched(where: Where, lines: str, output_format: str) -> int:
    """Print the directives that quote some lines of a page."""
    from mkdocs_recall.review.impact import Impact, quotes_lines, survey_state

    path, first, last = _parsed(lines)
    with where.reading() as corpus:
        pages = {os.path.realpath(file): uri for uri, file in corpus.files.items()}
        uri = pages.get(os.path.realpath(path))
        if uri is None:
            msg = f"'{path}' is not a page of this documentation; 'mkdocs-recall pages' lists them"
            raise SiteError(msg)
        wanted = partial(quotes_lines, uri=uri, first=first, last=last)
        state = survey_state(corpus, where.defaults(), where.limits(), quotes=wanted)
    found = [
        Impact("same", directive, "", None, directive.entry, quotes_after=quotes)
        for directive in state.directives
        if (quotes := state.quotes_of(directive.entry))
    ]
    _report(found, output_format, {})
    if not found:
        note("No directive quotes these lines.")
    return Status.FOUND if found else Status.NOTHING


def _parsed(lines: str) -> tuple[Path, int, int]:
    """Return the file and the first and last line that an argument names."""
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

    directive, entry = found.directive, found.after or found.before
    queries = quoted_queries(entry) if entry else ""
    place = f"{shown_path(directive.file)}:{directive.line}"
    return single_line(f"{place}: {directive.directive}{queries}")


def _title(found: Impact) -> str:
    values = ", ".join(f"{old} → {new}" for old, new in found.values)
    return f"{_TITLES[found.kind]}{f' ({values})' if values else ''}"


def _report(found: Iterable[Impact], output_format: str, record: Mapping[str, Any]) -> None:
    """Print the changes, or the directives that quote some lines: those are of the kind `same`."""
    if output_format == "json":
        say_json({"schema": 1, **record, "impacts": list(map(_record, found))})
    elif found and output_format == "github":
        say_as_is("\n".join(map(_annotation, found)))
    elif found:
        say("\n\n".join(map(_text, found)))


def _text(found: Impact) -> str:
    from mkdocs_recall.cli.output import one_line
    from mkdocs_recall.messages import single_line

    if found.kind == "same":
        quotes = found.quotes_after
        lines = [f"  line {quote.line or '?'}: {one_line(quote.text)}" for quote in quotes]
        return "\n".join([_head(found), *lines])
    head = single_line(f"{_head(found)}: {_title(found)}: {found.why}")
    return "\n".join([head, *found.change.lines()])


def _annotation(found: Impact) -> str:
    from mkdocs_recall.cli.findings import github_command

    directive = found.directive
    level, title = "warning", _title(found)
    lines = [found.why, *found.change.lines()]
    if found.kind == "same":
        level, title = "notice", "quotes these lines"
        lines = [quote.text for quote in found.quotes_after]
    title = f"{directive.directive}: {title}"
    return github_command(level, directive.file, directive.line, title, "\n".join(lines))


def _record(found: Impact) -> dict[str, Any]:
    from mkdocs_recall.cli.findings import answer_record

    entry = found.after or found.before
    return {
        "kind": found.kind,
        "page": found.directive.page,
        "file": found.directive.file,
        "line": found.directive.line,
        "directive": found.directive.directive,
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
