"""In any Markdown, directives are found, and everything else stays unchanged."""

from __future__ import annotations

import atexit
import shutil
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from textwrap import indent
from typing import Any, Final

from conftest import Site
from fuzzing import edited, fuzzed, listed, parts_of, raw, soup
from hostile import OTHERS
from hypothesis import strategies as st
from judging import judge_document, judge_html
from markdown import Markdown
from python_markdown import DEFAULT_CONFIGS, DEFAULT_EXTENSIONS
from real import markdown_pages

from mkdocs_recall import Corpus
from mkdocs_recall.answers.files import FileRenderer
from mkdocs_recall.answers.insertion import insert_quotes, marker, marker_id
from mkdocs_recall.directives.fences import (
    MARKER_HINT,
    find_fences,
    may_hold_directive,
    replace_fences,
    without_directives,
)
from mkdocs_recall.pages.lines import fence_spans as code_fences

FENCE: Final = "```recall\nquery: session token\n```"
PIECES: Final = listed(__file__, "PIECES")
NESTED: Final = (
    f"# A\n\n- a\n\n{indent(FENCE, '    ')}\n\n{indent(FENCE, '> ')}\n\n!!! note\n\n"
    f"{indent(FENCE, '    ')}\n\n````\n{FENCE}\n````\n\nText.\n{FENCE}\n\n"
    f"<!--\n{FENCE}\n-->\n\n{FENCE}\n\nEnd."
)
MARKDOWN: Final = st.one_of(
    soup(PIECES),
    soup((*PIECES, *OTHERS)),
    edited(parts_of(markdown_pages()), PIECES),
    edited(st.just(NESTED), PIECES),
    raw,
)
QUOTE: Final = '<blockquote class="recall"><p>QUOTE</p></blockquote>'


@cache
def renderer() -> Markdown:
    return Markdown(extensions=[*DEFAULT_EXTENSIONS], extension_configs={**DEFAULT_CONFIGS})


@fuzzed(100, page=MARKDOWN)
def test_all_but_directives_stays_byte_for_byte(page: str) -> None:
    fences = find_fences(page)
    assert not fences or may_hold_directive(page)
    lines = page.split("\n")
    at = 0
    for fence in fences:
        assert at <= fence.start
        assert fence.source == "\n".join(lines[fence.first : fence.last + 1])
        assert page.startswith(fence.source, fence.start)
        assert fence.source.startswith(fence.prefix)
        at = fence.start + len(fence.source)
    marks = [f"\x02{number}\x03" for number in range(len(fences))]
    marked = replace_fences(page, fences, marks)
    for fence, mark in zip(fences, marks, strict=True):
        marked = marked.replace(fence.prefix + mark, fence.source.removesuffix("\r"), 1)
    assert marked == page or "\x02" in page
    assert len(without_directives(page)) <= len(page) + 20 * len(fences)
    code_fences(lines)


@fuzzed(50, page=MARKDOWN)
def test_each_quote_or_its_fence_is_on_the_page(page: str) -> None:
    found = find_fences(page)
    ids = [marker_id("a.md", number) for number in range(len(found))]
    text_ = replace_fences(page, found, map(marker, ids))
    try:
        html = renderer().reset().convert(text_)
    except Exception:  # noqa: BLE001 - without us, too, or not at all
        return
    sources = {each: fence.source for each, fence in zip(ids, found, strict=True)}
    done = insert_quotes(html, dict.fromkeys(ids, QUOTE), sources)
    if "recall:" not in page:
        assert done.html.count(QUOTE) == sum(done.placed.values())
        assert done.placed.keys() | done.restored.keys() <= set(ids)
        remaining = done.html.replace(QUOTE, "")
        assert MARKER_HINT not in remaining or done.placed.keys() | done.restored.keys() != set(ids)
    again = insert_quotes(done.html, dict.fromkeys(ids, QUOTE), sources)
    assert again.html == done.html or MARKER_HINT in done.html


@fuzzed(30, page=MARKDOWN)
def test_any_page_outside_of_a_build_is_read_and_quoted(page: str) -> None:
    try:
        read = Corpus.from_markdown({"a.md": page, "b.md": "# B\n\nA session expires."}).documents
    except Exception:
        if not renders_not(page):
            raise
        return
    for document in read:
        judge_document(document)
        lines = page.count("\n") + page.count("\r") + 1 if document.uri == "a.md" else 3
        assert all(block.line is None or 1 <= block.line <= lines for block in document.blocks)


def renders_not(page: str) -> bool:
    """Tell whether Python-Markdown fails of itself on a page."""
    try:
        renderer().reset().convert(without_directives(page))
    except Exception:  # noqa: BLE001 - whatever it is
        return True
    return False


@cache
def documents() -> tuple[Path, FileRenderer]:
    """Return a folder of pages, and what answers files from it."""
    folder = Path(mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    (folder / "b.md").write_text("# B\n\nA session expires. See [a](a.md).\n", encoding="utf-8")
    return folder, FileRenderer(Corpus.from_folder(folder, cache=False))


@fuzzed(30, page=MARKDOWN.filter(lambda page: not any("\ud800" <= c <= "\udfff" for c in page)))
def test_any_file_outside_of_the_site_keeps_what_is_not_a_directive(page: str) -> None:
    folder, answering = documents()
    path = folder.parent / f"{folder.name}.md"
    path.write_bytes(page.encode())
    try:
        rendered = answering.render(path)
    finally:
        path.unlink()
    rendered.text.encode()
    if not may_hold_directive(page):
        assert rendered.text == page
    lines = page.count("\n") + 1
    messages = [*rendered.faults, *rendered.warnings]
    places = [int(each.removeprefix(f"{path}:").partition(":")[0]) for each in messages]
    assert all(1 <= line <= lines for line in places)


ASKING: Final = (
    "# Home\n\n```recall\nsource: '**'\nquery: session token port\nexplain: true\n```\n\n"
    "```synopsis\nsource: '**'\nformat: admonition\n```\n"
)


@fuzzed(
    6,
    pages=st.lists(
        MARKDOWN.filter(lambda page: not any("\ud800" <= c <= "\udfff" for c in page)), max_size=6
    ),
)
def test_a_site_of_any_pages_is_built_and_quoted_without_harm(site: Site, pages: list[str]) -> None:
    for old in site.docs.glob("*.md"):
        old.unlink()
    site.write({"index.md": ASKING, **{f"p{n}.md": page for n, page in enumerate(pages)}})
    settings: dict[str, Any] = {"markdown_extensions": [*DEFAULT_EXTENSIONS]}
    settings["mdx_configs"] = {**DEFAULT_CONFIGS}
    try:
        built = site.build(**settings)
    except Exception:
        if is_built(site, settings):
            raise
        return  # not for us
    page = built.page()
    quotes = page.select("article > *")
    for quote in quotes[1:]:
        judge_html(str(quote))
    assert MARKER_HINT not in built.html()


def is_built(site: Site, settings: dict[str, Any]) -> bool:
    """Tell whether MkDocs builds the site without this plugin."""
    try:
        site.build(plugins=[], **settings)
    except Exception:  # noqa: BLE001 - whatever it is
        return False
    return True
