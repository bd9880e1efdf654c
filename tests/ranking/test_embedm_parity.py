"""`overlap`, `frequency` and `luhn` choose what embedm 1.0.1 itself chooses.

On plain prose both cut text into the same sentences and words. Stop lists differ; the words here
are stop words for both or for neither.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import product
from pathlib import Path

import pytest
from embedm_plugins.recall.recall_transformer import (  # type: ignore[import-untyped]
    RecallParams,
    RecallTransformer,
)
from embedm_plugins.synopsis.synopsis_stopwords import (  # type: ignore[import-untyped]
    STOPWORDS,
)
from embedm_plugins.synopsis.synopsis_transformer import (  # type: ignore[import-untyped]
    SynopsisParams,
    SynopsisTransformer,
)
from hypothesis import given, settings, strategies as st
from tables import beside

from mkdocs_recall import Corpus
from mkdocs_recall.answers.files import FileRenderer
from mkdocs_recall.text.language import get_language

BOTH = frozenset(STOPWORDS["en"]) & get_language("en").stop_words
EITHER = frozenset(STOPWORDS["en"]) | get_language("en").stop_words
STOPS = sorted(word for word in BOTH if word.isascii() and word.isalpha() and len(word) > 1)
WORDS = [
    word
    for word in (
        *("access", "account", "browser", "button", "certificate", "client", "cluster", "cookie"),
        *("database", "default", "directory", "document", "expires", "expired", "expiry"),
        *("folder", "function", "login", "message", "network", "operator", "password", "plugin"),
        *("release", "request", "response", "server", "session", "sessions", "setting", "storage"),
        *("stores", "token", "tokens", "update", "user", "value", "version"),
    )
    if word not in EITHER
]
TAGS = [f"{a}{b}lonar" for a, b in product("bdfgkmprtvz", "aeiou")]
"""One of these makes each sentence differ from all others: embedm quotes repetitions, we do not."""


def sentences_of(text: str) -> list[str]:
    return re.split(r"(?<=\.)\s+", text.strip())


def content(sentence: str) -> list[str]:
    return [word for word in re.findall(r"[a-z]+", sentence.lower()) if word not in EITHER]


def embedm_recall(text: str, query: str, count: int) -> list[str]:
    params = RecallParams(text=text, query=query, max_sentences=count, language="en")
    answer: str = RecallTransformer().execute(params)
    return sentences_of(answer.rpartition("> ")[2])


def embedm_synopsis(text: str, algorithm: str, count: int) -> list[str]:
    params = SynopsisParams(text=text, max_sentences=count, algorithm=algorithm, language="en")
    answer: str = SynopsisTransformer().execute(params)
    return sentences_of(answer.removeprefix("> "))


@st.composite
def pages(draw: st.DrawFn) -> str:
    """Paragraphs of distinct sentences, each of three words or more.

    All is drawn from one seed: to draw each word by itself takes most of the time of these tests.
    """
    chance = draw(st.randoms(use_true_random=True))
    tags = iter(chance.sample(TAGS, len(TAGS)))
    few = chance.sample(WORDS, chance.randint(3, 15))
    paragraphs = []
    for _ in range(chance.randint(1, 6)):
        sentences = []
        for _ in range(chance.randint(1, 5)):
            words = chance.choices(few, k=chance.randint(2, 8))
            order = words[:-1] + chance.choices(STOPS, k=chance.randint(0, 6))
            chance.shuffle(order)
            sentences.append(f"{' '.join([next(tags), *order, words[-1]]).capitalize()}.")
        paragraphs.append(" ".join(sentences))
    return "\n\n".join(paragraphs)


def test_the_stop_lists_differ_so_that_words_must_be_chosen() -> None:
    assert BOTH != EITHER
    assert STOPS


@given(text=pages())
def test_both_see_the_same_sentences(text: str) -> None:
    (document,) = Corpus.from_markdown({"a.md": text}).documents
    assert [sentence.text for sentence in document.sentences] == sentences_of(text)


@pytest.mark.slow
@settings(max_examples=100)
@given(
    text=pages(),
    query=st.lists(st.sampled_from([*WORDS, *STOPS]), min_size=1, max_size=8),
    count=st.integers(1, 6),
)
def test_overlap_chooses_what_embedm_chooses(text: str, query: list[str], count: int) -> None:
    corpus = Corpus.from_markdown({"a.md": text})
    result = corpus.recall(
        " ".join(query), scorer="overlap", max_sentences=count, on_empty="omit", context=0
    )
    asked = set(query) - EITHER
    theirs = [s for s in embedm_recall(text, " ".join(query), count) if asked & set(content(s))]
    assert [passage.text for passage in result.in_document_order()] == theirs


@pytest.mark.slow
@settings(max_examples=100)
@given(text=pages(), count=st.integers(1, 6))
def test_frequency_chooses_the_sentences_that_embedm_chooses(text: str, count: int) -> None:
    corpus = Corpus.from_markdown({"a.md": text})
    result = corpus.synopsis("a.md", algorithm="frequency", max_sentences=count)
    sentences = [passage.text for passage in result.in_document_order()]
    assert sentences == embedm_synopsis(text, "frequency", count)


@pytest.mark.slow
@settings(max_examples=100)
@given(text=pages(), count=st.integers(1, 6))
def test_luhn_chooses_the_sentences_that_embedm_chooses(text: str, count: int) -> None:
    corpus = Corpus.from_markdown({"a.md": text})
    result = corpus.synopsis("a.md", algorithm="luhn", max_sentences=count)
    counts = Counter(word for sentence in sentences_of(text) for word in content(sentence))
    significant = {w for w, n in counts.items() if n > counts.total() / len(counts)}
    theirs = embedm_synopsis(text, "luhn", count)
    if significant:  # otherwise nothing stands out, and both take the first sentences
        theirs = [s for s in theirs if significant.intersection(content(s))]
    assert [passage.text for passage in result.in_document_order()] == theirs


@pytest.mark.parametrize("algorithm", ["frequency", "luhn", "overlap"])
def test_equal_scores_are_equal_to_the_last_bit(algorithm: str) -> None:
    text = (
        "Kilonar browser client in of folder server password database. Melonar database cookie is"
        " of in browser. Dulonar password server in of token in token client database. Tolonar"
        " password the the server server.\n\nBelonar of folder client cookie the cookie."
    )
    corpus = Corpus.from_markdown({"a.md": text})
    if algorithm == "overlap":
        result = corpus.recall("server", scorer="overlap", max_sentences=1, context=0)
        theirs = embedm_recall(text, "server", 1)
    else:
        result = corpus.synopsis("a.md", algorithm=algorithm, max_sentences=1)
        theirs = embedm_synopsis(text, algorithm, 1)
    assert [passage.text for passage in result.passages] == theirs


PROSE: str = beside(__file__)["PROSE"]


@pytest.mark.parametrize("algorithm", ["frequency", "luhn"])
@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_synopses_agree_on_a_page_as_people_write_them(algorithm: str, count: int) -> None:
    corpus = Corpus.from_markdown({"a.md": PROSE})
    result = corpus.synopsis("a.md", algorithm=algorithm, max_sentences=count)
    sentences = [passage.text for passage in result.in_document_order()]
    assert sentences == embedm_synopsis(PROSE, algorithm, count)


def fence(kind: str, **options: object) -> str:
    """Return a fence for embedm that asks the page `a.md`."""
    lines = [f"{name}: {value}" for name, value in {"source": "a.md", **options}.items()]
    return "\n".join(["```yaml embedm", f"type: {kind}", *lines, "cite: false", "```", ""])


def rendered(tmp_path: Path, page: str, asked: str) -> str:
    """Return what `render` makes of a fence, without line breaks in the quote."""
    (tmp_path / "docs").mkdir(exist_ok=True)
    (tmp_path / "docs" / "a.md").write_text(page, encoding="utf-8")
    (tmp_path / "asks.md").write_text(asked, encoding="utf-8")
    corpus = Corpus.from_folder(tmp_path / "docs", cache=False)
    found = FileRenderer(corpus).render(tmp_path / "asks.md")
    assert found.faults == found.warnings == []
    return found.text


def quoted(text: str) -> list[str]:
    """Return the sentences of a quote in Markdown, without what is left out between them."""
    quote = text.rpartition("\n\n>")[2] if text.startswith("**Note:**") else text
    return sentences_of(" ".join(re.sub(r"(?m)^>? ?|…", "", quote).split()))


HEADED = "# Guide\n\n## First steps\n\n" + PROSE.replace("\n\n", "\n\n## More\n\n", 1)


@pytest.mark.parametrize("page", ["", "# Title\n", "```\ncode that is long\n```\n"])
def test_a_source_without_sentences_gives_the_note_of_embedm(tmp_path: Path, page: str) -> None:
    theirs = RecallTransformer().execute(RecallParams(page, "session", 3, "en"))
    assert rendered(tmp_path, page, fence("recall", query="session")) == theirs
    theirs = SynopsisTransformer().execute(SynopsisParams(page, 3, "frequency", "en"))
    assert rendered(tmp_path, page, fence("synopsis")) == theirs


@pytest.mark.parametrize("sections", range(7))
@pytest.mark.parametrize("page", [PROSE, HEADED], ids=["prose", "headings"])
def test_sections_counts_blocks_as_embedm(tmp_path: Path, page: str, sections: int) -> None:
    query = "session token server"
    theirs = RecallTransformer().execute(RecallParams(page, query, 20, "en", sections))
    quote = rendered(
        tmp_path, page, fence("recall", query=query, sections=sections, max_sentences=20)
    )
    assert quoted(quote) == quoted(theirs)


@pytest.mark.parametrize("count", [1, 2, 3, 5, 9])
@pytest.mark.parametrize("query", ["password", "logout button", "walrus"])
def test_max_sentences_is_that_of_embedm(tmp_path: Path, query: str, count: int) -> None:
    theirs = RecallTransformer().execute(RecallParams(PROSE, query, count, "en"))
    quote = rendered(tmp_path, PROSE, fence("recall", query=query, max_sentences=count))
    assert quote.startswith("**Note:**") == theirs.startswith("> [!NOTE]")
    expected = sentences_of(theirs.rpartition("\n\n> ")[2].removeprefix("> "))
    assert quoted(quote) == expected


@pytest.mark.parametrize("algorithm", ["frequency", "luhn"])
@pytest.mark.parametrize("count", [1, 3, 9])
def test_a_synopsis_is_as_long_as_embedm_s(tmp_path: Path, algorithm: str, count: int) -> None:
    page = "Larch larch larch keeps larch. " + " ".join(
        f"The {tag} of it is there." for tag in TAGS[:5]
    )
    theirs = embedm_synopsis(page, algorithm, count)
    body = fence("synopsis", algorithm=algorithm, max_sentences=count)
    assert quoted(rendered(tmp_path, page, body)) == theirs
