"""Verification of quotes against the pages: each is exact, moved, changed or gone.

Quotes are compared by whole sentences; white space, typographic signs and Markdown's marks do not
count. A claim is what a text attributes to a place in the documentation. Claims are read from JSON,
or from quotes that this package wrote: in HTML the boxes that a build inserts; in Markdown, block
quotes and lists that end with a citation, an em dash and a link.
"""

from __future__ import annotations

import json
import os
import re
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias, get_args
from urllib.parse import unquote, urlsplit

from mkdocs_recall.answers.links import SECTION_CLASS
from mkdocs_recall.errors import RecordError, SourceError
from mkdocs_recall.index.sources import Target
from mkdocs_recall.messages import location
from mkdocs_recall.text.model import ICON, Block, Document, Sentence, written_number
from mkdocs_recall.text.runs import href_of
from mkdocs_recall.text.wording import wording, wording_digest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from selectolax.lexbor import LexborNode

    from mkdocs_recall.pages.corpus import Corpus


_THREE_DOTS: Final = "..."
_STEP: Final = re.compile(r"([0-9A-Za-z]{1,8})\. ")
_NEAR: Final = 0.5
"""The share of common words of a sentence and its changed form."""


class StatedSentence(NamedTuple):
    """A sentence of a page, a row, code, a line of code or a label."""

    document: Document
    """Its page, or one of the page's description alone."""
    sentence: Sentence
    """The sentence itself; for a line of code, all of the code."""
    text: str
    wording: str

    @property
    def block(self) -> Block:
        """The block that it is in."""
        return self.document.blocks[self.sentence.block]

    @property
    def step(self) -> str:
        """The number of the step that it opens, if any."""
        items = self.block.items
        is_step = items and items[-1].number and not self.sentence.start
        return written_number(items[-1].number) if is_step else ""


