"""What an author gets for a mistake: the message, its place, and a site that is built all the same.

Each case holds a fence's lines, the line of the fault below the fence's first, and the message.
"""

from __future__ import annotations

import time
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from mkdocs.structure.files import File

from mkdocs_recall.directives.fences import NAMES

if TYPE_CHECKING:
    from conftest import Built, Site

AUTH = """# Auth

A session expires after a day without activity.

## Cookies

The cookie of a session is named larch.
"""
GOOD = (
    "```recall\nsource: /guide/auth.md\nquery: when does a session expire?\nmax_sentences: 1\n```\n"
)
REST = {
    "index.md": f"# Home\n\n{GOOD}",
    "guide/auth.md": AUTH,
    "guide/tokens.md": "# Tokens\n\nA token lives for a year.\n",
    "empty.md": "",
    "blank.md": "---\ntitle: Blank\n---\n\n\n",
    "headings.md": "# Headings\n\n## Of a session\n\n### That expires\n",
    "code.md": "# Code\n\n```python\nsession.expires()\n```\n\n    session.expires()\n",
}
FIRST = 9
"""The line of the fence in `page`."""
INVALID = "the options are not valid YAML"


def page(fence: str) -> str:
    return f"---\ntitle: Setup\n---\n\n# Setup\n\nBefore.\n\n{fence}\n\nAfter.\n"


def fenced(lines: str, name: str = "recall") -> str:
    return f"```{name}\n{lines}\n```"


def build(site: Site, fence: str) -> Built:
    return site.build({**REST, "setup.md": page(fence)})


def expect_rest_of_site(built: Built) -> None:
    assert "A session expires after a day" in built.text("blockquote.recall")
    assert built.tag("article", "guide/tokens/index.html")
    assert built.infos[-1].startswith("recall: ")


def expect_mistake(built: Built, line: int, message: str, *, name: str = "recall") -> None:
    """Check the warning, the caution in the fence's place, and the rest of the site."""
    text = f"setup.md:{line}: {name}: {message}"
    assert built.warnings == [text]
    place = "setup/index.html"
    caution = built.tag(f"div.admonition.caution.{name}-error", place)
    assert built.text(f"div.{name}-error > p.admonition-title", place) == "Directive error"
    assert [p.get_text() for p in caution.find_all("p")[1:]] == [text]
    assert [tag.get_text() for tag in caution.find_previous_siblings()] == ["Before.", "Setup"]
    assert [tag.get_text() for tag in caution.find_next_siblings()] == ["After."]
    expect_rest_of_site(built)
    assert built.infos == ["recall: 1 directive answered, 0 by fallback, 0 from the cache"]


# ------------------------------------------------------------------------------------------ options

