"""Tables of cases: the YAML file beside a module of tests has one below the name of each test."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pytest
import yaml

if TYPE_CHECKING:
    from collections.abc import Callable

Test = TypeVar("Test", bound="Callable[..., None]")


@cache
def _tables(path: Path) -> dict[str, list[Any]]:
    tables: dict[str, list[Any]] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return tables


def tabled(test: Test) -> Test:
    """Run a test with each row of its table; the first one names its arguments.

    The table of `test_name` in `test_module.py` is `test_name` in `module.yml`.
    """
    module = Path(test.__code__.co_filename)
    names, *rows = _tables(module.with_name(module.stem.removeprefix("test_") + ".yml"))[
        test.__name__
    ]
    decorated: Test = pytest.mark.parametrize(names, rows)(test)
    return decorated
