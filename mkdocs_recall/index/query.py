"""The terms of a query, and the parts of pages that are searched for them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain, islice, pairwise
from typing import Final, NamedTuple
from zlib import crc32

from msgspec import Struct

from mkdocs_recall.options import DEFAULT_UNITS, UNITS
from mkdocs_recall.text.language import get_language, rules_of, shared_words
from mkdocs_recall.text.model import Block, Document, Heading, Kind, lead_ins
from mkdocs_recall.text.sentences import NAME, apart, plain_words, words


class Part(Struct, frozen=True):
    """A page with its searched blocks."""

    document: Document
    blocks: tuple[Block, ...]
    others: tuple[Block, ...] = ()
    """The other blocks, such as code: their words count for sections."""


def part_of(
    document: Document,
    *,
    anchors: Sequence[str] = (),
    sections: int = 0,
    units: Collection[Kind] = UNITS,
    count_headings: bool = False,
) -> Part:
    """Return the blocks of a page under some headings, and of the first top-level blocks there.

    Without anchors it is the whole page; `sections` is the number of top-level blocks, 0 for all;
    as in embedm, a heading may be one. The title of a tab may stand for its code.
    """
    in_scope = document.blocks
    if anchors:
        anchor_set = set(anchors)
        in_scope = tuple(b for b in in_scope if any(h.anchor in anchor_set for h in b.headings))
    blocks = tuple(
        block
        for block in in_scope
        if block.kind in units
        or (block.kind == "tab" and "code" not in units and _opens_code(document, block))
    )
    if {*units} == {*DEFAULT_UNITS}:
        blocks = _with_code_alone(in_scope, blocks)
    if sections and blocks:
        headings = dict.fromkeys((block.top for block in blocks), 0)
        if count_headings:
            above = in_scope[0].section - 1 if anchors else 0
            headings |= {block.top: block.section - above for block in reversed(blocks)}
        tops = [top for n, top in enumerate(sorted(headings)) if n + headings[top] < sections]
        last = tops[-1] if tops else -1
        blocks = tuple(block for block in blocks if block.top <= last)
        in_scope = tuple(block for block in in_scope if block.top <= last)
    searched = {block.number for block in blocks}
    others = tuple(block for block in in_scope if block.number not in searched)
    return Part(document, blocks, others)


def _with_code_alone(in_scope: Sequence[Block], blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """Return blocks, with the first code of each section without quotable ones."""
    # If an author names no units, code alone below a heading is its content.
    lone_code: dict[int, Block] = {}
    for block in in_scope:
        if block.kind == "code":
            lone_code.setdefault(block.section, block)
    for block in blocks if lone_code else ():
        if block.section in lone_code and any(sentence.quotable for sentence in block.sentences):
            del lone_code[block.section]
    if not lone_code:
        return blocks
    numbers = {block.number for block in (*blocks, *lone_code.values())}
    return tuple(block for block in in_scope if block.number in numbers)


def _opens_code(document: Document, tab: Block) -> bool:
    following = islice(document.blocks, tab.number + 1, tab.number + 3)
    first = next((block for block in following if block.kind != "label"), None)
    return first is not None and first.kind == "code" and tab in lead_ins(document.blocks, first)


def headings_of(document: Document, block: Block) -> Sequence[Heading]:
    """Return the headings above a block, from the page's title on."""
    headings = block.headings
    if document.title and (not headings or headings[0].level > 1):
        return (Heading(document.title, 1, ""), *headings)
    return headings


def asks_of(document: Document, block: Block) -> tuple[list[str], list[str]]:
    """Return the questions that a page answers, and those of a block's section."""
    anchor = block.headings[-1].anchor if block.headings else ""
    of_page = [text for name, text in document.asks if not name]
    return of_page, [text for name, text in document.asks if name and name == anchor]


QUESTION_WORD_WEIGHT = 0.5
"""The weight of a word that only asks; others have 1. From SQuAD 2 and XQuAD."""


@cache
def _listed(code: str, name: str) -> frozenset[str]:
    """Return a named list of words of a language, for queries.

    `asking` words put a question but are not stop words: "How *can* I *use* a token?". `degrees`
    ask for a number after a word of `how`. `joining` words are between two things that a query asks
    for.
    """
    return frozenset(rules_of(code).get(name, "").split())


_QUOTED = (
    r"\"([^\"]+)\"|`([^`]+)`|[“„]([^“”„]+)[”“]|«([^«»]+)»|»([^«»]+)«|「([^「」]+)」|『([^『』]+)』"
)
"""A text between a pair of quotation marks."""
_JOINED = r"(?<![^\W_])[^\W_]+(?:[._]+[^\W_]+)+"
"""Words joined by underscores or dots; see `_is_name`."""
_A_NAME = f"(?P<name>{NAME}|{_JOINED})"
_NAME = re.compile(_A_NAME)
_QUOTED_OR_NAME = re.compile(f"{_QUOTED}|{_A_NAME}")
_HUMPS = re.compile(r"\b(?:[A-Z][a-z0-9]+){3,}\b|\b[a-z]+(?:[A-Z][a-z0-9]+){2,}\b")
"""A name of three parts in camel case; "GitHub" is a brand."""


