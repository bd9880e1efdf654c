"""`mkdocs-recall lock`, `check`, `verify`, `impact`, `graph`: what answers depend on, and changes.

`lock` accepts the answers of the directives, and `check` notices changes. `verify` says whether the
pages still say what was quoted of them, `impact` which directives answer otherwise because of an
edit, `graph` which page asks, quotes and links to which other.
"""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from mkdocs_recall.cli.options import any_where_options, format_options, json_option, where_options
from mkdocs_recall.cli.output import (
    Status,
    complain,
    note,
    note_all,
    one_line,
    say,
    say_as_is,
    say_json,
)
from mkdocs_recall.errors import RecordError, SiteError
from mkdocs_recall.messages import shown_path, single_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mkdocs_recall.answers.impact import Impact, SiteState
    from mkdocs_recall.answers.statements import Claim, Verification
    from mkdocs_recall.answers.survey import Edge, Graph
    from mkdocs_recall.cli.where import Where


@click.command()
@where_options
@click.option("--accept", is_flag=True, help="Approve changed answers, too.")
def lock(where: Where, *, accept: bool) -> int:
    """Write the answers of all directives to recall.lock.

    The file is beside mkdocs.yml. If an answer in it has changed, the command prints the changes
    and leaves the file as it is; --accept writes them.
    """
    from mkdocs_recall.answers.lock import read_lock, write_lock
    from mkdocs_recall.cli.findings import ACCEPT, count_noun, lock_file, survey

    path = lock_file(where)
    before = None if accept or not path.exists() else read_lock(path)
    answers = survey(where, before or ())
    faults = answers.faults()
    for fault in faults:
        (complain if fault.kind == "mistake" else note)(fault.text())
    if any(fault.kind == "mistake" for fault in faults):
        return Status.WRONG
    changes = [] if before is None else answers.changes(before)
    if changes:
        say("\n\n".join(change.text() for change in changes))
        complain(f"'{path}' is not written: {count_noun(len(changes), 'answer')} changed; {ACCEPT}")
        return Status.CHANGED
    write_lock(path, answers.entries)
    note(f"'{path}' holds {count_noun(len(answers.entries), 'answer')}.")
    return Status.CHANGED if faults else Status.FOUND


@click.command()
@click.option(
    "--doubts",
    is_flag=True,
    help="Also print what speaks against answers without an 'expect' that are not in recall.lock.",
)
@where_options
@format_options
def check(where: Where, *, doubts: bool, output_format: str) -> int:
    """Compare the answers of all directives with recall.lock.

    Prints each directive whose answer has changed, with the answer before and after, and each
    directive whose answer does not meet its 'expect'. In both cases the exit status is 3. It is 2
    if a directive has an error or there is no lock file.

    With --doubts, also prints what speaks against an answer, as facts; it needs no lock file, and
    the exit status stays the same.
    """
    from mkdocs_recall.answers.lock import read_lock
    from mkdocs_recall.cli.findings import (
        ACCEPT,
        count_noun,
        github_annotations,
        lock_file,
        survey,
    )

    path = lock_file(where)
    is_locked = path.exists() or not doubts
    before = read_lock(path) if is_locked else ()
    answers = survey(where, before, doubts=doubts)
    faults, changes = answers.faults(), answers.changes(before) if is_locked else []
    findings = [*faults, *changes, *(answers.doubts(before, changes) if doubts else ())]
    note_all(answers.accepted_fallbacks())
    if output_format == "json":
        say_json({"schema": 1, "findings": [finding.record() for finding in findings]})
    elif findings and output_format == "github":
        say_as_is("\n".join(github_annotations(findings)))
    elif findings:
        say("\n\n".join(finding.text() for finding in findings))
    if faults:
        kinds = ", ".join(dict.fromkeys(fault.title for fault in faults))
        note(f"{count_noun(len(faults), 'finding')}: {kinds}.")
    if doubts and all(finding.kind != "doubt" for finding in findings):
        note("No doubts about answers that are neither approved nor state what they expect.")
    if changes:
        note(f"{count_noun(len(changes), 'answer')} changed; {ACCEPT}.")
    if any(fault.kind == "mistake" for fault in faults):
        return Status.WRONG
    return Status.CHANGED if faults or changes else Status.FOUND


