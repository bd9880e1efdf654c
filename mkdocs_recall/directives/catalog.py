"""Every option of a directive: who takes it, what parses it, and what the documentation says.

Names, types, defaults and bounds are those of `options` in the root. A parser of a value returns it
checked, or raises OptionError. A pattern between slashes is bounded, so that none can hang a build;
`regex`, which compiles it, is imported for the first one.

Some options have settings of their own: `semantic`, `temporal`, `source`, and the site's `limits`.
The first two are `true`, `false`, or a mapping of settings, of which `enabled` is the switch. The
settings of a fence override those of the site, so that a site may name a model, and a fence use
it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, TypeVar, cast
from unicodedata import normalize

from mkdocs_recall.errors import SHOWN, DirectiveError, OptionError, did_you_mean
from mkdocs_recall.limits import SITE_WIDE
from mkdocs_recall.messages import kind_of, quoted_hint, shown
from mkdocs_recall.options import (
    ALGORITHM_NAMES,
    BOUNDS,
    COMMIT_DATES,
    CONTEXTS,
    DEFAULT_ALGORITHM,
    DEFAULT_SCORER,
    ENRICH,
    FORMATS,
    GATE,
    LIMITS,
    LOCK_MODES,
    MODES,
    MOST,
    ON_EMPTY,
    SCORER_NAMES,
    TRIVIAL_QUERY,
    UNITS,
    Limits,
    Publication,
    Query,
    Semantic,
    Temporal,
)
from mkdocs_recall.text.front_matter import iso_date
from mkdocs_recall.text.language import is_language_code, nearest_language_code

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import regex

    from mkdocs_recall.options import Bounds, ContextName, Embedder, Enrich, LockMode, Unit


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


_LONGEST_PATTERN: Final = 200
"""Characters."""
_REPEATED: Final = 10_000
"""To compile a pattern takes time and memory for what its counts come to, and `regex` 2026.11 has
crashed on a million. Of 38,000 random patterns within both limits, none took 0.2 s or crashed."""
_REPEAT_COUNTS: Final = re.compile(r"\{[^{}]*\}")
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
    if len(pattern) > _LONGEST_PATTERN:
        return f"has more than {_LONGEST_PATTERN} characters; shorten it"
    repeated = 1
    for counts in _REPEAT_COUNTS.findall(pattern):
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


def parse_context(value: object) -> int | ContextName:
    """Return how much of each place is quoted."""
    if isinstance(value, int) and not isinstance(value, bool):
        return whole_number("context")(value)
    for name in CONTEXTS:
        if value == name:
            return name
    hint = unquoted_hint("context", value, WHOLE_NUMBER, BOUNDS["context"])
    if isinstance(value, str):
        hint = hint or did_you_mean(value[:SHOWN], CONTEXTS)
    msg = f"unknown context {shown(value)}{hint} ({', '.join(CONTEXTS)}, or a whole number)"
    raise OptionError(msg)


Settings: TypeAlias = dict[str, Any]
"""The settings that are stated, by name, checked."""
_LONGEST_MODEL: Final = 1_000
"""Characters of a model's name with its folder."""
_LEADS_AWAY: Final = re.compile(r"[/\\~]|[a-zA-Z]:|(?:.*[/\\])?\.\.(?:[/\\]|\Z)", re.DOTALL)
"""A path that may lead out of its folder, on any system."""
_Factor = TypeVar("_Factor", Semantic, Temporal)


def semantic_settings(value: object) -> Settings:
    """Check what is stated as `semantic`: `true`, `false`, or a mapping."""
    return _settings("semantic", value, _SEMANTIC)


def temporal_settings(value: object) -> Settings:
    """Check what is stated as `temporal`: `true`, `false`, or a mapping."""
    return _settings("temporal", value, _TEMPORAL)


def as_semantic(value: object) -> Semantic | None:
    """Return how meaning counts; None where it does not.

    Args:
        value: `True`, `False` or None, a `Semantic`, or a mapping of its settings, which turns it
            on unless it holds `enabled: False`.
    """
    return _make(Semantic, value, semantic_settings)


