"""The guards that decide whether a sentence ends at a stop, where sentencex only proposes.

A stop (`.`, `!`, `。` …) comes with the closing marks and the white space after it. Each guard
looks at the word before the stop and at the text after it, within a bounded distance. `sentences`
finds the stops and calls `is_boundary` for each.
"""
# ruff: noqa: SIM905 - marks of many scripts; a list of words reads best as a line of words

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from mkdocs_recall.text.language import (
    AFTER_ORDINAL,
    BEFORE_NUMBER,
    BEFORE_ORDINAL,
    DOTTED_DATES,
    DOTTED_ORDINALS,
    FINAL_ABBREVIATIONS,
    STEP_WORDS,
)

if TYPE_CHECKING:
    from mkdocs_recall.text.language import Language

CODE = "\ue000"
"""The placeholder for each character of inline code while boundaries are searched."""
STOPS = ".!?…‼⁇⁈⁉‽"
"""Marks that end a sentence only with white space after them."""
UNSPACED_STOPS = "。！？｡．।॥؟۔։።፧፨။។៕"
"""Marks that have no other use than to end a sentence; they need no white space."""
_UNSPACED_STOP_SET = frozenset(UNSPACED_STOPS)
_INVERTED = frozenset("¿¡")
_REACH = 500
"""How many characters on each side are searched for the other bracket or quotation mark."""
_SHORT = 3
"""A longer word, in letters, before a full stop is neither a common abbreviation nor an initial."""
_LONG = 9
"""A word with this many letters or more is no abbreviation, whatever sentencex proposes."""

_OPENING = re.compile(
    r"(?:['’][stn]\s(?=[A-Z])|[\"'“‘„«‹(\[{「『（【《*_¿¡]+\s?|[»›”’](?=\w)|[-–—•▪►→⚠💡👉📌📝🚨✅❌✔✖➡ℹ]\ufe0f?\s)*"
)
"""Signs that may precede the first word of a sentence. They include pictures that tend to open one,
quotation marks that close one in other languages (»Danish«, ”Swedish”) and Dutch `'s Nachts`."""
_NEXT_WORD = re.compile(r"\w+(?:['’]\w+)?")
_LETTER_STOP = re.compile(r"[^\W\d_]{1,2}\.(?:\s|$)")
_DOTTED = re.compile(r"[^\W\d_](?:\.-?[^\W\d_])*")
_NUMBERING = re.compile(r"\d{1,3}(?:\.\d{1,3})*|[IVX]{1,4}")
_TECHNICAL = re.compile(
    r"[a-z]+(?:[A-Z_]|-?\d)"  # iOS, site_url, v3.0, utf-8
    r"|[a-z][\w-]+(?:\.[a-z]{2,}|\(|::|=|@|:/)"  # mkdocs.yml, open(), a@b, https://
    r"|[bcdfghjklmnpqrstvwxz]{3,}\b"  # npm, ssh, html
    r"|--?\w|\.{0,2}/\w|\.\w|~/|[$@#%&]\w|</?\w"  # --help, ./run, .gitignore, $HOME, @user
)
_COMMANDS = frozenset(
    "ansible apk apt awk bash brew bun cargo clang cmake conda cp curl deno docker emacs git grep "
    "gunicorn helm java javac kubectl ls mkdocs nano nginx node nox numpy pandas php pip pipx pnpm "
    "poetry psql pytest python redis rsync ruby ruff rustc scp sed sudo systemd tar terraform tox "
    "uv uvicorn vi vim wget yarn yum zip".split()
)
"""Commands that open a sentence in lower case."""
_NO_ABBREVIATIONS = frozenset(
    "age api app art bar col conn css dist dns doc edge exec exp fa file form get go html http "
    "icon id iso loc maj may nat no ok on ore pdf php port post put ram ref set tab tar url usb va "
    "vpn xml".split()
)
"""Words of any language that sentencex takes for abbreviations (of authors, states, months)."""
_EXCLAIMED_NAMES = frozenset(("Yahoo", "Joomla", "Jeopardy"))
_UNIT_LETTERS = frozenset("bghlmsrгр")
_PAIRS = tuple(zip("([{“«「『（", ")]}”»」』）", strict=True))
_LEFT = {"」": "「", "』": "『", "”": "“"}
_PARTICLES = "とってがはをのにでもへや"
"""Kana that continue the sentence after a Japanese quotation."""


