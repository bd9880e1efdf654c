"""The plugin in real builds: from an author's pages to the built site."""

from __future__ import annotations

import logging
import re
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

import pytest
from conftest import Built, Site
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort
from tables import Case, beside, tabled

AUTH: str = beside(__file__)["AUTH"]
TOKENS: str = beside(__file__)["TOKENS"]


def ask(name: str = "recall", /, **options: object) -> str:
    """Return a fence with options that need no quotes."""
    lines = [f"{key}: {value}" for key, value in options.items()]
    return "\n".join([f"```{name}", *lines, "```", ""])


def expiry(**options: object) -> str:
    return ask(source="auth.md", query="when does a session expire?", max_sentences=1, **options)


def cited(built: Built, path: str = "index.html") -> list[str]:
    return [link["href"] for link in built.page(path).select("cite a[href]")]  # type: ignore[misc]  # a href is one text


@tabled
def test_a_build_shows_what_an_author_asks_for(site: Site, case: Case) -> None:
    site.write({"auth.md": AUTH})
    site.expect(case)


@tabled
def test_a_source_is_seen_like_a_link(site: Site, source: str, pages: list[str]) -> None:
    def text(word: str) -> str:
        return (
            f"# Auth\n\nThe {word} session expires.\n\n## Limits\n\nNo {word} session is endless.\n"
        )

    fence = ask(source=source, query="session", max_sentences=9)
    built = site.build(
        {
            "guide/index.md": f"# Guide\n\nA session is this page's own.\n\n{fence}",
            "guide/auth.md": text("guide"),
            "api/auth.md": text("interface"),
            "api/v2/auth.md": text("newest"),
        },
        nav=["guide/index.md", "guide/auth.md", "api/auth.md", "api/v2/auth.md"],
    )
    found = [href for href in cited(built, "guide/index.html") if "#limits" not in href]
    assert (found or cited(built, "guide/index.html")) == pages
    assert "this page's own" not in built.text("blockquote", "guide/index.html")
    assert built.warnings == []


def test_pages_without_a_directive_are_those_of_a_build_without_the_plugin(site: Site) -> None:
    pages = {
        "index.md": "# Home\n\nWe recall a synopsis:\n\n````\n```recall\nquery: x\n```\n````\n",
        "auth.md": AUTH,
        "crlf.md": AUTH.replace("\n", "\r\n"),
    }
    without = site.build(pages, plugins=[]).files()
    built = site.build(pages)
    assert built.files() == without
    assert built.infos == built.warnings == []


def test_building_again_with_the_same_plugin_forgets_the_build_before(site: Site) -> None:
    site.write({"index.md": f"# Home\n\n{expiry()}", "auth.md": AUTH, "old.md": ask(query="1")})
    config = load_config(str(site.configure()))
    build(config)
    assert len([r for r in site.records if "old.md" in r.getMessage()]) == 1
    (site.docs / "old.md").unlink()
    site.write({"auth.md": AUTH.replace("a day", "a week")})
    site.records.clear()
    build(config)
    said = [r.getMessage() for r in site.records if r.name.startswith("mkdocs.plugins")]
    assert said == ["recall: 1 directive answered, 0 by fallback, 0 from the cache"]
    html = (site.root / "site" / "index.html").read_text(encoding="utf-8")
    assert "after a week" in html
    assert "after a day" not in html
    assert site.rebuild().html() == html


