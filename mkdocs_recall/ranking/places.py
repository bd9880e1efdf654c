"""The places of an answer: which may be quoted, which together, and how many.

Sentences of one section (or of one of its tabs) are one place. The first place is quoted; a second
only if it is nearly as likely to hold the answer, its heading is the query, the first lacks the
number that the query asks for, or the query asks for two things. There are more only if an author
asks for more sentences or has several queries.

Siblings are adjacent tabs, details, definitions or rows, of which a query may name one: the tab
"Windows" answers how to install it there, and the tab "Linux" does not, whatever its text says. So
if a query names a sibling, the others are no answer. A word of its title names a tab. A definition,
a row or a titled block is named only by all words of its term, first cell or title.
"""

from __future__ import annotations

import heapq
import re
from dataclasses import replace
from functools import partial
from itertools import chain, product
from typing import TYPE_CHECKING, Final, TypeAlias, cast

from msgspec import Struct

from mkdocs_recall.index.query import Term, asks_for_value, has_parts, names_in, query_terms
from mkdocs_recall.ranking.quotation import (
    WORDS,
    Quotation,
    Room,
    heads,
    is_part,
    is_title,
    label_of,
    leads_below,
    leads_in,
    quotation,
    quotation_of_place,
    reach_of,
    said,
    term_of,
    words_in,
)
from mkdocs_recall.ranking.result import place_key
from mkdocs_recall.text.language import get_language, shared_words
from mkdocs_recall.text.model import LABELS, lead_ins, section_blocks, section_range
from mkdocs_recall.text.sentences import phrases, terms, words

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

    from mkdocs_recall.index.index import Index
    from mkdocs_recall.options import ContextName, RecallOptions
    from mkdocs_recall.ranking.result import Passage
    from mkdocs_recall.text.model import Block, Document, Sentence


class _Group(Struct):
    """A group of siblings."""

    numbers: list[int] = []
    named: dict[int, None] = {}
    """The siblings that a query names, in order."""
    open_tab: int | None = None
    """The tab that may be quoted if none is chosen; None if none has text."""


class Siblings:
    """The tabs and other labelled blocks that queries name."""

    def __init__(self, queries: Iterable[str], index: Index) -> None:
        self._stems = {
            stem
            for query in queries
            for term in query_terms(query, index.languages)
            if term.weight >= 1
            for stem in term.stems
        }
        self.stems = frozenset(stem for _, stem in self._stems)
        self._groups: dict[tuple[str, range], Mapping[int, _Group]] = {}

    def rival(self, document: Document, block: Block) -> str:
        """Return the sibling that the query names instead, if any."""
        for above in (block, *lead_ins(document.blocks, block)):
            group = self._groups_of(document, above).get(above.number)
            if group and group.named and above.number not in group.named:
                return _name(document.blocks[next(iter(group.named))])
        return ""

    def is_open(self, document: Document, tab: Block) -> bool:
        """Tell whether a tab may be quoted while no tab of its group is chosen.

        One with text may be: the first that the query names, or else the first. Any other block may
        be unless the query names a sibling of it.
        """
        if tab.kind != "tab":
            return not self.rival(document, tab)
        return tab.number == self._groups_of(document, tab)[tab.number].open_tab

    def _groups_of(self, document: Document, block: Block) -> Mapping[int, _Group]:
        place = document.uri, section_range(document, block)
        groups = self._groups.get(place)
        if groups is None:
            groups = self._groups[place] = self._grouped(document, section_blocks(document, block))
        return groups

    def _grouped(self, document: Document, blocks: Sequence[Block]) -> Mapping[int, _Group]:
        """Group the tabs, labels and rows of a section, in one pass: there may be thousands.

        Siblings have the same kind and lead-in; labels also the same kind of block below them, and
        rows the same headers.
        """
        alike: dict[tuple[object, ...], _Group] = {}
        groups: dict[int, _Group] = {}
        first_row, headers = 0, None
        for block in blocks:
            follows: object = ""
            if block.kind == "table":
                cells = (block.text[m.start : m.end] for m in block.marks if m.role == "header")
                row_headers = frozenset(cells)  # except those of empty cells
                if headers is None or not (row_headers <= headers or headers <= row_headers):
                    first_row, headers = block.number, row_headers
                headers |= row_headers
                follows = first_row
            else:
                headers = None
                if block.kind not in LABELS:
                    continue
                is_label = block.kind == "label"
                for below in document.blocks[block.number + 1 : block.number + 1 + is_label]:
                    follows = below.kind
            group = alike.setdefault((block.lead, block.kind, follows), _Group())
            group.numbers.append(block.number)
            if self._names(document, block):
                group.named[block.number] = None
            groups[block.number] = group
        if tabs := [group for (_, kind, _), group in alike.items() if kind == "tab"]:
            texts = (block for block in blocks if block.kind not in LABELS | {"figure"})
            lead_ins_of = (lead_ins(document.blocks, block) for block in texts)
            with_text = {above.number for chain in lead_ins_of for above in chain}
            for group in tabs:
                partly = (n for n in group.numbers if self._names(document, document.blocks[n], 2))
                group.named = group.named or dict.fromkeys(partly)
                numbers = group.named or group.numbers
                group.open_tab = next((n for n in numbers if n in with_text), None)
        return groups

    def _names(self, document: Document, block: Block, beyond: int = 0) -> bool:
        """Tell whether a query names a block: "mac" names "macOS"."""
        language = get_language(document.language)
        name = {(language.code, stem) for stem in terms(_name(block), language)}
        if block.kind == "tab":
            cuts = range(1, beyond + 1)
            more = [(c, s[:-n]) for c, s in name for n in cuts if len(s) > n + beyond]
            return not self._stems.isdisjoint([*name, *more])
        return bool(name) and name <= self._stems


