"""Pages whose Markdown is the same, and what changes all the same: a warm build is like a cold one.

That a model counts is in `test_semantic_and_temporal`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from other_site import FLUX, SITES, flux, put_copy
from rebuilds import Rebuilds, counts
from terminal import Terminal

from mkdocs_recall.options import LOCK_FILE

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Site

HOME = "# Home\n\n```recall\nsource: {source}\nquery: when does the larch token expire\n```\n"
TOKENS = "# Tokens\n\nA larch token expires after {}.\n\nA birch token never does.\n"
READ = """from pathlib import Path

def value():
    return (Path(__file__).parent / "value.txt").read_text()
"""
MACRO = f"""{READ}
def on_page_markdown(markdown, page, config, files):
    return markdown.replace('{{{{ period }}}}', value())
"""
GENERATED = f"""{READ}
from mkdocs.structure.files import File

def on_files(files, config):
    text = {TOKENS!r}.format(value())
    files.append(File.generated(config, 'tokens.md', content=text))
    return files
"""
CONTENT = f"""{READ}
def on_page_content(html, page, config, files):
    return html.replace('a while', value())
"""


@pytest.fixture
def rebuilds(site: Site) -> Rebuilds:
    """A page with a directive, and the page that it quotes."""
    site.write({"index.md": HOME.format(source="tokens.md"), "other.md": "# Other\n\nA birch.\n"})
    return Rebuilds(site)


def _assert_seen(rebuilds: Rebuilds, change: Callable[[str], object]) -> None:
    """Assert that each change shows in the next build, that it is like a cold one, and cached."""
    for value in ("a day", "a week", "a day"):
        change(value)
        assert f"expires after {value}" in rebuilds.build().html()
        assert counts(rebuilds.site.rebuild()) == (1, 0, 1)


@pytest.mark.parametrize(
    ("hook", "tokens"),
    [(MACRO, TOKENS.format("{{ period }}")), (CONTENT, TOKENS.format("a while")), (GENERATED, "")],
    ids=["macro", "content", "generated page"],
)
def test_what_a_hook_makes_of_a_quoted_page_is_seen(
    rebuilds: Rebuilds, hook: str, tokens: str
) -> None:
    if tokens:
        rebuilds.site.write({"tokens.md": tokens})
    rebuilds.settings = {"hook": hook}
    _assert_seen(rebuilds, (rebuilds.site.root / "value.txt").write_text)


def test_a_snippet_of_a_quoted_page_is_seen(rebuilds: Rebuilds) -> None:
    site = rebuilds.site
    site.write({"tokens.md": '# Tokens\n\n--8<-- "period.txt"\n'})
    extension: dict[str, Any] = {"pymdownx.snippets": {"base_path": [str(site.root)]}}
    rebuilds.settings = {"markdown_extensions": ["pymdownx.superfences", extension]}
    snippet = site.root / "period.txt"
    _assert_seen(
        rebuilds, lambda value: snippet.write_text(f"A larch token expires after {value}.")
    )


def test_a_snippet_with_a_directive_is_seen(rebuilds: Rebuilds) -> None:
    site = rebuilds.site
    site.write({"index.md": '# Home\n\n--8<-- "fence.txt"\n'})
    site.write({f"{n}.md": TOKENS.format(f"{n} days") for n in (1, 2)})
    extension: dict[str, Any] = {"pymdownx.snippets": {"base_path": [str(site.root)]}}
    rebuilds.settings = {"markdown_extensions": ["pymdownx.superfences", extension]}
    for number in (1, 2, 2, 1):
        fence = HOME.format(source=f"{number}.md").partition("\n\n")[2]
        (site.root / "fence.txt").write_text(fence)
        assert f"after {number} days" in rebuilds.build().text("blockquote")


def test_the_copy_of_another_site_is_seen(rebuilds: Rebuilds) -> None:
    rebuilds.site.write({"index.md": HOME.format(source="'flux:**'").replace("larch", "flux")})
    rebuilds.settings = {"recall": {"sites": SITES}}

    def fetch(value: str) -> None:
        pages = {uri: text.replace("12 hours", value) for uri, text in FLUX.items()}
        put_copy(rebuilds.site.root, data=flux(pages))

    _assert_seen(rebuilds, fetch)


def test_the_approved_answers_are_seen(rebuilds: Rebuilds) -> None:
    site = rebuilds.site
    site.write({"tokens.md": TOKENS.format("a day")})
    rebuilds.settings = {"recall": {"lock": "warn"}}
    assert rebuilds.build().warnings != []
    assert Terminal(site.root).run("lock", "--accept").status in {0, 3}
    assert rebuilds.build().warnings == []
    assert counts(site.rebuild())[2] == 1
    site.write({"tokens.md": TOKENS.format("a week")})
    assert rebuilds.build().warnings != []
    (site.root / LOCK_FILE).unlink()
    assert rebuilds.build().warnings != []


def test_the_clock_is_seen(rebuilds: Rebuilds, monkeypatch: pytest.MonkeyPatch) -> None:
    site = rebuilds.site
    fence = HOME.format(source="tokens.md").replace("expire\n", "expire\ntemporal: true\n")
    page = f"---\nt_expired: 2025-06-01\n---\n{TOKENS.format('a day')}"
    site.write({"index.md": fence, "tokens.md": page})
    for moment, is_quoted in (("1735689600", True), ("1767225600", False), ("1735689600", True)):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", moment)
        assert ("expires after a day" in rebuilds.build().html()) == is_quoted


def test_the_language_of_the_theme_is_seen(rebuilds: Rebuilds) -> None:
    rebuilds.site.write({"tokens.md": TOKENS.format("a day")})
    fence = HOME.format(source="tokens.md").replace("query: when", "explain: true\nquery: when")
    rebuilds.site.write({"index.md": fence})
    made = []
    for language in ("en", "de", "en"):
        theme = {"name": None, "custom_dir": "theme", "language": language}
        rebuilds.settings = {"theme": theme}
        made.append(rebuilds.build().html())
    assert made[0] == made[2] != made[1]
