"""The measured pages: made-up, constant ones, or real ones from a folder.

A made-up page depends only on its number, so a small site is the beginning of a large one. A few of
its words are very common, most are rare, as in any text.
"""

from __future__ import annotations

import posixpath
import random
import re
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SEED = 1
SMALLEST, LARGEST = 2_000, 30_000
"""Bytes of a page's Markdown; their logarithms are evenly spread. The average page has 11 KB."""
_FOLDER = 50  # pages
# How much prose, code and links there are is about what 1,000 pages of real documentation have.
_TOPIC_WORDS = 24  # those that a page is about
_TOPICAL = 0.15  # how many of its words are of these
_SENTENCE = (13, 6)  # words: mean and standard deviation
_COMMA = 0.06  # of the words of a sentence
_MARKS = ((0.4, "`{}`"), (0.15, "**{}**"), (0.05, "*{}*"), (0.25, "[{}]({link})"))
"""How many of the sentences have such a word in them."""
_BLOCKS = {"paragraph": 35, "bullets": 15, "code": 28, "table": 9, "admonition": 7}
"""How often each kind of block follows the first paragraph of a section."""
_CODE = {
    "python": "{} = {}.{}({}, {!r})",
    "yaml": "{}: {}-{}  # {} {}",
    "sh": "{} {} --{} {}/{}",
    "text": "{} {} {}: {} {}",
}
"""A line of each language."""
_FUNCTION_WORDS = """
    the of and to a in is for that it as with be on by this are or from an at which you not can
    will when if has but all your one more their was its may no they have should each only other
    than into so then there do any some must before after also use how what where
""".split()
"""The most frequent words, in this order: they are nearly half of a text, and stop words."""
_CONTENT_WORDS = 20_000  # the others; real documentation of 1,000 pages has about as many
_SHIFT = 2.7  # Mandelbrot's form of Zipf's law: a word's frequency is 1/(rank + 2.7)
_JITTER = 6  # letters: short words are frequent, but not all, and not only they
_ONSETS = "b c d f g h l m n p r s t v br ch cl cr dr fl gr pl pr sc st tr".split()
_VOWELS = "a e i o u ea ou".split()
_CODAS = [*[""] * 5, *"n r l t s m ck nd st".split()]
_ENDINGS = [*[""] * 6, "s", "s", *"ing ed er ation al ly able ment".split()]
"""Endings that give words a common stem."""
_HEADING = re.compile(r"^#{1,4}[ \t]+(\S.*)$", re.MULTILINE)
_NO_WORDS = re.compile(r"\{[^}]*\}|<[^>]*>|\]\([^)]*\)")
"""Attributes, tags and the targets of links."""
_WORD = re.compile(r"[^\W\d_][\w'-]+")


@dataclass(frozen=True, slots=True)
class Page:
    """A page of documentation."""

    uri: str  # its path from the documentation's root
    markdown: str

    def headings(self) -> list[list[str]]:
        """Return the words of each heading that has at least two, in lower case."""
        texts = [_NO_WORDS.sub(" ", text) for text in _HEADING.findall(self.markdown)]
        found = [_WORD.findall(text.lower()) for text in texts]
        return [words for words in found if len(words) > 1]


def pages(count: int, folder: Path | None = None) -> Iterator[Page]:
    """Yield made-up pages, or those of a folder: drawn at random, or all if there are not enough.

    Raises:
        FileNotFoundError: There is no Markdown in the folder.
    """
    if folder is None:
        yield from map(_made_up, range(count))
        return
    paths = [path for path in sorted(folder.rglob("*.md")) if _is_built(path, folder)]
    if not paths:
        raise FileNotFoundError(folder)
    for path in sorted(random.Random(SEED).sample(paths, min(count, len(paths)))):
        text = path.read_text(encoding="utf-8", errors="replace")
        yield Page(path.relative_to(folder).as_posix(), text)


def _is_built(path: Path, folder: Path) -> bool:
    """Tell whether MkDocs makes a page from a file."""
    hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
    doubled = path.name == "README.md" and path.with_name("index.md").is_file()
    return not hidden and not doubled


def _uri(number: int) -> str:
    return f"part-{number // _FOLDER:03}/page-{number:05}.md" if number else "index.md"


