"""`mkdocs-recall fill` makes of a finished site what a build with the plugin would make."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from conftest import Site
from other_site import SITES, flux, put_copy
from tables import beside, tabled
from terminal import Outcome, Terminal

from mkdocs_recall.cli.output import Status
from mkdocs_recall.cli.write import _write
from mkdocs_recall.hosts.fill import FilledSite, FillState
from mkdocs_recall.hosts.html_fences import COMMENT, fence_comment, fence_text
from mkdocs_recall.text.theme import FENCE_END

AUTH = "# Sign-in\n\nIntro.\n\n## Expiry\n\nA session expires after 12 hours.\n\n## Keys\n\nKeys.\n"
HOME: str = beside(__file__)["HOME"]
PAGES = {"index.md": HOME, "guide/auth.md": AUTH}
SUPERFENCES = ["pymdownx.superfences", {"pymdownx.highlight": {"use_pygments": False}}]


def plain(site: Site, pages: dict[str, str | bytes] | None = None) -> Terminal:
    """Build a site without the plugin, as another generator would; its fences come out as code."""
    site.build(pages or PAGES, plugins=[], markdown_extensions=SUPERFENCES)
    return Terminal(site.root)


def html(site: Site, path: str = "index.html") -> str:
    return (site.root / "site" / path).read_bytes().decode()


def quotes(text: str) -> list[str]:
    """Return the quotes, without what only those of a filled site have, for another search."""
    soup = BeautifulSoup(text, "html.parser")
    for quote in soup.select("[data-pagefind-ignore]"):
        del quote["data-pagefind-ignore"]
    return [str(quote) for quote in soup.select("[data-search-exclude]")]


def files(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def filled(terminal: Terminal, *more: str) -> Outcome:
    outcome = terminal.run("fill", "site", *more)
    assert (outcome.status, outcome.out) == (0, ""), outcome
    return outcome


SECTION: str = beside(__file__)["SECTION"]


@pytest.mark.parametrize("more", [1, 400])
def test_icons_and_quotes_in_a_section_are_those_of_a_build(site: Site, more: int) -> None:
    rest = "A *paragraph* of the rest.\n\n" * more  # a long page is hardened before it is parsed
    pages: dict[str, str | bytes] = {
        "index.md": "# Home\n\n```recall\nsource: plans.md#features\n```\n",
        "plans.md": SECTION + rest,
        "auth.md": AUTH,
    }
    terminal = plain(site, pages)
    filled(terminal)
    written = quotes(html(site))
    assert written[0].count("<svg") == 1
    assert "Keys." in written[0]
    site.build(pages, markdown_extensions=[*SUPERFENCES, "tables"])
    assert written == quotes(html(site))


def test_the_quotes_are_those_of_a_build_with_the_plugin(site: Site) -> None:
    terminal = plain(site)
    outcome = filled(terminal)
    assert outcome.err == "3 of 3 directives answered, 0 by fallback; 1 file changed.\n"
    quoted = quotes(html(site))
    assert len(quoted) == html(site).count(" data-pagefind-ignore>") == 3
    assert "language-recall" not in html(site)

    site.configure(markdown_extensions=SUPERFENCES)
    assert quotes(site.rebuild().html()) == quoted


def test_a_filled_site_comes_out_the_same_when_it_is_filled_again(site: Site) -> None:
    terminal = plain(site)
    filled(terminal)
    once = files(site.root / "site")
    for arguments in ((), ("--check",), ("--strict",)):
        assert "0 files changed" in filled(terminal, *arguments).err
        assert files(site.root / "site") == once


def test_a_quote_is_made_again_where_its_source_has_changed(site: Site) -> None:
    terminal = plain(site)
    filled(terminal)
    page = site.root / "site/guide/auth/index.html"
    page.write_text(page.read_text().replace("12 hours", "30 minutes"))
    outcome = terminal.run("fill", "site", "--check")
    assert outcome.status == 3
    assert f"'{os.path.join('site', 'index.html')}' would change." in outcome.err
    assert "12 hours" in html(site)
    filled(terminal)
    assert "30 minutes" in html(site)
    assert "12 hours" not in html(site)


def test_nothing_changes_but_the_directives(site: Site) -> None:
    hook = (
        "def on_post_page(output, page, config):\n"
        "    return '\\ufeff' + output.replace('\\n', '\\r\\n') + '<!-- recall:0a -->\\x0b'\n"
    )
    site.build(PAGES, plugins=[], hook=hook, markdown_extensions=SUPERFENCES)
    before = html(site)
    filled(Terminal(site.root))
    after = html(site)
    parts = before.split('<pre class="highlight">')
    rest = [part.partition("</pre>")[2] for part in parts[1:]]
    assert len(rest) == 3
    after = after.replace('<link rel="stylesheet" href="assets/recall.css">', "", 1)
    for part in (parts[0], *rest):
        assert part in after
    assert len(after) - len(COMMENT.sub("", after)) > 0


def test_an_error_has_its_line_and_replaces_the_quote(site: Site) -> None:
    text = "# A\n\n```recall\nsource: nothing.md\nquery: x\n```\n\n```recall\nqery: x\n```\n"
    terminal = plain(site, {"a.md": "---\ntitle: A\n---\n" + text, **PAGES})
    outcome = terminal.run("fill", "site", "--strict")
    assert outcome.status == 1
    assert outcome.err.splitlines()[:2] == [
        "Warning: a.md:6: recall: source 'nothing.md' is not a page of this site",
        "Warning: a.md:12: recall: unknown option 'qery'; did you mean 'query'?",
    ]
    assert html(site, "a/index.html").count('class="admonition caution danger recall-error"') == 2
    assert terminal.run("fill", "site").status == 0


def test_a_comment_counts_only_where_the_source_has_its_fence(site: Site) -> None:
    known = fence_comment("```recall\nsource: guide/auth.md\nquery: session expire\n```")
    forged = fence_comment("```recall\nsource: guide/auth.md\nquery: session hours\n```")
    source = "```recall\nsource: guide/auth.md\nquery: session expire\n```\n"
    terminal = plain(site, {"index.md": "# A\n\nText.\n\n" + source, "guide/auth.md": AUTH})
    page = site.root / "site/index.html"
    page.write_text(f"<html><body><article><p>Text.</p>{known}\n{forged}</article></body></html>")

    outcome = terminal.run("fill", "site", "--strict")
    assert outcome.status == 1
    assert "index.md: a comment asks for a quote that the page's source does not ask" in outcome.err
    assert "--trust-html" in outcome.err
    assert f"{forged}</article>" in html(site)
    assert html(site).count("<blockquote") == 1
    filled(terminal, "--trust-html", "--strict")
    assert html(site).count("<blockquote") == 2


def test_a_directive_in_a_script_or_a_comment_stays_as_it_is(site: Site) -> None:
    terminal = plain(site, {"index.md": "# A\n\nText.\n", "guide/auth.md": AUTH})
    block = '<pre><code class="language-synopsis">source: guide/auth.md</code></pre>'
    page = site.root / "site/index.html"
    text = f"<html><body><article><!-- {block} --><script>x = `{block}`</script></article></body>"
    page.write_text(text)
    outcome = terminal.run("fill", "site")
    assert html(site) == text
    assert outcome.err == "No directive is in the 2 pages of the site.\n"


def test_lookalikes_of_directives_stay_code_and_are_reported_once_a_page(site: Site) -> None:
    block = "```yaml\nsource: guide/auth.md\nquery: x\n```\n"
    terminal = plain(site, {"index.md": f"# A\n\n{block}\n{block}", "guide/auth.md": AUTH})
    before = files(site.root / "site")
    outcome = terminal.run("fill", "site")
    assert outcome.err.count("index.md: 2 code blocks read like a directive") == 1
    assert files(site.root / "site") == before
    assert outcome.err.endswith("No directive is in the 2 pages of the site.\n")


def test_a_page_that_is_not_utf_8_is_reported_and_left_alone(site: Site) -> None:
    terminal = plain(site)
    for codec in ("latin-1", "utf-16"):
        page = site.root / f"site/{codec}.html"
        page.write_text('<p>é</p><pre><code class="language-recall">query: x</code></pre>', codec)
        before = page.read_bytes()
        outcome = terminal.run("fill", "site", "--strict")
        assert outcome.status == 1
        assert f"{codec}.html: is not UTF-8, so its directives are not answered" in outcome.err
        assert page.read_bytes() == before
    assert "3 of 3 directives answered" in outcome.err


HUGO = {
    "content/_index.md": "# Home\n",
    "content/docs/_index.md": "# Docs\n",
    "content/docs/Sign In.md": AUTH,
}
CODE = '<div class="highlight"><pre><code class="language-recall">{}</code></pre></div>'


def hugo(root: Path, *directives: str) -> Terminal:
    body = "".join(map(CODE.format, directives))
    pages = {
        "index.html": f"<h1>Home</h1><p>This is home.</p>{body}",
        "docs/index.html": "<h1>Docs</h1><p>All of the docs are here.</p>",
        "docs/sign-in/index.html": "<h1>Sign-in</h1><section id=expiry><h2>Expiry</h2><p>A session "
        "expires after 12 hours.</p></section><p>Another sentence on keys.</p>",
    }
    for path, text in HUGO.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    for path, text in pages.items():
        (root / "public" / path).parent.mkdir(parents=True, exist_ok=True)
        html = f"<!doctype html><html lang=en><body><main>{text}</main></body></html>"
        (root / "public" / path).write_text(html)
    return Terminal(root)


NAMES = ("docs/Sign In.md", "docs/Sign In#expiry", "docs/Sign In", "docs/**", "docs/", '"**"')


@pytest.mark.parametrize("where", [["--docs", "content"], ["--map", "content/{}.md={}/index.html"]])
def test_a_foreign_site_is_asked_by_the_authors_names(tmp_path: Path, where: list[str]) -> None:
    asked = "source: {}\nquery: when does a session expire?"
    terminal = hugo(tmp_path, *map(asked.format, NAMES))
    said = terminal.run("fill", "public", *where, "--strict")
    assert said.status == 0, said.err
    page = BeautifulSoup((tmp_path / "public/index.html").read_text(), "html.parser")
    quotes = page.select("blockquote.recall")
    assert ["A session expires after 12 hours." in one.get_text() for one in quotes] == [True] * 6
    assert [a["href"] for a in page.select(".recall cite a")] == ["docs/sign-in/#expiry"] * 6


def test_a_source_from_the_root_gets_the_working_name_suggested(tmp_path: Path) -> None:
    terminal = hugo(tmp_path)
    for path, source in {"docs": "Sign In.md#expiry", "docs/sign-in": "_index.md#d"}.items():
        page = tmp_path / "public" / path / "index.html"
        page.write_text(CODE.format(f"source: docs/{source}"))
        outcome = terminal.run("fill", "public", "--docs", "content")
        assert f"did you mean '{source}'?" in outcome.err


def test_a_lock_has_what_is_filled_under_the_names_of_the_sources(tmp_path: Path) -> None:
    """The text of a source is not what its page says: shortcodes are not resolved in it."""
    fence = "source: docs/Sign In.md\nquery: when does a session expire?"
    terminal = hugo(tmp_path, fence)
    (tmp_path / "content/docs/Sign In.md").write_text("# Sign-in\n\n{{< include expiry >}}\n")
    (tmp_path / "content/_index.md").write_text(
        f"# Home\n\n````{{note}}\n```recall\n{fence}\n```\n````"
    )
    where = "--built", "public", "--docs", "content"
    for _ in range(2):
        assert terminal.run("lock", *where).err == "'recall.lock' holds 1 answer.\n"
        lock = (tmp_path / "recall.lock").read_text()
        assert "page: _index.md" in lock
        assert "docs/Sign In.md#expiry" in lock
        assert "A session expires after 12 hours." in lock
        assert terminal.run("fill", "public", "--docs", "content", "--strict").status == 0
        assert terminal.run("check", *where).status == 0
    assert "1 exact" in terminal.run("verify", "public/index.html", *where).err
    page = tmp_path / "public/docs/sign-in/index.html"
    page.write_text(page.read_text().replace("12 hours", "30 minutes"))
    outcome = terminal.run("check", *where)
    assert outcome.status == 3
    assert outcome.out.startswith(
        "content/_index.md:4: recall 'when does a session expire?': answer ch"
    )


def test_two_files_with_one_name_are_reported(tmp_path: Path) -> None:
    terminal = hugo(tmp_path)
    maps = ["--map", "content/docs/{}.md={}.html", "--map", "content/{}.md={}/index.html"]
    said = terminal.run("fill", "public", *maps)
    assert said.status == 2
    assert "'content/docs/_index.md' and 'content/_index.md' would both be '_index.md'" in said.err


@pytest.mark.parametrize("layout", ["content/{language}/{name}.md", "content/{name}.{language}.md"])
def test_each_language_is_a_site_of_its_own(tmp_path: Path, layout: str) -> None:
    """Hugo writes the default language beside the folders of the others."""
    query = "query: where is the cupboard key?"
    fences = f'source: "**"\n{query}', f"source: /rooms\n{query}"
    text = {code: f"The cupboard key is in room {code}." for code in ("en", "de", "fr")}
    for language, sentence in text.items():
        site = tmp_path / "public" / ("" if language == "en" else language)
        for path, body in {
            "index.html": "".join(map(CODE.format, fences)),
            "rooms/index.html": f"<h1>R</h1><p>{sentence}</p><p>Two sentences are here.</p>",
        }.items():
            (site / path).parent.mkdir(parents=True, exist_ok=True)
            html = f"<html lang={language}><body><main>{body}</main></body></html>"
            (site / path).write_text(html)
        for name in ("_index", "rooms"):
            file = tmp_path / layout.format(language=language, name=name)
            file = file.with_name(file.name.replace(".en.", "."))
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("".join(f"```recall\n{fence}\n```\n\n" for fence in fences))
    terminal = Terminal(tmp_path)
    by_folder = "{language}/" in layout
    for _ in range(2):
        for language in text:
            docs = f"content/{language}" if by_folder else "content"
            site_dir = "public" if language == "en" else f"public/{language}"
            outcome = terminal.run("fill", site_dir, "--docs", docs, "--strict")
            assert outcome.status == 0, outcome.err
            assert "2 of 2 directives answered" in outcome.err
            note = f"'{os.path.join('public', 'de')}' is in another language; fill it separately."
            assert (note in outcome.err) == (language == "en")
    for language, sentence in text.items():
        home = tmp_path / "public" / ("" if language == "en" else language) / "index.html"
        soup = BeautifulSoup(home.read_text(), "html.parser")
        quoted = [quote.get_text() for quote in soup.select(".recall")]
        assert len(quoted) == 2
        assert all(sentence in one for one in quoted)
        assert not any(
            other in one for one in quoted for other in text.values() if other != sentence
        )


def test_without_its_sources_a_site_is_asked_by_its_own_paths(tmp_path: Path) -> None:
    query = "query: when does a session expire?"
    terminal = hugo(tmp_path, f"source: docs/sign-in/index.html\n{query}")
    outcome = terminal.run("fill", "public", "--strict")
    assert outcome.status == 0, outcome.err
    assert "12 hours" in (tmp_path / "public/index.html").read_text().partition("<blockquote")[2]
    assert "no source of this page is known" in terminal.run("fill", "public").err  # a comment now


@tabled
def test_a_wrong_argument_is_reported(tmp_path: Path, arguments: list[str], message: str) -> None:
    outcome = hugo(tmp_path, "query: x").run("fill", *arguments)
    assert (outcome.status, outcome.out) == (2, "")
    assert message in outcome.err


GENERATOR: str = beside(__file__)["GENERATOR"]


@pytest.mark.parametrize("status", [0, 4])
def test_a_site_is_filled_whenever_a_command_has_written_it(site: Site, status: int) -> None:
    terminal = plain(site)
    (site.root / "generator.py").write_text(GENERATOR)
    command = ["--", sys.executable, "generator.py", str(status)]
    outcome = terminal.run("fill", "site", *command)
    assert (outcome.status, outcome.out) == (status, "")
    assert "Not filled" not in outcome.err  # although the folder was away for a while
    assert outcome.err.count("3 of 3 directives answered") == 3 - bool(status)
    assert ("30 minutes" in html(site)) == (status == 0)


def test_a_moved_site_is_not_made_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A generator that runs moves it back, and fails where a folder is in its place."""
    site = tmp_path / "site"
    assert _write({str(site / "guide/index.html"): b"x"}, site) is Status.WRONG
    assert "index.html' cannot be written: No such file or directory" in capsys.readouterr().err
    assert not site.exists()


