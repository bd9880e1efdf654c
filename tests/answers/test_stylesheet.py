"""Pages link to the stylesheet of quotes if the site has any."""

from __future__ import annotations

import pytest
from conftest import Site
from terminal import Terminal

LINK = '<link rel="stylesheet" href="{}assets/recall.css">'
AUTH = "# Sign-in\n\nA session expires after 12 hours.\n"
ASKS = "```recall\nsource: /auth.md\nquery: when does a session expire?\n```\n"
PAGES = {"index.md": ASKS, "deep/er.md": ASKS, "auth.md": AUTH}
STYLES = "assets/recall.css"


@pytest.mark.parametrize("use_directory_urls", [True, False])
def test_pages_of_a_site_with_quotes_link_once_to_the_stylesheet(
    site: Site,
    use_directory_urls: bool,  # noqa: FBT001 - a case of the test
) -> None:
    built = site.build(PAGES, theme="mkdocs", use_directory_urls=use_directory_urls)
    name = "deep/er/index.html" if use_directory_urls else "deep/er.html"
    for path in ("index.html", name):
        (link,) = built.page(path).select('link[href$="recall.css"]')
        assert (built.folder / path).parent.joinpath(str(link["href"])).is_file()
    assert b"cite" in (built.folder / STYLES).read_bytes()
    warm = site.rebuild()
    assert warm.files() == built.files()
    assert (warm.folder / STYLES).is_file()


def test_a_site_without_directives_and_one_that_wants_no_stylesheet_have_none(site: Site) -> None:
    built = site.build({"index.md": AUTH}, theme="mkdocs")
    assert b"recall.css" not in b"".join(built.files().values())
    assert not (built.folder / STYLES).exists()
    built = site.build(PAGES, theme="mkdocs", recall={"css": False})
    assert "A session expires" in built.html()
    assert b"recall.css" not in b"".join(built.files().values())
    assert not (built.folder / STYLES).exists()


def test_the_stylesheets_of_the_author_come_after_it(site: Site) -> None:
    site.write({"own.css": ""})
    built = site.build(PAGES, theme={"name": "mkdocs"}, extra_css=["own.css"])
    html = built.html()
    assert html.index("base.css") < html.index("recall.css") < html.index("own.css")


def test_a_file_of_the_author_takes_the_place_of_the_stylesheet(site: Site) -> None:
    site.write({STYLES: ".recall { color: red }"})
    built = site.build(PAGES, theme="mkdocs")
    assert "recall.css" in built.html()
    assert (built.folder / STYLES).read_text() == ".recall { color: red }"


def test_filling_a_site_adds_one_link_that_stays_as_it_is(site: Site) -> None:
    highlight = {"pymdownx.highlight": {"use_pygments": False}}
    settings = {"plugins": [], "markdown_extensions": ["pymdownx.superfences", highlight]}
    built = site.build(PAGES | {"assets/beside.md": ASKS}, **settings)
    terminal = Terminal(site.root)
    assert terminal.run("fill", "site", "--no-css").status == 0
    assert b"recall.css" not in b"".join(built.files().values())
    assert terminal.run("fill", "site").status == 0
    pages = built.files()
    assert pages["deep/er/index.html"].decode().count(LINK.format("../../")) == 1
    assert pages["assets/beside/index.html"].decode().count(LINK.format("../../")) == 1
    assert b"recall.css" not in pages["auth/index.html"]
    assert (built.folder / STYLES).is_file()
    assert terminal.run("fill", "site", "--check").status == 0
    (built.folder / STYLES).unlink()
    assert terminal.run("fill", "site", "--check").status == 3
    assert terminal.run("fill", "site").status == 0
    assert (built.folder / STYLES).is_file()
    assert built.files() == pages
    assert terminal.run("fill", "site", "--no-css").status == 0
    assert b"recall.css" not in b"".join(built.files().values())


def test_filling_follows_the_option_of_the_site(site: Site) -> None:
    built = site.build(PAGES, plugins=[], markdown_extensions=["fenced_code"])
    config = site.root / "mkdocs.yml"
    settings = config.read_text().replace("plugins: []", "plugins: [{recall: {css: CSS}}]")
    assert "CSS" in settings
    config.write_text(settings.replace("CSS", "sometimes"))
    terminal = Terminal(site.root)
    outcome = terminal.run("fill", "site")
    assert outcome.status == 2
    assert "'css' must be true or false" in outcome.err
    config.write_text(settings.replace("CSS", "false"))
    assert terminal.run("fill", "site").status == 0
    assert "A session expires" in built.html()
    assert b"recall.css" not in b"".join(built.files().values())
