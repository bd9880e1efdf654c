"""Pages read from Markdown and from a site, and the places of passages."""

from __future__ import annotations

import gc
import textwrap
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from typing import Any

import pytest
from conftest import cache_file
from tables import beside, tabled

from mkdocs_recall import Corpus, Document, OptionError, SiteError, SourceError
from mkdocs_recall.files import user_cache_folder
from mkdocs_recall.index.sources import PageSet


def only(text: str, *, uri: str = "a.md", language: str = "en") -> Document:
    (document,) = Corpus.from_markdown({uri: text}, language=language).documents
    return document


@tabled
def test_pages_have_their_sentences_and_the_line_of_the_first(
    behaviour: str, pages: dict[str, str], settings: dict[str, Any], read: list[Any]
) -> None:
    found = [
        [page.uri, [s.text for s in page.sentences], page.blocks[0].line if page.blocks else None]
        for page in Corpus.from_markdown(pages, **settings).documents
    ]
    assert found == read, behaviour


@tabled
def test_a_title_is_stated_or_the_heading_or_the_name(uri: str, text: str, title: str) -> None:
    assert only(text, uri=uri).title == title


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_and_a_byte_order_mark_change_nothing(end: str, mark: str) -> None:
    text = "---\ntitle: Front\nlang: de\n---\n\n# Kopf\n\nEin Satz\nüber zwei Zeilen.\n"
    document = only(mark + text.replace("\n", end))
    assert document == only(text)
    assert (document.title, document.language) == ("Front", "de")
    assert [s.text for s in document.sentences] == ["Ein Satz über zwei Zeilen."]
    assert document.blocks[0].line == 8


@tabled
def test_a_page_s_language_is_stated_or_the_corpus_s(stated: str, language: str) -> None:
    assert only(f"---\n{stated}\n---\nText.", language="fr").language == language


@tabled
def test_a_page_without_text_can_be_asked(text: str) -> None:
    corpus = Corpus.from_markdown({"a.md": text})
    only = ": it has only code" if "code()" in text or "    " in text else ""
    note = f"'a.md' has no sentence to quote{only}"
    assert corpus.synopsis("a.md").passages == ()
    assert corpus.synopsis("a.md").diagnostics == (note,)
    result = corpus.recall("anything", units="prose")
    assert corpus.recall("anything").fallback == "no_match"
    assert (result.passages, result.fallback, result.diagnostics) == ((), "no_match", (note,))


def test_a_corpus_without_pages_says_so() -> None:
    corpus = Corpus.from_markdown({})
    assert corpus.documents == ()
    with pytest.raises(SourceError):
        corpus.recall("anything")


@pytest.mark.parametrize("uri", ["docs/[id].mdx", "a b.md", "docs/100%.md", "x+y (z).md", "ü/é.md"])
def test_an_odd_uri_is_a_uri_like_any_other(uri: str) -> None:
    corpus = Corpus.from_markdown({uri: "A token opens doors.", "docs/i.md": "No token."})
    for result in (corpus.recall("token", source=uri), corpus.synopsis(uri)):
        assert [passage.uri for passage in result.passages] == [uri]


def test_extensions_are_configured_by_name() -> None:
    def slug(text: str, separator: str) -> str:
        return f"s{separator}{len(text)}"

    corpus = Corpus.from_markdown(
        {"a.md": "# Head\n\nText."},
        markdown_extensions=["toc"],
        mdx_configs={"toc": {"slugify": slug}},
    )
    assert corpus.documents[0].anchors == ("s-4",)


def test_extensions_with_their_settings_are_told_where_these_belong() -> None:
    with pytest.raises(OptionError, match="'markdown_extensions' are names, and 'mdx_configs' the"):
        Corpus.from_markdown({"a.md": "Text."}, markdown_extensions=[{"toc": {"slugify": len}}])


