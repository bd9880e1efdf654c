"""Recency in addition to relevance: it only reorders equally relevant sentences."""

from __future__ import annotations

import math
from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given, strategies as st
from meaning import larch

from mkdocs_recall import Corpus, Result, SourceError, Temporal
from mkdocs_recall.ranking.reranking import CLOSE

__all__ = ["larch"]
NOW = {"now": "2026-05-20"}
QUERY = "when does a session expire?"


def page(text: str, **stated: str) -> str:
    front = "".join(f"{name}: {value}\n" for name, value in stated.items())
    return f"---\n{front}---\n# Page\n\n{text}\n"


def corpus(**pages: str) -> Corpus:
    return Corpus.from_markdown({f"{name}.md": text for name, text in pages.items()})


def asked(pages: Corpus, query: Any = QUERY, **options: Any) -> Result:
    return pages.recall(query, **{"temporal": NOW, "on_empty": "omit", **options})


def uris(result: Result) -> list[str]:
    return [passage.uri for passage in result.passages]


def test_the_fresher_of_two_equal_sentences_is_quoted() -> None:
    pages = corpus(
        old=page("A session expires after ten minutes.", t_created="2024-01-01"),
        new=page("A session expires after one hour.", t_created="2026-05-19"),
    )
    assert uris(pages.recall(QUERY, max_sentences=1)) == ["old.md"]
    assert uris(asked(pages, max_sentences=1)) == ["new.md"]


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_a_fresh_off_topic_sentence_never_precedes_the_right_one(limit: int) -> None:
    stale = page(
        "A session expires after ten minutes.", t_valid="2001-01-01", temporal_stability="ephemeral"
    )
    fresh = page("A session of the choir starts at noon. Singers meet.", t_created="2026-05-20")
    result = asked(corpus(fresh=fresh, stale=stale), max_sentences=limit)
    assert uris(result)[0] == "stale.md"
    assert result.passages[0].score < 0.02


def test_ageing_pages_rank_below_others() -> None:
    pages = corpus(
        news=page("A session expires.", t_valid="2026-01-01", temporal_stability="ephemeral"),
        rule=page("A session expires.", t_valid="2026-01-01", temporal_stability="static"),
        guide=page("A session expires.", t_valid="2026-01-01", temporal_stability="dynamic"),
    )
    scores = {p.uri: p.score for p in asked(pages, max_sentences=1).passages}
    assert list(scores) == ["rule.md"]


@given(
    ages=st.lists(st.integers(1, 28), min_size=2, max_size=6),
    limit=st.integers(1, 3),
    diversity=st.sampled_from([None, 0.4]),
)
def test_recency_neither_removes_answers_nor_promotes_irrelevant_ones(
    ages: list[int], limit: int, diversity: float | None
) -> None:
    words = ["session", "expire", "token", "cookie", "birch", "larch"]
    pages = corpus(
        **{
            f"p{n}": page(
                f"The {' '.join(words[: n + 1])} is number {n} of many.",
                t_created=f"2026-05-{age:02}",
            )
            for n, age in enumerate(ages)
        }
    )
    query = " ".join(words)
    options: dict[str, Any] = {"max_sentences": limit, "diversity": diversity, "min_score": 0}
    plain = pages.recall(query, **options)
    timed = asked(pages, query, **options)
    assert len(timed.passages) == len(plain.passages)
    relevance = {p.uri: p.explanation.parts[0].value for p in timed.passages}
    best = max(p.score for p in plain.passages)
    known = {p.uri for p in plain.passages}
    assert all(value >= CLOSE * best or uri in known for uri, value in relevance.items())


@given(
    ages=st.lists(st.integers(1, 600), min_size=3, max_size=6),
    limit=st.integers(2, 6),
    diversity=st.sampled_from([None, 0.4]),
    many=st.booleans(),
)
def test_scores_never_rise_with_the_rank_and_their_parts_add_up(
    ages: list[int], limit: int, diversity: float | None, *, many: bool
) -> None:
    words = ["session", "expire", "token", "cookie", "birch", "larch"]
    pages = corpus(
        **{
            f"p{n}": page(
                f"The {' '.join(words[: n + 1])} is number {n} of many.",
                t_valid=f"{date(2026, 5, 20) - timedelta(days=age)}",
                temporal_stability="ephemeral" if age % 2 else "static",
            )
            for n, age in enumerate(ages)
        }
    )
    query = [" ".join(words), "birch larch"] if many else " ".join(words)
    result = asked(pages, query, max_sentences=limit, diversity=diversity, min_score=0)
    scores = [passage.score for passage in result.passages]
    assert scores == sorted(scores, reverse=True)
    for passage in (*result.passages, *(lost.passage for lost in result.lost)):
        parts = passage.explanation.parts
        assert passage.explanation.value == passage.score
        assert math.isclose(sum(part.value for part in parts), passage.score, abs_tol=1e-12)


def test_less_relevant_sentences_say_why_their_score_is_lowered() -> None:
    stale = page(
        "A session expires after ten minutes.", t_valid="2026-04-01", temporal_stability="ephemeral"
    )
    fresh = page("A session of the choir starts at noon.", t_created="2026-05-20")
    best, other = asked(corpus(fresh=fresh, stale=stale), min_score=0, context=0).passages
    relevance, time, lowered = other.explanation.parts
    assert (best.uri, other.uri) == ("stale.md", "fresh.md")
    assert relevance.value + time.value > best.score >= other.score
    assert lowered.value < 0
    assert lowered.description == "less than 75% as relevant as the best"


