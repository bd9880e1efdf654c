"""Postings: the words of the pages in one language, where each occurs, and their statistics.

Words are stemmed only when a query has a word that may have the same stem. What scores need to know
about all pages are sums over the shards of an index. A shard sees no other one, but its scores are
those of one index over all pages, because these sums are passed in as `Statistics`. Links stay
within a site, so they are counted where a shard is merged.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple, TypeAlias
from unicodedata import normalize

from msgspec import Struct

from mkdocs_recall.index.query import Term, heading_words
from mkdocs_recall.text.language import Language
from mkdocs_recall.text.model import Heading
from mkdocs_recall.text.sentences import is_unspaced, words

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
"""Short forms that programmers write in any language, with the beginnings of the long ones, which
they are too short for, or too unlike, to match."""
_START: Final = 4
_LONG_FORMS: Final = {long[:_START]: (long, short) for short, long in _SHORT_FORMS.items()}
"""The short forms by the first letters of the long ones."""
_BIGRAM: Final = 2
_LONGEST_PART: Final = 40
"""Longer beginnings and ends of a query's word are not looked up, so a word of a million letters
costs no more than one of forty."""
_KEPT_MATCHES: Final = 1024

_ACCENTS: Final = {n: ord(normalize("NFD", chr(n))[0]) for n in range(0xC0, 0x180)}
_LONG: Final = 6
"""The letters from which on a word resembles few others by chance."""

PLACES: Final = {
    "sentences": "sentences",
    "headed_sections": "sections",
    "titled_sections": "sections",
    "lead_ins": "lead_ins",
    "code_sentences": "sentences",
}
"""The lists of `Postings` by attribute, and what their numbers count."""

WordKey: TypeAlias = "str | int"
"""A word, or its number if words are numbered."""


class Postings:
    """The words of the pages in one language, and where each occurs."""

    def __init__(
        self, language: Language, places: Mapping[str, Mapping[Any, Sequence[int]]] | None = None
    ) -> None:
        """Start without words, or with the occurrences of all, by `PLACES`."""
        self.lists = {name: defaultdict[str, list[int]](list) for name in PLACES}
        """The lists to which `index` appends while reading the pages."""
        lists = places or self.lists
        self.sentences: Mapping[Any, Sequence[int]] = lists["sentences"]
        """The sentences in which each word occurs, once per occurrence. Its keys are all words: one
        that occurs only in headings or lead-ins has an empty list."""
        self.headed_sections: Mapping[Any, Sequence[int]] = lists["headed_sections"]
        self.titled_sections: Mapping[Any, Sequence[int]] = lists["titled_sections"]
        """The sections that have each word in their own heading, which a page's title is not."""
        self.lead_ins: Mapping[Any, Sequence[int]] = lists["lead_ins"]
        self.code_sentences: Mapping[Any, Sequence[int]] = lists["code_sentences"]
        """The sentences with each word in an unsearched block below them."""
        self.content_words = language.content_words
        self._stems = language.stems
        self._keeps_initial = language.keeps_initial
        self._stem_families: dict[str, dict[str, list[str]]] = {}
        self._partial_matches: dict[tuple[str, str], list[WordKey]] = {}

    def add_headings(self, section: int, headings: Sequence[Heading], least: int = 2) -> None:
        """Add the words of headings; the last is the section's own, from level `least` on."""
        for heading in headings:
            self.add("headed_sections", section, heading_words(heading.text))
        if headings and headings[-1].level >= least:
            self.add("titled_sections", section, heading_words(headings[-1].text))

    def add_asks(self, section: int, asks: Iterable[str], *, own: bool = False) -> None:
        """Add the questions that a section answers, like headings above."""
        question_words = dict.fromkeys(word for text in asks for word in words(text))
        for name in ("headed_sections", "titled_sections") if own else ("headed_sections",):
            self.add(name, section, question_words)

    def add(self, name: str, number: int, listed_words: Iterable[str]) -> None:
        """Add words of headings, lead-ins, or other blocks."""
        lists, sentences = self.lists[name], self.lists["sentences"]
        for word in listed_words:
            lists[word].append(number)
            sentences[word]  # the defaultdict adds the key, so the word is stemmed

    def word(self, key: Any) -> str:  # a `WordKey` of this kind of postings
        """Return a word by its key."""
        return str(key)

    def key(self, word: str) -> WordKey | None:
        """Return the key of a word; None if no page has it."""
        return word if word in self.sentences else None

    def words_with_stem(self, stem: str) -> Sequence[WordKey]:
        """Return the words with a stem; for a letter that is a word, its bigrams."""
        if len(stem) == 1 and is_unspaced(stem):
            return [key for key, length in self._holding(stem) if length <= _BIGRAM]
        key = None if not stem or self.content_words[stem] else self.key(stem)  # of a stop word
        family = self._family(stem) if stem else ()
        return family if key is None else [key, *family]

    def partial_matches(self, stem: str, word: str) -> list[WordKey]:
        """Return the words of another stem that contain a word or its stem, or are part of it.

        "Sitzung" matches "Sitzungsablauf", which in turn matches "Ablauf". In a language without
        compounds, the end of a query's word is not a word and is not looked up. That is English,
        which is recognised by its stems: they keep a word's first letter.
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

    def words_near(self, word: str) -> Iterator[tuple[bool, WordKey]]:
        """Yield the words that differ from a folded one in accents or, as True says, by a slip.

        A slip is an extra or missing letter, or two swapped ones, after the first letter of a long
        word. A different letter makes a different word, and a different digit another code.
        """
        plain = word.translate(_ACCENTS)
        slips = range(1, len(plain) + 1) if len(plain) >= _LONG and plain.isalpha() else ()
        halves = [(plain[:n], plain[n:]) for n in slips]
        forms = (f"{start}(?:.{end}|{end[1:]}|{end[1::-1]}{end[2:]})" for start, end in halves)
        for match in re.finditer(rf"\n(?:{'|'.join((plain, *forms))})(?=\n)", self._plain_text):
            yield match[0][1:] != plain, self._at(match.start() + 1)[0]

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

    def words_with(self, part: str) -> Iterator[str]:
        """Yield the words that contain a long part."""
        holding = self._holding(part) if len(part) >= MIN_INFIX else ()
        return (self.word(key) for key, _ in holding)

    def _words_containing(self, part: str) -> list[WordKey]:
        return [key for key, _ in self._holding(part if len(part) >= MIN_INFIX else f"\n{part}")]

    def _holding(self, part: str) -> Iterator[tuple[WordKey, int]]:
        text, skipped = self._text, part.startswith("\n")
        place = text.find(part)
        while place >= 0:
            key, start, end = self._at(place + skipped)
            yield key, end - start
            place = text.find(part, end)

    def _at(self, place: int) -> tuple[WordKey, int, int]:
        start = self._text.rfind("\n", 0, place) + 1
        end = self._text.index("\n", place)
        return self._text[start:end], start, end

    def _family(self, stem: str) -> Sequence[WordKey]:
        # If stems keep the first letter, only words with that letter are stemmed.
        initial = stem[0] if self._keeps_initial else ""
        families = self._stem_families.get(initial)
        if families is None:
            families = {}
            stems = self._stems
            size = len(initial)  # half the cost of `startswith`, for every word
            for word in [word for word in self.sentences if word[:size] == initial]:
                families.setdefault(stems[word], []).append(word)
            self._stem_families[initial] = families
        return families.get(stem, ())

    @cached_property
    def _text(self) -> str:
        """All words, one per line: faster to search than word by word."""
        return "\n".join(("", *self.sentences, ""))

    @cached_property
    def _plain_text(self) -> str:
        return self._text.translate(_ACCENTS)


IDF_SMOOTHING: Final = 0.5
"""Added to both counts in `inverse_document_frequency`: Robertson & Zaragoza (2009), "The
Probabilistic Relevance Framework: BM25 and Beyond", as in the Robertson–Spärck Jones weight."""


