"""The front matter of a page: split off, read into the fields of a Document, and checked.

The fields are `lang`, `title`, `description`, `draft`, `recall`, `recall_quality`,
`temporal_stability` and the dates. The caller adds the name of the file to a fault it reports.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime, timezone
from html import unescape
from typing import Any, Final, Literal, NamedTuple, TypeAlias, TypeGuard, get_args

from msgspec import Struct

from mkdocs_recall.errors import SHOWN, did_you_mean
from mkdocs_recall.messages import shown

_FRONT_MATTER = r"---[ \t]*\n((?:.*\n)+?)(?:---|\.\.\.)[ \t]*(?:\n|\Z)"

MERGED: Final = "its front matter merges too many keys"
NESTED: Final = "its front matter is nested too deeply; flatten it"
"""Why a page is left out: the unread part may say that it is never quoted."""
EXCLUDED = "its front matter says 'recall: {exclude: true}'"
ENCRYPTED: Final = "another plugin encrypts its text"
"""The reasons why a page is never quoted."""
ENCRYPTION: Final[Mapping[str, bool]] = {"password": False, "level": False, "obfuscate": False}
"""The encryption of a site with mkdocs-encryptcontent-plugin but no global settings."""
_ASKS: Final = "asks"
_BACKLINKS: Final = "backlinks"
_SETTINGS: Final = ("exclude", _ASKS, _BACKLINKS)
"""The settings of a page below `recall`."""
MOST_ASKS: Final = 50
"""The most questions of one section."""
_NOT_EXCLUDING: tuple[object, ...] = (None, {}, {"exclude": False})

Stability: TypeAlias = Literal["", "static", "unknown", "dynamic", "ephemeral"]
"""How fast the content of a page becomes outdated; empty if its author does not state it."""
STABILITIES: Final[tuple[Stability, ...]] = tuple(filter(None, get_args(Stability)))
BEST_QUALITY: Final = 100.0

_DATES: Final = ("t_created", "t_valid", "t_invalid", "t_expired")
_STABILITY: Final = "temporal_stability"
_QUALITY: Final = "recall_quality"
_FIELDS: Final = frozenset({*_DATES, _STABILITY, _QUALITY, "recall"})
_ID: Final = r"""<[a-zA-Z][^<>]*?\sid\s*=\s*["']?([^\s"'<>]+)"""
_LARGE: Final = 10**SHOWN
_SURROGATES: Final = re.compile(r"[\ud800-\udfff]")
_FIRST_LINE: Final = 2
"""The line of the file on which front matter starts, below `---`."""
_DAY: Final = len("2026-02-11")
"""Characters of a date, before its time."""
_ISO: Final = (
    r"(?a)(\d{4}-\d\d-\d\d)"
    r"(?:(?:[Tt]|[ \t]+)([01]\d|2[0-3]):(\d\d)(?::(\d\d)(?:\.(\d{1,6})\d*)?)?"
    r"[ \t]*(?:([Zz])|([+-](?:[01]\d|2[0-3]))(?::?([0-5]\d))?)?)?"
)
"""The day; optionally hour, minute, second and fraction; optionally the zone: UTC or an offset."""


class MarkdownSource(Struct, frozen=True):
    """A Markdown file, split into front matter and body."""

    body: str
    """The Markdown, with `\\n` as line ending, without front matter."""
    meta: Mapping[str, Any] = {}
    offset: int = 0
    """The number of lines in the file before the body."""
    fault: str = ""
    """Why the front matter is refused and remains in the body; empty if it is not."""


class PageMetadata(NamedTuple):
    """The fields of a Document that come from the page's front matter."""

    description: str
    created: str
    valid: str
    stability: Stability
    quality: float | None
    asks: tuple[tuple[str, str], ...] = ()
    """The questions that the page answers, by its author, each after the anchor of its section."""


NO_METADATA: Final = PageMetadata("", "", "", "", None)


class Validity(NamedTuple):
    """When a page is valid, in ISO 8601; an empty text if not stated."""

    since: str = ""
    until: str = ""


def split_front_matter(text: str) -> MarkdownSource:
    """Split YAML front matter off a Markdown file, whatever its line endings and byte-order mark.

    As in MkDocs, front matter that is not a YAML mapping remains in the body.
    """
    text = normalise_newlines(text)
    match = re.match(_FRONT_MATTER, text)
    if match is None:
        return MarkdownSource(text)
    import yaml

    from mkdocs_recall.text.safe_loader import TooManyMergedError, safe_loader

    try:
        meta = yaml.load(match[1], safe_loader(match[1]))  # noqa: S506 - a safe one
    except TooManyMergedError as error:
        return MarkdownSource(text, fault=f"{MERGED}; write them out ({error.problem})")
    except RecursionError:
        return MarkdownSource(text, fault=NESTED)
    except (yaml.YAMLError, ValueError, LookupError, TypeError, AttributeError):
        return MarkdownSource(text)  # a value that contradicts its tag or form: 2024-02-30
    if not isinstance(meta, dict):
        return MarkdownSource(text)
    return MarkdownSource(text[match.end() :], meta, text.count("\n", 0, match.end()))


def is_nested_too_deeply(text: str) -> bool:
    """Tell whether front matter is so deep that MkDocs may crash."""
    from mkdocs_recall.text.safe_loader import may_nest_deeply

    return may_nest_deeply(text) and split_front_matter(text).fault == NESTED


def normalise_newlines(text: str) -> str:
    r"""Return a file's text with `\n` as line ending and without byte-order mark."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def page_language(meta: Mapping[str, Any]) -> str:
    """Return `lang` from a page's front matter, or an empty string."""
    value = meta.get("lang")
    if value is False:  # YAML reads a bare `no` as false
        return "no"
    return _without_surrogates(value).strip() if isinstance(value, str) else ""


def as_title(value: object) -> str:
    """Return `title` as text; empty for other types, such as a list, which may be huge."""
    is_number = isinstance(value, int) and abs(value) < _LARGE
    is_title = is_number or isinstance(value, (str, float, date))
    return _without_surrogates(str(value)).strip() if is_title else ""


def page_metadata(meta: Mapping[str, Any]) -> PageMetadata:
    """Return a page's metadata, without invalid fields."""
    description = meta.get("description")
    quality = meta.get(_QUALITY, 0 if meta.get("draft") is True else None)
    return PageMetadata(
        " ".join(_without_surrogates(description).split()) if isinstance(description, str) else "",
        iso_date(meta.get("t_created")),
        iso_date(meta.get("t_valid")),
        next((stability for stability in STABILITIES if stability == meta.get(_STABILITY)), ""),
        float(quality) if is_quality(quality) else None,
        _asks(meta.get("recall")) or (),
    )


def expiry_date(meta: Mapping[str, Any]) -> str:
    """Return the earlier of `t_expired` and `t_invalid`, if any."""
    dates = filter(None, (iso_date(meta.get(name)) for name in ("t_expired", "t_invalid")))
    return min(dates, key=parse_moment, default="")


def validity(meta: Mapping[str, Any]) -> Validity:
    """Return when a page is valid by its front matter."""
    return Validity(iso_date(meta.get("t_valid")), expiry_date(meta))


def iso_date(value: object) -> str:
    """Return a date in the form that `datetime.fromisoformat` accepts from Python 3.10 on.

    In YAML it is a date, or text in ISO 8601 with or without time and zone; else it is empty.
    """
    if isinstance(value, date):
        value = value.isoformat()
    if not isinstance(value, str):
        return ""
    match = re.fullmatch(_ISO, value.strip())
    if match is None:
        return ""
    day, hour, minute, second, fraction, utc, zone, zone_minute = match.groups("")
    try:
        if not hour:
            return date.fromisoformat(day).isoformat()
        offset = "+00:00" if utc else ""
        if zone:
            offset = f"{zone}:{zone_minute or '00'}"
        time = f"{hour}:{minute}:{second or '00'}.{fraction:0<6}{offset}"
        moment = datetime.fromisoformat(f"{day}T{time}")
        if offset:
            moment.astimezone(timezone.utc)
    except (ValueError, OverflowError):  # not in the calendar, or out of range in UTC
        return ""
    return moment.isoformat()


def parse_moment(text: str) -> datetime:
    """Return a date in ISO 8601 as a moment: by default at midnight, and in UTC."""
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)


