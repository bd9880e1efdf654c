"""Shapes of values read from JSON or YAML: whether a value has one, and where it differs.

Somebody else may have written the file, so a value may be anything that a parser makes. A shape is

- a type: `str`, `int`, `bool`, `type(None)`, or `float` for any finite number;
- a frozenset: one of its strings, or None;
- a tuple of shapes of different types: any one of them;
- a list with one shape: a list of such values, of any length;
- a `Row` of shapes: a list with one value for each;
- a mapping of names to shapes: an object with these fields, and maybe others;
- a mapping of `str` to a shape: an object with any names for such values.

`shape_test` makes a function that only tells yes or no: a cache with thousands of pages is checked
in each process. `shape_fault` says where the fault is and takes many times as long.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Sequence


Shape: TypeAlias = Any
ShapeTest: TypeAlias = "Callable[[Any], bool]"
_Test: TypeAlias = "Callable[[Sequence[Any]], bool]"
_NAMES: Final[Mapping[Any, str]] = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    type(None): "null",
}
_SHOWN: Final = 40  # characters of a wrong value


class Row:
    """The shape of a list with a fixed number of values, each of its own shape."""

    __slots__ = ("shapes",)

    def __init__(self, *shapes: Shape) -> None:
        """Take the shapes of the values, in order."""
        self.shapes = shapes


class _Fault(NamedTuple):
    """The first place where a value does not have its shape."""

    path: str
    """`passages[2].score`; empty for the whole value."""
    wanted: str
    """What the value must be; empty for a field that is missing."""
    value: object = None


def shape_test(shape: Shape) -> ShapeTest:
    """Return a function that tells whether a value has a shape.

    Args:
        shape: The shape; it must not contain itself.
    """
    test = _test(shape)
    return lambda value: test([value])


def shape_fault(value: object, shape: Shape, *, optional: Container[str] = ()) -> str:
    """Return the first place where a value does not have a shape, and what is wanted there.

    The text is empty where the value has the shape.

    Args:
        optional: The names of fields that may be missing.
    """
    fault = _fault(value, shape, optional)
    if fault is None:
        return ""
    if not fault.wanted:
        return f"'{fault.path}' is missing"
    return describe_fault(fault.path, fault.wanted, fault.value)


def describe_fault(path: str, wanted: str, value: object) -> str:
    """Return what is wrong with a value: `'passages[2].score' must be a number, got "high"`.

    Args:
        path: Where the value is; empty for the whole.
        wanted: What it must be.
    """
    shown = json.dumps(value, ensure_ascii=False)
    shown = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"
    where = f"'{path}'" if path else "it"
    return f"{where} must be {wanted}, got {shown}"


def _test(shape: Shape) -> _Test:
    """Return a function that tells whether all of some values have a shape.

    It looks at all values of a list, of a column of rows and of a field together: so most of the
    work is done by `map` and `zip`, and not value by value.
    """
    if isinstance(shape, (frozenset, tuple)):
        return _choice_test(shape)
    if isinstance(shape, (list, Row)):
        return _list_test(shape)
    if isinstance(shape, Mapping):
        return _object_test(shape)
    if shape is float:
        return lambda values: all(map(_is_number, values))
    return lambda values: {shape}.issuperset(map(type, values))


def _choice_test(shape: frozenset[str | None] | tuple[Shape, ...]) -> _Test:
    if isinstance(shape, frozenset):
        strings = frozenset({str, type(None)})
        return lambda values: strings.issuperset(map(type, values)) and shape.issuperset(values)
    alternatives = {kind: _test(inner) for inner in shape for kind in _types(inner)}

    def test(values: Sequence[Any]) -> bool:
        kinds = set(map(type, values))
        return alternatives.keys() >= kinds and all(
            alternatives[kind]([value for value in values if type(value) is kind]) for kind in kinds
        )

    return test


def _types(shape: Shape) -> tuple[type, ...]:
    """Return the types of the values that may have a shape."""
    if isinstance(shape, (list, Row)):
        return (list,)
    if isinstance(shape, Mapping):
        return (dict,)
    if isinstance(shape, frozenset):
        return (str, type(None))
    return (int, float) if shape is float else (shape,)


def _list_test(shape: list[Shape] | Row) -> _Test:
    if isinstance(shape, list):
        inner = _test(shape[0])
        return lambda values: (
            {list}.issuperset(map(type, values)) and inner(list(chain.from_iterable(values)))
        )
    count = len(shape.shapes)
    columns = [_test(inner) for inner in shape.shapes]
    return lambda values: (
        {list}.issuperset(map(type, values))
        and {count}.issuperset(map(len, values))
        and all(test(column) for test, column in zip(columns, zip(*values)))  # noqa: B905 - no values, no columns
    )


def _object_test(shape: Mapping[Any, Shape]) -> _Test:
    if str in shape:
        inner = _test(shape[str])
        return lambda values: (
            {dict}.issuperset(map(type, values))
            and {str}.issuperset(map(type, chain.from_iterable(values)))
            and inner([item for value in values for item in value.values()])
        )
    fields = {name: _test(inner) for name, inner in shape.items()}
    return lambda values: (
        {dict}.issuperset(map(type, values))
        and all(fields.keys() <= value.keys() for value in values)
        and all(test([value[name] for value in values]) for name, test in fields.items())
    )


def _fault(value: object, shape: Shape, optional: Container[str]) -> _Fault | None:
    """Return the first fault of a value. Paths are put together only where there is one."""
    if isinstance(shape, type):
        return None if _is_a(value, shape) else _Fault("", _wanted(shape), value)
    if isinstance(shape, Mapping):
        return _object_fault(value, shape, optional)
    if isinstance(shape, (list, Row)):
        return _list_fault(value, shape, optional)
    if isinstance(shape, frozenset):
        fits = isinstance(value, (str, type(None))) and value in shape
    else:
        fits = any(_fault(value, alternative, optional) is None for alternative in shape)
    return None if fits else _Fault("", _wanted(shape), value)


def _object_fault(
    value: object, shape: Mapping[Any, Shape], optional: Container[str]
) -> _Fault | None:
    wrong = _Fault("", _wanted(shape), value)
    if not isinstance(value, dict):
        return wrong
    if str in shape:
        if not all(isinstance(name, str) for name in value):
            return wrong
        shape = dict.fromkeys(value, shape[str])
    for name, inner in shape.items():
        if name in value:
            if fault := _fault(value[name], inner, optional):
                return _below(name, fault)
        elif name not in optional:
            return _Fault(name, "")
    return None


def _list_fault(value: object, shape: list[Shape] | Row, optional: Container[str]) -> _Fault | None:
    if not isinstance(value, list):
        return _Fault("", _wanted(shape), value)
    inners: Iterable[Shape] = shape.shapes if isinstance(shape, Row) else repeat(shape[0])
    if isinstance(shape, Row) and len(value) != len(shape.shapes):
        return _Fault("", _wanted(shape), value)
    for number, (item, inner) in enumerate(zip(value, inners, strict=False)):
        if fault := _fault(item, inner, optional):
            return _below(f"[{number}]", fault)
    return None


def _below(place: str, fault: _Fault) -> _Fault:
    """Return a fault as seen from one level above."""
    joint = "" if not fault.path or fault.path.startswith("[") else "."
    return fault._replace(path=f"{place}{joint}{fault.path}")


def _is_a(value: object, kind: type) -> bool:
    """Tell whether a value is of a type; to JSON, true is not 1."""
    if kind is float:
        return _is_number(value)
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))


def _is_number(value: object) -> bool:
    """Tell whether a value is a number that JSON and a `float` can hold."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return -sys.float_info.max <= value <= sys.float_info.max


def _wanted(shape: Shape) -> str:
    """Return what a value of a shape is called in a message."""
    if isinstance(shape, frozenset):
        return f"one of {', '.join(sorted(json.dumps(choice) for choice in shape))}"
    if isinstance(shape, tuple):
        return " or ".join(map(_wanted, shape))
    if isinstance(shape, Mapping):
        return "an object"
    if isinstance(shape, Row):
        return f"a list of {len(shape.shapes)}"
    return "a list" if isinstance(shape, list) else _NAMES[shape]
