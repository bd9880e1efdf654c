"""Every option of a directive: who takes it, what parses it, and what the documentation says.

Names, types, defaults and bounds are those of `options` in the root.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from mkdocs_recall.directives.context import parse_context
from mkdocs_recall.directives.nested import parse_source, semantic_settings, temporal_settings
from mkdocs_recall.directives.site_wide import SITE_WIDE
from mkdocs_recall.directives.values import (
    as_queries,
    choice,
    number,
    parse_acknowledgments,
    parse_cite,
    parse_enrich,
    parse_expect,
    parse_language,
    parse_units,
    paths,
    truth,
    whole_number,
)
from mkdocs_recall.options import (
    ALGORITHM_NAMES,
    CONTEXTS,
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
        "required",
        "The question that the quote answers, or a list of questions. `{text, weight}` gives a "
        "question more weight.",
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
        "`blockquote`",
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
