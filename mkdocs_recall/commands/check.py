"""`mkdocs-recall check`: whether the directives still answer what was agreed to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from mkdocs_recall.commands.output import Status, note, say, say_as_is, say_json
from mkdocs_recall.commands.where import where_options

if TYPE_CHECKING:
    from mkdocs_recall.commands.where import Where

_FORMATS = ("text", "github", "json")


@click.command()
@where_options
@click.option(
    "--format",
    "form",
    type=click.Choice(_FORMATS),
    default="text",
    show_default=True,
    help="text for a person, github for annotations on a pull request, json for a program.",
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
def command(where: Where, *, form: str, as_json: bool) -> int:
    """Compare what all directives answer with recall.lock.

    Prints each directive whose answer has changed, with the answer before and after, and each that
    does not hold what its author expects. Then the exit status is 3; it is 2 where a directive has
    a mistake, or where there is no lock file.
    """
    from mkdocs_recall import lock  # noqa: PLC0415 - help needs none
    from mkdocs_recall.commands.findings import TAKE, counted, lock_file, survey  # noqa: PLC0415

    path = lock_file(where)
    before = lock.read(path)
    found = survey(where)
    faults, changed = found.faults(), found.changes(before)
    findings = [*faults, *changed]
    if as_json or form == "json":
        say_json({"schema": 1, "findings": [finding.record() for finding in findings]})
    elif findings and form == "github":
        say_as_is("\n".join(each.annotation() for each in findings))
    elif findings:
        say("\n\n".join(each.text() for each in findings))
    if changed:
        note(f"{counted(len(changed), 'answer')} changed; {TAKE}.")
    if any(fault.kind == "mistake" for fault in faults):
        return Status.WRONG
    return Status.CHANGED if findings else Status.FOUND