def _name(block: Block) -> str:
    """Return the title, first cell or label of a block."""
    if block.kind != "table":
        return label_of(block, "strong", "code") if block.kind == "list" else block.text
    cell = next((mark for mark in block.marks if mark.role == "cell"), None)
    return "" if cell is None else block.text[cell.start : cell.end]


def entry_names(document: Document, block: Block) -> Iterator[str]:
    """Yield the names of an entry of a reference, without brackets: a cell, a term, or code.

    A line above code, such as "Upload a picture", is one. `max size` means `server.maxSize`.
    """
    names = [label for label in lead_ins(document.blocks, block) if label.kind in LABELS]
    is_name = any(mark[:3] == (0, len(block.text), "code") for mark in block.marks)
    for below in document.blocks[block.number + 1 : block.number + 2]:
        is_name |= below.kind == "code" and below.lead == block.number
    if is_name or block.kind == "table":
        names.insert(0, block)
    for entry in names:
        name = _name(entry).partition("(")[0].strip()
        last = name if " " in name else name.rpartition(".")[2]
        yield from {name: None, re.sub("(?<=[a-z])(?=[A-Z])", " ", last): None}


NOT_WHOLE = 0.9
"""What cannot be understood ranks by this share of its score."""


class Quotable:
    """The sentences that may be quoted, and what is quoted with each."""

    def __init__(
        self,
        index: Index,
        options: RecallOptions | None = None,
        *,
        hidden: Mapping[str, str] | None = None,
    ) -> None:
        self.index = index
        self.hidden = hidden or {}
        self.siblings = Siblings(
            (query.text for query in (options.query if options else ())), index
        )
        self._options = options
        self._quotations: dict[tuple[int, int], Quotation] = {}

    def fault(self, number: int) -> str:
        """Return why a sentence can never be quoted, or ""."""
        index = self.index
        if not index.is_quotable(number):
            return "it contains template syntax or leftover Markdown, or is too long"
        document, block = index.document(number), index.block(number)
        if document.uri in self.hidden:
            return self.hidden[document.uri]
        options = None if self._options and self._options.embedm else self._options
        if options and (rival := self.siblings.rival(document, block)):
            return f"the query names '{rival}', which is beside it"
        if index.is_label(number) and not self.is_whole(number):
            return "it is a title without text"
        if options and leads_below(document, index.sentences[number]):
            start = section_range(document, block).start  # maybe below a box with a heading
            goes_on = start and document.blocks[start - 1].section > block.section
            is_lost = goes_on or options.sentence_limit == 1 or not self.asks_for_section(number)
            return "it only leads to what is below it" if is_lost else ""
        return ""

    def _asked(self, number: int, texts: Iterable[str]) -> Iterator[tuple[set[str], set[str]]]:
        """Yield the stems of each text and of each query."""
        language = self.index.language_of(number)
        for text, query in product(texts, self._options.query if self._options else ()):
            asked_terms = query_terms(query.text, [language.code])
            stems = {stem for term in asked_terms if term.weight >= 1 for _, stem in term.stems}
            yield {*terms(text, language)}, stems

    def asks_for_section(self, number: int, *, in_part: bool = False) -> bool:
        """Tell whether a section's heading is all or part of a query."""
        headings = (heading.text for heading in self.index.block(number).headings[-1:])
        pairs = self._asked(number, headings)
        return any(name == query or (in_part and name and name < query) for name, query in pairs)

    def asks_for(self, number: int) -> bool:
        """Tell whether a query asks for an item or a row by its label."""
        labels = (_name(b) for b in [self.index.block(number)] if b.kind in {"list", "table"})
        return any(
            query_stems and query_stems <= label
            for label, query_stems in self._asked(number, labels)
        )

    def quotation(self, number: int, context: int = 0) -> Quotation:
        """Return a sentence's quotation with sentences on each side."""
        quoted = self._quotations.get((number, context))
        if quoted is not None:
            return quoted
        sentence, options = self.index.sentences[number], self._options
        document = self.index.document(number)
        if options is None:
            term = term_of(document, self.index.block(number))
            quoted = Quotation((*filter(None, [term]), sentence))
        else:
            is_open = partial(self.siblings.is_open, document)
            reach = reach_of(options.context)
            room = Room(document, options.units, is_open, reach, self.siblings.stems)
            quoted = quotation(room, sentence, context=context, bare=options.embedm)
        self._quotations[number, context] = quoted
        return quoted

    def is_whole(self, number: int) -> bool:
        """Tell whether a sentence's quotation can be understood."""
        return self._options is None or self.quotation(number).whole

    def ranked(
        self, values: Mapping[int, float], count: int, *, least: float = 0.0
    ) -> Iterator[int]:
        """Yield the sentences that may be quoted, by (-score, position), repetitions included.

        Those whose quotation cannot be understood rank by a lower score. Only scores above 0 count;
        about `count` are wanted.
        """
        waiting: list[tuple[float, int]] = []
        for number in ranked(values, count):
            value = values[number]
            if value <= 0 or value < least:
                break
            while waiting and -waiting[0][0] > value:
                yield heapq.heappop(waiting)[1]
            if self.fault(number):
                continue
            if self.is_whole(number):
                yield number
            else:
                heapq.heappush(waiting, (-NOT_WHOLE * value, number))
        while waiting:
            yield heapq.heappop(waiting)[1]

    def highest(self, values: Mapping[int, float]) -> float:
        """Return the highest score of a sentence that may be quoted."""
        return next((values[n] for n in ranked(values, 1) if not self.fault(n)), 0.0)

    def places(
        self, number: int, quotation: Quotation | None = None
    ) -> Iterator[tuple[str, int, int]]:
        """Yield the place of each sentence in a quotation, or of one."""
        uri = self.index.document(number).uri
        for sentence in quotation.sentences if quotation else [self.index.sentences[number]]:
            yield uri, sentence.block, sentence.start


