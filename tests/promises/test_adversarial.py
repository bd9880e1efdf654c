"""Whatever somebody writes to hold up a build is read, or refused with a message, to its end.

`python -m benchmarks.hostile` measures the time that the same families take, up to 5 MB.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import mkdocs_recall
from benchmarks.hostile import FAMILIES, Family


@pytest.mark.parametrize("part", sorted({family.part for family in FAMILIES}))
def test_input_made_to_hold_up_a_build_is_read(part: str) -> None:
    for family in FAMILIES:
        if family.part == part:
            family.prepare(4_000)()


PACKAGE = str(Path(mkdocs_recall.__file__).parent)
COUNTED = [family for family in FAMILIES if family.part in {"recall of blocks", "published blocks"}]
SQUARE = 4
"""How many times the steps grow for twice the input where they grow with its square."""


def steps(run: Callable[[], object]) -> int:
    """Return how many lines of the package are run, which no other load of the machine changes."""
    count = 0

    def trace(frame: FrameType, _event: str, _argument: object) -> Any:
        nonlocal count
        if not frame.f_code.co_filename.startswith(PACKAGE):
            return None
        count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        run()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("family", COUNTED, ids=lambda family: f"{family.part}: {family.what}")
def test_the_blocks_around_a_block_are_not_walked_again_for_each_block(family: Family) -> None:
    family.prepare(1_000)()  # what is imported and made on first use
    few, more = (steps(family.prepare(size)) for size in (1_500, 3_000))
    assert more < (2 + SQUARE) / 2 * few