def as_temporal(value: object) -> Temporal | None:
    """Return how time counts; None where it does not.

    Args:
        value: `True`, `False` or None, a `Temporal`, or a mapping of its settings, which turns it
            on unless it holds `enabled: False`.
    """
    return _make(Temporal, value, temporal_settings)


def merge_settings(site: Settings, own: Settings | None) -> Settings:
    """Return the settings of a fence over those of the site, as `as_semantic` takes them.

    Args:
        site: What `mkdocs.yml` states. It turns nothing on unless it holds `enabled: true`: it may
            be there for those who do.
        own: What the fence states, or None. It turns the option on unless it or the site holds
            `enabled: false`.
    """
    model = (own or {}).get("model", "")
    if model != site.get("model") and _LEADS_AWAY.match(model.partition(":")[2]):
        msg = (
            "a fence may only name a model below the folder of mkdocs.yml, not "
            f"{shown(model)}; name others in mkdocs.yml"
        )
        raise OptionError(msg)
    return {"enabled": False, **site} if own is None else {**site, **own}


def _settings(name: str, value: object, parsers: Mapping[str, Callable[[object], Any]]) -> Settings:
    if isinstance(value, bool):
        return {"enabled": value}
    return settings(name, value, parsers, wanted="true, false or a mapping of settings")


def _make(
    factor: type[_Factor], value: object, check: Callable[[object], Settings]
) -> _Factor | None:
    if value is None:
        return None
    if isinstance(value, factor):
        value = {field.name: getattr(value, field.name) for field in fields(value)}
    stated = check(value)
    if not stated.pop("enabled", True):
        return None
    if stated.get("mode") == "gate" and stated.get("gate", GATE) is None:
        msg = (
            "'semantic.gate' is off, but the mode 'gate' needs a gate: set a cosine such as "
            f"{GATE:g}, or another mode"
        )
        raise OptionError(msg)
    return factor(**stated)


def _similarity(value: object) -> float | None:
    """Take a cosine; None for the model's own."""
    return None if value is None else number("semantic.min_similarity")(value)


def _gate(value: object) -> float | None:
    """Take a cosine; None, or the `off` of YAML, for no gate."""
    return None if value is None or value is False else number("semantic.gate")(value)


def _model(value: object) -> str | Embedder:
    """Take the name of an embedder, with its argument; or, in Python, the embedder itself."""
    if callable(getattr(value, "embed", None)):
        return cast("Embedder", value)
    if not isinstance(value, str) or not value.strip() or len(value) > _LONGEST_MODEL:
        msg = f"'semantic.model' must be the name of a model, not {shown(value)}"
        raise OptionError(msg)
    from mkdocs_recall.factors.embedders import check_model

    return check_model(value.strip())


def _now(value: object) -> str:
    """Take a date, as ISO 8601 text; an empty text, or None, for what git or a variable tells."""
    if value is None or value == "":
        return ""
    if when := iso_date(value):
        return when
    msg = f"'temporal.now' must be a date such as 2026-02-11, not {shown(value)}"
    raise OptionError(msg)


_SEMANTIC: Final[Mapping[str, Callable[[object], Any]]] = {
    "enabled": truth("semantic.enabled"),
    "min_lexical_score": number("semantic.min_lexical_score"),
    "min_relevance_score": number("semantic.min_relevance_score"),
    "min_similarity": _similarity,
    "limit": whole_number("semantic.limit"),
    "model": _model,
    "mode": choice("semantic.mode", MODES),
    "gate": _gate,
}
_TEMPORAL: Final[Mapping[str, Callable[[object], Any]]] = {
    "enabled": truth("temporal.enabled"),
    "tau_days": number("temporal.tau_days"),
    "cooldown_hours": number("temporal.cooldown_hours"),
    "burst_discount": number("temporal.burst_discount"),
    "k": number("temporal.k"),
    "commit_date": choice("temporal.commit_date", COMMIT_DATES),
    "now": _now,
}


