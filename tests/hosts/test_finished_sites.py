"""`mkdocs-recall fill` on folders of other generators: names, links, leftovers, exit statuses."""

from __future__ import annotations

import os
import sys
from errno import EACCES
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from tables import tabled
from terminal import Terminal

from mkdocs_recall.hosts.html_fences import fence_comment, fence_text
from mkdocs_recall.pages.built import SourceNames
from mkdocs_recall.text.theme import FENCE_END

ASKED = "source: {}\nquery: when does a session expire?"
KEYS = "<h1 id=keys>Keys</h1><p>A session expires after 12 hours.</p><p>Keys are renewed.</p>"


def page(body: str) -> str:
    return f"<!doctype html><html lang=en><body><main>{body}</main></body></html>"


def directive(source: str) -> str:
    return f'<pre><code class="language-recall">{ASKED.format(source)}</code></pre>'


def finished(root: Path, site: dict[str, str], docs: dict[str, str] | None = None) -> Terminal:
    terminal = Terminal(root)
    terminal.write({name: page(body) for name, body in site.items()}, folder="site")
    terminal.write(dict(docs or {}))
    return terminal


def links(root: Path, path: str = "index.html") -> list[str]:
    soup = BeautifulSoup((root / "site" / path).read_text(), "html.parser")
    return [str(link["href"]) for link in soup.select("cite a")]


def test_a_file_and_a_folder_index_of_one_name_are_two_pages(tmp_path: Path) -> None:
    body = directive("guide.md") + directive("guide/index.md")
    terminal = finished(
        tmp_path,
        {"index.html": body, "guide.html": KEYS, "guide/index.html": KEYS},
        {"index.md": "# Home", "guide.md": "# Guide", "guide/index.md": "# Guides"},
    )
    outcome = terminal.run("fill", "site", "--docs", "docs", "--strict")
    assert outcome.status == 0, outcome.err
    assert links(tmp_path) == ["guide.html#keys", "guide/#keys"]


@tabled
def test_each_page_has_its_source(tmp_path: Path, page: str, source: str | None) -> None:
    pages = ["a.html", "a/index.html", "b/index.html", "c/index.html", "d/index.html"]
    files = ["a.md", "a/README.md", "b.md", "c/_index.md", "index.rst", "README.md", "My Post.md"]
    Terminal(tmp_path).write(dict.fromkeys(files, "# A"))
    names = SourceNames(tmp_path / "docs")
    assert names.destinations([*pages, "index.html", "my-post/index.html"]).get(page) == source


@pytest.mark.parametrize("name", ["a b", "50%20", "a#b", "a;b"])
def test_links_lead_to_pages_whose_names_urls_encode(tmp_path: Path, name: str) -> None:
    asking = f"{name}/asking.html"
    terminal = finished(tmp_path, {asking: directive('"**"'), f"{name}/keys.html": KEYS})
    assert terminal.run("fill", "site", "--strict").status == 0
    assert links(tmp_path, asking) == ["keys.html#keys"]
    below = tmp_path / "below"
    terminal = finished(below, {"index.html": directive('"**"'), f"{name}/keys.html": KEYS})
    assert terminal.run("fill", "site", "--strict").status == 0
    encoded = name.replace("%", "%25").replace(" ", "%20").replace("#", "%23").replace(";", "%3B")
    assert links(below) == [f"{encoded}/keys.html#keys"]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_a_file_whose_name_is_not_text_is_quoted_and_filled(tmp_path: Path) -> None:
    terminal = finished(tmp_path, {"index.html": directive('"**"'), "keys.html": KEYS})
    site = os.fsencode(tmp_path / "site")
    os.rename(site + b"/keys.html", site + b"/caf\xe9.html")  # noqa: PTH104
    with open(site + b"/\xff.html", "w") as file:  # noqa: PTH123
        file.write(page(directive("nowhere.html")))
    outcome = terminal.run("fill", "site")
    assert "1 of 2 directives answered" in outcome.err
    assert links(tmp_path) == ["caf%E9.html#keys"]


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_a_link_to_a_page_of_the_site_does_not_change_that_page(tmp_path: Path) -> None:
    terminal = finished(tmp_path, {"index.html": directive("keys.html"), "keys.html": KEYS})
    (tmp_path / "site/more").mkdir()
    (tmp_path / "site/more/home.html").symlink_to("../index.html")
    outcome = terminal.run("fill", "site", "--strict")
    assert outcome.err == "1 of 1 directive answered, 0 by fallback; 1 file changed.\n"
    assert links(tmp_path) == ["keys.html#keys"]