OPTIONS = {
    "an unknown option": ("querry: x", 1, "unknown option 'querry'; did you mean 'query'?"),
    "an unknown option like no other": ("query: x\nfoo: 1", 2, "unknown option 'foo'"),
    "an option whose name is a number": ("query: x\n5: y", 2, "unknown option '5'"),
    "an option of a synopsis": (
        *("query: x\nalgorithm: lead", 2),
        "option 'algorithm' belongs to synopsis, not to recall",
    ),
    "a scorer that is not there": (
        *("query: x\nscorer: bm52", 2),
        "unknown scorer 'bm52'; did you mean 'bm25'? (structure, coverage, overlap, bm25)",
    ),
    "a format that is not there": (
        *("query: x\nformat: table", 2),
        "unknown format 'table' (blockquote, list, admonition)",
    ),
    "a value of on_empty that is not there": (
        *("query: x\non_empty: ommit", 2),
        "unknown on_empty 'ommit'; did you mean 'omit'? (warn, synopsis, omit, error)",
    ),
    "a list where a name belongs": (
        *("query: x\nscorer: [bm25]", 2),
        "unknown scorer a list (structure, coverage, overlap, bm25)",
    ),
    "no query": (
        *("source: guide/auth.md", 0),
        "'query' is required: what should the quote answer?",
    ),
    "no options": ("", 0, "'query' is required: what should the quote answer?"),
    "only a comment": ("# later", 0, "'query' is required: what should the quote answer?"),
    "an empty query": ("query: ''", 1, "'query' is empty; write a question"),
    "a blank query": ("query: '  '", 1, "'query' is empty; write a question"),
    "a query with nothing after it": ("query:", 1, "'query' has no value; write a question"),
    "a null query": ("query: null", 1, "'query' has no value; write a question"),
    "an empty list of queries": ("query: []", 1, "'query' is an empty list; write a question"),
    "a query that is a number": (
        *("query: 507", 1),
        "'query' must be text, not a number; put it in quotes: \"507\"",
    ),
    "a query that is a number YAML would shorten": (
        *("query: 1.50 # of the protocol", 1),
        "'query' must be text, not a number; put it in quotes: \"1.50\"",
    ),
    "a query that YAML counts in sixties": (
        *("source: guide/auth.md\nquery: 1:30", 2),
        "'query' must be text, not a number; put it in quotes: \"1:30\"",
    ),
    "a query that is a date": (
        *("query: 2024-01-02", 1),
        "'query' must be text, not a date; put it in quotes: \"2024-01-02\"",
    ),
    "a query that is true": (
        *("query: yes", 1),
        "'query' must be text, not true or false; put it in quotes: \"yes\"",
    ),
    "a number among queries": (
        *("query: [session, 5]", 1),
        "'query' must be text, not a number; put it in quotes: \"5\"",
    ),
    "nothing among queries": ("query:\n  -\n  - a", 1, "'query' must be text, not nothing"),
    "a query without text": (
        *("query: [{weight: 2}]", 1),
        "each of several queries needs 'text', in quotes where YAML reads it otherwise",
    ),
    "a query with an unknown key": (
        *("query: [{txt: session}]", 1),
        "'query' has no key 'txt'; did you mean 'text'?",
    ),
    "a weight of nothing": (
        *("query: [{text: session, weight: 0}]", 1),
        "'weight' must be a number greater than 0, got 0",
    ),
    "too few sentences": (
        *("query: x\nmax_sentences: 0", 2),
        "'max_sentences' must be 1 or more, got 0",
    ),
    "a word for a number": (
        *("query: x\nmax_sentences: all", 2),
        "'max_sentences' must be a whole number, not 'all'",
    ),
    "half a sentence": (
        *("query: x\nmax_sentences: 1.5", 2),
        "'max_sentences' must be a whole number, not 1.5",
    ),
    "true for a number": (
        *("query: x\nmax_sentences: true", 2),
        "'max_sentences' must be a whole number, not true",
    ),
    "a negative number of sections": (
        *("query: x\nsections: -1", 2),
        "'sections' must be 0 or more, got -1",
    ),
    "too much diversity": (
        *("query: x\ndiversity: 2", 2),
        "'diversity' must be a number from 0 to 1, not 2",
    ),
    "a diversity that is no number": (
        *("query: x\ndiversity: .nan", 2),
        "'diversity' must be a number from 0 to 1, not nan",
    ),
    "an unknown way to cite": (
        *("query: x\ncite: sometimes", 2),
        "'cite' must be true, false or auto, not 'sometimes'",
    ),
    "the name of a language in English": (
        *("query: x\nlanguage: german", 2),
        "unknown language 'german'; did you mean 'de'?",
    ),
    "the name of a language in that language": (
        *("query: x\nlanguage: Français", 2),
        "unknown language 'Français'; name it by a code such as en or pt-BR",
    ),
    "the name of a language with a slip": (
        *("query: x\nlanguage: portugese", 2),
        "unknown language 'portugese'; did you mean 'pt'?",
    ),
    "a longer code of a language": (
        *("query: x\nlanguage: deu", 2),
        "unknown language 'deu'; name it by a code such as en or pt-BR",
    ),
    "a code that no language has": (
        *("query: x\nlanguage: xx", 2),
        "unknown language 'xx'; name it by a code such as en or pt-BR",
    ),
    "a number in quotes that would be too small without them": (
        *('query: x\nmax_sentences: "0"', 2),
        "'max_sentences' must be a whole number, not '0'",
    ),
    "a fraction in quotes that would be too large without them": (
        *('query: x\ndiversity: "2"', 2),
        "'diversity' must be a number from 0 to 1, not '2'",
    ),
    "a number before a non-breaking space": (
        *("query: x\nmax_sentences: 2\u00a0", 2),
        "'max_sentences' must be a whole number, not '2\u00a0'",
    ),
    "an option in capitals": (
        *("query: x\nMAX_SENTENCES: 3", 2),
        "unknown option 'MAX_SENTENCES'; did you mean 'max_sentences'?",
    ),
    "a truth value in quotes": (
        *('query: x\nexplain: "true"', 2),
        "'explain' must be true or false, not 'true'; leave out the quotes: explain: true",
    ),
    "a number in quotes": (
        *("query: x\nmax_sentences: '3'", 2),
        "'max_sentences' must be a whole number, not '3'; leave out the quotes: max_sentences: 3",
    ),
    "a fraction in quotes": (
        *("query: x\ndiversity: '.5'", 2),
        "'diversity' must be a number from 0 to 1, not '.5'; leave out the quotes: diversity: .5",
    ),
    "a fraction in quotes where whole numbers count": (
        *("query: x\nmax_sentences: '1.5'", 2),
        "'max_sentences' must be a whole number, not '1.5'",
    ),
    "a citation in quotes": (
        *("query: x\ncite: 'false'", 2),
        "'cite' must be true, false or auto, not 'false'; leave out the quotes: cite: false",
    ),
    "a switch in quotes": (
        *("query: x\ntemporal: 'true'", 2),
        (
            "'temporal' must be true, false or a mapping of settings, not 'true'; "
            "leave out the quotes: temporal: true"
        ),
    ),
    "a setting in quotes": (
        *("query: x\ntemporal: {tau_days: '7'}", 2),
        (
            "'temporal.tau_days' must be a number greater than 0, not '7'; "
            "leave out the quotes: tau_days: 7"
        ),
    ),
    "a number for a language": (
        *("query: x\nlanguage: 5", 2),
        "'language' must be a code such as en or pt-BR, not 5",
    ),
    "a setting that there is not": (
        *("query: x\nsemantic: {models: static}", 2),
        "'semantic' has no setting 'models'; did you mean 'model'?",
    ),
    "settings that are text": (
        *("query: x\nsemantic: blend", 2),
        "'semantic' must be true, false or a mapping of settings, not 'blend'",
    ),
    "a switch with nothing after it": (
        *("query: x\ntemporal:", 2),
        "'temporal' must be true, false or a mapping of settings, not nothing",
    ),
    "a model that there is not": (
        *("query: x\nsemantic: {model: transfomers}", 2),
        (
            "unknown embedder 'transfomers' in 'model'; did you mean 'transformers'? "
            "(minilm, static, transformers)"
        ),
    ),
    "a mode that there is not": (
        *("query: x\nsemantic: {mode: blnd}", 2),
        "unknown semantic.mode 'blnd'; did you mean 'blend'? (supplement, blend, gate)",
    ),
    "a cosine that there cannot be": (
        *("query: x\nsemantic: {min_similarity: 2}", 2),
        "'semantic.min_similarity' must be a number from 0 to 1, not 2",
    ),
    "a time that no commit outlives": (
        *("query: x\ntemporal: {tau_days: 0}", 2),
        "'temporal.tau_days' must be a number greater than 0, not 0",
    ),
    "a number beyond all measure": (
        *("query: x\ntemporal: {k: 1.0e+12}", 2),
        "'temporal.k' must be a billion at most",
    ),
    "a now that is no date": (
        *("query: x\ntemporal: {now: tomorrow}", 2),
        "'temporal.now' must be a date such as 2026-02-11, not 'tomorrow'",
    ),
    "a way to enrich that there is not": (
        *("query: x\nenrich: true", 2),
        "'enrich' must be false, serve or always, not true",
    ),
    "a way with trivial queries that there is not": (
        *("query: x\ntrivial_query: alow", 2),
        "unknown trivial_query 'alow'; did you mean 'allow'? (allow, warn, skip)",
    ),
    "an acknowledgment without a word": (
        *("query: x\nacknowledgments: ['!!']", 2),
        "'acknowledgments' holds '!!', which has no words",
    ),
    "an acknowledgment that is a number": (
        *("query: x\nacknowledgments: [42]", 2),
        "'acknowledgments' must be text, not a number; put it in quotes: \"42\"",
    ),
    "a unit that there is not": (
        *("query: x\nunits: [prose, tables]", 2),
        (
            "unknown unit 'tables'; did you mean 'table'? "
            "(prose, list, table, definition, admonition, code)"
        ),
    ),
    "no unit": (
        *("query: x\nunits: []", 2),
        "'units' is an empty list; name some of prose, list, table, definition, admonition, code",
    ),
    "a score below nothing": (
        *("query: x\nmin_score: -1", 2),
        "'min_score' must be a number, 0 or more, not -1",
    ),
    "a context that is no number": (
        *("query: x\ncontext: some", 2),
        "unknown context 'some' (auto, block, section, or a whole number)",
    ),
    "a context that is nearly a name": (
        *("query: x\ncontext: sectoin", 2),
        (
            "unknown context 'sectoin'; did you mean 'section'? "
            "(auto, block, section, or a whole number)"
        ),
    ),
    "a context in quotes": (
        *("query: x\ncontext: '1'", 2),
        (
            "unknown context '1'; leave out the quotes: context: 1 "
            "(auto, block, section, or a whole number)"
        ),
    ),
    "a context less than nothing": (
        *("query: x\ncontext: -1", 2),
        "'context' must be 0 or more, got -1",
    ),
    "a context that is a switch": (
        *("query: x\ncontext: true", 2),
        "unknown context true (auto, block, section, or a whole number)",
    ),
    "an explanation that is neither": (
        *("query: x\nexplain: maybe", 2),
        "'explain' must be true or false, not 'maybe'",
    ),
}


