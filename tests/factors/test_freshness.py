"""Recency: fresh pages count more, old ones less, but never nothing."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st
from tables import tabled

from mkdocs_recall import Document, Temporal
from mkdocs_recall.factors.history import FLOOR, boost, freshness, stability
from mkdocs_recall.text.front_matter import STABILITIES, Stability

NOW = datetime(2026, 2, 10, 12, tzinfo=timezone.utc)
SETTINGS = Temporal()
PAGE = Document("a.md", "A", "en", ())

_AGES = st.lists(st.floats(0, 5_000), max_size=8)
_STABILITIES = st.sampled_from(["", *STABILITIES])
_ZONES = st.integers(-23, 23).map(lambda hours: timezone(timedelta(hours=hours)))
_DATES = st.datetimes(timezones=_ZONES)


def ago(days: float) -> datetime:
    return NOW - timedelta(days=days)


def dated(**fields: Any) -> Document:
    return replace(PAGE, **fields)


@tabled
def test_a_page_counts_more_for_its_changes(ages: list[float], value: float) -> None:
    assert boost(ages, SETTINGS) == pytest.approx(value, abs=5e-10)
    multipliers = freshness(PAGE, [ago(age) for age in ages], NOW, SETTINGS)
    assert multipliers.multiplier == pytest.approx(value, abs=5e-10)


@tabled
def test_a_page_ages_as_its_author_says(kind: Stability, age: float | None, value: float) -> None:
    assert stability(kind, age) == pytest.approx(value, abs=5e-10)


@pytest.mark.parametrize(
    ("hours", "is_burst"), [(23.5, True), (24.0, True), (24 + 1 / 3600, False)]
)
@given(start=st.integers(0, 100_000_000))
def test_the_cooldown_ends_to_the_second(hours: float, start: int, *, is_burst: bool) -> None:
    newer = NOW - timedelta(seconds=start)
    older = newer - timedelta(hours=hours)
    ages = [(NOW - event).total_seconds() / 86_400 for event in (newer, older)]
    undiscounted = replace(SETTINGS, burst_discount=1.0)
    assert (boost(ages, SETTINGS) < boost(ages, undiscounted)) is (
        is_burst and boost(ages, undiscounted) > boost(ages[:1], undiscounted)
    )


@given(_AGES, _STABILITIES)
def test_changes_never_make_a_page_count_less(ages: list[float], kind: Stability) -> None:
    page = dated(stability=kind, valid="2026-01-01")
    alone = freshness(page, [], NOW, SETTINGS).multiplier
    assert FLOOR <= alone <= 1
    assert freshness(page, [ago(age) for age in ages], NOW, SETTINGS).multiplier >= alone


@given(_AGES, _STABILITIES, st.floats(0, 1_000))
def test_a_page_counts_less_with_time(ages: list[float], kind: Stability, days: float) -> None:
    page = dated(stability=kind)
    events = [ago(age) for age in ages]
    now = freshness(page, events, NOW, SETTINGS).multiplier
    later = freshness(page, events, NOW + timedelta(days=days), SETTINGS).multiplier
    assert later <= now * (1 + 1e-12)


@given(_AGES, _AGES)
def test_the_older_of_two_changes_counts_less(ages: list[float], more: list[float]) -> None:
    for young, old in zip(sorted(ages), sorted(more), strict=False):
        assert boost([max(young, old)], SETTINGS) <= boost([min(young, old)], SETTINGS)


@given(st.lists(_DATES, max_size=5).flatmap(lambda d: st.tuples(st.just(d), st.permutations(d))))
def test_no_order_of_changes_matters(events: tuple[list[datetime], list[datetime]]) -> None:
    one, other = events
    page = dated(stability="dynamic", created="2026-01-05")
    for whole in (True, False):
        assert freshness(page, one, NOW, SETTINGS, whole=whole) == freshness(
            page, other, NOW, SETTINGS, whole=whole
        )


def test_simultaneous_changes_in_different_zones_have_a_fixed_order() -> None:
    here = datetime(2026, 2, 9, 23, 30, tzinfo=timezone.utc)
    there = here.astimezone(timezone(timedelta(hours=1)))
    scores = {freshness(PAGE, events, NOW, SETTINGS) for events in ([here, there], [there, here])}
    assert len(scores) == 1


@given(st.lists(st.floats(-1_000, 0), min_size=1, max_size=5), _STABILITIES)
def test_future_changes_count_as_now(ages: list[float], kind: Stability) -> None:
    page = dated(stability=kind)
    multipliers = freshness(page, [ago(age) for age in ages], NOW, SETTINGS)
    assert multipliers.multiplier == freshness(page, [NOW] * len(ages), NOW, SETTINGS).multiplier
    assert freshness(dated(stability=kind, valid="2099-01-01"), [], NOW, SETTINGS).multiplier == 1


def test_a_stated_creation_stands_in_for_the_commit_that_added_the_page() -> None:
    page = dated(created="2026-01-11T12:00:00+00:00")
    multipliers = freshness(page, [ago(1), ago(5)], NOW, SETTINGS)
    assert multipliers.multiplier == boost([1, 30], SETTINGS)
    multipliers = freshness(page, [ago(5), ago(1)], NOW, SETTINGS, whole=False)
    assert multipliers.multiplier == boost([1, 5, 30], SETTINGS)
    assert freshness(page, [], NOW, SETTINGS).multiplier == boost([30], SETTINGS)


def test_a_page_ages_from_its_validity_or_last_change() -> None:
    held = dated(stability="ephemeral", valid="2026-02-03T12:00:00+00:00")
    changed = dated(stability="ephemeral")
    assert freshness(held, [ago(1)], NOW, SETTINGS).multiplier == pytest.approx(
        boost([1], SETTINGS) * 0.367879441
    )
    assert freshness(changed, [ago(7), ago(20)], NOW, SETTINGS).multiplier == pytest.approx(
        boost([7, 20], SETTINGS) * 0.367879441
    )


@tabled
def test_it_explains_itself_with_dates_that_are_the_same_tomorrow(
    fields: dict[str, Any], ages: list[float], description: str
) -> None:
    events = [ago(age) for age in ages]
    assert freshness(dated(**fields), events, NOW, SETTINGS).description == description


def test_the_settings_count() -> None:
    assert boost([0], replace(SETTINGS, k=0.0)) == 1
    assert boost([21], replace(SETTINGS, tau_days=7.0)) < boost([21], SETTINGS)
    assert boost([1, 2], replace(SETTINGS, cooldown_hours=1.0)) > boost([1, 2], SETTINGS)


def test_the_examples_for_authors_are_what_the_formula_makes() -> None:
    file = Path(__file__).parents[2] / "demo_site" / "time.md"
    page = " ".join(file.read_text("utf-8").split())
    today, two_weeks, none = (boost(ages, SETTINGS) for ages in ([0.0], [1.0, 7.0, 14.0], []))
    assert (
        f"a commit of today gives {today:.2f}, three of the last two weeks {two_weeks:.1f}, "
        f"and none {none:.0f}." in page
    )
    assert "`dynamic` loses about two thirds in 90 days, `ephemeral` in 7." in page
    assert (
        stability("dynamic", 90.0) == stability("ephemeral", 7.0) == pytest.approx(0.37, abs=0.01)
    )
