"""A page's front matter: split off its Markdown, and what it says to this plugin."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date, datetime, timezone
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

_FRONT_MATTER = re.compile(r"---[ \t]*\n((?:.*\n)*?)(?:---|\.\.\.)[ \t]*(?:\n|\Z)")

EXCLUDED = "its front matter says 'recall: {exclude: true}'"
"""Why a page is never quoted."""
_NOT_REFUSING: tuple[object, ...] = (None, {}, {"exclude": False})


@dataclass(frozen=True, slots=True)
class Source:
    """A Markdown file, split."""

    body: str
    """The Markdown, with `\\n` as line end and without byte-order mark and front matter."""
    meta: Mapping[str, Any] = field(default_factory=dict)
    """The front matter."""
    offset: int = 0
    """How many lines of the file stand before the body."""


def split_front_matter(text: str) -> Source:
    """Split YAML front matter off a Markdown file.

    Args:
        text: The file. A byte-order mark and foreign line ends are tolerated.

    Returns:
        The parts; front matter that is not a YAML mapping is left in the body, as MkDocs does.
    """
    text = normalised(text)
    match = _FRONT_MATTER.match(text)
    if match is None:
        return Source(text)
    import yaml  # noqa: PLC0415 - what is in the cache needs none

    try:
        meta = yaml.safe_load(match[1])
    except (yaml.YAMLError, RecursionError, ValueError, LookupError, TypeError, AttributeError):
        return Source(text)  # a value that is not what its tag or form says: 2024-02-30
    if not isinstance(meta, dict):
        return Source(text)
    return Source(text[match.end() :], meta, text.count("\n", 0, match.end()))


def normalised(text: str) -> str:
    r"""Return a file's text with `\n` as line end and without a byte-order mark."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def page_language(meta: Mapping[str, Any]) -> str:
    """Return the language a page's front matter states as `lang`, or an empty string."""
    value = meta.get("lang")
    if value is False:  # YAML reads a bare `no` as false
        return "no"
    return value.strip() if isinstance(value, str) else ""


def page_description(meta: Mapping[str, Any]) -> str:
    """Return what a page's front matter says of it as `description`, or an empty string."""
    value = meta.get("description")
    return " ".join(value.split()) if isinstance(value, str) else ""


def page_created(meta: Mapping[str, Any]) -> str:
    """Return the date that a page's front matter states as `t_created`, or an empty string.

    YAML reads dates; a text that is one (ISO 8601) counts too, anything else does not.
    """
    return _date(meta.get("t_created"))


def page_expires(meta: Mapping[str, Any]) -> str:
    """Return from when on a page does not hold, or an empty string.

    It is the earlier of the dates that its front matter states as `t_expired` and `t_invalid`.
    """
    stated = filter(None, (_date(meta.get(name)) for name in ("t_expired", "t_invalid")))
    return min(stated, key=moment, default="")


def moment(stated: str) -> datetime:
    """Return a date in ISO 8601 as a moment: the day's first, in UTC where no zone is stated."""
    when = datetime.fromisoformat(stated)
    return when if when.tzinfo else when.replace(tzinfo=timezone.utc)


def _date(value: object) -> str:
    """Return a date in ISO 8601; an empty string for what is none."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip())
        except ValueError:
            return ""
    return value.isoformat() if isinstance(value, date) else ""


def is_refused(meta: Mapping[str, Any]) -> bool:
    """Tell whether a page's front matter says `recall: {exclude: true}`, or tries to."""
    options = meta.get("recall")
    return options not in _NOT_REFUSING


def front_matter_fault(meta: Mapping[str, Any]) -> str:
    """Return what is wrong with `recall` in a page's front matter, or an empty string."""
    options = meta.get("recall")
    if options in _NOT_REFUSING or options == {"exclude": True}:
        return ""
    return (
        "'recall' in the front matter must be {exclude: true} or {exclude: false}; "
        "until then the page is not quoted"
    )
