"""`mkdocs-recall schema`: what an editor should know of the files of a site."""

from __future__ import annotations

import json
from typing import Literal

import click

from mkdocs_recall.cli.output import Status, say


@click.command()
@click.argument("file", type=click.Choice(["mkdocs", "recall", "synopsis", "questions"]))
def schema(file: Literal["mkdocs", "recall", "synopsis", "questions"]) -> int:
    """Print the JSON schema of FILE, for editors.

    It is that of the plugin's part of mkdocs.yml, of a fence (recall, synopsis), or of the
    questions for 'evaluate'.
    """
    from mkdocs_recall.directives.schema import fence_schema, questions_schema, site_schema

    if file == "mkdocs":
        made = site_schema()
    else:
        made = questions_schema() if file == "questions" else fence_schema(file)
    say(json.dumps(made, indent=2))
    return Status.FOUND
