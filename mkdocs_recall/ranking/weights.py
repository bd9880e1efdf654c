"""The weights of the ranking of sections. `python -m benchmarks.fit` makes this module.

321 questions of users over 59 documentations, 2026-11-28.
Cross-validated by documentation (10 folds, 3 seeds), first/in three:
by words: section 0.465/0.655, page 0.628/0.801.
with meaning: section 0.494/0.699, page 0.644/0.807.
by words, in the right page: section 0.623/0.845.
"""

from __future__ import annotations

from typing import Final

WORDS: Final = (4.81, 6.00, 3.17, 0.75, 2.00, 0.84, 1.20, 2.87, 0.74, 0.79, -1.12, 1.46, 0.00)
"""Of `sections.Features`, in a ranking by words."""

PAGE: Final = (2.96, 3.03, 6.14, 0.00, 0.80, 1.10, 2.18, 1.01, 0.00, 0.00, 0.00, 1.16, 0.00)
"""The same, where all sections are of one page."""

MEANING: Final = (3.32, 5.38, 1.64, 0.31, 1.52, 0.47, 2.00, 2.07, 0.64, 0.71, -1.26, 1.29, 3.52)
"""The same, where meaning counts, in one page or several."""

LEVEL: Final = (-5.95, 7.97, 4.23, 4.77, 1.37, -0.74, 2.66)
"""Of `SectionRanking.facts`: the log-odds that there is an answer."""

MIN_SCORE: Final = 0.44
"""An answer that scores less is none: of the right ones, 13% are lost."""
