"""`mkdocs-recall suggest`: fences that could answer a question, with what they would quote."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, Final, NamedTuple

import click

from mkdocs_recall.cli.options import json_option, query_text, where_options
from mkdocs_recall.cli.output import Status, note, note_all, say, say_json
from mkdocs_recall.errors import RecallError, SiteError
from mkdocs_recall.messages import location

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mkdocs_recall.cli.where import Where
    from mkdocs_recall.pages.corpus import Corpus

_PLACES: Final = 3


class _Question(NamedTuple):
    text: str
    line: int | None = None


class _Suggestion(NamedTuple):
    source: str
    path: str
    """The titles above it."""
    text: str
    """What the fence would quote."""
    fence: str

    def shown(self, number: int) -> str:
        """Return it as text for a person."""
        head = f"{number}. {self.path} ({self.source})"
        return f"{head}\n\n{indent(self.text, '   ')}\n\n{self.fence}"


@click.command()
@click.argument("query", nargs=-1, metavar="[QUESTION]")
@where_options
@click.option("--page", metavar="PAGE", default="", help="The page for the fence; not suggested.")
@click.option(
    "--file",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False),
    help="Instead of QUESTION, take each heading of this Markdown file that is a question and has "
    "no text below it.",
)
@json_option
def suggest(
    where: Where, query: tuple[str, ...], *, page: str, file: str | None, as_json: bool
) -> int:
    """Suggest fences that answer QUESTION.

    The three best places come with what each would quote, and the fence to paste. Nothing is
    written. QUESTION is one argument; '-' reads it from stdin.
    """
    from mkdocs_recall.cli.passages import SEPARATOR

    if bool(query) == bool(file):
        msg = "name either QUESTION or --file FILE"
        raise click.UsageError(msg)
    questions = _questions(Path(file)) if file else [_Question(query_text(query))]
    with where.reading() as corpus:
        if file and not page:
            real = Path(file).resolve()
            page = next((u for u, f in corpus.files.items() if Path(f).resolve() == real), "")
        found = [list(_suggestions(one.text, corpus, page, where)) for one in questions]
    note_all(corpus.warnings)
    if as_json:
        pairs = zip(questions, found, strict=True)
        records = [q._asdict() | {"places": [s._asdict() for s in each]} for q, each in pairs]
        say_json({"schema": 1, "questions": records})
    else:
        for question, each in zip(questions, found, strict=True):
            if file:
                say(f"{location(file, question.line)}: {question.text}\n")
            if each:
                numbered = [one.shown(number) for number, one in enumerate(each, 1)]
                say(SEPARATOR.join(numbered) + "\n" * bool(file))
            else:
                note(f"Nothing found: no place answers '{question.text}'.")
    if not questions:
        note("No heading is a question without text below it.")
    return Status.FOUND if any(found) else Status.NOTHING


def _suggestions(text: str, corpus: Corpus, page: str, where: Where) -> Iterator[_Suggestion]:
    """Yield the best places, each with what its fence quotes: what is shown is what it will be."""
    from mkdocs_recall.answers.alternatives import fence, heading_path, places, source_from_root
    from mkdocs_recall.directives.options import read_fence, recall_options
    from mkdocs_recall.directives.parser import find_fences
    from mkdocs_recall.index.sources import WHOLE_SITE
    from mkdocs_recall.ranking.result import quoted_texts

    seen = set[str]()
    for place in places(recall_options(text, source=WHOLE_SITE), corpus, page):
        written = fence(source_from_root(place), text)
        (directive,) = find_fences(written)
        try:
            options = read_fence(directive, 0, defaults=where.defaults(), limits=where.limits())
            result = corpus.answer(options, page=page)
        except RecallError:
            continue
        quote = "\n\n".join(quoted_texts(result))
        if quote and not result.fallback and quote not in seen:
            seen.add(quote)
            yield _Suggestion(place.source, heading_path(place), quote, written)
        if len(seen) == _PLACES:
            return


def _questions(file: Path) -> list[_Question]:
    """Return the headings of a file that are questions, and have neither text nor a fence."""
    from mkdocs_recall.directives.fences import replace_fences
    from mkdocs_recall.directives.parser import find_fences
    from mkdocs_recall.pages.corpus import Corpus

    try:
        text = file.read_text("utf-8-sig")
    except (OSError, ValueError) as error:
        msg = f"'{file}' cannot be read: {error}"
        raise SiteError(msg) from error
    fences = find_fences(text)
    filled = replace_fences(text, [one.span for one in fences], ["…" for _ in fences])
    (document,) = Corpus.from_markdown({file.name: filled}).documents
    with_text = {block.section for block in document.blocks}
    lines = text.splitlines()
    questions, start = [], 0
    for number, heading in enumerate(document.headings, 1):
        below = document.headings[number : number + 1]
        is_open = number not in with_text and not (below and below[0].level > heading.level)
        if is_open and heading.text.endswith(("?", "？", "؟")):
            line = next((n for n in range(start, len(lines)) if heading.text in lines[n]), None)
            start = line or start
            questions.append(_Question(heading.text, None if line is None else line + 1))
    return questions
