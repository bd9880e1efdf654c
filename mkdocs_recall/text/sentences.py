"""Sentences, words and cue phrases: how a block's text is split, and the roles of sentences.

sentencex proposes boundaries, guards decide: they reject some that it proposes and add some that it
misses. They know inline code, file names, names in lower case, versions, ordinals, numbered steps,
and quotations in scripts without case. Each guard looks at the word before a stop and at the text
after it, within bounds, so the time is linear in the length of the text.

A word is a run of letters, digits and their combining marks, folded; an apostrophe inside does not
end it. Underscores, hyphens and dots separate words: `site_url` is `site` and `url`, so either
spelling matches it. A name with signs is one more word before these: `--no-cache` is `--no-cache`,
`no` and `cache`; but the letter of `C++` is not a word. In scripts without separators (Han, Kana,
Thai, Lao, Burmese, Khmer, and Hangul, whose particles are attached to words) a run of letters gives
its overlapping bigrams. A large site has 700,000 words: text is split in pieces between white
space, each found once.

Cue phrases are a sentence about its page, a pointer elsewhere, a dangling opening. Pointers match
at the start of a word, the others at the start of a sentence. In Japanese, Chinese and Korean,
letters may follow a phrase directly and, in the first two, precede a pointer. The lists are ours;
the idea of cue phrases is Edmundson's (1969).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import accumulate, chain, filterfalse
from typing import Final, NamedTuple

import sentencex  # type: ignore[import-untyped]

from mkdocs_recall.text.language import (
    AFTER_ORDINAL,
    BEFORE_NUMBER,
    BEFORE_ORDINAL,
    DOTTED_DATES,
    DOTTED_ORDINALS,
    FINAL_ABBREVIATIONS,
    STEP_WORDS,
    Language,
    fold,
    get_language,
    rules_of,
    shared_words,
)

CODE = "\ue000"
"""The placeholder for each character of inline code while boundaries are searched."""
_INSIDE = "\ue001"
"""The placeholder for stops and spaces of an abbreviation within a sentence, such as `z. B.`."""
STOPS = ".!?…‼⁇⁈⁉‽"
"""Marks that end a sentence only with white space after them."""
UNSPACED_STOPS = "。！？｡．।॥؟۔։።፧፨။។៕"
"""Marks that have no other use than to end a sentence; they need no white space."""
_UNSPACED_STOP_SET = frozenset(UNSPACED_STOPS)
_INVERTED = frozenset("¿¡")
_BRACKETS = frozenset("([{（【《")
_REACH = 500
_SHORT = 3
"""A longer word, in letters, before a full stop is neither a common abbreviation nor an initial."""
_LONG = 9
"""A word with at least this many letters is not an abbreviation, whatever sentencex proposes."""

_OPENING = re.compile(
    r"(?:['’][stn]\s(?=[A-Z])|[\"'“‘„«‹(\[{「『（【《*_¿¡]+\s?|[»›”’](?=\w)|[-–—•▪►→⚠💡👉📌📝🚨✅❌✔✖➡ℹ]\ufe0f?\s)*"
)
"""Signs that may precede the first word of a sentence. They include pictures that tend to open one,
quotation marks that close one in other languages (»Danish«, ”Swedish”) and Dutch `'s Nachts`."""
_LOWER_HEAD = re.compile(r"(\.(?<=\w\.)[\"'”’»)\]]*\s[\"'“‘«(\[]*)([^\W\d_A-Z]\w*(?:['’]\w+)?)")
_NEXT_WORD = re.compile(r"\w+(?:['’]\w+)?")
_LETTER_STOP = re.compile(r"[^\W\d_]{1,2}\.(?:\s|$)")
_DOTTED = re.compile(r"[^\W\d_](?:\.-?[^\W\d_])*")
_ITEM = re.compile(r"(?:\A|[\s(]|([:：])\s?|[；，、（])(\d{1,2}|[a-z])\Z")
"""The number or letter of a step, and the colon before it."""
_STEP = re.compile(r"(\d{1,2}|[a-z])([.)])\s")
_NUMBERING = re.compile(r"\d{1,3}(?:\.\d{1,3})*|[IVX]{1,4}")
_TECHNICAL = re.compile(
    r"[a-z]+(?:[A-Z_]|-?\d)"  # iOS, site_url, v3.0, utf-8
    r"|[a-z][\w-]+\.[a-z]{2,}|[a-z][\w-]*(?:\(|::|=|@|:/)"  # mkdocs.yml, open(), a@b, https://
    r"|[bcdfghjklmnpqrstvwxz]{3,}\b"  # npm, ssh, html
    r"|--?\w|\.{0,2}/\w|\.\w|~/|[$@#%&]\w|</?\w"  # --help, ./run, .gitignore, $HOME, @user
)
_COMMANDS = shared_words("commands")
"""Commands that open a sentence in lower case."""
_NO_ABBREVIATIONS = shared_words("words")
"""Words of any language that sentencex mistakes for abbreviations (of authors, states, months)."""
_EMPHASIS = frozenset(".!?…")
_EXCLAIMED_NAMES = frozenset(("Yahoo", "Joomla", "Jeopardy"))
_UNIT_LETTERS = frozenset("bghlmsrгр")
_PAIRS = tuple(zip("([{“«「『（", ")]}”»」』）", strict=True))
_LEFT = {"」": "「", "』": "『", "”": "“", '"': '"', "»": "«"}
_LEADING = (":", "：", ",", "，", "،")
"""Marks between a sentence and the quotation at its end."""
_PARTICLES = "とってがはをのにでもへや"
"""Kana that continue the sentence after a Japanese quotation."""


class BoundaryCandidate(NamedTuple):
    """A stop at which a sentence may end, with its context."""

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
        return words[-1].lstrip("\"'“‘„«([{") if words else ""

    @property
    def is_measured(self) -> bool:
        """Whether a number is before the word, which may be its unit: `5 min.`, `2.5 km.`."""
        earlier = self.earlier
        return earlier[:1].isdecimal() and earlier[-1:].isdecimal()

    @property
    def next_word(self) -> str:
        """The word that would open the next sentence, in lower case."""
        match = _NEXT_WORD.match(self.text, self.follow, self.follow + 40)
        return match[0].lower().replace("’", "'") if match else ""

    @property
    def opens_high(self) -> bool:
        """Whether a capital, a letter without case, or code follows."""
        head = self.text[self.follow]
        return head == CODE or (head.isalpha() and head == head.title())

    @property
    def number_follows(self) -> bool:
        """Whether a number follows: `5`, `XIX`."""
        start = self.text[self.follow : self.follow + 10]
        return start[0].isdecimal() or bool(re.match(r"[IVXLC]{2,}\b", start))

    @property
    def enclosed(self) -> bool:
        """Whether the stop is within brackets or quotation marks that close after it."""
        text = self.text
        low = max(self.start, self.at - _REACH)
        high = self.at + _REACH
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
    """Tell whether a sentence ends with `mark`, the next begins `at`."""
    stop = mark.start()
    before = text[word:stop]
    plain = len(before) > _SHORT and before.isalpha() and mark[0][0] not in UNSPACED_STOPS
    if plain and proposed and text[at].isupper() and before.lower() not in language.abbreviations:
        return True  # a shortcut for by far the most frequent case
    opening = _OPENING.match(text, word, stop)
    following = _OPENING.match(text, at, len(text) - 1)
    word = opening.end() if opening else word
    follow = following.end() if following else at
    place = BoundaryCandidate(text, start, word, stop, mark[0].rstrip(), at, follow, proposed)
    if not _UNSPACED_STOP_SET.isdisjoint(place.mark):
        return _after_unspaced_stop(place)
    if _opens_step(place):
        return True
    if not _opens(place, language) or _goes_on_after_quotation(place):
        return False
    if place.mark[0] != "." or place.mark[1:2] in _EMPHASIS:  # ... or p.m.?
        return _after_emphasis(place, language)
    return not _is_item(place) and _after_dot(place, language)


def _opens(place: BoundaryCandidate, language: Language) -> bool:
    text, follow, before = place.text, place.follow, place.before[-1:]
    head = text[follow]
    if place.opens_high or head.isdecimal() or not _INVERTED.isdisjoint(text[place.at : follow]):
        return True
    if head.islower() and before.isalpha() and before.lower() == before.upper():
        return True  # a Latin word in a script without case
    if _TECHNICAL.match(text, follow) or place.next_word in _COMMANDS:
        return True
    return _opens_with_name(place, language)


def _opens_with_name(place: BoundaryCandidate, language: Language) -> bool:
    """Tell whether a name in lower case follows a full stop, but not an abbreviation's."""
    before = place.before
    if place.mark != "." or not _is_name(place.next_word, language):
        return False
    if before.isdecimal() or (place.is_measured and not before.isupper()):  # 5 min. later
        return False
    if not _BRACKETS.isdisjoint(place.text[place.at : place.follow]):  # a remark on the text before
        return False
    return len(before) > _SHORT or _is_word(place, language)


