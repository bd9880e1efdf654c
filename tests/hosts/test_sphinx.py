"""Sphinx builds a documentation in MyST and reStructuredText, and `fill` answers each fence."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from mill_site import FAULTS, assert_faults, assert_links, fences, fill, quotes, sources

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("sphinx", reason="sphinx is not installed: see the group 'sphinx'")
pytestmark = pytest.mark.host

RST_FAULT = "machines.rst:83: recall: unknown option 'sorce'; did you mean 'source'?"


def sphinx(folder: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "sphinx", "-W", "-q", "-j", "2", "source", "built"],
        check=True,
        cwd=folder,
    )


def test_every_fence_is_answered_or_in_error_with_its_reason(tmp_path: Path) -> None:
    sources(tmp_path / "source", "sphinx", "")
    sphinx(tmp_path)

    said = fill(tmp_path, "built", "source")

    assert_faults(said, [RST_FAULT, *FAULTS])
    count = fences(tmp_path / "source")
    assert count > 55
    assert f"{count - 7} of {count} directives answered, 0 by fallback" in said.err
    filled = list(quotes(tmp_path / "built"))
    assert len(filled) == count
    assert sum("recall-error" in quote or "synopsis-error" in quote for quote in filled) == 7
    assert all(quote.strip() for quote in filled)
    assert_links(tmp_path / "built")


def test_a_site_filled_twice_or_built_again_is_the_same(tmp_path: Path) -> None:
    sources(tmp_path / "source", "sphinx", "")
    sphinx(tmp_path)
    first = fill(tmp_path, "built", "source")
    filled = list(quotes(tmp_path / "built"))

    again = fill(tmp_path, "built", "source", "--check")
    assert again.status == 0, again.err
    assert again.err == first.err.rpartition("; ")[0] + "; 0 files changed.\n"

    storage = tmp_path / "source/storage.md"
    storage.write_text(storage.read_text("utf-8").replace("five months", "six months"), "utf-8")
    sphinx(tmp_path)  # writes one page anew, beside the filled ones
    assert "expected 'five months'" in fill(tmp_path, "built", "source").err
    changed = list(quotes(tmp_path / "built"))
    new = [b for a, b in zip(filled, changed, strict=True) if a != b]
    assert new
    assert all("six months" in quote or "expected" in quote for quote in new)
