"""A value that was read from JSON has the shape that is wanted, or it is said where it has not."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mkdocs_recall.shapes import Row, shape_fault, shape_test

NULL = type(None)
FITTING: list[tuple[Any, Any]] = [
    (str, '"a"'),
    (int, "1"),
    (bool, "true"),
    (NULL, "null"),
    (float, "1"),
    (float, "-1.5"),
    ((str, NULL), "null"),
    (([int], NULL), "[1, 2]"),
    (([int], NULL), "null"),
    (frozenset({"a", None}), "null"),
    ([str], "[]"),
    ([[str]], '[["a"], []]'),
    ([([int], NULL)], "[null, [1], []]"),
    (Row(), "[]"),
    (Row(str, [int]), '["a", [1]]'),
    ([Row(str, int)], '[["a", 1], ["b", 2]]'),
    ({"a": str}, '{"a": "b", "c": 1}'),
    ([{"a": str}], "[]"),
    ({str: int}, "{}"),
    ({str: Row(int, {str: str})}, '{"a": [1, {"b": "c"}], "d": [2, {}]}'),
]
FAULTS: list[tuple[Any, str, str]] = [
    (str, "1", "it must be a text, got 1"),
    (int, "true", "it must be a whole number, got true"),
    (int, "1.0", "it must be a whole number, got 1.0"),
    (bool, "1", "it must be true or false, got 1"),
    (float, "true", "it must be a number, got true"),
    (float, "NaN", "it must be a number, got NaN"),
    (float, "1e999", "it must be a number, got Infinity"),
    ((str, NULL), "[]", "it must be a text or null, got []"),
    (([int], NULL), '["a"]', 'it must be a list or null, got ["a"]'),
    (frozenset({"a", None}), '"b"', 'it must be one of "a", null, got "b"'),
    (frozenset({"a", None}), "[]", 'it must be one of "a", null, got []'),
    ([str], "{}", "it must be a list, got {}"),
    ([str], '["a", 1]', "'[1]' must be a text, got 1"),
    ([[str]], '[["a"], ["b", 2]]', "'[1][1]' must be a text, got 2"),
    (Row(str, int), '["a"]', 'it must be a list of 2, got ["a"]'),
    ([Row(str, int)], '[["a", 1], ["b", "c"]]', "'[1][1]' must be a whole number, got \"c\""),
    ({"a": str}, "[]", "it must be an object, got []"),
    ({"a": str}, "{}", "'a' is missing"),
    ({"a": [{"b": int}]}, '{"a": [{"b": 1}, {}]}', "'a[1].b' is missing"),
    ({str: int}, '{"a": 1, "b": "c"}', "'b' must be a whole number, got \"c\""),
    ({str: Row(int)}, '{"a": [1], "b": [2, 3]}', "'b' must be a list of 1, got [2, 3]"),
    (str, json.dumps(["x" * 50]), f'it must be a text, got ["{"x" * 38}…'),
]


@pytest.mark.parametrize(("shape", "text"), FITTING)
def test_a_value_that_has_the_shape_has_no_fault(shape: Any, text: str) -> None:
    value = json.loads(text)
    assert shape_test(shape)(value)
    assert shape_fault(value, shape) == ""


@pytest.mark.parametrize(("shape", "text", "fault"), FAULTS)
def test_a_fault_is_found_and_its_place_is_named(shape: Any, text: str, fault: str) -> None:
    value = json.loads(text)
    assert not shape_test(shape)(value)
    assert shape_fault(value, shape) == fault


def test_an_optional_field_may_be_missing_but_not_of_another_shape() -> None:
    shape = {"a": [{"b": int}]}
    assert shape_fault({"a": [{}]}, shape, optional={"b"}) == ""
    assert shape_fault({"a": [{"b": ""}]}, shape, optional={"b"}) == (
        "'a[0].b' must be a whole number, got \"\""
    )


def test_a_shape_that_contains_itself_is_followed_to_the_fault() -> None:
    tree: dict[str, Any] = {"value": float}
    tree["parts"] = [tree]
    value = {"value": 1, "parts": [{"value": 2, "parts": [{"value": "3", "parts": []}]}]}
    assert shape_fault(value, tree) == "'parts[0].parts[0].value' must be a number, got \"3\""


LEAVES = st.none() | st.booleans() | st.integers(-2, 2) | st.floats() | st.sampled_from(["", "a"])
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["", "a", "b"]), inner, max_size=2)
    ),
    max_leaves=6,
)
SHAPES = st.recursive(
    st.sampled_from([str, int, bool, NULL, float, (str, NULL), frozenset({"a", None})]),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=1)
        | st.lists(inner, max_size=3).map(lambda shapes: Row(*shapes))
        | inner.map(lambda shape: {str: shape})
        | st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=2)
        | inner.map(lambda shape: ([shape], NULL))
    ),
    max_leaves=4,
)


@given(VALUES, SHAPES)
def test_the_fast_test_and_the_one_that_names_the_fault_agree(value: Any, shape: Any) -> None:
    assert shape_test(shape)(value) == (shape_fault(value, shape) == "")
