"""Whether pages still say what was quoted of them: exact, moved, changed or gone.

A quote is compared by whole sentences: any other letter, digit, sign or order of words is a change,
and so is a sentence that is quoted in part. White space, typographic signs and Markdown's marks
do not count.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, get_args
from urllib.parse import unquote, urlsplit

from mkdocs_recall.errors import SourceError
from mkdocs_recall.messages import location
from mkdocs_recall.review.page_text import PageText
from mkdocs_recall.review.written_quotes import plain_text_of
from mkdocs_recall.text.wording import wording

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mkdocs_recall.corpus.corpus import Corpus
    from mkdocs_recall.review.claims import Claim, ClaimedPlace
    from mkdocs_recall.review.page_text import StatedSentence

Verdict: TypeAlias = Literal["exact", "moved", "changed", "gone"]
VERDICTS: Final[tuple[Verdict, ...]] = get_args(Verdict)
_OPENING: Final = 16
"""Characters of a sentence by which its page is looked up."""


@dataclass(frozen=True, slots=True)
class Verification:
    """What has become of a quote."""

    claim: Claim
    verdict: Verdict
    source: str = ""
    """Where it stands now, `page.md#anchor`; of a changed quote, its nearest sentence."""
    file: str = ""
    line: int | None = None
    was: str = ""
    """The part of the quote that its page does not say; empty where it says all."""
    now: str = ""
    """The sentence that is nearest to it; empty where there is none."""

    @property
    def diff(self) -> str:
        """What changed, word by word: `[-gone-]` and `{+new+}`."""
        return word_diff(self.was, wording(self.now)) if self.was and self.now else ""

    def text(self) -> str:
        """Return it as text for a person."""
        where = ""
        if self.source:
            place = location(self.file, self.line)
            where = f": {self.source} ({place})" if place else f": {self.source}"
        head = f"{self.claim.origin}: {self.verdict}{where}"
        if self.diff:
            return f"{head}\n  {self.diff}"
        said = self.was or " … ".join(self.claim.texts)
        return f"{head}\n  {said}" if said and self.verdict != "exact" else head

    def record(self) -> dict[str, Any]:
        """Return it as a record for a program."""
        return {
            "origin": self.claim.origin,
            "verdict": self.verdict,
            "source": self.source,
            "file": self.file,
            "line": self.line,
            "was": self.was,
            "now": self.now,
            "diff": self.diff,
        }


class Verifier:
    """Verifies quotes against the pages of a documentation, which it reads when they are named."""

    def __init__(self, corpus: Corpus, folder: str = "") -> None:
        """Take the pages.

        Args:
            folder: The folder from which links to files lead; empty for the current one.
        """
        self._corpus = corpus
        self._folder = os.path.abspath(folder or ".")  # noqa: PTH100 - resolves no links
        self._pages: dict[str, PageText] = {}

    def verify(self, claims: Iterable[Claim]) -> Iterator[Verification]:
        """Yield what has become of each quote."""
        with self._corpus.by_name() as pages:
            self._set = pages
            yield from map(self._verify, claims)

    def _verify(self, claim: Claim) -> Verification:
        places = [place for stated in claim.places if (place := self._resolve(stated))]
        for anywhere in (False, True):
            for page, anchor in places:
                if found := _find(claim, page, anchor, anywhere=anywhere or not anchor):
                    verdict: Verdict = "exact" if not anywhere or not anchor else "moved"
                    return self._found(claim, verdict, page, found)
        stated = [page for page, _ in places]
        for page in self._candidates(claim):
            if page not in stated and (found := _find(claim, page, "", anywhere=True)):
                return self._found(claim, "moved" if claim.places else "exact", page, found)
        return self._changed(claim, places)

    def _found(
        self, claim: Claim, verdict: Verdict, page: PageText, sentence: StatedSentence
    ) -> Verification:
        document, anchor = page.document, sentence.block.anchor
        source = f"{document.uri}#{anchor}" if anchor else document.uri
        return Verification(claim, verdict, source, document.file, sentence.block.line)

    def _changed(self, claim: Claim, places: list[tuple[PageText, str]]) -> Verification:
        """Return the verdict on a quote that stands nowhere as it is."""
        was = ""
        for page, anchor in places or [(page, "") for page in self._candidates(claim)]:
            was = _unknown_part(claim, page)
            if was and (nearest := page.nearest(was, anchor)):
                found = self._found(claim, "changed", page, nearest)
                return Verification(
                    claim, "changed", found.source, found.file, found.line, was, nearest.text
                )
            if not was and claim.texts:  # the text stands, but is not what the receipt is of
                return Verification(claim, "changed", page.document.uri, page.document.file)
        return Verification(claim, "gone", was=was or " … ".join(map(wording, claim.texts)))

    def _page(self, uri: str) -> PageText:
        page = self._pages.get(uri)
        if page is None:
            page = self._pages[uri] = PageText(self._set.document(uri))
        return page

    def _resolve(self, place: ClaimedPlace) -> tuple[PageText, str] | None:
        """Return the page and section that a place names; None where there is none."""
        uri = place.uri or self._uri_of(place.url)
        is_page = uri in self._uris or self._is_of_other_site(uri)
        return (self._page(uri), unquote(place.anchor)) if is_page else None

    def _is_of_other_site(self, uri: str) -> bool:
        """Tell whether there is such a page of another site."""
        if ":" not in uri:
            return False
        try:
            named = self._set.scope((uri,)).named
        except SourceError:
            return False
        return [target.uri for target in named] == [uri]

    def _uri_of(self, url: str) -> str:
        """Return the page that a link leads to: a path to its file, or its address."""
        if not url:
            return ""
        path = unquote(urlsplit(url).path)
        if not urlsplit(url).scheme:
            path = os.path.normpath(os.path.join(self._folder, path)) + "/" * path.endswith("/")  # noqa: PTH118
            if uri := self._by_file.get(path):
                return uri
        parts = path.replace(os.sep, "/").removesuffix("index.html").split("/")
        for start in range(len(parts)):
            rest = "/".join(parts[start:])
            if not rest and path not in {"", "/"}:  # the end of an address that no page has
                break
            if uri := self._by_url.get(rest) or (rest if rest in self._uris else ""):
                return uri
        return ""

    def _candidates(self, claim: Claim) -> list[PageText]:
        """Return the pages that have a sentence with which the quote begins."""
        names: dict[str, None] = {}
        for text in claim.texts:
            for variant in _variants(text):
                for size in range(1, min(len(variant), _OPENING) + 1):
                    names |= self._by_opening.get(variant[:size], {})
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
        """The pages by address; pages of Markdown in memory have none, and a home page is empty."""
        urls = {uri: self._set.document(uri).url for uri in self._set.uris}
        return {url: uri for uri, url in urls.items() if url or uri == "index.md"}

    @cached_property
    def _by_opening(self) -> dict[str, dict[str, None]]:
        """The pages of all sentences by their openings."""
        names: dict[str, dict[str, None]] = {}
        for uri in self._set.uris:
            for sentence in self._page(uri).sentences:
                names.setdefault(sentence.wording[:_OPENING], {})[uri] = None
        return names

    @cached_property
    def _by_digest(self) -> dict[str, dict[str, None]]:
        """The pages of all sentences by their digests."""
        names: dict[str, dict[str, None]] = {}
        for uri in self._set.uris:
            for digest in self._page(uri).by_digest:
                names.setdefault(digest, {})[uri] = None
        return names


def word_diff(before: str, after: str) -> str:
    """Return two texts as one: words only in the first as `[-…-]`, in the second as `{+…+}`."""
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
    """Return where on a page a quote stands; None if not all of it does, or in another section."""
    first: StatedSentence | None = None
    for digest in claim.digests:
        matches = page.by_digest.get(digest, [])
        own = [s for s in matches if s.block.anchor == anchor] if not anywhere else matches
        if not own:
            return None
        first = first or own[0]
    for text in claim.texts:
        for variant in _variants(text):
            reading = page.read(variant, anchor)
            if reading.rest or not reading.sentences:
                continue
            if anywhere or any(s.block.anchor == anchor for s in reading.sentences):
                first = first or reading.sentences[0]
                break
        else:
            return None
    return first


def _variants(text: str) -> Iterator[str]:
    """Yield the wording of a text, also without quotation marks around it, and without Markdown."""
    normal = wording(text)
    yield normal
    if len(normal) > 1 and normal[0] == normal[-1] == '"':
        yield normal[1:-1].strip()
    plain = wording(plain_text_of(text))
    if plain != normal:
        yield plain


def _unknown_part(claim: Claim, page: PageText) -> str:
    """Return the first part of a quote that a page does not say, in its shortest form."""
    for text in claim.texts:
        rests = [page.read(variant).rest for variant in _variants(text) if variant]
        if rests and all(rests):
            return min(rests, key=len)
    return ""
