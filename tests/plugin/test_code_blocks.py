"""Fences that reach HTML as code blocks are warned of; examples of fences are not."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from mkdocs_recall.plugin.code_blocks import directive_names

if TYPE_CHECKING:
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


def test_a_fence_that_a_plugin_renders_out_of_sight_is_warned_of_with_its_page(site: Site) -> None:
    built = site.build({"index.md": "# Home\n", "a/b.md": "# B\n"}, hook=LATE)
    assert sorted(warning.partition(", because")[0] for warning in built.warnings) == [
        _warning("a/b.md"),
        _warning("index.md"),
    ]


def test_a_strict_build_fails_on_such_a_code_block(site: Site) -> None:
    site.write({"index.md": "# Home\n"})
    site.configure(hook=LATE)
    assert site.run("--strict").returncode == 1


def test_a_fence_in_the_template_of_the_theme_is_warned_of(site: Site) -> None:
    site.write({"index.md": "# Home\n"})
    site.configure()
    block = '<pre><code class="language-synopsis">source: a.md</code></pre>'
    (site.root / "theme/main.html").write_text(f"{{{{ page.content }}}}{block}")
    [warning] = site.rebuild().warnings
    assert warning.startswith(_warning("index.md", "synopsis"))


def test_an_example_of_a_fence_is_not_warned_of_nor_is_a_quote(site: Site) -> None:
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


@pytest.mark.parametrize(
    ("html", "names"),
    [
        ('<pre><code class="language-recall">', ["recall"]),
        ('<pre><code class="recall">', ["recall"]),
        ("<pre class='highlight synopsis'>", ["synopsis"]),
        ("<code class=language-recall>", ["recall"]),
        ('<code class="my-class language-recall">', ["recall"]),
        ('<div id="x" class="language-recall highlight"><pre>', ["recall"]),
        ('<CODE CLASS="lang-recall">' * 2, ["recall"]),
        ('<div class="admonition recall">', []),
        ('<blockquote class="recall">', []),
        ('<code class="recall-x"> <code class="x-recall"> <code class="language-recalls">', []),
        ('<code class="language-yaml">language-recall', []),
        ('<code title="recall" class="language-yaml">', []),
        ("&lt;code class=&quot;language-recall&quot;&gt;", []),
    ],
)
def test_a_code_block_is_known_by_a_name_in_its_class(html: str, names: list[str]) -> None:
    found = directive_names(html)
    assert (found.code_blocks if found else []) == names


@pytest.mark.parametrize(
    "part",
    [
        "recall ",
        "<code class=",
        '<code class="recallrecall ',
        "<div class=' recall",
        "<code class= class= recall",
    ],
)
def test_code_blocks_are_looked_for_in_linear_time(part: str) -> None:
    def seconds(count: int) -> float:
        html = part * count
        started = time.process_time()
        directive_names(html)
        return time.process_time() - started

    seconds(100)
    assert seconds(40_000) < 30 * seconds(4_000) + 0.2


def test_a_marker_is_seen_wherever_it_is_in_a_built_page() -> None:
    marker = "<!-- recall:0123456789abcdef -->"
    for html in (marker, f"<p>A synopsis, a recall.</p>{marker}", f"&lt;{marker[1:]}"):
        names = directive_names(html)
        assert names is not None
        assert names.has_marker
    names = directive_names("recall: <!-- recalls --> synopsis")
    assert names is not None
    assert not names.has_marker
    assert directive_names("<p>Nothing.</p>") is None