def ranked(values: Mapping[int, float], count: int) -> Iterator[int]:
    """Yield sentence numbers by (-score, position), sorting only as far as needed."""
    highest = heapq.nlargest(count * 2 + 16, values.values())
    if highest:
        least = highest[-1]
        first = [(-value, number) for number, value in values.items() if value >= least]
        yield from (number for _, number in sorted(first))
        others = [(-value, number) for number, value in values.items() if value < least]
        yield from (number for _, number in sorted(others))


RIVAL: Final = 0.6
"""A second section is quoted with this share of the first's probability …"""
HEDGE: Final = 0.16
"""… and at least this probability itself. Cross-validated: see benchmarks/README.md."""
TITLED: Final = 0.03
"""The same for a section whose heading is the query."""
NEAR: Final = 0.85
"""Without sections, a second place is quoted with this share of the score."""
SAYS_ALL: Final = 0.9
"""A sentence that has this share of the words of the query is quoted alone …"""
ENOUGH_WORDS: Final = 3
"""… if these are at least this many: two words of a query are in many irrelevant sentences. If the
query asks for a value, it must have a digit as well."""
_WORDS_OF_TOKEN: Final = 0.75
"""Words per token, roughly."""


def choose_places(
    quotable: Quotable,
    options: RecallOptions,
    numbers: Sequence[int],
    *,
    worth: Mapping[int, float],
    likely: Mapping[int, float],
    titled: Container[int] = (),
    fixed: Container[int] = (),
) -> tuple[Mapping[int, Quotation], dict[int, str]]:
    """Choose the places of an answer, and the quotation of each.

    Args:
        numbers: The chosen sentences, in rank order; `worth` are their scores.
        likely: The probability of each section to hold the answer; empty if the scorer has none.
        titled: The sections whose heading is the query.
        fixed: The sentences whose places are always quoted.

    Returns:
        The quotations, by the first chosen sentence of each place, in rank order; and why other
        places are not quoted, by their first sentences.
    """
    index = quotable.index
    terms = _terms(index, options)
    quote = partial(_quotation, quotable, options)
    section_of = index.sections.of_sentence
    groups = _together(index, numbers)
    groups[1:] = sorted(groups[1:], key=lambda group: section_of[group[0]] not in titled)
    has_parts_asked = any(has_parts(query.text, index.languages) for query in options.query)
    has_all = numbers and not has_parts_asked and _has_value(index, numbers[0], options)

    def is_quoted(number: int) -> bool:
        if section_of[number] == section_of[numbers[0]]:  # the first, or in another tab, say
            return True
        if number in fixed or options.fills_budget:
            return True
        if len(quotations) > max(1, options.sentence_limit - 2):
            return False
        if not likely:
            return worth[number] >= NEAR * worth[numbers[0]]
        best, chance = (likely.get(section_of[chosen], 0.0) for chosen in (numbers[0], number))
        is_rival = chance >= HEDGE and (chance >= RIVAL * best or not has_all)
        is_part = has_parts_asked and quotable.asks_for_section(number, in_part=True)
        return is_rival or (chance >= TITLED and (is_part or section_of[number] in titled))

    quotations: dict[int, Quotation] = {}
    quoted = set[tuple[str, int, int]]()
    left_out: dict[int, str] = {}
    for first, *further in groups:
        reason = "" if is_quoted(first) else "the places before it are more likely to answer"
        if not reason and first not in fixed and not quoted.isdisjoint(quotable.places(first)):
            reason = "it is quoted with a place before it"
        if reason:
            left_out[first] = reason
            continue
        is_named = not has_parts_asked and quotable.asks_for(first)
        says_all = _says_all(quotable, first, terms) and _has_value(index, first, options)
        together = [first] if options.fills_budget or is_named else [first, *further]
        quotations[first] = quote(together, 0 if is_named or says_all else WORDS)
        quoted.update(quotable.places(first, quotations[first]))
    if options.fills_budget:
        total = _WORDS_OF_TOKEN * (options.max_tokens or 0)
        _fill(index, groups, quotations, partial(quote, words=WORDS), total)
    return quotations, left_out


