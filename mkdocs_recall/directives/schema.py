"""A directive's YAML → frozen `Options`. The table here is the only list of options there is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from mkdocs_recall.directives.nested import (
    Settings,
    as_semantic,
    as_temporal,
    check_size,
    check_values,
    merge_settings,
    semantic_settings,
    temporal_settings,
)
from mkdocs_recall.directives.values import (
    choice,
    number,
    parse_acknowledgments,
    parse_cite,
    parse_enrich,
    parse_expect,
    parse_language,
    parse_token_counter,
    parse_units,
    paths,
    truth,
    whole_number,
)
from mkdocs_recall.errors import SHOWN, OptionError, did_you_mean
from mkdocs_recall.index.query import ON_EMPTY, Query, as_queries, shown
from mkdocs_recall.options import ENRICH, LIMITS, Enrich, Semantic, Temporal
from mkdocs_recall.scoring.registry import (
    ALGORITHMS,
    DEFAULT_ALGORITHM,
    DEFAULT_SCORER,
    SCORERS,
)
from mkdocs_recall.text.model import TEXT, UNITS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mkdocs_recall.options import Limits
    from mkdocs_recall.text.model import Kind

FORMATS = ("blockquote", "list", "admonition")
TRIVIAL_QUERY = ("allow", "warn", "skip")
"""What may be done with a query that asks for nothing: see `intent`."""


@dataclass(frozen=True, slots=True)
class Options:
    """What a directive asks for; the names are those of the YAML."""

    name: str
    """`recall` or `synopsis`."""
    source: tuple[str, ...] = ()
    """As written; empty for the page itself."""
    query: tuple[Query, ...] = ()
    max_sentences: int = 3
    sections: int = 0
    language: str | None = None
    scorer: str = DEFAULT_SCORER
    algorithm: str = DEFAULT_ALGORITHM
    diversity: float | None = None
    on_empty: str = "synopsis"
    units: tuple[Kind, ...] | None = None
    """None for all but code."""
    context: int = 0
    min_score: float | None = None
    """None for the scorer's own."""
    prefer_description: bool = False
    max_words: int | None = None
    max_tokens: int | None = None
    token_counter: str | None = None
    """None for `budget.estimate`."""
    cite: bool | Literal["auto"] = "auto"
    format: str = "blockquote"
    explain: bool = False
    semantic: Semantic | None = None
    """None where only words count."""
    temporal: Temporal | None = None
    """None where time does not count."""
    include_expired: bool = False
    enrich: Enrich = False
    trivial_query: str = "allow"
    acknowledgments: tuple[str, ...] = ()
    """Phrases that ask for nothing, beside those of `intent`."""
    expect: tuple[str, ...] = ()
    """As written: texts, and patterns between slashes."""
    expect_source: tuple[str, ...] = ()
    """As written."""


