"""The passages of an answer do not repeat each other's text."""

from __future__ import annotations

from typing import Any

from mkdocs_recall import Corpus, Result
from mkdocs_recall.ranking.result import quoted_texts


def ask(page: str, query: str, **options: Any) -> Result:
    corpus = Corpus.from_markdown({"a.md": f"# Larch\n\n{page}"})
    return corpus.recall(query, on_empty="omit", min_score=0, **{"context": 0, **options})


def texts(result: Result) -> list[str]:
    return [passage.text for passage in result.passages]


PORTS = "These ports are open:\n\n- 80 for pages\n- 25 for mail\n- 587 for mail of clients\n"


def test_a_lead_in_comes_with_the_first_of_its_items() -> None:
    result = ask(PORTS, "mail of clients")
    assert texts(result) == ["These ports are open:\n…\n587 for mail of clients", "25 for mail\n…"]
    assert quoted_texts(result) == [
        "These ports are open:\n…\n25 for mail\n587 for mail of clients"
    ]


def test_a_chosen_sentence_is_not_repeated_with_one_that_leans_on_it() -> None:
    page = "A token is a secret. It expires after a day, as a secret does.\n"
    result = ask(page, "is a token a secret?")
    assert texts(result) == ["A token is a secret.", "It expires after a day, as a secret does."]
    assert quoted_texts(result) == [page.strip()]


def test_what_two_passages_have_in_their_context_comes_with_the_first() -> None:
    page = "One opens. Two knows the key. Three waits. Four has a lamp. Five leaves.\n"
    result = ask(page, "key of the lamp", context=1)
    assert texts(result) == [
        "Three waits. Four has a lamp. Five leaves.",
        "One opens. Two knows the key.",
    ]
    assert quoted_texts(result) == [page.strip()]


def test_a_lead_in_stays_where_the_budget_leaves_out_the_passage_that_had_it() -> None:
    page = "These ports are open:\n\n- 587 for mail of clients {}\n- 25 for mail\n"
    page = page.format("and their friends " * 20)
    assert texts(ask(page, "mail of clients", max_tokens=20)) == [
        "These ports are open:\n…\n25 for mail"
    ]


def test_the_budget_counts_a_shared_lead_in_once() -> None:
    whole = ask(PORTS, "mail of clients")
    tokens = sum(-(-len(passage.text) // 4) for passage in whole.passages)
    assert texts(ask(PORTS, "mail of clients", max_tokens=tokens)) == texts(whole)
    assert texts(ask(PORTS, "mail of clients", max_tokens=tokens, max_sentences=3)) == texts(whole)
