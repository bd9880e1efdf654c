"""The budget of an answer: counters of tokens, and what fits `max_tokens` and `max_words`.

A counter gets the text that a reader sees of the passages; names of pages, links and markup do not
count. The greater of two numbers decides: the tokens of the quote as a whole, with each "…", and
the sum over the passages, each without what those before it are quoted with. So both a quote and a
list of passages fit.
"""

from __future__ import annotations

import operator
import re
from bisect import bisect_right
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from mkdocs_recall.errors import OptionError
from mkdocs_recall.ranking.places import Place, places, without_overlap, without_quoted
from mkdocs_recall.ranking.quotation import trimmed
from mkdocs_recall.ranking.result import Passage, Result, quoted_texts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mkdocs_recall.options import TokenCounter


_CHARACTERS: Final = 4
"""Characters of a token, in text that is written with spaces."""
_WIDE: Final = (
    "[\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U00020000-\U0003ffff"  # Han
    "\u3041-\u309f\u30a1-\u30ff\u31f0-\u31ff\uff66-\uff9d\U0001aff0-\U0001b16f"  # Kana
    "\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7fb\uffa0-\uffdc]"  # Hangul
)


def estimate(text: str) -> int:
    """Return about how many tokens a text has for a language model.

    Each Han, Kana and Hangul character is one token. In the rest of the text, white space included,
    every four characters are one, rounded up, but every word is at least one; white space and those
    characters separate words.
    """
    wide = 0
    if not text.isascii():
        characters = len(text)
        text, wide = re.subn(_WIDE, " ", text)
        return wide + max(-(-(characters - wide) // _CHARACTERS), len(text.split()))
    return max(-(-len(text) // _CHARACTERS), len(text.split()))


def fit_budget(
    result: Result,
    most: int | None,
    count: TokenCounter,
    *,
    name: str = "max_tokens",
    fills: bool = False,
) -> Result:
    """Leave out of an answer what goes over a number of tokens or words.

    Args:
        most: The number, at least 1; None for no limit.
        name: The option that states the number, for `why`.
        fills: Whether the answer has more passages than fit only to fill the budget.

    Returns:
        The first passages in rank order, as many as fit. The last of them has as much of its
        context as fits; the others are in `left_out`, and `why` says so. Where one fits and the
        budget is filled, nobody misses the others.
    """
    if most is None or not result.passages:
        return result
    passages = result.passages
    kept = _fitting(passages, most, count, fills=fills)
    fitting = bisect_right(
        range(1, len(kept) + 1), most, key=lambda size: count(_quote_text(result, kept[:size]))
    )
    if fitting < len(kept):
        kept, passage = kept[:fitting], kept[fitting]

        def fits(passage: Passage) -> bool:
            return count(_quote_text(result, [*kept, passage])) <= most

        if (shorter := shortened(passage, fits)) is not None:
            kept.append(shorter)
    if fills and kept:
        ranked = (replace(passage, rank=rank) for rank, passage in enumerate(kept, start=1))
        return replace(result, passages=tuple(ranked))
    fitting = len(kept)
    if fitting == len(passages):
        return replace(result, passages=tuple(kept))
    needed = count(without_overlap(passages[: fitting + 1])[-1].text)
    unit = name.removeprefix("max_")
    if fitting:
        why = f"{fitting} of {len(passages)} passages fit, the next one has {needed} {unit}"
    else:
        why = f"the best sentence needs {count(without_context(passages[0]).text)} {unit}"
    why = f"{why}, '{name}' is {most}"
    return replace(
        result,
        passages=tuple(kept),
        left_out=passages[fitting:],
        why=f"{result.why}; {why}" if result.why else why,
    )


def _fitting(
    passages: Sequence[Passage], most: int, count: TokenCounter, *, fills: bool
) -> list[Passage]:
    """Return the passages that fit one by one, without what those before them are quoted with.

    Each is maybe with less context.
    """
    kept: list[Passage] = []
    quoted: set[Place] = set()

    def size(passage: Passage) -> int:
        return count(without_quoted(passage, quoted).text)

    left = most
    for passage in passages:
        if left <= 0:
            break
        shorter = shortened(passage, lambda passage, most=left: size(passage) <= most)  # type: ignore[misc]
        if shorter is None and fills:
            continue
        if shorter is None:
            break
        kept.append(shorter)
        left -= size(shorter)
        quoted |= places(shorter)
        if shorter is not passage and not fills:
            break
    return kept


def shortened(passage: Passage, fits: Callable[[Passage], bool]) -> Passage | None:
    """Return a passage with as much of its context as fits; None where it does not fit at all."""
    if fits(passage):
        return passage
    document, quotation = passage.document, passage.quotation
    shorter = trimmed(document, quotation, lambda some: fits(replace(passage, quotation=some)))
    return None if shorter is None else replace(passage, quotation=shorter)


def without_context(passage: Passage) -> Passage:
    """Return a passage with its sentence and what that needs."""
    return shortened(passage, lambda passage: not passage.quotation.added) or passage


def _quote_text(result: Result, kept: Sequence[Passage]) -> str:
    """Return the text of a quote of some passages; shared sentences occur once."""
    return "\n\n".join(quoted_texts(replace(result, passages=tuple(kept))))


def checked_counter(counter: TokenCounter | None) -> TokenCounter:
    """Return a function that counts tokens, and raises an OptionError where the counter fails.

    Args:
        counter: A function; None for the estimate.
    """
    if counter is None:
        return estimate
    name = f"token_counter '{getattr(counter, '__name__', '')}'"

    def count(text: str) -> int:
        try:
            number: Any = counter(text)
        except Exception as error:
            msg = f"{name} failed: {type(error).__name__}: {error}"
            raise OptionError(msg) from error
        try:
            tokens = -1 if isinstance(number, bool) else operator.index(number)
        except TypeError:
            tokens = -1
        if tokens < 0:
            msg = f"{name} returned {number!r:.80} instead of a whole number, 0 or more"
            raise OptionError(msg)
        return tokens

    return count
