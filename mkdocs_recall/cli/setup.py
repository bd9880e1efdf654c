"""`mkdocs-recall init` and `schema`: what a site needs at first, and what an editor should know."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Final, Literal

import click

from mkdocs_recall.cli.output import Status, note, say
from mkdocs_recall.errors import SiteError
from mkdocs_recall.files import write_atomically

_TOML: Final = "\n[project.markdown_extensions.recall]\n"
_LIST: Final = re.compile(
    r"^plugins:[ \t]*(?:#.*)?\n(?:[ \t]*(?:#.*)?\n)*(?P<indent>[ \t]*)- ", re.MULTILINE
)
_FLOW: Final = re.compile(r"^plugins:[ \t]*\[(?P<names>[^\[\]{}#\n]*)\]", re.MULTILINE)
_PAGE: Final = """\
# Answers

```synopsis
source: {source}
```

<!-- Ask for an answer: 'mkdocs-recall suggest "a question of your readers"' prints the fence. -->
"""
_WORKFLOW: Final = """\
name: Answers
on: pull_request
permissions:
  contents: read
jobs:
  answers:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v5.0.0
      - uses: actions/setup-python@e797f83bcb11b83ae66e0230d6156d7c80228e7c # v6.0.0
        with:
          python-version: "3.13"
      - run: pip install mkdocs-recall # and what else the site needs
      - run: mkdocs-recall check --doubts --format github
"""


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


@click.command()
@click.argument("folder", default=".", type=click.Path(file_okay=False))
@click.option("--ci", type=click.Choice(["github"]), help="Also write the workflow that checks.")
def init(folder: str, *, ci: Literal["github"] | None) -> int:
    """Prepare the site in FOLDER, or a new one.

    It gets the plugin, and a first page with a quote. No file is overwritten. In the site's
    configuration, the plugin is added to the list; on a terminal, the command asks before.
    """
    from mkdocs_recall.pages.config import config_in, docs_folder

    root = Path(folder)
    config = config_in(root) if root.is_dir() else None
    if config is None:
        config = root / "mkdocs.yml"
        name = json.dumps(root.absolute().name, ensure_ascii=False)
        _write(config, f"site_name: {name}\nplugins:\n  - search\n  - recall\n")
        _write(root / "docs/index.md", "# Welcome\n\nThis page says what the site is about.\n")
    else:
        _add_plugin(config)
    docs = docs_folder(config)
    pages = sorted(docs.rglob("*.md"), key=lambda page: (page.name != "index.md", page))
    page = docs / "answers.md"
    if others := [other for other in pages if other != page]:
        _write(page, _PAGE.format(source=json.dumps(others[0].relative_to(docs).as_posix())))
    if ci:
        _write(root / ".github/workflows/answers.yml", _WORKFLOW)
    command = "zensical serve" if config.suffix == ".toml" else "mkdocs serve"
    note(f"Next: run '{command}', and 'mkdocs-recall suggest \"a question\"'.")
    return Status.FOUND


def _write(file: Path, text: str) -> None:
    """Write a file, unless it is there."""
    if file.exists() or file.is_symlink():
        note(f"'{file}' is there, and stays as it is.")
        return
    write_atomically(file, text.encode(), file.parent)
    note(f"'{file}' is written.")


def _add_plugin(config: Path) -> None:
    """Add the plugin to a site's configuration, or the extension to that of Zensical."""
    text = config.read_text("utf-8")
    new = _with_extension(text) if config.suffix == ".toml" else _with_plugin(text)
    if new is None:
        msg = f"'{config}' lists its plugins in a way that no line can be added to; add 'recall'"
        raise SiteError(msg)
    if new == text:
        note(f"'{config}' has it.")
        return
    is_asked = sys.stdin is not None and sys.stdin.isatty()
    if is_asked and not click.confirm(f"Add recall to '{config}'?", default=True, err=True):
        return
    write_atomically(config, new.encode(), config.parent)
    note(f"'{config}' has recall now.")


def _with_extension(text: str) -> str:
    return text if _TOML.strip() in text else text.rstrip("\n") + f"\n{_TOML}"


def _with_plugin(text: str) -> str | None:
    """Return a configuration with the plugin in its list; None where that takes a person."""
    if re.search(r"^[ \t]*(?:- )?[\"']?recall[\"']?:?[ \t]*$|\brecall\b.*\]", text, re.MULTILINE):
        return text
    if match := _LIST.search(text):
        at = match.end("indent")
        return f"{text[:at]}- recall\n{match['indent']}{text[at:]}"
    if match := _FLOW.search(text):
        names = ", ".join(filter(None, [match["names"].strip(), "recall"]))
        return f"{text[: match.start('names')]}{names}{text[match.end('names') :]}"
    if re.search(r"^plugins:", text, re.MULTILINE):
        return None
    return text.rstrip("\n") + "\nplugins:\n  - search\n  - recall\n"