class Term(NamedTuple):
    """One word of a query, with the stem it has in each language of the pages."""

    word: str
    """The word as written, folded."""
    stems: tuple[tuple[str, str], ...]
    """Language codes with the stem; none for languages in which it is a stop word."""
    weight: float = 1.0
    """Its weight relative to equally rare words: less than 1 if it only asks."""
    joined: tuple[tuple[str, str], ...] = ()
    """Such pairs of its compound with the word beside it: "setup" for "set up"."""

    @property
    def is_stop_word(self) -> bool:
        """Whether it is a stop word, which only headings can match."""
        return not any(get_language(code).stems[self.word] for code, _ in self.stems)


def query_terms(text: str, languages: Sequence[str]) -> tuple[Term, ...]:
    """Return the terms of a query without stop words, each once, in order."""
    return _terms(text, tuple(languages))


@lru_cache(maxsize=16)  # scorers call this again
def _terms(text: str, languages: tuple[str, ...]) -> tuple[Term, ...]:
    every_word = words(without_question(text, languages))
    query_words = list(dict.fromkeys(every_word))
    by_code = {language.code: language for language in map(get_language, languages)}
    # A query is in one language: most likely the one with the most of its stop words.
    spoken = max(by_code.values(), key=lambda lang: len(lang.stop_words.intersection(query_words)))
    degrees = _degrees(every_word, spoken.code)
    query_words = [
        word for word in query_words if word not in spoken.stop_words and word not in degrees
    ] or query_words
    asking = _listed(spoken.code, "asking")
    if asks_for_change(text):
        asking |= shared_words("when")
    terms: dict[tuple[tuple[str, str], ...], Term] = {}
    lone_word = every_word[0] if len(every_word) == 1 else ""  # headings include stop words
    for word in query_words:
        pairs = ((code, lang.stems[word] or lone_word) for code, lang in by_code.items())
        if stems := tuple(pair for pair in pairs if pair[1]):
            weight = QUESTION_WORD_WEIGHT if word in asking else 1.0
            terms.setdefault(stems, Term(word, stems, weight))
    return tuple(terms.values())


def without_question(text: str, languages: Sequence[str]) -> str:
    """Return a query, or a heading, without its question part: "使えますか" is "使え".

    This is for scripts that do not separate words; elsewhere, these are stop words.
    """
    for code in languages:
        if asking := "" if text.isascii() else _asking_phrases(get_language(code).code):
            text = re.sub(asking, " ", text).strip() or text
    return text


@cache
def _asking_phrases(code: str) -> str:
    is_unspaced = not get_language(code).stop_words
    return "".join(rules_of(code).get("questions", "").split("\n  ")) if is_unspaced else ""


@lru_cache(maxsize=16)  # called by each shard and its scorer
def joined_terms(text: str, terms: tuple[Term, ...]) -> tuple[Term, ...]:
    """Return the terms with their compounds with adjacent words."""
    term_stems = {*chain.from_iterable(term.stems for term in terms)}
    in_order = words(text)
    pairs = [pair for pair in pairwise(in_order) if len(min(pair, key=len)) > 1]  # no "a part"
    off = turned_off(text)

    def joined(term: Term) -> Iterator[tuple[str, str]]:
        flags = [f"--no-{word}" for word in in_order] if term.word in off else ()
        for code, _ in term.stems:
            beside = ("".join(pair) for pair in pairs if term.word in pair)
            stems = map(get_language(code).stems.__getitem__, (*beside, *flags))
            alike = _alike(code).get(off.get(term.word, term.word), ())
            compounds = ((code, stem) for stem in (*stems, *alike) if stem)
            yield from (pair for pair in compounds if pair not in term_stems)

    return tuple(term._replace(joined=tuple(joined(term))) for term in terms)


@cache
def _alike(code: str) -> Mapping[str, Sequence[str]]:
    """Return the stems of synonyms of words: "dropped", "removed"."""
    stems = get_language(code).stems
    groups = (_OFF, shared_words("removed"), shared_words("added") | shared_words("new"))
    by_group = [(group, sorted({*map(stems.__getitem__, group)})) for group in groups]
    return {word: group_stems for group, group_stems in by_group for word in group}


_OFF: Final = shared_words("off")


def turned_off(text: str) -> Mapping[str, str]:
    """Return the query's words for turning something off: `turn`, `turn+off`."""
    query_words = {*words(text)}
    return {off.partition("+")[0]: off for off in _OFF if query_words.issuperset(off.split("+"))}


