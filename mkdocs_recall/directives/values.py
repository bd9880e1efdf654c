"""Parsers of option values: each returns a checked value, or raises OptionError.

A pattern between slashes is bounded, so that none can hang a build; `regex`, which compiles it, is
imported for the first one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from unicodedata import normalize

from mkdocs_recall.errors import SHOWN, OptionError, did_you_mean
from mkdocs_recall.messages import kind_of, quoted_hint, shown
from mkdocs_recall.options import BOUNDS, ENRICH, MOST, UNITS, Query
from mkdocs_recall.text.language import is_language_code, nearest_language_code

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import regex

    from mkdocs_recall.options import Bounds, Enrich, Unit

QueryLike: TypeAlias = (
    "str | Query | Mapping[str, object] | Sequence[str | Query | Mapping[str, object]]"
)
"""What a query may be: a text, `{text, weight}`, or a list of these."""


WHOLE_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,8})")
_DECIMAL: Final = re.compile(r"-?(?:[0-9]{1,9}(?:\.[0-9]{0,9})?|\.[0-9]{1,9})")
_TRUTH: Final = re.compile("true|false|yes|no|on|off", re.IGNORECASE)
_FALSE: Final = re.compile("false|no|off", re.IGNORECASE)


def unquoted_hint(
    name: str, value: object, wanted: re.Pattern[str], bounds: Bounds | None = None
) -> str:
    """Return the remedy for a text that would be as wanted without its quotes, else nothing."""
    text = value.strip(" ") if isinstance(value, str) else ""
    if wanted.fullmatch(text) is None or (bounds and not bounds.allow(float(text))):
        return ""
    return f"; leave out the quotes: {name.rpartition('.')[2]}: {text}"


def whole_number(name: str) -> Callable[[object], int]:
    """Return what takes whole numbers within the bounds of an option."""
    bounds = BOUNDS[name]

    def parse(value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            hint = unquoted_hint(name, value, WHOLE_NUMBER, bounds)
            msg = f"'{name}' must be a whole number, not {shown(value)}{hint}"
            raise OptionError(msg)
        if value < bounds.least:
            msg = f"'{name}' must be {bounds.least} or more, got {shown(value)}"
            raise OptionError(msg)
        if value > bounds.most:
            msg = f"'{name}' must be a billion at most"
            raise OptionError(msg)
        return value

    return parse


def choice(name: str, choices: Iterable[str]) -> Callable[[object], str]:
    """Return what takes one of some names."""
    names = tuple(choices)

    def parse(value: object) -> str:
        if not isinstance(value, str) or value not in names:
            hint = did_you_mean(str(value), names) if isinstance(value, str) else ""
            msg = f"unknown {name} {shown(value)}{hint} ({', '.join(names)})"
            raise OptionError(msg)
        return value

    return parse


def number(name: str) -> Callable[[object], float]:
    """Return what takes numbers within the bounds of an option."""
    least, most, exclusive = BOUNDS[name]
    if most < MOST:
        wanted = f"a number from {least:g} to {most:g}"
    else:
        wanted = f"a number greater than {least:g}" if exclusive else f"a number, {least:g} or more"

    def parse(value: object) -> float:
        if (
            isinstance(value, bool)
            or not isinstance(value, (int, float))
            or not least <= value < math.inf
            or (exclusive and value == least)
            or value > most != MOST
        ):
            hint = unquoted_hint(name, value, _DECIMAL, BOUNDS[name])
            msg = f"'{name}' must be {wanted}, not {shown(value)}{hint}"
            raise OptionError(msg)
        if value > most:
            msg = f"'{name}' must be a billion at most"
            raise OptionError(msg)
        return float(value)

    return parse


def parse_cite(value: object) -> bool | str:
    """Take `true`, `false` or `auto`."""
    if value == "auto" or isinstance(value, bool):
        return value
    hint = unquoted_hint("cite", value, _TRUTH)
    msg = f"'cite' must be true, false or auto, not {shown(value)}{hint}"
    raise OptionError(msg)


def parse_language(value: object) -> str:
    """Take the code of a language."""
    if value is False:  # YAML reads a bare `no` as false
        return "no"
    if not isinstance(value, str) or not value.strip():
        msg = f"'language' must be a code such as en or pt-BR, not {shown(value)}"
        raise OptionError(msg)
    code = value.strip()
    if not is_language_code(code):
        near = nearest_language_code(code)
        hint = f"did you mean '{near}'?" if near else "name it by a code such as en or pt-BR"
        msg = f"unknown language {shown(code)}; {hint}"
        raise OptionError(msg)
    return code


def paths(name: str, *, remedy: str = "") -> Callable[[object], tuple[str, ...]]:
    """Return what takes a path, or a list of paths.

    Args:
        remedy: What else its author may do than name a page.
    """

    def parse(value: object) -> tuple[str, ...]:
        items: list[object] = value if isinstance(value, list) else [value]
        if not items:
            msg = f"'{name}' is an empty list; name a page{remedy}"
            raise OptionError(msg)
        for item in items:
            if item is None or (isinstance(item, str) and not item.strip()):
                msg = f"'{name}' has no value; name a page (an anchor in quotes: \"#a\"){remedy}"
                raise OptionError(msg)
            if not isinstance(item, str):
                msg = f"'{name}' must be a path or a list of paths, not {shown(item)}"
                raise OptionError(msg)
        return tuple(str(item).strip() for item in items)

    return parse


def parse_expect(value: object) -> tuple[str, ...]:
    """Take a text, a pattern between slashes, or a list of these."""
    items: list[object] = value if isinstance(value, list) else [value]
    if not items:
        msg = "'expect' is an empty list; write what the answer must contain"
        raise OptionError(msg)
    for item in items:
        if item is None or (isinstance(item, str) and not item.strip()):
            msg = "'expect' has no value; write what the answer must contain"
            raise OptionError(msg)
        if not isinstance(item, str):
            msg = f"'expect' must be text, not {kind_of(item)}{quoted_hint(item)}"
            raise OptionError(msg)
    texts = tuple(str(item).strip() for item in items)
    for text in texts:
        if is_pattern(text):
            _check_pattern(text)
    return texts


def _check_pattern(text: str) -> None:
    try:
        pattern = compile_pattern(text)
    except OptionError as error:
        msg = f"'expect': {error}"
        raise OptionError(msg) from error
    if pattern.search("", timeout=1) is not None:
        msg = f"'expect': the pattern {text} matches an empty text, so it would always succeed"
        raise OptionError(msg)


def settings(
    name: str,
    value: object,
    parsers: Mapping[str, Callable[[object], Any]],
    *,
    wanted: str = "a mapping of settings",
) -> dict[str, Any]:
    """Return a mapping of settings, each checked."""
    if not isinstance(value, Mapping):
        hint = unquoted_hint(name, value, _TRUTH) if "true" in wanted else ""
        msg = f"'{name}' must be {wanted}, not {shown(value)}{hint}"
        raise OptionError(msg)
    for key in value:
        if key not in parsers:
            written = key if isinstance(key, str) else shown(key)
            hint = did_you_mean(written[:SHOWN], parsers)
            msg = f"'{name}' has no setting {shown(written)}{hint}"
            raise OptionError(msg)
    return {key: parsers[key](setting) for key, setting in value.items()}


def truth(name: str) -> Callable[[object], bool]:
    """Return what takes `true` or `false`."""

    def parse(value: object) -> bool:
        if not isinstance(value, bool):
            hint = unquoted_hint(name, value, _TRUTH)
            msg = f"'{name}' must be true or false, not {shown(value)}{hint}"
            raise OptionError(msg)
        return value

    return parse


def parse_enrich(value: object) -> Enrich:
    """Take `false`, `serve` or `always`."""
    for word in ENRICH:
        if value is word or (word and value == word):
            return word
    hint = unquoted_hint("enrich", value, _FALSE)
    msg = f"'enrich' must be false, serve or always, not {shown(value)}{hint}"
    raise OptionError(msg)


def parse_acknowledgments(value: object) -> tuple[str, ...]:
    """Take a phrase, or a list of phrases."""
    items: list[object] = value if isinstance(value, list) else [value]
    for item in items:
        if not isinstance(item, str):
            msg = f"'acknowledgments' must be text, not {kind_of(item)}{quoted_hint(item)}"
            raise OptionError(msg)
        if not any(map(str.isalnum, item)):
            msg = f"'acknowledgments' holds {shown(item)}, which has no words"
            raise OptionError(msg)
    return tuple(str(item).strip() for item in items)


def parse_units(value: object) -> tuple[Unit, ...]:
    """Take the name of a unit, or a list of names."""
    items: list[object] = value if isinstance(value, list) else [value]
    if not items:
        msg = f"'units' is an empty list; name some of {', '.join(UNITS)}"
        raise OptionError(msg)
    for item in items:
        if not isinstance(item, str):
            msg = f"'units' must be a list of some of {', '.join(UNITS)}, not {shown(item)}"
            raise OptionError(msg)
    named = {choice("unit", UNITS)(item) for item in items}
    return tuple(unit for unit in UNITS if unit in named)


_LONGEST: Final = 200
"""Characters."""
_REPEATED: Final = 10_000
"""To compile a pattern takes time and memory for what its counts come to, and `regex` 2026.11 has
crashed on a million. Of 38,000 random patterns within both limits, none took 0.2 s or crashed."""
_COUNTS: Final = re.compile(r"\{[^{}]*\}")
_NUMBER: Final = re.compile(r"\d{1,9}")
_CALL: Final = re.compile(r"\(\?(?:R|[+-]?\d|&|P>)")
"""A pattern that holds itself, or a group of its own, can fill the memory before it is stopped."""


def is_pattern(text: str) -> bool:
    """Tell whether a text is a pattern: whether it is between slashes."""
    return len(text) > 1 and text.startswith("/") and text.endswith("/")


def compile_pattern(text: str) -> regex.Pattern[str]:
    """Compile a pattern; what is searched with it must be given a `timeout`."""
    import regex

    pattern = normalize("NFC", text[1:-1])
    if fault := _excess(pattern):
        msg = f"the pattern {_shown(text)} {fault}"
        raise OptionError(msg)
    try:
        return regex.compile(pattern)
    except regex.error as error:
        msg = f"the pattern {_shown(text)} is invalid: {error}"
    except (ArithmeticError, LookupError, MemoryError, RecursionError, TypeError, ValueError):
        msg = f"the pattern {_shown(text)} is invalid; simplify it"
    raise OptionError(msg)


def _excess(pattern: str) -> str:
    """Return what is too much in a pattern, and the remedy; nothing, where all is well."""
    if not pattern:
        return "is empty; write a pattern between the slashes"
    if len(pattern) > _LONGEST:
        return f"has more than {_LONGEST} characters; shorten it"
    repeated = 1
    for counts in _COUNTS.findall(pattern):
        repeated *= max([1, *map(int, _NUMBER.findall(counts))])
    if repeated > _REPEATED:
        return f"repeats too much: its counts multiply to more than {_REPEATED:,}; use '+' or '*'"
    if _CALL.search(pattern):
        return "calls itself; write it without recursion"
    return ""


def _shown(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 2]}…/"


def as_queries(value: object) -> tuple[Query, ...]:
    """Read what an author or a caller gave as a query.

    Args:
        value: A text, a `Query`, a mapping with `text` and `weight`, or a list of these.
    """
    if isinstance(value, (str, Query, Mapping)):
        return (_as_query(value),)
    if value is None:
        msg = "'query' has no value; write a question"
        raise OptionError(msg)
    if not isinstance(value, Sequence):
        msg = f"'query' must be text, not {kind_of(value)}{quoted_hint(value)}"
        raise OptionError(msg)
    if not value:
        msg = "'query' is an empty list; write a question"
        raise OptionError(msg)
    return tuple(_as_query(item) for item in value)


def _as_query(value: object) -> Query:
    if isinstance(value, Query):
        query = value
    elif isinstance(value, str):
        query = Query(value)
    elif isinstance(value, Mapping):
        query = _from_mapping(value)
    else:
        msg = f"'query' must be text, not {kind_of(value)}{quoted_hint(value)}"
        raise OptionError(msg)
    if not query.text.strip():
        msg = "'query' is empty; write a question"
        raise OptionError(msg)
    return query


def _from_mapping(value: Mapping[object, object]) -> Query:
    for key in value:
        if key not in {"text", "weight"}:
            hint = did_you_mean(key[:SHOWN], ("text", "weight")) if isinstance(key, str) else ""
            msg = f"'query' has no key {shown(key)}{hint}"
            raise OptionError(msg)
    text, weight = value.get("text"), value.get("weight", 1)
    if not isinstance(text, str):
        msg = "each of several queries needs 'text', in quotes where YAML reads it otherwise"
        raise OptionError(msg)
    return Query(text, weight)  # type: ignore[arg-type]  # it checks that itself
