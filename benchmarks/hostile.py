"""What somebody could write to hold up a build: families of input of any size, and who reads it.

A family is a unit of text that is repeated, or opened and not closed, up to a size in characters.
What is measured is our own code, and PyYAML where it reads fences; Python-Markdown is not.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any, Final

from mkdocs_recall.answers.lock import LockEntry, pack_lock, unpack_lock
from mkdocs_recall.corpus.corpus import Corpus
from mkdocs_recall.directives.parser import find_fences
from mkdocs_recall.directives.schema import read_options
from mkdocs_recall.errors import RecallError
from mkdocs_recall.hosts.html_fences import find_html_directives
from mkdocs_recall.index.selection import PageSet
from mkdocs_recall.options import ALGORITHM_NAMES, Limits, Query, RecallOptions, SynopsisOptions
from mkdocs_recall.rendering.html import QuotingPage, render
from mkdocs_recall.rendering.insertion import insert_quotes
from mkdocs_recall.rendering.markers import marker
from mkdocs_recall.retrieval.result import Result
from mkdocs_recall.text.analysis import analyse
from mkdocs_recall.text.front_matter import front_matter_faults, split_front_matter
from mkdocs_recall.text.html.reader import read_html
from mkdocs_recall.text.html.theme import read_themed_page
from mkdocs_recall.text.packing import pack, unpack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from mkdocs_recall.text.model import Document

_UNBOUNDED: Final = Limits(**dict.fromkeys(("page_size", "directive_size", "list_length"), 1 << 40))


@dataclass(frozen=True, slots=True)
class Family:
    """Input of one kind, of any size."""

    part: str
    """Who reads it."""
    what: str
    """What is repeated."""
    prepare: Callable[[int], Callable[[], object]]
    """Makes the input of a size, and returns what reads it."""


def repeated(unit: str, size: int) -> str:
    """Return a unit as often as makes up a size; `{}` in it is the number of each."""
    if "{}" not in unit:
        return unit * max(1, size // len(unit))
    parts: list[str] = []
    length = 0
    while length < size:
        parts.append(unit.replace("{}", str(len(parts))))
        length += len(parts[-1])
    return "".join(parts)


# Rendered pages

_PAGES: Final = {
    "unclosed comments": "<!-- a session expires ",
    "unclosed tags": "<p><b>a session expires ",
    "bare signs": "< a > & ",
    "tags that never end": '<a href="',
    "headings": '<h2 id="a{}">Session {}</h2>',
    "sentences of one letter": "<p>A. B! C? D. </p>",
    "one paragraph": "A session expires after {} days. ",
    "one sentence": "session{} expires ",
    "one word": "session",
    "full stops": ".",
    "all kinds of punctuation": ".!?;:,-…\"'()[]{",
    "abbreviations": "e.g. i.e. Dr. No. 1. a.m. ",
    "numbers": "1.2.3. 4) 5. ",
    "opening brackets": "([{«“",
    "template syntax": "{{ a {% b ",
    "zero-width characters": "a\u200b\u200d\ufeff ",
    "bidirectional signs": "a\u202e\u2066b\u202c ",
    "combining marks": "e" + "\u0301" * 40 + " ",
    "Han without a blank": "会话在一天后过期",
    "Thai without a blank": "เซสชันหมดอายุหลังจากหนึ่งวัน",
    "emoji joined": "👩‍👩‍👧‍👦",
    "items": "<ul><li>A session {} expires.</li></ul>",
    "one list": "<li>A session {} expires.",
    "rows": "<table><tr><th>a<th>b<tr><td>{}<td>x</table>",
    "one table": "<tr><td>{}<td>x<td>y",
    "spanning cells": "<tr><td colspan=1000 rowspan=65000>{}<td rowspan=0>x",
    "terms": "<dl><dt>Term {}<dd>It expires.</dl>",
    "code": "<pre><code>larch token --new {}\n</code></pre>",
    "inline code": "<code>a{}</code> ",
    "links": '<a href="b{}.md#c">d</a> ',
    "admonitions": '<div class="admonition"><p class="admonition-title">N</p>It {}.</div>',
    "tabs": '<div class="tabbed-set"><div class="tabbed-content"><p>It {}.</p></div></div>',
    "entities": "&amp;&lt;&#x41;&unknown;",
    "attributes": ' data-a{}="b"',
    "scripts": "<script>a</script>",
    "line breaks": "a<br>",
    "ids": '<p id="a"><a id="a{}"></a>x</p>',
}
_DEEP: Final = {
    "nested lists": ("<ul><li>a", "A session expires.", "</li></ul>"),
    "nested quotes": ("<blockquote>", "<p>A session expires.</p>", "</blockquote>"),
    "nested divisions": ("<div>", "A session expires.", "</div>"),
    "nested emphasis": ("<em>a", "A session expires.", "</em>"),
    "nested links": ('<a href="b">', "c", "</a>"),
    "nested tables": ("<table><tr><td>", "a", "</td></tr></table>"),
    "nested definitions": ("<dl><dt>a</dt><dd>", "b", "</dd></dl>"),
    "nested admonitions": ('<div class="admonition">', "<p>a</p>", "</div>"),
}


_AROUND: Final = {
    "one list": "<ul>{}",
    "one table": "<table>{}",
    "spanning cells": "<table>{}",
    "attributes": "<p{}>A session expires.</p>",
}


def _document(html: str) -> Document:
    reading = read_html(html, limits=_UNBOUNDED)
    return analyse(reading, uri="a.md", title="Sessions", language="en", url="a/")


def _read(html: str) -> None:
    for block in _document(html).blocks:
        assert block.sentences is not None


def _page(what: str, unit: str, size: int) -> Callable[[], object]:
    return partial(_read, _AROUND.get(what, "{}").replace("{}", repeated(unit, size)))


def _nested(unit: tuple[str, str, str], size: int) -> str:
    opening, inside, closing = unit
    depth = max(1, size // len(opening + closing))
    return opening * depth + inside + closing * depth


def _deep_page(unit: tuple[str, str, str], size: int) -> Callable[[], object]:
    return partial(_read, _nested(unit, size))


def _packing(unit: str, size: int) -> Callable[[], object]:
    document = _document(repeated(unit, size))
    return lambda: unpack("a.md", pack(document))


# Questions and synopses

_ASKED: Final = {
    "one paragraph": "A session expires after {} days. ",
    "the same sentence": "<p>A session expires after a day.</p>",
    "sentences of one letter": "<p>A. B! C? D. </p>",
    "one sentence": "session{} expires ",
    "headings": '<h2 id="a{}">Session {}</h2><p>It expires.</p>',
    "it, it, it": "<p>It expires as a session. This session expires. However, it does. </p>",
    "lead-ins": "<p>A session expires:</p><ul><li>These expire:<ul><li>all</li></ul></li></ul>",
    "rows": "<table><tr><th>session<th>expires<tr><td>{}<td>session expires</table>",
    "terms": "<dl><dt>Session {}<dd>It expires.</dl>",
    "marks": "A <code>session</code> <em>expires</em> ",
    "items": "<li>A session {} expires.",
    "nothing that can be quoted": "<p>A {{ session }} expires.</p>",
}
_ALIKE: Final = {
    "": _ASKED["one paragraph"],
    "short paragraphs, ": "<p>A session {} expires after a day of token{}.</p>",
    "a few sections, ": "<h2>Session</h2>" + "<p>A session expires on day {}.</p>" * 500,
    "the same over and over, ": "<p>A session expires on day {}.</p>"
    + "<p>A session of everybody expires after a day, at noon.</p>" * 9,
}
"""Sentences that are compared with many chosen ones."""
_WAYS: Final[dict[str, dict[str, object]]] = {
    "coverage": {},
    "bm25": {"scorer": "bm25"},
    "overlap": {"scorer": "overlap"},
    "coverage, 50 sentences": {"max_sentences": 50, "context": 5},
    "coverage, diverse": {"diversity": 0.5, "max_sentences": 20},
    "1,000 sentences": {"max_sentences": 1000},
    "1,000 sentences, diverse": {"max_sentences": 1000, "diversity": 0.5},
    "1,000 sentences of few sections": {"max_sentences": 1000, "scorer": "structure"},
    "three queries": {"query": ["session expires", "days", "it does"]},
}
_SHOWN: Final = {
    "recall": RecallOptions(query=(Query("when does a session expire"),), explain=True),
    "synopsis": SynopsisOptions(explain=True),
}


def _corpus(html: str) -> Corpus:
    return Corpus(PageSet(["a.md"], lambda _: _document(html)))


def _shown(result: Result, name: str) -> None:
    if result.passages:
        render(result, _SHOWN[name], QuotingPage("b.md", "b/"))
    Result.from_json(result.to_json(explain=True))


def _recall(unit: str, asked: Mapping[str, Any], size: int) -> Callable[[], object]:
    html = repeated(unit, size)
    given = {"query": "when does a session expire", "min_score": 0, **asked}
    return lambda: _shown(_corpus(html).recall(**given), "recall")


def _synopsis(unit: str, algorithm: str, size: int) -> Callable[[], object]:
    html = repeated(unit, size)
    return lambda: _shown(_corpus(html).synopsis("a.md", algorithm=algorithm), "synopsis")


# Directives, front matter, lock files

_MARKDOWN: Final = {
    "directives": "```recall\nquery: a{}\n```\n\n",
    "directives that are not closed": "```recall\nquery: a{}\n",
    "other fences that are not closed": "````yaml\nrecall\n```recall\n",
    "fences of every length": "`````{} ```recall ~~~recall\n",
    "closing fences": "```\n",
    "long fences": "> ```recall\n> a\n",
    "quoted deep": ">" * 200 + " ```recall\n",
    "items in items": "- " * 100 + "```recall\n",
    "indented": " " * 200 + "```recall\n",
    "tabs": "\t```recall\n\t```\n",
    "comments that are not closed": "<!-- ```recall\n",
    "raw text that is not closed": "<pre>\n```recall\n",
    "comments within a line": "a <!-- b `",
    "backticks": "`` ` ``` ",
    "ticks": "`",
    "embedm": "```yaml embedm\ntype: recall\nquery: a{}\n```\n",
    "containers": '??? note\n\n    ```recall\n    query: a\n    ```\n\n=== "b"\n\n',
    "carriage returns": "```recall\r\nquery: a\r\n```\r\n",
    "footnotes": "[^a]: ```recall\n",
    "blank lines": "\n",
    "one line": "recall ``` ",
}


_YAML: Final = {
    "many options": "option{}: a\n",
    "the same option": "query: a\n",
    "lists in lists": "[",
    "mappings in mappings": "{a: ",
    "indented deeper": "- ",
    "anchors": "a{}: &b{} c\n",
    "tags": "a{}: !!bool x\n",
    "tabs": "\tquery: a\n",
    "quotes": "query: \"a'\n",
    "questions": "? a{}\n: b\n",
    "numbers": "9",
    "many queries": "- query {}\n",
    "broken lines": "query: a: b\n",
    "documents": "---\na\n",
}


_HTML: Final = {
    "markers": "<p>{}</p>\n",
    "markers in headings": "<h2>{}</h2>",
    "markers in inline elements": "<p><em><b><a href=x>a {}",
    "markers in tags": '<a title="{}',
    "markers in comments": "<!-- {} <!-- ",
    "markers as text": "<pre>&lt;!-- recall:{0} --&gt;</pre>",
    "breaks": "<p>a<br>{}<br> <br>",
    "open blocks": "<div><ul><li><p>{}",
    "ends of nothing": "</p></div></em>{}",
    "ids": "<p id='a' id=b>{}",
}


_FINISHED: Final = {
    "wrappers that are not closed": '<div class="language-recall">',
    "wrappers of all kinds": '<div class="highlight"><figure class="language-recall"><table><pre>',
    "code that is not closed": '<pre><code class="language-recall">query: a{}\n',
    "blocks that are not closed": "<pre>query: a{}\nsource: b\n",
    "openings of comments": "<!-- recall:fence ",
    "comments without a quote": "<!-- recall:fence YGBgcmVjYWxsCnF1ZXJ5OiBhCmBgYA== --> ",
    "ends of quotes": "<!-- /recall:fence -->",
    "code blocks": '<pre><code class="language-recall">query: a{}</code></pre>',
    "numbered code": '<pre class=recall><span class="ln">1</span>query: <b>a{}</b><br></pre>',
    "hidden text": "<script><!-- <title>",
    "names in tags": "<pre class=recall recall recall ",
    "blanks in tags": "<code " + " class" * 9,
}
_DEEP_FINISHED: Final = {
    "nested wrappers": ('<div class="highlight">', "<pre class=recall>query: a</pre>", "</div>"),
    "nested directives": ('<div class="language-recall">', "<pre>query: a</pre>", "</div>"),
    "nested code": ('<pre class="recall"><code>', "query: a", "</code></pre>"),
}


def _read_finished(html: str) -> None:
    find_html_directives(html)
    read_themed_page(html, limits=_UNBOUNDED)


def _finished(unit: str, size: int) -> Callable[[], object]:
    return partial(_read_finished, repeated(unit, size))


def _deep_finished(unit: tuple[str, str, str], size: int) -> Callable[[], object]:
    return partial(_read_finished, _nested(unit, size))


def _fences(unit: str, size: int) -> Callable[[], object]:
    return partial(find_fences, repeated(unit, size))


def _refused(body: str) -> None:
    with suppress(RecallError):
        read_options("recall", body, limits=_UNBOUNDED)


def _body(unit: str, size: int) -> Callable[[], object]:
    return partial(_refused, repeated(unit, size))


def _front_matter(unit: str, size: int) -> Callable[[], object]:
    text = f"---\nt_created: never\n{repeated(unit, size)}\n---\n# A\n"
    return lambda: front_matter_faults(split_front_matter(text).meta, text)


def _placing(unit: str, size: int) -> Callable[[], object]:
    ids = [f"{number:016x}" for number in range(max(1, size // (len(unit) + 34)))]
    html = "".join(unit.replace("{}", marker(each)).replace("{0}", each) for each in ids)
    quotes = dict.fromkeys(ids, "<blockquote>a</blockquote>")
    fences = dict.fromkeys(ids, "```recall\nquery: a\n```")
    return partial(insert_quotes, html, quotes, fences)


def _glob(unit: str, size: int) -> Callable[[], object]:
    pattern = repeated(unit, size)

    def match() -> None:
        pages = PageSet([f"{number}/{'a' * 200}.md" for number in range(1000)], _document)
        with suppress(RecallError):
            pages.scope([f"{pattern}b"])

    return match


def _lock(unit: str, size: int) -> Callable[[], object]:
    entry = LockEntry("", "a.md", "recall", ("q",), (), ("a.md",), (unit,), unit)
    count = max(1, size // (2 * len(unit)))
    entries = [LockEntry(**{**_fields(entry), "id": str(number)}) for number in range(count)]
    return lambda: unpack_lock(pack_lock(entries))


def _fields(entry: LockEntry) -> dict[str, Any]:
    return {name: getattr(entry, name) for name in LockEntry.__slots__}


def _page_families() -> Iterator[Family]:
    for what, unit in _PAGES.items():
        yield Family("page", what, partial(_page, what, unit))
    for part, deep_units, prepare_deep in (
        ("page", _DEEP, _deep_page),
        ("finished page", _DEEP_FINISHED, _deep_finished),
    ):
        for what, deep in deep_units.items():
            yield Family(part, what, partial(prepare_deep, deep))


def _families() -> Iterator[Family]:
    yield from _page_families()
    for what in ("one paragraph", "headings", "inline code"):
        yield Family("cache", what, partial(_packing, _PAGES[what]))
    for what, unit in _ASKED.items():
        yield Family("recall", what, partial(_recall, unit, {}))
    for (kind, unit), (what, asked) in product(_ALIKE.items(), _WAYS.items()):
        yield Family("recall", f"{kind}{what}", partial(_recall, unit, asked))
    for algorithm in ALGORITHM_NAMES:
        for what in ("one paragraph", "sentences of one letter", "it, it, it"):
            unit = _ASKED[what]
            yield Family(f"synopsis, {algorithm}", what, partial(_synopsis, unit, algorithm))
    for part, units, prepare in (
        ("finished page", _FINISHED, _finished),
        ("Markdown", _MARKDOWN, _fences),
        ("fence", _YAML, _body),
        ("front matter", _YAML, _front_matter),
        ("putting in", _HTML, _placing),
        ("glob", _GLOBS, _glob),
        ("lock file", _TEXTS, _lock),
    ):
        for what, unit in units.items():
            yield Family(part, what, partial(prepare, unit))


_GLOBS: Final = {"stars": "*", "stars for folders": "**/", "brackets": "[", "letters": "*a"}
_TEXTS: Final = {
    "lines": "a\n" * 50,
    "signs": "'\"#&*: " * 10,
    "bidirectional": "\u202e\u2028" * 40,
}
FAMILIES: Final = tuple(_families())
