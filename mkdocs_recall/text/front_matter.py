"""A page's front matter: split off its Markdown, what it says to this plugin, and its faults."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date, datetime, timezone
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias, TypeGuard, get_args

from mkdocs_recall.errors import SHOWN, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping

_FRONT_MATTER = re.compile(r"---[ \t]*\n((?:.*\n)+?)(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
_NESTED = 1000
"""How many signs that may nest something the fast reader of YAML is given."""

EXCLUDED = "its front matter says 'recall: {exclude: true}'"
"""Why a page is never quoted."""
_NOT_REFUSING: tuple[object, ...] = (None, {}, {"exclude": False})

Stability: TypeAlias = Literal["", "static", "unknown", "dynamic", "ephemeral"]
"""How fast what a page says grows old; empty where its author does not say."""
STABILITIES: Final[tuple[Stability, ...]] = tuple(filter(None, get_args(Stability)))
BEST_QUALITY: Final = 100.0

_DATES: Final = ("t_created", "t_valid", "t_invalid", "t_expired")
_STABILITY: Final = "temporal_stability"
_QUALITY: Final = "recall_quality"
_FIELDS: Final = frozenset({*_DATES, _STABILITY, _QUALITY, "recall"})
_LONG: Final = 10**SHOWN
_HALVES: Final = re.compile(r"[\ud800-\udfff]")
_ENDLESS: Final = {list: "a list", dict: "a mapping", int: "a number with so many digits"}
_FIRST_LINE: Final = 2
"""That of the file on which its front matter begins, under `---`."""


@dataclass(frozen=True, slots=True)
class MarkdownSource:
    """A Markdown file, split."""

    body: str
    """The Markdown, with `\\n` as line end and without byte-order mark and front matter."""
    meta: Mapping[str, Any] = field(default_factory=dict)
    """The front matter."""
    offset: int = 0
    """How many lines of the file stand before the body."""


def split_front_matter(text: str) -> MarkdownSource:
    """Split YAML front matter off a Markdown file.

    Args:
        text: The file. A byte-order mark and foreign line ends are tolerated.

    Returns:
        The parts; front matter that is not a YAML mapping is left in the body, as MkDocs does.
    """
    text = normalise_newlines(text)
    match = _FRONT_MATTER.match(text)
    if match is None:
        return MarkdownSource(text)
    import yaml

    try:
        meta = yaml.load(match[1], _loader(match[1]))  # noqa: S506 - a safe one
    except (yaml.YAMLError, RecursionError, ValueError, LookupError, TypeError, AttributeError):
        return MarkdownSource(text)  # a value that is not what its tag or form says: 2024-02-30
    if not isinstance(meta, dict):
        return MarkdownSource(text)
    return MarkdownSource(text[match.end() :], meta, text.count("\n", 0, match.end()))


def _loader(text: str) -> Any:  # noqa: ANN401 - PyYAML's loaders share no type
    """Return the loader that MkDocs takes, which reads some signs otherwise than the slow one.

    It overflows the stack on what is nested some ten thousand deep.
    """
    import yaml

    is_flat = sum(map(text.count, ("[", "{", "- ", "? "))) <= _NESTED
    return getattr(yaml, "CSafeLoader", yaml.SafeLoader) if is_flat else yaml.SafeLoader


def normalise_newlines(text: str) -> str:
    r"""Return a file's text with `\n` as line end and without a byte-order mark."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def page_language(meta: Mapping[str, Any]) -> str:
    """Return the language a page's front matter states as `lang`, or an empty string."""
    value = meta.get("lang")
    if value is False:  # YAML reads a bare `no` as false
        return "no"
    return _writable(value).strip() if isinstance(value, str) else ""


def as_title(value: object) -> str:
    """Return what front matter states as `title`; nothing where that is no title: a list, say.

    Args:
        value: What YAML has made of it. With aliases, a short list can be longer than any memory.
    """
    is_one = isinstance(value, (str, float, date)) or (
        isinstance(value, int) and abs(value) < _LONG
    )
    return _writable(str(value)).strip() if is_one else ""