class PageText:
    """The sentences of a page and of its description."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._body = list(_sentences(document))
        self._words: dict[str, Counter[str]] = {}

    @cached_property
    def sentences(self) -> list[StatedSentence]:
        """All sentences, and the lines of code."""
        return [*self._body, *_lines(self._body), *self._description]

    @cached_property
    def by_digest(self) -> dict[str, list[StatedSentence]]:
        """The sentences by their digests."""
        sentences: dict[str, list[StatedSentence]] = {}
        for sentence in self.sentences:
            sentences.setdefault(wording_digest(sentence.text), []).append(sentence)
        return sentences

    @cached_property
    def by_github(self) -> dict[str, str]:
        """The page's anchors by GitHub's anchors of the same headings."""
        from mkdocs_recall.answers.markdown import github_anchors

        return {slug: anchor for anchor, slug in github_anchors(self.document).items()}

    def run(
        self, texts: Sequence[str], anchor: str, *, with_description: bool
    ) -> list[StatedSentence] | None:
        """Return the closest consecutive sentences of the page with these texts.

        The texts are in reading order; the first lines of code suffice.
        """
        sentences = [*(self._description if with_description else ()), *self._body]
        runs = list(_runs([_numbers(sentences, text) for text in texts]))
        if not runs:
            return None

        def distance(run: list[int]) -> tuple[bool, int]:
            return sentences[run[0]].block.anchor != anchor, run[-1] - run[0]

        best = min(runs, key=distance)
        return [_cut(sentences[n], text) for n, text in zip(best, texts, strict=True)]

    def read(self, text: str, anchor: str = "") -> tuple[tuple[StatedSentence, ...], str]:
        """Split a text into sentences of the page, and the first part that is none, or empty.

        Between two there may be "…", a colon after a label, and the number of a step.
        """
        size = len(text)
        pending: list[tuple[int, tuple[StatedSentence, ...]]] = [(0, ())]
        reached = {0}
        best: tuple[int, tuple[StatedSentence, ...]] = (0, ())
        while pending:
            end, sentences = pending.pop()
            if end > best[0]:
                best = end, sentences
            if end == size:
                return sentences, ""
            step = _STEP.match(text, end)
            for start in (end, step.end()) if step else (end,):
                for sentence in self._openings(text, start, anchor):
                    after = _skip(text, start + len(sentence.wording))
                    is_exact = start == end or (step and step[1] == sentence.step)
                    if is_exact and after not in reached:
                        reached.add(after)
                        pending.append((after, (*sentences, sentence)))
            after = _skip(text, end)
            if after > end and after not in reached:
                reached.add(after)
                pending.append((after, sentences))
        return best[1], self._unknown(text, best[0])

    def nearest(self, text: str, anchor: str) -> StatedSentence | None:
        """Return the sentence with most of a text's words; one of the section comes first."""
        words = Counter(text.lower().split())
        in_section = [s for s in self.sentences if s.block.anchor == anchor] if anchor else []
        for candidates in (in_section, self.sentences):
            best = max(candidates, key=lambda s: self._likeness(words, s), default=None)
            if best is not None and self._likeness(words, best) >= _NEAR:
                return best
        return None

    def _likeness(self, words: Counter[str], sentence: StatedSentence) -> float:
        counts = self._words.get(sentence.wording)
        if counts is None:
            counts = self._words[sentence.wording] = Counter(sentence.wording.lower().split())
        size, total = words.total(), words.total() + counts.total()
        if 2 * min(size, total - size) < _NEAR * total:  # even if one has all words of the other
            return 0.0
        return 2 * (words & counts).total() / total

    def _openings(self, text: str, start: int, anchor: str) -> Sequence[StatedSentence]:
        sizes = [size for size in self._sizes.get(text[start], ()) if start + size <= len(text)]
        ends = (start + size for size in sizes if _is_boundary(text, start + size))
        matches = chain.from_iterable(self._by_wording.get(text[start:end], ()) for end in ends)
        return sorted(matches, key=lambda s: (len(s.wording), not _is_in(s.block, anchor)))

    def _unknown(self, text: str, start: int) -> str:
        end = text.find(" ", start)
        while end >= 0:
            if self._openings(text, end + 1, ""):
                break
            end = text.find(" ", end + 1)
        return text[start : end if end >= 0 else len(text)].removesuffix(_THREE_DOTS).rstrip()

    @cached_property
    def _description(self) -> list[StatedSentence]:
        from mkdocs_recall.ranking.synopsis import description_of

        return list(_sentences(description_of(self.document)))

    @cached_property
    def _by_wording(self) -> dict[str, list[StatedSentence]]:
        by_wording: dict[str, list[StatedSentence]] = {}
        for sentence in self.sentences:
            by_wording.setdefault(sentence.wording, []).append(sentence)
        return by_wording

    @cached_property
    def _sizes(self) -> dict[str, set[int]]:
        """The lengths of wordings, by their first characters."""
        sizes: dict[str, set[int]] = {}
        for words in self._by_wording:
            sizes.setdefault(words[0], set()).add(len(words))
        return sizes


def _sentences(document: Document) -> Iterator[StatedSentence]:
    for block in document.blocks:
        for sentence in block.sentences:
            if words := wording(sentence.text):
                yield StatedSentence(document, sentence, sentence.text, words)


def _lines(sentences: Iterable[StatedSentence]) -> Iterator[StatedSentence]:
    for code in sentences:
        lines = code.text.split("\n")
        for line in lines if len(lines) > 1 else ():
            if words := wording(line):
                yield code._replace(text=line.strip(), wording=words)


def _numbers(sentences: Sequence[StatedSentence], text: str) -> Sequence[int]:
    words = wording(text)
    return [n for n, s in enumerate(sentences) if s.wording == words] or [
        n for n, s in enumerate(sentences) if s.text.startswith(f"{text}\n")
    ]


