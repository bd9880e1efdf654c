"""The weights of the ranking of sections. `python -m benchmarks.fit` makes this module.

321 questions of users over 59 documentations, 2026-11-26.
Cross-validated by documentation (10 folds, 3 seeds), first/in three:
by words: section 0.420/0.606, page 0.566/0.749.
with meaning: section 0.435/0.687, page 0.582/0.807.
"""

from __future__ import annotations

from typing import Final

WORDS: Final = (5.44, 3.92, 3.74, 1.49, 0.89, 2.82, 0.64, 0.96, -2.19, 0.00)
"""Of `sections.Features`, in a ranking by words."""

MEANING: Final = (3.60, 3.36, 2.05, 0.96, 0.38, 3.30, 0.54, 0.82, -1.90, 3.90)
"""The same, where meaning counts."""

LEVEL: Final = (-6.03, 8.15, 4.42, 3.62, 1.29, -0.71, 2.63)
"""Of `SectionRanking.facts`: the log-odds that there is an answer."""

MIN_SCORE: Final = 0.39
"""An answer that scores less is none: of the right ones, 10% are lost."""