@dataclass(frozen=True, slots=True)
class Option:
    """One option: where it may stand, how its value is checked, what the documentation says."""

    name: str
    directives: tuple[str, ...]
    type: str
    """Its type in the author's words."""
    default: str
    """Its default in the author's words."""
    meaning: str
    parse: Callable[[Any], Any]
    """Checks a YAML value and returns it as `Options` holds it, or, of a switch, its settings;
    raises OptionError."""
    site_wide: bool = True
    """Whether `mkdocs.yml` may set its default."""


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
        name: The directive.
        body: Its YAML.
        defaults: Site-wide values by option name, checked already.
        embedm: Whether it is a `yaml embedm` fence: `type` is ignored, and scorer and algorithm
            default to embedm's own, which knows neither tables nor code.
        limits: How much is read, and may be asked for.

    Raises:
        DirectiveError: The YAML cannot be read, or is too long.
        OptionError: An option is unknown, missing, or has an impossible value.
    """
    from mkdocs_recall.directives.yaml import check_written, read_body

    check_size(body, limits)
    given = read_body(body)
    known = _known(name)
    if embedm:
        given = {
            key: _uncast(value) if key in _EMBEDM_NUMBERS else value
            for key, value in given.items()
            if key != "type"
        }
    check_values(given, limits)
    values: dict[str, Any] = {
        key: value for key, value in (defaults or {}).items() if value is not None
    }
    if embedm:
        values |= {"scorer": "overlap", "algorithm": "frequency", "units": TEXT}
    for key, value in given.items():
        option = known.get(key)
        if option is None:
            raise _unknown(key if isinstance(key, str) else shown(key), name, known)
        check_written(key, value, body)
        values[key] = option.parse(value)
    for key, switched in _SWITCHES.items():
        stated: Settings | None = values.pop(key, None)
        if stated is not None and key in known:
            site: Settings = (defaults or {}).get(key) or {}
            values[key] = switched(merge_settings(site, stated if key in given else None))
    if name == "recall" and "query" not in values:
        msg = "'query' is required: what should the quote answer?"
        raise OptionError(msg)
    return Options(name, **values)


def site_defaults(written: Mapping[str, Any]) -> dict[str, Any]:
    """Return the defaults of a site, checked, as `read_options` takes them.

    Args:
        written: The options of the plugin in `mkdocs.yml`; those no directive has are left out.

    Raises:
        OptionError: One has an impossible value.
    """
    return {
        option.name: option.parse(written[option.name])
        for option in OPTIONS
        if option.site_wide and written.get(option.name) is not None
    }


@cache
def _known(name: str) -> dict[str, Option]:
    return {option.name: option for option in OPTIONS if name in option.directives}


def _unknown(key: str, name: str, known: Iterable[str]) -> OptionError:
    if any(option.name == key for option in OPTIONS):
        other = "synopsis" if name == "recall" else "recall"
        return OptionError(f"option '{key}' belongs to {other}, not to {name}")
    return OptionError(f"unknown option {shown(key)}{did_you_mean(key[:SHOWN], known)}")


_EMBEDM_NUMBERS = frozenset({"max_sentences", "sections"})
_DIGITS = 9


def _uncast(value: object) -> object:
    """Take whole numbers that stand in quotes as numbers, as embedm does."""
    if isinstance(value, str) and value.strip().isdecimal() and len(value) <= _DIGITS:
        return int(value)
    return value


_SWITCHES: Mapping[str, Callable[[Settings], Any]] = {
    "semantic": as_semantic,
    "temporal": as_temporal,
}
"""What makes of settings what `Options` holds."""
_BOTH = ("recall", "synopsis")

OPTIONS: tuple[Option, ...] = (
    Option(
        "source",
        _BOTH,
        "text, or a list",
        "this page",
        "Where to quote from, seen from this page like a link: a page, `#anchor` for a section, "
        "a folder, a glob, a list of these; `/` starts at the documentation's root; `**` is the "
        "whole site. A glob leaves out the page it stands on.",
        paths("source", remedy=", or leave it out for this page"),
        site_wide=False,
    ),
    Option(
        "query",
        ("recall",),
        "text, or a list",
        "required",
        "What the quote should answer. A list asks several things at once; `{text, weight}` gives "
        "one of them more weight.",
        as_queries,
        site_wide=False,
    ),
    Option(
        "max_sentences",
        _BOTH,
        "number, 1 or more",
        "3",
        "How many sentences at most: of a recall in all, of a synopsis from each page.",
        whole_number("max_sentences", 1),
    ),
    Option(
        "sections",
        _BOTH,
        "number, 0 or more",
        "0",
        "Look only at the first so many top-level blocks of each source (paragraph, list, quote, "
        "admonition; headings are not counted). 0 looks at all.",
        whole_number("sections", 0),
    ),
    Option(
        "language",
        _BOTH,
        "language code",
        "the page's, then the site's",
        "Stop words, stems and abbreviations for reading the source.",
        parse_language,
    ),
    Option(
        "scorer",
        ("recall",),
        ", ".join(f"`{name}`" for name in SCORERS),
        f"`{DEFAULT_SCORER}`",
        "How sentences are scored against the query.",
        choice("scorer", SCORERS),
    ),
    Option(
        "algorithm",
        ("synopsis",),
        ", ".join(f"`{name}`" for name in ALGORITHMS),
        f"`{DEFAULT_ALGORITHM}`",
        "How the sentences of a synopsis are chosen.",
        choice("algorithm", ALGORITHMS),
    ),
    Option(
        "diversity",
        _BOTH,
        "number, 0 … 1",
        "the scorer's",
        "How much the sentences should differ from each other (maximal marginal relevance).",
        number("diversity", 0, 1),
    ),
    Option(
        "units",
        ("recall",),
        f"list of {', '.join(f'`{unit}`' for unit in UNITS)}",
        "all but `code`",
        "What may be quoted. A table's row is quoted with its header cells, a definition with its "
        "term, code with the sentence before it.",
        parse_units,
    ),
    Option(
        "context",
        ("recall",),
        "number, 0 or more",
        "0",
        "How many sentences are quoted on each side of one that was chosen, within its section.",
        whole_number("context", 0),
    ),
    Option(
        "min_score",
        ("recall",),
        "number, 0 or more",
        "the scorer's",
        "A sentence that scores less is no answer. `0` takes whatever shares a word with the "
        "query.",
        number("min_score", 0),
    ),
    Option(
        "on_empty",
        ("recall",),
        ", ".join(f"`{name}`" for name in ON_EMPTY),
        "`synopsis`",
        "What to do when no sentence matches: quote a synopsis with a note, leave the quote out, "
        "quote a synopsis and warn, or show an error and warn.",
        choice("on_empty", ON_EMPTY),
    ),
    Option(
        "prefer_description",
        ("synopsis",),
        "`true`, `false`",
        "`false`",
        "Open with the `description` in the page's front matter, where it has one.",
        truth("prefer_description"),
    ),
    Option(
        "max_words",
        ("synopsis",),
        "number, 1 or more",
        "none",
        "Stop before a sentence that would go over this many words; one sentence is always quoted.",
        whole_number("max_words", 1),
    ),
    Option(
        "max_tokens",
        _BOTH,
        "number, 1 or more",
        "none",
        "Stop before a sentence that would go over this many tokens of a language model; of a "
        "synopsis of several pages in all.",
        whole_number("max_tokens", 1),
    ),
    Option(
        "token_counter",
        _BOTH,
        "name",
        "`estimate`",
        "What counts tokens: `estimate`, or a counter that a package has installed under this "
        "name.",
        parse_token_counter,
    ),
    Option(
        "cite",
        _BOTH,
        "`true`, `false`, `auto`",
        "`auto`",
        "A line that names and links the page and section. `auto`: when it is another page.",
        parse_cite,
    ),
    Option(
        "format",
        _BOTH,
        ", ".join(f"`{name}`" for name in FORMATS),
        "`blockquote`",
        "What the quote looks like.",
        choice("format", FORMATS),
    ),
    Option(
        "explain",
        _BOTH,
        "`true`, `false`",
        "`false`",
        "Show a folded table below the quote: every sentence, its score and what made it, and the "
        "best that were not chosen.",
        truth("explain"),
    ),
    Option(
        "semantic",
        ("recall",),
        "`true`, `false`, or settings",
        "`false`",
        "Whether meaning counts beside words, by a model on your machine, and how: `model`, "
        "`mode`, `min_lexical_score`, `min_relevance_score`, `min_similarity`, `limit`.",
        semantic_settings,
    ),
    Option(
        "temporal",
        _BOTH,
        "`true`, `false`, or settings",
        "`false`",
        "Whether it counts when a page was edited, and what its front matter says of its age, and "
        "how: `tau_days`, `cooldown_hours`, `burst_discount`, `k`, `commit_date`, `now`.",
        temporal_settings,
    ),
    Option(
        "include_expired",
        _BOTH,
        "`true`, `false`",
        "`false`",
        "Where time counts, quote pages, too, of which `t_expired` or `t_invalid` in the front "
        "matter is over.",
        truth("include_expired"),
    ),
    Option(
        "enrich",
        ("recall",),
        ", ".join(f"`{str(name).lower()}`" for name in ENRICH),
        "`false`",
        "Whether what is compared by meaning names the files that were edited last: never, in "
        "`mkdocs serve`, or in each build.",
        parse_enrich,
    ),
    Option(
        "trivial_query",
        ("recall",),
        ", ".join(f"`{name}`" for name in TRIVIAL_QUERY),
        "`allow`",
        "What to do with a query that asks for nothing (a slash command, fewer than three words, "
        "an acknowledgment): answer it, answer it and warn, or leave the quote out.",
        choice("trivial_query", TRIVIAL_QUERY),
    ),
    Option(
        "acknowledgments",
        ("recall",),
        "text, or a list",
        "none",
        "Phrases that ask for nothing, beside “ok”, “got it” and others of one or two words.",
        parse_acknowledgments,
    ),
    Option(
        "expect",
        _BOTH,
        "text, `/regex/`, or a list",
        "none",
        "What must stand in the quote; of a list, each. If it does not, a warning says where it "
        "stands now.",
        parse_expect,
        site_wide=False,
    ),
    Option(
        "expect_source",
        _BOTH,
        "text, or a list",
        "none",
        "A page or section, seen from this page like `source`, that something in the quote must "
        "come from; of a list, from each.",
        paths("expect_source"),
        site_wide=False,
    ),
)
