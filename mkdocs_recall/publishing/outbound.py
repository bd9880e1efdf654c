"""What a site quotes of others, as its published file has it: the setting `publish.outbound`.

A site names others as its directives do; `sites` has the URL of each name. Whoever reads such a
file may have it from anywhere, so reading makes nothing but texts and numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mkdocs_recall.cache.shapes import shape_test
from mkdocs_recall.errors import OptionError
from mkdocs_recall.options import Query
from mkdocs_recall.text.place import split_place

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class OutboundPassage(NamedTuple):
    """A sentence that a site quotes of another one."""

    site: str
    """What sources call the other site: `flux`."""
    url: str
    """The URL of its root."""
    uri: str
    """The page, from the root of its documentation."""
    anchor: str
    text: str


@dataclass(frozen=True, slots=True)
class OutboundQuote:
    """A directive that quotes other sites."""

    page: str
    """The page it is on."""
    line: int
    """That of its fence in the page's file."""
    directive: str
    """`recall` or `synopsis`."""
    query: tuple[Query, ...]
    """None for a synopsis."""
    source: tuple[str, ...]
    """As written."""
    options: Mapping[str, Any]
    """The others that choose its answer and differ from their defaults, as JSON has them."""
    passages: tuple[OutboundPassage, ...]
    """The sentences of other sites, in reading order."""


_HAS_SHAPE: Final = shape_test(
    {
        "sites": {str: str},
        "quotes": [
            {
                "page": str,
                "line": int,
                "directive": str,
                "query": [(str, {"text": str, "weight": float})],
                "source": [str],
                "options": {},
                "passages": [{"source": str, "text": str}],
            }
        ],
    }
)


def pack_outbound(quotes: Iterable[OutboundQuote]) -> dict[str, Any]:
    """Return quotes as a value for JSON."""
    sites: dict[str, str] = {}
    records = []
    for quote in quotes:
        sites.update((passage.site, passage.url) for passage in quote.passages)
        records.append(
            {
                "page": quote.page,
                "line": quote.line,
                "directive": quote.directive,
                "query": list(map(_query_record, quote.query)),
                "source": list(quote.source),
                "options": dict(quote.options),
                "passages": list(map(_passage_record, quote.passages)),
            }
        )
    return {"sites": dict(sorted(sites.items())), "quotes": records}


def unpack_outbound(value: Any) -> tuple[OutboundQuote, ...] | None:  # noqa: ANN401 - JSON may be anything
    """Return the quotes of a value that `pack_outbound` has made; None for None."""
    if value is None:
        return None
    msg = "its 'outbound' is not what a site quotes of others"
    if not _HAS_SHAPE(value):
        raise ValueError(msg)
    try:
        return tuple(_quote(record, value["sites"]) for record in value["quotes"])
    except (LookupError, OptionError) as error:
        raise ValueError(msg) from error


def _quote(record: Mapping[str, Any], sites: Mapping[str, str]) -> OutboundQuote:
    """Return a quote."""
    return OutboundQuote(
        *(record["page"], record["line"], record["directive"]),
        tuple(
            Query(q) if isinstance(q, str) else Query(q["text"], q["weight"])
            for q in record["query"]
        ),
        tuple(record["source"]),
        record["options"],
        tuple(_passage(passage, sites) for passage in record["passages"]),
    )


def _query_record(query: Query) -> str | dict[str, Any]:
    return query.text if query.weight == 1 else {"text": query.text, "weight": query.weight}


def _passage_record(passage: OutboundPassage) -> dict[str, str]:
    place = f"{passage.uri}#{passage.anchor}" if passage.anchor else passage.uri
    return {"source": f"{passage.site}:{place}", "text": passage.text}


def _passage(record: Mapping[str, str], sites: Mapping[str, str]) -> OutboundPassage:
    name, _, place = record["source"].partition(":")
    return OutboundPassage(name, sites[name], *split_place(place), record["text"])
