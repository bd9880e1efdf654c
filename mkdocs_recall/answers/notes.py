"""The notes beside a quote: in the language of its page if they are translated, else in English.

Each file of `translations` has those of one language: labels by name, and the doubts about an
answer, which results, logs and JSON have in English.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from mkdocs_recall.text.language import get_language, text_for

_LABEL: Final = re.compile(r"^(\w+): (.+)", re.MULTILINE)
_FACT: Final = re.compile("^  (.+)", re.MULTILINE)


def notes(language: str) -> Mapping[str, str]:
    """Return the notes in a language, or else in English, by name."""
    return _labels(get_language(language).code) or _labels("en")


def translated(doubt: str, language: str) -> str:
    """Return the translation of a doubt or of the reason for no answer, if any."""
    texts = facts(get_language(language).code)
    for english, text in zip(facts("en"), texts, strict=False):
        pattern = "(.+)".join(map(re.escape, english.split("{}")))
        if match := re.fullmatch(pattern, doubt, re.DOTALL):
            return text.format(*match.groups())
    return ""


@cache
def _labels(code: str) -> Mapping[str, str]:
    return dict(_LABEL.findall(_translation(code)))


def facts(code: str) -> Sequence[str]:
    """Return the doubts about an answer, with `{}` for what varies."""
    return _FACT.findall(_translation(code))


def _translation(code: str) -> str:
    return text_for(code, Path(__file__).parent / "translations")


EMBEDM_NOTES: Final = {
    "recall": "No relevant content could be retrieved.",
    "synopsis": "No summary could be generated.",
}
"""What embedm 1.0.1 writes for a source without sentences, by directive."""
