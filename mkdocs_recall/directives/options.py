"""The reading of options from a fence's YAML, or from values in Python, into one checked object."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final

from mkdocs_recall.directives import catalog
from mkdocs_recall.errors import SHOWN, OptionError, RecallError, did_you_mean
from mkdocs_recall.index.sources import SourceLike, as_sources, names_section
from mkdocs_recall.messages import shown
from mkdocs_recall.options import (
    DEFAULTS,
    EMBEDM_DEFAULTS,
    LIMITS,
    Options,
    RecallKeywords,
    RecallOptions,
    SynopsisKeywords,
)
from mkdocs_recall.text.model import TEXT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from typing_extensions import Unpack

    from mkdocs_recall.directives.directive import Directive
    from mkdocs_recall.options import Limits

_EMBEDM_NUMBERS: Final = frozenset({"max_sentences", "sections"})
_DIGITS: Final = 9

_OF_SECTIONS: Final = frozenset(
    {
        *("source", "subsections", "max_sentences", "language", "cite", "format", "temporal"),
        *("include_expired", "expect", "expect_source"),
    }
)
_FROM_SITE: Final = frozenset({"language", "cite", "temporal", "include_expired"})
"""Options of whole sections with site defaults."""

_OPTIONS: Final = {
    name: {key: option for key, option in catalog.OPTIONS.items() if name in option.directives}
    for name in DEFAULTS
}


def read_directive(
    directive: Directive, *, defaults: Mapping[str, Any], limits: Limits
) -> Options | None:
    """Return a directive's options, read once; None if it has a fault.

    The site's defaults, by option name, are already checked.
    """
    if directive.options is None and directive.fault is None:
        number = directive.number + 1
        fault = f"this is directive {number:,} of its page"
        remedy = "move it to another page"
        name, body, embedm = directive.name, directive.body, directive.embedm
        try:
            catalog.check_limit("directives", number, limits, fault, remedy=remedy)
            directive.options = read_options(
                name, body, defaults=defaults, embedm=embedm, limits=limits
            )
        except RecallError as error:
            directive.fault = error
    return directive.options


def read_options(
    name: str,
    body: str,
    *,
    defaults: Mapping[str, Any] | None = None,
    embedm: bool = False,
    limits: Limits = LIMITS,
) -> Options:
    """Read the body of a directive's fence.

    Args:
        defaults: Checked site-wide values by option name.
        embedm: Whether it is a `yaml embedm` fence: `type` is ignored; scorer and algorithm default
            to embedm's own, without tables and code; a synopsis replaces a missing answer silently;
            for the rest see `Options.embedm`.
    """
    from mkdocs_recall.directives import yaml

    fault = f"the fence holds {len(body):,} characters"
    catalog.check_limit("directive_size", len(body), limits, fault)
    written = yaml.read_body(body)
    defaults = defaults or {}
    options = _OPTIONS[name]
    if embedm:
        written = _without_type(written)
    values: dict[str, Any] = {key: value for key, value in defaults.items() if value is not None}
    if embedm:
        values |= {"scorer": "overlap", "algorithm": "frequency", "units": TEXT}
        values.setdefault("on_empty", "synopsis")
    for key, value in written.items():
        option = options.get(key)
        try:
            if option is None:
                yaml.check_lines(body)
                raise _unknown(key if isinstance(key, str) else shown(key), name, options)
            catalog.check_size(key, value, limits)
            yaml.check_written(key, value, body)
            values[key] = catalog.PARSERS[option.name](value)
        except OptionError as error:
            error.line = error.line or yaml.line_of_key(key, body)
            raise
    if name == "recall":
        values = _with_query(values, written, body, embedm=embedm)
    settings_of: dict[str, catalog.Settings] = {}
    for key, make in catalog.SWITCHES.items():
        settings: catalog.Settings | None = values.pop(key, None)
        if settings is not None and key in options:
            fence_settings = settings if key in written else None
            settings_of[key] = catalog.merge_settings(defaults.get(key) or {}, fence_settings)
            values[key] = make(settings_of[key])
    embedm_defaults = EMBEDM_DEFAULTS if embedm else {}
    values["restated"] = _restated({**DEFAULTS[name], **embedm_defaults}, values, settings_of)
    values = {**embedm_defaults, **values, "embedm": embedm}
    kind = Options if name == "synopsis" else RecallOptions
    # A site states defaults for both directives.
    return kind(**{key: value for key, value in values.items() if key in DEFAULTS[name]})


def _without_type(written: dict[Any, Any]) -> dict[Any, Any]:
    """Return the options of a fence for embedm, whose numbers may be in quotes."""
    options = {key: value for key, value in written.items() if key != "type"}
    for key in _EMBEDM_NUMBERS & options.keys():
        value = options[key]
        if isinstance(value, str) and value.strip().isdecimal() and len(value) <= _DIGITS:
            options[key] = int(value)
    return options


_WHOLE: Final = (
    " To quote a section whole, name only that one: 'source: page.md#section', or 'page.md#' for "
    "all above the first heading"
)


def _with_query(
    values: dict[str, Any], written: Mapping[Any, Any], body: str, *, embedm: bool
) -> dict[str, Any]:
    if "query" in values:
        if "subsections" in written:
            why = "'subsections' is for a section that is quoted whole, without a 'query'"
            raise _misplaced("subsections", why, body)
        return values
    if embedm or not names_section(values.get("source", ())):
        msg = "'query' is required: what should the quote answer?"
        raise OptionError(msg if embedm else msg + _WHOLE)
    for key in written:
        if key not in _OF_SECTIONS or (key == "format" and values[key] == "list"):
            option = "format: list" if key == "format" else key
            why = f"'{option}' needs a 'query'; without one, a section is quoted whole"
            raise _misplaced(key, why, body)
    allowed = {key: value for key, value in values.items() if key in written or key in _FROM_SITE}
    return {"format": "plain", **allowed, "query": ()}


def _misplaced(key: str, why: str, body: str) -> OptionError:
    from mkdocs_recall.directives.yaml import line_of_key

    return OptionError(why, line=line_of_key(key, body))


def recall_options(
    query: catalog.QueryLike, *, source: SourceLike, **values: Unpack[RecallKeywords]
) -> RecallOptions:
    """Make the options of a recall from values in Python."""
    checked = _checked(values, RecallKeywords)
    return RecallOptions(query=catalog.as_queries(query), source=as_sources(source), **checked)


def synopsis_options(*, source: SourceLike, **values: Unpack[SynopsisKeywords]) -> Options:
    """Make the options of a synopsis from values in Python."""
    return Options(source=as_sources(source), **_checked(values, SynopsisKeywords))


def site_defaults(written: Mapping[str, Any]) -> dict[str, Any]:
    """Return the checked defaults in the plugin's options."""
    rows = [option for option in catalog.OPTIONS.values() if written.get(option.name) is not None]
    return {row.name: catalog.PARSERS[row.name](written[row.name]) for row in rows if row.site_wide}


