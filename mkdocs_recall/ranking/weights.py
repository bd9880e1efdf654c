"""The weights of the ranking of sections. `python -m benchmarks.fit` makes this module.

321 questions of users over 59 documentations, 2026-11-26.
Cross-validated by documentation (10 folds, 3 seeds), first/in three:
by words: section 0.468/0.654, page 0.627/0.799.
with meaning: section 0.486/0.692, page 0.632/0.814.
"""

from __future__ import annotations

from typing import Final

WORDS: Final = (4.78, 5.05, 3.11, 0.76, 2.03, 0.80, 1.21, 2.89, 0.75, 0.80, -1.12, 1.47, 0.00)
"""Of `sections.Features`, in a ranking by words."""

MEANING: Final = (3.37, 3.78, 2.06, 0.00, 1.31, 0.43, 3.27, 0.00, 0.59, 0.74, -1.43, 1.24, 3.67)
"""The same, where meaning counts."""

LEVEL: Final = (-5.83, 8.18, 4.16, 4.42, 1.35, -0.74, 2.62)
"""Of `SectionRanking.facts`: the log-odds that there is an answer."""

MIN_SCORE: Final = 0.47
"""An answer that scores less is none: of the right ones, 13% are lost."""