@pytest.mark.parametrize("case", OPTIONS)
def test_a_wrong_option_is_named_where_the_quote_would_stand(site: Site, case: str) -> None:
    lines, below, message = OPTIONS[case]
    expect_mistake(build(site, fenced(lines)), FIRST + below, message)


def test_an_option_of_a_recall_does_not_belong_to_a_synopsis(site: Site) -> None:
    built = build(site, fenced("source: guide/auth.md\nquery: x", "synopsis"))
    message = "option 'query' belongs to recall, not to synopsis"
    expect_mistake(built, FIRST + 2, message, name="synopsis")


# --------------------------------------------------------------------------------------------- YAML

YAML = {
    "the first item of a list on the line of its option": (
        *("query: x\nsource: - guide/auth.md", 2),
        f"{INVALID}; start the list on the next line, or use brackets: source: [guide/auth.md]",
    ),
    "an option that stands twice": ("query: a\n\nquery: b", 3, "option 'query' is set twice"),
    "a colon in a query": (
        *("source: guide/auth.md\nquery: a: b", 2),
        f'{INVALID}; put the value in quotes: query: "a: b"',
    ),
    "a colon in a query that holds quotes": (
        *('query: what is "a": b', 1),
        f"{INVALID}; put the value in quotes: query: 'what is \"a\": b'",
    ),
    "stars for the whole site": (
        *("source: **\nquery: x", 1),
        f'{INVALID}; put the value in quotes: source: "**"',
    ),
    "a star before an ending": (
        *("query: x\nsource: *.md", 2),
        f'{INVALID}; put the value in quotes: source: "*.md"',
    ),
    "an at sign": ("query: @larch", 1, f'{INVALID}; put the value in quotes: query: "@larch"'),
    "inline code": ("query: `larch`", 1, f'{INVALID}; put the value in quotes: query: "`larch`"'),
    "a template": (
        *("query: {{ question }}", 1),
        f'{INVALID}; put the value in quotes: query: "{{{{ question }}}}"',
    ),
    "a quote that is not closed": (
        *('query: "unclosed', 1),
        f'{INVALID}; the closing " is missing',
    ),
    "a quote that is not closed, with options below": (
        *("source: guide/auth.md\nquery: 'unclosed\nmax_sentences: 1", 2),
        f"{INVALID}; the closing ' is missing",
    ),
    "a bracket that is not closed": (
        *("source: [guide/auth.md\nquery: x", 1),
        f'{INVALID}; put the value in quotes: source: "[guide/auth.md"',
    ),
    "a tab before an option": (
        *("query: x\n\tmax_sentences: 1", 2),
        f"{INVALID}; indent with spaces, not with a tab",
    ),
    "a tab before an item": (
        *("query:\n\t- a\n\t- b", 2),
        f"{INVALID}; indent with spaces, not with a tab",
    ),
    "a control character": (
        *("query: a\x01b", 1),
        f'{INVALID}; put the value in quotes: query: "ab"',
    ),
    "two documents": ("query: x\n---\nquery: y", 2, f"{INVALID}; leave out '---'"),
    "the lines of front matter": ("---\nquery: x\n---", 3, f"{INVALID}; leave out '---'"),
    "a marker before an option": ("--- query: x", 1, f"{INVALID}; leave out '---'"),
    "a line of dashes": ("----\nquery: x", 2, f"{INVALID}; leave out the line '----' above"),
    "a blank and a tab before an option": (
        *("query: x\n \tmax_sentences: 1", 2),
        f"{INVALID}; indent with spaces, not with a tab",
    ),
    "a tab behind the mark of an item": (
        *("query:\n  -\ta", 2),
        f"{INVALID}; a tab follows '-'; use a space instead",
    ),
    "a tab behind a colon, where libyaml does not read": (
        *(f"query:\tx\n# {'-' * 1000}", 1),
        f"{INVALID}; a tab follows 'query:'; use a space instead",
    ),
    "a line too far right": (
        *("query: x\n  max_sentences: 3", 2),
        f"{INVALID}: the line is indented more than the one above; start both in the same column",
    ),
    "a line too far left": (
        *("  query: x\nmax_sentences: 3", 2),
        f"{INVALID}: the line is indented less than the one above; start both in the same column",
    ),
    "a setting too far right": (
        *("query: x\nsemantic:\n  mode: blend\n    gate: 1", 4),
        f"{INVALID}: the line is indented more than the one above; start both in the same column",
    ),
    "a value that needs quotes below its key": (
        *("query:\n  - text: a: b", 2),
        f'{INVALID}; put the value in quotes: text: "a: b"',
    ),
    "a value that needs quotes in the next item": (
        *("query:\n  - text: x\n    weight: 2\n  - text: a: b", 4),
        f'{INVALID}; put the value in quotes: text: "a: b"',
    ),
    "a setting left of the one that an item opens with": (
        *("query:\n  - text: x\n   weight: 2", 3),
        f"{INVALID}: the line is indented less than the one above; start both in the same column",
    ),
    "a non-breaking space before an option": (
        *("query: x\n\u00a0max_sentences: 1", 2),
        (
            "the line holds a non-breaking space (U+00A0) where only a plain space, or nothing, "
            "is valid; retype it"
        ),
    ),
    "a non-breaking space behind a colon": (
        *("query: x\nsource:\u00a0guide/auth.md", 2),
        (
            "the line holds a non-breaking space (U+00A0) where only a plain space, or nothing, "
            "is valid; retype it"
        ),
    ),
    "a zero-width space before the only option": (
        *("\u200bquery: x", 1),
        (
            "the line holds a zero width space (U+200B) where only a plain space, or nothing, "
            "is valid; retype it"
        ),
    ),
    "a wide colon": (
        *("source: guide/auth.md\nquery\uff1a when does a session expire", 2),
        "the line holds a fullwidth colon (U+FF1A) where only ':' is valid; retype it",
    ),
    "an anchor without quotes": (
        *("query: x\nsource: #cookies", 2),
        (
            "'source' has no value: YAML treats '#' as a comment; "
            'put it in quotes: source: "#cookies"'
        ),
    ),
    "a query that is a comment": (
        *("query: #1 of all", 1),
        (
            "'query' has no value: YAML treats '#' as a comment; "
            'put it in quotes: query: "#1 of all"'
        ),
    ),
    "text instead of options": (
        *("how long is a session?", 1),
        "the options must be lines of 'name: value'",
    ),
    "a list instead of options": ("- query: x", 1, "the options must be lines of 'name: value'"),
    "a template instead of options": ("{{ x }}", 1, "the options must be lines of 'name: value'"),
    "a list for a name": ("query: x\n? [a]\n: b", 2, "the options must be lines of 'name: value'"),
    "brackets without end": (
        *(f"query: {'[' * 20_000}{']' * 20_000}", 1),
        f'{INVALID}; put the value in quotes: query: "{"[" * 79}…"',
    ),
}