@pytest.mark.parametrize("directories", [True, False])
@pytest.mark.parametrize("asking", ["index.md", "ask.md", "guide/index.md", "a b/deep/ü.md"])
def test_every_link_of_a_quote_leads_to_an_existing_page_and_id(
    site: Site, asking: str, *, directories: bool
) -> None:
    fence = ask(
        source="[/guide/tokens.md, /guide/auth.md]",
        query="[token session, cookie, token lifetime, where a session of this page ends]",
        max_sentences=30,
        context=0,
        min_score=0,
    )
    pages = {
        "index.md": "# Home\n",
        "guide/index.md": "# Guide\n",
        "guide/tokens.md": TOKENS,
        "guide/auth.md": AUTH + "\nA session of [this page](#cookies) ends [here](auth.md).\n",
    }
    built = site.build({**pages, asking: f"# Home\n\n{fence}"}, use_directory_urls=directories)
    assert built.warnings == []
    stem = asking.removesuffix(".md")
    flat = not directories or stem.endswith("index")
    path = f"{stem}.html" if flat else f"{stem}/index.html"
    hrefs = [str(link["href"]) for link in built.page(path).select("blockquote a")]
    leads = []
    for href in hrefs:
        parts = urlsplit(urljoin(f"http://larch.example/{path}", href))
        target = unquote(parts.path).lstrip("/")
        target += "index.html" if not target or target.endswith("/") else ""
        page = built.page(target)
        assert not parts.fragment or page.find(id=unquote(parts.fragment)) is not None, href
        leads.append(str(page.select_one("h1").get_text()) + "#" + parts.fragment)  # type: ignore[union-attr]  # each page has a heading
    assert set(leads) >= {"Auth#cookies", "Home#", "Auth#", "Tokens#lifetime", "Auth#auth"}


