"""Sphinx builds a documentation in MyST and reStructuredText, and answers each directive."""

from __future__ import annotations

import json
import os
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


def sphinx(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - the interpreter itself
        [sys.executable, "-m", "sphinx", "-q", "-j", "2", *options, "source", "built"],
        check=False,
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "XDG_CACHE_HOME": str(folder / ".caches")},
    )


def test_a_build_answers_every_directive_or_says_why_not(tmp_path: Path) -> None:
    sources(tmp_path / "source", "sphinx", "")
    built = sphinx(tmp_path)
    assert built.returncode == 0, built.stderr

    count = fences(tmp_path / "source")
    assert count > 60
    answers = list(quotes(tmp_path / "built"))
    assert len(answers) == count
    assert sum("recall-error" in answer or "synopsis-error" in answer for answer in answers) == 7
    assert all(answer.strip() for answer in answers)
    assert_links(tmp_path / "built")
    for fault in (RST_FAULT, *FAULTS):
        assert f"WARNING: {fault}" in built.stderr
    assert built.stderr.count("WARNING: ") == len(FAULTS) + 1, built.stderr

    outcome = fill(tmp_path, "built", "source", "--check")
    assert_faults(outcome, [RST_FAULT, *FAULTS])
    assert f"{count - 7} of {count} directives answered, 0 by fallback; 0 files" in outcome.err


def test_the_search_of_sphinx_finds_a_sentence_only_on_its_own_page(tmp_path: Path) -> None:
    sources(tmp_path / "source", "sphinx", "")
    sphinx(tmp_path)
    index = (tmp_path / "built/searchindex.js").read_text("utf-8")
    names = json.loads(index.removeprefix("Search.setIndex(").removesuffix(")"))
    pages = [names["docnames"][number] for number in names["terms"]["kilogram"]]
    assert "machines" in pages
    assert "answers" not in pages
    assert "max_sent" not in names["terms"]  # the stem of `max_sentences`
    assert "400 kilograms" in (tmp_path / "built/answers.html").read_text("utf-8")


def test_a_site_built_again_has_current_answers_on_all_pages(tmp_path: Path) -> None:
    sources(tmp_path / "source", "sphinx", "")
    (tmp_path / "source/mistakes.md").unlink()
    machines = tmp_path / "source/machines.rst"
    machines.write_text(machines.read_text("utf-8").replace("sorce:", "source:"), "utf-8")
    first = sphinx(tmp_path, "-W")
    assert first.returncode == 0, first.stderr
    before = list(quotes(tmp_path / "built"))

    storage = tmp_path / "source/storage.md"
    storage.write_text(storage.read_text("utf-8").replace("five months", "six months"), "utf-8")
    again = sphinx(tmp_path, "-W")  # writes one page anew, beside the filled ones
    assert again.returncode == 1
    assert "answers.rst:13: recall: expected 'five months'" in again.stderr
    assert "notes.md:20: recall: expected 'five months'" in again.stderr
    after = list(quotes(tmp_path / "built"))
    new = [b for a, b in zip(before, after, strict=True) if a != b]
    assert len(new) >= 3
    assert all("six months" in quote for quote in new)


def test_defaults_stand_in_conf_py_and_text_builds_are_untouched(tmp_path: Path) -> None:
    sources(tmp_path / "source", "sphinx", "")
    with (tmp_path / "source/conf.py").open("a", encoding="utf-8") as file:
        file.write('recall_defaults = {"format": "list", "cite": False}\n')
    sphinx(tmp_path)
    answers = (tmp_path / "built/answers.html").read_text("utf-8")
    assert '<ul class="recall"' in answers
    assert "<cite>" not in answers
    text = sphinx(tmp_path, "-b", "text")
    assert text.returncode == 0, text.stderr
