"""A page in each language: where its sentences end, and what a question needs to find its answer.

A page of `pages/` has one sentence a line, so it is its own golden file. `cases.yml` has the
questions.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from pathlib import Path
from typing import Literal, TypeAlias

import pytest
import yaml
from tables import beside, tabled

from mkdocs_recall import Corpus, Passage
from mkdocs_recall.options import DEFAULT_SCORER
from mkdocs_recall.text.language import get_language

Form: TypeAlias = Literal["NFC", "NFD", "NFKD"]

HERE = Path(__file__).parent
CASES: dict[str, list[str]] = yaml.safe_load((HERE / "cases.yml").read_text(encoding="utf-8"))
PAGES = {
    path.stem: path.read_text(encoding="utf-8") for path in sorted((HERE / "pages").glob("*.md"))
}
PROMISED = frozenset(
    {"de", "es", "fr", "it", "pt", "nl", "ru", "sv", "da", "no", "fi", "hu", "ro", "tr", "ar", "hi",
     "ja", "zh", "ko"}
)  # fmt: skip
UNSPACED = frozenset({"ja", "zh"})
"""Languages that set no blank between sentences."""
_NO_SENTENCE = ("#", "!!!")


def sentences_of(page: str) -> list[str]:
    """Return the lines of a page that are sentences, without their markup."""
    lines = [line.strip() for line in page.splitlines()]
    return [
        line.removeprefix("- ").replace("`", "")
        for line in lines
        if line and not line.startswith(_NO_SENTENCE)
    ]


@cache
def corpus(code: str, form: Form = "NFC") -> Corpus:
    """Return the page in a language, its paragraphs as they are commonly written."""
    primary = get_language(code).code
    page = unicodedata.normalize(form, PAGES[primary])
    if primary in UNSPACED:
        page = re.sub(r"(?<=\S)\n {0,4}(?=[^\s-])", "", page)
    return Corpus.from_markdown({"page.md": page}, language=code)


def found(
    code: str, query: str, *, scorer: str = DEFAULT_SCORER, language: str | None = None
) -> list[Passage]:
    result = corpus(code).recall(
        query, scorer=scorer, language=language, min_score=0, on_empty="omit"
    )
    return list(result.passages)


def first(
    code: str, query: str, *, scorer: str = DEFAULT_SCORER, language: str | None = None
) -> str:
    """Return the sentence that comes first, or an empty string."""
    passages = found(code, query, scorer=scorer, language=language)
    return next((passage.sentence.text for passage in passages), "")


def rows(*kinds: str) -> dict[str, list[str]]:
    """Return the cases of some kinds; all, without any."""
    return {name: row for name, row in CASES.items() if not kinds or row[1] in kinds}


def test_every_language_that_is_promised_has_a_page_and_cases() -> None:
    for code in PAGES:
        kinds = [kind for lang, kind, *_ in CASES.values() if get_language(lang).code == code]
        assert len(kinds) >= 4, code
        assert {"stem", "bigram"} & {*kinds} or code not in PROMISED, code
    assert PAGES.keys() >= PROMISED


@pytest.mark.parametrize("code", PAGES)
def test_a_page_is_cut_where_its_sentences_end(code: str) -> None:
    sentences = [sentence.text for sentence in corpus(code).documents[0].sentences]
    assert sentences == sentences_of(PAGES[code])


def test_a_page_that_states_no_language_is_told_by_its_words() -> None:
    pages = {**PAGES, "names": "Set `argoproj.io/v1` or `io.cd/v2`.\n\n" * 20}
    for texts, more in ((pages, {"vi": "en", "names": "en"}), (beside(__file__)["BRIEF"], {})):
        languages = {page.uri: page.language for page in Corpus.from_markdown(texts).documents}
        assert languages == {code: code for code in texts} | more


@pytest.mark.slow
def test_a_question_finds_its_answer() -> None:
    for name, (code, _, query, opening) in CASES.items():
        start = opening.replace("`", "")
        passages = found(code, query)
        assert passages, name
        assert passages[0].sentence.text.startswith(start), name
        sentences = sentences_of(PAGES[get_language(code).code])
        assert len([s for s in sentences if s.startswith(start)]) == 1, name
        # Not by luck: among equals the earlier sentence would come first.
        assert all(passage.score < passages[0].score for passage in passages[1:]), name


def test_without_stems_another_sentence_comes_first_or_none() -> None:
    for name, (code, _, query, opening) in rows("stem").items():
        start = opening.replace("`", "")
        assert not first(code, query, scorer="overlap").startswith(start), name
        stems, whole = (
            {p.sentence.text: p.score for p in found(code, query, scorer="bm25", language=language)}
            for language in (None, "und")
        )
        answer = next(text for text in stems if text.startswith(start))
        assert whole.get(answer, 0) < stems[answer], name


def test_between_blanks_no_word_is_the_same() -> None:
    for name, (code, _, query, _) in rows("bigram").items():
        assert not {*query.split()} & {*first(code, query).split()}, name


@pytest.mark.slow
@pytest.mark.parametrize("form", ["NFD", "NFKD"])
def test_a_decomposed_text_gives_the_same_answer(form: Form) -> None:
    for name, (code, _, query, _) in CASES.items():
        expected = unicodedata.normalize(form, first(code, query))
        decomposed = unicodedata.normalize(form, query)
        result = corpus(code, form).recall(decomposed, min_score=0, on_empty="omit")
        assert unicodedata.normalize(form, result.passages[0].sentence.text) == expected, name


@pytest.mark.parametrize("code", PAGES)
def test_a_decomposed_page_is_cut_at_the_same_places(code: str) -> None:
    sentences = [sentence.text for sentence in corpus(code, "NFD").documents[0].sentences]
    assert sentences == sentences_of(unicodedata.normalize("NFD", PAGES[code]))


def shouted(code: str, query: str) -> str:
    """Return a query in capitals as people of that language type them."""
    if code == "tr":
        query = query.replace("i", "İ").replace("ı", "I")
    if code == "el":
        query = unicodedata.normalize("NFD", query).replace("\u0301", "")
    return query.upper()


# In capitals a Turkish word does not say which i it has, by which its endings are told.
@pytest.mark.slow
def test_capitals_give_the_same_answer() -> None:
    for name, (code, kind, query, _) in CASES.items():
        if (code, kind) != ("tr", "stem"):
            assert first(code, shouted(code, query)) == first(code, query), name


# A Thai page has sentences without a stop, and none of them counts as a whole one.
@pytest.mark.parametrize("code", sorted(PAGES.keys() - {"th"}))
def test_a_synopsis_opens_with_what_the_page_says_of_itself(code: str) -> None:
    overview = sentences_of(PAGES[code])[0]
    result = corpus(code).synopsis("page.md")
    assert result.passages[result.places.index(0)].text == overview
    assert not any(passage.text.endswith((":", "：")) for passage in result.passages)
    assert corpus(code).synopsis("page.md", max_sentences=1).passages[0].text == overview


@tabled
def test_how_a_word_is_typed_does_not_hide_it(code: str, query: str) -> None:
    assert found(code, query)


@tabled
def test_function_words_answer_no_question(code: str, question: str) -> None:
    result = corpus(code).recall(question, min_score=0, on_empty="omit")
    assert [passage.text for passage in result.passages] == []