@pytest.mark.parametrize("quote", ["", '"'], ids=["minified", "plain"])
def test_quoted_code_keeps_what_colours_it(tmp_path: Path, quote: str) -> None:
    code = (
        "<div class=~highlight~><pre tabindex=~0~ class=~chroma~><code class=~language-sh~>"
        "<span class=~nb~>echo</span> hi\n</code></pre></div><p>Or this:</p>"
        "<pre><code class=~language-sh~>ls\n</code></pre>"
    ).replace("~", quote)
    query = "query: how do I start the kiln?"
    terminal = hugo(tmp_path, f"source: docs/_index.md\n{query}", "source: docs/_index.md#top")
    page = tmp_path / "public/docs/index.html"
    page.write_text(f"<main><h1 id=top>Docs</h1><p>Start the kiln like this:</p>{code}</main>")
    assert terminal.run("fill", "public", "--docs", "content", "--strict").status == 0
    soup = BeautifulSoup((tmp_path / "public/index.html").read_text(), "html.parser")
    assert len(soup.select(".recall .chroma .nb")) == 2
    assert len(soup.select(".recall code.language-sh")) == 4


def test_menus_footers_and_what_the_search_leaves_out_are_not_quoted(tmp_path: Path) -> None:
    terminal = hugo(
        tmp_path, "source: docs/_index.md\nquery: does a session expire?\non_empty: omit"
    )
    (tmp_path / "public/docs/index.html").write_text(
        "<html><body><nav>A session expires in the menu.</nav><main><article><h1>Docs</h1>"
        "<div class=toc role=navigation>A session expires in the contents.</div>"
        "<footer>A session expires in the footer.</footer></article></main>"
        "<footer>A session expires below.</footer></body></html>"
    )
    terminal.run("fill", "public", "--docs", "content")
    assert "<blockquote" not in (tmp_path / "public/index.html").read_text()


