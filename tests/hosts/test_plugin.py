"""The plugin in real builds: what an author writes, and what stands in the built site."""

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
from tables import beside, tabled

AUTH = """# Auth

A session expires after a day without activity.

## Cookies

The cookie of a session is named larch. It holds no secret.
"""
TOKENS = """# Tokens

A token never replaces a password.

## Lifetime

A token lives for a year, unlike [the cookies](auth.md#cookies) of [the start](../index.md).
"""


BUILDS: dict[str, dict[str, Any]] = beside(__file__)["builds"]


def ask(name: str = "recall", /, **options: object) -> str:
    """Return a fence with options that need no quotes."""
    lines = [f"{key}: {value}" for key, value in options.items()]
    return "\n".join([f"```{name}", *lines, "```", ""])


def expiry(**options: object) -> str:
    return ask(source="auth.md", query="when does a session expire?", max_sentences=1, **options)


def cited(built: Built, path: str = "index.html") -> list[str]:
    return [link["href"] for link in built.page(path).select("cite a[href]")]  # type: ignore[misc]  # a href is one text


def test_a_question_becomes_the_sentence_that_answers_it_with_its_source(site: Site) -> None:
    built = site.build({"index.md": f"# Home\n\nFirst.\n\n{expiry()}\nLast.\n", "auth.md": AUTH})
    assert built.text("blockquote.recall p") == (
        "A session expires after a day without activity. — Auth"
    )
    assert cited(built) == ["auth/#auth"]
    assert [tag.name for tag in built.tag("article").find_all(recursive=False)] == [
        *("h1", "p", "blockquote", "p")
    ]
    assert built.warnings == []


