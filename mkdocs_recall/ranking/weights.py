"""The weights of the ranking of sections. `python -m benchmarks.fit` makes this module.

321 questions of users over 59 documentations, 2026-11-26.
Cross-validated by documentation (10 folds, 3 seeds), first/in three:
by words: section 0.465/0.655, page 0.628/0.801.
with meaning: section 0.483/0.696, page 0.627/0.814.
"""

from __future__ import annotations

from typing import Final

WORDS: Final = (4.80, 5.97, 3.18, 0.75, 2.01, 0.83, 1.18, 2.88, 0.74, 0.80, -1.12, 1.46, 0.00)
"""Of `sections.Features`, in a ranking by words."""

MEANING: Final = (3.21, 5.15, 1.87, 0.00, 1.49, 0.41, 3.31, 0.00, 0.60, 0.75, -1.30, 1.28, 3.69)
"""The same, where meaning counts."""

LEVEL: Final = (-5.86, 8.17, 4.21, 4.45, 1.43, -0.74, 2.62)
"""Of `SectionRanking.facts`: the log-odds that there is an answer."""

MIN_SCORE: Final = 0.46
"""An answer that scores less is none: of the right ones, 13% are lost."""
