"""With any content of the cache's files, the answers are those without a cache."""

from __future__ import annotations

import atexit
import json
import re
import shutil
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Final

from fuzzing import SENTENCES, bytes_edited, edited, fuzzed, text
from hostile import HREFS
from hypothesis import strategies as st
from judging import judge_quote, judge_result
from tables import beside

from mkdocs_recall import Corpus, RecallError, Result
from mkdocs_recall.directives.catalog import as_queries
from mkdocs_recall.files import user_cache_folder
from mkdocs_recall.index.sources import PageSet
from mkdocs_recall.options import RecallOptions
from mkdocs_recall.store import segments
from mkdocs_recall.text.document import pack, unpack

PAGES: Final[dict[str, str]] = beside(__file__)["PAGES"]
ASKED: Final = "when does a session expire on port 80?"
EDITS: Final = (
    *(b"\x00", b"\xff" * 8, b"\x7f" * 8, b"RCL2", b"[", b"{}", b"null", b"NaN"),
    *(b"-1", b"1e999", b"999999999999", b"<script>alert(1)</script>", b"javascript:alert(1)"),
    *(b"link", b"code"),
    *(b'"\\ud800"', b"../../../etc/passwd", b"[" * 99, b"\x00" * 4096, b"\x0d\x00\x00\x00\x03"),
    *(b'"',),
)


@cache
def site() -> Path:
    """Return a site with a warm cache."""
    folder = Path(mkdtemp()).resolve()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for uri, page in PAGES.items():
        path = folder / "docs" / uri
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page, encoding="utf-8")
    (folder / "mkdocs.yml").write_text("site_name: Larch\nplugins: [recall]\n", encoding="utf-8")
    ask(Corpus.from_site(folder / "mkdocs.yml"))
    return folder / "mkdocs.yml"


def cache_file() -> Path:
    folder = user_cache_folder(site())
    assert folder is not None
    return min(folder.glob(segments()), default=folder / segments().replace("*", "0f"))


@cache
def whole() -> bytes:
    """Return the file in which it is kept."""
    return cache_file().read_bytes()


@cache
def truth() -> list[str]:
    return [result.to_json(explain=True) for result in ask(Corpus.from_site(site(), cache=False))]


def ask(corpus: Corpus) -> list[Result]:
    """Return what a documentation says to some of all that can be asked."""
    return [
        corpus.recall(ASKED),
        corpus.recall("Sitzung", source="de.md", units="prose"),
        corpus.synopsis("**", prefer_description=True),
    ]


def put(data: bytes) -> None:
    path = cache_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    for other in path.parent.glob(segments()):
        other.unlink()
    path.write_bytes(data)


@cache
def letters() -> list[int]:
    """Return where letters stand between others: what was read of the pages."""
    return [match.start(1) for match in re.finditer(rb"(?<=[a-z])([a-z])(?=[a-z])", whole())]


CHANGED: Final = st.builds(
    lambda at, sign: whole()[:at] + sign + whole()[at + 1 :],
    st.integers(0, 1 << 20).map(lambda number: letters()[number % len(letters())]),
    st.sampled_from((b"x", b"7", b" ")),
)
"""One letter is another, and all else is whole."""


@fuzzed(20, data=CHANGED | bytes_edited(st.builds(whole), EDITS) | st.binary(max_size=200))
def test_a_damaged_file_changes_no_answer(data: bytes) -> None:
    put(data)
    for _ in range(2):  # what was damaged is mended, too
        assert [result.to_json(explain=True) for result in ask(Corpus.from_site(site()))] == truth()


@cache
def packed_page() -> str:
    """Return a page as it is kept."""
    return pack(Corpus.from_markdown(PAGES).documents[1]).decode()


def forge(title: str, url: str, headings: object, blocks: Iterable[Sequence[object]]) -> str:
    """Return the page with other parts."""
    page = json.loads(packed_page())
    columns = list(zip(*blocks, strict=True))
    page[0], page[2], page[-2:] = title, url, [headings, columns]
    return json.dumps(page)


NUMBERS: Final = st.integers(-2, 60) | st.sampled_from((2**31, 2**63, -(2**63), 10**30))
TEXTS: Final = st.sampled_from(SENTENCES) | st.sampled_from(HREFS) | text
MARKS: Final = st.tuples(
    NUMBERS, NUMBERS, st.sampled_from(("em", "strong", "code", "link")), st.sampled_from(HREFS)
)
BLOCKS: Final = st.tuples(
    TEXTS,
    st.sampled_from(
        ("prose", "prose", "list", "table", "definition", "admonition", "code", "label", "tab")
    ),
    NUMBERS,
    st.integers(-2, 3),
    st.lists(MARKS, max_size=4),
    st.none() | st.integers(-1, 2),
    st.none() | NUMBERS,
)
HEADINGS: Final = st.tuples(TEXTS, st.integers(-1, 9), TEXTS)
FORGED: Final = st.builds(
    forge,
    TEXTS,
    st.sampled_from(HREFS),
    st.lists(HEADINGS, max_size=3),
    st.lists(BLOCKS, max_size=5),
)


@fuzzed(
    100,
    packed=FORGED | edited(st.builds(packed_page), [e.decode("latin-1") for e in EDITS], most=2),
)
def test_a_forged_page_is_refused_or_quoted_without_harm(packed: str) -> None:
    try:
        document = unpack("guide/token.md", packed.encode())
    except ValueError:
        return
    corpus = Corpus(PageSet(["guide/token.md"], lambda _: document))
    try:
        results = [
            corpus.recall(ASKED, min_score=0),
            corpus.synopsis("**", prefer_description=True),
        ]
    except RecallError:
        return
    for result in results:
        options = RecallOptions(query=as_queries(ASKED), cite=True, explain=True)
        judge_result(result)
        judge_quote(result, options)


def test_the_page_that_is_forged_here_is_right() -> None:
    assert unpack("guide/token.md", packed_page().encode()).title == "Token"
    page = forge("T", "t/", [], [["A session.", "prose", 0, 0, [[2, 7, "em", ""]], None, 1]])
    assert unpack("t.md", page.encode()).sentences[0].text == "A session."
