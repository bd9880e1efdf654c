"""What filling a site came to, for as long as neither the site nor what it was made of changes."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final

from mkdocs_recall.cache.files import fingerprint
from mkdocs_recall.cache.pipeline import pipeline
from mkdocs_recall.cache.shapes import shape_test
from mkdocs_recall.cache.store import Cache, digest

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class FillSummary:
    """What filling a site came to, in numbers and words."""

    warnings: tuple[str, ...] = ()
    """What an author should mend, each with its place."""
    pages: int = 0
    """How many pages the site has."""
    directives: int = 0
    """How many directives they have, without those in comments that are not trusted."""
    answered: int = 0
    fallbacks: int = 0
    """How many of them were answered with a synopsis."""


_NUMBERS: Final = ("pages", "directives", "answered", "fallbacks")
_IS_SUMMARY: Final = shape_test({"warnings": [str], **dict.fromkeys(_NUMBERS, int)})


class FillState:
    """The summary of the last time that a site was filled, if all files are still the same."""

    def __init__(self, folder: Path | None, site: str, *settings: str) -> None:
        """Take a site.

        Args:
            folder: Where the cache is; None for none.
            site: The folder of the site.
        """
        self._cache = Cache(folder)
        self._key = digest("fill", pipeline(), site, *settings)

    def read(self, files: Iterable[str]) -> FillSummary | None:
        """Return the summary; None where a file is not what it was."""
        packed = self._cache.get(self._key)
        self._cache.close()
        try:
            stamps, values = json.loads(packed) if packed else (None, {})
        except (ValueError, TypeError, RecursionError):
            return None
        if stamps != _stamps(files) or not _IS_SUMMARY(values):
            return None
        return FillSummary(tuple(values["warnings"]), *(values[name] for name in _NUMBERS))

    def write(self, files: Iterable[str], summary: FillSummary) -> None:
        """Keep the summary for files as they are now."""
        packed = json.dumps((_stamps(files), asdict(summary)))
        self._cache.put(self._key, packed.encode("utf-8", "surrogatepass"))
        self._cache.save()
        self._cache.close()


def _stamps(files: Iterable[str]) -> str:
    stamps = sorted((file, fingerprint(file)) for file in set(files))
    return digest(json.dumps(stamps)).hex()