def test_an_odd_blank_in_the_words_of_a_query_is_no_fault(site: Site) -> None:
    fence = fenced("source: guide/auth.md\nquery: when does a\u00a0session expire？")
    assert build(site, fence).warnings == []


@pytest.mark.parametrize("case", YAML)
def test_yaml_that_is_read_otherwise_than_meant_is_explained(site: Site, case: str) -> None:
    lines, below, message = YAML[case]
    expect_mistake(build(site, fenced(lines)), FIRST + below, message)


@pytest.mark.parametrize(
    "line",
    [
        "query: a: {}",
        "{}: [b",
        "{}: 1\n{}: 2",
        "{}: 1",
        "query: [a, *{}]",
        "query: [a, !e!{}]",
        "query: a\nscorer: {}",
    ],
)
def test_a_long_line_is_not_repeated_in_full(site: Site, line: str) -> None:
    built = build(site, fenced(line.replace("{}", "x" * 5_000)))
    assert len(built.warnings) == 1
    assert len(built.warnings[0]) < 250


# ------------------------------------------------------------------------------------------ sources

NOTHING = (
    "'source' has no value; name a page (an anchor in quotes: \"#a\"), "
    "or leave it out for this page"
)
SOURCES = {
    "two paths with a word between them": (
        "guide/auth.md and index.md",
        (
            "source 'guide/auth.md and index.md' contains several paths; "
            "write a list: [guide/auth.md, index.md]"
        ),
    ),
    "a path with a character that nobody sees": (
        "guide/auth.md\u200b",
        "source 'guide/auth.md\u200b' holds a zero width space (U+200B); retype it",
    ),
    "an item behind a hyphen and a non-breaking space": (
        "\n  -\u00a0guide/auth.md",
        "source '-\u00a0guide/auth.md' holds a non-breaking space (U+00A0); retype it",
    ),
    "a page that is not there": (
        "guide/auht.md",
        "source 'guide/auht.md' is not a page of this site; did you mean 'guide/auth.md'?",
    ),
    "a page in another folder": (
        "auth.md",
        "source 'auth.md' is not a page of this site; did you mean 'guide/auth.md'?",
    ),
    "a page without its ending": (
        "guide/auth",
        "source 'guide/auth' is not a page of this site; did you mean 'guide/auth.md'?",
    ),
    "a page by its URL": (
        "guide/auth/",
        "source 'guide/auth/' matches no page; did you mean 'guide/auth.md'?",
    ),
    "a section by its URL": (
        "/guide/auth/#cookies",
        "source '/guide/auth/#cookies' matches no page; did you mean 'guide/auth.md#cookies'?",
    ),
    "a page by the end of its URL": (
        "auth/",
        "source 'auth/' matches no page; did you mean 'guide/auth.md'?",
    ),
    "a page by its file on the site": (
        "guide/auth/index.html",
        "source 'guide/auth/index.html' is not a page of this site; did you mean 'guide/auth.md'?",
    ),
    "a page with the ending of the site": (
        "guide/auth.html",
        "source 'guide/auth.html' is not a page of this site; did you mean 'guide/auth.md'?",
    ),
    "a slip in a page's section": (
        "guide/auht.md#cookies",
        (
            "source 'guide/auht.md#cookies' is not a page of this site; "
            "did you mean 'guide/auth.md#cookies'?"
        ),
    ),
    "two pages in one text": (
        "guide/auth.md, guide/tokens.md",
        (
            "source 'guide/auth.md, guide/tokens.md' contains several paths; "
            "write a list: [guide/auth.md, guide/tokens.md]"
        ),
    ),
    "two pages in an item": (
        "[guide/auth.md guide/tokens.md]",
        (
            "source 'guide/auth.md guide/tokens.md' contains several paths; "
            "write a list: [guide/auth.md, guide/tokens.md]"
        ),
    ),
    "two sections in one text": (
        "'guide/auth.md#cookies, #setup'",
        (
            "source 'guide/auth.md#cookies, #setup' contains several paths; "
            'write a list: [guide/auth.md#cookies, "#setup"]'
        ),
    ),
    "a glob and a page in one text": (
        "guide/*.md, empty.md",
        (
            "source 'guide/*.md, empty.md' contains several paths; "
            "write a list: [guide/*.md, empty.md]"
        ),
    ),
    "two folders in one text": (
        "guide/ zzz/",
        ("source 'guide/ zzz/' contains several paths; write a list: [guide/, zzz/]"),
    ),
    "a name with a blank": ("my notes.md", "source 'my notes.md' is not a page of this site"),
    "a page that shares only its ending with another": (
        "zup.md",
        "source 'zup.md' is not a page of this site",
    ),
    "a page that shares only its folder with another": (
        "guide/nope.md",
        "source 'guide/nope.md' is not a page of this site",
    ),
    "a page like this one": ("setups.md", "source 'setups.md' is not a page of this site"),
    "this page by its URL": ("setup/", "source 'setup/' matches no page"),
    "the first page of a folder that is not there": (
        "zzz/index.md",
        "source 'zzz/index.md' is not a page of this site",
    ),
    "a page of the documentation, from above": (
        "../guide/auth.md",
        "source '../guide/auth.md' is outside the documentation; did you mean 'guide/auth.md'?",
    ),
    "a page of the documentation, by its folder": (
        "../docs/guide/auth.md#cookies",
        (
            "source '../docs/guide/auth.md#cookies' is outside the documentation; "
            "did you mean 'guide/auth.md#cookies'?"
        ),
    ),
    "a page like no other": ("zzz.md", "source 'zzz.md' is not a page of this site"),
    "an image": ("larch.png", "source 'larch.png' is not a page of this site"),
    "a glob without pages": ("zzz/*.md", "source 'zzz/*.md' matches no page"),
    "a folder without pages": ("zzz/", "source 'zzz/' matches no page"),
    "a section that is not there": (
        "guide/auth.md#cookie",
        (
            "'guide/auth.md' has no section '#cookie'; did you mean '#cookies'? "
            "(its sections: #auth, #cookies)"
        ),
    ),
    "a section like no other": (
        "guide/auth.md#zzz",
        "'guide/auth.md' has no section '#zzz' (its sections: #auth, #cookies)",
    ),
    "a section of a page without sections": (
        "empty.md#zzz",
        "'empty.md' has no section '#zzz' (its sections: none)",
    ),
    "a section of this page": (
        "'#zzz'",
        "'setup.md' has no section '#zzz' (its sections: #setup)",
    ),
    "nothing": ("", NOTHING),
    "an empty text": ("''", NOTHING),
    "a blank text": ("'  '", NOTHING),
    "nothing in a list": ("[guide/auth.md, '']", NOTHING),
    "an empty list": (
        "[]",
        "'source' is an empty list; name a page, or leave it out for this page",
    ),
    "a number": ("5", "'source' must be a path or a list of paths, not 5"),
    "a mapping": ("{a: b}", "'source' has no setting 'a'; a mapping has 'pages' and 'where'"),
    "a file outside": (
        "../../etc/passwd",
        "source '../../etc/passwd' is outside the documentation",
    ),
    "a file outside, escaped": (
        "..%2f..%2fetc%2fpasswd",
        "source '..%2f..%2fetc%2fpasswd' is outside the documentation",
    ),
    "a page beside the documentation": (
        "../beside.md",
        "source '../beside.md' is outside the documentation",
    ),
    "an absolute path": ("/etc/passwd", "source '/etc/passwd' is not a page of this site"),
    "a page of the web": (
        "https://example.org/auth.md",
        "source 'https://example.org/auth.md' is not the path of a page of this site",
    ),
    "a page of another host": (
        "//example.org/auth.md",
        "source '//example.org/auth.md' is not the path of a page of this site",
    ),
    "a file by its URL": (
        "file:///etc/passwd",
        "source 'file:///etc/passwd' is not the path of a page of this site",
    ),
    "a drive": (
        "'C:/docs/auth.md'",
        "source 'C:/docs/auth.md' is not the path of a page of this site",
    ),
    "backslashes": (
        "guide\\auth.md",
        "source 'guide\\auth.md' is not the path of a page of this site; write it with '/'",
    ),
}


