"""Text that is not quoted by mistake: values cut by YAML, misspelled fences."""

from __future__ import annotations

from conftest import Site
from tables import Case, tabled

LABELS = "# Labels\n\nA label marks an issue.\n\n## Cancel\n\nA cancelled label is grey.\n"


def page(fence: str) -> str:
    return f"---\ntitle: Home\n---\n\n# Home\n\n{fence}\n"


@tabled
def test_each_build_warns_of_what_was_overlooked(site: Site, case: Case) -> None:
    site.write({"labels.md": LABELS})
    site.expect(case)


def test_a_cut_value_fails_a_strict_build_and_a_comment_does_not(site: Site) -> None:
    fence = "```synopsis\nsource: labels.md # the page\nmax_sentences: 2 #enough\n```"
    site.write({"index.md": page(fence), "labels.md": LABELS})
    site.configure()
    assert site.run("--strict").returncode == 0
    site.write({"index.md": page(fence.replace("# the", "#the"))})
    strict = site.run("--strict")
    assert strict.returncode == 1
    assert "index.md:8: synopsis: 'source' ends before '#the page'" in strict.stderr


SHOWN = "is not a directive, so the fence is shown as code; did you mean"


def test_a_near_miss_fails_a_strict_build_and_other_languages_do_not(site: Site) -> None:
    config = "```yaml\nsource: a\nquery: b\n```\n\n```yaml embedm\ntype: file\nsource: a\n```"
    site.write({"index.md": page(config), "labels.md": LABELS})
    site.configure()
    assert site.run("--strict").returncode == 0
    site.write({"index.md": page(config.replace("type: file", "type: Synopsis"))})
    strict = site.run("--strict")
    assert strict.returncode == 1
    assert f"index.md:12: synopsis: 'type: Synopsis' {SHOWN} 'type: synopsis'?" in strict.stderr