def test_an_unwritable_file_is_named_and_others_are_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "taken.html").mkdir()
    good = tmp_path / "good.html"
    assert _write({str(tmp_path / "taken.html"): b"x", str(good): b"y"}, tmp_path) is Status.WRONG
    assert "taken.html' cannot be written: it exists, and is not" in capsys.readouterr().err
    assert good.read_bytes() == b"y"


def test_an_unchanged_site_is_not_read_again_and_says_the_same(site: Site) -> None:
    wrong = "```recall\nsource: nothing.md\nquery: x\n```\n"
    terminal = plain(site, {**PAGES, "wrong.md": f"# Wrong\n\n{wrong}"})
    first = terminal.run("fill", "site")
    again = terminal.run("fill", "site")
    assert again.err == first.err.replace("2 files", "0 files")
    (site.docs / "wrong.md").write_text(f"# Wrong\n\nA line more.\n\n{wrong}")
    assert "wrong.md:5: recall" in terminal.run("fill", "site").err
    config = site.root / "mkdocs.yml"
    config.write_text(
        config.read_text().replace("plugins: []", "plugins: [{recall: {cite: false}}]")
    )
    outcome = filled(terminal)
    assert "changed." in outcome.err
    assert "<cite>" not in html(site)


def test_a_site_rewritten_during_fill_is_read_again(tmp_path: Path) -> None:
    state = FillState(tmp_path / "cache", "site")
    files = [str(tmp_path / name) for name in ("filled.html", "generated.html")]
    for written, is_known in ((files[1], False), (files[0], True)):
        assert state.read(files) is None
        Path(written).write_text(written)
        state.write(files, FilledSite(files={files[0]: b""}))
        assert (state.read(files) is not None) is is_known


