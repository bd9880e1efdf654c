"""`mkdocs-recall verify`: whether the pages still say what was quoted of them."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mkdocs_recall.cli.options import json_option
from mkdocs_recall.cli.output import Status, note, note_all, say, say_json
from mkdocs_recall.cli.where_options import any_where_options
from mkdocs_recall.errors import RecordError, SiteError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mkdocs_recall.cli.where import Where
    from mkdocs_recall.review.claims import Claim
    from mkdocs_recall.review.verification import Verification

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
    from mkdocs_recall.review.verification import VERDICTS, Verifier

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
    from mkdocs_recall.review.claims import read_claims
    from mkdocs_recall.review.written_quotes import quotes_in_html, quotes_in_markdown

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