class BoundaryCandidate(NamedTuple):
    """A stop at which a sentence may end, with the context that the guards inspect."""

    text: str
    start: int  # the start of the sentence
    word: int  # the start of the word before the stop, after opening brackets and quotation marks
    stop: int  # the position of the stop
    mark: str  # the stop, closing marks and white space
    at: int  # the start of the next sentence
    follow: int  # its first letter, after opening brackets and quotation marks
    proposed: bool  # whether sentencex ends a sentence here

    @property
    def before(self) -> str:
        """The word before the stop."""
        return self.text[self.word : self.stop]

    @property
    def earlier(self) -> str:
        """The word before that one; empty at the start of the sentence."""
        words = self.text[max(self.start, self.word - 30) : self.word].rstrip("\"'“‘„«([{").split()
        return words[-1] if words else ""

    @property
    def next_word(self) -> str:
        """The word that would open the next sentence, in lower case."""
        match = _NEXT_WORD.match(self.text, self.follow, self.follow + 40)
        return match[0].lower().replace("’", "'") if match else ""

    @property
    def opens_high(self) -> bool:
        """Whether a capital, a letter without case, or code follows."""
        head = self.text[self.follow]
        return head == CODE or (head.isalpha() and not head.islower())

    @property
    def enclosed(self) -> bool:
        """Whether the stop is within brackets or quotation marks that close after it."""
        text, low, high = self.text, max(self.start, self.at - _REACH), self.at + _REACH
        if text.count('"', low, self.at) % 2 and text.find('"', self.at, high) >= 0:
            return True
        return any(
            text.count(left, low, self.at) > text.count(right, low, self.at)
            and text.find(right, self.at, high) >= 0
            for left, right in _PAIRS
        )


def is_boundary(
    text: str,
    language: Language,
    *,
    start: int,
    word: int,
    mark: re.Match[str],
    at: int,
    proposed: bool,
) -> bool:
    """Tell whether the sentence from `start` ends with `mark`, so that the next starts at `at`.

    Args:
        at: The start of the next sentence; less than the length of the text.
    """
    stop = mark.start()
    before = text[word:stop]
    plain = len(before) > _SHORT and before.isalpha() and mark[0][0] not in UNSPACED_STOPS
    if plain and proposed and text[at].isupper() and before.lower() not in language.abbreviations:
        return True  # a shortcut for by far the most frequent case
    opening, following = _OPENING.match(text, word, stop), _OPENING.match(text, at, len(text) - 1)
    word, follow = opening.end() if opening else word, following.end() if following else at
    place = BoundaryCandidate(text, start, word, stop, mark[0].rstrip(), at, follow, proposed)
    if not _UNSPACED_STOP_SET.isdisjoint(place.mark):
        return _after_unspaced_stop(place)
    if not _opens(place):
        return False
    if place.mark[0] != "." or place.mark.startswith(".."):
        return _after_emphasis(place, language)
    return _after_dot(place, language)


def _opens(place: BoundaryCandidate) -> bool:
    """Tell whether the text after the stop can open a sentence."""
    text, follow, before = place.text, place.follow, place.before[-1:]
    head = text[follow]
    if place.opens_high or head.isdecimal() or not _INVERTED.isdisjoint(text[place.at : follow]):
        return True
    if head.islower() and before.isalpha() and before.lower() == before.upper():
        return True  # a Latin word in a script without case
    return bool(_TECHNICAL.match(text, follow)) or place.next_word in _COMMANDS