@pytest.mark.parametrize("case", BUILDS.values(), ids=BUILDS)
def test_a_build_shows_what_an_author_asks_for(site: Site, case: dict[str, Any]) -> None:
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
def test_every_link_of_a_quote_leads_to_a_page_and_an_id_that_are_there(
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


SECRET = "# Secret\n\nThe session password is larch.\n"  # noqa: S105 - a page's text
HIDDEN: dict[str, dict[str, Any]] = {
    "its front matter says 'recall: {exclude: true}'": {},
    "it is a draft or excluded from the site": {"draft_docs": "secret.md"},
    "it is a draft or excluded from the site ": {"exclude_docs": "secret.md"},
}


@pytest.mark.parametrize("reason", HIDDEN)
def test_a_hidden_page_is_refused_by_name_and_skipped_by_a_glob(site: Site, reason: str) -> None:
    front = "" if HIDDEN[reason] else "---\nrecall: {exclude: true}\n---\n"
    glob = ask(source='"**"', query="session password", max_sentences=9, min_score=0)
    named = ask(source="secret.md", query="session password")
    built = site.build(
        {"index.md": f"# Home\n\n{glob}\n{named}", "auth.md": AUTH, "secret.md": front + SECRET},
        **HIDDEN[reason],
    )
    assert built.warnings == [
        f"index.md:10: recall: source 'secret.md' cannot be quoted: {reason.strip()}"
    ]
    assert "password is larch" not in built.html()
    assert "A session expires" in built.text("blockquote")


@tabled
def test_equal_sentences_come_in_the_order_of_the_navigation_then_of_the_paths(
    site: Site, nav: list[str], first: str
) -> None:
    fence = ask(source='"**"', query="nine trees", max_sentences=1)
    built = site.build(
        {
            "index.md": f"# Home\n\n{fence}",
            "a.md": "# A\n\nNine trees are pines.\n",
            "z.md": "# Z\n\nNine trees are larches.\n",
        },
        nav=nav,
    )
    assert f"Nine trees are {first}." in built.text("blockquote")


def test_a_site_wide_default_holds_where_the_fence_says_nothing(site: Site) -> None:
    loose = ask(source="auth.md", query="session cookie secret")
    own = ask(source="auth.md", query="session cookie secret", max_sentences=2, format="list")
    built = site.build(
        {
            "index.md": f"# Home\n\n{loose}\n{own}\n{ask('synopsis', source='auth.md')}",
            "auth.md": AUTH,
        },
        recall={"max_sentences": 1, "format": "admonition", "cite": False, "scorer": "bm25"},
    )
    page = built.page()
    assert built.warnings == []
    assert cited(built) == []
    assert len(page.select("div.admonition.quote.recall > p")) == 2  # its title and one sentence
    assert "no secret" in built.text("ul.recall")
    assert len(page.select("div.admonition.quote.synopsis > p")) == 2


@tabled
def test_an_impossible_default_is_told(site: Site, settings: dict[str, Any], message: str) -> None:
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


@tabled
def test_an_unknown_nested_setting_stops_the_build_with_the_one_that_is_meant(
    site: Site, settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(Abort):
        site.build({"index.md": "# Home\n"}, recall=settings)
    assert [r.getMessage() for r in site.records if message in r.getMessage()]


def test_with_on_error_raise_the_build_stops_at_a_mistake(site: Site) -> None:
    with pytest.raises(Abort):
        site.build({"index.md": ask(query="x", scorer="bm52")}, recall={"on_error": "raise"})
    errors = [r.getMessage() for r in site.records if r.levelno >= logging.WARNING]
    message = "unknown scorer 'bm52'; did you mean 'bm25'? (structure, coverage, overlap, bm25)"
    assert errors == [f"index.md:3: recall: {message}"]


def test_a_mistake_fails_a_strict_build_and_no_other(site: Site) -> None:
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
def test_one_line_at_the_end_counts_the_answers(site: Site, fences: int, line: list[str]) -> None:
    asked = [ask(source="auth.md", query="kangaroo"), expiry(), ask("synopsis", source="auth.md")]
    page = "# Home\n\n" + "\n".join(asked[:fences])
    assert site.build({"index.md": page, "auth.md": AUTH}).infos == line


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
def test_a_synopsis_in_place_of_an_answer_is_warned_of(site: Site, query: str, why: str) -> None:
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


def test_an_embedm_fence_is_answered_by_a_synopsis_without_a_warning(site: Site) -> None:
    fence = "```yaml embedm\ntype: recall\nsource: auth.md\nquery: kangaroo\n{}```\n"
    assert site.build({"index.md": fence.format(""), "auth.md": AUTH}).warnings == []
    assert len(site.build(recall={"on_empty": "warn"}).warnings) == 1
    site.write({"index.md": fence.format("on_empty: synopsis\n")})
    assert site.build(recall={"on_empty": "warn"}).warnings == []


@pytest.mark.parametrize("empty", ["", "# Nothing\n"])
def test_an_embedm_fence_on_an_empty_source_shows_only_a_note(site: Site, empty: str) -> None:
    page = (
        "```yaml embedm\ntype: recall\nsource: empty.md\nquery: kangaroo\n```\n\n"
        "```yaml embedm\ntype: synopsis\nsource: empty.md\n```\n"
    )
    site.write({"index.md": page, "empty.md": empty, "auth.md": AUTH})
    for on_empty in ("synopsis", "warn"):
        built = site.build(recall={"on_empty": on_empty})
        assert built.warnings == []
        notes = [" ".join(note.get_text().split()) for note in built.page().select(".recall-note")]
        assert notes == [
            "Note No relevant content could be retrieved.",
            "Note No summary could be generated.",
        ]
    site.write({"index.md": page.replace("source", "on_empty: error\nsource", 1)})
    [warning] = site.build().warnings
    assert "no sentence answers the query" in warning


def test_a_directive_takes_a_low_score_for_no_answer_unless_told_otherwise(site: Site) -> None:
    query = "who carves the wooden flutes that shepherds blow after each session"
    weak = ask(source="auth.md", query=query, max_sentences=1, on_empty="warn")
    told = ask(source="auth.md", query=query, max_sentences=1, on_empty="warn", min_score=0)
    built = site.build({"index.md": f"# Home\n\n{weak}", "told.md": told, "auth.md": AUTH})
    [warning] = built.warnings
    assert warning.startswith("index.md:3: recall: no sentence answers the query well enough")
    assert re.search(r"the best scores 0\.[0-3]\d, 'min_score' is 0\.\d\d\)", warning)


@tabled
def test_a_citation_stands_where_it_is_wanted(site: Site, cite: str, page: str, links: int) -> None:
    fence = ask(source=page, query="session", max_sentences=1, cite=cite)
    built = site.build({"index.md": f"# Home\n\nOne session is open.\n\n{fence}", "auth.md": AUTH})
    assert len(cited(built)) == links
    if page == "index.md":
        assert cited(built) == ["#home"] * links


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


GENERATE = """
from mkdocs.structure.files import File

def on_files(files, config):
    text = "\\ufeff# Made\\r\\n\\r\\nThe made page holds a session.\\r\\n\\r\\n```recall\\r\\n"
    text += "source: auth.md\\r\\nquery: expires\\r\\nmax_sentences: 1\\r\\n```\\r\\n\\r\\n"
    text += "```recall\\r\\nquery: 5\\r\\n```\\r\\n"
    files.append(File.generated(config, "made.md", content=text))
    return files
"""


def test_a_generated_page_asks_and_is_asked_like_any_other(site: Site) -> None:
    fence = ask(source="made.md", query="made session", max_sentences=1)
    built = site.build({"index.md": f"# Home\n\n{fence}", "auth.md": AUTH}, hook=GENERATE)
    assert "The made page holds a session." in built.text("blockquote")
    assert "A session expires after a day" in built.text("blockquote", "made/index.html")
    assert built.warnings == [
        "made.md:12: recall: 'query' must be text, not a number; put it in quotes: \"5\""
    ]


@tabled
def test_the_line_is_the_author_s_where_a_hook_has_changed_the_page(
    site: Site, change: str, place: str
) -> None:
    page = f"---\ntitle: T\n---\n\n# Home\n\nOne.\n{ask(query='x', scorer='bad')}"
    hook = f"def on_page_markdown(markdown, **kwargs):\n    return {change}\n"
    built = site.build({"index.md": page}, hook=hook)
    assert built.warnings
    assert {warning.split(": recall:")[0] for warning in built.warnings} == {place}


COPY_BEFORE = """
def on_env(env, config, files):
    page = files.get_file_from_path("deep/er/list.md").page
    page.excerpt = files.get_file_from_path("index.md").page.content
    return env

def on_page_context(context, page, config, nav):
    excerpt = getattr(page, "excerpt", "")
    page.content += excerpt.replace("<!-- recall", "<!-- not filled in on_env")
    return context
"""
COPY_LATE = """
kept = {}

def on_page_content(html, page, config, files):
    kept[page.file.src_uri] = html
    return html

def on_page_context(context, page, config, nav):
    if page.file.src_uri == "deep/er/list.md":
        page.content += kept["index.md"]
    return context
"""


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


SPREAD = (
    "# Tokens\n\nIs it late?\n\nTokens open doors for a year.\n\n"
    "A token opens doors for every guest.\n\n"
    "Keys are cut from steel by hand.\n\nThe tokens of guests open doors by day.\n\n"
    "This page explains all tokens of the house.\n"
)


@tabled
def test_each_option_reaches_the_answer(site: Site, name: str, options: dict[str, object]) -> None:
    common: dict[str, object] = {"source": "tokens.md", "max_sentences": 2}
    if name == "recall":
        common |= {"query": "for guest door", "context": 0}
    pages = {"tokens.md": SPREAD, "index.md": ask(name, **common)}
    without = site.build(pages).text("blockquote")
    pages["index.md"] = ask(name, **common, **options)
    assert site.build(pages).text("blockquote") != without
