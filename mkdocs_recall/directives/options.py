"""A directive's YAML → frozen `Options`. The table here is the only list of options there is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from mkdocs_recall.directives.body import SHOWN, check_written, read_body
from mkdocs_recall.errors import OptionError, did_you_mean
from mkdocs_recall.query import ON_EMPTY, Query, as_queries, kind_of
from mkdocs_recall.scoring.registry import (
    ALGORITHMS,
    DEFAULT_ALGORITHM,
    DEFAULT_SCORER,
    SCORERS,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

FORMATS = ("blockquote", "list", "admonition")


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
    cite: bool | Literal["auto"] = "auto"
    format: str = "blockquote"


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
    """Checks a YAML value and returns it as `Options` holds it; raises OptionError."""
    site_wide: bool = True
    """Whether `mkdocs.yml` may set its default."""


def read_options(
    name: str, body: str, *, defaults: Mapping[str, Any] | None = None, embedm: bool = False
) -> Options:
    """Read the body of a directive's fence.

    Args:
        name: The directive.
        body: Its YAML.
        defaults: Site-wide values by option name, checked already.
        embedm: Whether it is a `yaml embedm` fence: `type` is ignored, and scorer and algorithm
            default to embedm's own.

    Raises:
        DirectiveError: The YAML cannot be read.
        OptionError: An option is unknown, missing, or has an impossible value.
    """
    given = read_body(body)
    known = _known(name)
    if embedm:
        given = {
            key: _uncast(value) if key in _EMBEDM_NUMBERS else value
            for key, value in given.items()
            if key != "type"
        }
    values: dict[str, Any] = {
        key: value for key, value in (defaults or {}).items() if value is not None
    }
    if embedm:
        values |= {"scorer": "overlap", "algorithm": "frequency"}
    for key, value in given.items():
        option = known.get(key)
        if option is None:
            raise _unknown(str(key), name, known)
        check_written(key, value, body)
        values[key] = option.parse(value)
    if name == "recall" and "query" not in values:
        msg = "'query' is required: what should the quote answer?"
        raise OptionError(msg)
    return Options(name, **values)


@cache
def _known(name: str) -> dict[str, Option]:
    return {option.name: option for option in OPTIONS if name in option.directives}


def _unknown(key: str, name: str, known: Iterable[str]) -> OptionError:
    if any(option.name == key for option in OPTIONS):
        other = "synopsis" if name == "recall" else "recall"
        return OptionError(f"option '{key}' belongs to {other}, not to {name}")
    return OptionError(f"unknown option {_shown(key)}{did_you_mean(key[:SHOWN], known)}")


_EMBEDM_NUMBERS = frozenset({"max_sentences", "sections"})
_DIGITS = 9


def _uncast(value: object) -> object:
    """Take whole numbers that stand in quotes as numbers, as embedm does."""
    if isinstance(value, str) and value.strip().isdecimal() and len(value) <= _DIGITS:
        return int(value)
    return value


def _whole_number(name: str, least: int) -> Callable[[object], int]:
    def parse(value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            msg = f"'{name}' must be a whole number, not {_shown(value)}"
            raise OptionError(msg)
        if value < least:
            msg = f"'{name}' must be {least} or more, got {value}"
            raise OptionError(msg)
        return value

    return parse


def _choice(name: str, known: Iterable[str]) -> Callable[[object], str]:
    names = tuple(known)

    def parse(value: object) -> str:
        if not isinstance(value, str) or value not in names:
            hint = did_you_mean(str(value), names) if isinstance(value, str) else ""
            msg = f"unknown {name} {_shown(value)}{hint} ({', '.join(names)})"
            raise OptionError(msg)
        return value

    return parse


def _parse_diversity(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        msg = f"'diversity' must be a number from 0 to 1, not {_shown(value)}"
        raise OptionError(msg)
    return float(value)


def _parse_cite(value: object) -> bool | str:
    if value == "auto" or isinstance(value, bool):
        return value
    msg = f"'cite' must be true, false or auto, not {_shown(value)}"
    raise OptionError(msg)


def _parse_language(value: object) -> str:
    if value is False:  # YAML reads a bare `no` as false
        return "no"
    if not isinstance(value, str) or not value.strip():
        msg = f"'language' must be a code such as en or pt-BR, not {_shown(value)}"
        raise OptionError(msg)
    return value.strip()


def _parse_source(value: object) -> tuple[str, ...]:
    items: list[object] = value if isinstance(value, list) else [value]
    if not items:
        msg = "'source' is an empty list; name a page, or leave it out for this page"
        raise OptionError(msg)
    paths = []
    for item in items:
        if item is None or (isinstance(item, str) and not item.strip()):
            msg = (
                "'source' has nothing after it; name a page (an anchor in quotes: \"#a\"), "
                "or leave it out for this page"
            )
            raise OptionError(msg)
        if not isinstance(item, str):
            msg = f"'source' must be a path or a list of paths, not {_shown(item)}"
            raise OptionError(msg)
        paths.append(item.strip())
    return tuple(paths)


def _shown(value: object) -> str:
    """Show a value in a message: scalars as written, what holds others by its kind."""
    if isinstance(value, str):
        return f"'{value if len(value) <= SHOWN else value[: SHOWN - 1] + '…'}'"
    if isinstance(value, (bool, int, float)):
        return str(value).lower()
    return kind_of(value)


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
        _parse_source,
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
        _whole_number("max_sentences", 1),
    ),
    Option(
        "sections",
        _BOTH,
        "number, 0 or more",
        "0",
        "Look only at the first so many top-level blocks of each source (paragraph, list, quote, "
        "admonition; headings are not counted). 0 looks at all.",
        _whole_number("sections", 0),
    ),
    Option(
        "language",
        _BOTH,
        "language code",
        "the page's, then the site's",
        "Stop words, stems and abbreviations for reading the source.",
        _parse_language,
    ),
    Option(
        "scorer",
        ("recall",),
        ", ".join(f"`{name}`" for name in SCORERS),
        f"`{DEFAULT_SCORER}`",
        "How sentences are scored against the query.",
        _choice("scorer", SCORERS),
    ),
    Option(
        "algorithm",
        ("synopsis",),
        ", ".join(f"`{name}`" for name in ALGORITHMS),
        f"`{DEFAULT_ALGORITHM}`",
        "How the sentences of a synopsis are chosen.",
        _choice("algorithm", ALGORITHMS),
    ),
    Option(
        "diversity",
        _BOTH,
        "number, 0 … 1",
        "the scorer's",
        "How much the sentences should differ from each other (maximal marginal relevance).",
        _parse_diversity,
    ),
    Option(
        "on_empty",
        ("recall",),
        ", ".join(f"`{name}`" for name in ON_EMPTY),
        "`synopsis`",
        "What to do when no sentence matches: quote a synopsis with a note, leave the quote out, "
        "quote a synopsis and warn, or show an error and warn.",
        _choice("on_empty", ON_EMPTY),
    ),
    Option(
        "cite",
        _BOTH,
        "`true`, `false`, `auto`",
        "`auto`",
        "A line that names and links the page and section. `auto`: when it is another page.",
        _parse_cite,
    ),
    Option(
        "format",
        _BOTH,
        ", ".join(f"`{name}`" for name in FORMATS),
        "`blockquote`",
        "What the quote looks like.",
        _choice("format", FORMATS),
    ),
)