def parse_source(value: object) -> tuple[str, ...]:
    """Take a path, a list of paths, or `{pages, where}`."""
    if not isinstance(value, Mapping):
        return paths("source", remedy=", or leave it out for this page")(value)
    from mkdocs_recall.index.sources import as_sources

    pages = {"pages": paths("source.pages")(value["pages"])} if "pages" in value else {}
    return as_sources({**value, **pages})


def as_limits(value: object) -> Limits:
    """Return how much is read.

    Args:
        value: A `Limits`, or a mapping of its settings; None for those that hold by default.
    """
    if value is None:
        return LIMITS
    stated = asdict(value) if isinstance(value, Limits) else value
    return Limits(**settings("limits", stated, _LIMITS))


def as_lock_mode(value: object) -> LockMode:
    """Return what a build does with approved answers.

    Args:
        value: A mode, as YAML has it: `off` is false there. None for the default.
    """
    if value is None or value is False:
        return "off"
    for mode in LOCK_MODES:
        if value == mode:
            return mode
    hint = did_you_mean(value, LOCK_MODES) if isinstance(value, str) else ""
    msg = f"'lock' must be off, warn or enforce, not {shown(value)}{hint}"
    raise OptionError(msg)


def as_publication(value: object) -> Publication | None:
    """Return what a site states of the file that it publishes; None if it publishes none.

    Args:
        value: `true`, `false`, or a mapping of settings.
    """
    if value is None or value is False:
        return None
    stated = {} if value is True else value
    wanted = "true, false, or a mapping of settings"
    return Publication(**settings("publish", stated, _PUBLICATION, wanted=wanted))


def _line(name: str) -> Callable[[object], str]:
    """Return what takes a text of one line."""

    def parse(value: object) -> str:
        if not isinstance(value, str) or not value.isprintable():
            msg = f"'{name}' must be text on one line, not {shown(value)}{quoted_hint(value)}"
            raise OptionError(msg)
        return value.strip()

    return parse


def check_count(number: int, limits: Limits) -> None:
    """Refuse a directive that is one too many on its page.

    Args:
        number: Its own there, from 0.
    """
    if number >= limits.directives:
        msg = (
            f"it is number {number + 1:,} on its page, and the limit is {limits.directives:,}; "
            f"{_remedy('directives')}"
        )
        raise DirectiveError(msg)


def check_size(body: str, limits: Limits) -> None:
    """Refuse a directive that is too long to be read."""
    if len(body) > limits.directive_size:
        msg = (
            f"the fence holds {len(body):,} characters, and the limit is "
            f"{limits.directive_size:,}; {_remedy('directive_size')}"
        )
        raise DirectiveError(msg)


def check_values(values: Mapping[Any, object], limits: Limits) -> None:
    """Refuse options that ask for too much.

    Args:
        limits: How much a directive may ask for.
    """
    for name, value in _with_nested(values):
        if isinstance(value, list) and len(value) > limits.list_length:
            msg = (
                f"'{name}' has {len(value):,} entries, and the limit is {limits.list_length:,}; "
                f"{_remedy('list_length')}"
            )
            raise OptionError(msg)
        if name in _COUNT_OPTIONS and isinstance(value, int) and value > limits.sentences:
            msg = (
                f"'{name}' must be {limits.sentences:,} or less, got {shown(value)}; "
                f"{_remedy('sentences')}"
            )
            raise OptionError(msg)


def check_searches(pages: int, limits: Limits) -> None:
    """Refuse a directive with which those of a site search too many pages.

    Args:
        pages: What it and those before it search together.
    """
    if pages > limits.searches:
        msg = (
            f"it and the directives before it search {pages:,} pages, and the limit is "
            f"{limits.searches:,}; narrow 'source', or raise 'limits.searches' in mkdocs.yml"
        )
        raise DirectiveError(msg)


