"""Our own time grows no faster than the input, whatever somebody has put into it.

`python -m benchmarks.adversarial` measures the same families up to 5 MB.
"""

from __future__ import annotations

from time import process_time

import pytest

from benchmarks.hostile import FAMILIES, Family

SMALL, LARGE = 3_000, 24_000
MOST = 20
"""Times as long for eight times the input; 64 times, if it grew with the square."""
ROUNDS = 3


def seconds(family: Family, size: int) -> float:
    run = family.prepare(size)
    start = process_time()
    run()
    return process_time() - start


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: f"{family.part}: {family.what}")
def test_time_grows_no_faster_than_the_input(family: Family) -> None:
    family.prepare(1000)()
    small = large = float("inf")
    for _ in range(ROUNDS):  # machines are noisy: the shortest of several counts
        small = min(small, seconds(family, SMALL))
        large = min(large, seconds(family, LARGE))
        if large <= MOST * small + 0.01:
            return
    pytest.fail(
        f"{1000 * small:.1f} ms for {SMALL:,} characters, {1000 * large:.1f} ms for {LARGE:,}"
    )
