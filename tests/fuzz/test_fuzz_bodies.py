"""Any body of a directive is read, or its fault is reported."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from answered import answer_to
from fuzzing import SIGNS, edited, fuzzed, listed, raw, soup, text
from hypothesis import strategies as st
from judging import judge_answer, judge_html, judge_message
from real import bodies
from tables import beside

from mkdocs_recall import Corpus, RecallError
from mkdocs_recall.answers.html import caution
from mkdocs_recall.directives.catalog import OPTIONS
from mkdocs_recall.directives.fences import find_fences
from mkdocs_recall.directives.options import read_options, site_defaults
from mkdocs_recall.options import Options, RecallOptions

PAGES: Final[dict[str, str]] = beside(__file__)["PAGES"]
NAMES: Final = (
    *OPTIONS,
    *("type", "text", "weight", "enabled", "tau_days", "now", "k", "mode", "limit"),
    *("min_similarity", "min_lexical_score", "querry", "Source", "<<", "", "~", "true", "1"),
    *("? [a]", "!!binary eA=="),
)
VALUES: Final = listed(__file__, "VALUES")
line: Final = st.builds(
    lambda indent, name, value: f"{indent}{name}: {value}",
    st.sampled_from(("", "", "", "", "", "  ", "- ", "\t")),
    st.sampled_from(NAMES),
    st.one_of(st.sampled_from(VALUES), st.sampled_from(VALUES), text),
)
LINES: Final = st.lists(line, max_size=5).map("\n".join)
ASKING: Final = LINES.map("query: session token\n{}".format)
BODIES: Final = st.one_of(
    LINES,
    ASKING,
    edited(st.sampled_from(bodies()), (*VALUES, *NAMES, "\n", "  ", ": ", "- ", "{", "[")),
    soup((*VALUES, *NAMES, ": ", ": ", "\n", "\n", "\n- ", "{", "}", "[", "]", ","), size=12),
    raw,
)


@cache
def corpus() -> Corpus:
    return Corpus.from_markdown(PAGES)


def options_of(name: str, body: str, **given: Any) -> Options | None:
    """Return what is read of a body, or None where that was refused with a message."""
    try:
        return read_options(name, body, **given)
    except RecallError as error:
        judge_message(error)
        judge_html(caution(name, str(error)))
        return None


def judge_by_words(options: Options | None) -> None:
    """Check what answers a directive that was read, unless that takes a model."""
    if options is not None and not (isinstance(options, RecallOptions) and options.semantic):
        judge_answer(answer_to(options, corpus(), "index.md"))


@fuzzed(75, body=BODIES, name=st.sampled_from(("recall", "synopsis")), embedm=st.booleans())
def test_any_body_is_read_or_refused_and_answered(body: str, name: str, embedm: bool) -> None:  # noqa: FBT001 - as hypothesis gives it
    judge_by_words(options_of(name, body, embedm=embedm))


@fuzzed(30, one=line, name=st.sampled_from(("recall", "synopsis")))
def test_any_option_is_answered_or_refused(one: str, name: str) -> None:
    body = f"source: ['**', guide/token.md]\n{one}"
    query = "query: token session\n" if name == "recall" else ""
    judge_by_words(options_of(name, f"{query}{body}"))


@fuzzed(
    30,
    written=st.dictionaries(
        st.sampled_from([*OPTIONS]),
        st.one_of(
            st.none()
            | st.booleans()
            | st.integers()
            | st.floats()
            | st.dates()
            | raw
            | st.binary(),
            st.sampled_from((10**4000, -(10**4000), 10**9, "list", "error", "bm25", "lead", "#a")),
            st.lists(raw | st.integers(), max_size=3),
            st.dictionaries(
                st.sampled_from(NAMES) | st.integers(), st.integers() | raw, max_size=2
            ),
        ),
        max_size=4,
    ),
)
def test_any_defaults_of_a_site_are_read_or_refused(written: dict[str, Any]) -> None:
    try:
        defaults = site_defaults(written)
    except RecallError:
        return
    for name in ("recall", "synopsis"):
        body = "query: token" if name == "recall" else ""
        judge_by_words(options_of(name, body, defaults=defaults))


@fuzzed(30, body=BODIES, info=st.sampled_from(("recall", "synopsis", "yaml embedm", "{.recall}")))
def test_any_body_in_a_fence_is_found_with_its_lines(body: str, info: str) -> None:
    markdown = f"above\n\n```{info}\n{body}\n```\n\nbelow"
    for fence in find_fences(markdown):
        assert markdown[fence.start :].startswith(fence.prefix + "```") or fence.first > 2
        assert fence.source in markdown
        options_of(fence.name, fence.body, embedm=fence.embedm)


@fuzzed(20, key=st.one_of(*(st.sampled_from(each) for each in (NAMES, SIGNS, VALUES)), raw))
def test_any_name_of_an_option_is_known_or_refused(key: str) -> None:
    options_of("synopsis", f"{key}: 1")