def test_a_passage_says_where_it_stands_and_why() -> None:
    corpus = Corpus.from_markdown(
        {
            "guides/auth.md": "---\ntitle: Signing in\n---\n# Auth\n\nThe intro.\n\n"
            "## Expiry of sessions {#expiry}\n\nNo word of it.\nA session\nexpires after `a` day.\n"
        }
    )
    (passage,) = corpus.recall("session expires", max_sentences=1, context=0).passages
    assert passage.text == "A session expires after a day."
    assert passage.uri == "guides/auth.md"
    assert passage.title == "Signing in"
    assert passage.heading == "Expiry of sessions"
    assert passage.anchor == "expiry"
    assert passage.line == 10
    assert passage.rank == 1
    assert passage.explanation.value == passage.score
    lines = [line.split(" ", 1) for line in str(passage.explanation).replace("  ", "").splitlines()]
    assert [said for _, said in lines] == [
        "structure",
        "its section, which answers with a probability of 100%",
        "how likely there is an answer, less the parts of the best section",
        "the words of the query",
        "its heading, compared with the query",
        "the words of the query in the headings above",
        "the sentence with most of the query",
        "its length",
        "its paragraphs",
        "its place in the section: 100% of the score; coverage: 2 of 2 words of the query",
    ]
    values = [float(value) for value, _ in lines]
    assert sum(values[2:9]) == pytest.approx(values[1], abs=4e-4)
    assert values[1] + values[9] == pytest.approx(values[0], abs=2e-4)
    block = passage.block
    assert block.text[passage.sentence.start : passage.sentence.end] == passage.text


def test_a_passage_above_all_headings_has_no_heading() -> None:
    (passage,) = Corpus.from_markdown({"a.md": "A token."}).recall("token").passages
    assert (passage.heading, passage.anchor, passage.line) == ("", "", 1)


def test_equal_questions_get_equal_answers() -> None:
    corpus = Corpus.from_markdown({"a.md": "A token opens doors. A key too.", "b.md": "Token."})
    assert corpus.recall("token") == corpus.recall("token")
    assert corpus.synopsis("**") == corpus.synopsis("**")


CONFIG: str = beside(__file__)["CONFIG"]
PAGES: dict[str, str] = beside(__file__)["PAGES"]


@pytest.fixture
def config(tmp_path: Path) -> Path:
    for uri, text in PAGES.items():
        path = tmp_path / "docs" / uri
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    file = tmp_path / "mkdocs.yml"
    file.write_text(CONFIG, encoding="utf-8")
    return file


def test_a_site_s_pages_come_in_the_order_of_its_navigation(config: Path) -> None:
    corpus = Corpus.from_site(config)
    assert [document.uri for document in corpus.documents] == [
        "index.md",
        "guides/zeta.md",
        "guides/alpha.md",
        "other.md",
    ]


def test_a_site_without_a_navigation_goes_by_path(config: Path) -> None:
    config.write_text("site_name: Site\n", encoding="utf-8")
    uris = [document.uri for document in Corpus.from_site(str(config)).documents]
    assert uris[0] == "index.md"
    assert set(uris) == set(PAGES) - {"ask/b.md"}


@tabled
def test_a_page_not_built_or_excluded_is_not_quoted(config: Path, uri: str, reason: str) -> None:
    corpus = Corpus.from_site(config)
    with pytest.raises(SourceError) as caught:
        corpus.recall("token", source=uri)
    assert str(caught.value) == f"source '{uri}' cannot be quoted: {reason}"
    assert uri not in {p.uri for p in corpus.recall("token", max_sentences=30).passages}


def test_a_site_s_pages_are_rendered_with_its_extensions(config: Path) -> None:
    (passage,) = Corpus.from_site(config).recall("note").passages
    assert passage.text == "The token of a note."
    assert (passage.heading, passage.anchor) == ("More", "more")


def test_a_site_s_links_lead_where_mkdocs_leads_them(config: Path) -> None:
    document = Corpus.from_site(config).documents[0]
    links = [mark.href for block in document.blocks for mark in block.marks if mark.role == "link"]
    assert links == ["guides/alpha/#more"]


def test_a_site_s_pages_know_their_title_and_url(config: Path) -> None:
    documents = {document.uri: document for document in Corpus.from_site(config).documents}
    assert documents["guides/alpha.md"].title == "The alpha guide"
    assert documents["guides/zeta.md"].title == "Zeta"
    assert documents["guides/alpha.md"].url == "guides/alpha/"
    assert documents["index.md"].url in {"", "./"}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_lines_are_those_of_the_file(config: Path, end: str, mark: str) -> None:
    for uri, text in PAGES.items():
        path = config.parent / "docs" / uri
        path.write_bytes((mark + text.replace("\n", end)).encode())
    result = Corpus.from_site(config).recall("token", max_sentences=30, context=0)
    found = {passage.text: (passage.uri, passage.line) for passage in result.passages}
    assert found == {
        "Welcome to the token.": ("index.md", 3),
        "A token opens doors.": ("guides/alpha.md", 7),
        "The token of a note.": ("guides/alpha.md", 12),
        "The last token stands first.": ("guides/zeta.md", 5),
        "A token outside the navigation.": ("other.md", 1),
    }


