"""Claims: what a text says that a documentation says, and where, read from JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mkdocs_recall.errors import RecordError
from mkdocs_recall.text.place import split_place

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_LISTS: Final = ("passages", "quotes", "receipts")
_TEXTS: Final = ("text", "sentence", "source", "url", "uri", "anchor", "digest")


class ClaimedPlace(NamedTuple):
    """A section that is said to hold a quote."""

    uri: str
    """The page; empty where it is not named by its path."""
    anchor: str = ""
    """The section; empty for anywhere on the page."""
    url: str = ""
    """The link to it, where that is all that is known; its `#anchor` is in `anchor`."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A quote, a receipt or both, as somebody hands them in."""

    origin: str
    """Where it was read: `passage 3`, `line 12`."""
    texts: tuple[str, ...] = ()
    """What is quoted; each consists of whole sentences."""
    digests: tuple[str, ...] = ()
    """The digests of sentences that are quoted."""
    places: tuple[ClaimedPlace, ...] = ()
    """Where it is said to stand; none for anywhere."""
    site: str = ""
    """The name of the site that is quoted; empty where that is not known."""


def read_claims(text: str) -> list[Claim]:
    """Return the claims in JSON: a result, a list of passages or quotes, or of bare receipts."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        msg = f"this is not JSON: {error}"
        raise RecordError(msg) from error
    return list(_claims(data))


def claim_of(record: object, origin: str) -> Claim:
    """Return the claim of a passage, a quote or a receipt.

    Args:
        record: A mapping with `text`, `sentence` or `digest`, and `source`, `uri` or `url`.
    """
    if not isinstance(record, dict):
        msg = f"{origin} is not an object with 'text' or 'digest'"
        raise RecordError(msg)
    receipt = record.get("receipt", record)
    if not isinstance(receipt, dict):
        msg = f"'receipt' of {origin} is not an object"
        raise RecordError(msg)
    for name in _TEXTS:
        for values in (record, receipt):
            if not isinstance(values.get(name, ""), str):
                msg = f"'{name}' of {origin} is not text"
                raise RecordError(msg)
    texts = dict.fromkeys(record[n] for n in ("text", "sentence") if record.get(n, "").strip())
    digest = receipt.get("digest", "")
    if not (texts or digest):
        msg = f"{origin} has neither 'text' nor 'digest'"
        raise RecordError(msg)
    site = receipt.get("site", "")
    return Claim(
        origin,
        tuple(texts),
        (digest,) if digest else (),
        _places(record, receipt),
        site if isinstance(site, str) else "",
    )


def place_of_link(link: str) -> ClaimedPlace:
    """Return the place that a link names: of a page by its URL, or a path."""
    url, _, anchor = link.partition("#")
    return ClaimedPlace("", anchor, url)


def _claims(data: Any) -> Iterator[Claim]:  # noqa: ANN401 - JSON may be anything
    if isinstance(data, dict):
        if "passages" not in data and {"text", "digest", "receipt"} & data.keys():
            data = [data]
        else:
            name = next((name for name in _LISTS if isinstance(data.get(name), list)), "")
            if not name:
                msg = f"there is no list of {', '.join(map(repr, _LISTS))} in it"
                raise RecordError(msg)
            data = data[name]
    if not isinstance(data, list):
        msg = "it is neither an object nor a list"
        raise RecordError(msg)
    for number, record in enumerate(data, start=1):
        yield claim_of(record, f"passage {number}")


def _places(record: Mapping[str, Any], receipt: Mapping[str, Any]) -> tuple[ClaimedPlace, ...]:
    uri = receipt.get("uri") or record.get("uri") or record.get("source", "")
    anchor = receipt.get("anchor") or record.get("anchor", "")
    anchor = anchor.removeprefix("#")
    if anchor and uri.endswith(f".md#{anchor}"):
        uri = uri.removesuffix(f"#{anchor}")
    elif not (anchor and uri.endswith(".md")):  # a name may have a '#'
        uri, in_source = split_place(uri)
        anchor = anchor or in_source
    if uri:
        return (ClaimedPlace(uri, anchor),)
    url = record.get("url", "")
    if not url:
        return ()
    link = place_of_link(url)
    return (link._replace(anchor=link.anchor or anchor),)