def invalid_pages(validities: Mapping[str, Validity], now: datetime) -> dict[str, str]:
    """Return the pages that have expired or are not valid yet, with the reason."""
    begins = {uri: validity.since for uri, validity in validities.items() if validity.since}
    coming = {uri: date for uri, date in begins.items() if parse_moment(date) > now}
    reasons = {uri: f"it is not valid before {date[:_DAY]}" for uri, date in coming.items()}
    until = {uri: validity.until for uri, validity in validities.items() if validity.until}
    return reasons | expired_pages(until, now)


def expired_pages(expiry_dates: Mapping[str, str], now: datetime) -> dict[str, str]:
    """Return the pages that have expired, with the reason."""
    past = {uri: date for uri, date in expiry_dates.items() if parse_moment(date) <= now}
    return {uri: f"it expired on {date[:_DAY]}" for uri, date in past.items()}


def is_quality(value: object) -> TypeGuard[float]:
    """Tell whether a value is a number from 0 to 100."""
    return type(value) in {int, float} and 0 <= value <= BEST_QUALITY  # type: ignore[operator]


def exclusion(meta: Mapping[str, Any], encryption: Mapping[str, bool] | None = None) -> str:
    """Return why a page is never quoted; empty if it may be.

    A site's `encryption` tells which settings encrypt a page by default.
    """
    if is_excluded(meta):
        stated = meta["recall"]
        is_valid = isinstance(stated, dict) and stated.get("exclude") is True
        fault = "" if is_valid else _check_recall(stated)
        return fault or EXCLUDED
    flags = (meta[n] != "" if n in meta else default for n, default in (encryption or {}).items())
    return ENCRYPTED if any(flags) else ""


