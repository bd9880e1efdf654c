"""Postings: the words of the pages in one language, and where each occurs.

`index` numbers the sentences, sections and lead-ins, and decides which words to add. Words are
stemmed only when a query asks for a word that may have the same stem.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from mkdocs_recall.index.query import heading_words
from mkdocs_recall.text.sentences import is_unspaced, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mkdocs_recall.text.language import Language
    from mkdocs_recall.text.model import Heading


MIN_PREFIX: Final = 4
"""A word must have this many letters to match another in part as its beginning …"""
MIN_INFIX: Final = 5
"""… and this many to match inside it or at its end: short words occur in many others by chance.
Matches in part gain .008 / .006 mrr@10 on the question sets (benchmarks/README.md, "parts of
words")."""
_SHORT_FORMS: Final = {
    "max": "maxim", "min": "minim", "dir": "director", "env": "environ", "app": "applic",
    "doc": "document", "arg": "argument", "var": "variab", "lib": "librar", "db": "databas",
    "id": "identif", "os": "operating", "img": "imag", "msg": "messag", "pkg": "packag",
    "cmd": "command", "num": "number", "int": "integer", "str": "string", "ref": "referenc",
    "dev": "develop", "tmp": "tempor", "pwd": "password", "src": "sourc", "dest": "destin",
}  # fmt: skip
"""Short forms that programmers write in any language, and how the long ones begin: too short, or
too unlike these, to match as a beginning."""
_START: Final = 4
_LONG_FORMS: Final = {long[:_START]: (long, short) for short, long in _SHORT_FORMS.items()}
"""The same by their first letters."""
_BIGRAM: Final = 2
"""The length of a word in a script without spaces between words: see `text.sentences`."""
_LONGEST_PART: Final = 40
"""Longer beginnings and ends of a query's word are not looked up, so that a word of a million
letters costs no more than one of forty."""
_KEPT_MATCHES: Final = 1024
"""The partial matches of so many words are remembered: questions share most of these."""


PLACES: Final = {
    "sentences": "sentences",
    "headed_sections": "sections",
    "titled_sections": "sections",
    "lead_ins": "lead_ins",
    "other_sections": "sections",
}
"""What `Postings` list for each word: the names of their attributes, and what is numbered there."""


WordKey: TypeAlias = "str | int"
"""What stands for a word: itself, or its number where words are numbered."""


class Postings:
    """The words of the pages in one language, and where each occurs."""

    def __init__(
        self, language: Language, places: Mapping[str, Mapping[Any, Sequence[int]]] | None = None
    ) -> None:
        """Start without words, or with all of them; in the latter case none can be added.

        Args:
            places: Where each word occurs, by `PLACES` and key.
        """
        self.lists = {name: defaultdict[str, list[int]](list) for name in PLACES}
        """The lists to which `index` appends while it reads the pages."""
        listed = places or self.lists
        self.sentences: Mapping[Any, Sequence[int]] = listed["sentences"]
        """The sentences in which each word occurs, once per occurrence. Its keys are all words: one
        that occurs only in headings or lead-ins has an empty list."""
        self.headed_sections: Mapping[Any, Sequence[int]] = listed["headed_sections"]
        self.titled_sections: Mapping[Any, Sequence[int]] = listed["titled_sections"]
        """The sections that have each word in their own heading; a page's title is not a section's
        heading."""
        self.lead_ins: Mapping[Any, Sequence[int]] = listed["lead_ins"]
        self.other_sections: Mapping[Any, Sequence[int]] = listed["other_sections"]
        """The sections that have each word in a block that is not searched."""
        self.content_words = language.content_words
        self._stems = language.stems
        self._keeps_initial = language.keeps_initial
        self._stem_families: dict[str, dict[str, list[str]]] = {}
        self._partial_matches: dict[tuple[str, str], list[WordKey]] = {}

    def add_headings(self, section: int, headings: Sequence[Heading]) -> None:
        """Add the words of the headings above a section, the last of which is its own."""
        for heading in headings:
            self.add("headed_sections", section, heading_words(heading.text))
        if headings and headings[-1].level > 1:
            self.add("titled_sections", section, heading_words(headings[-1].text))

    def add_asks(self, section: int, asks: Iterable[str], *, own: bool = False) -> None:
        """Add the words of questions that a section answers, as those of a heading above it."""
        asked = dict.fromkeys(word for text in asks for word in words(text))
        for name in ("headed_sections", "titled_sections") if own else ("headed_sections",):
            self.add(name, section, asked)

    def add(self, name: str, number: int, listed_words: Iterable[str]) -> None:
        """Add words of what is no searched sentence: of headings, lead-ins, other blocks."""
        lists, sentences = self.lists[name], self.lists["sentences"]
        for word in listed_words:
            lists[word].append(number)
            sentences[word]  # a defaultdict adds the key, so that the word is stemmed

    def word(self, key: Any) -> str:  # noqa: ANN401 - a `WordKey` of this kind of postings
        """Return a word by its key."""
        return str(key)

    def key(self, word: str) -> WordKey | None:
        """Return the key of a word; None if no page has it."""
        return word if word in self.sentences else None

    def words_with_stem(self, stem: str) -> Sequence[WordKey]:
        """Return the words with a stem; for a single letter that is a word, all bigrams with it."""
        if len(stem) == 1 and is_unspaced(stem):
            return [key for key, length in self._holding(stem) if length <= _BIGRAM]
        return self._family(stem)

    def partial_matches(self, stem: str, word: str) -> list[WordKey]:
        """Return the words of another stem that contain a word or its stem, or are a part of it.

        "Sitzung" matches "Sitzungsablauf", which in turn matches "Ablauf"; "config" matches
        "configuration". In a language without compounds, the end of a query's word is not a word
        and is not looked up. That is English; here it is recognised by its stems, which keep the
        first letter of the word.
        """
        if stem in _SHORT_FORMS:
            return [key for key, _ in self._holding(f"\n{_SHORT_FORMS[stem]}")]
        if len(stem) < MIN_PREFIX or stem.isdigit():
            return []
        if (stem, word) not in self._partial_matches:
            if len(self._partial_matches) >= _KEPT_MATCHES:
                self._partial_matches.clear()
            self._partial_matches[stem, word] = self._find_partial_matches(stem, word)
        return self._partial_matches[stem, word]

    def _find_partial_matches(self, stem: str, word: str) -> list[WordKey]:
        matches = self._words_containing(stem)
        # The stem of German "prüfung" is "prufung", which no word contains.
        if not word.startswith(stem):
            matches += self._words_containing(word)
        size = min(len(stem), _LONGEST_PART)
        parts = [stem[:length] for length in range(MIN_PREFIX, size)]
        if not self._keeps_initial:
            parts += [stem[-length:] for length in range(MIN_INFIX, size)]
        for part in parts:
            matches += self._family(part)
        long_form, short_form = _LONG_FORMS.get(word[:_START], ("", ""))
        short = self.key(short_form) if short_form and word.startswith(long_form) else None
        if short is not None:
            matches.append(short)
        same_stem = self._family(stem)
        return [match for match in dict.fromkeys(matches) if match not in same_stem]

    def _words_containing(self, part: str) -> list[WordKey]:
        """Return the words that begin with a part or, if it is long enough, contain it."""
        return [key for key, _ in self._holding(part if len(part) >= MIN_INFIX else f"\n{part}")]

    def _holding(self, part: str) -> Iterator[tuple[WordKey, int]]:
        """Yield the words that contain a part, and their lengths; they begin after a line feed."""
        text, skipped = self._text, part.startswith("\n")
        place = text.find(part)
        while place >= 0:
            key, start, end = self._at(place + skipped)
            yield key, end - start
            place = text.find(part, end)

    def _at(self, place: int) -> tuple[WordKey, int, int]:
        """Return the word at a place of the text, and where it starts and ends."""
        start, end = self._text.rfind("\n", 0, place) + 1, self._text.index("\n", place)
        return self._text[start:end], start, end

    def _family(self, stem: str) -> Sequence[WordKey]:
        """Return the words with a stem; all words that begin like it are stemmed for the first.

        In a language whose stems keep the first letter, these are only words with that letter.
        """
        initial = stem[0] if self._keeps_initial else ""
        families = self._stem_families.get(initial)
        if families is None:
            families = {}
            stems = self._stems
            size = len(initial)  # a slice is half as dear as `startswith`, and every word is asked
            for word in [word for word in self.sentences if word[:size] == initial]:
                families.setdefault(stems[word], []).append(word)
            self._stem_families[initial] = families
        return families.get(stem, ())

    @cached_property
    def _text(self) -> str:
        """All words, one per line: searching this is faster than testing each word."""
        return "\n".join(("", *self.sentences, ""))
