"""Fences in snippets, if a site is read without a build."""

from __future__ import annotations

from pathlib import Path

from mkdocs_recall import Corpus


def test_a_fence_in_a_snippet_is_not_text_of_its_page(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "part.md").write_text("```recall\nquery: larch\n```\n\nThe larch is green.\n")
    (tmp_path / "docs/index.md").write_text('# Home\n\n--8<-- "part.md"\n')
    (tmp_path / "mkdocs.yml").write_text(
        "site_name: S\nmarkdown_extensions: [pymdownx.superfences, pymdownx.snippets]\n"
    )
    site = Corpus.from_site(tmp_path / "mkdocs.yml")
    result = site.recall("larch", units=["prose", "code"], min_score=0, max_sentences=9)
    assert [passage.text for passage in result.passages] == ["The larch is green."]