def _fill(
    index: Index,
    groups: Iterable[list[int]],
    quotations: dict[int, Quotation],
    quote: Callable[[list[int]], Quotation],
    total: float,
) -> None:
    """Add other chosen sentences while there are words left."""
    by_code = [
        (index.language_of(n).code, quotation.sentences) for n, quotation in quotations.items()
    ]
    left = total - sum(words_in(s.text, code) for code, sentences in by_code for s in sentences)
    for first, *further in groups:
        count = 0
        for number in further if first in quotations else ():
            left -= len(index.words_of(number))
            if left >= 0:
                count += 1
        if count:
            quotations[first] = quote([first, *further[:count]])


def _has_value(index: Index, number: int, options: RecallOptions) -> bool:
    return any(map(str.isdigit, index.sentences[number].text)) or not any(
        asks_for_value(query.text, index.languages) for query in options.query
    )


def _terms(index: Index, options: RecallOptions) -> Sequence[Term]:
    """Return the terms of the queries; none for mere names."""
    terms = [t for query in options.query for t in query_terms(query.text, index.languages)]
    names = {*chain.from_iterable(name for q in options.query for name in names_in(q.text))}
    return [] if names.issuperset(term.word for term in terms) else terms


def _says_all(quotable: Quotable, number: int, terms: Sequence[Term]) -> bool:
    """Tell whether a sentence by itself says nearly all of a query."""
    index, document = quotable.index, quotable.index.document(number)
    block, sentence = index.block(number), index.sentences[number]
    language = index.language_of(number)
    quoted = quotable.quotation(number)
    if is_title(block) or phrases(language.code).points_elsewhere(sentence.text):
        return False
    leads = leads_in(document, block, sentence)
    if (leads and block.kind == "admonition") or index.leans(number):
        return False  # an example in a box, or part of a thought
    is_whole = quoted.whole or leads
    forms = {*words(sentence.text)}
    is_symptom = forms & shared_words("symptoms") or any(w.endswith("error") for w in forms)
    if heads(document, block, sentence) or is_part(document, quoted) or is_symptom or not is_whole:
        return False

    def weight_of(stems: Container[str]) -> float:
        pairs = ((t, s) for t in terms for code, s in t.stems if code == language.code)
        return sum(term.weight for term, stem in pairs if stem in stems)

    said_stems = {*map(language.stems.__getitem__, words(said(block, sentence)))}
    weight = weight_of(index.term_set(number)) if weight_of(said_stems) else 0.0
    says_all = weight >= SAYS_ALL * sum(term.weight for term in terms)
    return says_all and len(terms) >= ENOUGH_WORDS and not quotable.asks_for_section(number)