def _after_unspaced_stop(place: BoundaryCandidate) -> bool:
    """Decide after a stop like `。`; a quotation it ends may be part of a longer sentence."""
    text, mark, at = place.text, place.mark, place.at
    if not (text[at].isalnum() or text[at] == CODE or place.follow > at):
        return False
    if mark[-1] in ")）":
        return True
    left = _LEFT.get(mark[-1])
    if left and text[at] in _PARTICLES:
        return False
    if left and mark[0] in "！？!?।":  # a label with a question mark ends only after a colon
        opening = text.rfind(left, max(place.start, place.stop - _REACH), place.stop)
        before = text[max(place.start, opening - 2) : opening].rstrip()
        return before.endswith(("：", ":", "，", ","))
    return place.proposed or (mark[-1] in UNSPACED_STOPS and not place.enclosed)


def _after_emphasis(place: BoundaryCandidate, language: Language) -> bool:
    """Decide after `!`, `?` or an ellipsis."""
    opens_with_stop_word = place.next_word in language.stop_words
    if place.before in _EXCLAIMED_NAMES or (place.stop == place.word and place.mark[0] in ".…"):
        return opens_with_stop_word and place.text[place.stop - 1] not in "(["
    return place.proposed or not place.enclosed


def _after_dot(place: BoundaryCandidate, language: Language) -> bool:
    """Decide after a single full stop."""
    before, head = place.before, place.text[place.follow]
    key = before.lower()
    if _DOTTED.fullmatch(before):
        return _after_letters(place, language)
    if key in language.abbreviations or before in language.abbreviations:
        return False
    if key in FINAL_ABBREVIATIONS:
        caps = key == "co" and place.text[place.follow : place.follow + 2].isupper()  # Co. KG
        return head.isupper() and place.at == place.follow and not caps
    continues = head.isdecimal() or (head == CODE and key not in language.stop_words)
    if (key in BEFORE_NUMBER and continues) or _is_numbering(place, language):
        return False
    return place.proposed or (_is_word(place, language) and not place.enclosed)


def _after_letters(place: BoundaryCandidate, language: Language) -> bool:
    """Decide after initials and dotted abbreviations: `J.`, `U.S.`, the `B.` of `z. B.`."""
    if place.word == place.start or _LETTER_STOP.match(place.text, place.at):
        return False
    before, earlier, head = place.before, place.earlier, place.text[place.follow]
    if before in _UNIT_LETTERS and earlier.isdecimal():
        return place.opens_high
    key = before.lower()
    if _LETTER_STOP.fullmatch(earlier):
        key = earlier.lower() + key
    if key in FINAL_ABBREVIATIONS:  # but not in "5 p.m. UTC"
        return head.isupper() and not place.text[place.follow : place.follow + 2].isupper()
    if {key, before} & language.abbreviations or (head.isdecimal() and key in BEFORE_NUMBER):
        return False
    if len(key) == 1 and before.islower():
        return place.opens_high
    return place.next_word in language.stop_words or (len(before) == 1 and head == CODE)


def _is_numbering(place: BoundaryCandidate, language: Language) -> bool:
    """Tell whether the full stop follows a step or ordinal: `1. Run`, `die 3. Version`."""
    if (
        language.code in DOTTED_DATES
        and place.before.isdecimal()
        and place.next_word[:1].isdecimal()
    ):
        return True
    if not _NUMBERING.fullmatch(place.before):
        return False
    if place.word == place.start:
        return True
    earlier, following = place.earlier.lower(), place.next_word
    if earlier in STEP_WORDS and " " not in place.text[place.start : place.word].rstrip():
        return True
    if language.code not in DOTTED_ORDINALS or following in language.stop_words:
        return False
    return following.isdecimal() or earlier in BEFORE_ORDINAL or following in AFTER_ORDINAL


def _is_word(place: BoundaryCandidate, language: Language) -> bool:
    """Tell whether the word before the full stop is certainly no abbreviation."""
    before = place.before
    return (
        not before.isalpha()  # a path, a version, code
        or len(before) >= _LONG
        or (len(before) > 1 and before.isupper())  # an acronym
        or before.lower() in _NO_ABBREVIATIONS
        or before.lower() in language.stop_words  # "The default is no."
        or place.next_word in language.stop_words
        or place.earlier.isdecimal()  # a unit
        or place.mark[-1] in "*_~"  # emphasis, which sentencex does not know
    )
