"""`semantic` and `temporal`: on, off or settings, in a fence, in mkdocs.yml and from Python."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from datetime import datetime
from typing import Any

import pytest
import yaml
from tables import Case, beside, tabled

from mkdocs_recall import OptionError, Query, Semantic, Temporal
from mkdocs_recall.directives.catalog import PARSERS, as_semantic, as_temporal
from mkdocs_recall.directives.options import read_options, site_defaults
from mkdocs_recall.hosts.config import RecallConfig
from mkdocs_recall.options import Options, RecallOptions

SEMANTIC: Mapping[str, object] = beside(__file__)["SEMANTIC"]
TEMPORAL: Mapping[str, object] = beside(__file__)["TEMPORAL"]


def read(line: str, site: str = "", *, embedm: bool = False) -> RecallOptions:
    """Read a recall of a site whose mkdocs.yml holds some options."""
    body = f"query: x\n{line}"
    options = read_options("recall", body, defaults=defaults(site), embedm=embedm)
    assert isinstance(options, RecallOptions)
    return options


def read_synopsis(line: str, site: str = "") -> Options:
    """Read a synopsis of a site whose mkdocs.yml holds some options."""
    return read_options("synopsis", line, defaults=defaults(site))


def defaults(site: str) -> dict[str, Any]:
    """Return a site's options as a build reads them."""
    config = RecallConfig()
    config.load_dict(yaml.safe_load(site) or {})
    errors, _ = config.validate()
    assert errors == []
    read = config.defaults()
    assert site_defaults(yaml.safe_load(site) or {}) == read  # as the command line reads them
    return read


def test_semantic_and_temporal_are_off_by_default() -> None:
    assert (read("").semantic, read("").temporal) == (None, None)
    assert RecallOptions(query=(Query("x"),)).semantic is None
    assert Options().temporal is None


@pytest.mark.parametrize("line", ["semantic: true", "semantic: {}", "semantic: {enabled: true}"])
def test_a_switch_that_is_on_has_the_defaults(line: str) -> None:
    assert read(line).semantic == Semantic()
    assert read(line.replace("semantic", "temporal")).temporal == Temporal()


@pytest.mark.parametrize(
    "line", ["semantic: false", "semantic: {enabled: false}", "semantic: {enabled: no, limit: 2}"]
)
@pytest.mark.parametrize("site", ["", "semantic: true", "semantic: {enabled: true, limit: 3}"])
def test_a_fence_turns_it_off_whatever_the_site_says(line: str, site: str) -> None:
    assert read(line, site).semantic is None


def test_every_setting_can_be_stated() -> None:
    assert SEMANTIC.keys() == {field.name for field in fields(Semantic)}
    assert TEMPORAL.keys() == {field.name for field in fields(Temporal)}
    assert all(SEMANTIC[f.name] != getattr(Semantic(), f.name) for f in fields(Semantic))
    assert all(TEMPORAL[f.name] != getattr(Temporal(), f.name) for f in fields(Temporal))
    semantic = read(f"semantic: {dict(SEMANTIC)}").semantic
    temporal = read(f"temporal: {dict(TEMPORAL)}").temporal
    assert semantic == Semantic(**SEMANTIC)  # type: ignore[arg-type]  # those of its fields
    assert temporal == Temporal(**TEMPORAL)  # type: ignore[arg-type]


@tabled
@pytest.mark.parametrize("embedm", [False, True])
def test_a_fence_is_laid_over_the_site_s_settings(case: Case, *, embedm: bool) -> None:
    expected = None if case["expected"] is None else Semantic(**case["expected"])
    assert read(case["line"], case["site"], embedm=embedm).semantic == expected


@tabled
def test_a_fence_names_no_folder_elsewhere_unless_the_site_does(folder: str) -> None:
    model = f"static:{folder}"
    with pytest.raises(OptionError, match="below the folder of mkdocs"):
        read(f"semantic: {{model: '{model}'}}", "semantic: {model: 'static:models/a'}")
    assert read(f"semantic: {{model: '{model}'}}", f"semantic: {{model: '{model}'}}").semantic
    assert read("semantic: true", f"semantic: {{model: '{model}'}}").semantic


def test_a_fence_names_a_folder_of_the_site() -> None:
    for folder in ("models/b", "a..b", "models/..b/c", "..."):
        found = read(f"semantic: {{model: 'static:{folder}'}}").semantic
        assert found == Semantic(model=f"static:{folder}")


