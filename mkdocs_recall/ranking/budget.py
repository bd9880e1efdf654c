"""The budget of an answer, or of several that share one: counters of tokens, and what fits.

A counter gets the visible text of the passages. The greater of two numbers decides: the tokens of
the whole quote, with each "…", and the sum over the passages, each without text quoted before.

The fences of a file, or the queries of an agent, share a budget and take turns. In the first turn
each answer gets its best passage, in the second its second best, and so on. If the passages of a
turn do not fit together, each gets an equal share of the tokens, or those of its sentence if it has
more: context never takes the room of another answer's passage. No sentence is quoted twice. The
turns go on while the whole text has room.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, groupby, zip_longest
from operator import attrgetter, index as whole_number
from typing import Any, Final

from mkdocs_recall.errors import OptionError
from mkdocs_recall.messages import count_noun
from mkdocs_recall.options import ALGORITHM_NAMES, LIMITS, Options, RecallOptions, TokenCounter
from mkdocs_recall.ranking.places import Place, places, quoted_with, without_overlap, without_quoted
from mkdocs_recall.ranking.quotation import is_complete, trimmed
from mkdocs_recall.ranking.result import Passage, Result, quoted_texts, section_key
from mkdocs_recall.text.model import Sentence
from mkdocs_recall.text.wording import wording

_CHARACTERS: Final = 4
"""Characters per token, in text that is written with spaces."""
_WIDE: Final = (
    "[\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U00020000-\U0003ffff"  # Han
    "\u3041-\u309f\u30a1-\u30ff\u31f0-\u31ff\uff66-\uff9d\U0001aff0-\U0001b16f"  # Kana
    "\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7fb\uffa0-\uffdc]"  # Hangul
)


def estimate(text: str) -> int:
    """Estimate the number of tokens in a text for a language model.

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
    """Shorten an answer to the number of tokens or words that an option states.

    The first passages stay, as many as fit. The last of them keeps as much of its context as fits;
    the others are in `left_out`, and `why` says so, unless they only fill the budget.
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
    unit = name.removeprefix("max_").removesuffix("s")
    if fitting:
        needed = count(without_overlap(passages[: fitting + 1])[-1].text)
        next_one = f"the next one has {count_noun(needed, unit)}"
        why = f"{fitting} of {len(passages)} passages fit, {next_one}"
    else:
        needed = count(without_context(passages[0]).text)
        why = f"the best sentence needs {count_noun(needed, unit)}"
    why = "; ".join(filter(None, (result.why, f"{why}, '{name}' is {most}")))
    return replace(result, passages=tuple(kept), left_out=passages[fitting:], why=why)


def _fitting(
    passages: Sequence[Passage], most: int, count: TokenCounter, *, fills: bool
) -> list[Passage]:
    fitted: list[Passage] = []
    quoted: set[Place] = set()
    left = most

    def size(passage: Passage) -> int:
        return count(without_quoted(passage, quoted).text)

    def fits(passage: Passage) -> bool:
        return size(passage) <= left

    for passage in passages:
        shorter = shortened(passage, fits) if left > 0 else None
        if shorter is not None:
            fitted.append(shorter)
            left -= size(shorter)
            quoted |= places(shorter)
        if left <= 0 or (shorter is not passage and not fills):
            break
    return fitted


def shortened(passage: Passage, fits: Callable[[Passage], bool]) -> Passage | None:
    """Return a passage with as much context as fits, if any of it fits."""
    if fits(passage):
        return passage
    document, quotation = passage.document, passage.quotation
    shorter = trimmed(document, quotation, lambda some: fits(replace(passage, quotation=some)))
    return None if shorter is None else replace(passage, quotation=shorter)


def without_context(passage: Passage) -> Passage:
    """Return a passage of its sentence and what that needs."""
    return shortened(passage, lambda passage: not passage.quotation.added) or passage


def _quote_text(result: Result, kept: Sequence[Passage]) -> str:
    return "\n\n".join(quoted_texts(replace(result, passages=tuple(kept))))


def checked_counter(counter: TokenCounter | None) -> TokenCounter:
    """Return a token counter that checks its results, or the estimate."""
    if counter is None:
        return estimate
    name = f"token_counter '{getattr(counter, '__name__', '')}'"

    def count(text: str) -> int:
        try:
            number: Any = counter(text)
        except Exception as error:
            raise OptionError(f"{name} failed: {type(error).__name__}: {error}") from error
        try:
            tokens = -1 if isinstance(number, bool) else whole_number(number)
        except TypeError:
            tokens = -1
        if tokens < 0:
            msg = f"{name} returned {number!r:.80} instead of a whole number, 0 or more"
            raise OptionError(msg)
        return tokens

    return count


_FEW_TOKENS: Final = 30
"""The least tokens of most passages, with their source."""
_LONGEST_TOKEN: Final = 8
"""The most characters per token, on average over a sentence."""


def retrieve_within(
    options: Options, answer: Callable[[Options], Result], max_tokens: int
) -> Result:
    """Return a result that may fit a shared budget."""
    if not (
        isinstance(options, RecallOptions)
        and (options.max_sentences is None and options.max_tokens is None)
    ):
        return answer(options)
    filling: Options = replace(options, max_tokens=max_tokens)
    if isinstance(options.context, int):  # a budget counts passages without their sources
        number = min(LIMITS.sentences, max(options.sentence_limit, max_tokens // _FEW_TOKENS))
        filling = replace(options, max_sentences=number)
    result = answer(filling)
    if result.passages:
        return result
    passages = result.left_out  # too long for this budget with their context
    in_order = (replace(passage, place=n) for n, passage in enumerate(passages))
    return replace(result, passages=tuple(in_order), left_out=())


def share_budget(
    results: Sequence[Result],
    max_tokens: int,
    *,
    part: Callable[[int, Result], int],
    whole: Callable[[Sequence[Result]], int],
) -> list[Result]:
    """Choose the passages of each answer that fit the budget together, without repetitions.

    `part` estimates the tokens that an answer adds to the text, by its number; `whole` counts those
    of the text with some answers, but not answers without passages.
    """
    shares = _Shares(results, part)
    while shares.take_turns(max_tokens - whole(shares.results())):
        pass
    if shares.taken and whole(shares.results()) > max_tokens:

        def size(number: int) -> int:
            return whole(shares.results(number))

        shares.drop_after(bisect_right(range(1, len(shares.taken)), max_tokens, key=size))
    numbered = enumerate(shares.results())
    return [replace(result, left_out=shares.left_out(number)) for number, result in numbered]


class _Shares:
    """The passages taken so far."""

    def __init__(self, results: Sequence[Result], part: Callable[[int, Result], int]) -> None:
        self.taken: list[tuple[int, Passage]] = []
        """The passages in order, each after the number of its answer."""
        self._results = results
        self._part = part
        self._quoted: dict[str, Hashable] = {}
        """The answer and section of each quoted sentence, by wording."""

    def results(self, count: int | None = None) -> list[Result]:
        """Return the answers with the first `count` passages, or all."""
        by_answer: dict[int, list[Passage]] = {}
        for answer, passage in self.taken[:count]:
            by_answer.setdefault(answer, []).append(passage)
        results = []
        for answer, result in enumerate(self._results):
            in_order = sorted(by_answer.get(answer, ()), key=attrgetter("rank"))
            ranked = (replace(passage, rank=n) for n, passage in enumerate(in_order, start=1))
            results.append(replace(result, passages=tuple(ranked)))
        return results

    def left_out(self, answer: int) -> tuple[Passage, ...]:
        """Return an answer's passages that are not quoted."""
        return tuple(self._left(answer, self._results[answer].passages))

    def drop_after(self, count: int) -> None:
        """Drop all but the first taken passages."""
        del self.taken[count:]
        self._quoted.clear()
        for answer, passage in self.taken:
            self._quote(answer, passage)

    def take_turns(self, room: int) -> bool:
        """Take passages that fit, in turns; tell whether any did."""
        before = len(self.taken)
        numbered = enumerate(map(_best_of_each_page_first, self._results))
        queues = [self._left(answer, passages) for answer, passages in numbered]
        for turn in zip_longest(*queues):
            most = _LONGEST_TOKEN * room
            by_answer = ((n, passage) for n, passage in enumerate(turn) if passage)
            fitting = {n: p for n, p in by_answer if len(p.sentence.text) <= most}
            room -= self._take(fitting, room)
        return len(self.taken) > before

    def _left(self, answer: int, passages: Iterable[Passage]) -> Iterator[Passage]:
        taken = {passage.rank for number, passage in self.taken if number == answer}
        for passage in passages:
            if passage.rank not in taken and wording(passage.sentence.text) not in self._quoted:
                yield passage

    def _take(self, turn: Mapping[int, Passage], room: int) -> int:
        chosen: dict[str, int] = {}
        for answer, passage in turn.items():
            chosen.setdefault(wording(passage.sentence.text), answer)
        for text, answer in chosen.items():  # quoted with this answer, not as another's context
            self._quoted[text] = answer, section_key(turn[answer])
        news = {
            answer: self._without_repetition(answer, turn[answer]) for answer in chosen.values()
        }
        used = 0
        for text, answer, most in zip(chosen, news, self._fair_shares(news, room), strict=True):
            fitting = self._shortened(answer, news[answer], min(most, room - used))
            if fitting is None:
                del self._quoted[text]
                continue
            self.taken.append((answer, fitting))
            self._quote(answer, fitting)
            used += self._size(answer, fitting)
        return used

    def _fair_shares(self, passages: Mapping[int, Passage], room: int) -> list[int]:
        """Return equal shares, or what a sentence needs."""
        sizes = [self._size(*passage) for passage in passages.items()]
        if sum(sizes) <= room:
            return sizes
        least = [self._size(answer, without_context(p)) for answer, p in passages.items()]

        def total(share: int) -> int:
            pairs = zip(sizes, least, strict=True)
            return sum(max(alone, min(size, share)) for size, alone in pairs)

        share = max(0, bisect_right(range(max(sizes) + 1), room, key=total) - 1)
        return [max(share, alone) for alone in least]

    def _shortened(self, answer: int, passage: Passage, most: int) -> Passage | None:
        passage = self._without_repetition(answer, passage)
        return shortened(passage, lambda shorter: self._size(answer, shorter) <= most)

    def _size(self, answer: int, passage: Passage) -> int:
        return self._part(answer, replace(self._results[answer], passages=(passage,)))

    def _quote(self, answer: int, passage: Passage) -> None:
        section = answer, section_key(passage)
        for sentence in passage.quotation.sentences:
            self._quoted.setdefault(wording(sentence.text), section)

    def _without_repetition(self, answer: int, passage: Passage) -> Passage:
        """Return a passage without text of other quotes."""
        section = answer, section_key(passage)
        language = passage.document.language

        def is_kept(sentence: Sentence) -> bool:
            is_own = self._quoted.get(wording(sentence.text), section) == section
            return is_own or not is_complete(sentence, language)

        return quoted_with(passage, is_kept)


def _best_of_each_page_first(result: Result) -> Sequence[Passage]:
    """Return passages by rank; of several synopses, in turns."""
    if result.scorer not in ALGORITHM_NAMES:
        return result.passages
    pages = [[*group] for _, group in groupby(result.passages, key=attrgetter("uri"))]
    return [*filter(None, chain.from_iterable(zip_longest(*pages)))]
