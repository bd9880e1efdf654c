"""Fences that reach HTML as code blocks cause warnings; examples of fences do not."""

from __future__ import annotations

from conftest import Site

FENCE = "```recall\nquery: larch\n```\n"
LATE = """
import markdown
FENCE = "```recall\\nquery: larch\\n```\\n"
CONFIG = {"pymdownx.highlight": {"use_pygments": False}}

def on_page_content(html, page, config, files):
    extensions = ["pymdownx.superfences", "pymdownx.highlight"]
    return html + markdown.markdown(FENCE, extensions=extensions, extension_configs=CONFIG)
"""


def _warning(uri: str, name: str = "recall") -> str:
    return f"{uri}: {name}: a fence of this page is shown as code"


def test_a_separately_rendered_fence_is_a_warning_with_its_page(site: Site) -> None:
    built = site.build({"index.md": "# Home\n", "a/b.md": "# B\n"}, hook=LATE)
    assert sorted(warning.partition(", because")[0] for warning in built.warnings) == [
        _warning("a/b.md"),
        _warning("index.md"),
    ]


def test_a_strict_build_fails_on_such_a_code_block(site: Site) -> None:
    site.write({"index.md": "# Home\n"})
    site.configure(hook=LATE)
    assert site.run("--strict").returncode == 1


def test_an_example_fence_or_a_quote_causes_no_warning(site: Site) -> None:
    example = f"# Home\n\nA larch. `language-recall`\n\n````markdown\n{FENCE}````\n\n{FENCE}"
    for highlight in (True, False):
        built = site.build(
            {"index.md": example},
            markdown_extensions=[
                "pymdownx.superfences",
                {"pymdownx.highlight": {"use_pygments": highlight, "pygments_lang_class": True}},
            ],
        )
        assert built.page().select("blockquote")
        assert built.warnings == []
