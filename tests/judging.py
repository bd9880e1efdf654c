"""Invariants of every answer, whatever the pages, the query and the directive are."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import Final

from bs4 import BeautifulSoup, Comment
from bs4.element import CData, Declaration, Doctype, ProcessingInstruction
from markdown import Markdown
from markdown_it import MarkdownIt
from python_markdown import DEFAULT_CONFIGS, DEFAULT_EXTENSIONS

from mkdocs_recall import Document, RecallError, Result
from mkdocs_recall.answers.answer import Answer
from mkdocs_recall.answers.html import QuotingPage, render
from mkdocs_recall.answers.markdown import TargetFile, render_markdown
from mkdocs_recall.answers.whitelist import is_clean
from mkdocs_recall.options import Options
from mkdocs_recall.ranking.result import as_json, result_record
from mkdocs_recall.text.document import pack, unpack
from mkdocs_recall.text.model import IN_ROWS
from mkdocs_recall.text.tags import VOID_TAGS, is_font_icon

_BOX: Final = frozenset({"class", "data-search-exclude", "lang", "dir"})
ALLOWED: Final = {
    **dict.fromkeys(("br", "em", "strong", "cite", "summary"), frozenset()),
    **dict.fromkeys(("thead", "tbody", "tr", "th", "td", "title"), frozenset()),
    **dict.fromkeys(("kbd", "sup", "sub", "mark", "ins", "small"), frozenset()),
    "img": frozenset({"alt", "src"}),
    "li": frozenset({"value"}),
    "ol": frozenset({"start"}),
    "abbr": frozenset({"title"}),
    "svg": frozenset({"viewbox"}),
    "path": frozenset({"d"}),
    **dict.fromkeys(("p", "pre", "code", "span", "i"), frozenset({"class"})),
    "table": frozenset({"class", "tabindex"}),
    **dict.fromkeys(("blockquote", "ul", "div", "details", "section"), _BOX),
    "a": frozenset({"href"}),
}
"""The tags that a quote may have, with their attributes."""
CLASSES: Final = frozenset(
    {
        *("recall", "synopsis", "recall-semantic", "quote", "note", "recall-note", "caution"),
        *("danger", "recall-error", "synopsis-error", "admonition", "admonition-title"),
        "recall-explain",
    }
)
CLASSES_OF: Final = {
    "table": frozenset({"recall-table"}),
    "div": CLASSES | {"highlight", "arithmatex"},
    "pre": frozenset({"mermaid"}),
}
"""The classes of rows, of boxes of coloured code, of formulas and of diagrams."""
IN_LINE: Final = frozenset({"arithmatex", "twemoji recall-icon"})
"""The classes of formulas and icons in a line."""
TOKEN: Final = re.compile("[a-z][a-z0-9]{0,3}")
"""The class of a token of coloured code."""
LANGUAGE: Final = re.compile(r"language-[\w+#.-]+")
"""The class of code that the browser colours."""
SCHEMES: Final = frozenset({"http", "https", "mailto", "ftp", "tel"})
_IGNORED: Final = re.compile("[\x00-\x20]+")
"""Characters that a browser drops at the start of an address, or in its scheme."""
_SCHEME: Final = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*):")
_NO_TEXT: Final = (Comment, CData, Declaration, Doctype, ProcessingInstruction)
_MARKDOWN: Final = Markdown(
    extensions=[*DEFAULT_EXTENSIONS],
    extension_configs={k: {**v} for k, v in DEFAULT_CONFIGS.items()},
)
_COMMON_MARK: Final = MarkdownIt("commonmark")
HOST: Final = QuotingPage("index.md", "")
_ROOT: Final = "/docs"
PROMPT: Final = TargetFile("", folder="/", root=_ROOT)
_BLANKS: Final = re.compile(r"[ \t\n\r\f]+")


class _Strict(HTMLParser):
    """Reads HTML in which each element that is opened is closed, in order."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(attrs) == len({name for name, _ in attrs}), "an attribute stands twice"
        assert not (tag == "a" and "a" in self.open), "a link in a link"
        if tag not in VOID_TAGS:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in VOID_TAGS, f"<{tag}/> is not closed"
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag, f"</{tag}> closes another"

    def handle_data(self, data: str) -> None:
        self.text += data


def text_of(html: str) -> str:
    """Return the exact text of well-formed HTML: other parsers tidy its white space."""
    strict = _Strict()
    strict.feed(html)
    strict.close()
    assert strict.open == [], "not closed"
    return strict.text


def judge_html(html: str) -> BeautifulSoup:
    """Check that the HTML of a quote is well-formed and has only allowed tags."""
    html.encode()
    text_of(html)
    assert html.count("<") == len(re.findall(r"</?[a-z]+[^<>]*>", html)), "no tag"
    page = BeautifulSoup(html, "html.parser")
    assert not page.find_all(string=lambda found: isinstance(found, _NO_TEXT))
    for tag in page.find_all(True):  # noqa: FBT003 - all of them
        assert tag.name in ALLOWED, tag.name
        assert tag.attrs.keys() <= ALLOWED[tag.name], tag.attrs
        assert tag.get("tabindex", "0") == "0", tag.attrs
        if tag.name == "i":
            assert is_font_icon(" ".join(tag["class"])), tag.attrs
            continue
        if tag.name == "span" and " ".join(tag["class"]) in IN_LINE:
            continue
        if tag.name == "span":
            assert tag.find_parent("pre"), "a token outside of code"
            assert TOKEN.fullmatch(" ".join(tag["class"])), tag.attrs
            continue
        if tag.name == "code":
            assert all(map(LANGUAGE.fullmatch, tag.get("class") or ())), tag.attrs
            continue
        classes = CLASSES_OF.get(tag.name, CLASSES)
        assert classes.issuperset(tag.get("class") or ()), tag.attrs
        if tag.name == "a" and tag.attrs:
            judge_link(str(tag["href"]))
        if tag.name == "img":
            judge_link(str(tag["src"]))
    return page


