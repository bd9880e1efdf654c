"""How much of an answer fits into a number of tokens, and counters of tokens."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import Site
from hypothesis import given, strategies as st
from tables import beside, tabled

from mkdocs_recall import Corpus, OptionError, Result
from mkdocs_recall.ranking.budget import estimate
from mkdocs_recall.ranking.result import quoted_texts

AUTH: str = beside(__file__)["AUTH"]
MAIL = "# Mail\n\nMail of a session is sent on port 587. It waits for an hour.\n"


@pytest.fixture
def corpus() -> Corpus:
    return Corpus.from_markdown({"auth.md": AUTH, "mail.md": MAIL})


@tabled
def test_the_estimate_is_by_characters_words_and_width(text: str, tokens: int) -> None:
    assert estimate(text) == tokens


@given(st.text(alphabet="ab \n.漢あ한é…", max_size=60), st.text(alphabet="a 漢.", max_size=30))
def test_two_texts_have_no_more_tokens_together_than_apart(one: str, other: str) -> None:
    assert max(estimate(one), estimate(other)) <= estimate(one + other)
    assert estimate(one + other) <= estimate(one) + estimate(other)


def shown(result: Result) -> list[str]:
    return [passage.text for passage in result.passages]


def test_whole_passages_are_taken_in_rank_order_up_to_the_budget(corpus: Corpus) -> None:
    query = "session menu browser once"
    whole = corpus.recall(query, max_sentences=5, min_score=0, context=0)
    sizes = [estimate(text) for text in shown(whole)]
    assert sizes[0] > min(sizes[1:])  # a shorter one behind it is not taken in its place
    for tokens in range(1, sum(sizes) + 5):
        result = corpus.recall(query, max_sentences=5, min_score=0, max_tokens=tokens, context=0)
        assert result.passages == whole.passages[: len(result.passages)]
        assert result.passages + result.left_out == whole.passages
        assert sum(map(estimate, shown(result))) <= tokens
        assert bool(result.why) == bool(result.left_out)
        assert len(result.places) == len(result.passages)
    assert result == whole


def test_omissions_are_reported(corpus: Corpus) -> None:
    asked: dict[str, Any] = {"max_sentences": 3, "min_score": 0, "context": 0}
    result = corpus.recall("session cookie", max_tokens=12, **asked)
    assert len(result.passages) == 1
    assert len(result.left_out) == 2
    needed = estimate(result.left_out[0].text)
    assert result.why == (
        f"1 of 3 passages fit, the next one has {needed} tokens, 'max_tokens' is 12"
    )


def test_a_lead_in_is_counted_with_its_item(corpus: Corpus) -> None:
    item = corpus.recall("one open upload", max_sentences=1, context=0).passages[0]
    assert item.text == "A session holds:\n…\none open upload"
    tokens = estimate(item.text)
    assert corpus.recall("one open upload", max_sentences=1, max_tokens=tokens, context=0).passages
    assert not corpus.recall(
        "one open upload", max_sentences=1, max_tokens=tokens - 1, context=0
    ).passages


def test_the_signs_between_passages_are_counted_too() -> None:
    pages = {"a.md": "# A\n\nOne red. Two all. Three red. Four all. Five red.\n"}
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return len(text.split())

    def kept(max_tokens: int) -> int:
        result = Corpus.from_markdown(pages).recall(
            "red", min_score=0, max_tokens=max_tokens, token_counter=count, context=0
        )
        return len(result.passages)

    assert kept(8) == 3
    assert "One red. … Three red. … Five red." in counted
    assert kept(7) == 2  # the words are six, and two signs stand between them
    assert kept(5) == 2
    assert kept(4) == 1


def test_a_synopsis_of_several_pages_is_held_to_it_as_a_whole(corpus: Corpus) -> None:
    whole = corpus.synopsis(["auth.md", "mail.md"], max_sentences=2)
    tokens = sum(map(estimate, shown(whole)[:3]))
    result = corpus.synopsis(["auth.md", "mail.md"], max_sentences=2, max_tokens=tokens)
    assert {passage.uri for passage in result.passages} == {"auth.md", "mail.md"}
    assert len(result.passages) == 3
    assert len(result.left_out) == 1


def test_so_is_the_synopsis_that_stands_in_for_an_answer(corpus: Corpus) -> None:
    result = corpus.recall("kangaroo", max_tokens=12, context=0, on_empty="synopsis")
    assert result.fallback == "no_match"
    assert sum(map(estimate, shown(result))) <= 12
    assert result.left_out
    assert result.why.startswith("no sentence answers the query; 1 of 3 passages fit")


WORDS = st.sampled_from(
    ["session", "cookie", "day", "漢字", "expires", "menu", "it", "a-long-word"]
)
SENTENCES = st.lists(WORDS, min_size=1, max_size=9).map(lambda words: f"A {' '.join(words)}.")
PARAGRAPHS = st.lists(SENTENCES, min_size=1, max_size=4).map(" ".join)


@given(
    st.lists(PARAGRAPHS | PARAGRAPHS.map("- {}".format), min_size=1, max_size=6),
    st.integers(1, 60),
    st.integers(0, 1),
)
def test_nothing_that_is_quoted_goes_over(paragraphs: list[str], tokens: int, context: int) -> None:
    corpus = Corpus.from_markdown({"a.md": "# A\n\n" + "\n\n".join(paragraphs)})
    for result in (
        corpus.recall("session cookie menu", min_score=0, context=context, max_tokens=tokens),
        corpus.synopsis("a.md", max_sentences=5, max_tokens=tokens),
    ):
        texts = [passage.text for passage in result.in_document_order()]
        assert estimate("".join(texts)) <= tokens
        assert sum(map(estimate, texts)) <= tokens
        assert result.passages or result.why or result.diagnostics


def fails(_: str) -> int:
    msg = "no vocabulary"
    raise ValueError(msg)


@pytest.mark.parametrize(
    ("counter", "message"),
    [
        (fails, "token_counter 'fails' failed: ValueError: no vocabulary"),
        (lambda _: -1, "token_counter '<lambda>' returned -1 instead of a whole number, 0 or more"),
        (lambda _: None, "token_counter '<lambda>' returned None instead of a whole number"),
        (lambda _: 1.5, "token_counter '<lambda>' returned 1.5 instead of a whole number"),
        (lambda _: True, "token_counter '<lambda>' returned True instead of a whole number"),
        (lambda _: "x" * 999, f"returned '{'x' * 79} instead of a whole number"),
        ("estimate", "'token_counter' must be a function, not 'estimate'"),
    ],
)
def test_a_useless_counter_is_an_error(corpus: Corpus, counter: Any, message: str) -> None:
    with pytest.raises(OptionError) as caught:
        corpus.recall("session", max_tokens=9, token_counter=counter, context=0)
    assert message in str(caught.value)


@pytest.mark.parametrize("tokens", [0, -1, True, 1.5, "12"])
def test_a_number_of_tokens_is_a_whole_number_from_one_on(corpus: Corpus, tokens: Any) -> None:
    with pytest.raises(OptionError, match="'max_tokens' must be "):
        corpus.recall("session", max_tokens=tokens, context=0)
    with pytest.raises(OptionError, match="'max_tokens' must be "):
        corpus.synopsis("auth.md", max_tokens=tokens)


FENCE = "```recall\nsource: auth.md\nquery: session cookie\nmax_tokens: {}\n```\n"


def test_an_error_is_raised_if_nothing_fits(site: Site) -> None:
    built = site.build({"index.md": FENCE.format(2), "auth.md": AUTH})
    message = "index.md:1: recall: the best sentence needs 10 tokens, 'max_tokens' is 2"
    assert built.warnings == [message]
    assert built.text("div.recall-error p:last-child") == message


def test_the_site_s_limit_is_for_each_directive(site: Site) -> None:
    fence = "```synopsis\nsource: auth.md\nexplain: true\n```\n"
    built = site.build({"index.md": fence, "auth.md": AUTH}, recall={"max_tokens": 20})
    rows = [row.get_text(" ", strip=True) for row in built.page().select("details tbody tr")]
    assert any("left out: it would exceed 'max_tokens'" in row for row in rows)
    assert "'max_tokens' is 20" in built.text("details.recall-explain > p")


def _ports(count: int) -> Corpus:
    lines = [f"Port {number} serves the {word}." for number, word in enumerate(SERVICES[:count])]
    return Corpus.from_markdown({"a.md": "# Ports\n\n" + "\n\n".join(lines)})


SERVICES = ("web", "mail", "files", "names", "time", "news", "chat", "logs", "search", "proxy")


def test_a_budget_without_a_number_of_sentences_is_filled() -> None:
    result = _ports(10).recall("which port serves what?", max_tokens=60, min_score=0, context=0)
    assert len(result.passages) > 3
    assert estimate("\n\n".join(quoted_texts(result))) <= 60
    assert sum(estimate(passage.text) for passage in result.passages) <= 60
    assert [passage.rank for passage in result.passages] == [*range(1, len(result.passages) + 1)]
    assert (result.left_out, result.why) == ((), "")


def test_a_number_of_sentences_holds_beside_a_budget() -> None:
    corpus = _ports(10)
    for count in (1, 3, 5):
        result = corpus.recall(
            "which port serves what?", max_tokens=200, max_sentences=count, min_score=0, context=0
        )
        assert len(result.passages) == count


def test_a_shorter_sentence_fills_what_a_longer_one_leaves() -> None:
    long = "Port 25 serves the mail of all people who work in this house and in the one beside it."
    corpus = Corpus.from_markdown(
        {"a.md": f"# Ports\n\nPort 80 serves the web and mail.\n\n{long}\n\nPort 53 is for names."}
    )
    result = corpus.recall("port serves mail", max_tokens=18, min_score=0, context=0)
    assert [passage.text for passage in result.passages] == [
        "Port 80 serves the web and mail.",
        "Port 53 is for names.",
    ]


VERSIONS = (
    "# Versions\n\n## Requesting a version\n\nThese formats request a version:\n\n"
    + "\n".join(f"- `{word}@version`, such as `{word}@3.11`" for word in SERVICES)
    + "\n\nWithout a version, the latest is installed.\n\n"
    "## Requests\n\nA request for a version is logged.\n"
)


def test_a_small_budget_quotes_other_sentences_of_the_best_section() -> None:
    corpus = Corpus.from_markdown({"a.md": VERSIONS})
    best = corpus.recall("requesting a version").passages[0]
    assert "formats" in best.text
    # the others score less
    result = corpus.recall("requesting a version", max_tokens=20, min_score=best.score)
    assert estimate("\n\n".join(quoted_texts(result))) <= 20
    assert {passage.anchor for passage in result.passages} == {"requesting-a-version"}
    assert "formats" in result.left_out[0].text
    assert result.why.startswith("the best sentence needs ")
    assert not corpus.recall("requesting a version", max_tokens=20, max_sentences=1).passages
    assert not corpus.recall("requesting a version", max_tokens=5).passages


def test_no_weak_answer_replaces_a_synopsis_that_exceeds_the_budget() -> None:
    page = "# Larch\n\nLarch keeps each file that somebody sends to it.\n\nThe latest is shown.\n"
    asked: dict[str, Any] = {"min_score": 0.99, "on_empty": "synopsis", "max_tokens": 6}
    result = Corpus.from_markdown({"a.md": page}).recall("the latest zebra", **asked)
    assert result.fallback == "low_score"
    assert not result.passages


def test_a_synopsis_stays_at_three_sentences_whatever_the_budget() -> None:
    result = _ports(10).synopsis("a.md", max_tokens=1000)
    assert len(result.passages) == 3