_STDIN = "-"
_HTML = frozenset({".html", ".htm"})


@click.command()
@click.argument("file", metavar="FILE", type=click.Path(dir_okay=False))
@any_where_options
@json_option
def verify(where: Where, file: str, *, as_json: bool) -> int:
    """Say of each quote in FILE whether the pages still say it.

    FILE is JSON that a command with --json has written, Markdown or HTML with quotes; '-' is stdin.
    A quote is exact, moved (it stands in another section or page), changed or gone. The exit status
    is 3 if one is changed or gone, and 1 if there is no quote in FILE.
    """
    from mkdocs_recall.answers.statements import VERDICTS, Verifier

    claims = _read(file)
    folder = "" if file == _STDIN else str(Path(file).parent)
    with where.reading() as corpus:
        results = list(Verifier(corpus, folder).verify(claims))
        site = corpus.site
    note_all(corpus.warnings)
    others = dict.fromkeys(claim.site for claim in claims if claim.site not in {"", site})
    if site and others:
        note(f"Note: some quotes are of '{', '.join(others)}', and this site is '{site}'")
    if as_json:
        say_json({"schema": 1, "quotes": [result.record() for result in results]})
    elif results:
        say("\n".join(result.text() for result in results))
    counts = Counter(result.verdict for result in results)
    note(", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS) + ".")
    return _status(results)


def _status(results: Sequence[Verification]) -> Status:
    if not results:
        return Status.NOTHING
    failed = any(result.verdict in {"changed", "gone"} for result in results)
    return Status.CHANGED if failed else Status.FOUND


def _read(file: str) -> list[Claim]:
    """Return the quotes in a file."""
    from mkdocs_recall.answers.statements import quotes_in_html, quotes_in_markdown, read_claims

    try:
        if file == _STDIN:
            content = sys.stdin.buffer.read() if sys.stdin is not None else b""
        else:
            content = Path(file).read_bytes()
        text = content.decode("utf-8-sig")
    except OSError as error:
        msg = f"'{file}' cannot be read: {error.strerror or error}"
        raise SiteError(msg) from error
    except UnicodeDecodeError as error:
        msg = f"'{file}' is not UTF-8"
        raise SiteError(msg) from error
    suffix, start = Path(file).suffix.lower(), text.lstrip()[:1]
    if suffix == ".json" or (file == _STDIN and start in {"{", "["}):
        try:
            return read_claims(text)
        except RecordError as error:
            name = "the standard input" if file == _STDIN else f"'{file}'"
            msg = f"{name} has no quotes to verify: {error}"
            raise RecordError(msg) from error
    if suffix in _HTML or (file == _STDIN and start == "<"):
        return quotes_in_html(text)
    return quotes_in_markdown(text)


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
    the work tree with HEAD unless named, and prints each directive that answers differently, with
    both answers and why. Then the exit status is 3. The work tree is only read.
    """
    if not (lines or diff or staged or whole):
        diff = "HEAD"
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
    from mkdocs_recall.answers.impact import counts

    numbers = counts(impacts)
    _report(changed, output_format, {"counts": numbers})
    if whole:
        note(", ".join(f"{number} {kind}" for kind, number in numbers.items()))
    else:
        note(_impact_summary(len(changed), len(impacts)))
    return Status.CHANGED if changed else Status.FOUND


def _compared(where: Where, diff: str | None, whole: tuple[str, str] | None) -> Sequence[Impact]:
    """Return all directives of two states, with their changes."""
    if whole and all(map(os.path.isdir, whole)):
        if where.config or where.docs:
            msg = "--all with two folders finds their pages itself; leave out --config and --docs"
            raise click.UsageError(msg)
        from mkdocs_recall.answers.impact import impacts

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
    from mkdocs_recall.answers.impact import survey_state
    from mkdocs_recall.cli.where import Where
    from mkdocs_recall.pages.config import config_in

    config = config_in(Path(folder))
    where = Where(str(config)) if config else Where(docs=folder)
    with where.reading() as corpus:
        return survey_state(corpus, where.defaults(), where.limits())


def _touched(where: Where, lines: str, output_format: str) -> int:
    """Print the directives that quote some lines of a page."""
    from mkdocs_recall.answers.impact import Impact, quotes_lines, survey_state

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


def _impact_summary(changed: int, total: int) -> str:
    from mkdocs_recall.cli.findings import count_noun

    return (
        f"{changed} of {count_noun(total, 'answer')} changed." if changed else "No answer changes."
    )


def _head(found: Impact) -> str:
    """Return the place and the queries of a directive, on one line."""
    from mkdocs_recall.cli.findings import quoted_queries

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
        say_json({"schema": 1, **record, "impacts": list(map(_impact_record, found))})
    elif found and output_format == "github":
        say_as_is("\n".join(map(_annotation, found)))
    elif found:
        say("\n\n".join(map(_text, found)))


def _text(found: Impact) -> str:

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


def _impact_record(found: Impact) -> dict[str, Any]:
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


_MOST: Final = 10
"""The number of pages that are listed as asked most."""


@click.command()
@where_options
@click.option(
    "--to",
    "target",
    metavar="PAGE",
    default="",
    help="Only what leads to this page, or with #anchor to this section.",
)
@click.option(
    "--from",
    "page",
    metavar="PAGE",
    default="",
    help="Only what starts on this page.",
)
@click.option(
    "--format",
    "output_format",
    type=click.Choice(("text", "json", "dot", "mermaid")),
    default="text",
    show_default=True,
    help="text for people, json for programs, dot for Graphviz, mermaid for Markdown.",
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
def graph(where: Where, *, target: str, page: str, output_format: str, as_json: bool) -> int:
    """Show which page asks, quotes and links to which other.

    A page asks the sources of its directives. Without --to and --from, text and JSON also list the
    pages that most directives ask, and the orphans: pages that no other page links to or quotes.
    """
    from mkdocs_recall.answers.survey import Graph, as_dot, as_mermaid, survey_directives
    from mkdocs_recall.gc_pause import gc_paused

    defaults = where.defaults()
    with where.reading() as corpus, gc_paused():
        directives = list(
            survey_directives(corpus, defaults, limits=where.limits(), finder=where.finder())
        )
        found = Graph(corpus, directives)
        edges = found.between(page=page, target=target)
    note_all(corpus.warnings)
    for directive in directives:
        if directive.error:
            place = f"{directive.page}:{directive.line}"
            note(f"Note: {place}: {directive.directive} is left out: {directive.error}")
    is_whole = not (page or target)
    if as_json or output_format == "json":
        say_json(_graph_record(found, edges, is_whole=is_whole))
    elif output_format == "dot":
        say(as_dot(edges))
    elif output_format == "mermaid":
        say(as_mermaid(edges))
    elif lines := [*map(_line, edges), *(_graph_summary(found) if is_whole else ())]:
        say("\n".join(lines))
    if not edges:
        note("Nothing found: no page asks, quotes or links to another there.")
    return Status.FOUND if edges else Status.NOTHING


def _line(edge: Edge) -> str:
    place = edge.page if edge.line is None else f"{edge.page}:{edge.line}"
    kind = "links to" if edge.kind == "links" else edge.kind
    return single_line(f"{place} {kind} {edge.target}")


def _graph_summary(graph: Graph) -> Iterator[str]:
    """Yield the lines on pages that are asked most, and on orphans."""
    if most := graph.asked_most(_MOST):
        yield ""
        yield "Asked most:"
        yield from (f"  {single_line(page.uri)} ({page.asked})" for page in most)
    if orphans := graph.orphans:
        yield ""
        yield "Orphans:"
        yield from (f"  {single_line(uri)}" for uri in orphans)


def _graph_record(graph: Graph, edges: Sequence[Edge], *, is_whole: bool) -> dict[str, Any]:
    record: dict[str, Any] = {
        "schema": 1,
        "edges": [
            {"kind": edge.kind, "from": edge.page, "to": edge.target, "line": edge.line}
            for edge in edges
        ],
    }
    if is_whole:
        record["pages"] = [
            {
                "uri": page.uri,
                "title": page.title,
                "asked": page.asked,
                "quoted": page.quoted,
                "linked": page.linked,
            }
            for page in graph.pages
        ]
        record["asked_most"] = [page.uri for page in graph.asked_most(_MOST)]
        record["orphans"] = graph.orphans
    return record