def _runs(numbers: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    for first in numbers[0]:
        run = [first]
        for candidates in numbers[1:]:
            position = bisect_right(candidates, run[-1])
            if position == len(candidates):
                return
            run.append(candidates[position])
        yield run


def _cut(statement: StatedSentence, text: str) -> StatedSentence:
    sentence = statement.sentence
    if sentence.text.startswith(f"{text}\n"):
        cut = sentence._replace(text=text, end=sentence.start + len(text))
        return statement._replace(sentence=cut, text=text)
    return statement


def _is_boundary(text: str, position: int) -> bool:
    return position >= len(text) or not (text[position - 1].isalnum() and text[position].isalnum())


def _skip(text: str, position: int) -> int:
    while position < len(text):
        if text.startswith(_THREE_DOTS, position):
            position += len(_THREE_DOTS)
        elif text[position] == " " or text.startswith(": ", position):
            position += 1
        else:
            break
    return position


_LISTS: Final = ("passages", "quotes", "receipts")
_TEXTS: Final = ("text", "sentence", "source", "url", "uri", "anchor", "digest")


@dataclass(frozen=True, slots=True)
class Claim:
    """A quote, a receipt or both, to be verified."""

    origin: str
    """Where it was read from: `passage 3`, `line 12`."""
    texts: tuple[str, ...] = ()
    digests: tuple[str, ...] = ()
    places: tuple[Target, ...] = ()
    """The pages and sections that it names."""
    site: str = ""
    """The name of the quoted site; empty if unknown."""
    link: str = ""
    """The link to its section if that is all that is known."""


def read_claims(text: str) -> list[Claim]:
    """Return the claims in JSON: of a result, passages, quotes or receipts."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"this is not JSON: {error}") from error
    return list(_claims(data))


def claim_of(record: object, origin: str) -> Claim:
    """Return the claim of a passage, a quote or a receipt."""
    if not isinstance(record, dict):
        raise RecordError(f"{origin} is not an object with 'text' or 'digest'")
    receipt = record.get("receipt", record)
    if not isinstance(receipt, dict):
        raise RecordError(f"'receipt' of {origin} is not an object")
    for name in _TEXTS:
        for values in (record, receipt):
            if not isinstance(values.get(name, ""), str):
                raise RecordError(f"'{name}' of {origin} is not text")
    texts = dict.fromkeys(record[n] for n in ("text", "sentence") if record.get(n, "").strip())
    digest = receipt.get("digest", "")
    if not (texts or digest):
        raise RecordError(f"{origin} has neither 'text' nor 'digest'")
    site = receipt.get("site", "")
    site = site if isinstance(site, str) else ""
    digests = (digest,) if digest else ()
    places, link = _place(record, receipt)
    return Claim(origin, tuple(texts), digests, places, site, link)


def _claims(data: object) -> Iterator[Claim]:
    if isinstance(data, dict):
        if "passages" not in data and {"text", "digest", "receipt"} & data.keys():
            data = [data]
        else:
            name = next((name for name in _LISTS if isinstance(data.get(name), list)), "")
            if not name:
                raise RecordError(f"there is no list of {', '.join(map(repr, _LISTS))} in it")
            data = data[name]
    if not isinstance(data, list):
        raise RecordError("it is neither an object nor a list")
    for number, record in enumerate(data, start=1):
        yield claim_of(record, f"passage {number}")


def _place(record: Mapping[str, Any], receipt: Mapping[str, Any]) -> tuple[tuple[Target, ...], str]:
    uri = receipt.get("uri") or record.get("uri") or record.get("source", "")
    anchor = receipt.get("anchor") or record.get("anchor", "")
    anchor = anchor.removeprefix("#")
    if anchor and uri.endswith(f".md#{anchor}"):
        uri = uri.removesuffix(f"#{anchor}")
    elif not (anchor and uri.endswith(".md")):  # a file name may have a '#'
        uri, in_source = Target.of(uri)
        anchor = anchor or in_source
    if uri:
        return (Target(uri, anchor),), ""
    url, _, in_url = record.get("url", "").partition("#")
    return (), f"{url}#{in_url or anchor}" if url or in_url else ""


_BOXES: Final = ".recall[data-search-exclude], .synopsis[data-search-exclude]"
_IN_MARKDOWN: Final = f"{_BOXES}, blockquote, ul"
_UNCITED: Final = "div.footnote, p:has(> cite), .recall > .admonition-title"
"""The parts of a section that are not its text."""
_ELLIPSIS: Final = "…"
_LINE_START: Final = r"</?(?:p|br|li|ul|ol|pre|div|blockquote|cite)\b[^<>]*>"
_CITATION: Final = re.compile(
    rf"{_LINE_START}\s*—\s*<a\b([^<>]*)>.*?(?={_LINE_START}|\Z)", re.DOTALL
)
"""A line that starts with an em dash and a link."""
_HEADING_TAG: Final = re.compile(r"(?<=[</])h[1-6](?=[\s>])")
_SECTION_TAG: Final = re.compile(rf"<[a-z]+ [^<>]*{SECTION_CLASS}[^<>]* data-search-exclude")
_RECEIPT: Final = re.compile(r"([^#]+)#([^:]*):\d*:([0-9a-f]{32})")
_MARKS: Final = re.compile(r"[*_`\[<>&\\#|~]|^\s*(?:[-+]|\d+\.)\s", re.MULTILINE)


def _plain_text_of(markdown: str) -> str:
    if not _MARKS.search(markdown):
        return markdown
    return "\n".join(run.text for run in _runs_of(_HEADING_TAG.sub("p", _as_html(markdown))))


def _as_html(text: str) -> str:
    from markdown_it import MarkdownIt

    markdown = MarkdownIt("commonmark").enable("table")
    markdown.normalizeLink = str  # type: ignore[method-assign,assignment]  # links stay as written
    html: str = markdown.render(text)
    return html


def quotes_in(source: str, *, in_markdown: bool = False) -> list[Claim]:
    """Return the quotes in Markdown, or in HTML; sections quoted whole come last.

    A quote has the line of its first link in the text, a section its own.
    """
    # The boxes are read from last to first, and each is removed from the page, so a section quoted
    # whole no longer holds the quotes in it.
    from selectolax.lexbor import LexborHTMLParser

    html = _as_html(source) if in_markdown else source
    boxes = LexborHTMLParser(html).css(_IN_MARKDOWN if in_markdown else _BOXES)
    quotes: list[list[Claim]] = []
    sections: list[Claim] = []
    for box in reversed(_outermost(boxes) if in_markdown else boxes):
        if SECTION_CLASS in (box.attributes.get("class") or ""):
            sections.insert(0, _section_claim(box))
        else:
            quotes.insert(0, [*_claims_of(box, in_markdown=in_markdown)])
        box.decompose()
    claims = []
    position = 0
    for number, claim in enumerate(chain.from_iterable(quotes), start=1):
        url = next((f"#{place.anchor}" for place in claim.places), claim.link).rstrip("#")
        start = source.find(url, position) if url else -1
        origin = f"quote {number}"
        if start >= 0:
            position = start + 1
            origin = f"line {source.count(chr(10), 0, start) + 1}"
        claims.append(replace(claim, origin=origin))
    for claim, tag in zip(sections, _SECTION_TAG.finditer(source), strict=False):
        line = source.count("\n", 0, tag.start()) + 1
        claims.append(replace(claim, origin=f"line {line}"))
    return claims


def _outermost(nodes: Iterable[LexborNode]) -> list[LexborNode]:
    chosen: dict[int, LexborNode] = {}
    for node in nodes:
        above = node.parent
        while above is not None and above.mem_id not in chosen:
            above = above.parent
        if above is None:
            chosen[node.mem_id] = node
    return [*chosen.values()]


def _inner_html(box: LexborNode) -> str:
    """Return the inner HTML of a node; selectolax 0.3.34 has no `inner_html`."""
    return "".join(node.html or "" for node in box.iter(include_text=True))


def _section_claim(box: LexborNode) -> Claim:
    links = [link.attributes.get("href") or "" for link in box.css("cite > a")]
    for node in reversed(box.css(_UNCITED)):
        node.decompose()
    site, receipts = _receipts_of(box)
    texts = tuple(run.text for run in _runs_of(_inner_html(box)) if not _is_dots(run))
    digests = tuple(digest for _, digest in receipts)
    if links:
        return Claim("", texts, digests, site=site, link=links[-1])
    return Claim("", texts, digests, tuple(place for place, _ in receipts[:1]), site)


def _claims_of(box: LexborNode, *, in_markdown: bool) -> Iterator[Claim]:
    """Yield the claims of a quote: for each section that it cites, the text before that."""
    # Markdown has no boxes: there only cited text is a quote, and a strong first line is a title.
    is_box = "data-search-exclude" in box.attributes
    for title in box.css(".admonition-title"):
        title.decompose()
    site, receipts = _receipts_of(box)
    parts = [*_CITATION.split(_inner_html(box)), ""]
    for number, (html, link) in enumerate(zip(parts[::2], parts[1::2], strict=True)):
        runs = [run for run in _runs_of(html) if not _is_dots(run)]
        if in_markdown and not is_box and not number and len(runs) > 1:
            length = len(runs[0].text)
            is_title = any(m.role == "strong" and m.end - m.start == length for m in runs[0].marks)
            del runs[:is_title]
        href = href_of(link)
        anchor = unquote(href.partition("#")[2])
        cited = [receipt for receipt in receipts if not link or receipt[0].anchor == anchor]
        places = tuple(dict.fromkeys(place for place, _ in cited))
        if runs and (link or is_box):
            texts = (run.text for run in runs)
            digests = (digest for _, digest in cited)
            yield Claim("", (*texts,), (*digests,), places, site, "" if places else href)


def _receipts_of(box: LexborNode) -> tuple[str, list[tuple[Target, str]]]:
    receipts = [
        (Target(unquote(match[1]), unquote(match[2])), match[3])
        for receipt in (box.attributes.get("data-recall-receipts") or "").split()
        if (match := _RECEIPT.fullmatch(receipt))
    ]
    return box.attributes.get("data-recall-site") or "", receipts


def _runs_of(html: str) -> list[Block]:
    from mkdocs_recall.text.html import read_html

    return [run for run in read_html(html).runs if run.text.strip(ICON)]


def _is_dots(run: Block) -> bool:
    cells = [run.text[m.start : m.end] for m in run.marks if m.role == "cell"] or [run.text]
    return [cell for cell in cells if cell] == [_ELLIPSIS]


Verdict: TypeAlias = Literal["exact", "moved", "changed", "gone"]
VERDICTS: Final[tuple[Verdict, ...]] = get_args(Verdict)
_OPENING: Final = 16
"""The leading characters by which a sentence's page is looked up."""


class Verification(NamedTuple):
    """The verdict on a quote."""

    claim: Claim
    verdict: Verdict
    source: str = ""
    """Where it is now, or its nearest sentence, `page.md#anchor`."""
    file: str = ""
    line: int | None = None
    was: str = ""
    """The part of the quote that its page lacks."""
    now: str = ""
    """The sentence nearest to that."""

    @property
    def diff(self) -> str:
        """The change word by word: `[-gone-]` and `{+new+}`."""
        return _word_diff(self.was, wording(self.now)) if self.was and self.now else ""

    def text(self) -> str:
        """Return the verdict as text for a person."""
        where = ""
        if self.source:
            place = location(self.file, self.line)
            where = f": {self.source} ({place})" if place else f": {self.source}"
        head = f"{self.claim.origin}: {self.verdict}{where}"
        if self.diff:
            return f"{head}\n  {self.diff}"
        quote = self.was or " … ".join(self.claim.texts)
        return f"{head}\n  {quote}" if quote and self.verdict != "exact" else head

    def record(self) -> dict[str, Any]:
        """Return the verdict as a record for a program."""
        record = self._asdict()
        return {"origin": record.pop("claim").origin, **record, "diff": self.diff}


class Verifier:
    """Verifies quotes against the pages of a documentation."""

    def __init__(self, corpus: Corpus, folder: str = "") -> None:
        """Take the pages, and the folder of links; empty for the current one."""
        self._corpus = corpus
        self._folder = os.path.abspath(folder or ".")  # noqa: PTH100 - resolves no links
        self._pages: dict[str, PageText] = {}

    def verify(self, claims: Iterable[Claim]) -> Iterator[Verification]:
        """Yield the verdict on each quote."""
        with self._corpus.by_name() as pages:
            self._set = pages
            yield from map(self._verify, claims)

    def _verify(self, claim: Claim) -> Verification:
        url, _, anchor = claim.link.partition("#")
        targets = claim.places or (Target(self._uri_of(url), anchor),)
        places = [place for target in targets if (place := self._resolve(target))]
        for anywhere in (False, True):
            for page, anchor in places:
                if sentence := _find(claim, page, anchor, anywhere=anywhere or not anchor):
                    verdict: Verdict = "exact" if not anywhere or not anchor else "moved"
                    return self._found(claim, verdict, page, sentence)
        pages = [page for page, _ in places]
        for page in self._candidates(claim):
            if page not in pages and (sentence := _find(claim, page, "", anywhere=True)):
                verdict = "moved" if claim.places or claim.link else "exact"
                return self._found(claim, verdict, page, sentence)
        return self._changed(claim, places)

    def _found(
        self, claim: Claim, verdict: Verdict, page: PageText, sentence: StatedSentence
    ) -> Verification:
        document = page.document
        source = str(Target(document.uri, sentence.block.anchor))
        return Verification(claim, verdict, source, document.file, sentence.block.line)

    def _changed(self, claim: Claim, places: list[tuple[PageText, str]]) -> Verification:
        was = ""
        for page, anchor in places or [(page, "") for page in self._candidates(claim)]:
            was = _unknown_part(claim, page)
            if was and (nearest := page.nearest(was, anchor)):
                verification = self._found(claim, "changed", page, nearest)
                return verification._replace(was=was, now=nearest.text)
            if not was and claim.texts:  # the text is there, but the receipt is for another
                return Verification(claim, "changed", page.document.uri, page.document.file)
        return Verification(claim, "gone", was=was or " … ".join(map(wording, claim.texts)))

    def _page(self, uri: str) -> PageText:
        page = self._pages.get(uri)
        if page is None:
            page = self._pages[uri] = PageText(self._set.document(uri))
        return page

    def _resolve(self, place: Target) -> tuple[PageText, str] | None:
        is_page = place.uri in self._uris or self._is_of_other_site(place.uri)
        if not is_page:
            return None
        page, anchor = self._page(place.uri), unquote(place.anchor)
        is_own = not anchor or anchor in page.document.anchors
        return page, anchor if is_own else page.by_github.get(anchor, anchor)

    def _is_of_other_site(self, uri: str) -> bool:
        if ":" not in uri:
            return False
        try:
            targets = self._set.scope((uri,)).named
        except SourceError:
            return False
        return [target.uri for target in targets] == [uri]

    def _uri_of(self, url: str) -> str:
        if not url:
            return ""
        try:
            address = urlsplit(url)
        except ValueError:  # such as a host with an unclosed bracket
            return ""
        path = unquote(address.path)
        if not address.scheme:
            slash = "/" if path.endswith("/") else ""
            path = os.path.normpath(os.path.join(self._folder, path)) + slash  # noqa: PTH118
            if uri := self._by_file.get(path):
                return uri
        parts = path.replace(os.sep, "/").removesuffix("index.html").split("/")
        is_home = not address.path.removesuffix("index.html").strip("./")
        for start in range(len(parts)):
            ending = "/".join(parts[start:])
            if not ending and not is_home:  # an address that no page ends with
                break
            if uri := self._by_url.get(ending) or (ending if ending in self._uris else ""):
                return uri
        return ""

    def _candidates(self, claim: Claim) -> list[PageText]:
        names: dict[str, None] = {}
        for variant in chain.from_iterable(map(_variants, claim.texts)):
            step = _STEP.match(variant)
            for start in (0, step.end()) if step else (0,):
                opening = variant[start : start + _OPENING]
                for size in range(1, len(opening) + 1):
                    names |= self._by_opening.get(opening[:size], {})
        for digest in claim.digests if not claim.texts else ():
            names |= self._by_digest.get(digest, {})
        return [self._page(uri) for uri in names]

    @cached_property
    def _uris(self) -> frozenset[str]:
        return frozenset(self._set.uris)

    @cached_property
    def _by_file(self) -> dict[str, str]:
        return {file: uri for uri, file in self._corpus.files.items() if uri in self._uris}

    @cached_property
    def _by_url(self) -> dict[str, str]:
        """The pages by address; Markdown in memory has none."""
        urls = {uri: self._set.document(uri).url for uri in self._set.uris}
        addresses = {uri: url for uri, url in urls.items() if url or uri == "index.md"}
        return {url.removesuffix("index.html"): uri for uri, url in addresses.items()}

    @cached_property
    def _by_opening(self) -> dict[str, dict[str, None]]:
        return self._uris_by(lambda page: (s.wording[:_OPENING] for s in page.sentences))

    @cached_property
    def _by_digest(self) -> dict[str, dict[str, None]]:
        return self._uris_by(lambda page: page.by_digest)

    def _uris_by(self, keys: Callable[[PageText], Iterable[str]]) -> dict[str, dict[str, None]]:
        names: dict[str, dict[str, None]] = {}
        for uri in self._set.uris:
            for key in keys(self._page(uri)):
                names.setdefault(key, {})[uri] = None
        return names


def _word_diff(before: str, after: str) -> str:
    """Return the diff of two texts, `[-old-]` and `{+new+}`."""
    old, new = before.split(), after.split()
    words: list[str] = []
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            words += old[a:b]
            continue
        if a < b:
            words.append(f"[-{' '.join(old[a:b])}-]")
        if c < d:
            words.append(f"{{+{' '.join(new[c:d])}+}}")
    return " ".join(words)


def _find(claim: Claim, page: PageText, anchor: str, *, anywhere: bool) -> StatedSentence | None:
    """Return the place of a whole quote on a page; None if absent."""
    first: StatedSentence | None = None
    for digest in claim.digests:
        matches = page.by_digest.get(digest, [])
        matches = [s for s in matches if anywhere or _is_in(s.block, anchor)]
        if not matches:
            return None
        first = first or matches[0]
    for text in claim.texts:
        for variant in _variants(text):
            sentences, unknown = page.read(variant, anchor)
            if unknown or not sentences:
                continue
            if anywhere or all(_is_in(s.block, anchor) for s in sentences):
                first = first or sentences[0]
                break
        else:
            return None
    return first


def _is_in(block: Block, anchor: str) -> bool:
    return any(heading.anchor == anchor for heading in block.headings)


def _variants(text: str) -> Iterator[str]:
    normal = wording(text)
    yield normal
    if len(normal) > 1 and normal[0] == normal[-1] == '"':
        yield normal[1:-1].strip()
    plain = wording(_plain_text_of(text))
    if plain != normal:
        yield plain


def _unknown_part(claim: Claim, page: PageText) -> str:
    for text in claim.texts:
        missing = [page.read(variant)[1] for variant in _variants(text) if variant]
        if missing and all(missing):
            return min(missing, key=len)
    return ""
