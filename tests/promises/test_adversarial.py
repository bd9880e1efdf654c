"""Whatever somebody writes to hold up a build is read, or refused with a message, to its end.

`python -m benchmarks.hostile` measures the time that the same families take, up to 5 MB.
"""

from __future__ import annotations

import pytest

from benchmarks.hostile import FAMILIES, Family


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: f"{family.part}: {family.what}")
def test_input_made_to_hold_up_a_build_is_read(family: Family) -> None:
    family.prepare(24_000)()