def test_front_matter_of_the_sources_counts(site: Site) -> None:
    asked = "source: guide/auth.md\nquery: session expire\ntemporal: {now: 2026-01-01}"
    fence = f"```recall\n{asked}\n```\n"
    terminal = plain(site, {"index.md": f"# A\n\n{fence}", "guide/auth.md": AUTH})
    filled(terminal)
    assert "12 hours" in html(site)
    fences = html(site)
    (site.docs / "guide/auth.md").write_text("---\nt_expired: 2025-01-01\n---\n" + AUTH)
    outcome = terminal.run("fill", "site")
    assert "guide/auth.md' cannot be quoted: it expired" in outcome.err, outcome.err
    assert html(site) != fences


def test_the_comment_and_its_end_stay_around_the_quote(site: Site) -> None:
    terminal = plain(site)
    filled(terminal)
    text = html(site)
    assert len(COMMENT.findall(text)) == text.count(FENCE_END) == 3
    embedm = fence_comment(fence_text("yaml embedm", "type: synopsis\nsource: guide/auth.md"))
    page = site.root / "site/index.html"
    page.write_text(text.replace("</article>", f"<p>{embedm}</p></article>"))
    filled(terminal, "--trust-html")
    assert html(site).count(embedm) == 1
    assert html(site).count("<blockquote") == 4


