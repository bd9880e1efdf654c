"""The notes beside a quote: in the language of its page if they are translated, else in English.

Each file of `translations` has those of one language.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from mkdocs_recall.text.language import get_language

_LINE: Final = re.compile(r"^(\w+): (.+)", re.MULTILINE)
_FACT: Final = re.compile("^  (.+)", re.MULTILINE)


class Notes(NamedTuple):
    """The texts of one language, in the order of its file."""

    note: str
    no_match: str
    """Says that the quote is a synopsis."""
    by_meaning: str
    """Says that the quote was chosen by meaning."""
    error: str
    """The title of the box with an error."""
    quoted_by: str
    for_authors: str
    """The title of the note in a preview; the next fields are in it."""
    doubts: str
    quoted: str
    places: str
    next: str
    """The title above a synopsis's runner-up sentences."""
    words: str
    more: str
    copy: str
    facts: tuple[str, ...]
    """The doubts about an answer; `{}` is the part that varies."""


def notes(language: str) -> Notes:
    """Return the notes in a language, or in English if there is no translation."""
    return _translation(get_language(language).code) or _english()


def translated(doubt: str, language: str) -> str:
    """Return the translation of a doubt or of the reason for no answer; empty if there is none."""
    target = _translation(get_language(language).code)
    for english, text in zip(_english().facts, target.facts if target else (), strict=False):
        pattern = "(.+)".join(map(re.escape, english.split("{}")))
        if match := re.fullmatch(pattern, doubt, re.DOTALL):
            return text.format(*match.groups())
    return ""


@cache
def _translation(code: str) -> Notes | None:
    file = Path(__file__).parent / "translations" / f"{code}.txt"
    if not (code.isalpha() and file.is_file()):  # a language may be any text
        return None
    text = file.read_text("utf-8")
    return Notes._make([*(line[2] for line in _LINE.finditer(text)), (*_FACT.findall(text),)])


def _english() -> Notes:
    english = _translation("en")
    assert english is not None
    return english


EMBEDM_NOTES: Final = {
    "recall": "No relevant content could be retrieved.",
    "synopsis": "No summary could be generated.",
}
"""What embedm 1.0.1 writes for a source without sentences, by directive, in any language."""
