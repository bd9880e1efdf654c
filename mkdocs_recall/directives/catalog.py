"""Every option of a directive: who takes it, what parses it, and what the documentation says.

Names, types, defaults and bounds are those of `options` in the root.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mkdocs_recall.directives.nested import semantic_settings, temporal_settings
from mkdocs_recall.directives.values import (
    as_queries,
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
from mkdocs_recall.options import (
    ALGORITHM_NAMES,
    DEFAULT_ALGORITHM,
    DEFAULT_SCORER,
    ENRICH,
    FORMATS,
    ON_EMPTY,
    SCORER_NAMES,
    TRIVIAL_QUERY,
    UNITS,
)

if TYPE_CHECKING:
    from collections.abc import Callable

_BOTH = ("recall", "synopsis")


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
    """Checks a YAML value and returns it as `options` holds it, or, of a switch, its settings;
    raises OptionError."""
    site_wide: bool = True
    """Whether `mkdocs.yml` may set its default."""


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
        "How many sentences at most: of a recall in all, of a synopsis from each page. A recall "
        "with `max_tokens` and without this has as many as fit.",
        whole_number("max_sentences"),
    ),
    Option(
        "sections",
        _BOTH,
        "number, 0 or more",
        "0",
        "Look only at the first so many top-level blocks of each source (paragraph, list, quote, "
        "admonition; headings are not counted). 0 looks at all.",
        whole_number("sections"),
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
        "Whether a page or section that other pages link to counts more, with the scorer "
        "`structure`.",
        truth("links"),
    ),
    Option(
        "chronicles",
        ("recall",),
        "`true`, `false`",
        "`true`",
        "Whether release notes and other lists of dates count less where the source does not name "
        "their page, with the scorer `structure`.",
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
        "number, 0 … 1",
        "the scorer's",
        "How much the sentences should differ from each other (maximal marginal relevance).",
        number("diversity"),
    ),
    Option(
        "units",
        ("recall",),
        f"list of {', '.join(f'`{unit}`' for unit in UNITS)}",
        "all but `code`",
        "What may be quoted. A table's row is quoted with its header cells, a definition with its "
        "term, code with the sentence before it. A sentence that opens code always brings it.",
        parse_units,
    ),
    Option(
        "context",
        ("recall",),
        "number, 0 or more",
        "0",
        "How many sentences are quoted on each side of one that was chosen, within its section.",
        whole_number("context"),
    ),
    Option(
        "min_score",
        ("recall",),
        "number, 0 or more",
        "the scorer's",
        "A sentence that scores less is no answer. `0` takes whatever shares a word with the "
        "query.",
        number("min_score"),
    ),
    Option(
        "on_empty",
        ("recall",),
        ", ".join(f"`{name}`" for name in ON_EMPTY),
        "`warn`",
        "What to do when no sentence answers: quote a synopsis with a note and warn, quote it "
        "without a warning, leave the quote out, or show an error and warn.",
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
        whole_number("max_words"),
    ),
    Option(
        "max_tokens",
        _BOTH,
        "number, 1 or more",
        "none",
        "Stop before a sentence that would go over this many tokens of a language model; of a "
        "synopsis of several pages in all. Without `max_sentences`, a recall fills it.",
        whole_number("max_tokens"),
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
        "`mode`, `gate`, `min_lexical_score`, `min_relevance_score`, `min_similarity`, `limit`.",
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