def test_a_page_overrides_the_language_of_the_theme(config: Path) -> None:
    config.write_text("site_name: Site\ntheme: {name: material, language: de}\n", encoding="utf-8")
    (config.parent / "docs" / "other.md").write_text(
        "---\nlang: fr\n---\nUn mot.", encoding="utf-8"
    )
    languages = {d.uri: d.language for d in Corpus.from_site(config).documents}
    assert languages["index.md"] == "de"
    assert languages["other.md"] == "fr"


def test_a_site_is_read_without_running_its_plugins_and_hooks(config: Path) -> None:
    hook = config.parent / "hook.py"
    hook.write_text("raise RuntimeError('run')\n", encoding="utf-8")
    config.write_text(
        textwrap.dedent(
            """\
            site_name: Site
            hooks: [hook.py]
            plugins: [nowhere-to-be-found]
            """
        ),
        encoding="utf-8",
    )
    assert Corpus.from_site(config).recall("token").passages


def test_reading_a_site_writes_nothing_but_the_cache(config: Path) -> None:
    before = sorted(config.parent.rglob("*"))
    folder = user_cache_folder(config)
    assert folder is not None
    assert Corpus.from_site(config, cache=False).recall("token").passages
    assert not folder.exists()
    assert Corpus.from_site(config).recall("token").passages
    assert cache_file(folder)
    assert sorted(config.parent.rglob("*")) == before


@pytest.mark.parametrize("name", ["nowhere.yml", "docs"])
def test_a_site_that_is_not_there_is_named(config: Path, name: str) -> None:
    path = config.parent / name
    with pytest.raises(SiteError) as caught:
        Corpus.from_site(path)
    assert str(caught.value) == f"there is no file '{path}'; name the site's mkdocs.yml"


@tabled
def test_a_site_that_mkdocs_cannot_read_is_an_error_of_ours(config: Path, text: str) -> None:
    config.write_text(text, encoding="utf-8")
    with pytest.raises(SiteError, match=r"MkDocs cannot read '.*mkdocs\.yml'"):
        Corpus.from_site(config)


def test_a_page_that_is_not_utf_8_is_left_out_with_a_warning(config: Path) -> None:
    (config.parent / "docs" / "other.md").write_bytes(b"A caf\xe9.\n")
    corpus = Corpus.from_site(config)
    assert "other.md" not in {document.uri for document in corpus.documents}
    assert corpus.warnings == (
        "'other.md' is left out: its file is not UTF-8 (line 1); save it as UTF-8",
    )


def test_a_directive_is_not_text_and_lines_below_it_are_right(tmp_path: Path) -> None:
    """What is read without a build is what a build asks, where a comment stands for a fence."""
    fence = "```recall\nquery: the heron\nexpect: heron\n```"
    page = (
        f"# Home\n\nA larch stands here.\n\n{fence}\n\n- An item of a list:\n\n"
        "    ~~~synopsis\n    source: heron.md\n    ~~~\n\nA birch stands there.\n\n"
        f"````markdown\n{fence}\n````\n"
    )
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/index.md").write_text(page, encoding="utf-8")
    config = tmp_path / "mkdocs.yml"
    config.write_text("site_name: Larch\n", encoding="utf-8")
    for corpus in (
        Corpus.from_markdown({"index.md": page}),
        Corpus.from_folder(tmp_path / "docs", cache=False),
        Corpus.from_site(config, cache=False),
    ):
        (document,) = corpus.documents
        assert [(block.text, block.line) for block in document.blocks] == [
            ("A larch stands here.", 3),
            ("An item of a list:", 10),
            ("A birch stands there.", 16),
            (fence, 18),
        ]


@pytest.mark.slow
def test_a_dropped_corpus_is_freed_without_the_garbage_collector() -> None:
    """A build pauses that, and makes a corpus for each page that is asked."""
    page = "# A\n\nA key opens the door.\n\n## B\n\n- It is red.\n- It is old."
    (read,) = Corpus.from_markdown({"a.md": page}).documents
    gc.collect()
    gc.disable()
    try:
        corpus = Corpus(PageSet(["a.md"], lambda _: read))
        assert corpus.recall("which key?", max_sentences=2).passages[0].explanation.value
        assert corpus.recall("no such thing").lost is not None
        assert corpus.synopsis("a.md").passages
        del corpus
        gc.set_debug(gc.DEBUG_SAVEALL)
        gc.collect()
        held = {type(value).__name__ for value in gc.garbage if is_ours(value)}
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()
    assert held == set()