def unknown_settings(written: Iterable[object]) -> dict[object, str]:
    """Return a message for each name among the plugin's options that is none of them."""
    site_wide = [option.name for option in catalog.OPTIONS.values() if option.site_wide]
    known = {*site_wide, *catalog.SITE_SETTINGS, "enabled"}
    faults: dict[object, str] = {}
    for name in written:
        shown_name = str(name)[:SHOWN]
        if name in catalog.OPTIONS and name not in known:
            faults[name] = f"option '{name}' belongs in a fence, not in mkdocs.yml"
        elif name not in known:
            hint = did_you_mean(shown_name, known)
            faults[name] = f"unknown option {shown(shown_name)}{hint}"
    return faults


def _checked(values: Mapping[str, Any], keywords: type) -> dict[str, Any]:
    checked: dict[str, Any] = {}
    for name, value in values.items():
        if name not in keywords.__annotations__:
            hint = did_you_mean(name, keywords.__annotations__)
            raise TypeError(f"there is no keyword argument '{name}'{hint}")
        if value is None:
            continue
        if name in catalog.SWITCHES:
            checked[name] = catalog.SWITCHES[name](value)
        elif name == "token_counter":
            if not callable(value):
                raise OptionError(f"'token_counter' must be a function, not {shown(value)}")
            checked[name] = value
        elif name == "units":
            is_list = isinstance(value, (list, tuple, set, frozenset))
            checked[name] = catalog.parse_units([*value] if is_list else value)
        else:
            checked[name] = catalog.PARSERS[name](value)
    return checked


def _restated(
    defaults: Mapping[str, Any],
    values: Mapping[str, Any],
    settings_of: Mapping[str, catalog.Settings],
) -> tuple[str, ...]:
    names = [key for key, value in values.items() if key in defaults and value == defaults[key]]
    names += [
        f"{key}.{part.name}"
        for key, settings in settings_of.items()
        if values[key] is not None
        for part in fields(values[key])
        if part.name in settings and getattr(values[key], part.name) == part.default
    ]
    return tuple(sorted(names))


def _unknown(key: str, name: str, options: Iterable[str]) -> OptionError:
    if key in catalog.OPTIONS:
        owner = "synopsis" if name == "recall" else "recall"
        return OptionError(f"option '{key}' belongs to {owner}, not to {name}")
    if key in catalog.SITE_SETTINGS:
        return OptionError(f"option '{key}' belongs in mkdocs.yml, not in a fence")
    return OptionError(f"unknown option {shown(key)}{did_you_mean(key[:SHOWN], options)}")