def is_excluded(meta: Mapping[str, Any]) -> bool:
    """Tell whether a page is excluded, even by an invalid `recall`."""
    value = meta.get("recall")
    if isinstance(value, dict):
        value = {name: item for name, item in value.items() if name not in {_ASKS, _BACKLINKS}}
    return value not in _NOT_EXCLUDING


def wants_backlinks(meta: Mapping[str, Any]) -> bool:
    """Tell whether a page asks for links to those that quote it."""
    recall = meta.get("recall")
    return isinstance(recall, dict) and recall.get(_BACKLINKS) is True


def _asks(recall: object) -> tuple[tuple[str, str], ...] | None:
    """Return the questions in `recall`; None if they are invalid."""
    value = recall.get(_ASKS) if isinstance(recall, dict) else None
    by_anchor = value if isinstance(value, dict) else {"": value}
    asks: list[tuple[str, str]] = []
    for anchor, texts in by_anchor.items():
        questions = [] if texts is None else texts
        listed = questions if isinstance(questions, list) else [questions]
        fits = isinstance(anchor, str) and all(isinstance(text, str) for text in listed)
        if not fits or len(listed) > MOST_ASKS:
            return None
        name = _without_surrogates(anchor).removeprefix("#")
        asks += ((name, " ".join(_without_surrogates(text).split())) for text in listed)
    return tuple(asks)


def lost_questions(meta: Mapping[str, Any], html: str) -> Iterator[str]:
    """Yield a fault for each question whose section does not exist."""
    expected = {anchor: None for anchor, _ in _asks(meta.get("recall")) or () if anchor}
    anchors = {unescape(existing) for existing in re.findall(_ID, html)} if expected else set()
    for anchor in expected:
        if anchor not in anchors:
            hint = did_you_mean(f"#{anchor[:SHOWN]}", (f"#{existing}" for existing in anchors))
            yield (
                f"'recall.asks' in the front matter names {shown(f'#{anchor}')}, which is not "
                f"a section of the page{hint}"
            )


def may_have_front_matter_faults(meta: Mapping[str, Any], markdown: str) -> bool:
    """Tell whether there may be faults, without reading the file."""
    return not _FIELDS.isdisjoint(meta) or markdown.startswith("---")


