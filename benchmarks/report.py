"""Numbers → text: medians, ratios, tables."""

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


def median(values: Iterable[float | None]) -> float | None:
    """Return the median; None if one of the values is not known."""
    known = list(values)
    return None if None in known else statistics.median(v for v in known if v is not None)


def exponent(sizes: Sequence[int], values: Sequence[float | None]) -> float | None:
    """Return b of value = a x size**b, by least squares of the logarithms; None if it has none."""
    pairs = [(math.log(s), math.log(v)) for s, v in zip(sizes, values, strict=True) if v]
    if len(pairs) < len(sizes) or len({size for size, _ in pairs}) <= 1:
        return None
    return statistics.linear_regression(*zip(*pairs, strict=True)).slope


def times(ratio: float | None) -> str:
    """Return a ratio, such as `1.05 x`."""
    return "–" if ratio is None else f"{number(ratio)} x"


def percent(share: float | None) -> str:
    """Return a share, such as `3.1 %`."""
    return "–" if share is None else f"{number(100 * share)} %"


def number(value: float) -> str:
    """Return a number with three digits that count."""
    digits = 2 - math.floor(math.log10(abs(value))) if value else 0
    return f"{round(value, digits):,.{max(0, digits)}f}"


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
