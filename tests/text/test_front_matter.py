"""The fields of a page's front matter, and their faults."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from hypothesis import given, strategies as st
from mkdocs.utils.meta import get_data
from tables import Case, beside, tabled

from mkdocs_recall.pages.reader import MarkdownReader
from mkdocs_recall.text.front_matter import (
    NO_METADATA,
    PageMetadata,
    exclusion,
    expiry_date,
    front_matter_faults,
    may_have_front_matter_faults,
    page_metadata,
    parse_moment,
    split_front_matter,
)

CASES: dict[str, Any] = beside(__file__)
FORM = "must be a date such as 2026-02-10 or 2026-02-10T12:00:00Z, not"


def page(*lines: str) -> str:
    return "\n".join(["---", *lines, "---", "", "# A", ""])


def found(*lines: str) -> list[tuple[int, str]]:
    """Return the faults of a page with these lines of front matter."""
    text = page(*lines)
    source = split_front_matter(text)
    assert may_have_front_matter_faults(source.meta, source.body) or not front_matter_faults(
        source.meta, text
    )
    return front_matter_faults(source.meta, text)


@pytest.mark.parametrize(("written", "when"), CASES["dates"].items(), ids=CASES["dates"])
def test_a_date_says_the_same_however_it_is_written(written: str, when: datetime) -> None:
    meta = split_front_matter(page(f"t_valid: {written}", f"t_expired: {written}")).meta
    assert parse_moment(page_metadata(meta).valid) == parse_moment(expiry_date(meta)) == when
    assert not found(f"t_valid: {written}")


def test_a_date_is_the_same_text_whether_yaml_reads_it_or_not() -> None:
    for written in ("2026-02-10T12:00:00Z", "2026-02-10T12:00:00.5+01:00", "2026-02-10"):
        quoted, bare = (
            page_metadata(
                split_front_matter(page(f"t_created: {mark}{written}{mark}")).meta
            ).created
            for mark in ("'", "")
        )
        assert quoted == bare


@pytest.mark.parametrize("written", CASES["no_dates"])
def test_invalid_dates_are_reported_with_their_line_and_ignored(written: str) -> None:
    meta = split_front_matter(page("title: A", f"t_created: {written}")).meta
    assert page_metadata(meta) == NO_METADATA
    ((line, message),) = found("title: A", f"t_created: {written}")
    assert line == 3
    assert message.startswith(f"'t_created' {FORM} ")


@given(st.text(max_size=30) | st.from_regex(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[Z+-]?\d{0,4}"))
def test_any_text_is_a_date_or_is_none(text: str) -> None:
    read = page_metadata({"t_created": text}).created
    assert not read or parse_moment(read).isoformat()
    assert bool(read) != bool(front_matter_faults({"t_created": text}, "")) or not text


def test_front_matter_states_validity_stability_and_quality() -> None:
    text = page(
        *("description: |", "  About", "  it.", "t_created: 2026-01-05", "t_valid: 2026-02-10"),
        *("temporal_stability: dynamic", "recall_quality: 80"),
    )
    source = split_front_matter(text)
    about = PageMetadata("About it.", "2026-01-05", "2026-02-10", "dynamic", 80.0)
    assert page_metadata(source.meta) == about
    document = MarkdownReader().read(source, uri="a.md", language="en")
    assert about == tuple(getattr(document, name) for name in PageMetadata._fields)


def test_a_draft_has_quality_zero_unless_it_states_another() -> None:
    assert page_metadata({"draft": True}).quality == 0
    assert page_metadata({"draft": False}).quality is None
    assert page_metadata({"draft": True, "recall_quality": 75}).quality == 75


@pytest.mark.parametrize("line", CASES["no_faults"])
def test_unstated_and_valid_fields_are_not_faults(line: str) -> None:
    assert not found(line)


@pytest.mark.parametrize(("written", "shown"), CASES["no_stabilities"].items())
def test_an_invalid_stability_is_reported_with_its_line(written: str, shown: str) -> None:
    known = "(static, unknown, dynamic, ephemeral)"
    assert found("title: A", f"temporal_stability: {written}") == [
        (3, f"unknown temporal_stability {shown} {known}")
    ]


@tabled
def test_an_invalid_quality_is_reported_with_its_line(written: str, shown: str) -> None:
    assert found("title: A", f"recall_quality: {written}") == [
        (3, f"'recall_quality' must be a number from 0 to 100, not {shown}")
    ]


@tabled
def test_a_page_is_excluded_by_any_attempt_with_its_reason(stated: object, reason: str) -> None:
    assert reason in exclusion({"recall": stated})


def test_a_value_without_end_is_reported_at_once() -> None:
    bomb = [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30)]
    message = f"'t_valid' {FORM} a list"
    assert found("a0: &a0 ha", *bomb, "t_valid: *a29") == [(32, message)]


def test_all_faults_are_reported_in_the_order_of_their_lines() -> None:
    text = "\ufeff" + page("t_valid: soon", "a: {b: [", "c]}", "t_created: late").replace(
        "\n", "\r\n"
    )
    assert [line for line, _ in front_matter_faults(split_front_matter(text).meta, text)] == [2, 5]
    reordered = {"t_created": "late", "t_valid": "soon"}
    assert [line for line, _ in front_matter_faults(reordered, text)] == [2, 5]


@tabled
def test_an_impossible_date_is_reported(case: Case) -> None:
    message = f"'{case['day']}' is not a date, so the front matter is ignored"
    assert found(*case["lines"]) == [(case["line"], message)]


def test_a_quoted_date_does_not_prevent_front_matter_from_being_read() -> None:
    assert [line for line, _ in found("t_valid: '2024-02-30'", "date: 2024-02-30")] == [3]


@pytest.mark.parametrize(
    "lines", [["date: 2024-02-30"], ["t_valid: ["], ["t_valid: '2024-02-30"], ["t_valid"]]
)
def test_foreign_or_invalid_front_matter_is_left_to_others(lines: list[str]) -> None:
    assert found(*lines) == []


def test_a_fault_that_comes_from_elsewhere_has_no_line() -> None:
    assert front_matter_faults({"t_valid": "soon"}, page("title: A")) == [
        (0, f"'t_valid' {FORM} 'soon'")
    ]
    assert front_matter_faults({"t_valid": "soon"}, "# A") == [(0, f"'t_valid' {FORM} 'soon'")]
    assert front_matter_faults({"t_valid": "soon"}, page("a: [")) == [
        (0, f"'t_valid' {FORM} 'soon'")
    ]


@pytest.mark.parametrize("markdown", ["# A", "Text.\n---\n"])
def test_front_matter_without_our_fields_is_not_checked(markdown: str) -> None:
    assert not may_have_front_matter_faults({"title": "A"}, markdown)
    assert not may_have_front_matter_faults({}, markdown)


@pytest.mark.parametrize(
    "value", ["[a, b]", "{a: b}", f"0x{'f' * 6000}", "\n  - &a [x, x]\n  - [*a, *a]"]
)
def test_an_invalid_title_is_empty(value: str) -> None:
    source = split_front_matter(f"---\ntitle: {value}\n---\n# Sessions\n")
    assert "title" in source.meta
    assert MarkdownReader().read(source, uri="a.md", language="en").title == "Sessions"


@pytest.mark.parametrize(("value", "title"), [("2026-02-11", "2026-02-11"), ("7", "7"), ("a", "a")])
def test_a_title_may_be_a_date_or_a_number(value: str, title: str) -> None:
    source = split_front_matter(f"---\ntitle: {value}\n---\n# Sessions\n")
    assert MarkdownReader().read(source, uri="a.md", language="en").title == title


def test_front_matter_is_read_by_the_reader_that_mkdocs_takes() -> None:
    meta_of = split_front_matter("---\nrecall: \t{exclude: true}\n---\nA token.").meta
    _, known = get_data("---\nrecall: \t{exclude: true}\n---\nA token.")
    assert meta_of == known


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["[\n", "{\n", "- ", "? ", "{a: "])
def test_front_matter_that_is_nested_without_end_is_none(unit: str) -> None:
    text = f"---\na:\n  {unit * 2_000}\n---\nA token."
    assert split_front_matter(text).body == text


@pytest.mark.parametrize(
    "merges",
    [
        "\n".join(f"b{number}:\n  <<: *base" for number in range(400)),
        f"b: {{<<: [{', '.join(['*base'] * 400)}]}}",
        "\n".join(
            f"b{n}: &b{n} {{<<: [*{f'b{n - 1}' if n else 'base'}] , x{n}: 1}}" for n in range(400)
        ),
    ],
    ids=["into many", "many times", "in a chain"],
)
def test_front_matter_that_merges_thousands_of_keys_is_refused(merges: str) -> None:
    base = ", ".join(f"k{number}: 1" for number in range(50))
    text = f"---\nbase: &base {{{base}}}\n{merges}\n---\nText.\n"
    source = split_front_matter(text)
    assert (source.body, source.meta) == (text, {})
    assert source.fault.endswith("('<<' merges more than 10,000 keys)")


def test_a_mapping_may_be_merged_into_others() -> None:
    text = "---\nbase: &b {title: Larch, lang: de}\n<<: *b\nlang: en\n---\nText.\n"
    assert split_front_matter(text).meta == {
        "base": {"title": "Larch", "lang": "de"},
        "title": "Larch",
        "lang": "en",
    }


def test_a_long_number_of_base_60_is_text() -> None:
    number = ":".join(["10"] * 100)
    text = f"---\nlong: {number}\nwith_part: {number}.5\ntime: 1:30\n---\n"
    assert split_front_matter(text).meta == {"long": number, "with_part": f"{number}.5", "time": 90}