def front_matter_faults(meta: Mapping[str, Any], text: str) -> list[tuple[int, str]]:
    """Return the faults in the fields of front matter that this plugin reads, by line.

    Lines count from 1; 0 means that the field is not in the file. An impossible date prevents all
    front matter from being read, so it is then the only fault.
    """
    if not meta:
        yaml_text = _front_matter(text)
        return _impossible_dates(yaml_text) if any(name in yaml_text for name in _FIELDS) else []
    faults = {name: fault for name, value in meta.items() if (fault := _check(name, value))}
    lines = field_lines(text) if faults else {}
    return sorted((lines.get(name, 0), fault) for name, fault in faults.items())


def _front_matter(text: str) -> str:
    match = re.match(_FRONT_MATTER, normalise_newlines(text))
    return match[1] if match else ""


def _without_surrogates(text: str) -> str:
    """Return a text without lone surrogates, which no file can hold."""
    return text if text.isascii() else _SURROGATES.sub("\ufffd", text)


def _check(name: str, value: object) -> str:
    if name == "recall":
        return _check_recall(value)
    if value is None or value == "":
        return ""
    if name in _DATES and not iso_date(value):
        form = "a date such as 2026-02-10 or 2026-02-10T12:00:00Z"
        return f"'{name}' must be {form}, not {shown(value)}"
    if name == _STABILITY and value not in STABILITIES:
        hint = did_you_mean(value[:SHOWN], STABILITIES) if isinstance(value, str) else ""
        return f"unknown {name} {shown(value)}{hint} ({', '.join(STABILITIES)})"
    if name == _QUALITY and not is_quality(value):
        return f"'{name}' must be a number from 0 to {BEST_QUALITY:g}, not {shown(value)}"
    return ""


def _check_recall(value: object) -> str:
    plain = dict(value) if isinstance(value, dict) else value
    if isinstance(plain, dict):
        if unknown := [str(name) for name in plain if name not in _SETTINGS]:
            hint = did_you_mean(unknown[0][:SHOWN], _SETTINGS)
            return (
                f"'recall' in the front matter has no setting {shown(unknown[0])}{hint} "
                f"({', '.join(_SETTINGS)}); until then the page is not quoted"
            )
        plain.pop(_ASKS, None)
        if not isinstance(links := plain.pop(_BACKLINKS, False), bool):
            return (
                f"'recall.backlinks' in the front matter must be true or false, not {shown(links)}"
            )
    if is_excluded({"recall": plain}) and plain != {"exclude": True}:
        return (
            "'recall' in the front matter must be {exclude: true} or {exclude: false}; "
            "until then the page is not quoted"
        )
    if _asks(value) is None:
        return (
            f"'recall.asks' in the front matter must be a question or a list of questions (up to "
            f"{MOST_ASKS}), or these by section: {{'#anchor': ['How …?']}}"
        )
    return ""


def field_lines(text: str) -> dict[str, int]:
    """Return the line of each field in the front matter of a file."""
    import yaml

    from mkdocs_recall.text.safe_loader import safe_loader

    yaml_text = _front_matter(text)
    try:
        root = yaml.compose(yaml_text, safe_loader(yaml_text))
    except (yaml.YAMLError, RecursionError):
        return {}  # the fields come from elsewhere
    fields = root.value if isinstance(root, yaml.MappingNode) else []
    return {key.value: _line(key) for key, _ in fields if isinstance(key, yaml.ScalarNode)}


def _impossible_dates(yaml_text: str) -> list[tuple[int, str]]:
    import yaml

    from mkdocs_recall.text.safe_loader import safe_loader

    dates = yaml.constructor.SafeConstructor()
    faults = []
    try:
        for event in yaml.parse(yaml_text, safe_loader(yaml_text)):
            if not isinstance(event, yaml.ScalarEvent) or not event.implicit[0]:
                continue  # quoted, so it is not a date
            if dates.timestamp_regexp.match(event.value):
                try:
                    dates.construct_yaml_timestamp(yaml.ScalarNode("", event.value))
                except ValueError:
                    message = f"'{event.value}' is not a date, so the front matter is ignored"
                    faults.append((_line(event), message))
    except yaml.YAMLError:
        return []  # the page shows it as text, so its author sees it
    return faults


def _line(node: Any) -> int:  # a node or an event of PyYAML
    return int(node.start_mark.line) + _FIRST_LINE
