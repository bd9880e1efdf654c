"""The weights of the ranking of sections. `python -m benchmarks.fit` makes this module.

321 questions of users over 59 documentations, 2026-11-26.
Cross-validated by documentation (10 folds, 3 seeds), first/in three:
by words: section 0.439/0.623, page 0.573/0.774.
with meaning: section 0.486/0.692, page 0.632/0.814.
"""

from __future__ import annotations

from typing import Final

WORDS: Final = (5.03, 4.28, 3.74, 1.79, 0.76, 2.80, 0.66, 0.87, -1.49, 1.37, 0.00)
"""Of `sections.Features`, in a ranking by words."""

MEANING: Final = (3.37, 3.78, 2.06, 1.31, 0.43, 3.27, 0.59, 0.74, -1.43, 1.24, 3.67)
"""The same, where meaning counts."""

LEVEL: Final = (-5.92, 7.76, 4.51, 4.40, 1.48, -0.74, 2.62)
"""Of `SectionRanking.facts`: the log-odds that there is an answer."""

MIN_SCORE: Final = 0.47
"""An answer that scores less is none: of the right ones, 10% are lost."""
