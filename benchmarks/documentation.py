"""The pages that are measured: made up from a seed, or real ones from a folder.

A made-up page depends on the seed and its number alone, so that a small site is the beginning of a
large one, and so is a measurement of it.
"""

from __future__ import annotations

import posixpath
import random
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks import vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

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
_HEADING = re.compile(r"^#{1,4}[ \t]+(\S.*)$", re.MULTILINE)
_NO_WORDS = re.compile(r"\{[^}]*\}|<[^>]*>|\]\([^)]*\)")
"""Attributes, tags and the targets of links."""
_WORD = re.compile(r"[^\W\d_][\w'-]+")


@dataclass(frozen=True, slots=True)
class Page:
    """A page of documentation."""

    uri: str
    """Its path from the documentation's root."""
    markdown: str

    def headings(self) -> list[list[str]]:
        """Return the words of each heading that has at least two, in lower case."""
        texts = [_NO_WORDS.sub(" ", text) for text in _HEADING.findall(self.markdown)]
        found = [_WORD.findall(text.lower()) for text in texts]
        return [words for words in found if len(words) > 1]


def made_up(count: int, *, seed: int) -> Iterator[Page]:
    """Yield pages of documentation that nobody wrote."""
    return (made_up_page(number, seed=seed) for number in range(count))


def made_up_page(number: int, *, seed: int, size: int = 0) -> Page:
    """Return one of them.

    Args:
        number: Which, from 0, the home page.
        seed: Of which documentation.
        size: Bytes of its Markdown at least; 0 for one as large as pages are.
    """
    rng = random.Random(f"{seed}/{number}")
    wanted = size or round(SMALLEST * (LARGEST / SMALLEST) ** rng.random())
    return Page(_uri(number), _Writer(rng, number).page(wanted))


def real(folder: Path, count: int, *, seed: int) -> Iterator[Page]:
    """Yield pages of a folder, drawn at random, by path; all of them if there are not enough.

    Raises:
        FileNotFoundError: There is no Markdown in the folder.
    """
    paths = sorted(path for path in folder.rglob("*.md") if _is_built(path, folder))
    if not paths:
        raise FileNotFoundError(folder)
    if count < len(paths):
        paths = sorted(random.Random(seed).sample(paths, count))
    for path in paths:
        text = path.read_text(encoding="utf-8", errors="replace")
        yield Page(path.relative_to(folder).as_posix(), text)


def _is_built(path: Path, folder: Path) -> bool:
    """Tell whether MkDocs makes a page of a file."""
    parts = path.relative_to(folder).parts
    hidden = parts[0] == "templates" or any(part.startswith(".") for part in parts)
    doubled = path.name == "README.md" and path.with_name("index.md").is_file()
    return path.is_file() and not hidden and not doubled


def _uri(number: int) -> str:
    return f"part-{number // _FOLDER:03}/page-{number:05}.md" if number else "index.md"


class _Writer:
    """Writes one page."""

    def __init__(self, rng: random.Random, number: int) -> None:
        self._rng = rng
        self._number = number
        self._topic = rng.sample(vocabulary.content_words(), _TOPIC_WORDS)

    def page(self, size: int) -> str:
        """Return sections until there is enough."""
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
        return [
            mine if self._rng.random() < _TOPICAL else common
            for mine, common in zip(topical, vocabulary.draw(self._rng, count), strict=True)
        ]

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
        """Return a link to a page before this one, which is there in the smallest site, too."""
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
