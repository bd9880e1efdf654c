"""Sentence splitting of a block's text: sentencex proposes boundaries, guards decide.

sentencex knows quotation marks, brackets and many abbreviations. The guards in `boundaries` know
inline code, file names, versions, ordinals and numbered steps: they reject boundaries that
sentencex proposes and add some that it misses. Each decision looks at a bounded context, so the
time is linear in the length of the text.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING

import sentencex  # type: ignore[import-untyped]

from mkdocs_recall.text.boundaries import CODE, STOPS, UNSPACED_STOPS, is_boundary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mkdocs_recall.text.language import Language

_UNSPACED = "\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
"""Han and Kana, where no white space precedes a sentence."""
_MORE_STOPS = {"el": ";\u037e"}
"""The Greek question mark."""
_PICTURES = "\u2600-\u27bf\u2b50\U0001f300-\U0001faff\ufe0f\u200d"
_CLOSING = f"\"'”’“‘»«›)\\]}}」』）】》〉*_~{_PICTURES}"
_ASCII_CLOSING = b"\"')]}*_~"
_ASCII_END = b". "
_ASCII_SHAPE = bytes(
    ord(" " if char.isspace() else "." if char in ".!?;" else char) for char in map(chr, range(256))
)
"""Maps each stop (of any language) to `.` and all white space to a space. Without closing marks,
ASCII text then contains `_ASCII_END` wherever a sentence may end: faster than to try a pattern."""
_GLUED = f"\"'”’»›)\\]}}」』）】》〉*_~{_PICTURES}"
"""Those of `_CLOSING` that also close where no white space follows; there the others open."""
_TRAILING = re.compile(rf"(?:[»›”’)\]}}]+|(?![⚠💡👉📌📝🚨✅❌✔✖➡])[{_PICTURES}]+)(?:\s+|$)")
"""Marks that belong to the sentence before them in spite of a space between."""
_LETTER = re.compile("(?s:.)[\u0300-\u036f]{0,9}")
"""A letter with the combining marks (Latin, Greek, Cyrillic) after it; not more than nine, because
NFC sorts a run of marks in quadratic time."""
_PIECE, _CONTEXT = 2000, 500
"""How many characters sentencex reads at once, and how many more on each side as context: as many
as the guards search for a quotation mark or bracket (`boundaries._REACH`)."""


def sentence_spans(
    text: str, language: Language, code: Sequence[tuple[int, int]] = ()
) -> list[tuple[int, int]]:
    """Return the sentences of one block as half-open spans in order.

    The spans cover `text` except the white space between them; none starts or ends with white
    space.

    Args:
        code: The spans of inline code in `text`, sorted. No sentence ends inside one, and a
            sentence may start with one.
    """
    start, end = len(text) - len(text.lstrip()), len(text.rstrip())
    if start >= end:
        return []
    ascii_only = text.isascii()
    if ascii_only and _ASCII_END not in text.encode().translate(_ASCII_SHAPE, _ASCII_CLOSING):
        return [(start, end)]
    if not ascii_only and not unicodedata.is_normalized("NFC", text):
        return _spans_of_decomposed(text, language, code)
    return _split(text, start, end, language, code, ascii_only=ascii_only)


def _split(
    text: str,
    start: int,
    end: int,
    language: Language,
    code: Sequence[tuple[int, int]],
    *,
    ascii_only: bool,
) -> list[tuple[int, int]]:
    """Return the sentences of `text[start:end]`, which is not empty."""
    masked = _mask(text, code) if code else text
    if not ascii_only and "”" in masked:
        masked = _unify_quotation_marks(masked)
    stops = list(_stop_pattern(language.code, ascii_only=ascii_only).finditer(masked, start, end))
    if not stops or stops[0].end() == end:
        return [(start, end)]
    proposals = _proposals(masked, language.code)
    spans: list[tuple[int, int]] = []
    last = start
    for mark in stops:
        at = mark.end()
        proposed = at in proposals
        if at < end and not masked[at].isalnum() and masked[at - 1].isspace():
            trailing = _TRAILING.match(masked, at, end)
            if trailing:
                at = trailing.end()
                proposed = proposed or at in proposals
        if at >= end:
            break
        word = max(last, masked.rfind(" ", last, mark.start()) + 1)
        last = at
        if is_boundary(
            masked, language, start=start, word=word, mark=mark, at=at, proposed=proposed
        ):
            spans.append((start, _trim_end(masked, at)))
            start = at
    spans.append((start, end))
    return spans


def _spans_of_decomposed(
    text: str, language: Language, code: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Return the sentences of a decomposed text: those of its NFC form, mapped back.

    Abbreviations and the words that open a sentence are listed in NFC.
    """
    there: list[int] = []  # the position in the NFC text for each position in `text`
    back: list[int] = []  # and the reverse
    parts: list[str] = []
    for letter in _LETTER.finditer(text):
        part = unicodedata.normalize("NFC", letter[0])
        there += [len(back)] * len(letter[0])
        back += [letter.start()] * len(part)
        parts.append(part)
    there.append(len(back))
    back.append(len(text))
    composed = "".join(parts)
    size = len(text)
    masks = [(there[min(low, size)], there[min(high, size)]) for low, high in code]
    start, end = len(composed) - len(composed.lstrip()), len(composed.rstrip())
    spans = _split(composed, start, end, language, masks, ascii_only=composed.isascii())
    return [(back[low], back[high]) for low, high in spans]


