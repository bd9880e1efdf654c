"""Whether something that was read from JSON has the shape that is wanted, or where it has not.

A shape is a type (`float` takes whole numbers too), a tuple of types, a frozenset of the values
that may stand there, a list with the shape of each entry, or a mapping from the names of fields to
their shapes. More fields may be there than are named.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from mkdocs_recall.errors import RecordError

if TYPE_CHECKING:
    from collections.abc import Container

Shape: TypeAlias = Any
"""See above."""
_NAMES: Final[Mapping[Any, str]] = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    type(None): "null",
}
_SHOWN: Final = 40  # characters of a wrong value


def check(value: object, shape: Shape, *, at: str = "", optional: Container[str] = ()) -> None:
    """Check that a value has a shape.

    Args:
        value: The value.
        shape: The shape.
        at: Where it stands: `passages[2].score`; empty for the whole.
        optional: The names of fields that may be missing.

    Raises:
        RecordError: It has not; the message says where and what is wanted.
    """
    if isinstance(shape, Mapping):
        if not isinstance(value, dict):
            raise fault(at, "an object", value)
        for name, inner in shape.items():
            path = f"{at}.{name}" if at else name
            if name in value:
                check(value[name], inner, at=path, optional=optional)
            elif name not in optional:
                msg = f"this is no result: '{path}' is missing"
                raise RecordError(msg)
    elif isinstance(shape, list):
        if not isinstance(value, list):
            raise fault(at, "a list", value)
        for number, each in enumerate(value):
            check(each, shape[0], at=f"{at}[{number}]", optional=optional)
    elif not _may_stand(value, shape):
        raise fault(at, _wanted(shape), value)


def fault(at: str, wanted: str, value: object) -> RecordError:
    """Return the error for a value that is not what is wanted."""
    shown = json.dumps(value, ensure_ascii=False)
    shown = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"
    where = f"'{at}'" if at else "it"
    return RecordError(f"this is no result: {where} must be {wanted}, got {shown}")


def _may_stand(value: object, shape: Shape) -> bool:
    if isinstance(shape, frozenset):
        return isinstance(value, (str, type(None))) and value in shape
    if shape is float:
        return _is_number(value)
    return isinstance(value, shape) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    """Tell whether a value is a number that JSON and a `float` can hold."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return -sys.float_info.max <= value <= sys.float_info.max


def _wanted(shape: Shape) -> str:
    if isinstance(shape, frozenset):
        return f"one of {', '.join(sorted(json.dumps(each) for each in shape))}"
    kinds = shape if isinstance(shape, tuple) else (shape,)
    return " or ".join(_NAMES[kind] for kind in kinds)
