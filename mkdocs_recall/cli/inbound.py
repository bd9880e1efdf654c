"""`mkdocs-recall check --inbound`: what an edit of this site changes in the quotes of others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import click

from mkdocs_recall.cli.findings import (
    answer_record,
    count_noun,
    github_command,
    quoted_queries,
)
from mkdocs_recall.cli.output import Status, note, note_all, say, say_as_is, say_json
from mkdocs_recall.errors import SiteError
from mkdocs_recall.messages import location, shown, shown_path, single_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mkdocs_recall.cli.where import Where
    from mkdocs_recall.corpus.corpus import Corpus
    from mkdocs_recall.publishing.outbound import OutboundQuote
    from mkdocs_recall.publishing.published_file import SiteHeader
    from mkdocs_recall.review.inbound import InboundChange, InboundKind

_TITLES: Final[Mapping[InboundKind, str]] = {
    "broken": "the directive would fail",
    "gone": "a quoted sentence is gone",
    "changed": "a quoted sentence changes",
    "replaced": "another sentence would answer",
    "moved": "a quoted sentence moves",
}


@dataclass(frozen=True, slots=True)
class _Consumer:
    """A site that quotes others, as its published file says it."""

    file: str
    header: SiteHeader
    outbound: Sequence[OutboundQuote] | None
    """None where it does not say what it quotes."""


@dataclass(frozen=True, slots=True)
class _InboundFinding:
    """A change of a quote, with the site that has it."""

    consumer: _Consumer
    inbound: InboundChange

    @property
    def _title(self) -> str:
        error = self.inbound.error
        return f"{_TITLES[self.inbound.kind]}{f': {error}' if error else ''}"

    @property
    def _directive(self) -> str:
        quote = self.inbound.quote
        queries = quoted_queries(self.inbound.before)
        return f"{quote.page}:{quote.line}: {quote.directive}{queries}"

    def text(self) -> str:
        """Return the finding as text for a person."""
        place = location(self.inbound.file, self.inbound.line)
        head = f"{shown_path(self.consumer.file)}: {self._directive}: {self._title}"
        where = [f"  see {place}"] if place else []
        return "\n".join([single_line(head), *self.inbound.change.lines(), *where])

    def annotation(self) -> str:
        """Return it as GitHub's annotation of this site's file, with other commands escaped."""
        file, line = self.inbound.file, self.inbound.line
        title = f"quoted by {self.consumer.header.site}: {self._title}"
        text = "\n".join([self._directive, *self.inbound.change.lines()])
        return github_command("error", file, line, title, text)

    def record(self) -> dict[str, Any]:
        """Return the finding as a record for a program."""
        header, quote = self.consumer.header, self.inbound.quote
        return {
            "kind": self.inbound.kind,
            "consumer": {
                "file": self.consumer.file,
                "site": header.site,
                "site_url": header.site_url,
            },
            "page": quote.page,
            "line": quote.line,
            "directive": quote.directive,
            "query": [query.text for query in quote.query],
            "message": self.inbound.error,
            "source": {"file": self.inbound.file, "line": self.inbound.line},
            "before": answer_record(self.inbound.before),
            "after": answer_record(self.inbound.after),
        }


def check_inbound(
    where: Where, files: Sequence[str], *, site_url: str | None, output_format: str
) -> int:
    """Say which quotes of this site, in the published files of others, would change or break.

    Args:
        site_url: The URL by which others quote it; None for that in its `mkdocs.yml`.
    """
    from mkdocs_recall.readers.published import matching_files
    from mkdocs_recall.review.inbound import InboundQuotes

    if where.docs is not None:
        msg = "--docs names a folder, but others quote a site; name its mkdocs.yml with --config"
        raise click.UsageError(msg)
    if not files:
        msg = "--inbound needs the published files of the sites that quote this one; name them"
        raise click.UsageError(msg)
    site_url = _own_url(where, site_url)
    consumers = list(map(_consumer, matching_files(files)))
    findings, count, quoting = [], 0, 0
    with where.reading() as corpus:
        inbound = InboundQuotes(_published(where, corpus), site_url)
        for consumer in consumers:
            quotes = [q for q in consumer.outbound or () if inbound.passages(q)]
            if not quotes:
                _note_lack(consumer, site_url)
            count, quoting = count + len(quotes), quoting + bool(quotes)
            changes = filter(None, map(inbound.change, quotes))
            findings += [_InboundFinding(consumer, change) for change in changes]
    note_all(corpus.warnings)
    if output_format == "json":
        say_json({"schema": 1, "findings": [finding.record() for finding in findings]})
    elif findings and output_format == "github":
        say_as_is("\n".join(finding.annotation() for finding in findings))
    elif findings:
        say("\n\n".join(finding.text() for finding in findings))
    if not count:
        return Status.NOTHING
    among = f"{count_noun(count, 'quote')} in {count_noun(quoting, 'file')}"
    note(f"{len(findings)} of {among} would change or break.")
    return Status.CHANGED if findings else Status.FOUND


def _own_url(where: Where, given: str | None) -> str:
    """Return the URL by which others quote this site."""
    from mkdocs_recall.publishing.published_file import is_site_url

    if given is not None:
        if not is_site_url(given):
            msg = f"--site-url is no http or https URL: {shown(given)}"
            raise click.UsageError(msg)
        return given
    site_url = where.site_url()
    if not site_url:
        msg = (
            f"'{where.config_file()}' has no 'site_url', by which other sites name this one; set it"
        )
        raise SiteError(msg)
    return site_url


def _consumer(file: str) -> _Consumer:
    """Read a published file, of which only this is kept in memory."""
    from mkdocs_recall.publishing.published_file import read_site

    site = read_site(file)
    return _Consumer(file, site.header, site.outbound)


def _note_lack(consumer: _Consumer, site_url: str) -> None:
    """Say why a file has no quote of this site."""
    outbound, name = consumer.outbound, shown_path(consumer.file)
    if outbound is None:
        note(
            f"Note: '{name}' does not say what its site quotes; with 'publish: {{outbound: true}}' "
            "in its mkdocs.yml it does"
        )
        return
    others = sorted({passage.url for quote in outbound for passage in quote.passages})
    instead = f"; it quotes {', '.join(others)}" if others else ""
    if any(url.startswith(site_url) for url in others):
        instead += "; choose a version of this site with --site-url"
    note(f"Note: '{name}' quotes nothing of {site_url}{instead}")


def _published(where: Where, corpus: Corpus) -> Corpus:
    """Return only those pages of a site that others can quote."""
    from mkdocs_recall.corpus.corpus import Corpus
    from mkdocs_recall.index.selection import PageSet
    from mkdocs_recall.readers.site import Site

    site = Site(where.config_file()).pages()
    pages = {page.uri: page for page in corpus.documents if site.publishes(page.uri)}
    return Corpus(PageSet(list(pages), pages.__getitem__, {}))
