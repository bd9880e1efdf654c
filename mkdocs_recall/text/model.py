"""The parts of a page as it was read: blocks with headings and marks, sentences and words.

Half-open spans point into `Block.text`, so that a citation is exact. Nothing here depends on where
the text came from or which query it answers. (Classes of which a page has hundreds of instances are
not frozen dataclasses, whose construction takes three times as long.)
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from string import ascii_lowercase
from typing import Final, Literal, NamedTuple, TypeAlias

from msgspec import Struct

from mkdocs_recall.messages import start_of
from mkdocs_recall.text.front_matter import Stability

Role: TypeAlias = Literal[
    "code", "kbd", "em", "strong", "sup", "sub", "mark", "ins", "small", "abbr", "link",
    "image", "icon", "check", "formula", "diagram", "header", "cell", "language",
]  # fmt: skip
"""The meaning of the span of a `Mark`: inline markup; a picture, whose text is its alternative, an
icon without a name (`ICON`), or a check box (`[ ]`, `[x]`); the whole of a figure; in a row of a
table, a cell and before it the header of its column; or text whose language its HTML states."""

ICON: Final = "\u2b1a"
"""The text of an icon without a name."""
POWER: Final = "^"
"""The text before a power of a number."""
CODE_ROLES: frozenset[Role] = frozenset({"code", "kbd", "formula"})
"""The roles of text in which signs are neither punctuation nor markup."""

IN_ROWS: frozenset[Role] = frozenset({"header", "cell"})
"""The roles that are not inline markup."""

Kind: TypeAlias = Literal[
    "prose", "list", "table", "definition", "admonition", "code", "figure", "label", "tab"
]
"""The form of a block: running text, (part of) a list item, a row of a table, the definition of a
term, text in an admonition, a code block; a picture, a displayed formula or a diagram, which is
quoted only with the text that leads to it; or a label of the blocks after it, which is never quoted
alone: a term that is defined, a caption, the title of an admonition or a code block; or of a tab,
which a citation names."""

TEXT: tuple[Kind, ...] = ("prose", "list", "definition", "admonition")
"""The kinds whose text is split into sentences and makes up the text of a page."""

LABELS: frozenset[Kind] = frozenset({"label", "tab"})
"""The kinds that, like headings, say what the blocks below them are about."""
LONGEST: Final = 10_000
"""The most characters of a quotable sentence, row, or line of code: longer ones are not meant for
readers, and a small file of another site could hold one of megabytes."""
_NESTED = 16
"""How many lead-ins above a block are followed to the labels around it; few pages have four."""


class Heading(Struct, frozen=True):
    r"""A heading of the page.

    Example:
        >>> from mkdocs_recall import Corpus
        >>> (page,) = Corpus.from_markdown({"auth.md": "# Auth\n\n## Expiry {: #over }"}).documents
        >>> page.headings[1]
        Heading(text='Expiry', level=2, anchor='over')
    """

    text: str
    """Its text, without markup and permalink sign; empty if it contains template syntax."""
    level: int
    """1 for `h1` … 6 for `h6`."""
    anchor: str
    """Its `id`, as rendered; empty if it has none."""


class Mark(NamedTuple):
    """Inline markup: the half-open span `[start, end)` of a block's text, with a role.

    Example:
        >>> from mkdocs_recall import Corpus
        >>> (page,) = Corpus.from_markdown({"a.md": "Run `larch` *now*."}).documents
        >>> block = page.blocks[0]
        >>> [(mark.role, block.text[mark.start : mark.end]) for mark in block.marks]
        [('code', 'larch'), ('em', 'now')]
    """

    start: int
    end: int
    role: Role
    href: str = ""
    """The target of a link or the source of a picture, relative to its page; what an abbreviation
    stands for; the view box and the path of an icon; the digits of a power or an index for which
    the text has others; a language and, after a space, a direction; empty for other roles."""


LETTERED: Final = 10_000_000
"""The offset in numbers of items: once for `a`, twice for `A`, three times for `i`, four times for
`I`, which is the position of the type in `LIST_TYPES`, and five times in a list from 0 on."""
LIST_TYPES: Final = ("1", "a", "A", "i", "I")
"""The types of numbered lists, as their tags state them."""
FROM_ZERO: Final = len(LIST_TYPES) * LETTERED
"""The number of the first item of a list that starts at 0, since 0 means a bullet."""


def written_number(number: int) -> str:
    """Return the number of an item as text: `2`, `b`, `B`; `aa` after `z`."""
    case, position = divmod(number, LETTERED)
    kind = LIST_TYPES[case] if case < len(LIST_TYPES) else "1"
    if kind not in {"a", "A"}:
        return str(position)
    letters = ""
    while position:
        position, letter = divmod(position - 1, len(ascii_lowercase))
        letters = ascii_lowercase[letter] + letters
    return letters.upper() if kind == "A" else letters


class Item(NamedTuple):
    """The item of a list that a block is in."""

    list: int
    """The number of the list on its page, from 0."""
    position: int
    """Its place among the items of the list, from 0."""
    number: int = 0
    """The number before it; 0 for a bullet, and more than `LETTERED` for a letter, a Roman number,
    or an item of a list from 0 on."""


class Sentence(NamedTuple):
    """One sentence of a block: the half-open span `[start, end)` of the block's text.

    Example:
        >>> from mkdocs_recall import Corpus
        >>> (page,) = Corpus.from_markdown({"a.md": "Larch keeps files. It is small."}).documents
        >>> sentence = page.sentences[1]
        >>> sentence.text, sentence.start, sentence.end
        ('It is small.', 19, 31)
    """

    text: str
    """`block.text[start:end]`. It never ends with white space; only code may start with it."""
    start: int
    end: int
    block: int
    """The position of its block in `Document.blocks`."""
    words: tuple[str, ...]
    """Its words in order, with repetitions: folded, without stop words. Stemmed, they are terms."""
    quotable: bool = True
    """False if it contains template syntax or unrendered markup outside code, or is only a version
    badge: `New in 3.1`."""


def _without_sentences(_block: Block) -> tuple[Sentence, ...]:
    return ()


def step_number(items: tuple[Item, ...], above: tuple[Item, ...] = ()) -> str:
    """Return the number before a text in these items, `2. `; empty below a text of the same step.

    Args:
        above: The items of the text before it; outermost first, like `items`.
    """
    is_begun = above[: len(items)] == items
    is_step = items and items[-1].number and not is_begun
    return f"{written_number(items[-1].number)}. " if is_step else ""


@dataclass(slots=True, unsafe_hash=True)
class Block:
    r"""One run of text: a paragraph, a list item's own text, a definition, a caption.

    Treat it as immutable. It is split into sentences on first use, since most queries need only
    some blocks of a page.

    Example:
        >>> from mkdocs_recall import Corpus
        >>> corpus = Corpus.from_markdown({"a.md": "# Ports\n\n- 80 is plain\n- 443 is not"})
        >>> (page,) = corpus.documents
        >>> [(block.kind, block.text, block.heading, block.line) for block in page.blocks]
        [('list', '80 is plain', 'Ports', 3), ('list', '443 is not', 'Ports', 4)]
    """

    text: str
    """The text, with each run of white space as one space; of code, its lines unchanged."""
    kind: Kind
    top: int
    """The number of the page's top-level block that contains it, from 0; headings do not count."""
    section: int
    """The number of its section: 0 before any heading, one more at each heading; -1 for the page's
    own description."""
    headings: tuple[Heading, ...]
    """The headings above it, outermost first."""
    marks: tuple[Mark, ...] = ()
    """Inline markup, ordered by start, outer before inner."""
    line: int | None = None
    """The line of the author's file on which it starts, from 1; None if unknown."""
    number: int = 0
    """Its position in `Document.blocks`."""
    lead: int | None = None
    """The position, in `Document.blocks`, of the block that introduces this one: a label, or the
    text right before a list, terms, a table or a code block; of a caption, its picture. None if
    there is no such block. A label has one, too: the text or the label above it."""
    items: tuple[Item, ...] = ()
    """The items of lists that it is in, outermost first."""
    cut: Callable[[Block], tuple[Sentence, ...]] = field(
        default=_without_sentences, repr=False, compare=False
    )
    """The function that splits it into sentences; all blocks of a language share one."""
    _sentences: tuple[Sentence, ...] | None = field(
        default=None, init=False, repr=False, compare=False
    )

    def __repr__(self) -> str:
        """Return its number, its kind and the start of its text."""
        return f"<Block {self.number} {self.kind} {start_of(self.text)}>"

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """Its sentences in order. They cover the text except the white space between them."""
        if self._sentences is None:
            self._sentences = self.cut(self)
        return self._sentences

    @property
    def anchor(self) -> str:
        """The nearest anchor above the block; empty if there is none."""
        return next((h.anchor for h in reversed(self.headings) if h.anchor), "")

    @property
    def heading(self) -> str:
        """The text of the nearest heading above the block, or an empty string."""
        return self.headings[-1].text if self.headings else ""


