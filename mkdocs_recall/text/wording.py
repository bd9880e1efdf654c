"""The wording of a text: texts with the same words and signs for a reader have the same wording.

Expectations, the lock file and receipts compare wordings.
"""

from __future__ import annotations

import re
from hashlib import sha256
from typing import Final
from unicodedata import normalize

from mkdocs_recall.text.model import ICON

_LENGTH: Final = 32
"""Hex digits of a digest: 128 bits."""
_TYPOGRAPHY: Final = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛", "'"),
        **dict.fromkeys("“”„‟«»", '"'),
        **dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉", "01234567890123456789", strict=True)),
        "–": "--",
        "—": "---",
        "…": "...",
        "☐": "[ ]",
        "☑": "[x]",
        ICON: "",
    }
)
"""Maps the characters of extensions such as `smarty` back to plain ones, and the signs of powers,
indices, boxes and icons to those of HTML."""
_POWER_SIGN: Final = r"(?<=[\w)\]}])(?:\^(?=[\w+\u2212-])|[\^_]\(([\w +\u2212\u2013*/\u00b7,-]+)\))"
_STEP: Final = r"(?m)^\d{1,6}\. "
_INVISIBLE: Final = "[\u00ad\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]"
"""Soft hyphens, joiners and marks of direction, which rendering adds and editors drop."""


def wording(text: str) -> str:
    """Return a text with plain quotation marks, dashes, dots, spaces."""
    if "^" in text or "_(" in text:
        text = re.sub(_POWER_SIGN, r"\1", text)
    if not text.isascii():
        text = re.sub(_INVISIBLE, "", normalize("NFC", text)).translate(_TYPOGRAPHY)
    return " ".join(text.split())


def quoted_wording(text: str) -> str:
    """Return the wording of a whole quote, without the numbers of its steps."""
    return wording(re.sub(_STEP, "", text))


def wording_digest(text: str) -> str:
    """Return the first 32 hex digits of the SHA-256 of the wording of a text."""
    return sha256(wording(text).encode("utf-8", "surrogatepass")).hexdigest()[:_LENGTH]


def encodable(text: str) -> str:
    r"""Return a text that files and JSON can hold: half a character is written `\udcff`."""
    return text.encode("utf-8", "backslashreplace").decode()