def _is_name(word: str, language: Language) -> bool:
    """Tell whether a word in lower case may be a name and is not a stop word."""
    return len(word) > 1 and bool(language.stop_words) and word not in language.stop_words


def _goes_on_after_quotation(place: BoundaryCandidate) -> bool:
    """Tell whether a sentence goes on after a quotation, in a script without case."""
    # A question or an exclamation ends the sentence only after a colon or a comma.
    text, head = place.text, place.text[place.at]
    left = _LEFT.get(place.mark[-1])
    if left is None or place.mark[0] == "." or not head.isalpha() or head.lower() != head.upper():
        return False
    opening = text.rfind(left, max(place.start, place.stop - _REACH), place.stop)
    before = text[max(place.start, opening - 2) : max(place.start, opening)]
    return not before.rstrip().endswith(_LEADING)


def _after_unspaced_stop(place: BoundaryCandidate) -> bool:
    """Decide after a stop like `。`, which may end a quotation."""
    text, mark, at = place.text, place.mark, place.at
    if mark[-1] not in UNSPACED_STOPS:
        mark = re.sub(rf"(?:(?![{_OPENERS}])[{_PICTURES}])+\Z", "", mark)
    if not (text[at].isalnum() or text[at] == CODE or place.follow > at):
        return False
    if mark[-1] in ")）":
        return True
    if mark[-1] in _LEFT and text[at] in _PARTICLES:
        return False
    if mark[-1] in _LEFT and mark[0] in "！？!?।؟":
        return not _goes_on_after_quotation(place)
    return place.proposed or (mark[-1] in UNSPACED_STOPS and not place.enclosed)