@pytest.mark.parametrize("case", SOURCES)
def test_a_source_that_names_nothing_is_refused(site: Site, case: str) -> None:
    source, message = SOURCES[case]
    (site.root / "beside.md").write_text("# Beside\n\nA session expires.\n", encoding="utf-8")
    own_line = message.startswith("'source'")  # else the fence is named, as it asks the site
    built = build(site, fenced(f"source: {source}\nquery: session"))
    expect_mistake(built, FIRST + own_line, message)


@pytest.mark.parametrize(
    ("line", "sign"), [('source: "guide/auth.md\\0"', "U+0000"), ('query: "\\ud800?"', "U+D800")]
)
def test_a_character_that_no_page_can_hold_ends_no_build(site: Site, line: str, sign: str) -> None:
    body = f"{line}\n# {'-' * 1000}"  # so long that another YAML parser reads it
    name = "recall" if "query" in line else "synopsis"
    built = build(site, fenced(body, name))
    expect_mistake(built, FIRST + 1, f"{sign} cannot be part of a text; leave it out", name=name)


@pytest.mark.parametrize("uri", ["empty.md", "blank.md", "headings.md", "code.md"])
@pytest.mark.parametrize(("name", "query"), [("recall", "query: kangaroo"), ("synopsis", "")])
def test_a_page_without_a_sentence_cannot_be_quoted(
    site: Site, uri: str, name: str, query: str
) -> None:
    built = build(site, fenced(f"source: {uri}\n{query}", name))
    message = f"'{uri}' has no sentence to quote"
    if uri == "code.md" and name == "synopsis":
        message += ": it has only code"
    elif uri == "code.md":
        units = "prose, list, table, definition, admonition"
        message = (
            "no sentence answers the query, and no synopsis can replace an answer to "
            f"'kangaroo': 'units' allows {units}, 'code.md' has code; "
            "to leave the quote out, set 'on_empty: omit'"
        )
    expect_mistake(built, FIRST, message, name=name)


