"""The weights of the ranking of sections. `python -m benchmarks.fit` makes this module.

321 questions of users over 59 documentations, 2026-11-28.
Cross-validated by documentation (10 folds, 3 seeds), first/in three:
by words: section 0.462/0.645, page 0.620/0.789.
with meaning: section 0.494/0.699, page 0.644/0.807.
by words, in the right page: section 0.621/0.845.
"""

from __future__ import annotations

from typing import Final

WORDS: Final = (4.91, 6.03, 3.05, 0.75, 1.86, 1.15, 1.29, 2.77, 0.74, 0.82, -1.09, 1.45, 0.00)
"""Of `sections.Features`, in a ranking by words."""

PAGE: Final = (2.98, 2.88, 5.98, 0.00, 0.77, 1.26, 2.15, 1.02, 0.00, 0.00, 0.00, 1.15, 0.00)
"""The same, where all sections are of one page."""

MEANING: Final = (3.32, 5.38, 1.64, 0.31, 1.52, 0.47, 2.00, 2.07, 0.64, 0.71, -1.26, 1.29, 3.52)
"""The same, where meaning counts, in one page or several."""

LEVEL: Final = (-7.11, 3.35, 4.16, 4.03, 3.63, 3.30, 0.00, -0.82, 0.00)
"""Of `SectionRanking.facts`: the log-odds that there is an answer."""

PAGE_LEVEL: Final = (-6.91, 1.32, 2.01, 3.78, 4.15, 1.51, 2.40, 0.30, 0.00)
"""The same, where all sections are of one page, so that one `MIN_SCORE` serves both."""

MEANING_LEVEL: Final = (-2.31, 5.69, 0.33, 1.22, 1.62, 0.23, 2.60, -0.33, 9.27)
"""The same, where meaning counts, in one page or several."""

MIN_SCORE: Final = 0.45
"""An answer that scores less is none: of the right ones, 10% are lost;
in their page, 3%."""