def _after_emphasis(place: BoundaryCandidate, language: Language) -> bool:
    opens_with_stop_word = place.next_word in language.stop_words
    if place.before in _EXCLAIMED_NAMES or (place.stop == place.word and place.mark[0] in ".…"):
        return opens_with_stop_word and place.text[place.stop - 1] not in "(["
    return place.proposed or not place.enclosed


def _after_dot(place: BoundaryCandidate, language: Language) -> bool:
    before, head = place.before, place.text[place.follow]
    key = before.lower().rpartition("/")[2]  # notes/warnings/etc.
    key = key if key in language.abbreviations else key.rpartition(".-")[2]  # Dipl.-Ing.
    if language.elides:  # dell'art. 6
        key = key.replace("’", "'").rpartition("'")[2]
    if _DOTTED.fullmatch(before) and not is_unspaced(before):
        return _after_letters(place, language)
    if key in language.abbreviations or before in language.abbreviations:  # but: 5 min. The rest
        word = place.next_word if place.is_measured and head.isupper() else ""
        return len(word) > 1 and word in language.stop_words
    if key in FINAL_ABBREVIATIONS:
        caps = key == "co" and place.text[place.follow : place.follow + 2].isupper()  # Co. KG
        return head.isupper() and place.at == place.follow and not caps
    if key in BEFORE_NUMBER and (
        place.number_follows or (head == CODE and key not in language.stop_words)
    ):
        return False
    if _is_numbering(place, language):
        return False
    return place.proposed or (_is_word(place, language) and not place.enclosed)


def _is_item(place: BoundaryCandidate) -> bool:
    """Tell whether the full stop numbers a step in the line: `Do this: 1. Run it 2. Wait`."""
    # Such a number follows its predecessor in the sentence, or a colon if its successor follows.
    text, stop = place.text, place.stop
    item = _ITEM.search(text, max(place.start, stop - 4), stop)
    if item is None:
        return False
    colon, mark = item.groups()
    end = stop + _REACH
    if colon and _has_step(text, mark, 1, stop, end):
        return True
    return _has_step(text, mark, -1, max(place.start, stop - _REACH), item.end())


def _opens_step(place: BoundaryCandidate) -> bool:
    step = _STEP.match(place.text, place.at)
    first = max(place.start, place.stop - _REACH)
    return step is not None and _has_step(place.text, step[1], -1, first, place.stop, sign=step[2])


def _has_step(text: str, mark: str, far: int, start: int, end: int, *, sign: str = ".") -> bool:
    """Tell whether a text has the step at a distance from another."""
    step = str(int(mark) + far) if mark.isdecimal() else chr(ord(mark) + far)
    match = re.compile(rf"(?<![\w.]){re.escape(step)}[{sign}]\s").search(text, start, end)
    return match is not None