class PageMetadata(NamedTuple):
    """What a page's front matter says of it: fields of its Document."""

    description: str = ""
    created: str = ""
    valid: str = ""
    stability: Stability = ""
    quality: float | None = None


NO_METADATA: Final = PageMetadata()


def page_metadata(meta: Mapping[str, Any]) -> PageMetadata:
    """Return what a page's front matter says of it; what has a fault is not said."""
    description = meta.get("description")
    quality = meta.get(_QUALITY, 0 if meta.get("draft") is True else None)
    return PageMetadata(
        " ".join(_writable(description).split()) if isinstance(description, str) else "",
        iso_date(meta.get("t_created")),
        iso_date(meta.get("t_valid")),
        next((known for known in STABILITIES if known == meta.get(_STABILITY)), ""),
        float(quality) if is_quality(quality) else None,
    )


def expiry_date(meta: Mapping[str, Any]) -> str:
    """Return from when on a page does not hold, or an empty string.

    It is the earlier of the dates that its front matter states as `t_expired` and `t_invalid`.
    """
    dates = filter(None, (iso_date(meta.get(name)) for name in ("t_expired", "t_invalid")))
    return min(dates, key=parse_moment, default="")


def parse_moment(stated: str) -> datetime:
    """Return a date in ISO 8601 as a moment: the day's first, in UTC where no zone is stated."""
    when = datetime.fromisoformat(stated)
    return when if when.tzinfo else when.replace(tzinfo=timezone.utc)


def is_quality(value: object) -> TypeGuard[float]:
    """Tell whether a value is a number from 0 to 100."""
    return type(value) in {int, float} and 0 <= value <= BEST_QUALITY  # type: ignore[operator]


def is_excluded(meta: Mapping[str, Any]) -> bool:
    """Tell whether a page's front matter says `recall: {exclude: true}`, or tries to."""
    options = meta.get("recall")
    return options not in _NOT_REFUSING


class FrontMatterFault(NamedTuple):
    """What is wrong with a page's front matter."""

    line: int
    """The line of its file, from 1; 0 where it does not come from there."""
    message: str


def may_have_front_matter_faults(meta: Mapping[str, Any], markdown: str) -> bool:
    """Tell whether `front_matter_faults` may find any, without a look into the page's file.

    Args:
        meta: The front matter.
        markdown: What was left as the page's text.
    """
    return not _FIELDS.isdisjoint(meta) or markdown.startswith("---")


def front_matter_faults(meta: Mapping[str, Any], text: str) -> list[FrontMatterFault]:
    """Return what is wrong with what a page's front matter says to this plugin.

    Args:
        meta: The front matter as it was read, also of a page whose front matter could not be.
        text: The page's file.

    Returns:
        The faults in the order of their lines. A date that the calendar does not have keeps all
        front matter from being read: that is the only fault then.
    """
    match = _FRONT_MATTER.match(normalise_newlines(text))
    written = match[1] if match else ""
    if not meta:
        return _impossible_dates(written) if any(name in written for name in _FIELDS) else []
    found = {name: message for name, value in meta.items() if (message := _fault(name, value))}
    lines = _lines(written) if found else {}
    return sorted(FrontMatterFault(lines.get(name, 0), message) for name, message in found.items())


def _writable(text: str) -> str:
    """Return a text without halves of surrogate pairs, which YAML can hold and no file can."""
    return text if text.isascii() else _HALVES.sub("\ufffd", text)