@pytest.mark.parametrize(
    ("source", "query", "kinds"),
    [
        ("code.md", "kangaroo", "'code.md' has code"),
        ("guide/auth.md", "kangaroo", "'guide/auth.md' has prose"),
        ("[code.md, guide/auth.md]", "kangaroo", "'code.md' and 1 more have prose, code"),
    ],
)
@pytest.mark.parametrize("on_empty", ["warn", "synopsis"])
def test_units_without_text_are_answered_with_the_query_the_page_and_its_kinds(
    site: Site, source: str, query: str, kinds: str, on_empty: str
) -> None:
    lines = f"source: {source}\nquery: {query}\nunits: [code]\non_empty: {on_empty}"
    message = (
        "no sentence answers the query, and no synopsis can replace an answer to "
        f"'kangaroo': 'units' allows code, {kinds}; to leave the quote out, set 'on_empty: omit'"
    )
    expect_mistake(build(site, fenced(lines)), FIRST, message)


def test_an_empty_page_among_others_is_passed_over(site: Site) -> None:
    built = build(site, fenced("source: [empty.md, code.md, guide/auth.md]\nquery: named cookie"))
    assert built.warnings == []
    assert "The cookie of a session is named larch." in built.text("blockquote", "setup/index.html")
    assert "setup.md:9: recall: 'empty.md' has no sentence to quote" in built.infos
    prose = build(
        site,
        fenced("source: [code.md, guide/auth.md]\nquery: named cookie\nunits: [prose, list]"),
    )
    assert "setup.md:9: recall: 'code.md' has no sentence to quote: it has only code" in prose.infos


# ---------------------------------------------------------------------------------------- no answer


