"""`mkdocs-recall lock`: agrees to what the directives answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from mkdocs_recall.commands.output import Status, complain, note, say
from mkdocs_recall.commands.where import where_options

if TYPE_CHECKING:
    from mkdocs_recall.commands.where import Where


@click.command()
@where_options
@click.option("--accept", is_flag=True, help="Write what has changed, too.")
def command(where: Where, *, accept: bool) -> int:
    """Write what all directives answer to recall.lock.

    It lies beside mkdocs.yml. A file that is there is left as it is if an answer has changed: the
    changes are printed, and --accept writes them.
    """
    from mkdocs_recall import lock  # noqa: PLC0415 - help needs none
    from mkdocs_recall.commands.findings import TAKE, counted, lock_file, survey  # noqa: PLC0415

    path = lock_file(where)
    before = None if accept or not path.exists() else lock.read(path)
    found = survey(where)
    faults = found.faults()
    for fault in faults:
        complain(fault.text())
    if any(fault.kind == "mistake" for fault in faults):
        return Status.WRONG
    changed = [] if before is None else found.changes(before)
    if changed:
        say("\n\n".join(each.text() for each in changed))
        complain(f"'{path}' is not written: {counted(len(changed), 'answer')} changed; {TAKE}")
        return Status.CHANGED
    lock.write(path, found.entries)
    note(f"'{path}' holds {counted(len(found.entries), 'answer')}.")
    return Status.CHANGED if faults else Status.FOUND