def _trim_end(text: str, end: int) -> int:
    """Return `end` moved back over white space."""
    while text[end - 1].isspace():
        end -= 1
    return end


def _mask(text: str, code: Sequence[tuple[int, int]]) -> str:
    """Return `text` with `CODE` in place of each character of inline code."""
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


def _unify_quotation_marks(text: str) -> str:
    """Return `text` with “ as the opening mark of quotations like „Polish” and ”Swedish”.

    sentencex knows neither and would end sentences inside the quotation.
    """
    if "“" in text:
        return text
    if "„" in text:
        return text.replace("„", "“")
    parts = text.split("”")
    if len(parts) % 2 == 0:  # inches, or a quotation that is not closed
        return text
    return "".join(f"{part}{'“' if n % 2 == 0 else '”'}" for n, part in enumerate(parts))[:-1]


@cache
def _stop_pattern(code: str, *, ascii_only: bool) -> re.Pattern[str]:
    """Return the pattern of a possible end of a sentence: stops, closing marks, white space.

    On ASCII text the ASCII pattern gives the same matches several times faster, because its
    character classes are small.
    """
    stops = STOPS + _MORE_STOPS.get(code, "") + UNSPACED_STOPS
    if ascii_only:
        stops = "".join(filter(str.isascii, stops))
    run = f"(?<![{stops}][{stops}])[{stops}]*"  # only from the first stop of a run: linear time
    if ascii_only:
        return re.compile(f"[{stops}]{run}[{re.escape(_ASCII_CLOSING.decode())}]*\\s+")
    return re.compile(
        f"[{stops}](?:{run}(?:[{_CLOSING}]*\\s+|[{_GLUED}]*(?=[{_UNSPACED}]))"
        f"|(?<=[{UNSPACED_STOPS}])[{stops}]*[{_GLUED}]*)"
    )


def _proposals(text: str, code: str) -> frozenset[int]:
    """Return the positions where sentencex would start a sentence.

    In some scripts and quotations its time grows with the square of the text, so it reads a long
    text in pieces, each with some context around it.
    """
    if len(text) <= _PIECE + 2 * _CONTEXT:
        return _sentence_starts(text, code)
    proposals: set[int] = set()
    for start in range(0, len(text), _PIECE):
        low, end = max(0, start - _CONTEXT), start + _PIECE
        starts = (low + at for at in _sentence_starts(text[low : end + _CONTEXT], code))
        proposals.update(at for at in starts if start < at <= end)
    return frozenset(proposals)


def _sentence_starts(text: str, code: str) -> frozenset[int]:
    """Return where sentencex would start a sentence in a short text, and the end of the text."""
    try:
        pieces = sentencex.segment(code, text)
    except UnicodeEncodeError:  # a lone surrogate, which a Rust string cannot hold
        return frozenset()
    ends = frozenset(accumulate(map(len, pieces)))
    return ends if len(text) in ends else frozenset()
