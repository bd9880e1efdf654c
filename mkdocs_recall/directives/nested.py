"""Options with settings of their own: `semantic`, `temporal`, `source`, and the site's `limits`.

The first two are `true`, `false`, or a mapping of settings, of which `enabled` is the switch. The
settings of a fence override those of the site, so that a site may name a model, and a fence use it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar, cast

from mkdocs_recall.directives.values import choice, number, paths, settings, truth, whole_number
from mkdocs_recall.errors import DirectiveError, OptionError, did_you_mean
from mkdocs_recall.messages import quoted_hint, shown
from mkdocs_recall.options import (
    COMMIT_DATES,
    GATE,
    LIMITS,
    LOCK_MODES,
    MODES,
    Limits,
    Publication,
    Semantic,
    Temporal,
)
from mkdocs_recall.text.front_matter import iso_date

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mkdocs_recall.options import Embedder, LockMode

Settings: TypeAlias = dict[str, Any]
"""The settings that are stated, by name, checked."""
_LONGEST: Final = 1_000
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
    if not isinstance(value, str) or not value.strip() or len(value) > _LONGEST:
        msg = f"'semantic.model' must be the name of a model, not {shown(value)}"
        raise OptionError(msg)
    from mkdocs_recall.semantic.embedders import check_model

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
    from mkdocs_recall.index.filters import as_sources

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
        if name in _COUNTS and isinstance(value, int) and value > limits.sentences:
            msg = (
                f"'{name}' must be {limits.sentences:,} or less, got {shown(value)}; "
                f"{_remedy('sentences')}"
            )
            raise OptionError(msg)


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
_COUNTS: Final = ("max_sentences", "context")
