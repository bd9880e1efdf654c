"""Block text to sentences: sentencex proposes, guards for documentation decide.

sentencex knows quotation marks, brackets and many abbreviations. The guards, in
`boundaries`, know inline code, file names, versions, ordinals and numbered steps: they strike out
boundaries, and add those it misses.
Every look around a place is bounded, so the time is linear in the length of the text.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING

import sentencex  # type: ignore[import-untyped]

from mkdocs_recall.text.boundaries import CODE, FULL_STOPS, STOPS, is_boundary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mkdocs_recall.text.language import Language

_UNSPACED = "\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
"""Han and Kana, which need no white space before a sentence."""
_MORE_STOPS = {"el": ";\u037e"}
_PICTURES = "\u2600-\u27bf\u2b50\U0001f300-\U0001faff\ufe0f\u200d"
_CLOSING = f"\"'”’“‘»«›)\\]}}」』）】》〉*_~{_PICTURES}"
_ASCII_CLOSING = b"\"')]}*_~"
_ASCII_PLACE = b". "
_ASCII_SHAPE = bytes(
    ord(" " if char.isspace() else "." if char in ".!?;" else char) for char in map(chr, range(256))
)
"""Makes every stop (of any language) and every white space one. With closing marks left out, ASCII
text has `_ASCII_PLACE` wherever a sentence may end, which is faster to see than a pattern is."""
_GLUED = f"\"'”’»›)\\]}}」』）】》〉*_~{_PICTURES}"
"""The closing marks among them where no white space follows; there the others open."""
_TRAILING = re.compile(rf"(?:[»›”’)\]}}]+|(?![⚠💡👉📌📝🚨✅❌✔✖➡])[{_PICTURES}]+)(?:\s+|$)")
"""What belongs to the sentence before, though a blank stands between."""
_LETTER = re.compile("(?s:.)[\u0300-\u036f]{0,9}")
"""A letter with the marks of Latin, Greek and Cyrillic that stand behind it; to sort a long run of
marks would take quadratic time."""
_PIECE, _AROUND = 2000, 500
"""Characters that are shown to sentencex at once, and before and behind them: more than `_REACH`
of a quotation or a bracket is never looked at."""


def sentence_spans(
    text: str, language: Language, code: Sequence[tuple[int, int]] = ()
) -> list[tuple[int, int]]:
    """Return the sentences of one block as half-open spans in order.

    The spans cover `text` but for the white space between them, and none starts or ends with white
    space. `code` are the spans of inline code in `text`, sorted: no sentence ends inside one, and
    one may open a sentence.
    """
    start, end = len(text) - len(text.lstrip()), len(text.rstrip())
    if start >= end:
        return []
    ascii_only = text.isascii()
    if ascii_only and _ASCII_PLACE not in text.encode().translate(_ASCII_SHAPE, _ASCII_CLOSING):
        return [(start, end)]
    if not ascii_only and not unicodedata.is_normalized("NFC", text):
        return _spans_of_decomposed(text, language, code)
    return _cut(text, start, end, language, code, ascii_only=ascii_only)


def _cut(
    text: str,
    start: int,
    end: int,
    language: Language,
    code: Sequence[tuple[int, int]],
    *,
    ascii_only: bool,
) -> list[tuple[int, int]]:
    """Return the sentences in `text[start:end]`, which is not empty."""
    masked = _mask(text, code) if code else text
    if not ascii_only and "”" in masked:
        masked = _paired(masked)
    places = list(_places(language.code, ascii_only=ascii_only).finditer(masked, start, end))
    if not places or places[0].end() == end:
        return [(start, end)]
    proposed = _proposals(masked, language.code)
    spans: list[tuple[int, int]] = []
    last = start
    for mark in places:
        at = mark.end()
        votes = at in proposed
        if at < end and not masked[at].isalnum() and masked[at - 1].isspace():
            trailing = _TRAILING.match(masked, at, end)
            if trailing:
                at = trailing.end()
                votes = votes or at in proposed
        if at >= end:
            break
        word = max(last, masked.rfind(" ", last, mark.start()) + 1)
        last = at
        if is_boundary(masked, language, start=start, word=word, mark=mark, at=at, proposed=votes):
            spans.append((start, _trimmed(masked, at)))
            start = at
    spans.append((start, end))
    return spans


def _spans_of_decomposed(
    text: str, language: Language, code: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Return the sentences of a text whose marks stand behind their letters, as of its usual form.

    Abbreviations, and words that open a sentence, are known by their usual form.
    """
    there: list[int] = []  # where each place of the text is in its usual form
    back: list[int] = []  # and the other way round
    parts: list[str] = []
    for letter in _LETTER.finditer(text):
        part = unicodedata.normalize("NFC", letter[0])
        there += [len(back)] * len(letter[0])
        back += [letter.start()] * len(part)
        parts.append(part)
    there.append(len(back))
    back.append(len(text))
    usual = "".join(parts)
    size = len(text)
    masks = [(there[min(low, size)], there[min(high, size)]) for low, high in code]
    start, end = len(usual) - len(usual.lstrip()), len(usual.rstrip())
    spans = _cut(usual, start, end, language, masks, ascii_only=usual.isascii())
    return [(back[low], back[high]) for low, high in spans]