COMMENTS = ["pymdownx.superfences", "recall"]


def test_the_markdown_extension_leaves_comments_that_are_filled_like_a_build(site: Site) -> None:
    site.build(PAGES, plugins=[], markdown_extensions=COMMENTS)
    assert len(COMMENT.findall(html(site))) == 3
    assert "session expire" not in html(site)
    terminal = Terminal(site.root)
    filled(terminal, "--strict")
    quoted = quotes(html(site))
    assert len(quoted) == 3
    site.configure(markdown_extensions=COMMENTS)
    built = site.rebuild()
    assert quotes(built.html()) == quoted
    assert built.warnings == []
    assert COMMENT.findall(built.html()) == []  # with the plugin, nothing is left to do


def test_a_comment_in_a_paragraph_is_filled_where_a_quote_can_be(site: Site) -> None:
    fence = "```recall\n{0}source: guide/auth.md\n{0}query: session expire\n{0}```"
    tight = f"- One\n- {fence.format('  ')}\n- Two\n\nText\n{fence.format('')}\nmore text.\n"
    site.build({**PAGES, "a.md": f"# A\n\n{tight}"}, plugins=[], markdown_extensions=COMMENTS)
    terminal = Terminal(site.root)
    filled(terminal)
    text = html(site, "a/index.html")
    assert text.count("<blockquote") == len(COMMENT.findall(text)) == 2
    assert BeautifulSoup(text, "html.parser").select("p blockquote") == []
    filled(terminal, "--check")
    assert html(site, "a/index.html") == text


