"""How input is made up here: by grammars that nearly hold, and by edits of what is real.

In the suite each test has few cases, the same each time. `RECALL_FUZZ=100 pytest tests/fuzz` tries
a hundred times as many, others each time.
"""

from __future__ import annotations

import functools
import os
import signal
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any, Final, TypeVar, cast

from hypothesis import HealthCheck, given, settings, strategies as st
from tables import beside

Test = TypeVar("Test", bound="Callable[..., None]")
_AnyText = TypeVar("_AnyText", str, bytes)
TIMES: Final = int(os.environ.get("RECALL_FUZZ", "0"))
"""How many times as many cases are tried; 0 for those of the suite."""
_HANGS: Final = 20.0
"""Seconds of CPU; no case takes a hundredth of that."""
_MANY: Final = 600
"""Characters of what is repeated: who looks for what takes long has the benchmarks."""

SIGNS: Final = (
    *("\x00", "\x01", "\x0b", "\x0c", "\x1b", "\x7f", "\x85", "\xa0", "\xad", "\ufeff", "\ufffd"),
    *("\u200b", "\u200d", "\u202e", "\u2066", "\u2028", "\u2029", "\u0301", "\u0345", "\u1e9e"),
    *("ß", "İ", "ﬁ", "Ǆ", "ς", "한글", "日本語。", "中文，", "ไทย", "हिन्दी।", "עברית", "عربي؟"),
    *("\U0001f469\u200d\U0001f52c", "\U0010ffff", "\uffff", "½", "٣", "…", "“", "”", "’", "«", "›"),
    *("\t", "\n", "\r", "\r\n", " ", "  ", "\n\n", "\\", "'", '"', "`", "```", "~~~", "&", ";"),
    *("<", ">", "<!--", "-->", "]]>", "{{", "}}", "{%", "%}", "[[", "](", "$$", "|", "#", "%00"),
    *("../", "//", ":", "://", "?", "*", "**", "_", "!", ".", "..", "...", ",", "-", "---", "="),
)
"""Short things that have broken programs before."""
WORDS: Final = (
    *("session", "token", "expires", "Larch", "port", "server", "the", "a", "of", "is", "not"),
    *("e.g.", "Dr.", "i.e.", "v1.2.3", "8080", "3.14", "a.md", "NO_PROXY", "don't", "U.S.", "x"),
    *("This", "It", "However,", "see", "Note", "when", "does", "how", "`code`", "*em*", "-1e999"),
)
SENTENCES: Final = (
    *("A session expires after 12 hours.", "Is it? Yes!", "See e.g. Dr. No. It ends."),
    *("The token of a server is not a port.", "Larch listens on port 8080", "This is it: ", "- a"),
    *("Use `larch run` now.", "It costs 3.14 per U.S. session...", "Run this:"),
    *('"Quoted." he said.',),
)
text: Final = st.lists(
    st.one_of(
        st.sampled_from(WORDS),
        st.sampled_from(WORDS),
        st.sampled_from(SENTENCES),
        st.sampled_from(SIGNS),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=12,
).flatmap(lambda parts: st.sampled_from((" ", " ", "")).map(lambda glue: glue.join(parts)))
"""Something like prose."""
raw: Final = st.text(st.characters(), max_size=60)
"""Anything, with lone surrogates."""


def listed(module: str, name: str) -> list[str]:
    """Return a list that is beside a module; `[a, b, 9]` stands for an `a` with nine `b`."""
    entries = beside(module)[name]
    return [each if isinstance(each, str) else each[0] + each[1] * each[2] for each in entries]


def fuzzed(cases: int, **strategies: st.SearchStrategy[Any]) -> Callable[[Test], Test]:
    """Return what has a test tried with many cases; one that takes very long has failed.

    Args:
        cases: How many there are in the suite.
        strategies: What makes the test's arguments, by name.
    """

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def watched(*args: Any, **kwargs: Any) -> None:
            with_alarm(test, *args, **kwargs)

        checks = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
        checks += [HealthCheck.data_too_large, HealthCheck.filter_too_much]
        budget = settings(
            max_examples=cases * TIMES or cases,
            derandomize=not TIMES,
            database=None,
            deadline=None,
            suppress_health_check=checks,
            print_blob=bool(TIMES),
        )
        return cast("Test", budget(given(**strategies)(watched)))

    return decorate


def with_alarm(test: Callable[..., None], *args: Any, **kwargs: Any) -> None:
    """Run a test that fails when it has used very much time of the processor."""
    if not hasattr(signal, "ITIMER_PROF"):  # Windows
        test(*args, **kwargs)
        return
    before = signal.signal(signal.SIGPROF, _rang)
    signal.setitimer(signal.ITIMER_PROF, _HANGS)
    try:
        test(*args, **kwargs)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _rang(_number: int, _frame: FrameType | None) -> None:
    msg = f"this takes more than {_HANGS:g} s"
    raise AssertionError(msg)


def soup(pieces: Sequence[str], *, size: int = 25) -> st.SearchStrategy[str]:
    """Return what puts pieces in any order, with some prose between."""
    part = st.one_of(st.sampled_from(pieces), st.sampled_from(pieces), text)
    return st.lists(part, max_size=size).map("".join)


def parts_of(texts: Sequence[str], *, size: int = 700) -> st.SearchStrategy[str]:
    """Return what cuts a part out of one of some long texts."""
    places = [(number, at) for number, each in enumerate(texts) for at in range(0, len(each), 400)]
    return st.sampled_from(places).map(lambda place: texts[place[0]][place[1] : place[1] + size])


def edited(
    whole: st.SearchStrategy[str], pieces: Sequence[str], *, most: int = 6
) -> st.SearchStrategy[str]:
    """Return what edits texts at a few places: drops, repeats, moves, and puts in pieces."""
    inserted = st.one_of(st.sampled_from(pieces), st.sampled_from(SIGNS), st.sampled_from(WORDS))
    edits = st.lists(
        st.tuples(
            st.sampled_from(("insert", "insert", "drop", "double", "many", "move", "cut", "swap")),
            st.floats(0, 1),
            st.integers(1, 80),
            inserted,
        ),
        max_size=most,
    )
    return st.builds(lambda start, each: functools.reduce(_edit, each, start), whole, edits)


def bytes_edited(
    whole: st.SearchStrategy[bytes], pieces: Sequence[bytes], *, most: int = 6
) -> st.SearchStrategy[bytes]:
    """Return what edits bytes."""
    inserted = st.one_of(st.sampled_from(pieces), st.binary(max_size=8))
    edits = st.lists(
        st.tuples(
            st.sampled_from(("put", "put", "put", "insert", "drop", "double", "cut")),
            st.floats(0, 1),
            st.integers(1, 4096),
            inserted,
        ),
        min_size=1,
        max_size=most,
    )
    return st.builds(lambda start, each: functools.reduce(_edit, each, start), whole, edits)


def _edit(whole: _AnyText, edit: tuple[str, float, int, _AnyText]) -> _AnyText:
    kind, where, length, piece = edit
    at = int(where * len(whole))
    before, part, rest = whole[:at], whole[at : at + length], whole[at + length :]
    if kind == "put":
        return before + piece + whole[at + len(piece) :]
    many = piece * (_MANY // (len(piece) or 1))
    made = {
        "insert": before + piece + part + rest,
        "drop": before + rest,
        "double": before + part + part + rest,
        "many": before + many + part + rest,
        "move": part + before + rest,
        "swap": before + part[::-1] + rest,
        "cut": before,
    }
    return made[kind]
