"""The page that is probably meant by a source which names none.

`selection` decides what a source names.
"""

from __future__ import annotations

import posixpath
import re
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final
from unicodedata import name

from mkdocs_recall.errors import SourceError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mkdocs_recall.text.model import Document

CLOSE: Final = 0.6
"""The similarity from which a name is suggested: the default of `difflib.get_close_matches`."""
_SHOWN_ANCHORS: Final = 12
"""The number of anchors that an error message lists, so that it stays short."""
_ENDING: Final = re.compile(r"(?:/index)?\.(?:md|markdown|html?)\Z|/index\Z")
"""What the names of a page in Markdown, and of the same page on the site, do not share."""
_OF_FOLDERS: Final = frozenset({"index", "README"})
"""Names of pages that many folders have."""
_SEPARATORS: Final = re.compile(r"[\s,;]+")
_LIKE_PATH: Final = re.compile(r"\.md(?:#|\Z)|/\Z|\A#|\*")
_CONJUNCTIONS: Final = re.compile(r"\s+(?:and|or|[|&+])\s+")
"""What stands between paths beside a comma; a path may hold each of these."""
_INVISIBLE: Final = re.compile("[\u00a0\u2000-\u200f\u202f\u2060\u3000\ufeff]")
"""Blanks of other widths or of none, and marks of direction: pasted with a path, and not seen."""


def suggest_page(
    path: str, anchor: str, uris: Sequence[str], *, page: str, exact: bool = False
) -> str:
    """Return `; did you mean 'x'?` for another page, with its path as a page would write it.

    Args:
        path: The path that is no page, from the root.
        uris: The pages that may be quoted.
        page: The page of the directive, which is never suggested; empty for the root.
        exact: Whether to suggest only a page with the same name.
    """
    stem = _ENDING.sub("", path)
    others = [uri for uri in uris if uri != page]
    similar = _of_stem(stem, path, others) or _same_name(stem, others)
    if not similar and not exact:
        stems = {_ENDING.sub("", uri): uri for uri in others}
        similar = stems.get(_most_similar(stem, stems), "")
    if not similar:
        return ""
    relative = posixpath.relpath(similar, posixpath.dirname(page)) if page else similar
    if similar.endswith("/"):
        return f"; did you mean '{relative.rstrip('/')}/'?"
    return f"; did you mean '{relative}{f'#{anchor}' if anchor else ''}'?"


def suggest_folder(pattern: str, uris: Sequence[str]) -> str:
    """Return `; did you mean 'x/'?` for the folder most similar to that of a pattern."""
    folders = {folder for uri in uris if (folder := posixpath.dirname(uri))}
    similar = _most_similar(pattern.rstrip("*/").partition("*")[0].rstrip("/"), folders)
    return f"; did you mean '{similar}/'?" if similar else ""


def check_single(source: str) -> None:
    """Refuse a text that holds several paths, or hidden characters."""
    if hidden := _INVISIBLE.search(source):
        called = name(hidden[0], "character").lower().replace("no-break", "non-breaking")
        msg = f"source '{source}' holds a {called} (U+{ord(hidden[0]):04X}); retype it"
        raise SourceError(msg)
    listed = _CONJUNCTIONS.sub(", ", source)
    parts = [part for part in _SEPARATORS.split(listed.strip("[] \t")) if part]
    if len(parts) > 1 and all(map(_LIKE_PATH.search, parts)):
        listed = ", ".join(part if part[0] not in "#*" else f'"{part}"' for part in parts)
        msg = f"source '{source}' contains several paths; write a list: [{listed}]"
        raise SourceError(msg)


def _of_stem(stem: str, path: str, uris: Sequence[str]) -> str:
    """Return the page, or the folder, that a path without an ending, or with that of a URL, is."""
    present = frozenset(uris)
    if f"{stem}.md" in present:
        return f"{stem}.md"
    if any(uri.startswith(f"{path}/") for uri in uris):
        return f"{path}/"
    return next((uri for uri in (f"{stem}/index.md", f"{stem}/README.md") if uri in present), "")


def _same_name(stem: str, uris: Iterable[str]) -> str:
    """Return the page in another folder with the name of a path, unless every folder has one."""
    own = posixpath.basename(stem)
    if own in _OF_FOLDERS:
        return ""
    same = [uri for uri in uris if posixpath.basename(_ENDING.sub("", uri)) == own]
    return next(iter(get_close_matches(stem, same, n=1, cutoff=0.0)), "")


def _most_similar(path: str, paths: Iterable[str]) -> str:
    """Return the path most like another, both as a whole and by name; or nothing."""
    own = posixpath.basename(path)
    names = sorted({posixpath.basename(other) for other in paths})
    similar = frozenset(get_close_matches(own, names, n=len(names) or 1, cutoff=CLOSE))
    close = sorted(other for other in paths if posixpath.basename(other) in similar)
    return next(iter(get_close_matches(path, close, n=1, cutoff=CLOSE)), "")


def unknown_anchor_error(document: Document, anchor: str, written: str = "") -> SourceError:
    """Return the error for an anchor that a page does not have, with those it has."""
    anchors = document.anchors
    similar = get_close_matches(anchor, anchors, n=1, cutoff=CLOSE)
    hint = f"; did you mean '#{similar[0]}'?" if similar else ""
    shown = ", ".join(f"#{a}" for a in anchors[:_SHOWN_ANCHORS]) or "none"
    more = f" and {len(anchors) - _SHOWN_ANCHORS} more" if len(anchors) > _SHOWN_ANCHORS else ""
    taken = f"'{document.uri}'"
    if written and written != document.uri:
        taken = f"'{written}' is {taken} in the language of this page, and that"
    return SourceError(f"{taken} has no section '#{anchor}'{hint} (its sections: {shown}{more})")
