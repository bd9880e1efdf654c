"""With any pages and options, a quote is whole sentences of its page, word for word."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

from answered import answer_to
from bs4 import BeautifulSoup
from hypothesis import example, given, settings, strategies as st
from markdown_it import MarkdownIt

from mkdocs_recall import Corpus, Result
from mkdocs_recall.answers.html import QuotingPage, render
from mkdocs_recall.answers.markdown import TargetFile, render_markdown
from mkdocs_recall.directives.options import recall_options, synopsis_options
from mkdocs_recall.options import ALGORITHM_NAMES, FORMATS, UNITS, Format, Options
from mkdocs_recall.ranking.places import places
from mkdocs_recall.ranking.result import quoted_texts
from mkdocs_recall.ranking.scores import SCORERS
from mkdocs_recall.text.document import in_language
from mkdocs_recall.text.model import Block, Document

WORDS: Final = (
    *("token", "session", "cookie", "`larch run`", "*server*", "port 80", "[client](b.md)"),
    *("ends", "opens", "of the", "however", "long", "a_b"),
)
PROMPT: Final = TargetFile("", folder="/", root="/docs")
HOME: Final = QuotingPage("index.md", "")
TABLES: Final = MarkdownIt("commonmark").enable("table")
BLOCKS: Final = ("p", "li", "pre", "ul", "br")


def sentences(words: Sequence[str] = WORDS) -> st.SearchStrategy[str]:
    """Return what makes sentences; some refer to the one before, lead in, or cannot be quoted."""
    text = st.lists(st.sampled_from(words), min_size=1, max_size=8).map(" ".join)
    opening = st.sampled_from(("A ", "A ", "The ", "It ", "This "))
    ending = st.sampled_from((".", ".", ".", "?", ":", "", " {{ x }}."))
    return st.builds("{}{}{}".format, opening, text, ending)


PARAGRAPH: Final = st.lists(sentences(), min_size=1, max_size=3).map(" ".join)
BLOCK: Final = st.one_of(
    PARAGRAPH,
    PARAGRAPH,
    sentences().map("## {}".format),
    st.lists(PARAGRAPH.map("- {}".format), min_size=1, max_size=3).map("\n".join),
    st.builds("{}\n:   {}".format, st.sampled_from(("Larch", "Birch")), PARAGRAPH),
    PARAGRAPH.map("!!! note\n    {}".format),
    st.builds("| Port | For |\n|-|-|\n| {} | {} |".format, sentences(), sentences()),
    sentences().map("```sh\n{}\n\nlarch run\n```".format),
)
PAGE: Final = st.builds(
    "---\ndescription: {!r}\n---\n{}".format,
    st.lists(sentences(("token", "session", "cookie")), max_size=3).map(" ".join),
    st.lists(BLOCK, max_size=7).map("\n\n".join),
)
COMMON: Final[dict[str, st.SearchStrategy[Any]]] = {
    "source": st.sampled_from(("a.md", "**", ["a.md", "b/c.md"])),
    "max_sentences": st.integers(1, 7),
    "sections": st.integers(0, 3),
    "algorithm": st.sampled_from(ALGORITHM_NAMES),
    "diversity": st.none() | st.floats(0, 1),
    "prefer_description": st.booleans(),
    "max_words": st.none() | st.integers(1, 40),
    "max_tokens": st.none() | st.integers(1, 80),
    "cite": st.booleans(),
    "format_": st.sampled_from(FORMATS),
    "explain": st.booleans(),
}


def built(
    make: Callable[..., Options], *, cite: bool, format_: Format, explain: bool, **keywords: Any
) -> Options:
    """Return options of which a fence alone has some."""
    return replace(make(**keywords), cite=cite, format=format_, explain=explain)


SYNOPSIS: Final = st.builds(built, st.just(synopsis_options), **COMMON)
RECALL: Final = st.builds(
    built,
    st.just(recall_options),
    query=st.sampled_from(("session", "port of the server", "walrus", ["token ends", "larch run"])),
    scorer=st.sampled_from([*SCORERS]),
    units=st.lists(st.sampled_from(UNITS), min_size=1, unique=True),
    context=st.integers(0, 3) | st.sampled_from(("auto", "block", "section")),
    min_score=st.none() | st.just(0),
    **COMMON,
)


@settings(max_examples=50)
@given(pages=st.lists(PAGE, min_size=1, max_size=3), options=st.one_of(SYNOPSIS, RECALL))
@example(
    pages=["---\ndescription: 'A token.'\n---\nA session."],
    options=synopsis_options(source="a.md", max_sentences=2, prefer_description=True),
)
def test_a_quote_is_made_of_whole_sentences(pages: list[str], options: Options) -> None:
    corpus = Corpus.from_markdown(dict(zip(("a.md", "b/c.md", "d.md"), pages, strict=False)))
    if len(pages) == 1 and options.source == ("a.md", "b/c.md"):
        options = replace(options, source=("a.md",))
    result = answer_to(options, corpus, "index.md").result
    if result is None:
        return
    read = Result.from_json(result.to_json())
    texts = {page.uri: _texts(page) for page in corpus.documents}
    for passage in (*result.passages, *result.left_out, *read.passages):
        _assert_verbatim(passage.text, texts[passage.uri])
    quoted = [place for passage in result.passages for place in places(passage)]
    assert len(quoted) == len(set(quoted)), "a sentence is quoted with one passage only"
    everything = [text for page in texts.values() for text in page]
    for text in (*quoted_texts(result), *quoted_texts(read)):
        _assert_verbatim(text, everything)
    if result.passages:
        render(result, options, HOME)
        render_markdown(result, options, PROMPT)
        plain = replace(options, cite=False, explain=False, format="blockquote")
        for form in (plain, replace(plain, format="list")):
            for each in (result, read):
                bare = replace(each, fallback=None)
                _assert_verbatim(_shown(render(bare, form, HOME)), everything)
                markdown = render_markdown(bare, form, PROMPT)
                _assert_verbatim(_shown(TABLES.render(markdown)), everything)


def _texts(page: Document) -> list[list[str]]:
    """Return the sentences of a page in order, as lists of which each is a text of its own."""
    page_sentences = [
        (f"{s.text}:" if block.kind == "label" else s.text)
        for block in page.blocks
        for s in block.sentences
    ]
    described = Block(_normal(page.description), "prose", top=0, section=0, headings=())
    description = in_language(replace(page, blocks=(described,)), page.language)
    return [
        [_normal(text) for text in page_sentences],
        [_normal(s.text) for s in description.sentences],
    ]


def _assert_verbatim(text: str, pages: Iterable[Sequence[str]]) -> None:
    """Check that what stands between each "…" of a text is a run of whole sentences of a page."""
    for part in filter(None, map(_normal, text.split("…"))):
        starts = ((page, n) for page in pages for n in range(len(page)))
        assert any(_is_run(part, page, number) for page, number in starts), (part, text)


def _is_run(text: str, page: Sequence[str], first: int) -> bool:
    """Tell whether a text is made of the sentences of a page from a number on, labels aside."""
    for sentence in page[first:]:
        if text == sentence:
            return True
        if text.startswith(f"{sentence} "):
            text = text.removeprefix(sentence).strip()
        elif not sentence.endswith(":"):
            return False
    return False


def _shown(html: str) -> str:
    """Return what HTML shows, with "…" where a block or a line starts or ends."""
    page = BeautifulSoup(html, "html.parser")
    for table in page.find_all("table"):
        headers, *rows = (
            [cell.get_text() for cell in row.find_all(["th", "td"])] for row in table.find_all("tr")
        )
        cells = [[cell for cell in zip(headers, row, strict=True) if cell[1]] for row in rows]
        texts = [" — ".join(": ".join(filter(None, cell)) for cell in row) for row in cells]
        table.replace_with(" … " + " … ".join(texts) + " … ")
    for tag in page.find_all(BLOCKS):
        tag.insert_before(" … ")
        tag.insert_after(" … ")
    return page.get_text()


def _normal(text: str) -> str:
    return " ".join(text.split())