def test_a_query_of_stop_words_gets_a_synopsis_that_says_so(site: Site) -> None:
    built = build(site, fenced("source: guide/auth.md\nquery: what is it?"))
    place = "setup/index.html"
    [warning] = built.warnings
    assert "no sentence answers the query, which holds only stop words" in warning
    assert built.text("div.admonition.recall-note", place) == (
        "Note There is no direct answer here. A summary follows instead."
    )
    assert "A session expires" in built.text("blockquote.recall", place)
    assert built.infos == ["recall: 2 directives answered, 1 by fallback, 0 from the cache"]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("what is it?", "no sentence answers the query, which holds only stop words"),
        ("'???'", "no sentence answers the query, which holds only stop words"),
        ("kangaroo", "no sentence answers the query"),
    ],
)
def test_a_query_without_an_answer_can_be_a_mistake(site: Site, query: str, message: str) -> None:
    lines = f"source: guide/auth.md\nquery: {query}\non_empty: error"
    expect_mistake(build(site, fenced(lines)), FIRST, message)


# ---------------------------------------------------------------------------------------- the fence


def test_a_fence_that_is_not_closed_takes_nothing_of_the_page_with_it(site: Site) -> None:
    built = build(site, f"```recall\nsource: guide/auth.md\nquery: session\n\nAfter.\n\n{GOOD}")
    place = "setup/index.html"
    message = (
        "setup.md:9: recall: the fence is not closed: "
        "add a line with only ``` in the column of the opening line"
    )
    assert built.warnings == [message]
    assert built.text("div.recall-error", place) == f"Directive error {message}"
    text = built.text("article", place)
    for kept in ("Before.", "source: guide/auth.md", "query: session", "After."):
        assert kept in text
    assert "A session expires after a day" in built.text("blockquote", place)
    expect_rest_of_site(built)


def test_an_unclosed_fence_at_the_end_of_a_page_is_told_of(site: Site) -> None:
    built = site.build({**REST, "setup.md": "# Setup\n\n~~~recall\nquery: session"})
    assert built.warnings == [
        (
            "setup.md:3: recall: the fence is not closed: "
            "add a line with only ~~~ in the column of the opening line"
        )
    ]
    assert "query: session" in built.text("article", "setup/index.html")
    expect_rest_of_site(built)


def test_options_behind_the_fence_s_name_are_not_read(site: Site) -> None:
    built = build(site, "```recall source: guide/auth.md\nquery: session\n```")
    message = "'source: guide/auth.md' follows the name: put options on their own lines below"
    expect_mistake(built, FIRST, message)


@pytest.mark.parametrize(
    ("language", "title"),
    [
        ("de", "Fehler in der Direktive"),
        ("en", "Directive error"),
        ("es", "Error en la directiva"),
        ("fr", "Erreur dans la directive"),
        ("it", "Errore nella direttiva"),
        ("ja", "ディレクティブのエラー"),
        ("nl", "Fout in de directive"),
        ("pt-BR", "Erro na diretiva"),
        ("ru", "Ошибка в директиве"),
        ("sv", "Directive error"),
        ("zh", "指令错误"),
    ],
)
def test_the_box_of_a_fault_says_in_the_page_s_language_what_it_is_and_the_message_once(
    site: Site, language: str, title: str
) -> None:
    asking = "```recall\nsource: auth.md\nquery: kangaroo\non_empty: error\n```"
    fences = f"```synopsis\ndiversity: 2\n```\n\n{asking}\n"
    built = site.build({"index.md": f"---\nlang: {language}\n---\n{fences}", "auth.md": AUTH})
    boxes = built.page().select("div.caution")
    texts = [[p.get_text() for p in box.find_all("p")] for box in boxes]
    assert texts == [[title, warning] for warning in built.warnings]
    assert [
        box.get_text().count(name) for box, name in zip(boxes, reversed(NAMES), strict=True)
    ] == [1, 1]


