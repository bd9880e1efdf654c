"""The words of the pages in one language, and where each stands: for `index`, which gives numbers.

Nothing is stemmed before a word that may have the same stem is asked for.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

from mkdocs_recall.text.terms import is_unspaced, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mkdocs_recall.text.language import Language
    from mkdocs_recall.text.model import Heading

HEAD = 4
"""So many letters must agree for a word to be the beginning of another …"""
TAIL = 5
"""… and so many for it to stand elsewhere in one: short words stand in many by chance."""
_PAIR = 2
_LONGEST = 40
"""No longer beginning or end of a word that is asked is looked up."""


class Postings:
    """The words of the pages in one language, and where each stands."""

    def __init__(
        self,
        language: Language,
        standing: Mapping[str, Sequence[int]] | None = None,
        headed: Mapping[str, Sequence[int]] | None = None,
        named: Mapping[str, Sequence[int]] | None = None,
        leading: Mapping[str, Sequence[int]] | None = None,
    ) -> None:
        """Take no words yet, or where all of them stand; then none can be added.

        Args:
            language: What stems and stop words are.
            standing: The sentences each word stands in, as often as it does.
            headed: The sections under whose headings, of any level, each word stands.
            named: The sections in whose own heading each word stands; the page's title is none.
            leading: The lead-ins in which each word stands.
        """
        self.known: defaultdict[str, list[int]] = defaultdict(list)
        self._headed: defaultdict[str, list[int]] = defaultdict(list)
        self._named: defaultdict[str, list[int]] = defaultdict(list)
        self._leading: defaultdict[str, list[int]] = defaultdict(list)
        self.standing: Mapping[str, Sequence[int]] = self.known if standing is None else standing
        """The sentences each word stands in, as often as it does; none for one that stands in a
        heading or a lead-in alone."""
        self.headed: Mapping[str, Sequence[int]] = self._headed if headed is None else headed
        self.named: Mapping[str, Sequence[int]] = self._named if named is None else named
        self.leading: Mapping[str, Sequence[int]] = self._leading if leading is None else leading
        self.bare = language.bare
        self._stems = language.stems
        self._keeps_initial = language.keeps_initial
        self._heading_words: dict[str, list[str]] = {}
        self._families: dict[str, dict[str, list[str]]] = {}
        self._kin: dict[tuple[str, str], list[str]] = {}

    def add_headings(self, section: int, headings: Sequence[Heading]) -> None:
        """Note the words of the headings above a section, the last of which is its own."""
        for heading in headings:
            found = self._heading_words.get(heading.text)
            if found is None:
                found = self._heading_words[heading.text] = words(heading.text)
                self._know(found)
            for word in found:
                self._headed[word].append(section)
        if headings and headings[-1].level > 1:
            for word in self._heading_words[headings[-1].text]:
                self._named[word].append(section)

    def add_lead(self, number: int, found: Iterable[str]) -> None:
        """Note the words of a lead-in."""
        for word in found:
            self._leading[word].append(number)
        self._know(found)

    def family(self, stem: str) -> list[str]:
        """Return the words with a stem; of a letter that is a word, all pairs that hold it."""
        if len(stem) == 1 and is_unspaced(stem):
            return [word for word in self.standing if stem in word and len(word) <= _PAIR]
        return self._families_like(stem).get(stem, [])

    def kin(self, stem: str, word: str) -> list[str]:
        """Return the words of another stem that hold a word or its stem, or of which it is made.

        "Sitzung" has "Sitzungsablauf", and that has "Ablauf"; "config" has "configuration". Where
        words are not put together (English, here known by the stem's first letter, which stays),
        the end of what is asked is no word.
        """
        if len(stem) < HEAD or stem.isdigit():
            return []
        if (stem, word) not in self._kin:
            self._kin[stem, word] = self._find_kin(stem, word)
        return self._kin[stem, word]

    def _find_kin(self, stem: str, word: str) -> list[str]:
        found = self._holding(stem)
        if not word.startswith(
            stem
        ):  # German "prüfung" has the stem "prufung", which stands nowhere
            found += self._holding(word)
        families = self._families_like(stem)
        size = min(len(stem), _LONGEST)
        parts = [stem[:length] for length in range(HEAD, size)]
        if not self._keeps_initial:
            parts += [stem[-length:] for length in range(TAIL, size)]
        for part in parts:
            found += families.get(part, ())
        own = families.get(stem, ())
        return [word for word in dict.fromkeys(found) if word not in own]

    def _holding(self, part: str) -> list[str]:
        """Return the words that begin with a part; if that is long enough, all that hold it."""
        found: list[str] = []
        text = self._text
        at = text.find(part)
        while at >= 0:
            start, end = text.rfind("\n", 0, at) + 1, text.index("\n", at)
            if start == at or len(part) >= TAIL:
                found.append(text[start:end])
            at = text.find(part, end)
        return found

    def _families_like(self, stem: str) -> dict[str, list[str]]:
        """Return the words by stem, of all stems that may be this one or begin like it.

        Words are stemmed when one that may have the same stem is asked for: those with the same
        first letter, in a language where a stem keeps it.
        """
        initial = stem[0] if self._keeps_initial else ""
        families = self._families.get(initial)
        if families is None:
            families = {}
            stems = self._stems
            for word in [w for w in self.standing if not initial or w[0] == initial]:
                families.setdefault(stems[word], []).append(word)
            self._families[initial] = families
        return families

    @cached_property
    def _text(self) -> str:
        """All words, each on a line: to search this is faster than to look at each word."""
        return "\n".join(("", *self.standing, ""))

    def _know(self, found: Iterable[str]) -> None:
        """Have words among those that are stemmed, also if they stand in no sentence."""
        for word in found:
            self.known[word]