def _after_letters(place: BoundaryCandidate, language: Language) -> bool:
    """Decide after initials and dotted abbreviations: `J.`, `U.S.`, the `B.` of `z. B.`."""
    if place.word == place.start or _LETTER_STOP.match(place.text, place.at):
        return False
    before = place.before
    earlier = place.earlier
    head = place.text[place.follow]
    if before in _UNIT_LETTERS and place.is_measured:
        return place.opens_high
    key = before.lower()
    if _LETTER_STOP.fullmatch(earlier):
        key = earlier.lower() + key
    if key in FINAL_ABBREVIATIONS:  # but not in "5 p.m. UTC"
        return head.isupper() and not place.text[place.follow : place.follow + 2].isupper()
    if {key, before} & language.abbreviations or (key in BEFORE_NUMBER and place.number_follows):
        return False
    if len(key) == 1 and before.islower():
        return place.opens_high
    is_name = len(before) == 1 and head == CODE
    return is_name or is_unspaced(head) or place.next_word in language.stop_words


def _is_numbering(place: BoundaryCandidate, language: Language) -> bool:
    """Tell whether the full stop follows a step or ordinal: `1. Run`, `die 3. Version`."""
    if (
        language.code in DOTTED_DATES
        and place.before.isdecimal()
        and re.match(r"\d\d?(?!\d)", place.next_word)
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
    """Tell whether the word before the full stop is certainly not an abbreviation."""
    before = place.before
    return (
        not before.isalpha()  # a path, a version, code
        or len(before) >= _LONG
        or (len(before) > 1 and before.isupper())  # an acronym
        or before.lower() in _NO_ABBREVIATIONS
        or before.lower() in language.stop_words  # "The default is no."
        or place.next_word in language.stop_words
        or (place.is_measured and place.mark == ".")  # a unit
        or place.mark[-1] in "*_~"  # emphasis, which sentencex does not know
        or (place.mark[-1] == ")" and place.text[place.start] == "(")  # all of it in brackets
    )


_HAN_AND_KANA = "\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
"""Han and Kana, where no white space precedes a sentence."""
_MORE_STOPS = {"el": ";\u037e"}
"""The Greek question mark."""
_OPENERS = "⚠💡👉📌📝🚨✅❌✔✖➡"
"""Pictures that tend to open a sentence."""
_PICTURES = "\u2600-\u27bf\u2b50\U0001f300-\U0001faff\ufe0f\u200d"
_CLOSING = f"\"'”’“‘»«›)\\]}}」』）】》〉*_~{_PICTURES}"
_GLUED = f"\"'”’»›)\\]}}」』）】》〉*_~{_PICTURES}"
"""Those of `_CLOSING` that close even without white space after them; the others then open."""
_TRAILING = re.compile(rf"(?:(?:[»›”’)\]}}]+|(?![{_OPENERS}])[{_PICTURES}]+)(?:\s+|$))+")
"""Marks that belong to the sentence before them despite a space between."""
_LETTER = "(?s:.)[\u0300-\u036f]{0,9}"
"""A letter with the combining marks (Latin, Greek, Cyrillic) after it; not more than nine, because
NFC sorts a run of marks in quadratic time."""
_PIECE, _CONTEXT = 2000, 500
"""How many characters sentencex reads at once, and how many more on each side as context: as many
as the guards search for a quotation mark or bracket (`_REACH`)."""


def sentence_spans(
    text: str, language: Language, code: Sequence[tuple[int, int]] = ()
) -> list[tuple[int, int]]:
    """Return the sentences of one block as half-open spans in order.

    The spans cover `text` except the white space between them. No sentence ends inside one of the
    sorted spans of inline code, but it may start there.
    """
    is_composed = unicodedata.is_normalized("NFC", text)
    return (_split if is_composed else _spans_of_decomposed)(text, language, code)


def _split(text: str, language: Language, code: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    start, end = len(text) - len(text.lstrip()), len(text.rstrip())
    if start >= end:
        return []
    masked = _mask(text, code) if code else text
    if "”" in masked:
        masked = _unify_quotation_marks(masked)
    stop_pattern = _stop_pattern(language.code)
    stops = list(stop_pattern.finditer(masked, start, end))
    if not stops or stops[0].end() == end:
        return [(start, end)]
    inner = _inner_abbreviations(language.code)
    closed = inner.sub(lambda match: re.sub(r"[.\s]", _INSIDE, match[0]), masked)
    if closed != masked:
        masked = closed
        stops = list(stop_pattern.finditer(closed, start, end))
    proposals = _proposals(_with_capitals(masked, language), language.code)
    spans: list[tuple[int, int]] = []
    last = start
    for mark in stops:
        at = mark.end()
        proposed = at in proposals
        if at < end and not masked[at].isalnum() and masked[at - 1].isspace():
            trailing = _TRAILING.match(masked, at, end)
            if trailing:
                at = trailing.end()
                proposed = proposed or at in proposals
        if at >= end:
            break
        word = max(last, masked.rfind(" ", last, mark.start()) + 1)
        last = at
        if is_boundary(
            masked, language, start=start, word=word, mark=mark, at=at, proposed=proposed
        ):
            spans.append((start, start + len(masked[start:at].rstrip())))
            start = at
    spans.append((start, end))
    return spans


def _spans_of_decomposed(
    text: str, language: Language, code: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Return the sentences of a decomposed text by its NFC form."""
    positions: list[int] = []  # the position in the NFC text for each position in `text`
    back: list[int] = []  # and the reverse
    parts: list[str] = []
    for letter in re.finditer(_LETTER, text):
        part = unicodedata.normalize("NFC", letter[0])
        positions += [len(back)] * len(letter[0])
        back += [letter.start()] * len(part)
        parts.append(part)
    positions.append(len(back))
    back.append(len(text))
    composed = "".join(parts)
    size = len(text)
    masks = [(positions[min(low, size)], positions[min(high, size)]) for low, high in code]
    return [(back[low], back[high]) for low, high in _split(composed, language, masks)]


def _mask(text: str, code: Sequence[tuple[int, int]]) -> str:
    """Return `text` with `CODE` in place of each character of inline code."""
    parts: list[str] = []
    done = 0
    for start, end in code:
        low = max(start, done)
        high = low + len(text[low:end].rstrip())
        low = high - len(text[low:high].lstrip())
        if low < high:
            parts += (text[done:low], CODE * (high - low))
            done = high
    return "".join((*parts, text[done:]))


@cache
def _inner_abbreviations(code: str) -> re.Pattern[str]:
    """Return the pattern of a language's abbreviations of several parts, spaced or not: `z. B.`."""
    # It matches from the first stop on: `re` skips to a literal character at once.
    names = sorted(name for name in get_language(code).abbreviations if "." in name)
    heads_and_tails = (re.escape(name).replace(r"\.", r"\.\s?").split(r"\.", 1) for name in names)
    parts = (rf"(?<=(?<![\w.]){head}\.){tail}" for head, tail in heads_and_tails)
    return re.compile(rf"\.(?:{'|'.join(parts)})\.", re.IGNORECASE)


def _with_capitals(text: str, language: Language) -> str:
    """Return a text in which possible names after a full stop are capitalised."""
    # sentencex, which knows abbreviations, ends no sentence before a letter in lower case.

    def capital(stop: re.Match[str]) -> str:
        head = stop[2][0].upper()
        is_name = len(head) == 1 and _is_name(stop[2].replace("’", "'"), language)
        return f"{stop[1]}{head}{stop[2][1:]}" if is_name else stop[0]

    return _LOWER_HEAD.sub(capital, text)


def _unify_quotation_marks(text: str) -> str:
    """Return `text` with “ as the opening mark of quotations like „Polish” and ”Swedish”."""
    # sentencex knows neither and would end sentences inside the quotation.
    if "“" in text:
        return text
    if "„" in text:
        return text.replace("„", "“")
    parts = text.split("”")
    if len(parts) % 2 == 0:  # inches, or a quotation that is not closed
        return text
    return "".join(f"{part}{'“' if n % 2 == 0 else '”'}" for n, part in enumerate(parts))[:-1]


@cache
def _stop_pattern(code: str) -> re.Pattern[str]:
    """Return the pattern of a possible end of a sentence."""
    stops = STOPS + _MORE_STOPS.get(code, "") + UNSPACED_STOPS
    run = f"(?<![{stops}][{stops}])[{stops}]*"  # only from the first stop of a run: linear time
    return re.compile(
        f"[{stops}](?:{run}(?:[{_CLOSING}]*\\s+|[{_GLUED}]*(?=[{_HAN_AND_KANA}]))"
        f"|(?<=[{UNSPACED_STOPS}])[{stops}]*[{_GLUED}]*)"
    )


def _proposals(text: str, code: str) -> frozenset[int]:
    """Return the positions where sentencex would start a sentence.

    In some scripts and quotations its time grows with the square of the text, so it reads a long
    text in pieces, each with some context around it.
    """
    if len(text) <= _PIECE + 2 * _CONTEXT:
        return _sentence_starts(text, code)
    proposals: set[int] = set()
    for start in range(0, len(text), _PIECE):
        low, end = max(0, start - _CONTEXT), start + _PIECE
        starts = (low + at for at in _sentence_starts(text[low : end + _CONTEXT], code))
        proposals.update(at for at in starts if start < at <= end)
    return frozenset(proposals)


def _sentence_starts(text: str, code: str) -> frozenset[int]:
    """Return where sentencex starts sentences, and the end."""
    try:
        pieces = sentencex.segment(code, text)
    except UnicodeEncodeError:  # a lone surrogate, which a Rust string cannot hold
        return frozenset()
    ends = frozenset(accumulate(map(len, pieces)))
    return ends if len(text) in ends else frozenset()


_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a"
    "\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0711-\u07f3\u07fd\u0816-\u082d"
    "\u0859-\u085b\u0898-\u08e1\u08e3-\u0963\u0981-\u09e3\u09fe-\u0a75\u0a81-\u0ae3\u0afa-\u0b63"
    "\u0b82-\u0bd7\u0c00-\u0c63\u0c81-\u0c83\u0cbc-\u0d4d\u0d57-\u0d63\u0d81-\u0df3\u0e31-\u0e3a"
    "\u0e47-\u0e4e\u0eb1-\u0ecd\u0f18\u0f19\u0f35\u0f37\u0f39\u0f3e-\u0f84\u0f86-\u0fbc\u0fc6"
    "\u102b-\u103e\u1056-\u109d\u135d-\u135f\u1712-\u1734\u1752-\u17d3\u17dd\u1885\u1886\u18a9\u1920-\u193b"
    "\u1a17-\u1a1b\u1a55-\u1a7f\u1ab0-\u1abd\u1abf-\u1b44\u1b6b-\u1b73\u1b80-\u1bf3\u1c24-\u1c37"
    "\u1cd0-\u1cd2\u1cd4-\u1dff\u2cef-\u2cf1\u2d7f\u2de0-\u2dff\u302a-\u302f\u3099\u309a\ua66f"
    "\ua674-\ua67d\ua69e\ua69f\ua6f0\ua6f1\ua802-\ua827\ua82c\ua880-\ua8c5\ua8e0-\ua8f1\ua8ff-\ua92d"
    "\ua947-\ua953\ua980-\ua9c0\ua9e5\uaa29-\uaa4d\uaa7b-\uaac1\uaaeb-\uaaef\uaaf5\uaaf6"
    "\uabe3-\uabea\uabec\uabed\ufb1e\ufe20-\ufe2f"
)
"""Combining marks, which `\\w` excludes; some ranges include the letters between them."""

_UNSPACED = (
    "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff\u1100-\u11ff\uac00-\ud7af"
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ecf\u1000-\u103f\u1050-\u108f\u1780-\u17d3"
)
"""Letters and marks of scripts that do not separate words."""

_WORD = f"[\\w{_MARKS}]+(?:'[\\w{_MARKS}]+)*"
_RUN = f"[{_UNSPACED}]+"
_OTHER_SCRIPT = re.compile("[^\0-\u02ff\u2000-\u2bff]")
"""A character that requires the two expressions above, which take 3 ms to compile: texts without
combining marks and letters of `_UNSPACED` have none."""
_LATIN_WORD = re.compile(r"\w+(?:'\w+)*")

_SIGN = "[-.$@#%!:]"
NAME = (
    r"(?<!\w)(?:"
    # --no-cache, .NET, $HOME, @app.route, and with the sign at both ends :app:
    rf"(?<!{_SIGN})(?P<sign>{_SIGN}){_SIGN}?\w+(?:(?:[-.]|(?P=sign))\w+)*(?:(?![-.!])(?P=sign))?"
    # C++, C++17, F#
    r"|[a-zA-Z]\w*(?:\+\+(?![+a-zA-Z_])|#(?!\w))"
    # run_once_, _private, __init__
    r"|(?:_+[^\W_]\w*|[^\W_]\w*_)(?!\w)"
    # 3.10, v3.10, python3.10
    r"|(?<!\.)[^\W\d_]*(?P<number>\d+(?:\.\d+)+)(?!\d)\w*"
    # &&, ||, ==, but not arrows
    r"|(?<![-=&|<>+*!?:~^])(?!=>|[!?]+(?:\s|$))[=&|<>+*!?:~^]{2,3}(?![-=&|<>+*!?:~^]|\w))"
)
"""A pattern for words that signs make different from their letters: a name in code, an operator, a
version number. It is for texts in which other letters are set `apart`: with a set of these letters
in each place, it would take 40 ms to compile, and 100 ms if it ignored case."""
_NAMES = re.compile(NAME)
_SIGNED = re.compile(
    r"[-.$@#%!:+_=&|<>*?~^](?:(?<=[-.$@#%!:])(?<!\w.)\w|(?<=\+)\+|(?<=#)|(?<=_)(?:(?<![^\W_]_)|(?!\w))"
    r"|(?<=\d\.)\d|(?<=[=&|<>+*!?:~^])[=&|<>+*!?:~^])"
)
"""The sign that makes a name, with the characters beside it; most texts have none."""
_LETTERS = bytes(
    ord(char.lower()) if char.isascii() and (char.isalnum() or char == "'") else ord(" ")
    for char in map(chr, range(256))
)
"""Maps all of ASCII but letters, digits and apostrophes to spaces, and capitals to small letters.
"""
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u061c\u0640\u064b-\u0652\u0670"
    "\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufe00-\ufe0f\ufeff]"
)
"""Soft hyphens, joiners, variation selectors, direction marks, Hebrew points, Arabic vowel signs
and the Arabic tatweel: they change how a word looks, not which word it is."""


def words(text: str) -> list[str]:
    """Return the words of `text`, folded, in order, with repetitions and with stop words."""
    return [*chain.from_iterable(map(_WORDS.__getitem__, text.split()))]


class _PieceWords(dict[str, tuple[str, ...]]):
    """Maps a text without white space to its words: most are repeated in other texts."""

    def __init__(self, language: Language | None = None) -> None:
        """Take the language whose stop words are left out."""
        super().__init__()
        self._language = language

    def __missing__(self, piece: str) -> tuple[str, ...]:
        text = piece.lower() if piece.isascii() else apart(_folded(piece))
        bare = text.lstrip(_BEFORE_WORD).rstrip(_AFTER_WORD)
        is_word = bare.isalnum() and bare.isascii()
        result = (bare,) if is_word else tuple(_words_of(text))
        if text[1:] != piece[1:]:  # a capital letter, but at the start
            for name in re.findall(_CAMEL, piece):
                result += tuple(re.sub("([A-Z])", r" \1", name).lower().split())
        if not is_word and not _small_words().isdisjoint(result):
            names = re.findall(_SMALL, text)
            result += tuple(n for n in names if _small_words() >= {*re.findall("[a-z]+", n)})
        if (language := self._language) is not None:
            if language.elides:
                result = tuple(filter(None, map(language.content_words.__getitem__, result)))
            elif not language.stop_words.isdisjoint(result):
                result = tuple(filterfalse(language.stop_words.__contains__, result))
        if len(piece) <= _LONGEST_PIECE:
            if len(self) >= _KEPT_PIECES:
                self.clear()
            self[piece] = result
        return result


_CAMEL = r"(?<!\w)[a-z]{2,}(?:[A-Z][a-z0-9]+)+(?!\w)"
"""A name in camel case, whose parts are words, too: `maxFileSize`."""
_SMALL = r"(?<![\w/'-])(?!how-to)(?:[a-z]+(?:[-_][a-z]+)+(?![\w/'-])|[a-z]+\(\))"
"""A name of stop words, such as `before-all` or `is()`, is a word, too: no index has its parts."""
_BEFORE_WORD, _AFTER_WORD = "([{\"'", ",.;:?)]}\"'"
"""Signs that do not change the word that they precede, or follow."""
_WORDS = _PieceWords()
_content_of = lru_cache(maxsize=8)(_PieceWords)  # by language
_KEPT_PIECES, _LONGEST_PIECE = 45_000, 80
"""How many pieces are kept, and the most characters of each: 9 MB for a language."""


@cache
def _small_words() -> frozenset[str]:
    """Return the stop words of English, from which names are made in any text."""
    return get_language("en").stop_words


def _words_of(text: str) -> list[str]:
    if not _SIGNED.search(text):
        return _plain(text)
    result: list[str] = []
    at = 0
    for name in _NAMES.finditer(text):
        start, end = name.span()
        if at < start:
            result += _plain(text[at:start])
        result.append(name["number"] or name[0])
        if len(parts := _plain(name[0])) > 1 or parts[:1] != [name[0][0]]:  # C is not C++
            result += parts
        at = end
    return [*result, *_plain(text[at:])] if at < len(text) else result


def apart(text: str) -> str:
    """Return a text with spaces around unspaced letters."""
    return re.sub(_RUN, r" \g<0> ", text) if _OTHER_SCRIPT.search(text) else text


def _folded(piece: str) -> str:
    text = _INVISIBLE.sub("", piece).replace("\u2019", "'").replace("\u02bc", "'")
    text = text.replace("\u2013", "--")  # some extensions write a dash for the hyphens of an option
    text = text.replace("™", " ").replace("℠", " ")  # NFKC would turn them into letters
    return fold(text)


def _plain(text: str) -> list[str]:
    """Return the words of a text without names; `_` is not a letter."""
    if text.isascii():
        text = text.encode().translate(_LETTERS).decode()
        if "'" in text:  # part of a word only between two letters
            text = f" {text} ".replace("''", "  ").replace(" '", "  ").replace("' ", "  ")
        return text.split()
    text = text.replace("_", " ")
    if _OTHER_SCRIPT.search(text):
        return re.findall(_WORD, re.sub(_RUN, _bigrams, text))
    return _LATIN_WORD.findall(text)


def terms(text: str, language: Language) -> tuple[str, ...]:
    """Return the terms of `text`: its words without stop words, stemmed, in order."""
    return tuple(filter(None, map(language.stems.__getitem__, words(text))))


def plain_words(text: str, language: Language) -> tuple[str, ...]:
    """Return the words of `text` without stop words, not stemmed, in order."""
    return tuple(chain.from_iterable(map(_content_of(language).__getitem__, text.split())))


def distinct_words(texts: Sequence[str], language: Language) -> set[str]:
    """Return the distinct results of `plain_words` for some texts."""
    return set(plain_words(" ".join({*"\n".join(texts).split()}), language))


def is_unspaced(letter: str) -> bool:
    """Tell whether a letter belongs to a script that does not separate words."""
    return _OTHER_SCRIPT.match(letter) is not None and re.fullmatch(_RUN, letter) is not None


def _bigrams(run: re.Match[str]) -> str:
    letters = run[0]
    if len(letters) == 1:
        return f" {letters} "
    return f" {' '.join(map(str.__add__, letters, letters[1:]))} "


class Phrases(NamedTuple):
    """The cue phrases of one language; without any, nothing matches."""

    self_reference: re.Pattern[str] | None = None
    pointers: tuple[str, ...] = ()
    ahead: tuple[str, ...] = ()
    dangling: re.Pattern[str] | None = None
    function_words: frozenset[str] = frozenset()
    asking: frozenset[str] = frozenset()

    def speaks_of_page(self, sentence: str) -> bool:
        """Tell whether a sentence is about its page: "This guide shows …"."""
        return self.self_reference is not None and self.self_reference.match(sentence) is not None

    def points_elsewhere(self, sentence: str) -> bool:
        """Tell whether a sentence sends the reader elsewhere: "For more information, see …"."""
        folded = f" {sentence.lower()}"
        return any(map(folded.__contains__, self.pointers))

    def announces(self, sentence: str) -> bool:
        """Tell whether a sentence announces what is right below it: "Use the following lines."."""
        folded = f" {sentence.lower()}"
        return any(map(folded.__contains__, self.ahead))

    def is_unfinished(self, lead_in: str) -> bool:
        """Tell whether the text below a lead-in completes its sentence: "By default, it will:"."""
        last = lead_in.casefold().rstrip(" :：").rpartition(" ")[2]
        return last in self.function_words or last in self.asking

    def leans(self, sentence: str) -> bool:
        """Tell whether a sentence is unclear without the one before it: "It …", "However, …".

        So are a fragment that opens with a function word in lower case ("for building …") and a
        text in brackets. "It is possible to …", "There are three ways …" and "This guide …" are
        clear.
        """
        if re.match(r"\([^()]*\)[.!?]?$|（[^（）]*）$", sentence):
            return True
        if sentence[:1].islower() and sentence.split(maxsplit=1)[0] in self.function_words:
            return True
        return (
            self.dangling is not None
            and not sentence[1:2].isupper()  # "IT departments"
            and self.dangling.match(sentence.lower()) is not None
            and not self.speaks_of_page(sentence)
        )


_AFTER: Final = r"(?=[\s,;:'’،—–(]|$)"
"""The text after a dangling phrase; no hyphen and no stop: "So-called", "Next.js"."""


@cache
def phrases(language: str) -> Phrases:
    """Return the phrases of a language code (`pt-BR` has those of `pt`).

    The language's rules list, as alternatives of a regular expression, the words with which a page
    refers to itself (`this`, `pages`), openings that make a sentence unclear without the one before
    (`dangling`), and those that only seem to (`standalone`); as texts, phrases that send a reader
    elsewhere (`pointers`) or announce what is below (`ahead`).
    """
    resolved = get_language(language)
    texts = rules_of(resolved.code)
    rules = {name: "".join(text.split("\n  ")) for name, text in texts.items()}
    asking = frozenset(texts.get("asking", "").split())
    if "pages" not in rules:
        return Phrases(function_words=resolved.stop_words, asking=asking)
    before, end = rules.get("before", " "), rules.get("end", _AFTER)
    standalone = f"(?!{rules['standalone']})" if "standalone" in rules else ""
    return Phrases(
        self_reference=re.compile(f"(?:{rules['this']})(?:{rules['pages']})", re.IGNORECASE),
        pointers=tuple(f"{before}{pointer}" for pointer in rules["pointers"].split("|")),
        ahead=tuple(f"{before}{phrase}" for phrase in rules["ahead"].split("|")),
        dangling=re.compile(f"{standalone}(?:{rules['dangling']}){end}"),
        function_words=resolved.stop_words,
        asking=asking,
    )
