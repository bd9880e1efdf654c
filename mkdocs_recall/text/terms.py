"""The words of a text, and the terms by which pages and queries are compared.

A word is a run of letters, digits and their combining marks, folded; an apostrophe inside does not
end it. Underscores, hyphens and dots separate words: `site_url` is `site` and `url`, so either
spelling matches it. In scripts without separators (Han, Kana, Thai, Lao, Burmese, Khmer, and
Hangul, whose particles are attached to words) a run of letters gives its overlapping bigrams.

A large site has 700,000 words, so ASCII text takes a path without Unicode tables. Stemming, stop
words and elision come from `language`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mkdocs_recall.text.language import fold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mkdocs_recall.text.language import Language

_LOWER_OR_SPACE = bytes(
    ord(char.lower()) if char.isascii() and (char.isalnum() or char == "'") else ord(" ")
    for char in map(chr, range(256))
)
"""Maps ASCII to lower case, and all but letters, digits and apostrophes to spaces."""

_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a"
    "\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0711-\u07f3\u07fd\u0816-\u082d"
    "\u0859-\u085b\u0898-\u08e1\u08e3-\u0963\u0981-\u09e3\u09fe-\u0a75\u0a81-\u0ae3\u0afa-\u0b63"
    "\u0b82-\u0bd7\u0c00-\u0c63\u0c81-\u0c83\u0cbc-\u0d4d\u0d57-\u0d63\u0d81-\u0df3\u0e31-\u0e3a"
    "\u0e47-\u0e4e\u0eb1-\u0ecd\u0f18\u0f19\u0f35\u0f37\u0f39\u0f3e-\u0f84\u0f86-\u0fbc\u0fc6"
    "\u102b-\u103e\u1056-\u109d\u135d-\u135f\u1712-\u1734\u1752-\u17d3\u17dd\u1885\u1886\u18a9\u1920-\u193b"
    "\u1a17-\u1a1b\u1a55-\u1a7f\u1ab0-\u1abd\u1abf-\u1b44\u1b6b-\u1b73\u1b80-\u1bf3\u1c24-\u1c37"
    "\u1cd0-\u1cd2\u1cd4-\u1dff\u2cef-\u2cf1\u2d7f\u2de0-\u2dff\u302a-\u302f\u3099\u309a\ua66f"
    "\ua674-\ua67d\ua69e\ua69f\ua6f0\ua6f1\ua802-\ua827\ua82c\ua880-\ua8c5\ua8e0-\ua8f1\ua8ff-\ua92d"
    "\ua947-\ua953\ua980-\ua9c0\ua9e5\uaa29-\uaa4d\uaa7b-\uaac1\uaaeb-\uaaef\uaaf5\uaaf6"
    "\uabe3-\uabea\uabec\uabed\ufb1e\ufe20-\ufe2f"
)
"""Combining marks, which `\\w` excludes; some ranges include the letters between them."""

_UNSPACED = (
    "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff\u1100-\u11ff\uac00-\ud7af"
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ecf\u1000-\u103f\u1050-\u108f\u1780-\u17d3"
)
"""Letters and marks of scripts that do not separate words."""

_WORD = re.compile(f"[\\w{_MARKS}]+(?:'[\\w{_MARKS}]+)*")
_RUN = re.compile(f"[{_UNSPACED}]+")
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u061c\u0640\u064b-\u0652\u0670"
    "\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufe00-\ufe0f\ufeff]"
)
"""Soft hyphens, joiners, variation selectors, direction marks, Hebrew points, Arabic vowel signs
and the Arabic tatweel: they change how a word looks, not which word it is."""


def words(text: str) -> list[str]:
    """Return the words of `text`, folded, in order, with repetitions and with stop words."""
    if text.isascii():
        plain = text.encode().translate(_LOWER_OR_SPACE).decode()
        return (_without_quotes(plain) if "'" in plain else plain).split()
    text = _INVISIBLE.sub("", text).replace("\u2019", "'").replace("\u02bc", "'")
    text = text.replace("™", " ").replace("℠", " ")  # NFKC would turn them into letters
    # `\w` includes the underscore, and folding turns wide forms into it.
    text = fold(text.replace("_", " ")).replace("_", " ")
    return _WORD.findall(_RUN.sub(_bigrams, text))


def terms(text: str, language: Language) -> tuple[str, ...]:
    """Return the terms of `text`: its words without stop words, stemmed, in order."""
    return tuple(filter(None, map(language.stems.__getitem__, words(text))))


def plain_words(text: str, language: Language) -> tuple[str, ...]:
    """Return the words of `text` without stop words, not stemmed, in order."""
    if language.elides:
        return tuple(filter(None, map(language.content_words.__getitem__, words(text))))
    stop_words = language.stop_words
    return tuple([word for word in words(text) if word not in stop_words])


def distinct_words(texts: Sequence[str], language: Language) -> set[str]:
    """Return what `plain_words` finds in some texts, each word once.

    No word contains white space, so a piece of text between white space is looked at once, however
    often it is there.
    """
    others = {*"\n".join([text for text in texts if not text.isascii()]).split()}
    plain = {piece for piece in others if piece.isascii()}
    others -= plain
    plain_text = "\n".join((*plain, *filter(str.isascii, texts)))
    found = {*plain_text.encode().translate(_LOWER_OR_SPACE).decode().split()}
    if "'" in plain_text:
        others.update(piece for piece in found if "'" in piece)
    found -= others | language.stop_words
    return found.union(plain_words(" ".join(others), language))


def _without_quotes(plain: str) -> str:
    """Return a text without the apostrophes that are not between two letters or digits."""
    return f" {plain} ".replace("''", "  ").replace(" '", "  ").replace("' ", "  ")


def is_unspaced(letter: str) -> bool:
    """Tell whether a letter belongs to a script that does not separate words."""
    return _RUN.fullmatch(letter) is not None


def _bigrams(run: re.Match[str]) -> str:
    """Return the bigrams of a run of letters, between spaces."""
    letters = run[0]
    if len(letters) == 1:
        return f" {letters} "
    return f" {' '.join(map(str.__add__, letters, letters[1:]))} "