@tabled
def test_an_impossible_default_is_reported(
    site: Site, settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(Abort):
        site.build({"index.md": "# Home\n"}, recall=settings)
    errors = [r.getMessage() for r in site.records if r.levelno == logging.ERROR]
    assert any(message in error and next(iter(settings)) in error for error in errors), errors


@tabled
def test_an_unknown_setting_fails_a_strict_build(site: Site, name: str, message: str) -> None:
    site.write({"index.md": "# Home\n"})
    site.configure(recall={name: 2})
    run = site.run("--strict")
    assert run.returncode == 1
    (line,) = [line for line in run.stderr.splitlines() if line.startswith("WARNING")]
    assert line.endswith(f"option '{name}': {message}")


def test_with_on_error_raise_the_build_stops_at_an_error(site: Site) -> None:
    with pytest.raises(Abort):
        site.build({"index.md": ask(query="x", scorer="bm52")}, recall={"on_error": "raise"})
    errors = [r.getMessage() for r in site.records if r.levelno >= logging.WARNING]
    message = "unknown scorer 'bm52'; did you mean 'bm25'? (structure, coverage, overlap, bm25)"
    assert errors == [f"index.md:3: recall: {message}"]


def test_an_error_fails_a_strict_build_and_no_other(site: Site) -> None:
    site.write({"index.md": f"# Home\n\n{ask(source='auth.md')}", "auth.md": AUTH})
    site.configure()
    strict, loose = site.run("--strict"), site.run()
    message = "index.md:3: recall: 'query' is required: what should the quote answer?"
    assert strict.returncode == 1
    assert "Aborted with 1 warnings in strict mode!" in strict.stdout + strict.stderr
    assert f"WARNING -  {message}" in strict.stdout + strict.stderr
    assert loose.returncode == 0, loose.stderr
    assert message in loose.stderr
    assert "Traceback" not in strict.stderr + loose.stderr


@tabled
def test_the_note_is_in_the_page_s_language(site: Site, language: str, note: str) -> None:
    fence = ask(source="auth.md", query="kangaroo", on_empty="synopsis")
    built = site.build(
        {"index.md": f"---\nlang: {language}\n---\n# Home\n\n{fence}", "auth.md": AUTH}
    )
    assert built.text("div.admonition.note.recall-note").startswith(note)
    assert "A session expires" in built.text("blockquote.recall")
    assert built.warnings == []


def test_an_answer_that_is_omitted_leaves_nothing(site: Site) -> None:
    fence = ask(source="auth.md", query="kangaroo", on_empty="omit")
    built = site.build({"index.md": f"# Home\n\nOne.\n\n{fence}\nTwo.\n", "auth.md": AUTH})
    assert built.text("article") == "Home One. Two."
    assert "<!--" not in built.html()
    assert built.warnings == []


@tabled
def test_a_synopsis_in_place_of_an_answer_is_a_warning(site: Site, query: str, why: str) -> None:
    fence = ask(source="auth.md", query=query)
    pages = {"index.md": f"# Home\n\n{fence}", "auth.md": AUTH}
    for built in (site.build(pages), site.build(pages)):  # the second time from the cache
        [warning] = built.warnings
        assert warning == (
            f"index.md:3: recall: {why}: a synopsis is quoted instead of an answer to '{query}'; "
            "if a synopsis is enough, set 'on_empty: synopsis'"
        )
        assert built.tag("div.recall-note")
        assert built.tag("blockquote.recall")
    fence = ask(source="auth.md", query=query, on_empty="synopsis")
    assert site.build({"index.md": fence}).warnings == []


def test_a_low_score_is_not_an_answer_by_default(site: Site) -> None:
    query = "who carves the wooden flutes that shepherds blow after each session"
    weak = ask(source="auth.md", query=query, max_sentences=1, on_empty="warn")
    warnings = ask(source="auth.md", query=query, max_sentences=1, on_empty="warn", min_score=0)
    built = site.build({"index.md": f"# Home\n\n{weak}", "told.md": warnings, "auth.md": AUTH})
    [warning] = built.warnings
    assert warning.startswith("index.md:3: recall: no sentence answers the query well enough")
    assert re.search(r"the best scores 0\.[0-3]\d, 'min_score' is 0\.\d\d\)", warning)


@pytest.mark.parametrize("theme", ["material", "mkdocs", "readthedocs"])
def test_notes_and_cautions_are_admonitions_in_every_theme(site: Site, theme: str) -> None:
    fence = ask(source="auth.md", query="kangaroo")
    site.write({"index.md": f"# Home\n\n{fence}\n{ask()}", "auth.md": AUTH})
    site.configure(theme={"name": theme, "font": False} if theme == "material" else theme)
    result = site.run()
    assert result.returncode == 0, result.stderr
    html = (site.root / "site" / "index.html").read_text(encoding="utf-8")
    assert '<div class="admonition note recall-note" data-search-exclude>' in html
    assert '<div class="admonition caution danger recall-error" data-search-exclude>' in html
    assert html.count('<p class="admonition-title">') == 2


COPY_BEFORE: str = beside(__file__)["COPY_BEFORE"]
COPY_LATE: str = beside(__file__)["COPY_LATE"]


@pytest.mark.parametrize("hook", [COPY_BEFORE, COPY_LATE], ids=["before on_env", "while written"])
def test_a_copy_of_content_has_links_from_where_it_is(site: Site, hook: str) -> None:
    pages = {"index.md": f"# Home\n\n{expiry()}", "auth.md": AUTH, "deep/er/list.md": "# List\n"}
    built = site.build(pages, hook=hook)
    assert cited(built) == ["auth/#auth"]
    assert cited(built, "deep/er/list/index.html") == ["../../../auth/#auth"]
    assert "A session expires" in built.text("blockquote", "deep/er/list/index.html")
    assert not any("<!--" in html.decode() for html in built.files().values())
    assert built.warnings == []
    assert built.infos == ["recall: 1 directive answered, 0 by fallback, 0 from the cache"]


def test_the_search_plugin_finds_the_page_with_its_quote(site: Site) -> None:
    pages = {"index.md": f"# Home\n\n{expiry()}", "auth.md": AUTH}
    built = site.build(pages, plugins=["search", "recall"])
    assert "A session expires" in built.text("blockquote")
    assert "recall:" not in (built.folder / "search" / "search_index.json").read_text("utf-8")


SPREAD: str = beside(__file__)["SPREAD"]


@tabled
def test_each_option_reaches_the_answer(site: Site, name: str, options: dict[str, object]) -> None:
    common: dict[str, object] = {"source": "tokens.md", "max_sentences": 2}
    if name == "recall":
        common |= {"query": "for guest door", "context": 0}
    pages = {"tokens.md": SPREAD, "index.md": ask(name, **common)}
    without = site.build(pages).text("blockquote")
    pages["index.md"] = ask(name, **common, **options)
    assert site.build(pages).text("blockquote") != without
