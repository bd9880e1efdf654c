"""What an author wrote and no quote is made of: values cut by YAML, fences with a wrong name."""

from __future__ import annotations

import pytest
from conftest import Site

LABELS = "# Labels\n\nA label marks an issue.\n\n## Cancel\n\nA cancelled label is grey.\n"
ISSUE = "query: which issue #507 label\n"
CUT_QUERY = (
    "'query' ends before '#507 label', which YAML treats as a comment; "
    'put it in quotes: query: "which issue #507 label", or move the comment to its own line'
)
CUT_SOURCE = (
    "'source' ends before '#cancel', which YAML treats as a comment; "
    'put it in quotes: source: "labels.md#cancel", or move the comment to its own line'
)


def page(fence: str) -> str:
    return f"---\ntitle: Home\n---\n\n# Home\n\n{fence}\n"


CUTS = {
    "recall": (f"```recall\nsource: labels.md\n{ISSUE}```", [f"index.md:9: recall: {CUT_QUERY}"]),
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


NEAR = "- ```{}\n  source: labels.md\n  query: What is a label?\n  ```"
SHOWN = "is not a directive, so the fence is shown as code; did you mean"


@pytest.mark.parametrize("rest", ["", "\n```synopsis\nsource: labels.md\n```\n"])
def test_a_fence_with_a_near_name_is_code_and_each_build_warns(site: Site, rest: str) -> None:
    pages = {"index.md": page(NEAR.format("Recal") + rest), "labels.md": LABELS}
    warnings = [f"index.md:7: recall: 'Recal' {SHOWN} 'recall'?"]
    built = site.build(pages)
    assert built.warnings == warnings
    assert "What is a label?" in built.text("li code")
    assert site.rebuild().warnings == warnings


@pytest.mark.parametrize("rest", ["", "\n```recall\nsource: labels.md\nquery: a label\n```\n"])
def test_a_near_miss_with_keys_in_quotation_marks_is_reported(site: Site, rest: str) -> None:
    near = "```Synopsis\n'source': labels.md\n\"max_words\": 9\n```"
    built = site.build({"index.md": page(near + rest), "labels.md": LABELS})
    assert built.warnings == [f"index.md:7: synopsis: 'Synopsis' {SHOWN} 'synopsis'?"]


def test_a_near_miss_fails_a_strict_build_and_other_languages_do_not(site: Site) -> None:
    config = "```yaml\nsource: a\nquery: b\n```\n\n```yaml embedm\ntype: file\nsource: a\n```"
    site.write({"index.md": page(config), "labels.md": LABELS})
    site.configure()
    assert site.run("--strict").returncode == 0
    site.write({"index.md": page(config.replace("type: file", "type: Synopsis"))})
    strict = site.run("--strict")
    assert strict.returncode == 1
    assert f"index.md:12: synopsis: 'type: Synopsis' {SHOWN} 'type: synopsis'?" in strict.stderr


def test_a_near_miss_below_inserted_text_is_reported_with_its_line(site: Site) -> None:
    hook = (
        "def on_page_markdown(markdown, **_):\n    return 'More.\\n\\n' + markdown + '\\n\\nEnd.'\n"
    )
    built = site.build({"index.md": page(NEAR.format("recal"))}, hook=hook)
    assert built.warnings == [f"index.md:7: recall: 'recal' {SHOWN} 'recall'?"]