def _degrees(query_words: Sequence[str], code: str) -> set[str]:
    """Return the words that ask for a number: "many" of "how many"."""
    how, degrees = _listed(code, "how"), _listed(code, "degrees")
    return {word for before, word in pairwise(query_words) if before in how and word in degrees}


def counted_words(text: str, languages: Sequence[str]) -> frozenset[str]:
    """Return what a query counts: "days" of "for how many days"."""
    query_words = words(text)
    return frozenset(
        counted
        for how, degree, counted in zip(query_words, query_words[1:], query_words[2:], strict=False)
        if any(degree in _degrees((how, degree), get_language(code).code) for code in languages)
    )


def asks_for_value(text: str, languages: Sequence[str]) -> bool:
    """Tell whether a query asks for a value: "how many", "which port", "the default of"."""
    query_words = words(text)
    codes = {get_language(code).code for code in languages}
    return any(
        _degrees(query_words, code) or not _listed(code, "measures").isdisjoint(query_words)
        for code in codes
    )


def asks_for_change(text: str) -> bool:
    """Tell whether a query asks when something changed: "when was it removed"."""
    changed = shared_words("removed") | shared_words("added")
    query_words = words(text)
    return not (changed.isdisjoint(query_words) or shared_words("when").isdisjoint(query_words))


def has_parts(text: str, languages: Sequence[str]) -> bool:
    """Tell whether a query may ask for two things: it has a comma, an "and" or an "or"."""
    query_words = words(text)
    codes = {get_language(code).code for code in languages}
    return "," in text or any(not _listed(c, "joining").isdisjoint(query_words) for c in codes)


def compared(text: str, languages: Sequence[str]) -> tuple[str, ...]:
    """Return the two things that a query compares, "A" and "B" of "A vs B"; else nothing."""
    joining = r"vs\.?|versus"
    for code in (get_language(code).code for code in languages):
        between = rules_of(code).get("between")
        if between and (match := re.search(rf"(?i)\b{between}\s", text)):
            text = text[match.end() :]
            joining = "|".join(_listed(code, "joining"))
            break
    sides = re.split(rf"(?i)\s(?:{joining})\s", text, maxsplit=1)
    return tuple(sides) if len(sides) > 1 and all(map(str.strip, sides)) else ()


@lru_cache(maxsize=16)  # called for candidates, phrases and doubts
def names_in(text: str) -> Mapping[tuple[str, ...], str]:
    """Return the names that a query writes like code, by their words.

    Examples are `index.refresh_interval`, `NO_PROXY`, `NotAllowedByPolicy`, `C++`, `--force`, `&&`.
    """
    written = (match[0] for match in _NAME.finditer(apart(text)))
    names = (*filter(_is_name, written), *_HUMPS.findall(text))
    return {tuple(words(name)): name for name in names}


heading_words = lru_cache(maxsize=256)(words)
"""Returns the words of a heading, with stop words: for several lists, and several sections."""


def subject_words(text: str, code: str) -> frozenset[str]:
    """Return the words of a heading that name something, or else all but stop words."""
    language = get_language(code)
    content = frozenset(plain_words(without_question(text, [code]), language))
    return content - _listed(language.code, "asking") or content


LONGEST_HEADING: Final = 20
"""No query holds a longer heading verbatim."""


def heading_checksum(in_order: Sequence[str]) -> int:
    """Return a number by which a heading's words are found in a query."""
    return crc32(" ".join(in_order).encode("utf-8", "replace"))


@lru_cache(maxsize=4)  # called by each shard
def checksums_within(text: str) -> frozenset[int]:
    """Return `heading_checksum` of all possible headings that a query holds verbatim."""
    query_words = words(text)
    return frozenset(
        heading_checksum(query_words[start:end])
        for start in range(len(query_words))
        for end in range(start + 1, min(start + LONGEST_HEADING, len(query_words)) + 1)
    )


def _is_name(text: str) -> bool:
    """Tell whether joined words are a name, and not "3.10.1" or the file "config.json"."""
    is_joined = "_" in text or text.count(".") > 1 or not (text[0].isalnum() and text[-1].isalnum())
    return is_joined and (any(map(str.isalpha, text)) or not any(map(str.isdigit, text)))


@lru_cache(maxsize=4)  # called by each shard
def quoted_phrases(text: str) -> tuple[tuple[str, ...], ...]:
    """Return the folded words of each text in quotation marks or backticks, in the query's order.

    A name such as `NO_PROXY` or `a.query.size` is one as well: "no" alone would be dropped, and a
    longer name has the same words.
    """
    texts = (
        next(filter(None, match.groups()))
        for match in _QUOTED_OR_NAME.finditer(apart(text))
        if match.lastgroup != "name" or _is_name(match[0])
    )
    return tuple(filter(None, dict.fromkeys(tuple(words(phrase)) for phrase in texts)))
