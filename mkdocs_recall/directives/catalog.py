"""The catalog of options: where each may be set, its parser, and its documentation.

Names, types, defaults and bounds come from `mkdocs_recall.options`. A parser returns the checked
value, or raises OptionError. `semantic` and `temporal` are `true`, `false`, or a mapping of
settings, with `enabled` as the switch; those of a fence override those of the site. The JSON
schemas of a fence, `mkdocs.yml` and questions are made from the same table.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar, cast, get_args
from unicodedata import normalize

from msgspec import Struct
from msgspec.structs import replace

from mkdocs_recall import options
from mkdocs_recall.errors import SHOWN, OptionError, did_you_mean
from mkdocs_recall.messages import check_settings, kind_of, quoted_hint, shown
from mkdocs_recall.options import Query
from mkdocs_recall.text.front_matter import iso_date
from mkdocs_recall.text.language import is_language_code, nearest_language_code

if TYPE_CHECKING:
    import regex

_T = TypeVar("_T")
QueryLike: TypeAlias = (
    "str | Query | Mapping[str, object] | Sequence[str | Query | Mapping[str, object]]"
)
"""A query: a text, `{text, weight}`, or a list of these."""
WHOLE_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,8})")
_DECIMAL: Final = re.compile(r"-?(?:[0-9]{1,9}(?:\.[0-9]{0,9})?|\.[0-9]{1,9})")
_TRUTH: Final = re.compile("true|false|yes|no|on|off", re.IGNORECASE)
_FALSE: Final = re.compile("false|no|off", re.IGNORECASE)


def _unquoted_hint(
    name: str, value: object, form: re.Pattern[str], bounds: options.Bounds | None = None
) -> str:
    """Return the remedy for a text that is valid without its quotes, or empty."""
    text = value.strip(" ") if isinstance(value, str) else ""
    if form.fullmatch(text) is None or (bounds and not bounds.allow(float(text))):
        return ""
    return f"; leave out the quotes: {name.rpartition('.')[2]}: {text}"


def _whole_number(name: str, value: object) -> int:
    bounds = options.BOUNDS[name]
    if isinstance(value, bool) or not isinstance(value, int):
        hint = _unquoted_hint(name, value, WHOLE_NUMBER, bounds)
        raise OptionError(f"'{name}' must be a whole number, not {shown(value)}{hint}")
    if value < bounds.least:
        raise OptionError(f"'{name}' must be {bounds.least} or more, got {shown(value)}")
    if value > bounds.most:
        raise OptionError(f"'{name}' must be a billion at most")
    return value


def _choice(name: str, value: object, *, names: Iterable[str]) -> str:
    names = tuple(names)
    if not isinstance(value, str):
        raise OptionError(f"'{name}' must be {_alternatives(names)}, not {shown(value)}")
    if value not in names:
        hint = did_you_mean(value, names)
        raise OptionError(f"unknown {name} {shown(value)}{hint} ({', '.join(names)})")
    return value


def _alternatives(values: Iterable[object]) -> str:
    *others, last = (str(value).lower() for value in values)
    return f"{', '.join(others)} or {last}"


def _checked_number(name: str, value: object) -> float:
    least, most, exclusive = options.BOUNDS[name]
    if (
        isinstance(value, bool)
        or not isinstance(value, (int, float))
        or not least <= value < math.inf
        or (exclusive and value == least)
        or value > most != options.MOST
    ):
        wanted = f"a number greater than {least:g}" if exclusive else f"a number, {least:g} or more"
        if most < options.MOST:
            wanted = f"a number from {least:g} to {most:g}"
        hint = _unquoted_hint(name, value, _DECIMAL, options.BOUNDS[name])
        raise OptionError(f"'{name}' must be {wanted}, not {shown(value)}{hint}")
    if value > most:
        raise OptionError(f"'{name}' must be a billion at most")
    return float(value)


def one_of(
    name: str, value: object, *, values: Sequence[_T], unquoted: re.Pattern[str] | None = None
) -> _T:
    """Check that a value is one of some."""
    for allowed in values:
        if value is allowed or (isinstance(allowed, str) and value == allowed):
            return allowed
    hint = _unquoted_hint(name, value, unquoted) if unquoted else ""
    if unquoted is None and isinstance(value, str):
        hint = did_you_mean(value, map(str, values))
    raise OptionError(f"'{name}' must be {_alternatives(values)}, not {shown(value)}{hint}")


def parse_language(value: object) -> str:
    """Check the code of a language."""
    if value is False:  # YAML reads a bare `no` as false
        return "no"
    if not isinstance(value, str) or not value.strip():
        raise OptionError(f"'language' must be a code such as en or pt-BR, not {shown(value)}")
    code = value.strip()
    if not is_language_code(code):
        near = nearest_language_code(code)
        hint = f"did you mean '{near}'?" if near else "name it by a code such as en or pt-BR"
        raise OptionError(f"unknown language {shown(code)}; {hint}")
    return code


def _texts(
    name: str, value: object, remedy: str, *, wrong: Callable[[object], str], aside: str = ""
) -> tuple[str, ...]:
    items: list[object] = value if isinstance(value, list) else [value]
    if not items:
        raise OptionError(f"'{name}' is an empty list; {remedy}")
    for item in items:
        if item is None or (isinstance(item, str) and not item.strip()):
            head, comma, tail = remedy.partition(",")
            raise OptionError(f"'{name}' has no value; {head}{aside}{comma}{tail}")
        if not isinstance(item, str):
            raise OptionError(wrong(item))
    return tuple(str(item).strip() for item in items)


def text(name: str, value: object) -> str:
    """Check that a value is text."""
    if not isinstance(value, str):
        raise OptionError(_not_text(name, value))
    return value


def _not_text(name: str, value: object) -> str:
    return f"'{name}' must be text, not {kind_of(value)}{quoted_hint(value)}"


def _parse_paths(name: str, value: object, *, remedy: str = "name a page") -> tuple[str, ...]:
    def wrong(item: object) -> str:
        return f"'{name}' must be a path or a list of paths, not {shown(item)}"

    return _texts(name, value, remedy, wrong=wrong, aside=' (an anchor in quotes: "#a")')


def _parse_expect(value: object) -> tuple[str, ...]:
    remedy = "write what the answer must contain"
    texts = _texts("expect", value, remedy, wrong=partial(_not_text, "expect"))
    for text in filter(is_pattern, texts):
        try:
            pattern = compile_pattern(text)
        except OptionError as error:
            raise OptionError(f"'expect': {error}") from error
        if pattern.search("", timeout=1) is not None:
            msg = f"'expect': the pattern {text} matches an empty text, so it would always succeed"
            raise OptionError(msg)
    return texts


def settings(
    name: str,
    value: object,
    parsers: Mapping[str, Callable[[object], Any]],
    *,
    wanted: str = "a mapping of settings",
) -> dict[str, Any]:
    """Return a mapping of settings, each checked."""
    if not isinstance(value, Mapping):
        hint = _unquoted_hint(name, value, _TRUTH) if "true" in wanted else ""
        raise OptionError(f"'{name}' must be {wanted}, not {shown(value)}{hint}")
    check_settings(name, value, parsers)
    return {key: parsers[key](setting) for key, setting in value.items()}


def truth(name: str, value: object) -> bool:
    """Check that a value is `true` or `false`."""
    if not isinstance(value, bool):
        hint = _unquoted_hint(name, value, _TRUTH)
        raise OptionError(f"'{name}' must be true or false, not {shown(value)}{hint}")
    return value


def _parse_acknowledgments(value: object) -> tuple[str, ...]:
    items: list[object] = value if isinstance(value, list) else [value]
    for item in items:
        if not isinstance(item, str):
            raise OptionError(_not_text("acknowledgments", item))
        if not any(map(str.isalnum, item)):
            raise OptionError(f"'acknowledgments' holds {shown(item)}, which has no words")
    return tuple(str(item).strip() for item in items)


def parse_units(value: object) -> tuple[options.Unit, ...]:
    """Parse the name of a unit, or a list of names."""
    items: list[object] = value if isinstance(value, list) else [value]
    if not items:
        raise OptionError(f"'units' is an empty list; name some of {', '.join(options.UNITS)}")
    for item in items:
        if not isinstance(item, str):
            msg = f"'units' must be a list of some of {', '.join(options.UNITS)}, not {shown(item)}"
            raise OptionError(msg)
    units = {_choice("unit", item, names=options.UNITS) for item in items}
    return tuple(unit for unit in options.UNITS if unit in units)


_LONGEST_PATTERN: Final = 200
_REPEATED: Final = 10_000
"""Compiling a pattern costs time and memory for the product of its counts; `regex` 2026.11 crashed
on a million. Of 38,000 random patterns within both limits, none took 0.2 s or crashed."""
_REPEAT_COUNTS: Final = re.compile(r"\{[^{}]*\}")
_NUMBER: Final = re.compile(r"\d{1,9}")
_CALL: Final = re.compile(r"\(\?(?:R|[+-]?\d|&|P>)")
"""A recursive pattern can fill the memory before it times out."""


def is_pattern(text: str) -> bool:
    """Tell whether a text is a pattern, between slashes."""
    return len(text) > 1 and text.startswith("/") and text.endswith("/")


def compile_pattern(text: str) -> regex.Pattern[str]:
    """Compile a pattern; searches with it must have a `timeout`."""
    import regex

    pattern = normalize("NFC", text[1:-1])
    subject = f"the pattern {text if len(text) <= SHOWN else f'{text[: SHOWN - 2]}…/'}"
    if fault := _excess(pattern):
        raise OptionError(f"{subject} {fault}")
    try:
        return regex.compile(pattern)
    except regex.error as error:
        msg = f"{subject} is invalid: {error}"
    except (ArithmeticError, LookupError, MemoryError, RecursionError, TypeError, ValueError):
        msg = f"{subject} is invalid; simplify it"
    raise OptionError(msg)


def _excess(pattern: str) -> str:
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


def as_queries(value: object) -> tuple[Query, ...]:
    """Read a query, or a list of queries."""
    if value is None:
        raise OptionError("'query' has no value; write a question")
    if isinstance(value, (str, bytes, Query, Mapping)) or not isinstance(value, Sequence):
        return (_as_query(value),)
    if not value:
        raise OptionError("'query' is an empty list; write a question")
    return tuple(map(_as_query, value))


def _as_query(value: object) -> Query:
    if isinstance(value, Query):
        query = value
    elif isinstance(value, str):
        query = Query(value)
    elif isinstance(value, Mapping):
        check_settings("query", value, ("text", "weight"))
        if not isinstance(value.get("text"), str):
            msg = "each of several queries needs 'text', in quotes where YAML reads it otherwise"
            raise OptionError(msg)
        query = Query(**{"weight": 1, **value})  # it checks the weight
    else:
        raise OptionError(_not_text("query", value))
    if not query.text.strip():
        raise OptionError("'query' is empty; write a question")
    return query


def parse_context(value: object) -> int | options.ContextName:
    """Parse how much of each place to quote."""
    if isinstance(value, int) and not isinstance(value, bool):
        return _whole_number("context", value)
    for name in options.CONTEXTS:
        if value == name:
            return name
    hint = _unquoted_hint("context", value, WHOLE_NUMBER, options.BOUNDS["context"])
    if isinstance(value, str):
        hint = hint or did_you_mean(value[:SHOWN], options.CONTEXTS)
    elif not hint:
        wanted = _alternatives((*options.CONTEXTS, "a whole number"))
        raise OptionError(f"'context' must be {wanted}, not {shown(value)}")
    msg = f"unknown context {shown(value)}{hint} ({', '.join(options.CONTEXTS)}, or a whole number)"
    raise OptionError(msg)


Settings: TypeAlias = dict[str, Any]
_LONGEST_MODEL: Final = 1_000
_LEADS_AWAY: Final = re.compile(r"[/\\~]|[a-zA-Z]:|(?:.*[/\\])?\.\.(?:[/\\]|\Z)", re.DOTALL)
"""A path that may lead out of its folder."""
_Factor = TypeVar("_Factor", options.Semantic, options.Temporal)


def merge_settings(site: Settings, fence: Settings | None) -> Settings:
    """Merge the settings of a fence into those of the site.

    The site's turn the option on only with `enabled: true`; a fence's, unless that is false.
    """
    model = (fence or {}).get("model", "")
    if model != site.get("model") and _LEADS_AWAY.match(model.partition(":")[2]):
        raise OptionError(
            "a fence may only name a model below the folder of mkdocs.yml, not "
            f"{shown(model)}; name others in mkdocs.yml"
        )
    return {"enabled": False, **site} if fence is None else {**site, **fence}


def _switch(name: str, value: object) -> Settings:
    if isinstance(value, bool):
        return {"enabled": value}
    return settings(name, value, _SETTINGS[name], wanted="true, false or a mapping of settings")


def _make(factor: type[_Factor], name: str, value: object) -> _Factor | None:
    """Make the settings of a factor; None if it is off."""
    if value is None:
        return None
    if isinstance(value, factor):
        value = {field.name: getattr(value, field.name) for field in fields(value)}
    mapping = _switch(name, value)
    if not mapping.pop("enabled", True):
        return None
    if mapping.get("mode") == "gate" and mapping.get("gate", options.GATE) is None:
        raise OptionError(
            "'semantic.gate' is off, but the mode 'gate' needs a gate: set a cosine such as "
            f"{options.GATE:g}, or another mode"
        )
    return factor(**mapping)


as_semantic: Final = partial(_make, options.Semantic, "semantic")
as_temporal: Final = partial(_make, options.Temporal, "temporal")
SWITCHES: Final[Mapping[str, Callable[[Any], Any]]] = {
    "semantic": as_semantic,
    "temporal": as_temporal,
}
"""The makers of the settings of options with a switch."""


def _cosine(name: str, value: object) -> float | None:
    return None if value is None else _checked_number(name, value)


def _model(value: object) -> str | options.Embedder:
    if callable(getattr(value, "embed", None)):
        return cast("options.Embedder", value)
    if not isinstance(value, str) or not value.strip() or len(value) > _LONGEST_MODEL:
        raise OptionError(f"'semantic.model' must be the name of a model, not {shown(value)}")
    from mkdocs_recall.factors.embedders import check_model

    return check_model(value.strip())


def _now(value: object) -> str:
    if value is None or value == "":
        return ""
    if when := iso_date(value):
        return when
    raise OptionError(f"'temporal.now' must be a date such as 2026-02-11, not {shown(value)}")


Kind: TypeAlias = type | tuple[Any, ...] | None
"""`bool`, `int`, `float`, or a tuple of names; None for other types."""
_SIMPLE: Final[Mapping[str, type]] = {"bool": bool, "int": int, "float": float}


def _kinds(
    owner: type[options.RecallOptions | options.Limits | options.Semantic | options.Temporal],
) -> Iterator[tuple[str, Kind]]:
    for field in fields(owner):
        annotation = str(field.type).removesuffix(" | None")
        names = get_args(getattr(options, annotation, None))
        yield field.name, names or _SIMPLE.get(annotation)


def parser(name: str, kind: Kind) -> Callable[[object], Any]:
    """Return the parser of an option, or of a setting such as `semantic.gate`, of a kind."""
    if isinstance(kind, tuple):
        return partial(_choice, name, names=kind)
    parsers: Mapping[Any, Callable[[str, object], Any]]
    parsers = {bool: truth, int: _whole_number, float: _checked_number}
    return partial(parsers[kind], name)


_OF_SETTINGS: Final[Mapping[str, Callable[[object], Any]]] = {
    "semantic.min_similarity": partial(_cosine, "semantic.min_similarity"),
    "semantic.model": _model,
    # YAML's `off` means no gate
    "semantic.gate": lambda value: _cosine("semantic.gate", None if value is False else value),
    "temporal.now": _now,
}


def _parsers(name: str) -> Mapping[str, Callable[[object], Any]]:
    kinds = dict(_kinds(options.SETTINGS[name]))
    if name in SWITCHES:
        kinds["enabled"] = bool
    paths = {f"{name}.{setting}": kind for setting, kind in kinds.items()}
    return {
        path.rpartition(".")[2]: _OF_SETTINGS.get(path) or parser(path, kind)
        for path, kind in paths.items()
    }


_SETTINGS: Final = {name: _parsers(name) for name in options.SETTINGS}


def _parse_source(value: object) -> tuple[str, ...]:
    if not isinstance(value, Mapping):
        return _parse_paths("source", value, remedy="name a page, or leave it out for this page")
    from mkdocs_recall.index.sources import as_sources

    pages = {"pages": _parse_paths("source.pages", value["pages"])} if "pages" in value else {}
    return as_sources({**value, **pages})


def as_limits(value: object) -> options.Limits:
    """Return limits from a `Limits`, a mapping, or None."""
    if value is None:
        return options.LIMITS
    mapping = asdict(value) if isinstance(value, options.Limits) else value
    return options.Limits(**settings("limits", mapping, _SETTINGS["limits"]))


def as_lock_mode(value: object) -> options.LockMode:
    """Parse what a build does with approved answers."""
    if value is None or value is False:
        return "off"
    return one_of("lock", value, values=options.LOCK_MODES)


def as_publication(value: object) -> dict[str, str] | None:
    """Parse the settings of the file that a site publishes, if any."""
    if value is None or value is False:
        return None
    mapping = {} if value is True else value
    parsers = {name: partial(_line, f"publish.{name}") for name in ("version", "licence")}
    return settings("publish", mapping, parsers, wanted="true, false, or a mapping of settings")


def _line(name: str, value: object) -> str:
    if not isinstance(value, str) or not value.isprintable():
        msg = f"'{name}' must be text on one line, not {shown(value)}{quoted_hint(value)}"
        raise OptionError(msg)
    return value.strip()


def check_limit(
    name: str, count: int, limits: options.Limits, fault: str, *, remedy: str = "reduce it"
) -> None:
    """Refuse more than a limit allows."""
    limit = getattr(limits, name)
    if count > limit:
        raised = f"or raise 'limits.{name}' in mkdocs.yml"
        raise OptionError(f"{fault}, and the limit is {limit:,}; {remedy}, {raised}")


def check_size(option: object, written: object, limits: options.Limits) -> None:
    """Refuse the value of an option that exceeds the limits."""
    for name, value in _with_nested(option, written):
        if isinstance(value, list):
            fault = f"'{name}' has {len(value):,} entries"
            check_limit("list_length", len(value), limits, fault)
        count = value if name in {"max_sentences", "context"} and isinstance(value, int) else 0
        if count > limits.sentences:
            raise OptionError(
                f"'{name}' must be {limits.sentences:,} or less, got {shown(value)}; "
                "reduce it, or raise 'limits.sentences' in mkdocs.yml"
            )


def _with_nested(name: object, value: object) -> Iterator[tuple[object, object]]:
    yield name, value
    if name == "source" and isinstance(value, dict):
        yield from ((f"source.{key}", nested) for key, nested in value.items())
        where = value.get("where")
        for key, condition in where.items() if isinstance(where, dict) else ():
            texts = condition.get("not") if isinstance(condition, dict) else condition
            yield f"where.{key}", texts


def _listed(names: Iterable[object]) -> str:
    return ", ".join(f"`{str(name).lower()}`" for name in names)


class Option(Struct, frozen=True):
    """One option: where it may be set, how it is checked, how it is documented."""

    meaning: str
    parse: Callable[[Any], Any] | None = None
    """The parser of its value; None for that of its kind."""
    type: str = ""
    default: str = ""
    help: str = ""
    """Its help at a terminal; empty if no command has it."""
    agents: str = ""
    """Its help for agents; empty if no tool has it."""
    site_wide: bool = True
    """Whether `mkdocs.yml` may set its default."""
    name: str = ""
    directives: tuple[str, ...] = ()
    kind: Kind = None


# Everything with options derives from this table, and the order of `--help`.
_TABLE: Final[Mapping[str, Option]] = {
    "source": Option(
        "The pages to quote from: a page, a section, a folder, a pattern, or a list of these. "
        "`**` is the whole site. `where` filters them by front matter. Folders and patterns leave "
        "out the current page.",
        _parse_source,
        type="text, a list, or `{pages, where}`",
        default="this page",
        site_wide=False,
        agents="Where to search, with paths as list_pages returns them: a page "
        "('guides/auth.md'), a section ('guides/auth.md#expiry'), a folder ('guides/'), a glob "
        "('guides/**'), a list of these, or '**' for all pages.",
    ),
    "query": Option(
        "The question that the quote answers, or a list of questions. `{text, weight}` gives a "
        "question more weight. Without a query, a section is quoted whole.",
        as_queries,
        type="text, or a list",
        default="required, unless `source` is one section",
        site_wide=False,
        agents="What to look for: a question or keywords. Rare words count more, and endings "
        "do not matter; text in double quotes adds to the score where it occurs verbatim.",
    ),
    "max_sentences": Option(
        "The maximum number of sentences: in total for a recall, per page for a synopsis.",
        default=f"{options.DEFAULT_MAX_SENTENCES}",
        help="Maximum number of sentences.",
        agents="Maximum number of sentences to choose; those of one section are one passage. "
        f"Default: {options.DEFAULT_MAX_SENTENCES}.",
    ),
    "max_tokens": Option(
        "Stop before a sentence that would exceed this many tokens of a language model.",
        help="Maximum number of language model tokens; sentences stay whole.",
    ),
    "sections": Option(
        "Read only this many top-level blocks at the start of each source.",
        help="Search only the first N blocks of each page; 0 means all.",
    ),
    "language": Option(
        "The language of the source, which determines stop words, stems and abbreviations.",
        parse_language,
        type="language code",
        default="the page's, then the site's",
        help="Read the pages in this language.  [default: the page's own]",
    ),
    "diversity": Option(
        "How much the sentences should differ from each other (maximal marginal relevance).",
        default="the scorer's",
        help="How much the sentences should differ.  [default: the scorer's or algorithm's own]",
    ),
    "algorithm": Option(
        "How the sentences of a synopsis are chosen.", help="How to choose sentences."
    ),
    "prefer_description": Option(
        "Start the synopsis with the `description` from the page's front matter, if there is one.",
        help="Open with the description in a page's front matter.",
    ),
    "max_words": Option(
        "Stop before a sentence that would exceed this many words.",
        help="Maximum number of words; sentences stay whole.",
    ),
    "scorer": Option("How sentences are scored against the query.", help="How to score sentences."),
    "links": Option(
        "Whether pages and sections that other pages link to score higher with the scorer "
        "`structure`.",
        help="Whether pages that others link to rank higher, with structure.  [default: links]",
    ),
    "chronicles": Option(
        "Whether release notes and diaries score lower with the scorer `structure`, unless the "
        "source names their page.",
        help="Whether release notes rank lower, with structure.  [default: chronicles]",
    ),
    "units": Option(
        "The kinds of text that may be quoted.",
        parse_units,
        type=f"list of {_listed(options.UNITS)}",
        default="all but `code`",
        help="Kind of text that may be quoted. Repeatable.  [default: all but code]",
        agents="What may be quoted: prose, list, table (rows), definition, admonition, code. "
        "Default: all but code. Include code to find commands and examples.",
    ),
    "context": Option(
        "How much of each place to quote: what makes it an answer, the whole block, the whole "
        "section, or so many sentences before and after each chosen sentence.",
        parse_context,
        type=f"{_listed(options.CONTEXTS)}, or a whole number, 0 or more",
        help="How much of each place to print: what makes it an answer, the whole block, the whole "
        "section, or N sentences on each side of each chosen one.",
        agents="How much of each place to quote. auto: what makes it an answer; block: the "
        "paragraph, list or note; section: all of the section; a number: so many sentences before "
        "and after each chosen one, 0 for the sentence alone.",
    ),
    "subsections": Option(
        "Whether a section that is quoted whole includes its subsections.", site_wide=False
    ),
    "min_score": Option(
        "The lowest score that counts as an answer.",
        default="the scorer's",
        help="Minimum score of an answer.  [default: the scorer's own]",
    ),
    "on_empty": Option("What to do if no sentence answers the query."),
    "cite": Option(
        "Whether the quote names its source. `auto` does so if the source is another page.",
        partial(one_of, "cite", values=(True, False, "auto"), unquoted=_TRUTH),
        type="`true`, `false`, `auto`",
    ),
    "format": Option(
        "How the quote is laid out.", default="`blockquote`, or `plain` for a whole section"
    ),
    "explain": Option(
        "Add a folded table that shows how each sentence scored, and the best sentences that "
        "were not chosen."
    ),
    "semantic": Option(
        "Whether meaning counts as well as words, and how.",
        partial(_switch, "semantic"),
        type="`true`, `false`, or settings",
        default="`false`",
    ),
    "temporal": Option(
        "Whether a page's edits and dates count, and how.",
        partial(_switch, "temporal"),
        type="`true`, `false`, or settings",
        default="`false`",
    ),
    "include_expired": Option(
        "Also quote pages that have expired.",
        help="Also quote pages that have expired by t_expired or t_invalid in their front matter.",
    ),
    "enrich": Option(
        "Whether comparing by meaning takes the files you edited last into account: never, in "
        "`mkdocs serve`, or in every build.",
        partial(one_of, "enrich", values=options.ENRICH, unquoted=_FALSE),
    ),
    "trivial_query": Option(
        "What to do with a query that asks nothing, such as “ok”: answer it, answer it and "
        "warn, or leave the quote out."
    ),
    "acknowledgments": Option(
        "Additional phrases that count as acknowledgments.",
        _parse_acknowledgments,
        type="text, or a list",
    ),
    "expect": Option(
        "Text that the quote must contain. The quote must contain every entry of a list.",
        _parse_expect,
        type="text, `/regex/`, or a list",
        site_wide=False,
    ),
    "expect_source": Option(
        "A page or section that at least part of the quote must come from. A list requires each "
        "of its entries.",
        partial(_parse_paths, "expect_source"),
        type="text, or a list",
        site_wide=False,
    ),
}
_KINDS: Final = dict(_kinds(options.RecallOptions))
_SYNOPSIS_ONLY: Final = frozenset({"algorithm", "prefer_description"})
"""Options of the synopsis that may replace an answer."""


def _option(name: str, row: Option) -> Option:
    kind = _KINDS[name]
    default = options.DEFAULTS["recall"][name]
    default_words = "none" if default in {None, ()} else str(default)
    if isinstance(default, (str, bool)):
        default_words = _listed([default])
    bounds = options.BOUNDS.get(name)
    words = _listed(kind) if isinstance(kind, tuple) else ""
    if bounds and kind:
        number = "whole number" if kind is int else "number"
        most = f"to {bounds.most:g}" if bounds.most < options.MOST else "or more"
        words = f"{number}, {bounds.least:g} {most}"
    elif kind is bool:
        words = _listed((True, False))
    both = ("recall", "synopsis") if name in options.DEFAULTS["synopsis"] else ("recall",)
    directives = ("synopsis",) if name in _SYNOPSIS_ONLY else both
    option = replace(row, name=name, directives=directives, kind=kind)
    return replace(option, type=row.type or words, default=row.default or default_words)


OPTIONS: Final[Mapping[str, Option]] = {name: _option(name, row) for name, row in _TABLE.items()}
PARSERS: Final[Mapping[str, Callable[[Any], Any]]] = {
    name: option.parse or parser(name, option.kind) for name, option in OPTIONS.items()
}
"""The parsers of YAML values."""

_DIALECT: Final = "http://json-schema.org/draft-07/schema#"  # read by VS Code
_NAMED: Final = re.compile(r"`([a-z_0-9]+)`")
SITE_SETTINGS: Final[Mapping[str, str]] = {
    "on_error": "`warn`, `raise`",
    "lock": "`off`, `warn`, `enforce`",
    **dict.fromkeys(("cache", "css", "preview", "receipts"), "`true`, `false`"),
    "cache_dir": "text",
    "publish": "`true`, `false`, or settings",
    "sites": "settings",
    "limits": "settings",
}
"""The types of the settings that only `mkdocs.yml` has."""


def fence_schema(directive: str = "recall") -> dict[str, Any]:
    """Return the schema of the options in a fence."""
    allowed = (option for option in OPTIONS.values() if directive in option.directives)
    return {"$schema": _DIALECT, **_mapping(allowed)}


def site_schema() -> dict[str, Any]:
    """Return the schema of `mkdocs.yml`, which constrains only the plugin's part."""
    recall = _mapping(option for option in OPTIONS.values() if option.site_wide)
    recall["properties"] |= {name: _value(name, words) for name, words in SITE_SETTINGS.items()}
    plugin = {"type": "object", "properties": {"recall": recall}}
    entries = {"type": "array", "items": {"anyOf": [{"type": "string"}, plugin]}}
    plugins = {"anyOf": [entries, plugin]}
    return {"$schema": _DIALECT, "type": "object", "properties": {"plugins": plugins}}


