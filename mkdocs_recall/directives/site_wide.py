"""The names of the options whose default a site may set, apart from `catalog`: each build has them.

A site without directives imports no more than these.
"""

from __future__ import annotations

from typing import Final

SITE_WIDE: Final = (
    *("max_sentences", "sections", "language", "scorer", "links", "chronicles", "algorithm"),
    *("diversity", "units", "context", "min_score", "on_empty", "prefer_description"),
    *("max_words", "max_tokens", "cite", "format", "explain"),
    *("semantic", "temporal", "include_expired", "enrich", "trivial_query", "acknowledgments"),
)
"""In the order of `catalog`."""