@pytest.mark.parametrize(
    ("fence", "line"),
    [
        ("- One.\n\n    ```recall\nsource: guide/auth.md\nquery: session\n    ```", 6),
        ("- One.\n\n    ```recall\n    source: guide/auth.md\n  query: session\n    ```", 7),
        ("- One.\n\n    ```recall\nsource: guide/auth.md\nquery: session\n```", 6),
        ("- One.\n\n    ```recall\n    source: guide/auth.md\n    query: session\n```", 8),
        ("!!! note\n\n    ~~~recall\n    query:\n\n  - session\n    ~~~", 8),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=repr)
def test_a_line_left_of_its_fence_is_named(site: Site, fence: str, line: int, end: str) -> None:
    text = f"# Setup\n\n{fence}\n\nAfter.\n".replace("\n", end)
    built = site.build({**REST, "setup.md": text})
    message = "the line is indented less than its fence; start both in the same column"
    assert built.warnings == [f"setup.md:{line}: recall: {message}"]
    assert "After." in built.text("article", "setup/index.html")


def test_a_line_without_the_quote_marks_of_its_fence_is_named(site: Site) -> None:
    built = build(site, "> ```recall\n> source: guide/auth.md\nquery: session\n> ```")
    message = "the line has fewer '>' than its fence; start both with the same number"
    assert built.warnings == [f"setup.md:11: recall: {message}"]


@pytest.mark.parametrize("below", ["Text.\n\n```\ncode\n```", "```python\ncode\n```"])
def test_text_below_a_fence_without_an_end_is_not_taken_for_its_lines(
    site: Site, below: str
) -> None:
    fence = "- One.\n\n    ```recall\n    source: guide/auth.md\n    query: session"
    (warning,) = site.build({**REST, "setup.md": f"# Setup\n\n{fence}\n\n{below}\n"}).warnings
    assert warning.startswith("setup.md:5: recall: the fence is not closed")


def test_a_mistake_in_a_list_stands_in_the_list(site: Site) -> None:
    built = site.build(
        {
            **REST,
            "setup.md": "# Setup\n\n- One.\n\n    ```recall\n    query: 5\n    ```\n\n- Two.\n",
        }
    )
    assert built.warnings == [
        "setup.md:6: recall: 'query' must be text, not a number; put it in quotes: \"5\""
    ]
    assert built.tag("li > div.recall-error", "setup/index.html")


def test_each_of_several_mistakes_is_told_with_its_own_line(site: Site) -> None:
    built = build(site, f"{fenced('')}\n\n{GOOD}\n{fenced('query: x: y')}")
    place = "setup/index.html"
    assert [w.split(" ")[0] for w in built.warnings] == ["setup.md:9:", "setup.md:20:"]
    assert len(built.page(place).select("div.recall-error")) == 2
    assert "A session expires" in built.text("blockquote", place)


@pytest.mark.parametrize(
    ("before", "line"),
    [
        ("", 1),
        ("# Setup\n\n", 3),
        ("\n\n\n# Setup\n\n", 6),
        ("---\ntitle: Setup\n---\n", 4),
        ("---\ntitle: Setup\n...\n\n\n# Setup\n\n", 8),
        ("---\ntitle: Setup\n---\n\n\n\n# Setup\n\nText.\n\n", 11),
        ("Title: Setup\nAuthor: Larch\n\n# Setup\n\n", 6),
    ],
    ids=repr,
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=repr)
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["plain", "BOM"])
def test_the_line_is_that_of_the_file_as_the_author_sees_it(
    site: Site, before: str, line: int, end: str, mark: bytes
) -> None:
    lines = f"{before}```recall\nsource: guide/auth.md\nquery: a: b\n```\n\nAfter.\n\n\n"
    built = site.build({**REST, "setup.md": mark + lines.replace("\n", end).encode()})
    message = f'{INVALID}; put the value in quotes: query: "a: b"'
    assert built.warnings == [f"setup.md:{line + 2}: recall: {message}"]
    assert "After." in built.text("article", "setup/index.html")
    expect_rest_of_site(built)


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=repr)
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["plain", "BOM"])
def test_foreign_line_ends_and_a_byte_order_mark_do_no_harm(
    site: Site, end: str, mark: bytes
) -> None:
    def foreign(text: str) -> bytes:
        return mark + text.replace("\n", end).encode()

    built = site.build({"index.md": foreign(f"{GOOD}\nAfter.\n"), "guide/auth.md": foreign(AUTH)})
    assert built.text("blockquote") == "A session expires after a day without activity. — Auth"
    assert built.text("article").endswith("After.")
    assert built.warnings == []


# ------------------------------------------------------------------------------------- a large page

LARGE = """
def on_page_content(html, page, **kwargs):
    if page.file.src_uri != "guide/tokens.md":
        return html
    rows = (f"<p>Row {n} of the <em>large</em> table holds nothing.</p>" for n in range(96_000))
    return html + "".join(rows) + "<p>The kangaroo sits at the end.</p>"
"""


@pytest.mark.slow
def test_five_megabytes_of_html_are_quoted_in_seconds(site: Site) -> None:
    fence = fenced("source: guide/tokens.md\nquery: where is the kangaroo?\nmax_sentences: 1")
    site.write({**REST, "setup.md": page(fence)})
    site.configure(hook=LARGE)
    start = time.perf_counter()
    built = site.rebuild()
    assert time.perf_counter() - start < 30  # some four seconds; a square of the size takes hours
    assert len(built.html("guide/tokens/index.html")) > 5_000_000
    assert built.text("blockquote", "setup/index.html") == (
        "The kangaroo sits at the end. — Tokens"
    )
    assert built.warnings == []
    expect_rest_of_site(built)


def test_the_lines_of_many_mistakes_are_found_without_reading_the_file_for_each(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    content = vars(File)["content_string"].fget

    def counted(file: File) -> str:
        read.append(file.src_uri)
        return str(content(file))

    monkeypatch.setattr(File, "content_string", property(counted))
    mistakes = "".join(f"```recall\nsource: a{n}\n```\n\n" for n in range(100))
    built = site.build({"index.md": f"# A\n\n{mistakes}"})
    assert len(built.warnings) == 100
    assert built.warnings[-1].startswith("index.md:399: recall: 'query' is required")
    assert read.count("index.md") < 10


# ------------------------------------------------------------------------------------- front matter


@pytest.mark.parametrize("title", ["*z", f"0x{'f' * 5000}", "&t [*t]"])
def test_a_title_that_cannot_be_written_out_ends_no_build(site: Site, title: str) -> None:
    lines = [f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]" for a, b in pairwise("abcdefghijz")]
    doubling = "\n".join(["a: &a [x]", *lines])
    shown = {"index.md": "# Home\n\n```synopsis\nsource: a.md\n```\n"}
    nav = [{"Home": "index.md"}, {"Tokens": "a.md"}]  # so that MkDocs does not write it out either
    built = site.build(
        {**shown, "a.md": f"---\n{doubling}\ntitle: {title}\n---\nA token."}, nav=nav
    )
    assert built.warnings == []
    assert built.text("blockquote") == "A token. — Tokens"