def test_a_page_too_broken_for_its_quotes_keeps_its_comments(tmp_path: Path) -> None:
    comment = fence_comment("```recall\nsource: index.html\nquery: when does it expire?\n```")
    page = f"<main><h1>A</h1><p>It expires after a day.</p>{comment}<p{comment}</p></main>"
    Terminal(tmp_path).write({"index.html": page}, folder="site")
    outcome = Terminal(tmp_path).run("fill", "site", "--trust-html")
    assert "index.html: recall: the HTML around it is too broken to hold a quote" in outcome.err
    assert "0 of 2 directives answered" in outcome.err
    assert (tmp_path / "site/index.html").read_text() == page


def copies(site: Site) -> dict[str, str]:
    """Return what copies of the home page hold, in each format."""
    body = html(site).partition("<article>")[2].partition("</article>")[0]
    escaped = body.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    comment = COMMENT.findall(body)[0]
    return {
        "index.md": f"# Larch\n\n- In a list:\n\n    <!-- recall:fence {comment} -->\n\nMore.\n",
        "llms-full.txt": f"# Larch\n\n<!-- recall:fence {comment} -->\n",
        "feed.xml": f"<rss><item><description>{escaped}</description></item></rss>",
        "cdata.xml": f"<rss><item><description><![CDATA[{body}]]></description></item></rss>",
        "feed.json": json.dumps({"items": [{"content_html": body}]}),
        "slashes.json": json.dumps({"html": body}).replace("/", "\\/"),
    }