def _together(index: Index, numbers: Sequence[int]) -> list[list[int]]:
    places: dict[tuple[str, int, int, int], list[int]] = {}
    for number in numbers:
        key = place_key(index.document(number), index.block(number))
        places.setdefault(key, []).append(number)
    return list(places.values())


def _quotation(
    quotable: Quotable, options: RecallOptions, numbers: Sequence[int], words: float
) -> Quotation:
    index, siblings = quotable.index, quotable.siblings
    document, block = index.document(numbers[0]), index.block(numbers[0])
    ancestors = {above.number for above in (block, *lead_ins(document.blocks, block))}

    def is_open(part: Block) -> bool:
        if part.kind == "tab" and any(tab.lead == part.lead for tab in tabs):
            return part.number in ancestors
        return siblings.is_open(document, part)

    tabs = [above for above in map(document.blocks.__getitem__, ancestors) if above.kind == "tab"]
    room = Room(document, options.units, is_open, reach_of(options.context), siblings.stems)
    chosen = [index.sentences[number] for number in numbers]
    needed = [*map(quotable.quotation, numbers)]
    context = cast("ContextName", options.context)
    return quotation_of_place(room, context, chosen, needed, words=words)


Place: TypeAlias = "tuple[str, int, int, int]"
"""A sentence's page, section, block, and start there."""


def without_overlap(passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """Return passages without common sentences.

    Each keeps its chosen sentence; any other sentence stays with the first passage that has it.
    Together they quote the same sentences as before.
    """
    quoted = {_place(passage, passage.sentence) for passage in passages}
    remaining = []
    for passage in passages:
        remaining.append(without_quoted(passage, quoted))
        quoted |= places(remaining[-1])
    return tuple(remaining)


def without_quoted(passage: Passage, quoted: Container[Place]) -> Passage:
    """Return a passage without quoted sentences but its own."""
    return quoted_with(passage, lambda sentence: _place(passage, sentence) not in quoted)


def quoted_with(passage: Passage, is_kept: Callable[[Sentence], bool]) -> Passage:
    """Return a passage with its own sentence and those to keep."""
    quotation, chosen = passage.quotation, passage.sentence
    sentences = tuple(s for s in quotation.sentences if s == chosen or is_kept(s))
    if len(sentences) == len(quotation.sentences):
        return passage
    return replace(passage, quotation=replace(quotation, sentences=sentences))


def places(passage: Passage) -> set[Place]:
    """Return the places of all quoted sentences of a passage."""
    return {_place(passage, sentence) for sentence in passage.quotation.sentences}


def _place(passage: Passage, sentence: Sentence) -> Place:
    section = passage.document.blocks[sentence.block].section
    return passage.document.uri, section, sentence.block, sentence.start