class Publisher(Struct, frozen=True):
    """The other site that a page comes from. All texts but the first two may be empty.

    Example:
        >>> from mkdocs_recall import Publisher
        >>> Publisher("flux", "Flux", "https://flux.example/").name
        'flux'
    """

    name: str
    """Its name on this site: `flux`, or `flux@2.5` for one of its versions."""
    title: str
    """Its own name."""
    url: str = ""
    """The URL of its root."""
    licence: str = ""
    copyright: str = ""
    private: bool = False
    """Whether quotes from it must not be published."""


class Layout(Struct, frozen=True):
    """The ends of a page's sections and of the blocks below lead-ins."""

    section_starts: Sequence[int]
    """The positions of the sections' first blocks, then the number of blocks."""
    ends: Sequence[int]
    """For each block, the position after all blocks that it leads in to, even indirectly."""


@dataclass(frozen=True, slots=True)
class Document:
    r"""A page as it was read: its title and its blocks in reading order.

    Example:
        >>> from mkdocs_recall import Corpus
        >>> (page,) = Corpus.from_markdown({"auth.md": "# Auth\n\nA token lasts."}).documents
        >>> page.uri, page.title, page.anchors, page.sentences[0].text
        ('auth.md', 'Auth', ('auth',), 'A token lasts.')
    """

    uri: str
    """The page's path from the documentation's root, with `/`: `guides/auth.md`."""
    title: str
    language: str
    """The language in which its text is analysed: `en`, `pt-BR` …"""
    blocks: tuple[Block, ...]
    headings: tuple[Heading, ...] = ()
    """All headings in order. `headings[n - 1]` opens section `n`."""
    url: str = ""
    """The URL of the page, relative to the site's root: `guides/auth/`."""
    description: str = ""
    """The `description` in its front matter; empty if there is none."""
    created: str = ""
    """The date `t_created` in its front matter, in ISO 8601; empty if there is none."""
    file: str = ""
    """The path of the author's file on this machine; empty if unknown."""
    valid: str = ""
    """The date from which it is valid: `t_valid`, in ISO 8601; empty if there is none."""
    stability: Stability = ""
    """How fast it becomes outdated: `temporal_stability`; empty if there is none."""
    quality: float | None = None
    """The author's rating from 0 to 100: `recall_quality`, or 0 for a page with `draft: true`; None
    if there is neither."""
    asks: tuple[tuple[str, str], ...] = ()
    """The questions that it answers, by its author, each after the anchor of its section, which is
    empty for the whole page. They are searched like headings, and never quoted."""
    whole: bool = True
    """False if the page is longer than `limits.page_size`, so that only its start was read."""
    publisher: Publisher | None = None
    """The other site that it comes from, whose name begins its uri; None for a page of this
    site."""
    _layout: Layout | None = field(default=None, init=False, repr=False, compare=False)

    def __repr__(self) -> str:
        """Return its path, its title and the number of its blocks."""
        return f"<Document {start_of(self.uri)} {start_of(self.title)}: {len(self.blocks)} blocks>"

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """The sentences of its text in reading order, without tables, code and labels."""
        return tuple(s for b in self.blocks if b.kind in TEXT for s in b.sentences)

    @property
    def anchors(self) -> tuple[str, ...]:
        """The anchors of the page's headings, in order."""
        return tuple(h.anchor for h in self.headings if h.anchor)