def _made_up(number: int) -> Page:
    rng = random.Random(f"{SEED}/{number}")
    size = round(SMALLEST * (LARGEST / SMALLEST) ** rng.random())
    return Page(_uri(number), _Writer(rng, number).page(size))


@cache
def _vocabulary() -> tuple[tuple[str, ...], tuple[float, ...]]:
    """Return words, the most frequent first, and the sums of their frequencies up to each."""
    rng = random.Random("vocabulary")
    found: dict[str, None] = {}
    while len(found) < _CONTENT_WORDS:
        syllables = (
            rng.choice(_ONSETS) + rng.choice(_VOWELS) + rng.choice(_CODAS)
            for _ in range(rng.choice((1, 2, 2, 2, 3)))
        )
        found["".join(syllables) + rng.choice(_ENDINGS)] = None
    ordered = sorted(found, key=lambda word: len(word) + _JITTER * rng.random())
    words = tuple(dict.fromkeys((*_FUNCTION_WORDS, *ordered)))
    return words, tuple(accumulate(1 / (rank + _SHIFT) for rank in range(1, len(words) + 1)))


class _Writer:
    """Writes one page."""

    def __init__(self, rng: random.Random, number: int) -> None:
        self._rng = rng
        self._number = number
        content_words = _vocabulary()[0][len(_FUNCTION_WORDS) :]
        self._topic = rng.sample(content_words, _TOPIC_WORDS)

    def page(self, size: int) -> str:
        """Return sections up to a size."""
        blocks = [f"# {self._heading()}", self._paragraph()]
        length = sum(map(len, blocks))
        while length < size:
            section = list(self._section())
            blocks += section
            length += sum(len(block) + 2 for block in section)
        return "\n\n".join(blocks) + "\n"

    def _section(self) -> Iterator[str]:
        yield f"{'#' * self._rng.choice((2, 2, 3))} {self._heading()}"
        yield self._paragraph()
        kinds = self._rng.choices(
            list(_BLOCKS), weights=list(_BLOCKS.values()), k=self._rng.randrange(5)
        )
        for kind in kinds:
            yield getattr(self, f"_{kind}")()

    def _words(self, count: int) -> list[str]:
        topical = self._rng.choices(self._topic, k=count)
        words, frequencies = _vocabulary()
        common = self._rng.choices(words, cum_weights=frequencies, k=count)
        pairs = zip(topical, common, strict=True)
        return [one if self._rng.random() < _TOPICAL else other for one, other in pairs]

    def _heading(self) -> str:
        words = [self._rng.choice(self._topic), *self._words(self._rng.randrange(1, 6))]
        return " ".join(words).capitalize()

    def _sentence(self) -> str:
        words = self._words(min(40, max(4, round(self._rng.gauss(*_SENTENCE)))))
        for share, mark in _MARKS:
            if self._rng.random() < share:
                at = self._rng.randrange(1, len(words))
                words[at] = mark.format(words[at].strip("`*"), link=self._link())
        text = " ".join(w + "," * (self._rng.random() < _COMMA) for w in words[:-1])
        return f"{text[0].upper()}{text[1:]} {words[-1]}{self._rng.choice('.' * 24 + '?')}"

    def _link(self) -> str:
        """Return a link to an earlier page, which even the smallest site has."""
        target = _uri(self._rng.randrange(max(1, self._number)))
        return posixpath.relpath(target, posixpath.dirname(_uri(self._number)) or ".")

    def _paragraph(self) -> str:
        return " ".join(self._sentence() for _ in range(self._rng.randrange(1, 5)))

    def _bullets(self) -> str:
        return "\n".join(f"- {self._sentence()}" for _ in range(self._rng.randrange(3, 8)))

    def _code(self) -> str:
        language = self._rng.choice(list(_CODE))
        lines = (_CODE[language].format(*self._words(5)) for _ in range(self._rng.randrange(2, 11)))
        return "\n".join([f"```{language}", *lines, "```"])

    def _table(self) -> str:
        rows = [self._words(3) for _ in range(self._rng.randrange(3, 9))]
        rows[1:1] = [["---"] * 3]
        return "\n".join(f"| {' | '.join(row)} |" for row in rows)

    def _admonition(self) -> str:
        return f"!!! note\n\n    {self._paragraph()}"