def test_copies_are_filled_in_their_format_and_refilled(site: Site) -> None:
    site.build(PAGES, plugins=[], markdown_extensions=COMMENTS)
    for name, text in copies(site).items():
        (site.root / "site" / name).write_text(text)
    terminal = Terminal(site.root)
    assert "7 files changed" in filled(terminal, "--strict").err
    read = {name: (site.root / "site" / name).read_text() for name in copies(site)}
    link = "https://larch.example/guide/auth/#expiry"
    assert (
        f"    > A session expires after 12 hours.\n    >\n    > — [Sign-in › Expiry]({link})"
        in (read["index.md"].replace("\\", ""))
    )
    assert "\n> A session expires after 12 hours." in read["llms-full.txt"]
    assert "&lt;p&gt;A session expires after 12 hours." in read["feed.xml"]
    assert "<p>A session expires after 12 hours." in read["cdata.xml"]
    for name, key in (("feed.json", "content_html"), ("slashes.json", "html")):
        item = json.loads(read[name]).get("items", [json.loads(read[name])])[0]
        assert item[key].count("<blockquote") == 3
    assert all(text.count("recall:fence") > 1 for text in read.values())
    once = files(site.root / "site")
    page = site.root / "site/guide/auth/index.html"
    text = page.read_text()
    page.write_text(text.replace("12 hours", "30 minutes"))
    assert "7 files changed" in filled(terminal).err
    page.write_text(text)
    assert "7 files changed" in filled(terminal).err
    assert files(site.root / "site") == once


def test_a_copy_of_several_pages_whose_quotes_differ_is_reported(site: Site) -> None:
    fence = "```synopsis\nsource: b.md\n```"
    pages: dict[str, str | bytes] = {
        f"{name}/{page}.md": f"# {name}\n\nThe {name} is {page}.\n\n{fence}\n"
        for name in ("larch", "cedar")
        for page in ("index", "b")
    }
    site.build({"index.md": "# Home\n", **pages}, plugins=[], markdown_extensions=COMMENTS)
    [comment] = COMMENT.findall(html(site, "larch/index.html"))
    (site.root / "site/llms.txt").write_text(f"<!-- recall:fence {comment} -->\n")
    (site.root / "site/larch.md").write_text(f"<!-- recall:fence {comment} -->\n")
    outcome = Terminal(site.root).run("fill", "site", "--strict")
    assert outcome.status == 1
    assert "llms.txt: the same directive is on several pages" in outcome.err
    assert (site.root / "site/llms.txt").read_text() == f"<!-- recall:fence {comment} -->\n"
    assert "The larch is b." in (site.root / "site/larch.md").read_text()