def test_an_open_page_on_windows_is_named_and_filled_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Windows replaces no file that is open; the other pages are filled."""
    from mkdocs_recall.cli.main import main

    asking = directive("keys.html")
    terminal = finished(tmp_path, {"a.html": asking, "b.html": asking, "keys.html": KEYS})
    before, replace = (tmp_path / "site/a.html").read_bytes(), Path.replace

    def refuse(path: Path, target: Path) -> Path:
        if target.name == "a.html":
            raise PermissionError(EACCES, "Access is denied")
        return replace(path, target)

    with monkeypatch.context() as patched:
        patched.chdir(tmp_path)
        patched.setattr(Path, "replace", refuse)
        with pytest.raises(SystemExit) as ended:
            main(["fill", "site"])
    assert ended.value.code == 2
    path = Path("site/a.html")
    assert f"'{path}' cannot be written: Access is denied" in capsys.readouterr().err
    assert (tmp_path / path).read_bytes() == before
    assert "expires" in (tmp_path / "site/b.html").read_text("utf-8")
    assert not list((tmp_path / "site").glob("*.new"))
    assert terminal.run("fill", "site").status == 0
    assert "expires" in (tmp_path / path).read_text("utf-8")


def test_a_fence_shown_as_an_example_accounts_for_no_comment(tmp_path: Path) -> None:
    fence = fence_text("recall", ASKED.format("keys.md"))
    shown = f"````markdown\n{fence}\n````\n\n<!--\n{fence}\n-->\n"
    terminal = finished(
        tmp_path,
        {"index.html": f"<p>A.</p>{fence_comment(fence)}", "keys.html": KEYS},
        {"index.md": f"# A\n\n{shown}", "keys.md": "# Keys"},
    )
    assert (
        "asks for a quote that the page's source"
        in terminal.run("fill", "site", "--docs", "docs").err
    )
    real = f"\ufeff---\r\ntitle: A\r\n---\r\n{shown}{fence}\r\n"
    terminal.write({"index.md": real})
    outcome = terminal.run("fill", "site", "--docs", "docs", "--strict")
    assert outcome.err == "1 of 1 directive answered, 0 by fallback; 1 file changed.\n"


def test_a_comment_on_a_page_without_a_source_is_reported_with_both_remedies(
    tmp_path: Path,
) -> None:
    terminal = finished(tmp_path, {"index.html": directive("keys.html"), "keys.html": KEYS})
    assert terminal.run("fill", "site", "--strict").status == 0
    before = (tmp_path / "site/index.html").read_bytes()
    (tmp_path / "site/keys.html").write_text(page(KEYS.replace("12", "13")))
    outcome = terminal.run("fill", "site", "--strict")
    assert outcome.status == 1
    assert "Warning: index.html: no source of this page is known" in outcome.err
    assert "'--docs'" in outcome.err
    assert (tmp_path / "site/index.html").read_bytes() == before
    assert terminal.run("fill", "site", "--strict", "--trust-html").status == 0


def test_an_author_s_text_before_a_stray_end_stays_and_is_quoted(tmp_path: Path) -> None:
    comment = fence_comment(fence_text("synopsis", "source: keys.html"))
    stray = f"{comment}{KEYS}{FENCE_END}<p>More is below.</p>"
    terminal = finished(tmp_path, {"index.html": directive("stray.html"), "stray.html": stray})
    terminal.run("fill", "site")
    assert links(tmp_path) == ["stray.html#keys"]
    assert KEYS in (tmp_path / "site/stray.html").read_text()


def test_a_page_without_a_directive_need_not_be_utf_8(tmp_path: Path) -> None:
    terminal = finished(tmp_path, {"index.html": directive("keys.html"), "keys.html": KEYS})
    (tmp_path / "site/old.html").write_bytes(b"<p>The query of the caf\xe9 and its source.")
    assert terminal.run("fill", "site", "--strict").status == 0


@pytest.mark.parametrize(("on_error", "status"), [("warn", 0), ("raise", 1)])
def test_an_error_fails_where_the_site_says_so(tmp_path: Path, on_error: str, status: int) -> None:
    asked = {"index.md": f"```recall\n{ASKED.format('none.html')}\n```\n"}
    terminal = finished(tmp_path, {"index.html": directive("none.html")}, asked)
    terminal.configure(f"site_name: A\nplugins: [{{recall: {{on_error: {on_error}}}}}]\n")
    for _ in range(2):  # the second time from the cache
        assert terminal.run("fill", "site").status == status
    (tmp_path / "site/index.html").write_text(page(""))
    outcome = terminal.run("fill", "site")
    assert (outcome.status, outcome.err) == (0, "No directive is in the only page of the site.\n")
