"""Pages of sites built by Hugo and Sphinx have their names, titles and anchors."""

from __future__ import annotations

from pathlib import Path

from answered import answer_to
from msgspec.structs import astuple
from tables import beside, tabled

from mkdocs_recall import Corpus
from mkdocs_recall.answers.html import QuotingPage
from mkdocs_recall.directives.options import read_options
from mkdocs_recall.pages.built import BuiltSite, SourceNames
from mkdocs_recall.text.html import read_html
from mkdocs_recall.text.runs import HtmlContent
from mkdocs_recall.text.theme import read_themed_page

PAGE = "<html lang=en><head><title>{}</title></head><body><main>{}</main></body></html>"


@tabled
def test_a_page_has_the_name_of_its_file_in_hugo(tmp_path: Path, file: str, page: str) -> None:
    for path in (tmp_path / file, tmp_path / "docs/C.md"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("# A\n", "utf-8")
    assert SourceNames(tmp_path).destinations([page]) == {page: file}


def test_a_redirect_from_an_old_address_is_not_the_page(tmp_path: Path) -> None:
    """Hugo writes one for an alias; it may be where the page would be without its `url`."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/old.md").write_text(
        "---\nurl: /new/\naliases: [/old/]\n---\nText.\n", "utf-8"
    )
    redirect = '<html><head><meta http-equiv="refresh" content="0; url=/new/"></head></html>'
    for name, html in {"old": redirect, "new": PAGE.format("A", "<p>Text.</p>")}.items():
        (tmp_path / f"site/{name}").mkdir(parents=True)
        (tmp_path / f"site/{name}/index.html").write_text(html, "utf-8")
    corpus = Corpus.from_built(
        tmp_path / "site", sources=SourceNames(tmp_path / "docs"), cache=False
    )
    reply = answer_to(
        read_options("recall", 'source: "**"\nquery: text', defaults={}), corpus, "x.html"
    )
    assert "Text." in reply.html(QuotingPage("x.html", "x.html", "en"))


def test_the_site_s_name_alone_is_not_a_page_s_title(tmp_path: Path) -> None:
    for name in ("a", "b"):
        html = PAGE.format("| Larch", f"<h1 id={name}>Page {name}</h1><p>Text.</p>")
        (tmp_path / f"{name}.html").write_text(html, "utf-8")
    (tmp_path / "c.html").write_text(PAGE.format("C | Larch", "<p>Text.</p>"), "utf-8")
    (tmp_path / "d.html").write_text(PAGE.format("D – All | Larch", "<h1 id=d>D</h1>"), "utf-8")
    pages = BuiltSite(tmp_path).open()
    assert [pages.load(page.uri).title for page in pages.pages] == ["Page a", "Page b", "C", "D"]


@tabled
def test_a_heading_has_the_anchor_that_leads_to_it(
    form: str, html: str, headings: list[list[str]], expected: list[str]
) -> None:
    page = read_themed_page(html)
    assert page
    assert [[heading.text, heading.anchor] for heading in page.content.headings] == headings, form
    assert texts(page.content) == expected


@tabled
def test_a_page_is_read_in_its_language(tmp_path: Path, html: str, language: str) -> None:
    (tmp_path / "a.html").write_text(html, "utf-8")
    documents = Corpus.from_built(tmp_path, cache=False).documents
    assert [document.language for document in documents] == [language]


def test_headings_without_text_take_linear_time() -> None:
    assert read_themed_page("<body>" + "<h2></h2>" * 5_000)  # quadratic time would take a minute


OBJECTS = (
    "<section id=api><h1>API</h1><p>All of it.</p><dl class=py><dt class='sig sig-object py' "
    "id=kiln.Kiln><em>class</em> Kiln(<em>size</em>)<a class=headerlink href='#kiln.Kiln'>¶</a>"
    "</dt><dd><p>An oven.</p><dl><dt class='sig sig-object py' id=kiln.Kiln.fire>fire()</dt>"
    "<dd><p>Heats the oven.</p></dd></dl></dd></dl><dl><dt class='sig sig-object' id=SIZE>SIZE"
    "</dt><dd><p>How large an oven is.</p></dd></dl></section>"
)


def test_the_objects_of_sphinx_are_sections() -> None:
    page = read_themed_page(PAGE.format("API", OBJECTS))
    assert page
    assert [astuple(heading) for heading in page.content.headings] == [
        ("API", 1, "api"),
        ("class Kiln(size)", 2, "kiln.Kiln"),
        ("fire()", 3, "kiln.Kiln.fire"),
        ("SIZE", 2, "SIZE"),
    ]
    names = [heading.text for heading in page.content.headings]
    assert [run.headings[-1].text for run in page.content.runs] == names


@tabled
def test_each_label_names_its_section(tmp_path: Path, anchor: str, quoted: str) -> None:
    labelled = (
        "<section id=the-b><span id=b></span> <span id=bee></span><h2>B</h2><p>Text of B.</p>"
        "</section>"
    )
    (tmp_path / "api.html").write_text(
        PAGE.format("API", OBJECTS + labelled + "<p><span id=nee></span>No.</p>"), "utf-8"
    )
    corpus = Corpus.from_built(tmp_path, cache=False)
    options = read_options("recall", f"source: api.html#{anchor}", defaults={})
    (tmp_path / "b.html").write_text(PAGE.format("Other", "<p>Text.</p>"), "utf-8")
    reply = answer_to(options, corpus.refreshed(), "x.html")
    assert (quoted in reply.html(QuotingPage("x.html", "x.html", "en"))) if quoted else reply.error


def test_pages_that_sphinx_adds_are_left_out(tmp_path: Path) -> None:
    results = '<h1>Search</h1><p>Searching shows matches.</p><div id="search-results"></div>'
    for name, text in {
        "a.html": "<h1>A</h1><p>Text.</p>",
        "genindex.html": "<h1>Index</h1>",
        "py-modindex.html": "<h1>Python Module Index</h1>",
        "search.html": results,
    }.items():
        (tmp_path / name).write_text(PAGE.format("A", text), "utf-8")
    assert [page.uri for page in BuiltSite(tmp_path).open().pages] == ["a.html"]


def texts(content: HtmlContent) -> list[str]:
    """Return the texts of a page, code among them."""
    return [run.text.strip() for run in content.runs]


NOTEBOOK: str = beside(__file__)["NOTEBOOK"]


@tabled
def test_text_for_readers_is_read_and_additions_are_not(
    form: str, html: str, expected: list[str]
) -> None:
    page = read_themed_page(PAGE.format("A", f"<h1 id=a>A</h1>{html}"))
    assert page
    assert texts(page.content) == expected, form
    assert [heading.text for heading in page.content.headings][1:] in ([], ["Before a run"])


@tabled
def test_tabs_and_code_have_their_titles_also_tabs_that_a_reader_must_open(
    form: str, html: str, expected: list[str]
) -> None:
    page = read_themed_page(PAGE.format("A", f"<h1 id=a>A</h1>{html}"))
    assert page
    assert [f"{run.kind} {run.text}" for run in page.content.runs] == expected, form


def test_a_page_of_a_notebook_is_read_alike_while_it_is_built() -> None:
    assert texts(read_html(NOTEBOOK)) == ["The sensor needs 2.5 V.", "measure()", "2.5"]