def _with_nested(values: Mapping[Any, object]) -> Iterator[tuple[Any, object]]:
    """Yield the options with their values, and those of a filter in `source`."""
    for name, value in values.items():
        yield name, value
        if name == "source" and isinstance(value, dict):
            yield from ((f"source.{key}", nested) for key, nested in value.items())
            where = value.get("where")
            for key, wanted in where.items() if isinstance(where, dict) else ():
                negated = wanted.get("not") if isinstance(wanted, dict) else wanted
                yield f"where.{key}", negated


def _remedy(limit: str) -> str:
    return f"reduce it, or raise 'limits.{limit}' in mkdocs.yml"


_LIMITS: Final[Mapping[str, Callable[[object], Any]]] = {
    field.name: whole_number(f"limits.{field.name}") for field in fields(Limits)
}
_PUBLICATION: Final[Mapping[str, Callable[[object], Any]]] = {
    name: _line(f"publish.{name}") for name in ("version", "licence")
}
_COUNT_OPTIONS: Final = ("max_sentences", "context")


_BOTH = ("recall", "synopsis")


class Option(NamedTuple):
    """One option: where it may stand, how its value is checked, what the documentation says."""

    name: str
    directives: tuple[str, ...]
    type: str
    """Its type in the author's words."""
    default: str
    """Its default in the author's words."""
    meaning: str
    parse: Callable[[Any], Any]
    """Checks a YAML value and returns it as `options` holds it, or, of a switch, its settings;
    raises OptionError."""

    @property
    def site_wide(self) -> bool:
        """Whether `mkdocs.yml` may set its default."""
        return self.name in SITE_WIDE