def inverse_document_frequency(holders: int, documents: int) -> float:
    """Return `ln(1 + (N - n + .5) / (n + .5))`, for a term that occurs in n of N documents.

    Robertson & Zaragoza (2009), with the 1 that keeps it greater than 0.
    """
    without_term = documents - holders
    return math.log(1 + (without_term + IDF_SMOOTHING) / (holders + IDF_SMOOTHING))


class Totals(Struct, frozen=True):
    """The counts and lengths of the content of shards; see `Sections`."""

    sentences: int = 0
    sections: int = 0
    words: int = 0
    """The words of all sentences, without stop words."""
    text_words: int = 0
    own_words: int = 0
    """The words of own headings, titles included."""
    above_words: int = 0
    languages: dict[str, int] = {}
    """The number of pages in each language."""

    @classmethod
    def sum(cls, totals: Iterable[Totals]) -> Totals:
        """Add up totals, with languages in page order."""
        shards = list(totals)
        languages = Counter[str]()
        for shard in shards:
            languages.update(shard.languages)
        names = (name for name in cls.__struct_fields__ if name != "languages")
        sums: dict[str, Any] = {name: sum(getattr(part, name) for part in shards) for name in names}
        return cls(**sums, languages=languages)

    @property
    def pages(self) -> int:
        """The number of pages."""
        return sum(self.languages.values())

    @property
    def by_frequency(self) -> tuple[str, ...]:
        """The languages, the most frequent first; English without pages."""
        return tuple(code for code, _ in Counter(self.languages).most_common()) or ("en",)

    @property
    def average_length(self) -> float:
        """The mean number of words of a sentence; 1 without words."""
        return self.words / max(1, self.sentences) or 1.0

    @property
    def field_averages(self) -> tuple[float, float, float]:
        """The mean lengths of the text, own heading and other headings of a section."""
        lengths = self.text_words, self.own_words, self.above_words
        text, heading, above = (length / max(1, self.sections) or 1.0 for length in lengths)
        return text, heading, above


class TermCount(NamedTuple):
    """How many sentences, and sections, hold a term as a whole word."""

    sentences: int
    sections: int
    """0 if they were not counted."""


class Statistics(Struct, frozen=True):
    """What the scores of a query need to know about all shards."""

    totals: Totals
    terms: tuple[Term, ...]
    counts: Sequence[TermCount]
    """The counts of each term."""

    @property
    def sentence_weights(self) -> list[float]:
        """The inverse document frequency of each term over sentences."""
        total = self.totals.sentences
        return [inverse_document_frequency(count.sentences, total) for count in self.counts]

    @property
    def section_weights(self) -> list[float]:
        """The weight of each term over sections."""
        return [
            term.weight * inverse_document_frequency(count.sections, self.totals.sections)
            for term, count in zip(self.terms, self.counts, strict=True)
        ]

    @property
    def known(self) -> float:
        """The share of the query, by weight, that sections have; 1 without terms."""
        weights = self.section_weights
        pairs = zip(weights, self.counts, strict=True)
        known_weight = math.fsum(weight for weight, count in pairs if count.sections)
        return known_weight / (math.fsum(weights) or 1.0) or 1.0
