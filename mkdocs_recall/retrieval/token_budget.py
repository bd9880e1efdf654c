"""How much of an answer fits a language model: tokens, how they are counted, what is left out.

Counted is what a reader is shown of the passages; names of pages, links and markup are not. The
greater of two numbers holds: that of the quote as a whole, with the "…" in it, and the sum over the
passages, each with its own lead-in. So neither a quote nor a list of passages goes over.
"""

from __future__ import annotations

import operator
import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from mkdocs_recall.errors import SHOWN, OptionError, did_you_mean
from mkdocs_recall.index.query import shown
from mkdocs_recall.retrieval.result import quoted_texts

if TYPE_CHECKING:
    from collections.abc import Mapping
    from importlib.metadata import EntryPoint

    from mkdocs_recall.retrieval.result import Result

TokenCounter: TypeAlias = Callable[[str], int]
"""Returns how many tokens a text has, 0 or more."""
GROUP: Final = "mkdocs_recall.token_counters"
"""The entry points whose names are those of counters."""
ESTIMATE: Final = "estimate"
"""The name of the counter that is always there."""
_CHARACTERS: Final = 4
"""Of each token, in text that is written with spaces."""
_WIDE: Final = (
    "[\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U00020000-\U0003ffff"  # Han
    "\u3041-\u309f\u30a1-\u30ff\u31f0-\u31ff\uff66-\uff9d\U0001aff0-\U0001b16f"  # Kana
    "\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7fb\uffa0-\uffdc]"  # Hangul
)


def estimate(text: str) -> int:
    """Return about how many tokens a text has for a language model.

    Each Han, Kana and Hangul character counts one. What is left of the text counts one for each
    four characters begun, white space among them, but one for each word at least; words are what
    white space and those characters set apart.
    """
    wide = 0
    if not text.isascii():
        characters = len(text)
        text, wide = re.subn(_WIDE, " ", text)
        return wide + max(-(-(characters - wide) // _CHARACTERS), len(text.split()))
    return max(-(-len(text) // _CHARACTERS), len(text.split()))


def check_counter(name: str) -> str:
    """Return the name of a counter that is installed.

    Raises:
        OptionError: There is none of this name.
    """
    if name != ESTIMATE and name not in installed_counters():
        known = (ESTIMATE, *sorted(installed_counters()))
        hint = did_you_mean(name[:SHOWN], known)
        msg = f"unknown token_counter {shown(name)}{hint} ({', '.join(known)})"
        raise OptionError(msg)
    return name


def counter_version(name: str) -> str:
    """Return what tells a counter from others of its name: its code, and the package's version."""
    entry = installed_counters().get(name)
    if entry is None:
        return ""
    package = entry.dist
    return f"{entry.value} {package.name} {package.version}" if package else entry.value


def fit_token_budget(
    result: Result, max_tokens: int | None, counter: str | TokenCounter | None = None
) -> Result:
    """Leave out of an answer what goes over a number of tokens.

    Args:
        result: The answer.
        max_tokens: The number, at least 1; None for any.
        counter: Counts tokens: a function, or the name of one; None for `estimate`.

    Returns:
        The first passages in rank order, as many as fit, each whole; the others are in `left_out`,
        and `why` says so.

    Raises:
        OptionError: There is no such counter, or it does not count.
    """
    if max_tokens is None or not result.passages:
        return result
    count = _counting(counter)
    passages = result.passages
    sizes = [count(passages[0].text)]
    for passage in passages[1:]:
        if sizes[-1] > max_tokens:
            break
        sizes.append(sizes[-1] + count(passage.text))
    kept = bisect_right(sizes, max_tokens)
    if kept > 1:  # of one alone, the quote is its text
        kept = bisect_right(
            range(1, kept + 1), max_tokens, key=lambda number: count(_quoted(result, number))
        )
    if kept == len(passages):
        return result
    needed = count(passages[kept].text)
    if kept:
        why = f"{kept} of {len(passages)} passages fit, the next one has {needed} tokens"
    else:
        why = f"the best sentence needs {needed} tokens"
    why = f"{why}, 'max_tokens' is {max_tokens}"
    return replace(
        result,
        passages=passages[:kept],
        places=result.places[:kept],
        left_out=passages[kept:],
        why=f"{result.why}; {why}" if result.why else why,
    )


def _quoted(result: Result, number: int) -> str:
    """Return the text of a quote of the first passages; what they share stands in it once."""
    first = replace(result, passages=result.passages[:number], places=result.places[:number])
    return "\n\n".join(quoted_texts(first))


def _counting(counter: str | TokenCounter | None) -> TokenCounter:
    """Return a function that counts, or says in the words of an author why it cannot."""
    if counter is None or counter == ESTIMATE:
        return estimate
    name = counter if isinstance(counter, str) else getattr(counter, "__name__", "")
    function = _loaded(counter) if isinstance(counter, str) else counter

    def count(text: str) -> int:
        try:
            number: Any = function(text)
        except Exception as error:
            msg = f"{_fault(name)} failed: {type(error).__name__}: {error}"
            raise OptionError(msg) from error
        try:
            tokens = -1 if isinstance(number, bool) else operator.index(number)
        except TypeError:
            tokens = -1
        if tokens < 0:
            msg = f"{_fault(name)} returned {number!r:.80}, and not a whole number, 0 or more"
            raise OptionError(msg)
        return tokens

    return count


def _loaded(name: str) -> TokenCounter:
    check_counter(name)
    try:
        function = installed_counters()[name].load()
    except Exception as error:
        msg = f"{_fault(name)} cannot be loaded: {type(error).__name__}: {error}"
        raise OptionError(msg) from error
    if not callable(function):
        msg = f"{_fault(name)} is no function, but {type(function).__name__}"
        raise OptionError(msg)
    return function  # type: ignore[no-any-return]  # what it returns is looked at


def _fault(name: str) -> str:
    return f"token_counter '{name}'"


@cache
def installed_counters() -> Mapping[str, EntryPoint]:
    """Return the entry points of counters; looked for once, and only where one is named."""
    from importlib.metadata import entry_points

    return {entry.name: entry for entry in entry_points(group=GROUP)}