OPTIONS: tuple[Option, ...] = (
    Option(
        "source",
        _BOTH,
        "text, a list, or `{pages, where}`",
        "this page",
        "The pages to quote from: a page, a section, a folder, a pattern, or a list of these. "
        "`**` is the whole site. `where` filters them by front matter. Folders and patterns leave "
        "out the current page.",
        parse_source,
    ),
    Option(
        "query",
        ("recall",),
        "text, or a list",
        "required, unless `source` is one section",
        "The question that the quote answers, or a list of questions. `{text, weight}` gives a "
        "question more weight. Without a query, a section is quoted whole.",
        as_queries,
    ),
    Option(
        "max_sentences",
        _BOTH,
        "whole number, 1 or more",
        "3",
        "The maximum number of sentences: in total for a recall, per page for a synopsis.",
        whole_number("max_sentences"),
    ),
    Option(
        "sections",
        _BOTH,
        "whole number, 0 or more",
        "0",
        "Read only this many top-level blocks at the start of each source.",
        whole_number("sections"),
    ),
    Option(
        "language",
        _BOTH,
        "language code",
        "the page's, then the site's",
        "The language of the source, which determines stop words, stems and abbreviations.",
        parse_language,
    ),
    Option(
        "scorer",
        ("recall",),
        ", ".join(f"`{name}`" for name in SCORER_NAMES),
        f"`{DEFAULT_SCORER}`",
        "How sentences are scored against the query.",
        choice("scorer", SCORER_NAMES),
    ),
    Option(
        "links",
        ("recall",),
        "`true`, `false`",
        "`true`",
        "Whether pages and sections that other pages link to score higher with the scorer "
        "`structure`.",
        truth("links"),
    ),
    Option(
        "chronicles",
        ("recall",),
        "`true`, `false`",
        "`true`",
        "Whether release notes and diaries score lower with the scorer `structure`, unless the "
        "source names their page.",
        truth("chronicles"),
    ),
    Option(
        "algorithm",
        ("synopsis",),
        ", ".join(f"`{name}`" for name in ALGORITHM_NAMES),
        f"`{DEFAULT_ALGORITHM}`",
        "How the sentences of a synopsis are chosen.",
        choice("algorithm", ALGORITHM_NAMES),
    ),
    Option(
        "diversity",
        _BOTH,
        "number, 0 to 1",
        "the scorer's",
        "How much the sentences should differ from each other (maximal marginal relevance).",
        number("diversity"),
    ),
    Option(
        "units",
        ("recall",),
        f"list of {', '.join(f'`{unit}`' for unit in UNITS)}",
        "all but `code`",
        "The kinds of text that may be quoted.",
        parse_units,
    ),
    Option(
        "context",
        ("recall",),
        f"{', '.join(f'`{name}`' for name in CONTEXTS)}, or a whole number, 0 or more",
        "`auto`",
        "How much of each place to quote: what makes it an answer, the whole block, the whole "
        "section, or so many sentences before and after each chosen sentence.",
        parse_context,
    ),
    Option(
        "subsections",
        ("recall",),
        "`true`, `false`",
        "`true`",
        "Whether a section that is quoted whole includes its subsections.",
        truth("subsections"),
    ),
    Option(
        "min_score",
        ("recall",),
        "number, 0 or more",
        "the scorer's",
        "The lowest score that counts as an answer.",
        number("min_score"),
    ),
    Option(
        "on_empty",
        ("recall",),
        ", ".join(f"`{name}`" for name in ON_EMPTY),
        "`warn`",
        "What to do if no sentence answers the query.",
        choice("on_empty", ON_EMPTY),
    ),
    Option(
        "prefer_description",
        ("synopsis",),
        "`true`, `false`",
        "`false`",
        "Start the synopsis with the `description` from the page's front matter, if there is one.",
        truth("prefer_description"),
    ),
    Option(
        "max_words",
        _BOTH,
        "whole number, 1 or more",
        "none",
        "Stop before a sentence that would exceed this many words.",
        whole_number("max_words"),
    ),
    Option(
        "max_tokens",
        _BOTH,
        "whole number, 1 or more",
        "none",
        "Stop before a sentence that would exceed this many tokens of a language model.",
        whole_number("max_tokens"),
    ),
    Option(
        "cite",
        _BOTH,
        "`true`, `false`, `auto`",
        "`auto`",
        "Whether the quote names its source. `auto` does so if the source is another page.",
        parse_cite,
    ),
    Option(
        "format",
        _BOTH,
        ", ".join(f"`{name}`" for name in FORMATS),
        "`blockquote`, or `plain` for a whole section",
        "How the quote is laid out.",
        choice("format", FORMATS),
    ),
    Option(
        "explain",
        _BOTH,
        "`true`, `false`",
        "`false`",
        "Add a folded table that shows how each sentence scored, and the best sentences that "
        "were not chosen.",
        truth("explain"),
    ),
    Option(
        "semantic",
        ("recall",),
        "`true`, `false`, or settings",
        "`false`",
        "Whether meaning counts as well as words, and how.",
        semantic_settings,
    ),
    Option(
        "temporal",
        _BOTH,
        "`true`, `false`, or settings",
        "`false`",
        "Whether a page's edits and dates count, and how.",
        temporal_settings,
    ),
    Option(
        "include_expired",
        _BOTH,
        "`true`, `false`",
        "`false`",
        "Also quote pages that have expired.",
        truth("include_expired"),
    ),
    Option(
        "enrich",
        ("recall",),
        ", ".join(f"`{str(name).lower()}`" for name in ENRICH),
        "`false`",
        "Whether comparing by meaning takes the files you edited last into account: never, in "
        "`mkdocs serve`, or in every build.",
        parse_enrich,
    ),
    Option(
        "trivial_query",
        ("recall",),
        ", ".join(f"`{name}`" for name in TRIVIAL_QUERY),
        "`allow`",
        "What to do with a query that asks nothing, such as “ok”: answer it, answer it and "
        "warn, or leave the quote out.",
        choice("trivial_query", TRIVIAL_QUERY),
    ),
    Option(
        "acknowledgments",
        ("recall",),
        "text, or a list",
        "none",
        "Additional phrases that count as acknowledgments.",
        parse_acknowledgments,
    ),
    Option(
        "expect",
        _BOTH,
        "text, `/regex/`, or a list",
        "none",
        "Text that the quote must contain. The quote must contain every entry of a list.",
        parse_expect,
    ),
    Option(
        "expect_source",
        _BOTH,
        "text, or a list",
        "none",
        "A page or section that at least part of the quote must come from. A list requires each "
        "of its entries.",
        paths("expect_source"),
    ),
)