def test_a_comment_that_no_page_asks_for_is_reported_and_stays(site: Site) -> None:
    site.build(PAGES, plugins=[], markdown_extensions=COMMENTS)
    comment = fence_comment("```recall\nsource: guide/auth.md\nquery: How old is it?\n```")
    (site.root / "site/llms.txt").write_text(f"{comment}\n")
    outcome = Terminal(site.root).run("fill", "site", "--strict")
    assert outcome.status == 1
    assert "llms.txt: a comment asks for a quote that no page of the site asks for" in outcome.err
    assert (site.root / "site/llms.txt").read_text() == f"{comment}\n"


def test_a_finished_site_notices_a_changed_copy_of_another_site(site: Site) -> None:
    page = '# Larch\n\n```recall\nquery: when does a flux token expire\nsource: "flux:**"\n```\n'
    terminal = plain(site, {"index.md": page})
    site.configure(recall={"sites": SITES})
    put_copy(site.root)
    assert terminal.run("fill", "site", "--config", "mkdocs.yml").status == 0
    assert "Flux &rsaquo; Tokens &rsaquo; Expiry" in html(site)
    put_copy(site.root, data=flux({"index.md": "# Flux\n\nA flux token expires at once.\n"}))
    assert terminal.run("fill", "site", "--config", "mkdocs.yml").status == 0
    assert "expires at once" in html(site)


def test_approved_answers_are_filled_in_as_a_build_quotes_them(site: Site) -> None:
    terminal = plain(site)
    site.configure(recall={"lock": "enforce"})
    assert terminal.run("lock", "--accept").status == 0
    better = "# When does a session expire?\n\nA session does expire at noon.\n"
    plain(site, {**PAGES, "better.md": better})
    site.configure(recall={"lock": "enforce"})
    fill = ("fill", "site", "--config", "mkdocs.yml")
    assert terminal.run(*fill).status == 0
    assert "12 hours" in html(site)
    assert "noon" not in html(site).split("<article", 1)[-1]
    assert terminal.run("lock", "--accept").status == 0
    assert terminal.run(*fill).status == 0  # the site is as it was, but not what is approved
    assert "expire at noon" in html(site)
    plain(site, {**PAGES, "guide/auth.md": AUTH.replace("12 hours", "30 minutes")})
    site.configure(recall={"lock": "enforce"})
    outcome = terminal.run(*fill, "--strict")
    assert outcome.status == 1
    assert "is no longer in its source" in outcome.err


HYDRATED: dict[str, str] = beside(__file__)["HYDRATED"]


def test_a_page_that_its_framework_renders_again_in_the_browser_is_refused(site: Site) -> None:
    """The script would put the code back, and VitePress takes text of the author away."""
    terminal = plain(site)
    page = site.root / "site/index.html"
    text = page.read_text("utf-8")
    block = text[text.index("<pre") : text.index("</pre>") + 6]
    for framework, html in HYDRATED.items():
        page.write_text(text.replace(block, html.replace("BLOCK", block)))
        before = files(site.root / "site")
        outcome = terminal.run("fill", "site")
        name = framework.partition(",")[0]
        assert outcome.status == 2, framework
        assert f"cannot be filled: {name} renders the page again in the browser" in outcome.err
        assert "'mkdocs-recall render docs --output DIR/'" in outcome.err
        assert files(site.root / "site") == before


def test_a_page_about_such_a_framework_is_filled(site: Site) -> None:
    terminal = plain(site)
    page = site.root / "site/index.html"
    island = "<astro-island><p>A button.</p></astro-island>"
    examples = '<code>&lt;div id="__docusaurus"&gt; window.__VP_HASH_MAP__ self.__next_f</code>'
    page.write_text(page.read_text("utf-8").replace("<h1", f"{island}<p>{examples}</p><h1"))
    assert filled(terminal).err.startswith("3 of 3 directives answered")