def _fault(name: str, value: object) -> str:
    """Return what is wrong with a field, or an empty string; one without a value says nothing."""
    if name == "recall" and is_excluded({name: value}) and value != {"exclude": True}:
        return (
            "'recall' in the front matter must be {exclude: true} or {exclude: false}; "
            "until then the page is not quoted"
        )
    if value is None or value == "":
        return ""
    if name in _DATES and not iso_date(value):
        form = "a date such as 2026-02-10 or 2026-02-10T12:00:00Z"
        return f"'{name}' must be {form}, not {_shown(value)}"
    if name == _STABILITY and value not in STABILITIES:
        hint = did_you_mean(value[:SHOWN], STABILITIES) if isinstance(value, str) else ""
        return f"unknown {name} {_shown(value)}{hint} ({', '.join(STABILITIES)})"
    if name == _QUALITY and not is_quality(value):
        return f"'{name}' must be a number from 0 to {BEST_QUALITY:g}, not {_shown(value)}"
    return ""


def _shown(value: object) -> str:
    """Show a value in a message; what may have no end, by its kind."""
    if isinstance(value, str):
        return f"'{value if len(value) <= SHOWN else value[: SHOWN - 1] + '…'}'"
    if isinstance(value, (bool, float, date)) or (isinstance(value, int) and abs(value) < _LONG):
        return str(value).lower()
    return _ENDLESS.get(type(value), "such a value")


def _lines(written: str) -> dict[str, int]:
    """Return on which line of the file each field of some front matter stands."""
    import yaml

    try:
        root = yaml.compose(written, yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError):
        return {}  # what was read came from elsewhere
    fields = root.value if isinstance(root, yaml.MappingNode) else []
    return {key.value: _line(key) for key, _ in fields if isinstance(key, yaml.ScalarNode)}


def _impossible_dates(written: str) -> list[FrontMatterFault]:
    """Return the dates in some front matter that the calendar does not have."""
    import yaml

    dates = yaml.constructor.SafeConstructor()
    found = []
    try:
        for event in yaml.parse(written, yaml.SafeLoader):
            if not isinstance(event, yaml.ScalarEvent) or not event.implicit[0]:
                continue  # quoted, and so no date to YAML
            if dates.timestamp_regexp.match(event.value):
                try:
                    dates.construct_yaml_timestamp(yaml.ScalarNode("", event.value))
                except ValueError:
                    message = f"there is no date {event.value}, so no front matter is read"
                    found.append(FrontMatterFault(_line(event), message))
    except yaml.YAMLError:
        return []  # its text stands on the page for all to see
    return found


def _line(found: Any) -> int:  # noqa: ANN401 - a node or an event
    return int(found.start_mark.line) + _FIRST_LINE


_ISO: Final = re.compile(
    r"(\d{4}-\d\d-\d\d)"
    r"(?:(?:[Tt]|[ \t]+)([01]\d|2[0-3]):(\d\d)(?::(\d\d)(?:\.(\d{1,6})\d*)?)?"
    r"[ \t]*(?:([Zz])|([+-](?:[01]\d|2[0-3]))(?::?([0-5]\d))?)?)?",
    re.ASCII,
)
"""The day, and maybe hour, minute, second, fraction; and a zone: UTC, or hours and minutes."""


def iso_date(value: object) -> str:
    """Return a date as `datetime.fromisoformat` takes it from Python 3.10 on.

    Args:
        value: What YAML has read: a date, or a text that is one in ISO 8601, with or without time
            and zone.

    Returns:
        The date, without a time where none is stated; an empty string for what is none.
    """
    if isinstance(value, date):
        value = value.isoformat()
    if not isinstance(value, str):
        return ""
    match = _ISO.fullmatch(value.strip())
    if match is None:
        return ""
    day, hour, minute, second, fraction, utc, zone, zone_minute = match.groups("")
    try:
        if not hour:
            return date.fromisoformat(day).isoformat()
        offset = "+00:00" if utc else f"{zone}:{zone_minute or '00'}" if zone else ""
        time = f"{hour}:{minute}:{second or '00'}.{fraction:0<6}{offset}"
        when = datetime.fromisoformat(f"{day}T{time}")
        if offset:
            when.astimezone(timezone.utc)
    except (ValueError, OverflowError):  # the calendar has no such day, or UTC not such a moment
        return ""
    return when.isoformat()
