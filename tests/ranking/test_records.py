"""Results as JSON and back: nothing visible is lost, and invalid JSON is reported."""

from __future__ import annotations

import copy
import json
import pickle
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st
from tables import beside, tabled

from mkdocs_recall import Corpus, RecallError, RecordError, Result
from mkdocs_recall.directives.options import read_options
from mkdocs_recall.options import UNITS
from mkdocs_recall.ranking.quotation import Quotation, plain_text
from mkdocs_recall.ranking.result import (
    PassageRecord,
    ResultRecord,
    as_json,
    page_record,
    result_record,
)

PAGES: dict[str, str] = beside(__file__)["PAGES"]
SMALL = Corpus.from_markdown(PAGES)


@cache
def results() -> dict[str, Result]:
    """Return results of all kinds."""
    site = Corpus.from_site(Path(__file__).parents[2] / "mkdocs.yml", cache=False)
    question = "when does a session expire?"
    return {
        "recall": site.recall(question, max_sentences=8, context=0),
        "places": site.recall([question, "How do I install Larch?"]),
        "context": site.recall("revoke a token", context=2, source="handbook/"),
        "several": site.recall([question, "how is a backup restored?"], max_sentences=4, context=0),
        "synopsis": site.synopsis("handbook/**", max_sentences=2),
        "fallback": site.recall("zyzzyva", source="handbook/tokens.md"),
        "stop words": SMALL.recall("what is the", on_empty="omit"),
        "low": SMALL.recall("expired", min_score=9, on_empty="omit"),
        "small": SMALL.recall(
            "session expire", units=UNITS, max_sentences=9, context=0, min_score=0
        ),
        "a budget": within(site.recall(question, max_sentences=8, context=0), 2),
        "nothing fits": within(site.recall(question), 0),
        "no words": Corpus.from_markdown({"a.md": "# A\n\nJedna věta.\n", "b.md": "# B"}).synopsis(
            "b.md", language="tlh"
        ),
    }


def within(result: Result, count: int) -> Result:
    """Leave out all passages but the first."""
    passages = result.passages
    return replace(result, passages=passages[:count], left_out=passages[count:])


KINDS: list[str] = beside(__file__)["KINDS"]


def seen(result: Result) -> dict[str, Any]:
    """Return all that can be seen of a result."""

    def passage(each: Any) -> dict[str, Any]:
        names = (
            *("text", "uri", "title", "heading", "anchor", "line", "file", "created", "source"),
            *("score", "rank", "explanation"),
        )
        return {
            **{name: getattr(each, name) for name in names},
            "sentence": each.sentence.text,
            "headings": each.block.headings,
            "kind": each.block.kind,
            "section": each.block.section,
            "url": each.document.url,
            "language": each.document.language,
        }

    return {
        "passages": [passage(each) for each in result.passages],
        "in order": [each.rank for each in result.in_document_order()],
        "left out": [passage(each) for each in result.left_out],
        "lost": [(each.reason, passage(each.passage)) for each in result.lost],
        **{n: getattr(result, n) for n in ("scorer", "fallback", "why", "diagnostics", "places")},
    }


@pytest.mark.parametrize("name", KINDS)
def test_records_survive_a_round_trip(name: str) -> None:
    result = results()[name]
    back = Result.from_json(result.to_json(explain=True))
    assert seen(back) == seen(result)
    assert back.to_json(explain=True) == result.to_json(explain=True)
    assert back == Result.from_json(result.to_json(explain=True).encode())
    sent = pickle.loads(pickle.dumps(back))  # noqa: S301 - ours
    assert (sent, sent.to_json(explain=True)) == (back, back.to_json(explain=True))


@pytest.mark.parametrize("name", KINDS)
def test_without_explanations_all_else_is_read_back(name: str) -> None:
    written = results()[name].to_json()
    assert "explanation" not in written
    back = Result.from_json(written)
    assert back.to_json() == written
    for passage in back.passages:
        with pytest.raises(RecordError, match="explain=True"):
            _ = passage.explanation


def test_the_results_under_test_are_of_all_kinds() -> None:
    assert [*results()] == KINDS
    assert {result.fallback for result in results().values()} == {
        *(None, "no_match", "stop_words", "low_score")
    }
    assert {name for name, result in results().items() if not result.passages} == {
        *("fallback", "stop words", "low", "nothing fits", "no words")
    }
    passages = [passage for result in results().values() for passage in result.passages]
    assert {p.block.kind for p in passages} >= {"prose", "list", "table", "code"}
    assert any(passage.text != passage.sentence.text for passage in passages)
    assert any(passage.quotation.goes_on for passage in passages)
    assert any(result.left_out for result in results().values())
    assert any(result.diagnostics for result in results().values())
    assert any(result.lost for result in results().values())


def test_sentences_of_a_restored_page_stay_separate() -> None:
    result = SMALL.recall("session expire", source="auth.md", max_sentences=9)
    back = Result.from_json(result.to_json())
    document = back.passages[0].document
    assert all(passage.document is document for passage in back.passages)
    quoted = [s for p in back.in_document_order() for s in p.quotation.sentences]
    assert quoted == sorted(quoted, key=lambda sentence: (sentence.block, sentence.start))
    shown = plain_text(document, Quotation(tuple(quoted)))
    assert all(passage.text in shown for passage in back.passages)
    assert shown.count("…") >= len(back.passages) - 1


