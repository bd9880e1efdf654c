"""The weights of the ranking of sections. `python -m benchmarks.fit` makes this module.

321 questions of users over 59 documentations, 2026-11-28.
Cross-validated by documentation (10 folds, 3 seeds), first/in three:
by words: section 0.465/0.655, page 0.628/0.801.
with meaning: section 0.481/0.696, page 0.624/0.813.
by words, in the right page: section 0.623/0.845.
"""

from __future__ import annotations

from typing import Final

WORDS: Final = (4.80, 5.96, 3.18, 0.75, 2.01, 0.82, 1.20, 2.86, 0.74, 0.80, -1.12, 1.46, 0.00)
"""Of `sections.Features`, in a ranking by words."""

PAGE: Final = (2.96, 3.03, 6.14, 0.00, 0.80, 1.10, 2.18, 1.01, 0.00, 0.00, 0.00, 1.16, 0.00)
"""The same, where all sections are of one page."""

MEANING: Final = (3.23, 5.01, 1.81, 0.00, 1.44, 0.41, 3.23, 0.00, 0.59, 0.73, -1.34, 1.28, 3.74)
"""The same, where meaning counts, in one page or several."""

LEVEL: Final = (-5.85, 8.04, 4.24, 4.70, 1.35, -0.75, 2.65)
"""Of `SectionRanking.facts`: the log-odds that there is an answer."""

MIN_SCORE: Final = 0.45
"""An answer that scores less is none: of the right ones, 13% are lost."""