def is_ours(found: object) -> bool:
    return type(found).__module__.startswith("mkdocs_recall")


MAIL = {"guides/mail.md": "# Mail\n\n## Port\n\nMail goes out on port 587.\n\nIt waits.\n" * 40}


def test_whatever_is_printed_is_one_line() -> None:
    corpus = Corpus.from_markdown(MAIL)
    result = corpus.recall("which port has mail?")
    (passage,) = result
    assert repr(passage).startswith("<Passage 1, 1.00: guides/mail.md#port 'Mail")
    for value in (corpus, result, passage, passage.document, passage.block):
        assert "\n" not in repr(value)
        assert len(repr(value)) < 200
    assert repr(corpus) == "<Corpus of 1 page>"
    nothing = corpus.recall("walrus")
    assert repr(nothing) == "<Result of 0: 'no sentence answers the query'>"


def test_a_result_is_a_sequence_of_passages_and_a_corpus_of_pages() -> None:
    corpus = Corpus.from_markdown(MAIL)
    result = corpus.recall("which port has mail?")
    assert (len(result), list(result), bool(result)) == (1, list(result.passages), True)
    assert not corpus.recall("walrus")
    assert (len(corpus), list(corpus)) == (1, list(corpus.documents))
    assert Corpus.from_markdown({})


def test_search_lists_single_sentences() -> None:
    corpus = Corpus.from_markdown({"a.md": "Mail needs a port. A port is open. The mail waits."})
    found = corpus.search("mail port", source="a.md")
    assert found.passages[0].text == "Mail needs a port."
    assert len(found) == 3
    assert len(corpus.search("mail port", max_sentences=1)) == 1


@pytest.mark.parametrize("path", [PurePosixPath("guides/a.md"), PureWindowsPath("guides\\a.md")])
def test_paths_of_pathlib_name_pages(path: PurePath) -> None:
    pages: dict[str | PurePath, str] = {path: "Mail needs a port.", "./b.md": "", "/c.md": ""}
    corpus = Corpus.from_markdown(pages)
    assert [page.uri for page in corpus] == ["guides/a.md", "b.md", "c.md"]
    assert corpus.recall("port", source=path).passages[0].uri == "guides/a.md"
    assert corpus.recall("port", source="a.md", page=path.with_name("x.md"))
    assert corpus.select([path])[0].uri == "guides/a.md"


def test_invalid_calls_say_what_to_call() -> None:
    with pytest.raises(OptionError, match=r"Corpus does not take a str: call Corpus\.from_site"):
        Corpus("docs")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="'pages' must be Markdown by page"):
        Corpus.from_markdown("# Text")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match=r"the Markdown of 'a\.md' must be text, not 3"):
        Corpus.from_markdown({"a.md": 3})  # type: ignore[arg-type]


@pytest.mark.parametrize("path", [None, 1])
def test_what_is_not_a_path_opens_nothing_and_says_so(path: Any) -> None:
    for open_pages in (Corpus.from_site, Corpus.from_folder, Corpus.from_built):
        with pytest.raises(OptionError, match="a file or folder must be a path, not"):
            open_pages(path)
    for files in (path, [path], "flux.jsonl.gz"):
        with pytest.raises(OptionError, match=r"must be a (list of paths|path), not"):
            Corpus.from_published(files)


@pytest.mark.parametrize("units", [1, {"prose": 1}])
def test_units_and_languages_that_are_not_names_are_refused_in_words(units: Any) -> None:
    corpus = Corpus.from_markdown({"a.md": "# A\n\nIt lasts ten days."})
    with pytest.raises(OptionError, match="'units' must be a list of some of prose, list"):
        corpus.recall("days", units=units)
    with pytest.raises(OptionError, match="'language' must be a code"):
        Corpus.from_markdown({}, language=units)


@pytest.mark.parametrize("source", [None, 3, b"a.md", ["a.md", None]])
def test_a_source_that_is_not_a_path_is_refused_in_words(source: Any) -> None:
    corpus = Corpus.from_markdown({"a.md": "# A\n\nIt lasts ten days."})
    for ask in (lambda: corpus.recall("days", source=source), lambda: corpus.select(source)):
        with pytest.raises(OptionError, match=r"a page must be a path, such as 'guides/auth\.md'"):
            ask()
