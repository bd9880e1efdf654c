"""Numbers → text: medians, ratios, tables. What a platform does not tell is not a number (NaN)."""

from __future__ import annotations

import math
import os
import platform
import statistics
import sys
from importlib.metadata import version
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def exponent(sizes: Sequence[int], values: Sequence[float]) -> float:
    """Return b of value = a x size**b, by least squares of the logarithms; NaN if it has none."""
    if len(set(sizes)) < 2 or not all(values):  # noqa: PLR2004 - a line has two points
        return math.nan
    logarithms = [[math.log(each) for each in numbers] for numbers in (sizes, values)]
    return statistics.linear_regression(*logarithms).slope


def number(value: float, unit: str = "") -> str:
    """Return a number with three digits that count and its unit, such as `1.05 x`."""
    if math.isnan(value):
        return "–"
    digits = 2 - math.floor(math.log10(abs(value))) if value else 0
    return f"{round(value, digits):,.{max(0, digits)}f}{unit}"


def median_ratio(pairs: Iterable[tuple[float, float]]) -> str:
    """Return the median of ratios as text."""
    return number(statistics.median(one / other for one, other in pairs), " x")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table; all but the first two columns are numbers."""
    rule = ["---" if column < 2 else "---:" for column in range(len(head))]  # noqa: PLR2004
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, rule, *rows))


def machine() -> str:
    """Return what was measured, and on what."""
    versions = ", ".join(f"{name} {version(name)}" for name in ("mkdocs-recall", "mkdocs"))
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{versions}, {python}, {platform.platform()}, {os.cpu_count()} CPUs"


def say(text: str) -> None:
    """Tell who waits how far it is."""
    print(text, file=sys.stderr, flush=True)
