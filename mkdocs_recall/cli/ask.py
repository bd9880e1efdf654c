"""The commands `recall`, `search`, `explain`, `synopsis`, `pages` and `suggest`."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, Any, Final

import click
from click.core import ParameterSource
from msgspec import structs

from mkdocs_recall.cli import output
from mkdocs_recall.cli.options import (
    TerminalQuery,
    Where,
    any_where_options,
    cluster_options,
    expiry_option,
    filtered,
    json_option,
    options_of_synopsis,
    query_argument,
    query_text,
    source_option,
    where_option,
    where_options,
    with_recall_options,
)
from mkdocs_recall.cli.output import Status
from mkdocs_recall.errors import RecallError, did_you_mean
from mkdocs_recall.files import read_text
from mkdocs_recall.index.sources import WHOLE_SITE
from mkdocs_recall.messages import location, shown_path
from mkdocs_recall.ranking.trivial import Reason, classify, is_merely_short, skip_note

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mkdocs_recall.answers.alternatives import Alternative
    from mkdocs_recall.directives.directive import Directive
    from mkdocs_recall.pages.corpus import Corpus
    from mkdocs_recall.ranking.result import Result


@click.command()
@query_argument
@cluster_options
@with_recall_options()
@click.option(
    "--trivial-query",
    type=click.Choice(["skip", "allow"]),
    default="skip",
    show_default=True,
    help="Whether to answer a query that does not ask for anything.",
)
def recall(query: TerminalQuery, *, trivial_query: str, as_json: bool) -> int:
    """Print the answer to QUERY, with its sources.

    The best passage comes first; '---' separates passages. Queries that do not ask for anything are
    skipped with status 1: slash commands, acknowledgments, and queries of fewer than three words of
    which none occurs on the pages. '--trivial-query allow' answers these, too. QUERY is one
    argument; '-' reads it from stdin.
    """
    text, where = query.text, query.where
    reason = classify(text, where.acknowledgments()) if trivial_query == "skip" else None
    merely_short = is_merely_short(reason, text, where.acknowledgments())
    if reason and not merely_short:
        return _skip(reason, merely_short=False, as_json=as_json)

    with query.opened() as (corpus, options):
        if merely_short and corpus.mentions(options):
            reason = None
        if reason is None:
            result = corpus.dated(corpus.answer(options))
    if reason:
        return _skip(reason, merely_short=True, as_json=as_json)
    text = output.SEPARATOR.join(map(output.passage_with_source, result.passages))
    return output.report_result(result, corpus, text, as_json=as_json)


@click.command()
@query_argument
@cluster_options
@with_recall_options(lists=True)
def search(query: TerminalQuery, *, as_json: bool) -> int:
    """List the sentences that best match QUERY.

    Each line has rank, score, page and section, line, and the first 100 characters of the sentence.
    QUERY is one argument; '-' reads it from stdin.
    """
    result, corpus = query.answer()
    text = output.passage_list(result.passages)
    return output.report_result(result, corpus, text, as_json=as_json)


@click.command()
@query_argument
@cluster_options
@with_recall_options()
@click.option("--page", metavar="PAGE", default="", help="The fence's page, its default source.")
def explain(query: TerminalQuery, *, page: str, as_json: bool) -> int:
    """Show how each score is composed.

    The parts below a score add up to it. The best sentences that were not chosen follow, with the
    reason. QUERY is one argument; '-' reads it from stdin, which may be a fence: its answer comes
    first, the other places that could answer last, each as the 'source' to paste.
    """
    if fences := _fences(query.text):
        from mkdocs_recall.directives.options import read_directive

        defaults, limits = query.where.defaults(), query.where.limits()
        for fence in fences:
            fence.page = page
            read_directive(fence, defaults=defaults, limits=limits)
            if fence.fault:
                raise fence.fault
        return _explain_fences(fences, query.where, as_json=as_json)
    if page:
        raise click.UsageError("--page is for a fence on stdin")
    result, corpus = query.answer()
    text = "\n\n".join(_explanation(result))
    return output.report_result(result, corpus, text, as_json=as_json, explain=True)


def _explanation(result: Result) -> list[str]:
    if not result.passages and not result.lost:
        return []
    return [
        *map(output.passage_with_explanation, result.passages),
        *(
            output.passage_with_explanation(lost.passage, f"Not chosen: {lost.reason}")
            for lost in result.lost
        ),
        *(f"Doubt: {doubt}." for doubt in result.doubts),
    ]


def _fences(text: str) -> list[Directive]:
    if "\n" not in text:
        return []
    from mkdocs_recall.directives.fences import find_fences

    fences = find_fences(text)
    context = click.get_current_context()
    allowed = {"query", "config", "docs", "built", "published", "cluster", "page", "as_json"}
    source = context.get_parameter_source
    typed = ParameterSource.COMMANDLINE
    options = [option for option in context.command.params if option.name not in allowed]
    flags = [option.opts[0] for option in options if source(option.name or "") is typed]
    if fences and flags:
        raise click.UsageError(f"a fence states its own options; leave out {', '.join(flags)}")
    return fences


def _explain_fences(fences: Sequence[Directive], where: Where, *, as_json: bool) -> int:
    from mkdocs_recall.answers.alternatives import alternatives
    from mkdocs_recall.answers.answer import answer
    from mkdocs_recall.ranking.result import result_record

    records, texts = [], []
    with where.reading() as corpus:
        answers = [answer(fence, corpus) for fence in fences]
        for answered in answers:
            if answered.error:
                continue
            result = answered.result
            places = alternatives(answered, corpus).places
            if as_json:
                record = result_record(result, explain=True)
                records.append(record | {"alternatives": [*map(structs.asdict, places)]})
            else:
                quote = output.SEPARATOR.join(map(output.passage_with_source, result.passages))
                lines = [_other_place(place) for place in places]
                blocks = [quote, *_explanation(result), "\n".join(["Other places:", *lines])]
                texts.append("\n\n".join(filter(None, blocks if places else blocks[:-1])))
    if as_json:
        output.say_json({"schema": 1, "fences": records})
    elif texts:
        output.say(output.SEPARATOR.join(texts))
    output.note_all(corpus.warnings)
    for answered in answers:
        if answered.error:
            output.complain(answered.error)
        elif answered.warning:
            output.note(f"Note: {answered.warning}")
    if any(answered.error for answered in answers):
        return Status.WRONG
    return Status.NOTHING if any(answered.unanswered for answered in answers) else Status.FOUND


def _other_place(place: Alternative) -> str:
    words = f" ({place.words})" if place.words else ""
    return f"source: {place.source}{words}\n  {place.path}: {place.text}"


def _skip(reason: Reason, *, merely_short: bool, as_json: bool) -> Status:
    remedy = "use 'search' or '--trivial-query allow'"
    output.note(skip_note(reason, remedy, merely_short=merely_short))
    if as_json:
        output.say_json({"schema": 1, "skipped": reason, "passages": []})
    return Status.NOTHING


@click.command()
@any_where_options
@source_option
@where_option
@expiry_option
@json_option
def pages(
    where: Where,
    source: tuple[str, ...],
    conditions: dict[str, Any],
    *,
    include_expired: bool,
    as_json: bool,
) -> int:
    """List the pages that can be quoted, in page order.

    Each line has the path that names the page in a source, its title, and its file.
    """
    from mkdocs_recall.ranking.result import SCHEMA, page_record

    with where.reading(include_expired=include_expired) as corpus:
        sources = filtered(source, conditions)
        documents = corpus.select(sources) if sources else corpus.documents
    output.note_all(corpus.warnings)
    if as_json:
        output.say_json({"schema": SCHEMA, "pages": list(map(page_record, documents))})
    elif documents:
        rows = ([d.uri, d.title, d.file and shown_path(d.file)] for d in documents)
        output.say(output.columns(rows))
    if documents:
        return Status.FOUND
    output.note("Nothing found: there is no page that may be quoted.")
    return Status.NOTHING


@click.command()
@click.argument("sources", metavar="SOURCE...", nargs=-1)
@any_where_options
@click.option(
    "--source",
    multiple=True,
    metavar="SOURCE",
    help="The same as SOURCE, for consistency with other commands.",
)
@where_option
@options_of_synopsis
def synopsis(
    where: Where,
    sources: tuple[str, ...],
    source: tuple[str, ...],
    conditions: dict[str, Any],
    *,
    include_expired: bool,
    as_json: bool,
    **values: Any,  # each option has its own type
) -> int:
    """Print the key sentences of SOURCE.

    SOURCE is a page, a page with #anchor, a folder or a glob, as a path from the root of the
    documentation. Sentences are printed in page order, with the source of each section.
    """
    from mkdocs_recall.directives.options import synopsis_options

    if not (sources or source):
        msg = "name a SOURCE: a page, a page with #anchor, a folder, a glob; '**' is all"
        raise click.UsageError(msg)
    with where.reading(language=values["language"], include_expired=include_expired) as corpus:
        options = synopsis_options(source=filtered((*sources, *source), conditions), **values)
        result = corpus.answer(options)
    text = output.SEPARATOR.join(output.section_blocks(result.in_document_order()))
    return output.report_result(result, corpus, text, as_json=as_json)


_PLACES: Final = 3


@click.command()
@click.argument("query", nargs=-1, metavar="[QUESTION]")
@where_options
@click.option("--page", metavar="PAGE", default="", help="The fence's page; it is not suggested.")
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
    if bool(query) == bool(file):
        raise click.UsageError("name either QUESTION or --file FILE")
    questions = _questions(Path(file)) if file else [(query_text(query), None)]
    with where.reading() as corpus:
        if file and not page:
            real = Path(file).resolve()
            page = next((u for u, f in corpus.files.items() if Path(f).resolve() == real), "")
        places = [list(_suggestions(text, corpus, page, where)) for text, _ in questions]
        if page and page not in corpus.files:
            output.note(f"Note: there is no page '{page}' yet{did_you_mean(page, corpus.files)}")
    output.note_all(corpus.warnings)
    if as_json:
        pairs = zip(questions, places, strict=True)
        records = [
            {"text": text, "line": line, "places": suggestions}
            for (text, line), suggestions in pairs
        ]
        output.say_json({"schema": 1, "questions": records})
    else:
        for (text, line), suggestions in zip(questions, places, strict=True):
            if file:
                output.say(f"{location(file, line)}: {text}\n")
            if suggestions:
                numbered = [
                    f"{number}. {suggestion['path']} ({suggestion['source']})\n\n"
                    f"{indent(suggestion['text'], '   ')}\n\n{suggestion['fence']}"
                    for number, suggestion in enumerate(suggestions, 1)
                ]
                output.say(output.SEPARATOR.join(numbered) + ("\n" if file else ""))
            else:
                output.note(f"Nothing found: no place answers '{text}'.")
    if not questions:
        output.note("No heading is a question without text below it.")
    return Status.FOUND if any(places) else Status.NOTHING


def _suggestions(text: str, corpus: Corpus, page: str, where: Where) -> Iterator[dict[str, str]]:
    from mkdocs_recall.answers.alternatives import heading_path, places, source_from_root, yaml_text
    from mkdocs_recall.directives.options import read_options, recall_options
    from mkdocs_recall.ranking.result import quoted_texts

    seen = set[str]()
    defaults, limits = where.defaults(), where.limits()
    for place in places(recall_options(text, source=WHOLE_SITE), corpus, page):
        body = yaml_text({"source": source_from_root(place), "query": text})
        try:
            options = read_options("recall", body, defaults=defaults, limits=limits)
            result = corpus.answer(options, page=page)
        except RecallError:
            continue
        quote = "\n\n".join(quoted_texts(result))
        if quote and not result.fallback and quote not in seen:
            seen.add(quote)
            titles, fence = heading_path(place), f"```recall\n{body}\n```"
            yield {"source": place.source, "path": titles, "text": quote, "fence": fence}
        if len(seen) == _PLACES:
            return


def _questions(file: Path) -> list[tuple[str, int | None]]:
    from mkdocs_recall.directives.fences import find_fences, replace_fences
    from mkdocs_recall.pages.corpus import Corpus
    from mkdocs_recall.ranking.quotation import is_question

    text = read_text(file)
    fences = find_fences(text)
    filled = replace_fences(text, fences, ["…" for _ in fences])
    (document,) = Corpus.from_markdown({file.name: filled}).documents
    with_text = {block.section for block in document.blocks}
    lines = text.splitlines()
    questions: list[tuple[str, int | None]] = []
    start = 0
    for number, heading in enumerate(document.headings, 1):
        below = document.headings[number : number + 1]
        is_open = number not in with_text and not (below and below[0].level > heading.level)
        if is_open and is_question(heading.text):
            line = next((n for n in range(start, len(lines)) if heading.text in lines[n]), None)
            start = line or start
            questions.append((heading.text, None if line is None else line + 1))
    return questions
