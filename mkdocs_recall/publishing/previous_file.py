"""The file that the last build has published, from which this one takes the unchanged pages.

The cache has it as one value: the digest of all that the file depends on, the keys of the pages in
it, and the file itself. Others may write to a cache, so bytes of another shape are no previous
file.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mkdocs_recall.cache.shapes import shape_test
from mkdocs_recall.publishing.packed_page import count_words, page_of_line
from mkdocs_recall.publishing.published_file import largest_unpacked

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

_KEY: Final = 16
"""Bytes of a key, and of the digest."""
_COUNT: Final = struct.Struct("<I")
"""How many pages are in the file."""
_WITH_HEADER: Final = 31
"""Has zlib expect the header of gzip."""
_HAS_FREQUENCIES: Final = shape_test({"frequencies": {str: {str: int}}})


@dataclass(frozen=True, slots=True)
class PreviousFile:
    """The file that the last build has published; an empty one if there is none."""

    digest: bytes = b""
    """Of all that the file depends on."""
    lines: Mapping[bytes, bytes] = field(default_factory=dict)
    """The lines of its pages by key."""
    data: bytes = b""
    """The file itself."""
    _second: bytes = b""
    """Its second line, which has the document frequencies."""

    @classmethod
    def of_bytes(cls, packed: bytes) -> PreviousFile:
        """Return what `pack_previous` has packed; an empty file for anything else."""
        try:
            [count] = _COUNT.unpack_from(packed)
            first = _COUNT.size + _KEY
            digest, rest = packed[_COUNT.size : first], packed[first:]
            end = count * _KEY
            keys = [rest[start : start + _KEY] for start in range(0, min(end, len(rest)), _KEY)]
            data = rest[end:]
            _, second, *lines = _unpacked(data).splitlines(keepends=True)
            by_key = dict(zip(keys, lines, strict=True))
        except (struct.error, ValueError, zlib.error):
            return cls()
        return cls(digest, by_key, data, second)

    def count_words(self, kept: Collection[bytes]) -> dict[str, Counter[str]]:
        """Return, by language, in how many of some of its pages each word occurs."""
        lost = [line for key, line in self.lines.items() if key not in kept]
        if len(lost) < len(kept):  # else it is less to count what is left
            counts = self._frequencies()
            for page in map(page_of_line, lost):
                counts.setdefault(page.language, Counter()).subtract(page.words)
            counts = {code: +words for code, words in counts.items()}
            if counts and all(counts.values()):  # else a language may have no page any more
                return counts
        return count_words(page_of_line(self.lines[key]) for key in kept)

    def _frequencies(self) -> dict[str, Counter[str]]:
        """Return the document frequencies that the file states; none if they are misshapen."""
        try:
            second = json.loads(self._second)
        except (ValueError, RecursionError):
            return {}
        known = second["frequencies"] if _HAS_FREQUENCIES(second) else {}
        return {code: Counter(counts) for code, counts in known.items()}


def pack_previous(digest: bytes, keys: Collection[bytes], data: bytes) -> bytes:
    """Return a published file for the cache."""
    return b"".join((_COUNT.pack(len(keys)), digest, *keys, data))


def _unpacked(data: bytes) -> bytes:
    """Return the lines of a file."""
    unpacking = zlib.decompressobj(_WITH_HEADER)
    lines = unpacking.decompress(data, largest_unpacked(len(data)))
    if not unpacking.eof:
        msg = "not the whole of a file"
        raise ValueError(msg)
    return lines
