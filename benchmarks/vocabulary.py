"""Words for documentation that is made up: a few are very common, most are rare, as in any text."""

from __future__ import annotations

import random
from functools import cache
from itertools import accumulate

FUNCTION_WORDS = tuple(
    """
    the of and to a in is for that it as with be on by this are or from an at which you not can
    will when if has but all your one more their was its may no they have should each only other
    than into so then there do any some must before after also use how what where
    """.split()
)
"""The most frequent words, in this order: they are nearly half of a text, and stop words."""
CONTENT_WORDS = 20_000
"""How many others there are; real documentation of 1,000 pages has about as many."""
_SHIFT = 2.7  # Mandelbrot's form of Zipf's law: a word's frequency is 1/(rank + 2.7)
_JITTER = 6  # letters: short words are frequent, but not all, and not only they
_ONSETS = "b c d f g h l m n p r s t v br ch cl cr dr fl gr pl pr sc st tr".split()
_VOWELS = "a e i o u ea ou".split()
_CODAS = [*[""] * 5, *"n r l t s m ck nd st".split()]
_ENDINGS = [*[""] * 6, "s", "s", *"ing ed er ation al ly able ment".split()]
"""Words that share a stem, as far as a stemmer is concerned."""


@cache
def content_words() -> tuple[str, ...]:
    """Return words that look like English ones, the most frequent first; always the same."""
    rng = random.Random("vocabulary")
    found: dict[str, None] = {}
    while len(found) < CONTENT_WORDS:
        syllables = (
            rng.choice(_ONSETS) + rng.choice(_VOWELS) + rng.choice(_CODAS)
            for _ in range(rng.choice((1, 2, 2, 2, 3)))
        )
        found["".join(syllables) + rng.choice(_ENDINGS)] = None
    ordered = sorted(found, key=lambda word: len(word) + _JITTER * rng.random())
    return tuple(word for word in ordered if word not in FUNCTION_WORDS)


@cache
def _ranked() -> tuple[tuple[str, ...], tuple[float, ...]]:
    """Return all words, and the sums of their frequencies up to each."""
    words = (*FUNCTION_WORDS, *content_words())
    return words, tuple(accumulate(1 / (rank + _SHIFT) for rank in range(1, len(words) + 1)))


def draw(rng: random.Random, count: int) -> list[str]:
    """Draw words as often as each stands in a text."""
    words, frequencies = _ranked()
    return rng.choices(words, cum_weights=frequencies, k=count)