def judge_link(href: str) -> None:
    """Check that a link leads to a document, as a browser reads it."""
    found = _SCHEME.match(_IGNORED.sub("", href))
    assert found is None or found[1].lower() in SCHEMES, href


def judge_markdown(text: str) -> None:
    """Check that a quote in Markdown holds no HTML, whatever renders it."""
    text.encode()
    for token in _COMMON_MARK.parse(text):
        for each in (token, *(token.children or ())):
            assert each.type not in {"html_block", "html_inline"}, each.content
            if each.type == "link_open":
                judge_link(str(each.attrs["href"]))
            if each.type == "image":
                judge_link(str(each.attrs["src"]))
    _MARKDOWN.reset()
    page = BeautifulSoup(_MARKDOWN.convert(text), "html.parser")
    assert not page.find_all(["script", "style", "iframe", "form", "input", "svg", "object"])
    for tag in page.find_all(True):  # noqa: FBT003 - all of them
        assert not [name for name in tag.attrs if name.startswith("on") or name == "style"]
        if tag.name == "a" and tag.attrs:
            judge_link(str(tag.get("href", "")))
        if tag.name == "img":
            judge_link(str(tag.get("src", "")))


def judge_document(document: Document) -> None:
    """Check that the spans of a page make up its text, and that it can be cached."""
    for number, block in enumerate(document.blocks):
        text = block.text
        assert block.number == number
        assert block.section <= len(document.headings)
        for mark in block.marks:  # a picture in a text with other words is a place in it
            assert 0 <= mark.start <= mark.end <= len(text), mark
            assert mark.start < mark.end or mark.role == "image", mark
            assert not mark.href or mark.role in {"link", "image"}, mark
        assert list(block.marks) == sorted(block.marks, key=lambda m: (m.start, -m.end))
        assert block.lead is None or 0 <= block.lead < number
        at = 0
        for sentence in block.sentences:
            assert at <= sentence.start < sentence.end <= len(text), block
            assert not text[at : sentence.start].strip(), "text between sentences"
            assert sentence.text == text[sentence.start : sentence.end]
            assert sentence.block == number
            at = sentence.end
        assert not text[at:].strip(), "text behind the last sentence"
    text = "".join((document.title, document.description, *(h.text for h in document.headings)))
    assert unpack(document.uri, pack(document)) == document, text


def judge_result(result: Result, most: int | None = None) -> None:
    """Check an answer: its order, its scores, and that it can be written and read."""
    assert most is None or len(result.passages) <= most
    assert [p.rank for p in result.passages] == list(range(1, len(result.passages) + 1))
    assert all(passage.sentence.quotable for passage in result.passages)
    for passage in (*result.passages, *(loss.passage for loss in result.lost)):
        assert passage.score == passage.score < float("inf")
        total = passage.explanation.value
        assert abs(total - passage.score) <= 1e-6 * max(1, abs(total)), passage.explanation
        for sentence in passage.quotation.sentences:
            block = passage.document.blocks[sentence.block]
            assert block.text[sentence.start : sentence.end] == sentence.text
    written = as_json(result_record(result, explain=True))
    written.encode()
    again = result_record(Result.from_json(written), explain=True)
    assert json.dumps(again) == json.dumps(json.loads(written))


def judge_quote(result: Result, options: Options) -> None:
    """Check the rendering of an answer: it has the pages' words and nothing else."""
    if not result.passages:
        return
    html = render(result, options, HOST)
    assert is_clean(html), "the cache would refuse it"
    page = judge_html(html)
    judge_markdown(render_markdown(result, options, PROMPT))
    shown = _words(page.get_text())
    for passage in result.passages:
        for sentence in passage.quotation.sentences:
            block = passage.document.blocks[sentence.block]
            cells = [m for m in block.marks if block.kind == "table" and m.role in IN_ROWS]
            parts = [block.text[mark.start : mark.end] for mark in cells] or [sentence.text]
            for part in parts:
                assert _words(part) in shown, (part, shown)


def judge_answer(found: Answer, *, host: QuotingPage = HOST) -> None:
    """Check the replacement of a directive, with an answer or a fault."""
    judge_html(found.html(host))
    for message in (found.error, found.warning):
        message.encode()
    if found.result is not None:
        judge_result(found.result)
        judge_quote(found.result, found.options)


def judge_message(error: RecallError | str) -> None:
    """Check that there is a message, and that it can be written."""
    assert str(error)
    str(error).encode()


def _words(text: str) -> str:
    return _BLANKS.sub("", text)
