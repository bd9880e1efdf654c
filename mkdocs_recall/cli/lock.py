"""`mkdocs-recall lock` and `check`: accept the answers of the directives, and notice changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from mkdocs_recall.cli.format_options import format_options
from mkdocs_recall.cli.output import Status, complain, note, note_all, say, say_as_is, say_json
from mkdocs_recall.cli.where_options import where_options

if TYPE_CHECKING:
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
        complain(fault.text())
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
    from mkdocs_recall.cli.findings import ACCEPT, count_noun, lock_file, survey

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
        say_as_is("\n".join(finding.annotation() for finding in findings))
    elif findings:
        say("\n\n".join(finding.text() for finding in findings))
    if changes:
        note(f"{count_noun(len(changes), 'answer')} changed; {ACCEPT}.")
    if any(fault.kind == "mistake" for fault in faults):
        return Status.WRONG
    return Status.CHANGED if faults or changes else Status.FOUND
