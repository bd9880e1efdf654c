"""Tables of cases, and texts, by name in the YAML file beside a test module."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from inspect import Parameter, isfunction, signature
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import pytest
import yaml

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # in C, much faster
Test = TypeVar("Test", bound="Callable[..., None]")
Case: TypeAlias = dict[str, Any]
"""The fields of a case: pages, the query, the expectations."""
Steps: TypeAlias = list[Case]
"""Consecutive steps at a terminal; see `Terminal.follow`."""


def beside(module: str) -> dict[str, Any]:
    """Return the content of the YAML file beside a module: `module.yml` for `test_module.py`."""
    path = Path(module)
    return _read(path.with_name(path.stem.removeprefix("test_") + ".yml"))


@cache
def _read(path: Path) -> dict[str, Any]:
    text = path.read_text(encoding="utf-8")
    found: dict[str, Any] = yaml.load(text, _LOADER)  # noqa: S506 - both are safe
    return found


def tabled(test: Test) -> Test:
    """Run a test with each row of its table; the first one names its arguments.

    The table of `test_name` in `test_module.py` is `test_name` in `module.yml`. If it is a mapping,
    its values are the argument `case`, and its keys say what each case protects.
    """
    table = beside(test.__code__.co_filename)[test.__name__]
    if isinstance(table, dict):
        cases = pytest.mark.parametrize("case", [*table.values()], ids=[*table])
    else:
        cases = pytest.mark.parametrize(table[0], table[1:])
    decorated: Test = cases(test)
    return decorated


def in_one(test: object) -> Callable[[], None] | None:
    """Return a test that runs all cases of one without fixtures; None for others.

    The overhead of four thousand cases is longer than most of them. A failure shows the arguments
    of its case.
    """
    marks = getattr(test, "pytestmark", [])
    tables = [mark for mark in marks if mark.name == "parametrize"]
    has_more = hasattr(test, "hypothesis") or any(mark.name == "usefixtures" for mark in marks)
    if not tables or not isfunction(test) or has_more:
        return None
    parameters = signature(test).parameters.values()
    needed = {parameter.name for parameter in parameters if parameter.default is Parameter.empty}
    columns = [name for mark in tables for name in _names(mark)]
    if needed != {*columns} or any("indirect" in mark.kwargs for mark in tables):
        return None
    if any(getattr(row, "marks", ()) for mark in tables for row in mark.args[1]):
        return None
    cases = list(product(*map(_rows, tables)))

    def run() -> None:
        __tracebackhide__ = True
        for rows in cases:
            test(**dict(zip(columns, [value for row in rows for value in row], strict=True)))

    run.__doc__, run.__module__ = test.__doc__, test.__module__
    run.pytestmark = [mark for mark in marks if mark not in tables]  # type: ignore[attr-defined]
    return run


def _names(mark: pytest.Mark) -> list[str]:
    names = mark.args[0]
    return [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)


def _rows(mark: pytest.Mark) -> Iterator[tuple[Any, ...]]:
    is_single = len(_names(mark)) == 1
    for row in mark.args[1]:
        if isinstance(row, type(pytest.param())):  # a class of ours may be a case with marks
            yield tuple(row.values)
        else:
            yield (row,) if is_single else tuple(row)
