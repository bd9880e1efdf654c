"""What an author wrote and no quote is made of: values cut by YAML, fences with a wrong name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Site

LABELS = "# Labels\n\nA label marks an issue.\n\n## Cancel\n\nA cancelled label is grey.\n"
ISSUE = "query: which issue #507 label\n"
CUT_QUERY = (
    "'query' ends before '#507 label', which YAML takes for a comment; "
    'put it in quotes: query: "which issue #507 label", or a comment on a line of its own'
)
CUT_SOURCE = (
    "'source' ends before '#cancel', which YAML takes for a comment; "
    'put it in quotes: source: "labels.md#cancel", or a comment on a line of its own'
)


def page(fence: str) -> str:
    return f"---\ntitle: Home\n---\n\n# Home\n\n{fence}\n"


CUTS = {
    "recall": (
        f"```recall\nsource: labels.md\n{ISSUE}```",
        [f"index.md:9: recall: {CUT_QUERY}"],
    ),
    "synopsis": (
        "- ```synopsis\n  source: labels.md #cancel\n  ```",
        [f"index.md:8: synopsis: {CUT_SOURCE}"],
    ),
    "yaml embedm": (
        f"```yaml embedm\ntype: recall\n{ISSUE}source: labels.md #cancel\n```",
        [f"index.md:9: recall: {CUT_QUERY}", f"index.md:10: recall: {CUT_SOURCE}"],
    ),
}


@pytest.mark.parametrize("name", CUTS)
def test_each_build_warns_of_a_cut_value_and_answers_all_the_same(site: Site, name: str) -> None:
    fence, warnings = CUTS[name]
    built = site.build({"index.md": page(fence), "labels.md": LABELS})
    assert built.warnings == warnings
    assert "label" in built.text("blockquote")
    assert site.rebuild().warnings == warnings


def test_a_cut_value_fails_a_strict_build_and_a_comment_does_not(site: Site) -> None:
    fence = "```synopsis\nsource: labels.md # the page\nmax_sentences: 2 #enough\n```"
    site.write({"index.md": page(fence), "labels.md": LABELS})
    site.configure()
    assert site.run("--strict").returncode == 0
    site.write({"index.md": page(fence.replace("# the", "#the"))})
    strict = site.run("--strict")
    assert strict.returncode == 1
    assert "index.md:8: synopsis: 'source' ends before '#the page'" in strict.stderr


def test_a_cut_value_is_reported_beside_the_error_that_it_makes(site: Site) -> None:
    fence = "```synopsis\nsource: release #7.md\n```"
    built = site.build({"index.md": page(fence), "release #7.md": LABELS})
    cut, error = built.warnings
    assert cut.startswith("index.md:8: synopsis: 'source' ends before '#7.md', ")
    assert error.startswith("index.md:7: synopsis: source 'release' ")
