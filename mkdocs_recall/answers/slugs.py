"""The anchors of a page where its Markdown is read without a build: on GitHub, in an editor."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mkdocs_recall.text.model import Document


_WORD: Final = frozenset({"Nd", "Pc"})
"""Categories of characters that an anchor keeps, beside letters and marks."""
_NUMBERED: Final = re.compile(r"[_-]\d+$")


def github_anchors(document: Document, *, keep_names: bool = False) -> Mapping[str, str]:
    """Return the anchors that GitHub gives to the headings of a page, by those of the site.

    GitHub takes the heading as its Markdown has it, so that the name in `{#name}` is a part of it.

    Args:
        keep_names: Whether the name is the anchor, as with generators that make others like GitHub.
    """
    anchors: dict[str, str] = {}
    given = Counter[str]()
    for heading in document.headings:
        text, anchor = heading.text, heading.anchor
        is_named = anchor and not _is_derived(anchor, text)
        if is_named and keep_names:
            slug = anchor
        else:
            slug = github_slug(f"{text} {anchor}" if is_named else text)
        first = slug
        while slug in given:
            slug = f"{first}-{given[first]}"
            given[first] += 1
        given[slug] += 1
        anchors.setdefault(heading.anchor, slug)
    return anchors


def github_slug(text: str) -> str:
    """Return a text as GitHub makes an anchor of it.

    Example:
        >>> github_slug("Create & delete a C++ vault_1")
        'create--delete-a-c-vault_1'
    """
    kept = (c for c in text.strip().lower() if c in " -" or _is_word(c))
    return "".join(kept).replace(" ", "-")


def _is_word(character: str) -> bool:
    category = unicodedata.category(character)
    return category[0] in "LM" or category in _WORD


def _is_derived(anchor: str, text: str) -> bool:
    """Tell whether a generator has made an anchor of a heading's text, and not its author."""
    letters = _letters(text)
    plain = _letters(unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode())
    name = unquote(anchor)
    return not plain or not {letters, plain}.isdisjoint(
        {_letters(name), _letters(_NUMBERED.sub("", name))}
    )


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))