def kinds_of(document: Document) -> frozenset[Kind]:
    """Return the kinds of a page's blocks that hold sentences."""
    return frozenset(block.kind for block in document.blocks if block.sentences)


def tabs_of(blocks: Sequence[Block], block: Block) -> Iterator[Block]:
    """Yield the titles of the tabs that a block is in, or is, the innermost first."""
    return (above for above in chain((block,), lead_ins(blocks, block)) if above.kind == "tab")


def innermost_tab(blocks: Sequence[Block], block: Block) -> Block | None:
    """Return the title of the tab that a block is in, or is, if any."""
    return next(tabs_of(blocks, block), None)


def layout_of(document: Document) -> Layout:
    """Return where sections and lead-ins end, found in one pass."""
    layout = document._layout  # noqa: SLF001 - not for callers, who get the page
    if layout is not None:
        return layout
    blocks, section_starts, section = document.blocks, [], None
    ends = [len(blocks)] * len(blocks)
    open_blocks: list[int] = []
    for number, block in enumerate(blocks):
        if block.section != section:
            section = block.section
            section_starts.append(number)
        lead = -1 if block.lead is None else block.lead
        while open_blocks and open_blocks[-1] > lead:
            ends[open_blocks.pop()] = number
        open_blocks.append(number)
    layout = Layout((*section_starts, len(blocks)), tuple(ends))
    object.__setattr__(document, "_layout", layout)
    return layout


def section_blocks(document: Document, block: Block) -> Sequence[Block]:
    """Return the blocks of a block's section, itself included."""
    numbers = section_range(document, block)
    return document.blocks[numbers.start : numbers.stop]


def section_range(document: Document, block: Block) -> range:
    """Return the numbers of the blocks of a section, up to a box with a heading, or footnotes."""
    starts = layout_of(document).section_starts
    following = bisect_right(starts, block.number)
    return range(starts[following - 1], starts[following])


def lead_ins(blocks: Sequence[Block], block: Block) -> Iterator[Block]:
    """Yield a block's lead-in, the lead-in of that, and so on."""
    for _ in range(_NESTED):
        if block.lead is None:
            return
        block = blocks[block.lead]
        yield block