@pytest.mark.usefixtures("larch")
def test_passages_appended_by_meaning_are_ordered_by_cosine_times_freshness() -> None:
    pages = corpus(
        old=page("Sign out.", t_valid="2026-05-13", temporal_stability="ephemeral"),
        new=page("Sign out slowly.", t_valid="2026-05-19"),
    )
    semantic = {"model": "larch", "min_relevance_score": 0}
    options: dict[str, Any] = {"semantic": semantic, "on_empty": "omit"}
    plain = pages.recall("log off", **options)
    assert uris(plain) == ["old.md", "new.md"]
    timed = asked(pages, "log off", **options)
    assert uris(timed) == ["new.md", "old.md"]
    cosines = {passage.uri: passage.score for passage in plain.passages}
    assert timed.passages[1].score == pytest.approx(cosines["old.md"] * math.exp(-1))
    for passage in timed.passages:
        cosine, time = passage.explanation.parts
        assert cosine.value == pytest.approx(cosines[passage.uri])
        assert passage.score == pytest.approx(cosine.value + time.value)


def test_each_of_several_questions_keeps_its_answer_however_old() -> None:
    pages = corpus(
        session=page("A session expires after ten minutes.", t_created="2001-01-01"),
        mail=page("Mail goes out on port 587.", t_created="2026-05-20"),
        more=page("Mail on another port goes out, too.", t_created="2026-05-20"),
    )
    result = asked(pages, [QUERY, "mail port"], max_sentences=2)
    assert {"session.md"} < set(uris(result))


def test_an_explanation_adds_up_to_relevance_times_time_and_states_dates() -> None:
    pages = corpus(new=page("A session expires after one hour.", t_created="2026-05-19"))
    [plain] = pages.recall(QUERY).passages
    [timed] = asked(pages).passages
    assert timed.score == pytest.approx(plain.score * (1 + 0.35 * math.log1p(math.exp(-1 / 21))))
    relevance, time = timed.explanation.parts
    assert relevance.value == plain.score
    assert relevance.value + time.value == pytest.approx(timed.score)
    assert "2026-05-19" in time.description
    assert "ago" not in time.description


def test_sentences_rejected_by_recency_are_among_the_lost() -> None:
    pages = corpus(
        old=page("A session expires after ten minutes.", t_created="2024-01-01"),
        new=page("A session expires after one hour.", t_created="2026-05-19"),
    )
    [lost] = asked(pages, max_sentences=1).lost
    assert lost.passage.uri == "old.md"
    assert "more recent" in lost.reason


@pytest.mark.parametrize("field", ["t_expired", "t_invalid"])
def test_expired_pages_are_left_out_unless_requested(field: str) -> None:
    pages = corpus(
        old=page("A session expires after ten minutes.", **{field: "2026-05-20"}),
        later=page("A session expires after one hour.", **{field: "2026-05-21"}),
    )
    assert uris(asked(pages)) == ["later.md"]
    assert set(uris(asked(pages, include_expired=True))) == {"old.md", "later.md"}
    assert set(uris(pages.recall(QUERY))) == {"old.md", "later.md"}
    synopsis = pages.synopsis("**", temporal=NOW)
    assert {passage.uri for passage in synopsis.passages} == {"later.md"}
    [lost] = [lost for lost in asked(pages).lost if lost.passage.uri == "old.md"]
    assert lost.reason == "it expired on 2026-05-20"


def test_pages_not_yet_valid_are_left_out_with_the_reason() -> None:
    pages = corpus(
        later=page("A session expires after ten minutes.", t_valid="2026-05-21"),
        now=page("A session expires after one hour.", t_valid="2026-05-20"),
    )
    result = asked(pages)
    assert uris(result) == ["now.md"]
    [lost] = [lost for lost in result.lost if lost.passage.uri == "later.md"]
    assert lost.reason == "it is not valid before 2026-05-21"
    assert set(uris(asked(pages, include_expired=True))) == {"later.md", "now.md"}
    assert set(uris(pages.recall(QUERY))) == {"later.md", "now.md"}


def test_a_named_page_that_has_expired_is_an_error_with_a_remedy() -> None:
    pages = corpus(old=page("A session expires.", t_expired="2026-05-20"), new="# New\n\nIt is.\n")
    said = r"'old\.md' .* expired on 2026-05-20; 'include_expired: true'"
    with pytest.raises(SourceError, match=said):
        pages.recall(QUERY, source="old.md", temporal=NOW)
    with pytest.raises(SourceError, match=said):
        pages.synopsis("old.md", temporal=NOW)
    said = "only pages that have expired or are not valid yet; 'include_expired: true'"
    with pytest.raises(SourceError, match=said):
        pages.recall(QUERY, source="ol*.md", temporal=NOW)
    with pytest.raises(SourceError, match=said):  # besides the page that asks
        pages.recall(QUERY, page="new.md", temporal=NOW)


def test_a_fallback_does_not_quote_what_has_expired() -> None:
    pages = corpus(
        old=page("Larches grow slowly here.", t_expired="2026-05-20"),
        new=page("Birches grow fast there."),
    )
    result = asked(pages, on_empty="synopsis")
    assert result.fallback
    assert uris(result) == ["new.md"]


def test_now_is_stated_or_the_variable_or_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = corpus(a=page("A session expires.", t_expired="2026-05-20"), b="# B\n\nBirch.\n")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")
    result = asked(pages, temporal=True)
    assert (uris(result), result.diagnostics) == (["a.md"], ())
    assert uris(asked(pages, temporal=Temporal(now="2026-05-20"))) == []
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    clock = asked(corpus(a=page("A session expires.")), temporal=True)
    [said] = clock.diagnostics
    assert "SOURCE_DATE_EPOCH" in said
    assert "'now'" in said