def _trimmed(text: str, end: int) -> int:
    while text[end - 1].isspace():
        end -= 1
    return end


def _mask(text: str, code: Sequence[tuple[int, int]]) -> str:
    """Return `text` with a sign in place of every character of inline code."""
    parts: list[str] = []
    done = 0
    for start, end in code:
        low = max(start, done)
        high = low + len(text[low:end].rstrip())
        low = high - len(text[low:high].lstrip())
        if low < high:
            parts += (text[done:low], CODE * (high - low))
            done = high
    return "".join((*parts, text[done:]))


def _paired(text: str) -> str:
    """Return `text` with “ where a quotation opens as „Polish” or ”Swedish” does.

    sentencex knows neither, and would end sentences inside the quotation.
    """
    if "“" in text:
        return text
    if "„" in text:
        return text.replace("„", "“")
    parts = text.split("”")
    if len(parts) % 2 == 0:  # inches, or a quotation that runs on
        return text
    return "".join(f"{part}{'“' if at % 2 == 0 else '”'}" for at, part in enumerate(parts))[:-1]


@cache
def _places(code: str, *, ascii_only: bool) -> re.Pattern[str]:
    """Return the pattern of places where a sentence may end: stops, closing marks, white space.

    The one for ASCII does the same there, several times faster: its classes are small.
    """
    every = STOPS + _MORE_STOPS.get(code, "") + FULL_STOPS
    if ascii_only:
        every = "".join(filter(str.isascii, every))
    run = f"(?<![{every}][{every}])[{every}]*"  # from its first mark: linear time
    if ascii_only:
        return re.compile(f"[{every}]{run}[{re.escape(_ASCII_CLOSING.decode())}]*\\s+")
    return re.compile(
        f"[{every}](?:{run}(?:[{_CLOSING}]*\\s+|[{_GLUED}]*(?=[{_UNSPACED}]))"
        f"|(?<=[{FULL_STOPS}])[{every}]*[{_GLUED}]*)"
    )


def _proposals(text: str, code: str) -> frozenset[int]:
    """Return where sentencex would begin a sentence.

    Its time grows with the square of the text, of some scripts and in some quotations, so a long
    text is shown to it in pieces, each with what stands around it.
    """
    if len(text) <= _PIECE + 2 * _AROUND:
        return _begun(text, code)
    found: set[int] = set()
    for start in range(0, len(text), _PIECE):
        low, end = max(0, start - _AROUND), start + _PIECE
        begun = (low + at for at in _begun(text[low : end + _AROUND], code))
        found.update(at for at in begun if start < at <= end)
    return frozenset(found)


def _begun(text: str, code: str) -> frozenset[int]:
    """Return where sentencex would begin a sentence in a text that is not long, and its end."""
    try:
        pieces = sentencex.segment(code, text)
    except UnicodeEncodeError:  # a lone surrogate, which no Rust string can hold
        return frozenset()
    ends = frozenset(accumulate(map(len, pieces)))
    return ends if len(text) in ends else frozenset()
