"""The commands `lock`, `check`, `verify`, `impact`, `graph` and `evaluate`."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from mkdocs_recall.cli import output
from mkdocs_recall.cli.options import (
    Where,
    any_where_options,
    cluster_options,
    format_options,
    formats,
    json_option,
    where_options,
)
from mkdocs_recall.cli.output import Status
from mkdocs_recall.errors import RecordError, SiteError
from mkdocs_recall.files import file_errors, read_text
from mkdocs_recall.messages import count_noun, location, shown_path, single_line
from mkdocs_recall.pages.config import config_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mkdocs_recall.answers.evaluation import Outcome, Question
    from mkdocs_recall.answers.lock import LockEntry
    from mkdocs_recall.answers.statements import Claim
    from mkdocs_recall.answers.survey import Edge, Finding, Graph, Survey
    from mkdocs_recall.pages.corpus import Corpus


@click.command()
@where_options
@click.option("--accept", is_flag=True, help="Approve changed answers, too.")
def lock(where: Where, *, accept: bool) -> int:
    """Write the answers of all directives to recall.lock.

    The file is beside mkdocs.yml. If an answer in it has changed, the command prints the changes
    and leaves the file as it is; --accept writes them.
    """
    from mkdocs_recall.answers.lock import ACCEPT, read_lock, write_lock

    path = where.lock_file()
    survey, changes = _surveyed(where, None if accept or not path.exists() else read_lock(path))
    faults = survey.faults()
    for fault in faults:
        write = output.complain if fault.kind == "mistake" else output.note
        write(fault.text())
    if any(fault.kind == "mistake" for fault in faults):
        return Status.WRONG
    if changes:
        output.report(changes, "text", "")
        changed = f"{count_noun(len(changes), 'answer')} changed"
        output.complain(f"'{path}' is not written: {changed}; {ACCEPT}")
        return Status.CHANGED
    write_lock(path, survey.entries)
    output.note(f"'{path}' holds {count_noun(len(survey.entries), 'answer')}.")
    return Status.CHANGED if faults else Status.FOUND


def _surveyed(where: Where, before: Sequence[LockEntry] | None) -> tuple[Survey, Sequence[Finding]]:
    with where.reading() as corpus, corpus.by_name():
        survey = where.survey(corpus)
        changes = [] if before is None else survey.changes(before)
    output.note_all(corpus.warnings)
    return survey, changes


@click.command()
@click.option(
    "--doubts",
    is_flag=True,
    help="Also print doubts about answers that are not in recall.lock and have no 'expect'.",
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
    from mkdocs_recall.answers.lock import ACCEPT, read_lock

    path = where.lock_file()
    before = read_lock(path) if path.exists() or not doubts else None
    survey, changes = _surveyed(where, before)
    faults = survey.faults()
    findings = [*faults, *changes, *(survey.doubts(before or (), changes) if doubts else ())]
    output.note_all(survey.accepted_fallbacks())
    output.report(findings, output_format, "findings")
    if faults:
        kinds = ", ".join(dict.fromkeys(fault.title for fault in faults))
        output.note(f"{count_noun(len(faults), 'finding')}: {kinds}.")
    if doubts and all(finding.kind != "doubt" for finding in findings):
        output.note("No doubts about answers that are neither approved nor state what they expect.")
    if changes:
        output.note(f"{count_noun(len(changes), 'answer')} changed; {ACCEPT}.")
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
    A quote is exact, moved (it is in another section or page), changed or gone. The exit status
    is 3 if one is changed or gone, and 1 if there is no quote in FILE.
    """
    from mkdocs_recall.answers.statements import VERDICTS, Verifier

    claims = _read(file)
    folder = "" if file == _STDIN else str(Path(file).parent)
    with where.reading() as corpus:
        results = list(Verifier(corpus, folder).verify(claims))
        site = corpus.site
    output.note_all(corpus.warnings)
    other_sites = dict.fromkeys(claim.site for claim in claims if claim.site not in {"", site})
    if site and other_sites:
        names = ", ".join(other_sites)
        output.note(f"Note: some quotes are of '{names}', and this site is '{site}'")
    if as_json:
        output.say_json({"schema": 1, "quotes": [result.record() for result in results]})
    if not results:
        output.note(f"Nothing found: there is no quote in '{shown_path(file)}'.")
        return Status.NOTHING
    if not as_json:
        output.say("\n".join(result.text() for result in results))
    counts = Counter(result.verdict for result in results)
    output.note(", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS) + ".")
    return Status.CHANGED if counts["changed"] or counts["gone"] else Status.FOUND


def _read(file: str) -> list[Claim]:
    from mkdocs_recall.answers.statements import quotes_in, read_claims

    try:
        with file_errors(file):
            data = output.read_stdin() if file == _STDIN else Path(file).read_bytes()
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SiteError(f"'{file}' is not UTF-8; save it as UTF-8") from error
    suffix, start = Path(file).suffix.lower(), text.lstrip()[:1]
    if suffix == ".json" or (file == _STDIN and start in {"{", "["}):
        try:
            return read_claims(text)
        except RecordError as error:
            name = "the standard input" if file == _STDIN else f"'{file}'"
            raise RecordError(f"{name} has no quotes to verify: {error}") from error
    is_html = suffix in _HTML or (file == _STDIN and start == "<")
    return quotes_in(text, in_markdown=not is_html)


_RANGE: Final = re.compile(
    r"(?P<file>.+?)(?::(?P<first>\d{1,9})(?:-(?P<last>\d{1,9}))?)?\Z", re.DOTALL
)


@click.command()
@where_options
@click.argument("lines", metavar="[FILE[:FIRST[-LAST]]]", required=False)
@click.option(
    "--diff",
    metavar="BASE..HEAD",
    help="Compare two revisions; BASE...HEAD starts at the merge base, BASE alone ends with the "
    "work tree.",
)
@click.option("--staged", is_flag=True, help="Compare git's index with the last commit.")
@click.option(
    "--all",
    "states",
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
    states: tuple[str, str] | None,
    output_format: str,
) -> int:
    """Show which directives' answers an edit changes.

    With FILE:10-20, prints the directives that quote these lines. Otherwise compares two states,
    the work tree with HEAD unless named, and prints each directive that answers differently, with
    both answers and why. Then the exit status is 3. The work tree is only read.
    """
    if not (lines or diff or staged or states):
        diff = "HEAD"
    if sum(map(bool, (lines, diff, staged, states))) != 1:
        msg = "name either FILE:10-20, --diff BASE..HEAD, --staged, or --all OLD NEW"
        raise click.UsageError(msg)
    if where.built is not None:
        raise click.UsageError("--built has only one state; leave it out, or use --docs")
    if lines:
        return _touched(where, lines, output_format)
    impacts = _compared(where, diff, states)
    changed = [finding for finding in impacts if finding.kind != "same"]
    from mkdocs_recall.answers.survey import KINDS

    counts = Counter(finding.kind for finding in impacts)
    output.report(changed, output_format, "impacts", counts={kind: counts[kind] for kind in KINDS})
    if states:
        output.note(", ".join(f"{counts[kind]} {kind}" for kind in KINDS))
    elif changed:
        output.note(f"{len(changed)} of {count_noun(len(impacts), 'answer')} changed.")
    else:
        output.note("No answer changes.")
    return Status.CHANGED if changed else Status.FOUND


def _compared(where: Where, diff: str | None, states: tuple[str, str] | None) -> Sequence[Finding]:
    if states and all(map(os.path.isdir, states)):
        if where.config or where.docs:
            msg = "--all with two folders finds their pages itself; leave out --config and --docs"
            raise click.UsageError(msg)
        from mkdocs_recall.answers.survey import impacts

        return list(impacts(_survey_of_folder(states[0]), _survey_of_folder(states[1])))
    if states and any(map(os.path.isdir, states)):
        raise click.UsageError("--all takes two folders or two revisions, not one of each")
    from mkdocs_recall.cli.revisions import INDEX, WORK_TREE, impacts_in_git

    if diff is None:
        return impacts_in_git(where, *(states or ("HEAD", INDEX)))
    before, dots, after = diff.partition("...") if "..." in diff else diff.partition("..")
    after = after or ("HEAD" if dots else WORK_TREE)
    return impacts_in_git(where, before or "HEAD", after, parted=dots == "...")


def _survey_of_folder(folder: str) -> Survey:
    config = config_in(Path(folder))
    where = Where(str(config)) if config else Where(docs=folder)
    with where.reading() as corpus:
        return where.survey(corpus)


def _touched(where: Where, lines: str, output_format: str) -> int:
    from mkdocs_recall.answers.survey import quoting

    path, first, last = _parsed(lines)
    with where.reading() as corpus:
        pages = {os.path.realpath(file): uri for uri, file in corpus.files.items()}
        uri = pages.get(os.path.realpath(path))
        if uri is None:
            msg = f"'{path}' is not a page of this documentation; 'mkdocs-recall pages' lists them"
            raise SiteError(msg)
        findings = quoting(where.survey(corpus), uri, first, last)
    output.report(findings, output_format, "impacts")
    if not findings:
        output.note("No directive quotes these lines.")
    return Status.FOUND if findings else Status.NOTHING


def _parsed(lines: str) -> tuple[Path, int, int]:
    match = None if Path(lines).exists() else _RANGE.match(lines)
    path = Path(match["file"] if match else lines)
    if not path.is_file():
        raise click.UsageError(f"there is no file '{path}'")
    with path.open("rb") as file:
        length = max(1, sum(1 for _ in file))
    if match is None or not match["first"]:
        return path, 1, length
    first, last = int(match["first"]), int(match["last"] or match["first"])
    if not 1 <= first <= last <= length:
        numbers = f"{first}" if first == last else f"{first}-{last}"
        raise click.UsageError(f"'{path}' has lines 1-{length}, not {numbers}")
    return path, first, last


_MOST: Final = 10


@click.command()
@where_options
@click.option(
    "--to",
    "target",
    metavar="PAGE",
    default="",
    help="Only what leads to this page, or with #anchor to this section.",
)
@click.option("--from", "page", metavar="PAGE", default="", help="Only what starts on this page.")
@formats(text="people", json="programs", dot="Graphviz", mermaid="Markdown")
def graph(where: Where, *, target: str, page: str, output_format: str) -> int:
    """Show which page asks, quotes and links to which other.

    A page asks the sources of its directives. Without --to and --from, text and JSON also list the
    pages that most directives ask, and the orphans: pages that no other page links to or quotes.
    """
    from mkdocs_recall.answers.survey import Graph, as_dot, as_mermaid
    from mkdocs_recall.store import gc_paused

    with where.reading() as corpus, gc_paused():
        survey = where.survey(corpus)
        site_graph = Graph(survey)
        edges = site_graph.between(page=page, target=target)
    output.note_all(corpus.warnings)
    for answered in survey.answers:
        if answered.error:
            directive = answered.directive
            output.note(
                f"Note: {directive.page}:{directive.line}: {directive.name} is left out: "
                f"{answered.error}"
            )
    is_whole = not (page or target)
    if output_format == "json":
        output.say_json(_graph_record(site_graph, edges, is_whole=is_whole))
    elif output_format == "dot":
        output.say(as_dot(edges))
    elif output_format == "mermaid":
        output.say(as_mermaid(edges))
    elif lines := [*_graph_lines(site_graph, edges, is_whole=is_whole)]:
        output.say("\n".join(lines))
    if not edges:
        output.note("Nothing found: no page asks, quotes or links to another there.")
    return Status.FOUND if edges else Status.NOTHING


def _graph_lines(graph: Graph, edges: Sequence[Edge], *, is_whole: bool) -> Iterator[str]:
    for edge in edges:
        place = edge.page if edge.line is None else f"{edge.page}:{edge.line}"
        kind = "links to" if edge.kind == "links" else edge.kind
        yield single_line(f"{place} {kind} {edge.target}")
    if is_whole and (most := graph.asked_most(_MOST)):
        yield "\nAsked most:"
        yield from (f"  {single_line(uri)} ({graph.asked[uri]})" for uri in most)
    if is_whole and (orphans := graph.orphans):
        yield "\nOrphans:"
        yield from (f"  {single_line(uri)}" for uri in orphans)


def _graph_record(graph: Graph, edges: Sequence[Edge], *, is_whole: bool) -> dict[str, Any]:
    records = [{"kind": e.kind, "from": e.page, "to": e.target, "line": e.line} for e in edges]
    record: dict[str, Any] = {"schema": 1, "edges": records}
    if is_whole:
        record["pages"] = graph.records()
        record["asked_most"] = graph.asked_most(_MOST)
        record["orphans"] = graph.orphans
    return record


_FILE: Final = click.Path(exists=True, dir_okay=False)


@click.command()
@cluster_options
@click.argument("file", metavar="[QUESTIONS.yml]", required=False, type=_FILE)
@click.option(
    "--from-issues",
    "issues",
    metavar="FILE",
    type=_FILE,
    help="Also ask the titles of issues that link to a page, as 'gh issue list --json title,body' "
    "exports them.",
)
@click.option(
    "--min-hit",
    metavar="0-1",
    type=click.FloatRange(0, 1),
    help="Exit with 3 if the first place is right for a smaller share of the questions.",
)
@click.option(
    "--compare",
    "revision",
    metavar="REVISION",
    help="Also ask the pages of this revision; exit with 3 if the first place was right for a "
    "question, and no longer is.",
)
@format_options
def evaluate(
    where: Where,
    *,
    file: str | None,
    issues: str | None,
    min_hit: float | None,
    revision: str | None,
    output_format: str,
) -> int:
    """Ask questions whose answers are known.

    It says how many are right, and lists the questions whose first place is another, with that
    place. The questions are those in a YAML file, and the 'asks' of pages. Each has 'query', and
    'expect_source', 'expect' or 'none: true'; other options are those of a fence.
    """
    from mkdocs_recall.answers.evaluation import evaluate as ask, figures_of

    read_from = "built" if where.built is not None else "published"
    if revision is not None and (where.built is not None or where.published):
        raise click.UsageError(f"--compare needs the pages' files; leave out --{read_from}")
    if issues is not None and where.published:
        raise click.UsageError("--from-issues looks for links to one site; leave out --published")
    before: list[Outcome] = []
    with where.reading() as corpus:
        questions = _questions(where, corpus, file, issues)
        after = ask(questions, corpus)
        if revision is not None:
            from mkdocs_recall.cli.revisions import past_pages

            with past_pages(where, revision, corpus) as past:
                before = ask(questions, past)
    output.note_all(corpus.warnings)
    if not questions:
        output.note("Nothing to ask: name a file of questions, or state 'asks' on a page.")
        return Status.NOTHING
    _report(after, before, output_format, revision or "")
    hit_1 = figures_of(after)["hit_1"]
    is_low = min_hit is not None and hit_1 < min_hit
    if is_low:
        output.note(f"hit@1 is {hit_1:.2f}, less than {min_hit:.2f}.")
    is_worse = any(old.rank == 1 != new.rank for old, new in zip(before, after, strict=False))
    return Status.CHANGED if is_low or is_worse else Status.FOUND


def _questions(
    where: Where, corpus: Corpus, file: str | None, issues: str | None
) -> list[Question]:
    from mkdocs_recall.answers import evaluation

    defaults, limits = where.defaults(), where.limits()
    groups: list[Iterable[evaluation.Entry]] = []
    if file:
        groups.append(evaluation.questions_in_yaml(read_text(file, RecordError), file))
    if issues:
        try:
            records: Any = json.loads(read_text(issues, RecordError))
        except (ValueError, RecursionError) as error:
            raise RecordError(f"'{issues}' is not JSON: {error}") from error
        url = where.site_url()
        groups.append(evaluation.questions_in_issues(records, issues, corpus, url))
    if not where.published:  # published pages lack their questions
        groups.append(evaluation.questions_of_pages(corpus))
    return [*evaluation.read_questions(chain.from_iterable(groups), defaults, limits)]


def _report(
    after: Sequence[Outcome], before: Sequence[Outcome], output_format: str, revision: str
) -> None:
    from mkdocs_recall.answers.evaluation import figures_of

    figures = figures_of(after)
    earlier = figures_of(before) if before else None
    ranks = [outcome.rank for outcome in before] or [None] * len(after)
    pairs = list(zip(after, ranks, strict=True))
    cases = [(result, rank) for result, rank in pairs if result.rank != 1 or (before and rank != 1)]
    if output_format == "json":
        records = [_record(*pair, compared=bool(before)) for pair in pairs]
        output.say_json({"schema": 1, **figures, "before": earlier, "outcomes": records})
        return
    for outcome, rank in cases:
        file, line = outcome.question.file, outcome.question.line
        text = outcome.text()
        if before and rank != outcome.rank:
            text += f"; in {revision}: {f'number {rank}' if rank else 'not found'}"
        if output_format == "github":
            level = "warning" if outcome.rank != 1 else "notice"
            output.say_as_is(output.github_command(level, file, line, "evaluate", text))
        else:
            output.say(single_line(f"{location(file, line)}: {text}"))
    rows = [("questions", "hit@1", "hit@3", "mrr", "answered", "words"), _row(figures)]
    if earlier:
        rows = [("", *rows[0]), ("now", *rows[1]), (revision, *_row(earlier))]
    lines = output.columns(rows)
    if output_format == "github":
        output.note(f"{count_noun(len(after), 'question')}, hit@1 {figures['hit_1']:.2f}.")
    else:
        output.say(f"\n{lines}" if cases else lines)


def _row(figures: Mapping[str, float]) -> tuple[str, ...]:
    questions, *shares, words = figures.values()
    return str(questions), *(f"{share:.2f}" for share in shares), f"{words:.0f}"


def _record(outcome: Outcome, before: int | None, *, compared: bool) -> dict[str, Any]:
    question = outcome.question
    return {
        "query": question.text,
        "expected": question.expected,
        "file": question.file,
        "line": question.line,
        **{name: value for name, value in outcome._asdict().items() if name != "question"},
        **({"rank_before": before} if compared else {}),
    }
