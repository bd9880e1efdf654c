"""A built site reads like its source, without menus and quotes, whatever the theme."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import Site
from hypothesis import given, settings, strategies as st
from tables import beside, tabled
from terminal import Terminal

from mkdocs_recall import Corpus, Document, SiteError, SourceError
from mkdocs_recall.text.front_matter import PageMetadata
from mkdocs_recall.text.theme import read_themed_page

HOME: str = beside(__file__)["HOME"]
AUTH: str = beside(__file__)["AUTH"]
PAGES = {
    "index.md": HOME,
    "guide/auth.md": AUTH,
    "guide/index.md": "## Guide\n\nText without a title.\n",
    "secret.md": "---\nrecall:\n  exclude: true\n---\n\n# Secret\n\nThe password is larch.\n",
    "search.md": "# Search\n\nHow a search works here.\n",
}
NAV = [{"Start": "index.md"}, {"Guide": ["guide/auth.md", "guide/index.md"]}, "search.md"]
HOOK: str = beside(__file__)["HOOK"]
STATED = PageMetadata("How one signs in.", "2026-02-11", "2026-02-12T14:30:00", "dynamic", 80.0)
THEMES = ("mkdocs", "readthedocs", "material")


def build(site: Site, *, theme: str = "mkdocs", pages: dict[str, str] = PAGES, **more: Any) -> Path:
    site.write(pages)
    config = site.configure(theme={"name": theme}, **more)
    site.rebuild()
    return config


def said(document: Document) -> list[object]:
    return [
        (block.text, block.kind, block.headings, block.line, block.marks)
        for block in document.blocks
    ]


def stated_of(document: Document) -> tuple[object, ...]:
    return tuple(getattr(document, name) for name in PageMetadata._fields)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("urls", [True, False])
def test_a_built_page_has_the_text_of_its_markdown(
    site: Site,
    theme: str,
    urls: bool,  # noqa: FBT001 - a column
) -> None:
    config = build(site, theme=theme, use_directory_urls=urls, nav=NAV)
    built = Corpus.from_built(site.root / "site", config_file=config, cache=False)
    written = Corpus.from_site(config, cache=False)
    assert [d.uri for d in built.documents] == [d.uri for d in written.documents]
    for one, other in zip(built.documents, written.documents, strict=True):
        assert said(one) == said(other)
        assert (one.title, one.language, one.url) == (other.title, other.language, other.url)
        assert stated_of(one) == stated_of(other)
        assert one.file == other.file
    assert [stated_of(d) for d in built.documents if d.uri == "guide/auth.md"] == [STATED]
    text = " ".join(block.text for block in built.documents[0].blocks)
    assert "A box of the author" in text
    assert "So is what stands in a quote." in text
    assert "expire" not in text
    with pytest.raises(SourceError, match="exclude: true"):
        built.synopsis("secret.md")


@pytest.mark.parametrize("theme", THEMES)
def test_without_a_configuration_a_page_is_known_by_its_html(site: Site, theme: str) -> None:
    build(site, theme=theme, hook=HOOK)
    built = Corpus.from_built(site.root / "site", cache=False)
    pages = {document.uri: document for document in built.documents}
    assert list(pages) == [
        *("index.html", "api/index.html", "guide/index.html", "guide/auth/index.html"),
        *("search/index.html", "secret/index.html"),
    ]
    assert pages["guide/auth/index.html"].title == "Sign-in"
    assert pages["guide/auth/index.html"].url == "guide/auth/"
    assert pages["api/index.html"].title == "API"
    passage = built.recall("when does a session expire?", source="guide/").passages[0]
    assert (passage.uri, passage.anchor) == ("guide/auth/index.html", "expiry")
    assert passage.line is None
    assert passage.file == str(site.root / "site/guide/auth/index.html")


@pytest.mark.parametrize("theme", THEMES)
def test_output_of_plugins_can_be_quoted(site: Site, theme: str) -> None:
    config = build(site, theme=theme, hook=HOOK, nav=NAV)
    built = Corpus.from_built(site.root / "site", config_file=config, cache=False)
    uris = [document.uri for document in built.documents]
    assert uris == ["index.md", "guide/auth.md", "guide/index.md", "search.md", "api/index.html"]
    result = built.recall("which sentence has a plugin written?", source="guide/auth.md")
    assert result.passages[0].text == "A plugin has written this sentence."
    assert result.passages[0].anchor == "added"
    result = built.recall("what does a function return?")
    assert [(p.uri, p.text) for p in result.passages] == [
        ("api/index.html", "A function returns a token.")
    ]
    texts = [block.text for block in built.documents[-1].blocks]
    assert texts == ["A function returns a token."]


def test_a_page_that_was_not_built_is_refused_with_the_reason(site: Site) -> None:
    config = build(site, nav=NAV)
    (site.root / "site/search/index.html").unlink()
    built = Corpus.from_built(site.root / "site", config_file=config, cache=False)
    with pytest.raises(SourceError, match=r"'search\.md' cannot be quoted: it is not in the built"):
        built.synopsis("search.md")


def test_a_draft_that_a_preview_has_built_is_not_quoted(site: Site) -> None:
    config = build(site)
    shutil.copytree(site.root / "site/guide", site.root / "site/draft")
    site.write({"draft.md": "# Draft\n"})
    site.configure(theme={"name": "mkdocs"}, draft_docs="draft.md\n")
    shutil.move(site.root / "site/draft/auth/index.html", site.root / "site/draft/index.html")
    built = Corpus.from_built(site.root / "site", config_file=config, cache=False)
    assert not [document.uri for document in built.documents if "draft" in document.uri]


def test_a_site_that_is_built_again_is_read_again(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("XDG_CACHE_HOME", "HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(tmp_path / "caches"))
    config = build(site)

    def ask() -> str:
        built = Corpus.from_built(site.root / "site", config_file=config)
        result = built.recall("when does a session expire?", source="guide/auth.md", context=0)
        return result.passages[0].text

    assert ask() == ask() == "A session expires after 12 hours."
    build(site, pages={"guide/auth.md": AUTH.replace("`12` hours", "a week")})
    assert ask() == "A session expires after a week."


def test_a_page_in_another_language_is_read_in_it(site: Site) -> None:
    build(site, theme="material")
    path = site.root / "site/guide/auth/index.html"
    html = path.read_text("utf-8").replace('lang="en"', 'lang="de"')
    path.write_text(html, encoding="utf-8")
    built = Corpus.from_built(site.root / "site", cache=False)
    assert [d.language for d in built.documents if "auth" in d.uri] == ["de"]


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
def test_nothing_outside_of_the_folder_is_read(site: Site, tmp_path: Path) -> None:
    build(site)
    secret = tmp_path / "outside.html"
    secret.write_text("<p>A password stands here.</p>", encoding="utf-8")
    (site.root / "site/inside.html").symlink_to(secret)
    (site.root / "site/.hidden").mkdir()
    shutil.copy(secret, site.root / "site/.hidden/index.html")
    built = Corpus.from_built(site.root / "site", cache=False)
    assert not [d.uri for d in built.documents if "inside" in d.uri or "hidden" in d.uri]


@tabled
def test_a_folder_without_a_site_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "file.txt").write_text("x", encoding="utf-8")
    with pytest.raises(SiteError) as caught:
        _ = Corpus.from_built(folder, cache=False).documents
    assert message in str(caught.value)


def texts(html: str) -> list[str]:
    article = read_themed_page(html)
    return [run.text for run in article.content.runs] if article else []


@tabled
def test_the_main_part_of_a_page_is_read(html: str, expected: list[str]) -> None:
    assert texts(html) == expected


TAGS = st.sampled_from(beside(__file__)["TAGS"])


@settings(max_examples=40)
@given(st.lists(TAGS, max_size=30).map("".join))
def test_no_html_is_too_broken_to_be_read(html: str) -> None:
    assert "q" not in texts(f"{html}<nav>q</nav>") or "<" in html
    texts(html)


def test_the_command_line_asks_a_built_site(site: Site) -> None:
    build(site, hook=HOOK, nav=NAV)
    terminal = Terminal(site.root)
    question = ("search", "which sentence has a plugin written?", "--source", "guide/")
    outcome = terminal.run(*question, "--built", "site")
    assert outcome.status == 0
    assert "guide/auth.md#added" in outcome.out
    (site.root / "mkdocs.yml").unlink()
    outcome = terminal.run(*question, "--built", "site")
    assert "guide/index.html#added" in outcome.out
    outcome = terminal.run(*question, "--built", "site", "--docs", "docs")
    assert "guide/index.md#added" in outcome.out


TABS: str = beside(__file__)["TABS"]


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("alternate", [True, False])
def test_tabs_and_titles_are_read_as_shown(site: Site, theme: str, *, alternate: bool) -> None:
    build(
        site,
        theme=theme,
        pages={"index.md": TABS},
        markdown_extensions=[
            *("pymdownx.superfences", "pymdownx.highlight"),
            {"pymdownx.tabbed": {"alternate_style": alternate}},
        ],
    )
    (document,) = Corpus.from_built(site.root / "site", cache=False).documents
    assert [
        (b.kind, b.text, None if b.lead is None else document.blocks[b.lead].text)
        for b in document.blocks
    ] == [
        ("tab", "Homebrew", None),
        ("label", "in a shell", "Homebrew"),
        ("code", "brew install larch", "in a shell"),
        ("tab", "Docker", None),
        ("prose", "Pull it.", "Docker"),
    ]
