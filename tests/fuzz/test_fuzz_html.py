"""Any HTML is read, its spans are its text, and quotes of it are harmless."""

from __future__ import annotations

from dataclasses import replace

from fuzzing import SIGNS, fuzzed, soup, text
from hostile import HTML, OTHERS, TAGS
from hypothesis import strategies as st
from judging import judge_document, judge_quote, judge_result

from mkdocs_recall import Corpus, Query
from mkdocs_recall.directives.catalog import as_queries
from mkdocs_recall.index.sources import PageSet
from mkdocs_recall.options import (
    ALGORITHM_NAMES,
    FORMATS,
    UNITS,
    AlgorithmName,
    Format,
    Options,
    RecallOptions,
)
from mkdocs_recall.ranking.scores import SCORERS
from mkdocs_recall.text.document import analyse
from mkdocs_recall.text.html import read_html


def corpus_of(html: str, title: str, url: str = "a/b/") -> Corpus:
    document = analyse(read_html(html), uri="a/b.md", title=title, language="en", url=url)
    return Corpus(PageSet(["a/b.md"], lambda _: document))


@fuzzed(60, html=HTML, language=st.sampled_from(("en", "de", "ja", "zh", "ar", "xx")))
def test_any_page_is_read_and_its_spans_make_up_its_text(html: str, language: str) -> None:
    document = analyse(read_html(html), uri="a.md", title="A", language=language)
    judge_document(document)


@fuzzed(
    60,
    html=HTML,
    query=text.filter(str.strip),
    title=text | st.sampled_from(OTHERS),
    options=st.builds(
        RecallOptions,
        query=st.just((Query("what?"),)),
        source=st.just(("**",)),
        format=st.sampled_from(FORMATS),
        explain=st.booleans(),
        scorer=st.sampled_from([*SCORERS]),
        max_sentences=st.integers(1, 5),
        context=st.integers(0, 2),
        cite=st.just(value=True),
    ),
)
def test_any_quote_holds_only_page_text_and_harmless_markup(
    html: str, query: str, title: str, options: RecallOptions
) -> None:
    corpus = corpus_of(html, title)
    words = " ".join([query, *(b.text[:80] for b in corpus.documents[0].blocks[:6])])
    result = corpus.recall(
        words,
        units=UNITS,
        min_score=0,
        scorer=options.scorer,
        context=options.context,
        max_sentences=options.max_sentences,
    )
    most = None if result.fallback else options.max_sentences
    judge_result(result, most)
    judge_quote(result, replace(options, query=as_queries(words)))


@fuzzed(30, html=HTML, algorithm=st.sampled_from(ALGORITHM_NAMES), format_=st.sampled_from(FORMATS))
def test_any_synopsis_holds_only_page_text_and_harmless_markup(
    html: str, algorithm: AlgorithmName, format_: Format
) -> None:
    result = corpus_of(html, "<b>").synopsis("**", algorithm=algorithm, max_sentences=2)
    judge_result(result, 2)
    options = Options(algorithm=algorithm, format=format_, explain=True, cite=True)
    judge_quote(result, options)


@fuzzed(30, html=soup([*SIGNS, *(f"<{tag}>" for tag in TAGS), *(f"</{tag}>" for tag in TAGS)]))
def test_any_soup_of_tags_is_read(html: str) -> None:
    judge_document(corpus_of(html, "A").documents[0])
