"""With any front matter, the page is read as by MkDocs, or all of it is text."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from fuzzing import SIGNS, edited, fuzzed, listed, raw, soup, text
from hypothesis import strategies as st
from judging import judge_document, judge_message, judge_quote, judge_result
from mkdocs.utils.meta import YAML_RE, get_data
from real import markdown_pages

from mkdocs_recall import Corpus, RecallError
from mkdocs_recall.options import Options
from mkdocs_recall.text.front_matter import (
    expiry_date,
    front_matter_faults,
    is_excluded,
    may_have_front_matter_faults,
    normalise_newlines,
    page_language,
    page_metadata,
    parse_moment,
    split_front_matter,
)

NAMES: Final = listed(__file__, "NAMES")
VALUES: Final = listed(__file__, "VALUES")
BOMB: Final = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "\n".join(
    f"{b}: &{b} [*{a},*{a},*{a},*{a},*{a},*{a},*{a},*{a},*{a}]" for a, b in pairwise("abcdefghi")
)
LINES: Final = st.lists(
    st.builds(
        lambda name, value: f"{name}: {value}",
        st.sampled_from(NAMES),
        st.one_of(st.sampled_from(VALUES), st.sampled_from(VALUES), text),
    ),
    max_size=5,
)
MATTER: Final = st.one_of(
    LINES.map("\n".join), soup((*NAMES, *VALUES, ": ", "\n", "- "), size=10), raw
)
PAGES: Final = st.one_of(
    st.builds(
        lambda top, matter, end, body: f"{top}\n{matter}\n{end}\n{body}",
        st.sampled_from(("---", "---", "---  ", "\ufeff---", " ---", "---\r", "----")),
        MATTER,
        st.sampled_from(("---", "---", "...", "--- ", "---\r", "--", "")),
        st.one_of(text, st.just("# A\n\nA session expires. It is a token."), st.just("")),
    ),
    edited(st.sampled_from([page[:1500] for page in markdown_pages()]), (*NAMES, *VALUES, "---\n")),
    edited(
        st.just("---\ntitle: A\nt_created: 2026-01-01\n---\nA session."), (*VALUES, "---", "\n")
    ),
)


@fuzzed(100, page=PAGES)
def test_any_page_is_split_as_mkdocs_splits_it(page: str) -> None:
    source = split_front_matter(page)
    whole = normalise_newlines(page)
    assert whole.endswith(source.body)
    assert source.offset == whole[: len(whole) - len(source.body)].count("\n")
    assert bool(source.offset) or source.body == whole
    if not YAML_RE.match(whole) or "\\ud800" in page:
        return  # MkDocs takes other forms, too; and half a character is one to some parsers
    try:
        body, meta = get_data(whole)
    except RecursionError:  # MkDocs ends the build with it, and so never comes to us
        return
    assert source.body.strip("\n") == body.strip("\n")
    assert source.meta.keys() == (meta if isinstance(meta, dict) else {}).keys()


@fuzzed(100, page=PAGES)
def test_any_front_matter_is_read_or_reported(page: str) -> None:
    source = split_front_matter(page)
    said = page_metadata(source.meta)
    for date in (said.created, said.valid, expiry_date(source.meta)):
        assert not date or parse_moment(date)
    assert said.quality is None or 0 <= said.quality <= 100
    page_language(source.meta).encode()
    said.description.encode()
    is_excluded(source.meta)
    faults = front_matter_faults(source.meta, page)
    assert not faults or may_have_front_matter_faults(source.meta, source.body)
    lines = page.count("\n") + page.count("\r") + 1
    for line, message in faults:
        assert 0 <= line <= lines
        judge_message(message)


@fuzzed(50, page=PAGES, algorithm=st.sampled_from(("lead", "edmundson")))
def test_a_page_with_any_front_matter_is_quoted(page: str, algorithm: str) -> None:
    corpus = Corpus.from_markdown({"a.md": page, "b.md": "# B\n\nA session of the token."})
    for document in corpus.documents:
        judge_document(document)
    try:
        result = corpus.synopsis("a.md", algorithm=algorithm, prefer_description=True)
    except RecallError as error:
        judge_message(error)
        return
    judge_result(result, 3)
    judge_quote(result, Options(cite=True, format="admonition"))
    dated = corpus.recall("session token title", min_score=0, temporal={"now": "2026-11-22"})
    judge_result(dated)


@fuzzed(10, sign=st.sampled_from(SIGNS), name=st.sampled_from(NAMES))
def test_front_matter_that_doubles_with_each_line_is_read(sign: str, name: str) -> None:
    page = f"---\n{BOMB}\n{name}: *i\n---\nA session{sign} expires."
    test = Corpus.from_markdown({"a.md": page})
    try:
        judge_result(test.recall("session", on_empty="omit"), 3)
    except RecallError as error:
        judge_message(error)
    source = split_front_matter(page)
    for _, message in front_matter_faults(source.meta, page):
        judge_message(message)
