"""The weights of the ranking of sections. `python -m benchmarks.fit` makes this module.

321 questions of users over 59 documentations, 2026-11-25.
Cross-validated by documentation (10 folds, 3 seeds), first/in three:
by words: section 0.418/0.610, page 0.572/0.751.
with meaning: section 0.439/0.683, page 0.590/0.804.
"""

from __future__ import annotations

from typing import Final

WORDS: Final = (5.58, 3.93, 3.49, 1.45, 0.93, 2.80, 0.64, 0.97, -2.21, 0.00)
"""Of `sections.Features`, in a ranking by words."""

MEANING: Final = (3.72, 3.35, 1.78, 0.92, 0.38, 3.26, 0.53, 0.83, -1.89, 3.94)
"""The same, where meaning counts."""

LEVEL: Final = (-5.68, 10.85, 3.95, -0.64, 2.64)
"""Of `SectionRanking.facts`: the log-odds that there is an answer."""

MIN_SCORE: Final = 0.38
"""An answer that scores less is none: of the right ones, 10% are lost."""