def questions_schema() -> dict[str, Any]:
    """Return the schema of the questions for `evaluate`."""
    question = _mapping(option for option in OPTIONS.values() if "recall" in option.directives)
    question["properties"]["none"] = {"const": True, "description": "Nothing answers."}
    question["required"] = ["query"]
    question["anyOf"] = [{"required": [name]} for name in ("expect_source", "expect", "none")]
    return {"$schema": _DIALECT, "type": "array", "items": question}


def _mapping(options: Iterable[Option]) -> dict[str, Any]:
    properties = {
        option.name: {**_value(option.name, option.type), "description": option.meaning}
        for option in options
    }
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _value(name: str, words: str) -> dict[str, Any]:
    names = _NAMED.findall(words)
    forms: list[dict[str, Any]] = [{"type": "boolean"}] if "true" in names else []
    enum = [False if choice == "false" else choice for choice in names if choice != "true"]
    if enum := [choice for choice in enum if choice is not False or not forms]:
        forms.append({"enum": enum})
    if "number" in words:
        forms.append(_number(name, "integer" if "whole number" in words else "number"))
    if "text" in words or "language" in words:
        forms.append({"type": "string"})
    if "{pages" in words or name == "query":
        keys = ["text", "weight"] if name == "query" else ["pages", "where"]
        required = keys[:1] if name == "query" else []
        forms.append({"type": "object", "required": required, "propertyNames": {"enum": keys}})
    if "list" in words:
        forms.append({"type": "array", "items": {"anyOf": [*forms]}})
    if "settings" in words:
        forms.append(_settings(name))
    return forms[0] if len(forms) == 1 else {"anyOf": forms}


def _number(name: str, kind: str) -> dict[str, Any]:
    least, most, exclusive = options.BOUNDS[name]
    bound = "exclusiveMinimum" if exclusive else "minimum"
    return {"type": kind, bound: least, "maximum": most}


def _settings(name: str) -> dict[str, Any]:
    if name not in options.SETTINGS:
        return {"type": "object"}
    properties: dict[str, Any] = {"enabled": {"type": "boolean"}} if name in SWITCHES else {}
    for setting, kind in _kinds(options.SETTINGS[name]):
        properties[setting] = {"enum": list(kind)} if isinstance(kind, tuple) else {}
        if (path := f"{name}.{setting}") in options.BOUNDS:
            properties[setting] = _number(path, "integer" if kind is int else "number")
    if name == "semantic":
        properties["gate"] = {"anyOf": [properties["gate"], {"enum": [False, "off"]}]}
    return {"type": "object", "properties": properties, "additionalProperties": False}
