"""A directive's YAML becomes options, or an error that its author can act on."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields
from typing import Any

import pytest
import yaml
from hypothesis import example, given, strategies as st
from tables import Case, tabled

from mkdocs_recall import OptionError, Query, RecallError
from mkdocs_recall.directives.catalog import OPTIONS, as_queries
from mkdocs_recall.directives.options import read_options, site_defaults
from mkdocs_recall.options import DEFAULT_UNITS, UNITS, Options, RecallOptions


def fault(body: str, name: str = "recall") -> RecallError:
    with pytest.raises(RecallError) as caught:
        read_options(name, body)
    return caught.value


def read_recall(body: str, **reading: Any) -> RecallOptions:
    options = read_options("recall", body, **reading)
    assert isinstance(options, RecallOptions)
    return options


def test_a_recall_needs_no_more_than_a_query() -> None:
    assert read_options("recall", "query: what is it?") == RecallOptions(
        source=(),
        query=(Query("what is it?"),),
        max_sentences=None,
        sections=0,
        language=None,
        scorer="structure",
        algorithm="edmundson",
        diversity=None,
        on_empty="warn",
        cite="auto",
        format="blockquote",
    )


@pytest.mark.parametrize("body", ["", "\n\n", "# nothing yet", "{}"])
def test_a_synopsis_needs_no_options(body: str) -> None:
    assert read_options("synopsis", body) == Options()


@tabled
@pytest.mark.parametrize("name", ["recall", "synopsis"])
def test_an_option_of_both_is_read(name: str, case: Case) -> None:
    line, value = case["line"], case["value"]
    options = read_options(name, f"query: x\n{line}" if name == "recall" else line)
    read = getattr(options, line.split(":", maxsplit=1)[0])
    expected = tuple(value) if isinstance(value, list) else value
    assert (read, type(read)) == (expected, type(expected))


@tabled
def test_a_query_may_be_a_text_or_a_list(case: Case) -> None:
    expected = tuple(Query(**query) for query in case["queries"])
    assert read_recall(case["line"]).query == expected


def test_a_recall_and_a_synopsis_each_have_options_of_their_own() -> None:
    assert read_recall("query: x\nscorer: bm25\non_empty: omit").scorer == "bm25"
    assert read_options("synopsis", "algorithm: luhn").algorithm == "luhn"


HUGE = 10**5000
"""A number that Python can compute with, and not write out; `mkdocs.yml` may hold it in hexadecimal
digits."""


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("max_sentences", HUGE, "'max_sentences' must be a billion at most"),
        ("max_sentences", -HUGE, "'max_sentences' must be 1 or more, got a number"),
        ("diversity", HUGE, "'diversity' must be a number from 0 to 1, not a number"),
        ("cite", HUGE, "'cite' must be true, false or auto, not a number"),
        ("acknowledgments", [HUGE], "'acknowledgments' must be text, not a number"),
        ("temporal", {"now": HUGE}, "'temporal.now' must be a date such as 2026-02-11, not a"),
        ("temporal", {HUGE: 1}, "'temporal' has no setting 'a number"),
    ],
    ids=lambda value: type(value).__name__,  # pytest would write it out
)
def test_a_number_of_many_digits_is_not_repeated(name: str, value: object, message: str) -> None:
    with pytest.raises(OptionError, match=f"^{message}"):
        site_defaults({name: value})


@pytest.mark.parametrize(
    "query",
    [HUGE, [HUGE], {"text": "x", "weight": -HUGE}, {"text": "x", HUGE: 1}],
    ids=["number", "list", "weight", "key"],
)
def test_no_query_is_a_number_with_thousands_of_digits(query: object) -> None:
    with pytest.raises(OptionError, match=r"'query'|'weight'"):
        as_queries(query)


@pytest.mark.parametrize("sign", ["\\ud800", "\\udfff", "\\0", "\\e", "\\x7f", "\\b"])
@pytest.mark.parametrize("padding", ["", "\n#" + "-" * 1000], ids=["short", "long"])
@pytest.mark.parametrize("body", ['query: "a {}"', 'query: x\nsource: "{}"', 'query: x\n"{}": 1'])
def test_impossible_pages_are_refused(body: str, sign: str, padding: str) -> None:
    error = fault(body.format(sign) + padding)
    assert isinstance(error, OptionError)
    assert error.line == body.count("\n") + 1
    assert str(error).isprintable()


def test_the_table_has_every_field_and_defaults_that_hold() -> None:
    # what the fence is called, and what it states, say the first two; the last is for Python
    unstated = {"embedm", "restated", "token_counter"}
    of_a_recall = {f.name for f in fields(RecallOptions)} - unstated
    assert OPTIONS.keys() == of_a_recall
    for name, options in (("recall", RecallOptions), ("synopsis", Options)):
        names = {option.name for option in OPTIONS.values() if name in option.directives}
        assert names <= {f.name for f in fields(options)}
    of_both = {f.name for f in fields(Options)} - unstated
    assert of_both == {o.name for o in OPTIONS.values() if "synopsis" in o.directives}
    for option in OPTIONS.values():
        stated = option.default.strip("`")
        value = getattr(RecallOptions(query=(Query("x"),)), option.name)
        assert (
            stated in {str(value), str(value).lower(), "this page"}
            or stated.startswith(("required, ", f"{value}`, or "))
            or value is None
            or (value, stated) in {((), "none"), (DEFAULT_UNITS, "all but `code")}
        ), option.name
    assert set(UNITS) - set(DEFAULT_UNITS) == {"code"}


def test_options_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        read_options("synopsis", "").max_sentences = 5  # type: ignore[misc]  # it is frozen


def test_a_default_of_the_site_yields_to_the_fence() -> None:
    defaults = {"max_sentences": 1, "cite": False, "language": None}
    options = read_options("synopsis", "max_sentences: 5", defaults=defaults)
    assert (options.max_sentences, options.cite, options.language) == (5, False, None)


def test_a_default_may_be_of_the_other_directive() -> None:
    defaults = {"algorithm": "lead", "on_empty": "omit"}
    assert read_options("recall", "query: x", defaults=defaults).algorithm == "lead"
    assert read_options("synopsis", "", defaults=defaults).algorithm == "lead"


def test_an_embedm_fence_has_the_scorers_of_embedm_unless_it_names_others() -> None:
    body = "type: recall\nquery: x\nmax_sentences: '2'\nsections: '1'"
    options = read_recall(body, defaults={"scorer": "bm25"}, embedm=True)
    assert (options.scorer, options.algorithm) == ("overlap", "frequency")
    assert (options.max_sentences, options.sections) == (2, 1)
    assert options.units == ("prose", "list", "definition", "admonition")
    named = read_recall(f"{body}\nscorer: coverage", embedm=True)
    assert named.scorer == "coverage"
    synopsis = read_options("synopsis", "type: synopsis\nalgorithm: luhn", embedm=True)
    assert synopsis.algorithm == "luhn"


@tabled
def test_a_fault_says_what_is_wrong(behaviour: str, name: str, body: str, message: str) -> None:
    error = fault(body, name)
    assert isinstance(error, OptionError), behaviour
    assert str(error) == message, behaviour


@tabled
def test_a_fault_of_the_yaml_knows_its_line_below_the_fence(case: Case) -> None:
    error = fault(case["body"])
    assert isinstance(error, OptionError)
    assert error.line == case["line"]


def test_a_number_too_large_for_a_float_is_a_fault() -> None:
    number = ":".join(["1", *["10"] * 300]) + ".5"  # of base 60, as in YAML 1.1
    with pytest.raises(OptionError, match="a value cannot be read"):
        read_options("recall", f"query: x\nmax_words: {number}")


@tabled
def test_a_tag_that_does_not_fit_its_value_is_a_fault(tag: str) -> None:
    assert "the options are not valid YAML" in str(fault(f"query: {tag}"))


@pytest.mark.parametrize("value", ["x" * 5_000, "[" * 50_000, "- " * 50_000, "{" * 900, "? " * 900])
def test_a_message_stays_short_whatever_the_value(value: str) -> None:
    assert len(str(fault(f"query: x\nsource: {value}: y"))) < 250


@pytest.mark.parametrize(
    "body",
    [
        f"query: {'[' * 100_000}{']' * 100_000}",
        f"query: {'{a: ' * 50_000}1{'}' * 50_000}",
        f"query: x\nsource:\n  {'- ' * 100_000}a",
    ],
)
def test_nesting_without_end_is_a_fault_and_no_crash(body: str) -> None:
    assert isinstance(fault(body), OptionError)


def test_aliases_that_multiply_are_not_text() -> None:
    lines = [
        "a: &a [x, x]",
        *(f"a{n}: &a{n} [*a{n - 1 or ''}, *a{n - 1 or ''}]" for n in range(1, 30)),
    ]
    assert str(fault("\n".join([*lines, "query: *a29"]))) == "unknown option 'a'"


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.dates() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)
NAMES = st.sampled_from([*OPTIONS]) | st.text(max_size=5)


@given(st.text(), st.sampled_from(["recall", "synopsis"]), st.booleans())
@example("? [a]\n: b", "recall", False)  # noqa: FBT003 - as hypothesis gives them
@example("!!set {query}", "recall", False)  # noqa: FBT003
@example("query: \ud800", "recall", False)  # noqa: FBT003
@example("{{ x }}: y", "recall", False)  # noqa: FBT003
def test_any_text_is_options_or_a_fault_on_one_of_its_lines(
    body: str,
    name: str,
    embedm: bool,  # noqa: FBT001 - as hypothesis gives it
) -> None:
    try:
        read_options(name, body, embedm=embedm)
    except OptionError as error:
        assert str(error)  # noqa: PT017 - the other outcomes are right too
        assert 0 <= error.line <= body.count("\n") + 1  # noqa: PT017


@given(st.dictionaries(NAMES, VALUES, max_size=2), st.text(min_size=1))
def test_any_values_are_options_of_their_types_or_a_fault(
    values: dict[str, Any], query: str
) -> None:
    try:
        options = read_recall(yaml.safe_dump({"query": query, **values}))
    except RecallError:
        return
    assert options.query
    assert all(isinstance(query.text, str) and query.weight > 0 for query in options.query)
    assert all(isinstance(source, str) and source for source in options.source)
    most = options.max_sentences
    assert most is None or (type(most) is int and most >= 1)
    assert options.sections >= 0
    assert options.diversity is None or 0 <= options.diversity <= 1
    assert options.cite in {True, False, "auto"}


def test_merged_options_are_refused_before_they_can_multiply() -> None:
    lines = ["a: &a {k: 1}"]
    for last, name in zip("abcdefgh", "bcdefghi", strict=True):
        lines.append(f"{name}: &{name} {{<<: [{', '.join([f'*{last}'] * 10)}]}}")
    with pytest.raises(OptionError, match="cannot be merged"):
        read_options("recall", "\n".join([*lines, "query: x"]))
