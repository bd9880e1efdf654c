"""Any query gets an answer of the right form, or a message."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from typing import Any, Final

from answered import answer_to
from fuzzing import SENTENCES, SIGNS, WORDS, edited, fuzzed, raw, soup, text
from hypothesis import strategies as st
from judging import judge_answer, judge_quote, judge_result
from tables import beside

from mkdocs_recall import Corpus, Query, RecallError, Result
from mkdocs_recall.directives.catalog import as_queries
from mkdocs_recall.index.query import query_terms, quoted_phrases
from mkdocs_recall.options import (
    FORMATS,
    UNITS,
    Format,
    Options,
    RecallOptions,
)
from mkdocs_recall.ranking.scores import SCORERS
from mkdocs_recall.ranking.trivial import classify

LANGUAGES: Final = ("en", "de", "tr", "el", "ja", "zh", "th", "ar", "hi", "xx", "")
PAGES: Final[dict[str, str]] = beside(__file__)["PAGES"]
QUOTES: Final = ('"', "“", "”", "„", "«", "»", "「", "」", "『", "`", "_", "__", " ", "NO_", "?")
queries: Final = st.one_of(
    text, soup((*QUOTES, *WORDS)), soup(SIGNS), raw, edited(st.sampled_from(SENTENCES), QUOTES)
)


@cache
def corpus() -> Corpus:
    return Corpus.from_markdown(PAGES)


@fuzzed(
    75,
    query=queries,
    scorer=st.sampled_from([*SCORERS]),
    language=st.sampled_from((None, None, *LANGUAGES[:-1])),
    most=st.integers(1, 6),
    format_=st.sampled_from(FORMATS),
    more=st.fixed_dictionaries(
        {},
        optional={
            "context": st.integers(0, 3),
            "min_score": st.none() | st.floats(0, 5),
            "diversity": st.floats(0, 1),
            "max_tokens": st.integers(1, 60),
            "units": st.lists(st.sampled_from(UNITS), min_size=1),
            "on_empty": st.sampled_from(("omit", "error", "warn")),
            "sections": st.integers(0, 3),
        },
    ),
)
def test_any_query_is_answered_or_refused(  # noqa: PLR0917 - as hypothesis gives them
    query: str, scorer: str, language: str | None, most: int, format_: Format, more: dict[str, Any]
) -> None:
    try:
        result = corpus().recall(
            query, scorer=scorer, language=language, max_sentences=most, **{"min_score": 0, **more}
        )
    except RecallError:
        return
    judge_result(result, most)
    if not any("\ud800" <= sign <= "\udfff" for sign in query):  # which no directive can hold
        options = RecallOptions(query=as_queries(query), format=format_, cite=True)
        judge_quote(result, options)


@fuzzed(50, query=queries, languages=st.lists(st.sampled_from(LANGUAGES), min_size=1, max_size=3))
def test_any_query_has_terms_and_a_meaning(query: str, languages: list[str]) -> None:
    terms = query_terms(query, languages)
    assert all(term.word and term.stems and 0 < term.weight <= 1 for term in terms)
    assert len({term.stems for term in terms}) == len(terms)
    assert all(all(phrase) for phrase in quoted_phrases(query))
    classify(query, ("got it", query) if query.strip() else ())


@fuzzed(
    30,
    several=st.recursive(
        st.one_of(
            queries,
            st.builds(dict, text=queries, weight=st.floats() | st.integers()),
            st.builds(Query, queries, st.floats(0.1, 10)),
            st.none() | st.booleans() | st.integers() | st.binary(max_size=4) | st.dates(),
            st.sampled_from((10**4000, -(10**4000))),
        ),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3),
            st.dictionaries(
                st.sampled_from(("text", "weight", "txet", "")) | raw, inner, max_size=2
            ),
            st.tuples(inner),
        ),
        max_leaves=4,
    ),
)
def test_anything_that_is_given_as_a_query_is_answered_or_refused(several: Any) -> None:
    try:
        result = corpus().recall(several)
    except RecallError:
        return
    judge_result(result, None if result.fallback else 3)


SOURCES: Final[list[str]] = beside(__file__)["SOURCES"]


@fuzzed(
    50,
    source=st.one_of(st.sampled_from(SOURCES), soup(SOURCES, size=5), raw),
    page=st.sampled_from(("", "en.md", "a/b.md", "..", "/")),
)
def test_any_source_names_pages_or_is_refused(source: str, page: str) -> None:
    with suppress(RecallError):
        selection = corpus().select(source, page=page)
        assert {document.uri for document in selection} <= PAGES.keys()
    options = Options(source=(source,))
    found_answer = answer_to(options, corpus(), page)
    if found_answer.result is not None:
        judge_answer(found_answer)


RECORD: Final = corpus().recall("session token port").to_json(explain=True)


@fuzzed(
    40,
    written=edited(
        st.just(RECORD),
        ("null", "-1", "1e999", "NaN", "{}", "[]", "true", "9" * 5000, '"\\ud800"', "[" * 999),
    ),
)
def test_any_record_of_an_answer_is_read_or_refused(written: str) -> None:
    try:
        result = Result.from_json(written)
    except RecallError:
        return
    for passage in result.passages:
        assert passage.text in written or passage.text.isascii() is False or "\\" in written
    result.to_json()
