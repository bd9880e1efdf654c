"""The notes beside a quote: in the language of its page if they are translated, else in English.

Each file of `translations` has those of one language, for readers, and for authors in a preview.
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
    """The quote is a synopsis, since no sentence answers the query, which readers do not see."""
    by_meaning: str
    """Few words of the query match, so the quote was chosen by its meaning."""
    error: str
    """The title of the box in the place of a quote whose directive has a fault."""
    quoted_by: str
    """Above the links to the pages that quote a page."""
    for_authors: str
    """The title of the note below a quote in a preview; what follows is in it."""
    doubts: str
    quoted: str
    places: str
    next: str
    """Of a synopsis: above the sentences that came next."""
    words: str
    more: str
    copy: str
    facts: tuple[str, ...]
    """What speaks against an answer. Results, logs and JSON have it in English, and the cache
    stores it so; `{}` is what differs."""


def notes(language: str) -> Notes:
    """Return the notes in a language, or in English if there is no translation."""
    return _translation(get_language(language).code) or _english()


def translated(doubt: str, language: str) -> str:
    """Return a doubt, or the reason for no answer, in a language; empty without a translation."""
    own = _translation(get_language(language).code)
    for english, text in zip(_english().facts, own.facts if own else (), strict=False):
        pattern = "(.+)".join(map(re.escape, english.split("{}")))
        if found := re.fullmatch(pattern, doubt, re.DOTALL):
            return text.format(*found.groups())
    return ""


@cache
def _translation(code: str) -> Notes | None:
    file = Path(__file__).parent / "translations" / f"{code}.txt"
    if not (code.isalpha() and file.is_file()):  # any text may be stated as a language
        return None
    text = file.read_text("utf-8")
    return Notes._make([*(found[2] for found in _LINE.finditer(text)), (*_FACT.findall(text),)])


def _english() -> Notes:
    english = _translation("en")
    assert english is not None
    return english


EMBEDM_NOTES: Final = {
    "recall": "No relevant content could be retrieved.",
    "synopsis": "No summary could be generated.",
}
"""What embedm 1.0.1 writes for a source without sentences, by directive, in any language."""