def test_time_is_laid_over_in_both_directives() -> None:
    site = "temporal: {tau_days: 7, now: 2026-02-11}"
    expected = Temporal(tau_days=7.0, k=1.0, now="2026-02-11")
    assert as_temporal({"k": 1}) == as_temporal(Temporal(k=1)) == Temporal(k=1)
    for k in ("1", "1.0"):
        assert repr(read(f"temporal: {{k: {k}}}", site).temporal) == repr(expected)
        assert repr(read_synopsis(f"temporal: {{k: {k}}}", site).temporal) == repr(expected)
    assert read("", site).temporal is read_synopsis("", site).temporal is None


def test_meaning_is_nothing_to_a_synopsis_whatever_the_site_says() -> None:
    site = "semantic: {enabled: true, limit: 2}"
    assert read_synopsis("", site) == read_synopsis("")


def test_one_fence_does_not_change_what_the_next_one_finds() -> None:
    site = defaults("semantic: {model: static:a}")
    read_options("recall", "query: x\nsemantic: {limit: 3, enabled: false}", defaults=site)
    assert site == {"semantic": {"model": "static:a"}}


def test_the_other_options_of_the_site_yield_to_the_fence() -> None:
    site = "enrich: always\ntrivial_query: skip\nacknowledgments: [a, b]\ninclude_expired: true"
    options = read("", site)
    assert (options.enrich, options.trivial_query) == ("always", "skip")
    assert (options.acknowledgments, options.include_expired) == (("a", "b"), True)
    options = read(
        "enrich: off\ntrivial_query: allow\nacknowledgments: []\ninclude_expired: false", site
    )
    assert (options.enrich, options.trivial_query) == (False, "allow")
    assert (options.acknowledgments, options.include_expired) == ((), False)


@tabled
def test_a_fault_in_the_site_s_options_is_reported_as_in_a_fence(site: str) -> None:
    config = RecallConfig()
    config.load_dict(yaml.safe_load(site))
    errors, _ = config.validate()
    with pytest.raises(OptionError) as caught:
        read(site)
    assert [str(error) for _, error in errors] == [str(caught.value)]


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        *((off, None) for off in (None, False, {"enabled": False}, {"limit": 2, "enabled": False})),
        *((on, Semantic()) for on in (True, {}, {"enabled": True}, Semantic())),
        *((some, Semantic(limit=2)) for some in ({"limit": 2}, Semantic(limit=2))),
    ],
)
def test_a_caller_states_what_a_fence_may(stated: object, expected: Semantic | None) -> None:
    assert as_semantic(stated) == expected


@pytest.mark.parametrize(
    "wrong",
    [
        *("blend", 1, [], [("limit", 2)], {"limit": True}, {"limits": 2}, {1: 2}, Temporal()),
        *(
            {"model": " "},
            {"model": None},
            {"model": "x" * 1001},
            {"enabled": "yes"},
            {"enabled": None},
        ),
        *({"min_lexical_score": -0.1}, {"min_relevance_score": 101}, {"min_similarity": -1.5}),
        *({"min_lexical_score": float("nan")}, {"min_lexical_score": 10**400}, {"mode": True}),
    ],
)
def test_a_caller_s_fault_is_an_option_error(wrong: object) -> None:
    with pytest.raises(OptionError, match="semantic"):
        as_semantic(wrong)


def test_a_missing_model_is_reported_before_any_query() -> None:
    for wrong in ("statc:models", "static", "transformers", "minilm:a", "models/a", "transfomers"):
        with pytest.raises(OptionError, match="'model'") as caught:
            as_semantic({"model": wrong})
        assert len(str(caught.value)) < 200
    assert as_semantic({"model": " transformers:a/b "}) == Semantic(model="transformers:a/b")
    assert as_semantic({"model": "minilm"}) == Semantic()


def test_settings_made_in_python_are_checked_too() -> None:
    with pytest.raises(OptionError, match=r"'semantic.limit' must be 1 or more, got 0"):
        as_semantic(Semantic(limit=0))
    with pytest.raises(OptionError, match=r"'temporal.burst_discount' must be a number"):
        as_temporal(Temporal(burst_discount=2))


@tabled
def test_now_is_kept_as_the_text_of_a_date(case: Case) -> None:
    text = case["text"]
    assert PARSERS["temporal"]({"now": case["now"]}) == {"now": text}
    assert text == "" or datetime.fromisoformat(text)


@tabled
def test_an_invalid_now_is_reported(now: object) -> None:
    with pytest.raises(OptionError, match=r"'temporal\.now' must be a date such as 2026-02-11"):
        PARSERS["temporal"]({"now": now})


def test_only_what_is_stated_is_among_the_settings() -> None:
    assert PARSERS["semantic"]({"limit": 2}) == {"limit": 2}
    assert (PARSERS["semantic"](True), PARSERS["semantic"](False)) == (  # noqa: FBT003 - as YAML has it
        {"enabled": True},
        {"enabled": False},
    )