def test_a_record_has_the_fields_of_its_type_and_no_others() -> None:
    for result in results().values():
        record = json.loads(result.to_json(explain=True))
        assert list(record) == list(ResultRecord.__annotations__)
        assert record["schema"] == 1
        for passage in record["passages"]:
            names = set(PassageRecord.__annotations__)
            assert set(passage) == names - {"publisher"}  # only of other sites


def test_a_record_may_leave_out_what_was_lost() -> None:
    record = result_record(results()["recall"], explain=False, lost=False)
    assert record["lost"] == []
    assert Result.from_json(as_json(record)).lost == ()


def test_json_is_one_line_that_a_person_can_read() -> None:
    written = SMALL.recall("session 日本", units="code").to_json()
    assert "\n" not in written
    assert "é日本" in written


def test_a_file_whose_name_is_not_text_goes_through_json() -> None:
    record = json.loads(results()["recall"].to_json())
    record["passages"][0]["file"] = "/docs/\udcff.md"
    written = as_json(record)
    written.encode("utf-8")
    assert Result.from_json(written).passages[0].file == "/docs/\udcff.md"


def test_a_page_is_told_without_its_text() -> None:
    record = page_record(SMALL.documents[0])
    assert record == {
        "uri": "auth.md",
        "title": "Auth",
        "description": "",
        "language": "en",
        "url": "",
        "file": "",
        "created": "2024-05-01",
    }


def changed(**fields: object) -> str:
    """Return a result as JSON with a field of its first passage changed."""
    record = json.loads(SMALL.recall("session", max_sentences=1).to_json(explain=True))
    for name, value in fields.items():
        if value is None:
            del record["passages"][0][name]
        else:
            record["passages"][0][name] = value
    return json.dumps(record)


def refused(text: str | bytes, message: str) -> None:
    with pytest.raises(RecordError, match=message) as caught:
        Result.from_json(text)
    assert isinstance(caught.value, RecallError)
    assert len(str(caught.value)) < 300


@tabled
def test_json_other_than_a_result_is_reported(text: str, message: str) -> None:
    refused(text, message)


@tabled
def test_a_field_that_is_wrong_is_reported(fields: dict[str, object], message: str) -> None:
    refused(changed(**fields), message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 100_000, "this is not JSON: "),
        (b"\xff\xff\xff", "this is not JSON: "),
        (f'{{"schema": {"9" * 4000}}}', "this is not JSON: 99999999999999999999 is not a number"),
        (changed(score="-1e999").replace('"-1e999"', "-1e999"), "-1e999 is not a number"),
        (changed(score=10**400), "this is not JSON: 10000000000000000000 is not a number"),
    ],
)
def test_json_without_end_or_too_large_is_reported(text: str | bytes, message: str) -> None:
    refused(text, message)


def test_a_place_is_wanted_for_each_passage() -> None:
    record = json.loads(results()["recall"].to_json())
    record["places"].pop()
    count = len(record["passages"])
    with pytest.raises(RecordError, match=f"{count - 1} places for {count} passages"):
        Result.from_json(json.dumps(record))


def test_an_explanation_that_is_nested_too_deep_is_reported() -> None:
    deep: dict[str, Any] = {"value": 1, "description": "", "parts": []}
    text = changed(explanation=deep)
    inner = '{"value": 1, "description": "", "parts": ['
    text = text.replace('"parts": []', f'"parts": [{inner * 5000}{"]}" * 5000}]')
    with pytest.raises(RecordError, match=r"nested too deep|this is not JSON"):
        Result.from_json(text)


def test_fields_of_later_versions_are_ignored() -> None:
    record = json.loads(changed(mood="sunny"))
    record["query"] = "what was asked"
    record["passages"][0]["headings"][0]["icon"] = "moon"
    assert Result.from_json(json.dumps(record)).passages[0].text


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)


@given(st.data())
def test_json_of_any_shape_is_a_result_or_a_reported_fault(data: st.DataObject) -> None:
    record = copy.deepcopy(json.loads(results()["a budget"].to_json(explain=True)))
    at = record
    while True:
        name = data.draw(st.sampled_from(sorted(at) if isinstance(at, dict) else range(len(at))))
        inner = at[name]
        if not inner or not isinstance(inner, (dict, list)) or data.draw(st.booleans()):
            at[name] = data.draw(JSON)
            break
        at = inner
    text = json.dumps(record)
    try:
        result = Result.from_json(text)
    except RecordError:
        return
    assert Result.from_json(result.to_json(explain=True)) == result


def test_the_passages_of_a_whole_section_have_their_places() -> None:
    corpus = Corpus.from_markdown({"a.md": "# A\n\n## B\n\nIt is hot. Open it.\n\nWait."})
    result = corpus.answer(read_options("recall", "source: a.md#b", defaults={}))
    assert (result.places, len(result.in_document_order())) == ((0, 1, 2), 3)
