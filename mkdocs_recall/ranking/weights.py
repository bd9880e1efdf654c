"""The weights of the ranking of sections. `python -m benchmarks.fit` makes this module.

321 questions of users over 59 documentations, 2026-11-28.
Cross-validated by documentation (10 folds, 3 seeds), first/in three:
by words: section 0.461/0.646, page 0.619/0.790.
with meaning: section 0.494/0.699, page 0.644/0.807.
by words, in the right page: section 0.621/0.845.
"""

from __future__ import annotations

from typing import Final

WORDS: Final = (4.87, 6.04, 3.09, 0.75, 1.88, 1.16, 1.24, 2.81, 0.74, 0.82, -1.09, 1.45, 0.00)
"""Of `structure.Features`, in a ranking by words."""

PAGE: Final = (2.97, 2.88, 5.97, 0.00, 0.78, 1.26, 2.07, 1.09, 0.00, 0.00, 0.00, 1.16, 0.00)
"""The same, where all sections are of one page."""

MEANING: Final = (3.32, 5.38, 1.64, 0.31, 1.52, 0.47, 2.00, 2.07, 0.64, 0.71, -1.26, 1.29, 3.52)
"""The same, where meaning counts, in one page or several."""

LEVEL: Final = (-7.20, 3.35, 3.91, 4.33, 3.79, 3.24, 0.00, -0.82, 0.00)
"""Of `SectionRanking.facts`: the log-odds that there is an answer."""

PAGE_LEVEL: Final = (-6.69, 2.65, 1.37, 3.39, 3.39, 1.63, 2.48, 0.40, 0.00)
"""The same, where all sections are of one page, so that one `MIN_SCORE` serves."""

MEANING_LEVEL: Final = (-3.37, 2.02, 2.05, 2.03, 2.39, 0.75, 2.73, -0.24, 7.89)
"""The same, where meaning counts, in one page or several."""

MIN_SCORE: Final = 0.46
"""An answer that scores less is none: of the right ones, 10% are lost;
in their page, 3%; where meaning counts, 5%."""
